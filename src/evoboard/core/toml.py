"""Plain data as TOML text, which `tomllib` reads back as the same data.

tomli-w would do, but breaks every list into lines, and templates explain keys beside short values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evoboard.core.errors import OptionError

BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDTH = 100


def toml_text(data: Mapping[str, Any]) -> str:
    """Return tables, lists, texts, numbers and truth values as TOML."""
    lines: list[str] = []
    _write_table(lines, (), data)
    return "\n".join(lines).strip("\n") + "\n"


def _write_table(lines: list[str], path: tuple[str, ...], table: Mapping[str, Any]) -> None:
    """Write a table: its plain values first, for a header would make them another table's."""
    for key, value in table.items():
        if not _is_table(value) and not _is_tables(value):
            lines.append(toml_line(key, value, path))
    for key, value in table.items():
        place = (*path, key)
        if _is_table(value):
            # A table of tables alone needs no header of its own, but an empty one does.
            if not value or not all(_is_table(v) or _is_tables(v) for v in value.values()):
                lines.extend(["", f"[{_dotted(place)}]"])
            _write_table(lines, place, value)
        elif _is_tables(value):
            for row in value:
                lines.extend(["", f"[[{_dotted(place)}]]"])
                _write_table(lines, place, row)


def toml_line(key: str, value: Any, path: tuple[str, ...] = ()) -> str:
    """Return a key with its value; a list too long for a line has a line for each entry."""
    place = (*path, key)
    line = f"{_key(key)} = {_value(value, place)}"
    if len(line) <= WIDTH or not isinstance(value, list | tuple):
        return line
    cells = "".join(f"  {_value(cell, place)},\n" for cell in value)
    return f"{_key(key)} = [\n{cells}]"


def _value(value: Any, place: tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))  # inf and nan are TOML, too
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(cell, place) for cell in value)}]"
    if isinstance(value, Mapping):
        cells = (f"{_key(key)} = {_value(cell, place)}" for key, cell in value.items())
        return f"{{{', '.join(cells)}}}"
    raise OptionError(
        f"{_dotted(place)} is a {type(value).__name__}, which TOML cannot hold; "
        "use texts, numbers, truth values, lists and tables."
    )


def _text(value: str) -> str:
    # JSON's escapes are TOML's; only DEL is allowed in the one and not in the other.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(_key(key) for key in path)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))
