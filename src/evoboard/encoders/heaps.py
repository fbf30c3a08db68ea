"""heaps: the sizes of nim's heaps as they are (paper B)."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.rules import TURN

F = np.float32


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder for nim, None for other games."""
    # In nim the side to move is the cell after the heaps.
    return Encoder("heaps", game.turn, encode, "mover") if game.name == "nim" else None


def encode(state: Array, out: Array) -> None:
    """Write the size of every heap."""
    for heap in range(TURN):
        out[heap] = F(state[heap])
