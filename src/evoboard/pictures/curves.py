"""Numbers over generations (or anything else) as an SVG picture: lines with their 95 % bands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from evoboard.pictures.svg import Drawing, Picture

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640.0, 320.0, 64.0, 18.0, 44.0, 46.0
INK, DIM, GRID = "#26231f", "#6f6a62", "#e2ddd3"
COLOURS = ("#c4463a", "#2f6fb0", "#4f9d62", "#b8860b", "#7a5ba8", "#6f6a62")
TICKS = 6  # at most, along either edge
LETTER = 6.6  # a letter's width, for the line of names

Place = Callable[[float, float], tuple[float, float]]


class Curve(NamedTuple):
    """A line: its name, its points, and the band around it, where there is one."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def draw_curves(
    curves: Sequence[Curve],
    title: str = "",
    *,
    across: str = "generation",
    up: str = "",
    pixels: int = 640,
) -> Picture:
    """Return a picture of lines and bands; values that are not finite are left out."""
    drawing = Drawing()
    drawing.add("rect", x=0, y=0, width=WIDTH, height=HEIGHT, fill="#ffffff")
    left, step_x = _ticks([x for curve in curves for x in curve.x])
    rows = [row for c in curves for row in (c.y, c.low, c.high) if row is not None]
    heights = [y for row in rows for y in row]
    low, step_y = _ticks(heights)

    def place(x: float, y: float) -> tuple[float, float]:
        wide = (x - left[0]) / (left[1] - left[0]) * (WIDTH - LEFT - RIGHT)
        high = (y - low[0]) / (low[1] - low[0]) * (HEIGHT - TOP - BOTTOM)
        return LEFT + wide, HEIGHT - BOTTOM - high

    for x in _steps(left, step_x):
        at = place(x, 0)[0]
        drawing.add("line", x1=at, y1=TOP, x2=at, y2=HEIGHT - BOTTOM, stroke=GRID, stroke_width=1)
        drawing.text(at, HEIGHT - BOTTOM + 14, f"{x:g}", 11, fill=DIM)
    for y in _steps(low, step_y):
        at = place(0, y)[1]
        drawing.add("line", x1=LEFT, y1=at, x2=WIDTH - RIGHT, y2=at, stroke=GRID, stroke_width=1)
        drawing.text(LEFT - 8, at, f"{y:g}", 11, fill=DIM, text_anchor="end")
    for number, curve in enumerate(curves):
        _curve(drawing, curve, COLOURS[number % len(COLOURS)], place)
    drawing.text(LEFT, 16, title, 14, fill=INK, font_weight="bold", text_anchor="start")
    drawing.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, across, 12, fill=DIM)
    drawing.text(14, (TOP + HEIGHT - BOTTOM) / 2, up, 12, fill=DIM, transform=(
        f"rotate(-90 14 {(TOP + HEIGHT - BOTTOM) / 2:g})"))  # fmt: skip
    end = LEFT
    for number, curve in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        drawing.add("rect", x=end, y=29, width=12, height=4, fill=colour)
        drawing.text(end + 17, 31, curve.name, 11, fill=INK, text_anchor="start")
        end += 30 + LETTER * len(curve.name)
    return drawing.finish((0, 0, WIDTH, HEIGHT), pixels, title or "curves")


def _curve(drawing: Drawing, curve: Curve, colour: str, place: Place) -> None:
    shown = [i for i, y in enumerate(curve.y) if math.isfinite(y)]
    if curve.low is not None and curve.high is not None:
        upper = [place(curve.x[i], curve.high[i]) for i in shown]
        lower = [place(curve.x[i], curve.low[i]) for i in reversed(shown)]
        drawing.add("path", d=f"{_path([*upper, *lower])}z", fill=colour, fill_opacity=0.16)
    points = [place(curve.x[i], curve.y[i]) for i in shown]
    drawing.add("path", d=_path(points), fill="none", stroke=colour, stroke_width=2)
    if len(points) <= 30:
        for x, y in points:
            drawing.add("circle", cx=x, cy=y, r=2.6, fill=colour)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)}" if points else "M0 0"


def _ticks(values: Sequence[float]) -> tuple[tuple[float, float], float]:
    """Return the ends of a scale that holds all values, and the step of its ticks."""
    known = [value for value in values if math.isfinite(value)] or [0.0]
    least, most = min(known), max(known)
    if least == most:
        least, most = least - 0.5, most + 0.5
    rough = (most - least) / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * n for n in (1, 2, 2.5, 5, 10) if unit * n >= rough * (1 - 1e-9))
    return (math.floor(least / step) * step, math.ceil(most / step) * step), step


def _steps(ends: tuple[float, float], step: float) -> list[float]:
    count = round((ends[1] - ends[0]) / step)
    return [round(ends[0] + i * step, 10) for i in range(count + 1)]
