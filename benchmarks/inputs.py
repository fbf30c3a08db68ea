"""What inputs are worth: python -m benchmarks.inputs EXPERIMENT GENERATIONS SEEDS GAMES ENCODER…

Networks are trained by an experiment with each ENCODER, for so many GENERATIONS, and with seeds 1
to SEEDS. The best player of each run then meets `material` at depths 1 to 4, with the run's search
and draw rules, GAMES at each. A line of JSON for each encoder says what came of it, and what it
costs: the processor time of one call, and of one position of a search three plies deep.

Runs are kept: the same command again plays what is missing.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.networks import encode_many, sample
from benchmarks.report import begin
from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.elo import EloEstimate, Tally, elo_difference
from evoboard.arena.scoring import joined
from evoboard.cli.study_watch import StudyWatch
from evoboard.core.wording import as_name
from evoboard.encoders.base import find_encoder
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
from evoboard.players.equal_search import counter_of
from evoboard.runs.study import Study, make_study
from evoboard.runs.study_training import train_study
from evoboard.runs.sweep import cells_of
from evoboard.training.experiment import Experiment, read_experiment

DEPTHS = (1, 2, 3, 4)
TURNS, ROUNDS = 7, 40  # of one call: the least of so many turns
SEARCHED, PLIES = 24, 3  # positions to be searched, and how deep


def worth(
    experiment: str, generations: int, seeds: int, games: int, encoder: str
) -> dict[str, Any]:
    """Return what runs with an encoder come to at equal search, and what the encoder costs."""
    study = trained(experiment, generations, seeds, encoder)
    recipe = read_experiment(study.cells[0].experiment)
    game = load_game(recipe.game.name)
    players = [f"run:{run.name}" for run in study.runs()]
    told = track(DEPTHS, encoder, console=Console(stderr=True), transient=True)
    found = {depth: at_depth(game, recipe, players, depth, games) for depth in told}
    return {
        "game": game.name, "encoder": encoder, "inputs": find_encoder(encoder, game).inputs,
        "ns": round(call_time(game, encoder)), "position ns": round(search_time(game, players[0])),
        "generations": generations, "seeds": seeds, "games": games * seeds,
        "share": {depth: [round(x, 3) for x in shares] for depth, (shares, _) in found.items()},
        "elo": {d: [round(x) for x in (e.elo, e.low, e.high)] for d, (_, e) in found.items()},
    }  # fmt: skip


def trained(experiment: str, generations: int, seeds: int, encoder: str) -> Study:
    """Return the study of runs with an encoder, trained."""
    changes = [f"player.encoder={encoder}", f"generations={generations}", "measure.every=0"]
    name = as_name(f"inputs-{experiment}-{generations}-{encoder}", 60, "inputs")
    study = make_study(name, cells_of([experiment], changes), range(1, seeds + 1))
    if study.left():
        watch = StudyWatch(study, Console(stderr=True))
        with watch.shown():
            left = train_study(study, 1, listener=watch)
        if left:
            sys.exit(f"{len(left)} runs are not complete; the same command again goes on.")
    return study


def at_depth(
    game: Game, recipe: Experiment, players: list[str], depth: int, games: int
) -> tuple[list[float], EloEstimate]:
    """Return each player's share against `material` at equal search, and Elo of all together."""
    terms = Terms(seed=depth, draws=recipe.game.draws(game.draws), threads=1)
    tables = []
    for text in players:
        player = f"{text},depth={depth}"
        tables.append(
            play_contest(game, [player, str(counter_of(player, game))], games, terms).table
        )
    shares = [elo_difference(Tally.of_table(table, 0, 1)).score for table in tables]
    return shares, elo_difference(Tally.of_table(joined(tables), 0, 1))


def call_time(game: Game, encoder: str) -> float:
    """Return the nanoseconds of processor time that an encoder needs for a position."""
    inputs, states = find_encoder(encoder, game), sample(game)
    kernel = game.link(encode_many, **inputs.bindings)
    values, results = np.zeros(inputs.inputs, np.float32), np.zeros(len(states), np.float32)
    kernel(states, values, results)
    turns = []
    for _ in range(TURNS):
        began = time.process_time()
        for _ in range(ROUNDS):
            kernel(states, values, results)
        turns.append(time.process_time() - began)
    return 1e9 * min(turns) / (ROUNDS * len(states))


def search_time(game: Game, player: str) -> float:
    """Return the nanoseconds of processor time that a search with a player's network needs for a
    position."""
    thinker = make_player(f"{player},depth={PLIES}", game)
    states = sample(game)[:: max(1, 256 // SEARCHED)]
    histories = [History.of(game, state) for state in states]
    thinker.think(histories[0], 1)  # compiles what is not yet
    turns = []
    for _ in range(TURNS):
        began = time.process_time()
        nodes = sum(thinker.think(history, 1).nodes for history in histories)
        turns.append((time.process_time() - began) / nodes)
    return 1e9 * min(turns)


def main() -> None:
    """Print a line for each encoder that the command line names."""
    experiment, generations, seeds, games, *encoders = sys.argv[1:]
    for encoder in encoders:
        found = worth(experiment, int(generations), int(seeds), int(games), encoder)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    begin(main, __doc__, 5)
