"""Positions set up by hand: pieces on cells, written as the game's own text, judged by the game.

Whether a position is possible only `Game.parse_state` says; here is no more than what is worth
asking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.boards import write_board
from evoboard.games.view import Piece

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


def editor_for(game: Game) -> Editor | None:
    """Return the game's editor, None where a position can only be written."""
    return EDITORS.get(game.name) if game.built_in else None


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


def _letters(pieces: Pieces) -> dict[int, str]:
    return {
        cell: piece.symbol.lower() if piece.side else piece.symbol.upper()
        for cell, piece in pieces.items()
    }


def _fen(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    return f"{write_board(_letters(pieces), 6, 6)} {'wb'[side]}"


def _chess(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    found = [
        detail.key
        for detail in _chess_details(pieces, side)
        if answers.get(detail.key, detail.usual)
    ]
    rights = "".join(key for key in found if len(key) == 1)
    skipped = next((key for key in found if len(key) == 2), "-")
    return f"{write_board(_letters(pieces), 8, 8)} {'wb'[side]} {rights or '-'} {skipped} 0 1"


def _chess_details(pieces: Pieces, side: int) -> tuple[Detail, ...]:
    """Castling where king and rook are at home; a pawn's double step where a pawn could take it."""
    letters = _letters(pieces)
    homes = (
        ("K", "White O-O", "KR", 4, 7),
        ("Q", "White O-O-O", "KR", 4, 0),
        ("k", "Black O-O", "kr", 60, 63),
        ("q", "Black O-O-O", "kr", 60, 56),
    )
    castling = [
        Detail(key, label, usual=True)
        for key, label, men, king, rook in homes
        if (letters.get(king), letters.get(rook)) == tuple(men)
    ]
    own, other, row, back = ("P", "p", 32, 8) if side == 0 else ("p", "P", 24, -8)
    passed = [
        cell + back
        for cell in range(row, row + 8)
        if letters.get(cell) == other
        and not {cell + back, cell + 2 * back} & letters.keys()
        and any(letters.get(c) == own and c // 8 == cell // 8 for c in (cell - 1, cell + 1))
    ]
    names = [f"{'abcdefgh'[cell % 8]}{cell // 8 + 1}" for cell in passed]
    return (*castling, *(Detail(name, f"En passant {name}", alone=True) for name in names))


def _chess_answers(fen: str) -> dict[str, bool]:
    rights, skipped = fen.split()[2:4]
    return {**{key: key in rights for key in "KQkq"}, skipped: True}


def _draughts(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    names = game.view(game.initial()).board.names
    lists: tuple[list[str], list[str]] = ([], [])
    for cell, piece in pieces.items():
        lists[piece.side].append(f"{'K' if piece.symbol == 'k' else ''}{names[cell] or '0'}")
    return f"{'BW'[side]}:W{','.join(lists[1])}:B{','.join(lists[0])}"


def _hexwar(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    counts = [0] * 25
    for cell, piece in pieces.items():
        counts[cell] = -piece.count if piece.side else piece.count
    rows = [",".join(map(str, counts[y : y + 5])) for y in range(0, 25, 5)]
    return f"{'/'.join(rows)} {'br'[side]}"


def _nim(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
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
    "chess": Editor(
        _figures("KQRBNP", "♔♕♖♗♘♙", "♚♛♜♝♞♟"),
        _chess,
        details=_chess_details,
        answers=_chess_answers,
    ),
    "kingcapture": Editor(_figures("KRBNP", "♔♖♗♘♙", "♚♜♝♞♟"), _fen),
    "draughts": Editor(_figures("mk", "⛂⛃", "⛀⛁"), _draughts),
    "hexwar": Editor((Piece(-1, "B", 0), Piece(-1, "R", 1), ERASER), _hexwar, counted=True),
    "nim": Editor((Piece(-1, "|", -1), ERASER), _nim, counted=True),
}
