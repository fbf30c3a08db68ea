"""Functions compiled for a GPU: those of `core/bits.py`, what tells threads apart, and any other.

Numbers come out as on the CPU, which rounds after every operation. A GPU's compiler would multiply
and add in one step, rounding once; it has an option against that, but Numba does not pass it on.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator,attr-defined"

from __future__ import annotations

import re
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda still looks for it

from numba import config, cuda

from evoboard.core.errors import KernelError

# What Numba writes where a thread has an array: zeros, which are not needed.
CLEARED = re.compile(r'^ *store \[.*zeroinitializer,.*%"_cudapy_lmem.*$', re.MULTILINE)
SIMULATED = bool(getattr(config, "ENABLE_CUDASIM", False))


def compile_for_gpu(function: types.FunctionType, is_root: bool) -> Any:
    """Return a kernel, which the CPU starts, or a function for such kernels to call."""
    jit: Any = cuda.jit
    if not is_root or SIMULATED:
        return jit(function, device=not is_root)
    # Optimising once more while linking, as is usual, would fuse what was left apart. (As a
    # decorator with arguments, `jit` forgets this one.)
    return jit(function, lto=False)


def starter(
    kernel: Any, arguments: tuple[Any, ...], blocks: int, threads: int
) -> Callable[[], None]:
    """Return what starts a kernel with these arguments, again and again, compiled already."""
    if SIMULATED:  # its kernels know the grid they were given last
        return lambda: kernel[blocks, threads](*arguments)
    configured = kernel[blocks, threads]
    made: Any = compile_now(kernel, arguments)
    prepared: list[Any] = []
    # Preparing arguments takes longer than many a kernel runs; Numba would do so at every start.
    try:
        for kind, value in zip(made.argument_types, arguments, strict=True):
            made._prepare_args(kind, value, configured.stream, [], prepared)
        core, code = import_module("cuda.core"), made._codelibrary.get_cufunc().kernel
        config = core.LaunchConfig(grid=blocks, block=threads)
    except (AttributeError, ImportError, TypeError):  # another version of Numba's
        return lambda: configured(*arguments)

    def start(kept: tuple[Any, ...] = arguments) -> None:  # their memory is freed with them
        core.launch(configured.stream, config, code, *prepared)

    return start


def compile_now(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """Return a kernel for such arguments; raise KernelError if a GPU's compiler will not."""
    try:
        return kernel.compile(tuple(map(kernel.typeof_pyval, arguments)))
    except Exception as error:  # of Numba, or of any of the compilers it calls
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise KernelError(
            f"it cannot be compiled for a GPU ({type(error).__name__}: {' '.join(said[:2])[:300]})."
        ) from error


def zeros(shape: Any, kind: type) -> Any:
    """Return an array of zeros that were not sent to the GPU but written there."""
    if SIMULATED:
        return cuda.to_device(np.zeros(shape, kind))
    made = cuda.device_array(shape, kind)
    driver: Any = import_module("numba.cuda.cudadrv.driver")
    driver.device_memset(made, 0, made.nbytes)
    return made


def capacity() -> tuple[int, int]:
    """Return how many processors the GPU has, and its free memory in bytes."""
    if SIMULATED:
        return 1, 1 << 30
    device, context = cuda.get_current_device(), cuda.current_context()
    return int(device.MULTIPROCESSOR_COUNT), int(context.get_memory_info()[0])


def _prepare_compiler() -> None:
    """Have code for the GPU compiled as it is needed here.

    Without fused multiplications and additions; a function that comes several times, because
    several others call it, only once; a thread's arrays not filled with zeros; tables in the GPU's
    memory, since its constants have 64 KB and are slow where threads read different entries; and
    nothing said about small grids.
    """
    settings: Any = import_module("numba.cuda.core.config")
    nvvm: Any = import_module("numba.cuda.cudadrv.nvvm")
    usual = nvvm.compile_ir
    if hasattr(usual, "prepared"):
        return

    def compile_ir(code: Any, **options: Any) -> Any:
        once = list(dict.fromkeys(code)) if isinstance(code, list) else [code]
        once = [CLEARED.sub("", text) if isinstance(text, str) else text for text in once]
        return usual(once, **{"fma": False, **options})

    compile_ir.__dict__["prepared"] = True
    nvvm.compile_ir = compile_ir
    nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
    settings.CUDA_LOW_OCCUPANCY_WARNINGS = 0


