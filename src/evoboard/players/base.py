"""What a player is, and how a text names one: "random", "material:depth=3", "file:champion.json".

A player module defines

    SUMMARY                              one line for the list of players
    OPTIONS                              its options with their defaults, as text for people
    player_for(game, options) -> Player  options as texts or values; OptionError for wrong ones

Everywhere a player is asked for, its text will do.
"""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.core.settings import plain
from evoboard.core.wording import listed, nearest
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.search.base import Searcher, Thought, find_search, read_settings
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.store.run_file import run_names

PACKAGE = "evoboard.players"


class Player(Protocol):
    """Answers games so far with moves. Not for two threads at once."""

    name: str
    # The same game always gets the same answer, whatever the chance.
    deterministic: bool

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return a move and how the position looks; a move of -1 forfeits the game.

        It answers within these limits and its own; when `stop` is set, soon and with the best move
        so far. Whoever asks owns the flag, which stays as it is.
        """


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


def players_own(search: types.ModuleType) -> dict[str, Any]:
    """Return the settings of a search that players have by default, whatever its own are.

    Whoever plays a game knows its past, however it was trained, unless its text says no.
    """
    return {"draws": True} if "draws" in search.Settings.model_fields else {}


class SearchPlayer:
    """A search with an evaluator and, where the evaluator is a network, that network.

    `options` are the settings of the search that the player's text names, `usual` those it has
    otherwise. A limit in the text always holds (depth, nodes or rounds, seconds). How deep it
    usually looks does not matter where the text or whoever asks sets another limit instead: then
    it goes deeper and deeper until that is reached. Seconds of whoever asks are the exception;
    they only cut short what takes longer.

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
        usual: Mapping[str, Any] | None = None,
    ) -> None:
        given = dict(options)
        seconds = take_seconds(given)
        module = find_search(search)
        if seconds is not None and getattr(module, "AT_ONCE", False):
            raise OptionError(f"{search} answers at once; there are no seconds to limit.")
        self.game, self.evaluator, self.network = game, evaluator, network
        self.name, self._scale = search, scale
        settings = read_settings(module, {**(usual or {}), **players_own(module), **given})
        self.searcher = Searcher(game, module, settings, evaluator)
        rounds = settings.rounds if "rounds" in given else getattr(settings, "nodes", 0)
        depth = settings.depth if "depth" in given else 0
        self.own = Limits(depth or None, rounds or None, seconds)  # 0: not limited
        self.deterministic = bool(getattr(module, "DETERMINISTIC", False)) and seconds is None
        self.evaluates = not getattr(module, "AT_ONCE", False)  # else it names moves, not values
        self._deepens = {"depth", "rounds"}.isdisjoint(given) and (
            seconds is not None or ("nodes" in given and self.own.nodes is not None)
        )
        self._deepening: Searcher | None = None
        self._says_draws = "draws" in given
        # The table of a search that deepens has 2^table_bits entries; None: as it is set.
        self.table_bits: int | None = None
        self._running = self.searcher

    def see_draws(self, wanted: bool) -> None:
        """See the game's draw rules in the tree, or not, where the player's text does not say."""
        old = self.searcher
        if not self._says_draws and getattr(old.settings, "draws", wanted) != wanted:
            settings = old.settings.model_copy(update={"draws": wanted})
            self.searcher = self._running = Searcher(
                self.game, old.module, settings, self.evaluator
            )
            self._deepening = None

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return the search's answer."""
        deepens = self._deepens or limits.depth is not None or limits.nodes is not None
        self._running = self._deepened() if deepens else self.searcher
        both = self.own.within(limits)
        thought = self._running.think(self.network, history, chance, both, stop)
        return replace(thought, scale=self.scale)

    def glance(self) -> Thought | None:
        """Return what it has found so far while it thinks, for another thread."""
        found = self._running.glance()
        return replace(found, scale=self.scale) if found else None

    def value(self, state: Array) -> float:
        """Return what its evaluation says of a position, without search, for the side to move."""
        if not self.evaluates:
            raise OptionError(f"the player {self.name} names moves; it has no value of positions.")
        kernel, scratch = self._evaluation
        return float(kernel(self.network, state, scratch)) + 0.0

    @cached_property
    def _evaluation(self) -> tuple[Any, Array]:
        kernel = self.game.link(self.evaluator["evaluate"], **self.evaluator)
        return kernel, np.zeros(int(self.evaluator.get("SCRATCH", 1)), np.float32)

    @property
    def ready(self) -> bool:
        """Tell whether the search is compiled; the first `think` begins with that."""
        # Whoever looks on from another thread makes no search: the one that thinks does.
        searcher = self._deepening if self._deepens else self.searcher
        return searcher is not None and searcher.ready

    @property
    def scale(self) -> float | None:
        """What bounds its values, None where nothing does."""
        within = getattr(self._running.module, "values_within", None)
        return within(self._running.settings) if within else self._scale

    def _deepened(self) -> Searcher:
        """Return the search without a depth of its own; the usual one where it knows no depth."""
        if self._deepening is None:
            usual = self.searcher
            deeper = getattr(usual.module, "DEEPENING", "")
            module = find_search(deeper) if deeper else usual.module
            endless = getattr(module, "UNTIL_STOPPED", None)
            if endless is None:
                self._deepening = usual
            else:
                kept = dict(plain(usual.settings))  # what both know, such as quiescence
                if self.table_bits is not None:
                    kept["table_bits"] = self.table_bits
                known = {k: v for k, v in kept.items() if k in module.Settings.model_fields}
                settings = read_settings(module, {**known, **endless})
                self._deepening = Searcher(self.game, module, settings, self.evaluator)
        return self._deepening


def asking_for_all(text: str, game: Game) -> Player:
    """Return the player of a text, asked for the value of every move where it can tell them."""
    try:
        return make_player(f"{text}{',' if ':' in text else ':'}all_values=1", game)
    except OptionError:
        return make_player(text, game)


LIMITS = ("depth", "rounds", "nodes", "seconds")


def names_limit(text: str) -> bool:
    """Tell whether a player's text says itself how far it thinks."""
    return not set(LIMITS).isdisjoint(split_player(text)[1])


def refuse_options(options: Mapping[str, Any]) -> None:
    """Raise OptionError for a player that has no options."""
    if options:
        raise OptionError(f"it has no option {next(iter(options))!r}; write it without options.")
