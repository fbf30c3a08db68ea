"""NEAT genomes: nodes and links with innovation numbers, a whole population in flat arrays.

Keys: the inputs are 0 … inputs-1 and have no node; the outputs follow and always have one; hidden
nodes have the keys above. A link's number stands for its two ends, in every genome of a run.

A link's status joins two dialects. LIVE is expressed and can be split. Paper A: SPLIT is expressed
(it begins with weight 0) but is not split again, DEAD is not expressed and never will be. The
original NEAT and paper D: DISABLED is not expressed and may be enabled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes.neat_check import check as check
from evoboard.evolution.genomes.neat_json import LinkGene, NodeGene, read, written
from evoboard.networks.activations import (
    ACTIVATIONS,
    AGGREGATIONS,
    Activation,
    Aggregation,
    activation_code,
    aggregation_code,
)
from evoboard.networks.express import Wiring
from evoboard.networks.express import express as express_wiring
from evoboard.networks.graph import GraphPack

LIVE, SPLIT, DEAD, DISABLED = range(4)


class Settings(settings.Settings):
    """What the nodes of new genomes do; steepness 4.9 is the original NEAT's."""

    hidden: Activation = Field(default="sigmoid", description="activation of hidden nodes")
    hidden_bound: float = Field(default=1.0, gt=0, description="bound of hidden activations")
    hidden_steepness: float = Field(
        default=4.9, gt=0, description="steepness of hidden activations"
    )
    output: Activation = Field(default="sigmoid", description="activation of outputs")
    output_bound: float = Field(default=1.0, gt=0, description="bound of output activations")
    output_steepness: float = Field(
        default=4.9, gt=0, description="steepness of output activations"
    )
    aggregation: Aggregation = Field(
        default="sum", description="what a node makes of all that reaches it"
    )
    loops: Literal["refuse", "kill"] = Field(
        default="refuse", description="what becomes of a link that would close a cycle"
    )


class Genes(NamedTuple):
    """Genome i has nodes node_start[i] … node_start[i+1]-1 and links link_start[i] …, ascending."""

    node_start: Array  # int64 (n + 1,)
    node: Array  # int64, keys
    bias: Array  # float64
    response: Array  # float64
    activation: Array  # int64, codes of networks.activations
    aggregation: Array  # int64
    link_start: Array  # int64 (n + 1,)
    link: Array  # int64, innovation numbers
    source: Array  # int64, keys
    target: Array  # int64, keys
    weight: Array  # float64
    status: Array  # int64
    frozen: Array  # int64, 1 where the weight is never mutated
    shape: Array  # int64 (2,), inputs and outputs


NODE_FIELDS = ("node", "bias", "response", "activation", "aggregation")
LINK_FIELDS = ("link", "source", "target", "weight", "status", "frozen")


