"""defensive: productions 10, transfers away from the centre 10 a step (hexwar paper, algorithm 4).

A capture is a transfer like any other here: the paper names no other reward for it.
"""

from __future__ import annotations

from functools import partial

from evoboard.training.fitness_functions import styles

SUMMARY = "hexwar: rewards production and the way to the corners"
STYLE = styles.Style(capture=0.0, production=10.0, towards=-10.0)

score_games = partial(styles.score_games, STYLE)