if not SIMULATED:
    _prepare_compiler()


@cuda.jit(device=True)
def popcount(bits):
    return np.int64(cuda.popc(np.uint64(bits)))  # the simulator miscounts negative numbers


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


@cuda.jit(device=True)
def count_down(cell):
    cuda.atomic.add(cell, 0, -1)


@cuda.jit(device=True)
def count_up(cells, index, by):
    return cuda.atomic.add(cells, index, by)


@cuda.jit(device=True)
def raise_to(cells, index, value):
    cuda.atomic.max(cells, index, value)


@cuda.jit(device=True)
def threads_meet():
    cuda.syncthreads()


@cuda.jit(device=True)
def threads_that(flag):
    # Numba's simulator has warps of one thread here, and no ballots.
    return np.int64(cuda.popc(cuda.ballot_sync(0xFFFFFFFF, flag)))


def _four() -> Any:
    """Return what reads four neighbouring cells of an array in the GPU's memory at once."""
    from llvmlite import ir
    from numba.core import types as kinds

    intrinsic: Any = import_module("numba.cuda.extending").intrinsic

    @intrinsic
    def read(context, cells, place):
        made = kinds.UniTuple(cells.dtype, 4)(cells, kinds.uint64)

        def generate(context, builder, signature, arguments):
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            first = builder.gep(array.data, [arguments[1]])
            cell = first.type.pointee
            there = builder.addrspacecast(first, ir.PointerType(cell, 1))
            found = builder.load(builder.bitcast(there, ir.PointerType(ir.VectorType(cell, 4), 1)))
            found.align = 16
            parts = [builder.extract_element(found, ir.IntType(32)(i)) for i in range(4)]
            return context.make_tuple(builder, signature.return_type, parts)

        return made, generate

    return read


def _copy_row() -> Any:
    """Return what copies a position's cells, 16 bytes at a time."""
    from llvmlite import ir
    from numba.core import types as kinds

    intrinsic: Any = import_module("numba.cuda.extending").intrinsic

    @intrinsic
    def copy_word(context, source, target, place):
        def generate(context, builder, signature, arguments):
            word, begins = ir.PointerType(ir.VectorType(ir.IntType(32), 4)), []
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True):
                array = context.make_array(kind)(context, builder, value)
                begins.append(builder.gep(builder.bitcast(array.data, word), [arguments[2]]))
            found = builder.load(begins[0])
            found.align = 16
            builder.store(found, begins[1]).align = 16
            return context.get_dummy_value()

        return kinds.void(source, target, kinds.int64), generate

    @intrinsic
    def cell_bytes(context, cells):
        def generate(context, builder, signature, arguments):
            return ir.IntType(64)(cells.dtype.bitwidth // 8)

        return kinds.int64(cells), generate

    @cuda.jit(device=True)
    def copy_row(source, target, size):
        # Not `source.itemsize`, which is read from memory.
        for place in range((size * cell_bytes(source) + 15) // 16):
            copy_word(source, target, place)

    return copy_row


FUNCTIONS = {
    "popcount": popcount,
    "lowest": lowest,
    "shift_right": shift_right,
    "plus": plus,
    "times": times,
    "thread_index": thread_index,
    "count_down": count_down,
    "count_up": count_up,
    "raise_to": raise_to,
    "threads_meet": threads_meet,
}
if not SIMULATED:
    FUNCTIONS["threads_that"] = threads_that
    FUNCTIONS["four"] = _four()
    FUNCTIONS["copy_row"] = _copy_row()
