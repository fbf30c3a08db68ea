"""Charts as SVG: lines with bands, bars, boxes, heat maps, and levels that others reached."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.statistics import box
from evoboard.pictures.svg import Drawing, Picture

LEFT, RIGHT, TOP, BOTTOM = 62.0, 18.0, 40.0, 52.0
INK, DIM, GRID, PAPER = "#26231f", "#6f6a62", "#e6e1d8", "#8a5a00"
# Told apart by people who see red and green alike, too.
COLOURS = ("#2f6fb0", "#d5702b", "#3d8f6b", "#a0469c", "#c4463a", "#6b6b6b", "#9a8b1f", "#4fa3c7")
DASHES = "6 4"
LINES = 7  # of the grid, at most
MOST_POINTS = 700  # of a line; more cannot be told apart
LETTER = 0.6  # width of a letter, in sizes of the type
LEAN = -35  # degrees of labels that have no room side by side
MOST_LINES = 3  # of a label


class Axis(NamedTuple):
    """What is told along a side of a chart, from where to where; `labels` name places 0, 1, 2 …"""

    title: str
    low: float
    high: float
    labels: tuple[str, ...] = ()
    form: str = ""  # of the numbers beside it

    @classmethod
    def of(cls, title: str, values: Any, *, low: float | None = None, form: str = "") -> Axis:
        """Return an axis on which all values have room; NaN needs none."""
        known = np.asarray(values, np.float64)
        known = known[np.isfinite(known)]
        least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        least = least if low is None else min(low, least)
        if most <= least:
            most = least + 1.0
        step = _step(most - least)
        return cls(title, math.floor(least / step) * step, math.ceil(most / step) * step, (), form)

    @classmethod
    def named(cls, title: str, labels: Sequence[str]) -> Axis:
        """Return an axis of that many places with names."""
        return cls(title, -0.5, len(labels) - 0.5, tuple(labels))

    def marks(self) -> Iterator[tuple[float, str]]:
        """Yield where the grid has lines, and what stands there."""
        if self.labels:
            yield from enumerate(self.labels)
            return
        step = _step(self.high - self.low)
        first = math.ceil(self.low / step - 1e-9)
        for number in range(first, math.floor(self.high / step + 1e-9) + 1):
            value = number * step
            yield value, format(value, self.form) if self.form else _short(value)


class Chart:
    """One chart; what is added later lies above what was there."""

    def __init__(
        self, title: str, x: Axis, y: Axis, width: float = 640.0, height: float = 340.0
    ) -> None:
        self.title, self.x, self.y, self.width, self.height = title, x, y, width, height
        self._drawing = Drawing()
        self._legend: list[tuple[str, str, bool]] = []
        self._box = [0.0, 0.0, width, height]  # left, top, right, bottom: grows with the words
        self._ground()

    def line(
        self, xs: Any, ys: Any, colour: str, name: str = "", dashed: bool = False, thick: float = 2
    ) -> None:
        """Add a line; values that are NaN are passed over."""
        xs, ys = np.asarray(xs, np.float64), np.asarray(ys, np.float64)
        known = np.isfinite(xs) & np.isfinite(ys)
        look: dict[str, str | float] = {"fill": "none", "stroke": colour, "stroke_width": thick}
        look |= {"stroke_linejoin": "round"} | ({"stroke_dasharray": DASHES} if dashed else {})
        if known.any():
            points = self._points(*_thinned(xs[known], ys[known]))
            self._drawing.add("polyline", points=points, **look)
        self._name(name, colour, dashed)

    def band(self, xs: Any, low: Any, high: Any, colour: str) -> None:
        """Fill what lies between two lines."""
        xs, low, high = (np.asarray(cells, np.float64) for cells in (xs, low, high))
        known = np.isfinite(xs) & np.isfinite(low) & np.isfinite(high)
        if known.any():
            there = self._points(xs[known], high[known])
            back = self._points(xs[known][::-1], low[known][::-1])
            self._drawing.add("polygon", points=f"{there} {back}", fill=colour, fill_opacity=0.18)

    def points(self, xs: Any, ys: Any, colour: str, size: float = 2.5) -> None:
        """Add dots."""
        for x, y in zip(np.asarray(xs, float), np.asarray(ys, float), strict=True):
            if math.isfinite(x) and math.isfinite(y):
                self._drawing.add(
                    "circle", cx=self._across(x), cy=self._up(y), r=size, fill=colour,
                    fill_opacity=0.75,
                )  # fmt: skip

    def bar(
        self, place: float, bottom: float, top: float, colour: str, width: float = 0.7,
        name: str = "", told: str = "",
    ) -> None:  # fmt: skip
        """Add a bar around a place; `told` stands above it."""
        left, right = self._across(place - width / 2), self._across(place + width / 2)
        high, low = self._up(max(bottom, top)), self._up(min(bottom, top))
        if low > high:
            self._drawing.add(
                "rect", x=left, y=high, width=right - left, height=low - high, fill=colour
            )
        if told:
            self._text((left + right) / 2, high - 8, told, 10, fill=DIM)
        self._name(name, colour)

    def whisker(self, place: float, low: float, high: float, colour: str = INK) -> None:
        """Add an interval around a place."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return
        x, top, bottom = self._across(place), self._up(high), self._up(low)
        look: dict[str, str | float] = {"stroke": colour, "stroke_width": 1.4}
        self._drawing.add("line", x1=x, y1=top, x2=x, y2=bottom, **look)
        for y in (top, bottom):
            self._drawing.add("line", x1=x - 4, y1=y, x2=x + 4, y2=y, **look)

    def box(self, place: float, values: Any, colour: str) -> None:
        """Add a box plot: quartiles, median, mean (dashed), whiskers, and every value as a dot."""
        known = np.sort(np.asarray(values, np.float64))
        known = known[np.isfinite(known)]
        if not len(known):
            return
        found, width = box(known), 0.5
        self.whisker(place, found.low_whisker, found.high_whisker, DIM)
        top, bottom = self._up(found.three_quarters), self._up(found.quarter)
        left, right = self._across(place - width / 2), self._across(place + width / 2)
        self._drawing.add(
            "rect", x=left, y=top, width=right - left, height=max(bottom - top, 0.5), fill=colour,
            fill_opacity=0.25, stroke=colour, stroke_width=1.4,
        )  # fmt: skip
        for value, look in ((found.median, ""), (found.mean, DASHES)):
            y = self._up(value)
            more = {"stroke_dasharray": look} if look else {}
            self._drawing.add(
                "line", x1=left, y1=y, x2=right, y2=y, stroke=INK, stroke_width=1.6, **more
            )
        spots = place + width * 0.32 * np.sin(np.arange(len(known)) * 2.4)
        self.points(spots, known, colour, size=1.6)

    def heat(self, cells: Array) -> None:
        """Fill the whole chart with cells, rows from the bottom, the fullest in full colour."""
        rows, columns = cells.shape
        most = float(cells.max()) if cells.size else 0.0
        width = (self.width - LEFT - RIGHT) / columns
        height = (self.height - TOP - BOTTOM) / rows
        for row, column in np.argwhere(cells > 0).tolist():
            self._drawing.add(
                "rect", x=LEFT + column * width, y=self.height - BOTTOM - (row + 1) * height,
                width=width + 0.4, height=height + 0.4, fill=COLOURS[0],
                fill_opacity=0.08 + 0.92 * math.sqrt(float(cells[row, column]) / most),
            )  # fmt: skip

    def level(self, value: float, words: str, low: float | None = None) -> None:
        """Add a line across the chart at a level that others reached, or a stripe down to `low`."""
        colour, y, right = PAPER, self._up(value), self.width - RIGHT
        if low is not None:
            self._drawing.add(
                "rect", x=LEFT, y=y, width=right - LEFT, height=max(self._up(low) - y, 1),
                fill=colour, fill_opacity=0.12,
            )  # fmt: skip
            self._name(words, colour)  # lines are in the stripe and beside it
            return
        self._drawing.add(
            "line", x1=LEFT, y1=y, x2=right, y2=y, stroke=colour, stroke_width=1.6,
            stroke_dasharray="2 3",
        )  # fmt: skip
        above = y - 8 if y - 8 > TOP else y + 9
        halo: dict[str, str | float] = {"stroke": "#ffffff", "stroke_width": 3}
        halo |= {"paint_order": "stroke", "text_anchor": "end"}
        self._text(right - 4, above, words, 11, fill=colour, **halo)

    def finish(self, pixels: float | None = None) -> Picture:
        """Return the picture, so wide or as wide as it was made; longer words make it larger."""
        # Lines of the legend that have no room beside the others stand above them.
        rows: list[list[tuple[float, str, str, bool]]] = [[]]
        x, right = LEFT + 2, self.width - RIGHT
        for name, colour, dashed in self._legend:
            wide = 34 + 11 * LETTER * len(name)
            if rows[-1] and x + wide - 11 > right:
                rows.append([])
                x = LEFT + 2
            rows[-1].append((x, name, colour, dashed))
            x += wide
        for number, row in enumerate(reversed(rows)):
            y = 30.0 - 17 * number
            for x, name, colour, dashed in row:
                dash = {"stroke_dasharray": "4 3"} if dashed else {}
                look: dict[str, str | float] = {"stroke": colour, "stroke_width": 3}
                self._drawing.add("line", x1=x, y1=y, x2=x + 18, y2=y, **look, **dash)
                self._text(x + 23, y, name, 11, text_anchor="start", fill=INK)
        bold: dict[str, str | float] = {"text_anchor": "start", "font_weight": "bold"}
        self._text(LEFT, 30.0 - 17 * len(rows), self.title, 13, fill=INK, **bold)
        left, top, right, bottom = self._box
        box = (left, top, right - left, bottom - top)
        wide = (pixels or self.width) * box[2] / self.width
        return self._drawing.finish(box, wide, self.title or "chart", "#ffffff")

    def _name(self, name: str, colour: str, dashed: bool = False) -> None:
        if name:
            self._legend.append((name, colour, dashed))

    def _ground(self) -> None:
        drawing, bottom, right = self._drawing, self.height - BOTTOM, self.width - RIGHT
        for value, told in self.y.marks():
            y = self._up(value)
            drawing.add("line", x1=LEFT, y1=y, x2=right, y2=y, stroke=GRID, stroke_width=1)
            self._text(LEFT - 7, y, told, 11, text_anchor="end", fill=DIM)
        below = self.height - 11
        if self.x.labels:
            below = max(below, self._labels(bottom) + 10)
        else:
            for value, told in self.x.marks():
                x = self._across(value)
                drawing.add("line", x1=x, y1=TOP, x2=x, y2=bottom, stroke=GRID, stroke_width=1)
                self._text(x, bottom + 13, told, 11, fill=DIM)
        if self.x.title:
            self._text((LEFT + right) / 2, below, self.x.title, 12, fill=INK)
        self._text(15, (TOP + bottom) / 2, self.y.title, 12, -90, fill=INK)

    def _labels(self, bottom: float) -> float:
        """Write the names of places: in lines where they have room side by side, else leaning.

        Returns how far down they reach.
        """
        room = (self.width - LEFT - RIGHT) / len(self.x.labels) - 6
        folded = [_folded(label, room / (11 * LETTER)) for label in self.x.labels]
        stand = max(map(len, folded)) <= MOST_LINES and all(
            len(line) * 11 * LETTER <= room for lines in folded for line in lines
        )
        for value, (label, lines) in enumerate(zip(self.x.labels, folded, strict=True)):
            x = self._across(value)
            if not stand:
                self._text(x + 3, bottom + 9, label, 10, LEAN, fill=DIM, text_anchor="end")
                continue
            for number, line in enumerate(lines):
                self._text(x, bottom + 13 + 13 * number, line, 11, fill=DIM)
        longest = LETTER * 10 * max(map(len, self.x.labels))
        leaning = 9 + longest * math.sin(math.radians(-LEAN))
        return bottom + (13 * max(map(len, folded)) + 6 if stand else leaning + 8)

    def _text(
        self, x: float, y: float, words: str, size: float, turn: float = 0, /, **look: str | float
    ) -> None:
        """Write words around a point, or from or to it; the picture has room for them."""
        if not words:
            return
        wide = LETTER * size * len(words)
        begin = {"start": 0.0, "end": -wide}.get(str(look.get("text_anchor")), -wide / 2)
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        for along in (begin, begin + wide):
            for across in (-0.7 * size, 0.7 * size):
                px, py = x + along * cos - across * sin, y + along * sin + across * cos
                ends = self._box
                self._box = [min(ends[0], px), min(ends[1], py), max(ends[2], px), max(ends[3], py)]
        turned = {"transform": f"rotate({turn} {x:.4g} {y:.4g})"} if turn else {}
        self._drawing.text(x, y, words, size, **look, **turned)

    def _across(self, x: float) -> float:
        share = (min(max(x, self.x.low), self.x.high) - self.x.low) / (self.x.high - self.x.low)
        return LEFT + share * (self.width - LEFT - RIGHT)

    def _up(self, y: float) -> float:
        share = (min(max(y, self.y.low), self.y.high) - self.y.low) / (self.y.high - self.y.low)
        return self.height - BOTTOM - share * (self.height - TOP - BOTTOM)

    def _points(self, xs: Array, ys: Array) -> str:
        return " ".join(
            f"{self._across(x):.1f},{self._up(y):.1f}"
            for x, y in zip(xs.tolist(), ys.tolist(), strict=True)
        )


def _thinned(xs: Array, ys: Array) -> tuple[Array, Array]:
    """Return a long line with fewer points: the least and the most of every stretch."""
    if len(xs) <= MOST_POINTS:
        return xs, ys
    keep = []
    for part in np.array_split(np.arange(len(xs)), MOST_POINTS // 2):
        keep += sorted({int(part[ys[part].argmin()]), int(part[ys[part].argmax()])})
    return xs[keep], ys[keep]


def _folded(label: str, letters: float) -> list[str]:
    """Return a label in lines of that many letters, as far as its words and signs allow."""
    lines = [""]
    for part in re.split(r"(?<=[ =/])|(?<=\.)(?=[a-z])", label):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > letters:
            lines.append(part)
        else:
            lines[-1] += part
    return [line.rstrip() for line in lines]


def _step(span: float) -> float:
    """Return a round distance between the lines of a grid."""
    rough = span / LINES
    size = 10.0 ** math.floor(math.log10(rough))
    return float(next(size * n for n in (1, 2, 2.5, 5, 10) if size * n >= rough * (1 - 1e-9)))


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
