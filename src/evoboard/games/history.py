"""A game so far: where it started, the moves since, and what the rules of history say of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.adjudication import MATCH_REASONS, ON_BOARD, STUCK, board_result, verdict
from evoboard.games.base import DrawRules, Game
from evoboard.games.position import position_key


class _Log:
    """Positions, the moves between them and the positions' keys; histories share one."""

    def __init__(self, states: list[Array], moves: list[int], keys: Array) -> None:
        self.states, self.moves, self.keys = states, moves, keys


class History:
    """The game so far, as a value: `after` a move it is another one, and this one stays.

    A history and its continuations share their past, so that a move costs the same however long
    the game is. What players are asked with.
    """

    def __init__(
        self, game: Game, start: Array | None = None, draws: DrawRules | None = None
    ) -> None:
        self.game, self.draws, self.ply = game, draws or game.draws, 0
        first = game.initial() if start is None else np.array(start, np.int64)
        keys = np.zeros(64, np.int64)
        keys[0] = game.link(position_key)(first)
        self._log = _Log([first], [], keys)

    @classmethod
    def of(
        cls, game: Game, state: Array, moves: Iterable[int] = (), draws: DrawRules | None = None
    ) -> History:
        """Return the game that began at a position; without moves, the position alone."""
        history = cls(game, state, draws)
        for move in moves:
            history = history.after(move)
        return history

    @property
    def start(self) -> Array:
        """The position the game began from."""
        return self._log.states[0]

    @property
    def state(self) -> Array:
        """The position now."""
        return self._log.states[self.ply]

    @property
    def states(self) -> list[Array]:
        """All positions, from the start to now."""
        return self._log.states[: self.ply + 1]

    @property
    def moves(self) -> list[int]:
        """The moves since the start."""
        return self._log.moves[: self.ply]

    @property
    def steps(self) -> list[tuple[Array, int]]:
        """The moves since the start, each with the position in which it was made."""
        return list(zip(self._log.states, self.moves, strict=False))

    @property
    def keys(self) -> Array:
        """The keys of all positions; equal positions have equal keys."""
        return self._log.keys[: self.ply + 1]

    @property
    def limits(self) -> Array:
        """The draw rules as kernels read them."""
        return rules_of(self.draws)

    def after(self, move: int) -> History:
        """Return the game after a legal move."""
        log, place = self._log, self.ply + 1
        if len(log.moves) >= place:  # another continuation has taken that place
            log = _Log(self.states, self.moves, self.keys)
        if place == len(log.keys):
            log.keys = np.concatenate([log.keys, np.zeros_like(log.keys)])
        state = self.game.apply(self.state, move)
        log.keys[place] = self.game.link(position_key)(state)
        log.states.append(state)
        log.moves.append(int(move))
        return self._with(log, place)

    def until(self, ply: int) -> History:
        """Return the game as it was after `ply` plies."""
        return self._with(self._log, ply)

    def under(self, draws: DrawRules) -> History:
        """Return the same game by other draw rules; a copy, which another thread may go on with."""
        other = self._with(_Log(self.states, self.moves, self.keys.copy()), self.ply)
        other.draws = draws
        return other

    def verdict(self, draws: DrawRules | None = None) -> tuple[int, list[int]]:
        """Return the code of `games.adjudication`, and the legal moves of a side that has any.

        By these draw rules, else by its own.

        A game that is drawn by its history can be played on by those who do not mind.
        """
        out = np.zeros(self.game.max_moves, np.int32)
        judge = self.game.link(verdict)
        code, count = judge(
            self.state, self._log.keys, self.ply, rules_of(draws or self.draws), out
        )
        return int(code), out[:count].tolist()

    def _with(self, log: _Log, ply: int) -> History:
        other = History.__new__(History)
        other.game, other.draws, other.ply, other._log = self.game, self.draws, ply, log
        return other


def rules_of(draws: DrawRules) -> Array:
    """Return draw rules as kernels read them: repetitions, quiet plies and plies."""
    return np.array([draws.repetitions, draws.quiet, draws.plies], np.int64)


def result_of(game: Game, state: Array, code: int) -> int:
    """Return +1 if side 0 has won by this verdict, -1 if side 1 has, 0 for a draw or none."""
    return int(game.link(board_result)(state, code)) * (1 - 2 * game.side(state))


def reason_text(game: Game, state: Array, code: int) -> str:
    """Return why a game ended in `state` with this verdict; empty while it goes on."""
    if code in (ON_BOARD, STUCK):
        return game.reason(state)
    return MATCH_REASONS.get(code, "")


def legal_steps(game: Game, state: Array, moves: Iterable[int]) -> list[tuple[Array, int]]:
    """Return moves with the positions they are made in, up to the first that is not legal."""
    found = []
    for move in moves:
        if move not in game.legal_moves(state):
            break
        found.append((state, move))
        state = game.apply(state, move)
    return found
