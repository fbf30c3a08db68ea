"""What games between networks need, as one record of plain data, and the parts that it names.

A `Setup` can be stored, compared and sent to another process. `bind` loads what it names: only
there are a game, an encoder, a kind of network and a search linked into one kernel.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from evoboard.core.errors import OptionError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import Target
from evoboard.core.options import read_options
from evoboard.encoders.base import Encoder, find_encoder
from evoboard.games.base import DrawRules, Game, load_game
from evoboard.networks.base import find_network_kind
from evoboard.players.base import LimitedOptions, SearchOptions, SearchPlayer
from evoboard.players.levels import chosen_level
from evoboard.search.base import choosing, find_search, read_settings
from evoboard.search.past import past_taker
from evoboard.search.values import changed_value, listed_value, network_value


@dataclass(frozen=True)
class Setup:
    """How networks play: the texts that name a game, an encoder and a search, the kind of network,
    the search's settings (those left out have their defaults), and the draw rules.

    `draws` None: the game's own.
    """

    game: str
    encoder: str
    kind: str = "graph"
    search: str = "alphabeta"
    settings: Mapping[str, Any] = field(default_factory=dict)
    draws: DrawRules | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the setup as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Setup:
        """Return the setup in `data`; a player's file, which holds a network, will do as well."""
        network, draws = data.get("network"), data.get("draws")
        kind = data.get("kind") or find_network_kind(network).__name__.rsplit(".", 1)[-1]
        game, encoder, search = (str(data[key]) for key in ("game", "encoder", "search"))
        rules = None if draws is None else DrawRules(**draws)
        settings = {k: v for k, v in data["settings"].items() if k != "seconds"}  # a player's own
        return cls(game, encoder, kind, search, settings, rules)

    def bind(self, game: Game | None = None) -> Bound:
        """Return the setup with its parts loaded, once; for `game` where that is given instead."""
        return self._bound if game is None else Bound.of(self, game)

    def changed(self, **changes: Any) -> Setup:
        """Return the setup with other settings, draw rules or kind of network.

        The loaded game, encoder and search stay: a file that is edited meanwhile changes nothing.
        """
        other = replace(self, **changes)
        if "_bound" in vars(self):
            vars(other)["_bound"] = replace(self._bound, setup=other)
        return other

    def loaded(self, game: Game) -> Setup:
        """Return this setup, which takes `game` for its own instead of loading it once more."""
        vars(self)["_bound"] = Bound.of(self, game)
        return self

    @cached_property
    def _bound(self) -> Bound:
        return Bound.of(self, load_game(self.game))

    def __reduce__(self) -> Any:
        """Travel as plain data: what is loaded stays behind."""
        return Setup.from_json, (self.to_json(),)


