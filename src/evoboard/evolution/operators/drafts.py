"""A draft: one NEAT genome that kernels change in place, in arrays with room to grow.

Few arrays, since every function pays for each at compile time: rows of whole numbers and of real
ones, by node or by link. Nodes and links ascend at any time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import below, next_random
from evoboard.evolution.genomes.neat import DEAD, LIVE
from evoboard.evolution.operators.chance import unit

# Cells of `state`: how many nodes and links there are, the last random number, the last tick.
NODES, LINKS, CHANCE, TICK = range(4)
# Rows of `whole`: three by node, five by link; rows of `real`: two by node, one by link.
NODE, ACTIVATION, AGGREGATION, LINK, SOURCE, TARGET, STATUS, FROZEN = range(8)
BIAS, RESPONSE, WEIGHT = range(3)


class Draft(NamedTuple):
    """A genome's state, its rows, and marks by node key: a key is marked by the last tick."""

    state: Array  # int64 (4,)
    whole: Array  # int64 (8, room)
    real: Array  # float64 (3, room)
    mark: Array  # int64 (keys,)


def make_draft(room: int, keys: int, used: Draft | None = None) -> Draft:
    """Return a draft for genomes of up to `room` nodes and links, with keys below `keys`.

    That is the `used` one where it is large enough: whatever it held does not matter.
    """
    if used is not None and used.whole.shape[1] >= room and len(used.mark) >= keys:
        return used
    room, keys = room + room // 2, keys + keys // 2
    return Draft(
        np.zeros(4, np.int64),
        np.zeros((8, room), np.int64),
        np.zeros((3, room), np.float64),
        np.zeros(keys, np.int64),
    )


def draw(draft: Any) -> np.int64:
    """Return the next number of the genome's own sequence."""
    number = next_random(draft.state[CHANCE])
    draft.state[CHANCE] = number
    return number


def draw_unit(draft: Any) -> float:
    """Return a random number of 0..1, 1 excluded."""
    return unit(draw(draft))


def draw_below(draft: Any, bound: int) -> Any:
    """Return a random whole number of 0..bound-1."""
    return below(draw(draft), bound)


def draw_status(draft: Any, wanted: int) -> int:
    """Return the place of a random link of a status, or -1."""
    count = 0
    for i in range(draft.state[LINKS]):
        if draft.whole[STATUS, i] == wanted:
            count += 1
    if count == 0:
        return -1
    left = draw_below(draft, count)
    place = -1
    while left >= 0:
        place += 1
        if draft.whole[STATUS, place] == wanted:
            left -= 1
    return place


def node_place(draft: Any, key: int) -> int:
    """Return the first place whose key is not below `key`."""
    low, high = 0, draft.state[NODES]
    while low < high:
        middle = (low + high) >> 1
        if draft.whole[NODE, middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


def has_node(draft: Any, key: int) -> bool:
    """Tell whether the genome has a node."""
    place = node_place(draft, key)
    return place < draft.state[NODES] and draft.whole[NODE, place] == key


def find_link(draft: Any, source: int, target: int) -> int:
    """Return the place of the link between two nodes, or -1."""
    for i in range(draft.state[LINKS]):
        if draft.whole[SOURCE, i] == source and draft.whole[TARGET, i] == target:
            return i
    return -1


def insert_node(draft: Any, key: int, activation: int, aggregation: int) -> int:
    """Add a node of bias 0 and response 1 that is not there; return its place."""
    place = node_place(draft, key)
    for i in range(draft.state[NODES], place, -1):
        move_node(draft, i - 1, i)
    draft.state[NODES] += 1
    draft.whole[NODE, place] = key
    draft.whole[ACTIVATION, place], draft.whole[AGGREGATION, place] = activation, aggregation
    draft.real[BIAS, place], draft.real[RESPONSE, place] = 0.0, 1.0
    return place


def insert_link(draft: Any, number: int, source: int, target: int, weight: float) -> int:
    """Add a live link that is not there; return its place."""
    place = draft.state[LINKS]
    while place > 0 and draft.whole[LINK, place - 1] > number:
        move_link(draft, place - 1, place)
        place -= 1
    draft.state[LINKS] += 1
    draft.whole[LINK, place] = number
    draft.whole[SOURCE, place], draft.whole[TARGET, place] = source, target
    draft.whole[STATUS, place], draft.whole[FROZEN, place] = LIVE, 0
    draft.real[WEIGHT, place] = weight
    return place


def move_node(draft: Any, here: int, there: int) -> None:
    """Copy a node from one place to another."""
    for row in range(NODE, AGGREGATION + 1):
        draft.whole[row, there] = draft.whole[row, here]
    for row in range(BIAS, RESPONSE + 1):
        draft.real[row, there] = draft.real[row, here]


def move_link(draft: Any, here: int, there: int) -> None:
    """Copy a link from one place to another."""
    for row in range(LINK, FROZEN + 1):
        draft.whole[row, there] = draft.whole[row, here]
    draft.real[WEIGHT, there] = draft.real[WEIGHT, here]


def copy_cells(cells: Array, to: Array, count: int) -> None:
    """Copy the first cells of an array; as a loop from 0 it is compiled to block moves."""
    for i in range(count):
        to[i] = cells[i]


def closes_cycle(draft: Any, inputs: int, source: int, target: int) -> bool:
    """Tell whether a link between two nodes would close a cycle of links that are not dead."""
    if source < inputs:
        return False
    mark_followers(draft, target)
    return draft.mark[source] == draft.state[TICK]


def mark_followers(draft: Any, key: int) -> None:
    """Mark a node and all that depend on it by links that are not dead."""
    tick = draft.state[TICK] + 1
    draft.state[TICK] = tick
    draft.mark[key] = tick
    growing = True
    while growing:
        growing = False
        for i in range(draft.state[LINKS]):
            reached = draft.mark[draft.whole[SOURCE, i]] == tick and draft.whole[STATUS, i] != DEAD
            if reached and draft.mark[draft.whole[TARGET, i]] != tick:
                draft.mark[draft.whole[TARGET, i]] = tick
                growing = True


def choose_rows(draft: Any, row: int, codes: Array, chance: float) -> bool:
    """Write a random one of the codes into a row of nodes, by a chance for each; tell whether."""
    changed = False
    if chance > 0.0:
        for i in range(draft.state[NODES]):
            if draw_unit(draft) < chance:
                draft.whole[row, i], changed = codes[draw_below(draft, codes.shape[0])], True
    return changed
