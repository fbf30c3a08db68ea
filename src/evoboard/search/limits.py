"""When a search must answer: limits set beforehand, and a flag set while it runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from evoboard.core.errors import OptionError, quoted

OPEN = 10**9  # a depth that is never reached: the clock, the nodes or a stop end the search
MOST = 10**18  # a search counts in 64 bits


@dataclass(frozen=True)
class Limits:
    """How many plies, positions and seconds a thought may take; None: not limited.

    `instead`: these replace a player's own limits of the same kind, even if they are wider.
    `wish`: a player that cannot keep to one of them does without; else it refuses to think.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    instead: bool = False
    wish: bool = False

    def __post_init__(self) -> None:
        if self.seconds is not None and not (_is(self.seconds, Real) and self.seconds > 0):
            raise OptionError(
                f"the thinking time is {quoted(self.seconds)} s; it must be more than 0."
            )
        for name in ("depth", "nodes"):
            value = getattr(self, name)
            if value is not None and not (_is(value, Integral) and 1 <= value <= MOST):
                raise OptionError(
                    f"the limit of {name} is {quoted(value)}; it must be a whole number from 1 to "
                    f"{MOST:,}."
                )
        if not isinstance(self.instead, bool):
            raise OptionError(f"instead is {quoted(self.instead)}; it must be True or False.")

    def within(self, other: Limits) -> Limits:
        """Return the tighter of both, limit by limit; the other's if it is to replace this one."""
        tighter = _other if other.instead else _least
        return Limits(
            tighter(self.depth, other.depth),
            tighter(self.nodes, other.nodes),
            tighter(self.seconds, other.seconds),
        )


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


NO_LIMITS = Limits()


def _least(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _other(one: Any, other: Any) -> Any:
    return one if other is None else other


class Stopped(Exception):
    """The rest of a game is no longer wanted."""


class Stop:
    """A flag that belongs to the caller: once set it stays set, so that no stop is ever lost.

    Kernels read its cell, 0 or 1; others may be called when it is set. `final`: whoever sets it
    no longer wants an answer, so nobody need have one ready.
    """

    def __init__(self, final: bool = False) -> None:
        self.cell, self.final = np.zeros(1, np.int64), final
        self._lock = threading.Lock()
        self._calls: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        """Whether to answer now."""
        return bool(self.cell[0])

    def set(self) -> None:
        """End all thoughts given this flag, now or as soon as they begin."""
        with self._lock:
            self.cell[0] = 1
            calls = tuple(self._calls)
        for call in calls:
            call()

    def set_after(self, seconds: float) -> threading.Timer:
        """Set the flag after this many seconds, unless the timer is cancelled."""
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self.set)
        timer.daemon = True
        timer.start()
        return timer

    @contextmanager
    def calling(self, call: Callable[[], None]) -> Iterator[None]:
        """Call something when the flag is set; at once if it already is."""
        with self._lock:
            self._calls.append(call)
            late = self.is_set
        if late:
            call()
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    @contextmanager
    def within(self, seconds: float | None) -> Iterator[Stop]:
        """Give a flag that is set with this one, or when the seconds have passed."""
        if seconds is None:
            yield self
            return
        inner = Stop()
        timer = inner.set_after(seconds)
        try:
            with self.calling(inner.set):
                yield inner
        finally:
            timer.cancel()
