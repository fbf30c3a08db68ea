"""What a chart of the Train page is, and how one is found.

A chart is a module of this package, or a FILE.py that the app is started with (--part):

    NUMBERS = ("step_size",)     the numbers of a generation that it draws
    ORDER = 55                   its place on the page; without one it comes after ours
    FOLDED = True                whether it is shown only under *More* (False)

    def draw(runs: Sequence[RunSeries]) -> list[Drawn]

`draw` returns as many charts as there are to draw, none where the runs lack the numbers. Numbers
that no chart names, a strategy's facts() included, are drawn by `further.py`: its NUMBERS are
`REST`, and its `draw` is also told what others draw. What charts are made of is in `parts.py`.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from evoboard.core import catalog
from evoboard.core.errors import PartError, in_one_line
from evoboard.web.training.charts.parts import (
    Options,
    Points,
    band_of,
    line,
    over_generations,
    run_colour,
)
from evoboard.web.training.series import RunSeries

PACKAGE = "evoboard.web.training.charts"
REST = ("*",)
LATER = 80  # the place of a chart that names none
MOST_POINTS = 500

T = TypeVar("T")


class Drawn(NamedTuple):
    """A chart: its title, one sentence about it, its options, and what it shows in words.

    One with a `question` is the widest, and may answer it in a sentence.
    """

    title: str
    caption: str
    options: Options
    label: str
    question: str = ""
    answer: str = ""


class Chart(NamedTuple):
    """A chart as its module describes it; `file` is empty for those of this package."""

    numbers: tuple[str, ...]
    draw: Callable[..., list[Drawn]]
    order: float
    folded: bool
    file: str = ""

    def drawn(self, runs: Sequence[RunSeries]) -> list[Drawn]:
        """Return what there is to draw; a user's chart that fails says why in its place."""
        try:
            found = self.draw(runs)
            if self.file and not all(isinstance(each, Drawn) for each in found):
                raise PartError("draw must return a list of Drawn.")
            return found
        except Exception as error:
            if not self.file:
                raise
            line = catalog.line_of(error, self.file)
            where = f"{self.file}, line {line}" if line else self.file
            told = f"{where}: {in_one_line(error)}"
            return [Drawn(Path(self.file).name, told, {}, told)]


@lru_cache
def find_charts(files: tuple[str, ...] = ()) -> list[Chart]:
    """Return our charts and those among a user's files, in their order on the page."""
    ours = catalog.names(PACKAGE, "NUMBERS")
    found = [_chart(catalog.find("chart", PACKAGE, name, "NUMBERS")) for name in ours]
    modules = ((file, catalog.load_file("part", Path(file))) for file in files)
    found += [_chart(module, file) for file, module in modules if hasattr(module, "NUMBERS")]
    named = frozenset(name for chart in found for name in chart.numbers)
    found = [
        chart._replace(draw=partial(chart.draw, named=named)) if chart.numbers == REST else chart
        for chart in found
    ]
    return sorted(found, key=lambda chart: chart.order)


def _chart(module: types.ModuleType, file: str = "") -> Chart:
    draw, numbers = getattr(module, "draw", None), module.NUMBERS
    if not callable(draw) or isinstance(numbers, str) or not isinstance(numbers, Iterable):
        raise PartError(
            f"{file}: a chart has NUMBERS, a tuple of names, and a function draw(runs)."
        )
    order, folded = getattr(module, "ORDER", LATER), getattr(module, "FOLDED", False)
    return Chart(tuple(numbers), draw, order, folded, file)


# --- what charts share --------------------------------------------------------------------------


def lines_of_runs(
    runs: Sequence[RunSeries],
    title: str,
    caption: str,
    axis: str,
    points: str | Callable[[RunSeries], Points],
    **limits: Any,
) -> list[Drawn]:
    """Return a chart with a line for each run: of a number by its name, or of points."""
    series = []
    for run in runs:
        found = points_of(run, points) if isinstance(points, str) else points(run)
        name = run.name if len(runs) > 1 else title.lower()
        series.append(line(name, found, run_colour(run.colour)))
        rows = spaced(run.band(points)) if isinstance(points, str) else []
        series += band_of(name, rows, run_colour(run.colour))
    return drawn_over_generations(title, caption, series, runs, axis, **limits)


def drawn_over_generations(
    title: str,
    caption: str,
    series: list[Options],
    runs: Sequence[RunSeries],
    axis: str,
    told: str = "",
    **limits: Any,
) -> list[Drawn]:
    """Return a chart of series, none without a point to draw; `limits` are the upright axis's."""
    if not any(each["data"] for each in series):
        return []
    options = over_generations(series, max(run.count for run in runs), axis, **limits)
    label = f"{title} over generations{f', {told}' if told else ''}"
    return [Drawn(title, caption, options, label)]


def one_each(runs: Sequence[RunSeries], draw: Callable[[RunSeries], Drawn | None]) -> list[Drawn]:
    """Return a chart for each run; those of several have its name in their titles."""
    made = [(run, draw(run)) for run in runs]
    if len(runs) == 1:
        return [drawn for _, drawn in made if drawn]
    return [d._replace(title=f"{d.title} · {run.name}") for run, d in made if d]


def points_of(run: RunSeries, key: str) -> Points:
    """Return a number of each generation where it is known, thinned."""
    return thin(run.values(key))


def thin(values: Sequence[float]) -> Points:
    """Return the known values with their generations, evenly thinned; the last one is kept."""
    return spaced([[float(i), y] for i, y in enumerate(values) if not math.isnan(y)])


def spaced(points: list[T]) -> list[T]:
    """Return every k-th point, the last one included, so that there are not too many."""
    step = max(1, math.ceil(len(points) / MOST_POINTS))
    return points[::-1][::step][::-1]
