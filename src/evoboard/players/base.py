"""What a player is, and how a text names one: "random", "material:depth=3", "file:champion.json".

A player module defines

    SUMMARY                              one line for the list of players
    OPTIONS                              its options with their defaults, as text for people
    player_for(game, options) -> Player  options as texts or values; OptionError for wrong ones

Everywhere a player is asked for, its text will do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.core.wording import listed, nearest
from evoboard.games.base import Game
from evoboard.search.base import Searcher, Thought, find_search, read_settings
from evoboard.store.run_file import run_names

PACKAGE = "evoboard.players"


class Player(Protocol):
    """Answers positions with moves. Not for two threads at once."""

    name: str
    # The same position always gets the same answer, whatever the chance.
    deterministic: bool

    def think(self, state: Array, chance: int, seconds: float | None = None) -> Thought:
        """Return a move and how the position looks; a move of -1 forfeits the game."""

    def stop(self) -> None:
        """End a running `think` soon; it answers with the best move so far."""


def dismiss(player: Player) -> None:
    """Let a player go that is not asked any more: some hold a program, which `close` ends."""
    close = getattr(player, "close", None)
    if close:
        close()


def make_player(text: str, game: Game) -> Player:
    """Return the player that `text` names, for a game."""
    kind, options = split_player(text)
    try:
        module = catalog.find("player", PACKAGE, kind, "player_for")
    except NotFound as error:
        if kind.endswith(".py"):
            raise OptionError(f"player {text!r}: {error}") from error
        raise OptionError(_no_player(kind)) from None
    if not hasattr(module, "player_for"):
        raise OptionError(f"player {text!r}: {kind} is no player: it lacks player_for.")
    try:
        player: Player = module.player_for(game, options)
    except EvoboardError as error:
        raise type(error)(f"player {text!r}: {error}") from error
    player.name = text
    return player


HOW = "A player is written KIND or KIND:option=value,…, such as material:depth=3."


def _no_player(kind: str) -> str:
    """Return the sentence about a kind of player that there is not."""
    if kind in run_names():
        return f"{kind} is a run; its best player is written run:{kind}."
    near = nearest(kind, player_names(), cutoff=0.7)  # short names are soon alike
    hint = f"did you mean {listed(near, 'or')}?" if near else f"known: {listed(player_names())}."
    return f"there is no player named {quoted(kind)}; {hint} {HOW}"


def player_names() -> list[str]:
    """Return the kinds of players there are."""
    return catalog.names(PACKAGE, "player_for")


def split_player(text: str) -> tuple[str, dict[str, str]]:
    """Return kind and options; what has no key of its own gets the key "".

    That is a file's path, or a run's player such as NAME@gen=40#3, with its own equals sign.
    """
    kind, colon, rest = text.strip().partition(":")
    if not colon:
        return kind, {}
    options: dict[str, str] = {}
    for part in re.split(r",(?=\s*\w+\s*=)", rest):
        key, _, value = part.partition("=")
        if "=" not in part or not re.fullmatch(r"\s*\w+\s*", key):
            key, value = "", part
        if key.strip() in options or (not key and options):
            raise OptionError(f"cannot read {part!r} in the player {text!r}. {HOW}")
        options[key.strip()] = value.strip()
    return kind, options


def take_seconds(options: dict[str, Any]) -> float | None:
    """Remove the option `seconds` (thinking time a move) and return it, checked."""
    given = options.pop("seconds", None)
    if given is None:
        return None
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        raise OptionError(f"seconds is {given!r}; it must be a number.") from None
    if not 0 < seconds < 1e6:
        raise OptionError(f"seconds is {given}; a thinking time is more than 0.")
    return seconds


class SearchPlayer:
    """A search with an evaluator and, where the evaluator is a network, that network.

    `scale`: the evaluator's values lie within ± this, if that is known.
    """

    def __init__(
        self,
        game: Game,
        search: str,
        options: Mapping[str, Any],
        evaluator: Mapping[str, Any],
        network: Any,
        scale: float | None = None,
    ) -> None:
        given = dict(options)
        self.seconds = take_seconds(given)
        module = find_search(search)
        if self.seconds is not None:  # the clock is the limit, unless another one is given, too
            given = {**getattr(module, "UNTIL_STOPPED", {}), **given}
        self.name = self.search = search
        self.game, self.evaluator, self.network = game, evaluator, network
        self.deterministic = bool(getattr(module, "DETERMINISTIC", False)) and self.seconds is None
        self._evaluator_scale = scale
        settings = read_settings(module, given)
        within = getattr(module, "values_within", None)
        self.scale = within(settings) if within else scale
        self.searcher = Searcher(game, module, settings, evaluator)

    def think(self, state: Array, chance: int, seconds: float | None = None) -> Thought:
        """Return the search's answer within the smaller of both time limits."""
        limits = [limit for limit in (seconds, self.seconds) if limit is not None]
        thought = self.searcher.think(self.network, state, chance, min(limits) if limits else None)
        return replace(thought, scale=self.scale)

    @property
    def ready(self) -> bool:
        """Tell whether the search is compiled; the first `think` begins with that."""
        return self.searcher.ready

    def stop(self) -> None:
        """Stop the search."""
        self.searcher.stop()

    def searching(self, search: str, options: Mapping[str, Any]) -> SearchPlayer:
        """Return a player that judges alike and searches otherwise."""
        scale = self._evaluator_scale
        return SearchPlayer(self.game, search, options, self.evaluator, self.network, scale)


def refuse_options(options: Mapping[str, Any]) -> None:
    """Raise OptionError for a player that has no options."""
    if options:
        raise OptionError(f"it has no option {next(iter(options))!r}; write it without options.")
