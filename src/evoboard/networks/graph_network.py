"""One sparse feed-forward network as a value: checked when made, written and read as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, quoted
from evoboard.networks import text
from evoboard.networks.activations import WITHIN_BOUND, activation_code, aggregation_code


@dataclass(frozen=True, eq=False)
class GraphNetwork:
    """A network of nodes in an order in which every link comes from an earlier slot.

    Slot i < inputs is input i, slot inputs + k is node k. Node k has the links `start[k]` to
    `start[k + 1]`, each with its source (a slot) and weight. `outputs` are nodes. Per node there
    are bias, response, bound and steepness (float32), activation and aggregation (names); what is
    left out is response 1, bound 1, steepness 1, identity and sum.
    """

    inputs: int
    outputs: Sequence[int]
    start: Array
    source: Array
    weight: Array
    bias: Array
    response: Array | None = None
    bound: Array | None = None
    steepness: Array | None = None
    activation: Sequence[str] = ()
    aggregation: Sequence[str] = ()

    def __post_init__(self) -> None:
        bias = text.numbers(self.bias, "biases")
        ones = np.ones(len(bias), np.float32)
        response, bound, steepness = (
            text.numbers(ones if given is None else given, name, minimum)
            for name, given, minimum in (
                ("responses", self.response, None),
                ("bounds", self.bound, 0.0),
                ("steepness values", self.steepness, 0.0),
            )
        )
        clean = {
            "inputs": _count(self.inputs, "inputs"),
            "outputs": tuple(_indices(self.outputs, "outputs").tolist()),
            "start": _indices(self.start, "start"),
            "source": _indices(self.source, "source"),
            "weight": text.numbers(self.weight, "weights"),
            "bias": bias,
            "response": response,
            "bound": bound,
            "steepness": steepness,
            "activation": tuple(self.activation) or ("identity",) * len(bias),
            "aggregation": tuple(self.aggregation) or ("sum",) * len(bias),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)
        _check_sizes(self)
        _check_links(self)

    @property
    def nodes(self) -> int:
        """Return how many nodes there are, inputs not counted."""
        return len(self.bias)

    @property
    def target(self) -> Array:
        """Return the slot that every link leads to."""
        return np.repeat(np.arange(self.nodes), np.diff(self.start)) + self.inputs

    @property
    def largest(self) -> float | None:
        """Return the largest value the first output can have, None if there is no bound."""
        assert self.bound is not None
        first = self.outputs[0]
        return float(self.bound[first]) if self.activation[first] in WITHIN_BOUND else None

    def to_json(self) -> dict[str, Any]:
        """Return the network as JSON data; `from_json` gives it back exactly."""
        weights = text.exact(self.weight)
        links = [
            [[int(self.source[i]), weights[i]] for i in range(*self.start[k : k + 2])]
            for k in range(self.nodes)
        ]
        columns: dict[str, Any] = {
            "activation": self.activation,
            "aggregation": self.aggregation,
            **{name: text.exact(getattr(self, name)) for name in _FLOATS},
            "links": links,
        }
        nodes = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        content = {"inputs": self.inputs, "outputs": list(self.outputs), "nodes": nodes}
        return text.form("graph", content)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphNetwork):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, part.name), getattr(other, part.name))
            for part in fields(self)
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs, self.weight.tobytes(), self.bias.tobytes()))


_FLOATS = ("bias", "response", "bound", "steepness")
_WORDS = ("activation", "aggregation")


def from_json(data: Any) -> GraphNetwork:
    """Return the network in JSON data from `to_json`, or in their text."""
    content = text.content_of(data, "graph")
    nodes = text.field(content, "nodes", list)
    for node in nodes:
        if not isinstance(node, dict):
            raise PartError(f"a node of the network is {str(node)[:40]}; it must be an object.")
    links = [text.field(node, "links", list) for node in nodes]
    pairs = [pair for group in links for pair in group]
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2):
            raise PartError(f"a link of the network is {str(pair)[:40]}; write [source, weight].")
    columns = {n: [text.field(node, n, float) for node in nodes] for n in _FLOATS}
    words = {n: tuple(text.field(node, n, str) for node in nodes) for n in _WORDS}
    return GraphNetwork(
        inputs=text.field(content, "inputs", int),
        outputs=text.field(content, "outputs", list),
        start=np.cumsum([0, *map(len, links)]),
        source=_column(pairs, 0),
        weight=_column(pairs, 1),
        activation=words["activation"],
        aggregation=words["aggregation"],
        **{name: np.array(column) for name, column in columns.items()},
    )


def _column(rows: list[list[Any]], index: int) -> Any:
    return [row[index] for row in rows]


MOST = 1 << 20  # inputs of a network


def _count(value: int, what: str) -> int:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 1 <= value <= MOST:
        raise OptionError(f"a network has {quoted(value)} {what}; it needs 1 to {MOST:,}.")
    return int(value)


def _indices(values: Any, what: str) -> Array:
    """Return whole numbers from 0 in one dimension, read-only."""
    try:
        array = np.array(values if len(values) else np.zeros(0, np.int64))
    except ValueError:  # rows of unequal length
        array = np.array(None)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array < 0).any():
        raise OptionError(f"{what} must be whole numbers from 0; it is {str(values)[:60]}.")
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


def _check_sizes(network: GraphNetwork) -> None:
    """Raise OptionError if the arrays do not fit each other."""
    nodes, links = network.nodes, len(network.source)
    if nodes < 1 or not network.outputs:
        raise OptionError(f"a network of {nodes} nodes has no output; it needs one or more.")
    for name in (*_FLOATS, *_WORDS):
        if len(getattr(network, name)) != nodes:
            count = len(getattr(network, name))
            raise OptionError(f"a network of {nodes} nodes has {count} values of {name}.")
    if len(network.weight) != links:
        raise OptionError(f"a network of {links} links has {len(network.weight)} weights.")
    start = network.start
    if len(start) != nodes + 1 or start[0] != 0 or start[-1] != links or (np.diff(start) < 0).any():
        raise OptionError(
            f"start must be {nodes + 1} numbers that rise from 0 to {links}, the number of links."
        )
    for node in network.outputs:
        if node >= nodes:
            raise OptionError(
                f"output {node} is not a node; the network has nodes 0 to {nodes - 1}."
            )
    for name in network.activation:
        activation_code(name)
    for name in network.aggregation:
        aggregation_code(name)


def _check_links(network: GraphNetwork) -> None:
    """Raise OptionError if a link does not come from an earlier slot."""
    target = network.target
    for slot in network.source[network.source >= network.inputs + network.nodes]:
        node = slot - network.inputs
        raise OptionError(
            f"a link comes from node {node}; the network has nodes 0 to {network.nodes - 1}."
        )
    for link in np.flatnonzero(network.source >= target):
        source, to = network.source[link] - network.inputs, target[link] - network.inputs
        raise OptionError(
            f"a link leads from node {source} to node {to}, which is not later: the nodes are not "
            "in topological order, or form a cycle."
        )
