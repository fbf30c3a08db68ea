"""material: counts pieces, with any search."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import slot
from evoboard.games.base import Game
from evoboard.players.base import SearchOptions, SearchPlayer
from evoboard.players.levels import chosen_level
from evoboard.search.base import find_search

SUMMARY = "counts pieces and searches"


class Options(SearchOptions):
    """Any search with its settings."""

    search: str = Field("alphabeta", description="the search to use")


def player_for(game: Game, options: Options) -> SearchPlayer:
    """Return the player."""
    require_material(game)
    if hasattr(find_search(options.search), "outputs_for"):
        raise OptionError(
            f"{options.search} asks a network for its move, and this player has none; "
            "let it search, such as search=alphabeta."
        )
    # The values of mcts lie within ±1: ten points up counts as a win.
    usual = {"scale": 10.0} if options.search == "mcts" else {}
    evaluator, network = {"evaluate": material_value}, np.zeros(1, np.float32)
    settings = {**usual, **options.settings}
    player = SearchPlayer(
        game, options.search, settings, evaluator, network, seconds=options.seconds
    )
    player.weaken(chosen_level("", options.level, options.elo))
    return player


def require_material(game: Game) -> None:
    """Raise OptionError for a game whose pieces cannot be counted."""
    if "material" not in game.bindings:
        raise OptionError(
            f"{game.name} does not say what its pieces are worth; "
            "define material(state) in its file, the mover's points minus the other side's."
        )


@slot
def material(state: Array) -> int:  # type: ignore[empty-body]
    """Return the points of the side to move minus those of the other side."""


def material_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return the difference of points, as the slot `evaluate` wants it."""
    return np.float32(material(state))
