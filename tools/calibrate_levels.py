"""Measure the Elo of a champion's levels against Stockfish's UCI_Elo.

    python tools/calibrate_levels.py [GAMES] [LEVEL …]    prints rows for ELO in players/levels.py

Each level meets Stockfish at the Elo it is expected to have, then at what came out, as often. What
Stockfish calls an Elo was fixed at longer thinking times than these: the scale is its scale.
"""

from __future__ import annotations

import sys

from evoboard import match

GAME = "chess"
SECONDS = 0.05  # a move of Stockfish's
WEAKEST, STRONGEST = 1350, 2850  # that Stockfish can be asked for
LEVELS = (1.0, 3.0, 5.0, 7.0, 9.0)


def measure(level: float, games: int, expected: int) -> int:
    """Return the Elo of a level, having played around it."""
    for _ in range(2):
        asked = max(WEAKEST, min(STRONGEST, expected))
        rival = f"uci:stockfish,elo={asked},seconds={SECONDS},Hash=1"
        found = match(f"champion:level={level:g}", rival, GAME, games)
        expected = round(asked + found.elo)
        print(f"  level {level:g} against {asked}: {found.score:.3f}", flush=True)
    return expected


def main() -> None:
    """Measure the levels that are named, or all."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    levels = tuple(float(word) for word in sys.argv[2:]) or LEVELS
    elo = WEAKEST
    for level in levels:
        elo = measure(level, games, elo)
        print(f"({level:g}, {elo}),", flush=True)


if __name__ == "__main__":
    main()
