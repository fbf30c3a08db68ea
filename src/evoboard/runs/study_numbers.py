"""The results of a study's runs: numbers by seed, curves with bands, comparisons."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evoboard.core.arrays import Array, evenly_spread
from evoboard.core.errors import EvoboardError, OptionError, quoted
from evoboard.core.statistics import Comparison, Interval, compare, holm, mean_interval
from evoboard.core.wording import listed, nearest
from evoboard.players.equal_search import searches_alike
from evoboard.runs.study import Over, Study, StudyRun
from evoboard.store.reader import Reader, player_at
from evoboard.store.run_file import run_folder

MOST_POINTS = 200  # of a curve
EQUAL = "elo equal search"  # Elo against counting pieces with the networks' own search
# What a study compares by default: the first that all of its runs have.
MEASURES = ("grade", EQUAL, "elo random", "best")
APART = ("measure", "record")  # steps of a generation that are not training


@dataclass(frozen=True)
class RunNumbers:
    """A run's numbers, one cell per generation; games and seconds count from its start.

    `settled`: it ended early because it reached a goal, such as a grade; its last value then
    stands for all later ones.
    """

    run: StudyRun
    games: Array
    seconds: Array
    numbers: Mapping[str, Array] = field(repr=False)
    settled: bool = False

    @property
    def generations(self) -> Array:
        """Return how many generations were played, at the end of each."""
        return np.arange(1, len(self.games) + 1, dtype=np.float64)

    def known(self, measure: str, over: Over) -> tuple[Array, Array]:
        """Return the places where a number is known, and its values there."""
        values = self.numbers.get(measure, np.full(len(self.games), np.nan))
        there = ~np.isnan(values)
        return np.asarray(getattr(self, over))[there], values[there]


@dataclass(frozen=True)
class CellCurve:
    """A cell's learning curve: its mean over seeds and the interval, at the same places."""

    label: str
    seeds: tuple[int, ...]
    places: Array
    values: Array  # (seeds, places)
    interval: Interval


@dataclass(frozen=True)
class Versus:
    """Two cells compared; `corrected` is p corrected for the number of comparisons."""

    first: str
    second: str
    found: Comparison
    corrected: float


