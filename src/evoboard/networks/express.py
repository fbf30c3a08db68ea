"""Many genomes' nodes and links as one pack of graph networks, without Python per network.

Nodes that no output depends on are left out, the others stand in topological order, by key where
that leaves a choice, and the links of a node by the keys of their sources. `tests/arrange.py` does
the same for one network at a time, in plain Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import linked
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
    wrong = linked(express_all)(wiring, inputs, outputs, desk, code, number, first)
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
    """Write one network into the first cells; return how many, or -1 if there is a cycle."""
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


# --- the order in which nodes and links are written -----------------------------------------------


class Desk(NamedTuple):
    """The workspace of one network after the other; all int64."""

    place: Array  # by key: the node's index in its network
    begin: Array  # by node: where its row of links begins; one more
    last: Array  # by slot: counts, ends and last sources met on the way
    first: Array  # by node: the first link that leaves it, or -1
    missing: Array  # by node: sources that do not stand yet; -1 where not needed
    heap: Array  # by node
    slot: Array  # by node: where its value will be
    order: Array  # by link: the live links, as they come or by source
    row: Array  # by link: the live links by target, then source
    came: Array  # by place in `row`: the source's index, inputs first
    goes: Array  # by place in `row`: the target's index, where a node is the source
    after: Array  # by place in `row`: the next link that leaves the same node, or -1


def make_desk(wiring: Any, inputs: int) -> Desk:
    """Return room for the largest network."""
    nodes = int(np.diff(wiring.node_start).max())
    links = int(np.diff(wiring.link_start).max())
    keys = int(wiring.node.max(initial=0)) + 1
    slots = inputs + nodes + 1
    sizes = (keys, nodes + 1, slots, nodes, nodes, nodes, nodes, *([links] * 5))
    return Desk(*(np.empty(size, np.int64) for size in sizes))


def sort_links(
    desk: Any, inputs: int, node: Array, source: Array, target: Array, live: Array
) -> None:
    """Put the live links of a network into rows, one per node, each by source."""
    nodes = node.shape[0]
    for i in range(nodes):
        desk.place[node[i]] = i
        desk.begin[i] = 0
    desk.begin[nodes] = 0
    count = list_live(desk, target, live)
    for i in range(nodes):
        desk.begin[i + 1] += desk.begin[i]
    # Links mostly come in order; where they do not, moving one by one must not take for ever.
    if not fill_rows(desk, inputs, nodes, source, target, count, 4 * count):
        sort_by_source(desk, inputs + nodes, inputs, source, live, count)
        fill_rows(desk, inputs, nodes, source, target, count, count)


def list_live(desk: Any, target: Array, live: Array) -> int:
    """List the live links and count those of every row; return how many there are."""
    count = 0
    for i in range(target.shape[0]):
        if live[i]:
            desk.order[count] = i
            count += 1
            desk.begin[desk.place[target[i]] + 1] += 1
    return count


def fill_rows(
    desk: Any, inputs: int, nodes: int, source: Array, target: Array, count: int, moves: int
) -> bool:
    """Put links into their rows in ascending order; tell whether so many moves were enough."""
    for node in range(nodes):
        desk.last[node] = desk.begin[node]
    for k in range(count):
        link = desk.order[k]
        came = slot_of(desk, inputs, source[link])
        to = desk.place[target[link]]
        at, begin = desk.last[to], desk.begin[to]
        desk.last[to] = at + 1
        while at > begin and desk.came[at - 1] > came:
            desk.came[at], desk.row[at] = desk.came[at - 1], desk.row[at - 1]
            at -= 1
            moves -= 1
        desk.came[at], desk.row[at] = came, link
        if moves < 0:
            return False
    return True


def sort_by_source(
    desk: Any, slots: int, inputs: int, source: Array, live: Array, count: int
) -> None:
    """Order the live links of a network by source, by counting."""
    for slot in range(slots + 1):
        desk.last[slot] = 0
    for k in range(count):
        desk.last[slot_of(desk, inputs, source[desk.order[k]]) + 1] += 1
    for slot in range(slots):
        desk.last[slot + 1] += desk.last[slot]
    for i in range(source.shape[0]):
        if live[i]:
            slot = slot_of(desk, inputs, source[i])
            desk.order[desk.last[slot]] = i
            desk.last[slot] += 1


def slot_of(desk: Any, inputs: int, key: int) -> int:
    """Return the place of an input, or that of a node behind all inputs."""
    return key if key < inputs else inputs + desk.place[key]


def find_needed(desk: Any, nodes: int, inputs: int, outputs: int) -> int:
    """Count for every node that an output depends on the nodes it waits for; return how many."""
    for node in range(nodes):
        desk.missing[node] = -1
        desk.first[node] = -1
    for output in range(outputs):
        desk.missing[output] = 0
        desk.heap[output] = output
    needed, seen = outputs, 0
    # The heap is not in use yet: it holds the needed nodes in the order they are found.
    while seen < needed:
        node = desk.heap[seen]
        seen += 1
        # A row ends with the links that come from nodes.
        at = desk.begin[node + 1] - 1
        while at >= desk.begin[node] and desk.came[at] >= inputs:
            came = desk.came[at] - inputs
            desk.missing[node] += 1
            desk.goes[at] = node
            desk.after[at] = desk.first[came]
            desk.first[came] = at
            if desk.missing[came] < 0:
                desk.missing[came] = 0
                desk.heap[needed] = came
                needed += 1
            at -= 1
    return needed


def fill_heap(desk: Any, nodes: int) -> int:
    """Put all needed nodes that wait for none into the heap; return how many."""
    waiting = 0
    for node in range(nodes):
        # Ascending, and so a heap already.
        if desk.missing[node] == 0:
            desk.heap[waiting] = node
            waiting += 1
    return waiting


def pop_least(heap: Array, size: int) -> int:
    """Take the least of `size` numbers from the heap."""
    least, moved = heap[0], heap[size - 1]
    place, child = 0, 1
    while child < size - 1:
        if child + 1 < size - 1 and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= moved:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = moved
    return least


def push(heap: Array, size: int, number: int) -> None:
    """Put a number into a heap of `size` numbers."""
    place = size
    while place > 0 and heap[(place - 1) // 2] > number:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = number


def release(desk: Any, node: int, waiting: int) -> int:
    """Put into the heap what waited for this node only; return how many are there now."""
    link = desk.first[node]
    while link >= 0:
        to = desk.goes[link]
        desk.missing[to] -= 1
        if desk.missing[to] == 0:
            push(desk.heap, waiting, to)
            waiting += 1
        link = desk.after[link]
    return waiting
