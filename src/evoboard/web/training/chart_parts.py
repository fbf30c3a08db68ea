"""The parts that charts are made of, as options of ECharts. Colours are names, see chart.js."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Options = dict[str, Any]
Points = list[list[float]]

MOST_MARKS = 12
FEW_POINTS = 24  # that are shown as dots, too


def over_generations(series: list[Options], count: int) -> Options:
    """Return a chart of series over so many generations, with a legend of all but the bands."""
    named = [s["name"] for s in series if not str(s["id"]).startswith("band")]
    dim = {"color": "$dim", "fontSize": 11}
    pointer = {"type": "line", "lineStyle": {"color": "$dim"}, "label": {"show": False}}
    return {
        "animation": False,
        "grid": {"left": 44, "right": 12, "top": 30, "bottom": 24},
        "legend": {
            "type": "scroll",
            "data": named,
            "top": 0,
            "right": 0,
            "padding": [4, 0, 0, 0],
            "itemWidth": 14,
            "itemHeight": 8,
            "textStyle": dim,
            "pageTextStyle": dim,
            "pageIconColor": "$dim",
            "pageIconInactiveColor": "$line",
            "inactiveColor": "$line",
        },
        "tooltip": {**tip(), "trigger": "axis", "axisPointer": pointer},
        "xAxis": {**value_axis(), **_generations_axis(count)},
        "yAxis": {**value_axis(), "scale": True},
        "series": series,
    }


def tip() -> Options:
    """Return how the tip at the pointer looks."""
    text = {"color": "$ink", "fontSize": 12}
    colours = {"backgroundColor": "$surface", "borderColor": "$line", "textStyle": text}
    return {"confine": True, **colours}


def value_axis() -> Options:
    """Return an axis of numbers."""
    return {
        "type": "value",
        "axisLine": {"show": False},
        "axisTick": {"show": False},
        "axisLabel": {"color": "$dim", "fontSize": 11},
        "splitLine": {"lineStyle": {"color": "$line"}},
        "splitNumber": 4,
    }


def _generations_axis(count: int) -> Options:
    line = {"show": True, "lineStyle": {"color": "$line"}}
    return {
        "min": 0,
        "max": max(1, count - 1),
        "minInterval": 1,
        "splitLine": {"show": False},
        "axisLine": line,
    }


def category_axis(names: Sequence[int]) -> Options:
    """Return an axis with a name at every so many columns, seven at most."""
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50) if len(names) <= 7 * step)
    return {
        "type": "category",
        "data": [str(name) for name in names],
        "axisLine": {"lineStyle": {"color": "$line"}},
        "axisTick": {"show": False},
        "axisLabel": {"color": "$dim", "fontSize": 11, "interval": step - 1},
        "splitArea": {"show": False},
    }


def line(name: str, points: Points, colour: str, look: str = "solid") -> Options:
    """Return a series as a line; `look`: solid, dashed or dotted."""
    return {
        "id": f"line {name}",
        "name": name,
        "type": "line",
        "data": points,
        "showSymbol": len(points) <= FEW_POINTS,
        "symbol": "circle",
        "symbolSize": 5,
        "lineStyle": {"width": 2, "color": colour, "type": look},
        "itemStyle": {"color": colour},
        "emphasis": {"disabled": True},
    }


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


def band_of(name: str, rows: Points, colour: str) -> list[Options]:
    """Return an area between two lines: an unseen one, and what is stacked on it."""
    look = {
        "type": "line",
        "stack": f"band {name}",
        "stackStrategy": "all",
        "symbol": "none",
        "silent": True,
        "lineStyle": {"width": 0},
        "itemStyle": {"color": colour},
        "emphasis": {"disabled": True},
        "z": 1,
    }
    lower = [[x, low] for x, low, _ in rows]
    upper = [[x, high - low] for x, low, high in rows]
    fill = {"areaStyle": {"color": colour, "opacity": 0.16}}
    return [
        {**look, "id": f"band {name} below", "name": f"{name} below", "data": lower},
        {**look, **fill, "id": f"band {name}", "name": f"{name} band", "data": upper},
    ]


def marks_at(generations: Sequence[int]) -> Options:
    """Return upright lines where there was an alarm."""
    return {
        "silent": True,
        "symbol": "none",
        "label": {"show": False},
        "lineStyle": {"color": "$warn", "type": "dotted", "width": 1.5},
        "data": [{"xAxis": generation} for generation in generations[-MOST_MARKS:]],
    }


def hide_legend(options: Options) -> None:
    """Take the legend away, and give its room to the chart."""
    options["legend"]["show"] = False
    options["grid"]["top"] = 10