@dataclass(frozen=True)
class NeatGenome:
    """One genome as an immutable value."""

    inputs: int
    outputs: int
    nodes: tuple[NodeGene, ...]
    links: tuple[LinkGene, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the genome as JSON data; `from_json` gives it back exactly."""
        return written(self.inputs, self.outputs, self.nodes, self.links)


def count(genes: Genes) -> int:
    """Return how many genomes there are."""
    return len(genes.node_start) - 1


def take(genes: Genes, indices: Sequence[int] | Array) -> Genes:
    """Return the chosen genomes, in that order."""
    chosen = np.asarray(indices, np.int64)
    node_start, nodes = _gather(genes.node_start, chosen)
    link_start, links = _gather(genes.link_start, chosen)
    return genes._replace(
        node_start=node_start,
        link_start=link_start,
        **{name: getattr(genes, name)[nodes] for name in NODE_FIELDS},
        **{name: getattr(genes, name)[links] for name in LINK_FIELDS},
    )


def _gather(start: Array, chosen: Array) -> tuple[Array, Array]:
    """Return the new starts, and where every cell of the chosen rows is found."""
    sizes = start[chosen + 1] - start[chosen]
    ends = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends, np.repeat(start[chosen] - ends[:-1], sizes) + np.arange(ends[-1])


def join(parts: Sequence[Genes]) -> Genes:
    """Return several populations as one."""
    if not parts:
        raise OptionError("there are no populations to join; give at least one.")
    for part in parts:
        if not np.array_equal(part.shape, parts[0].shape):
            raise OptionError("populations of different inputs or outputs cannot be joined.")
    columns = (*NODE_FIELDS, *LINK_FIELDS)
    return parts[0]._replace(
        node_start=_starts([part.node_start for part in parts]),
        link_start=_starts([part.link_start for part in parts]),
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in columns},
    )


def _starts(starts: Sequence[Array]) -> Array:
    sizes = np.concatenate([np.diff(start) for start in starts])
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def complexity(genes: Genes) -> tuple[Array, Array]:
    """Return how many hidden nodes and how many expressed links each genome has."""
    expressed = np.concatenate(([0], np.cumsum(genes.status <= SPLIT)))
    return np.diff(genes.node_start) - genes.shape[1], np.diff(expressed[genes.link_start])


def genome(genes: Genes, index: int) -> NeatGenome:
    """Return one genome as a value."""
    nodes = range(genes.node_start[index], genes.node_start[index + 1])
    links = range(genes.link_start[index], genes.link_start[index + 1])
    return NeatGenome(
        int(genes.shape[0]),
        int(genes.shape[1]),
        tuple(
            NodeGene(
                int(genes.node[i]),
                float(genes.bias[i]),
                float(genes.response[i]),
                ACTIVATIONS[genes.activation[i]],
                AGGREGATIONS[genes.aggregation[i]],
            )
            for i in nodes
        ),
        tuple(
            LinkGene(
                int(genes.link[i]),
                int(genes.source[i]),
                int(genes.target[i]),
                float(genes.weight[i]),
                int(genes.status[i]),
                bool(genes.frozen[i]),
            )
            for i in links
        ),
    )


def from_genome(value: NeatGenome) -> Genes:
    """Return a value as a population of one; checked."""
    nodes, links = value.nodes, value.links
    genes = Genes(
        node_start=np.array([0, len(nodes)]),
        node=np.array([node.key for node in nodes], np.int64),
        bias=np.array([node.bias for node in nodes], np.float64),
        response=np.array([node.response for node in nodes], np.float64),
        activation=np.array([activation_code(node.activation) for node in nodes], np.int64),
        aggregation=np.array([aggregation_code(node.aggregation) for node in nodes], np.int64),
        link_start=np.array([0, len(links)]),
        link=np.array([link.number for link in links], np.int64),
        source=np.array([link.source for link in links], np.int64),
        target=np.array([link.target for link in links], np.int64),
        weight=np.array([link.weight for link in links], np.float64),
        status=np.array([link.status for link in links], np.int64),
        frozen=np.array([link.frozen for link in links], np.int64),
        shape=np.array([value.inputs, value.outputs], np.int64),
    )
    check(genes)
    return genes


def from_json(data: Any) -> Genes:
    """Return the genome in JSON data from `to_json`, or in their text, as a population of one."""
    return from_genome(NeatGenome(*read(data)))


def express(genes: Genes, settings: Settings, shape: Shape | None = None) -> GraphPack:
    """Return genomes as networks, in order; settings give the nodes' bounds and steepness."""
    inputs, outputs = shape or Shape(int(genes.shape[0]), int(genes.shape[1]))
    hidden = genes.node >= inputs + outputs
    wiring = Wiring(
        genes.node_start,
        genes.node,
        genes.bias,
        genes.response,
        genes.activation,
        genes.aggregation,
        np.where(hidden, settings.hidden_bound, settings.output_bound),
        np.where(hidden, settings.hidden_steepness, settings.output_steepness),
        genes.link_start,
        genes.source,
        genes.target,
        genes.weight,
        genes.status <= SPLIT,
    )
    return express_wiring(wiring, inputs, outputs)
