"""NEAT genomes: nodes and links with innovation numbers, a whole population in flat arrays.

Keys: the inputs are 0 … inputs-1 and have no node; the outputs follow and always have one; hidden
nodes have the keys above. A link's number stands for its two ends, in every genome of a run.

A link's status joins two dialects. LIVE is expressed and can be split. Paper A: SPLIT is expressed
(it begins with weight 0) but is not split again, DEAD is not expressed and never will be. The
original NEAT and paper D: DISABLED is not expressed and may be enabled again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import ragged
from evoboard.evolution.genomes.neat_check import check as check
from evoboard.evolution.genomes.neat_json import STATUS_NAMES, LinkGene, NodeGene
from evoboard.evolution.genomes.neat_json import NeatGenome as NeatGenome
from evoboard.networks.activations import ACTIVATIONS, AGGREGATIONS, Activation, Aggregation
from evoboard.networks.express import Wiring
from evoboard.networks.express import express as express_wiring
from evoboard.networks.graph import GraphPack

LIVE, SPLIT, DEAD, DISABLED = range(4)
Gene = TypeVar("Gene", NodeGene, LinkGene)


class Settings(settings.Settings):
    """What the nodes of new genomes do; steepness 4.9 is the original NEAT's."""

    hidden: Activation = Field("sigmoid", description="activation of hidden nodes")
    hidden_bound: float = Field(1.0, gt=0, description="bound of hidden activations")
    hidden_steepness: float = Field(4.9, gt=0, description="steepness of hidden activations")
    output: Activation = Field("sigmoid", description="activation of outputs")
    output_bound: float = Field(1.0, gt=0, description="bound of output activations")
    output_steepness: float = Field(4.9, gt=0, description="steepness of output activations")
    aggregation: Aggregation = Field("sum", description="how a node combines its inputs")
    loops: Literal["refuse", "kill"] = Field(
        "refuse", description="what happens to a link that would close a cycle"
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
    frozen: Array  # int64, 1 if the weight is never mutated
    shape: Array  # int64 (2,), inputs and outputs


NODE_FIELDS = ("node", "bias", "response", "activation", "aggregation")
LINK_FIELDS = ("link", "source", "target", "weight", "status", "frozen")
ROWS = {"node_start": NODE_FIELDS, "link_start": LINK_FIELDS}
# Columns that hold places in these lists.
LISTED: dict[str, tuple[Any, ...]] = {
    "activation": ACTIVATIONS,
    "aggregation": AGGREGATIONS,
    "status": STATUS_NAMES,
    "frozen": (False, True),
}


def count(genes: Genes) -> int:
    """Return how many genomes there are."""
    return len(genes.node_start) - 1


def take(genes: Genes, indices: Sequence[int] | Array) -> Genes:
    """Return the chosen genomes, in that order."""
    return ragged.take(genes, indices, ROWS)


def join(parts: Sequence[Genes]) -> Genes:
    """Return several populations as one."""
    return ragged.join(parts, ROWS)


def complexity(genes: Genes) -> tuple[Array, Array]:
    """Return how many hidden nodes and how many expressed links each genome has."""
    expressed = np.concatenate(([0], np.cumsum(genes.status <= SPLIT)))
    return np.diff(genes.node_start) - genes.shape[1], np.diff(expressed[genes.link_start])


def genome(genes: Genes, index: int) -> NeatGenome:
    """Return one genome as a value."""
    return NeatGenome.model_construct(
        kind="neat",
        version=1,
        inputs=int(genes.shape[0]),
        outputs=int(genes.shape[1]),
        nodes=_values(NodeGene, genes, index, "node_start"),
        links=_values(LinkGene, genes, index, "link_start"),
    )


def _values(kind: type[Gene], genes: Genes, index: int, start: str) -> tuple[Gene, ...]:
    """Return a genome's nodes or links; a value's fields are in the order of the columns."""
    columns = ragged.cells(genes, index, start, ROWS)
    for at, name in enumerate(ROWS[start]):
        if name in LISTED:
            columns[at] = [LISTED[name][code] for code in columns[at]]
    names = kind.model_fields
    rows = zip(*columns, strict=True)
    return tuple(kind.model_construct(**dict(zip(names, row, strict=True))) for row in rows)


def from_genome(value: NeatGenome) -> Genes:
    """Return a value as a population of one; checked."""
    genes = Genes(
        node_start=np.array([0, len(value.nodes)]),
        link_start=np.array([0, len(value.links)]),
        shape=np.array([value.inputs, value.outputs], np.int64),
        **_columns(NodeGene, value.nodes, "node_start"),
        **_columns(LinkGene, value.links, "link_start"),
    )
    check(genes)
    return genes


def _columns(kind: type[Gene], values: Sequence[Gene], start: str) -> dict[str, Array]:
    """Return nodes or links as arrays, the inverse of `_values`."""
    columns: dict[str, Array] = {}
    for name, field in zip(ROWS[start], kind.model_fields, strict=True):
        cells = [getattr(value, field) for value in values]
        if name in LISTED:
            cells = [LISTED[name].index(cell) for cell in cells]
        real = name in ("bias", "response", "weight")
        columns[name] = np.array(cells, np.float64 if real else np.int64)
    return columns


def from_json(data: Any) -> Genes:
    """Return the genome in JSON data from `to_json`, or in their text, as a population of one."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PartError(f"the text of a genome must be JSON: {error}.") from None
    return from_genome(settings.read(NeatGenome, data, "genome"))


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
