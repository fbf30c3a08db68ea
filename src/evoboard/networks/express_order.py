"""The order in which a network's nodes and links are written: what `express` sorts by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array


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
