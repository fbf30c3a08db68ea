"""run: a player of a training run: run:NAME, run:NAME@best, run:NAME@gen=40, run:NAME@gen=40#3.

Reads the run's database alone, also while it is being trained.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.players.base import SearchPlayer
from evoboard.players.file import network_player
from evoboard.store.run_file import (
    damaged,
    explain,
    find_run,
    open_database,
    run_folder,
    run_mark,
    run_names,
)

SUMMARY = "a network of a run: run:NAME, run:NAME@gen=40, run:NAME@gen=40#3 (its third best)"
OPTIONS = "search, depth and the search's other settings (instead of the run's own), seconds"
HOW = "write run:NAME, run:NAME@best, run:NAME@gen=40 or run:NAME@gen=40#3."
# No generation or rank has more than 100 digits, and Python reads no more than some thousand.
ADDRESS = re.compile(
    r"(?P<name>[^@#]+)(@(best|gen=(?P<generation>\d{1,100})(#(?P<rank>\d{1,100}))?))?"
)


class Address(NamedTuple):
    """A player within a run: the best, a generation's champion, or one by its fitness there."""

    run: str
    generation: int | None = None
    rank: int | None = None


class Found(NamedTuple):
    """A network of a run, and what makes a player of it."""

    generation: int
    id: int
    network: Any
    player: Mapping[str, Any]


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the player; further options replace the run's search and settings."""
    given = dict(options)
    address = read_address(str(given.pop("", "")))
    found = find_player(address)
    data = found.player
    plays = game_name(data["game"])
    if plays != game.name:
        raise OptionError(f"the run {address.run} plays {plays}, not {game.name}.")
    search = given.pop("search", data["search"])
    settings = data["settings"] if search == data["search"] else {}
    return network_player(game, data["encoder"], found.network, search, {**settings, **given})


def read_address(text: str) -> Address:
    """Return the address in a text such as NAME@gen=40#3."""
    match = ADDRESS.fullmatch(text.strip())
    if not match:
        raise OptionError(f"{quoted(text)} names no player of a run; {HOW}")
    numbers = (match["generation"], match["rank"])
    return Address(match["name"], *(None if n is None else int(n) for n in numbers))


def find_player(address: Address) -> Found:
    """Return the network at an address; NotFound names what there is."""
    folder = find_run(address.run)
    try:
        with closing(open_database(folder)) as database:
            database.execute("BEGIN")  # one state of the run for all that is read
            return _find(database, address, folder)
    except sqlite3.Error as error:
        raise explain(error, folder) from error
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise damaged(folder, f"{type(error).__name__}: {error}") from error


class RunPlayer(NamedTuple):
    """The best player of a run: its text, the game with its options, and the encoder."""

    text: str
    game: str
    encoder: str

    @property
    def plays(self) -> str:
        """The game's name."""
        return game_name(self.game)


def run_players() -> list[RunPlayer]:
    """Return the best player of every run that has one."""
    found = ((name, _known(run_folder(name), run_mark(run_folder(name)))) for name in run_names())
    return [RunPlayer(f"run:{name}", *player) for name, player in found if player]


@lru_cache(20_000)
def _known(folder: Path, mark: tuple[Any, ...]) -> tuple[str, str] | None:
    """Return game and encoder of a run, None where it has no player.

    A run without a generation has none yet, nor has one that is damaged: `evoboard runs` tells.
    """
    try:
        with closing(open_database(folder)) as database:
            if _one(database, "SELECT MAX(generation) FROM generations") is None:
                return None
            player = json.loads(_one(database, "SELECT value FROM meta WHERE key = 'player'"))
            return str(player["game"]), str(player["encoder"])
    except (sqlite3.Error, EvoboardError, ValueError, KeyError, TypeError):
        return None


def game_name(text: str) -> str:
    """Return a game's name without its options; of a FILE.py the name its game has."""
    return Path(split_options(text)[0]).name.removesuffix(".py")


def _find(database: sqlite3.Connection, address: Address, folder: Path) -> Found:
    last = _one(database, "SELECT MAX(generation) FROM generations")
    if last is None:
        raise NotFound(
            f"the run {address.run} has no generation yet; its first player comes with the first."
        )
    generation = last if address.generation is None else address.generation
    if generation > last:
        raise NotFound(f"the run {address.run} has no generation {generation}; it has 0 to {last}.")
    if address.rank is not None:
        identity = _ranked(database, address.run, generation, address.rank)
    elif address.generation is None:
        generation, identity = _best(database, last)
    else:
        identity = _champion(database, generation)
    packed = _one(database, "SELECT network FROM genomes WHERE id = ?", identity)
    if packed is None:
        raise NotFound(_not_kept(database, address.run, generation, address.rank))
    network = json.loads(zlib.decompress(packed))
    return Found(generation, identity, network, _player_data(database, generation))


def _best(database: sqlite3.Connection, last: int) -> tuple[int, int]:
    """Return generation and id of who won the final after the last one, else of its champion."""
    final = "SELECT champion_generation, id FROM finals WHERE generation = ?"
    found = database.execute(final, (last,)).fetchone()
    return found or (last, _champion(database, last))


def _champion(database: sqlite3.Connection, generation: int) -> int:
    wanted = "SELECT champion FROM generations WHERE generation = ?"
    return int(_one(database, wanted, generation))


def _ranked(database: sqlite3.Connection, run: str, generation: int, rank: int) -> int:
    """Return the id of the individual with that place by fitness, from 1; equals by their slots."""
    size = _one(database, "SELECT COUNT(*) FROM individuals WHERE generation = ?", generation)
    if not 1 <= rank <= size:
        raise NotFound(
            f"generation {generation} of the run {run} has {size} individuals; "
            f"#{rank} must be #1 to #{size}."
        )
    ordered = (
        "SELECT id FROM individuals WHERE generation = ? ORDER BY fitness DESC, slot "
        "LIMIT 1 OFFSET ?"
    )
    return int(_one(database, ordered, generation, rank - 1))


def _not_kept(database: sqlite3.Connection, run: str, generation: int, rank: int | None) -> str:
    rows = database.execute("SELECT generation FROM recorded WHERE genomes ORDER BY generation")
    kept = [str(row[0]) for row in rows.fetchall()]
    shown = ", ".join(kept if len(kept) <= 12 else [*kept[:5], "…", *kept[-5:]])
    known = (
        f"all genomes are kept of generations {shown}" if kept else "no generation kept them all"
    )
    return f"the run {run} kept only the champion of generation {generation}, not #{rank}; {known}."


def _player_data(database: sqlite3.Connection, generation: int) -> dict[str, Any]:
    """Return what a player needs beside its network, with the search as it was in a generation."""
    text = "SELECT value FROM meta WHERE key = ?"
    player: dict[str, Any] = json.loads(_one(database, text, "player"))
    later = json.loads(_one(database, text, "experiment")).get("search", {}).get("later", [])
    settings = dict(player["settings"])
    for stage in sorted(later, key=lambda stage: stage["generation"]):
        if stage["generation"] <= generation:
            settings |= {key: value for key, value in stage.items() if key != "generation"}
    return {**player, "settings": settings}


def _one(database: sqlite3.Connection, statement: str, *values: Any) -> Any:
    """Return the only cell of the only row, None where there is no row."""
    row = database.execute(statement, values).fetchone()
    return row[0] if row else None
