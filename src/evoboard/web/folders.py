"""Where the app keeps files, and which names may be files there."""

from __future__ import annotations

import os
import re
from pathlib import Path

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


def game_names() -> list[str]:
    """Return the names of the games kept, the latest first."""
    try:
        found = [entry for entry in os.scandir(games_folder()) if entry.name.endswith(SUFFIX)]
        found.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    except OSError:
        return []
    names = (entry.name.removesuffix(SUFFIX) for entry in found)
    return [name for name in names if NAME.fullmatch(name)]


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is either the old one or the new one, never a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
