"""Make the champions that ship with the package: one per game, by an experiment and a seed.

`python tools/make_champions.py [GAME …]` trains each experiment below in memory and writes
src/evoboard/champions/GAME.json with the command that makes the same run (one seed, one champion)
and how it scores against a few opponents.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.progress import track

from evoboard.arena.contest import Terms, play_contest
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.players.file import write_player
from evoboard.training.loop import Trainer

FOLDER = Path(__file__).parent.parent / "src/evoboard/champions"
SEED = 1
GAMES = 100  # against each opponent
# By game: whom a champion is measured against, and how people call them.
OPPONENTS: dict[str, dict[str, str]] = {
    "kingcapture": {"random": "random moves", "material:depth=2": "counting pieces 2 plies ahead"},
    "nim": {"random": "random moves", "perfect": "perfect play"},
    "chess": {"random": "random moves", "material:depth=2": "counting pieces 2 plies ahead"},
    "draughts": {"random": "random moves", "material:depth=3": "counting pieces 3 plies ahead"},
    "hexwar": {"random": "random moves", "scripted:rusher": "the script rusher"},
}
# By game: experiment, changes, and the search settings a person meets the champion with.
MADE: dict[str, tuple[str, list[str], dict[str, int]]] = {
    "kingcapture": ("kingcapture-learn", [], {"depth": 3}),
    "nim": ("nim-heaps-3-5-7", [], {}),
    "chess": ("chess-learn", ["generations=30"], {"depth": 3}),
    "draughts": ("draughts-learn", [], {"depth": 5}),
    "hexwar": ("hexwar-learn", ["game.name=hexwar"], {"depth": 3}),
}


def make(game: str) -> None:
    """Train one game's champion and write it."""
    name, changes, settings = MADE[game]
    trainer = Trainer(load(name, [*changes, "measure.every=0"]), SEED)
    for _ in track(range(trainer.experiment.generations), f"{game} ({name})"):
        if not trainer.finished():
            trainer.step()
    final = trainer.final()
    entry = next(e for e in trainer.archive.entries if e.generation == final.champion_generation)
    networks = trainer.strategy.express(entry.genes)
    network = networks.kind.unpack(networks.pack, 0).to_json()
    about = {
        "title": f"Champion of {name}",
        "made by": " ".join(
            ["evoboard train", name, *(f"--set {change}" for change in changes), f"--seed {SEED}"]
        ),
        "generation": final.champion_generation,
    }
    data = trainer.player_data()
    merged = {**data["settings"], **settings}
    FOLDER.mkdir(exist_ok=True)
    write_player(
        FOLDER / f"{game}.json",
        game,
        data["encoder"],
        network,
        data["search"],
        merged,
        about,
    )
    print(f"wrote {game}.json: generation {final.champion_generation}, scores {final.scores}")


def measure(game: str) -> None:
    """Let a champion play its opponents, and note the scores in its file."""
    path = FOLDER / f"{game}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    scores = []
    for text, name in OPPONENTS[game].items():
        players = [f"file:{path}", text]
        contest = play_contest(load_game(game), players, GAMES, Terms(seed=SEED))
        score = float(contest.table.points()[0]) / GAMES
        scores.append({"against": text, "name": name, "games": GAMES, "score": round(score, 3)})
        print(f"  {game} against {name}: {score:.0%}")
    # Before the network, so that whoever opens the file sees it.
    kept = {key: data[key] for key in data if key != "measured"}
    head = {key: kept.pop(key) for key in ("format", "version", "title", "made by", "generation")}
    path.write_text(json.dumps({**head, "measured": scores, **kept}), encoding="utf-8")


if __name__ == "__main__":
    for game in sys.argv[1:] or MADE:
        make(game)
        measure(game)
