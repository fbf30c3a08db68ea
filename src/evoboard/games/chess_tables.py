"""The geometry of chess on bitboards: what each piece attacks from each square.

A board is an int64 whose bit 8 * rank + file is a square, bit 0 being a1. Sliding pieces use
"kindergarten" multiplication: a product gathers the inner squares of a line in its six highest
bits, which index a table of 8 KB.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import as_signed, bit, lowest, popcount, shift_right

Bits = np.int64  # a board

ALL = as_signed(0xFFFFFFFFFFFFFFFF)
NOT_A, NOT_H = as_signed(0xFEFEFEFEFEFEFEFE), as_signed(0x7F7F7F7F7F7F7F7F)
END_RANKS = as_signed(0xFF000000000000FF)
DARK = as_signed(0xAA55AA55AA55AA55)

_STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
_DIAGONAL = [(1, 1), (-1, -1), (1, -1), (-1, 1)]
_JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def boards(rows: list[int] | list[list[int]]) -> Array:
    """Return boards given as non-negative numbers as an int64 array."""
    return np.array(rows, np.uint64).view(np.int64)


def _reach(square: int, steps: list[tuple[int, int]], far: int = 1) -> int:
    """Return the squares met from `square` in at most `far` of each of the steps."""
    board = 0
    for dx, dy in steps:
        for i in range(1, far + 1):
            x, y = square % 8 + i * dx, square // 8 + i * dy
            if 0 <= x < 8 and 0 <= y < 8:
                board |= 1 << (8 * y + x)
    return board


def _stops(place: int, inner: int) -> list[int]:
    """Return the places of a line that a slider at `place` sees; `inner` holds 1..6 occupied."""
    seen = []
    for step in (1, -1):
        i = place + step
        while 0 <= i < 8:
            seen.append(i)
            if (inner << 1) >> i & 1:
                break
            i += step
    return seen


def _reversed(inner: int) -> int:
    return int(f"{inner:06b}"[::-1], 2)


KNIGHT_STEPS = boards([_reach(s, _JUMPS) for s in range(64)])
KING_STEPS = boards([_reach(s, _STRAIGHT + _DIAGONAL) for s in range(64)])
# Row by side: where its pawns take.
PAWN_TAKES = boards([[_reach(s, [(1, y), (-1, y)]) for s in range(64)] for y in (1, -1)])

# By square: its file, rank, rising and falling diagonal, each without the square itself.
_AXES = (_STRAIGHT[:2], _STRAIGHT[2:], _DIAGONAL[:2], _DIAGONAL[2:])
LINES = boards([[_reach(s, axis, 7) for axis in _AXES] for s in range(64)])
# By a slider's file (for ranks and diagonals) or rank (for files, gathered in reverse order) and
# by the inner squares: what it sees, over the whole board and to be cut down to its line.
_BY_FILE = [
    [sum(0x0101010101010101 << i for i in _stops(x, inner)) for inner in range(64)]
    for x in range(8)
]
_BY_RANK = [
    [sum(0xFF << 8 * i for i in _stops(y, _reversed(inner))) for inner in range(64)]
    for y in range(8)
]
SEEN = boards(_BY_FILE + _BY_RANK)
GATHER = as_signed(0x0202020202020202)
GATHER_FILE = boards([0x0080402010080400 >> x for x in range(8)])


def rook_attacks(square: int, occupied: Bits) -> Bits:
    """Return what a rook on `square` attacks."""
    file, rank = LINES[square, 0], LINES[square, 1]
    up = shift_right((occupied & file) * GATHER_FILE[square & 7], 58)
    across = shift_right((occupied & rank) * GATHER, 58)
    seen: Bits = SEEN[8 + (square >> 3), up] & file | SEEN[square & 7, across] & rank
    return seen


def bishop_attacks(square: int, occupied: Bits) -> Bits:
    """Return what a bishop on `square` attacks."""
    rising, falling = LINES[square, 2], LINES[square, 3]
    up = shift_right((occupied & rising) * GATHER, 58)
    down = shift_right((occupied & falling) * GATHER, 58)
    seen: Bits = SEEN[square & 7, up] & rising | SEEN[square & 7, down] & falling
    return seen


def checks_and_pins(king: int, sliders: Bits, us: Bits, axis: int) -> tuple[Bits, Bits]:
    """Return the paths of checks and of pins by `sliders`, which only our pieces may hide.

    They stand on the king's line number `axis` or the next one. A path holds the squares between
    the king and the slider, and the slider's own.
    """
    checks, pins = np.int64(0), np.int64(0)
    while sliders:
        slider = lowest(sliders)
        line = LINES[king, axis]
        if line & bit(slider) == 0:
            line = LINES[king, axis + 1]
        # As with 1000 - 10 = 990, the difference of two bits fills the squares in between.
        span = bit(slider) - bit(king) if slider > king else bit(king) - bit(slider)
        path = line & (span | bit(slider))
        hiding = popcount(path & us)
        if hiding == 0:
            checks |= path
        elif hiding == 1:
            pins |= path
        sliders &= sliders - 1
    return checks, pins


def pawn_steps(pawns: Bits, pins: Bits, step: int) -> Bits:
    """Return where `pawns` arrive; those on `pins` stay there, and cannot change to another."""
    return shifted(pawns & ~pins, step) | shifted(pawns & pins, step) & pins


def shifted(board: Bits, step: int) -> Bits:
    """Return the board moved by `step` squares, up where it is positive."""
    return board << step if step > 0 else shift_right(board, -step)
