"""Are two runs the same run? Every row but those of clocks and processes is compared.

And all that is kept of a generation, as it was given to the store.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Generator
from contextlib import ExitStack, closing
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, unknown
from evoboard.store.blob import unpack_json
from evoboard.store.games import GameFilter
from evoboard.store.reader import Reader
from evoboard.store.records import GenerationRecord
from evoboard.store.run_file import damaged, explain, open_database
from evoboard.store.schema import COMPARED, NOT_COMPARED

Row = tuple[Any, ...]


def same_run(first: Path, second: Path) -> bool:
    """Tell whether two run folders hold the same run, row by row."""
    return not differences(first, second, most=1)


def differences(
    first: Path, second: Path, tables: Collection[str] = tuple(COMPARED), most: int = 10
) -> list[str]:
    """Return the first rows that differ, as sentences; an empty list for the same run."""
    found: list[str] = []
    with ExitStack() as stack:
        databases = [stack.enter_context(_snapshot(folder)) for folder in (first, second)]
        for table in _known(tables):
            rows = [
                stack.enter_context(closing(_rows(database, table, folder)))
                for database, folder in zip(databases, (first, second), strict=True)
            ]
            for a, b in zip_longest(*rows):
                if a != b:
                    found.append(f"{table}: {_short(a)} in {first}, {_short(b)} in {second}")
                if len(found) >= most:
                    return found
    return found


def digest(folder: Path, tables: Collection[str] = tuple(COMPARED)) -> str:
    """Return a hash of everything that two equal runs share."""
    found = hashlib.blake2b(digest_size=16)
    with _snapshot(folder) as database:
        for table in _known(tables):
            found.update(f"{table}\n".encode())
            for row in _rows(database, table, folder):
                found.update(f"{row!r}\n".encode())
    return found.hexdigest()


def _snapshot(folder: Path) -> closing[sqlite3.Connection]:
    """Return one state of a database for several queries, whatever a trainer writes meanwhile."""
    database = open_database(folder)
    database.execute("BEGIN")
    return closing(database)


def _rows(database: sqlite3.Connection, table: str, folder: Path) -> Generator[Row, None, None]:
    where = ""
    if table == "meta":
        where = f"WHERE key NOT IN ({', '.join(map(repr, NOT_COMPARED))})"
    try:
        with closing(
            # Not by an index, which may say something else than the rows do.
            database.execute(
                f"SELECT * FROM {table} NOT INDEXED {where} ORDER BY {COMPARED[table]}"
            )
        ) as cursor:
            for row in cursor:
                # Other versions of zlib pack the same genome into other bytes.
                if table == "genomes":
                    row = (*row[:2], *map(unpack_json, row[2:]))
                yield row
    except sqlite3.Error as error:
        raise explain(error, folder) from error
    except (PartError, ValueError) as error:
        raise damaged(folder, str(error)) from error


def _known(tables: Collection[str]) -> list[str]:
    for table in tables:
        if table not in COMPARED:
            raise OptionError(unknown("table", table, COMPARED))
    return [table for table in COMPARED if table in tables]


def _short(row: Any) -> str:
    if row is None:
        return "nothing"
    text = ", ".join(f"{len(c)} bytes" if isinstance(c, bytes) else str(c)[:60] for c in row)
    return f"({text})"


def lengths_of(run: Reader, generation: int) -> Array | None:
    """Return how many fitness games lasted 0, 1, 2 … plies; None if they were not counted."""
    plies, games = np.array(run.length_counts(generation, generation)).reshape(-1, 3).T[1:]
    return np.bincount(plies, games).astype(np.int64) if len(plies) else None


def same_table(one: ResultTable, other: ResultTable) -> bool:
    """Tell whether two tables hold the same games in the same order."""
    return all(map(np.array_equal, vars(one).values(), vars(other).values()))


def read_record(run: Reader, generation: int) -> GenerationRecord:
    """Return all that is kept of a generation; its champion is not among `genomes`."""
    rows = run.rows(generation, generation)
    if not rows:
        raise damaged(run.folder, f"generation {generation} is missing")
    row = rows[0]
    individuals = run.individuals(generation)
    kept = {g for g, genomes, _ in run.recorded() if genomes}
    others = individuals.ids.tolist() if generation in kept else []
    return GenerationRecord(
        generation,
        row.numbers,
        individuals,
        tuple(run.species(generation, generation).get(generation, ())),
        run.genome(row.champion),
        row.champion_slot,
        row.champion_origin,
        tuple(run.genome(other) for other in others if other != row.champion),
        tuple(kept.game for kept in run.games(GameFilter(generation))),
        tuple(run.measurements(generation, generation).get(generation, ())),
        tuple(run.alarms(generation, generation).get(generation, ())),
        lengths_of(run, generation),
        run.timings(generation, generation).get(generation, {}),
    )
