"""What all pages share: the games, the sessions, and what the visitor's address asks for."""

from __future__ import annotations

import asyncio
import secrets
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

from nicegui import ui

from evoboard.core.errors import NotFound, unknown
from evoboard.core.options import split_options
from evoboard.games.base import Game, game_names, load_game
from evoboard.web.sessions import Sessions

LOOK = 0.01  # seconds in which the event loop is watched
LATE = 0.01  # seconds by which a loop is late that has other things to do
PATIENCE = 0.25  # seconds after which a page begins in any case


class Turnstile:
    """Lets one page begin at a time: those who play come before those who arrive.

    Building a page takes the event loop longer than anything else. If many visitors arrive at once,
    clicks would wait behind all their pages; so a page begins when the loop is not behind, or after
    a while.
    """

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


class Site:
    """One server: its games and sessions. `extra`: game files named on the command line.

    `first_game`: what a page shows if its address names no game; "" leaves it to the page.

    `games` has a label for every game that can be named; files are known by their whole paths, as
    runs name them. `parts` are the other files named there: charts among them.
    """

    def __init__(
        self, extra: tuple[str, ...] = (), parts: tuple[str, ...] = (), first_game: str = ""
    ) -> None:
        files = {str(Path(file).resolve()): Path(file).stem for file in extra}
        self.games = {name: name for name in game_names()} | files
        self.own_games = tuple(files)
        self.parts = parts
        self.first_game = first_game
        self.boot = secrets.token_hex(8)
        self.sessions = Sessions(self.load_game)
        self.turnstile = Turnstile()
        self._loaded = lru_cache(64)(load_game)

    def load_game(self, text: str) -> Game:
        """Return the game a text names, with its options; only games of this server can be named.

        A text from a page must never reach a file: game files are programs.
        """
        typed, _ = split_options(text)
        name = _whole(typed) if typed.endswith(".py") else typed
        if name not in self.games:
            # Of files only their names: where they are is nobody's business.
            raise NotFound(unknown("game here", name, [Path(game).name for game in self.games]))
        return self._loaded(name + text[len(typed) :])

    def query(self) -> dict[str, str]:
        """Return what the page's address asks for, by name; to be read while the page is built."""
        asked = ui.context.client.request.query_params
        return {str(name): str(value)[:4000] for name, value in asked.items()}


def _whole(file: str) -> str:
    try:
        return str(Path(file).resolve())
    except (OSError, ValueError, RuntimeError):  # no name is too strange to be asked for
        return file


def address(path: str, **query: str) -> str:
    """Return a page's address with what it is asked for."""
    given = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
