"""What a side has taken from the other, told beside its name."""

from __future__ import annotations

from collections import Counter

from evoboard.games.view import Piece, View
from evoboard.web.table import Table

CHESS = "♟♙♞♘♝♗♜♖♛♕♚♔"
FILLED = str.maketrans("♙♘♗♖♕♔", "♟♞♝♜♛♚")


def taken_text(table: Table, side: int, ply: int) -> str:
    """Return the pieces a side has taken by a ply: figures in chess, else how many."""
    if not 0 < ply <= table.ply:
        return ""
    return missing_text(table.view(0), table.view(ply), 1 - side)


def missing_text(first: View, now: View, side: int) -> str:
    """Return what a side had in the first position and has no longer."""
    if first.board.shape != "square":
        return ""
    had, has = _pieces(first, side), _pieces(now, side)
    lost = had.total() - has.total()
    if lost <= 0:
        return ""
    gone = sorted((had - has).elements(), key=CHESS.find)
    if gone[0] not in CHESS:
        return f"{lost} taken"
    # Pawns that were promoted, the first in this order, are missing without having been taken.
    return "".join(gone[-lost:]).translate(FILLED)


def _pieces(view: View, side: int) -> Counter[str]:
    return Counter(_kind(piece) for piece in view.pieces if piece.side == side)


def _kind(piece: Piece) -> str:
    return piece.glyph or piece.symbol
