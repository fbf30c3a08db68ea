"""The results of a match or a tournament, for people and for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from evoboard.arena.contest import Contest
from evoboard.arena.elo import EloEstimate, Tally, elo_difference
from evoboard.arena.ratings import rate
from evoboard.arena.sprt import Sprt
from evoboard.core.wording import elo_words

ELO = ("elo", "elo_low", "elo_high")


@dataclass(frozen=True)
class MatchResult:
    """A match of two players, seen by the first: points, and Elo with its 95% interval."""

    contest: Contest
    sprt: Sprt | None = None  # the test that ended it

    @cached_property
    def tally(self) -> Tally:
        """How many pairs of games came to how many points."""
        return Tally.of_table(self.contest.table, 0, 1)

    @cached_property
    def estimate(self) -> EloEstimate:
        """The difference in strength that the points suggest."""
        return elo_difference(self.tally)

    @cached_property
    def counts(self) -> tuple[int, int, int]:
        """Games won, drawn and lost."""
        return self.contest.table.counts_of(0)

    def counts_as(self, side: int) -> tuple[int, int, int]:
        """Games won, drawn and lost as the first side (0) or the second (1)."""
        table = self.contest.table
        return table.where((table.first, table.second)[side] == 0).counts_of(0)

    @property
    def score(self) -> float:
        """The share of the points, from 0 to 1."""
        return self.estimate.score

    @property
    def elo(self) -> float:
        """The difference in Elo."""
        return self.estimate.elo

    def endings(self) -> dict[str, int]:
        """Return how many games ended for which reason, the most frequent first."""
        return dict(Counter(record.reason for record in self.contest.records).most_common())

    def seconds_per_move(self) -> tuple[float, float]:
        """Return how long each of the two thought about a move, on average.

        Each side is taken to have made half of a game's plies; sides are swapped between games.
        """
        spent, plies = [0.0, 0.0], sum(record.plies for record in self.contest.records)
        for first, record in zip(self.contest.table.first, self.contest.records, strict=True):
            for side, player in enumerate((int(first), 1 - int(first))):
                spent[player] += record.seconds[side]
        moves = max(1, plies) / 2
        return spent[0] / moves, spent[1] / moves

    def as_data(self) -> dict[str, Any]:
        """Return the result as plain values."""
        won, drawn, lost = self.counts
        found = self.estimate
        numbers = {"score": found.score, "elo": found.elo}
        numbers |= {"elo_low": found.low, "elo_high": found.high, "los": found.los}
        lengths = sorted(record.plies for record in self.contest.records)
        middle = lengths[len(lengths) // 2] if lengths else 0
        numbers |= {"games": found.games, "median_plies": middle}
        ended = {
            "endings": self.endings(),
            "plies": [record.plies for record in self.contest.records],
            "seconds_per_move": list(self.seconds_per_move()),
        }
        words = ("wins", "draws", "losses")
        sides = [dict(zip(words, self.counts_as(side), strict=True)) for side in (0, 1)]
        counts = {"wins": won, "draws": drawn, "losses": lost, "by_side": sides}
        test: dict[str, Any] = {}
        if self.sprt:
            ratio, accepted = self.sprt.ratio(self.tally), self.sprt.accepted(self.tally)
            test = {"sprt": {**vars(self.sprt), "ratio": ratio, "accepted": accepted}}
        return {**counts, **numbers, **ended, **test}

    def __str__(self) -> str:
        (won, drawn, lost), found = self.counts, self.estimate
        first, second = self.contest.names
        test = f"; {self.sprt.words(self.tally)}" if self.sprt else ""
        return (
            f"{first} against {second}: +{won} ={drawn} -{lost}, {found.score:.1%}, "
            f"Elo {elo_words(found.elo, found.low, found.high)}{test}"
        )


class Standings:
    """The standings of a tournament: everyone who has played, rated with 95% intervals."""

    def __init__(self, contest: Contest, anchor: int = 0) -> None:
        self.contest, self.names, table = contest, contest.names, contest.table
        self.played, self.points, self.cross = table.played(), table.points(), table.cross()
        met = np.flatnonzero(self.played)
        number = {int(player): place for place, player in enumerate(met)}
        among = replace(
            table,
            players=len(met),
            first=np.searchsorted(met, table.first),
            second=np.searchsorted(met, table.second),
        )
        self.anchor = anchor if anchor in number else int(met[0])
        ratings = rate(among, number[self.anchor])
        self.order = [int(met[i]) for i in ratings.order()]
        self.elo = {
            player: (float(ratings.elo[i]), float(ratings.low[i]), float(ratings.high[i]))
            for player, i in number.items()
        }

    def ratings(self) -> list[dict[str, Any]]:
        """Return one row per player, the best first: name, Elo with its interval, points."""
        return [
            {
                "player": self.names[i],
                **dict(zip(ELO, self.elo[i], strict=True)),
                "points": float(self.points[i]),
            }
            for i in self.order
        ]

    def as_data(self) -> dict[str, Any]:
        """Return the ratings and the cross-table as plain values."""
        against = [[float(v) for v in row] for row in self.cross.points()]
        return {"ratings": self.ratings(), "players": list(self.names), "points": against}

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        return "\n".join(
            f"{row['player']:<{width}}  {row['elo']:+6.0f}  ({_interval(row)})  {row['points']:g}"
            for row in self.ratings()
        )

    def _repr_html_(self) -> str:
        cells = [
            (row["player"], f"{row['elo']:+.0f}", _interval(row), f"{row['points']:g}")
            for row in self.ratings()
        ]
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells
        )
        head = "".join(f"<th>{word}</th>" for word in ("player", "Elo", "95%", "points"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _interval(row: Mapping[str, Any]) -> str:
    return f"{row['elo_low']:+.0f} … {row['elo_high']:+.0f}"
