"""What a side has taken from the other, told beside its name."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from evoboard.games.view import Piece, View
from evoboard.web.table import Table

CHESS = "♟♙♞♘♝♗♜♖♛♕♚♔"
FILLED = str.maketrans("♙♘♗♖♕♔", "♟♞♝♜♛♚")


class Taken(NamedTuple):
    """What was taken: chess figures as text, or how many men of another game."""

    figures: str = ""
    men: int = 0


def taken_by(table: Table, side: int, ply: int) -> Taken:
    """Return the pieces a side has taken by a ply."""
    if not 0 < ply <= table.ply:
        return Taken()
    return missing(table.view(0), table.view(ply), 1 - side)


def missing(first: View, now: View, side: int) -> Taken:
    """Return what a side had in the first position and has no longer."""
    if first.board.shape != "square":
        return Taken()
    had, has = _pieces(first, side), _pieces(now, side)
    lost = had.total() - has.total()
    if lost <= 0:
        return Taken()
    gone = sorted((had - has).elements(), key=CHESS.find)
    if gone[0] not in CHESS:
        return Taken(men=lost)
    # Pawns that were promoted, the first in this order, are missing without having been taken.
    return Taken("".join(gone[-lost:]).translate(FILLED))


def _pieces(view: View, side: int) -> Counter[str]:
    return Counter(_kind(piece) for piece in view.pieces if piece.side == side)


def _kind(piece: Piece) -> str:
    return piece.glyph or piece.symbol
