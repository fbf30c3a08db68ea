"""One search in a thread of its own: watched, stopped when its time is up, answered."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Protocol

from evoboard.arena.watch import describe_numba, is_numba
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.interop.limits import Limits
from evoboard.interop.mind import Mind
from evoboard.search.base import Thought

PACE = 0.01  # seconds between two looks at a running search
NUDGE = 0.002  # and between two stops: one that comes before the search has begun is not heard
QUIET = 1.0  # seconds after which the same depth is told again


class Listener(Protocol):
    """Who asked: a protocol, which puts into words what it is told, from any thread."""

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        """Tell what a running search has found so far."""

    def answer(self, state: Array, thought: Thought | None, seconds: float) -> None:
        """Tell the outcome of a search, None where there is none; comes exactly once a search."""

    def complain(self, message: str) -> None:
        """Tell what is wrong, in one sentence."""


class Search:
    """A player thinking about a position until it is done, stopped or out of time."""

    def __init__(self, mind: Mind, state: Array, limits: Limits, seconds: float | None) -> None:
        self.mind, self.state, self.limits = mind, state, limits
        self._began = time.perf_counter()
        self._seconds = seconds
        # Read and written by several threads; each is one assignment.
        self._deadline: float | None = None
        self._over, self._wanted = threading.Event(), threading.Event()
        self._stopped = False
        if not (limits.endless or limits.ponder):
            self._want()

    def stop(self) -> None:
        """Answer soon with the best move so far."""
        self._stopped = True
        self._wanted.set()
        self.mind.stop()

    def hit(self) -> None:
        """Go on with the clock running: the expected move was made."""
        if self.limits.ponder and not (self.limits.endless or self._wanted.is_set()):
            self._want()

    def run(self, chance: int, listener: Listener) -> None:
        """Think and tell the listener all about it; returns when it has got its answer."""
        watcher = threading.Thread(target=self._watch, args=(listener,), daemon=True)
        watcher.start()
        thought = None
        try:
            clock = self._seconds if self._wanted.is_set() else None
            thought = self.mind.think(self.state, chance, clock)
        except Exception as error:  # a player of one's own may raise anything
            listener.complain(explained(error))
        spent = time.perf_counter() - self._began
        self._over.set()
        watcher.join()
        self._wanted.wait()
        listener.answer(self.state, thought, spent)

    def restart_clock(self) -> None:
        """Count the time from now on: what has passed was spent on compiling."""
        self._began = time.perf_counter()
        if self._deadline is not None:
            self._want()

    def _want(self) -> None:
        if self._seconds is not None:
            self._deadline = time.perf_counter() + self._seconds
        self._wanted.set()

    def _watch(self, listener: Listener) -> None:
        told, at = 0, self._began
        while not self._over.wait(self._pause()):
            if self._late():
                self.mind.stop()
                continue
            thought, now = self.mind.glance(), time.perf_counter()
            if thought and (thought.depth > told or now - at > QUIET):
                told, at = thought.depth, now
                listener.progress(self.state, thought, now - self._began)

    def _late(self) -> bool:
        over = self._deadline is not None and time.perf_counter() >= self._deadline
        return self._stopped or over

    def _pause(self) -> float:
        if self._late():
            return NUDGE
        if self._deadline is None:
            return PACE
        return min(PACE, max(0.0, self._deadline - time.perf_counter()))


class Worker:
    """A thread that does one thing after the other, and never keeps the process from ending."""

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
            except Exception:  # the next one may fare better
                logging.getLogger("evoboard").exception("a task fails")


def explained(error: Exception) -> str:
    """Return an error as a sentence in one line."""
    if isinstance(error, EvoboardError):
        told = str(error)
    elif is_numba(error):
        told = describe_numba(error)
    else:
        told = f"the player fails: {type(error).__name__}: {error}"
    return " ".join(told.split())
