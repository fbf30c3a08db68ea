"""Sparse feed-forward graphs: any node may feed any later one.

Slots hold the values: slot i < inputs is input i, slot inputs + k is node k. Nodes stand in an
order in which every link comes from an earlier slot. A node's value is

    activation(bias + response * aggregation(weight * value of every link's source))

A pack is a program in two arrays of equal length, in blocks of four cells per network:

              code                                      number
    a head    inputs, nodes, outputs, 0                 0, 0, 0, 0
              the slots of the outputs, filled up       0 …
    per node  its end, activation, aggregation, links   bias, bound, steepness, response
              the links' sources, filled up             their weights, filled up with 0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import four, linked
from evoboard.networks.activations import (
    ACTIVATIONS,
    AGGREGATIONS,
    MAX,
    MAXABS,
    MEAN,
    MEDIAN,
    MIN,
    PRODUCT,
    SUM,
    activate,
    activation_code,
    aggregation_code,
)
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.graph_network import from_json as from_json
from evoboard.networks.text import Source, fit_inputs

F = np.float32
ZERO, HALF, ONE = F(0), F(0.5), F(1)
# Unsigned cursors: for a signed index, Numba asks at every access whether it counts from the end.
_UNSIGNED: list[Any] = [np.uint32(i) for i in range(5)]
U0, U1, U2, U3, U4 = _UNSIGNED


class GraphPack(NamedTuple):
    """Networks `i` = 0, 1, … in cells `first[i]` to `first[i + 1]` of `code` and `number`."""

    code: Array  # uint32
    number: Array  # float32
    first: Array  # int64
    inputs: int
    outputs: int


class GraphMember(NamedTuple):
    """The two arrays of one network."""

    code: Array
    number: Array


def member(pack: Any, index: int) -> Any:
    """Return network `index` of a pack, as views without copying."""
    begin, end = pack.first[index], pack.first[index + 1]
    return GraphMember(pack.code[begin:end], pack.number[begin:end])


def forward(network: Any, values: Array) -> np.float32:
    """Return the first output; `values[:inputs]` hold the inputs, the rest is scratch."""
    code, number = network.code, network.number
    slot = code[U0]
    head = U4 + (code[U2] + U3) // U4 * U4
    for _ in range(code[U1]):
        end, activation, aggregation, _ = four(code, head)
        bias, bound, steepness, response = four(number, head)
        if aggregation == SUM:
            # Four sums at once, link k going to sum k % 4: additions need not wait for each other.
            a, b, c, d = ZERO, ZERO, ZERO, ZERO
            link = head + U4
            while link < end:  # a `range` has more to calculate before it begins than a small node
                from_a, from_b, from_c, from_d = four(code, link)
                by_a, by_b, by_c, by_d = four(number, link)
                a += by_a * values[from_a]
                b += by_b * values[from_b]
                c += by_c * values[from_c]
                d += by_d * values[from_d]
                link += U4
            total = (a + b) + (c + d)
        else:
            total = _aggregate(network, values, head)
        values[slot] = activate(activation, bias + response * total, bound, steepness)
        slot += U1
        head = end
    return values[code[U4]]


def forward_all(network: Any, values: Array, outputs: Array) -> None:
    """Write every output into `outputs`; `values` as for `forward`."""
    forward(network, values)
    for i in range(network.code[U2]):
        outputs[i] = values[network.code[U4 + i]]


def _aggregate(network: Any, values: Array, head: int) -> np.float32:
    """Return what reaches the node at `head` by an aggregation other than the sum."""
    code, number = network.code, network.number
    kind, links, begin = code[head + U2], code[head + U3], head + U4
    if kind == MEDIAN:
        return _median(network, values, head)
    # A product of nothing is 1, everything else of nothing 0.
    total = ONE if kind == PRODUCT else ZERO
    for link in range(begin, begin + links):
        value = number[link] * values[code[link]]
        if kind == PRODUCT:
            total *= value
        elif kind == MEAN:
            total += value
        elif (
            link == begin
            or (kind == MAX and value > total)
            or (kind == MIN and value < total)
            or (kind == MAXABS and abs(value) > abs(total))
        ):
            total = value
    return total / F(links) if kind == MEAN and links > U0 else total


def _median(network: Any, values: Array, head: int) -> np.float32:
    """Return the middle of what reaches a node; the slots after the last node are for sorting."""
    code, number = network.code, network.number
    links, begin, spare = code[head + U3], head + U4, code[U0] + code[U1]
    if links == U0:
        return ZERO
    for i in range(links):
        value = number[begin + i] * values[code[begin + i]]
        place = spare + i
        while place > spare and values[place - U1] > value:
            values[place] = values[place - U1]
            place -= U1
        values[place] = value
    middle = spare + links // U2
    if links % U2 == U1:
        return values[middle]
    return HALF * (values[middle - U1] + values[middle])


def pack(networks: Sequence[GraphNetwork]) -> GraphPack:
    """Return a population as one pack; all must have the same inputs and number of outputs."""
    if not networks:
        raise OptionError("a pack needs at least one network; none was given.")
    inputs, outputs = networks[0].inputs, len(networks[0].outputs)
    for i, network in enumerate(networks):
        if (network.inputs, len(network.outputs)) != (inputs, outputs):
            raise OptionError(
                f"network {i} has {network.inputs} inputs and {len(network.outputs)} outputs, "
                f"network 0 has {inputs} and {outputs}; in one pack these must be equal."
            )
    programs = [_program(network) for network in networks]
    first = np.cumsum([0, *(len(code) for code, _ in programs)]).astype(np.int64)
    code = np.concatenate([code for code, _ in programs]).astype(np.uint32)
    number = np.concatenate([number for _, number in programs]).astype(np.float32)
    return GraphPack(code, number, first, inputs, outputs)


def size(pack: GraphPack) -> int:
    """Return how many networks a pack holds."""
    return len(pack.first) - 1


def require_inputs(pack: GraphPack, encoder: Source) -> None:
    """Raise OptionError if the networks of a pack do not fit an encoder."""
    fit_inputs(pack.inputs, encoder)


def scratch_size(pack: GraphPack) -> int:
    """Return how many float32 `values` the largest network of a pack needs."""
    return int(linked(_largest_scratch)(pack.code, pack.first))


def _largest_scratch(code: Array, first: Array) -> np.int64:
    """Return the most slots of any network, with those a median sorts in."""
    largest = np.int64(0)
    for i in range(first.shape[0] - 1):
        begin = first[i]
        head, spare = 4 + (np.int64(code[begin + 2]) + 3) // 4 * 4, np.int64(0)
        for _ in range(code[begin + 1]):
            if code[begin + head + 2] == MEDIAN:
                spare = max(spare, np.int64(code[begin + head + 3]))
            head = np.int64(code[begin + head])
        largest = max(largest, np.int64(code[begin]) + np.int64(code[begin + 1]) + spare)
    return largest


def _program(network: GraphNetwork) -> tuple[list[int], list[float]]:
    """Return the cells of `code` and `number` of one network."""
    slots = [network.inputs + node for node in network.outputs]
    code = [network.inputs, network.nodes, len(slots), 0, *_filled(slots)]
    number = [0.0] * len(code)
    for node in range(network.nodes):
        links = slice(network.start[node], network.start[node + 1])
        source = _filled([int(slot) for slot in network.source[links]])
        weight = _filled([float(weight) for weight in network.weight[links]])
        kind = activation_code(network.activation[node])
        aggregation = aggregation_code(network.aggregation[node])
        count = links.stop - links.start
        code += [len(code) + 4 + len(source), kind, aggregation, int(count), *source]
        parts: list[Any] = [network.bias, network.bound, network.steepness, network.response]
        number += [*(float(part[node]) for part in parts), *weight]
    return code, number


def _filled(cells: list[Any]) -> list[Any]:
    """Return the cells and as many zeros as make whole blocks of four."""
    return cells + [0] * (-len(cells) % 4)


def unpack(pack: GraphPack, index: int) -> GraphNetwork:
    """Return network `index` of a pack as a value."""
    code, number = member(pack, index)
    inputs, nodes, outputs = (int(cell) for cell in code[:3])
    heads = [4 + -(-outputs // 4) * 4]
    for _ in range(nodes - 1):
        heads.append(int(code[heads[-1]]))
    links = [slice(head + 4, head + 4 + int(code[head + 3])) for head in heads]
    columns = {
        name: number[[head + i for head in heads]]
        for i, name in enumerate(("bias", "bound", "steepness", "response"))
    }
    return GraphNetwork(
        inputs=inputs,
        outputs=[int(slot) - inputs for slot in code[4 : 4 + outputs]],
        start=np.cumsum([0, *(part.stop - part.start for part in links)]),
        source=np.concatenate([code[part] for part in links]).astype(np.int64),
        weight=np.concatenate([number[part] for part in links]),
        activation=[ACTIVATIONS[code[head + 1]] for head in heads],
        aggregation=[AGGREGATIONS[code[head + 2]] for head in heads],
        **columns,
    )
