"""binary: the binary digits of nim's heaps, heap by heap, the ones first.

Every heap has as many digits as the largest one of the game needs.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.rules import TURN

F = np.float32
DIGITS = 3


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder for nim, None for other games."""
    if game.name != "nim":
        return None
    digits = max(game.options["heaps"]).bit_length()
    kernel = with_constants(encode, DIGITS=digits)
    # In nim the side to move is the cell after the heaps.
    names = tuple(f"heap {h}, {1 << d}s" for h in range(game.turn) for d in range(digits))
    return Encoder("binary", game.turn * digits, kernel, "mover", names)


def encode(state: Array, out: Array) -> None:
    """Write the digits of every heap."""
    for heap in range(TURN):
        for digit in range(DIGITS):
            out[heap * DIGITS + digit] = F(state[heap] >> digit & 1)
