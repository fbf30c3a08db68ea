"""Limits of thinking: whether a player's text names one, and a player that has none of its own."""

from __future__ import annotations

from typing import Any

from evoboard.core.settings import plain
from evoboard.players.base import Player, SearchPlayer, split_player
from evoboard.search.base import find_search

LIMITS = ("depth", "rounds", "nodes", "seconds")
DEEPENING = "pvs"  # what plain alpha-beta becomes where only a clock ends it


def names_limit(text: str) -> bool:
    """Tell whether a player's text says itself how far it thinks."""
    return not set(LIMITS).isdisjoint(split_player(text)[1])


def until_stopped(player: Player, **settings: Any) -> Player:
    """Return a player that judges alike and searches until it is stopped.

    The player itself where it has no search that can be prolonged. What both searches know is kept,
    such as quiescence; `settings` come on top, as far as the search has them.
    """
    if not isinstance(player, SearchPlayer):
        return player
    name = DEEPENING if player.search == "alphabeta" else player.search
    module = find_search(name)
    if not hasattr(module, "UNTIL_STOPPED"):
        return player
    kept = {k: v for k, v in plain(player.searcher.settings).items() if k not in LIMITS}
    given = {k: v for k, v in (kept | settings).items() if k in module.Settings.model_fields}
    return player.searching(name, {**given, **module.UNTIL_STOPPED})
