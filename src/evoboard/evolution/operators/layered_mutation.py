"""The six mutations of layered networks, chosen by weight; u is uniform in 0..1.

    change weight, change bias    v = 2 u - 1, times `spread`
    shift weight, shift bias      v = v ± u², both signs equally likely
    add edge                      between two nodes of different layers that none connects yet
    add node                      on an edge, which two edges with new random weights replace; in
                                  a random layer strictly between its ends, or in a new layer of
                                  its own where the two are adjacent; its bias is random, too

Which number, pair or edge is met is uniform among all there are. The number of mutations of a
genome is uniform in `fewest` to `most`. Where every pair is connected, "add edge" gives way to the
others, so that a genome gets the mutations it was meant to get.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core.arrays import Array
from evoboard.core.bits import shift_right
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import linked
from evoboard.core.rng import below, next_random, nth_seed
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.genomes.layered import Genes

_WEIGHT = "how often this mutation is chosen, relative to the others"


class Settings(BaseSettings):
    """How many mutations a genome gets, and how often each is chosen."""

    fewest: int = Field(0, ge=0, le=1000, description="fewest mutations per genome")
    most: int = Field(1, ge=0, le=1000, description="most mutations per genome")
    change_weight: float = Field(1.0, ge=0, description=_WEIGHT)
    change_bias: float = Field(1.0, ge=0, description=_WEIGHT)
    shift_weight: float = Field(1.0, ge=0, description=_WEIGHT)
    shift_bias: float = Field(1.0, ge=0, description=_WEIGHT)
    add_edge: float = Field(1.0, ge=0, description=_WEIGHT)
    add_node: float = Field(1.0, ge=0, description=_WEIGHT)
    spread: float = Field(1.0, gt=0, description="new weights and biases are uniform in ± spread")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.fewest > self.most:
            raise ValueError(f"fewest is {self.fewest} and most is {self.most}; lower fewest")
        values = self.change_weight + self.change_bias + self.shift_weight + self.shift_bias
        if self.most and not values + self.add_edge + self.add_node:
            raise ValueError("no mutation has a weight above 0; give one, or set most = 0")
        return self


def draw_counts(settings: Settings, genomes: int, rng: np.random.Generator) -> Array:
    """Return how many mutations each genome gets."""
    return rng.integers(settings.fewest, settings.most, genomes, np.int64, endpoint=True)


def mutate(genes: Genes, parents: Array, counts: Array, settings: Settings, seed: int) -> Genes:
    """Return a child of each parent (an index into `genes`) after so many mutations."""
    parents, counts = np.asarray(parents, np.int64), np.asarray(counts, np.int64)
    # Every mutation adds one node and one edge at most.
    node_counts = np.diff(genes.node_start)[parents] + counts
    nodes = int(node_counts.sum())
    edges = int((np.diff(genes.edge_start)[parents] + counts).sum())
    starts = np.zeros((2, len(parents) + 1), np.int64)
    whole, real = np.zeros((3, max(nodes, edges)), np.int64), np.zeros((2, max(nodes, edges)))
    # Read-only arrays would be compiled for anew.
    plain = Genes(*(np.require(column, None, ["C", "W"]) for column in genes))
    out = Genes(starts[0], whole[0], real[0], starts[1], whole[1], whole[2], real[1], plain.shape)
    spare = np.zeros((2, int(genes.shape[0] + node_counts.max(initial=0))), np.int64)
    rates = kernel_tuple(settings)
    linked(mutate_all)(plain, parents, counts, rates, seed, out, spare, np.zeros(3, np.int64))
    nodes, edges = out.node_start[-1], out.edge_start[-1]
    return out._replace(
        layer=whole[0, :nodes].copy(),
        bias=real[0, :nodes].copy(),
        source=whole[1, :edges].copy(),
        target=whole[2, :edges].copy(),
        weight=real[1, :edges].copy(),
    )


class LayeredDraft(NamedTuple):
    """One genome that grows at the end of the output arrays."""

    layer: Array
    bias: Array
    source: Array
    target: Array
    weight: Array
    shape: Array  # inputs, outputs
    state: Array  # nodes, edges, the random number last drawn
    spare: Array  # (2, a cell per input and node)


NODES, EDGES, LUCK = 0, 1, 2
TINY = 2.0**-53


def mutate_all(
    genes: Any,
    parents: Array,
    counts: Array,
    rates: Any,
    seed: int,
    out: Any,
    spare: Array,
    state: Array,
) -> None:
    """Write to `out` a mutated copy of every parent, one behind the other."""
    node, edge = 0, 0
    for child in range(parents.shape[0]):
        parent = parents[child]
        draft = LayeredDraft(
            out.layer[node:],
            out.bias[node:],
            out.source[edge:],
            out.target[edge:],
            out.weight[edge:],
            genes.shape,
            state,
            spare,
        )
        copy(genes, parent, draft)
        state[LUCK] = nth_seed(seed, child)
        for _ in range(counts[child]):
            mutate_once(draft, rates)
        node += state[NODES]
        edge += state[EDGES]
        out.node_start[child + 1] = node
        out.edge_start[child + 1] = edge


def copy(genes: Any, parent: int, draft: Any) -> None:
    """Make a draft the copy of a genome."""
    first, last = genes.node_start[parent], genes.node_start[parent + 1]
    for i in range(first, last):
        draft.layer[i - first] = genes.layer[i]
        draft.bias[i - first] = genes.bias[i]
    draft.state[NODES] = last - first
    first, last = genes.edge_start[parent], genes.edge_start[parent + 1]
    for i in range(first, last):
        draft.source[i - first] = genes.source[i]
        draft.target[i - first] = genes.target[i]
        draft.weight[i - first] = genes.weight[i]
    draft.state[EDGES] = last - first


def mutate_once(draft: Any, rates: Any) -> None:
    """Make one mutation, chosen by weight, of a draft."""
    values = rates.change_weight + rates.change_bias + rates.shift_weight + rates.shift_bias
    rest = values + rates.add_node
    pick = uniform(draft) * (rest + rates.add_edge)
    if pick >= rest:
        free = count_unlinked(draft)
        if free > 0:
            add_edge(draft, free, rates.spread)
            return
        if rest == 0.0:
            return
        pick = uniform(draft) * rest
    if pick >= values:
        add_node(draft, rates.spread)
    elif pick < rates.change_weight:
        draft.weight[choose(draft, draft.state[EDGES])] = fresh(draft, rates.spread)
    elif pick < rates.change_weight + rates.change_bias:
        draft.bias[choose(draft, draft.state[NODES])] = fresh(draft, rates.spread)
    elif pick < rates.change_weight + rates.change_bias + rates.shift_weight:
        draft.weight[choose(draft, draft.state[EDGES])] += shift(draft)
    else:
        draft.bias[choose(draft, draft.state[NODES])] += shift(draft)


def add_node(draft: Any, spread: float) -> None:
    """Put a node on a random edge, in a random layer between its ends."""
    inputs, nodes, edges = draft.shape[0], draft.state[NODES], draft.state[EDGES]
    edge = choose(draft, edges)
    source, target = draft.source[edge], draft.target[edge]
    low, high = layer_of(draft, source), layer_of(draft, target)
    layer = low + 1
    if high - low > 1:
        layer += choose(draft, high - low - 1)
    else:
        for i in range(nodes):
            if draft.layer[i] >= layer:
                draft.layer[i] += 1
    draft.layer[nodes] = layer
    draft.bias[nodes] = fresh(draft, spread)
    draft.target[edge] = inputs + nodes
    draft.weight[edge] = fresh(draft, spread)
    draft.source[edges] = inputs + nodes
    draft.target[edges] = target
    draft.weight[edges] = fresh(draft, spread)
    draft.state[NODES] += 1
    draft.state[EDGES] += 1


def count_unlinked(draft: Any) -> int:
    """Return how many pairs of nodes could be linked; `spare[0]` says how many begin at each."""
    nodes, edges, starts = draft.state[NODES], draft.state[EDGES], draft.spare[0]
    total = 0
    for key in range(draft.shape[0] + nodes):
        layer = layer_of(draft, key)
        starts[key] = 0
        for i in range(nodes):
            if draft.layer[i] > layer:
                starts[key] += 1
        total += starts[key]
    for i in range(edges):
        starts[draft.source[i]] -= 1
    return total - edges


def add_edge(draft: Any, free: int, spread: float) -> None:
    """Link one of the `free` pairs that `count_unlinked` found, each equally likely."""
    inputs, nodes, edges = draft.shape[0], draft.state[NODES], draft.state[EDGES]
    starts, linked = draft.spare[0], draft.spare[1]
    left = choose(draft, free)
    key = 0
    while left >= starts[key]:
        left -= starts[key]
        key += 1
    for i in range(nodes):
        linked[i] = 0
    for i in range(edges):
        if draft.source[i] == key:
            linked[draft.target[i] - inputs] = 1
    layer = layer_of(draft, key)
    node = -1
    while left >= 0:
        node += 1
        if linked[node] == 0 and draft.layer[node] > layer:
            left -= 1
    draft.source[edges] = key
    draft.target[edges] = inputs + node
    draft.weight[edges] = fresh(draft, spread)
    draft.state[EDGES] += 1


def layer_of(draft: Any, key: int) -> int:
    """Return the layer of an input or node."""
    return draft.layer[key - draft.shape[0]] if key >= draft.shape[0] else 0


def fresh(draft: Any, spread: float) -> float:
    """Return a new random value in ± spread."""
    return spread * (2.0 * uniform(draft) - 1.0)


def shift(draft: Any) -> float:
    """Return u² with a random sign."""
    step = uniform(draft)
    return step * step if choose(draft, 2) == 1 else -step * step


def uniform(draft: Any) -> float:
    """Return a number in 0..1, 1 excluded."""
    draft.state[LUCK] = next_random(draft.state[LUCK])
    return shift_right(draft.state[LUCK], 11) * TINY


def choose(draft: Any, bound: int) -> Any:
    """Return a whole number in 0..bound - 1."""
    draft.state[LUCK] = next_random(draft.state[LUCK])
    return below(draft.state[LUCK], bound)
