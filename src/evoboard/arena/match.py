"""One game between two players, move by move, with everything worth remembering about it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from evoboard.arena.adjudication import (
    ILLEGAL,
    MATCH_REASONS,
    ON_BOARD,
    PLAYING,
    STUCK,
    board_result,
    verdict,
)
from evoboard.core.arrays import Array
from evoboard.core.errors import IllegalMove
from evoboard.games.base import DrawRules, Game
from evoboard.games.position import position_key
from evoboard.store.records import GameRecord


def reason_text(game: Game, state: Array, code: int) -> str:
    """Return why a game ended in `state` with this verdict; empty while it goes on."""
    if code in (ON_BOARD, STUCK):
        return game.reason(state)
    return MATCH_REASONS.get(code, "")


@dataclass
class Match:
    """A game in progress. The only place that knows repetition, progress and length rules."""

    game: Game
    draws: DrawRules
    states: list[Array] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    legal: list[int] = field(default_factory=list)
    code: int = PLAYING

    def __init__(
        self, game: Game, *, start: Array | None = None, draws: DrawRules | None = None
    ) -> None:
        self.game, self.draws = game, draws or game.draws
        self.states, self.moves = [game.initial() if start is None else start.copy()], []
        self._key, self._verdict = game.link(position_key), game.link(verdict)
        self._result = game.link(board_result)
        self._keys = [int(self._key(self.states[0]))]
        self._judge()

    @property
    def state(self) -> Array:
        """The current position."""
        return self.states[-1]

    @property
    def over(self) -> bool:
        """Tell whether the game has ended."""
        return self.code != PLAYING

    def play(self, move: int) -> None:
        """Make a legal move; anything else is an IllegalMove and changes nothing."""
        if self.over:
            raise IllegalMove(f"the game has ended ({self.reason}); no move can follow.")
        if move not in self.legal:
            position = self.game.state_text(self.state)
            raise IllegalMove(f"move number {move} is not legal in {position}.")
        self.states.append(self.game.apply(self.state, move))
        self.moves.append(move)
        self._keys.append(int(self._key(self.state)))
        self._judge()

    def take_back(self) -> None:
        """Undo the last move, if there is one."""
        if self.moves:
            self.states.pop(), self.moves.pop(), self._keys.pop()
            self._judge()

    @property
    def result(self) -> int:
        """+1 where side 0 has won, -1 where side 1 has, 0 for a draw or a game in progress."""
        return int(self._result(self.state, self.code)) * (1 - 2 * self.game.side(self.state))

    @property
    def reason(self) -> str:
        """Why the game ended; empty while it goes on."""
        return reason_text(self.game, self.state, self.code)

    def forfeit(self) -> None:
        """End the game: the side to move named no legal move, and loses."""
        if not self.over:
            self.code, self.legal = ILLEGAL, []

    def record(self, seconds: tuple[float, float] = (0.0, 0.0)) -> GameRecord:
        """Return what is kept of a finished game."""
        start, moves = self.game.state_text(self.states[0]), tuple(self.moves)
        name, version = self.game.name, self.game.version
        return GameRecord(name, version, start, moves, self.result, self.reason, self.code, seconds)

    def _judge(self) -> None:
        limits = np.array([self.draws.repetitions, self.draws.quiet, self.draws.plies], np.int64)
        out = np.zeros(self.game.max_moves, np.int32)
        keys = np.array(self._keys, np.int64)
        code, count = self._verdict(self.state, keys, len(self.moves), limits, out)
        self.code = int(code)
        self.legal = [] if self.over else [int(move) for move in out[:count]]
