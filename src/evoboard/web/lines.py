"""Lines of play: the main one, and whatever else was tried, each within reach.

A line is all its moves, from the start of the game. The lines are the tree: it forks where two of
them part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evoboard.arena.game_text import RESULTS, GameText, result_text
from evoboard.core.arrays import Array
from evoboard.games.base import Game

Line = tuple[int, ...]
Ending = tuple[int, str]  # a result for side 0, and a reason that the rules do not know of

# As a further line of a game's text: how lines other than the main one ended.
ENDED = "line ended"
_ENDING = re.compile(r"variation (\d{1,3}), (\d{1,5}) plies, (1-0|0-1|1/2-1/2), (.*)")
_APART = " | "


@dataclass(frozen=True)
class Branch:
    """A line, and where it leaves the one it belongs to: after `ply` plies.

    `parent` is the number of that one among all branches, -1 for the main line itself; `labels` are
    the moves after the fork, in words.
    """

    line: Line
    parent: int
    ply: int
    labels: tuple[str, ...]


@dataclass(frozen=True)
class MainLine:
    """The main line while another one is looked at: as text without variations, and its ending."""

    line: Line
    text: GameText
    verdict: str


def begins(line: Line, other: Line) -> bool:
    """Tell whether a line begins with the moves of another."""
    return line[: len(other)] == other


def parting(line: Sequence[int], other: Sequence[int]) -> int:
    """Return how many plies two lines have in common."""
    for ply, (move, its) in enumerate(zip(line, other, strict=False)):
        if move != its:
            return ply
    return min(len(line), len(other))


def still_apart(lines: Sequence[Line], main: Line) -> list[Line]:
    """Return the lines that neither the main one nor any other contains, each once."""
    ordered = sorted({*lines, main})
    # In this order, a line is followed by those that begin with it.
    contained = {line for line, other in pairwise(ordered) if begins(other, line)}
    different = dict.fromkeys(lines)
    return [line for line in different if line and line != main and line not in contained]


def with_line(lines: Sequence[Line], line: Line) -> list[Line]:
    """Return the lines and one more; in the place of what it goes on from, else as the last."""
    if any(begins(other, line) for other in lines):
        return list(lines)
    at = next((i for i, other in enumerate(lines) if begins(line, other)), len(lines))
    return [*lines[:at], line, *lines[at + 1 :]]


def line_going_on(lines: Sequence[Line], begun: Line) -> Line:
    """Return the first line that begins with these moves; else these moves."""
    return next((line for line in lines if begins(line, begun)), begun)


def forks(main: Line, lines: Sequence[Line]) -> list[tuple[Line, int, int]]:
    """Return (line, parent, ply) of all lines, the main one first, as `Branch` has them."""
    found = [(main, -1, 0)]
    for line in lines:
        common = [parting(line, other) for other, _, _ in found]
        ply = max(common)
        found.append((line, common.index(ply), ply))
    return found


def told_moves(
    game: Game, state: Array, moves: Sequence[int], tell: Callable[[Array, int], str]
) -> tuple[str, ...]:
    """Return moves played from a position as `tell` writes them: game.move_label or move_text."""
    found = []
    for move in moves:
        found.append(tell(state, move))
        state = game.apply(state, move)
    return tuple(found)


def endings_told(endings: Mapping[Line, Ending], lines: Sequence[Line]) -> str:
    """Return how lines ended, the main one left out; `lines` are all there are, that one first.

    Which moves ended so is told by the number of the first line that begins with them.
    """
    told = []
    for ended, (result, reason) in endings.items():
        number = next((i for i, line in enumerate(lines) if begins(line, ended)), None)
        if number is not None and ended != lines[0]:
            why = " ".join(reason.replace("|", "/").split())
            told.append(f"variation {number}, {len(ended)} plies, {result_text(result)}, {why}")
    return _APART.join(told)


def endings_read(text: str, lines: Sequence[Line]) -> dict[Line, Ending]:
    """Return what `endings_told` has told; what does not fit these lines is left out."""
    found = {}
    for part in text.split(_APART):
        told = _ENDING.fullmatch(part.strip())
        if told and int(told[1]) < len(lines) and int(told[2]) <= len(lines[int(told[1])]):
            result = RESULTS[told[3]]
            assert result is not None
            found[lines[int(told[1])][: int(told[2])]] = result, told[4]
    return found
