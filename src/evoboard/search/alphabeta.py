"""Fail-soft alpha-beta to a fixed depth, with an explicit stack; the same value as plain minimax.

    A node's value is the best of its moves, seen by its side to move. A position that `outcome`
    decides is worth WON less its distance from the root, or minus that, or 0. At the full depth
    the evaluation speaks, or the quiescence search; moves are not generated there, so that a side
    without any is noticed only where it would have had to move. Repetition and the other draw
    rules are seen with `draws` (`past.py`). An `unaided` search knows no results: where the game
    is over, the evaluation speaks.

With depth 1, the inner loop of most training, every move is made, judged and forgotten: no stack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings
from evoboard.games.base import Game
from evoboard.games.rules import ONGOING, apply_move, copy_state, legal_moves, stuck
from evoboard.search.base import (
    ABOUT_NODES,
    DEPTH,
    LINE,
    LONGEST_LINE,
    NODES,
    REACHED,
    ROOT,
    Count,
    keep_line,
    lines_kept,
    new_lines,
    reach,
    report,
)
from evoboard.search.ordering import pick_by_force
from evoboard.search.past import ABOUT_DRAWS, Past, empty_past, line_result, line_value
from evoboard.search.quiescence import (
    ABOUT_BRISK,
    ALPHA,
    BEST,
    BETA,
    COUNT,
    TRIED,
    quiet_value,
)
from evoboard.search.values import (
    ABOUT_UNAIDED,
    INFINITY,
    WON,
    end_value,
    evaluate,
    look,
    settled,
)

DETERMINISTIC = True
DEEPENING = "pvs"
move_lines = lines_kept

F = np.float32
LENGTH = 2  # cell of a level's row in `cursors`, after COUNT and TRIED: length of its best line


class Settings(BaseSettings):
    """How far to look, and what to report."""

    depth: int = Field(1, ge=1, le=LONGEST_LINE, description="plies")
    ordering: bool = Field(
        True, description="try captures and other forcing moves first; off: in the game's order"
    )
    quiescence: int = Field(
        0, ge=0, le=LONGEST_LINE, description="plies of forcing moves beyond the full depth"
    )
    brisk: bool = Field(False, description=ABOUT_BRISK)
    all_values: bool = Field(
        False, description="the exact value of every move, which takes longer (not at depth 1)"
    )
    nodes: Count = Field(0, description=ABOUT_NODES)
    draws: bool = Field(False, description=ABOUT_DRAWS)
    unaided: bool = Field(False, description=ABOUT_UNAIDED)


class Work(NamedTuple):
    """The report fields, then one row for each ply."""

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array
    states: Array  # (levels + 1, STATE_SIZE) int64
    moves: Array  # (levels, MAX_MOVES) int32
    scores: Array  # (levels, MAX_MOVES) int32, for their order
    cursors: Array  # (levels, 3) int64: COUNT, TRIED, LENGTH
    bounds: Array  # (levels, 3) float32: ALPHA, BETA, BEST
    lines: Array  # (depth, depth) int32: the best line from each level
    root_lines: Array  # of `new_lines`
    scratch: Array  # (scratch,) float32, for the evaluation
    past: Past


def workspace(game: Game, settings: Settings, scratch: int) -> Work:
    """Return the arrays one search of this game needs."""
    levels = settings.depth + settings.quiescence + 1
    return Work(
        *report(game),
        np.zeros((levels + 1, game.state_size), np.int64),
        np.zeros((levels, game.max_moves), np.int32),
        np.zeros((levels, game.max_moves), np.int32),
        np.zeros((levels, 3), np.int64),
        np.zeros((levels, 3), F),
        np.zeros((settings.depth, settings.depth), np.int32),
        new_lines(game, settings),
        np.zeros(scratch, F),
        empty_past(),
    )


def best_move(network: Any, state: Array, settings: Settings, chance: int, work: Work) -> int:
    """Return the move with the highest value, the first tried among equals."""
    counts = work.counts
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT], counts[REACHED] = 0, 0, 0, 0, 0
    result, count = look(state, work.moves[0])
    if result != ONGOING:
        work.value[0] = settled(result, 0)
        return -1
    if settings.depth == 1 and settings.quiescence == 0:
        return _look_once(network, state, settings, count, work)
    copy_state(state, work.states[0])
    work.cursors[0, COUNT] = count
    return _look_ahead(network, settings, work)


def _look_once(network: Any, state: Array, settings: Any, count: int, work: Work) -> int:
    """Return the best move at depth 1; all moves get their exact values by the way."""
    moves, child = work.moves[0], work.states[1]
    best, chosen = -INFINITY, 0
    for i in range(count):
        apply_move(state, moves[i], child)
        value = -line_value(network, settings, child, work.past, 1, work.moves[1], work.scratch)
        work.root_moves[i], work.root_values[i] = moves[i], value
        if value > best:
            best, chosen = value, i
    counts = work.counts
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = count, 1, 1, count
    counts[REACHED] = 1
    work.line[0] = moves[chosen]
    work.value[0] = best
    return moves[chosen]


def _look_ahead(network: Any, settings: Settings, work: Work) -> int:
    """Return the best move of the root, whose moves are known."""
    level = 0
    _start(work, 0, -INFINITY, INFINITY)
    while True:
        cursors, bounds = work.cursors[level], work.bounds[level]
        if cursors[TRIED] == cursors[COUNT] or bounds[ALPHA] >= bounds[BETA]:
            if level == 0:
                work.counts[DEPTH] = settings.depth
                break
            level -= 1
            value = -bounds[BEST]
        elif settings.nodes > 0 and work.counts[NODES] >= settings.nodes:
            break
        else:
            result = _make_next(settings, work, level)
            if result != ONGOING:
                state = work.states[level + 1]
                value = -end_value(network, settings, result, state, level + 1, work.scratch)
            elif _open(network, settings, work, level + 1, -bounds[BETA], -bounds[ALPHA]):
                level += 1
                continue
            else:
                value = -work.bounds[level + 1, BEST]
        if work.stop[0] != 0:
            break
        if level == 0:
            place = work.cursors[0, TRIED]
            work.root_moves[place], work.root_values[place] = work.moves[0, place], value
            if settings.all_values:
                row, move = work.root_lines[place], work.moves[0, place]
                keep_line(row, move, work, work.cursors[1, LENGTH])
        take(settings, work, level, value)
    return _conclude(network, settings, work)


def _start(work: Work, level: int, alpha: F, beta: F) -> None:
    """Begin with the first move of a level."""
    work.cursors[level, TRIED], work.cursors[level, LENGTH] = 0, 0
    # No node is worth more than a win by its next move.
    most = WON - F(level + 1)
    work.bounds[level, ALPHA], work.bounds[level, BEST] = alpha, -INFINITY
    work.bounds[level, BETA] = most if alpha < most < beta else beta


def _make_next(settings: Settings, work: Work, level: int) -> int:
    """Make the level's next move on the next level; return the outcome there."""
    place = work.cursors[level, TRIED]
    pick_next(settings, work, level, place)
    apply_move(work.states[level], work.moves[level, place], work.states[level + 1])
    work.counts[NODES] += 1
    work.cursors[level + 1, LENGTH] = 0
    reach(work, level + 1)
    child, ends = level + 1, level + 1 == settings.depth
    state, moves = work.states[child], work.moves[child]
    return line_result(settings, state, work.past, child, ends, moves)


