"""Sequential testing: after every game, is one player stronger by elo1, by elo0, or is it open?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from evoboard.arena.elo import MeanLikelihood, Tally, expected_score
from evoboard.core.errors import OptionError

_LARGEST_ELO = 2000.0

Decision = Literal["h0", "h1", "continue"]


@dataclass(frozen=True)
class SprtVerdict:
    """The log-likelihood ratio, the bounds that end the test, and what they say."""

    llr: float
    lower: float
    upper: float
    decision: Decision


@dataclass(frozen=True)
class Sprt:
    """A generalised sequential probability ratio test of Elo difference elo1 against elo0.

    `alpha` is the risk of accepting elo1 where elo0 is true, `beta` of the reverse. The draw rate
    and the other shape of the distribution are estimated under each hypothesis by themselves.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -_LARGEST_ELO <= self.elo0 < self.elo1 <= _LARGEST_ELO:
            raise OptionError(
                f"the test compares elo0 = {self.elo0:g} with elo1 = {self.elo1:g}; elo0 must be "
                f"the smaller one, and both between -{_LARGEST_ELO:g} and {_LARGEST_ELO:g}."
            )
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < risk < 0.5:
                raise OptionError(f"{name} is {risk:g}; it must lie between 0 and 0.5.")

    def judge(self, tally: Tally) -> SprtVerdict:
        """Return where the test stands after these games."""
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        llr = self._log_likelihood_ratio(tally) if tally.games else 0.0
        decision: Decision = "h1" if llr >= upper else "h0" if llr <= lower else "continue"
        return SprtVerdict(llr, lower, upper, decision)

    def _log_likelihood_ratio(self, tally: Tally) -> float:
        likelihood = MeanLikelihood(tally.observations())
        worse = [
            likelihood.deviance(likelihood.tilt_of_mean(expected_score(elo)))
            for elo in (self.elo0, self.elo1)
        ]
        return (worse[0] - worse[1]) / 2
