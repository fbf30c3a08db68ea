"""Levels of strength: players made weaker, for Play, UCI and whoever wants an even game.

A level is a number of positions a move, and at the lowest levels now and then a move at random. The
Elo of levels is measured against Stockfish's UCI_Elo where there is a table, by
`tools/calibrate_levels.py`; between measured levels it is interpolated.
"""

from __future__ import annotations

from itertools import pairwise

from evoboard.core.errors import OptionError
from evoboard.core.rng import stream

WEAKEST, STRONGEST = 1.0, 10.0
FEWEST, GROWTH = 10, 3.0  # positions a move at level 1, and how many times more at the next
RANDOM, LESS = 0.3, 0.1  # share of moves at random at level 1, and how much less at the next

# By game: levels of its champion with their Elo, rising; how sure they are is in MEASUREMENTS.md.
ELO: dict[str, tuple[tuple[float, int], ...]] = {
    "chess": (
        (3.0, 760),
        (4.0, 1365),
        (5.0, 1550),
        (7.0, 1685),
        (9.0, 1835),
        (10.0, 1915),
    ),
}


def nodes_at(level: float) -> int:
    """Return how many positions a player of a level looks at."""
    return round(FEWEST * GROWTH ** (level - WEAKEST))


def slips(level: float, chance: int) -> bool:
    """Tell whether a player of a level moves at random this time."""
    share = RANDOM - LESS * (level - WEAKEST)
    return share > 0 and float(stream(chance, "slip").random()) < share


def chosen_level(game: str, level: float | None, elo: int | None) -> float | None:
    """Return the level that is meant by the options of a player, None where it is not limited."""
    if level is not None and elo is not None:
        raise OptionError("level and elo are both given; give only one of them.")
    return level if elo is None else level_of(game, elo)


def level_of(game: str, elo: float) -> float:
    """Return the level that plays at an Elo, the nearest measured one beyond the table's ends."""
    table = ELO.get(game)
    if not table:
        raise OptionError(f"the Elo of {game}'s levels is not measured; write level=1 to 10.")
    for (low, less), (high, more) in pairwise(table):
        if elo <= more:
            share = max(0.0, (elo - less) / (more - less))
            return low + share * (high - low)
    return table[-1][0]


def elo_of(game: str, level: float) -> int | None:
    """Return the Elo of a champion's level, None where it is not measured."""
    table = ELO.get(game, ())
    for (low, less), (high, more) in pairwise(table):
        if low <= level <= high:
            return round(less + (more - less) * (level - low) / (high - low))
    return None


def elo_range(game: str) -> tuple[int, int] | None:
    """Return the lowest and the highest Elo that can be asked for, None where none can."""
    table = ELO.get(game)
    return (table[0][1], table[-1][1]) if table else None