def _open(network: Any, settings: Settings, work: Work, level: int, alpha: F, beta: F) -> bool:
    """Prepare an ongoing node; tell whether to go on from it, else its value is BEST already."""
    state, bounds, remaining = work.states[level], work.bounds[level], settings.depth - level
    if remaining == 0:
        bounds[BEST] = quiet_value(network, settings, work, level, level, alpha, beta)
        return False
    count = legal_moves(state, work.moves[level])
    work.cursors[level, COUNT] = count
    _start(work, level, alpha, beta)
    if count == 0:
        bounds[BEST] = end_value(network, settings, stuck(state), state, level, work.scratch)
        return False
    if remaining == 1 and settings.quiescence == 0:
        try_leaves(network, settings, work, level, level)
        return False
    return True


def try_leaves(network: Any, settings: Any, work: Any, level: int, ply: int) -> int:
    """Find the value of a node whose moves lead to leaves, without going there and back.

    `ply` is its distance from the root. Return its best move.
    """
    state, child, moves = work.states[level], work.states[level + 1], work.moves[level]
    count, beta, row = work.cursors[level, COUNT], work.bounds[level, BETA], work.moves[level + 1]
    best, chosen, tried = -INFINITY, 0, 0
    while tried < count and best < beta:
        pick_next(settings, work, level, tried)
        apply_move(state, moves[tried], child)
        value = -line_value(network, settings, child, work.past, ply + 1, row, work.scratch)
        if value > best:
            best, chosen = value, tried
        tried += 1
    work.counts[NODES] += tried
    reach(work, ply + 1)
    work.bounds[level, BEST] = best
    work.lines[level, 0], work.cursors[level, LENGTH] = moves[chosen], 1
    return moves[chosen]


def pick_next(settings: Any, work: Any, level: int, place: int) -> None:
    """Bring the move to be tried next to its place."""
    if settings.ordering:
        state, count = work.states[level], work.cursors[level, COUNT]
        pick_by_force(state, work.moves[level], work.scores[level], place, count)


def take(settings: Any, work: Any, level: int, value: F) -> bool:
    """Count the value of the level's current move, and go on to its next one.

    Tell whether it is the best so far.
    """
    cursors, bounds = work.cursors[level], work.bounds[level]
    place = cursors[TRIED]
    move = work.moves[level, place]
    cursors[TRIED] = place + 1
    if value <= bounds[BEST]:
        return False
    bounds[BEST] = value
    if level > 0 or settings.all_values == 0:
        bounds[ALPHA] = max(bounds[ALPHA], value)
    length = work.cursors[level + 1, LENGTH]
    work.lines[level, 0], cursors[LENGTH] = move, length + 1
    for i in range(length):
        work.lines[level, i + 1] = work.lines[level + 1, i]
    return True


def _conclude(network: Any, settings: Settings, work: Work) -> int:
    """Fill the report; return the best move of those tried."""
    tried = work.cursors[0, TRIED]
    work.counts[ROOT] = tried if settings.all_values else 0
    if tried == 0:
        # Stopped at once: the first move, and the position's value as it is.
        work.lines[0, 0], work.cursors[0, LENGTH] = work.moves[0, 0], 1
        work.bounds[0, BEST] = evaluate(network, work.states[0], work.scratch)
    work.value[0] = work.bounds[0, BEST]
    work.counts[LINE] = work.cursors[0, LENGTH]
    for i in range(work.counts[LINE]):
        work.line[i] = work.lines[0, i]
    return work.lines[0, 0]
