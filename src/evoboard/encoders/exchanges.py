"""exchanges: what is left of two armies of hexwar that cancel each other out, and who takes what.

    own and the other side's   pieces, in tens; their logarithm, in fifths; 1 by their number;
                               tiles, in eighths; what they can still produce, in tens; empty tiles
                               beside them, and empty tiles nearer to them, in eighths; pieces
                               without an empty tile beside them, in tens; the largest army, the
                               second largest and the smallest, in tens; full tiles, in fours; 1
                               where all are full. What the side could take if it were to move: 1
                               where it would hold it, and the most of that, in tens; 1 where there
                               is anything to take, and the most of it; 1 where that is all. Pieces
                               beside an enemy and those that one could wipe out, in tens; 1 where
                               an army is three steps or more from every enemy; shares of the tiles
                               beside its armies that enemies hold, added up; armies that could be
                               wiped out, in fours; what would be left of the army that takes the
                               most and holds it, in tens; steps from its pieces to the nearest
                               enemy, on average, in sixths
    once                       the lead as a share of all pieces, its sign, and the lead in tens;
                               the lead by the pieces of the smaller side; the logarithm of all
                               pieces; how far the sides are apart, in sixths; 1 where both could
                               take and hold something

Armies cancel one for one, so the lead is the difference of productions: two pieces more are nothing
among a hundred and win among five. An attack costs the attacker a production, and so does taking
what was left of it: who takes, and holds, loses that move.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest, popcount
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.chess_tables import Bits
from evoboard.games.hexwar import CELLS, LIMIT, PIECES
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE, FIFTH, QUARTER = F(0), F(1), F(1 / 5), F(1 / 4)
SIXTH, EIGHTH, TENTH, PART = F(1 / 6), F(1 / 8), F(1 / 10), F(1 / 60)
ALL = (1 << CELLS) - 1
PARTS = 60  # of a share: whole for 2 to 6 tiles
AWAY, FARTHEST = 3, 6  # steps
LOGARITHMS = np.log(np.maximum(np.arange(2 * CELLS * LIMIT + 1), 1)).astype(F)
BESIDE = np.zeros((CELLS, 6), np.int64)  # those of a layout are put in its place
BESIDE_BITS = np.zeros(CELLS, np.int64)

WORDS = ("pieces", "pieces, logarithm", "1 / pieces", "tiles", "still to produce", "empty beside",
         "land", "hemmed in", "largest army", "second army", "smallest army", "full tiles",
         "all full", "takes and holds", "most held", "takes", "most taken", "takes all", "touching",
         "in danger", "reserve", "blocked", "armies in danger", "left of taker",
         "steps to enemy")  # fmt: skip
ONCE = ("lead, share", "lead, sign", "lead", "lead by the smaller", "all pieces, logarithm",
        "apart", "both take and hold")  # fmt: skip
(COUNT, LOGARITHM, INVERSE, TILES, LEFT, EMPTY, LAND, HEMMED, LARGEST, SECOND, SMALLEST, FULL,
 ALL_FULL, HOLDS, HELD, TAKES, TAKEN, KILLS, TOUCHING, DANGER, RESERVE, BLOCKED, ARMIES_IN_DANGER,
 LEFT_OF_TAKER, STEPS, SINGLE) = range(0, 52, 2)  # fmt: skip


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of hexwar, None for other games."""
    if game.name != "hexwar":
        return None
    table = np.array(game.written("NEIGHBOURS"))
    bits = np.array([sum(1 << int(t) for t in row if t >= 0) for row in table])
    sides = tuple(f"{side} {word}" for word in WORDS for side in ("own", "other"))
    names = (*sides, *ONCE)
    kernel = with_constants(write_exchanges, BESIDE=table, BESIDE_BITS=bits)
    return Encoder("exchanges", len(names), kernel, "mover", names)


