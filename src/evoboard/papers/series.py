"""Numbers of several runs of one trial, side by side: the middle one and how far they spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.pictures.chart import COLOURS, Axis, Chart
from evoboard.pictures.report import Figure
from evoboard.runs.report import generation_seconds, known_numbers
from evoboard.store.reader import Reader

SPREAD = "Line: the median of the seeds; band: from the lowest to the highest."


class Spread(NamedTuple):
    """A number by generation, over seeds: median, lowest, highest; NaN if no run has it."""

    generations: Array
    median: Array
    low: Array
    high: Array

    def columns(self, name: str) -> dict[str, list[float]]:
        """Return the numbers for a file."""
        return {
            f"{name} median": self.median.tolist(),
            f"{name} lowest": self.low.tolist(),
            f"{name} highest": self.high.tolist(),
        }


def spread(rows: Sequence[tuple[Array, Array]]) -> Spread:
    """Return the spread of several (generations, values)."""
    places = np.unique(np.concatenate([xs for xs, _ in rows] or [np.zeros(0)])).astype(np.int64)
    table = np.full((len(rows), len(places)), np.nan)
    for row, (xs, ys) in zip(table, rows, strict=True):
        row[np.searchsorted(places, xs)] = ys
    known = ~np.isnan(table).all(0)
    found = np.full((3, len(places)), np.nan)
    found[0, known] = np.nanmedian(table[:, known], axis=0)
    found[1, known] = np.nanmin(table[:, known], axis=0)
    found[2, known] = np.nanmax(table[:, known], axis=0)
    return Spread(places, *found)


def number(
    runs: Sequence[Reader], name: str, change: Callable[[Array], Array] = lambda values: values
) -> Spread:
    """Return a number of each generation over a trial's runs, where it was measured."""
    found = [known_numbers(run, name) for run in runs]
    return spread([(generations, change(values)) for generations, values in found])


def smoothed(values: Array, span: int) -> Array:
    """Return the mean of each value and its neighbours, `span` of them in all; as many values."""
    if span < 2 or len(values) < 3:
        return values
    half = span // 2
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = np.maximum(np.arange(len(values)) - half, 0)
    after = np.minimum(np.arange(len(values)) + half + 1, len(values))
    return (sums[after] - sums[first]) / (after - first)


def draw_spread(chart: Chart, found: Spread, place: int, name: str) -> None:
    """Draw a median with its band."""
    colour = COLOURS[place % len(COLOURS)]
    chart.band(found.generations, found.low, found.high, colour)
    chart.line(found.generations, found.median, colour, name)


def figure_of(
    name: str,
    title: str,
    lines: Mapping[str, Spread],
    up: Axis | str,
    *,
    across: str = "generation",
    paper: str = "",
    note: str = SPREAD,
    size: tuple[float, float] = (640.0, 340.0),
    add: Callable[[Chart], None] = lambda chart: None,
) -> Figure:
    """Return a figure of numbers over generations, with its data; `add` adds to the chart.

    `up`: the upright axis, or its title where it begins at 0 and has room for all lines.
    """
    places = np.unique(np.concatenate([one.generations for one in lines.values()]))
    if isinstance(up, str):
        up = Axis.of(up, np.concatenate([[*one.low, *one.high] for one in lines.values()]), low=0)
    chart = Chart(title, Axis(across, 0, max(1, int(places.max(initial=1)))), up, *size)
    data = {across: places.tolist()}
    for place, (label, one) in enumerate(lines.items()):
        draw_spread(chart, one, place, label)
        whole = np.full((3, len(places)), np.nan)
        whole[:, np.searchsorted(places, one.generations)] = one[1:]
        data |= Spread(places, *whole).columns(label)
    add(chart)
    return Figure(name, title, chart.finish(), paper, note, data)


def middle(values: Sequence[float]) -> float:
    """Return the median, NaN without any."""
    return float(np.median(values)) if len(values) else float("nan")


def seconds_each(runs: Sequence[Reader]) -> list[float]:
    """Return how long a generation of each run takes; the first one compiles: it is the median."""
    return [middle(generation_seconds(run).values["total"].tolist()) for run in runs]


def with_range(values: Sequence[float], form: str = ".3g") -> str:
    """Return numbers of several seeds: the median, then lowest and highest."""
    known = [value for value in values if not np.isnan(value)]
    if not known:
        return "–"
    told = format(middle(known), form)
    if len(known) == 1:
        return told
    return f"{told} ({format(min(known), form)} … {format(max(known), form)})"
