"""Exhaustive solver: every position reachable from a start, solved exactly, for small games.

All positions are listed once, with the moves between them; then results spread backwards from the
ends of games. This is right for games with cycles, too: what neither side can force is a draw.
The one who wins takes the shortest way, the one who loses the longest; history rules (repetition,
plies without progress) are not part of a position and play no role.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.games.base import Game
from evoboard.games.position import position_key
from evoboard.games.rules import (
    DRAW,
    IDENTITY,
    LOSS,
    MAX_MOVES,
    ONGOING,
    STATE_SIZE,
    WIN,
    apply_move,
    copy_state,
)
from evoboard.search.values import look

LIMIT = 500_000
KNOWN, DONE, LINKS = 0, 1, 2


@dataclass(frozen=True)
class Solution:
    """LOSS, DRAW or WIN for the side to move, and the plies to the end (-1 for a draw)."""

    result: int
    plies: int


class SolvedTable(NamedTuple):
    """Solved positions: hash slots with 1 + their number, or 0; cells, results, plies by number."""

    slots: Array  # (power of two,) int32
    states: Array  # (positions, STATE_SIZE) int64
    results: Array  # (positions,) int64
    plies: Array  # (positions,) int64


class Graph(NamedTuple):
    """Positions being listed: position i leads to links[heads[i]:heads[i + 1]]."""

    slots: Array  # (power of two,) int32, at least twice the positions
    states: Array  # (room, STATE_SIZE) int64
    results: Array  # (room,) int64: ONGOING, or how the game has ended
    heads: Array  # (room + 1,) int64
    links: Array  # (link room,) int32
    counts: Array  # (3,) int64: positions KNOWN, those DONE, LINKS


class Solver:
    """Solves positions of one game on demand and remembers all it has seen."""

    def __init__(self, game: Game, limit: int = LIMIT) -> None:
        if limit < 1:
            raise OptionError(f"the limit of positions is {limit}; it must be at least 1.")
        self.game, self.limit = game, limit
        self._explore, self._find = game.link(explore), game.link(find)
        self._retrace, self._insert = game.link(retrace), game.link(insert)
        self._refill = game.link(refill)
        room = 1_024 + game.max_moves
        self._graph = _graph(game, room, 4 * room)
        self.table = SolvedTable(*self._graph[:3], np.zeros(0, np.int64))

    def solve(self, state: Array) -> Solution:
        """Return the exact value of a position."""
        number = int(self._find(state, self.table.slots, self.table.states))
        if number < 0:
            self._add(state)
            number = int(self._find(state, self.table.slots, self.table.states))
        return Solution(int(self.table.results[number]), int(self.table.plies[number]))

    def _add(self, state: Array) -> None:
        """List everything reachable from a new position, and solve the whole list again."""
        # Until the list is complete the old table stays in force.
        graph = Graph(*(array.copy() for array in self._graph))
        self._insert(state, graph)
        done = False
        while not done:
            done = bool(self._explore(graph, *_workspace(self.game)))
            if graph.counts[KNOWN] > self.limit:
                raise OptionError(
                    f"{self.game.name} has more than {self.limit:,} positions from "
                    f"{self.game.state_text(state)}; that is too many to solve."
                )
            graph = graph if done else self._grown(graph)
        self._graph, self.table = graph, self._solved(graph)

    def _solved(self, graph: Graph) -> SolvedTable:
        """Return the table of a complete graph."""
        known, links = int(graph.counts[KNOWN]), int(graph.counts[LINKS])
        heads, results = graph.heads[: known + 1], graph.results[:known].copy()
        sources = np.repeat(np.arange(known, dtype=np.int32), np.diff(heads))
        order = np.argsort(graph.links[:links], kind="stable")
        behind = np.searchsorted(graph.links[:links][order], np.arange(known + 1))
        plies, queue = np.full(known, -1, np.int64), np.zeros(known, np.int64)
        self._retrace(results, plies, np.diff(heads), behind, sources[order], queue)
        return SolvedTable(graph.slots, graph.states, results, plies)

    def _grown(self, graph: Graph) -> Graph:
        """Return the graph with more room for what it is short of."""
        known, links = int(graph.counts[KNOWN]), int(graph.counts[LINKS])
        most = self.game.max_moves
        room, link_room = len(graph.states), len(graph.links)
        larger = _graph(
            self.game,
            2 * room if known + most > room else room,
            2 * link_room if links + most > link_room else link_room,
        )
        self._refill(graph.states[:known], larger)
        larger.results[:known] = graph.results[:known]
        larger.heads[: room + 1] = graph.heads
        larger.links[:link_room] = graph.links
        larger.counts[:] = graph.counts
        return larger


def _graph(game: Game, room: int, links: int) -> Graph:
    return Graph(
        np.zeros(2 << room.bit_length(), np.int32),
        np.zeros((room, game.state_size), np.int64),
        np.zeros(room, np.int64),
        np.zeros(room + 1, np.int64),
        np.zeros(links, np.int32),
        np.zeros(3, np.int64),
    )


def _workspace(game: Game) -> tuple[Array, Array]:
    return np.zeros(game.max_moves, np.int32), np.zeros(game.state_size, np.int64)


def find(state: Array, slots: Array, states: Array) -> int:
    """Return the number of a position, or -1 if it is not known."""
    mask = slots.shape[0] - 1
    slot = position_key(state) & mask
    while slots[slot] != 0:
        number, same = slots[slot] - 1, True
        for cell in range(STATE_SIZE):
            if (state[cell] ^ states[number, cell]) & IDENTITY[cell] != 0:
                same = False
        if same:
            return number
        slot = (slot + 1) & mask
    return -1


def insert(state: Array, graph: Graph) -> int:
    """Return the number of a position, a new one where it was not known."""
    number = find(state, graph.slots, graph.states)
    if number >= 0:
        return number
    number, mask = graph.counts[KNOWN], graph.slots.shape[0] - 1
    slot = position_key(state) & mask
    while graph.slots[slot] != 0:
        slot = (slot + 1) & mask
    graph.slots[slot] = number + 1
    copy_state(state, graph.states[number])
    graph.counts[KNOWN] = number + 1
    return number


def refill(states: Array, graph: Graph) -> None:
    """Insert all positions, in their order."""
    for number in range(states.shape[0]):
        insert(states[number], graph)


def explore(graph: Graph, moves: Array, spare: Array) -> bool:
    """List what the known positions lead to; tell whether all is done or the room is too small."""
    counts, room, link_room = graph.counts, graph.states.shape[0], graph.links.shape[0]
    while counts[DONE] < counts[KNOWN]:
        number = counts[DONE]
        state = graph.states[number]
        if counts[KNOWN] + MAX_MOVES > room or counts[LINKS] + MAX_MOVES > link_room:
            return False
        result, count = look(state, moves)
        graph.results[number] = result
        for i in range(count):
            apply_move(state, moves[i], spare)
            graph.links[counts[LINKS] + i] = insert(spare, graph)
        counts[LINKS] += count
        counts[DONE] = number + 1
        graph.heads[number + 1] = counts[LINKS]
    return True


def retrace(
    results: Array, plies: Array, ways: Array, behind: Array, sources: Array, queue: Array
) -> None:
    """Spread wins and losses backwards, the nearest first; what they do not reach is drawn.

    `results` as in Graph, `plies` -1 throughout, `ways` the number of moves of each position;
    `sources[behind[i]:behind[i + 1]]` are the positions that lead to i; `queue` is scratch.
    """
    head, tail = 0, 0
    for number in range(results.shape[0]):
        if results[number] == WIN or results[number] == LOSS:
            plies[number] = 0
            queue[tail] = number
            tail += 1
    while head < tail:
        number = queue[head]
        head += 1
        for i in range(behind[number], behind[number + 1]):
            source = sources[i]
            if results[source] != ONGOING:
                continue
            ways[source] -= 1
            # One move that leaves the other side lost is enough to win; to lose, all must fail.
            if results[number] == LOSS or ways[source] == 0:
                results[source] = -results[number]
                plies[source] = plies[number] + 1
                queue[tail] = source
                tail += 1
    for number in range(results.shape[0]):
        if results[number] == ONGOING:
            results[number] = DRAW
