"""Monte Carlo tree search: UCT with playouts, which a network's value can cut short.

One round descends from the root by upper confidence bounds, gives the node it ends on a value, and
adds that to every node on the way; `search/tree.py` has the tree. The value comes from the rules
where the game is over there; else from a playout: random moves, then what the network says. Wins
and losses are proven up the tree as far as they go, so that a forced win within it is found.

With `draws` a node at which the game's draw rules end the line is a draw (`past.py`); playouts do
not look at them. An `unaided` search knows no results: where the game is over, the network speaks,
and nothing is proven. When the tree is full, rounds go on from its leaves without adding to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core.arrays import Array
from evoboard.core.rng import below, next_random, nth_seed
from evoboard.core.settings import Settings as BaseSettings
from evoboard.games.base import Game
from evoboard.games.rules import (
    DRAW,
    MAX_MOVES,
    ONGOING,
    apply_move,
    copy_state,
    legal_moves,
)
from evoboard.search.base import (
    DEPTH,
    LINE,
    LONGEST_LINE,
    MOST,
    NODES,
    ROOT,
    Count,
    Thought,
    report,
)
from evoboard.search.past import ABOUT_DRAWS, Past, drawn_by_history, empty_past, note_position
from evoboard.search.tree import (
    DEEPEST,
    TOP,
    Tree,
    add_children,
    back_up,
    empty_tree,
    move_value,
    plant,
    preferred,
    select,
)
from evoboard.search.values import ABOUT_UNAIDED, evaluate, look

F = np.float32
FULL = -1  # the setting `ply` of playouts to the end of the game
ROUNDS_PER_PLY = 300
LOOK = 16  # rounds between two looks at the length of the best line
# The settings of a search that only the clock ends.
UNTIL_STOPPED = {"rounds": 10**12, "depth": 0, "nodes": 0}


class Settings(BaseSettings):
    """How long and how boldly to search; the defaults are the draughts paper's with 1 ply."""

    rounds: Count = Field(0, description="playouts for one move; 0: 300 for each ply of a playout")
    ply: int = Field(
        1,
        ge=FULL,
        le=MOST,
        description="random moves before the network is asked; -1: play to the end without it",
    )
    extend: Count = Field(
        4,
        description="if fewer moves than this are legal, a playout gets longer by their number;"
        " 0: never",
    )
    c: float = Field(1.0, ge=0, le=MOST, description="how much UCT explores; values are within ±1")
    scale: float = Field(
        1.0,
        gt=0,
        lt=MOST,
        description="the network value that counts as a win; larger ones are cut off",
    )
    longest: int = Field(
        400, ge=1, le=MOST, description="plies after which a playout without a network is a draw"
    )
    by_share: bool = Field(
        False, description="play the move with the highest share of wins; off: the most visited one"
    )
    all_values: bool = Field(
        False, description="try every move, even after a proven win, even if it is the only one"
    )
    depth: Count = Field(0, description="plies of the best line after which to answer; 0: no limit")
    nodes: Count = Field(0, description="rounds after which to answer in any case; 0: no limit")
    draws: bool = Field(False, description=ABOUT_DRAWS)
    unaided: bool = Field(False, description=ABOUT_UNAIDED)

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        if self.unaided and self.ply == FULL:
            raise ValueError(
                "unaided playouts to the end of the game have no value: set ply to 0 or more, so "
                "that the network is asked, or leave out unaided"
            )
        return self


class Work(NamedTuple):
    """The report fields, then the search's own."""

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array
    tree: Tree
    number: Array  # (1,) int64: the last random number
    path: Array  # (DEEPEST,) int32: the nodes of this round
    states: Array  # (2, STATE_SIZE) int64: the position, in turns with the one before
    moves: Array  # (MAX_MOVES,) int32: its legal moves
    values: Array  # (scratch,) float32: for the network
    past: Past


def workspace(game: Game, settings: Settings, scratch: int) -> Work:
    """Return the arrays one search of this game needs."""
    return Work(
        *report(game),
        empty_tree(game, round_limit(settings)),
        np.zeros(1, np.int64),
        np.zeros(DEEPEST, np.int32),
        np.zeros((2, game.state_size), np.int64),
        np.zeros(game.max_moves, np.int32),
        np.zeros(scratch, F),
        empty_past(),
    )


