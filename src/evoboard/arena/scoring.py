"""Results of many games, and what they are worth: points, cross-tables, pairs of games."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, quoted


@dataclass(frozen=True)
class Scoring:
    """Points for a win, a draw and a loss; written "1/½/0" or "2/0/-1"."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.win, self.draw, self.loss))):
            raise OptionError(f"the scoring {self} holds a value that is not a finite number.")
        if not (self.win >= self.draw >= self.loss and self.win > self.loss):
            raise OptionError(
                f"the scoring {self} does not reward winning; the points of win, draw and loss "
                "must not rise, and a win must be worth more than a loss."
            )

    @classmethod
    def parse(cls, text: str) -> Scoring:
        """Return the scoring written as win/draw/loss."""
        parts = text.replace("½", "0.5").replace("−", "-").split("/")
        try:
            win, draw, loss = (float(part) for part in parts)
        except ValueError:
            raise OptionError(
                f"cannot read the scoring {quoted(text)}; write the points of win, draw and loss "
                "as in 1/0.5/0 or 2/0/-1."
            ) from None
        return cls(win, draw, loss)

    def __str__(self) -> str:
        return "/".join(f"{points:.12g}" for points in (self.win, self.draw, self.loss))

    def points(self, results: Array) -> Array:
        """Return the points that results +1, 0, -1 are worth to the player they belong to."""
        return np.array([self.draw, self.win, self.loss])[results]


STANDARD = Scoring()


class CrossTable(NamedTuple):
    """Wins, draws and losses of the row's player against the column's, each (players, players)."""

    wins: Array
    draws: Array
    losses: Array

    @property
    def games(self) -> Array:
        """Games between row and column."""
        return self.wins + self.draws + self.losses

    def points(self, scoring: Scoring = STANDARD) -> Array:
        """Return the row's points against the column."""
        return self.wins * scoring.win + self.draws * scoring.draw + self.losses * scoring.loss


