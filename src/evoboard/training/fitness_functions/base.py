"""What a function of game records is, and how a text names one: aggressive, FILE.py:name.

    score(record: GameRecord, side: int, game: Game) -> float

returns what a finished game was worth to side 0 or 1; fitness is its mean over all games. A user's
function is found in a file of its own:

    FILE.py:name       the function `name`;  FILE.py alone means FILE.py:score

A module of this package defines SUMMARY and judges many games at once:

    score_games(game, starts, moves, plies, results) -> float64 (games, 2)

of start positions (games, STATE_SIZE), moves (games, longest), numbers of plies and results for
side 0 (games,).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import (
    EvoboardError,
    NotFound,
    OptionError,
    PartError,
    in_one_line,
    unknown,
)
from evoboard.core.wording import with_article
from evoboard.games.base import Game
from evoboard.store.records import GameRecord

PACKAGE = "evoboard.training.fitness_functions"
FORM = "write it as def {name}(record, side, game), returning a number"


@dataclass(frozen=True)
class FitnessFunction:
    """A function of game records; `many`, where it is not None, does whole tournaments at once."""

    name: str
    function: Callable[..., Any]
    many: Callable[..., Array] | None = None
    file: str = ""

    def score(self, record: GameRecord, side: int, game: Game) -> float:
        """Return what a game was worth to a side; PartError if the function misbehaves."""
        try:
            value = self.function(record, side, game)
        except EvoboardError:
            raise
        except Exception as error:
            told = f"{self._where(error)}: {in_one_line(error)}"
            raise PartError(f"{told}; a fitness function must not fail.") from error
        if isinstance(value, bool | str) or not _is_number(value):
            raise PartError(
                f"the fitness function {self.name} returned {str(value)[:40]!r} for a game; "
                "it must return a finite number."
            )
        return float(value)

    def scores(self, game: Game, results: Results) -> Array:
        """Return what every game of a tournament was worth to both sides, float64 (games, 2)."""
        if self.many is not None:
            starts = results.schedule.openings[results.schedule.opening_of]
            table = results.table
            return self.many(game, starts, results.moves, table.plies, table.results)
        records = results.records(game)
        return np.array([[self.score(r, side, game) for side in (0, 1)] for r in records])

    def mean_scores(self, game: Game, played: Sequence[Results], size: int) -> Array:
        """Return the mean score of players 0 .. size-1, float64 (size,); 0 without a game."""
        sums, counts = np.zeros(size), np.zeros(size)
        for results in played:
            table, scores = results.table, self.scores(game, results)
            for players, own in ((table.first, scores[:, 0]), (table.second, scores[:, 1])):
                sums += np.bincount(players, own, table.players)[:size]
            counts += table.played()[:size]
        return sums / np.maximum(1, counts)

    def _where(self, error: Exception) -> str:
        """Return the place of an error in the function's file."""
        line = catalog.line_of(error, self.file)
        return f"{self.file}, line {line}" if self.file else f"the fitness function {self.name}"


def find_fitness_function(text: str) -> FitnessFunction:
    """Return the fitness function that `text` names."""
    path, name = _split(text)
    if not path:
        try:
            module = catalog.find("fitness function", PACKAGE, name, "SUMMARY")
        except NotFound:
            raise OptionError(
                f"{unknown('fitness function', name, fitness_function_names())} "
                "Your own is written FILE.py:name."
            ) from None
        return FitnessFunction(name, partial(_score_one, module.score_games), module.score_games)
    module = catalog.load_file("fitness function", Path(path))
    if not hasattr(module, name):
        found = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise NotFound(f"{path}: {unknown('function', name, found)}")
    function = getattr(module, name)
    _check_form(path, name, function)
    return FitnessFunction(text, function, None, path)


def _score_one(many: Callable[..., Array], record: GameRecord, side: int, game: Game) -> float:
    """Return what one game was worth to a side, by a function of many games."""
    moves = np.array([record.moves], np.int32).reshape(1, -1)
    start = game.parse_state(record.start)[None]
    plies, results = np.array([record.plies]), np.array([record.result])
    return float(many(game, start, moves, plies, results)[0, side])


def fitness_function_names() -> list[str]:
    """Return the names of the fitness functions there are."""
    return catalog.names(PACKAGE, "SUMMARY")


def _split(text: str) -> tuple[str, str]:
    """Return the file ("" for none) and the function's name."""
    if text.endswith(".py"):
        return text, "score"
    path, colon, name = text.rpartition(":")
    return (path, name.strip()) if colon and path.endswith(".py") else ("", text.strip())


def _check_form(path: str, name: str, function: Any) -> None:
    """Raise PartError for what cannot be called with a record, a side and a game."""
    form = FORM.format(name=name)
    if not callable(function):
        raise PartError(
            f"{path}: {name} is {with_article(type(function).__name__)}, not a function; {form}."
        )
    try:
        inspect.signature(function).bind(None, 0, None)
    except TypeError as error:
        raise PartError(f"{path}: {name} cannot take three arguments ({error}); {form}.") from None
    except ValueError:  # a built-in without a signature: the first game will tell
        return


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False
