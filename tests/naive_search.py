"""Slow, obvious searches: oracles for the fast ones.

`Recursion` works by plain recursion over a game's rules; nothing of `evoboard.search` is in it.
`plain_minimax` and `solve` do the same as compiled loops, without pruning and tables, for
positions with too many lines for Python; the tests compare them with the recursion first.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.bits import shift_right
from evoboard.games.position import position_key
from evoboard.games.rules import LOSS, ONGOING, WIN, apply_move, legal_moves, outcome, stuck
from evoboard.search.values import evaluate

F = np.float32
WON = F(100_000)


def hashed(network, state, values):
    """An evaluation without sense: numbers within ±1, the fewer the larger `network[0]` is.

    With 24 or more it is 0: nothing but the end of the game counts.
    """
    if network[0] >= 24:
        return F(0)
    top = 1 << (24 - network[0])
    return F(2 * (shift_right(position_key(state), 40) >> network[0]) - top) / F(top)


class Recursion:
    """Searches of one game with the evaluation `hashed`; `unaided`, it values final positions."""

    def __init__(self, game, network, unaided=False):
        self.game, self.unaided = game, unaided
        self.decided = game.link(game.bindings["outcome"])
        self.force = game.link(game.bindings["forcing"])
        kernel = game.link(hashed)
        self.value_of = lambda state: F(kernel(network, state, np.zeros(1, F)))

    def over(self, result, state, ply):
        """Return the value of a state in which the game is over."""
        return self.value_of(state) if self.unaided else F(result) * (WON - F(ply))

    def minimax(self, state, depth, quiescence=0, ply=0):
        """Return the value for the side to move, by every line of `depth` plies."""
        if self.decided(state) != ONGOING:
            return self.over(self.decided(state), state, ply)
        if depth == 0:
            return self.quiet(state, quiescence, ply)
        if self.game.outcome(state) != ONGOING:  # stuck
            return self.over(self.game.outcome(state), state, ply)
        children = [self.game.apply(state, move) for move in self.game.legal_moves(state)]
        return max(-self.minimax(child, depth - 1, quiescence, ply + 1) for child in children)

    def quiet(self, state, limit, ply):
        """Return the value after forcing moves; a side with quiet moves need not make any."""
        if self.decided(state) != ONGOING:
            return self.over(self.decided(state), state, ply)
        if limit == 0:
            return self.value_of(state)
        moves = self.game.legal_moves(state)
        if not moves:
            return self.over(self.game.outcome(state), state, ply)
        loud = [move for move in moves if self.force(state, move) > 0]
        children = [self.game.apply(state, move) for move in loud]
        values = [-self.quiet(child, limit - 1, ply + 1) for child in children]
        return max(values if len(loud) == len(moves) else [*values, self.value_of(state)])

    def distance(self, state, limit):
        """Return in how many plies, at most `limit`, the side to move can force a win, else 0."""
        return next((n for n in range(1, limit + 1) if self.wins_within(state, n)), 0)

    def wins_within(self, state, plies):
        """Tell whether the side to move can end the game as the winner within so many plies."""
        if self.game.outcome(state) != ONGOING:
            return self.game.outcome(state) == WIN
        return plies > 0 and any(
            self.loses_within(self.game.apply(state, move), plies - 1)
            for move in self.game.legal_moves(state)
        )

    def loses_within(self, state, plies):
        """Tell whether the side to move cannot help losing within so many plies."""
        if self.game.outcome(state) != ONGOING:
            return self.game.outcome(state) == LOSS
        return plies > 0 and all(
            self.wins_within(self.game.apply(state, move), plies - 1)
            for move in self.game.legal_moves(state)
        )


def plain_minimax(network, states, moves, counts, tried, best, depth, values):
    """Return the value of `states[0]` by every line of `depth` >= 1 plies; one row per ply."""
    ply = 0
    counts[0], tried[0], best[0] = legal_moves(states[0], moves[0]), 0, -WON
    while True:
        if tried[ply] == counts[ply]:
            value = best[ply] if counts[ply] > 0 else F(stuck(states[ply])) * (WON - F(ply))
            if ply == 0:
                return value
            ply -= 1
        else:
            apply_move(states[ply], moves[ply, tried[ply]], states[ply + 1])
            tried[ply] += 1
            child = states[ply + 1]
            if outcome(child) != ONGOING:
                value = F(outcome(child)) * (WON - F(ply + 1))
            elif ply + 1 == depth:
                value = evaluate(network, child, values)
            else:
                ply += 1
                counts[ply], tried[ply], best[ply] = legal_moves(child, moves[ply]), 0, -WON
                continue
        best[ply] = max(best[ply], -value)


class Plain:
    """`plain_minimax` and `solve` of one game, compiled."""

    def __init__(self, game, network, deepest=8):
        self.game, self.network = game, network
        self.kernel = game.link(plain_minimax, evaluate=hashed)
        self.solver = game.link(solve)
        self.states = np.zeros((deepest + 2, game.state_size), np.int64)
        self.moves = np.zeros((deepest + 1, game.max_moves), np.int32)
        self.counts, self.tried = np.zeros((2, deepest + 1), np.int64)
        self.best = np.zeros(deepest + 1, F)

    def minimax(self, state, depth):
        """Return the value of an ongoing state that has moves."""
        self.states[0] = state
        rows = (self.states, self.moves, self.counts, self.tried, self.best)
        return self.kernel(self.network, *rows, depth, np.zeros(1, F))

    def wins_within(self, state, plies):
        """Tell whether the side to move can end the game as the winner within so many plies."""
        self.states[0] = state
        return bool(self.solver(self.states, self.moves, self.counts, self.tried, plies))

    def winning_moves(self, state, plies):
        """Return the moves after which the other side cannot help losing within `plies` - 1."""
        found = []
        for move in self.game.legal_moves(state):
            child = self.game.apply(state, move)
            replies = [self.game.apply(child, reply) for reply in self.game.legal_moves(child)]
            if self.game.outcome(child) == LOSS or (
                plies > 1 and replies and all(self.wins_within(r, plies - 2) for r in replies)
            ):
                found.append(move)
        return found


def solve(states, moves, counts, tried, plies):
    """Tell whether the side to move in `states[0]` can force a win within `plies` plies.

    The mover at even plies seeks one good move, the other one escape: what decides a node ends it.
    """
    ply = 0
    counts[0], tried[0] = _entered(states[0], moves[0], plies), 0
    while True:
        seeker = ply % 2 == 0
        if counts[ply] < 0:
            won = (_result(states[ply], moves[ply]) == (WIN if seeker else LOSS)) * 1
        elif tried[ply] == counts[ply]:
            won = 0 if seeker else 1
        else:
            apply_move(states[ply], moves[ply, tried[ply]], states[ply + 1])
            tried[ply] += 1
            ply += 1
            counts[ply], tried[ply] = _entered(states[ply], moves[ply], plies - ply), 0
            continue
        # A node is decided: so is the one above it, if this is what its side was looking for.
        while ply > 0:
            ply -= 1
            if (won == 1) != (ply % 2 == 0):
                break
        else:
            return won


def _entered(state, out, left):
    """Return the number of moves to try; -1 where the game is over or no ply is left."""
    if left == 0 or outcome(state) != ONGOING:
        return -1
    count = legal_moves(state, out)
    return count if count > 0 else -1


def _result(state, out):
    """Return the result for the side to move, or ONGOING."""
    if outcome(state) != ONGOING:
        return outcome(state)
    return ONGOING if legal_moves(state, out) > 0 else stuck(state)
