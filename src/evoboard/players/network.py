"""The network of a player: what it sees, what its outputs mean, how it was made and plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.options import split_options
from evoboard.core.settings import plain
from evoboard.core.wording import listed
from evoboard.encoders.base import Encoder
from evoboard.encoders.board_inputs import find_planes, numbered
from evoboard.games.base import Game
from evoboard.networks.base import find_network_kind
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players import champion, linear
from evoboard.players.base import SearchPlayer, is_kind, make_player
from evoboard.players.file import read_player
from evoboard.players.run import find_player, read_address
from evoboard.players.setup import Bound, Setup
from evoboard.search.values import network_value

NETWORKS = ("champion", "file", "linear", "run")  # the players that are networks
ABOUT = ("title", "made by", "generation", "measured")


class Look(NamedTuple):
    """What a network makes of a position: every slot's value, and the value for the mover."""

    slots: Array
    value: float


@dataclass(frozen=True, eq=False)
class PlayerNetwork:
    """A network and how it plays; `text` names the player, `identity` is its id in a run.

    `about` is what people may want to know of it, `seconds` its thinking time, where it has one.
    """

    bound: Bound
    network: GraphNetwork | MLPNetwork
    about: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    identity: int | None = None
    seconds: float | None = None

    @property
    def game(self) -> Game:
        """The game that it plays."""
        return self.bound.game

    @property
    def encoder(self) -> Encoder:
        """What it sees."""
        return self.bound.encoder

    @property
    def setup(self) -> Setup:
        """How it plays, as plain data."""
        return self.bound.setup

    @property
    def title(self) -> str:
        """The player in a few words, on one line."""
        return one_line(str(self.about.get("title", "")) or f"A network for {self.game.name}")

    @property
    def generation(self) -> int | None:
        """The generation of the run that it is of."""
        return self.about.get("generation") if self.identity is not None else None

    @property
    def values_positions(self) -> bool:
        """Tell whether the first output is the value of a position; a policy names moves."""
        return self.setup.search != "policy"

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """What each input is."""
        return tuple(map(one_line, input_names(self.game, self.encoder)))

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """What each output is: the value of a position, or the parts of a policy's move."""
        network, known = self.network, ["value"]
        count = network.outputs if isinstance(network, MLPNetwork) else len(network.outputs)
        if not self.values_positions:
            heaps = self.game.turn  # in nim the side to move is the cell after the heaps
            takes = [f"take {amount}" for amount in range(1, count - heaps + 1)]
            known = [*(f"heap {i}" for i in range(heaps)), *takes]
            known = known if self.setup.settings.get("one_hot") else ["heap", "amount"]
        return tuple([*known, *(f"output {i}" for i in range(len(known), count))][:count])

    @property
    def meaning(self) -> str:
        """What the outputs say, in a sentence."""
        if not self.values_positions:
            if self.setup.settings.get("one_hot"):
                return "The highest of the heaps' outputs and of the amounts' name the move."
            return "Both outputs, rounded to whole numbers, name the move: a heap and an amount."
        side = one_line(self.game.sides[0])
        if self.encoder.seen_by == "first":
            return f"The first output is the value of the position for {side}, whoever is to move."
        return "The first output is the value of the position for the side to move."

    def look(self, state: Array) -> Look:
        """Return what the network computes for a position; compiles at the first call."""
        kernel, member, size = self._kernel
        slots = np.zeros(size, np.float32)
        value = float(kernel(member, state, slots)) + 0.0
        return Look(slots, value)

    def player(self) -> SearchPlayer:
        """Return the player that the network makes with its own search."""
        return self.bound.player(self._pack)

    @cached_property
    def _pack(self) -> Any:
        return self.bound.kind.pack([self.network])

    @cached_property
    def _kernel(self) -> tuple[Any, Any, int]:
        """The linked kernel, the network as arrays, and how many slots it needs."""
        kind, pack = self.bound.kind, self._pack
        kind.require_inputs(pack, self.encoder)
        return self.bound.link(network_value), kind.member(pack, 0), int(kind.scratch_size(pack))


def find_network(text: str, game: Game) -> PlayerNetwork:
    """Return the network of a player of a game, as its text has it play; OptionError: none."""
    kind, options = split_options(text)
    if is_kind(kind):
        _require_network(kind)
    # Whatever is wrong with the text, the file or the run is said by the player itself.
    player = make_player(text, game)
    assert isinstance(player, SearchPlayer)
    data, about, identity = _data(kind, options, game.name)
    changed = {"search": options.get("search", data["search"])}
    changed["settings"] = dict(plain(player.searcher.settings))
    found = stored_network(game, {**data, **changed}, about, text, identity)
    return replace(found, seconds=player.own.seconds)


def made_network(text: str, load_game: Callable[[str], Game]) -> PlayerNetwork:
    """Return the network of a player's text with the game and search that it was made for."""
    kind, options = split_options(text)
    _require_network(kind)
    data, about, identity = _data(kind, options)
    return stored_network(load_game(str(data["game"])), data, about, text, identity)


def _require_network(kind: str) -> None:
    if kind not in NETWORKS:
        raise OptionError(f"the player {kind} has no network; {listed(NETWORKS, 'or')} have one.")


def stored_network(
    game: Game,
    data: Mapping[str, Any],
    about: Mapping[str, Any],
    text: str = "",
    identity: int | None = None,
) -> PlayerNetwork:
    """Return the network in a player's data, as files and runs keep it."""
    network = find_network_kind(data["network"]).from_json(data["network"])
    # Entries of a player's file that happen to be called kind or draws mean nothing here.
    setup = Setup.from_json({**data, "kind": None, "draws": None})
    try:
        return PlayerNetwork(setup.bind(game), network, about, text, identity)
    except EvoboardError as error:
        raise OptionError(f"{about.get('title', 'the network')}: {error}") from error


def _data(
    kind: str, options: Mapping[str, str], game: str = ""
) -> tuple[Mapping[str, Any], dict[str, Any], int | None]:
    """Return what the player's file or run holds, what is known about the player, and its id."""
    if kind == "run":
        address = read_address(options.get("", ""))
        found = find_player(address)
        who = f"number {address.rank}" if address.rank else "champion"
        title = f"Run {address.run}, {who} of generation {found.generation}"
        about = {"title": title, "generation": found.generation}
        return {**found.player, "network": found.network}, about, found.id
    if kind == "champion":
        data = champion.about(options.get("") or game)
    elif kind == "linear":
        data = read_player(linear.CHAMPION)
    else:
        data = read_player(Path(options.get("") or options.get("path", "")))
    return data, {key: data[key] for key in ABOUT if key in data}, None


def input_names(game: Game, encoder: Encoder) -> tuple[str, ...]:
    """Return the encoder's names; the squares' where there is an input for each; else numbers."""
    if encoder.names:
        return encoder.names
    board = game.view(game.initial()).board
    cells, titles = find_planes(game, encoder)
    if not titles:
        return tuple(numbered(0, encoder.inputs))
    squares = [board.names[cell] or f"cell {cell}" for cell in cells]
    if board.shape == "heaps":
        squares = [f"heap {name}" for name in squares]
    if len(titles) == 1:
        return (*squares, *numbered(len(cells), encoder.inputs))
    return tuple(f"{title} {square}" for title in titles for square in squares)


def one_line(text: str) -> str:
    """Return a text that can stand in any comment or label: no line breaks, nothing unseen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
