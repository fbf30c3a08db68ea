"""Make a network of nodes and links in any order, as genomes hold them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evoboard.core.errors import OptionError
from evoboard.networks.graph_network import GraphNetwork


@dataclass(frozen=True)
class Node:
    """A node by its key, any whole number of its own."""

    key: int
    bias: float = 0.0
    activation: str = "identity"
    bound: float = 1.0
    steepness: float = 1.0
    aggregation: str = "sum"
    response: float = 1.0


Link = tuple[int, int, float]  # source key, target key, weight


def arrange(
    inputs: Sequence[int], outputs: Sequence[int], nodes: Iterable[Node], links: Iterable[Link]
) -> GraphNetwork:
    """Return the network of these nodes and links in topological order.

    `inputs` are keys that have no node, `outputs` keys of nodes. Nodes that no output depends on
    are left out. Equal nodes and links give the same network, in whatever order they come.
    """
    by_key: dict[int, Node] = {}
    for node in nodes:
        if node.key in by_key:
            raise OptionError(f"two nodes have the key {node.key}; each needs its own.")
        by_key[node.key] = node
    # As no two links of a network have both ends in common, their order depends on nothing else.
    ordered = sorted(links)
    _check(inputs, outputs, by_key, ordered)
    incoming: dict[int, list[Link]] = {key: [] for key in by_key}
    for link in ordered:
        incoming[link[1]].append(link)
    kept = _needed(outputs, incoming)
    order = [by_key[key] for key in _topological(kept, incoming)]
    slots = {key: slot for slot, key in enumerate([*inputs, *(node.key for node in order)])}
    rows = [incoming[node.key] for node in order]
    return GraphNetwork(
        inputs=len(inputs),
        outputs=[slots[key] - len(inputs) for key in outputs],
        start=np.cumsum([0, *map(len, rows)]),
        source=np.array([slots[link[0]] for row in rows for link in row], np.int64),
        weight=np.array([link[2] for row in rows for link in row], np.float64),
        bias=np.array([node.bias for node in order]),
        response=np.array([node.response for node in order]),
        bound=np.array([node.bound for node in order]),
        steepness=np.array([node.steepness for node in order]),
        activation=[node.activation for node in order],
        aggregation=[node.aggregation for node in order],
    )


def _check(
    inputs: Sequence[int], outputs: Sequence[int], nodes: dict[int, Node], links: list[Link]
) -> None:
    """Raise OptionError where ends are missing or met twice."""
    known = {*inputs, *nodes}
    for key in inputs:
        if key in nodes:
            raise OptionError(f"{key} is an input and a node; it can only be one of them.")
    for key in outputs:
        if key not in nodes:
            raise OptionError(f"output {key} is not a node of the network.")
    for source, target, _ in links:
        if source not in known:
            raise OptionError(f"a link comes from {source}, which is neither input nor node.")
        if target not in nodes:
            raise OptionError(f"a link leads to {target}, which is not a node of the network.")
    for one, other in pairwise(links):
        if one[:2] == other[:2]:
            raise OptionError(f"two links lead from {one[0]} to {one[1]}; there may be one.")


def _needed(outputs: Sequence[int], incoming: dict[int, list[Link]]) -> set[int]:
    """Return the nodes that some output depends on."""
    needed, waiting = set(outputs), list(outputs)
    while waiting:
        for source, _, _ in incoming[waiting.pop()]:
            if source in incoming and source not in needed:
                needed.add(source)
                waiting.append(source)
    return needed


def _topological(kept: set[int], incoming: dict[int, list[Link]]) -> list[int]:
    """Return the kept nodes, each after all it depends on, else by key."""
    missing = {key: sum(link[0] in kept for link in incoming[key]) for key in kept}
    followers: dict[int, list[int]] = {key: [] for key in kept}
    for key in kept:
        for source, _, _ in incoming[key]:
            if source in kept:
                followers[source].append(key)
    ready = [key for key in kept if missing[key] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        order.append(heapq.heappop(ready))
        for key in followers[order[-1]]:
            missing[key] -= 1
            if missing[key] == 0:
                heapq.heappush(ready, key)
    if len(order) < len(kept):
        stuck = ", ".join(map(str, sorted(kept - set(order))))
        raise OptionError(f"links form a cycle among the nodes {stuck}; a network has none.")
    return order
