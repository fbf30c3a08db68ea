"""What a player is, and how a text names one: "random", "material:depth=3", "file:champion.json".

A player module defines

    SUMMARY                              one line for the list of players
    class Options(core.settings.Settings)   what may be written after its name, if anything
    player_for(game, options) -> Player  player_for(game) if it has no options

Wherever a player is expected, its text will do.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from pydantic import ConfigDict, Field

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.core.options import make_part, require_taking, split_options, with_options
from evoboard.core.settings import Settings, plain
from evoboard.core.wording import listed, nearest
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.levels import STRONGEST, WEAKEST, nodes_at, slips
from evoboard.players.permission import require_allowed
from evoboard.search.base import (
    Finder,
    Searcher,
    Thought,
    find_search,
    read_settings,
    refusals,
)
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.store.run_file import run_names

PACKAGE = "evoboard.players"


class Player(Protocol):
    """Answers a game so far with a move. Not for use by two threads at once."""

    name: str

    @property
    def deterministic(self) -> bool:
        """Whether the same game always gets the same answer, whatever `chance` is."""

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return a move and an opinion of the position; a move of -1 forfeits the game.

        It keeps to these limits and its own; when `stop` is set, it answers soon with the best
        move so far. The flag belongs to the caller and is left as it is.
        """


def finder_of(player: Player) -> Finder | None:
    """Return how a player finds moves in many games at once; None: ask it move by move."""
    finder = getattr(player, "finder", None)
    found: Finder | None = finder() if finder else None
    return found


def dismiss(player: Player) -> None:
    """Release a player that is no longer needed: some hold a program, which `close` ends."""
    close = getattr(player, "close", None)
    if close:
        close()


@contextmanager
def borrowed_player(text: str, game: Game) -> Iterator[Player]:
    """Give the player of a text, and release it afterwards."""
    player = make_player(text, game)
    try:
        yield player
    finally:
        dismiss(player)


def make_player(text: str, game: Game) -> Player:
    """Return the player that `text` names, for a game."""
    kind, options = split_options(text)
    try:
        module = catalog.find("player", PACKAGE, kind, "player_for")
    except NotFound as error:
        if kind.endswith(".py"):
            raise OptionError(f"player {quoted(text)}: {error}") from error
        raise OptionError(_no_player(kind)) from None
    if not hasattr(module, "player_for"):
        raise OptionError(f"player {quoted(text)}: {kind} is not a player: it lacks player_for.")
    try:
        require_allowed(kind, options)
        player: Player = make_part(module, module.player_for, game, options, kind)
        with suppress(AttributeError):  # what has no room for a name is no player
            player.name = text
        require_player(player)
    except EvoboardError as error:
        raise type(error)(f"player {quoted(text)}: {error}") from error
    return player


def require_player(player: Any) -> None:
    """Raise OptionError for what is no player, or does not think as it is asked to."""
    named = isinstance(getattr(player, "name", None), str)
    if not (named and hasattr(player, "deterministic") and callable(getattr(player, "think", 0))):
        raise OptionError(
            f"{quoted(player)} is not a player; it needs name (a text), deterministic and think."
        )
    require_taking(player.think, "history, chance, limits, stop")


HOW = "A player is written KIND or KIND:option=value,…, such as material:depth=3."


def _no_player(kind: str) -> str:
    """Return the message for an unknown kind of player."""
    if kind in run_names():
        return f"{kind} is a run; its best player is written run:{kind}."
    near = nearest(kind, player_names(), cutoff=0.7)  # short names easily look alike
    hint = f"did you mean {listed(near, 'or')}?" if near else f"known: {listed(player_names())}."
    return f"there is no player named {quoted(kind)}; {hint} {HOW}"


def player_names() -> list[str]:
    """Return the kinds of players."""
    return catalog.names(PACKAGE, "player_for")


def is_kind(name: str) -> bool:
    """Tell whether a name is that of a kind of player, or of a user's own file."""
    return name.endswith(".py") or name in player_names()


class LimitedOptions(Settings):
    """The option of every player whose thinking time can be limited."""

    seconds: float | None = Field(None, gt=0, lt=1e6, description="thinking time for a move")


