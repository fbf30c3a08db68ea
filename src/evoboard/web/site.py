"""What all pages share: the games, the tables, and what the visitor's address asks for."""

from __future__ import annotations

import secrets
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

from nicegui import ui

from evoboard.core.errors import NotFound, unknown
from evoboard.games.base import Game, game_names, load_game
from evoboard.games.options import split_options
from evoboard.web.tables import Tables


class Site:
    """One server: its games by name (`extra`: game files named on the command line), its tables."""

    def __init__(self, extra: tuple[str, ...] = ()) -> None:
        self.games = [*game_names(), *extra]
        self.boot = secrets.token_hex(8)
        self.tables = Tables(self.load_game)
        self._loaded = lru_cache(64)(load_game)

    def load_game(self, text: str) -> Game:
        """Return the game a text names, with its options; only games of this server can be named.

        A text from a page must never reach a file: game files are programs.
        """
        name, _ = split_options(text)
        if name not in self.games:
            # Of files only their names: where they are is nobody's business.
            raise NotFound(unknown("game here", name, [Path(game).name for game in self.games]))
        return self._loaded(text)

    def query(self) -> dict[str, str]:
        """Return what the page's address asks for, by name; to be read while the page is built."""
        asked = ui.context.client.request.query_params
        return {str(name): str(value)[:4000] for name, value in asked.items()}


def address(path: str, **query: str) -> str:
    """Return a page's address with what it is asked for."""
    given = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
