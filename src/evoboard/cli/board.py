"""Draw any game's view in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evoboard.games.view import Piece, View

_SIDE_STYLE = ("bold bright_white", "bold bright_red")
_MARK_STYLE = " on red"


def draw(view: View, console: Console) -> None:
    """Print the position; side 0 in upper case, side 1 in lower case and another colour."""
    for line in {"square": _square, "hex": _hex, "heaps": _heaps}[view.board.shape](view):
        console.print(line)


def _square(view: View) -> list[Text]:
    board, pieces = view.board, {piece.cell: piece for piece in view.pieces}
    lines = []
    for y in reversed(range(board.height)):
        line = Text(f"{y + 1:>3} ", style="dim")
        for x in range(board.width):
            cell = y * board.width + x
            line.append(
                f" {_letter(pieces.get(cell), cell in board.dark or not board.dark)} ",
                _style(view, pieces.get(cell), cell),
            )
        lines.append(line)
    files = "".join(f" {chr(97 + x)} " for x in range(board.width)) if board.width <= 26 else ""
    return [*lines, Text("    " + files, style="dim")]


def _letter(piece: Piece | None, dark: bool) -> str:
    if piece is None:
        return "·" if dark else " "
    return piece.symbol.lower() if piece.side == 1 else piece.symbol.upper()


def _style(view: View, piece: Piece | None, cell: int) -> str:
    style = (
        _SIDE_STYLE[piece.side] if piece and piece.side >= 0 else "dim" if piece is None else "bold"
    )
    return style + (_MARK_STYLE if cell in view.marks else "")


def _hex(view: View) -> list[Text]:
    board, pieces = view.board, {piece.cell: piece for piece in view.pieces}
    lines = []
    for y in reversed(range(board.height)):
        shift = y if board.slant else y % 2
        line = Text(f"{y:>3} " + "   " * shift, style="dim")
        for x in range(board.width):
            cell = y * board.width + x
            piece = pieces.get(cell)
            text = "·" if piece is None else f"{view.sides[piece.side][0]}{piece.count}"
            line.append(f"{text:^6}", _style(view, piece, cell))
        lines.append(line)
    return [*lines, Text("    " + "".join(f"{x:^6}" for x in range(board.width)), style="dim")]


def _heaps(view: View) -> list[Text]:
    counts = {piece.cell: piece.count for piece in view.pieces}
    lines = []
    for cell, name in enumerate(view.board.names):
        count = counts.get(cell, 0)
        line = Text(f"{name:>3} ", style="dim")
        line.append("|" * min(count, 60) + ("…" if count > 60 else ""), "bold yellow")
        lines.append(line.append(f" {count}", "dim"))
    return lines
