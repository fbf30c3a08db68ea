"""defensive: productions 10, transfers away from the centre 10 a step (hexwar paper, algorithm 4).

A capture is a transfer like any other here: the paper names no other reward for it.
"""

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.store.records import GameRecord
from evoboard.training.fitness_functions import styles

SUMMARY = "hexwar: rewards production and the way to the corners"
STYLE = styles.Style(capture=0.0, production=10.0, towards=-10.0)


def score(record: GameRecord, side: int, game: Game) -> float:
    """Return what a game was worth to a side."""
    return styles.score_record(STYLE, record, side, game)


def score_games(game: Game, starts: Array, moves: Array, plies: Array, results: Array) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    return styles.score_games(STYLE, game, starts, moves, plies, results)
