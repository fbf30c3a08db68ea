"""chess_features: ten numbers about a chess position, White's minus Black's (paper C, table 1).

    0 material       pawns 1, knights and bishops 3, rooks 5, queens 9
    1 bishop pair    1 with bishops on squares of both colours
    2 doubled pawns  pawns on a file beyond the first
    3 pawn advance   minus the pawns' distances: a pawn on its second rank counts -7, on its
                     seventh -2, as in the paper's formula
    4 mobility       squares that knights, bishops, rooks and queens attack, without an own piece
                     on them and not attacked by the other side; each square once
    5 coordination   for every piece but the king, the own pieces that protect it
    6 isolated       pawns without an own pawn on a neighbouring file
    7 passed         pawns that no pawn of the other side can stop or take on their way
    8 centre         for each of d4, e4, d5, e5 the pieces that attack it
    9 king safety    knights, bishops, rooks and queens that can give check with their next move,
                     or give it now; plus 1 while castling is not forfeited

Attacks are those of the pieces as they stand: pins do not matter, kings and pawns count as
attackers and protectors. The paper says that values are standardised, not how: here each is divided
by its standard deviation, SPREAD, and as swapping colours only changes the signs, the mean is 0.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import as_signed, lowest, popcount, shift_right
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.chess import BISHOP, BLACK, CASTLING, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from evoboard.games.chess_tables import (
    DARK,
    KING_STEPS,
    KNIGHT_STEPS,
    NOT_A,
    NOT_H,
    Bits,
    bishop_attacks,
    rook_attacks,
)

NAMES = (
    "material",
    "bishop pair",
    "doubled pawns",
    "pawn advance",
    "mobility",
    "coordination",
    "isolated pawns",
    "passed pawns",
    "centre",
    "king safety",
)

F = np.float32
# Measured on 24,000 positions of games between weak players: Stockfish of skill levels 0 to 11 with
# 300 nodes a move, after four random plies.
SPREAD = (5.4, 0.46, 0.6, 8.4, 7.7, 3.7, 1.35, 1.2, 2.4, 1.15)
SCALES = np.array([1 / spread for spread in SPREAD], np.float32)

CENTRE = as_signed(0x0000001818000000)
FILE_A = as_signed(0x0101010101010101)
# Ranks whose number from 0 has a 1, a 2 or a 4 in it.
RANKS_1, RANKS_2, RANKS_4 = (
    as_signed(board) for board in (0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000, 0xFFFFFFFF00000000)
)


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder for chess, None for other games."""
    if game.name != "chess":
        return None
    return Encoder("chess_features", 10, encode, "first", NAMES)


def encode(state: Array, out: Array) -> None:
    """Write the ten standardised features."""
    white, black = state[WHITE], state[BLACK]
    white_pawns, black_pawns = state[PAWN] & white, state[PAWN] & black
    w_attacked, w_reached, w_support, w_centre, w_checks = _forces(state, WHITE)
    b_attacked, b_reached, b_support, b_centre, b_checks = _forces(state, BLACK)
    rights = state[CASTLING]
    castling = (1 if rights & 3 else 0) - (1 if rights & 12 else 0)
    mobility = popcount(w_reached & ~white & ~b_attacked)
    mobility -= popcount(b_reached & ~black & ~w_attacked)
    out[0] = F(_material(state, white) - _material(state, black)) * SCALES[0]
    out[1] = F(has_pair(state[BISHOP] & white) - has_pair(state[BISHOP] & black)) * SCALES[1]
    out[2] = F(doubled(white_pawns) - doubled(black_pawns)) * SCALES[2]
    out[3] = F(_ranks(black_pawns) - 9 * popcount(white_pawns) + _ranks(white_pawns)) * SCALES[3]
    out[4] = F(mobility) * SCALES[4]
    out[5] = F(w_support - b_support) * SCALES[5]
    out[6] = F(isolated(white_pawns) - isolated(black_pawns)) * SCALES[6]
    passed = popcount(white_pawns & ~all_below(with_sides(black_pawns)))
    out[7] = F(passed - popcount(black_pawns & ~all_above(with_sides(white_pawns)))) * SCALES[7]
    out[8] = F(w_centre - b_centre) * SCALES[8]
    out[9] = F(w_checks - b_checks + castling) * SCALES[9]


