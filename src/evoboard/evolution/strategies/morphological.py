"""Paper C's steady state: in every generation two children take the places of the two worst.

1. An odd number of parents, any of the population, give two children by morphological crossover,
   number by number.
2. They replace the two worst; among equals the older go, and the champion never does.
3. Everyone is judged again, because fitness is relative to a population that has changed.

Of the parents the first two drawn are recorded. The paper does not say how large a population is
(scores around 956 of two points per opponent need some 480) nor how numbers begin.

With g = max - min of a number among the parents (the morphological gradient),

    φ(g) = -0.8 g - 0.01          for g ≤ 0.05: parents alike, the interval grows
           0.421 g - 0.021        otherwise: parents differ, the interval shrinks

the first child is uniform in [min + φ(g), max - φ(g)] and the second its mirror image there.
All constants are settings. Paper C does not say how parents are chosen: here every set of them is
equally likely, and nobody is in it twice.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import CROSSOVER, KEPT, Evidence, Population
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import vector_start
from evoboard.evolution.operators.replacement import origin_of_staying, ranking, worst
from evoboard.evolution.strategies.vectors import VectorStrategy


class Crossover(BaseSettings):
    """The number of parents and the constants of φ, the paper's unless changed."""

    parents: int = Field(5, ge=3, description="how many parents two children have; an odd number")
    threshold: float = Field(0.05, ge=0, description="the largest g of parents that are alike")
    growth: float = Field(0.8, ge=0, description="φ = -growth g - margin where parents are alike")
    margin: float = Field(0.01, ge=0, description="by how much the interval grows at least")
    shrinkage: float = Field(0.421, ge=0, le=0.5, description="φ = shrinkage g - relief elsewhere")
    relief: float = Field(0.021, description="by how much less the interval shrinks")

    @field_validator("parents")
    @classmethod
    def _odd(cls, parents: int) -> int:
        if parents % 2 == 0:
            raise ValueError(f"{parents} is even; the number of parents must be odd")
        return parents

    @model_validator(mode="after")
    def _never_inverted(self) -> Self:
        # For g above the threshold the width is g - 2 φ(g), which grows with g.
        if self.threshold * (1.0 - 2.0 * self.shrinkage) + 2.0 * self.relief < 0.0:
            raise ValueError(
                "the interval would end before it begins; relief must be at least "
                "-threshold (1 - 2 shrinkage) / 2"
            )
        return self


class Settings(BaseSettings):
    """Everything that can be chosen; a hidden layer of 10 nodes is the paper's."""

    population: int = Field(50, ge=3, le=100_000, description="number of individuals")
    network: real.Settings = real.Settings()
    start: vector_start.Settings = vector_start.Settings()
    crossover: Crossover = Crossover()

    @model_validator(mode="after")
    def _enough_parents(self) -> Self:
        if self.crossover.parents > self.population:
            raise ValueError(
                f"crossover.parents is {self.crossover.parents}, more than the population of "
                f"{self.population}; take fewer parents or a larger population"
            )
        return self


class Strategy(VectorStrategy):
    """Two children per generation replace the two worst."""

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the population with two children in the places of the two worst."""
        settings = self.settings.crossover
        rng = stream(self.seed, "morphological", "breed", self.generation)
        chosen = choose_parents(settings, population.size, rng)
        children = cross(population.genes.vector[chosen], settings, rng)
        places = worst(evidence.fitness, population.ids, 2)
        vectors, ids = population.genes.vector.copy(), population.ids.copy()
        parents = population.parents.copy()
        everybody, champion = np.arange(population.size), int(ranking(evidence.fitness)[0])
        origin = origin_of_staying(population.origin, everybody, champion, KEPT)
        vectors[places], ids[places] = children, self.new_ids(2)
        parents[places], origin[places] = population.ids[chosen[:2]], CROSSOVER
        genes = real.make(vectors, self.design)
        return Population(genes, ids, parents, population.species, origin)


def choose_parents(settings: Crossover, size: int, rng: np.random.Generator) -> Array:
    """Return the indices of parents among `size` individuals, all different."""
    return rng.choice(size, settings.parents, replace=False)


def cross(parents: Array, settings: Crossover, rng: np.random.Generator) -> Array:
    """Return two children (2, K) of parents (odd number, K)."""
    low, high = interval(parents, settings)
    first = low + rng.random(len(low)) * (high - low)
    return np.stack([first, low + high - first])


def interval(parents: Array, settings: Crossover) -> tuple[Array, Array]:
    """Return the lowest and the highest value that a child may have, for every number."""
    low, high = parents.min(axis=0), parents.max(axis=0)
    inward = phi(high - low, settings)
    return low + inward, high - inward


def phi(gradient: Array, settings: Crossover) -> Array:
    """Return by how much the interval shrinks at both ends; where it grows, less than 0."""
    return np.where(
        gradient <= settings.threshold,
        -settings.growth * gradient - settings.margin,
        settings.shrinkage * gradient - settings.relief,
    )
