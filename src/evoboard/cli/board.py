"""Draw any game's view in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evoboard.games.view import Piece, View

# A side whose name is a colour has it; Black is red, which dark terminals show.
_COLOURS = {
    "white": "bright_white",
    "black": "bright_red",
    "red": "bright_red",
    "blue": "bright_blue",
}
_SIDES = ("bright_white", "bright_red")  # all others
_MARK_STYLE = " on red"
_DARK_STYLE = " on grey23"
ROW = 72  # columns for numbered cells


def draw(view: View, console: Console) -> None:
    """Print the position; side 0 in upper case, side 1 in lower case and another colour."""
    for line in {"square": _square, "hex": _hex, "heaps": _heaps}[view.board.shape](view):
        console.print(line)


def _square(view: View) -> list[Text]:
    board, pieces = view.board, {piece.cell: piece for piece in view.pieces}
    # A board whose squares have numbers for names (draughts) shows them all.
    numbers = any(name.isdigit() for name in board.names)
    if numbers and not board.dark:
        return _cells(view)
    lines = []
    for y in reversed(range(board.height)):
        line = Text("   " if numbers else f"{y + 1:>3} ", style="dim")
        for x in range(board.width):
            cell = y * board.width + x
            piece = pieces.get(cell)
            if numbers:
                line.append(f"{board.names[cell]:>3}", _shade(view, cell))
            letter = _letter(piece, cell in board.dark or not board.dark)
            text = f"{letter} " if numbers else f" {letter} "
            line.append(text, _style(view, piece, cell))
        lines.append(line)
    if numbers:
        told = f"{view.sides[0]} in capitals, {view.sides[1]} in small letters"
        return [*lines, Text(f"    {told}", style="dim")]
    files = "".join(f" {chr(97 + x)} " for x in range(board.width)) if board.width <= 26 else ""
    return [*lines, Text("    " + files, style="dim")]


def _cells(view: View) -> list[Text]:
    """Return numbered cells in a row, as of a game that has no view, broken where lines end."""
    pieces = {piece.cell: piece for piece in view.pieces}
    letters = [_letter(pieces.get(cell), True) for cell in range(len(view.board.names))]
    wide = max(map(len, (*letters, *view.board.names))) + 2
    lines = []
    for first in range(0, len(letters), per := max(1, ROW // wide)):
        cells = range(first, min(first + per, len(letters)))
        names, values = Text("cell ", style="dim"), Text("     ")
        for cell in cells:
            names.append(f"{view.board.names[cell]:>{wide}}")
            values.append(f"{letters[cell]:>{wide}}", _style(view, pieces.get(cell), cell))
        lines += [names, values]
    return lines


def _letter(piece: Piece | None, dark: bool) -> str:
    if piece is None:
        return "·" if dark else " "
    return piece.symbol.lower() if piece.side == 1 else piece.symbol.upper()


def _style(view: View, piece: Piece | None, cell: int) -> str:
    if piece is None:
        return "dim" + _shade(view, cell)
    if piece.side < 0:
        return "bold" + _shade(view, cell)
    colour = _COLOURS.get(view.sides[piece.side].lower(), _SIDES[piece.side])
    return f"bold {colour}{_shade(view, cell)}"


def _shade(view: View, cell: int) -> str:
    """Return a square's background, which a terminal without colours leaves out."""
    if cell in view.marks:
        return _MARK_STYLE
    return _DARK_STYLE if cell in view.board.dark and view.board.shape == "square" else ""


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
