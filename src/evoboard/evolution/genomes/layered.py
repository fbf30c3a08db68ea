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
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError
from evoboard.core.settings import Settings as BaseSettings
from evoboard.core.settings import read
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
        description="what every node does with its sum; elu has no upper bound, as a heap "
        "or an amount named by an output needs",
    )
    bound: float = Field(1.0, gt=0, description="the activation's bound")
    steepness: float = Field(1.0, gt=0, description="the activation's steepness")


@dataclass(frozen=True)
class LayeredGenome:
    """One genome: (layer, bias) of each node, outputs first, and (source, target, weight)."""

    inputs: int
    outputs: int
    nodes: tuple[tuple[int, float], ...]
    edges: tuple[tuple[int, int, float], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the genome as JSON data; `from_json` gives it back exactly."""
        return {
            "kind": "layered",
            "version": 1,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "nodes": [list(node) for node in self.nodes],
            "edges": [list(edge) for edge in self.edges],
        }


def count(genes: Genes) -> int:
    """Return how many genomes there are."""
    return len(genes.node_start) - 1


def take(genes: Genes, indices: Array) -> Genes:
    """Return the chosen genomes, in that order."""
    chosen = np.asarray(indices, np.int64)
    node_start, nodes = _rows(genes.node_start, chosen)
    edge_start, edges = _rows(genes.edge_start, chosen)
    return Genes(
        node_start,
        genes.layer[nodes],
        genes.bias[nodes],
        edge_start,
        genes.source[edges],
        genes.target[edges],
        genes.weight[edges],
        genes.shape,
    )


def join(parts: Sequence[Genes]) -> Genes:
    """Return several populations as one; all must have the same inputs and outputs."""
    if len({tuple(part.shape.tolist()) for part in parts}) != 1:
        raise OptionError("genomes of different numbers of inputs or outputs cannot be joined.")
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("layer", "bias", "source", "target", "weight")
    }
    return Genes(
        node_start=_starts([np.diff(part.node_start) for part in parts]),
        edge_start=_starts([np.diff(part.edge_start) for part in parts]),
        shape=parts[0].shape,
        **columns,
    )


def complexity(genes: Genes) -> tuple[Array, Array]:
    """Return the number of hidden nodes and of edges of each genome."""
    return np.diff(genes.node_start) - genes.shape[1], np.diff(genes.edge_start)


def hidden_layers(genes: Genes) -> Array:
    """Return the number of hidden layers of each genome."""
    # Outputs come first among a genome's nodes, and theirs is the last layer.
    return genes.layer[genes.node_start[:-1]] - 1


def genome(genes: Genes, index: int) -> LayeredGenome:
    """Return one genome as a value."""
    nodes = slice(genes.node_start[index], genes.node_start[index + 1])
    edges = slice(genes.edge_start[index], genes.edge_start[index + 1])
    ends = (genes.source[edges].tolist(), genes.target[edges].tolist())
    return LayeredGenome(
        inputs=int(genes.shape[0]),
        outputs=int(genes.shape[1]),
        nodes=tuple(zip(genes.layer[nodes].tolist(), genes.bias[nodes].tolist(), strict=True)),
        edges=tuple(zip(*ends, genes.weight[edges].tolist(), strict=True)),
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


Number = Annotated[int, Field(ge=0, le=1 << 20)]  # of a node, a layer or an input


class _Form(BaseSettings):
    kind: Literal["layered"]
    version: Literal[1]
    inputs: Annotated[Number, Field(ge=1)]
    outputs: Annotated[Number, Field(ge=1)]
    nodes: tuple[tuple[Number, float], ...]
    edges: tuple[tuple[Number, Number, float], ...]


def from_json(data: Any) -> Genes:
    """Return a population of the one genome in JSON data from `to_json`."""
    form = read(_Form, data, "genome")
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


def _rows(start: Array, chosen: Array) -> tuple[Array, Array]:
    """Return where the chosen genomes begin among their own cells, and those cells."""
    lengths = (start[1:] - start[:-1])[chosen]
    starts = _starts([lengths])
    return starts, np.repeat(start[chosen] - starts[:-1], lengths) + np.arange(starts[-1])


def _starts(lengths: Sequence[Array]) -> Array:
    """Return where rows of these lengths begin, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    return [[row[i] for row in rows] for i in range(width)]
