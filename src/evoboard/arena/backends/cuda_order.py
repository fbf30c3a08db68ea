"""The games of a GPU in the order of one side's players, put in order there.

Threads that work in step then mostly ask the same network. Games of the same player come in any
order, which decides nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import count_up, link, thread_index


def order_of(pairings: Any, side: int, first: int, end: int, block: int) -> Any:
    """Return the games in which players first..end-1 have a side, as an array of the GPU's."""
    from evoboard.core.native_cuda import starter, zeros

    cuda: Any = import_module("numba.cuda")
    blocks, counts = -(-pairings.shape[0] // block), zeros(end - first + 1, np.int32)
    count, place = _kernels()
    starter(count, (pairings, side, first, counts), blocks, block)()
    starts = np.cumsum(counts.copy_to_host(), dtype=np.int32)
    games = int(starts[-1])
    order = cuda.device_array(max(1, games), np.int32)
    starter(place, (pairings, side, first, cuda.to_device(starts), order), blocks, block)()
    return order[:games]


@cache
def _kernels() -> tuple[Any, Any]:
    return link(count_games, target="cuda"), link(place_game, target="cuda")


def count_games(pairings: Array, side: int, first: int, counts: Array) -> None:
    """Count a game of one thread's in the cell after its player's."""
    game = thread_index()
    if game < pairings.shape[0]:
        place = pairings[game, side] - first
        if 0 <= place < counts.shape[0] - 1:
            count_up(counts, place + 1, 1)


def place_game(pairings: Array, side: int, first: int, starts: Array, order: Array) -> None:
    """Write one thread's game behind those of its player that are written already."""
    game = thread_index()
    if game < pairings.shape[0]:
        place = pairings[game, side] - first
        if 0 <= place < starts.shape[0] - 1:
            order[count_up(starts, place, 1)] = game
