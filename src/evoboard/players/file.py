"""file: a network player kept as JSON, such as a champion: file:champion.json."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evoboard.core.errors import NotFound, OptionError, PartError
from evoboard.core.wording import readable
from evoboard.encoders.base import Encoder, find_encoder
from evoboard.games.base import Game
from evoboard.networks.base import find_network_kind
from evoboard.players.base import SearchPlayer
from evoboard.search.base import find_search, read_settings
from evoboard.search.values import network_value

SUMMARY = "a network from a file: file:champion.json"
OPTIONS = "search, depth and the search's other settings (instead of the file's own), seconds"
FORMAT = "evoboard-player"


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the player in the file; further options replace the file's search and settings."""
    given = dict(options)
    path = Path(given.pop("", "") or given.pop("path", ""))
    data = read_player(path)
    if data["game"] != game.name:
        raise OptionError(f"{path.name} plays {readable(str(data['game']))[:80]}, not {game.name}.")
    search = given.pop("search", data["search"])
    settings = data["settings"] if search == data["search"] else {}
    return network_player(game, data["encoder"], data["network"], search, {**settings, **given})


def network_player(
    game: Game, encoder: str, network: Any, search: str, settings: Mapping[str, Any]
) -> SearchPlayer:
    """Return a player from a network's JSON data, an encoder's name and a search."""
    kind = find_network_kind(network)
    pack = kind.pack([kind.from_json(network)])
    return packed_player(game, find_encoder(encoder, game), kind, pack, 0, search, settings)


def packed_player(
    game: Game,
    inputs: Encoder,
    kind: types.ModuleType,
    pack: Any,
    index: int,
    search: str,
    settings: Mapping[str, Any],
) -> SearchPlayer:
    """Return a player from network `index` of a pack."""
    kind.require_inputs(pack, inputs)
    _require_outputs(game, search, settings, pack)
    evaluator = {
        **inputs.bindings,
        "evaluate": network_value,
        "forward": kind.forward,
        "forward_all": kind.forward_all,
        "SCRATCH": kind.scratch_size(pack),
    }
    largest = kind.unpack(pack, index).largest
    return SearchPlayer(game, search, settings, evaluator, kind.member(pack, index), largest)


def _require_outputs(game: Game, search: str, settings: Mapping[str, Any], pack: Any) -> None:
    """Raise OptionError where the search reads more or fewer outputs than the network has."""
    module = find_search(search)
    if not hasattr(module, "outputs_for"):
        return
    wanted = module.outputs_for(game, read_settings(module, settings))
    if pack.outputs != wanted:
        raise OptionError(f"the network has {pack.outputs} outputs; {search} needs {wanted} here.")


def read_player(path: Path) -> dict[str, Any]:
    """Return the file's data, checked for its form."""
    if not path.is_file():
        raise NotFound(f"there is no file {path}; write file:PATH.json.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PartError(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PartError(f'{path} is no player of evoboard: it lacks "format": "{FORMAT}".')
    for key in ("game", "encoder", "network", "search", "settings"):
        if key not in data:
            raise PartError(f"{path} lacks {key!r}; was it cut short?")
    return data


def write_player(
    path: Path,
    game: str,
    encoder: str,
    network: Any,
    search: str,
    settings: Mapping[str, Any],
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write a player that `file:PATH` reads back; `network` is its JSON data.

    `about`: what people may want to know of it, such as a title and how it was made.
    """
    data = {"format": FORMAT, "version": 1, **(about or {}), "game": game, "encoder": encoder}
    data |= {"search": search, "settings": dict(settings), "network": network}
    path.write_text(json.dumps(data), encoding="utf-8")
