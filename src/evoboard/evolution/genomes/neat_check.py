"""What makes a population of NEAT genomes valid."""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.evolution.base import Shape
from evoboard.networks.activations import ACTIVATIONS, AGGREGATIONS

DEAD = 2
# Larger numbers would be infinite in a network, whose numbers are float32.
LARGEST = float(np.finfo(np.float32).max)


def check(genes: Any, shape: Shape | None = None) -> None:
    """Raise PartError if genomes are not valid.

    Keys and numbers ascend, ends exist, no link leads to an input or leaves an output, no two share
    both ends, numbers are finite, and the links that are not dead form no cycle: a disabled link
    counts, since it may be enabled again.
    """
    _check_frame(genes, shape)
    owner = np.repeat(np.arange(len(genes.node_start) - 1), np.diff(genes.node_start))
    holder = np.repeat(np.arange(len(genes.link_start) - 1), np.diff(genes.link_start))
    _check_nodes(genes, owner)
    _check_links(genes, holder)
    span = int(max(genes.node.max(initial=0), genes.source.max(initial=0), genes.shape.sum())) + 1
    span = max(span, int(genes.target.max(initial=0)) + 1)
    # (genome, key) as one number: ascending over the whole population.
    names = owner * span + genes.node
    inputs = genes.shape[0]
    targets = _places(names, holder * span + genes.target)
    _refuse(targets < 0, holder, "has a link to an unknown node")
    sources = _places(names, holder * span + genes.source)
    _refuse((sources < 0) & (genes.source >= inputs), holder, "has a link from an unknown node")
    order = np.lexsort((genes.target, genes.source, holder))
    same = np.ones(max(len(order) - 1, 0), bool)
    for column in (holder, genes.source, genes.target):
        same &= np.diff(column[order]) == 0
    _refuse(same, holder[order], "has two links with the same ends")
    live = (genes.status != DEAD) & (genes.source >= inputs)
    _refuse(_in_cycles(sources[live], targets[live], len(names)), owner, "has links in a cycle")


def _check_frame(genes: Any, shape: Shape | None) -> None:
    """Check sizes and types, and that the genomes are of the shape wanted."""
    if genes.shape.shape != (2,) or (genes.shape < 1).any():
        raise PartError("a genome needs one or more inputs and outputs.")
    if shape is not None and tuple(genes.shape) != tuple(shape):
        inputs, outputs = (int(number) for number in genes.shape)
        raise PartError(
            f"the genomes have {inputs} inputs and {outputs} outputs; "
            f"{shape.inputs} and {shape.outputs} are wanted."
        )
    nodes, links = len(genes.node), len(genes.link)
    for start, size in ((genes.node_start, nodes), (genes.link_start, links)):
        if len(start) != len(genes.node_start) or start[0] != 0 or start[-1] != size:
            raise PartError("the starts of a population do not fit its arrays.")
        if (np.diff(start) < 0).any():
            raise PartError("the starts of a population must not fall.")
    for name, size in (
        *((name, nodes) for name in ("bias", "response", "activation", "aggregation")),
        *((name, links) for name in ("source", "target", "weight", "status", "frozen")),
    ):
        if getattr(genes, name).shape != (size,):
            raise PartError(f"a population has {len(getattr(genes, name))} cells of {name}.")


def _check_nodes(genes: Any, owner: Array) -> None:
    """Check every node by itself and the order of nodes."""
    node, start = genes.node, genes.node_start
    inputs, outputs = int(genes.shape[0]), int(genes.shape[1])
    _refuse(np.diff(start) < outputs, np.arange(len(start) - 1), "lacks the node of an output")
    heads = start[:-1, None] + np.arange(outputs)
    wrong = (node[heads] != inputs + np.arange(outputs)).any(axis=1)
    _refuse(wrong, np.arange(len(wrong)), "lacks the node of an output, or has one for an input")
    later = np.flatnonzero(np.diff(owner) == 0) + 1
    _refuse(node[later] <= node[later - 1], owner[later], "has node keys that do not ascend")
    for column in (genes.bias, genes.response):
        _refuse(~(np.abs(column) <= LARGEST), owner, "has a node with a number that is not finite")
    for column, names in ((genes.activation, ACTIVATIONS), (genes.aggregation, AGGREGATIONS)):
        wrong = (column < 0) | (column >= len(names))
        _refuse(wrong, owner, "has a node with an unknown activation or aggregation")


def _check_links(genes: Any, holder: Array) -> None:
    """Check every link by itself and the order of links."""
    later = np.flatnonzero(np.diff(holder) == 0) + 1
    falling = genes.link[later] <= genes.link[later - 1]
    _refuse(falling, holder[later], "has link numbers that do not ascend")
    _refuse(genes.link < 0, holder, "has a link with a negative number")
    _refuse(genes.source < 0, holder, "has a link from an unknown node")
    _refuse(genes.target < genes.shape[0], holder, "has a link that leads to an input")
    leaves = (genes.source >= genes.shape[0]) & (genes.source < genes.shape.sum())
    _refuse(leaves, holder, "has a link that leaves an output")
    _refuse(~(np.abs(genes.weight) <= LARGEST), holder, "has a weight that is not finite")
    wrong = (genes.status < 0) | (genes.status > 3) | (genes.frozen < 0) | (genes.frozen > 1)
    _refuse(wrong, holder, "has a link with an unknown status")


def _refuse(wrong: Array, owner: Array, what: str) -> None:
    """Raise PartError for the first genome that is wrong."""
    if wrong.any():
        raise PartError(f"genome {int(owner[int(np.argmax(wrong))])} {what}; it cannot be used.")


def _places(names: Array, wanted: Array) -> Array:
    """Return where in the ascending `names` each wanted one stands, -1 where it does not."""
    places = np.searchsorted(names, wanted)
    inside = np.minimum(places, len(names) - 1)
    return np.where(names[inside] == wanted, inside, -1)


def _in_cycles(sources: Array, targets: Array, nodes: int) -> Array:
    """Tell for every node whether it is in a cycle or behind one."""
    left = np.ones(nodes, bool)
    while True:
        # Take away all nodes that nothing left leads to, until none is left or all are led to.
        led = np.zeros(nodes, bool)
        led[targets] = True
        going = left & ~led
        if not going.any():
            return left & led
        left &= led
        stays = left[sources]
        sources, targets = sources[stays], targets[stays]
