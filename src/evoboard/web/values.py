"""Numbers for people: what players say of positions, results, Elo, durations."""

from __future__ import annotations

import math

from evoboard.arena.game_text import RESULTS, game_spec
from evoboard.core.arrays import Array
from evoboard.core.options import split_options
from evoboard.core.wording import counted
from evoboard.games.adjudication import MATCH_REASONS, PLY_CAP
from evoboard.games.base import Game
from evoboard.games.history import legal_steps
from evoboard.interop.opinion import centipawns
from evoboard.search.values import CERTAIN, plies_to_end

# Kinds of players whose values say nothing about a position.
SILENT = ("random", "scripted")
SHOWN = 8  # moves of an expected line
SCORES = {1: "1–0", 0: "½–½", -1: "0–1"}


def value_text(value: float, scale: float | None = None) -> str:
    """Return a value in a few characters: +0.35, −12, #3 (a win in 3 plies), −#2 (a loss).

    Where opinions are bounded (`scale`), they are written in pawns, as engines write them.
    """
    sign = "−" if value < 0 else ""
    plies = plies_to_end(value)
    if plies is not None:
        return f"{sign}#{plies}"
    size = abs(centipawns(value, scale) / 100 if scale else value)
    digits = 2 if size < 10 else 1 if size < 100 else 0
    text = f"{size:.{digits}f}"
    return text if float(text) == 0 else f"{sign or '+'}{text}"


def value_words(value: float, sides: tuple[str, str], scale: float | None = None) -> str:
    """Return a value for side 0 as people say it."""
    side = sides[0 if value > 0 else 1]
    plies = plies_to_end(value)
    if plies is None:
        known = float(value_text(value, scale).replace("−", "-"))
        return f"{side} is better" if known else "equal"
    return f"{side} wins in {counted(plies, 'ply', 'plies')}"


def expected(value: float, sides: tuple[str, str], scale: float | None) -> str:
    """Return a bounded opinion for side 0 as the share of the points it expects; "" if it is
    certain, or has no bounds."""
    if not scale or plies_to_end(value) is not None:
        return ""
    lead = min(1.0, abs(value) / scale)
    return f"{percent(0.5 + lead / 2)} of the points for {sides[0 if value >= 0 else 1]}"


def share(value: float, scale: float | None = None) -> float:
    """Return how much of an evaluation bar a value fills, 0.5 where both sides are equal.

    `scale`: the largest opinion there is, such as a tanh network's 1; without one, the bar fills
    ever more slowly, by half for a lead of 1.
    """
    if abs(value) >= CERTAIN:
        return 1.0 if value > 0 else 0.0
    if scale:
        return 0.5 + 0.48 * max(-1.0, min(1.0, value / scale))
    return 0.5 + 0.48 * value / (1 + abs(value))


def score_text(result: int) -> str:
    """Return the result of a game for side 0 as it is written everywhere: 1–0, ½–½, 0–1."""
    return SCORES[result]


def written_score(text: str) -> str:
    """Return a game's result, as its file has it, in the same form; "" while it goes on."""
    result = RESULTS.get(text)
    return "" if result is None else score_text(result)


def reason_words(reason: str, plies: int) -> str:
    """Return why a game of that many plies ended, for people who have not read the settings."""
    capped = reason == MATCH_REASONS[PLY_CAP]
    return f"the limit of {counted(plies, 'ply', 'plies')}" if capped else reason


def result_share(result: int) -> float:
    """Return the bar of an ended game."""
    return 0.5 + 0.5 * result


def game_title(game: Game) -> str:
    """Return a game's name, with the options that are not its defaults: nim, heaps 8."""
    options = split_options(game_spec(game))[1]
    return ", ".join([game.name, *(f"{key} {value}" for key, value in options.items())])


def seen_by_first(value: float, side: int) -> float:
    """Return the value for side 0 of what the side to move thinks."""
    return -value if side else value


def line_text(game: Game, state: Array, line: tuple[int, ...]) -> str:
    """Return the first moves of an expected line, as people of this game write them."""
    # A table may hand over a line that another position began.
    words = [game.move_label(*step) for step in legal_steps(game, state, line[:SHOWN])]
    apart = ", " if any(" " in word for word in words) else " "
    return apart.join(words) + (" …" if len(line) > SHOWN else "")


def signed(value: float) -> str:
    """Return an Elo difference: +17, −123 or 0."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def percent(share: float) -> str:
    """Return a share of the points."""
    return f"{100 * share:.0f}%"


def short(value: float) -> str:
    """Return a number in a few digits."""
    if math.isnan(value):
        return "–"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def seconds_text(seconds: float) -> str:
    """Return a time in a few characters."""
    if seconds < 0.0095:
        return f"{1000 * seconds:.1f} ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 0.95 else f"{seconds:.1f} s"
