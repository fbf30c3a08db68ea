"""The processor's own instructions for the functions of `core/bits.py`, per target."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator,attr-defined"

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def cpu_intrinsics() -> dict[str, Any]:
    """Return Numba intrinsics for `popcount`, `lowest` and `shift_right` on int64."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    word = types.int64

    def typed(count):
        return word(*([word] * count))

    @intrinsic
    def popcount(context, bits):
        return typed(1), lambda _c, builder, _s, args: builder.ctpop(args[0])

    @intrinsic
    def lowest(context, bits):
        def code(_c, builder, _s, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return typed(1), code

    @intrinsic
    def shift_right(context, bits, count):
        return typed(2), lambda _c, builder, _s, args: builder.lshr(args[0], args[1])

    return {"popcount": popcount, "lowest": lowest, "shift_right": shift_right}


@cache
def cuda_functions() -> dict[str, Any]:
    """Return CUDA device functions for the same names, and for `thread_index`."""
    import numpy as np
    from numba import cuda

    @cuda.jit(device=True)
    def popcount(bits):
        return np.int64(cuda.popc(bits))

    @cuda.jit(device=True)
    def lowest(bits):
        return np.int64(cuda.ffs(bits)) - 1

    @cuda.jit(device=True)
    def shift_right(bits, count):
        return np.int64(np.uint64(bits) >> np.uint64(count))

    @cuda.jit(device=True)
    def thread_index():
        return cuda.grid(1)

    return {f.py_func.__name__: f for f in (popcount, lowest, shift_right, thread_index)}
