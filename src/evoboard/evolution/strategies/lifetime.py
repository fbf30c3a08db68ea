"""Lifetime learning inside evolution: individuals learn from games, and children inherit it.

1. All are judged by their games, and learn from the positions of these by gradient
   (`operators/gradient.py`): from their own games, or from all games.
2. The fittest half live on with what they have learned. Each has a child: the mean of what it and
   another of them know (or a copy), with every number moved a little.

What was learned is inherited, as Lamarck thought: selection keeps those whose learning leads to
won games, and mutation keeps them different. With `learning.passes = 0` nobody learns, and it is an
ordinary evolution strategy of parents and children.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import (
    CROSSOVER,
    ELITE,
    LEARNED,
    MUTANT,
    Evidence,
    Lessons,
    LessonsWanted,
    Population,
    Shape,
)
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import gradient
from evoboard.evolution.operators.replacement import ranking
from evoboard.evolution.strategies.vectors import Network, Start, VectorStrategy, one_parent


class Mutation(BaseSettings):
    """How children differ from what their parents know."""

    share: float = Field(0.05, ge=0, le=10, description="step size, as a share of the number")
    least: float = Field(0.001, ge=0, le=10, description="what is added to every step size")


class Settings(BaseSettings):
    """Everything that can be chosen."""

    population: int = Field(16, ge=2, le=100_000, multiple_of=2, description="parents and children")
    network: Network = Network()
    start: Start = Start()
    learning: gradient.Settings = gradient.Settings()
    games: Literal["own", "all"] = Field("all", description="whose games an individual learns from")
    cross: bool = Field(True, description="children take the mean of two parents")
    mutation: Mutation = Mutation()


class Strategy(VectorStrategy):
    """Individuals that learn, live on and have children."""

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        learning = settings.learning
        if learning.passes:
            self.wants_lessons = LessonsWanted(learning.positions, learning.quiet)

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the fittest half with what they have learned, and a child of each."""
        half = population.size // 2
        best = ranking(evidence.fitness)[:half]
        vectors, ids = population.genes.vector[best], population.ids[best]
        knowing, origin = vectors, np.full(half, ELITE, np.int64)
        kept, parents = ids, population.parents[best]
        if evidence.lessons is not None:
            knowing = self._taught(vectors, best, evidence.lessons)
            origin = np.full(half, LEARNED, np.int64)
            kept, parents = self.new_ids(half), one_parent(ids)
        children, mates = self._children(knowing)
        theirs = one_parent(kept) if mates is None else np.stack([kept, kept[mates]], axis=1)
        made = MUTANT if mates is None else CROSSOVER
        return Population(
            real.make(np.concatenate([knowing, children]), self.design),
            np.concatenate([kept, self.new_ids(half)]),
            np.concatenate([parents, theirs]),
            np.full(population.size, -1, np.int64),
            np.concatenate([origin, np.full(half, made, np.int64)]),
        )

    def _taught(self, vectors: Array, places: Array, lessons: Lessons) -> Array:
        """Return what the individuals at these places know after their lessons."""
        settings, pupils = self.settings, []
        everything = np.arange(len(lessons.games))
        for vector, place in zip(vectors, places, strict=True):
            chosen = everything
            if settings.games == "own":
                chosen = np.flatnonzero((lessons.players == place).any(axis=1))
            rng = stream(self.seed, "lifetime", "order", self.generation, int(place))
            pupils.append(
                gradient.Pupil(vector, gradient.no_moments(self.design.length), chosen, rng)
            )
        learning = settings.learning
        rate = learning.rate_in(self.generation)
        biases = settings.network.biases
        found = gradient.learn_all(pupils, lessons, self.design, learning, rate, biases)
        return np.stack([vector for vector, _ in found])

    def _children(self, parents: Array) -> tuple[Array, Array | None]:
        """Return a mutated child of each parent, and who the other parents are."""
        rng = stream(self.seed, "lifetime", "children", self.generation)
        count, means, mates = len(parents), parents, None
        if self.settings.cross and count > 1:
            # Another individual: a step of 1 to count - 1 round the circle.
            mates = (np.arange(count) + rng.integers(1, count, count)) % count
            means = (parents + parents[mates]) / 2
        return moved(means, self.settings.mutation, rng), mates


def moved(vectors: Array, mutation: Mutation, rng: np.random.Generator) -> Array:
    """Return vectors with every number moved a little, large ones further."""
    size = mutation.share * np.abs(vectors) + mutation.least
    return vectors + size * rng.standard_normal(vectors.shape)
