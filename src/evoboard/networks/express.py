"""Many genomes' nodes and links as one pack of graph networks, without Python per network.

Nodes that no output depends on are left out, the others stand in topological order, by key where
that leaves a choice, and the links of a node by the keys of their sources. `tests/arrange.py` does
the same for one network at a time, in plain Python.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import link
from evoboard.networks.express_order import (
    fill_heap,
    find_needed,
    make_desk,
    pop_least,
    release,
    sort_links,
)
from evoboard.networks.graph import GraphPack

F = np.float32
Record = TypeVar("Record", bound=Any)


class Wiring(NamedTuple):
    """Networks in flat arrays: nodes node_start[i] … node_start[i+1]-1, links likewise.

    Nodes are known by keys: 0 … inputs-1 are the inputs, which have no node of their own; the
    next `outputs` keys are the outputs, which always have one; hidden nodes have any keys above.
    Keys ascend within a network. Links lead from key to key, in any order, no two with the same
    ends. Links that are not `live` are as if they were not there.
    """

    node_start: Array  # int64 (n + 1,)
    node: Array  # int64
    bias: Array  # float64
    response: Array  # float64
    activation: Array  # int64, codes of networks.activations
    aggregation: Array  # int64
    bound: Array  # float64
    steepness: Array  # float64
    link_start: Array  # int64 (n + 1,)
    source: Array  # int64
    target: Array  # int64
    weight: Array  # float64
    live: Array  # bool


def express(wiring: Wiring, inputs: int, outputs: int) -> GraphPack:
    """Return the networks as a pack, in order; the wiring is taken to be valid but for cycles."""
    networks = len(wiring.node_start) - 1
    if networks < 1:
        raise OptionError("a pack needs at least one network; none was given.")
    # A node takes four cells and its links, filled up to a multiple of four.
    head = 4 + -(-outputs // 4) * 4
    cells = networks * head + 7 * len(wiring.node) + len(wiring.target)
    code, number = np.empty(cells, np.uint32), np.empty(cells, np.float32)
    first = np.zeros(networks + 1, np.int64)
    wiring = plain_arrays(wiring)
    desk = make_desk(wiring, inputs)
    wrong = linked_express()(wiring, inputs, outputs, desk, code, number, first)
    if wrong >= 0:
        raise OptionError(f"links form a cycle in network {wrong}; a network has none.")
    return GraphPack(code[: first[-1]], number[: first[-1]], first, inputs, outputs)


def plain_arrays(record: Record) -> Record:
    """Return a NamedTuple of arrays with those copied that are views with gaps or read-only.

    A kernel is compiled anew for each such kind of array, which takes longer than any copy.
    """
    plain = {
        name: np.array(value)
        for name, value in record._asdict().items()
        if isinstance(value, np.ndarray)
        and not (value.flags.c_contiguous and value.flags.writeable)
    }
    return record._replace(**plain) if plain else record


@cache
def linked_express() -> Any:
    """Return `express_all` compiled."""
    return link(express_all)


def express_all(
    wiring: Any, inputs: int, outputs: int, desk: Any, code: Array, number: Array, first: Array
) -> int:
    """Write every network; return -1, or the number of the first whose links form a cycle."""
    for i in range(wiring.node_start.shape[0] - 1):
        begin = first[i]
        size = express_one(wiring, i, inputs, outputs, desk, code[begin:], number[begin:])
        if size < 0:
            return i
        first[i + 1] = begin + size
    return -1


def express_one(
    wiring: Any, i: int, inputs: int, outputs: int, desk: Any, code: Array, number: Array
) -> int:
    """Write one network into the first cells; return how many, or -1 where there is a cycle."""
    base, last = wiring.node_start[i], wiring.node_start[i + 1]
    begin, end = wiring.link_start[i], wiring.link_start[i + 1]
    source, target = wiring.source[begin:end], wiring.target[begin:end]
    sort_links(desk, inputs, wiring.node[base:last], source, target, wiring.live[begin:end])
    needed = find_needed(desk, last - base, inputs, outputs)
    head = 4 + (outputs + 3) // 4 * 4
    for cell in range(head):
        code[cell], number[cell] = 0, F(0)
    code[0], code[1], code[2] = inputs, needed, outputs
    waiting = fill_heap(desk, last - base)
    for stands in range(needed):
        if waiting == 0:
            return -1
        node = pop_least(desk.heap, waiting)
        desk.slot[node] = inputs + stands
        write_node(wiring, base + node, head, code, number)
        end = write_links(desk, node, inputs, wiring.weight[begin:], head, code, number)
        code[head] = end
        head = end
        waiting = release(desk, node, waiting - 1)
    for output in range(outputs):
        code[4 + output] = desk.slot[output]
    return head


def write_node(wiring: Any, cell: int, head: int, code: Array, number: Array) -> None:
    """Write what a node does into the block at `head`."""
    code[head + 1] = wiring.activation[cell]
    code[head + 2] = wiring.aggregation[cell]
    number[head] = wiring.bias[cell]
    number[head + 1] = wiring.bound[cell]
    number[head + 2] = wiring.steepness[cell]
    number[head + 3] = wiring.response[cell]


def write_links(
    desk: Any, node: int, inputs: int, weight: Array, head: int, code: Array, number: Array
) -> int:
    """Write a node's links behind the block at `head`; return where the next node begins."""
    row, end = desk.begin[node], desk.begin[node + 1]
    at = head + 4
    for k in range(row, end):
        came = desk.came[k]
        code[at] = came if came < inputs else desk.slot[came - inputs]
        number[at] = weight[desk.row[k]]
        at += 1
    code[head + 3] = end - row
    while at & 3:
        code[at], number[at] = 0, F(0)
        at += 1
    return at
