"""What a player's evaluation says of a position by itself, without any search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.players.base import split_player
from evoboard.players.material import material_value
from evoboard.web.network.source import KINDS, load_for
from evoboard.web.opponents import require_offered
from evoboard.web.values import seen_by_first

Evaluation = Callable[[Array], float]  # of a position, for side 0


def still_evaluation(text: str, game: Game) -> Evaluation | None:
    """Return the evaluation of a player that has one; a network is asked itself.

    It compiles when it is first asked.
    """
    try:
        kind = split_player(require_offered(text))[0]
        if kind in KINDS:
            shown = load_for(text, game)
            if not shown.values_positions:  # it names moves
                return None
            return lambda state: seen_by_first(shown.look(state).value, game.side(state))
    except EvoboardError:  # whoever asks the player itself is told
        return None
    if kind != "material" or "material" not in game.bindings:
        return None
    kernel, unused = game.link(material_value), np.zeros(1, np.float32)
    return lambda state: seen_by_first(float(kernel(unused, state, unused)), game.side(state))
