"""The parts that charts are made of, as options of ECharts. Colours are names, see chart.js."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evoboard.web.training.series import Rating

Options = dict[str, Any]
Points = list[list[float]]

MOST_MARKS = 12
FEW_POINTS = 24  # that are shown as dots, too
FEW_BARS = 40  # more intervals than these are shown as a band
COLOURS = 8
LOOKS = ("solid", "dashed", "dotted")  # of lines
# What stands for a line in a legend: the usual sign shows no dashes.
ICONS = {
    "solid": "path://M0,0h30v3h-30z",
    "dashed": "path://M0,0h8v3h-8zM11,0h8v3h-8zM22,0h8v3h-8z",
    "dotted": "path://M0,0h3v3h-3zM7,0h3v3h-3zM14,0h3v3h-3zM21,0h3v3h-3zM28,0h3v3h-3z",
    "area": "roundRect",
}
DIM = {"color": "$dim", "fontSize": 11}


def run_colour(index: int) -> str:
    """Return the name of the i-th colour of runs."""
    return f"$s{index % COLOURS}"


def over_generations(series: list[Options], count: int, axis: str, **limits: Any) -> Options:
    """Return a chart of series over that many generations; `axis` says what is counted upwards.

    `limits` are options of the upright axis: min, max, minInterval …
    """
    lines = {s["name"]: s for s in reversed(series) if s["id"].startswith("line")}
    named = [
        {"name": name, "icon": ICONS["area" if "areaStyle" in s else s["lineStyle"]["type"]]}
        for name, s in reversed(lines.items())
    ]
    pointer = {"type": "line", "lineStyle": {"color": "$dim"}, "label": {"show": False}}
    options = {
        "animation": False,
        "grid": {"left": 56, "right": 14, "top": 30, "bottom": 40},
        "legend": {**legend(), "data": named},
        "tooltip": {**tip(), "trigger": "axis", "axisPointer": pointer},
        "xAxis": {**value_axis("generation"), **_generations_axis(count)},
        "yAxis": {**value_axis(axis), **limits},
        "series": series,
    }
    if len(named) < 2:  # the title says what it is
        hide_legend(options)
    return options


def legend() -> Options:
    """Return how a legend looks; more than fit are leafed through."""
    return {
        "show": True,
        "type": "scroll",
        "top": 0,
        "right": 0,
        "left": 40,
        "align": "left",
        "padding": [4, 0, 0, 0],
        "itemWidth": 20,
        "itemHeight": 8,
        "textStyle": DIM,
        "pageTextStyle": DIM,
        "pageIconColor": "$dim",
        "pageIconInactiveColor": "$line",
        "inactiveColor": "$line",
    }


def tip() -> Options:
    """Return how the tip at the pointer looks."""
    text = {"color": "$ink", "fontSize": 12}
    colours = {"backgroundColor": "$surface", "borderColor": "$line", "textStyle": text}
    return {"confine": True, **colours}


def value_axis(name: str) -> Options:
    """Return an axis of numbers with its title."""
    return {
        "type": "value",
        **axis_title(name, 24 if name == "generation" else 42),
        "axisLine": {"show": False},
        "axisTick": {"show": False},
        "axisLabel": DIM,
        "splitLine": {"lineStyle": {"color": "$line"}},
        "splitNumber": 4,
    }


def axis_title(name: str, gap: int) -> Options:
    """Return the title of an axis, so far from it."""
    return {"name": name, "nameLocation": "middle", "nameGap": gap, "nameTextStyle": DIM}


def _generations_axis(count: int) -> Options:
    line = {"show": True, "lineStyle": {"color": "$line"}}
    return {
        "min": 0,
        "max": max(1, count - 1),
        "minInterval": 1,
        "splitLine": {"show": False},
        "axisLine": line,
    }


def category_axis(names: Sequence[int], title: str, gap: int) -> Options:
    """Return an axis with a name at every so many columns, seven at most."""
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50) if len(names) <= 7 * step)
    return {
        "type": "category",
        **axis_title(title, gap),
        "data": [str(name) for name in names],
        "axisLine": {"lineStyle": {"color": "$line"}},
        "axisTick": {"show": False},
        "axisLabel": {**DIM, "interval": step - 1},
        "splitArea": {"show": False},
    }


def line(name: str, points: Points, colour: str, look: str = "solid", group: str = "") -> Options:
    """Return a series as a line; `look`: solid, dashed or dotted; `group`: its name in the legend.

    Series of one group are shown and hidden together; the tip calls them by their own names.
    """
    return {
        "id": f"line {name}",
        "name": group or name,
        "type": "line",
        "data": points,
        "showSymbol": len(points) <= FEW_POINTS,
        "symbol": "circle",
        "symbolSize": 5,
        "lineStyle": {"width": 2, "color": colour, "type": look},
        "itemStyle": {"color": colour},
        "emphasis": {"disabled": True},
        "z": 3,
    }


def measured(
    name: str,
    found: Sequence[Rating],
    colour: str,
    look: str = "solid",
    shift: float = 0,
    band: bool = False,
) -> list[Options]:
    """Return a line through measurements with their intervals, as bars or, of many, as a `band`.

    `shift` moves dots and bars by that many pixels, beside those of another series.
    """
    points = [[float(r.generation), r.value, r.low, r.high, float(r.bound), shift] for r in found]
    series = {**line(name, points, colour, look), "symbolOffset": [shift, 0]}
    series["showSymbol"] = len(points) <= FEW_BARS
    if len(points) > FEW_BARS or band:
        rows = [[x, low, high] for x, _, low, high, *_ in points]
        return [series, *band_of(name, rows, colour, ends=True)]
    bars = {
        "id": f"bars {name}",
        "name": name,
        "type": "custom",
        "data": points,
        "encode": {"x": 0, "y": 1},
        "itemStyle": {"color": colour, "opacity": 0.65},
        "clip": False,
        "silent": True,
        "z": 2,
    }
    return [series, bars]


def area(name: str, points: Points, colour: str) -> Options:
    """Return a series as an area on top of the others."""
    return {
        **line(name, points, colour),
        "stack": "species",
        "showSymbol": False,
        "symbol": "none",
        "lineStyle": {"width": 0},
        "areaStyle": {"color": colour, "opacity": 0.85},
    }


def band_of(name: str, rows: Points, colour: str, *, ends: bool = False) -> list[Options]:
    """Return an area between two lines, seen or not: the lower one, and what is stacked on it."""
    if len(rows) < 2:  # nothing to be seen of it
        return []
    look = {
        "name": name,
        "type": "line",
        "stack": f"band {name}",
        "stackStrategy": "all",
        "symbol": "none",
        "silent": True,
        "lineStyle": {"width": 1 if ends else 0, "color": colour, "opacity": 0.5},
        "itemStyle": {"color": colour},
        "emphasis": {"disabled": True},
        "z": 1,
    }
    lower = [[x, low] for x, low, _ in rows]
    upper = [[x, high - low] for x, low, high in rows]
    fill = {"areaStyle": {"color": colour, "opacity": 0.16}}
    return [
        {**look, "id": f"band below {name}", "data": lower},
        {**look, **fill, "id": f"band {name}", "data": upper},
    ]


def marks_at(generations: Sequence[int]) -> Options:
    """Return upright lines where there was an alarm."""
    data = [{"xAxis": generation} for generation in generations[-MOST_MARKS:]]
    return _mark_lines(data, {"color": "$warn", "type": "dotted", "width": 1.5})


def level_at(value: float) -> Options:
    """Return a level line; the caption says what it means."""
    return _mark_lines([{"yAxis": value}], {"color": "$dim", "type": "dashed", "width": 1})


def _mark_lines(data: list[Options], look: Options) -> Options:
    plain = {"silent": True, "symbol": "none", "label": {"show": False}}
    return {**plain, "lineStyle": look, "data": data}


def hide_legend(options: Options) -> None:
    """Take the legend away, and give its room to the chart."""
    options["legend"]["show"] = False
    options["grid"]["top"] = 12
