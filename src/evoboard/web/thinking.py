"""Players think in threads, never on the event loop, and stop when nobody waits for the answer.

Searches release the GIL, so the server answers while they run. Threads that think yield to the one
that serves where the system allows it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from evoboard.arena.watch import describe_numba, is_numba
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.games.base import Game
from evoboard.games.rules import Array
from evoboard.players.base import Player, make_player, split_player
from evoboard.search.base import Thought
from evoboard.web.opponents import require_offered, written
from evoboard.web.tables import PERSON, Table
from evoboard.web.values import SILENT, seen_by_first

T = TypeVar("T")

ADVICE_SECONDS = 6.0  # nobody waits longer for an opinion
LEAST_PAUSE = 0.3  # seconds between two moves, so that both can be seen
NUDGE = 0.01


def _yield_to_the_server() -> None:
    """Lower this thread's priority; on Linux a priority belongs to the thread."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)


# Searches and the pages' own work do not share their threads: a long search must not keep a page
# waiting.
_thinkers = ThreadPoolExecutor(
    max(4, (os.cpu_count() or 1) + 2), "evoboard-think", initializer=_yield_to_the_server
)
_clerks = ThreadPoolExecutor(8, "evoboard-work", initializer=_yield_to_the_server)


async def off_loop(work: Callable[..., T], *arguments: Any) -> T:
    """Return what `work` returns, run in a thread: for whatever takes longer than a moment."""
    return await asyncio.get_running_loop().run_in_executor(_clerks, work, *arguments)


async def stop_thinking() -> None:
    """End all searches, so that the server can end."""
    _thinkers.shutdown(wait=False, cancel_futures=True)
    for mind in list(_minds):
        await mind.leave()


_minds: weakref.WeakSet[Mind] = weakref.WeakSet()


class Mind:
    """A player that is asked for one position at a time; a newer question ends an older one."""

    def __init__(self, game: Game, *texts: str) -> None:
        self.game, self.texts = game, texts
        self._player: Player | None = None
        self._latest = 0
        self._running = False
        _minds.add(self)

    async def think(
        self, state: Array, chance: int, seconds: float | None = None
    ) -> Thought | None:
        """Return the player's thought, None where it is no longer wanted."""
        self._latest += 1
        mine = self._latest
        # A search that has just begun may miss one `stop`, so it is told again.
        while self._running and mine == self._latest:
            self.stop()
            await asyncio.sleep(NUDGE)
        if mine != self._latest:
            return None
        self._running = True
        asked = _thinkers.submit(self._think, mine, state, chance, seconds)
        # The thread may outlast whoever waits for it: it alone says when it is free again.
        asked.add_done_callback(self._done)
        return await asyncio.wrap_future(asked)

    def _think(self, mine: int, state: Array, chance: int, seconds: float | None) -> Thought | None:
        if self._player is None:
            self._player = first_that_can(self.texts, self.game)
        if mine != self._latest:
            return None
        thought = self._player.think(state, chance, seconds)
        return thought if mine == self._latest else None

    def _done(self, _: Any) -> None:
        self._running = False

    def stop(self) -> None:
        """End a running search; it answers with its best so far."""
        if self._player is not None:
            self._player.stop()

    async def leave(self) -> None:
        """Want no answer any more, and see to it that no search runs on."""
        self._latest += 1
        while self._running:
            self.stop()
            await asyncio.sleep(NUDGE)


def first_that_can(texts: tuple[str, ...], game: Game) -> Player:
    """Return the player of the first text that the game accepts.

    Texts may come from a visitor's address or file, so each must be one that is offered.
    """
    for text in texts[:-1]:
        with suppress(OptionError):
            return make_player(require_offered(text), game)
    return make_player(require_offered(texts[-1]), game)


def adviser_texts(text: str, game: Game) -> tuple[str, ...]:
    """Return texts, the best first, of a player that judges every move the way `text` does.

    Who has no opinion is replaced by one that has.
    """
    kind, options = split_player(text)
    if kind in SILENT or text == PERSON or not text:
        plain = "material:depth=3" if "material" in game.bindings else "mcts:rounds=3000"
        kind, options = split_player(plain)
    with_all = written(kind, {**options, "all_values": "1"})
    return (with_all, written(kind, options))


def explained(error: Exception) -> str:
    """Return an error of a player as a sentence."""
    if isinstance(error, EvoboardError):
        return str(error)
    logging.getLogger("evoboard").exception("a player fails", exc_info=error)
    if is_numba(error):
        return describe_numba(error)
    return f"the player fails: {type(error).__name__}: {error}"


def still_text(text: str) -> str:
    """Return the player that sees what `text`'s evaluation says of a move's result; else ""."""
    kind, options = split_player(text)
    if kind not in ("material", "linear", "champion", "file", "run"):
        return ""
    kept = {key: value for key, value in options.items() if key in ("", "path")}
    return written(kind, {**kept, "search": "alphabeta", "depth": "1"})