@dataclass(frozen=True)
class Gathered:
    """The numbers of a study's runs."""

    study: Study
    runs: tuple[RunNumbers, ...]

    def measures(self) -> list[str]:
        """Return the numbers that every run has somewhere, by name."""
        names = [{n for n, v in run.numbers.items() if not np.isnan(v).all()} for run in self.runs]
        return sorted(set.intersection(*names)) if names else []

    def main_measure(self, wanted: str = "") -> str:
        """Return the number to compare: the one asked for, or the most informative there is."""
        known = self.measures()
        if wanted in known:
            return wanted
        if wanted or not known:
            near = listed(nearest(wanted, known) or known[:12], "or") or "nothing yet"
            raise OptionError(f"not all runs have the number {quoted(wanted)}; they have {near}.")
        return next((name for name in MEASURES if name in known), known[0])

    def of(self, label: str) -> list[RunNumbers]:
        """Return the runs of a cell, in the order of their seeds."""
        return [each for each in self.runs if each.run.cell.label == label]

    def array(self, label: str, measure: str) -> Array:
        """Return a cell's numbers, (seeds, generations), NaN if there is none."""
        runs = self.of(label)
        longest = max((len(run.games) for run in runs), default=0)
        found = np.full((len(runs), longest), np.nan)
        for row, run in zip(found, runs, strict=True):
            values = run.numbers.get(measure, np.zeros(0))
            row[: len(values)] = values
        return found

    def common(self, measure: str) -> float:
        """Return how far all runs have come, in games or whatever they are compared over."""
        known = [(self._known(run, measure)[0], run.settled) for run in self.runs]
        known = [each for each in known if len(each[0])]
        open_ends = [places[-1] for places, settled in known if not settled]
        ends = open_ends or [max((places[-1] for places, _ in known), default=0.0)]
        return float(min(ends))

    def budget(self, measure: str) -> str:
        """Return in words the budget after which runs are compared, and how long before its end
        they were last measured, where that is not the same: they are measured now and then."""
        end, last = self.common(measure), []
        for run in self.runs:
            places = self._known(run, measure)[0]
            kept = run.settled and (places <= end).all()  # its last value stands for later ones
            if (places <= end).any() and not kept:
                last.append(float(places[places <= end][-1]))
        told = f"{end:,.0f} {self.study.over} each"
        if not last or f"{min(last):,.0f}" == f"{end:,.0f}":
            return told
        return f"{told}, last measured after {min(last):,.0f} to {max(last):,.0f}"

    def outcomes(self, measure: str) -> dict[str, Array]:
        """Return each cell's results after the same budget, by label."""
        end = self.common(measure)
        found: dict[str, list[float]] = {cell.label: [] for cell in self.study.cells}
        for run in self.runs:
            places, values = self._known(run, measure)
            if (places <= end).any():
                found[run.run.cell.label].append(float(values[places <= end][-1]))
        return {label: np.array(values) for label, values in found.items()}

    def curves(self, measure: str, whole: bool = False) -> list[CellCurve]:
        """Return each cell's curve, up to where all have come or as far as each goes."""
        end = np.inf if whole else self.common(measure)
        curves = []
        for cell in self.study.cells:
            runs = [run for run in self.of(cell.label) if len(self._known(run, measure)[0])]
            if not runs:
                continue
            known = [self._known(run, measure) for run in runs]
            ends = [x[-1] for (x, _), run in zip(known, runs, strict=True) if not run.settled]
            first = max(x[0] for x, _ in known)
            last = min(end, *(ends or [max(x[-1] for x, _ in known)]))
            places = _thinned(np.unique(np.concatenate([x for x, _ in known])), first, last)
            values = np.array([np.interp(places, x, y) for x, y in known])
            seeds = tuple(run.run.seed for run in runs)
            curves.append(CellCurve(cell.label, seeds, places, values, mean_interval(values)))
        return curves

    def compared(self, measure: str) -> list[Versus]:
        """Return the comparison of each pair of cells; p is corrected (Holm)."""
        outcomes = {k: v for k, v in self.outcomes(measure).items() if len(v)}
        pairs = list(itertools.combinations(outcomes, 2))
        found = [compare(outcomes[one], outcomes[other]) for one, other in pairs]
        corrected = holm([each.p for each in found])
        return [
            Versus(*pair, each, p) for pair, each, p in zip(pairs, found, corrected, strict=True)
        ]

    def _known(self, run: RunNumbers, measure: str) -> tuple[Array, Array]:
        return run.known(measure, self.study.over)


def gather(study: Study) -> Gathered:
    """Return the numbers of all complete runs."""
    return Gathered(study, tuple(_read(run) for run in study.runs() if run.is_complete))


def _thinned(places: Array, first: float, last: float) -> Array:
    inside = places[(places >= first) & (places <= last)]
    if not len(inside):
        return np.array([last])
    return inside[evenly_spread(len(inside), MOST_POINTS)]


def _read(run: StudyRun) -> RunNumbers:
    with Reader(run_folder(run.name)) as reader, reader.snapshot():
        rows, timings, anchored = reader.rows(), reader.timings(), reader.anchored()
        facts = reader.facts()
    run.require_own(facts)
    names = {name for row in rows for name in row.numbers}
    numbers = {name: np.array([row.numbers.get(name, np.nan) for row in rows]) for name in names}
    equal = np.full(len(rows), np.nan)
    for generation, row in anchored:
        player = player_at(facts, generation)
        with suppress(EvoboardError):
            if searches_alike(row.opponent, player["search"], player["settings"]):
                equal[generation] = row.elo
    if not np.isnan(equal).all():
        numbers[EQUAL] = equal
    games = np.cumsum([row.numbers.get("games", 0.0) for row in rows])
    steps = [timings.get(row.generation, {}) for row in rows]
    # Measuring and storing is the observer's time; the first generation also compiles.
    seconds = np.array([sum(v for k, v in s.items() if k not in APART) for s in steps])
    if len(seconds) > 2:
        seconds[0] = min(seconds[0], float(np.median(seconds[1:])))
    settled = _is_settled(facts, len(rows), float(games[-1]) if len(rows) else 0.0)
    return RunNumbers(run, games, np.cumsum(seconds), numbers, settled)


def _is_settled(facts: Mapping[str, Any], count: int, games: float) -> bool:
    """Tell whether a run ended by reaching a goal."""
    stop = facts["experiment"].get("stop", {})
    early = "finished" in facts and count < int(facts["experiment"]["generations"])
    timed = str(facts.get("finished", "")).endswith("seconds were trained")
    return early and not timed and games < stop.get("games", math.inf)
