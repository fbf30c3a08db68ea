"""The games a run has kept: which there are, a page of them, and one as a table to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from evoboard.arena.match import Match
from evoboard.core.errors import EvoboardError, NotationError, NotFound, OptionError
from evoboard.games.base import DrawRules, Game
from evoboard.store.blob import unpack_moves
from evoboard.store.reader import Reader, open_run
from evoboard.store.records import GameRecord
from evoboard.web.network.source import load_run_game
from evoboard.web.opponents import short_name
from evoboard.web.site import Site
from evoboard.web.table import Table

RESULTS = {"first": "result > 0", "draw": "result = 0", "second": "result < 0"}
ANYTHING_GOES = DrawRules(0, 0, 0)  # what was played was legal, whatever would end it elsewhere
COLUMNS = "generation, number, purpose, first, second, result, reason, moves"
KEPT = "SELECT id FROM genomes WHERE id IN (?, ?)"
Who = int | str  # a genome's id, or the text of a player that has none


@dataclass(frozen=True)
class Wanted:
    """Which games: of a generation, a purpose, a player, with a result.

    `player`: "champion" (of the game's generation), "#3" (the third fittest there), an id, or a
    part of a name. `result`: first, draw, second; with a player also won and lost.
    """

    generation: int | None = None
    purpose: str = ""
    player: str = ""
    result: str = ""


class Listed(NamedTuple):
    """A game in a list; players in words."""

    generation: int
    number: int
    purpose: str
    players: tuple[str, str]
    result: int
    reason: str
    plies: int


class Kinds(NamedTuple):
    """What a run's games can be chosen by."""

    game: str
    sides: tuple[str, str]
    generations: list[int]
    purposes: list[str]


@dataclass(frozen=True)
class Recorded:
    """A recorded game: the table that shows it, and who played; `kept`: whose networks there are.

    `labels` are the players in words, as in the list.
    """

    run: str
    generation: int
    number: int
    purpose: str
    players: tuple[Who, Who]
    labels: tuple[str, str]
    kept: tuple[bool, bool]
    search: str
    table: Table


def kinds_of(run: str, site: Site) -> Kinds:
    """Return what the games of a run can be chosen by."""
    with open_run(run) as reader:
        spec = str(reader.facts()["player"]["game"])
        generations = reader.query("SELECT DISTINCT generation FROM games ORDER BY 1 DESC")
        purposes = reader.query("SELECT DISTINCT purpose FROM games ORDER BY 1")
    game = load_run_game(run, spec, site)
    return Kinds(spec, game.sides, [row[0] for row in generations], [row[0] for row in purposes])


def count_games(run: str, wanted: Wanted) -> int:
    """Return how many games there are of the wanted ones."""
    query, values = _query("COUNT(*)", wanted)
    with open_run(run) as reader:
        return int(reader.query(query, values)[0][0])


def list_games(run: str, wanted: Wanted, first: int, most: int) -> list[Listed]:
    """Return up to `most` of the wanted games from number `first` on, the latest first."""
    query, values = _query(COLUMNS, wanted)
    with open_run(run) as reader:
        found = reader.query(
            f"{query} ORDER BY generation DESC, number LIMIT ? OFFSET ?", [*values, most, first]
        )
        words = _Words(reader, {row[0] for row in found})
        return [
            Listed(
                generation,
                number,
                purpose,
                (words.of(one, generation), words.of(other, generation)),
                result,
                reason,
                len(unpack_moves(moves)),
            )
            for generation, number, purpose, one, other, result, reason, moves in found
        ]


def place_of(run: str, wanted: Wanted, generation: int, number: int) -> int | None:
    """Return how many of the wanted games come before a game; None where it is not wanted."""
    here, values = _query("COUNT(*)", wanted, "generation = ? AND number = ?")
    before, _ = _query("COUNT(*)", wanted, "(generation > ? OR (generation = ? AND number < ?))")
    with open_run(run) as reader:
        if not reader.query(here, [*values, generation, number])[0][0]:
            return None
        return int(reader.query(before, [*values, generation, generation, number])[0][0])


def _query(columns: str, wanted: Wanted, further: str = "") -> tuple[str, list[Any]]:
    """Return an SQL query for the wanted games and its values; `further` values come last."""
    head, is_first, is_second, values = _player(wanted.player.strip())
    terms = []
    if is_first:
        won = {"won": ("result > 0", "result < 0"), "lost": ("result < 0", "result > 0")}
        one, other = won.get(wanted.result, ("1", "1"))
        terms.append(f"(({is_first} AND {one}) OR ({is_second} AND {other}))")
        values = values * 2
    if wanted.result in RESULTS:
        terms.append(RESULTS[wanted.result])
    if wanted.generation is not None:
        terms.append("generation = ?")
        values.append(wanted.generation)
    if wanted.purpose:
        terms.append("purpose = ?")
        values.append(wanted.purpose)
    terms += [further] if further else []
    source = "games JOIN place USING (generation)" if head else "games"
    where = f" WHERE {' AND '.join(terms)}" if terms else ""
    return f"{head} SELECT {columns} FROM {source}{where}", values


def _player(text: str) -> tuple[str, str, str, list[Any]]:
    """Return the query's head, the terms for a player's being first and second, and their values.

    A player by its place is another one in each generation: the head finds them, once.
    """
    champion = "WITH place AS MATERIALIZED (SELECT generation, champion AS who FROM generations)"
    if not text:
        return "", "", "", []
    if text.lower() in ("champion", "champions"):
        return champion, "first = who", "second = who", []
    if text.startswith("#"):
        if not (text[1:].isdecimal() and 0 < int(text[1:]) < 10**9):
            raise OptionError(f"{text!r} is no place; write #1 for the fittest, #2 and so on.")
        ranked = (
            "SELECT id FROM individuals AS i WHERE i.generation = g.generation "
            f"ORDER BY fitness DESC, slot LIMIT 1 OFFSET {int(text[1:]) - 1}"
        )
        head = f"SELECT generation, ({ranked}) AS who FROM generations AS g"
        head = f"WITH place AS MATERIALIZED ({head})"
        return head, "first = who", "second = who", []
    if text.isdecimal() and len(text) < 18:
        return "", "first = ?", "second = ?", [int(text)]
    named = "(typeof({0}) = 'text' AND instr(lower({0}), lower(?)) > 0)"
    return "", named.format("first"), named.format("second"), [text]


class _Words:
    """Players of some generations in words: champion, #3, champion of generation 12."""

    def __init__(self, reader: Reader, generations: Iterable[int]) -> None:
        self.reader = reader
        self.ranks: dict[int, dict[int, int]] = {}
        self.champions: dict[int, int] = {}
        for generation in generations:
            ordered = reader.query(
                "SELECT id FROM individuals WHERE generation = ? ORDER BY fitness DESC, slot",
                (generation,),
            )
            self.ranks[generation] = {row[0]: rank for rank, row in enumerate(ordered, 1)}
            found = reader.rows(generation, generation)
            if found:
                self.champions[generation] = found[0].champion

    def of(self, who: Who, generation: int) -> str:
        """Return a player of a game in words."""
        place = self.place(who, generation)
        if place is None:
            return f"no. {who}" if isinstance(who, int) else short_name(who)
        of_generation, rank = place
        if rank is not None:
            return f"#{rank}"
        earlier = "" if of_generation == generation else f" of generation {of_generation}"
        return f"champion{earlier}"

    def text(self, who: Who, generation: int) -> str:
        """Return the text of a player, as far as it has one: run:NAME@gen=8#3."""
        place = self.place(who, generation)
        if place is None:
            return str(who)
        rank = "" if place[1] is None else f"#{place[1]}"
        return f"run:{self.reader.name}@gen={place[0]}{rank}"

    def place(self, who: Who, generation: int) -> tuple[int, int | None] | None:
        """Return the generation in which an individual is known, and its rank, None: champion."""
        if not isinstance(who, int):
            return None
        if self.champions.get(generation) == who:
            return generation, None
        if who in self.ranks.get(generation, {}):
            return generation, self.ranks[generation][who]
        earlier = "SELECT MAX(generation) FROM generations WHERE champion = ? AND generation <= ?"
        found = self.reader.query(earlier, (who, generation))[0][0]
        return None if found is None else (int(found), None)


def open_game(run: str, generation: int, number: int, site: Site) -> Recorded:
    """Return a recorded game, played again; NotFound where there is none of that number."""
    with open_run(run) as reader:
        found = reader.query(
            f"SELECT {COLUMNS}, game, version, start, code FROM games "
            "WHERE generation = ? AND number = ?",
            (generation, number),
        )
        if not found:
            raise NotFound(f"the run {run} has not kept game {number} of generation {generation}.")
        player: Mapping[str, Any] = reader.facts()["player"]
        *head, name, version, start, code = found[0]
        _, _, purpose, first, second, result, reason, moves = head
        players = (first, second)
        # Whoever was champion of another generation is looked up: while the run is open.
        words = _Words(reader, [generation])
        texts = (words.text(first, generation), words.text(second, generation))
        labels = (words.of(first, generation), words.of(second, generation))
        kept = {row[0] for row in reader.query(KEPT, players)}
    record = GameRecord(name, version, start, unpack_moves(moves), result, reason, code)
    table = replay(
        record,
        load_run_game(run, str(player["game"]), site),
        f"{run}-gen{generation}-game{number}",
        texts,
    )
    return Recorded(
        run,
        generation,
        number,
        purpose,
        players,
        labels,
        (first in kept, second in kept),
        str(player["search"]),
        table,
    )


def replay(record: GameRecord, game: Game, name: str, seats: tuple[str, str]) -> Table:
    """Return a table with a recorded game; NotationError where today's rules refuse it."""
    match = Match(game, start=game.parse_state(record.start), draws=ANYTHING_GOES)
    other = f"; it was played by version {record.version} of the rules, this is {game.version}"
    hint = other if record.version != game.version else ""
    for ply, move in enumerate(record.moves, 1):
        try:
            match.play(move)
        except EvoboardError as error:
            raise NotationError(f"ply {ply} of {name} cannot be played: {error}{hint}") from None
    table = Table(name, match, seats)
    if not match.over:
        table.closed = (record.result, record.reason)
    elif match.result != record.result:
        raise NotationError(f"{name} ended otherwise than today's rules end it{hint}.")
    return table
