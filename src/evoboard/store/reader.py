"""Reads a run's database, even while a trainer writes it. Nothing here can change a run."""

from __future__ import annotations

import json
import math
import sqlite3
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from evoboard.core.errors import SENSELESS, NotFound, PartError, in_one_line, quoted
from evoboard.store import chain
from evoboard.store.blob import unpack_json, unpack_moves, unpack_state
from evoboard.store.games import RANKED, GameFilter
from evoboard.store.records import (
    Alarm,
    Final,
    GameRecord,
    GenerationRow,
    Individuals,
    KeptGame,
    Measurement,
    SpeciesRow,
    StoredGame,
    StoredGenome,
)
from evoboard.store.run_file import damaged, explain, find_run, open_database
from evoboard.store.schema import COLUMNS, SCHEMA
from evoboard.store.writer import read_numbers

BETWEEN = "generation BETWEEN ? AND ?"
MEASUREMENT = ", ".join(Measurement._fields)
GAME = (
    "generation, number, purpose, first, second, game, version, start, moves, result, reason, code"
)
EVERY_GAME = GameFilter()


def _in_a_sentence(reader: type[Reader]) -> type[Reader]:
    """Make every method report damage if the rows make no sense."""

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def ask(self: Reader, *values: Any, **more: Any) -> Any:
            try:
                return method(self, *values, **more)
            except sqlite3.Error as error:
                raise explain(error, self.folder) from error
            except (PartError, *SENSELESS) as error:
                raise damaged(self.folder, in_one_line(error)) from error

        return ask

    for name, method in list(vars(reader).items()):
        if isinstance(method, types.FunctionType) and not name.startswith("__"):
            setattr(reader, name, guarded(method))
    return reader


