"""The charts of what evolution does, as options of ECharts: pure functions of what has been read.

A run has one colour in every chart; its series differ in their lines. Colours are names, see
chart.js. What tells whether a run gets stronger is in `strength`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from evoboard.web.training.chart_parts import (
    DIM,
    Drawn,
    Options,
    Points,
    area,
    band_of,
    category_axis,
    line,
    marks_at,
    over_generations,
    run_colour,
    tip,
)
from evoboard.web.training.watched import Watched

T = TypeVar("T")

MOST_POINTS = 500
MOST_SPECIES = 11
LENGTH_ROWS = 24


# --- charts over one or several runs ------------------------------------------------------------


def fitness(runs: Sequence[Watched]) -> Drawn | None:
    """Return best and mean fitness; of one run also how widely it is spread, and its alarms."""
    series: list[Options] = []
    several = len(runs) > 1
    for run in runs:
        colour = run_colour(run.colour)
        lead, group = (f"{run.name}, ", run.name) if several else ("", "")
        best, mean, wide = (points_of(run, key) for key in ("best", "mean", "spread"))
        series.append(line(f"{lead}best", best, colour, "solid", group))
        series.append(line(f"{lead}mean", mean, colour, "dashed", group))
        if not several:
            band = [[x, y - w, y + w] for (x, y), (_, w) in zip(mean, wide, strict=False)]
            series[0]["markLine"] = marks_at([generation for generation, _ in run.alarms])
            series += band_of("mean", band, colour)
    told = ", ".join(f"{run.name} {run.latest('best'):.4g}" for run in runs)
    caption = fitness_words(runs[0].experiment if not several else {}, several)
    return _drawn(
        "Fitness", caption, series, runs, "fitness", f"best of the latest: {told}", scale=True
    )


def fitness_words(experiment: dict[str, Any], several: bool = False) -> str:
    """Return what fitness is worth in an experiment, and what to expect of it."""
    band = "" if several else "; the band is the mean ± one standard deviation"
    choice = experiment.get("fitness", {})
    if several:
        return "How the best and the mean (dashed) do; unlike Elo, not comparable between runs."
    if choice.get("function"):
        return f"Points that games earn by the measure “{choice['function']}”{band}."
    own = choice.get("schedule", "double_round_robin") != "none"
    kinds = {each.get("kind") for each in choice.get("against") or ()}
    if not own and kinds == {"players"}:
        return f"Points against fixed opponents, so it should rise{band}."
    if choice.get("total") == "mean":
        return f"Points per game against its own kind: the mean stays near ½ by design{band}."
    return f"Points against its own kind: the mean hardly moves, by design{band}."


def links(runs: Sequence[Watched]) -> Drawn | None:
    """Return the links of a network, on average."""
    caption = "Weights of a network, on average: more are kept only where they help."
    if all(len(set(run.numbers["links_mean"])) == 1 for run in runs):
        caption = "Weights of a network: so far their number has not changed."
    return _one_each(runs, "Links", caption, "links per network", "links_mean")


def nodes(runs: Sequence[Watched]) -> Drawn | None:
    """Return the hidden nodes of a network, on average; nothing where there are none."""
    if not any(value > 0 for run in runs for value in run.numbers["nodes_mean"]):
        return None
    caption = "Neurons between inputs and output, on average over the population."
    return _one_each(runs, "Hidden nodes", caption, "nodes per network", "nodes_mean")


def speed(runs: Sequence[Watched]) -> Drawn | None:
    """Return the games per second."""
    caption = "How fast training games are played: longer games and larger networks take longer."
    found = {run.name: thin(run.speeds()) for run in runs}
    return _one_each(runs, "Games per second", caption, "games / s", lambda run: found[run.name])


def _one_each(
    runs: Sequence[Watched],
    title: str,
    caption: str,
    axis: str,
    points: str | Callable[[Watched], Points],
) -> Drawn | None:
    """Return a chart with a line for each run, counted from 0."""
    series = []
    for run in runs:
        found = points_of(run, points) if isinstance(points, str) else points(run)
        name = run.name if len(runs) > 1 else title.lower()
        series.append(line(name, found, run_colour(run.colour)))
    return _drawn(title, caption, series, runs, axis, "", min=0, minInterval=1)


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
    largest = max(sum(row.values()) for row in run.sizes.values())
    options = over_generations(series, run.count, "individuals", min=0, max=largest, minInterval=1)
    last = len(run.sizes[generations[-1]])
    caption = "How many individuals each species has: networks alike compete among themselves."
    if len(totals) == 1:
        caption = "All individuals belong to one species so far: their networks are much alike."
    return Drawn("Species", caption, options, f"Species: {last} in generation {generations[-1]}")


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
    most = max(0.02, shares[int(0.99 * (len(shares) - 1))])
    options: Options = {
        "animation": False,
        "grid": {
            "left": 56,
            "right": 14,
            "top": 30,
            "bottom": 40,
            "show": True,
            "backgroundColor": "$heat0",
            "borderWidth": 0,
        },
        "tooltip": {**tip(), "trigger": "item"},
        "xAxis": category_axis([column * run.stride for column in columns], "generation", 24),
        "yAxis": category_axis(tops, "length in plies", 42),
        "visualMap": _heat_scale(most),
        "series": [{"id": "lengths", "type": "heatmap", "data": cells}],
    }
    mean = run.latest("plies_mean")
    label = f"Lengths of games: {mean:.1f} plies on average in the last generation"
    caption = "The darker, the more games of a generation were that long; good play changes it."
    return Drawn("Lengths of games", caption, options, label)


def _heat_scale(most: float) -> Options:
    """Return the scale of shares from none to the most."""
    return {
        "show": True,
        "min": 0,
        "max": most,
        "text": [f"{100 * most:.0f} % of games or more", "0 %"],
        "textStyle": DIM,
        "textGap": 6,
        "orient": "horizontal",
        "right": 10,
        "top": 0,
        "padding": 4,
        "itemWidth": 9,
        "itemHeight": 70,
        "hoverLink": False,
        "inRange": {"color": ["$heat0", "$heat1", "$heat2"]},
    }


# --- their parts --------------------------------------------------------------------------------


def points_of(run: Watched, key: str) -> Points:
    """Return a number of each generation where it is known, thinned."""
    return thin(run.numbers[key])


def thin(values: Sequence[float]) -> Points:
    """Return the known values with their generations, evenly thinned; the last one is kept."""
    return spaced([[float(i), y] for i, y in enumerate(values) if not math.isnan(y)])


def spaced(points: list[T]) -> list[T]:
    """Return every k-th point, the last one included, so that there are not too many."""
    step = max(1, math.ceil(len(points) / MOST_POINTS))
    return points[::-1][::step][::-1]


def _drawn(
    title: str,
    caption: str,
    series: list[Options],
    runs: Sequence[Watched],
    axis: str,
    told: str,
    **limits: Any,
) -> Drawn | None:
    """Return a chart over generations, None without a point to draw."""
    if not any(each["data"] for each in series):
        return None
    options = over_generations(series, max(run.count for run in runs), axis, **limits)
    label = f"{title} over generations{f', {told}' if told else ''}"
    return Drawn(title, caption, options, label)
