"""Roots of kernels for a GPU, written for a setup.

Settings and draw rules are constants in them, so that the compiler leaves out what a search with
these settings never does. Small arrays of a thread's workspace are local, which a GPU lays out so
that neighbouring threads read neighbouring addresses; large ones are rows in the GPU's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import thread_index
from evoboard.players.setup import Bound
from evoboard.search.base import Searcher

LARGEST_SHARED = 256  # bytes of a thread
LARGEST_LOCAL = 4096  # bytes of an array that a thread keeps to itself
MULTIPLE = 32  # scratch sizes are rounded up to these, so that growing networks find their kernel


class GpuProgram(NamedTuple):
    """A kernel, and what each of its threads needs besides: rows of its own, tables of all.

    `block`: threads that are started together; `group`: up to 1 << group games share the threads
    that work in step; None: every thread has a game of its own; `most`: how many blocks run on each
    processor before they take further games, or 0.
    """

    kernel: Any
    rows: list[Array]
    tables: list[Array]
    block: int = 0
    group: int | None = None
    most: int = 0


def scratch_size(bound: Bound, pack: Any, multiple: int = MULTIPLE) -> int:
    """Return how many numbers a network of a pack needs, rounded up."""
    return -(-int(bound.kind.scratch_size(pack)) // multiple) * multiple


def slim(work: Any, settings: Any, cell: type) -> Any:
    """Return a search's workspace with positions of cells of the given kind, and without a past if
    it does not look back: the less memory threads need, the more of it fits into caches."""
    if "past" in work._fields and not settings.draws:
        work = work._replace(past=type(work.past)(*(one[:1].copy() for one in work.past)))
    if "states" in work._fields:
        work = work._replace(states=work.states.astype(cell))
    return work


class RootWriter:
    """Writes a thread's constants and workspace as the lines of a kernel."""

    def __init__(self) -> None:
        from evoboard.core import native_cuda

        # Numba's simulator computes with NumPy's scalars, which overflow where others widen.
        self.kinds = {np.int32: np.int64, np.int8: np.int64} if native_cuda.SIMULATED else {}
        # At words of 16 bytes, which can be copied at once; the simulator has none.
        self.aligned = "" if native_cuda.SIMULATED else ", 16"
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"cuda": import_module("numba.cuda")}
        self.rows: list[Array] = []
        self.tables: list[Array] = []

    def constant(self, value: Any) -> str:
        """Return the expression of a number, or of a tuple of such."""
        if not isinstance(value, tuple):
            return repr(value)
        parts = ", ".join(self.constant(one) for one in value)
        return f"{self.name(type(value))}({parts})" if hasattr(value, "_fields") else f"({parts},)"

    def workspace(
        self, value: Any, clear: bool = True, shared: bool = False, block: int = 0
    ) -> str:
        """Return the expression of a tuple of arrays, for which lines are written.

        `shared`: rows of real numbers are in the memory that a block of threads shares, if all of
        theirs fit. That is as fast as a cache, and nothing evicts them.
        """
        if isinstance(value, tuple):
            parts = ", ".join(self.workspace(one, clear, shared, block) for one in value)
            return f"{self.name(type(value))}({parts})"
        row = value.ndim == 1 and value.dtype == np.float32
        if shared and row and value.nbytes <= LARGEST_SHARED:
            name, kind = f"array{len(self.lines)}", self.name(np.float32)
            self.lines += [
                f"{name}_all = cuda.shared.array(({len(value)}, {block}), {kind})",
                f"{name} = {name}_all[:, thread_index() % {block}]",
            ]
            return name
        return self.array(value, clear)

    def array(self, value: Array, clear: bool = True) -> str:
        """Write the line that makes an array, and the one that clears it; return its name."""
        name = f"array{len(self.lines)}"
        if value.any():
            self.lines.append(f"{name} = tables[{len(self.tables)}]")
            self.tables.append(value)
            return name
        kind = self.kinds.get(value.dtype.type, value.dtype.type)
        if value.nbytes > LARGEST_LOCAL:
            made = f"rows[{len(self.rows)}][thread_index()]"
            self.rows.append(value.astype(kind))
        else:
            made = f"cuda.local.array({value.shape}, {self.name(kind)}{self.aligned})"
        self.lines.append(f"{name} = {made}")
        if clear:
            self.lines.append(f"clear_{value.ndim}({name})")
        return name

    def shared(self, cells: int) -> str:
        """Write the line that makes an array of whole numbers that a block's threads share."""
        name = f"array{len(self.lines)}"
        self.lines.append(f"{name} = cuda.shared.array({cells}, {self.name(np.int32)})")
        return name

    def name(self, kind: type) -> str:
        """Return a name for a class."""
        name = f"{kind.__name__.replace('·', '_')}"
        self.scope[name] = kind
        return name

    def program(
        self,
        bound: Bound | Searcher,
        function: Callable[..., None],
        given: Sequence[str],
        made: Mapping[str, str],
    ) -> GpuProgram:
        """Return the kernel that hands what it is given, and what it makes, to a function."""
        head = f"def {function.__name__}_root({', '.join([*given, 'rows', 'tables'])}):"
        lines = [*self.lines, *(f"{name} = {value}" for name, value in made.items())]
        call = f"{function.__name__}({', '.join([*given, *made])})"
        source = "\n    ".join([head, *lines, call])
        kernel = _linked(source, function, _Scope(self.scope), bound)
        return GpuProgram(kernel, self.rows, self.tables)


class _Scope(dict[str, Any]):
    """The globals of a root; alike for every root with the same text."""

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


@lru_cache(maxsize=32)
def _linked(source: str, function: Any, scope: _Scope, bound: Bound | Searcher) -> Any:
    called = (function, clear_1, clear_2, thread_index)
    names = {**scope, **{one.__name__: one for one in called}}
    exec(compile(source, "<cuda>", "exec"), names)
    return bound.link(names[f"{function.__name__}_root"], "cuda")


def clear_1(cells: Array) -> None:
    """Write zeros into a row."""
    for i in range(cells.shape[0]):
        cells[i] = 0


def clear_2(cells: Array) -> None:
    """Write zeros into a table."""
    for row in range(cells.shape[0]):
        clear_1(cells[row])
