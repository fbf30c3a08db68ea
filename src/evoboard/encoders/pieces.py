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

from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest
from evoboard.core.settings import Settings
from evoboard.encoders.base import Encoder
from evoboard.encoders.board_cells import find_board_cells
from evoboard.encoders.rebind import with_constants
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

# Constants of `cell_pieces`; `pieces_of` puts those of a game in their place.
KINDS, SQUARES, LOW, VALUES, APART = 1, 1, 0, 1, 0
KIND = np.zeros(1, np.int64)
AMOUNT = np.zeros(1, np.int64)
PLACES = np.zeros((2, 1), np.int64)
UNIT = ONE  # of the sums


class Options(Settings):
    """How the sides are told apart."""

    apart: bool = Field(False, description="own pieces and the other side's on boards of their own")


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
    sides = ("own ", "other ") if apart else ("",)
    constants: dict[str, Any] = {"APART": int(apart)}
    if game.name == "chess":
        kernel, kinds, squares = chess_pieces, tuple("PNBRQK"), CHESS_BOARD.names
        listed, most = list_chess_pieces, 32
    elif game.name == "draughts":
        kernel, kinds = draughts_pieces, ("man", "king")
        squares = tuple(str(square) for square in range(1, 33))
        listed, most = list_draughts_pieces, 24
    else:
        board = find_board_cells(game)
        if board is None:
            return None
        kernel, kinds, squares = cell_pieces, board.kinds, board.names
        constants |= {"KINDS": len(kinds), "SQUARES": len(squares), "LOW": board.low}
        constants |= {"VALUES": len(board.kind), "KIND": board.kind, "AMOUNT": board.amount}
        constants |= {"PLACES": board.places}
        constants |= {"UNIT": ONE if np.abs(board.amount).max() <= 1 else TENTH}
        listed, most = list_cell_pieces, len(squares)
    names = [f"{s}{kind} {square}" for s in sides for kind in kinds for square in squares]
    names += [f"{s}{kind} in all" for s in sides for kind in kinds]
    sums = len(sides) * len(kinds)
    # A list of everything must end before the sums begin, which are read while it is written.
    fits = 2 * (most + sums) <= sums * len(squares)
    made = with_constants(listed, **constants) if fits else None
    return with_constants(kernel, **constants), tuple(names), made


def list_cell_pieces(state: Array, out: Array) -> int:
    """List what `cell_pieces` writes."""
    sums, side, count = (1 + APART) * KINDS * SQUARES, state[TURN], 0
    for i in range(sums, sums + (1 + APART) * KINDS):
        out[i] = ZERO
    for cell in range(SQUARES):
        value = state[cell] - LOW
        if value < 0 or value >= VALUES or AMOUNT[value] == 0:
            continue
        owner = 0 if AMOUNT[value] > 0 else 1
        amount = F(AMOUNT[value] if owner == 0 else -AMOUNT[value])
        kind, seer = KIND[value], owner
        if APART:
            kind, seer = kind + (0 if owner == side else KINDS), side
        elif owner != side:
            amount = -amount
        count = _list_piece(out, count, kind * SQUARES + PLACES[seer, cell], sums + kind, amount)
    return _list_sums(out, count, sums, (1 + APART) * KINDS, UNIT)


def list_chess_pieces(state: Array, out: Array) -> int:
    """List what `chess_pieces` writes."""
    sums, side, black, count = (1 + APART) * 384, state[TURN], state[CHESS_BLACK], 0
    for i in range(sums, sums + (1 + APART) * 6):
        out[i] = ZERO
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - 1
            owner = black >> square & 1
            if APART:
                board = kind + (0 if owner == side else 6)
                place = board * 64 + (square ^ 56 * side)
                count = _list_piece(out, count, place, sums + board, ONE)
            else:
                place, amount = kind * 64 + (square ^ 56 * owner), ONE if owner == side else -ONE
                count = _list_piece(out, count, place, sums + kind, amount)
    return _list_sums(out, count, sums, (1 + APART) * 6, ONE)


