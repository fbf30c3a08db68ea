"""Addressed randomness: every random number has an address, so nothing depends on who asks first.

`address(seed, "openings", generation, game)` is a 64-bit number; `stream(...)` is a NumPy generator
that starts there. Kernels use a one-cell int64 array (or a local number) stepped by `next_random`.
"""

from __future__ import annotations

import hashlib

import numpy as np

from evoboard.core.bits import plus, shift_right, times

_STEP = np.int64(0x1E3779B97F4A7C15)
_FOLD = np.int64(0x3F58476D1CE4E5B9)


def address(seed: int, *purpose: int | str) -> int:
    """Return the positive 63-bit number that belongs to this seed and purpose, never 0."""
    text = "\x1f".join(str(part) for part in (seed, *purpose)).encode()
    number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 1
    return number or 1


def stream(seed: int, *purpose: int | str) -> np.random.Generator:
    """Return a NumPy generator that starts at the given address.

    Its numbers are the same everywhere, but for normal ones beyond ±3.654, one in 3,900: NumPy
    makes them with the C library's log1p, whose last bit depends on library and processor.
    """
    return np.random.Generator(np.random.PCG64(address(seed, *purpose)))


def next_random(number: np.int64) -> np.int64:
    """Return the successor of `number` (not 0) in a xorshift sequence of period 2^64 - 1."""
    number ^= number << np.int64(13)
    number ^= shift_right(number, 7)
    number ^= number << np.int64(17)
    return number


def below(number: np.int64, bound: int) -> np.int64:
    """Return a value in 0..bound-1 made of the upper 31 bits of `number`; bound < 2^32."""
    return (shift_right(number, 33) * bound) >> np.int64(31)


def nth_seed(number: int, index: int) -> np.int64:
    """Return the seed of the `index`-th of many equal things, mixed so that neighbours differ."""
    word = times(plus(np.int64(number), times(np.int64(index), _STEP)), _FOLD)
    word = times(word ^ shift_right(word, 29), _FOLD)
    # The lowest bit keeps a seed from being 0, which a xorshift sequence never leaves.
    return shift_right(word ^ shift_right(word, 32), 1) | np.int64(1)
