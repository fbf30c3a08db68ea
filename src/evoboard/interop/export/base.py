"""What every format promises, and how one is found.

A format is a module of this package that defines

    SUMMARY                          one line for people
    ENDINGS                          of its files, the usual one first: (".dot", ".gv")
    export(subject) -> str | bytes   the whole file; bytes where it is not text

where the subject is a `PlayerNetwork` (players/network.py).
"""

from __future__ import annotations

import types
from pathlib import Path

from evoboard.core import catalog
from evoboard.core.errors import OptionError
from evoboard.core.wording import listed

PACKAGE = "evoboard.interop.export"


def find_format(name: str) -> types.ModuleType:
    """Return the format of that name."""
    return catalog.find("format", PACKAGE, name, "ENDINGS")


def format_names() -> list[str]:
    """Return the names of all formats."""
    return catalog.names(PACKAGE, "ENDINGS")


def format_of(path: Path) -> str:
    """Return the format that a file's ending names; OptionError if it names none."""
    endings = {ending: name for name in format_names() for ending in find_format(name).ENDINGS}
    if path.suffix.lower() not in endings:
        raise OptionError(
            f"the ending of {path.name} names no format; end it with {listed(list(endings), 'or')},"
            f" or say --to {listed(format_names(), 'or')}."
        )
    return endings[path.suffix.lower()]
