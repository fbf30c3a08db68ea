"""One record of innovations per run: the same new structure always gets the same number.

A link is known by its two ends, a node by the link it split and the turn: how often the genome
had split that link before. So the same split or the same new pair has one number in every
individual and every generation (paper A, and the original NEAT beyond one generation).

Numbers follow each other, links from 0, nodes from inputs + outputs. All pairs of an input and an
output are numbered at the start: that of input i and output o is o · inputs + i.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import plus, shift_right, times
from evoboard.core.errors import PartError
from evoboard.core.link import linked
from evoboard.evolution.base import Shape

LINKS, NODES, FIRST = range(3)
_MIX = np.int64(0x1E3779B97F4A7C15)


class Tables(NamedTuple):
    """Innovation n of a kind is described by row n of its lists; the cells find n by them.

    Cells are open-addressed: n + 1, or 0 where nothing is; there is a power of two of them.
    """

    sizes: Array  # int64 (3,): how many links and nodes there are, and the first node's key
    links: Array  # int64 (2, room): source and target of link n
    link_cell: Array  # int64
    nodes: Array  # int64 (2, room): link and turn of node first + n
    node_cell: Array  # int64


class Innovations:
    """The record of one run; kernels read and extend its tables."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        # The workspace that breeding leaves here for the next time; no part of the record.
        self.draft: Any = None
        pairs = np.indices((shape.outputs, shape.inputs)).reshape(2, -1)
        columns: list[Any] = [pairs[1], pairs[0] + shape.inputs, [], []]
        self._fill(dict(zip(STATE, columns, strict=True)))

    @property
    def links(self) -> int:
        """How many links have numbers."""
        return int(self.tables.sizes[LINKS])

    @property
    def nodes(self) -> int:
        """How many hidden nodes have keys."""
        return int(self.tables.sizes[NODES])

    @property
    def next_key(self) -> int:
        """The key the next new node gets."""
        return int(self.tables.sizes[FIRST]) + self.nodes

    def reserve(self, links: int, nodes: int) -> None:
        """Make room for so many innovations more."""
        room = self.tables.links.shape[1], self.tables.nodes.shape[1]
        if self.links + links > room[LINKS] or self.nodes + nodes > room[NODES]:
            self._fill(self.state(), links, nodes)

    def state(self) -> dict[str, Array]:
        """Return the record as arrays; `restore` takes them back."""
        links, nodes = self.tables.links[:, : self.links], self.tables.nodes[:, : self.nodes]
        return dict(zip(STATE, (row.copy() for row in (*links, *nodes)), strict=True))

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken."""
        sizes = [len(state[name]) for name in STATE]
        if sizes[0] != sizes[1] or sizes[2] != sizes[3]:
            raise PartError("the record of innovations is damaged: its columns differ in length.")
        self._fill(state)

    def _fill(self, state: Mapping[str, Any], links: int = 0, nodes: int = 0) -> None:
        """Make tables that hold these innovations and have room for more."""
        source, target, split, turn = (np.ascontiguousarray(state[n], np.int64) for n in STATE)
        room = [_room(len(source) + links), _room(len(split) + nodes)]
        first = self.shape.inputs + self.shape.outputs
        self.tables = Tables(
            np.array([0, 0, first]),
            *(np.zeros(size, np.int64) for size in ((2, room[0]), 2 * room[0])),
            *(np.zeros(size, np.int64) for size in ((2, room[1]), 2 * room[1])),
        )
        linked(record_all)(self.tables, source, target, split, turn)
        if (self.links, self.nodes) != (len(source), len(split)):
            raise PartError("the record of innovations is damaged: it has an entry twice.")


STATE = ("source", "target", "split_link", "split_turn")


def _room(rows: int) -> int:
    """Return a power of two that holds the rows."""
    return 1 << max(6, (rows - 1).bit_length())


def record_all(
    tables: Any, source: Array, target: Array, split_link: Array, split_turn: Array
) -> None:
    """Enter links and nodes in their order."""
    for i in range(source.shape[0]):
        link_number(tables, source[i], target[i])
    for i in range(split_link.shape[0]):
        node_key(tables, split_link[i], split_turn[i])


def link_number(tables: Any, source: int, target: int) -> int:
    """Return the number of the link between two nodes, a new one where it never was before."""
    cell = _cell(tables.link_cell, tables.links, source, target)
    if tables.link_cell[cell] == 0:
        number = tables.sizes[LINKS]
        tables.links[0, number], tables.links[1, number] = source, target
        tables.sizes[LINKS] = number + 1
        tables.link_cell[cell] = number + 1
    return tables.link_cell[cell] - 1


def node_key(tables: Any, split: int, turn: int) -> int:
    """Return the key of the node that splits a link, a new one where it never was before."""
    cell = _cell(tables.node_cell, tables.nodes, split, turn)
    if tables.node_cell[cell] == 0:
        number = tables.sizes[NODES]
        tables.nodes[0, number], tables.nodes[1, number] = split, turn
        tables.sizes[NODES] = number + 1
        tables.node_cell[cell] = number + 1
    return tables.sizes[FIRST] + tables.node_cell[cell] - 1


def known_key(tables: Any, split: int, turn: int) -> int:
    """Return the key of the node that splits a link, or -1 if it never was before."""
    cell = _cell(tables.node_cell, tables.nodes, split, turn)
    number = tables.node_cell[cell]
    return tables.sizes[FIRST] + number - 1 if number > 0 else -1


def split_link(tables: Any, key: int) -> int:
    """Return the number of the link that a hidden node split."""
    return tables.nodes[0, key - tables.sizes[FIRST]]


def _cell(cells: Array, rows: Array, one: int, other: int) -> int:
    """Return the cell of a pair, or the free one where it belongs."""
    mask = cells.shape[0] - 1
    mixed = times(plus(times(np.int64(one), _MIX), np.int64(other)), _MIX)
    cell = shift_right(mixed, 32) & mask
    while True:
        number = cells[cell] - 1
        if number < 0 or (rows[0, number] == one and rows[1, number] == other):
            return cell
        cell = (cell + 1) & mask
