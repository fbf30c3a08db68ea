"""Ratings of many players from a result table alone: Bradley–Terry on the Elo scale.

The expected score of i against j is 1 / (1 + 10^((R_j - R_i) / 400)), a draw is half a point, and
the ratings are those at which every player's expected points are the points it made. A quarter of
a game won and a quarter lost, spread over the opponents each player has met, keeps perfect scores
finite; a wide normal prior joins players whom no games connect.

Intervals come from how far the pairs of games scatter around their expectation (the "sandwich"
estimate), not from the binomial formula: so draws, and openings played with both colours, narrow
them as they should.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evoboard.arena.elo import ELO_PER_NAT, PRIOR
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.statistics import NORMAL_95

# Strengths are taken to lie around their average with this standard deviation, in Elo: wide enough
# to move no player that has played, and to say little about those that have not.
FIELD_WIDTH = 2000.0
_PULL = (ELO_PER_NAT / FIELD_WIDTH) ** 2
# Newton's method needs about ten steps; more mean that something is wrong with the table.
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class RatingTable:
    """Ratings in Elo, each array float64 (players,); `low` and `high` end the 95% interval.

    The anchor's rating is fixed. `scores` are shares of the points (½ without games); `covariance`
    (players, players) is that of the ratings, in Elo squared, with zeros for the anchor.
    """

    anchor: int
    elo: Array
    low: Array
    high: Array
    scores: Array
    games: Array
    covariance: Array

    def order(self) -> Array:
        """Return the players' numbers, best first; equals in the order of their numbers."""
        return np.argsort(-self.elo, kind="stable")


def rate(
    table: ResultTable, anchor: int = 0, anchor_elo: float = 0.0, held: Array | None = None
) -> RatingTable:
    """Return the ratings of all players of a table, that of `anchor` being `anchor_elo`.

    `held`: Elo of players whose ratings are known and stay as they are, NaN for all others; the
    anchor must be one of them. Intervals then reflect only the other players' games.
    """
    if table.players < 2:
        raise OptionError(f"the number of players is {table.players}; a rating needs at least 2.")
    if not 0 <= anchor < table.players:
        raise OptionError(
            f"the anchor is player {anchor}; it must be one of 0 to {table.players - 1}."
        )
    known = np.full(table.players, np.nan) if held is None else np.asarray(held, np.float64)
    if held is not None and (len(known) != table.players or np.isnan(known[anchor])):
        raise OptionError(
            f"{len(known)} ratings are given for {table.players} players; give one for each, NaN "
            "where it is not known, and a known one for the anchor."
        )
    cross, played = table.cross(), table.played()
    virtual = _virtual_wins(cross.games, played)
    games = cross.games + 2 * virtual
    strength = _solve(cross.points() + virtual, games, known / ELO_PER_NAT)
    spread = _covariance(table, virtual, games, strength, np.isnan(known))
    elo = ELO_PER_NAT * (strength - strength[anchor]) + anchor_elo
    covariance = ELO_PER_NAT**2 * _relative_to(spread, anchor)
    error = NORMAL_95 * np.sqrt(np.diag(covariance))
    scores = np.where(played > 0, table.points() / np.maximum(played, 1), 0.5)
    return RatingTable(anchor, elo, elo - error, elo + error, scores, played, covariance)


def _virtual_wins(games: Array, played: Array) -> Array:
    """Return the prior's wins of each player against each, as many of them as losses."""
    share = games / np.maximum(played, 1)[:, None]
    return PRIOR / 2 * (share + share.T)


def _solve(points: Array, games: Array, known: Array) -> Array:
    """Return the likeliest log strengths; their average, or that of the known ones, is 0."""
    free = np.isnan(known)
    strength = np.zeros(len(games))
    if not free.all():
        strength[~free] = known[~free] - known[~free].mean()
    for _ in range(_MOST_STEPS):
        expected = _logistic(strength[:, None] - strength)
        slope = (points - games * expected).sum(1) - _PULL * strength
        step = np.linalg.solve(_information(games, strength, free), slope[free])
        # A step of one log unit is safe anywhere; far from the optimum Newton's may overshoot.
        strength[free] += step / max(1.0, float(np.abs(step).max()))
        # The error of a Newton step is about its square: this one leaves nothing worth a step.
        if np.abs(step).max() < 1e-6:
            return strength
    raise OptionError("the ratings of this result table do not converge.")


def _information(games: Array, strength: Array, free: Array) -> Array:
    """Return minus the second derivative of the log likelihood, (free players, free players).

    Where all are free, shifting all strengths together changes no difference. The prior alone would
    say so little about that direction that the inverse lost its digits; a constant on all cells
    firms it up.
    """
    expected = _logistic(strength[:, None] - strength)
    weight = games * expected * (1 - expected)
    own = weight.sum(1) + _PULL
    if free.all():
        return np.diag(own) - weight + own.mean() / len(own)
    return np.asarray((np.diag(own) - weight)[np.ix_(free, free)])


def _covariance(
    table: ResultTable, virtual: Array, games: Array, strength: Array, free: Array
) -> Array:
    """Return the covariance of the strengths: inverse × scatter × inverse of the information.

    What is known beforehand varies with nothing.
    """
    inverse = np.zeros_like(games, np.float64)
    inverse[np.ix_(free, free)] = np.linalg.inv(_information(games, strength, free))
    expected = _logistic(strength[:, None] - strength)
    scatter = _scatter(table, strength, inverse) + virtual * ((1 - expected) ** 2 + expected**2)
    return inverse @ (np.diag(scatter.sum(1) + _PULL) - scatter) @ inverse


def _scatter(table: ResultTable, strength: Array, inverse: Array) -> Array:
    """Return for each two players the sum of the squared surprises of their pairs of games.

    A pair pulls the ratings towards itself, which makes its own surprise look smaller by a share
    called leverage; dividing by the rest mends that (MacKinnon and White's HC2).
    """
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    result = np.where(table.first == low, table.results, -table.results)
    expected = _logistic(strength[low] - strength[high])
    pair = table.pairs()
    one_of = np.unique(pair, return_index=True)[1]
    low, high = low[one_of], high[one_of]
    squares = np.bincount(pair, (result + 1) / 2 - expected) ** 2
    weight = np.bincount(pair, expected * (1 - expected))
    leverage = weight * (inverse[low, low] + inverse[high, high] - 2 * inverse[low, high])
    scatter = np.zeros_like(inverse)
    np.add.at(scatter, (low, high), squares / (1 - leverage))
    return scatter + scatter.T


def _relative_to(covariance: Array, anchor: int) -> Array:
    """Return the covariance of each player's difference to the anchor."""
    column = covariance[:, anchor]
    return covariance - column[:, None] - column + covariance[anchor, anchor]


def _logistic(strength: Array) -> Array:
    """Return 1 / (1 + e^-strength), written so that nothing overflows."""
    return 0.5 * (1 + np.tanh(strength / 2))
