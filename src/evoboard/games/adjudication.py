"""The rules that need a game's history: repetition, plies without progress, length. For all games.

Part of every match, compiled or not, and of searches: `verdict` is a kernel, and its codes have one
text each.
"""

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.games.rules import DRAW, LOSS, ONGOING, QUIET, legal_moves, outcome, stuck

# Why a game is over. ON_BOARD: the game's own rules say so, and its `reason` says which.
PLAYING, ON_BOARD, STUCK, REPETITION, NO_PROGRESS, PLY_CAP, ILLEGAL = 0, 1, 2, 3, 4, 5, 6
FORBIDDEN = -2  # instead of a verdict, or of a move: what a search has found is not legal
# Longer games than any rule allows are cut here, so that a game without end cannot hang a test.
LONGEST = 10_000
MATCH_REASONS = {
    REPETITION: "repetition",
    NO_PROGRESS: "no progress",
    PLY_CAP: "ply cap",
    ILLEGAL: "illegal move",
}


def verdict(state: Array, keys: Array, ply: int, limits: Array, moves: Array) -> tuple[int, int]:
    """Return (code, number of legal moves) for the position after `ply` plies.

    `keys[0..ply]` hold the position keys of the game so far, `limits` repetitions, quiet plies and
    plies (0: no limit). Legal moves are written to `moves` where the game goes on. What the board
    decides comes first: a mate on the last allowed ply is a mate.
    """
    if outcome(state) != ONGOING:
        return ON_BOARD, 0
    count = legal_moves(state, moves)
    if count == 0:
        return STUCK, 0
    return ended_by_history(state, keys, ply, ply, limits), count


def ended_by_history(state: Array, keys: Array, place: int, ply: int, limits: Array) -> int:
    """Return REPETITION, NO_PROGRESS or PLY_CAP for a position from which one can move, or PLAYING.

    `keys[place]` is its own key, after those of the positions before it.
    """
    if limits[0] > 0 and _occurrences(state, keys, place) >= limits[0]:
        return REPETITION
    if limits[1] > 0 and QUIET >= 0 and state[QUIET] >= limits[1]:
        return NO_PROGRESS
    return PLY_CAP if limits[2] > 0 and ply >= limits[2] else PLAYING


def board_result(state: Array, code: int) -> int:
    """Return LOSS, DRAW or WIN for the side to move, given the verdict's code."""
    if code == ON_BOARD:
        return outcome(state)
    if code == STUCK:
        return stuck(state)
    return LOSS if code == ILLEGAL else DRAW


def _occurrences(state: Array, keys: Array, ply: int) -> int:
    """Return how often the current position has occurred, this time included."""
    first = 0
    # Nothing from before the last irreversible move can come back.
    if QUIET >= 0 and state[QUIET] < ply:
        first = ply - state[QUIET]
    found = 1
    for earlier in range(ply - 2, first - 1, -2):
        if keys[earlier] == keys[ply]:
            found += 1
    return found
