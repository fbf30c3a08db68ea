"""What a leaf is worth once the noise has settled: forcing moves only, as long as they pay.

The side to move may always do something quiet instead, which is worth at least what the evaluation
says (it *stands pat*), unless all its moves are forcing: it has then no choice, as in draughts
where one must jump, and nothing but the moves themselves counts. After `limit` plies the
evaluation has the last word.

A *brisk* search first asks the game whether passing may count here (`pass_turn`). Where it may, it
stands pat before it generates a move, and then tries only forcing moves that lose nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.rules import (
    ONGOING,
    apply_move,
    forcing,
    forcing_moves,
    legal_moves,
    losing,
    outcome,
    pass_turn,
    stuck,
)
from evoboard.search.base import NODES, reach
from evoboard.search.ordering import LARGEST, pick
from evoboard.search.values import INFINITY, end_value, evaluate

F = np.float32
# Cells of a level's row in `cursors` and in `bounds`, in every search that uses this one.
COUNT, TRIED = 0, 1
ALPHA, BETA, BEST = 0, 1, 2

ABOUT_BRISK = "quiescence stands pat first and leaves out losing captures, where the game says so"


def quiet_value(
    network: Any, settings: Any, work: Any, base: int, ply: int, alpha: F, beta: F
) -> np.float32:
    """Return the value of the ongoing `work.states[base]` for its side to move, fail-soft.

    `ply` is its distance from the root; `settings` has `quiescence`, the limit, `brisk` and
    `unaided`. Uses the rows from `base` on of `work.states`, `moves`, `scores`, `cursors` and
    `bounds`, one more than the limit. Counts for nothing once stopped.
    """
    level, last = base, base + settings.quiescence
    if not _open(network, settings, work, last, ply, level, alpha, beta):
        return work.bounds[base, BEST]
    while True:
        cursors, bounds = work.cursors[level], work.bounds[level]
        if work.stop[0] != 0:
            return work.bounds[base, BEST]
        if cursors[TRIED] == cursors[COUNT] or bounds[ALPHA] >= bounds[BETA]:
            if level == base:
                return bounds[BEST]
            level -= 1
            value = -bounds[BEST]
        else:
            pick(work.moves[level], work.scores[level], 0, cursors[TRIED], cursors[COUNT])
            apply_move(
                work.states[level], work.moves[level, cursors[TRIED]], work.states[level + 1]
            )
            work.counts[NODES] += 1
            child, state = ply + level - base + 1, work.states[level + 1]
            reach(work, child)
            result = outcome(state)
            if result != ONGOING:
                value = -end_value(network, settings, result, state, child, work.scratch)
            elif _open(
                network, settings, work, last, child, level + 1, -bounds[BETA], -bounds[ALPHA]
            ):
                level += 1
                continue
            else:
                value = -work.bounds[level + 1, BEST]
        count_value(work.cursors[level], work.bounds[level], value)


def _open(
    network: Any, settings: Any, work: Any, last: int, ply: int, level: int, alpha: F, beta: F
) -> bool:
    """Prepare a level; tell whether it has forcing moves to try, else its value is BEST already."""
    state, bounds = work.states[level], work.bounds[level]
    bounds[ALPHA], bounds[BETA], bounds[BEST] = alpha, beta, -INFINITY
    if level == last:
        bounds[BEST] = evaluate(network, state, work.scratch)
        return False
    if settings.brisk and pass_turn(state, work.states[level + 1]) == 1:
        bounds[BEST] = evaluate(network, state, work.scratch)
        if bounds[BEST] >= beta:
            return False
        count = forcing_moves(state, work.moves[level])
        kept = keep_sound(state, work.moves[level], work.scores[level], count)
        work.cursors[level, COUNT], work.cursors[level, TRIED] = kept, 0
        bounds[ALPHA] = max(alpha, bounds[BEST])
        return kept > 0
    count = legal_moves(state, work.moves[level])
    if count == 0:
        bounds[BEST] = end_value(network, settings, stuck(state), state, ply, work.scratch)
        return False
    kept = keep_forcing(state, work.moves[level], work.scores[level], count)
    work.cursors[level, COUNT], work.cursors[level, TRIED] = kept, 0
    if kept < count:
        bounds[BEST] = evaluate(network, state, work.scratch)
        bounds[ALPHA] = max(alpha, bounds[BEST])
    return kept > 0


def keep_forcing(state: Array, moves: Array, scores: Array, count: int) -> int:
    """Move the forcing moves to the front; return how many there are."""
    kept = 0
    for i in range(count):
        force = forcing(state, moves[i])
        if force > 0:
            moves[kept], scores[kept] = moves[i], min(force, LARGEST)
            kept += 1
    return kept


def keep_sound(state: Array, moves: Array, scores: Array, count: int) -> int:
    """Move the forcing moves that lose nothing to the front; return how many there are."""
    kept = 0
    for i in range(count):
        if losing(state, moves[i]) == 0:
            force = forcing(state, moves[i])
            moves[kept], scores[kept] = moves[i], min(force, LARGEST)
            kept += 1
    return kept


def count_value(cursors: Array, bounds: Array, value: F) -> None:
    """Count a move's value."""
    cursors[TRIED] += 1
    if value > bounds[BEST]:
        bounds[BEST] = value
        bounds[ALPHA] = max(bounds[ALPHA], value)
