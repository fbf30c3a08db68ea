"""Measure the Elo of a champion's levels against Stockfish's UCI_Elo.

    python tools/calibrate_levels.py [GAMES] [LEVEL …]    prints rows for ELO in players/levels.py

From the strongest level on, each meets Stockfish at the Elo it is expected to have, then at what
came out, as often; what is too weak for Stockfish's weakest meets the level measured before it.
Stockfish has a tenth of a second for a move, so the machine must be quiet: with 20,000 nodes
it is 250 Elo weaker than it says. What it calls an Elo was fixed at longer games than these.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

from evoboard import match

GAME = "chess"
SECONDS = 0.1  # of a move of Stockfish's
WEAKEST, STRONGEST = 1350, 2850  # that it can be asked for
LEVELS = (10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0)
LEAST = 0.1  # the share against Stockfish's weakest below which it tells too little
GUESS, STEP = 1900, 120  # of the strongest level, and how much weaker the next one may be


class Estimate(NamedTuple):
    """An Elo and the half width of its 95% interval."""

    elo: float
    error: float


def met(level: float, rival: str, elo: Estimate, games: int) -> tuple[Estimate, float]:
    """Return a level's Elo by games against somebody whose Elo is known, and its share."""
    found = match(f"champion:level={level:g}", rival, GAME, games, threads=1)
    told = found.estimate
    print(f"  level {level:g} against {rival}: {told.score:.3f}", flush=True)
    error = math.hypot((told.high - told.low) / 2, elo.error)
    return Estimate(elo.elo + told.elo, error), told.score


def both(one: Estimate, other: Estimate) -> Estimate:
    """Return the mean of two estimates, the surer one counting more."""
    first, second = one.error**-2, other.error**-2
    elo = (one.elo * first + other.elo * second) / (first + second)
    return Estimate(elo, (first + second) ** -0.5)


def against_stockfish(level: float, games: int, guess: float) -> Estimate | None:
    """Return the Elo of a level, having played around it; None where Stockfish is too strong."""
    result: Estimate | None = None
    for _ in range(2):
        asked = round(max(WEAKEST, min(STRONGEST, result.elo if result else guess)))
        rival = f"uci:stockfish,elo={asked},seconds={SECONDS}"
        found, share = met(level, rival, Estimate(asked, 0.0), games)
        if asked == WEAKEST and share < LEAST:
            return None
        result = both(result, found) if result else found
    return result


def main() -> None:
    """Measure the levels that are named, or all."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    levels = sorted((float(word) for word in sys.argv[2:] or LEVELS), reverse=True)
    before: tuple[float, Estimate] | None = None
    weak = False
    for level in levels:
        known, elo = (before[0], before[1].elo) if before else (LEVELS[0], GUESS)
        guess = elo - STEP * (known - level)
        found = None if weak else against_stockfish(level, games, guess)
        if found is None and before is not None:
            weak = True
            found, _ = met(level, f"champion:level={before[0]:g}", before[1], 2 * games)
        if found is None:
            sys.exit(f"level {level:g} is too weak for Stockfish; name a stronger one, too.")
        before = level, found
        print(f"({level:g}, {found.elo:.0f}),  # ± {found.error:.0f}", flush=True)


if __name__ == "__main__":
    main()
