"""material: counts pieces, with any search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import slot
from evoboard.games.base import Game
from evoboard.players.base import SearchPlayer

SUMMARY = "counts pieces and searches"
OPTIONS = "search=alphabeta, depth=1 and the search's other settings, seconds"


def player_for(game: Game, options: Mapping[str, Any]) -> SearchPlayer:
    """Return the player; `search` is any search's name, the rest are that search's settings."""
    given = dict(options)
    if "material" not in game.bindings:
        raise OptionError(
            f"{game.name} does not say what its pieces are worth; "
            "define material(state) in its file, the mover's points minus the other side's."
        )
    search = given.pop("search", "alphabeta")
    if search == "mcts":  # its values lie within ±1: ten points up counts as a win
        given.setdefault("scale", 10.0)
    return SearchPlayer(game, search, given, {"evaluate": material_value}, np.zeros(1, np.float32))


@slot
def material(state: Array) -> int:  # type: ignore[empty-body]
    """Return the points of the side to move minus those of the other side."""


def material_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return the difference of points, as the slot `evaluate` wants it."""
    return np.float32(material(state))
