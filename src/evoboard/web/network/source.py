"""Networks to look into: a run's, a file's, a champion's; with game, encoder and search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.interop.export.names import output_names
from evoboard.networks.base import find_network_kind
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players import champion, linear
from evoboard.players.base import Player, split_player
from evoboard.players.file import read_player
from evoboard.players.run import find_player, read_address, run_players
from evoboard.players.setup import Bound, Setup
from evoboard.search.values import network_value
from evoboard.store.reader import open_run
from evoboard.store.run_file import DATABASE, run_folder, run_names
from evoboard.web.folders import uploads_folder
from evoboard.web.opponents import require_offered, short_name

if TYPE_CHECKING:  # sites have sessions, and those are driven by networks, too
    from evoboard.web.site import Site

KINDS = ("run", "file", "champion", "linear")  # the players that are networks


class Look(NamedTuple):
    """What a network makes of a position: every slot's value, and the value for the mover."""

    slots: Array
    value: float


@dataclass(frozen=True, eq=False)
class Shown:
    """A network and what it needs to play; `generation` and `identity` where a run has it."""

    text: str
    bound: Bound
    network: GraphNetwork | MLPNetwork
    generation: int | None = None
    identity: int | None = None
    title: str = ""

    @property
    def game(self) -> Game:
        """The game that it plays."""
        return self.bound.game

    @property
    def encoder(self) -> Encoder:
        """What it sees."""
        return self.bound.encoder

    @property
    def values_positions(self) -> bool:
        """Tell whether the first output is the value of a position; a policy names moves."""
        return self.bound.setup.search != "policy"

    @property
    def outputs(self) -> list[str]:
        """What the outputs mean."""
        setup = self.bound.setup
        return list(output_names(self.game, self.network, setup.search, dict(setup.settings)))

    @cached_property
    def _pack(self) -> Any:
        """The network as arrays."""
        return self.bound.kind.pack([self.network])

    @cached_property
    def _ready(self) -> tuple[Any, Any, int]:
        """Return the linked kernel, the network as arrays, and how many slots it needs."""
        kind, pack = self.bound.kind, self._pack
        kind.require_inputs(pack, self.encoder)
        kernel = self.bound.link(network_value)
        return kernel, kind.member(pack, 0), int(kind.scratch_size(pack))

    def look(self, state: Array) -> Look:
        """Return what the network computes for a position; compiles at the first call."""
        kernel, member, size = self._ready
        slots = np.zeros(size, np.float32)
        value = float(kernel(member, state, slots)) + 0.0
        return Look(slots, value)

    def player(self) -> Player:
        """Return the player that the network makes with its own search."""
        return self.bound.player(self._pack)


def latest_runs() -> list[str]:
    """Return the names of all runs, those written last first."""

    def written(name: str) -> float:
        files = [run_folder(name) / f"{DATABASE}{log}" for log in ("", "-wal")]
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

    return sorted(run_names(), key=written, reverse=True)


def choices() -> dict[str, str]:
    """Return the players whose networks can be shown, by their texts, with a label each."""
    games = {player.text: player.plays for player in run_players()}
    texts = [f"run:{name}" for name in latest_runs() if f"run:{name}" in games]
    found = {text: f"Run: {text.removeprefix('run:')} ({games[text]})" for text in texts}
    for path in sorted(champion.FOLDER.glob("*.json")):
        found[f"champion:{path.stem}"] = f"Champion of {path.stem}"
    folder = uploads_folder()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with suppress(EvoboardError):
            game = str(read_player(path)["game"])
            found[f"file:{path}"] = f"Loaded: {short_name(f'file:{path}')} ({game})"
    return {**found, "linear": "Linear evaluator (chess)"}


Finder = Callable[[str], Game]  # the game that a text names


def load(text: str, site: Site, game: str = "") -> Shown:
    """Return the network of a player's text; OptionError where the player has none.

    A champion is that of `game`, or of the one in its text: champion:chess.
    """
    find_game = site.load_game
    kind, options = split_player(require_offered(text))
    if kind == "run":
        return _of_run(text, options.get("", ""), find_game)
    if kind not in KINDS:
        raise OptionError(f"the player {kind} has no network; those of runs and files have one.")
    if kind == "champion":
        name = options.get("") or game
        title = f"Champion of {name}"
        return _of_data(f"champion:{name}", champion.about(name), find_game, title)
    if kind == "linear":
        return _of_data(text, read_player(linear.CHAMPION), find_game, "Linear evaluator")
    path = Path(options.get("") or options.get("path", ""))
    return _of_data(text, read_player(path), find_game, short_name(f"file:{path}"))


def _of_data(text: str, data: Any, find_game: Finder, title: str) -> Shown:
    network = find_network_kind(data["network"]).from_json(data["network"])
    game = find_game(str(data["game"]))
    return _shown(text, game, data, network, title=title)


def _of_run(text: str, place: str, find_game: Finder) -> Shown:
    address = read_address(place)
    found = find_player(address)
    network = find_network_kind(found.network).from_json(found.network)
    game = _run_game(address.run, str(found.player["game"]), find_game)
    who = f"#{address.rank}" if address.rank else "champion"
    title = f"{address.run}, {who} of generation {found.generation}"
    return _shown(text, game, found.player, network, found.generation, found.id, title)


def load_genome(run: str, identity: int, site: Site) -> Shown:
    """Return the network of a genome that a run has kept, by its id."""
    with open_run(run) as reader:
        player = reader.facts()["player"]
        stored = reader.genome(identity)
    network = find_network_kind(stored.network).from_json(stored.network)
    game = load_run_game(run, str(player["game"]), site)
    return _shown("", game, player, network, None, identity, f"{run}, individual {identity}")


def load_run_game(run: str, spec: str, site: Site) -> Game:
    """Return the game of a run; NotFound says what to do where the app has not got it."""
    return _run_game(run, spec, site.load_game)


def _run_game(run: str, spec: str, find_game: Finder) -> Game:
    try:
        return find_game(spec)
    except NotFound as error:
        name = Path(split_options(spec)[0]).name
        raise NotFound(
            f"the run {run} plays {quoted(name)}, which this app has not got; "
            f"start it with evoboard app --game {name}."
        ) from error


def _shown(
    text: str,
    game: Game,
    player: Any,
    network: Any,
    generation: int | None = None,
    identity: int | None = None,
    title: str = "",
) -> Shown:
    try:
        bound = Setup.from_json({**player, "network": network.to_json()}).bind(game)
    except EvoboardError as error:
        raise OptionError(f"{title}: {error}") from error
    return Shown(text, bound, network, generation, identity, title)
