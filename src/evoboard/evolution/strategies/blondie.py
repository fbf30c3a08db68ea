"""Blondie24's evolution (Chellapilla and Fogel): every parent has one child, the better half stays.

1. Half of the population are parents, half their children, each by self-adaptive mutation: every
   number has a step size that evolves, too.

       σ'_j = σ_j exp(τ N_j(0, 1))        τ = rate / √(2 √K), K the number of weights and biases
       w'_j = w_j + σ'_j N_j(0, 1)        a new standard normal number for each
2. All are judged; the better half become the parents of the next generation.

In the original the value of a king evolves along; here it is the encoder's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from pydantic import Field

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import ELITE, MUTANT, NEW, Evidence, Population
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import vector_start
from evoboard.evolution.operators.replacement import origin_of_staying, ranking
from evoboard.evolution.strategies.vectors import VectorStrategy, one_parent


class Network(real.Settings):
    """Blondie24's network: 40 and 10 hidden nodes, and the difference in pieces straight to the
    output."""

    hidden: tuple[real.Width, ...] = Field((40, 10), description="nodes in each hidden layer")
    difference: float = Field(
        1.0, description="fixed weight with which the sum of all inputs is added to every output"
    )


class Start(vector_start.Settings):
    """The numbers of new vectors."""

    spread: float = Field(0.2, gt=0, description="numbers are uniform in ± spread")


class Mutation(BaseSettings):
    """The step sizes at the start and how fast they change."""

    strength: float = Field(0.05, gt=0, description="each step size σ of a new vector")
    rate: float = Field(1.0, ge=0, description="factor of the learning rate τ = 1/√(2√K)")


class Settings(BaseSettings):
    """Everything that can be chosen; the values are Blondie24's."""

    population: int = Field(
        30,
        ge=2,
        le=100_000,
        multiple_of=2,
        description="parents and children, the same number of each",
    )
    network: Network = Network()
    start: Start = Start()
    mutation: Mutation = Mutation()


class Strategy(VectorStrategy):
    """Parents and their children compete, and the better half are the next parents."""

    def first(self) -> Population:
        """Return random parents and a child of each."""
        settings, half = self.settings, self.settings.population // 2
        vectors = self.random_vectors(half)
        strengths = np.full(vectors.shape, settings.mutation.strength)
        genes = real.make(vectors, self.design, strengths)
        origin, parents = np.full(half, NEW, np.int64), np.full((half, 2), -1, np.int64)
        return self._with_children(genes, self.new_ids(half), parents, origin, "first children")

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the better half and a child of each of them."""
        order = ranking(evidence.fitness)
        best = order[: len(order) // 2]
        return self._with_children(
            real.take(population.genes, best),
            population.ids[best],
            population.parents[best],
            origin_of_staying(population.origin, best, int(order[0]), ELITE),
            self.generation,
        )

    def facts(self) -> Mapping[str, float]:
        """Return the mean step size, which tells whether evolution still explores."""
        return {"step_size": float(self.ask().genes.strength.mean())}

    def _with_children(
        self, genes: real.Genes, ids: Array, parents: Array, origin: Array, when: int | str
    ) -> Population:
        """Return these individuals and one mutated child of each."""
        rng = stream(self.seed, "blondie", "mutate", when)
        settings = self.settings.mutation
        children = adapt(genes.vector, genes.strength, settings, rng)
        count = len(ids)
        return Population(
            real.join([genes, genes._replace(vector=children[0], strength=children[1])]),
            np.concatenate([ids, self.new_ids(count)]),
            np.concatenate([parents, one_parent(ids)]),
            np.full(2 * count, -1, np.int64),
            np.concatenate([origin, np.full(count, MUTANT, np.int64)]),
        )


def adapt(
    vectors: Array, strengths: Array, settings: Mutation, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the children of vectors (n, K) and of their step sizes, in the same shapes."""
    tau = settings.rate / math.sqrt(2.0 * math.sqrt(vectors.shape[-1]))
    changed = strengths * exact.exp(tau * rng.standard_normal(strengths.shape))
    return vectors + changed * rng.standard_normal(vectors.shape), changed
