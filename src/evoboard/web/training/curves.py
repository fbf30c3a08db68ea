"""The charts of runs as options of ECharts: pure functions of what has been read.

One run's chart tells its series apart by colour; with several runs, each run has a colour of its
own and its series differ in their lines. Colours are names, see chart.js.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from evoboard.web.training.chart_parts import (
    Options,
    Points,
    area,
    band_of,
    category_axis,
    hide_legend,
    line,
    marks_at,
    over_generations,
    tip,
    value_axis,
)
from evoboard.web.training.watched import Rating, Watched

T = TypeVar("T")

MOST_POINTS = 500
MOST_SPECIES = 11
LENGTH_ROWS = 24
COLOURS = 8
LOOKS = ("solid", "dashed", "dotted")  # of lines


class Drawn(NamedTuple):
    """A chart, what it shows in words, and what its lines mean where no legend says so."""

    options: Options
    label: str
    caption: str = ""


def run_colour(index: int) -> str:
    """Return the colour of the i-th of several runs."""
    return f"$s{index % COLOURS}"


# --- charts over one or several runs ------------------------------------------------------------


def fitness(runs: Sequence[Watched]) -> Drawn | None:
    """Return best and mean fitness; of one run also how widely it is spread, and its alarms."""
    if len(runs) > 1:
        series = []
        for index, run in enumerate(runs):
            colour = run_colour(index)
            series.append(line(f"{run.name}, best", _points(run, "best"), colour))
            series.append(line(f"{run.name}, mean", _points(run, "mean"), colour, "dashed"))
        return _drawn(series, runs, "Fitness", "best", "best, and mean (dashed)")
    (run,) = runs
    best, mean, wide = (_points(run, key) for key in ("best", "mean", "spread"))
    band = [[x, y - w, y + w] for (x, y), (_, w) in zip(mean, wide, strict=False)]
    marks = marks_at([generation for generation, _ in run.alarms])
    series = [
        *band_of("spread", band, "$s1"),
        {**line("best", best, "$s0"), "markLine": marks},
        line("mean", mean, "$s1"),
    ]
    return _drawn(series, runs, "Fitness", "best")


def ratings(runs: Sequence[Watched]) -> Drawn | None:
    """Return Elo against each anchor with its 95 % interval."""
    several = len(runs) > 1
    anchors = sorted({anchor for run in runs for anchor in run.ratings})
    series: list[Options] = []
    for index, run in enumerate(runs):
        for anchor, measured in run.ratings.items():
            found, number = _spaced(measured), anchors.index(anchor)
            colour = run_colour(index if several else number)
            title = f"{run.name} against {anchor}" if several else f"against {anchor}"
            look = LOOKS[number % len(LOOKS)] if several else LOOKS[0]
            band = [[float(r.generation), r.low, r.high] for r in found]
            if len(band) == 1:  # wide enough to be seen
                band.append([band[0][0] + max(0.3, 0.02 * run.count), *band[0][1:]])
            points = [[float(r.generation), r.elo, r.low, r.high] for r in found]
            series += [
                *band_of(f"{index}.{number}", band, colour),
                line(title, points, colour, look),
            ]
    words = [f"{anchor} ({LOOKS[i % len(LOOKS)]})" for i, anchor in enumerate(anchors)]
    drawn = _drawn(series, runs, "Elo against fixed players", caption=f"against {', '.join(words)}")
    if drawn:
        # An interval after a perfect score has no end worth seeing: the axis shows the ratings.
        known = [rating for run in runs for found in run.ratings.values() for rating in found]
        drawn.options["yAxis"] |= _rating_limits(known)
    return drawn


def complexity(runs: Sequence[Watched]) -> Drawn | None:
    """Return links (left axis) and hidden nodes (right axis), of all on average."""
    series: list[Options] = []
    for index, run in enumerate(runs):
        several = len(runs) > 1
        colours = [run_colour(index)] * 2 if several else ["$s0", "$s2"]
        lead = f"{run.name}, " if several else ""
        series.append(line(f"{lead}links", _points(run, "links_mean"), colours[0]))
        nodes = line(f"{lead}hidden nodes", _points(run, "nodes_mean"), colours[1], "dashed")
        series.append({**nodes, "yAxisIndex": 1})
    words = "links, and hidden nodes (dashed, right axis)"
    drawn = _drawn(series, runs, "Complexity", "links_mean", words)
    if drawn:
        right = {**value_axis(), "splitLine": {"show": False}, "min": 0, "minInterval": 1}
        drawn.options["yAxis"] = [drawn.options["yAxis"], right]
        drawn.options["grid"]["right"] = 40
    return drawn


def speed(runs: Sequence[Watched]) -> Drawn | None:
    """Return the games per second."""
    drawn = _one_each(runs, "Games per second", lambda run: _thin(run.speeds()))
    if drawn:
        drawn.options["yAxis"] |= {"min": 0, "scale": False}
    return drawn


def grade(runs: Sequence[Watched]) -> Drawn | None:
    """Return the champions' grades."""
    return _one_each(runs, "Grade", lambda run: _points(run, "grade"))