def round_limit(settings: Settings) -> int:
    """Return how many rounds the settings mean."""
    rounds = settings.rounds if settings.rounds > 0 else ROUNDS_PER_PLY * max(1, settings.ply)
    return min(rounds, settings.nodes) if settings.nodes > 0 else rounds


def best_move(network: Any, state: Array, settings: Settings, chance: int, work: Work) -> int:
    """Return the most visited move, or the most promising; proven wins first, losses last."""
    count = _begin(state, chance, work)
    rounds, limit = 0, round_limit(settings)
    if count == 0 or (count == 1 and settings.all_values == 0):
        limit = 0
    untried = count if settings.all_values == 1 else 0
    while rounds < limit and work.stop[0] == 0:
        if work.tree.result[TOP] != ONGOING and rounds >= untried:
            break
        depth = _descend(state, settings, work)
        value = _leaf_value(network, depth, settings, work)
        back_up(work.tree, work.path, depth, value)
        work.counts[DEPTH] = max(work.counts[DEPTH], depth)
        rounds += 1
        if (
            settings.depth > 0
            and rounds % LOOK == 0
            and _sees(work.tree, settings.depth, settings.by_share > 0)
        ):
            work.counts[DEPTH], limit = settings.depth, 0
    work.counts[NODES] = rounds
    return _conclude(count, settings, work)


def _sees(tree: Tree, depth: int, by_share: bool) -> bool:
    """Tell whether the line of preferred moves is that long, or ends with the game.

    A move counts that was chosen among moves which have all been tried.
    """
    node, length = TOP, 0
    while length < depth and tree.visits[node] > tree.children[node] > 0:
        node = preferred(tree, node, by_share)
        length += 1
    return length >= depth or (node != TOP and tree.result[node] != ONGOING)


def _begin(state: Array, chance: int, work: Work) -> int:
    """Prepare the tree, the root with its children; return how many there are."""
    work.number[0] = nth_seed(chance, 0)
    work.counts[DEPTH] = 0
    plant(work.tree)
    _, count = look(state, work.moves)
    add_children(work.tree, TOP, work.moves, count)
    return count


def _descend(state: Array, settings: Settings, work: Work) -> int:
    """Follow the bounds down to a node to be valued; return its depth.

    The nodes are in `work.path`, the position in `work.states[depth & 1]`.
    """
    tree, states = work.tree, work.states
    copy_state(state, states[0])
    node, depth = TOP, 0
    work.path[0] = TOP
    while tree.visits[node] > 0 and depth < DEEPEST - 1:
        if tree.result[node] != ONGOING and node != TOP:
            break
        here = depth & 1
        if tree.children[node] == 0:
            if tree.size[0] + MAX_MOVES > tree.move.shape[0]:
                break
            if settings.unaided and look(states[here], work.moves)[0] != ONGOING:
                break
            _expand(node, states[here], work)
        node = select(tree, node, F(settings.c))
        apply_move(states[here], tree.move[node], states[1 - here])
        depth += 1
        work.path[depth] = node
        if settings.draws:
            note_position(states[1 - here], work.past, depth)
    return depth


def _expand(node: int, state: Array, work: Work) -> None:
    """Allocate the node's children in random order, so that none is preferred for its place."""
    count, moves = legal_moves(state, work.moves), work.moves
    for last in range(count - 1, 0, -1):
        work.number[0] = next_random(work.number[0])
        other = below(work.number[0], last + 1)
        moves[last], moves[other] = moves[other], moves[last]
    add_children(work.tree, node, moves, count)


