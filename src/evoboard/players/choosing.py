"""A player that one kernel makes: it looks at the position and its moves, and chooses.

    def player_for(game, options):
        return ChoosingPlayer(game, choose, options)

    def choose(state, moves, values, options, chance):
        return 0

`choose` returns a place in `moves`, the legal moves. It may write into `values`, one for each, what
it thinks of them, in whatever unit. `options` are read as a search reads its settings; `chance` is
a seed for the functions of `core/rng.py`. Compiled with the rules of the game, such a player is as
fast as networks are, in matches and in training.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import slot
from evoboard.core.settings import Settings
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.games.rules import ONGOING
from evoboard.search.base import DEPTH, LINE, NODES, ROOT, Finder, Report, Searcher, Thought, report
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.search.values import look

NETWORK = np.zeros(1, np.float32)  # there is none


class ChoosingPlayer:
    """Makes the moves that the kernel `choose` chooses; `bindings` are constants that it reads.

    `deterministic`: it has no use for chance.
    """

    name = "choosing"

    def __init__(
        self,
        game: Game,
        choose: Callable[..., Any],
        options: Settings | None = None,
        *,
        deterministic: bool = True,
        **bindings: Any,
    ) -> None:
        self.deterministic = deterministic
        here, parts = sys.modules[__name__], {"choose": choose, **bindings}
        self.searcher = Searcher(game, here, options or Settings(), parts)

    def think(
        self, history: History, chance: int, limits: Limits = NO_LIMITS, stop: Stop | None = None
    ) -> Thought:
        """Return the chosen move."""
        return self.searcher.think(NETWORK, history, chance)

    def finder(self) -> Finder | None:
        """Return how it finds moves in many games at once."""
        return self.searcher.finder(NETWORK, NO_LIMITS, self.deterministic)


@slot
def choose(state: Array, moves: Array, values: Array, options: Any, chance: int) -> int:
    """Return the place of the chosen move in `moves`; see above."""


Work = Report  # what every search reports; nothing else is needed


def workspace(game: Game, settings: Settings, scratch: int) -> Report:
    """Return the arrays one choice of a move needs."""
    return report(game)


def best_move(network: Any, state: Array, settings: Any, chance: int, work: Report) -> int:
    """Return the chosen move; -1 if the game is over or no existing move was chosen."""
    counts, moves, values = work.counts, work.root_moves, work.root_values
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = 0, 0, 0, 0
    work.value[0] = 0
    result, count = look(state, moves)
    if result != ONGOING:
        return -1
    for i in range(count):
        values[i] = 0
    place: int = choose(state, moves[:count], values[:count], settings, chance)
    if place < 0 or place >= count:
        return -1
    counts[NODES], counts[LINE], counts[ROOT] = count, 1, count
    work.value[0], work.line[0] = values[place], moves[place]
    return moves[place]
