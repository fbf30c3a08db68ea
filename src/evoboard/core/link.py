"""Link plain-Python kernels into compiled code: for the CPU, for CUDA, or left as Python.

A kernel is an ordinary function over arrays. It may call other kernels of its module, kernels it
imports by name, and *slots*: named holes such as `legal_moves` that `link` fills. `link` walks
from one function to everything it reaches and gives each function a copy whose globals hold the
linked callees, so one source serves every game, network, search and target.

The stamp of a copy covers its code, the values of the constants it reads and the stamps of its
callees. It is the key of the disk cache (`core/cache.py`): a second process starts warm, stale
code never runs after a rule was edited, and rules compiled for one search are ready for the next.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, cast

import numpy as np

from evoboard.core import bits
from evoboard.core.errors import KernelError
from evoboard.core.loading import loading
from evoboard.core.wording import nearest

Target = Literal["cpu", "checked", "cuda", "python"]
Function = Callable[..., Any]


def link(root: Function, bindings: Mapping[str, Any] | None = None, target: Target = "cpu") -> Any:
    """Return `root` ready to call on `target`, its slots filled from `bindings`.

    Targets: "cpu" compiles, caches on disk and releases the GIL; "checked" does too, and raises
    IndexError if a kernel leaves an array's bounds; "cuda" makes device functions; "python"
    does not compile, for debugging and coverage.
    """
    return _Linker(bindings or {}, target).function(_plain(root)).linked


@cache
def linked(root: Function) -> Any:
    """Return a kernel without slots ready to call, the same one each time it is asked for."""
    return link(root)


def slot(function: Function) -> Function:
    """Mark `function` as a slot: a documented name that `link` fills from its bindings."""
    function.__dict__["evoboard_slot"] = True
    return function


class _ConstantSlot:
    """A placeholder for a constant of the linked game."""


def constant_slot() -> Any:
    """Return the placeholder of a constant that `link` fills from its bindings, by its name."""
    return _ConstantSlot()


def stamp(root: Function, bindings: Mapping[str, Any] | None = None) -> str:
    """Return a text that changes whenever the behaviour of the linked `root` may have changed."""
    return _Linker(bindings or {}, "python").function(_plain(root)).stamp


class _Linked:
    """A linked function with the stamp of everything it can reach."""

    def __init__(self, linked: Any, stamp: str) -> None:
        self.linked, self.stamp = linked, stamp


class _Linker:
    """Links every function reachable from a root, each once."""

    def __init__(self, bindings: Mapping[str, Any], target: Target) -> None:
        self.bindings, self.target = bindings, target
        self.compile = _compiler(target)
        self.done: dict[int, _Linked] = {}
        self.path: list[types.FunctionType] = []

    def function(self, function: types.FunctionType) -> _Linked:
        """Return `function` linked; its callees are linked on the way."""
        if id(function) in self.done:
            return self.done[id(function)]
        if function in self.path:
            names = " -> ".join(f.__name__ for f in [*self.path, function])
            raise KernelError(f"kernels cannot call themselves ({names}); use a loop with a stack.")
        if function.__closure__:
            raise KernelError(
                f"kernel {_where(function)} is defined inside another function; "
                "move it to the top level of its file."
            )
        if self.path or self.target != "cuda":  # a GPU root has to make its arrays
            _refuse_what_kernels_lack(function.__code__)
        self.path.append(function)
        digest = hashlib.sha256(_code_digest(function.__code__))
        digest.update(_constant_digest(function.__defaults__, "its defaults", function))
        scope: dict[str, Any] = {"__builtins__": builtins, "__name__": __name__}
        for name in _global_names(function.__code__):
            value = self.resolve(function, name)
            plain = _plain(value)
            if isinstance(plain, types.FunctionType) and not _is_library(plain):
                callee = self.function(plain)
                scope[name] = callee.linked
                digest.update(f"{name}={callee.stamp}".encode())
            else:
                scope[name] = value
                digest.update(name.encode() + _constant_digest(value, name, function))
        self.path.pop()
        stamp = digest.hexdigest()[:20]
        linked = self.compile(function, scope, stamp, not self.path)
        if not self.path and hasattr(linked, "compile"):
            linked.functions = len(self.done) + 1
        # Keep the function itself, so that its id is not reused while this linker lives.
        self.done[id(function)] = _Linked(linked, stamp)
        return self.done[id(function)]

    def resolve(self, function: types.FunctionType, name: str) -> Any:
        """Return what the global `name` means inside `function`."""
        value = function.__globals__.get(name, getattr(builtins, name, _MISSING))
        if value is _MISSING or isinstance(value, _ConstantSlot) or _is_slot(value):
            value = self.bindings.get(name, _MISSING)
            if value is _MISSING:
                known = {*self.bindings, *function.__globals__} - {name}
                near = nearest(name, known, most=1, cutoff=0.7)
                hint = f" Did you mean {near[0]}?" if near else ""
                raise KernelError(
                    f"kernel {_where(function)} uses {name!r}, which is neither defined in its "
                    f"file nor provided by the parts it is linked with.{hint}"
                )
        return value


_MISSING = object()


def _plain(value: Any) -> Any:
    """Return the Python function under a Numba decorator, or `value` itself."""
    return getattr(value, "py_func", value)


def _is_slot(value: Any) -> bool:
    return isinstance(value, types.FunctionType) and "evoboard_slot" in value.__dict__


def _is_library(function: types.FunctionType) -> bool:
    """Tell whether Numba knows the function by itself, such as np.sum.

    A user's file may be called numpy.py; only what was imported has a specification.
    """
    known = (function.__module__ or "").split(".")[0] in ("numpy", "numba", "math")
    return known and function.__globals__.get("__spec__") is not None


def _where(function: types.FunctionType) -> str:
    return _place(function.__code__)


def _place(code: types.CodeType) -> str:
    file = code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{code.co_name} ({file}, line {code.co_firstlineno})"


# On a GPU a kernel can neither allocate nor raise, so it may not do so anywhere.
_REFUSED = {
    "BUILD_LIST": "makes a list",
    "BUILD_MAP": "makes a dict",
    "BUILD_CONST_KEY_MAP": "makes a dict",
    "BUILD_SET": "makes a set",
    "RAISE_VARARGS": "raises an exception",
    "STORE_GLOBAL": "assigns to a global",
    "IMPORT_NAME": "imports inside a function",
    "YIELD_VALUE": "yields",
}
_LINEAR_ALGEBRA = ("dot", "vdot", "linalg")
_ALLOCATIONS = ("zeros", "ones", "empty", "full", "array", "arange", "copy", "append", "zeros_like")


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of `code` and of the comprehensions in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _steps(constant)


# Reading instructions takes most of the linking time, and a server links the same functions for
# every visitor's player.
@lru_cache(8192)
def _refuse_what_kernels_lack(code: types.CodeType) -> None:
    """Raise KernelError if a kernel does something that cannot be compiled for every target."""
    for step in _steps(code):
        line = step.positions.lineno if step.positions else 0
        what = _REFUSED.get(step.opname, "")
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in _ALLOCATIONS:
            what = f"allocates an array ({step.argval})"
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in _LINEAR_ALGEBRA:
            what = f"uses linear algebra ({step.argval})"
        if step.opname == "LOAD_GLOBAL" and step.argval == "print":
            what = "prints"
        if step.opname == "LOAD_CONST" and isinstance(step.argval, str):
            what = f"uses the text {step.argval!r}"
        if what:
            raise KernelError(
                f"kernel {_place(code)} {what} in line {line}; kernels are plain loops over "
                "numbers and the arrays they are given."
            )


@lru_cache(8192)
def _global_names(code: types.CodeType) -> tuple[str, ...]:
    """Return the global names that `code`, or a function nested in it, loads, in a fixed order."""
    names = {
        cast(str, step.argval)
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_global_names(constant))
    return tuple(sorted(names))


def _code_digest(code: types.CodeType) -> bytes:
    """Return a digest of what the code does, independent of its file, its lines and the process."""
    digest = hashlib.sha256(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames, code.co_argcount)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            digest.update(_code_digest(constant))
        elif isinstance(constant, frozenset):
            digest.update(repr(sorted(map(repr, constant))).encode())
        else:
            digest.update(repr(constant).encode())
    return digest.digest()


def _constant_digest(value: Any, name: str, function: types.FunctionType) -> bytes:
    """Return a digest of a constant's value, or refuse what a kernel cannot read."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(f"{value.dtype}{value.shape}".encode() + value.tobytes()).digest()
    if isinstance(value, tuple):
        parts = [_constant_digest(item, name, function) for item in value]
        return hashlib.sha256(b"".join(parts)).digest()
    if value is None or isinstance(value, bool | int | float | str | np.generic | enum.Enum):
        return hashlib.sha256(f"{type(value).__name__}{value!r}".encode()).digest()
    if isinstance(value, types.ModuleType):
        if value.__name__.split(".")[0] not in ("numpy", "math", "numba"):
            if value.__name__ == "random":
                raise KernelError(
                    f"kernel {_where(function)} uses the module random; chance comes from `seed` "
                    "and the functions of evoboard.core.rng, so that one seed gives one game."
                )
            raise KernelError(
                f"kernel {_where(function)} reaches into the module {value.__name__!r}; "
                "import the functions and constants it needs by name."
            )
        return value.__name__.encode()
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', '')}".encode()
    raise KernelError(
        f"kernel {_where(function)} reads {name!r}, a {type(value).__name__}; kernels can read "
        "numbers, NumPy arrays and tuples of them."
    )


