"""A game's ladder as an SVG picture: all players on one scale of Elo, with 95% intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evoboard.arena.ladder import Place
from evoboard.pictures.svg import Drawing, Picture

WIDTH, ROW, TOP, LABELS, RIGHT = 900.0, 24.0, 58.0, 300.0, 90.0
INK, DIM, GRID, RUNG, PLAYER, BAND = (
    "#26231f", "#6f6a62", "#e2ddd3", "#8a857c", "#c4463a", "#fbeae7",
)  # fmt: skip
STEPS = (50, 100, 200, 250, 500, 1000, 2000)
MOST_LINES = 10
LONGEST = 40  # letters of a label
FURTHEST = 500.0  # Elo that is shown of intervals beyond the ratings


def draw_ladder(places: Sequence[Place], title: str) -> Picture:
    """Return the picture; `places` come best first, those that are no rungs stand out."""
    drawing = Drawing()
    low = min([0.0, *(max(place.low, place.elo - FURTHEST) for place in places)])
    high = max([100.0, *(min(place.high, place.elo + FURTHEST) for place in places)])
    step = next((s for s in STEPS if (high - low) / s <= MOST_LINES), STEPS[-1])
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    bottom = TOP + ROW * len(places) + 8
    drawing.add("rect", x=0, y=0, width=WIDTH, height=bottom + 24, fill="#ffffff")
    left: dict[str, str | float] = {"text_anchor": "start", "fill": INK}
    drawing.text(14, 20, title, 15, font_weight="bold", **left)

    def across(elo: float) -> float:
        return LABELS + (min(max(elo, low), high) - low) / (high - low) * (WIDTH - LABELS - RIGHT)

    for elo in range(int(low), int(high) + 1, step):
        x = across(elo)
        drawing.add("line", x1=x, y1=TOP - 8, x2=x, y2=bottom, stroke=GRID, stroke_width=1)
        drawing.text(x, TOP - 18, f"{elo}", 11, fill=DIM)
    drawing.text(
        WIDTH - 14, bottom + 12, "Elo; random moves are 0, lines are 95% intervals", 11,
        text_anchor="end", fill=DIM,
    )  # fmt: skip
    for number, place in enumerate(places):
        _row(drawing, place, TOP + ROW * (number + 0.5), across(place.low), across(place.elo),
             across(place.high))  # fmt: skip
    return drawing.finish((0, 0, WIDTH, bottom + 24), WIDTH, title)


def _row(drawing: Drawing, place: Place, y: float, low: float, here: float, high: float) -> None:
    colour = RUNG if place.rung else PLAYER
    if not place.rung:
        drawing.add("rect", x=6, y=y - ROW / 2, width=WIDTH - 12, height=ROW, rx=5, fill=BAND)
    name = place.text if len(place.text) <= LONGEST else f"{place.text[: LONGEST - 1]}…"
    weight = "normal" if place.rung else "bold"
    drawing.text(
        LABELS - 14, y, name, 12, text_anchor="end", fill=INK if place.rung else PLAYER,
        font_weight=weight,
    )  # fmt: skip
    drawing.add("line", x1=low, y1=y, x2=high, y2=y, stroke=colour, stroke_width=2)
    for end in (low, high):
        drawing.add("line", x1=end, y1=y - 4, x2=end, y2=y + 4, stroke=colour, stroke_width=2)
    drawing.add("circle", cx=here, cy=y, r=4.5, fill=colour)
    drawing.text(
        WIDTH - 14, y, f"{place.elo:.0f}", 12, text_anchor="end", fill=colour, font_weight=weight
    )