@dataclass(frozen=True, eq=False)
class ResultTable:
    """Finished games among `players` players, one cell per game in each int64 array.

    `first` and `second` are the players' indices (side 0 and side 1); `results` is +1, 0 or -1 for
    the first player; `codes` is why the game ended (games.adjudication); `plies` its length;
    `openings` the number of the opening it began from.
    """

    players: int
    first: Array
    second: Array
    results: Array
    codes: Array
    plies: Array
    openings: Array

    def __post_init__(self) -> None:
        for field in fields(self)[1:]:
            object.__setattr__(self, field.name, _frozen(field.name, getattr(self, field.name)))
        if len({len(getattr(self, field.name)) for field in fields(self)[1:]}) != 1:
            raise OptionError("the columns of a result table differ in length.")
        self._check_values()

    @classmethod
    def of(cls, players: int, pairings: Any, results: Any, openings: Any = None) -> ResultTable:
        """Return a table of results alone, without reasons and lengths."""
        pairings = np.asarray(pairings).reshape(-1, 2)
        nothing = np.zeros(len(pairings), np.int64)
        openings = nothing if openings is None else openings
        return cls(players, pairings[:, 0], pairings[:, 1], results, nothing, nothing, openings)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.results)

    def points(self, scoring: Scoring = STANDARD) -> Array:
        """Return each player's sum of points, float64 (players,)."""
        to_first = scoring.points(self.results)
        to_second = scoring.points(-self.results)
        return np.bincount(self.first, to_first, self.players) + np.bincount(
            self.second, to_second, self.players
        )

    def played(self) -> Array:
        """Return how many games each player has played, (players,)."""
        return np.bincount(self.first, minlength=self.players) + np.bincount(
            self.second, minlength=self.players
        )

    def cross(self) -> CrossTable:
        """Return wins, draws and losses of everyone against everyone."""
        won = self._counted(self.results > 0)
        drawn = self._counted(self.results == 0)
        lost = self._counted(self.results < 0)
        return CrossTable(won + lost.T, drawn + drawn.T, lost + won.T)

    def where(self, chosen: Array) -> ResultTable:
        """Return the games chosen by a mask or by indices; the players keep their numbers."""
        columns = (getattr(self, field.name)[chosen] for field in fields(self)[1:])
        return ResultTable(self.players, *columns)

    def of_player(self, player: int) -> ResultTable:
        """Return the games of one player."""
        return self.where((self.first == player) | (self.second == player))

    def between(self, one: int, other: int) -> ResultTable:
        """Return the games of two players against each other."""
        return self.where(
            ((self.first == one) & (self.second == other))
            | ((self.first == other) & (self.second == one))
        )

    def results_of(self, player: int) -> Array:
        """Return +1, 0, -1 as `player` sees it for each of its games, and only those."""
        games = self.of_player(player)
        return np.where(games.first == player, games.results, -games.results)

    def counts_of(self, player: int) -> tuple[int, int, int]:
        """Return how many of its games a player has won, drawn and lost."""
        results = self.results_of(player)
        won, drawn, lost = (int((results == value).sum()) for value in (1, 0, -1))
        return won, drawn, lost

    def pairs(self) -> Array:
        """Return the pair number of every game, from 0.

        The k-th game with A first and the k-th with B first, from one opening, are a pair; a game
        without such a partner has a number of its own.
        """
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        group = _numbered(low, high, self.openings)
        swapped = (self.first > self.second).astype(np.int64)
        return _numbered(group, _rank(group * 2 + swapped))

    def _counted(self, chosen: Array) -> Array:
        cells = self.first[chosen] * self.players + self.second[chosen]
        counts = np.bincount(cells, minlength=self.players * self.players)
        return counts.reshape(self.players, self.players)

    def _check_values(self) -> None:
        for name in ("first", "second"):
            column = getattr(self, name)
            if len(column) and not 0 <= column.min() <= column.max() < self.players:
                raise OptionError(
                    f"a result table of {self.players} players names player "
                    f"{column.max() if column.min() >= 0 else column.min()} as {name}."
                )
        if (self.first == self.second).any():
            raise OptionError("a result table holds a game of a player against itself.")
        self.check_results()

    def check_results(self) -> None:
        """Raise OptionError for a result other than +1, 0 and -1."""
        if len(self.results) and not -1 <= self.results.min() <= self.results.max() <= 1:
            raise OptionError("a result table holds a result other than +1, 0 and -1.")


def joined(tables: list[ResultTable]) -> ResultTable:
    """Return the games of several tables of the same players, one table after the other."""
    if not tables or len({table.players for table in tables}) != 1:
        raise OptionError("only result tables of the same players can be joined.")
    names = [field.name for field in fields(ResultTable)[1:]]
    columns = (np.concatenate([getattr(table, name) for table in tables]) for name in names)
    return ResultTable(tables[0].players, *columns)


def _frozen(name: str, column: Any) -> Array:
    """Return a read-only int64 copy, or the column itself if it is one; numbers with fractions are
    refused, not cut."""
    array = np.asarray(column)
    if array.ndim == 1 and array.dtype == np.int64 and not array.flags.writeable:
        return array
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise OptionError(f"{name} of a result table must be a list of whole numbers.")
    array = array.astype(np.int64)
    array.setflags(write=False)
    return array


def _numbered(*keys: Array) -> Array:
    """Return for each row of the key columns the number of its distinct combination, from 0."""
    numbers = np.zeros(len(keys[0]), np.int64)
    for key in keys:
        values, inverse = np.unique(key, return_inverse=True)
        # Renumbering after every column keeps the product below 2^63 for any table.
        numbers = np.unique(numbers * len(values) + inverse, return_inverse=True)[1]
    return numbers


def _rank(group: Array) -> Array:
    """Return how many earlier cells hold the same value."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.searchsorted(ordered, ordered)
    ranks = np.empty(len(group), np.int64)
    ranks[order] = np.arange(len(group)) - starts
    return ranks
