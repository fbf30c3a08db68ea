"""Make the champions that ship with the package, and say how strong they are.

    python tools/make_champions.py [NAME …]               train by the recipes, write, measure
    python tools/make_champions.py NAME --from-run RUN    the best player of a run that exists
    python tools/make_champions.py NAME --measure         measure the one that ships once more
                  (--no-ladder: its matches alone, --only-ladder: its place on the ladder alone)

A champion's name is its game's, or that and what is special about it. It is
src/evoboard/champions/NAME.json: the network, how it searches, the command that makes
the same one (one seed, one champion), how many seconds of one core that takes where it is known,
and what it has been measured at: first at equal search by the game's own rules, then in longer
games, then with whoever searches otherwise, and its place on the ladder.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.progress import track

from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.elo import expected_score
from evoboard.arena.ladder import Ladder
from evoboard.arena.standings import MatchResult
from evoboard.core.errors import OptionError
from evoboard.experiments.catalog import experiment_names, load
from evoboard.games.base import Game, load_game
from evoboard.players import champion
from evoboard.players.base import make_player
from evoboard.players.equal_search import counter_for, search_words
from evoboard.players.file import write_player
from evoboard.players.run import find_player, read_address
from evoboard.players.scripted import SCRIPTS
from evoboard.runs.folder import describe_run
from evoboard.store.reader import open_run
from evoboard.training.experiment import resolved
from evoboard.training.loop import Trainer

SEED = 1
GAMES = 200  # against each opponent
HEAD = ("format", "version", "title", "made by", "time", "generation", "measured", "ladder")


class Recipe(NamedTuple):
    """How a game's champion is made, how people meet it, and at which searches it is measured.

    `settings`: of the search, instead of those it was trained with; where `search` names another
    one, nothing but these. `equal`: further searches, as
    options of a player; its own comes first anyway. `others`: opponents of any search, and what
    people call them. `plies`: how long games may be when equal search is measured once more: by
    the game's own rule many end before anybody has won.
    """

    experiment: str
    changes: tuple[str, ...]
    settings: dict[str, int]
    equal: tuple[str, ...]
    others: dict[str, str]
    plies: int | None = None
    search: str = ""


RANDOM = {"random": "random moves"}
SCRIPTED = {f"scripted:{who}": f"the script {who}" for who in SCRIPTS}
RECIPES = {
    "kingcapture": Recipe(
        "kingcapture-learn", (), {"depth": 4, "quiescence": 4},
        ("depth=1,quiescence=0", "depth=2,quiescence=0", "depth=3,quiescence=0",
         "depth=4,quiescence=0", "depth=1", "depth=2", "depth=3"), RANDOM, 100,
    ),
    "kingcapture-1ply": Recipe("kingcapture-gpu", (), {}, (), RANDOM, 100),
    "nim": Recipe("nim-learn-1ply", (), {}, (), {**RANDOM, "perfect": "perfect play"}),
    "nim-policy": Recipe("nim-learn", (), {}, (), {**RANDOM, "perfect": "perfect play"}),
    "chess": Recipe(
        "chess-learn", (), {"depth": 3, "quiescence": 4},
        ("depth=2,quiescence=4", "depth=4,quiescence=4"), RANDOM, search="alphabeta",
    ),
    "draughts": Recipe("draughts-learn", (), {"depth": 5}, ("depth=3", "depth=7"), RANDOM),
    "hexwar-first": Recipe("hexwar-learn", (), {}, (), RANDOM | SCRIPTED),
    "hexwar": Recipe("hexwar-refine", (), {}, ("depth=2",), RANDOM | SCRIPTED),
}  # fmt: skip


def train(name: str) -> None:
    """Train a champion by its recipe and write it."""
    recipe = RECIPES[name]
    experiment = load(recipe.experiment, recipe.changes)
    if experiment.stop.grade is None:  # measuring changes nothing but when a grade ends the run
        experiment = load(recipe.experiment, [*recipe.changes, "measure.every=0"])
    trainer, began = Trainer(experiment, SEED), time.process_time()
    for _ in track(range(trainer.experiment.generations), f"{name} ({recipe.experiment})"):
        if not trainer.finished():
            trainer.step()
    final = trainer.final()
    entry = next(e for e in trainer.archive.entries if e.generation == final.champion_generation)
    networks = trainer.strategy.express(entry.genes)
    network = networks.kind.unpack(networks.pack, 0).to_json()
    changes = [f"--set {change}" for change in recipe.changes]
    made_by = " ".join(["evoboard train", recipe.experiment, *changes, f"--seed {SEED}"])
    seconds = round(time.process_time() - began)
    write(name, trainer.player_data(), network, final.champion_generation, made_by, seconds)


def take(name: str, run: str, made_by: str) -> None:
    """Write the best player of a run, or the one that is named as run:NAME@gen=40 is."""
    address = read_address(run.removeprefix("run:"))
    found, info = find_player(address), describe_run(address.run)
    if not made_by:
        with open_run(address.run) as reader:
            made_by = f"evoboard train {_experiment(reader.facts())} --seed {info.seed}"
    write(name, dict(found.player), found.network, found.generation, made_by)


def _experiment(facts: dict[str, Any]) -> str:
    """Return which of our experiments a run follows."""
    for name in experiment_names():
        if resolved(load(name)) == facts["experiment"]:
            return name
    raise OptionError(
        "this run follows none of the experiments that ship; say with --made-by which command "
        "makes it again."
    )


def write(
    name: str,
    data: dict[str, Any],
    network: Any,
    generation: int,
    made_by: str,
    seconds: int | None = None,
) -> None:
    """Write a champion's file, not measured yet; `seconds`: of one core, where they are known."""
    about: dict[str, Any] = {"title": f"Champion of {made_by.split()[2]}", "made by": made_by}
    about |= {} if seconds is None else {"time": seconds}
    recipe, path, game = RECIPES[name], champion.champion_file(name), game_of(name)
    search = recipe.search or data["search"]
    settings = {**(data["settings"] if search == data["search"] else {}), **recipe.settings}
    known = (data["encoder"], network, search, settings)
    write_player(path, game, *known, {**about, "generation": generation})
    print(f"wrote {path.name}: generation {generation}, {made_by}")


