"""The processor's own instructions for the functions of `core/bits.py`, on the CPU."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"

from __future__ import annotations

from functools import cache
from typing import Any

from evoboard.core.bits import NATIVE


@cache
def cpu_intrinsics() -> dict[str, Any]:
    """Return Numba intrinsics for the NATIVE functions of `core/bits.py`, on int64."""
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

    @intrinsic
    def plus(context, one, other):
        return typed(2), lambda _c, builder, _s, args: builder.add(args[0], args[1])

    @intrinsic
    def times(context, one, other):
        return typed(2), lambda _c, builder, _s, args: builder.mul(args[0], args[1])

    found = (popcount, lowest, shift_right, plus, times)
    return dict(zip(NATIVE, found, strict=True))
