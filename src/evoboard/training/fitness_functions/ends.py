"""What functions that judge a game by its last position share."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.rules import apply_move, copy_state

LONG = 150  # plies, from which on it does not matter how long a game was
WON, SOON, LATE = 1.0, 0.5, 0.1


def judged(results: Array, plies: Array, lost: float, drawn: tuple[Array, Array]) -> Array:
    """Return what games were worth to both sides, float64 (games, 2).

    A win is worth more the sooner it comes, a loss more than `lost` the later; `drawn` by side.
    """
    length = np.minimum(1, plies / LONG)
    ends = WON + SOON * (1 - length), lost + LATE * length
    sides = [
        np.select([results == sign, results == -sign], ends, own)
        for sign, own in zip((1, -1), drawn, strict=True)
    ]
    return np.stack(sides, axis=1)


def last_row(start: Array, moves: Array, plies: int, spare: Array) -> int:
    """Write a game's positions by turns into the two rows of `spare`; return the last one's row."""
    copy_state(start, spare[0])
    for ply in range(plies):
        apply_move(spare[ply % 2], moves[ply], spare[1 - ply % 2])
    return plies % 2
