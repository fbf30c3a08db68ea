"""Intervals of shares: how far what was counted may lie from what is true."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evoboard.arena.elo import NORMAL_95


def wilson(share: float, count: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Return Wilson's interval of a share seen in `count` independent cases, by default of 95 %.

    The cases may be worth anything from 0 to 1: no such mixture scatters more than yes and no with
    the same share, so the interval is at least wide enough. With weights w, `count` is
    (Σ w)² / Σ w², which is how many equal cases tell as much.
    """
    if count <= 0:
        return 0.0, 1.0
    square = z * z / count
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def of_sum(parts: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the sum of independent (value, low, high), with its interval.

    The distances to either end add up as squares (Zou and Donner's "method of variance estimates
    recovery"), which keeps the ends unequal where the parts' are.
    """
    value = sum(part[0] for part in parts)
    below = math.sqrt(sum((middle - low) ** 2 for middle, low, _ in parts))
    above = math.sqrt(sum((high - middle) ** 2 for middle, _, high in parts))
    return value, value - below, value + above
