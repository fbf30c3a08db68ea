"""Speed of Monte Carlo tree search, beside OpenSpiel's in C++."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Row, rate
from evoboard.core.arrays import Array
from evoboard.encoders.base import find_encoder
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.mcts import no_value
from evoboard.search import mcts
from evoboard.search.base import Searcher, read_settings
from evoboard.search.values import network_value

EXAMPLES = Path(__file__).parent.parent / "examples"


def rounds_rate(
    game: Game, settings: dict[str, Any], evaluator: dict[str, Any], network: Any
) -> float:
    """Return rounds per second on one core, over positions from a random game."""
    searcher = Searcher(game, mcts, read_settings(mcts, settings), evaluator)
    states = _positions(game, 12)

    def work() -> int:
        return sum(
            searcher.think(network, History.of(game, state), i + 1).nodes
            for i, state in enumerate(states)
        )

    work()
    return rate(work, seconds=2)


def early_rows() -> list[Row]:
    """Draughts with the paper's network and rounds: 91-40-10-1 on subsquares, 300 × ply."""
    game = load_game("draughts")
    encoder = find_encoder("subsquares", game)
    design = Design((91, 40, 10, 1))
    vector = np.random.default_rng(1).uniform(-1, 1, design.length).astype(np.float32)
    pack = mlp.pack([MLPNetwork(design, vector)])
    evaluator = {**encoder.bindings, "evaluate": network_value, "forward": mlp.forward}
    evaluator["SCRATCH"] = mlp.scratch_size(pack)
    network = mlp.member(pack, 0)
    rows = []
    for ply in (1, 3, 6):
        speed = rounds_rate(game, {"ply": ply}, evaluator, network)
        rows.append(Row(f"draughts, 91-40-10-1, {ply} ply", speed, "rounds/s", target=150e3))
    speed = rounds_rate(game, {"ply": 1, "rounds": 10_000}, evaluator, network)
    rows.append(Row("draughts, 91-40-10-1, 1 ply, 10,000 rounds", speed, "rounds/s", target=150e3))
    return rows


def playout_rows() -> list[Row]:
    """Playouts to the end of the game, from its start."""
    rows = []
    for ours, peer, target in (("connectfour", "connect_four", 1), ("tictactoe", "tic_tac_toe", 0)):
        game = load_game(str(EXAMPLES / f"{ours}.py"))
        settings = {"ply": -1, "rounds": 1_000}
        searcher = Searcher(game, mcts, read_settings(mcts, settings), {"evaluate": no_value})
        nothing, start = np.zeros(1, np.float32), History(game)
        searcher.think(nothing, start)
        speed = rate(lambda s=searcher, n=nothing, p=start: s.think(n, p).nodes)
        rows.append(Row(game.name, speed, "rounds/s", "OpenSpiel", _openspiel(peer), target))
    return rows


def _openspiel(name: str) -> float:
    """Return rounds per second of OpenSpiel's own MCTS with one random rollout each."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1_000, 100, True, 1, False)
    state = game.new_initial_state()

    def work() -> int:
        bot.mcts_search(state)
        return 1_000

    return rate(work)


def _positions(game: Game, count: int) -> list[Array]:
    """Return the first positions of a random game that leave a choice."""
    rng, found, state = np.random.default_rng(1), [], game.initial()
    while len(found) < count:
        moves = game.legal_moves(state)
        if not moves:
            state = game.initial()
            continue
        if len(moves) > 1:
            found.append(state)
        state = game.apply(state, moves[rng.integers(len(moves))])
    return found


GROUPS = {
    "mcts: early termination": early_rows,
    "mcts: playouts to the end": playout_rows,
}
