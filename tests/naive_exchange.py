"""Slow, obvious exchanges of king-capture chess: the oracle of the grade's kernels.

A full minimax over captures, without any cut. Only the rules are evoboard's own; they have oracles
elsewhere.
"""

from __future__ import annotations

VALUES = [0, 1, 5, 3, 3, 100]  # by piece: none, pawn, rook, knight, bishop, king
PAWN = 1


class TooMany(Exception):
    """The captures of a position are too many to be followed slowly."""


class Exchanges:
    """Exchanges from one position of a game; every board is looked at once."""

    def __init__(self, game, budget=400):
        self.game, self.budget, self.known = game, budget, {}

    def gain(self, state):
        """Most that the side to move wins by captures, 0 where none pays."""
        key = state[:37].tobytes()
        if key not in self.known:
            if len(self.known) >= self.budget:
                raise TooMany
            captures = [m for m in self.game.legal_moves(state) if taken(state, m)]
            self.known[key] = max([0, *(self.net(state, move) for move in captures)])
        return self.known[key]

    def net(self, state, move):
        """What a move wins, less what the other side wins after it."""
        if taken(state, move) == 100:
            return won(state, move)
        return won(state, move) - self.gain(self.game.apply(state, move))


def won(state, move):
    """Value of the piece taken, and 4 for a pawn that becomes a rook."""
    return taken(state, move) + 4 * promotes(state, move)


def taken(state, move):
    """Value of the piece taken."""
    return VALUES[abs(state[move % 36])]


def promotes(state, move):
    """Tell whether a move makes a rook of a pawn."""
    return abs(state[move // 36]) == PAWN and not 6 <= move % 36 < 30


def passed(state):
    """The same board with the other side to move."""
    other = state.copy()
    other[36] = 1 - other[36]
    return other


def takes_king(game, state):
    """Tell whether the side to move can take the king."""
    return any(taken(state, move) == 100 for move in game.legal_moves(state))
