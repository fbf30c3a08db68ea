"""mcts: Monte Carlo tree search with random games; it knows the rules and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.players.base import SearchPlayer

SUMMARY = "tries random games and follows the promising ones"
OPTIONS = "rounds and the other settings of the search mcts, seconds"


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the player; its options are the settings of the search."""
    given = {"ply": -1, **options}  # playouts to the end: there is no network to cut them short
    player = SearchPlayer(game, "mcts", given, {"evaluate": no_value}, np.zeros(1, np.float32))
    player.evaluates = False
    return player


def no_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return 0: nothing is known about an unfinished game."""
    return np.float32(0)
