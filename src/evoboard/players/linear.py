"""linear: a linear evaluator of chess's ten features, evolved by self-play.

The opponent of the neural-genetic chess paper, after Kendall and Whitwell. Its weights are in
`linear.json`, made by `python tools/evolve_linear.py` from the seed in that file.
"""

from __future__ import annotations

from pathlib import Path

from evoboard.games.base import Game
from evoboard.players.base import SearchOptions, SearchPlayer
from evoboard.players.file import player_of

SUMMARY = "chess by an evolved linear evaluator of ten features"
CHAMPION = Path(__file__).parent / "linear.json"


class Options(SearchOptions):
    """Another search, other settings than its own."""


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the player; it plays chess only."""
    return player_of(CHAMPION, game, options)
