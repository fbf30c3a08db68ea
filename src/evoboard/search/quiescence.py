"""What a leaf is worth once the noise has settled: forcing moves only, as long as they pay.

The side to move may always do something quiet instead, which is worth at least what the evaluation
says (it *stands pat*), unless all its moves are forcing: it has then no choice, as in draughts
where one must jump, and nothing but the moves themselves counts. After `limit` plies the
evaluation has the last word.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.rules import ONGOING, apply_move, legal_moves, outcome, stuck
from evoboard.search.base import NODES
from evoboard.search.ordering import LARGEST, forcing, pick
from evoboard.search.values import INFINITY, evaluate, settled

F = np.float32
# Cells of a level's row in `cursors` and in `bounds`, in every search that uses this one.
COUNT, TRIED = 0, 1
ALPHA, BETA, BEST = 0, 1, 2


def quiet_value(
    network: Any, work: Any, base: int, ply: int, limit: int, alpha: F, beta: F
) -> np.float32:
    """Return the value of the ongoing `work.states[base]` for its side to move, fail-soft.

    `ply` is its distance from the root. Uses the rows from `base` on of `work.states`, `moves`,
    `scores`, `cursors` and `bounds`, `limit` + 1 of them. Counts for nothing once stopped.
    """
    level = base
    if not _open(network, work, base, limit, ply, level, alpha, beta):
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
            child = ply + level - base + 1
            result = outcome(work.states[level + 1])
            if result != ONGOING:
                value = -settled(result, child)
            elif _open(network, work, base, limit, child, level + 1, -bounds[BETA], -bounds[ALPHA]):
                level += 1
                continue
            else:
                value = -work.bounds[level + 1, BEST]
        _take(work.cursors[level], work.bounds[level], value)


def _open(
    network: Any, work: Any, base: int, limit: int, ply: int, level: int, alpha: F, beta: F
) -> bool:
    """Prepare a level; tell whether it has forcing moves to try, else its value is BEST already."""
    state, bounds = work.states[level], work.bounds[level]
    bounds[ALPHA], bounds[BETA], bounds[BEST] = alpha, beta, -INFINITY
    if level == base + limit:
        bounds[BEST] = evaluate(network, state, work.scratch)
        return False
    count = legal_moves(state, work.moves[level])
    if count == 0:
        bounds[BEST] = settled(stuck(state), ply)
        return False
    kept = _keep_forcing(state, work.moves[level], work.scores[level], count)
    work.cursors[level, COUNT], work.cursors[level, TRIED] = kept, 0
    if kept < count:
        bounds[BEST] = evaluate(network, state, work.scratch)
        bounds[ALPHA] = max(alpha, bounds[BEST])
    return kept > 0


def _keep_forcing(state: Array, moves: Array, scores: Array, count: int) -> int:
    """Move the forcing moves to the front; return how many there are."""
    kept = 0
    for i in range(count):
        force = forcing(state, moves[i])
        if force > 0:
            moves[kept], scores[kept] = moves[i], min(force, LARGEST)
            kept += 1
    return kept


def _take(cursors: Array, bounds: Array, value: F) -> None:
    """Count a move's value."""
    cursors[TRIED] += 1
    if value > bounds[BEST]:
        bounds[BEST] = value
        bounds[ALPHA] = max(bounds[ALPHA], value)
