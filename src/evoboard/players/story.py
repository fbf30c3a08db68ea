"""The game that led to a position, as far as the player who is asked about it has seen it.

A player is handed positions, not games. But the position after its own move and one more of the
opponent's is its game going on, and so an engine can be told the moves, and sees repetitions.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game


class Story:
    """Where a game began for a player, the moves since, and the position it is asked about."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.steps: list[tuple[Array, int]] = []  # positions and the moves made in them
        self.state: Array = game.initial()
        self._answer = -1

    @property
    def start(self) -> Array:
        """The first position of the story."""
        return self.steps[0][0] if self.steps else self.state

    def follow(self, state: Array) -> None:
        """Go on to a position; one that does not follow from the last answer begins anew."""
        if np.array_equal(state, self.state):
            return
        between = self._after_answer()
        reply = None if between is None else self._reply(between, state)
        if between is None or reply is None:
            self.steps = []
        else:
            self.steps += [(self.state, self._answer), (between, reply)]
        self.state, self._answer = state.copy(), -1

    def answer(self, move: int) -> None:
        """Note the move that the player has chosen; -1: none."""
        self._answer = move

    def _after_answer(self) -> Array | None:
        return self.game.apply(self.state, self._answer) if self._answer >= 0 else None

    def _reply(self, between: Array, state: Array) -> int | None:
        """Return the move that leads from one position to another, if there is one."""
        for move in self.game.legal_moves(between):
            if np.array_equal(self.game.apply(between, move), state):
                return move
        return None
