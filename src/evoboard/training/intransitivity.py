"""How much of the results among players goes round in circles, and how much of that is chance.

Ratings explain every result by a difference of two numbers. Fit them (Bradley–Terry), and what they
leave unexplained is the cyclic part of the results: the sum over pairs T = Σ n r², r the share of
points beyond the expected one in n games. Were the ratings true, r would scatter by chance; near
the fit, √n r has the covariance

    C = V½ (1 - P) V½,    V = diag(e (1 - e)),    P the projection onto what ratings can explain,

e being the expected share. So T has the mean tr C and the variance 2 tr C², and is compared with
the multiple of a chi-squared number that has both (Satterthwaite). Draws scatter less than
wins and losses, which makes the probability too large, never too small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evoboard.arena.elo import normal_probability
from evoboard.arena.ratings import rate
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array


@dataclass(frozen=True)
class Intransitivity:
    """`probability`: that chance alone gives as much; `excess`: how far results differ from the
    ratings', in shares of the points, root mean square, the part of chance taken off."""

    probability: float
    excess: float


def intransitivity(pairs: Array, points: Array, games: Array) -> Intransitivity:
    """Return how cyclic results are: `points` of the first in `games` games of each pair (n, 2)."""
    kept = _on_circles(pairs)
    if not kept.any():
        return Intransitivity(1.0, 0.0)
    pairs, points, games = pairs[kept], points[kept], games[kept]
    players, index = np.unique(pairs, return_inverse=True)
    first, second = index.reshape(-1, 2).T
    expected = _expected(len(players), first, second, points, games)
    surplus = np.sqrt(games) * (points / games - expected)
    total = float(surplus @ surplus)
    variance = expected * (1 - expected)
    # Column k: how the expected surplus of every pair moves with the rating of player k.
    design = np.zeros((len(pairs), len(players)))
    rows = np.arange(len(pairs))
    design[rows, first] += np.sqrt(games * variance)
    design[rows, second] -= np.sqrt(games * variance)
    projection = design @ np.linalg.pinv(design.T @ design, hermitian=True) @ design.T
    root = np.sqrt(variance)
    covariance = np.diag(variance) - root[:, None] * projection * root
    mean, square = float(np.trace(covariance)), float((covariance**2).sum())
    if mean < 1e-9:  # two circles' worth of pairs, but no circle
        return Intransitivity(1.0, 0.0)
    excess = math.sqrt(max(0.0, total - mean) / float(games.sum()))
    return Intransitivity(_tail(total, mean, 2 * square), excess)


def _on_circles(pairs: Array) -> Array:
    """Tell which pairs remain when players who have met only one other are left out, again and
    again: whatever they did, a rating of their own explains it."""
    kept = np.ones(len(pairs), np.bool_)
    while True:
        players, counts = np.unique(pairs[kept], return_counts=True)
        lone = kept & np.isin(pairs, players[counts == 1]).any(1)
        if not lone.any():
            return kept
        kept &= ~lone


def _expected(players: int, first: Array, second: Array, points: Array, games: Array) -> Array:
    """Return the share of points that ratings give the first of each pair."""
    wins, draws = np.floor(points).astype(np.int64), (points % 1 > 0).astype(np.int64)
    counts = np.stack([wins, draws, games.astype(np.int64) - wins - draws], axis=1)
    results = np.repeat(np.tile([1, 0, -1], len(first)), counts.ravel())
    both = np.repeat(np.stack([first, second], axis=1), games.astype(np.int64), axis=0)
    # Every game has an opening of its own: pairs of games are no matter here.
    elo = rate(ResultTable.of(players, both, results, np.arange(len(results)))).elo
    return np.asarray(1 / (1 + 10 ** ((elo[second] - elo[first]) / 400)))


def _tail(value: float, mean: float, variance: float) -> float:
    """Return the probability of a larger value of a scaled chi-squared number (Wilson–Hilferty)."""
    freedom = 2 * mean**2 / variance
    spread = 2 / (9 * freedom)
    return 1 - normal_probability(((value / mean) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def find_cycle(pairs: Array, points: Array, games: Array) -> tuple[int, int, int] | None:
    """Return players a, b, c of whom a beats b, b beats c and c beats a, the clearest such circle.

    A circle is as clear as its least clear result: points beyond one half, in standard errors of
    even games.
    """
    edges: dict[tuple[int, int], float] = {}
    for (one, other), made, count in zip(pairs.tolist(), points, games, strict=True):
        lead = (made / count - 0.5) * math.sqrt(count)
        edges[one, other], edges[other, one] = float(lead), float(-lead)
    best, found = 0.0, None
    winners = [(pair, lead) for pair, lead in edges.items() if lead > 0]
    followers: dict[int, list[tuple[int, float]]] = {}
    for (one, other), lead in winners:
        followers.setdefault(one, []).append((other, lead))
    for (a, b), lead in winners:
        for c, next_lead in followers.get(b, ()):
            weakest = min(lead, next_lead, edges.get((c, a), 0.0))
            if weakest > best:
                best, found = weakest, (a, b, c)
    return found
