"""What a position looks like, as data: enough for any board to draw it without knowing a rule."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import Any, Literal

Shape = Literal["square", "hex", "heaps"]


@dataclass(frozen=True)
class Board:
    """The empty board. Cell `y * width + x` is column x, row y; row 0 is drawn at the bottom.

    `shape` "hex" draws odd rows half a cell to the right (or, with `slant`, each row half a cell
    further than the one below it); "heaps" draws each cell as a heap of `count` matches.
    `names` holds the text of each cell ("e4"), `dark` the cells of the darker shade.
    """

    shape: Shape
    width: int
    height: int
    names: tuple[str, ...]
    dark: tuple[int, ...] = ()
    slant: bool = False


@dataclass(frozen=True)
class Piece:
    """`count` pieces of one kind on one cell; `symbol` is a letter, `glyph` what a person sees."""

    cell: int
    symbol: str
    side: int
    count: int = 1
    glyph: str = ""


@dataclass(frozen=True)
class MoveLook:
    """How a move is shown and entered: the cells it visits in order, and what it does on the way.

    One cell means "here" (a drop, a production, a heap). `captures` are in the order in which they
    are taken: where there is one for every step, each goes with its step. `amount` is the number a
    person chooses between moves that share their cells; `promotion` the piece symbol they choose.
    `also` are further cells that may be named instead of the last one (a castling king's rook).
    """

    move: int
    text: str
    cells: tuple[int, ...]
    captures: tuple[int, ...] = ()
    promotion: str = ""
    amount: int = 0
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class View:
    """One position: board, pieces, whose turn it is, and how each legal move looks.

    `marks` are cells worth a highlight (a king in check, the squares of a winning line).
    """

    board: Board
    pieces: tuple[Piece, ...]
    moves: tuple[MoveLook, ...]
    side: int
    sides: tuple[str, str]
    marks: tuple[int, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the view as plain dicts, lists, texts and numbers.

        By hand: `dataclasses.asdict`, which copies every number, took a third of a click's time.
        """
        parts = {"pieces": list(map(_fields, self.pieces)), "moves": list(map(_fields, self.moves))}
        return {**vars(self), "board": _fields(self.board), **parts}


def _fields(part: Any) -> Any:
    return dict(vars(part)) if is_dataclass(part) else part


def grid(width: int, height: int, *, checkered: bool = False) -> Board:
    """Return a square board whose cells are named a1, b1, … from the bottom left."""
    names = tuple(f"{chr(97 + x)}{y + 1}" for y in range(height) for x in range(width))
    cells = [(x, y) for y in range(height) for x in range(width)]
    dark = tuple(y * width + x for x, y in cells if (x + y) % 2 == 0) if checkered else ()
    return Board("square", width, height, names, dark)
