"""Large libraries are loaded without Python's garbage collector, which finds nothing in them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from evoboard.core.compiling import compiling


@contextmanager
def loading(module: str) -> Iterator[None]:
    """Import a module that may be large; what is there then is not looked at again.

    A quarter of the time of a short command went into that, its end included. In other programs
    than ours the collector is left alone.
    """
    ours = compiling.own_process or "evoboard.cli.main" in sys.modules
    if not ours or module in sys.modules or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
