"""Visitors of a running app, without browsers: python tests/visitors.py URL PLAYERS SECONDS.

Each opens the Play page, connects as the page's script does, and plays against a random mover, one
click every few seconds. Printed are the times until a page is there, until its board can be played
on, and from a click to the new position on the board, all as the visitor's side of the wire sees
them.
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import sys
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import socketio

PAUSE = (1.0, 4.0)  # seconds between two clicks
PATIENCE = 60.0
ARRIVAL = 15.0  # seconds: in the first third all come, in the rest their pages get ready


@dataclass
class Times:
    """Seconds, and what went wrong."""

    page: list[float] = field(default_factory=list)
    board: list[float] = field(default_factory=list)
    early_click: list[float] = field(default_factory=list)  # while others arrive
    click: list[float] = field(default_factory=list)
    settled: float = 0.0  # when all are there
    faults: list[str] = field(default_factory=list)


class Visitor:
    """One open Play page."""

    def __init__(self, url: str, game: str, times: Times) -> None:
        self.url, self.times = url, times
        self.path = f"/play?game={game}&opponent=random"
        self.board: dict[str, Any] = {}
        self.changed = asyncio.Event()
        self.socket = socketio.AsyncClient(reconnection=False)
        self.socket.on("update", self._update)

    async def open(self, web: aiohttp.ClientSession) -> None:
        """Load the page, connect, and wait for a board that can be played on."""
        began = time.perf_counter()
        async with web.get(self.url + self.path) as answer:
            text = await answer.text()
            assert answer.status == 200, answer.status
        self.times.page.append(time.perf_counter() - began)
        self.client = re.search(r"'client_id': '([^']+)'", text)[1]  # type: ignore[index]
        found = re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.DOTALL)
        elements = json.loads(html.unescape(found[1]))  # type: ignore[index]
        self.id, element = next(
            (int(key), each) for key, each in elements.items() if each["tag"] == "nicegui-board"
        )
        self.listener = next(e["listener_id"] for e in element["events"] if e["type"] == "move")
        self.board = json.loads(element["props"]["data"])
        query = {"client_id": self.client, "next_message_id": 0, "implicit_handshake": "true"}
        query |= {"document_id": str(uuid.uuid4()), "tab_id": str(uuid.uuid4())}
        query |= {"old_tab_id": ""}
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        await self.socket.connect(
            f"{self.url}/?{asked}",
            transports=["websocket"],
            wait_timeout=PATIENCE,
            socketio_path="/_nicegui_ws/socket.io",
        )
        await self._until(lambda: bool(self.board.get("moves")))
        self.times.board.append(time.perf_counter() - began)

    async def click(self) -> bool:
        """Play a random move, wait for the answer; tell whether the game goes on."""
        seen = self.board["position"]
        choice = [random.randrange(len(self.board["moves"])), seen]
        told = {"id": self.id, "client_id": self.client, "listener_id": self.listener}
        began = time.perf_counter()
        await self.socket.emit("event", {**told, "args": [json.dumps(choice)]})
        await self._until(lambda: self.board["position"] != seen)
        early = began < self.times.settled
        kept = self.times.early_click if early else self.times.click
        kept.append(time.perf_counter() - began)
        until = time.perf_counter() + PATIENCE
        while not self.board.get("moves") and time.perf_counter() < until:
            await asyncio.sleep(0.05)
        return bool(self.board.get("moves"))

    async def close(self) -> None:
        await self.socket.disconnect()

    async def _until(self, ready: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not ready():
                self.changed.clear()
                await self.changed.wait()

    async def _update(self, *messages: Any) -> None:
        for message in messages:
            element = message.get(str(self.id)) if isinstance(message, dict) else None
            if element and "data" in element.get("props", {}):
                self.board = json.loads(element["props"]["data"])
                self.changed.set()


async def visit(url: str, game: str, until: float, times: Times, late: float) -> None:
    """Play game after game until the time is up."""
    await asyncio.sleep(late)
    async with aiohttp.ClientSession() as web:
        while time.perf_counter() < until:
            visitor = Visitor(url, game, times)
            try:
                await visitor.open(web)
                while time.perf_counter() < until and await visitor.click():
                    await asyncio.sleep(random.uniform(*PAUSE))
            except Exception as error:
                times.faults.append(f"{type(error).__name__}: {error}"[:200])
                await asyncio.sleep(1)
            finally:
                await visitor.close()


async def opened(url: str) -> None:
    """Wait until an app answers."""
    async with asyncio.timeout(120), aiohttp.ClientSession() as web:
        while True:
            try:
                async with web.get(f"{url}/play?game=kingcapture"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.2)


async def crowd(url: str, players: int, seconds: float, game: str = "kingcapture") -> Times:
    """Return what so many visitors at once saw; they arrive in the first few seconds."""
    times, until = Times(), time.perf_counter() + seconds
    times.settled = time.perf_counter() + ARRIVAL
    arrivals = [ARRIVAL / 3 * number / players for number in range(players)]
    await asyncio.gather(*(visit(url, game, until, times, late) for late in arrivals))
    return times


def summary(times: Times) -> str:
    """Return the times in a line."""
    parts = []
    for name in ("page", "board", "early_click", "click"):
        found = sorted(getattr(times, name))
        if found:
            half, most = found[len(found) // 2], found[int(len(found) * 0.95)]
            what, times_of = name.replace("_", " "), f"p50 {1e3 * half:.0f} ms"
            parts.append(f"{what} {times_of}, p95 {1e3 * most:.0f} ms ({len(found)})")
    return "; ".join([*parts, f"{len(times.faults)} faults"])


if __name__ == "__main__":
    found = asyncio.run(crowd(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
    print(summary(found))
    for line in found.faults[:5]:
        print(" ", line)
