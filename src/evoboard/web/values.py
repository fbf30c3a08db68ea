"""What players say about positions, made ready for people: numbers, bars and lines."""

from __future__ import annotations

from evoboard.arena.match import Match
from evoboard.games.base import Game
from evoboard.games.rules import Array
from evoboard.search.base import Thought
from evoboard.search.values import BOUND, WON

CERTAIN = float(BOUND) * 2  # no network's opinion is that large
# Kinds of players whose values say nothing about a position.
SILENT = ("random", "scripted")


def value_text(value: float) -> str:
    """Return a value in a few characters: +0.35, −12, #3 (a win in 3 plies), −#2 (a loss)."""
    sign = "−" if value < 0 else ""
    if abs(value) >= CERTAIN:
        return f"{sign}#{max(0, round(float(WON) - abs(value)))}"
    size = abs(value)
    digits = 2 if size < 10 else 1 if size < 100 else 0
    text = f"{size:.{digits}f}"
    return text if float(text) == 0 else f"{sign or '+'}{text}"


def value_words(value: float) -> str:
    """Return a value as people say it."""
    if abs(value) < CERTAIN:
        return value_text(value)
    plies = max(0, round(float(WON) - abs(value)))
    return f"{'wins' if value > 0 else 'loses'} in {plies} {'ply' if plies == 1 else 'plies'}"


def share(value: float) -> float:
    """Return how much of an evaluation bar a value fills, 0.5 where both sides are equal."""
    if abs(value) >= CERTAIN:
        return 1.0 if value > 0 else 0.0
    return 0.5 + 0.48 * value / (1 + abs(value))


def result_share(result: int) -> float:
    """Return the bar of an ended game."""
    return 0.5 + 0.5 * result


def seen_by_first(value: float, side: int) -> float:
    """Return the value for side 0 of what the side to move thinks."""
    return -value if side else value


def line_text(game: Game, state: Array, line: tuple[int, ...], most: int = 8) -> str:
    """Return the first moves of an expected line, as people of this game write them."""
    words = []
    for move in line[:most]:
        if move not in game.legal_moves(state):
            break  # a table may hand over a line that another position began
        words.append(game.move_label(state, move))
        state = game.apply(state, move)
    return " ".join(words) + (" …" if len(line) > most else "")


def move_values(match: Match, thought: Thought | None) -> list[list[float | str] | None]:
    """Return [value, text] for each legal move, in their order; None where it is not known."""
    known = thought.move_values if thought else {}
    return [
        [known[move], value_text(known[move])] if move in known else None for move in match.legal
    ]
