"""The sessions of a server, each known by its name, which is in the page's address.

A reload, or a restart of the server, finds a session again. Tabs with different addresses have
different sessions and never meet.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable

import numpy as np

from evoboard.arena.game_text import read_text
from evoboard.arena.game_tree import GameTree
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotationError, OptionError
from evoboard.core.options import split_options
from evoboard.core.wording import as_name
from evoboard.games.base import Game
from evoboard.players.base import is_kind
from evoboard.web.driver import SessionDriver
from evoboard.web.folders import NAME, game_path
from evoboard.web.session import PERSON, GameSession, Seats

MOST_OPEN = 200  # sessions in memory; the others are on disk


def _new_name(game: Game) -> str:
    """Return an unused name that begins with the game's, as far as a file name allows."""
    return f"{as_name(game.name, 60, 'game')}-{secrets.token_hex(5)}"


def _plays(text: str) -> bool:
    """Tell whether a text names a player, not a person."""
    try:
        return is_kind(split_options(text)[0])
    except OptionError:
        return False


class Sessions:
    """All sessions of a server. `load_game` decides which games a text may name."""

    def __init__(self, load_game: Callable[[str], Game]) -> None:
        self.load_game = load_game
        self._open: dict[str, SessionDriver] = {}
        self._turn = threading.RLock()  # pages look for sessions in several threads

    def new(
        self,
        game: Game,
        seats: Seats = (PERSON, PERSON),
        *,
        start: Array | None = None,
        seed: int = 0,
        adviser: str = "",
    ) -> GameSession:
        """Return a new session with a name of its own."""
        seed = seed or secrets.randbelow(2**31) + 1
        usual = game.initial(seed)
        tags = {"date": time.strftime("%Y.%m.%d")}
        tree = GameTree(game, start=usual if start is None else start, tags=tags)
        session = GameSession(_new_name(game), tree, seats, seed, adviser)
        if not np.array_equal(tree.root.state, usual):  # it was set up by hand
            session.kept = True
            session.save()
        return self._kept(session).session

    def driver_of(self, session: GameSession) -> SessionDriver:
        """Return the driver that moves for the players of a session, one for all pages."""
        with self._turn:
            known = self._open.get(session.name)
            return known if known and known.session is session else self._kept(session)

    def find(self, name: str) -> GameSession | None:
        """Return the session of that name, from memory or disk; NotationError: it is damaged."""
        with self._turn:  # so that one game never becomes two sessions
            return self._find(name)

    def _find(self, name: str) -> GameSession | None:
        if name in self._open:
            return self._kept(self._open[name].session).session
        if not NAME.fullmatch(name):
            return None
        try:
            content = game_path(name).read_text(encoding="utf-8")
        except OSError:
            return None
        except UnicodeDecodeError:
            raise NotationError(f"the file of the game {name} is not UTF-8 text.") from None
        try:
            session = self.from_text(content, name)
            session.kept = True
            return session
        except EvoboardError as error:
            raise NotationError(f"the game {name} cannot be read: {error}") from error

    def from_text(self, content: str, name: str = "") -> GameSession:
        """Return a session with the game that a text describes; it is not saved by that."""
        return self.from_tree(read_text(content).tree(self.load_game), name)

    def from_tree(self, tree: GameTree, name: str = "") -> GameSession:
        """Return a session with a game that was read; any player that is not one of ours becomes a
        person."""
        first, second = (player if _plays(player) else PERSON for player in tree.players)
        seed = tree.tags.get("seed", "")
        session = GameSession(
            name or _new_name(tree.game),
            tree,
            (first, second),
            int(seed) if seed.isdecimal() and len(seed) < 12 else 1,
            tree.tags.get("adviser", ""),
        )
        told = (
            "" if seat != PERSON or name == PERSON else name
            for seat, name in zip(session.seats, tree.players, strict=True)
        )
        session.names = (next(told), next(told))
        return self._kept(session).session

    def copy(self, session: GameSession, seats: Seats = (PERSON, PERSON)) -> GameSession:
        """Return a new session with the same game so far, and how it ended.

        To be called in the event loop, where the game cannot change meanwhile.
        """
        other = self.from_tree(session.described().copy())
        other.seats, other.names = seats, session.names
        other.tree.tags["below"] = str(session.below)
        return other

    def _kept(self, session: GameSession) -> SessionDriver:
        """Remember a session as the one used last; forget old ones that are not on any page."""
        with self._turn:
            driver = self._open.pop(session.name, None)
            if driver is None or driver.session is not session:
                driver = SessionDriver(session)
            self._open[session.name] = driver
            for name in list(self._open)[: max(0, len(self._open) - MOST_OPEN)]:
                if self._open[name].visitors <= 0:
                    del self._open[name]
        return driver