_Compile = Callable[[types.FunctionType, dict[str, Any], str, bool], Any]


def _copy(function: types.FunctionType, scope: dict[str, Any], stamp: str) -> types.FunctionType:
    """Return `function` with `scope` for its globals and the stamp in its qualified name."""
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    # Numba stores the module's name with the code and must find it again, which fails for a user's
    # file; the stamp alone tells kernels apart.
    copy.__module__ = __name__
    copy.__qualname__ = f"{function.__name__}_{stamp}"
    copy.__doc__ = function.__doc__
    return copy


def _compiler(target: Target) -> _Compile:
    """Return the function that turns one copy into what `target` runs."""
    if target == "python":
        return _python_copy
    if target in ("cpu", "checked"):
        return _cpu_compiler(checked=target == "checked")
    if target == "cuda":
        return _cuda_compiler()
    raise KernelError(f"there is no target {target!r}; choose cpu, checked, cuda or python.")


def _python_copy(
    function: types.FunctionType, scope: dict[str, Any], stamp: str, is_root: bool
) -> Any:
    """Return an uncompiled copy that computes as the compiled one does.

    Compiled code widens small integers to 64 bits before it calculates; NumPy's 8-bit scalars would
    overflow instead, so small integer tables are widened here. Callers pass int64 arrays for the
    same reason. Wrap-around of 64-bit numbers is intended and not worth a warning.
    """
    copy = _copy(function, {name: _widen(value) for name, value in scope.items()}, stamp)
    if not is_root:
        return copy

    def quietly(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return copy(*args)

    return quietly


def _widen(value: Any) -> Any:
    small = isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.itemsize < 8
    return value.astype(np.int64) if small else value


# Equal stamps mean equal behaviour: a function linked twice in a process is compiled once.
_COMPILED: dict[str, Any] = {}
_LOCK = threading.Lock()


@cache
def _instructions() -> dict[str, Any]:
    """Return the processor's own instructions for functions of `core/bits.py`."""
    from llvmlite import ir
    from numba.core.types import int64
    from numba.extending import intrinsic

    def of_one(write: Any) -> Any:
        kind = int64(int64)
        return intrinsic(
            lambda _, bits: (kind, lambda _c, builder, _s, args: write(builder, *args))
        )

    def of_two(write: Any) -> Any:
        kind = int64(int64, int64)
        return intrinsic(
            lambda _, one, other: (kind, lambda _c, builder, _s, args: write(builder, *args))
        )

    never_zero = ir.Constant(ir.IntType(1), 1)
    make = ir.IRBuilder
    return {
        "popcount": of_one(make.ctpop),
        "lowest": of_one(lambda builder, bits: builder.cttz(bits, never_zero)),
        "shift_right": of_two(make.lshr),
        "plus": of_two(make.add),
        "times": of_two(make.mul),
    }


def _cpu_compiler(checked: bool) -> _Compile:
    with loading("evoboard.core.fragments"):
        from numba import njit

        from evoboard.core import fragments
        from evoboard.core.cache import KernelCache

        native = _instructions()
    model: Literal["python", "numpy"] = "python" if checked else "numpy"
    jit: Any = njit
    # Kernels do not allocate, so arrays need no reference counts: without them a call is cheaper,
    # and threads that share a population do not write to the same counters.
    options = {"nogil": True, "boundscheck": checked, "error_model": model, "_nrt": False}
    decorate_root = jit(**options, **fragments.ROOT_OPTIONS)
    decorate_fragment = jit(**options, **fragments.OPTIONS)

    def compile_copy(
        function: types.FunctionType, scope: dict[str, Any], stamp: str, is_root: bool
    ) -> Any:
        if function.__module__ == bits.__name__ and function.__name__ in native:
            return native[function.__name__]
        mark = f"{stamp}-{'checked' if checked else 'cpu'}{'' if is_root else '-fragment'}"
        decorate = decorate_root if is_root else decorate_fragment
        with _LOCK:
            if mark not in _COMPILED:
                dispatcher: Any = decorate(_copy(function, scope, mark))
                if not is_root:
                    fragments.ignore_literals(dispatcher)
                dispatcher._cache = KernelCache(function.__name__, mark, is_root)
                fragments.compile_once(dispatcher)
                _COMPILED[mark] = dispatcher
            return _COMPILED[mark]

    return compile_copy


def _cuda_compiler() -> _Compile:
    from evoboard.core import native_cuda
    from evoboard.core.cache import CudaCache

    simulated = native_cuda.SIMULATED

    def compile_copy(
        function: types.FunctionType, scope: dict[str, Any], stamp: str, is_root: bool
    ) -> Any:
        replaced = native_cuda.FUNCTIONS.get(function.__name__)
        if replaced is not None and function.__module__ in (bits.__name__, __name__):
            return replaced
        if simulated:
            scope = {name: _widen(value) for name, value in scope.items()}
        mark = f"{stamp}-cuda"
        with _LOCK:
            if simulated or mark not in _COMPILED:
                compiled = native_cuda.compile_for_gpu(_copy(function, scope, mark), is_root)
                if is_root and not simulated:
                    compiled._cache = CudaCache(function.__name__, mark)
                _COMPILED[mark] = compiled
            return _COMPILED[mark]

    return compile_copy


def thread_index() -> int:
    """Return the number of this thread in a CUDA launch; 0 on every other target."""
    return 0


def count_down(cell: Any) -> None:
    """Take 1 off the number in the one cell of an array, whichever threads do so at a time."""
    cell[0] -= 1


def count_up(cells: Any, index: int, by: int) -> Any:
    """Add to a cell, whichever threads do so at a time; return what it was before."""
    cells[index] += by
    return cells[index] - by


def raise_to(cells: Any, index: int, value: Any) -> None:
    """Write a number into a cell that holds a smaller one, whichever threads do so at a time."""
    cells[index] = max(cells[index], value)


def threads_meet() -> None:
    """Wait for all threads of a CUDA block; nothing on every other target."""


def threads_that(flag: bool) -> int:
    """Return for how many of the 32 threads that work in step a flag is set; all must ask."""
    return 1 if flag else 0


def four(cells: Any, place: Any) -> Any:
    """Return four cells, from a place divisible by 4 on; a GPU reads them at once, from an array
    in its memory whose cells have 4 bytes."""
    return cells[place], cells[place + 1], cells[place + 2], cells[place + 3]


def copy_row(source: Any, target: Any, size: int) -> None:
    """Copy so many cells, a constant number; a GPU copies words of 16 bytes, so it may copy cells
    behind them, too, and both rows have to begin at such words."""
    for cell in range(size):
        target[cell] = source[cell]


def prepare(kernel: Any, *arguments: Any) -> None:
    """Compile a linked kernel for such arguments now, so that the first call is not slower."""
    if hasattr(kernel, "compile"):  # uncompiled kernels are ready
        import numba

        typeof: Any = numba.typeof
        kernel.compile(tuple(typeof(argument) for argument in arguments))


def with_constants(kernel: Callable[..., Any], **constants: Any) -> Callable[..., Any]:
    """Return a copy of a kernel that reads these constants, or calls these kernels, in place of its
    module's own."""
    assert isinstance(kernel, types.FunctionType)
    scope = {**kernel.__globals__, **constants}
    copy = types.FunctionType(kernel.__code__, scope, kernel.__name__, kernel.__defaults__)
    copy.__module__, copy.__doc__ = kernel.__module__, kernel.__doc__
    return copy
