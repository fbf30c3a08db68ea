"""linear: a linear evaluator of chess's ten features, evolved by self-play.

The opponent of the neural-genetic chess paper, after Kendall and Whitwell. Its weights are in
`linear.json`, made by `python tools/evolve_linear.py` from the seed in that file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evoboard.core.errors import OptionError, quoted
from evoboard.games.base import Game
from evoboard.players import file
from evoboard.players.base import SearchPlayer

SUMMARY = "chess by an evolved linear evaluator of ten features"
OPTIONS = "search, depth=2 and the search's other settings, seconds"
CHAMPION = Path(__file__).parent / "linear.json"


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the player; it plays chess only."""
    for key in ("", "path"):
        if key in options:
            raise OptionError(f"it takes no file, but {quoted(str(options[key]))} is given.")
    return file.player_for(game, {**options, "": str(CHAMPION)})
