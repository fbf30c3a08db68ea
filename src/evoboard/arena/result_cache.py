"""Results of games that need not be played again, because both players are deterministic.

A deterministic search gives the same game for the same two networks and start, whatever the seed;
so a remembered result is the result. Networks are known by the bytes of their arrays.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.players.setup import Bound

if TYPE_CHECKING:
    from evoboard.arena.backends.base import ResultBuffers


class ResultCache:
    """Remembers the games of any number of tournaments; hand the same cache to each."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, int, int, Array]] = {}
        self._used: set[bytes] = set()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._known)

    def fill(
        self,
        bound: Bound,
        pack: Any,
        schedule: Schedule,
        games: Array,
        buffers: ResultBuffers,
        recall: bool = True,
    ) -> Array:
        """Write the results already known; return which of the numbered games are left to play.

        Moves are not remembered: where they are wanted, results are not `recall`ed.
        """
        if not (recall and bound.deterministic):
            return games
        left = []
        for game, key in zip(games, _keys(bound, pack, schedule, games), strict=True):
            known = self._known.get(key)
            if known is None:
                left.append(game)
            else:
                self._used.add(key)
                for column, value in zip(buffers, known, strict=False):
                    column[game] = value
        self.hits += len(games) - len(left)
        return np.array(left, np.int64)

    def learn(
        self,
        bound: Bound,
        pack: Any,
        schedule: Schedule,
        games: Array,
        buffers: ResultBuffers,
    ) -> None:
        """Remember the numbered games, just played, if their search is deterministic."""
        if not bound.deterministic:
            return
        for game, key in zip(games, _keys(bound, pack, schedule, games), strict=True):
            result, code, plies = (int(column[game]) for column in buffers[:3])
            self._known[key] = (result, code, plies, buffers.finals[game].copy())
            self._used.add(key)

    def forget_unused(self) -> None:
        """Drop what has been neither learned nor asked for since the last call of this."""
        self._known = {key: self._known[key] for key in self._known if key in self._used}
        self._used = set()


def _keys(bound: Bound, pack: Any, schedule: Schedule, games: Array) -> list[bytes]:
    """Return what decides each of the numbered games: rules, search, networks, sides, opening."""
    networks, game = bound.kind, bound.game
    names = [digest(networks.member(pack, i)) for i in range(networks.size(pack))]
    rules = (game.name, game.version, game.options, bound.draws)
    thinking = (bound.encoder.name, bound.search.__name__, bound.settings)
    context = repr((rules, thinking, networks.__name__)).encode()
    starts = [state.tobytes() for state in schedule.openings]
    pairs = zip(schedule.pairings[games], schedule.opening_of[games], strict=True)
    return [
        hashlib.blake2b(
            context + names[first] + names[second] + starts[opening], digest_size=16
        ).digest()
        for (first, second), opening in pairs
    ]


def digest(network: Any) -> bytes:
    """Return 16 bytes that stand for a network: all its arrays and numbers."""
    made = hashlib.blake2b(digest_size=16)
    for part in network:
        array = np.ascontiguousarray(part)
        made.update(f"{array.dtype}{array.shape}".encode())
        made.update(array.tobytes())
    return made.digest()
