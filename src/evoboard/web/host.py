"""Who makes the players' moves at a table and collects what its adviser thinks."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.players.base import split_player
from evoboard.search.base import Thought
from evoboard.web.mind import ADVICE_SECONDS, Mind, adviser_texts, explained
from evoboard.web.still import Evaluation, still_evaluation
from evoboard.web.table import PERSON, Table
from evoboard.web.threads import off_loop
from evoboard.web.values import SILENT

LEAST_PAUSE = 0.3  # seconds between two moves, so that both can be seen
GLANCE = 0.05  # seconds between two looks at a player that is being compiled


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
        self._uninterested: set[Any] = set()  # pages that do not want to see what is thought
        self.examines = False
        self._minds: dict[tuple[str, ...], Mind] = {}
        self._still: tuple[str, Evaluation | None] | None = None
        self._task: asyncio.Task[None] | None = None
        table.listeners.append(self._heard)

    def attend(self) -> None:
        """Count a visitor, and go on."""
        self.table.visitors += 1
        self.wake()

    def advise(self, page: Any, wanted: bool) -> None:
        """Note whether a page shows advice; the adviser is asked while any visitor's page does."""
        (self._uninterested.discard if wanted else self._uninterested.add)(page)

    @property
    def advises(self) -> bool:
        """Tell whether anybody wants to know what the adviser thinks."""
        return self.table.visitors > len(self._uninterested)

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
        minds, self._minds = self._minds, {}  # a search's memory is large
        for mind in minds.values():
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
        text = table.seats[table.side]
        mind = self._mind(text)
        table.since, table.prepares = began, not mind.ready
        self._says_it_thinks(True)
        watch = asyncio.create_task(self._watch(mind)) if table.prepares else None
        try:
            thought = await mind.think(table.match.state, table.chance)
        finally:
            if watch:
                watch.cancel()
        if thought is None or table.version != version:
            return None
        if watch:
            table.prepared[table.ply + 1] = time.monotonic() - began - thought.seconds
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

    async def _watch(self, mind: Mind) -> None:
        """Begin to count the time of thinking when the player is ready for it."""
        while not mind.ready:
            await asyncio.sleep(GLANCE)
        self.table.since, self.table.prepares = time.monotonic(), False
        self.table.tell("thinking")

    async def _advise(self, version: int) -> None:
        """Ask the adviser about the positions of which it is not known what it thinks."""
        self._says_it_thinks(False)
        table = self.table
        text = table.adviser or table.seats[1 - table.person]
        if self.examines and self.advises:
            # First: it is there at once, however long a search takes.
            await self._look_still(version, text)
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

    async def _look_still(self, version: int, text: str) -> None:
        """Note what the adviser's evaluation says of each position without any search."""
        table = self.table
        states = dict(enumerate(table.match.states))
        asked = {ply: state for ply, state in states.items() if ply not in table.stills}
        if not asked:
            return
        if self._still is None or self._still[0] != text:
            self._still = text, await off_loop(still_evaluation, text, table.game)
        evaluation = self._still[1]
        if evaluation is None:
            return
        found = await off_loop(_evaluated, evaluation, table.game, asked)
        if found and table.version == version:
            table.stills.update(found)
            table.tell("advice")

    def _says_it_thinks(self, thinks: bool, always: bool = False) -> None:
        if self.table.thinks != thinks or always:
            self.table.thinks = thinks
            self.table.tell("thinking")

    def _mind(self, *texts: str) -> Mind:
        if texts not in self._minds:
            self._minds[texts] = Mind(self.table.game, *texts)
        return self._minds[texts]


def _evaluated(evaluation: Evaluation, game: Game, states: dict[int, Array]) -> dict[int, float]:
    """Return by ply what an evaluation says of positions that are not decided yet."""
    return {ply: evaluation(state) for ply, state in states.items() if game.legal_moves(state)}
