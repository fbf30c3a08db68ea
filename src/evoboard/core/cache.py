"""Compiled kernels on disk, one file per function, signature and processor.

Numba's own cache keeps an index per function, which two processes can overwrite for each other,
and keys it by file times. Here the file's name says everything (stamp, signature, processor,
versions) and a file is complete or absent, so there is nothing to race for. Whatever goes wrong
costs a compilation and one warning, never a crash.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import numba
from numba.core import compiler, serialize
from numba.core.caching import _Cache

from evoboard.core.compiling import compiling
from evoboard.core.fragments import FragmentLibrary, type_texts
from evoboard.core.whole_file import write_whole

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 180.0  # seconds to wait for another process that compiles the same
FORMAT = 2  # what is stored of a kernel, and how it is compiled (`core/fragments.py`)


def cache_folder() -> Path:
    """Return where compiled kernels are kept: EVOBOARD_CACHE, else the user's cache folder."""
    chosen = os.environ.get("EVOBOARD_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "evoboard" / "kernels"


class CacheWarning(UserWarning):
    """The kernel cache cannot be used; everything works, but is compiled again in every process."""


class KernelCache(_Cache):
    """The disk cache of one linked function, in the form Numba's dispatchers ask for."""

    def __init__(self, name: str, stamp: str, is_root: bool = True) -> None:
        self._name, self._stamp, self.is_root = name, stamp, is_root

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for `sig`, or None if it must be compiled."""
        path = self._file(sig, target_context.codegen())
        try:
            with path.open("rb") as file:
                if _is_foreign(file.fileno()):
                    return _warn(f"{path.parent} holds kernels that are not yours")
                stored = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None  # whether the folder is to blame, saving will tell
        except OSError as error:
            return _warn(f"cannot read from {path.parent}: {error.strerror or error}")
        digest, payload = stored[:32], stored[32:]
        if hashlib.sha256(payload).digest() != digest:
            return _warn("a stored kernel is damaged and is compiled again")
        try:
            return self._rebuild(target_context, pickle.loads(payload), sig)
        except Exception as error:
            return _warn(f"a stored kernel cannot be loaded ({type(error).__name__}: {error})")

    def _rebuild(self, context: Any, stored: Any, sig: Any) -> Any:
        if self.is_root:
            return _for_signature(compiler.CompileResult._rebuild(context, *stored), sig)
        code, description, environment, signature = stored[:4]
        library = FragmentLibrary._unserialize(context.codegen(), code)
        found = compiler.compile_result(
            target_context=context,
            typing_context=context.typing_context,
            library=library,
            environment=environment,
            entry_point=context.get_executable(library, description, environment),
            fndesc=description,
            signature=signature,
            objectmode=False,
        )
        return _for_signature(found, sig)

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep a compiled function for the next process; the file appears whole or not at all."""
        payload = self._reduced(cres)
        if payload is None:
            return
        path = self._file(sig, cres.codegen)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, hashlib.sha256(payload).digest() + payload, mode=0o600)
        except OSError as error:
            _warn(f"cannot write to {path.parent}: {error.strerror or error}")

    def _reduced(self, cres: Any) -> bytes | None:
        if cres.library.has_dynamic_globals or any(not part.can_cache for part in cres.lifted):
            return None
        return bytes(serialize.dumps(cres._reduce()))

    def _file(self, sig: Any, codegen: Any) -> Path:
        versions = (FORMAT, numba.__version__, sys.version_info[:3], codegen.magic_tuple())
        key = hashlib.sha256(repr((type_texts(sig), versions)).encode()).hexdigest()[:20]
        return cache_folder() / f"{self._name}-{self._stamp}-{key}.kernel"

    def has(self, sig: Any, codegen: Any) -> bool:
        """Tell whether the function is there for `sig`."""
        return os.path.exists(self._file(sig, codegen))  # a Path's own raises where it may not look

    @contextmanager
    def compiling(self, sig: Any, codegen: Any) -> Iterator[None]:
        """Keep other processes from compiling the same; wait while one does, to load it then."""
        if fcntl is None or self.has(sig, codegen):
            yield
            return
        path = self._file(sig, codegen)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = path.with_suffix(".lock").open("a")  # not "w": it may be a link to a file
        except OSError:  # saving will tell
            yield
            return
        with file:
            _lock(file)
            try:
                yield
            finally:
                with suppress(OSError):
                    os.unlink(file.name)

    def enable(self) -> None:
        """Part of Numba's interface; this cache is always on."""

    def disable(self) -> None:
        """Part of Numba's interface; this cache is always on."""

    def flush(self) -> None:
        """Part of Numba's interface; stamps make old files unreachable by themselves."""


class CudaCache(KernelCache):
    """The disk cache of one kernel for a GPU: its machine code."""

    def _rebuild(self, context: Any, stored: Any, sig: Any) -> Any:
        from numba.cuda.dispatcher import _Kernel

        return _Kernel._rebuild(**stored)

    def _reduced(self, cres: Any) -> bytes | None:
        library = cres.library
        kept = library._llvm_strs, library._ptx_cache
        library._llvm_strs, library._ptx_cache = [], {}  # large, and no longer needed
        try:
            return bytes(import_module("numba.cuda.serialize").dumps(cres._reduce_states()))
        finally:
            library._llvm_strs, library._ptx_cache = kept


def _lock(file: IO[str]) -> None:
    """Wait until no other process has the file locked, or until patience runs out.

    A process that has run out of patience never waits again: one that was stopped holds the locks
    of all functions between a kernel and the one it was at.
    """
    end = time.monotonic() + PATIENCE
    while not _lost and time.monotonic() < end:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            compiling.wait()
            time.sleep(0.02)
        except OSError:  # a file system without locks
            return
        else:
            return
    _lost.append(file.name)


_lost: list[str] = []  # what never came


def _is_foreign(file: int) -> bool:
    """Tell whether another user wrote an open file: loading a kernel runs what is in it."""
    return sys.platform != "win32" and os.fstat(file).st_uid not in (0, os.getuid())


def _for_signature(found: Any, sig: Any) -> Any:
    """Return a stored kernel as one for `sig`, which is alike but for classes of a user's file.

    Every load of such a file makes new ones. Were the stored one's left as they are, each call
    would load the kernel again, and no kernel could be compiled that calls it.
    """
    if not isinstance(sig, tuple) or found.signature.args == sig:
        return found
    found.fndesc.argtypes = sig
    return found._replace(signature=found.signature.replace(args=sig))


@cache
def _warn(problem: str) -> None:
    """Warn once per problem; the caller goes on without the cache."""
    warnings.warn(
        f"kernel cache: {problem}. Kernels are compiled again; "
        "set EVOBOARD_CACHE to a folder that can be written to keep them.",
        CacheWarning,
        stacklevel=2,
    )
