"""finish: the result, and where nobody wins, who has the larger share and how little is left.

    won     1, and up to 0.5 more the sooner it was (after 0 plies; none after 150)
    lost    -0.3, and up to 0.1 more the later it was
    drawn   0.4 × tanh(1.5 × the logarithm of own pieces by the other's), and from -0.2 where 110
            pieces or more are left to 0.2 where 45 or fewer are

Armies of hexwar cancel one for one, so being two ahead is nothing among a hundred pieces and nearly
a win among five. Who sits still and lets both sides grow to the end has not begun to play.
"""

from __future__ import annotations

import math

import numpy as np

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.games.base import Game
from evoboard.games.hexwar import PIECES
from evoboard.training.fitness_functions.ends import judged, last_row

SUMMARY = "hexwar: a win, the sooner the better; else the share of pieces, and how few are left"
LOST, SHARE, STEEP = -0.3, 0.4, 1.5
CROWDED, MANY, FEW = 0.2, 110, 45


def score_games(game: Game, starts: Array, moves: Array, plies: Array, results: Array) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    if game.name != "hexwar":
        raise OptionError(f"finish judges games of hexwar; use lead for {game.name}.")
    left = np.zeros((len(starts), 2), np.int64)
    spare = np.zeros((2, game.state_size), np.int64)
    game.link(last_pieces)(starts, moves, plies, left, spare)
    total = np.clip(left.sum(axis=1), FEW, MANY)
    few = CROWDED * (2 * exact.log(MANY / total) / math.log(MANY / FEW) - 1)
    logs = exact.log(np.maximum(0.5, left))  # both may have lost their last piece
    more = SHARE * exact.tanh(STEEP * (logs[:, 0] - logs[:, 1]))
    return judged(results, plies, LOST, (few + more, few - more))


def last_pieces(starts: Array, moves: Array, plies: Array, left: Array, spare: Array) -> None:
    """Write the pieces of both sides at the end of each game; `spare` holds two states."""
    for i in range(starts.shape[0]):
        here = spare[last_row(starts[i], moves[i], plies[i], spare)]
        left[i, 0], left[i, 1] = here[PIECES], here[PIECES + 1]
