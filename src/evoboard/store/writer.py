"""Writes a run's database: one transaction per generation, so each is stored whole or not at all.

WAL with synchronous=NORMAL: what is committed survives the death of the process; a power cut may
cost the last generations, never the file. Readers (store/reader.py) and the writer never wait for
each other.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.core.errors import quoted
from evoboard.store import chain
from evoboard.store.blob import pack_json, pack_moves, pack_state
from evoboard.store.records import Final, GenerationRecord, StoredGame
from evoboard.store.run_file import DATABASE, PATIENCE, RunError, telling
from evoboard.store.schema import BY_GENERATION, SCHEMA

# Large pages store a state of a megabyte in a fraction of the time, and small rows no slower.
PAGE_BYTES = 1 << 13
# The log is folded into the file every 16 MB, so that most states are not written there twice;
# after an exceptionally large generation it shrinks back to this size.
LOG_PAGES = 2000
LOG_BYTES = 2 * LOG_PAGES * PAGE_BYTES


def create_database(folder: Path, facts: Mapping[str, str]) -> None:
    """Make the database of a new run in a folder that has none; `facts` go into `meta`."""
    with (
        telling(folder),
        closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as database,
    ):
        database.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(f"BEGIN; {SCHEMA} COMMIT;")
        database.execute("BEGIN")
        database.executemany("INSERT INTO meta VALUES (?, ?)", sorted(facts.items()))
        chain.begin(database, 0)
        database.execute("COMMIT")


class Writer:
    """The one connection that writes. One thread uses it; the caller closes it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._path = folder, os.fspath(folder / DATABASE)
        with telling(folder):
            uri = f"{Path(self._path).resolve().as_uri()}?mode=rw"
            self._database = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
            try:
                self._file = _identity(self._path)
                for setting in (
                    "synchronous = NORMAL",
                    "foreign_keys = ON",
                    f"wal_autocheckpoint = {LOG_PAGES}",
                    f"journal_size_limit = {LOG_BYTES}",
                ):
                    self._database.execute(f"PRAGMA {setting}")
            except BaseException:
                self._database.close()
                raise
        self._session = 0

    def begin(self, generation: int, program: str, threads: int) -> None:
        """Begin a session at `generation`; rows from there on, if any, are removed."""
        with self._transaction() as database:
            chain.begin(database, generation)
            for table in BY_GENERATION:
                database.execute(f"DELETE FROM {table} WHERE generation >= ?", (generation,))
            row = (_now(), generation, program, threads, os.getpid())
            cursor = database.execute(
                "INSERT INTO sessions (began, first_generation, program, threads, process) "
                "VALUES (?, ?, ?, ?, ?)",
                row,
            )
            self._session = cursor.lastrowid or 0

    def add(self, record: GenerationRecord, state: Mapping[str, Any] | None = None) -> None:
        """Store a generation and, if given, the state to resume from."""
        packed = None if state is None else pack_state(state)
        with self._transaction() as database:
            _insert_generation(database, record)
            individuals = _insert_individuals(database, record)
            games = _insert_games(database, record.generation, record.games)
            _insert_findings(database, record)
            known = {"individuals": individuals, "games": games}
            chain.extend(database, record.generation, known)
            if packed is not None:
                self._put_state(record.generation + 1, packed)

    def save(self, generation: int, state: Mapping[str, Any]) -> None:
        """Store the state to resume from at `generation`."""
        packed = pack_state(state)
        with self._transaction():
            self._put_state(generation, packed)

    def save_before_last(self, generation: int, state: Mapping[str, Any]) -> None:
        """Store the state from which the run continues if it is extended."""
        packed = pack_state(state)
        with self._transaction():
            self._put_state(generation, packed, row=1)

    def lengthen(self, experiment: Mapping[str, Any]) -> None:
        """Change a run's settings to those of a longer one, which continues before its last
        generation if that has been played."""
        with self._transaction() as database:
            if database.execute("SELECT 1 FROM checkpoint WHERE row = 1").fetchone():
                database.execute("DELETE FROM checkpoint WHERE row = 0")
                database.execute("UPDATE checkpoint SET row = 0")
            database.execute("DELETE FROM meta WHERE key = 'finished'")
            changed = (json.dumps(experiment),)
            database.execute("UPDATE meta SET value = ? WHERE key = 'experiment'", changed)
            chain.renew(database)

    def saved(self) -> int:
        """Return the generation that training would resume at."""
        with telling(self.folder):
            wanted = "SELECT generation FROM checkpoint WHERE row = 0"
            row = self._database.execute(wanted).fetchone()
        return int(row[0]) if row else 0

    def finish(self, reason: str, final: Final, generation: int, state: Mapping[str, Any]) -> None:
        """Store why the run has ended, its best player, and the state it ended in."""
        packed = pack_state(state)
        with self._transaction() as database:
            self._put_state(generation, packed)
            database.execute("REPLACE INTO meta VALUES ('finished', ?)", (reason,))
            scores = numbers_text({str(g): score for g, score in final.scores.items()})
            row = (final.generation, final.champion_generation, final.id, scores)
            database.execute("REPLACE INTO finals VALUES (?, ?, ?, ?)", row)

    def close(self, reason: str = "") -> None:
        """Note why training has ended, if known, and close; what is stored stays stored."""
        try:
            if reason and self._session:
                row = (_now(), reason, self._session)
                with self._transaction() as database:
                    database.execute(
                        "UPDATE sessions SET ended = ?, reason = ? WHERE number = ?", row
                    )
        finally:
            # A full disk may prevent folding the log in; the next connection does it.
            with suppress(sqlite3.Error):
                self._database.close()

    def _put_state(self, generation: int, packed: bytes, row: int = 0) -> None:
        most = self._database.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
        if len(packed) > most:
            raise RunError(
                f"the state of the run {self.folder.name} has {len(packed) / 1e9:.1f} GB; at most "
                f"{most / 1e9:.1f} GB can be stored; take fewer or smaller networks."
            )
        self._database.execute("DELETE FROM checkpoint WHERE row = ?", (row,))
        # A file made by an earlier version has no row 1; every file has row 0.
        how = "OR IGNORE INTO" if row else "INTO"
        cells = (row, generation, packed)
        self._database.execute(f"INSERT {how} checkpoint VALUES (?, ?, ?)", cells)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit everything done inside, or nothing."""
        with telling(self.folder):
            try:
                self._require_place()
                self._database.execute("BEGIN IMMEDIATE")
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    with suppress(sqlite3.Error):
                        self._database.execute("ROLLBACK")
                raise

    def _require_place(self) -> None:
        """Raise if the file is gone: SQLite would keep writing to a file without a name."""
        try:
            found = _identity(self._path)
        except OSError:
            found = None
        if found != self._file:
            raise RunError(
                f"{self._path} was deleted or replaced while the run was trained; "
                "nothing more is written there: put it back from a copy, or start a new run."
            )


def numbers_text(numbers: Mapping[str, float]) -> str:
    """Return numbers by name as JSON that every reader accepts, exact up to the sign of NaN."""
    return "{" + ",".join(f"{json.dumps(k)}:{_number(v)}" for k, v in numbers.items()) + "}"


def read_numbers(text: str) -> dict[str, float]:
    """Return the numbers that `numbers_text` wrote."""
    numbers = {k: math.nan if v is None else v for k, v in json.loads(text).items()}
    if not all(isinstance(value, int | float) for value in numbers.values()):
        raise ValueError(f"{quoted(text)} holds more than numbers")
    return numbers


def _number(value: Any) -> str:
    if hasattr(value, "item"):  # one of NumPy's
        value = value.item()
    if not isinstance(value, float):
        return str(int(value))
    if math.isfinite(value):
        return repr(value)
    # JSON has neither; a number too large for a float is read as infinite everywhere.
    return "null" if math.isnan(value) else "9e999" if value > 0 else "-9e999"


def _insert_generation(database: sqlite3.Connection, record: GenerationRecord) -> None:
    g, champion = record.generation, record.champion
    numbers = numbers_text(record.numbers)
    row = (g, champion.id, record.champion_slot, record.champion_origin, numbers)
    database.execute("INSERT INTO generations VALUES (?, ?, ?, ?, ?)", row)
    known = "SELECT 1 FROM genomes WHERE id = ?"
    for stored in (champion, *record.genomes):
        if not database.execute(known, (stored.id,)).fetchone():
            packed = (stored.id, g, pack_json(stored.genome), pack_json(stored.network))
            database.execute("INSERT INTO genomes VALUES (?, ?, ?, ?)", packed)
    _number_rows(database, "species", g, record.species)
    if record.genomes or record.games:
        counts = (g, len(record.genomes), len(record.games))
        database.execute("INSERT INTO recorded VALUES (?, ?, ?)", counts)


def _insert_individuals(database: sqlite3.Connection, record: GenerationRecord) -> list[Any]:
    """Store the individuals; return their rows as SQLite will read them: whole numbers as such, and
    without NaN and -0.0."""
    who = record.individuals
    fitness = [None if value != value else value + 0.0 for value in who.fitness.tolist()]
    columns = (who.ids, who.species, *who.parents.T, who.origin, who.games, who.nodes, who.links)
    whole = [column.astype(np.int64, copy=False).tolist() for column in columns]
    rows = zip(*whole[:5], fitness, *whole[5:], strict=True)
    return _number_rows(database, "individuals", record.generation, rows)


def _insert_games(
    database: sqlite3.Connection, generation: int, games: tuple[StoredGame, ...]
) -> list[Any]:
    """Store games without the players' thinking times, which differ from run to run; return their
    rows."""
    rows = []
    for game in games:
        r = game.record
        moves = pack_moves(r.moves)
        told = (r.game, r.version, r.start, moves, r.result, r.reason, r.code)
        rows.append((game.purpose, game.first, game.second, *told))
    return _number_rows(database, "games", generation, rows)


def _insert_findings(database: sqlite3.Connection, record: GenerationRecord) -> None:
    g = record.generation
    _number_rows(database, "measurements", g, record.measurements)
    _number_rows(database, "alarms", g, record.alarms)
    if record.lengths is not None:
        counts = enumerate(record.lengths.tolist())
        rows: list[Any] = [(g, plies, games) for plies, games in counts if games]
        database.executemany("INSERT INTO lengths VALUES (?, ?, ?)", rows)
    rows = [(g, step, float(seconds)) for step, seconds in record.timings.items()]
    database.executemany("INSERT INTO timings VALUES (?, ?, ?)", rows)


def _number_rows(database: sqlite3.Connection, table: str, generation: int, rows: Any) -> list[Any]:
    """Insert rows in order, each with its generation and its number within it; return them."""
    numbered = [(generation, number, *row) for number, row in enumerate(rows)]
    if numbered:
        marks = ", ".join("?" * len(numbered[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", numbered)
    return numbered


def _identity(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