def game_of(name: str) -> str:
    """Return the game of a champion's name: kingcapture of kingcapture-1ply."""
    return name.split("-")[0]


def measure(name: str, games: int, matches: bool = True, ladder: bool = True) -> None:
    """Let a champion play, at equal search first, and note in its file what comes of it."""
    played, path = load_game(game_of(name)), champion.champion_file(name)
    champion.about.cache_clear()
    data = json.loads(path.read_text(encoding="utf-8"))
    if matches:
        data["measured"] = []
        for row in _meetings(name, played, games):
            data["measured"].append(row)
            print(f"  {name}: {champion.row_words(row)}", flush=True)
    if ladder:
        place = Ladder(played).measure(f"champion:{name}", min(games, 100))
        print(f"  {name}: Elo {place.elo:.0f} ({place.low:.0f} … {place.high:.0f}) on the ladder")
        ends = {end: round(getattr(place, end)) for end in ("elo", "low", "high")}
        data["ladder"] = {**ends, "games": place.games}
    # Before the network, so that whoever opens the file sees it.
    head = {key: data.pop(key) for key in HEAD if key in data}
    path.write_text(json.dumps({**head, **data}), encoding="utf-8")


def _meetings(name: str, game: Game, games: int) -> Iterator[dict[str, Any]]:
    """Yield what comes of matches: at equal search, its own first, then the others."""
    recipe, own = RECIPES[name], f"champion:{name}"
    for plies in dict.fromkeys((game.draws.plies, recipe.plies or game.draws.plies)):
        terms, seen = Terms(seed=SEED, draws=game.draws.changed(plies=plies)), set()
        for options in ("", *recipe.equal):
            text = f"{own},{options}" if options else own
            player = make_player(text, game)
            opponent = counter_for(player, game)
            if opponent and opponent not in seen:
                seen.add(opponent)
                how = {"equal": True, "search": search_words(player), "name": "counting pieces"}
                yield {**how, "plies": plies, **_met(game, text, opponent, games, terms)}
    how = {"equal": False, "search": search_words(make_player(own, game))}
    for opponent, who in recipe.others.items():
        terms = Terms(seed=SEED, draws=game.draws)
        met = _met(game, own, opponent, games, terms)
        yield {**how, "name": who, "plies": game.draws.plies, **met}


def _met(game: Game, text: str, opponent: str, games: int, terms: Terms) -> dict[str, Any]:
    result = MatchResult(play_contest(game, [text, opponent], games, terms))
    found, (wins, draws, losses) = result.estimate, result.counts
    shares = {"score": found.score}
    shares |= {"low": expected_score(found.low), "high": expected_score(found.high)}
    rounded = {name: round(share, 3) for name, share in shares.items()}
    return {
        "against": opponent, "games": games, "wins": wins, "draws": draws, "losses": losses,
        **rounded,
    }  # fmt: skip


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(RECIPES)}")
    parser.add_argument("--from-run", metavar="RUN", help="a run, or RUN@gen=40 of it")
    parser.add_argument("--made-by", default="", help="the command that makes that run")
    parser.add_argument("--measure", action="store_true", help="only measure")
    parser.add_argument("--matches", type=int, default=GAMES, help="games against each opponent")
    parser.add_argument("--no-ladder", action="store_true", help="leave the ladder out")
    parser.add_argument("--only-ladder", action="store_true", help="leave the matches out")
    given = parser.parse_args()
    if given.from_run and len(given.names) != 1:
        parser.error("--from-run makes one champion; name it.")
    for name in given.names or RECIPES:
        if name not in RECIPES:
            parser.error(f"there is no recipe for {name}; there are {', '.join(RECIPES)}.")
        if given.from_run:
            take(name, given.from_run, given.made_by)
        elif not given.measure:
            train(name)
        measure(name, given.matches, not given.only_ladder, not given.no_ladder)


if __name__ == "__main__":
    main()