class SearchOptions(LimitedOptions):
    """Options of players with a search; the search's settings are written beside them."""

    model_config = ConfigDict(extra="allow")

    search: str | None = Field(None, description="the search to use, instead of its own")
    level: float | None = Field(
        None, ge=WEAKEST, le=STRONGEST, description="how strongly it plays, from 1 to 10"
    )
    elo: int | None = Field(
        None, description="the same as an Elo, for the champion whose levels are measured"
    )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings given for the search, still unread."""
        return dict(self.model_extra or {})


def players_own(search: types.ModuleType) -> dict[str, Any]:
    """Return the settings of a search for which players have their own defaults.

    A player takes a game's past into account, however it was trained, unless its text says no.
    """
    return {"draws": True} if "draws" in search.Settings.model_fields else {}


class SearchPlayer:
    """A search with an evaluator and, where the evaluator is a network, that network.

    `options` are the search settings that the player's text gives, `usual` those it has otherwise.
    A limit in the text always holds (depth, nodes or rounds, seconds). If the text or the caller
    sets nodes, or the text seconds, the search goes deeper and deeper until one of the limits is
    reached; the usual depth is none of them. Seconds set by the caller only cut a search short. A
    `level` makes it weaker (`players/levels.py`).

    `scale`: the evaluator's values lie within ± this, if known.
    """

    rated = ""  # the champion that it is, if it is one as it was when its levels were measured

    def __init__(
        self,
        game: Game,
        search: str,
        options: Mapping[str, Any],
        evaluator: Mapping[str, Any],
        network: Any,
        scale: float | None = None,
        usual: Mapping[str, Any] | None = None,
        seconds: float | None = None,
    ) -> None:
        given, module = dict(options), find_search(search)
        if seconds is not None and getattr(module, "AT_ONCE", False):
            raise OptionError(f"{search} answers at once; there are no seconds to limit.")
        _require(refusals(module, Limits(seconds=seconds)))
        self.game, self.evaluator, self.network = game, evaluator, network
        self.name, self._scale = search, scale
        # What only the search knows that takes over where a clock or nodes are set.
        limited = seconds is not None or given.get("nodes", 0) not in (0, "0")
        self.beyond = _beyond(module, given) if limited else {}
        here = {k: v for k, v in given.items() if k not in self.beyond}
        settings = read_settings(module, {**(usual or {}), **players_own(module), **here})
        self.searcher = Searcher(game, module, settings, evaluator)
        rounds = settings.rounds if "rounds" in given else getattr(settings, "nodes", 0)
        depth = settings.depth if "depth" in given else 0
        self.own = Limits(depth or None, rounds or None, seconds)  # 0: not limited
        self.level: float | None = None
        self.evaluates = not getattr(module, "AT_ONCE", False)  # else it chooses moves
        # What deepens by itself can do so to a depth, exactly as it does in experiments.
        ends = {"rounds"} if hasattr(module, "DEEPENING") else {"rounds", "depth"}
        self._deepens = ends.isdisjoint(given) and (
            seconds is not None or ("nodes" in given and self.own.nodes is not None)
        )
        self._deepening: dict[bool, Searcher] = {}
        self._said = given
        # What a deepening search may use instead of its settings: `table_bits` and `threads`.
        self.means: dict[str, int] = {}
        self._running = self.searcher

    @property
    def deterministic(self) -> bool:
        """Whether the same game always gets the same answer: no clock, no chance, one thread."""
        steady = bool(getattr(self.searcher.module, "DETERMINISTIC", False))
        own = int(self.beyond.get("threads", getattr(self.searcher.settings, "threads", 1)))
        threads = own if "threads" in self._said else max(own, self.means.get("threads", 1))
        return steady and threads == 1 and self.own.seconds is None and self.level is None

    def weaken(self, level: float | None) -> None:
        """Play at a level from now on; None changes nothing."""
        if level is not None:
            _require(self.refusals(Limits(nodes=nodes_at(level))))
            self.level, self._deepening = level, {}

    def see_draws(self, wanted: bool) -> None:
        """Turn the game's draw rules in the tree on or off, unless the player's text says which."""
        if "draws" not in self._said and "draws" in self.searcher.module.Settings.model_fields:
            self._change("draws", wanted)

    def play_unaided(self, wanted: bool = True) -> bool:
        """Play unaided or not, whatever the player's text says; tell whether the search can."""
        if "unaided" not in self.searcher.module.Settings.model_fields or not self.evaluates:
            return False
        self._change("unaided", wanted)
        return True

    def _change(self, name: str, value: bool) -> None:
        """Change one setting of the search."""
        old = self.searcher
        if getattr(old.settings, name) != value:
            settings = read_settings(old.module, {**plain(old.settings), name: value})
            self.searcher = self._running = Searcher(
                self.game, old.module, settings, self.evaluator
            )
            self._deepening = {}

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return the search's answer."""
        if not limits.wish:
            _require(self.refusals(limits))
        self._running, both = self._search(limits)
        thought = self._running.think(self.network, history, chance, both, stop)
        if self.level is not None and thought.move >= 0 and slips(self.level, chance):
            moves = self.game.legal_moves(history.state)
            move = moves[chance % len(moves)]
            thought = replace(thought, move=move, line=(move,))
        return replace(thought, scale=self.scale)

    def refusals(self, limits: Limits) -> list[str]:
        """Return why it cannot keep to some of these limits."""
        return refusals(self.searcher.module, limits)

    def goes_deeper(self, limits: Limits) -> bool:
        """Tell whether it searches deeper and deeper within these limits, a depth at a time."""
        module: Any = self._search(limits)[0].module
        return getattr(module, "UNTIL_STOPPED", {}).get("depth", 0) > 0

    def finder(self) -> Finder | None:
        """Return how it finds moves in many games at once, if it can; `think` gives the same."""
        if self.level is not None or type(self).think is not SearchPlayer.think:
            return None
        searcher, limits = self._search(NO_LIMITS)
        steady = bool(getattr(searcher.module, "DETERMINISTIC", False))
        return searcher.finder(self.network, limits, steady)

    def _search(self, limits: Limits) -> tuple[Searcher, Limits]:
        """Return the search to use within these limits, and all limits that apply."""
        both = self.own.within(limits)
        if self.level is not None:
            both = both.within(Limits(nodes=nodes_at(self.level)))
            deepens = True
        else:
            deepens = self._deepens or limits.depth is not None or limits.nodes is not None
        exact = both.depth is not None and both.nodes is None and both.seconds is None
        return self._deepened(exact) if deepens else self.searcher, both

    def glance(self) -> Thought | None:
        """Return what it has found so far; to be called from another thread while it thinks."""
        found = self._running.glance()
        return replace(found, scale=self.scale) if found else None

    def value(self, state: Array) -> float:
        """Return its evaluation of a position, without search, for the side to move."""
        if not self.evaluates:
            raise OptionError(
                f"the player {self.name} chooses moves directly; it does not evaluate positions."
            )
        scratch = np.zeros(int(self.evaluator.get("SCRATCH", 1)), np.float32)  # nobody else's
        return float(self._evaluation(self.network, state, scratch)) + 0.0

    @cached_property
    def _evaluation(self) -> Any:
        return self.game.link(self.evaluator["evaluate"], **self.evaluator)

    @property
    def ready(self) -> bool:
        """Tell whether the search is compiled; if not, the first `think` starts with that."""
        # Watching from another thread creates no search; only thinking does.
        deepens = self._deepens or self.level is not None
        searcher = self._deepening.get(False) if deepens else self.searcher
        return searcher is not None and searcher.ready

    @property
    def scale(self) -> float | None:
        """The bound of its values, None if there is none."""
        within = getattr(self._running.module, "values_within", None)
        return within(self._running.settings) if within else self._scale

    def _deepened(self, exact: bool) -> Searcher:
        """Return the search without its own depth; the usual one if it has no depth.

        If nothing but a depth limits it, it is exact: lines that look hopeless are left out only
        to save time or nodes.
        """
        if exact not in self._deepening:
            usual = self.searcher
            deeper = getattr(usual.module, "DEEPENING", "")
            module = find_search(deeper) if deeper else usual.module
            endless = getattr(module, "UNTIL_STOPPED", None)
            if endless is None:
                self._deepening[exact] = usual
            else:
                kept = dict(plain(usual.settings))  # what both have, such as quiescence
                kept |= {} if exact else getattr(module, "PLAYING", {})
                kept |= {**self.means, **self._said}
                if self.level is not None:  # a level is a number of positions, searched in order
                    kept["threads"] = 1
                known = {k: v for k, v in kept.items() if k in module.Settings.model_fields}
                settings = read_settings(module, {**known, **endless})
                self._deepening[exact] = Searcher(self.game, module, settings, self.evaluator)
        return self._deepening[exact]


def _require(refusals: list[str]) -> None:
    """Raise OptionError for the first of the reasons why something cannot be limited."""
    if refusals:
        raise OptionError(refusals[0])


def _beyond(module: types.ModuleType, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the given settings that only the search knows which takes over, checked."""
    if not getattr(module, "DEEPENING", ""):
        return {}
    deeper, known = find_search(module.DEEPENING), module.Settings.model_fields
    others = deeper.Settings.model_fields
    found = {k: v for k, v in given.items() if k in others and k not in known}
    read_settings(deeper, found)
    return found


def with_all_values(text: str) -> str:
    """Return the text of the same player, asked for the value of every move."""
    kind, options = split_options(text)
    return with_options(kind, {**options, "all_values": 1})


def asking_for_all(text: str, game: Game) -> Player:
    """Return the player of a text, asked for the value of every move if it can give them."""
    try:
        return make_player(with_all_values(text), game)
    except OptionError:
        return make_player(text, game)


LIMITS = ("depth", "rounds", "nodes", "seconds")


def names_limit(text: str) -> bool:
    """Tell whether a player's text itself limits how far it thinks."""
    return not set(LIMITS).isdisjoint(split_options(text)[1])