@_in_a_sentence
class Reader:
    """A run's rows. Any number of threads may use it; the caller closes it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, folder.name
        self._turn = threading.RLock()
        self._database = open_database(folder)

    def close(self) -> None:
        """Close the connection; doing so twice does no harm."""
        with self._turn:
            self._database.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Answer everything inside from one state of the run, whatever a trainer writes meanwhile.

        Keep it short: it holds back the trainer's log.
        """
        with self._turn:
            self._query("BEGIN")
            try:
                yield
            finally:
                if self._database.in_transaction:  # an error of the disk has ended it
                    self._query("ROLLBACK")

    def require_whole(self) -> int:
        """Raise if anything in the whole file is damaged, missing or changed.

        Return how many of the first generations cannot be checked, because they have no hashes.
        """
        # Not quick_check, which does not compare indexes: through a wrong index the hashes would be
        # those of other rows.
        (problem,) = self._column("PRAGMA integrity_check(1)")
        if problem != "ok":
            raise damaged(self.folder, problem.replace("*** in database main ***", ""))
        spoilt = {row[0] for row in _columns() ^ set(self._query(COLUMNS))}
        if spoilt - {"chain"}:  # which an earlier version did not have
            raise damaged(self.folder, f"the columns of {min(spoilt)} are not as they were made")
        count = self.count()
        if self._column("SELECT COUNT(*) FROM generations") != [count]:
            raise damaged(self.folder, "generations are missing")
        with self.snapshot():
            unchecked, wrong = chain.first_wrong(self._database, count)
        if wrong:
            raise damaged(self.folder, wrong)
        places = {0: range(count + 1), 1: (int(self.facts()["experiment"]["generations"]) - 1,)}
        for row, saved in self._query("SELECT row, generation FROM checkpoint"):
            if saved not in places.get(row, ()):
                raise damaged(self.folder, "its checkpoint is of a generation it does not have")
        return unchecked

    def facts(self) -> dict[str, Any]:
        """Return what `meta` says: name, seed, experiment, player, made, program, finished…"""
        facts: dict[str, Any] = dict(self._query("SELECT key, value FROM meta"))
        data = {key: dict(json.loads(facts[key])) for key in ("experiment", "player")}
        return {**facts, **data, "seed": int(facts["seed"])}

    def player(self, generation: int) -> dict[str, Any]:
        """Return what a player needs besides its network: game, encoder, search and its settings.

        The settings are those of the generation, because a search may get deeper during a run.
        """
        return player_at(self.facts(), generation)

    def count(self) -> int:
        """Return how many generations are stored: the number of the next one."""
        (last,) = self._column("SELECT MAX(generation) FROM generations")
        return 0 if last is None else int(last) + 1

    def rows(self, first: int = 0, last: int | None = None) -> list[GenerationRow]:
        """Return the generations from `first` to `last`, both included."""
        found = self._query(
            f"SELECT * FROM generations WHERE {BETWEEN} ORDER BY generation", _span(first, last)
        )
        return [
            GenerationRow._make((*_sound(head, int, int, int, str), read_numbers(text)))
            for *head, text in found
        ]

    def champion(self, generation: int) -> int:
        """Return the id of a generation's champion."""
        wanted = "SELECT champion FROM generations WHERE generation = ?"
        return int(self._column(wanted, self._require(generation))[0])

    def best(self) -> tuple[int, int]:
        """Return generation and id of the best player, the winner of the final at the end.

        A run that has not finished has had no final; then it is the last champion.
        """
        last = self.count() - 1
        wanted = "SELECT champion_generation, id FROM finals WHERE generation = ?"
        found = self._query(wanted, (last,))
        return found[0] if found else (last, self.champion(last))

    def last_title(self, identity: int, until: int) -> int | None:
        """Return the latest generation up to `until` of which it was champion; None if never."""
        wanted = "SELECT MAX(generation) FROM generations WHERE champion = ? AND generation <= ?"
        return self._column(wanted, identity, until)[0]

    def ranking(self, generation: int) -> list[int]:
        """Return the ids of a generation, the fittest first, equals in the order of ask."""
        return self._column(f"SELECT id {RANKED.format('?')}", self._require(generation))

    def individuals(self, generation: int) -> Individuals:
        """Return a generation's individuals, in the order of ask."""
        columns = ("id", "species", "origin", "fitness", "games", "nodes", "links")
        found = self._query(
            f"SELECT parent1, parent2, {', '.join(columns)} "
            "FROM individuals WHERE generation = ? ORDER BY slot",
            (self._require(generation),),
        )
        first, second, *cells = zip(*found, strict=True)
        arrays = {
            name: np.array(cell, np.float64 if name == "fitness" else np.int64)
            for name, cell in zip(columns, cells, strict=True)
        }
        parents = np.stack([np.array(first, np.int64), np.array(second, np.int64)], axis=1)
        return Individuals(ids=arrays.pop("id"), parents=parents, **arrays)

    def species(self, first: int = 0, last: int | None = None) -> dict[int, list[SpeciesRow]]:
        """Return the species of each generation from `first` to `last`."""
        return self._grouped("species", first, last, SpeciesRow)

    def measurements(self, first: int = 0, last: int | None = None) -> dict[int, list[Measurement]]:
        """Return the champions' measurements by generation."""
        return self._grouped("measurements", first, last, Measurement)

    def anchored(self) -> list[tuple[int, Measurement]]:
        """Return measurements against fixed opponents, with the champion's generation."""
        return [
            (generation, row)
            for generation, rows in self.measurements().items()
            for row in rows
            if row.kind == "anchor"
        ]

    def alarms(self, first: int = 0, last: int | None = None) -> dict[int, list[Alarm]]:
        """Return the alarms by generation."""
        return self._grouped("alarms", first, last, Alarm)

    def latest_measurement(self, kind: str, opponent: str) -> Measurement | None:
        """Return the latest measurement of a kind against an opponent, None without numbers."""
        found = self._query(
            f"SELECT {MEASUREMENT} FROM measurements WHERE kind = ? AND opponent = ? "
            "ORDER BY generation DESC LIMIT 1",
            (kind, opponent),
        )
        sound = bool(found) and all(isinstance(number, int | float) for number in found[0][2:])
        return Measurement(*found[0]) if sound else None

    def games(
        self, wanted: GameFilter = EVERY_GAME, first: int = 0, most: int = -1
    ) -> list[KeptGame]:
        """Return the selected games from number `first` on, the latest generation first."""
        query, values = wanted.query(GAME)
        found = self._query(
            f"{query} ORDER BY generation DESC, number LIMIT ? OFFSET ?", [*values, most, first]
        )
        return [_kept_game(row) for row in found]

    def game(self, generation: int, number: int) -> KeptGame:
        """Return a game by its place."""
        wanted = f"SELECT {GAME} FROM games WHERE generation = ? AND number = ?"
        found = self._query(wanted, (generation, number))
        if not found:
            raise NotFound(
                f"the run {self.name} has not kept game {number} of generation {generation}."
            )
        return _kept_game(found[0])

    def count_games(self, wanted: GameFilter = EVERY_GAME) -> int:
        """Return how many games are selected."""
        query, values = wanted.query("COUNT(*)")
        return int(self._column(query, *values)[0])

    def games_before(self, wanted: GameFilter, generation: int, number: int) -> int | None:
        """Return how many selected games come before a game; None if it is not selected."""
        query, values = wanted.query("COUNT(*)", "generation = ? AND number = ?")
        if not self._column(query, *values, generation, number)[0]:
            return None
        before = "(generation > ? OR (generation = ? AND number < ?))"
        query, values = wanted.query("COUNT(*)", before)
        return int(self._column(query, *values, generation, generation, number)[0])

    def game_generations(self) -> list[int]:
        """Return the generations of which games were kept, the latest first."""
        return self._column("SELECT DISTINCT generation FROM games ORDER BY 1 DESC")

    def game_purposes(self) -> list[str]:
        """Return the purposes of the kept games."""
        return self._column("SELECT DISTINCT purpose FROM games ORDER BY 1")

    def length_counts(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> list[tuple[int, int, int]]:
        """Return (generation // stride, plies, fitness games of that length), in order."""
        found = self._query(
            f"SELECT generation / ?, plies, SUM(games) FROM lengths WHERE {BETWEEN} "
            "GROUP BY 1, 2 ORDER BY 1, 2",
            (stride, *_span(first, last)),
        )
        return [_sound(row, int, int, int) for row in found]

    def species_sizes(
        self, first: int = 0, last: int | None = None, stride: int = 1
    ) -> list[tuple[int, int, int]]:
        """Return (generation, species, size) of every `stride`-th generation, in order."""
        found = self._query(
            f"SELECT generation, species, size FROM species WHERE {BETWEEN} "
            "AND generation % ? = 0 ORDER BY 1, 2",
            (*_span(first, last), stride),
        )
        return [_sound(row, int, int, int) for row in found]

    def network(self, identity: int) -> Any:
        """Return the network of a stored genome as JSON data, None if it was not kept."""
        found = self._column("SELECT network FROM genomes WHERE id = ?", identity)
        return unpack_json(found[0]) if found else None

    def kept(self, players: Iterable[int | str]) -> set[int | str]:
        """Return those of the given players whose genomes were kept."""
        wanted = "SELECT id FROM genomes WHERE id = ?"
        return {found for player in players for found in self._column(wanted, player)}

    def genome(self, identity: int) -> StoredGenome:
        """Return a stored genome by its id."""
        found = self._query("SELECT genome, network FROM genomes WHERE id = ?", (identity,))
        if not found:
            raise NotFound(
                f"the run {self.name} has not kept the genome {identity}; "
                "champions are kept, and all of the generations that were recorded."
            )
        return StoredGenome(identity, *map(unpack_json, found[0]))

    def recorded(self) -> list[tuple[int, int, int]]:
        """Return (generation, genomes, games) of generations that kept more than the champion."""
        return self._query("SELECT * FROM recorded ORDER BY generation")

    def finals(self) -> list[Final]:
        """Return the run's best players by the generation after which they were chosen."""
        found = self._query("SELECT * FROM finals ORDER BY generation")
        return [
            Final(*_sound((*head, _by_generation(text)), int, int, int, dict))
            for *head, text in found
        ]

    def timings(self, first: int = 0, last: int | None = None) -> dict[int, dict[str, float]]:
        """Return seconds by step, by generation."""
        found = self._query(
            f"SELECT * FROM timings WHERE {BETWEEN} ORDER BY generation", _span(first, last)
        )
        timings: dict[int, dict[str, float]] = {}
        for row in found:
            generation, step, seconds = _sound(row, int, str, float)
            timings.setdefault(generation, {})[step] = seconds
        return timings

    def sessions(self) -> list[dict[str, Any]]:
        """Return when the run was trained, by which version, and how each session ended."""
        names = "began, ended, reason, first_generation, program, threads, process"
        found = self._query(f"SELECT {names} FROM sessions ORDER BY number")
        return [dict(zip(names.split(", "), row, strict=True)) for row in found]

    def checkpoint(self, before_last: bool = False) -> tuple[int, dict[str, Any]] | None:
        """Return the next generation and the state to resume from; None if there is none.

        `before_last`: the state from which a complete run is extended.
        """
        wanted = "SELECT generation, state FROM checkpoint WHERE row = ?"
        found = self._query(wanted, (int(before_last),))
        return (int(found[0][0]), unpack_state(found[0][1])) if found else None

    def _query(self, statement: str, values: Any = ()) -> list[Any]:
        """Return all rows at once, because an open query would hold back the trainer's log."""
        with self._turn:
            return self._database.execute(statement, values).fetchall()

    def _column(self, statement: str, *values: Any) -> list[Any]:
        return [row[0] for row in self._query(statement, values)]

    def _require(self, generation: int) -> int:
        count = self.count()
        if not 0 <= generation < count:
            known = f"it has 0 to {count - 1}" if count else "it has none yet"
            raise NotFound(f"the run {self.name} has no generation {generation}; {known}.")
        return generation

    def _grouped(self, table: str, first: int, last: int | None, kind: Any) -> dict[int, list[Any]]:
        """Return the rows of a table by generation; the fields of their kind are its columns."""
        found = self._query(
            f"SELECT generation, {', '.join(kind._fields)} FROM {table} WHERE {BETWEEN} "
            "ORDER BY generation, number",
            _span(first, last),
        )
        groups: dict[int, list[Any]] = {}
        kinds = get_type_hints(kind).values()
        for generation, *cells in found:
            row = kind(*_sound(cells, *kinds))
            groups.setdefault(generation, []).append(row)
        return groups


@cache
def _columns() -> set[tuple[Any, ...]]:
    """Return the columns of a run's tables as they are created."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        return set(database.execute(COLUMNS).fetchall())


def open_run(name: str) -> Reader:
    """Return a reader of the run of that name."""
    return Reader(find_run(name))


def _span(first: int, last: int | None) -> tuple[int, int]:
    return first, (1 << 62) if last is None else last


def _sound(cells: Any, *kinds: type) -> Any:
    """Return a row; TypeError if a cell has the wrong type, which SQLite does not check.

    Only numbers can be NULL, which stands for NaN.
    """
    row: list[Any] = []
    for cell, kind in zip(cells, kinds, strict=True):
        row.append(math.nan if cell is None and kind is float else cell)
        if not isinstance(row[-1], (int, float) if kind is float else kind):
            raise TypeError(f"{quoted(str(cell))} stands where {kind.__name__} belongs")
    return row


def _kept_game(row: Any) -> KeptGame:
    head = (int, int, str, object, object, str, int, str, bytes)
    row = _sound(row, *head, int, str, int)
    generation, number, purpose, first, second, game, version, start, moves, *ending = row
    record = GameRecord(game, version, start, unpack_moves(moves), *ending)
    return KeptGame(generation, number, StoredGame(purpose, first, second, record))


def _by_generation(text: str) -> dict[int, float]:
    return {int(generation): number for generation, number in read_numbers(text).items()}


def player_at(facts: Mapping[str, Any], generation: int) -> dict[str, Any]:
    """Return what a run's players need besides networks, with the settings of a generation."""
    settings = dict(facts["player"]["settings"])
    later = facts["experiment"].get("search", {}).get("later", [])
    for stage in sorted(later, key=lambda stage: stage["generation"]):
        if stage["generation"] <= generation:
            settings |= {key: value for key, value in stage.items() if key != "generation"}
    return {**facts["player"], "settings": settings}
