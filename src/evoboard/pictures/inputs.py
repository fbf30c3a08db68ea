"""Where a network's inputs lie: on the board, where there is one input per square; else in a list.

Inputs that are squares are found out (`encoders.board_inputs`). Windows of the board, such as
those of the encoder subsquares, are known by their names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import ceil, sqrt
from typing import Any, Literal

from evoboard.encoders.base import Encoder
from evoboard.encoders.board_inputs import find_planes, numbered
from evoboard.games.base import Game
from evoboard.games.view import Board

LONGEST_LIST = 24
HEX_ROW = sqrt(3) / 2  # the distance of rows, cells being 1 wide
GAP = 0.7  # between two boards
WINDOW = re.compile(r"(\d+)×\1, rows (\d+) to \d+, columns (\d+) to \d+")


@dataclass
class Arrangement:
    """A place for every input, in units of one cell, x to the right and y downwards.

    `shape`: "square" and "hex" cells, "list" (one below the other, with names), "grid" (many
    without a board). `cells`: the board's cell of every input, -1 for none. `blank`: places of a
    board without an input; `dark`: inputs on darker squares; `titles`: (text, x, y) above boards.
    `squares`: the board that the inputs are windows of, with a place for every square, and
    `windows`: the inputs that hold each of them.
    """

    shape: Literal["square", "hex", "list", "grid"]
    names: list[str]
    places: list[tuple[float, float]]
    cells: list[int]
    width: float
    height: float
    blank: list[tuple[float, float]] = field(default_factory=list)
    dark: list[int] = field(default_factory=list)
    titles: list[tuple[str, float, float]] = field(default_factory=list)
    squares: Arrangement | None = None
    windows: list[list[int]] = field(default_factory=list)

    @property
    def on_board(self) -> bool:
        """Tell whether inputs are squares of the board, or windows of it."""
        return self.shape in ("square", "hex") or self.squares is not None

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def arrange_inputs(game: Game, encoder: Encoder) -> Arrangement:
    """Return where the inputs of a network lie."""
    board = game.view(game.initial()).board
    inputs = encoder.inputs
    cells, titles = find_planes(game, encoder)
    if not titles or (len(titles) > 1 and board.shape == "heaps"):
        found = [WINDOW.fullmatch(name) for name in encoder.names]
        if found and board.shape == "square" and all(found):
            places = [tuple(map(int, window.groups())) for window in found if window]
            return _windows(board, cells, list(encoder.names), places)
        return _without_board(list(encoder.names) or numbered(0, inputs))
    if board.shape == "heaps":
        names = [f"heap {name}" for name in board.names]
        more = numbered(len(cells), inputs)
        return _listed([*names, *more], [*cells, *[-1] * len(more)])
    return _on_boards(board, cells, inputs, titles)


def _on_boards(
    board: Board, cells: Sequence[int], inputs: int, titles: Sequence[str]
) -> Arrangement:
    planes = len(titles)
    places, wide, high = _places(board)
    names = [board.names[cell] for cell in cells]
    blank = [places[cell] for cell in range(len(places)) if cell not in set(cells)]
    dark = set(board.dark)
    columns = 1 if planes == 1 else ceil(sqrt(planes))
    made = Arrangement("hex" if board.shape == "hex" else "square", [], [], [], 0.0, 0.0)
    for plane in range(planes):
        left = plane % columns * (wide + GAP)
        top = plane // columns * (high + GAP)
        made.dark += [plane * len(cells) + i for i, cell in enumerate(cells) if cell in dark]
        made.names += names if planes == 1 else [f"{name}, {titles[plane]}" for name in names]
        made.places += [(left + places[cell][0], top + places[cell][1]) for cell in cells]
        made.blank += [(left + x, top + y) for x, y in blank]
        made.cells += cells
        if planes > 1:
            made.titles.append((titles[plane], left, top))
    lines = ceil(planes / columns)
    made.width = columns * wide + (columns - 1) * GAP
    made.height = lines * high + (lines - 1) * GAP
    _add_extras(made, numbered(len(made.places), inputs))
    return made


def _windows(
    board: Board, cells: Sequence[int], names: list[str], places: Sequence[tuple[int, ...]]
) -> Arrangement:
    """Return windows (size, first row, first column) by their sizes, and the board below them.

    Rows and columns are counted from 1, from the upper left corner.
    """
    made = Arrangement("grid", names, [(0.0, 0.0)] * len(names), [-1] * len(names), 0.0, 0.0)
    for size in sorted({place[0] for place in places}):
        members = {i: place for i, place in enumerate(places) if place[0] == size}
        left = made.width + (GAP if made.width else 0.0)
        for i, (_, row, column) in members.items():
            made.places[i] = (left + column - 1.0, row - 1.0)
        made.width = left + max(column for _, _, column in members.values())
        made.height = max(made.height, *(float(row) for _, row, _ in members.values()))
        made.titles.append((f"{size}×{size}", left, 0.0))
    made.squares = _on_boards(board, cells, len(cells), ("",))
    for x, y in made.squares.places:
        held = [
            i
            for i, (size, row, column) in enumerate(places)
            if row - 1 <= y < row - 1 + size and column - 1 <= x < column - 1 + size
        ]
        made.windows.append(held)
    return made


def _add_extras(made: Arrangement, names: list[str]) -> None:
    """Put inputs that belong to no square below the board."""
    columns = max(1, int(made.width))
    top = made.height + GAP
    for i, name in enumerate(names):
        made.names.append(name)
        made.places.append((float(i % columns), top + i // columns))
        made.cells.append(-1)
    if names:
        made.height = top + ceil(len(names) / columns) + 0.2


def _places(board: Board) -> tuple[list[tuple[float, float]], float, float]:
    """Return the upper left corner of every cell, and the size of the whole."""
    width, height = board.width, board.height
    if board.shape != "hex":
        return (
            [(float(c % width), float(height - 1 - c // width)) for c in range(width * height)],
            float(width),
            float(height),
        )
    shifts = [(row if board.slant else row % 2) / 2 for row in range(height)]
    places = [
        (c % width + shifts[c // width], (height - 1 - c // width) * HEX_ROW)
        for c in range(width * height)
    ]
    return places, width + max(shifts), (height - 1) * HEX_ROW + 1.0


def _without_board(names: list[str]) -> Arrangement:
    inputs = len(names)
    none = [-1] * inputs
    if inputs <= LONGEST_LIST:
        return _listed(names, none)
    columns = ceil(sqrt(inputs))
    places = [(float(i % columns), float(i // columns)) for i in range(inputs)]
    return Arrangement("grid", names, places, none, columns, ceil(inputs / columns))


def _listed(names: list[str], cells: list[int]) -> Arrangement:
    places = [(0.0, float(i)) for i in range(len(names))]
    return Arrangement("list", names, places, cells, 1.0, float(len(names)))
