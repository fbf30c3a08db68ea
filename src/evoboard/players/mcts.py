"""mcts: Monte Carlo tree search with random games; it knows the rules and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.options import given_options
from evoboard.games.base import Game
from evoboard.players.base import LimitedOptions, SearchPlayer
from evoboard.search import mcts
from evoboard.search.base import MOST
from evoboard.search.past import ABOUT_DRAWS

SUMMARY = "tries random games and follows the promising ones"


class Options(LimitedOptions, mcts.Settings):
    """The settings of the search."""

    # There is no network to cut playouts short.
    ply: int = Field(-1, ge=-1, le=MOST, description="random moves per playout; -1: to the end")
    draws: bool = Field(True, description=ABOUT_DRAWS)


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the player."""
    given = {"ply": options.ply, **given_options(options)}
    given.pop("seconds", None)
    evaluator, network = {"evaluate": no_value}, np.zeros(1, np.float32)
    player = SearchPlayer(game, "mcts", given, evaluator, network, seconds=options.seconds)
    player.evaluates = False
    return player


def no_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return 0: nothing is known about an unfinished game."""
    return np.float32(0)
