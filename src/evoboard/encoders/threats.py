"""threats: `pieces`, and what attacks what.

    kingcapture, chess   by kind, own pieces and the other side's: attacked; attacked and not
                         defended; attacked by something worth less. By kind: squares reached, own
                         less the other side's, in eighths. Attacked squares next to the other
                         side's king, and to the own one, in eighths.
    draughts             own men and kings that could be jumped if it were the other side's turn,
                         and the other side's that can be; steps either side has, in eighths;
                         pieces on the board, in twelfths; 1 or -1: who has the move (the last step
                         where the sides walk towards each other)
    hexwar               in tens: pieces of either side; pieces that touch an enemy; those that an
                         enemy next to them could wipe out; those whose nearest enemy is 1 to 6
                         tiles away. Tiles held, in eighths. The lead, as a share of all pieces.

Attacks are those of the pieces as they stand, as in `chess_features`: pins and whose turn it is do
not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest, popcount, shift_right
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.encoders.pieces import Options, pieces_of
from evoboard.games.base import Game
from evoboard.games.chess import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from evoboard.games.chess_tables import (
    KING_STEPS,
    KNIGHT_STEPS,
    NOT_A,
    NOT_H,
    Bits,
    bishop_attacks,
    rook_attacks,
)
from evoboard.games.draughts import KINGS, SQUARES
from evoboard.games.hexwar import CELLS, PIECES, steps_between
from evoboard.games.kingcapture import RAY_COUNT, RAYS
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE = F(0), F(1)
EIGHTH, TWELFTH, TENTH = F(1 / 8), F(1 / 12), F(1 / 10)

# By kind of piece in the order of `pieces`: the kinds worth less, as bits of their numbers.
_WORTH = {"kingcapture": (1, 5, 3, 3, 99), "chess": (1, 3, 3, 5, 9, 99)}


def _lesser(worth: tuple[int, ...]) -> Array:
    return np.array([sum(1 << i for i, w in enumerate(worth) if w < own) for own in worth])


KINGCAPTURE_LESSER = _lesser(_WORTH["kingcapture"])
CHESS_LESSER = _lesser(_WORTH["chess"])
# Kingcapture's squares next to a square, as bits.
NEXT = np.array([sum(1 << int(t) for t in RAYS[5, s].ravel() if t >= 0) for s in range(36)])
# Draughts' squares of every second row, Black's first row among them.
ROWS = sum(0b1111 << 10 + 9 * pair for pair in range(4))
FARTHEST = 6  # distance of hexwar's tiles that is told apart
DISTANCE = np.zeros((CELLS, CELLS), np.int64)  # those of a layout are put in its place
INPUTS_OF_PIECES = 0  # how many inputs come before


def encoder_for(game: Game, options: Options) -> Encoder | None:
    """Return the encoder of kingcapture, chess, draughts or hexwar, None for other games."""
    pieces = pieces_of(game, options.apart)
    return None if pieces is None else with_threats("threats", game, *pieces)


def with_threats(
    name: str, game: Game, write: Any, names: tuple[str, ...], listed: Any = None
) -> Encoder | None:
    """Return an encoder of inputs that the kernel `write` writes, and after them the threats.

    `listed`: the kernel that lists them, where there is one.
    """
    kernels = {"chess": chess_threats, "draughts": draughts_threats, "hexwar": hexwar_threats}
    kernel = {"kingcapture": kingcapture_threats, **kernels}.get(game.name)
    if kernel is None:
        return None
    constants: dict[str, Any] = {"INPUTS_OF_PIECES": len(names)}
    if game.name == "hexwar":
        steps = steps_between(np.array(game.written("NEIGHBOURS")))
        constants["DISTANCE"] = np.minimum(steps, FARTHEST)
    more = _names(game.name)
    filled = {"write_threats": with_constants(kernel, **constants)}
    made = with_constants(write_both, write_pieces=write, **filled)
    if listed is not None:
        listed = with_constants(list_both, write_pieces=listed, **filled)
    inputs, unlisted = (*names, *more), len(names)
    return Encoder(name, len(inputs), made, "mover", inputs, listed=listed, unlisted=unlisted)


def write_pieces(state: Array, out: Array) -> int:  # type: ignore[empty-body]
    """Write the inputs of `pieces`, or list them; the kernel of the game is put in its place."""


def write_threats(state: Array, out: Array) -> None:
    """Write what comes after the pieces; the kernel of the game is put in its place."""


def write_both(state: Array, out: Array) -> None:
    """Write the pieces, then the threats."""
    write_pieces(state, out)
    write_threats(state, out)


def list_both(state: Array, out: Array) -> int:
    """List the pieces, then write the threats."""
    count = write_pieces(state, out)
    write_threats(state, out)
    return count


def _names(game: str) -> tuple[str, ...]:
    sides = ("own", "other")
    if game == "draughts":
        jumped = [f"{side} {kind} to be jumped" for side in sides for kind in ("men", "kings")]
        return (*jumped, "own steps", "other steps", "pieces in all", "has the move")
    if game == "hexwar":
        near = [f"{side} {n} tiles away" for side in sides for n in range(1, FARTHEST + 1)]
        sums = ("pieces in all", "tiles", "touching", "in danger")
        return (*(f"{side} {word}" for word in sums for side in sides), *near, "lead")
    kinds = "PRNBK" if game == "kingcapture" else "PNBRQK"
    words = ("attacked", "loose", "attacked by lesser")
    threats = [f"{side} {kind} {word}" for side in sides for word in words for kind in kinds]
    return (*threats, *(f"{kind} reach" for kind in kinds), "attack on king", "own king attacked")


def kingcapture_threats(state: Array, out: Array) -> None:
    """Write what attacks what."""
    base = INPUTS_OF_PIECES
    for i in range(base, base + 37):
        out[i] = ZERO
    me = 1 - 2 * state[TURN]
    mine, mine_by = _reach_of(state, me, out, base + 30, EIGHTH)
    theirs, theirs_by = _reach_of(state, -me, out, base + 30, -EIGHTH)
    for cell in range(36):
        piece = state[cell] * me
        if piece > 0 and theirs >> cell & 1:
            lesser = _by_lesser(theirs_by, KINGCAPTURE_LESSER[piece - 1])
            _count(out, base + piece - 1, 5, mine >> cell & 1, lesser >> cell & 1)
        elif piece < 0 and mine >> cell & 1:
            lesser = _by_lesser(mine_by, KINGCAPTURE_LESSER[-piece - 1])
            _count(out, base + 15 - piece - 1, 5, theirs >> cell & 1, lesser >> cell & 1)
        if piece == 5:
            out[base + 36] = F(popcount(theirs & NEXT[cell])) * EIGHTH
        elif piece == -5:
            out[base + 35] = F(popcount(mine & NEXT[cell])) * EIGHTH


def _count(out: Array, place: int, kinds: int, defended: Bits, by_lesser: Bits) -> None:
    """Count an attacked piece; `place` is where those of its kind are counted."""
    out[place] += ONE
    if defended == 0:
        out[place + kinds] += ONE
    if by_lesser:
        out[place + 2 * kinds] += ONE


def _by_lesser(attacked: tuple[Bits, ...], lesser: int) -> Bits:
    """Return what the pieces worth less attack; `attacked` has a board for each kind."""
    found = np.int64(0)
    for kind in range(5):
        if lesser >> kind & 1:
            found |= attacked[kind]
    return found


def _reach_of(
    state: Array, sign: int, out: Array, place: int, weight: F
) -> tuple[Bits, tuple[Bits, Bits, Bits, Bits, Bits]]:
    """Return the squares a side attacks, all and by kind, and add what each kind reaches."""
    pawns, rooks = np.int64(0), np.int64(0)
    knights, bishops, kings = np.int64(0), np.int64(0), np.int64(0)
    for square in range(36):
        piece = state[square] * sign
        if piece <= 0:
            continue
        squares, reached = np.int64(0), 0
        if piece == 1:
            ahead, x = square + 6 * sign, square % 6
            if x > 0:
                squares |= np.int64(1) << (ahead - 1)
            if x < 5:
                squares |= np.int64(1) << (ahead + 1)
            reached = 1 if state[ahead] == 0 else 0
        else:
            for ray in range(RAY_COUNT[piece]):
                for step in range(6):
                    target = RAYS[piece, square, ray, step]
                    if target < 0:
                        break
                    squares |= np.int64(1) << target
                    there = state[target] * sign
                    if there <= 0:
                        reached += 1
                    if there != 0:
                        break
        out[place + piece - 1] += weight * F(reached)
        if piece == 1:
            pawns |= squares
        elif piece == 2:
            rooks |= squares
        elif piece == 3:
            knights |= squares
        elif piece == 4:
            bishops |= squares
        else:
            kings |= squares
    by_kind = (pawns, rooks, knights, bishops, kings)
    return pawns | rooks | knights | bishops | kings, by_kind


def chess_threats(state: Array, out: Array) -> None:
    """Write what attacks what."""
    base = INPUTS_OF_PIECES
    for i in range(base + 36, base + 42):
        out[i] = ZERO
    side = state[TURN]
    own, other = state[WHITE + side], state[BLACK - side]
    near, target = KING_STEPS[lowest(own & state[KING])], KING_STEPS[lowest(other & state[KING])]
    mine, mine_by, _ = chess_reach(state, side, ~own, target, out, base + 36, EIGHTH)
    theirs, theirs_by, _ = chess_reach(state, 1 - side, ~other, near, out, base + 36, -EIGHTH)
    count_threats(state, mine, mine_by, theirs, theirs_by, out, base)
    out[base + 42] = F(popcount(mine & target)) * EIGHTH
    out[base + 43] = F(popcount(theirs & near)) * EIGHTH


def count_threats(
    state: Array,
    mine: Bits,
    mine_by: tuple[Bits, Bits, Bits, Bits, Bits],
    theirs: Bits,
    theirs_by: tuple[Bits, Bits, Bits, Bits, Bits],
    out: Array,
    base: int,
) -> None:
    """Write what stands where the other side attacks; own pieces in 18 inputs, then the others."""
    own, other = state[WHITE + state[TURN]], state[BLACK - state[TURN]]
    for kind in range(6):
        lesser = CHESS_LESSER[kind]
        ours, foes = state[kind] & own & theirs, state[kind] & other & mine
        out[base + kind] = F(popcount(ours))
        out[base + 6 + kind] = F(popcount(ours & ~mine))
        out[base + 12 + kind] = F(popcount(ours & _by_lesser(theirs_by, lesser)))
        out[base + 18 + kind] = F(popcount(foes))
        out[base + 24 + kind] = F(popcount(foes & ~theirs))
        out[base + 30 + kind] = F(popcount(foes & _by_lesser(mine_by, lesser)))


def chess_reach(
    state: Array, side: int, free: Bits, target: Bits, out: Array, place: int, weight: F
) -> tuple[Bits, tuple[Bits, Bits, Bits, Bits, Bits], int]:
    """Return the squares a side attacks, all and by kind but the king's, and add the reach.

    It reaches those of its attacked squares that are `free`; a pawn, the square ahead. At last
    comes how often its knights, bishops, rooks and queens attack squares of `target`.
    """
    own, occupied = state[WHITE + side], state[WHITE] | state[BLACK]
    pawns = own & state[PAWN]
    by_pawns = pawn_attacks(pawns, side)
    steps = pawns << 8 if side == 0 else shift_right(pawns, 8)
    out[place] += weight * F(popcount(steps & ~occupied))
    knights, bishops = np.int64(0), np.int64(0)
    rooks, queens = np.int64(0), np.int64(0)
    hits = 0
    pieces = own & ~(state[PAWN] | state[KING])
    while pieces:
        square = lowest(pieces)
        piece = pieces & -pieces
        pieces ^= piece
        if piece & state[KNIGHT]:
            squares, kind = KNIGHT_STEPS[square], KNIGHT
            knights |= squares
        elif piece & state[BISHOP]:
            squares, kind = bishop_attacks(square, occupied), BISHOP
            bishops |= squares
        elif piece & state[ROOK]:
            squares, kind = rook_attacks(square, occupied), ROOK
            rooks |= squares
        else:
            squares = rook_attacks(square, occupied) | bishop_attacks(square, occupied)
            kind = QUEEN
            queens |= squares
        out[place + kind] += weight * F(popcount(squares & free))
        hits += popcount(squares & target)
    king = KING_STEPS[lowest(own & state[KING])]
    out[place + KING] += weight * F(popcount(king & free))
    attacked = by_pawns | knights | bishops | rooks | queens | king
    return attacked, (by_pawns, knights, bishops, rooks, queens), hits


def pawn_attacks(pawns: Bits, side: int) -> Bits:
    """Return the squares that the pawns of a side attack."""
    if side == 0:
        return (pawns & NOT_A) << 7 | (pawns & NOT_H) << 9
    return shift_right(pawns & NOT_A, 9) | shift_right(pawns & NOT_H, 7)


def draughts_threats(state: Array, out: Array) -> None:
    """Write what can be jumped, the steps, and who has the move."""
    base = INPUTS_OF_PIECES
    side, kings = state[TURN], state[KINGS]
    own, other = state[side], state[1 - side]
    in_danger, prey = _jumped(state, 1 - side), _jumped(state, side)
    out[base] = F(popcount(in_danger & ~kings))
    out[base + 1] = F(popcount(in_danger & kings))
    out[base + 2] = F(popcount(prey & ~kings))
    out[base + 3] = F(popcount(prey & kings))
    out[base + 4] = F(_steps_of(state, side)) * EIGHTH
    out[base + 5] = F(_steps_of(state, 1 - side)) * EIGHTH
    out[base + 6] = F(popcount(own | other)) * TWELFTH
    # Counting the pieces on the rows where the side to move begins: odd, and it has the move.
    first = ROWS if side == 0 else SQUARES & ~ROWS
    out[base + 7] = ONE if popcount((own | other) & first) & 1 else -ONE


def _ways(state: Array, side: int) -> tuple[Bits, Bits]:
    """Return the pieces of a side that go towards 32, and those that go towards 1."""
    own = state[side]
    kings = own & state[KINGS]
    return (own, kings) if side == 0 else (kings, own)


def _jumped(state: Array, side: int) -> Bits:
    """Return the pieces of the other side that `side` could jump."""
    down, up = _ways(state, side)
    empty, foes = SQUARES & ~(state[0] | state[1]), state[1 - side]
    found = (down << 4) & (empty >> 4) | (down << 5) & (empty >> 5)
    found |= (up >> 4) & (empty << 4) | (up >> 5) & (empty << 5)
    return found & foes


def _steps_of(state: Array, side: int) -> int:
    """Return how many steps a side has, jumps or not."""
    down, up = _ways(state, side)
    empty = SQUARES & ~(state[0] | state[1])
    count = popcount(down & (empty >> 4)) + popcount(down & (empty >> 5))
    return count + popcount(up & (empty << 4)) + popcount(up & (empty << 5))


def hexwar_threats(state: Array, out: Array) -> None:
    """Write how the armies stand to each other."""
    base = INPUTS_OF_PIECES
    for i in range(base, base + 9 + 2 * FARTHEST):
        out[i] = ZERO
    side = state[TURN]
    sign = 1 - 2 * side
    own, other = state[PIECES + side], state[PIECES + 1 - side]
    out[base], out[base + 1] = F(own), F(other)
    for cell in range(CELLS):
        count = state[cell]
        if count == 0:
            continue
        theirs = 0 if count * sign > 0 else 1
        here = count if count > 0 else -count
        near, most = FARTHEST, 0
        for tile in range(CELLS):
            if state[tile] * count < 0:
                steps = DISTANCE[cell, tile]
                near = min(near, steps)
                if steps == 1:
                    most = max(most, state[tile] if state[tile] > 0 else -state[tile])
        out[base + 2 + theirs] += ONE
        if most > 0:
            out[base + 4 + theirs] += F(here)
        if most >= here:
            out[base + 6 + theirs] += F(here)
        out[base + 7 + FARTHEST * theirs + near] += F(here)
    # Scaled at the end: whole numbers give the same sum in any order.
    for i in range(base, base + 8 + 2 * FARTHEST):
        out[i] *= EIGHTH if i == base + 2 or i == base + 3 else TENTH
    if own + other > 0:
        out[base + 8 + 2 * FARTHEST] = F(own - other) / F(own + other)
