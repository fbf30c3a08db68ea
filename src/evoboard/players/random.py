"""random: every legal move is equally likely."""

from __future__ import annotations

from evoboard.core.rng import stream
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, Limits, Stop

SUMMARY = "plays random legal moves"


def player_for(game: Game) -> RandomPlayer:
    """Return the player; it has no options."""
    return RandomPlayer(game)


class RandomPlayer:
    """Draws its move from the chance it is handed."""

    name, deterministic = "random", False

    def __init__(self, game: Game) -> None:
        self.game = game

    def think(
        self, history: History, chance: int, limits: Limits = NO_LIMITS, stop: Stop | None = None
    ) -> Thought:
        """Return a random move; it has no opinion about the position."""
        moves = self.game.legal_moves(history.state)
        move = moves[int(stream(chance, "random").integers(len(moves)))]
        return Thought(move, 0.0, (move,), 1, 0, 0.0, {})
