"""A start position and the moves from it, and what the rules say of where they lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evoboard.arena.adjudication import ON_BOARD, STUCK, verdict
from evoboard.arena.match import reason_text
from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.position import position_key

ReadState = Callable[[str], Array]
ReadMove = Callable[[Array, str], int]


class Line:
    """The position to think about, with the game behind it.

    Interfaces send the whole game again for every move: only what is new is read.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._start: str | None = None
        self._texts: list[str] = []
        self._states = [game.initial()]
        self._key, self._verdict = game.link(position_key), game.link(verdict)

    @property
    def state(self) -> Array:
        """The position after all moves."""
        return self._states[-1]

    def follow(
        self,
        start: str | None,
        texts: Sequence[str],
        read_state: ReadState | None = None,
        read_move: ReadMove | None = None,
    ) -> None:
        """Go to the position after these moves; NotationError, and no change, where none is.

        `start`: a position's text, None for the game's own start.
        """
        game, known = self.game, 0
        if start == self._start:
            while known < min(len(texts), len(self._texts)) and texts[known] == self._texts[known]:
                known += 1
            states = self._states[: known + 1]
        elif start is None:
            states = [game.initial()]
        else:
            states = [(read_state or game.parse_state)(start)]
        for text in texts[known:]:
            move = (read_move or game.parse_move)(states[-1], text)
            states.append(game.apply(states[-1], move))
        self._start, self._texts, self._states = start, list(texts), states

    def ending(self) -> tuple[bool, str]:
        """Tell whether nobody can move any more, and why the game is over; "" where it is not.

        A game that is drawn by its history, such as repetition, can still be played on.
        """
        draws = self.game.draws
        limits = np.array([draws.repetitions, draws.quiet, draws.plies], np.int64)
        keys = np.array([self._key(state) for state in self._states], np.int64)
        moves = np.zeros(self.game.max_moves, np.int32)
        code, _ = self._verdict(self.state, keys, len(self._texts), limits, moves)
        return int(code) in (ON_BOARD, STUCK), reason_text(self.game, self.state, int(code))


def legal_part(game: Game, state: Array, moves: Sequence[int]) -> list[tuple[Array, int]]:
    """Return the moves with their positions, up to the first that is not legal."""
    found = []
    for move in moves:
        if move not in game.legal_moves(state):
            break
        found.append((state, move))
        state = game.apply(state, move)
    return found