def write_exchanges(state: Array, out: Array) -> None:
    """Write each number for the side to move and then for the other, and what there is once."""
    for i in range(SINGLE):
        out[i] = ZERO
    side = state[TURN]
    sign = 1 - 2 * side
    own, other = np.int64(0), np.int64(0)
    for cell in range(CELLS):
        if state[cell] * sign > 0:
            own |= np.int64(1) << cell
        elif state[cell] * sign < 0:
            other |= np.int64(1) << cell
    # Both sides grow by a step at a time; an empty tile is land of the one that is there first.
    empty, apart = ALL & ~(own | other), FARTHEST
    mine, theirs, my_edge, their_edge = own, other, own, other
    for steps in range(1, CELLS):
        my_edge = _beside(my_edge, BESIDE_BITS) & ~mine
        their_edge = _beside(their_edge, BESIDE_BITS) & ~theirs
        if my_edge | their_edge == 0:
            break
        mine |= my_edge
        theirs |= their_edge
        if steps == 1:
            out[EMPTY] = F(popcount(my_edge & empty)) * EIGHTH
            out[EMPTY + 1] = F(popcount(their_edge & empty)) * EIGHTH
        out[LAND] += F(popcount(my_edge & empty & ~theirs))
        out[LAND + 1] += F(popcount(their_edge & empty & ~mine))
        if my_edge & other:
            apart = min(apart, steps)
            out[STEPS + 1] += F(steps * _pieces(state, my_edge & other))
            if steps >= AWAY:
                out[RESERVE + 1] = ONE
        if their_edge & own:
            out[STEPS] += F(steps * _pieces(state, their_edge & own))
            if steps >= AWAY:
                out[RESERVE] = ONE
    pieces, foes = state[PIECES + side], state[PIECES + 1 - side]
    _write_side(state, sign, pieces, foes, BESIDE, out, 0)
    _write_side(state, -sign, foes, pieces, BESIDE, out, 1)
    lead, total, smaller = pieces - foes, pieces + foes, min(pieces, foes)
    out[SINGLE] = F(lead) / F(max(1, total))
    out[SINGLE + 1] = ONE if lead > 0 else -ONE if lead < 0 else ZERO
    out[SINGLE + 2] = F(lead) * TENTH
    out[SINGLE + 3] = F(lead) / F(max(1, smaller))
    out[SINGLE + 4] = LOGARITHMS[total] * FIFTH
    out[SINGLE + 5] = F(apart) * SIXTH
    out[SINGLE + 6] = out[HOLDS] * out[HOLDS + 1]


def _write_side(
    state: Array, sign: int, pieces: int, foes: int, beside: Array, out: Array, k: int
) -> None:
    """Write what is known of one side: `k` 0 the one to move, 1 the other."""
    tiles, left, hemmed, touching, danger, endangered, full, shares = 0, 0, 0, 0, 0, 0, 0, 0
    largest, second, smallest = 0, 0, LIMIT
    taken, held, remains, kills = 0, 0, 0, 0
    for cell in range(CELLS):
        here = state[cell] * sign
        if here <= 0:
            continue
        tiles += 1
        left += LIMIT - here
        if here == LIMIT:
            full += 1
        if here >= largest:
            second, largest = largest, here
        else:
            second = max(second, here)
        smallest = min(smallest, here)
        free, enemies, threat, around = 0, 0, 0, 0
        for direction in range(6):
            tile = beside[cell, direction]
            if tile < 0:
                break
            around += 1
            foe = -state[tile] * sign
            if foe == 0:
                free += 1
            if foe <= 0:
                continue
            enemies += 1
            threat = max(threat, foe)
            if here <= foe:
                continue
            taken = max(taken, foe)
            if foe == foes:
                kills = 1
            back = 0
            for way in range(6):
                if beside[tile, way] < 0:
                    break
                back = max(back, -state[beside[tile, way]] * sign)
            stays = here - foe
            if stays > back and (foe > held or (foe == held and stays > remains)):
                held, remains = foe, stays
        if free == 0:
            hemmed += here
        if enemies > 0:
            touching += here
        if threat > here:
            danger += here
            endangered += 1
        shares += enemies * PARTS // around
    out[COUNT + k] = F(pieces) * TENTH
    out[LOGARITHM + k] = LOGARITHMS[pieces] * FIFTH
    out[INVERSE + k] = ONE / F(max(1, pieces))
    out[TILES + k] = F(tiles) * EIGHTH
    out[LEFT + k] = F(left) * TENTH
    out[LAND + k] *= EIGHTH
    out[HEMMED + k] = F(hemmed) * TENTH
    out[LARGEST + k] = F(largest) * TENTH
    out[SECOND + k] = F(second) * TENTH
    out[SMALLEST + k] = F(smallest) * TENTH
    out[FULL + k] = F(full) * QUARTER
    out[ALL_FULL + k] = ONE if left == 0 else ZERO
    out[HOLDS + k] = ONE if held > 0 else ZERO
    out[HELD + k] = F(held) * TENTH
    out[TAKES + k] = ONE if taken > 0 else ZERO
    out[TAKEN + k] = F(taken) * TENTH
    out[KILLS + k] = F(kills)
    out[TOUCHING + k] = F(touching) * TENTH
    out[DANGER + k] = F(danger) * TENTH
    out[BLOCKED + k] = F(shares) * PART
    out[ARMIES_IN_DANGER + k] = F(endangered) * QUARTER
    out[LEFT_OF_TAKER + k] = F(remains) * TENTH
    out[STEPS + k] = out[STEPS + k] / F(max(1, pieces)) * SIXTH


def _beside(tiles: Bits, bits: Array) -> Bits:
    """Return the tiles beside these, as bits."""
    found = np.int64(0)
    while tiles:
        found |= bits[lowest(tiles)]
        tiles &= tiles - 1
    return found


def _pieces(state: Array, tiles: Bits) -> int:
    """Return how many pieces stand on these tiles, of one side or the other."""
    count = 0
    while tiles:
        there = state[lowest(tiles)]
        count += there if there > 0 else -there
        tiles &= tiles - 1
    return count
