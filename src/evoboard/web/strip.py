"""The strip at either end of a board: who plays that side, and how they are doing."""

from __future__ import annotations

import time

from nicegui import ui

from evoboard.web import theme
from evoboard.web.opponents import short_name
from evoboard.web.table import PERSON, Table
from evoboard.web.taken import taken_text

COLOURS = {
    "white": "#f7f3ea",
    "black": "#45413c",
    "blue": "#3470b3",
    "red": "#c4463a",
    "yellow": "#f0c33c",
    "green": "#4f9d62",
}
LEAST_SECONDS = 5e-5  # what took less is not worth telling
PLAIN = ("#e8e0cf", "#7d8b99")


def side_colour(name: str, side: int) -> str:
    """Return the colour of a side: the one it is named after, or a plain one."""
    return COLOURS.get(name.lower(), PLAIN[side])


class Strip:
    """Who plays one side, whether it is their turn, and how long they thought."""

    def __init__(self) -> None:
        with ui.element("div").classes("strip") as self.row:
            self.disc = ui.element("span").classes("disc").props('aria-hidden="true"')
            self.who = ui.label().classes("who cut")
            self.side = ui.label().classes("dim small")
            self.taken = ui.label().classes("taken")
            ui.element("span").classes("grow")
            self.pulse = ui.element("span").classes("thinking-dot")
            self.time = ui.label().classes("dim small number")

    def show(self, table: Table, side: int, ply: int) -> None:
        """Show one side of a table at a ply."""
        name = table.game.sides[side]
        seat = table.seats[side]
        both = table.seats == (PERSON, PERSON)
        self.who.set_text(name if both else "You" if seat == PERSON else short_name(seat))
        self.side.set_text("" if both else name)
        self.disc.style(f"background: {side_colour(name, side)}")
        ended = table.over and ply == table.ply
        turn = not ended and table.game.side(table.match.states[ply]) == side
        theme.set_class(self.row, "turn", turn)
        thinks = table.thinks and table.side == side and ply == table.ply
        self.pulse.set_visibility(thinks)
        spent = next((table.seconds[p] for p in (ply, ply - 1) if _made(table, p, side)), None)
        told = "" if spent is None or spent < LEAST_SECONDS else seconds_text(spent)
        waited = int(time.monotonic() - table.since)
        self.time.set_text((f"thinking {waited} s" if waited else "thinking …") if thinks else told)
        self.taken.set_text(taken_text(table, side, ply))


def _made(table: Table, ply: int, side: int) -> bool:
    """Tell whether the move that led to a ply was this side's, and timed."""
    return ply in table.seconds and table.game.side(table.match.states[ply - 1]) == side


def seconds_text(seconds: float) -> str:
    """Return a time in a few characters."""
    if seconds < 0.0095:
        return f"{1000 * seconds:.1f} ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 0.95 else f"{seconds:.1f} s"
