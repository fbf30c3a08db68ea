"""What every protocol needs: the position, the player in a thread of its own, limits, stop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.interop.limits import Limits
from evoboard.interop.line import Line
from evoboard.interop.mind import Mind
from evoboard.interop.thinking import Listener, Search, Worker, explained
from evoboard.players.base import Player, make_player, split_player
from evoboard.players.limits import names_limit, until_stopped
from evoboard.search.base import Thought

OVERHEAD = 0.05  # seconds
HASH, MOST_HASH = 16, 2_048  # megabytes
ENTRY = 20  # bytes of a transposition table


class Engine:
    """A player of a game that is asked by another program, about one position at a time.

    Its own limit holds where its text names one (champion:depth=4); else a clock is used up as far
    as is wise, and without a clock it looks as far as it usually does. What is asked for explicitly
    (depth, nodes) comes before both.
    """

    def __init__(self, game: Game, player: str) -> None:
        self.game, self.line = game, Line(game)
        self.overhead, self.megabytes = OVERHEAD, HASH
        self._worker = Worker()
        self._search: Search | None = None
        self._asked = 0
        self.choose(player)

    def choose(self, text: str) -> None:
        """Let another player play from the next search on; an error changes nothing."""
        own = make_player(text, self.game)
        free = self._prolonged(own, text)
        self.text, self._own = text, Mind(own)
        self._free = self._own if free is own else Mind(free)

    def set_megabytes(self, amount: int) -> None:
        """Give the search that much memory, from the next one on."""
        self.megabytes = amount
        self.choose(self.text)

    def _prolonged(self, player: Player, text: str) -> Player:
        """Return the player without a limit of its own, with a table of the size that is set."""
        if "table_bits" in split_player(text)[1]:
            return until_stopped(player)
        return until_stopped(player, table_bits=int(math.log2(self.megabytes * 2**20 / ENTRY)))

    def prepare(self, then: Callable[[], None], listener: Listener) -> None:
        """Compile all that thinking needs, in the player's thread; then call `then`."""
        mind = self._own if names_limit(self.text) else self._free

        def task() -> None:
            try:
                self.line.ending()
                mind.prepare(self.game)
            except Exception as error:
                listener.complain(explained(error))
            then()

        self._worker.submit(task)

    @property
    def searching(self) -> bool:
        """Tell whether an answer is still to come."""
        return self._search is not None

    def go(self, limits: Limits, listener: Listener) -> None:
        """Think about the position; the listener is told what comes of it."""
        self.stop()
        self._asked += 1
        chance, (mind, settings) = self._asked, self._how(limits)
        search = Search(mind, self.line.state, limits, limits.seconds(self.overhead))
        self._search = search

        def task() -> None:
            if mind.prepare(self.game):
                search.restart_clock()
            mind.limit(**settings)
            search.run(chance, _Told(self, search, listener))

        self._worker.submit(task)

    def _how(self, limits: Limits) -> tuple[Mind, dict[str, Any]]:
        """Return who is asked, and the settings of its search."""
        settings = {"all_values": 1} if limits.only else {}
        if limits.depth is not None or limits.nodes is not None:
            if limits.depth is not None:
                settings["depth"] = max(1, limits.depth)
            if limits.nodes is not None:  # a round of a tree search is as good as a node
                settings["nodes"] = settings["rounds"] = max(1, limits.nodes)
            return self._free, settings
        if names_limit(self.text):
            return self._own, settings
        return self._free, settings if limits.open else settings | self._own.limits()

    def stop(self) -> None:
        """Let a running search answer soon."""
        if (search := self._search) is not None:
            search.stop()

    def hit(self) -> None:
        """Let a search that ponders go on with its clock running."""
        if (search := self._search) is not None:
            search.hit()

    def forget(self, search: Search) -> None:
        """Await no answer of this search any more."""
        if self._search is search:
            self._search = None

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until nothing is under way any more; tell whether that is so."""
        return self._worker.settle(seconds)


class _Told:
    """Passes on what a search says, and keeps to the moves that were asked about."""

    def __init__(self, engine: Engine, search: Search, listener: Listener) -> None:
        self._engine, self._search, self._listener = engine, search, listener

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        if not self._search.limits.only:
            self._listener.progress(state, thought, seconds)

    def answer(self, state: Array, thought: Thought | None, seconds: float) -> None:
        if thought is not None:
            thought = best_of(thought, self._search.limits.only)
        self._engine.forget(self._search)  # whoever has the answer may ask again at once
        self._listener.answer(state, thought, seconds)

    def complain(self, message: str) -> None:
        self._listener.complain(message)


def best_of(thought: Thought, moves: tuple[int, ...]) -> Thought:
    """Return the thought with the best of these moves, the first where none has a value."""
    if not moves or thought.move in moves:
        return thought
    known = {move: thought.move_values[move] for move in moves if move in thought.move_values}
    move = max(known, key=lambda move: known[move], default=moves[0])
    value, depth = (known[move], thought.depth) if known else (0.0, 0)
    return replace(thought, move=move, line=(move,), value=value, depth=depth)
