"""The Elo difference of two players, its 95% interval, and the likelihood of superiority.

A pair of games from one opening with colours swapped is one observation worth 0, ¼, ½, ¾ or 1
(pentanomial); a game without a partner is one worth 0, ½ or 1 (trinomial). Nothing is assumed
about how often each value occurs: for every mean score the likelihood is maximised over all
distributions with that mean (profile likelihood), and the 95% interval holds the means whose
likelihood ratio is no worse than the chi-squared bound allows.

A quarter of an observation is added at either end, which keeps every figure finite at 0%, at
100% and after one game, and vanishes in long matches. Differences up to 800 Elo lie inside the
interval 96% of the time on average, and at least 89% for any one of them, after as few as two
games; with more games both figures tend to 95% (tests/test_ratings.py enumerates all outcomes).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evoboard.arena.scoring import ResultTable
from evoboard.core.errors import OptionError
from evoboard.core.statistics import NORMAL_95

ELO_PER_NAT = 400 / math.log(10)
# Counted at each end of the scale, so that no score is ever perfect; see the module's text.
PRIOR = 0.25
# Every tilt that matters is closer to 0 than this: e^50 outweighs any number of games.
_FURTHEST = 50.0


@dataclass(frozen=True)
class Tally:
    """What two players' games came to, seen by the first named.

    `pairs` counts pairs by their sum: 0, ½, 1, 1½, 2 points; `lone` counts games without a partner:
    lost, drawn, won.
    """

    pairs: tuple[int, ...] = (0, 0, 0, 0, 0)
    lone: tuple[int, ...] = (0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.pairs) != 5 or len(self.lone) != 3 or min(*self.pairs, *self.lone) < 0:
            raise OptionError(
                f"cannot rate the counts {self.pairs} and {self.lone}; "
                "they must be 5 counts of pairs and 3 of games, none negative."
            )

    @classmethod
    def of_table(cls, table: ResultTable, one: int, other: int) -> Tally:
        """Return the tally of one player against another, paired where the table has pairs."""
        games = table.between(one, other)
        half_points = games.results_of(one) + 1
        pair = games.pairs()
        sizes = np.bincount(pair)
        sums = np.bincount(pair, half_points).astype(np.int64)
        pairs = np.bincount(sums[sizes == 2], minlength=5)
        lone = np.bincount(sums[sizes == 1], minlength=3)
        return cls(tuple(int(n) for n in pairs), tuple(int(n) for n in lone))

    @property
    def games(self) -> int:
        """The number of games."""
        return 2 * sum(self.pairs) + sum(self.lone)

    @property
    def score(self) -> float:
        """The share of the points, 0 to 1; ½ before the first game."""
        points = sum(i * n for counts in (self.pairs, self.lone) for i, n in enumerate(counts)) / 2
        return points / self.games if self.games else 0.5

    def observations(self) -> list[float]:
        """Return how often each value 0 .. 1 (evenly spaced) was observed, the prior not counted.

        Beside pairs, a lone game is half an observation: it tells half as much about the mean.
        """
        if not any(self.pairs):
            return [float(n) for n in self.lone]
        counts = [float(n) for n in self.pairs]
        for i, n in enumerate(self.lone):
            counts[2 * i] += n / 2
        return counts


@dataclass(frozen=True)
class EloEstimate:
    """An Elo difference with the ends of its 95% interval; `los`: probability of being better."""

    elo: float
    low: float
    high: float
    los: float
    score: float
    games: int


def expected_score(elo: float) -> float:
    """Return the score that belongs to an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """Return the Elo difference that belongs to a score between 0 and 1, both excluded."""
    return ELO_PER_NAT * (math.log(score) - math.log1p(-score))


@lru_cache(maxsize=4096)
def elo_difference(tally: Tally) -> EloEstimate:
    """Return the Elo difference that a tally shows, with its 95% interval.

    The estimate belongs to the score itself; for a score of 0 or 1, to the nearest score that the
    prior allows. The interval lies above 0 exactly where `los` exceeds 97.5%.
    """
    if tally.games == 0:
        raise OptionError("there are no games to rate; play at least one.")
    likelihood = MeanLikelihood(tally.observations())
    score = tally.score if 0 < tally.score < 1 else likelihood.mean(0.0)
    low, high = (likelihood.mean(likelihood.tilt_at_deviance(side)) for side in (-1, 1))
    return EloEstimate(
        elo=elo_of_score(score),
        low=elo_of_score(low),
        high=elo_of_score(high),
        los=normal_probability(likelihood.signed_root(0.5)),
        score=tally.score,
        games=tally.games,
    )


def normal_probability(z: float) -> float:
    """Return the probability that a standard normal number is below z."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


class MeanLikelihood:
    """The profile likelihood of the mean of observations on evenly spaced values from 0 to 1.

    Among distributions of a given mean the likeliest has p_i ∝ n_i / (a + b v_i). One number names
    them all: p_i(x) ∝ n_i / ((1 - v_i) e^x + v_i), where x = 0 is what was observed and the mean
    grows with x. So every question is one search along x.
    """

    def __init__(self, counts: Sequence[float]) -> None:
        steps = len(counts) - 1
        ends = (0, steps)
        values = [(n + PRIOR * (i in ends), i / steps) for i, n in enumerate(counts)]
        self._observed = [(n, value) for n, value in values if n > 0]
        self._total = sum(n for n, _ in self._observed)

    def mean(self, tilt: float) -> float:
        """Return the mean of the distribution at this tilt."""
        weights = self._weights(tilt)
        above = sum(w * v for w, (_, v) in zip(weights, self._observed, strict=True))
        return above / sum(weights)

    def deviance(self, tilt: float) -> float:
        """Return twice the log of how much likelier the observed distribution is than this one."""
        e = math.exp(tilt)
        loss = sum(n * math.log((1 - v) * e + v) for n, v in self._observed)
        return 2 * (loss + self._total * math.log(sum(self._weights(tilt)) / self._total))

    def tilt_of_mean(self, mean: float) -> float:
        """Return the tilt at which the distribution has this mean."""
        return _crossing(lambda x: self.mean(x) < mean, -_FURTHEST, _FURTHEST)

    def tilt_at_deviance(self, side: int) -> float:
        """Return the tilt below (side -1) or above (+1) where the 95% interval ends."""
        bound = NORMAL_95**2
        return side * _crossing(lambda x: self.deviance(side * x) < bound, 0.0, _FURTHEST)

    def signed_root(self, mean: float) -> float:
        """Return how many standard deviations the observed mean lies above the given one."""
        tilt = self.tilt_of_mean(mean)
        return math.copysign(math.sqrt(max(self.deviance(tilt), 0.0)), -tilt)

    def _weights(self, tilt: float) -> list[float]:
        e = math.exp(tilt)
        return [n / ((1 - v) * e + v) for n, v in self._observed]


def _crossing(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return where a condition that holds at `low` and not at `high` ceases to hold."""
    for _ in range(60):
        middle = (low + high) / 2
        if below(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2
