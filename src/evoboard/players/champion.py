"""champion: the evolved network that ships for a game, ready to play.

`champion` is the champion of the game that is played; champion:chess says which it must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from evoboard.core.errors import OptionError, quoted
from evoboard.games.base import Game
from evoboard.players import file
from evoboard.players.base import SearchPlayer

SUMMARY = "the evolved network that ships for the game"
OPTIONS = "search, depth and the search's other settings (instead of its own), seconds"
FOLDER = Path(__file__).parent.parent / "champions"


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the game's champion; further options replace its search and settings."""
    given = dict(options)
    name = str(given.pop("", game.name))
    about(name)
    if "path" in given:
        raise OptionError(f"it takes no file, but {quoted(str(given['path']))} is given.")
    return file.player_for(game, {**given, "": str(champion_file(name))})


def champion_file(game: str) -> Path:
    """Return where the champion of a game is; a name cannot leave the folder."""
    return FOLDER / f"{Path(game).name}.json"


@lru_cache
def about(game: str) -> dict[str, Any]:
    """Return a champion's file: what it is, how it was made, what it has been measured at."""
    if not champion_file(game).is_file():
        having = ", ".join(sorted(path.stem for path in FOLDER.glob("*.json")))
        raise OptionError(f"no champion ships for {quoted(game)}, only for {having}.")
    return file.read_player(champion_file(game))
