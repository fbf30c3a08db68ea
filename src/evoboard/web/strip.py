"""The strip at either end of a board: who plays that side, and how they are doing."""

from __future__ import annotations

import time

from nicegui import ui

from evoboard.web import theme
from evoboard.web.opponents import short_name
from evoboard.web.table import PERSON, Table
from evoboard.web.taken import taken_by

COLOURS = {
    "white": "#f7f3ea",
    "black": "#45413c",
    "blue": "#3470b3",
    "red": "#c4463a",
    "yellow": "#f0c33c",
    "green": "#4f9d62",
}
LEAST_SECONDS = 5e-5  # what took less is not worth telling
LEAST_COMPILING = 1.0  # seconds; in less, what was compiled before is loaded
PLAIN = ("#e8e0cf", "#7d8b99")


def side_colour(name: str, side: int) -> str:
    """Return the colour of a side: the one it is named after, or a plain one."""
    return COLOURS.get(name.lower(), PLAIN[side])


def is_dark(colour: str) -> bool:
    """Tell whether white letters are easier to read on a colour than black ones."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179


class Strip:
    """Who plays one side, whether it is their turn, and how long they thought."""

    def __init__(self) -> None:
        with ui.element("div").classes("strip") as self.row:
            self.disc = ui.element("span").classes("disc").props('aria-hidden="true"')
            self.who = ui.label().classes("who cut")
            self.side = ui.label().classes("dim small")
            self.taken = ui.label().classes("taken")
            self.men = ui.element("span").classes("taken-men").props('role="img"')
            ui.element("span").classes("grow")
            self.pulse = ui.element("span").classes("thinking-dot")
            self.time = ui.label().classes("dim small number")

    def show(self, table: Table, side: int, ply: int) -> None:
        """Show one side of a table at a ply."""
        name = table.game.sides[side]
        seat = table.seats[side]
        both = table.seats == (PERSON, PERSON)
        known = name if both else "You" if seat == PERSON else short_name(seat)
        self.who.set_text(table.names[side] or known)
        self.side.set_text("" if both and not table.names[side] else name)
        self.disc.style(f"background: {side_colour(name, side)}")
        ended = table.over and ply == table.ply
        turn = not ended and table.game.side(table.match.states[ply]) == side
        theme.set_class(self.row, "turn", turn)
        thinks = table.thinks and table.side == side and ply == table.ply
        self.pulse.set_visibility(thinks)
        told = next((spent_text(table, p) for p in (ply, ply - 1) if _made(table, p, side)), "")
        self.time.set_text(waiting_text(table) if thinks else told)
        self._show_taken(table, side, ply)

    def _show_taken(self, table: Table, side: int, ply: int) -> None:
        """Show what a side has taken: figures as text, men as discs of their colour."""
        taken = taken_by(table, side, ply)
        self.taken.set_text(taken.figures)
        colour = side_colour(table.game.sides[1 - side], 1 - side)
        self.men.style(f"--men: {taken.men}; --man: {colour}")
        self.men.set_visibility(taken.men > 0)
        label = f"{taken.men} taken" if taken.men else ""
        self.men.props.update({"aria-label": label, "title": label})


def waiting_text(table: Table) -> str:
    """Return what the one whose turn it is does: being compiled is no thinking."""
    waited = int(time.monotonic() - table.since)
    doing = "compiling" if table.prepares and waited else "thinking"
    return f"{doing} {waited} s" if waited else f"{doing} …"


def spent_text(table: Table, ply: int) -> str:
    """Return how long the move that led to a ply took, with what came before the thinking."""
    thought, before = table.seconds[ply], table.prepared.get(ply, 0.0)
    if before >= LEAST_COMPILING:
        return f"compiled in {before:.0f} s, thought {seconds_text(thought)}"
    return "" if thought < LEAST_SECONDS else seconds_text(thought)


def _made(table: Table, ply: int, side: int) -> bool:
    """Tell whether the move that led to a ply was this side's, and timed."""
    return ply in table.seconds and table.game.side(table.match.states[ply - 1]) == side


def seconds_text(seconds: float) -> str:
    """Return a time in a few characters."""
    if seconds < 0.0095:
        return f"{1000 * seconds:.1f} ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 0.95 else f"{seconds:.1f} s"
