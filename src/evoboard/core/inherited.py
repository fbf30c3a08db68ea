"""Lists that a process hands down to whatever it starts, through the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable


def hand_down(name: str, texts: Iterable[str]) -> None:
    """Set a list, here and in the processes that are started from here."""
    os.environ[name] = json.dumps(list(texts))


def handed_down(name: str) -> list[str] | None:
    """Return a list; None where none was set, and nothing where it cannot be read."""
    told = os.environ.get(name)
    if told is None:
        return None
    try:
        return [str(text) for text in json.loads(told)]
    except (TypeError, ValueError, RecursionError):
        return []
