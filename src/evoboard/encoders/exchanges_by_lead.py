"""exchanges_by_lead: exchanges three times: always, where the mover is ahead, and where sides are
level.

Who has more pieces should trade armies and who has fewer should not, so a number of `exchanges` may
count for one and against the other. Without hidden nodes a network can have one weight for it; here
it has three. The second and third copies are 0 where they do not apply.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import with_constants
from evoboard.encoders import exchanges
from evoboard.encoders.base import Encoder
from evoboard.encoders.exchanges import write_exchanges
from evoboard.games.base import Game
from evoboard.games.hexwar import PIECES
from evoboard.games.rules import TURN

ZERO = np.float32(0)
COUNT = 0  # of the inputs of `exchanges`; put in its place


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of hexwar, None for other games."""
    once = exchanges.encoder_for(game)
    if once is None:
        return None
    kernel = with_constants(write_by_lead, write_exchanges=once.encode, COUNT=once.inputs)
    names = [f"{where}{name}" for where in ("", "ahead: ", "level: ") for name in once.names]
    return Encoder("exchanges_by_lead", len(names), kernel, "mover", tuple(names))


def write_by_lead(state: Array, out: Array) -> None:
    """Write the inputs of `exchanges`, and the two copies."""
    write_exchanges(state, out)
    lead = state[PIECES + state[TURN]] - state[PIECES + 1 - state[TURN]]
    for i in range(COUNT):
        out[COUNT + i] = out[i] if lead > 0 else ZERO
        out[2 * COUNT + i] = out[i] if lead == 0 else ZERO
