"""Games written to disk in a thread of their own, so that no move waits for a disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from evoboard.core.errors import EvoboardError
from evoboard.web.folders import game_path, write_whole

# One thread, so that the last state of a game is written last.
_writer = ThreadPoolExecutor(1, thread_name_prefix="evoboard-save")


def save_soon(name: str, text: str, tell: Callable[[str], None]) -> None:
    """Write a game; `tell` hears why it could not be, or "" when it has been.

    That a disk is full must not end a game. Where an event loop runs, `tell` is called in it.
    """
    _writer.submit(_write, name, text, tell, _running_loop())


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _write(
    name: str, text: str, tell: Callable[[str], None], loop: asyncio.AbstractEventLoop | None
) -> None:
    told = ""
    try:
        write_whole(game_path(name), text)
    except (OSError, EvoboardError) as error:
        logging.getLogger("evoboard").warning("the game %s cannot be saved: %s", name, error)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        told = f"This game cannot be saved: {reason}."
    if loop is None:
        tell(told)
    elif not loop.is_closed():
        loop.call_soon_threadsafe(tell, told)


def flush() -> None:
    """Wait until all games are on disk."""
    _writer.submit(lambda: None).result()
