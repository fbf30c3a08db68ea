"""Where the app keeps files, and which names may be files there."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from evoboard.core.errors import OptionError, quoted

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,79}(?<![. ])")
SUFFIX = ".txt"


def games_folder() -> Path:
    """Return where games live: the folder EVOBOARD_GAMES, else games in the working folder."""
    return Path(os.environ.get("EVOBOARD_GAMES") or "games")


def uploads_folder() -> Path:
    """Return where player files that visitors have loaded are kept."""
    return games_folder() / "players"


def game_path(name: str) -> Path:
    """Return the file of the game of that name; a name cannot leave the folder."""
    if not NAME.fullmatch(name):
        raise OptionError(
            f"a game cannot be named {quoted(name)}; "
            "use letters, digits, spaces and - _ . inside, 80 characters at most."
        )
    return games_folder() / f"{name}{SUFFIX}"


class Kept(NamedTuple):
    """A file of the app: its name without the suffix, and what changes whenever it is written."""

    name: str
    path: Path
    written: int  # nanoseconds
    size: int


def kept_files(folder: Path, suffix: str) -> list[Kept]:
    """Return the files of a folder with that suffix and a fit name, the latest first."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return []
    found = []
    for entry in entries:
        name = entry.name.removesuffix(suffix)
        if name == entry.name or not NAME.fullmatch(name):
            continue
        try:
            status = entry.stat()
        except OSError:  # it is gone, or leads nowhere; the others do not suffer for it
            continue
        if stat.S_ISREG(status.st_mode):
            found.append(Kept(name, Path(entry.path), status.st_mtime_ns, status.st_size))
    return sorted(found, key=lambda file: file.written, reverse=True)


def game_names() -> list[str]:
    """Return the names of the games kept, the latest first."""
    return [file.name for file in kept_files(games_folder(), SUFFIX)]
