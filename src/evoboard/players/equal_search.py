"""Strength at equal search: a player that counts pieces and searches exactly as another does.

A network that looks five plies ahead beats a piece count that looks three plies ahead, whatever the
network knows. So wherever strength is reported, the first figure is against `material` with the
player's own search and settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options, with_options
from evoboard.core.settings import plain
from evoboard.core.wording import by_file_name
from evoboard.games.base import Game
from evoboard.players.base import Player, SearchPlayer, borrowed_player
from evoboard.search.base import find_search, read_settings

COUNTER, EQUAL = "material", "at equal search"
# What a search reports and whether it looks back at the game does not matter here; which value
# is as good as a win depends on the evaluation. The piece count always knows how games end:
# unaided, it would not mind losing its king, which has no value.
APART = ("all_values", "draws", "scale", "unaided")
USUAL = "alphabeta"  # the search of `material` where its text names none


def counter_for(player: Player, game: Game) -> str | None:
    """Return the text of the player that counts pieces and searches alike; None if there is none.

    There is none for players without one of our searches, for those at a level below their best,
    for searches that ask networks for moves, and in games whose pieces have no values.
    """
    if not isinstance(player, SearchPlayer) or not player.evaluates or player.level is not None:
        return None
    module, given = player.searcher.module, dict(plain(player.searcher.settings))
    own = player.own
    if own.depth is None and (own.seconds is not None or own.nodes is not None):
        given.pop("depth", None)  # it searches deeper and deeper until another limit is reached
    if own.seconds is not None:
        given["seconds"] = f"{own.seconds:g}"
    return counter_with(game, module.__name__.rsplit(".", 1)[-1], given, player.beyond)


def counter_of(text: str, game: Game) -> str | None:
    """Return the player that counts pieces and searches as a text's player does, if any."""
    with borrowed_player(text, game) as player:
        return counter_for(player, game)


def counter_with(
    game: Game, search: str, settings: Mapping[str, Any], beyond: Mapping[str, Any] | None = None
) -> str | None:
    """Return the text of the player that counts pieces with a search and these settings.

    `beyond`: settings of the search that takes over where the clock or nodes are limited.
    """
    module = find_search(search)
    if COUNTER not in game.bindings or hasattr(module, "outputs_for"):
        return None
    given = dict(settings)
    seconds = given.pop("seconds", None)
    whole = dict(plain(read_settings(module, given)))
    usual = {**plain(module.Settings()), **{name: whole.get(name) for name in APART}}
    told = {k: v for k, v in whole.items() if v != usual[k] or (k == "depth" and k in given)}
    options = {} if search == USUAL else {"search": search}
    options |= told if seconds is None else {**told, "seconds": seconds}
    options |= beyond or {}
    return with_options(COUNTER, options)


def with_own_search(text: str, game: Game, search: str, settings: Mapping[str, Any]) -> str:
    """Return the text of an opponent; plain `material` gets the named search.

    If `material` has that search anyway, its text stays as it is.
    """
    found = counter_with(game, search, settings) if text == COUNTER else None
    return text if found is None or searches_alike(text, search, settings) else found


def searches_alike(text: str, search: str, settings: Mapping[str, Any]) -> bool:
    """Tell whether a text names the piece-counting player with this search and settings."""
    kind, options = split_options(text)
    if kind != COUNTER or options.pop("search", USUAL) != search or "seconds" in options:
        return False
    try:
        module = find_search(search)
        known = [dict(plain(read_settings(module, given))) for given in (options, settings)]
    except EvoboardError:  # a stored run may name a search that is gone
        return False
    return all(known[0][name] == known[1][name] for name in known[0] if name not in APART)


def opponent_words(text: str, search: str, settings: Mapping[str, Any]) -> str:
    """Return an opponent's name for people: that of the piece count without all of its settings
    if it searches as the networks it meets do."""
    if not searches_alike(text, search, settings):
        return by_file_name(text)
    how = _limits_in_words(settings)
    return f"{COUNTER} {EQUAL} ({how})" if how else f"{COUNTER} {EQUAL}"


def search_words(player: Player) -> str:
    """Return how a player searches, for people: "depth 3, quiescence 4"."""
    if not isinstance(player, SearchPlayer):
        return ""
    known, own = plain(player.searcher.settings), player.own
    if own.seconds is not None:
        return f"{own.seconds:g} s a move"
    words = (_limits_in_words(known), "unaided" if known.get("unaided") else "")
    return ", ".join(filter(None, words))


def _limits_in_words(settings: Mapping[str, Any]) -> str:
    """Return how far a search looks, for people."""
    names = ("depth", "rounds", "quiescence", "nodes")
    return ", ".join(f"{name} {settings[name]}" for name in names if settings.get(name))
