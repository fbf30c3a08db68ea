"""Levels of strength: players made weaker, for Play, UCI and anyone who wants an even game.

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

# Levels of a champion with their Elo, rising; how sure they are is in MEASUREMENTS.md. They hold
# for no other player: so many positions are worth as much as whoever looks at them knows.
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


def chosen_level(champion: str, level: float | None, elo: int | None) -> float | None:
    """Return the level that is meant by the options of a player, None if it is not limited."""
    if level is not None and elo is not None:
        raise OptionError("level and elo are both given; give only one of them.")
    return level if elo is None else level_of(champion, elo)


def level_of(champion: str, elo: float) -> float:
    """Return the level at which a champion plays at an Elo; "" for any other player."""
    table = ELO.get(champion)
    if not table:
        known = ", ".join(f"champion:{name}" for name in ELO)
        raise OptionError(
            f"the Elo of this player's levels is not measured, only that of {known} with its own "
            "search; write level=1 to 10."
        )
    if not table[0][1] <= elo <= table[-1][1]:
        raise OptionError(f"elo is {elo}; it must be {table[0][1]} to {table[-1][1]}.")
    for (low, less), (high, more) in pairwise(table):
        if elo <= more:
            return low + (elo - less) / (more - less) * (high - low)
    return table[-1][0]


def elo_of(champion: str, level: float) -> int | None:
    """Return the Elo of a champion's level, None if it is not measured."""
    table = ELO.get(champion, ())
    for (low, less), (high, more) in pairwise(table):
        if low <= level <= high:
            return round(less + (more - less) * (level - low) / (high - low))
    return None


def elo_range(champion: str) -> tuple[int, int] | None:
    """Return the lowest and the highest Elo that can be asked for, None if none can."""
    table = ELO.get(champion)
    return (table[0][1], table[-1][1]) if table else None
