"""lead: the result, or if nobody wins, who is ahead when the game is broken off.

    won     1.5 at once, 1 after 150 plies and later
    lost    -0.2 at once, -0.1 after 150 plies and later
    drawn   between -0.4 and 0.4: 0.4 d / (|d| + 10), d being how many pieces one is ahead

If nearly all games end at a limit of plies, results alone cannot tell which player is better.
Winning is worth far more than not losing: otherwise everybody learns to sit still. A lead is
counted as the player `material` counts it.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.rules import TURN
from evoboard.players.material import material, require_material
from evoboard.training.fitness_functions.ends import judged, last_row

SUMMARY = "a win, the sooner the better; otherwise a little for being ahead in pieces"
LOST, AHEAD, HALF = -0.2, 0.4, 10.0


def score_games(game: Game, starts: Array, moves: Array, plies: Array, results: Array) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    require_material(game)
    ahead = np.zeros(len(starts), np.int64)
    spare = np.zeros((2, game.state_size), np.int64)
    game.link(leads)(starts, moves, plies, ahead, spare)
    drawn = AHEAD * ahead / (np.abs(ahead) + HALF)
    return judged(results, plies, LOST, (drawn, -drawn))


def leads(starts: Array, moves: Array, plies: Array, ahead: Array, spare: Array) -> None:
    """Write by how much side 0 is ahead at the end of each game; `spare` holds two states."""
    for i in range(starts.shape[0]):
        here = spare[last_row(starts[i], moves[i], plies[i], spare)]
        ahead[i] = material(here) * (1 - 2 * here[TURN])
