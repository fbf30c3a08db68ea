"""King-capture chess: SK, MK, SP and MP, as paper A grades its networks, but computed.

    SK  10  saves its king        share of positions
    MK  10  takes the king        share of positions
    SP   5  saves its pieces      share of the value that can be saved by exchanges
    MP   5  takes pieces          share of the value that can be won by exchanges

`kingcapture_positions` says what the positions are. A move that lets the king be taken saves and
wins nothing. A grade is given twice: for the player as it is, whose search may know that taking
the king ends the game, and unaided, as paper A's players are: at depth 1 moves are then ranked by
the evaluation of the position after them alone.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evoboard.core.arrays import Array
from evoboard.training.grades import base
from evoboard.training.grades.base import GradePart, GradeResult
from evoboard.training.grades.kingcapture_positions import TestSet, load_positions

PARTS = (
    ("SK", "saves its king", 10.0),
    ("MK", "takes the king", 10.0),
    ("SP", "saves its pieces", 5.0),
    ("MP", "takes pieces", 5.0),
)


class Grade(base.Grade):
    """SK, MK, SP and MP of one player."""

    most = 30.0
    title = "saves and takes kings and pieces"
    tells_unaided = True

    @cached_property
    def tests(self) -> TestSet:
        """The positions and what their moves earn."""
        return load_positions(self.game)

    @property
    def positions(self) -> Array:
        """The positions of all four kinds."""
        return self.tests.states

    def judged(self, choices: Array, deterministic: bool, unaided: Array | None) -> GradeResult:
        """Return the grade of the moves chosen."""
        return GradeResult(self._parts(choices), () if unaided is None else self._parts(unaided))

    def _parts(self, choices: Array) -> tuple[GradePart, ...]:
        tests = self.tests
        earned = np.where(tests.moves == choices[:, None], tests.worth, 0.0).sum(1)
        return tuple(
            GradePart.of_cases(
                *part, earned[tests.kinds == kind], tests.weights[tests.kinds == kind]
            )
            for kind, part in enumerate(PARTS)
        )
