"""What a grade of few cases would say of players whose grades of many cases are known.

A person who marks a network out of ten has seen some ten cases of a kind, not hundreds. Such a mark
is that of a network, and luck; the best of many such marks is luck above all. Here the marks are
drawn: every case is won with the probability that the grade of many cases gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import stream

DRAWS = 4000  # tables that are drawn
PIECE = 500  # at a time


class Marks(NamedTuple):
    """What tables of marks look like: means over tables, and where 95% of their best ones lie."""

    mean: float
    deviation: float  # of the totals in one table
    best: float
    low: float
    high: float
    reached: float  # the share of tables whose best total comes up to what was wanted


def drawn_tables(
    shares: Array, points: Array, rows: int, cases: int, *, tried: int = 1, wanted: float = 0.0
) -> Marks:
    """Return what tables of `rows` totals are like.

    `shares` (players, parts) is what players earn, 0 to 1, and `points` what a part is worth. Each
    row is of a player at random, marked in whole points after `cases` cases of every part; with
    `tried` above 1, the highest total of so many players.
    """
    chance = stream(1, "few cases", rows, cases, tried)
    totals = np.concatenate([
        _totals(shares[chance.integers(len(shares), size=(PIECE, rows, tried))], points, cases,
                chance)
        for _ in range(DRAWS // PIECE)
    ])  # fmt: skip
    best = totals.max(1)
    deviation = float(totals.std(1, ddof=1).mean()) if rows > 1 else 0.0
    low, high = np.quantile(best, (0.025, 0.975))
    reached = float((best >= wanted).mean())
    return Marks(
        float(totals.mean()), deviation, float(best.mean()), float(low), float(high), reached
    )


def _totals(picked: Array, points: Array, cases: int, chance: np.random.Generator) -> Array:
    marks = np.rint(chance.binomial(cases, np.clip(picked, 0, 1)) / cases * points)
    totals: Array = marks.sum(-1).max(-1)
    return totals
