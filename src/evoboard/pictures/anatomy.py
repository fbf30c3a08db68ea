"""A network as data to draw: nodes by depth, links with their weights, layers as matrices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.layers import layers_of, node_depths
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.pictures.inputs import Arrangement

SWEEPS = 3  # over the columns, to put nodes near what they are linked to


def anatomy(
    network: GraphNetwork | MLPNetwork, outputs: Sequence[str], inputs: Arrangement
) -> dict[str, Any]:
    """Return everything about a network that can be drawn or pointed at; `outputs` are names."""
    parts = _graph(network, inputs) if isinstance(network, GraphNetwork) else _layers(network)
    return {"inputs": inputs.as_data(), "outputs": list(outputs), **parts}


def summary(network: GraphNetwork | MLPNetwork) -> dict[str, int]:
    """Return how many inputs, hidden nodes, outputs, links and direct links there are."""
    if isinstance(network, GraphNetwork):
        outputs = set(network.outputs)
        last = np.isin(network.target - network.inputs, list(outputs))
        direct = int(((network.source < network.inputs) & last).sum())
        hidden, links, ends = network.nodes - len(outputs), len(network.source), len(outputs)
    else:
        design = network.design
        sizes = design.sizes
        direct = sizes[0] * sizes[-1] if design.direct or len(sizes) == 2 else 0
        extra = direct if design.direct else 0
        hidden, ends = sum(sizes[1:-1]), sizes[-1]
        links = extra + sum(a * b for a, b in pairwise(sizes))
    counts = {"inputs": network.inputs, "hidden": hidden, "outputs": ends}
    return {**counts, "links": links, "direct": direct}


def _graph(network: GraphNetwork, inputs: Arrangement) -> dict[str, Any]:
    depth = depths(network)
    rows = row_places(network, depth, inputs)
    names = ("bias", "response", "bound", "steepness")
    numbers = np.stack([getattr(network, name) for name in names], axis=1)
    nodes = [
        [int(depth[k]), round(float(rows[k]), 4), *_rounded(numbers[k]), activation, aggregation]
        for k, (activation, aggregation) in enumerate(
            zip(network.activation, network.aggregation, strict=True)
        )
    ]
    links = zip(network.source.tolist(), network.target.tolist(), strict=True)
    weights = _rounded(network.weight)
    return {
        "kind": "graph",
        "nodes": nodes,
        "ends": [network.inputs + node for node in network.outputs],
        "links": [[*ends, weight] for ends, weight in zip(links, weights, strict=True)],
    }


def depths(network: GraphNetwork) -> Array:
    """Return the column of every node: one more than the deepest node before it; outputs last."""
    depth = np.array(node_depths(network), np.int64) + 1
    outputs = list(network.outputs)
    inner = np.delete(depth, outputs)
    depth[outputs] = 1 + (inner.max() if len(inner) else 0)
    return depth


def row_places(network: GraphNetwork, depth: Array, inputs: Arrangement) -> Array:
    """Return the place of every node within its column, from 0 to 1.

    Nodes are sorted by the mean place of what they are linked to, strong links counting more, some
    times to and fro (the barycentre heuristic). Linear in the links for each sweep.
    """
    places = np.full(network.inputs + network.nodes, 0.5)
    high = max(1.0, inputs.height)
    places[: network.inputs] = [(y + 0.5) / high for _, y in inputs.places]
    source, target = network.source, network.target
    strength = np.abs(network.weight.astype(np.float64)) + 1e-6
    for sweep in range(SWEEPS):
        ends, others = (target, source) if sweep % 2 == 0 else (source, target)
        total = np.bincount(ends, strength * places[others], len(places))
        weight = np.bincount(ends, strength, len(places))
        wanted = np.where(weight > 0, total / np.maximum(weight, 1e-12), places)
        _spread(places, wanted[network.inputs :], depth, network)
    return places[network.inputs :]


def _spread(places: Array, wanted: Array, depth: Array, network: GraphNetwork) -> None:
    """Give the nodes of each column evenly spaced places in the order they want."""
    outputs = np.array(network.outputs, np.int64)
    inner = np.setdiff1d(np.arange(network.nodes), outputs)
    columns = [inner[depth[inner] == column] for column in np.unique(depth[inner])]
    for column in columns:
        order = column[np.argsort(wanted[column], kind="stable")]
        places[network.inputs + order] = (np.arange(len(order)) + 0.5) / len(order)
    # Outputs keep their order: it means something.
    places[network.inputs + outputs] = (np.arange(len(outputs)) + 0.5) / len(outputs)


def _layers(network: MLPNetwork) -> dict[str, Any]:
    """Return the layers; weights row by row, one row per target."""
    layers = layers_of(network)
    direct = layers[-1].direct
    return {
        "kind": "layers",
        "layers": [
            {
                "sources": layer.weights.shape[0],
                "targets": layer.weights.shape[1],
                "activation": layer.activation,
                "bias": _rounded(layer.bias),
                "weights": _rounded(layer.weights.T.reshape(-1)),
            }
            for layer in layers
        ],
        "direct": [] if direct is None else _rounded(direct.T.reshape(-1)),
        "difference": network.design.difference,
    }


def _rounded(numbers: Array) -> list[float]:
    """Return numbers with the six digits that float32 has."""
    return [float(f"{number:.6g}") for number in numbers]
