"""Paper E's crossover: what strongly feeds one node changes places between two networks.

A random node, hidden or output, is chosen. Its incoming weights beyond ± threshold in the dominant
parent, and its bias, change places with the numbers at the same places in the other parent: the
first child is the dominant parent with the other's numbers there, the second is the reciprocal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings
from evoboard.networks.mlp_network import Design


class Settings(BaseSettings):
    """Which weights are strong."""

    threshold: float = Field(0.75, ge=0, description="weights w with |w| above this are strong")


class Feeds(NamedTuple):
    """Where a vector holds what feeds the nodes of a design.

    Node k has its bias at `bias[k]` and its weights at `weight[start[k]:start[k + 1]]`.
    """

    bias: Array
    start: Array
    weight: Array


def feeds(design: Design) -> Feeds:
    """Return where the numbers that feed each node are; nodes are counted layer by layer."""
    places = np.arange(design.length)
    biases, weights = [], []
    for layer, (fan, width) in enumerate(zip(design.sizes, design.sizes[1:], strict=False)):
        biases.append(places[design.biases(layer)])
        weights += list(places[design.weights(layer)].reshape(fan, width).T)
    if design.direct:
        outputs = design.sizes[-1]
        direct = places[design.weights(len(design.sizes) - 2).stop :].reshape(-1, outputs).T
        weights[-outputs:] = [
            np.concatenate(pair) for pair in zip(weights[-outputs:], direct, strict=True)
        ]
    start = np.cumsum([0, *map(len, weights)])
    return Feeds(np.concatenate(biases), start, np.concatenate(weights))


def cross(
    dominant: Array, other: Array, feeds: Feeds, settings: Settings, rng: np.random.Generator
) -> Array:
    """Return the two reciprocal children (2, K) of two vectors (K,)."""
    node = int(rng.integers(len(feeds.bias)))
    places = strong_places(dominant, node, feeds, settings)
    children = np.stack([dominant, other])
    children[:, places] = children[::-1, places]
    return children


def strong_places(vector: Array, node: int, feeds: Feeds, settings: Settings) -> Array:
    """Return where a vector holds a node's bias and the strong weights that lead to it."""
    incoming = feeds.weight[feeds.start[node] : feeds.start[node + 1]]
    strong = incoming[np.abs(vector[incoming]) > settings.threshold]
    return np.concatenate([feeds.bias[node : node + 1], strong])


def dominates(fitness: float, other: float, rng: np.random.Generator) -> bool:
    """Tell whether the first of two parents is the dominant one; chance decides among equals."""
    return fitness > other or (fitness == other and rng.random() < 0.5)