def _leaf_value(network: Any, depth: int, settings: Settings, work: Work) -> np.float32:
    """Return the value of the round's last node for its side to move."""
    tree, leaf, here = work.tree, work.path[depth], depth & 1
    if tree.result[leaf] != ONGOING:
        return F(tree.result[leaf])
    state, moves = work.states[here], work.moves
    result, count = look(state, moves)
    if settings.unaided and result != ONGOING:
        return _network_value(network, state, settings, work)
    looks = settings.draws == 1 and settings.unaided == 0 and result == ONGOING and depth > 0
    if looks and drawn_by_history(state, work.past, depth, moves):
        result = DRAW
    if result != ONGOING:
        tree.result[leaf], tree.distance[leaf] = result, 0
        return F(result)
    return _playout(network, here, count, settings, work)


def _network_value(network: Any, state: Array, settings: Settings, work: Work) -> np.float32:
    """Return what the network says of a position, on the scale of results."""
    value = evaluate(network, state, work.values) / F(settings.scale)
    return min(max(value, F(-1)), F(1))


def _playout(network: Any, here: int, count: int, settings: Settings, work: Work) -> np.float32:
    """Play at random from `work.states[here]`, whose `count` moves are known; return its value.

    The text says "when the number of possible moves was less than 4, the ply would extend by the
    number of moves": we read it as the moves where the playout starts.
    """
    states, moves = work.states, work.moves
    left = settings.ply if settings.ply != FULL else settings.longest
    if settings.ply > 0 and count < settings.extend:
        left += count
    sign, number = F(1), work.number[0]
    while left > 0:
        number = next_random(number)
        apply_move(states[here], moves[below(number, count)], states[1 - here])
        here, sign, left = 1 - here, -sign, left - 1
        result, count = look(states[here], moves)
        if result != ONGOING:
            if settings.unaided:
                break
            work.number[0] = number
            return sign * F(result)
    work.number[0] = number
    if settings.ply == FULL:
        return F(0)
    return sign * _network_value(network, states[here], settings, work)


def _conclude(count: int, settings: Settings, work: Work) -> int:
    """Fill the report; return the chosen move, or -1."""
    tree = work.tree
    work.counts[LINE], work.counts[ROOT] = 0, 0
    work.value[0] = F(0)
    if count == 0:
        return -1
    by_share = settings.by_share > 0
    best = preferred(tree, TOP, by_share)
    work.value[0] = move_value(tree, best, F(settings.scale))
    for child in range(1, 1 + count):
        # Of a move never tried nothing is known.
        if tree.visits[child] > 0:
            known = work.counts[ROOT]
            work.root_moves[known] = tree.move[child]
            work.root_values[known] = move_value(tree, child, F(settings.scale))
            work.counts[ROOT] = known + 1
    node = TOP
    while tree.children[node] > 0 and work.counts[LINE] < LONGEST_LINE:
        node = preferred(tree, node, by_share)
        work.line[work.counts[LINE]] = tree.move[node]
        work.counts[LINE] += 1
    return tree.move[best]


def values_within(settings: Settings) -> float:
    """Return how large a value can be: it is a mean of results, on the scale of the network's."""
    return settings.scale


def move_lines(work: Work, settings: Settings) -> dict[int, tuple[int, ...]]:
    """Return the line of preferred moves from each move tried, where all are asked for."""
    tree, found = work.tree, dict[int, tuple[int, ...]]()
    for child in range(1, 1 + int(tree.children[TOP]) * int(settings.all_values)):
        if tree.visits[child] > 0:
            move = int(tree.move[child])
            found[move] = (move, *_line_from(tree, child, settings)[: LONGEST_LINE - 1])
    return found


def _line_from(tree: Tree, node: int, settings: Settings) -> list[int]:
    """Return the preferred moves from a node on."""
    line = list[int]()
    while tree.children[node] > 0 and len(line) < LONGEST_LINE:
        node = preferred(tree, node, settings.by_share)
        line.append(int(tree.move[node]))
    return line


def glance(work: Work, settings: Settings) -> Thought:
    """Return what a running search thinks at the moment."""
    tree, line = work.tree, _line_from(work.tree, TOP, settings)
    rounds = int(tree.visits[TOP]) - 1
    value = float(move_value(tree, preferred(tree, TOP, settings.by_share), F(settings.scale)))
    return Thought(line[0], value + 0.0, tuple(line), rounds, int(work.counts[DEPTH]), 0.0, {})
