"""Speed of the rules: perft and random games, beside software nobody here wrote."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.report import Row, rate
from evoboard.arena.playouts import random_games
from evoboard.games.base import DrawRules, Game, load_game
from evoboard.games.perft import perft

EXAMPLES = Path(__file__).parent.parent / "examples"


def perft_rate(game: Game, depth: int) -> float:
    """Return perft nodes per second on one core, the last ply counted in bulk."""
    states = np.zeros((depth, game.state_size), np.int64)
    moves = np.zeros((depth, game.max_moves), np.int32)
    cursors = np.zeros((depth, 2), np.int64)
    kernel = game.link(perft)
    states[0] = game.initial()
    kernel(states, moves, cursors, 1)
    return rate(lambda: int(kernel(states, moves, cursors, depth)), seconds=3)


def playout_rate(game: Game, draws: DrawRules, count: int) -> tuple[float, float]:
    """Return random games per second on one core, and their mean length in plies."""
    plies = random_games(game, count, seed=1, draws=draws).plies.mean()

    def play() -> int:
        random_games(game, count, seed=1, draws=draws)
        return count

    return rate(play, seconds=2), float(plies)


def perft_rows() -> list[Row]:
    """Chess beside Stockfish and python-chess; the others alone."""
    from benchmarks.peers.perft import STOCKFISH, python_chess_perft, stockfish_perft

    chess = perft_rate(load_game("chess"), 5)
    rows = [Row("chess perft", chess, "nodes/s", "python-chess", python_chess_perft(), 30)]
    if Path(STOCKFISH).exists():
        rows.append(Row("chess perft", chess, "nodes/s", "Stockfish", stockfish_perft(), 0.10))
    king = perft_rate(load_game("kingcapture"), 6)
    rows.append(Row("kingcapture perft", king, "nodes/s", target=50e6))
    rows.append(Row("draughts perft", perft_rate(load_game("draughts"), 9), "nodes/s"))
    rows.append(Row("hexwar perft", perft_rate(load_game("hexwar:start_pieces=10"), 4), "nodes/s"))
    rows.append(Row("nim perft", perft_rate(load_game("nim"), 6), "nodes/s"))
    return rows


def rollout_rows() -> list[Row]:
    """Random games under OpenSpiel's own draw rules, beside OpenSpiel's C++."""
    from benchmarks.peers.rollouts import openspiel_plies, openspiel_rollouts

    chess, chess_plies = playout_rate(load_game("chess"), DrawRules(3, 100, 0), 2_000)
    # OpenSpiel's checkers ends after 40 plies without a capture and knows no repetition.
    draughts, draughts_plies = playout_rate(load_game("draughts"), DrawRules(0, 40, 0), 20_000)
    rows = [
        Row("chess random games", chess, "games/s", "OpenSpiel", openspiel_rollouts("chess"), 10),
        Row("  plies per game", chess_plies, "", "OpenSpiel", openspiel_plies("chess", 100)),
    ]
    peer = openspiel_rollouts("checkers")
    moves = openspiel_plies("checkers", whole_moves=True)
    rows.append(Row("draughts random games", draughts, "games/s", "OpenSpiel", peer, 20))
    rows.append(Row("  plies per game", draughts_plies, "", "OpenSpiel", moves))
    return rows


def example_rows() -> list[Row]:
    """A user's game beside a built-in one, in plies per second."""
    rows = []
    for example in ("tictactoe", "connectfour", "othello"):
        ours = _plies_rate(load_game(str(EXAMPLES / f"{example}.py")))
        builtin = _plies_rate(load_game("kingcapture"))  # each time: machines have moods
        rows.append(Row(example, ours, "plies/s", "kingcapture", builtin, 0.5))
    return rows


def _plies_rate(game: Game) -> float:
    games, plies = playout_rate(game, DrawRules(0, 0, 200), 2_000)
    return games * plies


def start_rows() -> list[Row]:
    """Seconds until a second process has its answer, with the kernels on disk."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evoboard", "perft", "nim", "3"]
        env = {**os.environ, "EVOBOARD_CACHE": folder}
        times = []
        for _ in range(4):
            began = time.perf_counter()
            subprocess.run(command, env=env, check=True, capture_output=True)
            times.append(time.perf_counter() - began)
    return [
        Row("evoboard perft nim 3, cold", times[0], "s"),
        Row("evoboard perft nim 3, warm", min(times[1:]), "s", target=2, lower_is_better=True),
    ]


GROUPS = {
    "rules: perft": perft_rows,
    "rules: random games": rollout_rows,
    "rules: a user's game": example_rows,
    "rules: start": start_rows,
}
