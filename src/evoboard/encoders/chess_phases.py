"""chess_phases: chess seen twice, with much on the board and with little.

Every input but the last 36 comes twice: times how much is left besides pawns and kings (a knight or
bishop counts 1, a rook 2, a queen 4; 24 and more are 1), and times the rest to 1. So a linear
network can want its king safe early and active late.

    pieces    by kind and square, own less the other side's, seen by their owners; the left half of
              the board is the right one's mirror image, so that what is learned of one holds for
              both
    balance   own less the other side's: pieces by kind; both bishops; passed pawns by rank, those
              that stand before a piece, and, the further they are the more, how far either king is
              from the square ahead; doubled, isolated and protected pawns; knights and bishops that
              pawns protect; rooks on files without own pawns, and without any; pawns before the
              king and files beside it without own pawns; squares reached by kind, in eighths, those
              that pawns of the other side attack left out
    kings     attacks on squares next to the other side's king, in eighths, and the square of that;
              the same for the own king
    to move   1

and once what `threats` says by kind: attacked; attacked and not defended; attacked by something
worth less.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import as_signed, lowest, popcount
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.encoders.chess_features import (
    all_above,
    all_below,
    doubled,
    files_of,
    has_pair,
    isolated,
    with_sides,
)
from evoboard.encoders.pieces import add_input, list_input
from evoboard.encoders.threats import EIGHTH, chess_reach, count_threats, pawn_attacks
from evoboard.games.base import Game
from evoboard.games.chess import BISHOP, BLACK, KING, KNIGHT, PAWN, ROOK, WHITE
from evoboard.games.chess_tables import KING_STEPS, Bits
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE = F(0), F(1)
FULL = 24  # what knights, bishops, rooks and queens count at the beginning
SHARE = F(1 / FULL)
COUNTS = (0, 1, 1, 2, 4)
HALF_BOARD = 32
SQUARES = 6 * HALF_BOARD

# Places among the inputs that come twice, after the squares.
MORE = 0  # pieces of each kind but kings
PAIR = 5
PASSED = 6  # by rank, the second first
BLOCKED = 12
OTHER_KING_FAR = 13
OWN_KING_FAR = 14
DOUBLED, ISOLATED, PROTECTED, POSTED = 15, 16, 17, 18
HALF_OPEN, OPEN = 19, 20
SHELTER, BARE = 21, 22
REACH = 23  # by kind
ATTACK = 29  # on the other side's king, its square, then those on the own king
TO_MOVE = 33
TWICE = 34
EARLY = 2 * SQUARES
LATE = EARLY + TWICE
THREATS = LATE + TWICE
INPUTS = THREATS + 36

# By square: the same square of the right half of the board, 4 in a rank.
FOLD = np.array([s // 8 * 4 + max(s % 8, 7 - s % 8) - 4 for s in range(64)], np.int64)
# By file: the files next to it and itself, as eight bits.
BESIDE = np.array([(7 << f >> 1) & 255 for f in range(8)], np.int64)


def _before(side: int, square: int) -> Bits:
    """Return the two squares before a king, and those beside these."""
    x, y, ahead = square % 8, square // 8, 1 - 2 * side
    found = 0
    for file in range(max(0, x - 1), min(8, x + 2)):
        for rank in (y + ahead, y + 2 * ahead):
            if 0 <= rank < 8:
                found |= 1 << (8 * rank + file)
    return as_signed(found)


BEFORE = np.array([[_before(side, square) for square in range(64)] for side in range(2)], np.int64)


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder for chess, None for other games."""
    if game.name != "chess":
        return None
    encode = with_constants(write, put=add_input, FIRST=0)
    listed = with_constants(write, put=list_input, FIRST=EARLY)
    return Encoder(
        "chess_phases",
        INPUTS,
        encode,
        "mover",
        _names(),
        listed=listed,
        always_listed=True,
        unlisted=EARLY,
    )


def _names() -> tuple[str, ...]:
    kinds = "PNBRQK"
    squares = [f"{kind} {file}{rank}" for kind in kinds for rank in range(1, 9) for file in "efgh"]
    twice = [f"more {kind}" for kind in kinds[:5]]
    twice += ["bishop pair", *(f"passed on rank {rank}" for rank in range(2, 8))]
    twice += ["blocked passed", "passed far from other king", "passed far from own king"]
    twice += ["doubled", "isolated", "protected pawns", "protected minor pieces"]
    twice += ["rook without own pawns", "rook without pawns", "king's pawns", "king's bare files"]
    twice += [*(f"{kind} reach" for kind in kinds), "attack on king"]
    twice += ["attack on king squared", "own king attacked", "own king attacked squared", "to move"]
    phases = ("early", "late")
    words = ("attacked", "loose", "attacked by lesser")
    return (
        *(f"{name} {phase}" for phase in phases for name in squares),
        *(f"{name} {phase}" for phase in phases for name in twice),
        *(f"{who} {k} {word}" for who in ("own", "other") for word in words for k in kinds),
    )


def put(out: Array, count: int, place: int, amount: F) -> int:  # type: ignore[empty-body]
    """Put an input in its place, or list it; one of two is put in the place of this."""


