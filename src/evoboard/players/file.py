"""file: a network player kept as JSON, such as a champion: file:champion.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from evoboard.core.catalog import is_file, shown
from evoboard.core.errors import NotFound, OptionError, PartError
from evoboard.core.wording import readable
from evoboard.games.base import Game
from evoboard.players.base import SearchOptions, SearchPlayer
from evoboard.players.setup import stored_player

SUMMARY = "a network from a file: file:champion.json"
FORMAT = "evoboard-player"


class Options(SearchOptions):
    """The file; another search, other settings than the file's."""

    BARE: ClassVar[str] = "path"

    path: str = Field("", description="the file")


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the player in the file."""
    return player_of(Path(options.path), game, options)


def player_of(path: Path, game: Game, options: SearchOptions) -> SearchPlayer:
    """Return the player in a file; options replace the file's search and settings."""
    data = read_player(path)
    if data["game"] != game.name:
        raise OptionError(f"{path.name} plays {readable(str(data['game']))[:80]}, not {game.name}.")
    return stored_player(game, data, data["network"], options)


def read_player(path: Path) -> dict[str, Any]:
    """Return the file's data, checked for its form."""
    if not is_file(path):
        raise NotFound(f"there is no file {shown(path)}; write file:PATH.json.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PartError(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise PartError(f'{path} is not an evoboard player: it lacks "format": "{FORMAT}".')
    for key in ("game", "encoder", "network", "search", "settings"):
        if key not in data:
            raise PartError(f"{path} lacks {key!r}; was it cut short?")
    if not isinstance(data["settings"], dict):
        raise PartError(f"the settings in {path} must be a JSON object, by name.")
    return data


def player_data(
    game: str,
    encoder: str,
    network: Any,
    search: str,
    settings: Mapping[str, Any],
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a player's file holds; `network` is its JSON data.

    `about`: what people may want to know of it, such as a title and how it was made.
    """
    data = {"format": FORMAT, "version": 1, **(about or {}), "game": game, "encoder": encoder}
    return {**data, "search": search, "settings": dict(settings), "network": network}


def write_player(path: Path, *parts: Any, **more: Any) -> None:
    """Write a player that `file:PATH` reads back, from what `player_data` takes."""
    path.write_text(json.dumps(player_data(*parts, **more)), encoding="utf-8")
