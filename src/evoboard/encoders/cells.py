"""cells: every cell of a state as a number, for games that bring no encoder of their own.

Cells that do not tell positions apart, such as move counters, are 0. The numbers do not change with
the side to move, so the network's value is the first side's. Games that keep whole boards in a cell
(chess, draughts) are left out: such numbers mean nothing to a network.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.rules import IDENTITY, STATE_SIZE

F = np.float32


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of any game but those on bitboards."""
    if game.name in ("chess", "draughts"):
        return None
    return Encoder("cells", game.state_size, encode, "first")


def encode(state: Array, out: Array) -> None:
    """Write the cells."""
    for cell in range(STATE_SIZE):
        out[cell] = F(state[cell] & IDENTITY[cell])
