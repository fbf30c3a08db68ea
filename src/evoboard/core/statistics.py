"""What samples tell: intervals of shares and means; for a few seeds, a test and effect sizes.

Intervals are of 95%. The test is a permutation test: it assumes nothing about how results are
spread, and where there are few of them it tries every way to deal them out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import stream

LEVEL = 0.95
# 95% of a normal distribution lies within this many standard deviations.
NORMAL_95 = 1.959963984540054
MOST_DEALS = 20_000  # ways to deal results out that are all tried; beyond, so many are drawn


class Interval(NamedTuple):
    """A number and the ends of its interval; arrays where it is one of each column."""

    middle: Array
    low: Array
    high: Array


class Comparison(NamedTuple):
    """Two samples: by how much the first is greater, in how many cases, and whether by chance."""

    difference: float  # of the means
    low: float
    high: float
    superiority: float  # the chance that one of the first is greater than one of the second
    p: float


def wilson(share: float, count: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Return Wilson's interval of a share seen in `count` independent cases, by default of 95%.

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


def mean_interval(values: Array) -> Interval:
    """Return the mean of each column with Student's interval; of a single value no interval."""
    known = np.sum(~np.isnan(values), axis=0)
    middle = _nan_where(known < 1, np.nansum(values, axis=0) / np.maximum(known, 1))
    squares = np.nansum((values - middle) ** 2, axis=0)
    error = np.sqrt(squares / np.maximum(known - 1, 1) / np.maximum(known, 1))
    reach = np.array([t_quantile(int(count) - 1) for count in np.ravel(known)])
    half = _nan_where(known < 2, reach.reshape(known.shape) * error)
    return Interval(middle, middle - half, middle + half)


def compare(first: Array, second: Array, seed: int = 1) -> Comparison:
    """Return how two samples differ: Welch's interval, the chance to be greater, p."""
    one, other = (np.asarray(each, np.float64) for each in (first, second))
    difference = float(one.mean() - other.mean())
    half = math.nan
    if len(one) > 1 and len(other) > 1:
        parts = [float(each.var(ddof=1)) / len(each) for each in (one, other)]
        total = sum(parts)
        below = sum(p**2 / (len(e) - 1) for p, e in zip(parts, (one, other), strict=True))
        half = t_quantile(total**2 / below) * math.sqrt(total) if below > 0 else 0.0
    greater = one[:, None] - other[None, :]
    superiority = float(np.mean((greater > 0) + 0.5 * (greater == 0)))
    p = permutation_test(one, other, seed)
    return Comparison(difference, difference - half, difference + half, superiority, p)


def permutation_test(first: Array, second: Array, seed: int = 1) -> float:
    """Return how often chance alone makes the means of two samples differ so much, or more."""
    together = np.concatenate([first, second])
    count, size = len(together), len(first)
    seen = abs(float(np.mean(first) - np.mean(second)))
    if math.comb(count, size) <= MOST_DEALS:
        dealt = np.array(list(itertools.combinations(range(count), size)))
        extra = 0
    else:
        rng = stream(seed, "permutation")
        dealt = np.argsort(rng.random((MOST_DEALS, count)), axis=1)[:, :size]
        extra = 1  # what was seen is one of the ways, too
    sums = together[dealt].sum(axis=1)
    means = sums / size - (together.sum() - sums) / (count - size)
    # Sums of the same numbers in another order differ in their last bits.
    reached = int((np.abs(means) >= seen - 1e-9 * max(1.0, seen)).sum())
    return (reached + extra) / (len(dealt) + extra)


def least_p(first: int, second: int) -> float:
    """Return the least p that samples of these sizes can reach."""
    ways = 2 if first == second else 1  # the mirror image of a deal differs as much
    return min(1.0, ways / math.comb(first + second, first))


def holm(p: Sequence[float]) -> list[float]:
    """Return p of several comparisons, each corrected for there being so many (Holm)."""
    found, highest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[place]))
        found[place] = highest
    return found


def t_quantile(freedom: float) -> float:
    """Return how many standard errors a mean's interval reaches, by Student's t."""
    if freedom <= 0:
        return math.nan
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = (low + high) / 2
        # The probability beyond ±t is the incomplete beta function at ν / (ν + t²).
        outside = _beta_share(freedom / (freedom + middle * middle), freedom / 2, 0.5)
        low, high = (middle, high) if outside > 1 - LEVEL else (low, middle)
    return (low + high) / 2


def _beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    logs = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logs + a * math.log(x) + b * math.log1p(-x)) / a
    tiny, c, d = 1e-300, 1.0, 0.0
    total = 1.0
    for i in range(400):
        m = i // 2
        if i == 0:
            term = 1.0
        elif i % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + term * d or tiny)
        c = 1 + term / c or tiny
        total *= c * d
        if abs(1 - c * d) < 1e-14:
            break
    return front * (total - 1)


def _nan_where(unknown: Array, values: Array) -> Array:
    return np.where(unknown, np.nan, values)


class Box(NamedTuple):
    """A box plot's numbers; whiskers reach the last values within 1.5 times the box.

    `total` counts all, also those that have no number.
    """

    total: int
    minimum: float
    low_whisker: float
    quarter: float
    median: float
    three_quarters: float
    high_whisker: float
    maximum: float
    mean: float


def box(values: Array) -> Box:
    """Return the numbers of a box plot; NaN counts, but is not measured."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Box(len(values), *[np.nan] * 8)
    quarter, median, upper = (float(q) for q in np.quantile(known, (0.25, 0.5, 0.75)))
    reach = 1.5 * (upper - quarter)
    low = float(known[known >= quarter - reach][0])
    high = float(known[known <= upper + reach][-1])
    ends = float(known[0]), float(known[-1])
    mean = float(known.mean())
    return Box(len(values), ends[0], low, quarter, median, upper, high, ends[1], mean)
