"""An encoder: the heaps of nim as binary digits, -1 or 1, seen by the side to move."""

import numpy as np

from evoboard.encoders.base import Encoder
from evoboard.games.rules import TURN

DIGITS = 3  # heaps of up to 7 matches
ONE, MINUS_ONE = np.float32(1), np.float32(-1)


def encoder_for(game):
    """Return the encoder for a game, None where it does not fit."""
    if game.name != "nim" or max(game.options["heaps"]) >= 2**DIGITS:
        return None
    heaps = game.turn  # in nim the side to move is the cell after the heaps
    return Encoder("binary heaps", DIGITS * heaps, encode, seen_by="mover")


def encode(state, out):
    """Write the numbers that a network sees; compiled, so plain loops over plain numbers."""
    for heap in range(TURN):
        for digit in range(DIGITS):
            out[DIGITS * heap + digit] = ONE if state[heap] >> digit & 1 else MINUS_ONE
