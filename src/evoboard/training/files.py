"""A user's own files, which an experiment names in place of parts, and where they are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evoboard.core.catalog import is_file

# Where a part is named; players are named in lists.
PARTS = (
    ("game", "name"),
    ("player", "encoder"),
    ("search", "name"),
    ("strategy", "name"),
    ("strategy", "mutations"),
    ("fitness", "function"),
    ("fitness", "against"),
    ("measure", "anchors"),
)
NAMED = re.compile(r"(.+?\.py)(:.*)?", re.DOTALL)


def with_whole_paths(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment's tables with every file by its whole path, found from any folder."""
    return _with_paths(data, lambda path: path.resolve() if is_file(path) else path)


def with_files_beside(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return tables in which a file that stands in `folder` is named there."""
    return _with_paths(data, lambda path: folder / path if is_file(folder / path) else path)


def _with_paths(data: Mapping[str, Any], place: Callable[[Path], Path]) -> dict[str, Any]:
    def moved(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [moved(each) for each in value]
        if isinstance(value, Mapping):
            return {key: moved(each) for key, each in value.items()}
        named = NAMED.fullmatch(value) if isinstance(value, str) else None
        return f"{place(Path(named[1]))}{named[2] or ''}" if named else value

    found = dict(data)
    for table, key in PARTS:
        if isinstance(found.get(table), Mapping) and key in found[table]:
            found[table] = {**found[table], key: moved(found[table][key])}
    return found
