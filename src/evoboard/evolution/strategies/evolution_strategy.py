"""An evolution strategy (Salimans and others, 2017): one network, moved by the ranks of samples.

1. The population is the network itself and, in pairs, what lies to either side of it:
   θ + σε and θ - σε with normal ε (mirrored sampling).
2. Fitness becomes ranks, from -½ to ½, equals sharing theirs, so that scale does not matter.
3. θ moves along the mean of rank × ε over all samples, by a step of Adam.

The network itself is the champion: it is what all samples agree on, and no lucky one.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.core.settings import Share
from evoboard.evolution.base import Evidence, Population, Shape, State
from evoboard.evolution.operators.gradient import FIRST_FADE, SECOND_FADE, adam_step
from evoboard.evolution.strategies.vectors import CentredStrategy, Network, Start

TINY = 1e-8  # Adam's own value


class Settings(BaseSettings):
    """Everything that can be chosen."""

    population: int = Field(
        41, ge=3, le=100_001, description="the network and its samples; preferably an odd number"
    )
    sigma: float = Field(0.05, gt=0, description="how far samples are from the network")
    rate: float = Field(0.02, gt=0, description="about how far a number moves in a generation")
    cooling: float = Field(
        0.0, ge=0, description="generations after which the rate has halved; 0: it stays the same"
    )
    decay: Share = Field(
        0.0,
        description="weight decay: the share of itself, times the rate, by which a number shrinks",
    )
    network: Network = Network()
    start: Start = Start()


class Strategy(CentredStrategy):
    """The network, and samples around it."""

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        self.first_moment = np.zeros(self.design.length)
        self.second_moment = np.zeros(self.design.length)

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the network, moved by what its samples scored, and samples around it."""
        settings, vectors = self.settings, population.genes.vector
        fitness = evidence.fitness[1:]
        noise = (vectors[1:] - vectors[0]) / settings.sigma
        slope = exact.combined(centred_ranks(fitness), noise) / len(fitness)
        steps = self.generation + 1
        # Powers of decimals, which no processor rounds differently.
        powers = float(Decimal(FIRST_FADE) ** steps), float(Decimal(SECOND_FADE) ** steps)
        first = FIRST_FADE * self.first_moment + (1 - FIRST_FADE) * slope
        second = SECOND_FADE * self.second_moment + (1 - SECOND_FADE) * slope**2
        step = adam_step(first, second, *powers, TINY)
        step -= settings.decay * vectors[0]
        self.first_moment, self.second_moment = first, second
        slower = 1 + self.generation / settings.cooling if settings.cooling else 1.0
        centre = vectors[0] + settings.rate / slower * step
        best = 1 + int(np.argmax(fitness))
        parents = (int(population.ids[0]), int(population.ids[best]))
        return self.surrounded(centre, self.around(centre, self.generation), parents)

    def extra_state(self) -> State:
        """Return what Adam remembers."""
        return {"first_moment": self.first_moment, "second_moment": self.second_moment}

    def restore_extra(self, state: State) -> None:
        """Take back what `extra_state` returned."""
        self.first_moment, self.second_moment = state["first_moment"], state["second_moment"]

    def around(self, centre: Array, when: int | str) -> Array:
        """Return samples to either side of the centre."""
        count = self.settings.population - 1
        rng = stream(self.seed, "evolution_strategy", "samples", when)
        noise = rng.standard_normal(((count + 1) // 2, len(centre)))
        mirrored = np.stack([noise, -noise], axis=1).reshape(-1, len(centre))[:count]
        return centre + self.settings.sigma * mirrored


def centred_ranks(fitness: Array) -> Array:
    """Return ranks from -½ (the worst) to ½ (the best); equals share the mean of theirs."""
    _, place, counts = np.unique(fitness, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean = last - (counts + 1) / 2
    return mean[place] / max(1, len(fitness) - 1) - 0.5
