"""How the 32 threads of a warp, which work in step, share the moves of their games."""

from __future__ import annotations

import numpy as np

from evoboard.arena.backends.cuda_tables import Listed
from evoboard.core.arrays import Array
from evoboard.core.link import raise_to, thread_index, threads_meet

F = np.float32
GROUP = 5  # at most 1 << 5 games share a warp whose threads number their moves
STEP, LEAST = F(1.2e-7), F(1e-30)  # a number less these parts of it is another number


def add_up(
    order: Array, shift: int, listed: Listed, ends: Array, warp: int, block: int
) -> tuple[int, int, int]:
    """Note where the moves of each game of 32 threads end if all are numbered, game after game.

    Return the place of the first game in the order, the cell of its end, and how many moves there
    are. An only move is left out.
    """
    thread = thread_index()
    cell, lane, first = thread % block // warp << GROUP, thread % warp, thread // warp << shift
    last = cell + (1 << shift) - 1
    for i in range(lane, 1 << shift, warp):
        count = 0
        if first + i < order.shape[0]:
            count = listed.counts[order[first + i]]
        ends[cell + i] = count if count > 1 else 0
    threads_meet()
    if lane == 0:
        for i in range(cell, last):
            ends[i + 1] += ends[i]
    threads_meet()
    return first, cell, ends[last]


def find(ends: Array, first: int, cell: int, shift: int, number: int) -> tuple[int, int]:
    """Return the place of the game whose move has that number, and its number among the game's."""
    i = 0
    for bit in range(shift - 1, -1, -1):
        if number >= ends[cell + i + (1 << bit) - 1]:
            i += 1 << bit
    return first + i, number - (ends[cell + i - 1] if i > 0 else 0)


def share(
    order: Array, first: int, shift: int, listed: Listed, taken: Array, cell: int, warp: int
) -> None:
    """Begin with the 1 << shift games of 32 threads; `first` is the place of the first one in the
    order.

    `taken` of theirs, two cells: how many moves are taken, and the most that a game has.
    """
    lane = thread_index() % warp
    if lane == 0:
        taken[cell], taken[cell + 1] = 0, 0
    threads_meet()
    for place in range(first + lane, min(first + (1 << shift), order.shape[0]), warp):
        raise_to(taken, cell + 1, listed.counts[order[place]])
    threads_meet()


def below(value: F) -> F:
    """Return a number that is less, by nearly nothing."""
    return value - (abs(value) * STEP + LEAST)