def _forces(state: Array, side: int) -> tuple[Bits, Bits, int, int, int]:
    """Return what a side attacks, what its pieces reach, and its features 5, 8 and 9."""
    own, occupied = state[side], state[WHITE] | state[BLACK]
    target = lowest(state[KING] & ~own)
    line_checks, diagonal_checks = rook_attacks(target, occupied), bishop_attacks(target, occupied)
    protected = own & ~state[KING]
    pawns = own & state[PAWN]
    if side == WHITE:
        west, east = (pawns & NOT_A) << 7, (pawns & NOT_H) << 9
    else:
        west, east = shift_right(pawns & NOT_A, 9), shift_right(pawns & NOT_H, 7)
    steps = KING_STEPS[lowest(own & state[KING])]
    support = popcount(west & protected) + popcount(east & protected) + popcount(steps & protected)
    centre = popcount(west & CENTRE) + popcount(east & CENTRE) + popcount(steps & CENTRE)
    reached, checks = np.int64(0), 0
    pieces = own & ~(state[PAWN] | state[KING])
    while pieces:
        square = lowest(pieces)
        piece = pieces & -pieces
        pieces ^= piece
        if piece & state[KNIGHT]:
            attacks, checking = KNIGHT_STEPS[square], KNIGHT_STEPS[target]
        else:
            attacks, checking = np.int64(0), np.int64(0)
            if piece & (state[ROOK] | state[QUEEN]):
                attacks, checking = rook_attacks(square, occupied), line_checks
            if piece & (state[BISHOP] | state[QUEEN]):
                attacks |= bishop_attacks(square, occupied)
                checking |= diagonal_checks
        reached |= attacks
        support += popcount(attacks & protected)
        centre += popcount(attacks & CENTRE)
        # A piece that stands where it gives check now can do so.
        checks += 1 if (attacks & ~own | piece) & checking else 0
    return west | east | steps | reached, reached, support, centre, checks


def _material(state: Array, side: Bits) -> int:
    """Return the worth of a side's pieces, in pawns."""
    minor = popcount(side & (state[KNIGHT] | state[BISHOP]))
    pieces = 3 * minor + 5 * popcount(side & state[ROOK]) + 9 * popcount(side & state[QUEEN])
    return pieces + popcount(side & state[PAWN])


def has_pair(bishops: Bits) -> int:
    """Return 1 if there are bishops on squares of both colours."""
    return 1 if bishops & DARK and bishops & ~DARK else 0


def files_of(pawns: Bits) -> Bits:
    """Return the files with pawns as eight bits."""
    pawns |= shift_right(pawns, 32)
    pawns |= shift_right(pawns, 16)
    pawns |= shift_right(pawns, 8)
    return pawns & 255


def doubled(pawns: Bits) -> int:
    """Return how many pawns are not the only or the first ones of their file."""
    return popcount(pawns) - popcount(files_of(pawns))


def _ranks(pawns: Bits) -> int:
    """Return the sum of the pawns' rank numbers, 1 to 8."""
    high = 2 * popcount(pawns & RANKS_2) + 4 * popcount(pawns & RANKS_4)
    return popcount(pawns) + popcount(pawns & RANKS_1) + high


def isolated(pawns: Bits) -> int:
    """Return how many pawns have no own pawn on a neighbouring file."""
    files = files_of(pawns)
    alone = files & ~(files << 1) & ~(files >> 1)
    return popcount(pawns & (alone * FILE_A))


def with_sides(pawns: Bits) -> Bits:
    """Return the pawns' squares and those to their left and right."""
    return pawns | (pawns & NOT_H) << 1 | shift_right(pawns & NOT_A, 1)


def all_below(board: Bits) -> Bits:
    """Return the squares below those of a board."""
    board = shift_right(board, 8)
    board |= shift_right(board, 8)
    board |= shift_right(board, 16)
    return board | shift_right(board, 32)


def all_above(board: Bits) -> Bits:
    """Return the squares above those of a board."""
    board <<= 8
    board |= board << 8
    board |= board << 16
    return board | board << 32
