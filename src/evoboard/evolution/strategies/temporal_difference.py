"""Learning by gradient alone: one network, taught by its games with copies of itself.

1. The population is the network itself and copies with every number moved a little, so that games
   differ.
2. The network learns from the positions of all games (`operators/gradient.py`): from their results,
   or by TD(λ) from its own later values as well.

There is no selection: this is what evolution is to be compared with. The network is the champion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import Evidence, LessonsWanted, Population, Shape, State
from evoboard.evolution.operators import gradient
from evoboard.evolution.strategies.lifetime import Mutation, moved
from evoboard.evolution.strategies.vectors import CentredStrategy, Network, Start


class Settings(BaseSettings):
    """Everything that can be chosen."""

    population: int = Field(16, ge=2, le=100_000, description="the network and its copies")
    network: Network = Network()
    start: Start = Start()
    learning: gradient.Settings = gradient.Settings(trace=0.7)
    copies: Mutation = Mutation()


class Strategy(CentredStrategy):
    """The network, and copies that play with it."""

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        learning = settings.learning
        self.wants_lessons = LessonsWanted(learning.positions, learning.quiet)
        self.moments = gradient.no_moments(self.design.length)

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the network after its lessons, and copies of it."""
        centre, lessons = population.genes.vector[0], evidence.lessons
        if lessons is not None:
            learning = self.settings.learning
            rng = stream(self.seed, "temporal_difference", "order", self.generation)
            everything = np.arange(len(lessons.games))
            pupil = gradient.Pupil(centre, self.moments, everything, rng)
            rate = learning.rate_in(self.generation)
            biases = self.settings.network.biases
            found = gradient.learn_all([pupil], lessons, self.design, learning, rate, biases)
            centre, self.moments = found[0]
        parents = (int(population.ids[0]), -1)
        return self.surrounded(centre, self.around(centre, self.generation), parents)

    def around(self, centre: Array, when: int | str) -> Array:
        """Return copies of the network with every number moved."""
        rng = stream(self.seed, "temporal_difference", "copies", when)
        many = np.broadcast_to(centre, (self.settings.population - 1, len(centre)))
        return moved(many, self.settings.copies, rng)

    def extra_state(self) -> State:
        """Return what Adam remembers."""
        first, second, steps = self.moments
        return {"first_moment": first, "second_moment": second, "steps": steps}

    def restore_extra(self, state: State) -> None:
        """Take back what `extra_state` returned."""
        first, second = state["first_moment"], state["second_moment"]
        self.moments = gradient.Moments(first, second, int(state["steps"]))
