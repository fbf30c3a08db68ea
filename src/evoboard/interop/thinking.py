"""One search in a thread of its own: watched, stopped, answered."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from evoboard.core.arrays import Array
from evoboard.games.history import History
from evoboard.games.laws.rule_guard import describe_failure
from evoboard.players.base import Player
from evoboard.search.base import Thought
from evoboard.search.limits import Limits, Stop

PACE = 0.01  # seconds between two looks at a running search
QUIET = 1.0  # seconds after which the same depth is reported again
# The share of its usual time after which a move is clear: less for every depth that confirms it.
DOUBTFUL, CLEAR, CONFIRMED = 1.0, 0.4, 0.1


class SearchListener(Protocol):
    """Who asked: a protocol, which puts what it hears into words; called from any thread."""

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        """Tell what a running search has found so far."""

    def answer(self, state: Array, thought: Thought | None, seconds: float) -> None:
        """Tell the outcome of a search, None if there is none; comes exactly once a search."""

    def complain(self, message: str) -> None:
        """Tell what is wrong, in one sentence."""


class Search:
    """A player thinking about a game until it is done, stopped or out of time.

    `endless`: no answer before a stop. `ponder`: nor before the hit, which starts the clock.
    `usual`: seconds after which a depth that has been finished is usually enough; None: use all
    the time there is. A depth takes longer than all before it, so little is lost by not beginning
    one, and the time is there where the next depth changes the move.
    """

    def __init__(
        self,
        player: Player,
        history: History,
        limits: Limits,
        endless: bool,
        ponder: bool,
        usual: float | None = None,
    ) -> None:
        self._player, self._history, self._limits = player, history, limits
        self._began = time.perf_counter()
        self._over, self._wanted = threading.Event(), threading.Event()
        self._stop = Stop()
        self._endless, self._usual = endless, usual
        if not (endless or ponder):
            self._wanted.set()

    def stop(self) -> None:
        """Answer soon with the best move so far."""
        self._wanted.set()
        self._stop.set()

    def hit(self) -> None:
        """Go on with the clock running: the expected move was made."""
        if self._endless or self._wanted.is_set():
            return
        if self._limits.seconds is not None:
            self._stop.set_after(self._limits.seconds)
        self._wanted.set()

    def run(self, chance: int, listener: SearchListener) -> None:
        """Think, and report to the listener; return when it has the answer."""
        watcher = threading.Thread(target=self._watch, args=(listener,), daemon=True)
        watcher.start()
        thought, state = None, self._history.state
        try:
            limits = self._limits
            if not self._wanted.is_set():
                limits = replace(limits, seconds=None)
            thought = self._player.think(self._history, chance, limits, self._stop)
        except Exception as error:  # a user's player may raise anything
            listener.complain(describe_failure(error))
        spent = time.perf_counter() - self._began
        self._over.set()
        watcher.join()
        self._wanted.wait()
        listener.answer(state, thought, spent)

    def _watch(self, listener: SearchListener) -> None:
        """Report every depth that is finished; end the search once one is enough."""
        told, at, move, since, enough = 0, self._began, -1, 0, False
        glance = getattr(self._player, "glance", None)
        while glance and not self._over.wait(PACE):
            thought, now = glance(), time.perf_counter()
            if thought and self._usual is not None and thought.depth > told:
                since, move = since if thought.move == move else thought.depth, thought.move
                clear = max(CLEAR, DOUBTFUL - CONFIRMED * (thought.depth - since))
                enough = now - self._began >= clear * self._usual
            if enough and self._wanted.is_set():
                self._stop.set()
            if thought and (thought.depth > told or now - at > QUIET):
                told, at = thought.depth, now
                listener.progress(self._history.state, thought, now - self._began)


class ThinkingThread:
    """A thread that does one thing after another and never keeps the process from ending."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, task: Callable[[], None]) -> None:
        """Do something when all that was submitted before is done."""
        self._tasks.put(task)

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until everything is done; tell whether it is."""
        done = threading.Event()
        self.submit(done.set)
        return done.wait(seconds)

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            try:
                task()
            except Exception:  # the next one may succeed
                logging.getLogger("evoboard").exception("a task fails")
