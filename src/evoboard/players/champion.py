"""champion: the evolved network that ships for a game, ready to play.

`champion` is the champion of the game being played; champion:chess names it explicitly, and
champion:kingcapture-1ply is another one for its game.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from evoboard.core.catalog import is_file
from evoboard.core.errors import OptionError, quoted
from evoboard.core.wording import duration, share_words
from evoboard.games.base import Game, load_game
from evoboard.players.base import SearchOptions, SearchPlayer
from evoboard.players.equal_search import EQUAL
from evoboard.players.file import player_of, read_player
from evoboard.players.levels import chosen_level

SUMMARY = "the evolved network that ships for the game"
FOLDER = Path(__file__).parent.parent / "champions"


class Options(SearchOptions):
    """Which champion, and another search or other settings than its own."""

    BARE: ClassVar[str] = "game"

    game: str = Field("", description="a champion by name: its game's, or kingcapture-1ply")


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the game's champion."""
    name = options.game or game.name
    about(name)
    changed = options.search or options.seconds or options.settings.keys() - {"all_values"}
    rated = "" if changed else name
    level = chosen_level(rated, options.level, options.elo)
    as_level = options.model_copy(update={"level": level, "elo": None})
    player = player_of(champion_file(name), game, as_level)
    player.rated = rated
    return player


def champion_file(game: str) -> Path:
    """Return the path of a game's champion; a name cannot lead outside the folder."""
    return FOLDER / f"{Path(game).name}.json"


def names() -> list[str]:
    """Return the champions that ship, by name."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


@lru_cache
def about(game: str) -> dict[str, Any]:
    """Return a champion's file: what it is, how it was made, what it scored."""
    if not is_file(champion_file(game)):
        raise OptionError(f"no champion ships for {quoted(game)}, only for {', '.join(names())}.")
    return read_player(champion_file(game))


def strength_words(data: Mapping[str, Any]) -> str:
    """Return how strong a champion is by its file, at equal search first; "" if unknown."""
    rows = measured(data)
    other = [row for row in rows if not row["equal"]]
    # Only its own search, which comes first; the others are in its file.
    equal = [row for row in rows if row["equal"] and row["search"] == rows[0]["search"]]
    told = [row_words(row) for row in equal[:1]]
    told += [f"{_cap(row)}: {percent(row)}" for row in equal[1:]]
    if other:
        met = ", ".join(f"{percent(row)} against {row['name']}" for row in other)
        told.append(f"against players that search differently: {met}")
    if "ladder" in data:
        told.append("Elo {elo:,} ({low:,} … {high:,}) on the ladder".format(**data["ladder"]))
    return "; ".join(told)


def measured(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a champion was measured at, at equal search first: its own first of all.

    `plies` is the length at which a game is drawn, 0 where it is not.
    """
    own = load_game(data["game"]).draws.plies
    rows = [{"plies": own, **row} for row in data.get("measured", ())]
    return sorted(rows, key=lambda row: not row["equal"])


def made_words(data: Mapping[str, Any]) -> str:
    """Return which command makes a champion, and in what time where that is known."""
    spent = f", {duration(data['time'])} on one core" if "time" in data else ""
    return f"made by {data['made by']}{spent}"


def _cap(row: Mapping[str, Any]) -> str:
    return f"at most {row['plies']} plies" if row.get("plies") else ""


def row_words(row: Mapping[str, Any]) -> str:
    """Return one measurement: "at equal search, depth 3: 61% ± 4 against counting pieces"."""
    how = ", ".join(filter(None, [EQUAL, row["search"], _cap(row)])) if row["equal"] else ""
    return f"{how}{': ' * bool(how)}{percent(row)} against {row['name']}"


def percent(row: Mapping[str, Any]) -> str:
    """Return a share of the points with its margin of error: "61% ± 4"."""
    return share_words(row["score"], row["low"], row["high"])
