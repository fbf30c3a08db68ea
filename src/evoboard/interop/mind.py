"""A player whose search can be limited anew for every move, and looked at while it thinks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evoboard.core.arrays import Array
from evoboard.core.settings import plain
from evoboard.games.base import Game
from evoboard.players.base import Player, SearchPlayer
from evoboard.search.base import Searcher, Thought

GLIMPSE = 0.001  # seconds of the first thought, which compiles


class Mind:
    """A player and, where it has one, its search; not for two threads at once, except `stop`."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._searcher: Searcher | None = None
        if isinstance(player, SearchPlayer):
            self._searcher, self._settings = player.searcher, player.searcher.settings
            self._scale = player.scale
        self._ready = False

    def limits(self) -> dict[str, Any]:
        """Return the limits that the player's own search has."""
        own = dict(plain(self._settings)) if self._searcher else {}
        return {key: own[key] for key in ("depth", "nodes", "rounds") if own.get(key)}

    def limit(self, **given: Any) -> None:
        """Set the next thought's limits, as far as the search has them; all others as ever."""
        if self._searcher is None:
            return
        known = {k: v for k, v in given.items() if k in type(self._settings).model_fields}
        if "depth" in known:  # the workspace has room for no more
            known["depth"] = min(known["depth"], self._settings.depth)
        self._searcher.settings = self._settings.model_copy(update=known)

    def prepare(self, game: Game) -> bool:
        """Compile what thinking needs, before a clock runs; tell whether it was not yet done."""
        if self._ready:
            return False
        state = game.initial()
        if game.legal_moves(state):
            self.player.think(state, 1, GLIMPSE)
        self._ready = True
        return True

    def think(self, state: Array, chance: int, seconds: float | None = None) -> Thought:
        """Return the player's thought; a search is stopped from outside when its time is up."""
        if self._searcher is None:
            return self.player.think(state, chance, seconds)
        self._searcher.forget()
        return self.player.think(state, chance)

    def glance(self) -> Thought | None:
        """Return what the running search has found so far, None where nothing can be said."""
        found = self._searcher.glance() if self._searcher else None
        return replace(found, scale=self._scale) if found else None

    def stop(self) -> None:
        """End a running thought soon."""
        self.player.stop()
