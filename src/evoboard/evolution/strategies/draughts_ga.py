"""Paper E's genetic algorithm: the best stay, neighbours in rank are crossed, all have mutants.

With 15 individuals, 5 kept and 2 pairs, as in the paper:

    5   the best, as they are
    4   of 1st and 2nd: two reciprocal crossovers and a mutant of each
    4   of 2nd and 3rd: likewise
    2   mutants of the 4th and the 5th

With other numbers pair i is i-th and (i + 1)-th, and the places left go to mutants of those of the
best that are in no pair, in turn, or of all of the best where every one is. Mutants are made by
safe mutation, on positions of games that their parent won. The paper says in C.1 that crossovers
are reciprocal and in its results that all offspring were mutated, which excludes that: a setting.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import CROSSOVER, ELITE, MUTANT, Evidence, Population, Shape
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import (
    node_crossover,
    safe_mutation,
    vector_mutation,
    vector_start,
)
from evoboard.evolution.operators.replacement import origin_of_staying, ranking
from evoboard.evolution.strategies.vectors import VectorStrategy, one_parent


class Network(real.Settings):
    """The paper's network: 40 and 10 hidden nodes, tanh everywhere."""

    hidden: tuple[real.Width, ...] = Field((40, 10), description="nodes in each hidden layer")


class Settings(BaseSettings):
    """Everything that can be chosen; the values are the paper's, where it gives them."""

    population: int = Field(15, ge=2, le=100_000, description="number of individuals")
    kept: int = Field(5, ge=1, description="how many of the best stay unchanged")
    pairs: int = Field(2, ge=0, description="pairs of neighbours in rank, each with four children")
    network: Network = Network()
    start: vector_start.Settings = vector_start.Settings()
    mutation: vector_mutation.Settings = vector_mutation.Settings()
    safe: safe_mutation.Settings = safe_mutation.Settings()
    crossover: node_crossover.Settings = node_crossover.Settings()
    mutate_crossovers: bool = Field(False, description="children of crossover are mutated, too")

    @model_validator(mode="after")
    def _room_for_all(self) -> Self:
        needed = self.kept + 4 * self.pairs
        if needed > self.population:
            raise ValueError(
                f"{self.kept} kept and {self.pairs} pairs of 4 children need a population of "
                f"{needed}, but it is {self.population}; enlarge it, or lower kept or pairs"
            )
        if self.pairs and self.pairs >= self.kept:
            raise ValueError(
                f"{self.pairs} pairs need {self.pairs + 1} of the best, but kept is {self.kept}; "
                "raise kept or lower pairs"
            )
        return self


class Strategy(VectorStrategy):
    """The best, their crossovers and their mutants."""

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        self.feeds = node_crossover.feeds(self.design)
        self.wants_won_inputs = settings.safe.positions if settings.safe.tries > 1 else 0

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the best, then crossovers of neighbours in rank, then mutants."""
        settings, order = self.settings, ranking(evidence.fitness)
        best, mothers = order[: settings.kept], order[mutated_ranks(settings)]
        vectors = population.genes.vector
        pairs = np.stack([order[: settings.pairs], order[1 : settings.pairs + 1]], axis=1)
        crossed, parents_of = self._cross(vectors, evidence.fitness, pairs)
        mutants = self._mutate(vectors[mothers], mothers, evidence, "mutants")
        if settings.mutate_crossovers:
            crossed = self._mutate(crossed, parents_of[:, 0], evidence, "crossovers")
        counts = [len(best), len(crossed), len(mutants)]
        ids = population.ids
        parents = [population.parents[best], ids[parents_of], one_parent(ids[mothers])]
        origin = origin_of_staying(population.origin, best, int(order[0]), ELITE)
        made = np.repeat([CROSSOVER, MUTANT], counts[1:])
        return Population(
            real.make(np.concatenate([vectors[best], crossed, mutants]), self.design),
            np.concatenate([ids[best], self.new_ids(sum(counts[1:]))]),
            np.concatenate(parents),
            np.full(sum(counts), -1, np.int64),
            np.concatenate([origin, made]),
        )

    def _cross(self, vectors: Array, fitness: Array, pairs: Array) -> tuple[Array, Array]:
        """Return two reciprocal children of each pair, and their parents, dominant one first."""
        rng = stream(self.seed, "draughts_ga", "cross", self.generation)
        children, parents = np.zeros((0, vectors.shape[1])), np.zeros((0, 2), np.int64)
        for one, other in pairs:
            if not node_crossover.dominates(fitness[one], fitness[other], rng):
                one, other = other, one
            settings = self.settings.crossover
            two = node_crossover.cross(vectors[one], vectors[other], self.feeds, settings, rng)
            children = np.concatenate([children, two])
            # The reciprocal child is mostly the other parent.
            parents = np.concatenate([parents, [[one, other], [other, one]]])
        return children, parents

    def _mutate(self, vectors: Array, owners: Array, evidence: Evidence, what: str) -> Array:
        """Return a safe mutant of each vector; `owners` are the individuals whose games count."""
        rng = stream(self.seed, "draughts_ga", what, self.generation)
        won = [evidence.won_inputs[i] for i in owners] if evidence.won_inputs else []
        mutation, safe = self.settings.mutation, self.settings.safe
        return safe_mutation.mutate(vectors, won, self.design, mutation, safe, rng)


def mutated_ranks(settings: Settings) -> Array:
    """Return the rank, from 0, of the parent of every mutant."""
    paired = settings.pairs + 1 if settings.pairs else 0
    both = [rank for pair in range(settings.pairs) for rank in (pair, pair + 1)]
    left = settings.population - settings.kept - 4 * settings.pairs
    others = range(paired, settings.kept) or range(settings.kept)
    return np.array([*both, *(others[i % len(others)] for i in range(left))], np.int64)
