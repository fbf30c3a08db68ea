"""What stands around a board: who plays a side, how they are doing, the evaluation bar."""

from __future__ import annotations

import time
from collections import Counter
from typing import NamedTuple

from nicegui import ui

from evoboard.games.view import Piece, View
from evoboard.web import theme
from evoboard.web.opponents import short_name
from evoboard.web.session import PERSON, GameSession, Thinking
from evoboard.web.values import seconds_text

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
CHESS = "♟♙♞♘♝♗♜♖♛♕♚♔"
FILLED = str.maketrans("♙♘♗♖♕♔", "♟♞♝♜♛♚")


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
            self.captured = ui.label().classes("taken")
            self.men = ui.element("span").classes("taken-men").props('role="img"')
            ui.element("span").classes("grow")
            self.pulse = ui.element("span").classes("thinking-dot")
            self.time = ui.label().classes("dim small number")

    def show(self, session: GameSession, side: int, ply: int) -> None:
        """Show one side of a session at a ply."""
        name = session.game.sides[side]
        seat = session.seats[side]
        both = session.seats == (PERSON, PERSON)
        known = name if both else "You" if seat == PERSON else short_name(seat)
        self.who.set_text(session.names[side] or known)
        self.side.set_text("" if both and not session.names[side] else name)
        self.disc.style(f"background: {side_colour(name, side)}")
        ended = session.over and ply == session.ply
        turn = not ended and session.tree.side(session.line[ply]) == side
        theme.set_class(self.row, "turn", turn)
        thinks = session.thinking is not None and session.side == side and ply == session.ply
        self.pulse.set_visibility(thinks)
        told = next((spent_text(session, p) for p in (ply, ply - 1) if _made(session, p, side)), "")
        self.time.set_text(waiting_text(session) if thinks else told)
        self._show_captured(session, side, ply)

    def _show_captured(self, session: GameSession, side: int, ply: int) -> None:
        """Show what a side has captured: figures as text, men as discs of their colour."""
        captured = captured_by(session, side, ply)
        self.captured.set_text(captured.figures)
        colour = side_colour(session.game.sides[1 - side], 1 - side)
        self.men.style(f"--men: {captured.men}; --man: {colour}")
        self.men.set_visibility(captured.men > 0)
        label = f"{captured.men} taken" if captured.men else ""
        self.men.props.update({"aria-label": label, "title": label})


class EvaluationBar:
    """The bar beside a board: how much of it a side has, by what is thought of the position."""

    def __init__(self) -> None:
        with ui.element("div").classes("bar").props('role="img"') as self.box:
            self.fill = ui.element("div").classes("bar-fill")
            self.text = ui.label().classes("bar-text")

    def show(
        self, sides: tuple[str, str], share: float, text: str, lower: int, *, on: bool
    ) -> None:
        """Show side 0's share and a value as text; `lower` is the side at the bottom."""
        theme.set_class(self.box, "flipped", lower != 0)
        theme.set_class(self.box, "off", not on)
        self.fill.style(f"height: {100 * share:.1f}%")
        self.text.set_text(text)
        # In the larger part: the other one may be too small for it.
        larger = 0 if share >= 0.5 else 1
        theme.set_class(self.text, "upper", larger != lower)
        theme.set_class(self.text, "pale", is_dark(side_colour(sides[larger], larger)))
        self.box.props["aria-label"] = f"Evaluation for {sides[0]}: {text or 'unknown'}"


def waiting_text(session: GameSession) -> str:
    """Return what the player to move is doing; compiling does not count as thinking."""
    since, prepares = session.thinking or Thinking(time.monotonic(), False)
    waited = int(time.monotonic() - since)
    doing = "compiling" if prepares and waited else "thinking"
    return f"{doing} {waited} s" if waited else f"{doing} …"


def spent_text(session: GameSession, ply: int) -> str:
    """Return how long the move that led to a ply took, with what came before the thinking."""
    node = session.line[ply]
    thought, before = node.seconds or 0.0, node.prepared
    if before >= LEAST_COMPILING:
        return f"compiled in {before:.0f} s, thought {seconds_text(thought)}"
    return "" if thought < LEAST_SECONDS else seconds_text(thought)


def _made(session: GameSession, ply: int, side: int) -> bool:
    """Tell whether the move that led to a ply was this side's, and timed."""
    return (
        ply > 0
        and session.line[ply].seconds is not None
        and session.tree.side(session.line[ply - 1]) == side
    )


class Captured(NamedTuple):
    """What was captured: chess figures as text, or how many men of another game."""

    figures: str = ""
    men: int = 0


def captured_by(session: GameSession, side: int, ply: int) -> Captured:
    """Return the pieces a side has captured by a ply."""
    if not 0 < ply <= session.ply:
        return Captured()
    tree = session.tree
    return missing(tree.view(tree.root), tree.view(session.line[ply]), 1 - side)


def missing(first: View, now: View, side: int) -> Captured:
    """Return what a side had in the first position and has no longer."""
    if first.board.shape != "square":
        return Captured()
    had, has = _pieces(first, side), _pieces(now, side)
    lost = had.total() - has.total()
    if lost <= 0:
        return Captured()
    gone = sorted((had - has).elements(), key=CHESS.find)
    if gone[0] not in CHESS:
        return Captured(men=lost)
    # Pawns that were promoted, the first in this order, are missing without having been captured.
    return Captured("".join(gone[-lost:]).translate(FILLED))


def _pieces(view: View, side: int) -> Counter[str]:
    return Counter(_kind(piece) for piece in view.pieces if piece.side == side)


def _kind(piece: Piece) -> str:
    return piece.glyph or piece.symbol
