"""Tournaments and their games on disk, so that neither a reload nor a restart loses one.

A tournament is a JSON file in the folder `tournaments` beside the games; a game that is opened
elsewhere is written to the games' folder, as the text that Replay and Analysis read.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from evoboard.arena.contest import EndedGame
from evoboard.arena.game_text import game_spec, written
from evoboard.arena.game_tree import GameTree
from evoboard.core.errors import SENSELESS, EvoboardError, NotFound, PartError, in_one_line, quoted
from evoboard.core.settings import read
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import by_file_name, readable
from evoboard.games.base import Game
from evoboard.store.records import GameRecord
from evoboard.web.comparing.tournaments import State, Tournament, TournamentPlan
from evoboard.web.folders import NAME, Kept, game_path, games_folder, kept_files
from evoboard.web.opponents import short_name

FORMAT = "evoboard-tournament"
LARGEST = 100_000_000  # bytes
LONGEST_HEAD = 100_000  # characters
HEAD_ENDS = ",\n"
SHOWN = 20
PLANNED = ("games", "seed", "opening_plies")


def tournaments_folder() -> Path:
    """Return where tournaments are kept."""
    return games_folder() / "tournaments"


def save(tournament: Tournament) -> None:
    """Write a tournament that has ended; if the disk is full, it stays on the screen."""
    try:
        write_whole(tournaments_folder() / f"{tournament.name}.json", _text(tournament))
        tournament.kept = True
    except OSError as error:
        logging.getLogger("evoboard").warning("%s cannot be saved: %s", tournament.name, error)
        tournament.told = f"This tournament cannot be saved: {error.strerror or error}."


def _text(tournament: Tournament) -> str:
    """Return a tournament as JSON; the first line has all that a list of tournaments needs."""
    plan, ended = tournament.plan, [_row(ended) for ended in tournament.games()]
    head = {
        "format": FORMAT,
        "version": 1,
        "game": game_spec(plan.game),
        "players": list(plan.players),
        "games": plan.games,
        "seed": plan.seed,
        "opening_plies": plan.opening_plies,
        "state": tournament.state,
        "told": tournament.told,
        "count": len(ended),
    }
    return f'{json.dumps(head)[:-1]}{HEAD_ENDS}"ended": {json.dumps(ended)}}}'


def load(name: str, load_game: Callable[[str], Game]) -> Tournament:
    """Return a tournament from disk; NotFound or PartError say why there is none."""
    path = tournaments_folder() / f"{name}.json"
    if not NAME.fullmatch(name) or not path.is_file():
        raise NotFound(f"there is no tournament named {quoted(name)}.")
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("it is too large")
        data = json.loads(path.read_text(encoding="utf-8"))
        game = load_game(str(data["game"]))
        rows = [_ended(place, row, game) for place, row in enumerate(data["ended"])]
        players = tuple(readable(str(player)) for player in data["players"])
        given = {key: data[key] for key in PLANNED}
        plan = read(TournamentPlan, {"game": game, "players": players, **given})
        if any(not 0 <= n < len(players) for e in rows for n in (e.first, e.second)):
            raise ValueError("it names a player that it does not have")
        known: dict[str, State] = {"finished": "finished", "failed": "failed"}
        state = known.get(data["state"], "cancelled")
        return Tournament(plan, name, state, readable(str(data["told"])), rows, kept=True)
    except EvoboardError as error:
        raise PartError(f"the tournament {name} cannot be read: {error}") from error
    except (OSError, *SENSELESS) as error:
        told = in_one_line(error)[:120]
        raise PartError(f"the tournament {name} cannot be read ({told}).") from error


def described() -> dict[str, str]:
    """Return the latest tournaments by name, each in a few words; damaged ones are left out."""
    words: dict[str, str] = {}
    for file in kept_files(tournaments_folder(), ".json"):
        with suppress(EvoboardError, OSError, *SENSELESS):
            words[file.name] = _words(*_head(file))
        if len(words) == SHOWN:
            break
    return words


def _words(game: str, players: tuple[str, ...], games: int) -> str:
    names = ", ".join(map(short_name, players))
    return readable(f"{by_file_name(game)}, {games:,} games: {names}")


@lru_cache(10 * SHOWN)
def _head(file: Kept) -> tuple[str, tuple[str, ...], int]:
    """Return a tournament's game and players, and how many games it has."""
    with open(file.path, encoding="utf-8") as text:
        first = text.readline(LONGEST_HEAD)
        if first.endswith(HEAD_ENDS):
            data = json.loads(first.removesuffix(HEAD_ENDS) + "}")
        else:  # all on one line, as it was once written
            if file.size > LARGEST:
                raise ValueError("it is too large")
            data = json.loads(first + text.read())
    count = data["count"] if "count" in data else len(data["ended"])
    return str(data["game"]), tuple(map(str, data["players"])), int(count)


def write_game(tournament: Tournament, number: int) -> str:
    """Write one game of a tournament to the games' folder; return its name there."""
    ended = next(each for each in tournament.games() if each.number == number)
    plan, record = tournament.plan, ended.record
    players = (plan.players[ended.first], plan.players[ended.second])
    name = f"{tournament.name}-{number + 1}"
    tree = GameTree.of_record(record, plan.game, players, tournament=tournament.name)
    write_whole(game_path(name), written(tree))
    return name


def _row(ended: EndedGame) -> list[Any]:
    record = ended.record
    moves = " ".join(map(str, record.moves))
    ending = [record.result, record.reason, record.code]
    players = [ended.first, ended.second, ended.opening]
    return [*players, record.start, moves, *ending, ended.number]


def _ended(place: int, row: list[Any], game: Game) -> EndedGame:
    first, second, opening, start, moves, result, reason, code, *rest = row
    number = rest[0] if rest else place  # of a whole tournament it was once left out
    played = tuple(int(move) for move in str(moves).split())
    whole = (number, first, second, opening, result, code)
    if any(type(n) is not int or abs(n) >= 2**31 for n in whole):
        raise ValueError("one of its numbers is not a whole number")
    numbers = (int(result), readable(str(reason)), int(code))
    record = GameRecord(game.name, game.version, str(start), played, *numbers)
    if record.result not in (-1, 0, 1):
        raise ValueError(f"it has the result {record.result}")
    return EndedGame(int(number), int(first), int(second), int(opening), record)
