"""What functions that judge a game by its last position share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.rules import STATE_SIZE, apply_move
from evoboard.store.records import GameRecord


def score_one(judge: Callable[..., Array], record: GameRecord, side: int, game: Game) -> float:
    """Return what one game was worth to a side, by a function of many games."""
    moves = np.array([record.moves], np.int32).reshape(1, -1)
    start = game.parse_state(record.start)[None]
    plies, results = np.array([record.plies]), np.array([record.result])
    return float(judge(game, start, moves, plies, results)[0, side])


def last_row(start: Array, moves: Array, plies: int, spare: Array) -> int:
    """Write a game's positions by turns into the two rows of `spare`; return the last one's row."""
    for cell in range(STATE_SIZE):
        spare[0, cell] = start[cell]
    for ply in range(plies):
        apply_move(spare[ply % 2], moves[ply], spare[1 - ply % 2])
    return plies % 2
