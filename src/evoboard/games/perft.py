"""Count the move sequences of a given length: the standard test of a move generator."""

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.games.rules import DRAW, ONGOING, apply_move, legal_moves, outcome


def perft(states: Array, moves: Array, cursors: Array, depth: int) -> int:
    """Return the number of sequences of `depth` >= 1 moves that start at `states[0]`.

    Workspace: `states` (depth, STATE_SIZE), `moves` (depth, MAX_MOVES), `cursors` (depth, 2). The
    moves of the last ply are counted, not made.
    """
    ply, total = 0, 0
    cursors[0, 0], cursors[0, 1] = _count(states[0], moves[0]), 0
    if depth == 1:
        return cursors[0, 0]
    while ply >= 0:
        count, tried = cursors[ply, 0], cursors[ply, 1]
        if tried == count:
            ply -= 1
            continue
        cursors[ply, 1] = tried + 1
        apply_move(states[ply], moves[ply, tried], states[ply + 1])
        below = _count(states[ply + 1], moves[ply + 1])
        if ply + 2 == depth:
            total += below
        else:
            ply += 1
            cursors[ply, 0], cursors[ply, 1] = below, 0
    return total


def _count(state: Array, out: Array) -> int:
    # A drawn position may be played on (chess's dead positions, in everybody's counts), a decided
    # one may not.
    return legal_moves(state, out) if outcome(state) in (ONGOING, DRAW) else 0
