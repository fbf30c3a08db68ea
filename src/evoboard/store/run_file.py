"""Where runs are, how a run's database is opened, and what is wrong with one, in a sentence.

A run is the folder `runs/NAME` (or NAME in the folder EVOBOARD_RUNS) with `config.toml`, its
settings for people to read, and `run.db`, an SQLite file with everything.

A file that SQLite has open must never be opened by other means in the same process: closing it
would drop SQLite's locks (POSIX locks belong to the process). So every check goes through SQLite,
or only looks at names and sizes.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evoboard.core.errors import (
    SENSELESS,
    EvoboardError,
    NotFound,
    OptionError,
    in_one_line,
    quoted,
)
from evoboard.core.wording import listed, nearest, some_of

DATABASE = "run.db"
CONFIG = "config.toml"
FORMAT = "evoboard-run"
# Of the tables; raised when a program that knows only older ones would do damage. 2: a chain of
# hashes, which must be continued when a run is resumed; 3: hashes of bytes (store/chain.py).
VERSION = 3
PATIENCE = 10.0  # seconds to wait for another connection's lock

MOST_NAMES = 6  # told in a sentence

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<!\.)")


class RunError(EvoboardError):
    """A run cannot be written, read or resumed; nothing in it was changed."""


def runs_folder() -> Path:
    """Return where runs are: the folder EVOBOARD_RUNS, else runs in the working folder."""
    return home_of("runs")


def home_of(kind: str) -> Path:
    """Return the folder of runs or ladders: the one that EVOBOARD_KIND names, else KIND here."""
    variable = f"EVOBOARD_{kind.upper()}"
    folder = Path(os.environ.get(variable) or kind)
    if os.path.exists(folder) and not folder.is_dir():  # a Path's own may raise
        raise OptionError(
            f"{kind} are kept in {folder}, which is not a folder; set {variable} to one."
        )
    return folder


def run_folder(name: str) -> Path:
    """Return the folder of the run of that name, whether it exists or not."""
    if not NAME.fullmatch(name):
        raise OptionError(
            f"a run cannot be named {quoted(name)}; "
            "use letters, digits, and - _ . inside, 100 characters at most."
        )
    return runs_folder() / name


def run_names() -> list[str]:
    """Return the names of all runs, sorted; a folder without a database is none."""
    return folders_with(DATABASE, runs_folder())


def folders_with(file: str, parent: Path) -> list[str]:
    """Return the names of the folders in another that hold such a file, sorted."""
    try:
        found = list(os.scandir(parent))
    except OSError:
        return []
    return sorted(
        entry.name
        for entry in found
        if NAME.fullmatch(entry.name) and os.path.lexists(os.path.join(entry.path, file))
    )


def run_mark(folder: Path) -> tuple[tuple[int, ...] | None, ...]:
    """Return a value that changes when, and only when, a run is written to."""
    return tuple(_mark(folder / file) for file in (DATABASE, f"{DATABASE}-wal"))


def _mark(path: Path) -> tuple[int, ...] | None:
    """Return a value that changes with a file; None for an empty one: reading makes empty logs."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino) if facts.st_size else None


