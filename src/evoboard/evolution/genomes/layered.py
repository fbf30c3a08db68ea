"""Layered genomes: nodes live in layers, edges lead from any layer to any later one.

All numbers of a population lie one genome after the other:

    node_start  int64 (n + 1,)  genome i has the nodes node_start[i] to node_start[i + 1]
    layer       int64           the layer of each node; the inputs are layer 0
    bias        float64
    edge_start  int64 (n + 1,)  and likewise its edges
    source      int64           keys of the two ends, an edge leads to a later layer
    target      int64
    weight      float64
    shape       int64 (2,)      inputs and outputs, shared by all

Keys within a genome: inputs 0 to I - 1 (they have no node), outputs I to I + O - 1, hidden nodes
from I + O on in the order they came. The outputs are alone in the last layer, and no layer is
empty. A node's value is activation(bias + sum of weight times value of each edge's source); inputs
are taken as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.core.settings import Settings as BaseSettings
from evoboard.core.settings import read
from evoboard.evolution.base import Genome
from evoboard.evolution.genomes import ragged
from evoboard.networks import express as networks
from evoboard.networks.activations import SUM, Activation, activation_code
from evoboard.networks.graph import GraphPack


class Genes(NamedTuple):
    """A population; the module says what each array holds."""

    node_start: Array
    layer: Array
    bias: Array
    edge_start: Array
    source: Array
    target: Array
    weight: Array
    shape: Array


class Settings(BaseSettings):
    """What nodes do. The paper's function of a node (2.2) is the same for all, outputs included."""

    activation: Activation = Field(
        "elu",
        description="activation of every node; elu has no upper bound, which outputs need that "
        "name a heap or an amount",
    )
    bound: float = Field(1.0, gt=0, description="the activation's bound")
    steepness: float = Field(1.0, gt=0, description="the activation's steepness")


ROWS = {"node_start": ("layer", "bias"), "edge_start": ("source", "target", "weight")}
Number = Annotated[int, Field(ge=0, le=1 << 20)]  # of a node, a layer or an input


class LayeredGenome(Genome):
    """One genome: (layer, bias) of each node, outputs first, and (source, target, weight)."""

    kind: Literal["layered"]
    version: Literal[1]
    inputs: Annotated[Number, Field(ge=1)]
    outputs: Annotated[Number, Field(ge=1)]
    nodes: tuple[tuple[Number, float], ...]
    edges: tuple[tuple[Number, Number, float], ...]


def count(genes: Genes) -> int:
    """Return how many genomes there are."""
    return len(genes.node_start) - 1


def take(genes: Genes, indices: Array) -> Genes:
    """Return the chosen genomes, in that order."""
    return ragged.take(genes, indices, ROWS)


def join(parts: Sequence[Genes]) -> Genes:
    """Return several populations as one; all must have the same inputs and outputs."""
    return ragged.join(parts, ROWS)


def complexity(genes: Genes) -> tuple[Array, Array]:
    """Return the number of hidden nodes and of edges of each genome."""
    return np.diff(genes.node_start) - genes.shape[1], np.diff(genes.edge_start)


def hidden_layers(genes: Genes) -> Array:
    """Return the number of hidden layers of each genome."""
    # Outputs come first among a genome's nodes, and theirs is the last layer.
    return genes.layer[genes.node_start[:-1]] - 1


def genome(genes: Genes, index: int) -> LayeredGenome:
    """Return one genome as a value."""
    return LayeredGenome.model_construct(
        kind="layered",
        version=1,
        inputs=int(genes.shape[0]),
        outputs=int(genes.shape[1]),
        nodes=tuple(zip(*ragged.cells(genes, index, "node_start", ROWS), strict=True)),
        edges=tuple(zip(*ragged.cells(genes, index, "edge_start", ROWS), strict=True)),
    )


def express(genes: Genes, settings: Settings) -> GraphPack:
    """Return genomes as networks, in order."""
    inputs, outputs = genes.shape.tolist()
    nodes = len(genes.layer)
    keys = inputs + np.arange(nodes) - np.repeat(genes.node_start[:-1], np.diff(genes.node_start))
    wiring = networks.Wiring(
        node_start=genes.node_start,
        node=keys,
        bias=genes.bias,
        response=np.ones(nodes),
        activation=np.full(nodes, activation_code(settings.activation), np.int64),
        aggregation=np.full(nodes, SUM, np.int64),
        bound=np.full(nodes, settings.bound),
        steepness=np.full(nodes, settings.steepness),
        link_start=genes.edge_start,
        source=genes.source,
        target=genes.target,
        weight=genes.weight,
        live=np.ones(len(genes.source), bool),
    )
    return networks.express(wiring, inputs, outputs)


def from_json(data: Any) -> Genes:
    """Return a population of the one genome in JSON data from `to_json`."""
    form = read(LayeredGenome, data, "genome")
    layer, bias = _columns(form.nodes, 2)
    source, target, weight = _columns(form.edges, 3)
    genes = Genes(
        np.array([0, len(form.nodes)]),
        np.array(layer, np.int64),
        np.array(bias, np.float64),
        np.array([0, len(form.edges)]),
        np.array(source, np.int64),
        np.array(target, np.int64),
        np.array(weight, np.float64),
        np.array([form.inputs, form.outputs]),
    )
    check(genes)
    return genes


def check(genes: Genes) -> None:
    """Raise PartError for the first genome that is not valid, and say why."""
    for index in range(count(genes)):
        reason = _fault(take(genes, np.array([index])))
        if reason:
            raise PartError(f"layered genome {index} is not valid: {reason}.")


def _fault(one: Genes) -> str:
    """Return what is wrong with the only genome of a population, or nothing."""
    inputs, outputs = one.shape.tolist()
    nodes = len(one.layer)
    if nodes < outputs:
        return f"it has {nodes} nodes for {outputs} outputs"
    last = int(one.layer[0])
    if (one.layer[:outputs] != last).any() or (one.layer[outputs:] >= last).any():
        return "its outputs are not alone in the last layer"
    if set(one.layer.tolist()) != set(range(1, last + 1)):
        return f"its nodes are not in layers 1 to {last}, none of them empty"
    ends = np.stack([one.source, one.target])
    if (ends < 0).any() or (ends >= inputs + nodes).any() or (one.target < inputs).any():
        return "an edge has an end that is not a node, or leads to an input"
    layer = np.concatenate([np.zeros(inputs, np.int64), one.layer])
    if (layer[one.source] >= layer[one.target]).any():
        return "an edge does not lead to a later layer"
    if len(np.unique(ends, axis=1).T) != len(ends.T):
        return "two edges have the same ends"
    if not (np.isfinite(one.bias).all() and np.isfinite(one.weight).all()):
        return "a bias or a weight is not a finite number"
    return ""


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]
