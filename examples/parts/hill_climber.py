"""A strategy: the best few stay, and everybody else is a mutant of one of them."""

import numpy as np
from pydantic import Field

from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import ELITE, MUTANT, Population
from evoboard.evolution.genomes import real
from evoboard.evolution.strategies.vectors import VectorStrategy, one_parent


class Settings(BaseSettings):
    """Everything that can be chosen, checked and explained: the keys of [strategy]."""

    population: int = Field(20, ge=2, le=100_000, description="how many individuals")
    stay: int = Field(5, ge=1, description="the best, which stay and have children")
    step: float = Field(0.2, gt=0, description="standard deviation of a mutation")
    network: real.Settings = real.Settings()


class Strategy(VectorStrategy):
    """Vectors of weights: `self.design` is the network they fill, one number for each weight."""

    def first(self):
        """Return the population of generation 0."""
        rng = stream(self.seed, "hill climber", "start")
        vectors = rng.normal(0.0, 1.0, (self.settings.population, self.design.length))
        return self.beginners(real.make(vectors, self.design))

    def breed(self, population, evidence):
        """Return the next population; more fitness is better."""
        best = np.argsort(-evidence.fitness, kind="stable")[: self.settings.stay]
        count = self.settings.population - len(best)
        rng = stream(self.seed, "hill climber", "mutate", self.generation)
        parents = best[rng.integers(0, len(best), count)]
        vectors = population.genes.vector[parents]
        vectors = vectors + rng.normal(0.0, self.settings.step, vectors.shape)
        return Population(
            real.join([real.take(population.genes, best), real.make(vectors, self.design)]),
            ids=np.concatenate([population.ids[best], self.new_ids(count)]),
            parents=np.concatenate([population.parents[best], one_parent(population.ids[parents])]),
            species=np.full(self.settings.population, -1),
            origin=np.repeat([ELITE, MUTANT], [len(best), count]),
        )
