"""What there is to open: the saved games, a line each, the latest first."""

from __future__ import annotations

import time
from dataclasses import dataclass

from evoboard.arena.game_text import GameText, read_text
from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.core.wording import counted
from evoboard.web.folders import game_names, game_path
from evoboard.web.opponents import short_name
from evoboard.web.session import PERSON
from evoboard.web.values import written_score

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@dataclass(frozen=True)
class SavedGame:
    """A saved game: its name, and what a person wants to know before opening it."""

    name: str
    title: str
    details: str


def saved_games(most: int) -> list[SavedGame]:
    """Return the latest saved games; one that cannot be read says so."""
    return [_described(name) for name in game_names()[:most]]


def _described(name: str) -> SavedGame:
    path = game_path(name)
    try:
        text, when = read_text(path.read_text(encoding="utf-8")), path.stat().st_mtime
        players = _players(text)
    except (EvoboardError, OSError, UnicodeDecodeError):
        return SavedGame(name, name, "cannot be read")
    told = (
        players,
        counted(text.plies, "move"),
        written_score(text.result),
        ago(time.time() - when),
    )
    game = split_options(text.game)[0].rsplit("/", 1)[-1].removesuffix(".py")
    # A name that was not chosen by a person says nothing that the title does not.
    title = game if name.startswith(f"{game}-") else f"{name} ({game})"
    return SavedGame(name, title, " · ".join(part for part in told if part))


def _players(text: GameText) -> str:
    first, second = (player or PERSON for player in text.players)
    if first == second == PERSON:
        return "both sides by hand"
    return " – ".join("you" if who == PERSON else short_name(who) for who in (first, second))


def ago(seconds: float) -> str:
    """Return how long ago something was, in words."""
    for length, unit in UNITS:
        count = int(seconds // length)
        if count:
            return f"{counted(count, unit)} ago"
    return "just now"
