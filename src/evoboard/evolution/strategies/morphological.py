"""Paper C's steady state: in every generation two children take the places of the two worst.

1. An odd number of parents, any of the population, give two children by morphological crossover.
2. They replace the two worst; among equals the older go, and the champion never does.
3. Everybody is judged anew, as fitness is relative to a population that has changed.

Of the parents the first two drawn are recorded. The paper does not say how large a population is
(scores around 956 of two points per opponent need some 480) nor how numbers begin.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import CROSSOVER, KEPT, Evidence, Population
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import morphological, vector_start
from evoboard.evolution.operators.replacement import origin_of_staying, ranking, worst
from evoboard.evolution.strategies.vectors import VectorStrategy


class Settings(BaseSettings):
    """Everything that can be chosen; a hidden layer of 10 nodes is the paper's."""

    population: int = Field(50, ge=3, le=100_000, description="number of individuals")
    network: real.Settings = real.Settings()
    start: vector_start.Settings = vector_start.Settings()
    crossover: morphological.Settings = morphological.Settings()

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
        chosen = morphological.choose_parents(settings, population.size, rng)
        children = morphological.cross(population.genes.vector[chosen], settings, rng)
        places = worst(evidence.fitness, population.ids, 2)
        vectors, ids = population.genes.vector.copy(), population.ids.copy()
        parents = population.parents.copy()
        everybody, champion = np.arange(population.size), int(ranking(evidence.fitness)[0])
        origin = origin_of_staying(population.origin, everybody, champion, KEPT)
        vectors[places], ids[places] = children, self.new_ids(2)
        parents[places], origin[places] = population.ids[chosen[:2]], CROSSOVER
        genes = real.make(vectors, self.design)
        return Population(genes, ids, parents, population.species, origin)