def host_of(table: Table) -> Host:
    """Return the table's host, the same one for everybody."""
    if table.host is None:
        table.host = Host(table)
    return table.host


class Host:
    """Makes the moves of a table's players and collects what its adviser thinks.

    It works while somebody looks on (`attend`), and stops with the last one who leaves. With
    `examines`, the adviser is asked about every position of the game, the latest first.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.advises = True
        self.examines = False
        self._minds: dict[tuple[str, ...], Mind] = {}
        self._task: asyncio.Task[None] | None = None
        table.listeners.append(self._heard)

    def attend(self) -> None:
        """Count a visitor, and go on."""
        self.table.visitors += 1
        self.wake()

    async def leave(self) -> None:
        """Count a visitor less; after the last one nothing thinks any more."""
        self.table.visitors -= 1
        if self.table.visitors <= 0:
            await self.rest()

    async def rest(self) -> None:
        """Stop thinking."""
        if self._task:
            self._task.cancel()
        self._task = None
        for mind in self._minds.values():
            await mind.leave()

    def hurry(self) -> None:
        """Make whoever is thinking answer with the best move so far."""
        for mind in self._minds.values():
            mind.stop()

    async def hint(self) -> Thought | None:
        """Return what the adviser thinks of the position, asked now if it has not been yet."""
        table = self.table
        known = table.thoughts.get(table.ply)
        if known is not None and known.move_values:
            return known
        text = table.adviser or table.seats[1 - table.person]
        # A mind of its own: the question must not end what the adviser is thinking about.
        texts = adviser_texts(text, table.game)
        mind = self._minds.setdefault(("hint", *texts), Mind(table.game, *texts))
        return await mind.think(table.match.state, table.chance, ADVICE_SECONDS)

    def wake(self) -> None:
        """Think about the position as it is now."""
        if self._task:
            self._task.cancel()
        self.hurry()
        busy = self.table.visitors > 0
        self._task = asyncio.create_task(self._work()) if busy else None

    def _heard(self, change: str) -> None:
        if change == "position":
            self.wake()

    async def _work(self) -> None:
        table = self.table
        table.trouble = ""
        try:
            if not table.over and table.seats[table.side] != PERSON:
                await self._move(table.version)
            else:
                await self._advise(table.version)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            table.trouble = explained(error)
            self._says_it_thinks(False, always=True)

    async def _move(self, version: int) -> None:
        """Let the player to move make its move."""
        table, began = self.table, time.monotonic()
        table.since = began
        self._says_it_thinks(True)
        text = table.seats[table.side]
        thought = await self._mind(text).think(table.match.state, table.chance)
        if thought is None or table.version != version:
            return None
        await asyncio.sleep(max(0.0, LEAST_PAUSE - (time.monotonic() - began)))
        if table.version != version:
            return None
        table.thinks = False
        if split_player(text)[0] not in SILENT:
            table.thoughts[table.ply] = thought
        if thought.move < 0:
            return table.forfeit()
        table.seconds[table.ply + 1] = thought.seconds
        table.play(thought.move)

    async def _advise(self, version: int) -> None:
        """Ask the adviser about the positions of which it is not known what it thinks."""
        self._says_it_thinks(False)
        table = self.table
        text = table.adviser or table.seats[1 - table.person]
        mind = self._mind(*adviser_texts(text, table.game))
        plies = range(table.ply, -1, -1) if self.examines else [table.ply]
        for ply in plies if self.advises else ():
            state, known = table.match.states[ply], table.thoughts.get(ply)
            if (known and known.move_values) or not table.game.legal_moves(state):
                continue
            thought = await mind.think(state, table.chance, ADVICE_SECONDS)
            if thought is None or table.version != version:
                return
            table.thoughts[ply] = thought
            table.tell("advice")
        if self.examines and self.advises:
            await self._look_still(version, still_text(text))

    async def _look_still(self, version: int, text: str) -> None:
        """Note what the adviser's evaluation says of each position without any search."""
        table = self.table
        for ply in range(table.ply, 0, -1) if text else ():
            if ply in table.stills:
                continue
            before, move = table.match.states[ply - 1], table.match.moves[ply - 1]
            thought = await self._mind(text).think(before, 1)
            if thought is None or table.version != version:
                return
            if move in thought.move_values and table.game.legal_moves(table.match.states[ply]):
                value = seen_by_first(thought.move_values[move], table.game.side(before))
                table.stills[ply] = value
                table.tell("advice")

    def _says_it_thinks(self, thinks: bool, always: bool = False) -> None:
        if self.table.thinks != thinks or always:
            self.table.thinks = thinks
            self.table.tell("thinking")

    def _mind(self, *texts: str) -> Mind:
        if texts not in self._minds:
            self._minds[texts] = Mind(self.table.game, *texts)
        return self._minds[texts]
