"""Strength at equal search: a player that counts pieces and searches exactly as another does.

A network that looks five plies ahead beats a count of pieces that looks three ahead, whatever the
network knows. So whatever tells strength tells first how a player does against `material` with the
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
# What a search reports and whether it looks back at the game is the same for both anyway; which
# value is as good as a win depends on who values positions. Who counts pieces always knows how
# games end: to an unaided one a king, which has no value, is nothing.
APART = ("all_values", "draws", "scale", "unaided")
USUAL = "alphabeta"  # the search of `material` where its text names none


def counter_for(player: Player, game: Game) -> str | None:
    """Return the text of the player that counts pieces and searches alike; None: there is none.

    That is so for players without a search of ours, for those at a level below their best, for
    searches that ask networks for moves, and in games whose pieces have no values.
    """
    if not isinstance(player, SearchPlayer) or not player.evaluates or player.level is not None:
        return None
    module, given = player.searcher.module, dict(plain(player.searcher.settings))
    own = player.own
    if own.depth is None and (own.seconds is not None or own.nodes is not None):
        given.pop("depth", None)  # it goes deeper and deeper until another limit is reached
    if own.seconds is not None:
        given["seconds"] = f"{own.seconds:g}"
    return counter_with(game, module.__name__.rsplit(".", 1)[-1], given)


def counter_of(text: str, game: Game) -> str | None:
    """Return the player that counts pieces and searches as a text's player does, if any."""
    with borrowed_player(text, game) as player:
        return counter_for(player, game)


def counter_with(game: Game, search: str, settings: Mapping[str, Any]) -> str | None:
    """Return the text of the player that counts pieces with a search and these settings."""
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
    return with_options(COUNTER, options)


def with_own_search(text: str, game: Game, search: str, settings: Mapping[str, Any]) -> str:
    """Return the text of an opponent; `material` alone searches as the named search does.

    Where `material` has that very search anyway, its text stays as it is.
    """
    found = counter_with(game, search, settings) if text == COUNTER else None
    return text if found is None or searches_alike(text, search, settings) else found


def searches_alike(text: str, search: str, settings: Mapping[str, Any]) -> bool:
    """Tell whether a text names the player that counts pieces, with this search and settings."""
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
    """Return an opponent for people, marked where it searches as the networks it meets do."""
    equal = f" {EQUAL}" if searches_alike(text, search, settings) else ""
    return by_file_name(text) + equal


def search_words(player: Player) -> str:
    """Return how a player searches, for people: "depth 3, quiescence 4"."""
    if not isinstance(player, SearchPlayer):
        return ""
    known, own = plain(player.searcher.settings), player.own
    if own.seconds is not None:
        return f"{own.seconds:g} s a move"
    names = ("depth", "rounds", "quiescence", "nodes")
    words = [f"{name} {known[name]}" for name in names if known.get(name)]
    return ", ".join([*words, "unaided"] if known.get("unaided") else words)