def list_draughts_pieces(state: Array, out: Array) -> int:
    """List what `draughts_pieces` writes."""
    sums, side, kings, count = (1 + APART) * 64, state[TURN], state[KINGS], 0
    for i in range(sums, sums + (1 + APART) * 2):
        out[i] = ZERO
    for owner in range(2):
        pieces = state[owner]
        while pieces:
            bit = lowest(pieces)
            pieces &= pieces - 1
            square, kind = BIT_SQUARE[bit], kings >> bit & 1
            if APART:
                board = kind + (0 if owner == side else 2)
                place = board * 32 + (square if side == 0 else 31 - square)
                count = _list_piece(out, count, place, sums + board, ONE)
            else:
                place = kind * 32 + (square if owner == 0 else 31 - square)
                amount = ONE if owner == side else -ONE
                count = _list_piece(out, count, place, sums + kind, amount)
    return _list_sums(out, count, sums, (1 + APART) * 2, ONE)


def _list_piece(out: Array, count: int, place: int, total: int, amount: F) -> int:
    """Append a piece, and add it to the sum of its kind; return the new count."""
    out[2 * count], out[2 * count + 1] = F(place), amount
    out[total] += amount
    return count + 1


def _list_sums(out: Array, count: int, sums: int, kinds: int, unit: F) -> int:
    """Append the sums that are not 0; return the new count."""
    for i in range(sums, sums + kinds):
        total = out[i] * unit
        if total != ZERO:
            out[2 * count], out[2 * count + 1] = F(i), total
            count += 1
    return count


def cell_pieces(state: Array, out: Array) -> None:
    """Write the pieces of a board that is kept in cells."""
    sums = (1 + APART) * KINDS * SQUARES
    for i in range(sums + (1 + APART) * KINDS):
        out[i] = ZERO
    side = state[TURN]
    for cell in range(SQUARES):
        value = state[cell] - LOW
        if value < 0 or value >= VALUES or AMOUNT[value] == 0:
            continue
        owner = 0 if AMOUNT[value] > 0 else 1
        amount = F(AMOUNT[value] if owner == side else -AMOUNT[value])
        if owner == 1:
            amount = -amount
        kind, seer = KIND[value], owner
        if APART:
            kind, seer = kind + (0 if owner == side else KINDS), side
            amount = amount if owner == side else -amount
        out[kind * SQUARES + PLACES[seer, cell]] += amount
        out[sums + kind] += amount
    # Whole numbers until now, so that the order of the cells changes nothing.
    for i in range(sums, sums + (1 + APART) * KINDS):
        out[i] *= UNIT


def chess_pieces(state: Array, out: Array) -> None:
    """Write the pieces; Black sees the board upside down."""
    sums = (1 + APART) * 384
    for i in range(sums + (1 + APART) * 6):
        out[i] = ZERO
    side, black = state[TURN], state[CHESS_BLACK]
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - 1
            owner = black >> square & 1
            if APART:
                board = kind + (0 if owner == side else 6)
                out[board * 64 + (square ^ 56 * side)] = ONE
                out[sums + board] += ONE
            else:
                amount = ONE if owner == side else -ONE
                out[kind * 64 + (square ^ 56 * owner)] += amount
                out[sums + kind] += amount


def draughts_pieces(state: Array, out: Array) -> None:
    """Write men and kings; White sees the board turned round."""
    sums = (1 + APART) * 64
    for i in range(sums + (1 + APART) * 2):
        out[i] = ZERO
    side, kings = state[TURN], state[KINGS]
    for square in range(32):
        bit = SQUARE_BIT[square]
        taken = (state[0] >> bit & 1) + 2 * (state[1] >> bit & 1)
        if taken == 0:
            continue
        owner = taken - 1
        kind = kings >> bit & 1
        if APART:
            board = kind + (0 if owner == side else 2)
            out[board * 32 + (square if side == 0 else 31 - square)] = ONE
            out[sums + board] += ONE
        else:
            amount = ONE if owner == side else -ONE
            out[kind * 32 + (square if owner == 0 else 31 - square)] += amount
            out[sums + kind] += amount
