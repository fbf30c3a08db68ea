"""Numbers over generations (or anything else) as an SVG picture: lines with their 95% bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.errors import OptionError, quoted
from evoboard.pictures.chart import COLOURS, Axis, Chart
from evoboard.pictures.svg import Picture

FEW = 30  # points of a line that are drawn as dots, too


class Curve(NamedTuple):
    """A line: its name, its points, and the band around it, where there is one."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def draw_curves(
    curves: Sequence[Sequence[Any]],
    title: str = "",
    *,
    across: str = "generation",
    up: str = "",
    pixels: int = 640,
) -> Picture:
    """Return a picture of lines and bands; values that are not finite are left out.

    A curve is a name, x and y, and with a band low and high, too: lists of equally many numbers.
    """
    read = [_read(curve) for curve in curves]
    rows = [row for c in read for row in (c.y, c.low, c.high) if row is not None]
    chart = Chart(
        title,
        Axis.of(across, [x for curve in read for x in curve.x]),
        Axis.of(up, [y for row in rows for y in row]),
    )
    for number, curve in enumerate(read):
        colour = COLOURS[number % len(COLOURS)]
        if curve.low is not None and curve.high is not None:
            chart.band(curve.x, curve.low, curve.high, colour)
        # A second line of the same colour is told apart by its dashes.
        chart.line(curve.x, curve.y, colour, curve.name, dashed=number >= len(COLOURS))
        if len(curve.y) <= FEW:
            chart.points(curve.x, curve.y, colour)
    return chart.finish(pixels)


def _read(parts: Sequence[Any]) -> Curve:
    """Return a curve; OptionError if it is not a name and rows of equally many numbers."""
    try:
        curve = Curve(*parts)
    except TypeError:
        raise OptionError(
            f"a curve is a name, x, y and perhaps low and high; this is {quoted(parts)}."
        ) from None
    if not isinstance(curve.name, str):
        raise OptionError(f"the name of a curve is {quoted(curve.name)}; it must be text.")
    for name, row in curve._asdict().items():
        try:
            sound = name == "name" or (row is None and name in ("low", "high"))
            sound = sound or np.asarray(row, np.float64).shape == (len(curve.x),)
        except (TypeError, ValueError, OverflowError):
            sound = False
        if not sound:
            raise OptionError(
                f"{name} of the curve {quoted(curve.name)} is {quoted(row)}; x, y, low and high "
                "are lists of equally many numbers, low and high may be left out."
            )
    return curve
