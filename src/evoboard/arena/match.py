"""One game between two players, move by move, with everything worth remembering about it."""

from __future__ import annotations

from collections.abc import Iterable

from evoboard.core.arrays import Array
from evoboard.core.errors import IllegalMove
from evoboard.games.adjudication import ILLEGAL, PLAYING
from evoboard.games.base import DrawRules, Game
from evoboard.games.history import History, reason_text, result_of
from evoboard.store.records import GameRecord


class Match:
    """A game in progress: a history to which only legal moves are added, and its end."""

    def __init__(
        self, game: Game, *, start: Array | None = None, draws: DrawRules | None = None
    ) -> None:
        self.history = History(game, start, draws)
        self.code, self.legal = PLAYING, list[int]()
        self._judge()

    @property
    def game(self) -> Game:
        """The game being played."""
        return self.history.game

    @property
    def state(self) -> Array:
        """The current position."""
        return self.history.state

    @property
    def states(self) -> list[Array]:
        """All positions, from the start to the current one."""
        return self.history.states

    @property
    def moves(self) -> list[int]:
        """The moves made so far."""
        return self.history.moves

    @property
    def over(self) -> bool:
        """Tell whether the game has ended."""
        return self.code != PLAYING

    def play(self, move: int) -> None:
        """Make a legal move; anything else is an IllegalMove and changes nothing."""
        if self.over:
            raise IllegalMove(f"the game has ended ({self.reason}); no move can follow.")
        if move not in self.legal:
            raise illegal_move(self.game, self.state, move)
        self.history = self.history.after(move)
        self._judge()

    def take_back(self) -> None:
        """Undo the last move, if there is one."""
        if self.history.ply:
            self.history = self.history.until(self.history.ply - 1)
            self._judge()

    @property
    def result(self) -> int:
        """+1 if side 0 has won, -1 if side 1 has, 0 for a draw or a game in progress."""
        return result_of(self.game, self.state, self.code)

    @property
    def reason(self) -> str:
        """Why the game ended; empty while it is in progress."""
        return reason_text(self.game, self.state, self.code)

    def forfeit(self) -> None:
        """End the game: the side to move gave no legal move, and loses."""
        if not self.over:
            self.code, self.legal = ILLEGAL, []

    def record(self, seconds: tuple[float, float] = (0.0, 0.0)) -> GameRecord:
        """Return the record of a finished game."""
        return game_record(
            self.game, self.history.start, self.moves, self.state, self.code, seconds
        )

    def _judge(self) -> None:
        self.code, legal = self.history.verdict()
        self.legal = [] if self.over else legal


def game_record(
    game: Game,
    start: Array,
    moves: Iterable[int],
    final: Array,
    code: int,
    seconds: tuple[float, float] = (0.0, 0.0),
) -> GameRecord:
    """Return the record of a game that ended in the position `final`, with this verdict."""
    result, reason = result_of(game, final, code), reason_text(game, final, code)
    first, played = game.state_text(start), tuple(moves)
    return GameRecord(game.name, game.version, first, played, result, reason, code, seconds)


def illegal_move(game: Game, state: Array, move: int) -> IllegalMove:
    """Return the error of a move that is not legal in a position."""
    return IllegalMove(f"move number {move} is not legal in {game.state_text(state)}.")
