"""CUDA device functions for the functions of `core/bits.py`, and the number of a thread."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator,attr-defined"

from __future__ import annotations

import numpy as np
from numba import cuda


@cuda.jit(device=True)
def popcount(bits):
    return np.int64(cuda.popc(bits))


@cuda.jit(device=True)
def lowest(bits):
    # Not cuda.ffs: Numba's simulator knows it for 32 bits only.
    return np.int64(cuda.popc((bits & -bits) - 1))


@cuda.jit(device=True)
def shift_right(bits, count):
    return np.int64(np.uint64(bits) >> np.uint64(count))


@cuda.jit(device=True)
def plus(one, other):
    return np.int64(np.uint64(one) + np.uint64(other))


@cuda.jit(device=True)
def times(one, other):
    return np.int64(np.uint64(one) * np.uint64(other))


@cuda.jit(device=True)
def thread_index():
    return cuda.grid(1)


FUNCTIONS = {
    "popcount": popcount,
    "lowest": lowest,
    "shift_right": shift_right,
    "plus": plus,
    "times": times,
    "thread_index": thread_index,
}
