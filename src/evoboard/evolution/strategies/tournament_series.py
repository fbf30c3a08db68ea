"""Tournament series (paper A, chapter 6): structure changes only at the end of a series.

A series is `series` generations, the paper's tournaments. After each but the last, the parents,
the best share of each species, stay unchanged as a standard; everyone else is replaced by a copy
of itself with other weights and biases. After the last one the worst are dropped, and species are
refilled with children of the parents of this last tournament: one generation of NEAT, structural
mutations included.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.rng import address
from evoboard.evolution import base
from evoboard.evolution.operators import mutation_power, neat_breeding, parents
from evoboard.evolution.operators.neat_breeding import COPY, VALUES
from evoboard.evolution.strategies import neat

from_older = neat.from_older


class Settings(neat.Settings):
    """NEAT's settings and the length of a series."""

    series: int = Field(20, ge=1, description="tournaments between changes of structure")


class Strategy(neat.Strategy):
    """Evolves graphs by series of tournaments."""

    def breed(self, population: base.Population, evidence: base.Evidence) -> base.Population:
        """Return the population that follows: by NEAT at the end of a series, else retuned."""
        if (self.generation + 1) % self.settings.series == 0:
            return super().breed(population, evidence)
        return self._retune(population, evidence.fitness)

    def facts(self) -> Mapping[str, float]:
        """Return NEAT's facts and how far the series has come."""
        return {
            **super().facts(),
            "tournament_of_series": self.generation % self.settings.series + 1,
        }

    def _retune(self, population: base.Population, fitness: Array) -> base.Population:
        """Return parents as they are and all others with mutated numbers, everyone in its place."""
        size = population.size
        ranking = parents.rank(population.species, fitness)
        counts = parents.parent_counts(self.settings.parents, ranking.sizes)
        stay, _ = parents.best_of(ranking, counts)
        changed = np.ones(size, np.bool_)
        changed[stay] = False
        plan = neat_breeding.make_plan(
            np.arange(size),
            address(self.seed, "neat", "series", self.generation),
            extent=np.where(changed, VALUES, COPY),
            factor=mutation_power.factors(self.settings.power, fitness),
        )
        genes = neat_breeding.breed(population.genes, plan, self.breeding, self.innovations)
        ids, descent = population.ids.copy(), population.parents.copy()
        descent[changed] = -1
        descent[changed, 0] = ids[changed]
        ids[changed] = self.new_ids(int(changed.sum()))
        origin = np.where(changed, base.MUTANT, base.KEPT)
        return base.Population(genes, ids, descent, population.species, origin)
