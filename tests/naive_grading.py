"""The objective grade of moves by a perfect solver, as in the Nim paper.

A move earns a point if it keeps a win, or in a lost position if it makes the opponent's win take
as long as possible; in other games than nim also if it keeps a draw. Grade = points ÷ moves. An
illegal move earns nothing; it does not count where nothing was left to choose: the paper's agent
that plays 8→5, 3→2 and 1→2 makes 50%.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evoboard.core.arrays import Array
from evoboard.games.rules import DRAW, LOSS
from evoboard.players.solver import Solution, Solver

ILLEGAL = "illegal move"  # the reason of games lost by one


class Record(Protocol):
    """What is read of a finished game: where it started, its moves, why it ended."""

    @property
    def start(self) -> str: ...
    @property
    def moves(self) -> Sequence[int]: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class Grade:
    """How many moves were graded, and how many of them earned a point."""

    points: int
    moves: int

    @property
    def share(self) -> float:
        """Points ÷ moves, 0 without any move."""
        return self.points / self.moves if self.moves else 0.0

    def __add__(self, other: Grade) -> Grade:
        return Grade(self.points + other.points, self.moves + other.moves)


def solve_moves(solver: Solver, state: Array) -> dict[int, Solution]:
    """Return each legal move's value for the side that makes it."""
    solver.solve(state)
    after = {m: solver.solve(solver.game.apply(state, m)) for m in solver.game.legal_moves(state)}
    return {m: Solution(-s.result, s.plies + (s.result != DRAW)) for m, s in after.items()}


def earns_point(solver: Solver, state: Array, move: int) -> bool:
    """Tell whether a move is as good as the position allows."""
    solutions, best = solve_moves(solver, state), solver.solve(state)
    if move not in solutions:
        return False
    chosen = solutions[move]
    if best.result == LOSS:
        return chosen.plies == best.plies
    return chosen.result == best.result


def grade_moves(solver: Solver, choices: Iterable[tuple[Array, int]]) -> Grade:
    """Return the grade of (position, move chosen there) pairs."""
    points = [
        earns_point(solver, state, move) for state, move in choices if _counts(solver, state, move)
    ]
    return Grade(sum(points), len(points))


def _counts(solver: Solver, state: Array, move: int) -> bool:
    """Tell whether a move is graded: all are but illegal ones where only one move was legal."""
    solutions = solve_moves(solver, state)
    return move in solutions or len(solutions) > 1


def grade_games(solver: Solver, records: Iterable[Record], side: int | None = None) -> Grade:
    """Return the grade of one side's moves in games, or of both sides'.

    A game lost by an illegal move counts that move, too, for the side that was to move.
    """
    choices: list[tuple[Array, int]] = []
    for record in records:
        state = solver.game.parse_state(record.start)
        solver.solve(state)
        illegal = [-1] if record.reason == ILLEGAL else []
        for move in [*record.moves, *illegal]:
            if side is None or solver.game.side(state) == side:
                choices.append((state, move))
            if move >= 0:
                state = solver.game.apply(state, move)
    return grade_moves(solver, choices)
