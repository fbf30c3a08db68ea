"""exchanges: what is left of two armies of hexwar that cancel each other out, and who takes what.

    own and the other side's   pieces, in tens; their logarithm, in fifths; 1 by their number;
                               tiles, in eighths; what they can still produce, in tens; empty tiles
                               beside them, and empty tiles nearer to them, in eighths; pieces
                               without an empty tile beside them, in tens; the largest army, the
                               second largest and the smallest, in tens; full tiles, in fours; 1
                               where all are full. What the side could take if it were to move: 1
                               where it would hold it, and the most of that, in tens; 1 if there
                               is anything to take, and the most of it; 1 if it wins by it.
                               Pieces beside an enemy and those that one could wipe out, in tens; 1
                               where an army is three steps or more from every enemy; shares of the
                               tiles beside its armies that enemies hold, added up; armies that
                               could be wiped out, in fours; what would be left of the army that
                               takes the most and holds it, in tens; steps from its pieces to the
                               nearest enemy, on average, in sixths; 1 if it can neither produce
                               nor step aside
    once                       the lead as a share of all pieces, its sign, and the lead in tens;
                               the lead by the pieces of the smaller side; the logarithm of all
                               pieces; how far the sides are apart, in sixths, and 1 if that is
                               one, two or three steps; 1 if both could take and hold something;
                               the most that one attack could cancel, in tens
    all of that once more      times the largest army of the side to move, in tens

Armies cancel one for one, so the lead is the difference of productions: two pieces more are nothing
among a hundred and win among five. An attack costs the attacker a production, and so does taking
what was left of it: who takes, and holds, loses that move. Who counts pieces never takes, and sits
on a full tile once it is hemmed in; who takes has smaller armies. So what is right depends on how
large the other side's armies are, and the products let a network without hidden nodes see that.
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
AWAY, FARTHEST = 3, 6  # steps
LOGARITHMS = np.log(np.maximum(np.arange(2 * CELLS * LIMIT + 1), 1)).astype(F)
# Of a layout; each is put in their place.
BESIDE = np.zeros(CELLS, np.int64)  # the tiles beside each, as bits
SHARE = np.zeros(CELLS, np.int64)  # one of them, in sixtieths: whole for 2 to 6 tiles
# Tiles that have a neighbour so many cells on or back.
ON_1 = ON_4 = ON_5 = ON_6 = BACK_1 = BACK_4 = BACK_5 = BACK_6 = 0

WORDS = ("pieces", "pieces, logarithm", "1 / pieces", "tiles", "still to produce", "empty beside",
         "land", "hemmed in", "largest army", "second army", "smallest army", "full tiles",
         "all full", "takes and holds", "most held", "takes", "most taken", "wins", "touching",
         "in danger", "reserve", "blocked", "armies in danger", "left of taker",
         "steps to enemy", "stuck")  # fmt: skip
ONCE = ("lead, share", "lead, sign", "lead", "lead by the smaller", "all pieces, logarithm",
        "apart", "one apart", "two apart", "three apart", "both take and hold",
        "most cancelled")  # fmt: skip
(COUNT, LOGARITHM, INVERSE, TILES, LEFT, EMPTY, LAND, HEMMED, LARGEST, SECOND, SMALLEST, FULL,
 ALL_FULL, HOLDS, HELD, TAKES, TAKEN, WINS, TOUCHING, DANGER, RESERVE, BLOCKED, ARMIES_IN_DANGER,
 LEFT_OF_TAKER, STEPS, STUCK, SINGLE) = range(0, 54, 2)  # fmt: skip
HALF = SINGLE + len(ONCE)


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of hexwar, None for other games."""
    if game.name != "hexwar":
        return None
    table = [[int(t) for t in row if t >= 0] for row in np.array(game.written("NEIGHBOURS"))]
    bits = np.array([sum(1 << tile for tile in row) for row in table])
    shares = np.array([60 // len(row) for row in table])
    steps = {f"ON_{n}": n for n in (1, 4, 5, 6)} | {f"BACK_{n}": -n for n in (1, 4, 5, 6)}
    masks = {
        name: sum(1 << cell for cell, row in enumerate(table) if cell + step in row)
        for name, step in steps.items()
    }
    kernel = with_constants(
        write_exchanges,
        _around=with_constants(_around, **masks),
        _write_side=with_constants(_write_side, BESIDE=bits, SHARE=shares),
    )
    names = [f"{side} {word}" for word in WORDS for side in ("own", "other")] + [*ONCE]
    names += [f"{name} × own largest army" for name in names]
    return Encoder("exchanges", len(names), kernel, "mover", tuple(names))


def write_exchanges(state: Array, out: Array) -> None:
    """Write each number for the side to move and then for the other, what there is once, and the
    products of all that."""
    side = state[TURN]
    sign = 1 - 2 * side
    own, other = np.int64(0), np.int64(0)
    for cell in range(CELLS):
        count = state[cell] * sign
        own |= np.int64(count > 0) << cell
        other |= np.int64(count < 0) << cell
    empty = ALL & ~(own | other)
    my_edge, their_edge = _around(own) & ~own, _around(other) & ~other
    mine, theirs, beside_me, beside_them = own, other, my_edge, their_edge
    steps, apart, my_steps, their_steps, my_land, their_land = 1, FARTHEST, 0, 0, 0, 0
    out[RESERVE], out[RESERVE + 1] = ZERO, ZERO
    # Both sides grow by a step at a time; an empty tile is land of the one that is there first.
    while my_edge | their_edge != 0:
        mine |= my_edge
        theirs |= their_edge
        my_land += popcount(my_edge & empty & ~theirs)
        their_land += popcount(their_edge & empty & ~mine)
        if my_edge & other:
            apart = min(apart, steps)
            their_steps += steps * _pieces(state, -sign, my_edge & other)
            if steps >= AWAY:
                out[RESERVE + 1] = ONE
        if their_edge & own:
            my_steps += steps * _pieces(state, sign, their_edge & own)
            if steps >= AWAY:
                out[RESERVE] = ONE
        my_edge = _around(my_edge) & ~mine
        their_edge = _around(their_edge) & ~theirs
        steps += 1
    pieces, foes, hemmed = state[PIECES + side], state[PIECES + 1 - side], ~_around(empty)
    most = _write_side(state, sign, own, other, own & beside_them, pieces, foes, out, 0)
    _write_side(state, -sign, other, own, other & beside_me, foes, pieces, out, 1)
    out[HEMMED] = F(_pieces(state, sign, own & hemmed)) * TENTH
    out[HEMMED + 1] = F(_pieces(state, -sign, other & hemmed)) * TENTH
    out[EMPTY] = F(popcount(beside_me & empty)) * EIGHTH
    out[EMPTY + 1] = F(popcount(beside_them & empty)) * EIGHTH
    for k in range(2):
        out[STUCK + k] = ONE if out[LEFT + k] == ZERO and out[EMPTY + k] == ZERO else ZERO
    out[LAND], out[LAND + 1] = F(my_land) * EIGHTH, F(their_land) * EIGHTH
    out[STEPS] = F(my_steps) / F(max(1, pieces)) * SIXTH
    out[STEPS + 1] = F(their_steps) / F(max(1, foes)) * SIXTH
    lead, total, smaller = pieces - foes, pieces + foes, min(pieces, foes)
    out[SINGLE] = F(lead) / F(max(1, total))
    out[SINGLE + 1] = ONE if lead > 0 else -ONE if lead < 0 else ZERO
    out[SINGLE + 2] = F(lead) * TENTH
    out[SINGLE + 3] = F(lead) / F(max(1, smaller))
    out[SINGLE + 4] = LOGARITHMS[total] * FIFTH
    out[SINGLE + 5] = F(apart) * SIXTH
    for k in range(1, 4):
        out[SINGLE + 5 + k] = ONE if apart == k else ZERO
    out[SINGLE + 9] = out[HOLDS] * out[HOLDS + 1]
    out[SINGLE + 10] = F(most) * TENTH
    for i in range(HALF):
        out[HALF + i] = out[LARGEST] * out[i]


def _write_side(
    state: Array,
    sign: int,
    own: Bits,
    other: Bits,
    beside: Bits,
    pieces: int,
    foes: int,
    out: Array,
    k: int,
) -> int:
    """Write what is known of one side: `k` 0 the one to move, 1 the other; `beside`: which of its
    tiles are beside an enemy. Return the most that one attack could cancel."""
    tiles, full, largest, second, smallest = popcount(own), 0, 0, 0, LIMIT
    while own:
        here = state[lowest(own)] * sign
        own &= own - 1
        full += here == LIMIT
        second = max(second, min(largest, here))
        largest, smallest = max(largest, here), min(smallest, here)
    touching, danger, endangered, shares, most = 0, 0, 0, 0, 0
    taken, held, remains, wins = 0, 0, 0, ZERO
    while beside:
        cell = lowest(beside)
        beside &= beside - 1
        here, threat, enemies = state[cell] * sign, 0, BESIDE[cell] & other
        touching += here
        shares += popcount(enemies) * SHARE[cell]
        while enemies:
            tile = lowest(enemies)
            enemies &= enemies - 1
            foe = -state[tile] * sign
            threat, most = max(threat, foe), max(most, min(here, foe))
            if foe == foes and here >= foe and pieces > foe:
                wins = ONE
            if here <= foe:
                continue
            taken, stays = max(taken, foe), here - foe
            if foe > held or (foe == held and stays > remains):
                back, others = 0, BESIDE[tile] & other
                while others:
                    back = max(back, -state[lowest(others)] * sign)
                    others &= others - 1
                if stays > back:
                    held, remains = foe, stays
        if threat > here:
            danger += here
            endangered += 1
    out[COUNT + k] = F(pieces) * TENTH
    out[LOGARITHM + k] = LOGARITHMS[pieces] * FIFTH
    out[INVERSE + k] = ONE / F(max(1, pieces))
    out[TILES + k] = F(tiles) * EIGHTH
    out[LEFT + k] = F(LIMIT * tiles - pieces) * TENTH
    out[LARGEST + k] = F(largest) * TENTH
    out[SECOND + k] = F(second) * TENTH
    out[SMALLEST + k] = F(smallest) * TENTH
    out[FULL + k] = F(full) * QUARTER
    out[ALL_FULL + k] = ONE if full == tiles else ZERO
    out[HOLDS + k] = ONE if held > 0 else ZERO
    out[HELD + k] = F(held) * TENTH
    out[TAKES + k] = ONE if taken > 0 else ZERO
    out[TAKEN + k] = F(taken) * TENTH
    out[WINS + k] = wins
    out[TOUCHING + k] = F(touching) * TENTH
    out[DANGER + k] = F(danger) * TENTH
    out[BLOCKED + k] = F(shares) * PART
    out[ARMIES_IN_DANGER + k] = F(endangered) * QUARTER
    out[LEFT_OF_TAKER + k] = F(remains) * TENTH
    return most


def _around(tiles: Bits) -> Bits:
    """Return the tiles beside any of these, as bits; some of these may be among them."""
    on = (tiles & ON_1) << 1 | (tiles & ON_4) << 4 | (tiles & ON_5) << 5 | (tiles & ON_6) << 6
    back = (tiles & BACK_1) >> 1 | (tiles & BACK_4) >> 4
    return on | back | (tiles & BACK_5) >> 5 | (tiles & BACK_6) >> 6


def _pieces(state: Array, sign: int, tiles: Bits) -> int:
    """Return how many pieces stand on these tiles, all of one side."""
    count = 0
    while tiles:
        count += state[lowest(tiles)] * sign
        tiles &= tiles - 1
    return count