FIRST = 0  # inputs before this one are listed, not written: that of a kernel is put in its place


def write(state: Array, out: Array) -> int:
    """Write all inputs, or list the pieces and write the rest; return how many were listed."""
    for i in range(FIRST, EARLY):
        out[i] = ZERO
    for i in range(EARLY + PASSED, EARLY + DOUBLED):
        out[i] = ZERO
    for i in range(EARLY + REACH, EARLY + ATTACK):
        out[i] = ZERO
    side = state[TURN]
    own, other = state[WHITE + side], state[BLACK - side]
    near, target = KING_STEPS[lowest(own & state[KING])], KING_STEPS[lowest(other & state[KING])]
    my_pawns = pawn_attacks(own & state[PAWN], side)
    their_pawns = pawn_attacks(other & state[PAWN], 1 - side)
    free, reach = ~(own | their_pawns), EARLY + REACH
    mine, mine_by, attack = chess_reach(state, side, free, target, out, reach, EIGHTH)
    free = ~(other | my_pawns)
    theirs, theirs_by, danger = chess_reach(state, 1 - side, free, near, out, reach, -EIGHTH)
    count_threats(state, mine, mine_by, theirs, theirs_by, out, THREATS)
    left = _balance(state, out)
    ours, foes = _structure(state, side, my_pawns), _structure(state, 1 - side, their_pawns)
    for i in range(8):
        out[EARLY + DOUBLED + i] = F(ours[i] - foes[i])
    _follow_passed(state, side, ours[8], ONE, out)
    _follow_passed(state, 1 - side, foes[8], -ONE, out)
    out[EARLY + ATTACK] = F(attack) * EIGHTH
    out[EARLY + ATTACK + 1] = F(attack * attack) * (EIGHTH * EIGHTH)
    out[EARLY + ATTACK + 2] = F(danger) * EIGHTH
    out[EARLY + ATTACK + 3] = F(danger * danger) * (EIGHTH * EIGHTH)
    out[EARLY + TO_MOVE] = ONE
    early = F(min(left, FULL)) * SHARE
    late = ONE - early
    for i in range(EARLY, LATE):
        out[TWICE + i] = out[i] * late
        out[i] *= early
    count, black = 0, state[BLACK]
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - 1
            owner = black >> square & 1
            sign = ONE if owner == side else -ONE
            place = kind * HALF_BOARD + FOLD[square ^ 56 * owner]
            count = put(out, count, place, sign * early)
            count = put(out, count, SQUARES + place, sign * late)
    return count


def _balance(state: Array, out: Array) -> int:
    """Write how many more pieces of each kind one has; return how much is left of both sides."""
    own, other = state[WHITE + state[TURN]], state[BLACK - state[TURN]]
    left = 0
    for kind in range(PAWN, KING):
        ours, theirs = popcount(own & state[kind]), popcount(other & state[kind])
        out[EARLY + MORE + kind] = F(ours - theirs)
        left += COUNTS[kind] * (ours + theirs)
    pairs = has_pair(own & state[BISHOP]) - has_pair(other & state[BISHOP])
    out[EARLY + PAIR] = F(pairs)
    return left


def _structure(
    state: Array, side: int, by_pawns: Bits
) -> tuple[int, int, int, int, int, int, int, int, Bits]:
    """Return what a side has from DOUBLED to BARE, and its passed pawns."""
    own, other = state[WHITE + side], state[BLACK - side]
    pawns, foes = own & state[PAWN], other & state[PAWN]
    stopped = all_below(with_sides(foes)) if side == 0 else all_above(with_sides(foes))
    minor = own & (state[KNIGHT] | state[BISHOP])
    half_open = own & state[ROOK] & ~(all_above(pawns) | all_below(pawns))
    opened = half_open & ~(all_above(foes) | all_below(foes))
    king = lowest(own & state[KING])
    return (
        doubled(pawns),
        isolated(pawns),
        popcount(pawns & by_pawns),
        popcount(minor & by_pawns),
        popcount(half_open),
        popcount(opened),
        popcount(pawns & BEFORE[side, king]),
        popcount(BESIDE[king & 7] & ~files_of(pawns)),
        pawns & ~stopped,
    )


def _follow_passed(state: Array, side: int, passed: Bits, sign: F, out: Array) -> None:
    """Add a side's passed pawns."""
    own, other = state[WHITE + side], state[BLACK - side]
    king, hunter = lowest(own & state[KING]), lowest(other & state[KING])
    while passed:
        square = lowest(passed)
        passed &= passed - 1
        rank = (square ^ 56 * side) // 8 - 1
        ahead = square + 8 - 16 * side
        out[EARLY + PASSED + rank] += sign
        out[EARLY + BLOCKED] += sign * F((own | other) >> ahead & 1)
        far = sign * F(rank) * (EIGHTH * EIGHTH)
        out[EARLY + OTHER_KING_FAR] += far * F(_steps(ahead, hunter))
        out[EARLY + OWN_KING_FAR] += far * F(_steps(ahead, king))


def _steps(square: int, other: int) -> int:
    """Return how many steps a king needs from one square to another."""
    files, ranks = (square & 7) - (other & 7), square // 8 - other // 8
    return max(abs(files), abs(ranks))
