"""What every grade promises: a number that depends on the player alone, and its parts.

A grade module (`training/grades/GAME.py`) defines

    class Grade(base.Grade)     with `most`, `positions` and `judged`

`of_network` grades one network of a pack, compiled, and is meant for every generation of a run;
`of_player` grades players of any kind, one thought after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.arena.contest import thought_of
from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address, nth_seed
from evoboard.core.statistics import of_sum, wilson
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.base import Player, SearchPlayer
from evoboard.players.random import RandomPlayer
from evoboard.players.setup import Bound
from evoboard.search.base import best_move

PACKAGE = "evoboard.training.grades"
# Players that need chance get the same one in every grade, so that a grade is one number.
CHANCE = address(1, "grade")


@dataclass(frozen=True)
class GradePart:
    """One part of a grade: the share of its points earned, with a 95% interval."""

    name: str
    title: str
    most: float
    share: float
    low: float
    high: float
    cases: int

    @property
    def points(self) -> float:
        """The points earned, 0 to `most`."""
        return self.most * self.share

    @classmethod
    def of_cases(
        cls, name: str, title: str, most: float, earned: Array, weights: Array, exact: bool = False
    ) -> GradePart:
        """Return the part of cases worth `earned` (0 to 1 each), some of more weight than others.

        `exact`: these are all the cases there are, so that nothing is uncertain.
        """
        total = float(weights.sum())
        share = float((earned * weights).sum()) / total if total else 0.0
        low, high = share, share
        if not exact:
            low, high = wilson(share, total**2 / float((weights**2).sum()) if total else 0)
        return cls(name, title, most, share, low, high, len(earned))

    def interval(self) -> tuple[float, float, float]:
        """Return the points earned and the ends of their interval."""
        return self.points, self.most * self.low, self.most * self.high


@dataclass(frozen=True)
class GradeResult:
    """A player's grade: the sum of its parts' points, with a 95% interval.

    `unaided`: the same parts for the same player, made to play unaided (it may do so anyway), where
    the grade tells that. Paper A's players are unaided; so are the grades that compare with its.
    """

    parts: tuple[GradePart, ...]
    unaided: tuple[GradePart, ...] = ()

    @property
    def value(self) -> float:
        """The grade."""
        return self.interval()[0]

    @property
    def most(self) -> float:
        """The best grade there is."""
        return sum(part.most for part in self.parts)

    def interval(self, unaided: bool = False) -> tuple[float, float, float]:
        """Return the grade and the ends of its interval."""
        parts = self.unaided if unaided else self.parts
        value, low, high = of_sum([part.interval() for part in parts])
        # Rounded, so that parts of 2/3 and 1/3 are a whole.
        return round(value, 12), round(max(low, 0.0), 12), round(min(high, self.most), 12)

    def numbers(self) -> dict[str, float]:
        """Return the grade and its parts by name, for the record of a generation."""
        found = {"grade": self.value}
        found |= {f"grade_{part.name.lower()}": part.points for part in self.parts}
        if self.unaided:
            found["grade_unaided"] = self.interval(unaided=True)[0]
            found |= {f"grade_unaided_{p.name.lower()}": p.points for p in self.unaided}
        return found


class Grade(ABC):
    """Grades players of one game by the moves they choose in fixed positions."""

    # The best grade there is, and what it measures in a few words.
    most: float
    title: str
    # Tell the grade of unaided play, too (`search/values.py`).
    tells_unaided = False
    # Grade the moves of a champion's own games, too (`of_games`).
    reads_games = False

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    @abstractmethod
    def positions(self) -> Array:
        """The positions, int64 (n, STATE_SIZE), in which every player chooses."""

    @abstractmethod
    def judged(self, choices: Array, deterministic: bool, unaided: Array | None) -> GradeResult:
        """Return the grade of moves chosen in `positions`, -1 for none.

        `unaided`: what is chosen without knowing how the game ends; None if not asked for.
        """

    def of_network(self, bound: Bound, pack: Any, index: int) -> GradeResult:
        """Return the grade of one network of a pack that plays as a setup says."""
        bound.require(pack)
        work, member = bound.workspace(pack), bound.kind.member(pack, index)

        def chosen(numbers: Any) -> Array:
            found = np.zeros(len(self.positions), np.int64)
            bound.link(choose)(member, self.positions, numbers, CHANCE, work, found)
            return found

        own, unaided = chosen(bound.numbers), None
        if self.tells_unaided and hasattr(bound.numbers, "unaided"):
            blind = bound.numbers._replace(unaided=1)
            unaided = own if bound.settings.unaided else chosen(blind)
        return self.judged(own, bound.deterministic, unaided)

    def of_games(self, results: Results, player: int) -> dict[str, float]:
        """Return numbers about the moves that a player made in games whose moves were kept."""
        return {}

    def of_player(self, player: Player) -> GradeResult:
        """Return the grade of a player, if its search can play unaided with both."""

        def chosen() -> Array:
            asked = (
                (History.of(self.game, state), int(nth_seed(CHANCE, i)))
                for i, state in enumerate(self.positions)
            )
            return np.array([thought_of(player, *each).move for each in asked])

        own, unaided = chosen(), None
        if self.tells_unaided and isinstance(player, RandomPlayer):
            unaided = own  # it looks at nothing
        elif self.tells_unaided and isinstance(player, SearchPlayer):
            before = bool(getattr(player.searcher.settings, "unaided", False))
            if player.play_unaided():
                unaided = chosen()
                player.play_unaided(before)
        return self.judged(own, player.deterministic, unaided)


def grade_for(game: Game) -> Grade:
    """Return the grade of a game; OptionError if it has none."""
    if not has_grade(game):
        known = ", ".join(graded_games())
        raise OptionError(
            f"there is no grade for {game.name}; there are grades for {known}. "
            "An experiment without one has measure.grade=false."
        )
    grade: Grade = catalog.find("grade", PACKAGE, game.name, "Grade").Grade(game)
    return grade


def has_grade(game: Game) -> bool:
    """Tell whether there is a grade for a game; a user's game may have a built-in one's name."""
    return game.built_in and game.name in graded_games()


def graded_games() -> list[str]:
    """Return the names of the games that have a grade."""
    return [name for name in catalog.names(PACKAGE, "Grade") if name != "base"]


def choose(
    network: Any, states: Array, settings: Any, chance: int, work: Any, chosen: Array
) -> None:
    """Write the move that the linked search makes in every position."""
    for i in range(states.shape[0]):
        chosen[i] = best_move(network, states[i], settings, nth_seed(chance, i), work)
