"""aggressive: captures 15, transfers towards the centre 8 a step (hexwar paper, algorithm 3)."""

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.store.records import GameRecord
from evoboard.training.fitness_functions import styles

SUMMARY = "hexwar: rewards captures and the way to the centre"
STYLE = styles.Style(capture=15.0, production=0.0, towards=8.0)


def score(record: GameRecord, side: int, game: Game) -> float:
    """Return what a game was worth to a side."""
    return styles.score_record(STYLE, record, side, game)


def score_games(game: Game, starts: Array, moves: Array, plies: Array, results: Array) -> Array:
    """Return what games were worth to both sides, float64 (games, 2)."""
    return styles.score_games(STYLE, game, starts, moves, plies, results)