def find_run(name: str) -> Path:
    """Return the folder of an existing run; NotFound names similar ones."""
    folder = run_folder(name)
    if not is_run(folder):
        if folder.is_dir():
            raise RunError(
                f"{folder} holds no {DATABASE}, so it is not a run; "
                f"put {DATABASE} back from a copy{_or_again(folder)}, or remove the folder."
            )
        raise NotFound(_no_run(name))
    return folder


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds a run."""
    with telling(folder):  # we may not look there
        return (folder / DATABASE).is_file()


def _no_run(name: str) -> str:
    """Return the message for a run that does not exist, with a few similar names."""
    names, told = run_names(), f"there is no run named {quoted(name)}"
    place = f"in the folder {runs_folder()}"
    if not names:
        return f"{told}, nor any other {place}; evoboard train makes one."
    near = [each for each in names if each.startswith(name)][:3] or nearest(name, names)
    if near:
        return f"{told}; did you mean {listed(near, 'or')} ({place})?"
    known = ", ".join(names) if len(names) <= MOST_NAMES else some_of(names, MOST_NAMES - 1)
    return f"{told}; known: {known} ({place})."


def open_database(folder: Path) -> sqlite3.Connection:
    """Return a read-only connection to a database that is checked to be a run of this version.

    Several threads may use it, one at a time. The caller closes it.
    """
    with telling(folder):
        try:
            return _checked(folder, "mode=ro")
        except sqlite3.Error as error:
            # If there is no log and none can be made in this folder, the file alone is complete.
            unwritable = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if _code(error) in unwritable and not _log(folder):
                return _checked(folder, "mode=ro&immutable=1")
            raise


def explain(error: sqlite3.Error | OSError, folder: Path) -> RunError:
    """Return what went wrong with a run's files as one sentence with a remedy."""
    number = error.errno if isinstance(error, OSError) else None
    code = None if isinstance(error, OSError) else _code(error)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or code == sqlite3.SQLITE_FULL:
        return _full(folder)
    if code == sqlite3.SQLITE_IOERR and _room(folder) < 1 << 16:
        return _full(folder)
    # SQLITE_ERROR: one of our statements does not fit the tables, so they have changed. No code
    # at all: a text is not valid UTF-8.
    spoilt = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR)
    if code in spoilt or (code is None and isinstance(error, sqlite3.OperationalError)):
        return damaged(folder, str(error))
    if code == sqlite3.SQLITE_NOTADB:
        return RunError(
            f"{folder / DATABASE} is not a database; "
            f"put the run's own file back there{_or_again(folder)}."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RunError(
            f"{folder / DATABASE} is locked by another program; try again when it has finished."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS) or code in (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_CANTOPEN,
    ):
        reason = os.strerror(number) if number else str(error)
        done, right = ("written", "write") if _readable(folder) else ("read", "read")
        return RunError(
            f"{folder} cannot be {done} ({reason}); "
            f"get the right to {right} there, or set EVOBOARD_RUNS to another folder."
        )
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return RunError(f"{folder} cannot be used ({reason}); check its disk and try again.")


@contextmanager
def telling(folder: Path) -> Iterator[None]:
    """Say in a sentence what goes wrong with a run's files."""
    try:
        yield
    except UnicodeDecodeError as error:  # SQLite's own words about damage quote the damage
        raise damaged(folder, "its tables cannot be read") from error
    except sqlite3.IntegrityError as error:
        raise damaged(folder, str(error)) from error
    except (sqlite3.Error, OSError) as error:
        raise explain(error, folder) from error


@contextmanager
def making_sense(folder: Path) -> Iterator[None]:
    """Say that a run is damaged where what is made of its rows makes no sense."""
    try:
        yield
    except SENSELESS as error:
        raise damaged(folder, in_one_line(error)) from error


def damaged(folder: Path, what: str) -> RunError:
    """Return the error for a run's database with impossible contents.

    SQLite's own message may quote whole lines of what is damaged.
    """
    what = " ".join(what.split())
    what = what if len(what) <= 120 else f"{what[:120]}…"
    return RunError(
        f"{folder / DATABASE} is damaged ({what}); put it back from a copy{_or_again(folder)}."
    )


def _or_again(folder: Path) -> str:
    """Return how to train the same run again, as far as its settings file tells."""
    try:
        begin = (folder / CONFIG).read_text(encoding="utf-8", errors="replace")[:1000]
    except OSError:
        return ""
    seed = re.search(r"--seed (\d+)", begin)
    how = f" --seed {seed[1]}" if seed else ""
    return f", or play the run again: `evoboard train {folder / CONFIG}{how}`"


def _checked(folder: Path, mode: str) -> sqlite3.Connection:
    uri = f"{(folder / DATABASE).resolve().as_uri()}?{mode}"
    database = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        _require_run(database, folder)
    except BaseException:
        database.close()
        raise
    return database


def _require_run(database: sqlite3.Connection, folder: Path) -> None:
    path = folder / DATABASE
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    if not pages:
        raise damaged(folder, "it is empty")
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        raise RunError(f"{path} is another program's database; put the run's own file back there.")
    head = "SELECT key, value FROM meta WHERE key IN ('format', 'version')"
    facts = dict(database.execute(head).fetchall())
    if facts.get("format") != FORMAT or not str(facts.get("version")).isdigit():
        raise RunError(f"{path} is another program's database; put the run's own file back there.")
    if int(facts["version"]) > VERSION:
        raise RunError(
            f"{path} was made by a newer evoboard (tables of version {facts['version']}, "
            f"this one reads {VERSION}); update evoboard to use this run."
        )


def _code(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # the primary code of an extended one


def _log(folder: Path) -> int:
    """Return the size of the write-ahead log; 0 if there is none."""
    try:
        return (folder / f"{DATABASE}-wal").stat().st_size
    except OSError:
        return 0


def _readable(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.X_OK) and (
        os.access(folder / DATABASE, os.R_OK) or not os.path.lexists(folder / DATABASE)
    )


def _room(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 1 << 62


def _full(folder: Path) -> RunError:
    return RunError(
        f"the disk of {folder} is full; make room, "
        f"then go on with evoboard resume {folder.name} (all it had stored is safe)."
    )
