"""What strategies of real vectors share: one design, and vectors as its networks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.evolution import base
from evoboard.evolution.genomes import real
from evoboard.networks import mlp


class VectorStrategy(base.Strategy):
    """A strategy whose settings have a `network`, the design that its vectors fill.

    Without biases and where inputs only change their signs when the sides are swapped, a network of
    tanh values the swapped position at exactly the opposite.
    """

    genomes = real

    def __init__(self, settings: Any, shape: base.Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        self.design = settings.network.design(shape.inputs, shape.outputs)

    def express(self, genes: real.Genes) -> base.Networks:
        """Return vectors as layered networks."""
        return base.Networks(mlp, real.express(genes, self.design))

    def settled(self, population: base.Population) -> base.Population:
        """Return a population with biases of 0, where the settings want that."""
        if self.settings.network.biases:
            return population
        vectors = population.genes.vector.copy()
        for layer in range(len(self.design.sizes) - 1):
            vectors[:, self.design.biases(layer)] = 0.0
        return replace(population, genes=population.genes._replace(vector=vectors))

    def beginners(self, genes: real.Genes) -> base.Population:
        """Return a population in which everybody is new."""
        count = real.count(genes)
        return base.Population(
            genes,
            self.new_ids(count),
            np.full((count, 2), -1, np.int64),
            np.full(count, -1, np.int64),
            np.full(count, base.NEW, np.int64),
        )


def one_parent(ids: Array) -> Array:
    """Return the parents column (n, 2) of children that have one parent each."""
    return np.stack([ids, np.full(len(ids), -1, np.int64)], axis=1)
