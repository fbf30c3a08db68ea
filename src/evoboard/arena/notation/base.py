"""What a notation is, and how one is found.

A notation is a module of this package that defines NOTATION. Reading has two steps, so that a
file of a thousand games is listed at once: `read` takes the text apart, and a game that is wanted
is then played through by its rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evoboard.arena.game_text import LoadGame
from evoboard.arena.game_tree import GameTree
from evoboard.core import catalog
from evoboard.games.base import Game

PACKAGE = "evoboard.arena.notation"


@dataclass(frozen=True)
class FoundGame:
    """A game in a file, as its head describes it; `result` is seen by side 0.

    `tree(load_game)` plays it through and returns all of it; NotationError names the move that
    cannot be played. `load_game` decides which games a text may name.
    """

    number: int
    players: tuple[str, str]
    result: str
    date: str
    event: str
    tree: Callable[[LoadGame], GameTree] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Notation:
    """A notation: its name, how names of its files end, the games that are written in it.

    `fits` tells by its content whether a text is written in it.
    """

    name: str
    suffix: str
    games: tuple[str, ...]
    write: Callable[[GameTree], str]
    read: Callable[[str], list[FoundGame]]
    fits: Callable[[str], bool]


def notations() -> list[Notation]:
    """Return all notations there are."""
    return [
        catalog.find("notation", PACKAGE, name, "NOTATION").NOTATION
        for name in catalog.names(PACKAGE, "NOTATION")
    ]


def notation_of(game: Game) -> Notation | None:
    """Return the notation of a game; None if it has none but our own text."""
    fitting = (n for n in notations() if game.built_in and game.name in n.games)
    return next(fitting, None)
