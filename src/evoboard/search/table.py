"""A transposition table: what was found out about a position, for the next way that leads there.

Two arrays, rows in pairs: `slots` (size, 2) int64 with a position's key and, packed, the age of the
entry, its bound, the depth searched and the best move; `scores` (size,) float32. A position may be
in either row of its pair: the first keeps what was searched deepest, the second what came last.

Every search has an age of its own. Unless it asks for entries of ANY age it sees none of another's,
as if the table had been cleared: what it answers does not depend on what was asked before.

Several threads may share a table. A key is stored mixed with its entry and its score, so that what
two of them have written by halves is not found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import shift_right
from evoboard.search.values import BOUND

F = np.float32
NOTHING = -1
ANY = -1  # instead of an age
SAMPLE = 1000  # rows that tell how full a table is
UPPER, LOWER, EXACT = 1, 2, 3  # the value is at most, at least, exactly the score

_DEPTH, _BOUND, _AGE = 32, 40, 42  # where the fields of the packed word begin; the move is lowest
_OLDEST = 1 << 21
_SIGN = 1 << 31
_FINE = F(2.0**32)  # scores that differ by less need not be told apart


def new_table(bits: int) -> tuple[Array, Array]:
    """Return slots and scores of 2^bits entries; with 0 bits, of none that is used.

    They are written, not only reserved: for memory that is touched for the first time the system
    takes milliseconds a page, and those would be missing from the first moves of a large table.
    """
    size = max(2, 1 << bits)
    slots, scores = np.empty((size, 2), np.int64), np.empty(size, F)
    slots.fill(0)
    scores.fill(0)
    return slots, scores


def next_age(slots: Array, age: int) -> int:
    """Return the age of a new search, for which the table is empty."""
    if age + 1 < _OLDEST:
        return age + 1
    for row in range(slots.shape[0]):
        slots[row, 1] = 0
    return 1


def share_of(slots: Array, age: int) -> float:
    """Return the share of entries of an age, as the first rows show it: keys are mixed well."""
    return float(np.mean(slots[:SAMPLE, 1] >> _AGE == age))


def find(slots: Array, scores: Array, key: np.int64, age: int) -> tuple[np.int64, np.float32]:
    """Return a position's entry and its score; an entry of 0 is none."""
    row = _pair(slots, key)
    for _ in range(2):
        # Read once: another thread may write here at any moment.
        lock, entry, score = slots[row, 0], slots[row, 1], scores[row]
        if lock ^ entry ^ _mark(score) == key and (entry >> _AGE == age or age == ANY):
            return entry, score
        row += 1
    return np.int64(0), F(0)


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
    other = slots[row, 0] ^ first ^ _mark(scores[row]) != key
    if other and first >> _AGE == age and entry_depth(first) > depth:
        row += 1
    entry = age << _AGE | bound << _BOUND | depth << _DEPTH | (move & 0xFFFFFFFF)
    slots[row, 0], slots[row, 1] = key ^ entry ^ _mark(score), entry
    scores[row] = score


def entry_depth(entry: Any) -> int:
    """Return how many plies deep the entry's search went."""
    return int(entry >> _DEPTH & 255)


def entry_bound(entry: Any) -> int:
    """Return UPPER, LOWER or EXACT."""
    return int(entry >> _BOUND & 3)


def entry_move(entry: Any) -> int:
    """Return the best move of the entry's search."""
    return int(((entry & 0xFFFFFFFF) ^ _SIGN) - _SIGN)


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


def _mark(score: F) -> np.int64:
    """Return a number that other scores do not have, for all that matters."""
    return np.int64(score * _FINE)


def _pair(slots: Array, key: np.int64) -> np.int64:
    # The upper half of a key is mixed best.
    return shift_right(key, 20) & (slots.shape[0] - 2)
