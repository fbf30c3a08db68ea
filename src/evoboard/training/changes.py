"""Changes of an experiment's tables: a file over the one it extends, `key=value` over both."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from evoboard.core.errors import OptionError, quoted

LONGEST_KEY = 200  # characters; no setting's is a quarter as long
# What Python itself refuses in a text that is TOML.
DEEPEST = 30  # tables within each other; an experiment has four
TOO_MUCH = "a number has too many digits, or lists are nested too deep"


def merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return tables over those they extend, each merged; one that names another part starts afresh.

    `departures` are added to the base's; mutations are merged by their kind.
    """
    found = dict(base)
    for key, value in own.items():
        old = base.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            same_part = value.get("name", old.get("name")) == old.get("name")
            found[key] = merged(old, value) if same_part else value
        elif key == "departures" and isinstance(old, list) and isinstance(value, list):
            found[key] = [*old, *value]
        elif key == "mutations" and isinstance(old, list) and isinstance(value, list):
            found[key] = _merged_by_kind(old, value)
        else:
            found[key] = value
    return found


def _merged_by_kind(base: list[Any], own: list[Any]) -> list[Any]:
    found = list(base)
    for row in own:
        kinds = [_kind(each) for each in found]
        if _kind(row) is not None and _kind(row) in kinds:
            place = kinds.index(_kind(row))
            found[place] = merged(found[place], row)
        else:
            found.append(row)
    return found


def _kind(row: Any) -> Any:
    return row.get("kind") if isinstance(row, dict) else None


def apply_changes(data: dict[str, Any], changes: Sequence[str]) -> None:
    """Make changes such as search.depth=2, each in its turn, but another part before its settings.

    Tables are merged with those they are set over, as in a file that extends another.
    """
    for change in sorted(changes, key=lambda change: not _names_part(change)):
        _apply_change(data, change)


def _names_part(change: str) -> bool:
    return change.partition("=")[0].strip() in ("search.name", "strategy.name")


def _apply_change(data: dict[str, Any], change: str) -> None:
    """Set one value by its dotted key; it is written as in TOML, quotes around texts optional."""
    key, equals, text = change.partition("=")
    if not equals or not key.strip() or len(key) > LONGEST_KEY:
        raise OptionError(
            f"cannot read the change {quoted(change)}; write key=value, such as generations=50."
        )
    *tables, last = key.strip().split(".")
    current: Any = data
    for depth, name in enumerate(tables):
        current = _inside(current, name, key.strip(), ".".join(tables[:depth]))
    value = _value(text.strip(), key.strip())
    if isinstance(current, list):
        entry = _inside(current, last, key.strip(), ".".join(tables))
        current[next(i for i, each in enumerate(current) if each is entry)] = value
    elif isinstance(value, dict | list):
        current.update(merged({last: current.get(last)}, {last: value}))
    else:
        if _names_part(change) and current.get("name") != value:
            current.clear()  # another part has other settings
        current[last] = value


def _inside(current: Any, name: str, key: str, path: str) -> Any:
    """Return the table called `name`, made if there is none, or the one of that number.

    An entry of a list may also be called by its `kind`.
    """
    if isinstance(current, list):
        named = [entry for entry in current if _kind(entry) == name]
        if named:
            return named[0]
        if not name.isdecimal() or int(name) >= len(current):
            entries = f"entries 0 to {len(current) - 1}" if current else "no entry yet"
            kinds = ", ".join(str(_kind(entry)) for entry in current if _kind(entry))
            called = f" ({kinds})" if kinds else ""
            raise OptionError(f"cannot set {key}: {path} is a list and has {entries}{called}.")
        return current[int(name)]
    found = current.setdefault(name, {})
    if not isinstance(found, dict | list):
        raise OptionError(f"cannot set {key}: {name} is not a table of the experiment.")
    return found


def _value(text: str, key: str) -> Any:
    try:
        value = tomllib.loads(f"value = {text}")["value"]
        require_shallow(value)
        return value
    except tomllib.TOMLDecodeError:
        return text
    except (ValueError, RecursionError):
        raise OptionError(f"cannot set {key} to {quoted(text)}: {TOO_MUCH}.") from None


def require_shallow(data: Any) -> None:
    """Raise ValueError for tables in tables in tables, deeper than anybody means."""
    level: list[Any] = [[data]]
    for _ in range(DEEPEST):
        rows = (row.values() if isinstance(row, dict) else row for row in level)
        level = [each for row in rows for each in row if isinstance(each, dict | list)]
        if not level:
            return
    raise ValueError(TOO_MUCH)


def copied(data: Any) -> Any:
    """Return plain data that can be changed, lists and tables of their own."""
    if isinstance(data, Mapping):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if isinstance(data, list | tuple) else data
