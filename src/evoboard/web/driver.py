"""Who makes the players' moves in a session and collects what its adviser thinks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from evoboard.arena.game_tree import Node
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.players.base import SearchPlayer
from evoboard.search.base import Thought
from evoboard.web.async_player import (
    ADVICE,
    AsyncPlayer,
    adviser_of,
    log_failure,
    offered_judge,
    offered_player,
)
from evoboard.web.session import PERSON, GameSession, Thinking
from evoboard.web.threads import off_loop
from evoboard.web.values import SILENT, seen_by_first

LEAST_PAUSE = 0.3  # seconds between two moves, so that both can be seen
GLANCE = 0.05  # seconds between two looks at a player that is being compiled

Role = Literal["move", "advise", "hint"]  # what a player is asked for
StaticEval = Callable[[Array], float]  # of a position by itself, for side 0


class SessionDriver:
    """Makes the moves of a session's players and collects what its adviser thinks.

    It works while anyone is watching (`attend`), and stops when the last one leaves. With
    `examines`, the adviser is asked about every position of the game, the latest first.
    """

    def __init__(self, session: GameSession) -> None:
        self.session = session
        self.visitors = 0
        self.examines = False
        self._uninterested: set[Any] = set()  # pages that do not want to see what is thought
        self._players: dict[tuple[Role, str], AsyncPlayer] = {}
        self._static: tuple[str, StaticEval | None] | None = None
        self._task: asyncio.Task[None] | None = None

    def change(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Do something that changes the session's position, and think about the new one."""
        result = self.session.change(act, *arguments)
        self.wake()
        return result

    def attend(self) -> None:
        """Count a visitor, and go on."""
        self.visitors += 1
        self.wake()

    def advise(self, page: Any, wanted: bool) -> None:
        """Note whether a page shows advice; the adviser is asked while any visitor's page does."""
        (self._uninterested.discard if wanted else self._uninterested.add)(page)

    @property
    def advises(self) -> bool:
        """Tell whether any page shows what the adviser thinks."""
        return self.visitors > len(self._uninterested)

    async def leave(self) -> None:
        """Count a visitor out; after the last one nothing keeps thinking."""
        self.visitors -= 1
        if self.visitors <= 0:
            if self._task:
                self._task.cancel()
            self._task = None
            players, self._players = self._players, {}  # a search's memory is large
            for player in players.values():
                await player.leave()

    def hurry(self) -> None:
        """Make the players that are thinking answer with their best move so far."""
        for player in self._players.values():
            player.stop()

    async def hint(self) -> Thought | None:
        """Return what the adviser thinks of the position, asked now if it has not been yet."""
        session, known = self.session, self.session.tree.current.thought
        if known is not None and known.move_values:
            return known
        # A player of its own: the question must not end what the adviser is thinking about.
        player = self._player("hint", adviser_of(session.asked, session.game))
        return await player.think(
            session.tree.history(session.tree.current), session.chance, ADVICE
        )

    def wake(self) -> None:
        """Think about the position as it is now."""
        if self._task:
            self._task.cancel()
        self.hurry()
        self._task = asyncio.create_task(self._work()) if self.visitors > 0 else None

    async def _work(self) -> None:
        session = self.session
        session.trouble = ""
        try:
            while not session.over and session.seats[session.side] != PERSON:
                if not await self._move(session.version):
                    return
            await self._advise(session.version)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            session.trouble = log_failure(error)
            self._show(None, always=True)

    async def _move(self, version: int) -> bool:
        """Let the player to move make its move; False if the position has changed meanwhile."""
        session, began = self.session, time.monotonic()
        node, text = session.tree.current, session.seats[session.side]
        player = self._player("move", text)
        prepares = not player.ready
        self._show(Thinking(began, prepares))
        watch = asyncio.create_task(self._watch(player)) if prepares else None
        try:
            thought = await player.think(session.tree.history(node), session.chance)
        finally:
            if watch:
                watch.cancel()
        prepared = time.monotonic() - began - thought.seconds if watch and thought else 0.0
        if thought is not None and session.version == version:
            await asyncio.sleep(max(0.0, LEAST_PAUSE - (time.monotonic() - began)))
        if thought is None or session.version != version:
            return False
        session.thinking = None
        if split_options(text)[0] not in SILENT:
            node.thought = thought
        session.change(self._make, thought, prepared)
        return True

    def _make(self, thought: Thought, prepared: float) -> None:
        """Make a player's move and note its time; a player without a move loses."""
        tree = self.session.tree
        if thought.move < 0:
            return tree.forfeit()
        tree.play(thought.move)
        tree.current.seconds, tree.current.prepared = thought.seconds, prepared
        return None

    async def _watch(self, player: AsyncPlayer) -> None:
        """Begin to count the time of thinking when the player is ready for it."""
        while not player.ready:
            await asyncio.sleep(GLANCE)
        self._show(Thinking(time.monotonic(), False), always=True)

    async def _advise(self, version: int) -> None:
        """Ask the adviser about the positions it has not been asked about yet."""
        self._show(None)
        session = self.session
        if self.examines and self.advises:
            # First: it is there at once, however long a search takes.
            await self._evaluate(version, session.asked)
        player = self._player("advise", adviser_of(session.asked, session.game))
        nodes = session.line[::-1] if self.examines else [session.tree.current]
        for node in nodes if self.advises else ():
            known = node.thought
            if (known and known.move_values) or not session.game.legal_moves(node.state):
                continue
            thought = await player.think(session.tree.history(node), session.chance, ADVICE)
            if thought is None or session.version != version:
                return
            node.thought = thought
            session.tell("advice")

    async def _evaluate(self, version: int, text: str) -> None:
        """Note what the adviser's evaluation says of each position without any search."""
        session = self.session
        asked = [node for node in session.line if node.static_eval is None]
        if not asked:
            return
        if self._static is None or self._static[0] != text:
            self._static = text, await off_loop(static_eval, text, session.game)
        if self._static[1] is None:
            return
        found = await off_loop(_evaluated, self._static[1], session.game, asked)
        if found and session.version == version:
            for node, value in found:
                node.static_eval = value
            session.tell("advice")

    def _show(self, thinking: Thinking | None, always: bool = False) -> None:
        """Show whether a player is thinking."""
        before, self.session.thinking = self.session.thinking, thinking
        if (before is None) != (thinking is None) or always:
            self.session.tell("thinking")

    def _player(self, role: Role, text: str) -> AsyncPlayer:
        if (role, text) not in self._players:
            make = offered_player if role == "move" else offered_judge
            self._players[role, text] = AsyncPlayer(partial(make, text, self.session.game))
        return self._players[role, text]


def static_eval(text: str, game: Game) -> StaticEval | None:
    """Return what evaluates positions for a player, without any search, None if nothing does.

    It compiles when it is first asked.
    """
    try:
        player = offered_player(text, game)
    except EvoboardError:  # asking the player itself reports it
        return None
    if not isinstance(player, SearchPlayer) or not player.evaluates:
        return None
    return lambda state: seen_by_first(player.value(state), game.side(state))


def _evaluated(evaluate: StaticEval, game: Game, nodes: list[Node]) -> list[tuple[Node, float]]:
    """Return what an evaluation says of positions that are not decided yet."""
    return [(node, evaluate(node.state)) for node in nodes if game.legal_moves(node.state)]
