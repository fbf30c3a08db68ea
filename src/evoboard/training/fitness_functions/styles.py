"""The two functions of the hexwar paper (algorithms 3 and 4) differ in what moves they reward.

    won     S_max / 8               P: the side's own pieces at the end
    lost    min(2 P, S_max / 15)
    drawn   min(3 P, S_max / 10)

and for each of the side's own moves a fixed bonus (captures, or productions), or for a transfer a
multiple of how much nearer to the centre (2, 2) it goes, or farther from it, if it does. Distances
are Euclidean, on the tiles' coordinates (x, y).

The paper gives no S_max. Ours is 400, its fitness threshold: then a victory is worth 50 and a draw
at most 40, less than the moves of a game, which fits its best scores of 76 and 146. The paper also
demands a score between 0 and S_max, so that what exceeds it is cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.games.base import Game
from evoboard.games.hexwar import CELLS, PIECES, SIZE, split_move
from evoboard.games.rules import TURN, apply_move, copy_state

MOST_SCORE = 400.0
CENTRE = (2, 2)
# How far each tile is from the centre.
FAR = np.array([np.hypot(c % SIZE - CENTRE[0], c // SIZE - CENTRE[1]) for c in range(CELLS)])


class Style(NamedTuple):
    """Points of a capture, of a production, and per step of a transfer towards the centre."""

    capture: float
    production: float
    towards: float  # negative: away from it


def score_games(
    style: Style, game: Game, starts: Array, moves: Array, plies: Array, results: Array
) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    if game.name != "hexwar":
        raise OptionError(
            f"aggressive and defensive judge games of hexwar; for {game.name} write a function of "
            "your own, FILE.py:name."
        )
    scores = np.zeros((len(starts), 2))
    spare = np.zeros((2, game.state_size), np.int64)
    game.link(score_all)(style, starts, moves, plies, results, scores, spare)
    return scores


def score_all(
    style: Style,
    starts: Array,
    moves: Array,
    plies: Array,
    results: Array,
    scores: Array,
    spare: Array,
) -> None:
    """Write the scores of all games; `spare` holds two states."""
    for i in range(starts.shape[0]):
        here, there = spare[0], spare[1]
        copy_state(starts[i], here)
        for ply in range(plies[i]):
            scores[i, here[TURN]] += move_points(style, here, moves[i, ply])
            apply_move(here, moves[i, ply], there)
            here, there = there, here
        for side in range(2):
            result = results[i] * (1 - 2 * side)
            total = scores[i, side] + result_points(result, here[PIECES + side])
            scores[i, side] = min(max(total, 0.0), MOST_SCORE)


def move_points(style: Style, state: Array, move: int) -> float:
    """Return what a move is worth by itself."""
    source, target, _amount = split_move(move)
    if source == target:
        return style.production
    if style.capture > 0.0 and state[source] * state[target] < 0:
        return style.capture
    return max(style.towards * (FAR[source] - FAR[target]), 0.0)


def result_points(result: int, pieces: int) -> float:
    """Return what the end is worth: +1 won, 0 drawn, -1 lost, with so many pieces left."""
    if result > 0:
        return MOST_SCORE / 8
    if result < 0:
        return min(2.0 * pieces, MOST_SCORE / 15)
    return min(3.0 * pieces, MOST_SCORE / 10)