def earlier(runs: Sequence[Watched]) -> Drawn | None:
    """Return the champions' share of the points against earlier ones."""
    title = "Points against earlier champions"
    return _one_each(runs, title, lambda run: _points(run, "spread_score"))


def _one_each(
    runs: Sequence[Watched], title: str, points: Callable[[Watched], Points]
) -> Drawn | None:
    series = [
        line(run.name if len(runs) > 1 else title.lower(), points(run), run_colour(index))
        for index, run in enumerate(runs)
    ]
    drawn = _drawn(series, runs, title)
    if drawn:
        hide_legend(drawn.options)
    return drawn


# --- charts of one run --------------------------------------------------------------------------


def species(run: Watched) -> Drawn | None:
    """Return the sizes of the species as stacked areas, the small ones as one."""
    generations = sorted(run.sizes)
    totals = Counter[int]()
    for row in run.sizes.values():
        totals.update(row)
    if not totals:
        return None
    shown = sorted(key for key, _ in totals.most_common(MOST_SPECIES))
    series = []
    for key in shown:
        points = [[float(g), float(run.sizes[g].get(key, 0))] for g in generations]
        series.append(area(f"species {key}", points, f"$h{key % 360}"))
    if len(totals) > len(shown):
        rest = [
            [float(g), float(sum(n for key, n in run.sizes[g].items() if key not in shown))]
            for g in generations
        ]
        series.append(area(f"{len(totals) - len(shown)} others", rest, "$line"))
    options = over_generations(series, run.count)
    hide_legend(options)
    options["yAxis"]["scale"] = False
    last = len(run.sizes[generations[-1]])
    return Drawn(options, f"Species: {last} in generation {generations[-1]}")


def lengths(run: Watched) -> Drawn | None:
    """Return how long games lasted, as a heat map: the darker, the more games."""
    if not run.lengths:
        return None
    longest = max(max(row) for row in run.lengths.values())
    step = max(1, math.ceil((longest + 1) / LENGTH_ROWS))
    columns = sorted(run.lengths)
    cells = []
    for place, column in enumerate(columns):
        rows = Counter[int]()
        for plies, games in run.lengths[column].items():
            rows[plies // step] += games
        total = rows.total()
        cells += [[place, row, round(games / total, 4)] for row, games in rows.items()]
    tops = [row * step for row in range(longest // step + 1)]
    shares = sorted(cell[2] for cell in cells)
    options: Options = {
        "animation": False,
        "grid": {
            "left": 44,
            "right": 12,
            "top": 10,
            "bottom": 24,
            "show": True,
            "backgroundColor": "$heat0",
            "borderWidth": 0,
        },
        "tooltip": {**tip(), "trigger": "item"},
        "xAxis": category_axis([column * run.stride for column in columns]),
        "yAxis": category_axis(tops),
        "visualMap": {
            "show": False,
            "min": 0,
            "max": max(0.02, shares[int(0.99 * (len(shares) - 1))]),
            "inRange": {"color": ["$heat0", "$heat1", "$heat2"]},
        },
        "series": [{"id": "lengths", "type": "heatmap", "data": cells}],
    }
    mean = run.latest("plies_mean")
    return Drawn(options, f"Lengths of games: {mean:.1f} plies on average in the last generation")


# --- their parts --------------------------------------------------------------------------------


def _points(run: Watched, key: str) -> Points:
    return _thin(run.numbers[key])


def _thin(values: Sequence[float]) -> Points:
    """Return the known values with their generations, evenly thinned; the last one is kept."""
    return _spaced([[float(i), y] for i, y in enumerate(values) if not math.isnan(y)])


def _spaced(points: list[T]) -> list[T]:
    """Return every k-th point, the last one included, so that there are not too many."""
    step = max(1, math.ceil(len(points) / MOST_POINTS))
    return points[::-1][::step][::-1]


def _drawn(
    series: list[Options], runs: Sequence[Watched], title: str, key: str = "", caption: str = ""
) -> Drawn | None:
    """Return a chart over generations; with several runs a caption stands for the legend."""
    if not any(each["data"] for each in series):
        return None
    told = f"{title} over generations"
    if key:
        told = f"{told}: {', '.join(f'{run.name} {run.latest(key):.4g}' for run in runs)}"
    options = over_generations(series, max(run.count for run in runs))
    if len(runs) == 1:
        return Drawn(options, told)
    hide_legend(options)
    return Drawn(options, told, caption)


def _rating_limits(known: Sequence[Rating]) -> Options:
    """Return an axis that shows all ratings, and of their intervals what is near."""
    low = max(min(r.low for r in known), min(r.elo for r in known) - 150)
    high = min(max(r.high for r in known), max(r.elo for r in known) + 150)
    steps = (50, 100, 200, 250, 500, 1000)
    step = next((step for step in steps if (high - low) / step <= 5), steps[-1])
    ends = {"min": math.floor(low / step) * step, "max": math.ceil(high / step) * step}
    return {**ends, "interval": step}
