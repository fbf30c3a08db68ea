"""A sequential test of a match between two players: stop as soon as it is decided.

Is the first player ELO1 stronger than the second, or only ELO0? After every block of games the
likelihoods of the two are compared, each the greatest that any distribution of results with that
mean score allows (`elo.py`). The test ends when one of them is 19 times the other's (Wald's bounds
for 5% of errors), which takes a fraction of the games that a fixed number would need.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evoboard.arena.elo import MeanLikelihood, Tally, expected_score
from evoboard.core.errors import OptionError

ERROR = 0.05  # how often either answer is given where the other one is right
BOUND = math.log((1 - ERROR) / ERROR)
BLOCK = 64  # games between two looks
MOST_GAMES = 20_000  # unless the caller says otherwise
FURTHEST = 800.0  # Elo


@dataclass(frozen=True)
class Sprt:
    """A test of `elo1` against `elo0`, differences in Elo seen by the first player."""

    elo0: float = 0.0
    elo1: float = 10.0

    def __post_init__(self) -> None:
        # What is not a number fails every comparison.
        if not -FURTHEST <= self.elo0 < self.elo1 <= FURTHEST:
            raise OptionError(
                f"cannot test {self.elo0:g} against {self.elo1:g} Elo; the first must be below "
                f"the second, both between {-FURTHEST:g} and {FURTHEST:g}, such as 0,10."
            )

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Read ELO0,ELO1."""
        try:
            elo0, elo1 = (float(part) for part in text.split(","))
        except ValueError:
            raise OptionError(
                f"cannot read {text!r} as a test; it needs two differences in Elo, such as 0,10: "
                "stronger by 10, or not stronger at all."
            ) from None
        return cls(elo0, elo1)

    def ratio(self, tally: Tally) -> float:
        """Return the logarithm of how much likelier `elo1` is than `elo0` after these games."""
        if not tally.games:
            return 0.0
        likelihood = MeanLikelihood(tally.observations())
        zero, one = (
            likelihood.deviance(likelihood.tilt_of_mean(expected_score(elo)))
            for elo in (self.elo0, self.elo1)
        )
        return (zero - one) / 2

    def accepted(self, tally: Tally) -> float | None:
        """Return the difference that is accepted, None while nothing is decided."""
        ratio = self.ratio(tally)
        if abs(ratio) < BOUND:
            return None
        return self.elo1 if ratio > 0 else self.elo0

    def words(self, tally: Tally) -> str:
        """Say what the test has come to."""
        accepted, ratio = self.accepted(tally), self.ratio(tally)
        found = "not decided" if accepted is None else f"{accepted:+g} is accepted"
        return (
            f"SPRT of {self.elo0:+g} against {self.elo1:+g} Elo: {found} "
            f"(log likelihood ratio {ratio:+.2f}, decided at ±{BOUND:.2f})"
        )
