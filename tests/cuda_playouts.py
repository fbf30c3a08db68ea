"""Random games on a GPU, one per thread, against the same games on the CPU: `python FILE GAME …`.

Run by test_cuda.py in Numba's CUDA simulator, and as it is on a machine with a GPU.
"""

from __future__ import annotations

import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # some numba-cuda releases still look for it

from numba import config, cuda

from evoboard.arena.playouts import play_random, random_games
from evoboard.core.link import thread_index
from evoboard.core.rng import address, nth_seed
from evoboard.games.base import Game, load_game
from evoboard.games.rules import initial

# The simulator computes with NumPy's scalars, which overflow where compiled code widens.
MOVE = np.int64 if config.ENABLE_CUDASIM else np.int32


def one_game_per_thread(seed, states, limits, summary, keys, moves, spare):
    i = thread_index()
    if i < states.shape[0]:
        chance = nth_seed(seed, i)
        initial(states[i], int(nth_seed(int(chance), 1)))
        play_random(states[i], chance, limits, summary[i], keys[i], moves[i], spare[i])


def play_on_gpu(game: Game, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return summaries, last positions and the seconds of a second, warm run."""
    plies = game.draws.plies or 1000
    limits = np.array([game.draws.repetitions, game.draws.quiet, plies], np.int64)
    kernel = game.link(one_game_per_thread, "cuda")
    spent = 0.0
    for _ in range(2):
        arrays = [
            np.zeros((count, game.state_size), np.int64),
            limits,
            np.zeros((count, 3), np.int64),
            np.zeros((count, plies + 1), np.int64),
            np.zeros((count, game.max_moves), MOVE),
            np.zeros((count, game.state_size), np.int64),
        ]
        on_device = [cuda.to_device(array) for array in arrays]
        began = time.perf_counter()
        kernel[(count + 63) // 64, 64](address(seed, "playout"), *on_device)
        cuda.synchronize()
        spent = time.perf_counter() - began
    return on_device[2].copy_to_host(), on_device[0].copy_to_host(), spent


def main() -> None:
    count = int(sys.argv[1])
    for name in sys.argv[2:]:
        game = load_game(name)
        began = time.perf_counter()
        with np.errstate(over="ignore"):
            summary, finals, spent = play_on_gpu(game, count, seed=3)
        total = time.perf_counter() - began
        random_games(game, 2, seed=3)
        began = time.perf_counter()
        played = random_games(game, count, seed=3)
        cpu = time.perf_counter() - began
        equal = np.array_equal(summary[:, 0], played.results) and np.array_equal(
            finals, played.finals
        )
        print(
            f"{name}: {'equal' if equal else 'DIFFERENT'} {count} games; first call {total:.1f} s, "
            f"gpu {count / spent:,.0f} games/s, one core {count / cpu:,.0f} games/s"
        )
        assert equal


main()
