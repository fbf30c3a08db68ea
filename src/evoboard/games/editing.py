"""Positions set up by hand: pieces on cells, written as the game's own text, judged by the game.

A game's file may define EDITOR, an `Editor`; without one, positions can only be written. Whether a
position is possible only `Game.parse_state` says; here is no more than what is worth asking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evoboard.core.arrays import Array
from evoboard.games.view import Piece

if TYPE_CHECKING:
    from evoboard.games.base import Game

Pieces = Mapping[int, Piece]
ERASER = Piece(-1, "", -1)


@dataclass(frozen=True)
class Detail:
    """Something that the pieces do not show, true or not; `alone`: of these, one at most is."""

    key: str
    label: str
    usual: bool = False
    alone: bool = False


Answers = Mapping[str, bool]  # by the keys of details


def _no_details(pieces: Pieces, side: int) -> tuple[Detail, ...]:
    return ()


def _no_answers(text: str) -> dict[str, bool]:
    return {}


@dataclass(frozen=True)
class Editor:
    """How positions of one game are put together.

    `palette`: the pieces one can place. `text(game, pieces, side, answers)` writes the position.
    `counted`: several may stand on one cell, and each click adds one. `details(pieces, side)`: what
    else can be chosen in a position, and `answers(text)` what a position's text says of it.
    """

    palette: tuple[Piece, ...]
    text: Callable[[Game, Pieces, int, Answers], str]
    counted: bool = False
    details: Callable[[Pieces, int], tuple[Detail, ...]] = _no_details
    answers: Callable[[str], dict[str, bool]] = _no_answers


def answered(answers: Answers, detail: Detail, details: Sequence[Detail], on: bool) -> Answers:
    """Return the answers after one was given; it takes back those it cannot stand beside."""
    others = [d.key for d in details if on and detail.alone and d.alone]
    return {**answers, **dict.fromkeys(others, False), detail.key: on}


def pieces_of(game: Game, state: Array) -> dict[int, Piece]:
    """Return the pieces of a position by cell."""
    return {piece.cell: piece for piece in game.view(state).pieces}


def placed(editor: Editor, pieces: Pieces, cell: int, piece: Piece) -> dict[int, Piece]:
    """Return the pieces after a click on a cell with a piece (or the eraser) in hand."""
    changed, here = dict(pieces), pieces.get(cell)
    if not editor.counted:
        changed.pop(cell, None)
        same = here is not None and (here.symbol, here.side) == (piece.symbol, piece.side)
        if piece.symbol and not same:
            changed[cell] = replace(piece, cell=cell)
        return changed
    if not piece.symbol:
        if here is not None and here.count > 1:
            changed[cell] = replace(here, count=here.count - 1)
        else:
            changed.pop(cell, None)
    elif here is not None and here.side == piece.side:
        changed[cell] = replace(here, count=here.count + 1)
    else:
        changed[cell] = replace(piece, cell=cell, count=1)
    return changed


def carried(pieces: Pieces, source: int, target: int) -> dict[int, Piece]:
    """Return the pieces after one was dragged to another cell, or off the board (-1)."""
    changed = dict(pieces)
    piece = changed.pop(source, None)
    if piece is not None and target >= 0:
        changed[target] = replace(piece, cell=target)
    return changed


def letters(pieces: Pieces) -> dict[int, str]:
    """Return the pieces by cell as FEN has them: side 0's in capitals."""
    return {
        cell: piece.symbol.lower() if piece.side else piece.symbol.upper()
        for cell, piece in pieces.items()
    }


def figures(symbols: str, first: str, second: str) -> tuple[Piece, ...]:
    """Return a palette of both sides' pieces, as letters and as what people see, and the eraser."""
    rows = (zip(symbols, first, strict=True), zip(symbols, second, strict=True))
    placed = (
        Piece(-1, symbol, side, 1, glyph) for side, row in enumerate(rows) for symbol, glyph in row
    )
    return (*placed, ERASER)
