"""Lines of play beside the one on the board: whatever was tried before stays within reach.

A line is all its moves, from the start of the game. The lines are the tree: it forks where two of
them part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evoboard.games.base import Game
from evoboard.games.rules import Array

Line = tuple[int, ...]


@dataclass(frozen=True)
class Branch:
    """Where a line leaves the game: after how many plies, and its moves from there in words."""

    line: Line
    ply: int
    labels: tuple[str, ...]


def parting(line: Sequence[int], other: Sequence[int]) -> int:
    """Return how many plies two lines have in common."""
    for ply, (move, its) in enumerate(zip(line, other, strict=False)):
        if move != its:
            return ply
    return min(len(line), len(other))


def still_apart(lines: Sequence[Line], current: Line) -> list[Line]:
    """Return the lines that neither the current one nor any other contains, each once."""
    ordered = sorted({*lines, current})
    # In this order, a line is followed by those that begin with it.
    contained = {line for line, other in pairwise(ordered) if other[: len(line)] == line}
    different = dict.fromkeys(lines)
    return [line for line in different if line and line != current and line not in contained]


def line_going_on(lines: Sequence[Line], begun: Line) -> Line:
    """Return the latest line that begins with these moves; else these moves."""
    return next((line for line in reversed(lines) if line[: len(begun)] == begun), begun)


def labels_of(game: Game, state: Array, moves: Sequence[int]) -> list[str]:
    """Return moves played from a position as people of the game write them."""
    found = []
    for move in moves:
        found.append(game.move_label(state, move))
        state = game.apply(state, move)
    return found
