"""What is exported: the network that a player's text names, with all one must know to use it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evoboard.core.errors import OptionError
from evoboard.core.settings import plain
from evoboard.core.wording import listed
from evoboard.encoders.base import Encoder, find_encoder
from evoboard.games.base import Game
from evoboard.interop.export.names import input_names, output_names
from evoboard.networks.base import find_network_kind
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players import champion, linear
from evoboard.players.base import SearchPlayer, make_player, player_names, split_player
from evoboard.players.file import read_player
from evoboard.players.run import find_player, read_address

KINDS = ("champion", "file", "linear", "run")  # the players that are networks
ABOUT = ("title", "made by", "generation", "measured")


@dataclass(frozen=True, eq=False)
class Subject:
    """A network, what its inputs and outputs are, and the search that plays by it.

    `encoder_text` and `search` are as a player's file names them; `about` is what people may want
    to know of the player.
    """

    game: Game
    encoder: Encoder
    encoder_text: str
    network: GraphNetwork | MLPNetwork
    search: str
    settings: Mapping[str, Any]
    about: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The player in a few words, on one line."""
        return one_line(str(self.about.get("title", "")) or f"A network for {self.game.name}")

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """What each input is."""
        return tuple(map(one_line, input_names(self.game, self.encoder)))

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """What each output is."""
        return output_names(self.game, self.network, self.search, self.settings)

    @property
    def meaning(self) -> str:
        """What the outputs say, in a sentence."""
        if self.search == "policy":
            if self.settings.get("one_hot"):
                return "The highest of the heaps' outputs and of the amounts' name the move."
            return "Both outputs, rounded to whole numbers, name the move: a heap and an amount."
        side = one_line(self.game.sides[0])
        if self.encoder.seen_by == "first":
            return f"The first output is the value of the position for {side}, whoever is to move."
        return "The first output is the value of the position for the side to move."


def find_subject(text: str, game: Game) -> Subject:
    """Return the network that a player's text names; OptionError where it has none."""
    kind, options = split_player(text)
    if kind not in KINDS and (kind in player_names() or kind.endswith(".py")):
        raise OptionError(f"the player {kind} has no network; {listed(KINDS, 'or')} have one.")
    # Whatever is wrong with the text, the file or the run is said by the player itself.
    player = make_player(text, game)
    assert isinstance(player, SearchPlayer)
    data, about = _data(kind, options, game)
    settings = dict(plain(player.searcher.settings))
    if player.own.seconds is not None:
        settings["seconds"] = player.own.seconds
    network = find_network_kind(data["network"]).from_json(data["network"])
    search = str(options.get("search", data["search"]))
    encoder = find_encoder(str(data["encoder"]), game)
    return Subject(game, encoder, str(data["encoder"]), network, search, settings, about)


def _data(
    kind: str, options: Mapping[str, str], game: Game
) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Return what the player's file or run holds, and what is known about the player."""
    if kind == "run":
        address = read_address(options.get("", ""))
        found = find_player(address)
        who = f"number {address.rank}" if address.rank else "champion"
        title = f"Run {address.run}, {who} of generation {found.generation}"
        about = {"title": title, "generation": found.generation}
        return {**found.player, "network": found.network}, about
    if kind == "champion":
        data = champion.about(options.get("", game.name))
    elif kind == "linear":
        data = read_player(linear.CHAMPION)
    else:
        data = read_player(Path(options.get("") or options["path"]))
    return data, {key: data[key] for key in ABOUT if key in data}


def one_line(text: str) -> str:
    """Return a text that can stand in any comment or label: no line breaks, nothing unseen."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
