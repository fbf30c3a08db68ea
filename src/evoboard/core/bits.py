"""Bit operations for bitboards, on signed 64-bit integers.

Numba mixes signed and unsigned 64-bit numbers into floats, so bitboards are int64 throughout and
the sign bit is an ordinary square. Right shifts must be logical: use `shift_right`.

Each function below is plain Python for the uncompiled target; in place of the first five,
`core/link.py` puts the processor's own instructions.
"""

from __future__ import annotations

import numpy as np

_UNSIGNED = (1 << 64) - 1


def popcount(bits: np.int64) -> int:
    """Return the number of set bits."""
    return (int(bits) & _UNSIGNED).bit_count()


def lowest(bits: np.int64) -> int:
    """Return the index of the lowest set bit; `bits` must not be 0."""
    number = int(bits) & _UNSIGNED
    return (number & -number).bit_length() - 1


def shift_right(bits: np.int64, count: int) -> np.int64:
    """Return `bits` moved `count` (0..63) places towards bit 0, zeros coming in from above."""
    return np.int64(np.uint64(int(bits) & _UNSIGNED) >> np.uint64(count))


def plus(one: np.int64, other: np.int64) -> np.int64:
    """Return the sum, wrapped round at 64 bits; `+` leaves an overflow to the compiler's whim."""
    return as_signed((int(one) + int(other)) & _UNSIGNED)


def times(one: np.int64, other: np.int64) -> np.int64:
    """Return the product, wrapped round at 64 bits; `*` leaves an overflow to the compiler."""
    return as_signed((int(one) * int(other)) & _UNSIGNED)


def bit(index: int) -> np.int64:
    """Return the number whose only set bit is `index` (0..63)."""
    return np.int64(1) << np.int64(index)


def as_signed(bits: int) -> np.int64:
    """Return the int64 with the same 64 bits as the non-negative Python number `bits`."""
    return np.int64(bits - (1 << 64) if bits >> 63 else bits)
