"""The series behind a run's plots and tables, from its database alone.

Every function takes a reader and returns arrays over generations. A number that a generation
lacks is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.statistics import Box, box
from evoboard.store.reader import Reader


class Curves(NamedTuple):
    """Numbers of each generation by name."""

    generations: Array  # int64
    values: dict[str, Array]  # float64, one cell per generation


class Trend(NamedTuple):
    """The straight line that fits best: slope per generation, and its value at generation 0."""

    slope: float
    start: float

    def at(self, generations: Array) -> Array:
        """Return the line's values."""
        return self.start + self.slope * generations


class Learning(NamedTuple):
    """Paper E's learning curve: each champion's learning value, their running sum, its trend."""

    generations: Array
    values: Array
    sums: Array
    trend: Trend


class Counts(NamedTuple):
    """How many of each kind a generation had, in three columns; kinds that did not occur are left
    out."""

    generations: Array
    kinds: Array  # plies of a game, or species
    numbers: Array


class Ratings(NamedTuple):
    """Elo against one opponent with its 95% interval, where it was measured."""

    generations: Array
    elo: Array
    low: Array
    high: Array


FITNESS = ("best", "mean", "median", "worst", "spread", "adjusted_mean")
COMPLEXITY = ("nodes_mean", "links_mean", "champion_nodes", "champion_links")
# What is known of champions beside games: grades, paper B's performance, the share of points
# against evenly spread earlier ones; and paper B's measures of networks.
MEASURED = (
    "grade",
    "grade_unaided",
    "performance",
    "spread_score",
    "hidden_layers",
    "nodes_per_hidden_layer",
)


def curves(run: Reader, names: Sequence[str]) -> Curves:
    """Return numbers by generation."""
    rows = run.rows()
    generations = np.array([row.generation for row in rows], np.int64)
    values = {
        name: np.array([row.numbers.get(name, np.nan) for row in rows], np.float64)
        for name in names
    }
    return Curves(generations, values)


def known_numbers(run: Reader, name: str) -> tuple[Array, Array]:
    """Return the generations that have a number, and the number."""
    found = curves(run, (name,))
    known = ~np.isnan(found.values[name])
    return found.generations[known], found.values[name][known]


def learning_curve(run: Reader, first: int = 0) -> Learning:
    """Return the running sum of the learning values from `first` on, with its trend (E8, E9)."""
    generations, values = known_numbers(run, "learning")
    generations, values = generations[generations >= first], values[generations >= first]
    sums = np.cumsum(values)
    return Learning(generations, values, sums, linear_trend(generations, sums))


def linear_trend(generations: Array, values: Array) -> Trend:
    """Return the least-squares line; a level one where there are fewer than two points."""
    if len(generations) < 2:
        return Trend(0.0, float(values[0]) if len(values) else 0.0)
    x = np.asarray(generations, np.float64)
    y = np.asarray(values, np.float64)
    away = x - x.mean()
    slope = float(away @ (y - y.mean()) / (away @ away))
    return Trend(slope, float(y.mean() - slope * x.mean()))


def champion_scores(run: Reader, score: str = "learning", first: int = 0) -> dict[str, list[float]]:
    """Return a number of champions' generations by their origins, NaN where it is not known.

    Who was champion before is persistent, whatever else it is.
    """
    scores: dict[str, list[float]] = {}
    before: set[int] = set()
    for row in run.rows():
        origin = "persistent" if row.champion in before else row.champion_origin
        before.add(row.champion)
        if row.generation >= first:
            scores.setdefault(origin, []).append(row.numbers.get(score, np.nan))
    return scores


def champions_by_origin(
    run: Reader, score: str = "learning", merged: bool = False
) -> dict[str, Box]:
    """Return how champions of each origin scored (E9), by a number of their generation.

    Where they are `merged`, as in paper E's box plot, persistent ones count as elite.
    """
    scores = champion_scores(run, score)
    if merged and "persistent" in scores:
        scores["elite"] = scores.get("elite", []) + scores.pop("persistent")
    return {origin: box(np.array(values)) for origin, values in sorted(scores.items())}


def game_lengths(run: Reader) -> Counts:
    """Return how many games of each generation lasted that many plies."""
    return _counts(run.length_counts())


def species_sizes(run: Reader) -> Counts:
    """Return how many individuals each species had in each generation."""
    return _counts(run.species_sizes())


def species_fitness(run: Reader) -> dict[str, Array]:
    """Return best, mean and paper D's adjusted fitness of every species, as `species_sizes`."""
    rows = [row for group in run.species().values() for row in group]
    names = ("best", "mean", "adjusted")
    return {name: np.array([getattr(row, name) for row in rows], np.float64) for name in names}


def generation_seconds(run: Reader) -> Curves:
    """Return the seconds of each step of each generation, and "total" of them all."""
    timings = run.timings()
    steps = sorted({step for row in timings.values() for step in row})
    values = {step: np.array([row.get(step, 0.0) for row in timings.values()]) for step in steps}
    total = np.array([sum(row.values()) for row in timings.values()])
    return Curves(np.array(list(timings), np.int64), {**values, "total": total})


def seconds_of(run: Reader) -> float:
    """Return how long a run's generations took."""
    return float(generation_seconds(run).values["total"].sum())


def seconds_per_game(run: Reader) -> Curves:
    """Return the seconds that a game of each generation took, all threads together (E9)."""
    found, games = generation_seconds(run), curves(run, ("games",))
    known = dict(zip(games.generations.tolist(), games.values["games"].tolist(), strict=True))
    counts = np.array([known.get(g, np.nan) for g in found.generations.tolist()], np.float64)
    spent = found.values.get("games", np.full(len(counts), np.nan))
    return Curves(found.generations, {"game": spent / counts})


def ratings(run: Reader) -> dict[str, Ratings]:
    """Return Elo by generation against each anchor."""
    points: dict[str, list[tuple[float, ...]]] = {}
    for generation, row in run.anchored():
        points.setdefault(row.opponent, []).append((generation, row.elo, row.low, row.high))
    return {
        anchor: Ratings(np.array(cells)[:, 0].astype(np.int64), *np.array(cells)[:, 1:].T)
        for anchor, cells in points.items()
    }


def _counts(rows: list[tuple[int, int, int]]) -> Counts:
    return Counts(*np.array(rows, np.int64).reshape(-1, 3).T)
