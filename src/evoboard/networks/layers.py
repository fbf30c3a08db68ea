"""Networks by layers: how deep a node is, and the matrices between the layers of an mlp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork


class Layer(NamedTuple):
    """One layer of an mlp; its last one may have weights from the inputs, too."""

    bias: Array  # (width,)
    weights: Array  # (sources, width)
    direct: Array | None  # (inputs, width)
    activation: str
    bound: float
    steepness: float


def layers_of(network: MLPNetwork) -> list[Layer]:
    """Return the layers after the inputs."""
    design, vector = network.design, network.vector
    last = len(design.sizes) - 2
    found = []
    for i in range(last + 1):
        fan, width = design.sizes[i : i + 2]
        weights = vector[design.weights(i)].reshape(fan, width)
        direct = None
        if i == last and design.direct:
            direct = vector[design.weights(i).stop :].reshape(network.inputs, width)
        kind = (design.activations[i], design.bounds[i], design.steepness[i])
        found.append(Layer(vector[design.biases(i)], weights, direct, *kind))
    return found


def node_depths(network: GraphNetwork) -> list[int]:
    """Return for every node one more than the deepest node it is linked to; 0 without any."""
    depths: list[int] = []
    for node in range(network.nodes):
        sources = network.source[slice(*network.start[node : node + 2])] - network.inputs
        depths.append(max((1 + depths[k] for k in sources[sources >= 0]), default=0))
    return depths


def node_links(network: GraphNetwork, node: int) -> list[tuple[int, np.float32]]:
    """Return the slot and the weight of every link that leads to a node."""
    links = slice(*network.start[node : node + 2])
    return [(int(s), w) for s, w in zip(network.source[links], network.weight[links], strict=True)]
