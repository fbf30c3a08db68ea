"""Players that think in threads, and stop when the answer is no longer wanted."""

from __future__ import annotations

import asyncio
import logging
import os
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.games.laws.rule_guard import describe_failure
from evoboard.players.base import Player, asking_for_all, dismiss, make_player
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.web.opponents import require_offered
from evoboard.web.session import PERSON
from evoboard.web.threads import off_loop
from evoboard.web.values import SILENT

ADVICE = Limits(seconds=6.0, wish=True)  # no one waits longer for an opinion
PATIENCE = 3.0  # seconds that the end of the server waits for searches

thinkers = ThreadPoolExecutor(max(4, (os.cpu_count() or 1) + 2), "evoboard-think")
_all: weakref.WeakSet[AsyncPlayer] = weakref.WeakSet()


class AsyncPlayer:
    """A player that is asked about one game at a time; a newer question ends an older one.

    It is made when it is first asked, in the thread.
    """

    def __init__(self, make: Callable[[], Player]) -> None:
        self._make = make
        self._player: Player | None = None
        self._latest = 0
        self._asked: asyncio.Future[Thought | None] | None = None
        self._stop = Stop()
        _all.add(self)

    async def think(
        self, history: History, chance: int, limits: Limits = NO_LIMITS
    ) -> Thought | None:
        """Return the player's thought, None if it is no longer wanted."""
        self._latest += 1
        mine = self._latest
        # A stop that comes while the search before ends is meant for this one.
        self._stop, before = (stop := Stop()), self._stop
        await self._settle(before)
        if mine != self._latest:
            return None
        try:
            thread = thinkers.submit(self._think, mine, history, chance, limits, stop)
        except RuntimeError:  # the server is ending
            return None
        self._asked = asyncio.wrap_future(thread)
        # The thread may outlast whoever waits for it: it alone says when it is free again.
        return await asyncio.shield(self._asked)

    def _think(
        self, mine: int, history: History, chance: int, limits: Limits, stop: Stop
    ) -> Thought | None:
        if self._player is None:
            self._player = self._make()
        if mine != self._latest:
            return None
        thought = self._player.think(history, chance, limits, stop)
        return thought if mine == self._latest else None

    @property
    def ready(self) -> bool:
        """Tell whether the player is made and compiled: then it thinks as soon as it is asked."""
        return self._player is not None and getattr(self._player, "ready", True)

    def stop(self) -> None:
        """End a running search; it answers with its best so far."""
        self._stop.set()

    async def leave(self) -> None:
        """Abandon the question; neither a search nor a program keeps running."""
        self._latest += 1
        await self._settle(self._stop)
        if hasattr(self._player, "close"):
            player, self._player = self._player, None
            await off_loop(dismiss, player)

    async def _settle(self, stop: Stop) -> None:
        """Let the search that was given this flag end."""
        stop.set()
        if self._asked:
            await asyncio.wait({self._asked})


def offered_player(text: str, game: Game) -> Player:
    """Return the player of a text from a visitor's address or file: it must be one on offer."""
    return make_player(require_offered(text), game)


def offered_judge(text: str, game: Game) -> Player:
    """Return the player of such a text, asked for the value of every move if it can give one."""
    return asking_for_all(require_offered(text), game)


def has_opinion(text: str) -> bool:
    """Tell whether a player can be asked what a position is worth."""
    return bool(text) and text != PERSON and split_options(text)[0] not in SILENT


def adviser_of(text: str, game: Game) -> str:
    """Return the player to ask for an opinion: this one, or a usual one if it has none."""
    if has_opinion(text):
        return text
    return "material:depth=3" if "material" in game.bindings else "mcts:rounds=3000"


def log_failure(error: Exception) -> str:
    """Return an error of a player as a sentence; one that is not ours is also logged."""
    if not isinstance(error, EvoboardError):
        logging.getLogger("evoboard").exception("a player fails", exc_info=error)
    return describe_failure(error)


async def stop_thinking() -> None:
    """End all searches so that the server can stop; none may hold it up for long."""
    thinkers.shutdown(wait=False, cancel_futures=True)
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*(player.leave() for player in list(_all))), PATIENCE)
