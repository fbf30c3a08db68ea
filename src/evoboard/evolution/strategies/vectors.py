"""What strategies of real vectors share: one design, and vectors as its networks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError
from evoboard.core.rng import stream
from evoboard.evolution import base
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import vector_start
from evoboard.networks import mlp
from evoboard.networks.mlp_network import MLPNetwork


class Network(real.Settings):
    """The network that vectors fill: without hidden nodes, unless some are asked for."""

    hidden: tuple[real.Width, ...] = Field((), description="nodes in each hidden layer")


class Start(vector_start.Settings):
    """The numbers of new vectors, near 0."""

    spread: float = Field(0.05, gt=0, le=1e6, description="numbers are uniform in ± spread")


class VectorStrategy(base.Strategy):
    """A strategy whose settings have a `network`, the design that its vectors fill, and a `start`.

    Without biases and where inputs only change their signs when the sides are swapped, a network of
    tanh values the swapped position at exactly the opposite.
    """

    genomes = real

    def __init__(self, settings: Any, shape: base.Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        self.design = settings.network.design(shape.inputs, shape.outputs)
        self._find_start: Callable[[], Any] | None = None

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

    def first(self) -> base.Population:
        """Return random vectors."""
        vectors = self.random_vectors(self.settings.population)
        return self.beginners(real.make(vectors, self.design))

    def begin_with(self, find: Callable[[], Any]) -> None:
        """Begin with a network of this design; the other vectors are spread around its own."""
        self._find_start = find

    def random_vectors(self, count: int) -> Array:
        """Return the vectors that a run begins with."""
        if not hasattr(self.settings, "start"):  # one of the user's own
            raise PartError("a strategy of vectors needs a setting `start`, or its own `first`.")
        rng = stream(self.seed, type(self).__module__.rpartition(".")[2], "start")
        found = vector_start.begin(self.settings.start, count, self.design.length, rng)
        if self._find_start is None:
            return found
        network = self._find_start()
        if getattr(network, "design", None) != self.design:
            seen = network.design.text if isinstance(network, MLPNetwork) else "a graph of nodes"
            raise OptionError(
                f"the player to begin with has the network {seen}, and strategy.network makes "
                f"{self.design.text}; let both be the same."
            )
        found[0] = 0
        return network.vector + found


class CentredStrategy(VectorStrategy):
    """A network that stands for its population, and others drawn around it."""

    champion = 0

    @abstractmethod
    def around(self, centre: Array, when: int | str) -> Array:
        """Return the others of a generation, or of the "first"."""

    def first(self) -> base.Population:
        """Return a random network and others around it."""
        centre = self.random_vectors(1)[0]
        return self.surrounded(centre, self.around(centre, "first"), (-1, -1))

    def facts(self) -> Mapping[str, float]:
        """Return the mean size of the network's numbers."""
        return {"size": float(np.abs(self.ask().genes.vector[0]).mean())}

    def surrounded(self, centre: Array, others: Array, parents: tuple[int, int]) -> base.Population:
        """Return a population; `parents` are the ids that the centre was made of, -1 for none."""
        ids, count = self.new_ids(1 + len(others)), len(others)
        new = parents == (-1, -1)
        return base.Population(
            real.make(np.concatenate([centre[None], others]), self.design),
            ids,
            np.concatenate([[parents], one_parent(np.full(count, ids[0]))]),
            np.full(1 + count, -1, np.int64),
            np.array([base.NEW if new else base.LEARNED, *[base.MUTANT] * count], np.int64),
        )


def one_parent(ids: Array) -> Array:
    """Return the parents column (n, 2) of children that have one parent each."""
    return np.stack([ids, np.full(len(ids), -1, np.int64)], axis=1)
