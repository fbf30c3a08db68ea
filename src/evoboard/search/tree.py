"""The tree of a Monte Carlo search: one preallocated set of arrays, indexed by node.

- Node 0 is the root. The children of a node are contiguous, in one order for good, and lie behind
  it; they are allocated when a round first wants to go on from that node. So a round allocates the
  children of at most one node, and it ends on a node that no round has seen before, on a proven
  one, or, where the tree is full or DEEPEST, on a leaf it cannot go on from.
- A node's children are tried one after the other before any of them is tried again: while it has
  untried ones, its `visits` less 1 is how many it has tried. The root starts with 1 visit.
- `mean` is seen by the side that moves *to* the node, `result` by the side to move *in* it.
- A result other than ONGOING is proven: the game is over there, or the children prove it. Proven
  nodes are not entered again, except draws, whose value is then exactly 0.

The tree has room for BRANCHES children a round (or MAX_MOVES, if fewer), and for LARGEST nodes at
most, of 23 bytes each.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.search.values import settled

F = np.float32
TOP = 0  # the root's node
BRANCHES, LARGEST = 32, 8_000_000
DEEPEST = 256  # no round descends further
NEVER = F(-1e9)  # the mean of a move that loses by proof
SURE = 1 << 40  # the rank of a proven win, above any number of visits


class Tree(NamedTuple):
    """The arrays; all but the last two are (room,) and indexed by node."""

    move: Array  # int32: the move that leads to the node
    visits: Array  # int32: rounds that came through
    mean: Array  # float32: their mean value for the side that moves to the node
    first: Array  # int32: the node's first child
    children: Array  # int32: how many it has; 0 before they are allocated
    result: Array  # int8: proven for the side to move, or ONGOING
    distance: Array  # int16: plies to the end where it is proven
    size: Array  # (1,) int64: nodes in use
    spread: Array  # float32: sqrt(log n) by n; the last entry serves all larger n


def empty_tree(game: Game, rounds: int) -> Tree:
    """Return a tree with room for that many rounds."""
    room = 1 + game.max_moves + rounds * min(game.max_moves, BRANCHES)
    room = min(room, max(LARGEST, 1 + 2 * game.max_moves))
    kinds = (np.int32, np.int32, F, np.int32, np.int32, np.int8, np.int16)
    visits = np.maximum(np.arange(min(rounds, 1_000_000) + 2), 1)
    return Tree._make(
        [
            *(np.zeros(room, kind) for kind in kinds),
            np.zeros(1, np.int64),
            np.sqrt(np.log(visits)).astype(F),
        ]
    )


def plant(tree: Tree) -> None:
    """Make the tree a mere root."""
    tree.visits[TOP], tree.mean[TOP], tree.children[TOP] = 1, F(0), 0
    tree.result[TOP] = ONGOING
    tree.size[0] = 1


def add_children(tree: Tree, node: int, moves: Array, count: int) -> None:
    """Give `node` a child for each of the first `count` moves."""
    first = tree.size[0]
    tree.first[node], tree.children[node] = first, count
    tree.size[0] = first + count
    for i in range(count):
        child = first + i
        tree.move[child] = moves[i]
        tree.visits[child], tree.mean[child] = 0, F(0)
        tree.children[child], tree.result[child] = 0, ONGOING


def select(tree: Tree, node: int, c: np.float32) -> int:
    """Return the next untried child, or the one with the highest upper confidence bound."""
    first, count, visits = tree.first[node], tree.children[node], tree.visits[node]
    if visits <= count:
        return first + visits - 1
    reach = c * tree.spread[min(visits, tree.spread.shape[0] - 1)]
    best, highest = first, F(2) * NEVER
    for child in range(first, first + count):
        bound = tree.mean[child] + reach / math.sqrt(F(tree.visits[child]))
        if bound > highest:
            best, highest = child, bound
    return best


def back_up(tree: Tree, path: Array, depth: int, value: np.float32) -> None:
    """Add the value of the leaf `path[depth]`, or what it proves, to all nodes of the path."""
    proven = tree.result[path[depth]] != ONGOING
    for step in range(depth, -1, -1):
        node = path[step]
        if proven and step < depth:
            proven = prove(tree, node)
        if proven:
            value = F(tree.result[node])
        tree.visits[node] += 1
        tree.mean[node] += (-value - tree.mean[node]) / F(tree.visits[node])
        if proven and tree.result[node] == WIN:
            tree.mean[node] = NEVER
        value = -value


def prove(tree: Tree, node: int) -> bool:
    """Settle a node if its children do; tell whether they do.

    One lost child is a win, the nearest one; else all must be proven, and the best counts.
    """
    nearest, farthest, drawn, unknown = DEEPEST, -1, False, False
    for child in range(tree.first[node], tree.first[node] + tree.children[node]):
        result, distance = tree.result[child], tree.distance[child]
        if result == LOSS:
            nearest = min(nearest, distance)
        elif result == WIN:
            farthest = max(farthest, distance)
        elif result == DRAW:
            drawn = True
        else:
            unknown = True
    if nearest < DEEPEST:
        tree.result[node], tree.distance[node] = WIN, nearest + 1
        return True
    if unknown:
        return False
    tree.result[node] = DRAW if drawn else LOSS
    tree.distance[node] = farthest + 1
    return True


def preferred(tree: Tree, node: int, by_share: bool) -> int:
    """Return the child to play: proven wins first, proven losses last, else the most visited.

    `by_share`: of those visited at all the one with the highest mean instead.
    """
    best = tree.first[node]
    for child in range(best + 1, best + tree.children[node]):
        lead = _rank(tree, child, by_share) - _rank(tree, best, by_share)
        if lead > 0 or (lead == 0 and tree.mean[child] > tree.mean[best]):
            best = child
    return best


def _rank(tree: Tree, child: int, by_share: bool) -> int:
    """Return a number that is higher for a better child; means decide between equal ones."""
    if tree.result[child] == LOSS:
        return SURE - int(tree.distance[child])
    if tree.result[child] == WIN:
        return int(tree.distance[child]) - SURE
    return min(1, int(tree.visits[child])) if by_share else int(tree.visits[child])


def move_value(tree: Tree, child: int, scale: np.float32) -> np.float32:
    """Return what a root move is worth, on the scale of all searches."""
    result = tree.result[child]
    if result == ONGOING:
        return tree.mean[child] * scale
    return -settled(result, tree.distance[child] + 1) if result != DRAW else F(0)
