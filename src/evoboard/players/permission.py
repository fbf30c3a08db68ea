"""Which programs may be started as players.

Programs are only ever named by the person at the command line. A server says `allow_only` with the
texts it was started with; from then on neither it nor what it starts makes any other such player.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evoboard.core.catalog import hand_down, handed_down
from evoboard.core.errors import OptionError
from evoboard.core.options import split_options

KINDS = ("uci", "hub")  # of players that are programs
ALLOWED = "EVOBOARD_ENGINES"  # a list of texts as JSON; inherited by whatever a server starts


def allow_only(texts: Iterable[str]) -> None:
    """Make no other external players from now on, here and in processes that are started here."""
    hand_down(ALLOWED, texts)


def allowed() -> list[str] | None:
    """Return the only external players that may be made; None: any."""
    return handed_down(ALLOWED)


def is_allowed(kind: str, options: Mapping[str, Any]) -> bool:
    """Tell whether this very player was given; asking it for every move's value makes it no other
    player."""
    given = allowed()
    return given is None or _identity(kind, options) in [
        _identity(*split_options(text)) for text in given
    ]


def require_allowed(kind: str, options: Mapping[str, Any]) -> None:
    """Raise OptionError for a program that this process must not start."""
    if kind in KINDS and not is_allowed(kind, options):
        raise OptionError(
            "it is a program that this app was not started with; start it with --engine and "
            "this very text, if it is yours."
        )


def _identity(kind: str, options: Mapping[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    told = {key: str(value) for key, value in options.items() if key != "all_values"}
    return kind, tuple(sorted(told.items()))
