"""Pages are begun one after the other: those who play come before those who arrive.

To build a page takes the event loop longer than anything else. Where many arrive at once, clicks
would wait behind all their pages; so a page begins when the loop is not behind, or after a while.
"""

from __future__ import annotations

import asyncio

LOOK = 0.01  # seconds in which the loop is watched
LATE = 0.01  # seconds by which a loop is late that has other things to do
PATIENCE = 0.25  # seconds after which a page begins in any case


class Turnstile:
    """Lets one page begin at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def enter(self) -> None:
        """Wait until a page may begin."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            end = loop.time() + PATIENCE
            late = LATE
            while late >= LATE and loop.time() < end:
                began = loop.time()
                await asyncio.sleep(LOOK)
                late = loop.time() - began - LOOK
