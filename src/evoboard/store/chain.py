"""A chain of hashes, one per generation, so that a run with a changed history is not continued.

The first link is a hash of the facts in `meta`; every other is a hash of the link before it and
its generation's rows. A run started by a version without chains gets its first link when it is
resumed; its earlier generations cannot be checked. From then on that version refuses the run,
because it would continue without adding to the chain.

Rows are hashed as `marshal` writes them, in its form 2, which has not changed since Python 2.5; it
takes a tenth of the time of a text. A run of version 2 keeps the texts with which it began.
"""

from __future__ import annotations

import hashlib
import marshal
import sqlite3
from collections.abc import Mapping
from typing import Any

from evoboard.store.run_file import VERSION
from evoboard.store.schema import CHAIN, COMPARED

NO_FACTS = ("finished",)  # added when all is over
TABLES = {t: order for t, order in COMPARED.items() if t not in ("meta", "checkpoint", "finals")}
OF_TEXTS = "2"  # the version of runs whose rows are hashed as texts
FORM = 2  # of marshal
VERSION_OF = "SELECT value FROM meta WHERE key = 'version'"


def begin(database: sqlite3.Connection, generation: int) -> None:
    """Remove links from a generation on; give a run that has none its first one before that."""
    if not exists(database):
        database.execute(CHAIN)
    database.execute("DELETE FROM chain WHERE generation >= ?", (generation,))
    if not database.execute("SELECT 1 FROM chain").fetchone():
        database.execute("UPDATE meta SET value = ? WHERE key = 'version'", (str(VERSION),))
        _put(database, generation - 1, _facts(database))


def extend(
    database: sqlite3.Connection, generation: int, known: Mapping[str, list[Any]] | None = None
) -> None:
    """Add the link of a generation that has just been stored. `known`: rows by table, exactly as
    they would be read, so that they need not be."""
    last = f"SELECT hash, ({VERSION_OF}) FROM chain WHERE generation = ?"
    before, version = database.execute(last, (generation - 1,)).fetchone()
    _put(database, generation, _link(database, generation, before, version, known))


def renew(database: sqlite3.Connection) -> None:
    """Make all links again, because a fact was changed on purpose."""
    stored = "SELECT generation FROM chain ORDER BY generation"
    links = [row[0] for row in database.execute(stored)] if exists(database) else []
    if links:
        database.execute("DELETE FROM chain")
        _put(database, links[0], _facts(database))
        for generation in links[1:]:
            extend(database, generation)


def exists(database: sqlite3.Connection) -> bool:
    """Tell whether a run has a chain."""
    return bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'chain'").fetchone())


def first_wrong(database: sqlite3.Connection, count: int) -> tuple[int, str]:
    """Return how many generations cannot be checked, and what has changed since, or ""."""
    stored = "SELECT generation, hash FROM chain ORDER BY generation"
    links = dict(database.execute(stored).fetchall()) if exists(database) else {}
    if not links:
        return count, ""
    first = min(links)
    # Without a list of what should be there: a damaged number could make it exceed all memory.
    if (len(links), max(links)) != (count - first, count - 1):
        return first + 1, "its chain of hashes is incomplete"
    if links[first] != _facts(database):
        return first + 1, "its settings or its seed are not as they were stored"
    (version,) = database.execute(VERSION_OF).fetchone()
    for generation in range(first + 1, count):
        if links[generation] != _link(database, generation, links[generation - 1], version):
            return first + 1, f"generation {generation} is not as it was stored"
    return first + 1, ""


def _put(database: sqlite3.Connection, generation: int, digest: bytes) -> None:
    database.execute("INSERT INTO chain VALUES (?, ?)", (generation, digest))


def _facts(database: sqlite3.Connection) -> bytes:
    facts = database.execute("SELECT key, value FROM meta ORDER BY key").fetchall()
    kept = [fact for fact in facts if fact[0] not in NO_FACTS]
    return hashlib.sha256(repr(kept).encode()).digest()


def _link(
    database: sqlite3.Connection,
    generation: int,
    before: bytes,
    version: str,
    known: Mapping[str, list[Any]] | None = None,
) -> bytes:
    digest = hashlib.sha256(before)
    for table, order in TABLES.items():
        rows = known.get(table) if known else None
        if rows is None:
            wanted = f"SELECT * FROM {table} WHERE generation = ? ORDER BY {order}"
            rows = database.execute(wanted, (generation,)).fetchall()
        digest.update(_hashed(table, rows, version))
    return digest.digest()


def _hashed(table: str, rows: list[Any], version: str) -> bytes:
    if version == OF_TEXTS:
        return f"{table} {rows!r}\n".encode("utf-8", "surrogatepass")
    return marshal.dumps((table, rows), FORM)
