"""lead: the result, and where nobody wins, who is ahead when the game is given up.

    won     1.5 at once, 1 after LONG plies and later
    lost    -1.5 at once, -1 after LONG plies and later
    drawn   between -0.8 and 0.8: 0.8 d / (|d| + 10), d being how many pieces one is ahead

Where nearly all games end at a limit of plies, results alone cannot tell a better player from
another. What one is ahead by is the game's own count, as the player `material` has it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.rules import STATE_SIZE, TURN, apply_move
from evoboard.players.material import material, require_material
from evoboard.store.records import GameRecord

SUMMARY = "the result, sooner won or later lost is better; drawn: who is ahead in pieces"
LONG, SOON, AHEAD, HALF = 150, 0.5, 0.8, 10.0


def score(record: GameRecord, side: int, game: Game) -> float:
    """Return what one game was worth to a side."""
    moves = np.array([record.moves], np.int32).reshape(1, -1)
    start = game.parse_state(record.start)[None]
    plies, results = np.array([record.plies]), np.array([record.result])
    return float(score_games(game, start, moves, plies, results)[0, side])


def score_games(game: Game, starts: Array, moves: Array, plies: Array, results: Array) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    require_material(game)
    ahead = np.zeros(len(starts), np.int64)
    spare = np.zeros((2, game.state_size), np.int64)
    _kernel(game)(starts, moves, plies, ahead, spare)
    drawn = AHEAD * ahead / (np.abs(ahead) + HALF)
    soon = 1 + SOON * np.maximum(0, 1 - plies / LONG)
    first = np.where(results == 0, drawn, results * soon)
    return np.stack([first, -first], axis=1)


@lru_cache(maxsize=8)
def _kernel(game: Game) -> Any:
    """Return `leads`, linked; linking takes longer than scoring."""
    return game.link(leads)


def leads(starts: Array, moves: Array, plies: Array, ahead: Array, spare: Array) -> None:
    """Write by how much side 0 is ahead at the end of each game; `spare` holds two states."""
    for i in range(starts.shape[0]):
        here, there = spare[0], spare[1]
        for cell in range(STATE_SIZE):
            here[cell] = starts[i, cell]
        for ply in range(plies[i]):
            apply_move(here, moves[i, ply], there)
            here, there = there, here
        ahead[i] = material(here) * (1 - 2 * here[TURN])
