"""Threads for whatever takes longer than a moment: the event loop itself never waits.

Searches release the GIL, so the server answers while they run; their threads yield to the one that
serves where the system allows it. Threads that run Python do not: one that is kept waiting while it
holds the GIL keeps the server waiting, too.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def yield_to_the_server() -> None:
    """Lower this thread's priority; on Linux a priority belongs to the thread."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)


# Searches have threads of their own (async_player.py): a long one must not keep a page waiting.
_clerks = ThreadPoolExecutor(8, "evoboard-work")


async def off_loop(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work` returns, run in a thread: for whatever takes longer than a moment."""
    return await asyncio.get_running_loop().run_in_executor(_clerks, work, *arguments)
