"""aggressive: captures 15, transfers towards the centre 8 a step (hexwar paper, algorithm 3)."""

from __future__ import annotations

from functools import partial

from evoboard.training.fitness_functions import styles

SUMMARY = "hexwar: rewards captures and the way to the centre"
STYLE = styles.Style(capture=15.0, production=0.0, towards=8.0)

score_games = partial(styles.score_games, STYLE)
