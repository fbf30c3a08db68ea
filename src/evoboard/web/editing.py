"""Positions set up by hand: pieces on cells, written as the game's own text, judged by the game.

Whether a position is possible only `Game.parse_state` says; nothing here knows a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from evoboard.games.base import Game
from evoboard.games.boards import write_board
from evoboard.games.rules import Array
from evoboard.games.view import Piece

Pieces = Mapping[int, Piece]
ERASER = Piece(-1, "", -1)


@dataclass(frozen=True)
class Editor:
    """How positions of one game are put together.

    `palette`: the pieces one can place. `counted`: several may stand on one cell, and each click
    adds one. `text(game, pieces, side)` writes the position.
    """

    palette: tuple[Piece, ...]
    text: Callable[[Game, Pieces, int], str]
    counted: bool = False


def editor_for(game: Game) -> Editor | None:
    """Return the game's editor, None where a position can only be written."""
    return EDITORS.get(game.name) if game.built_in else None


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


def _letters(pieces: Pieces) -> dict[int, str]:
    return {
        cell: piece.symbol.lower() if piece.side else piece.symbol.upper()
        for cell, piece in pieces.items()
    }


def _fen(game: Game, pieces: Pieces, side: int) -> str:
    return f"{write_board(_letters(pieces), 6, 6)} {'wb'[side]}"


def _chess(game: Game, pieces: Pieces, side: int) -> str:
    """Castling is allowed wherever king and rook stand at home."""
    letters = _letters(pieces)
    homes = (("K", 4, 7), ("Q", 4, 0), ("k", 60, 63), ("q", 60, 56))
    rights = "".join(
        letter
        for letter, king, rook in homes
        if letters.get(king) == ("K" if letter.isupper() else "k")
        and letters.get(rook) == ("R" if letter.isupper() else "r")
    )
    return f"{write_board(letters, 8, 8)} {'wb'[side]} {rights or '-'} - 0 1"


def _draughts(game: Game, pieces: Pieces, side: int) -> str:
    names = game.view(game.initial()).board.names
    lists: tuple[list[str], list[str]] = ([], [])
    for cell, piece in pieces.items():
        lists[piece.side].append(f"{'K' if piece.symbol == 'k' else ''}{names[cell] or '0'}")
    return f"{'BW'[side]}:W{','.join(lists[1])}:B{','.join(lists[0])}"


def _hexwar(game: Game, pieces: Pieces, side: int) -> str:
    counts = [0] * 25
    for cell, piece in pieces.items():
        counts[cell] = -piece.count if piece.side else piece.count
    rows = [",".join(map(str, counts[y : y + 5])) for y in range(0, 25, 5)]
    return f"{'/'.join(rows)} {'br'[side]}"


def _nim(game: Game, pieces: Pieces, side: int) -> str:
    heaps = game.view(game.initial()).board.width
    return f"{','.join(str(pieces[h].count if h in pieces else 0) for h in range(heaps))} {side}"


def _figures(symbols: str, first: str, second: str) -> tuple[Piece, ...]:
    rows = (zip(symbols, first, strict=True), zip(symbols, second, strict=True))
    return (
        *(
            Piece(-1, symbol, side, 1, glyph)
            for side, row in enumerate(rows)
            for symbol, glyph in row
        ),
        ERASER,
    )


EDITORS = {
    "chess": Editor(_figures("KQRBNP", "♔♕♖♗♘♙", "♚♛♜♝♞♟"), _chess),
    "kingcapture": Editor(_figures("KRBNP", "♔♖♗♘♙", "♚♜♝♞♟"), _fen),
    "draughts": Editor(_figures("mk", "⛂⛃", "⛀⛁"), _draughts),
    "hexwar": Editor((Piece(-1, "B", 0), Piece(-1, "R", 1), ERASER), _hexwar, counted=True),
    "nim": Editor((Piece(-1, "|", -1), ERASER), _nim, counted=True),
}
