"""A transposition table: what was found out about a position, for the next way that leads there.

Two arrays, rows in pairs: `slots` (size, 2) int64 with a position's key and, packed, the age of the
entry, its bound, the depth searched and the best move; `scores` (size,) float32. A position may be
in either row of its pair: the first keeps what was searched deepest, the second what came last.

Every search has an age of its own. Unless it asks for entries of ANY age it sees none of another's,
as if the table had been cleared: what it answers does not depend on what was asked before.

A table belongs to one search at a time. A key is stored mixed with its entry, so that one written
by halves is not found; the score beside it has no such guard.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import shift_right
from evoboard.search.values import BOUND

F = np.float32
NOTHING = -1
ANY = -1  # instead of an age
UPPER, LOWER, EXACT = 1, 2, 3  # the value is at most, at least, exactly the score

_DEPTH, _BOUND, _AGE = 32, 40, 42  # where the fields of the packed word begin; the move is lowest
_OLDEST = 1 << 21
_SIGN = 1 << 31


def new_table(bits: int) -> tuple[Array, Array]:
    """Return slots and scores of 2^bits entries; with 0 bits, of none that is used."""
    size = max(2, 1 << bits)
    return np.zeros((size, 2), np.int64), np.zeros(size, F)


def next_age(slots: Array, age: int) -> int:
    """Return the age of a new search, for which the table is empty."""
    if age + 1 < _OLDEST:
        return age + 1
    for row in range(slots.shape[0]):
        slots[row, 1] = 0
    return 1


def find(slots: Array, key: np.int64, age: int) -> np.int64:
    """Return the row of a position's entry, or NOTHING."""
    row = _pair(slots, key)
    for _ in range(2):
        entry = slots[row, 1]
        if slots[row, 0] ^ entry == key and (entry >> _AGE == age or (age == ANY and entry != 0)):
            return row
        row += 1
    return np.int64(NOTHING)


def store(
    slots: Array,
    scores: Array,
    key: np.int64,
    age: int,
    depth: int,
    bound: int,
    move: int,
    score: F,
) -> None:
    """Keep what was found out about a position, in place of what is worth less."""
    row = _pair(slots, key)
    first = slots[row, 1]
    if first >> _AGE == age and slots[row, 0] ^ first != key and (first >> _DEPTH & 255) > depth:
        row += 1
    entry = age << _AGE | bound << _BOUND | depth << _DEPTH | (move & 0xFFFFFFFF)
    slots[row, 0], slots[row, 1] = key ^ entry, entry
    scores[row] = score


def entry_depth(slots: Array, row: np.int64) -> int:
    """Return how many plies deep the entry's search went."""
    return slots[row, 1] >> _DEPTH & 255


def entry_bound(slots: Array, row: np.int64) -> int:
    """Return UPPER, LOWER or EXACT."""
    return slots[row, 1] >> _BOUND & 3


def entry_move(slots: Array, row: np.int64) -> int:
    """Return the best move of the entry's search."""
    return ((slots[row, 1] & 0xFFFFFFFF) ^ _SIGN) - _SIGN


def seen_from_node(value: F, ply: int) -> F:
    """Return a value of the tree as the table keeps it: wins counted from the position itself."""
    if value > BOUND:
        return value + F(ply)
    return value - F(ply) if value < -BOUND else value


def seen_from_root(score: F, ply: int) -> F:
    """Return a score of the table as the tree's values are: wins counted from the root."""
    if score > BOUND:
        return score - F(ply)
    return score + F(ply) if score < -BOUND else score


def _pair(slots: Array, key: np.int64) -> np.int64:
    # The upper half of a key is mixed best.
    return shift_right(key, 20) & (slots.shape[0] - 2)