@dataclass(frozen=True, eq=False)
class Bound:
    """A setup with its parts loaded."""

    setup: Setup
    game: Game
    encoder: Encoder
    search: types.ModuleType

    @classmethod
    def of(cls, setup: Setup, game: Game) -> Bound:
        """Return the setup bound to a game: its own, another variant, or one with other rules."""
        return cls(setup, game, find_encoder(setup.encoder, game), find_search(setup.search))

    @cached_property
    def kind(self) -> types.ModuleType:
        """The module of the kind of network."""
        return find_network_kind({"kind": self.setup.kind})

    @cached_property
    def settings(self) -> Any:
        """The search's settings, complete and checked."""
        return read_settings(self.search, self.setup.settings)

    @cached_property
    def numbers(self) -> Any:
        """The settings as kernels read them."""
        return kernel_tuple(self.settings)

    @property
    def draws(self) -> DrawRules:
        """The draw rules that hold."""
        return self.setup.draws or self.game.draws

    @property
    def deterministic(self) -> bool:
        """Tell whether the same position always gets the same move."""
        return bool(getattr(self.search, "DETERMINISTIC", False))

    @property
    def outputs(self) -> int:
        """How many outputs the search reads of a network."""
        wanted = getattr(self.search, "outputs_for", None)
        return 1 if wanted is None else int(wanted(self.game, self.settings))

    def on(self, game: Game) -> Bound:
        """Return the same encoder and search on a game with the same positions."""
        return self if game is self.game else replace(self, game=game)

    def link(self, function: Callable[..., Any], target: Target = "cpu") -> Any:
        """Return a kernel linked to the game, the networks and the search."""
        chooses = {**choosing(self.search), "show_past": past_taker(self.search)}
        listed = self.encoder.listed if self.encoder.always_listed else None
        known = _bindings(self.encoder, self.kind, listed)
        return self.game.link(function, target, **known, **chooses)

    def workspace(self, pack: Any) -> Any:
        """Return what one thread needs to search with networks of a pack."""
        return self.search.workspace(self.game, self.settings, self.kind.scratch_size(pack))

    def require(self, pack: Any) -> None:
        """Raise OptionError for networks that do not fit the encoder or the search."""
        self.kind.require_inputs(pack, self.encoder)
        if hasattr(self.search, "outputs_for") and pack.outputs != self.outputs:
            raise OptionError(
                f"the network has {pack.outputs} outputs; {self.setup.search} needs "
                f"{self.outputs} here."
            )

    def player(
        self,
        pack: Any,
        index: int = 0,
        settings: Mapping[str, Any] | None = None,
        seconds: float | None = None,
    ) -> SearchPlayer:
        """Return network `index` of a pack as a player; `settings` replace those of the setup."""
        own = settings or {}
        known = {k: v for k, v in own.items() if k in self.search.Settings.model_fields}
        given = {**self.setup.settings, **known}
        (replace(self, setup=replace(self.setup, settings=given)) if known else self).require(pack)
        evaluator = _bindings(self.encoder, self.kind, self.encoder.listed)
        evaluator["SCRATCH"] = self.kind.scratch_size(pack)
        kept_size = getattr(self.kind, "kept_size", None)
        if kept_size and "list_inputs" in evaluator and (kept := kept_size(pack, index)):
            evaluator["SCRATCH"] += kept
            evaluator["evaluate"] = changed_value
            evaluator["forward_changed"] = self.kind.forward_changed
        member, largest = self.kind.member(pack, index), self.kind.unpack(pack, index).largest
        usual = self.setup.settings
        return SearchPlayer(
            self.game, self.setup.search, own, evaluator, member, largest, usual, seconds
        )


def _bindings(encoder: Encoder, kind: types.ModuleType, listed: Any) -> dict[str, Any]:
    """Return what kernels need to value a position by a network, by `listed` inputs or all."""
    found = {
        **encoder.bindings,
        "member": kind.member,
        "forward": kind.forward,
        "forward_all": kind.forward_all,
        "evaluate": network_value,
    }
    if listed is not None and hasattr(kind, "forward_listed"):
        found |= {"list_inputs": listed, "evaluate": listed_value}
        found["forward_listed"] = kind.forward_listed
    return found


def stored_player(
    game: Game, data: Mapping[str, Any], network: Any, options: SearchOptions
) -> SearchPlayer:
    """Return a network's player from its stored setup; `options` replace search and settings.

    `network` is its JSON data. It may play another variant of its game.
    """
    kind, seconds = find_network_kind(network), options.seconds
    if seconds is None and "seconds" in data["settings"]:
        stored = {"seconds": data["settings"]["seconds"]}
        seconds = read_options(LimitedOptions, stored, "the player").seconds
    # Entries of a player's file that happen to be called kind or draws mean nothing here.
    setup = Setup.from_json({**data, "network": network, "kind": None, "draws": None})
    search = options.search or setup.search
    if search != setup.search:
        setup = replace(setup, search=search, settings={})
    pack = kind.pack([kind.from_json(network)])
    player = setup.bind(game).player(pack, 0, options.settings, seconds)
    player.weaken(chosen_level("", options.level, options.elo))
    return player
