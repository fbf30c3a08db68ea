"""Results that need not be played again: deterministic players that have met from this opening.

A deterministic search gives the same game for the same two networks and start, whatever the seed;
so a remembered result is the result. Networks are known by the bytes of their arrays.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from evoboard.core.arrays import Array

if TYPE_CHECKING:
    from evoboard.arena.tournament import Schedule, Sheet, Tournament


class ResultCache:
    """Remembers the games of any number of tournaments; hand the same cache to each."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, int, int, Array]] = {}
        self._used: set[bytes] = set()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._known)

    def fill(
        self, pack: Any, schedule: Schedule, sheet: Sheet, finals: Array, tournament: Tournament
    ) -> Array:
        """Write the results already known; return the numbers of the games left to play."""
        left = []
        for game, key in enumerate(_keys(pack, schedule, tournament)):
            known = self._known.get(key)
            if known is None:
                left.append(game)
            else:
                self._used.add(key)
                sheet.results[game], sheet.codes[game], sheet.plies[game], finals[game] = known
        self.hits += len(schedule.pairings) - len(left)
        return np.array(left, np.int64)

    def learn(
        self,
        pack: Any,
        schedule: Schedule,
        sheet: Sheet,
        finals: Array,
        tournament: Tournament,
        played: Array,
    ) -> None:
        """Remember the games just played, if their search is deterministic."""
        if not getattr(tournament.search, "DETERMINISTIC", False):
            return
        keys = _keys(pack, schedule, tournament)
        for game in played:
            result, code, plies = (int(c[game]) for c in (sheet.results, sheet.codes, sheet.plies))
            self._known[keys[game]] = (result, code, plies, finals[game].copy())
            self._used.add(keys[game])

    def forget_unused(self) -> None:
        """Drop what has been neither learned nor asked for since the last call of this."""
        self._known = {key: self._known[key] for key in self._known if key in self._used}
        self._used = set()


def _keys(pack: Any, schedule: Schedule, tournament: Tournament) -> list[bytes]:
    """Return what decides each game: rules, search, networks, sides and opening."""
    networks = tournament.networks
    names = [_digest(networks.member(pack, i)) for i in range(networks.size(pack))]
    game, encoder = tournament.game, tournament.encoder
    rules = (game.name, game.version, game.options, tournament.draws)
    mind = (encoder.name, tournament.search.__name__, tournament.settings)
    context = repr((rules, mind, networks.__name__)).encode()
    starts = [state.tobytes() for state in schedule.openings]
    return [
        hashlib.blake2b(
            context + names[first] + names[second] + starts[opening], digest_size=16
        ).digest()
        for (first, second), opening in zip(schedule.pairings, schedule.opening_of, strict=True)
    ]


def _digest(network: Any) -> bytes:
    """Return 16 bytes that stand for a network: all its arrays and numbers."""
    digest = hashlib.blake2b(digest_size=16)
    for part in network:
        array = np.ascontiguousarray(part)
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.digest()
