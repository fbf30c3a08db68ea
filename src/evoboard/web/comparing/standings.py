"""Ratings and cross-table as an element of a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from evoboard.arena.contest import Contest
from evoboard.arena.ratings import RatingTable, rate
from evoboard.arena.scoring import CrossTable
from evoboard.web.values import signed

MARGIN = 300.0  # Elo beyond the ratings that the scale shows of their intervals
UNKNOWN = 2000.0  # Elo: an interval as wide as this says nothing
STEPS = (25, 50, 100, 200, 250, 500, 1000, 2000)
MOST_TICKS = 6


class StandingsTable(ui.element, component="standings.js"):
    """Shows a tournament; `on_pair` gets two players' numbers."""

    def __init__(self, on_pair: Callable[[int, int], Any]) -> None:
        super().__init__()
        self._count = 0
        self.props.update(rows=[], ticks=[], at=[])
        self.on("pair", lambda event: self._picked(event.args, on_pair))

    def show(self, contest: Contest, anchor: int, at: tuple[int, int] | None = None) -> None:
        """Show who has won how much against whom, the best first; `at`: the pair looked at."""
        self._count = len(contest.names)
        rows, ticks = standing_rows(contest, anchor)
        self.props.update(rows=rows, ticks=ticks, at=list(at or ()))
        self.update()

    def _picked(self, pair: Any, act: Callable[[int, int], Any]) -> Any:
        known = range(self._count)
        if isinstance(pair, list) and len(pair) == 2 and all(n in known for n in pair):
            return act(pair[0], pair[1])
        return None


def standing_rows(
    contest: Contest, anchor: int = 0
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows, the best first, and the ticks of their scale: places in per cent, texts."""
    names, table, ratings = contest.names, contest.table, rate(contest.table, anchor)
    played, points, cross = table.played(), table.points(), table.cross()
    order = [int(player) for player in ratings.order()]
    known = [player for player in order if played[player]]
    low, high, step = _scale(ratings, known)

    def place(elo: float) -> float:
        return round(100 * (min(high, max(low, elo)) - low) / (high - low), 2)

    rows = []
    for number, player in enumerate(order, 1):
        met = bool(played[player])
        ends = place(float(ratings.low[player])), place(float(ratings.high[player]))
        rows.append(
            {
                "player": player,
                "place": number,
                "name": names[player],
                "elo": signed(float(ratings.elo[player])) if met else "–",
                "interval": _interval(ratings, player) if met else "",
                "points": f"{points[player]:g}/{played[player]}",
                "left": ends[0],
                "width": round(ends[1] - ends[0], 2) if met else 0,
                "dot": place(float(ratings.elo[player])) if met else None,
                "open": [float(ratings.low[player]) < low, float(ratings.high[player]) > high],
                "cells": [_cell(names, cross, player, other) for other in order],
            }
        )
    values = [low + i * step for i in range(round((high - low) / step) + 1)] if known else []
    return rows, [{"at": place(value), "text": signed(value)} for value in values]


def _scale(ratings: RatingTable, known: Sequence[int]) -> tuple[float, float, float]:
    """Return the ends of the scale and the step of its ticks: all ratings, and what is near."""
    elo = [float(ratings.elo[p]) for p in known] or [0.0]
    low = max(min((float(ratings.low[p]) for p in known), default=-50), min(elo) - MARGIN)
    high = min(max((float(ratings.high[p]) for p in known), default=50), max(elo) + MARGIN)
    step = next((step for step in STEPS if (high - low) / step < MOST_TICKS - 1), STEPS[-1])
    first, last = math.floor(low / step), math.ceil(high / step)
    return float(first * step), float(max(last, first + 1) * step), float(step)


def _cell(names: Sequence[str], cross: CrossTable, one: int, other: int) -> dict[str, Any]:
    """Return what stands in the cross-table for one player's games against another."""
    games = int(cross.games[one, other])
    if one == other or not games:
        return {"text": "" if one == other else "–", "tint": None, "at": None, "title": ""}
    wins, draws, losses = (int(column[one, other]) for column in cross)
    points = wins + draws / 2
    title = f"{names[one]} against {names[other]}: {wins} won, {draws} drawn, {losses} lost"
    tint = points / games
    return {"text": f"{points:g}", "tint": tint, "at": [one, other], "title": title}


def _interval(ratings: RatingTable, player: int) -> str:
    if player == ratings.anchor:
        return "fixed"
    if ratings.high[player] - ratings.low[player] > UNKNOWN:
        return "not known yet"
    return f"{signed(ratings.low[player])} … {signed(ratings.high[player])}"
