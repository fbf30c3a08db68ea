"""The order in which moves are tried: what cuts off soonest comes first.

Order never changes a value, only the time it takes. A score is an int32; forcing moves score above
all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.rules import TURN, forcing, losing

FORCING = 1 << 29
LARGEST = (1 << 29) - 1  # of what a game calls a move's force, and of a move's fame
# Where the first moves have not cut off, none may: after so many picks any order will do.
PICKS = 16

HISTORY = 2048  # places per side; moves that share one share their fame
FAME = 1 << 14  # the most that a move has where fame can be lost, too
_SPREAD = 0x9E3779B1


def pick_by_force(state: Array, moves: Array, scores: Array, place: int, count: int) -> None:
    """Bring the most forcing move from `place` on to `place`; to be called from place 0 on."""
    if place == 0:
        for i in range(count):
            force = forcing(state, moves[i])
            scores[i] = min(force, LARGEST)
    pick(moves, scores, 0, place, count)


def pick_by_fame(
    settings: Any,
    state: Array,
    moves: Array,
    scores: Array,
    history: Array,
    head: int,
    place: int,
    count: int,
) -> None:
    """Bring the next move to `place`: forcing ones, then by history, at last those that lose.

    The first `head` moves are in their places already; to be called from place `head` on.
    """
    if place == head:
        side = state[TURN] * HISTORY
        for i in range(head, count):
            force = forcing(state, moves[i])
            if force == 0:
                scores[i] = history[side + _fold(moves[i])]
                if settings.exchanges or settings.blame:
                    scores[i] = min(scores[i] + FAME + 1, LARGEST)  # less than a forcing move
            elif settings.exchanges and losing(state, moves[i]):
                scores[i] = 0
            else:
                scores[i] = FORCING + min(force, LARGEST)
    pick(moves, scores, head, place, count)


def fame_of(score: int) -> int:
    """Return the fame of a quiet move by its score, within ±FAME; of one that loses, the least."""
    return score - (FAME + 1)


def pick(moves: Array, scores: Array, head: int, place: int, count: int) -> None:
    """Bring the move with the highest score to `place`; before it, back to `head`, are higher."""
    # A score of 0 says that all after it are 0, too.
    if place >= head + PICKS or (place > head and scores[place - 1] == 0):
        return
    best, highest = place, scores[place]
    for i in range(place + 1, count):
        if scores[i] > highest:
            best, highest = i, scores[i]
    moves[place], moves[best] = moves[best], moves[place]
    scores[best], scores[place] = scores[place], highest


def bring_forward(moves: Array, move: int, place: int, count: int) -> int:
    """Bring `move` to `place` if it is among the moves from there on; return the next place."""
    for i in range(place, count):
        if moves[i] == move:
            moves[place], moves[i] = moves[i], moves[place]
            return place + 1
    return place


def remember(state: Array, move: int, weight: int, killers: Array, history: Array) -> None:
    """Note that a quiet move has refuted a line; `killers` are those of its ply, the last first."""
    if killers[0] != move:
        killers[1], killers[0] = killers[0], move
    place = state[TURN] * HISTORY + _fold(move)
    history[place] = min(history[place] + weight, LARGEST)


def weigh(state: Array, move: int, weight: int, history: Array) -> None:
    """Add a weight, within ±FAME, to a move's fame, which stays within that: the more of it a
    move has, the less it gains.
    """
    place = state[TURN] * HISTORY + _fold(move)
    history[place] += weight - history[place] * abs(weight) // FAME


def _fold(move: int) -> np.int64:
    return (np.int64(move) * _SPREAD) >> 16 & (HISTORY - 1)
