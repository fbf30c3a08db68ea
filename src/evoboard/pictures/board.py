"""A position as an SVG picture: any game's, because only its `View` is looked at."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.view import Board, MoveLook, Piece
from evoboard.pictures.svg import Drawing, Picture

LIGHT, DARK, PLAIN, TILE, FELT = "#f0dcb8", "#b98e68", "#e9d3ab", "#dfe3cf", "#476759"
MOVED, MARKED = "#9bc700", "#e0301e"
HEX_ROW = sqrt(3) / 2  # the distance of rows, cells being 1 wide
# Outlined figures and their filled forms, which look well in both colours.
FILLED = dict(zip("♔♕♖♗♘♙⛀⛁⛂⛃", "♚♛♜♝♞♟●♛●♛", strict=True))
DISCS = "●⛀⛁⛂⛃"
# Sides that are named after a colour: fill and edge.
COLOURS = {
    "white": ("#fdfbf6", "#33302c"),
    "black": ("#3f3b38", "#141312"),
    "blue": ("#3470b3", "#1f4773"),
    "red": ("#c4463a", "#7d281f"),
    "yellow": ("#f0c33c", "#a5801a"),
    "green": ("#4f9d62", "#2d6540"),
}
INK = {"#fdfbf6": "#33302c", "#f0c33c": "#33302c"}  # what is written on a light piece


def draw_board(
    game: Game,
    state: Array,
    *,
    move: int | None = None,
    flipped: bool = False,
    pixels: int = 360,
) -> Picture:
    """Return a picture of a position; `move`: one of its legal moves, shown as an arrow."""
    view = game.view(state)
    title = f"{game.title}: {game.state_text(state)}"
    if view.board.shape == "heaps":
        return _heaps(view.board, view.pieces, pixels, title)
    drawing = Drawing()
    places = _centres(view.board, flipped)
    for cell, (x, y) in enumerate(places):
        _cell(drawing, view.board, cell, x, y)
    for cell in view.marks:
        _highlight(drawing, view.board, *places[cell], MARKED)
    look = next((look for look in view.moves if look.move == move), None)
    for cell in look.cells if look else ():
        _highlight(drawing, view.board, *places[cell], MOVED)
    counted = view.board.shape == "hex"
    for piece in view.pieces:
        _piece(drawing, piece, view.sides, *places[piece.cell], counted)
    if look:
        _arrow(drawing, look, places)
    return drawing.finish(_box(places, view.board), pixels, title)


def _centres(board: Board, flipped: bool) -> list[tuple[float, float]]:
    """Return the middle of every cell, cells being 1 wide; row 0 is at the bottom."""
    width, height = board.width, board.height
    places = []
    for cell in range(width * height):
        column, row = cell % width, cell // width
        if board.shape == "hex":
            shift = (row if board.slant else row % 2) / 2
            places.append((column + shift + 0.5, (height - 1 - row) * HEX_ROW + 0.5))
        else:
            places.append((column + 0.5, height - 0.5 - row))
    if flipped:
        right, low = (max(place[i] for place in places) + 0.5 for i in (0, 1))
        return [(right - x, low - y) for x, y in places]
    return places


def _box(places: list[tuple[float, float]], board: Board) -> tuple[float, float, float, float]:
    edge = 0.6 if board.shape == "hex" else 0.5
    left, top = (min(place[i] for place in places) - edge for i in (0, 1))
    right, low = (max(place[i] for place in places) + edge for i in (0, 1))
    return left, top, right - left, low - top


def _cell(drawing: Drawing, board: Board, cell: int, x: float, y: float) -> None:
    name = board.names[cell] if cell < len(board.names) else ""
    if board.shape == "hex":
        drawing.add("path", d=_hexagon(x, y), fill=TILE, stroke="#767d63", stroke_width=0.025)
        drawing.text(x, y + 0.4, name, 0.14, fill="#3b4128")
        return
    dark = cell in board.dark
    fill = DARK if dark else LIGHT if board.dark else PLAIN
    look: dict[str, str | float] = {} if board.dark else {"stroke": "#7d5f3f", "stroke_width": 0.02}
    drawing.add("rect", x=x - 0.5, y=y - 0.5, width=1, height=1, fill=fill, **look)
    ink = "#38230f" if dark else "#7a5632"
    drawing.text(x - 0.45, y - 0.38, name, 0.15, fill=ink, text_anchor="start")


def _hexagon(x: float, y: float) -> str:
    side = 1 / sqrt(3) - 0.02
    angles = [pi / 3 * i + pi / 6 for i in range(6)]
    corners = (f"{x + side * cos(a):.4g} {y + side * sin(a):.4g}" for a in angles)
    return f"M{'L'.join(corners)}z"


def _highlight(drawing: Drawing, board: Board, x: float, y: float, colour: str) -> None:
    if board.shape == "hex":
        drawing.add("path", d=_hexagon(x, y), fill=colour, fill_opacity=0.35)
    else:
        look: dict[str, str | float] = {"fill": colour, "fill_opacity": 0.35}
        drawing.add("rect", x=x - 0.5, y=y - 0.5, width=1, height=1, **look)


def _piece(
    drawing: Drawing, piece: Piece, sides: tuple[str, str], x: float, y: float, counted: bool
) -> None:
    fill, edge = _colours(piece.side, sides)
    glyph = piece.glyph or piece.symbol
    if counted or glyph in DISCS:
        radius = 0.3 if counted else 0.39
        drawing.add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=edge, stroke_width=0.03)
        king = glyph in "⛁⛃"
        words = str(piece.count) if counted else FILLED[glyph] if king else ""
        ink = "#c08a2e" if king else INK.get(fill, "#ffffff")
        drawing.text(x, y, words, 0.36 if counted else 0.5, fill=ink, font_weight=700)
        return
    figure = FILLED.get(glyph, glyph)
    size = 0.86 if figure in FILLED.values() else 0.6
    look: dict[str, str | float] = {"fill": fill, "stroke": edge, "stroke_width": 0.025}
    drawing.text(x, y + 0.02, figure, size, paint_order="stroke", **look)


def _colours(side: int, sides: tuple[str, str]) -> tuple[str, str]:
    if side < 0:
        return "#d8c8a4", "#8d7a50"
    return COLOURS.get(sides[side].lower(), COLOURS["black" if side else "white"])


def _arrow(drawing: Drawing, look: MoveLook, places: list[tuple[float, float]]) -> None:
    """Draw the way of a move from cell to cell, with a head at its end."""
    way = [places[cell] for cell in look.cells]
    if len(way) < 2:
        return
    (x, y), (u, v) = way[-2], way[-1]
    length = sqrt((u - x) ** 2 + (v - y) ** 2)
    a, b = (u - x) / length, (v - y) / length
    way[-1] = (u - 0.3 * a, v - 0.3 * b)
    path = "L".join(f"{p:.4g} {q:.4g}" for p, q in way)
    look_of: dict[str, str | float] = {"stroke": "#2f7fd0", "stroke_opacity": 0.8}
    drawing.add("path", d=f"M{path}", fill="none", stroke_width=0.09, **look_of)
    (p, q), w = way[-1], 0.14
    corners = [(p - w * b, q + w * a), (p + 0.26 * a, q + 0.26 * b), (p + w * b, q - w * a)]
    head = "L".join(f"{i:.4g} {j:.4g}" for i, j in corners)
    drawing.add("path", d=f"M{head}z", fill="#2f7fd0", fill_opacity=0.8)


def _heaps(board: Board, pieces: tuple[Piece, ...], pixels: int, title: str) -> Picture:
    """Draw each heap as a row of matches with its number."""
    counts = {piece.cell: piece.count for piece in pieces}
    cells = range(board.width * board.height)
    longest = max([7, *counts.values()])
    drawing, height = Drawing(), 1.1 * len(cells) + 0.1
    drawing.add("rect", x=0, y=0, width=1 + 0.34 * longest, height=height, fill=FELT)
    for cell in cells:
        top = 0.1 + 1.1 * cell
        drawing.text(0.45, top + 0.5, str(counts.get(cell, 0)), 0.4, fill="#ffffff")
        for i in range(counts.get(cell, 0)):
            x = 0.95 + 0.34 * i
            drawing.add("rect", x=x, y=top + 0.15, width=0.07, height=0.8, rx=0.02, fill="#ecd3a3")
            drawing.add("ellipse", cx=x + 0.035, cy=top + 0.15, rx=0.07, ry=0.1, fill="#c8402f")
    return drawing.finish((0, 0, 1 + 0.34 * longest, height), pixels, title)
