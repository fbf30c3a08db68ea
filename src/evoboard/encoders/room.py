"""room: how much room either side of hexwar has to grow, and the armies as `threats` sees them.

    own and the other side's   what the tiles held can still produce, in tens; empty tiles beside
                               them, in eighths; empty tiles nearer to one side than to the other,
                               in eighths; pieces on tiles without an empty one beside them, in
                               tens; 1 where a side can neither produce nor step aside; the
                               largest army, in tens; 1 where a side has an army three steps or
                               more from every enemy; shares of the tiles beside its armies that
                               enemies hold, added up
    once                       how far the two sides are apart, in sixths

Armies cancel one for one, so whoever can still produce when the other cannot wins in the end; and
the last army must not stand beside one that can take it.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.encoders.threats import EIGHTH, FARTHEST, TENTH, with_threats
from evoboard.games.base import Game
from evoboard.games.hexwar import CELLS, LIMIT, steps_between
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE, SIXTH = F(0), F(1), F(1 / 6)
LEFT, BESIDE, LAND, HEMMED, STUCK, LARGEST, RESERVE, BLOCKED, APART = range(0, 18, 2)
WORDS = ("still to produce", "empty beside", "land", "hemmed in", "stuck", "largest army",
         "reserve", "blocked")  # fmt: skip
AWAY = 3  # steps from every enemy
PARTS = 60  # of a share: whole for 2 to 6 tiles
PART = F(1 / 60)
DISTANCE = np.zeros((CELLS, CELLS), np.int64)  # those of a layout are put in its place


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of hexwar, None for other games."""
    if game.name != "hexwar":
        return None
    steps = steps_between(np.array(game.written("NEIGHBOURS")))
    names = tuple(f"{side} {word}" for word in WORDS for side in ("own", "other"))
    kernel = with_constants(write_room, DISTANCE=steps)
    return with_threats("room", game, kernel, (*names, "apart"))


def write_room(state: Array, out: Array) -> None:
    """Write how much room there is, each number for the side to move and then for the other."""
    for i in range(APART):
        out[i] = ZERO
    sign, apart = 1 - 2 * state[TURN], FARTHEST
    for cell in range(CELLS):
        count, own, other = state[cell] * sign, CELLS, CELLS
        empty, foes, beside = 0, 0, 0
        for tile in range(CELLS):
            there, steps = state[tile] * sign, DISTANCE[cell, tile]
            if there > 0:
                own = min(own, steps)
            elif there < 0:
                other = min(other, steps)
            if steps == 1:
                beside += 1
                if there == 0:
                    empty += 1
                elif there * count < 0:
                    foes += 1
        if count == 0:
            if own == 1:
                out[BESIDE] += EIGHTH
            if other == 1:
                out[BESIDE + 1] += EIGHTH
            if own < other:
                out[LAND] += EIGHTH
            if other < own:
                out[LAND + 1] += EIGHTH
            continue
        theirs = 0 if count > 0 else 1
        here = F(count if count > 0 else -count)
        near = other if count > 0 else own
        apart = min(apart, near)
        # Whole numbers until the end: they give the same sum in any order.
        out[LEFT + theirs] += F(LIMIT) - here
        if empty == 0:
            out[HEMMED + theirs] += here
        out[LARGEST + theirs] = max(out[LARGEST + theirs], here)
        if near >= AWAY:
            out[RESERVE + theirs] = ONE
        out[BLOCKED + theirs] += F(foes * PARTS // beside)
    for theirs in range(2):
        if out[LEFT + theirs] == ZERO and out[BESIDE + theirs] == ZERO:
            out[STUCK + theirs] = ONE
        out[LEFT + theirs] *= TENTH
        out[HEMMED + theirs] *= TENTH
        out[LARGEST + theirs] *= TENTH
        out[BLOCKED + theirs] *= PART
    out[APART] = F(apart) * SIXTH
