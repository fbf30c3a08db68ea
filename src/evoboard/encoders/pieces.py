"""pieces: by kind and square, 1 for an own piece and -1 for the other side's.

A square is where its piece's owner sees it, so that either side's pawns go up the board: a position
and the same one with the sides exchanged look alike, and one number is what a piece on a square is
worth to whoever has it. Several pieces on one square count as so many. At last, by kind, all pieces
together (in tens where a square holds several): what a kind is worth anywhere is one number, which
is learned long before those of its squares.

    kingcapture  5 × 36 + 5: P R N B K
    chess        6 × 64 + 6: P N B R Q K
    draughts     2 × 32 + 2: men, kings
    others       every game that keeps its pieces in cells, as `board_cells` finds out

`apart=true` keeps the sides apart: first the boards of the own pieces, then those of the other
side's, all of them 1 and as the side to move sees the squares. A network with hidden nodes can tell
from these what stands next to what.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest
from evoboard.core.link import with_constants
from evoboard.core.settings import Settings
from evoboard.encoders.base import Encoder
from evoboard.encoders.board_cells import find_board_cells
from evoboard.games.base import Game
from evoboard.games.chess import BLACK as CHESS_BLACK
from evoboard.games.chess import BOARD as CHESS_BOARD
from evoboard.games.draughts import KINGS, SQUARE_BIT
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE, TENTH = F(0), F(1), F(1 / 10)

# Draughts' squares by their bits.
BIT_SQUARE = np.full(64, -1, np.int64)
BIT_SQUARE[SQUARE_BIT] = np.arange(32)

# Constants of the kernels below; those of a game are put in their place.
KINDS, CELLS, SQUARES, LOW, VALUES, APART = 1, 1, 1, 0, 1, 0
BOARDS = 1  # as many sums follow
FIRST = 0  # the first input to be cleared: where they are listed, that of the sums
KIND = np.zeros(1, np.int64)
AMOUNT = np.zeros(1, np.int64)
TURNED = np.zeros(1, np.int64)  # by cell: where side 1 sees it
UNIT = ONE  # of the sums


class Options(Settings):
    """How the sides are told apart."""

    apart: bool = Field(
        False, description="one board for the own pieces, another for the other side's"
    )


class Walk(NamedTuple):
    """How a game's pieces are found: a kernel, complete but for `note`, which it calls for each.

    `most` pieces are on the board at most; `unit` is what their sums are multiplied by.
    """

    kernel: Any
    kinds: tuple[str, ...]
    squares: tuple[str, ...]
    most: int
    unit: F = ONE

    @property
    def sizes(self) -> dict[str, Any]:
        """The constants of what `note` does."""
        return {"KINDS": len(self.kinds), "SQUARES": len(self.squares)}


def encoder_for(game: Game, options: Options) -> Encoder | None:
    """Return the encoder of a game whose pieces stand on squares, None for others."""
    found = pieces_of(game, options.apart)
    if found is None:
        return None
    kernel, names, listed = found
    return Encoder("pieces", len(names), kernel, "mover", names, listed=listed)


def pieces_of(game: Game, apart: bool) -> tuple[Any, tuple[str, ...], Any] | None:
    """Return the kernel of a game, the names of its inputs and the kernel that lists them.

    None for other games; there is no such list where it would not fit beside the sums.
    """
    walk = walk_of(game)
    if walk is None:
        return None
    sides = ("own ", "other ") if apart else ("",)
    names = [f"{s}{kind} {square}" for s in sides for kind in walk.kinds for square in walk.squares]
    names += [f"{s}{kind} in all" for s in sides for kind in walk.kinds]
    boards = len(sides) * len(walk.kinds)
    sums = boards * len(walk.squares)
    constants = {**walk.sizes, "APART": int(apart), "BOARDS": boards, "UNIT": walk.unit}

    def kernel(put: Any, first: int) -> Any:
        note = with_constants(note_piece, put=put, **constants)
        walked = with_constants(walk.kernel, note=note)
        return with_constants(write_pieces, walk=walked, put=put, FIRST=first, **constants)

    # A list of everything must end before the sums begin, which are read while it is written.
    fits = 2 * (walk.most + boards) <= sums
    return kernel(add_input, 0), tuple(names), kernel(list_input, sums) if fits else None


def walk_of(game: Game) -> Walk | None:
    """Return how the pieces of a game are found, None if they stand on no squares."""
    if game.name == "chess":
        return Walk(walk_chess, tuple("PNBRQK"), CHESS_BOARD.names, 32)
    if game.name == "draughts":
        squares = tuple(str(square) for square in range(1, 33))
        return Walk(walk_draughts, ("man", "king"), squares, 24)
    board = find_board_cells(game)
    if board is None:
        return None
    tables = {"LOW": board.low, "KIND": board.kind, "AMOUNT": board.amount}
    sizes = {"CELLS": len(board.names), "VALUES": len(board.kind), "TURNED": board.places[1]}
    kernel = with_constants(walk_cells, **tables, **sizes)
    unit = ONE if np.abs(board.amount).max() <= 1 else TENTH
    return Walk(kernel, board.kinds, board.names, len(board.names), unit)


def write_pieces(state: Array, out: Array) -> int:
    """Write the pieces, then the sums; return how many pairs were listed."""
    sums = BOARDS * SQUARES
    for i in range(FIRST, sums + BOARDS):
        out[i] = ZERO
    count = walk(state, out)
    # Whole numbers until now, so that the order of the pieces changes nothing.
    for i in range(sums, sums + BOARDS):
        out[i] *= UNIT
        if FIRST > 0 and out[i] != ZERO:
            count = put(out, count, i, out[i])
    return count


def walk(state: Array, out: Array) -> int:  # type: ignore[empty-body]
    """Call `note` for every piece; the kernel of the game is put in its place."""


def walk_cells(state: Array, out: Array) -> int:
    """Note the pieces of a board that is kept in cells."""
    count = 0
    for cell in range(CELLS):
        value = state[cell] - LOW
        if value < 0 or value >= VALUES or AMOUNT[value] == 0:
            continue
        amount = AMOUNT[value]
        owner = 0 if amount > 0 else 1
        amount = amount if owner == 0 else -amount
        count = note(out, count, KIND[value], owner, state[TURN], cell, TURNED[cell], F(amount))
    return count


def walk_chess(state: Array, out: Array) -> int:
    """Note the pieces kind by kind."""
    count, side, black = 0, state[TURN], state[CHESS_BLACK]
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - 1
            count = note(out, count, kind, black >> square & 1, side, square, square ^ 56, ONE)
    return count


def walk_draughts(state: Array, out: Array) -> int:
    """Note Black's pieces, then White's."""
    count, side, kings = 0, state[TURN], state[KINGS]
    for owner in range(2):
        pieces = state[owner]
        while pieces:
            bit = lowest(pieces)
            pieces &= pieces - 1
            square = BIT_SQUARE[bit]
            count = note(out, count, kings >> bit & 1, owner, side, square, 31 - square, ONE)
    return count


def note(  # type: ignore[empty-body]
    out: Array, count: int, kind: int, owner: int, side: int, here: int, turned: int, amount: F
) -> int:
    """Take in a piece of `owner`, on the square `here` for side 0 and `turned` for side 1.

    `side` is to move. What an encoder makes of the piece is put in the place of this.
    """


def note_piece(
    out: Array, count: int, kind: int, owner: int, side: int, here: int, turned: int, amount: F
) -> int:
    """Put a piece on its board, and add it to the sum of its kind; return the new count."""
    seer = owner
    if APART:
        kind, seer = kind + (0 if owner == side else KINDS), side
    elif owner != side:
        amount = -amount
    out[BOARDS * SQUARES + kind] += amount
    return put(out, count, kind * SQUARES + (here if seer == 0 else turned), amount)


def put(out: Array, count: int, place: int, amount: F) -> int:  # type: ignore[empty-body]
    """Put an input in its place; one of the next two is put in the place of this."""


def add_input(out: Array, count: int, place: int, amount: F) -> int:
    """Add an amount to an input."""
    out[place] += amount
    return count


def list_input(out: Array, count: int, place: int, amount: F) -> int:
    """Append a pair of a place and an amount; return the new count."""
    out[2 * count], out[2 * count + 1] = F(place), amount
    return count + 1
