"""Paper B's evolution of layered networks: drawn by fitness, mutated, with fresh blood.

The next generation is, in this order,

1. the best share, exactly as they are (ours; the paper has none);
2. those drawn with probability ∝ fitness^exponent, each mutated `fewest` to `most` times;
3. a share drawn from all alike, mutated in the same way;
4. a share of old best ones: champions of this and earlier generations, mutated in the same way;
5. a share of new random networks, not mutated: they are random already.

An individual that is drawn and not mutated stays the same individual; further unmutated copies,
and old best ones, are individuals of their own. Champions are kept evenly spread over the
generations, at most MOST_CHAMPIONS: when there are more, every second is let go.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution import base
from evoboard.evolution.base import ELITE, KEPT, MUTANT, NEW, Evidence, Population
from evoboard.evolution.genomes import layered
from evoboard.evolution.operators import composition, layered_mutation
from evoboard.evolution.operators.replacement import origin_of_staying, ranking
from evoboard.evolution.strategies.vectors import one_parent
from evoboard.networks import graph

MOST_CHAMPIONS = 64


class Start(BaseSettings):
    """The numbers of new networks."""

    spread: float = Field(
        1.0, gt=0, le=1e6, description="weights and biases are uniform in ± spread"
    )


class Settings(BaseSettings):
    """Everything that can be chosen; the values are those of the paper's first test."""

    population: int = Field(100, ge=2, le=100_000, description="number of individuals")
    genome: layered.Settings = layered.Settings()
    start: Start = Start()
    selection: composition.Settings = composition.Settings()
    mutation: layered_mutation.Settings = layered_mutation.Settings()


class Strategy(base.Strategy):
    """Layered networks by fitness-proportional selection."""

    genomes = layered
    # Champions so far, in order: their genes and ids, of every `spacing`-th generation.
    champions: layered.Genes | None = None
    champion_ids: tuple[int, ...] = ()
    spacing: int = 1

    def first(self) -> Population:
        """Return networks without hidden nodes."""
        return self.beginners(self._new(self.settings.population, 0))

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the best, those drawn, random old ones and new ones."""
        settings = self.settings
        rng = stream(self.seed, "layered", "compose", self.generation)
        champion, size = int(ranking(evidence.fitness)[0]), population.size
        self._remember(population, champion)
        known = len(self.champion_ids)
        parts = composition.compose(
            evidence.fitness, settings.population, known, settings.selection, rng
        )
        drawn = np.concatenate([parts.drawn, parts.random_old, size + parts.old_best])
        mutations = layered_mutation.draw_counts(settings.mutation, len(drawn), rng)
        seed = address(self.seed, "layered", "mutate", self.generation)
        genes, mutation = population.genes, settings.mutation
        everybody = genes if self.champions is None else layered.join([genes, self.champions])
        everybodys_ids = np.concatenate([population.ids, np.array(self.champion_ids, np.int64)])
        bred = [
            layered.take(genes, parts.best),
            layered_mutation.mutate(everybody, drawn, mutations, mutation, seed),
            self._new(parts.new, self.generation + 1),
        ]
        # Who each comes from (-1: nobody) and after how many mutations, in the order of `bred`.
        source = np.concatenate([parts.best, drawn, np.full(parts.new, -1, np.int64)])
        steps = np.concatenate([0 * parts.best, mutations, np.zeros(parts.new, np.int64)])
        stays = _staying(source, steps) & (source < size)
        origin = np.where(source < 0, NEW, np.where(steps > 0, MUTANT, KEPT))
        origin[: len(parts.best)] = ELITE
        origin[stays] = origin_of_staying(population.origin, source[stays], champion, origin[stays])
        ids, parents = np.zeros(len(source), np.int64), one_parent(everybodys_ids[source])
        parents[source < 0] = -1
        parents[stays] = population.parents[source[stays]]
        ids[stays] = population.ids[source[stays]]
        ids[~stays] = self.new_ids(int((~stays).sum()))
        species = np.full(len(source), -1, np.int64)
        return Population(layered.join(bred), ids, parents, species, origin)

    def _remember(self, population: Population, champion: int) -> None:
        """Keep this generation's champion, if old best ones are wanted and it is its turn."""
        if self.settings.selection.old_best == 0 or self.generation % self.spacing:
            return
        genes = [layered.take(population.genes, np.array([champion]))]
        if self.champions is not None:
            genes.insert(0, self.champions)
        self.champions = layered.join(genes)
        self.champion_ids += (int(population.ids[champion]),)
        if len(self.champion_ids) > MOST_CHAMPIONS:
            self.champions = layered.take(
                self.champions, np.arange(0, len(self.champion_ids), 2, dtype=np.int64)
            )
            self.champion_ids, self.spacing = self.champion_ids[::2], 2 * self.spacing

    def extra_state(self) -> base.State:
        """Return the champions so far."""
        if self.champions is None:
            return {}
        genes = base.named_genes(self.champions, "champions.")
        return {**genes, "champion_ids": np.array(self.champion_ids), "spacing": self.spacing}

    def restore_extra(self, state: base.State) -> None:
        """Take back what `extra_state` returned."""
        if "spacing" in state:
            self.champions = base.restored_genes(layered, state, "champions.")
            self.champion_ids = tuple(int(i) for i in state["champion_ids"])
            self.spacing = int(state["spacing"])

    def express(self, genes: layered.Genes) -> base.Networks:
        """Return genomes as graphs."""
        return base.Networks(graph, layered.express(genes, self.settings.genome))

    def facts(self) -> Mapping[str, float]:
        """Return how complex the networks are, as the paper records it."""
        genes = self.ask().genes
        layers, (nodes, _) = layered.hidden_layers(genes), layered.complexity(genes)
        return {
            "hidden_layers": float(layers.mean()),
            "nodes_per_hidden_layer": float(nodes.sum() / max(1, layers.sum())),
        }

    def _new(self, count: int, generation: int) -> layered.Genes:
        """Return new networks for a generation."""
        rng = stream(self.seed, "layered", "new", generation)
        return begin(self.settings.start, count, *self.shape, rng)


def begin(
    settings: Start, count: int, inputs: int, outputs: int, rng: np.random.Generator
) -> layered.Genes:
    """Return new genomes without hidden nodes: I × O edges, weights and biases in ± spread."""
    edges = inputs * outputs
    source, target = np.divmod(np.arange(edges), outputs)
    return layered.Genes(
        node_start=np.arange(count + 1) * outputs,
        layer=np.ones(count * outputs, np.int64),
        bias=rng.uniform(-settings.spread, settings.spread, count * outputs),
        edge_start=np.arange(count + 1) * edges,
        source=np.tile(source, count),
        target=np.tile(target + inputs, count),
        weight=rng.uniform(-settings.spread, settings.spread, count * edges),
        shape=np.array([inputs, outputs]),
    )


def _staying(source: Array, steps: Array) -> Array:
    """Tell who is the first unchanged copy of an individual, as a mask."""
    copies = np.flatnonzero((source >= 0) & (steps == 0))
    mask = np.zeros(len(source), bool)
    mask[copies[np.unique(source[copies], return_index=True)[1]]] = True
    return mask
