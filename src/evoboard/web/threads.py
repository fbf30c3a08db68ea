"""Threads for whatever takes longer than a moment: the event loop itself never waits.

Searches release the GIL, so the server answers while they run. No thread has a lower priority than
the one that serves: if other programs delayed it while it holds the GIL, as before and after every
search, it would delay the server, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


# Searches have threads of their own (async_player.py): a long one must not keep a page waiting.
_clerks = ThreadPoolExecutor(8, "evoboard-work")


async def off_loop(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work` returns, run in a thread: for whatever takes longer than a moment."""
    return await asyncio.get_running_loop().run_in_executor(_clerks, work, *arguments)
