"""A number that stands for a position, for repetition rules and transposition tables."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import plus, shift_right, times
from evoboard.games.rules import IDENTITY, STATE_SIZE

# Odd multipliers with well-mixed bits, from the fractional parts of square roots of primes.
_SALT = np.int64(0x5BE0CD19137E2179)
_FOLD = np.int64(0x3C6EF372FE94F82B)
_MIX = np.int64(0x510E527FADE682D1)


def position_key(state: Array) -> np.int64:
    """Return 64 bits that are equal for equal positions and almost surely differ for others.

    Cells are mixed one by one and added, so that the processor works on several at once.
    """
    key = np.int64(0)
    for cell in range(STATE_SIZE):
        word = (state[cell] & IDENTITY[cell]) ^ times(np.int64(cell + 1), _SALT)
        # A product carries bits upwards only: without the shifts, changes of the highest bits
        # in two cells (a bitboard's last rank) can cancel each other out.
        word = times(word ^ shift_right(word, 32), _FOLD)
        word = times(word ^ shift_right(word, 29), _MIX)
        key = plus(key, word ^ shift_right(word, 32))
    return key
