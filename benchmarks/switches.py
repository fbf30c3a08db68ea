"""What a setting of `pvs` is worth: python -m benchmarks.switches GAME SECONDS MINUTES CHANGE…

Each CHANGE, such as null_move=0 or threads=2, several joined by commas, makes another player of
the game's champion. It meets the champion as it usually plays: the same network, the same SECONDS
a move, openings in pairs. Each gets MINUTES of games, however many those are; a line of JSON tells
what came of them, seen by the champion as it is: above 0, the change is for the worse.

Equal time means little where cores are shared: it takes one that is free for every thread.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.progress import Progress

from evoboard.arena.contest import Contest, Terms, play_contest
from evoboard.arena.scoring import joined
from evoboard.arena.standings import MatchResult
from evoboard.core.options import split_options, with_options
from evoboard.core.rng import address
from evoboard.games.base import load_game


def compare(game: str, seconds: float, minutes: float, change: str) -> dict[str, Any]:
    """Return what came of a champion's games against itself with a change of settings."""
    usual = {"search": "pvs", "quiescence": 4, "seconds": seconds}
    changed = {**usual, **split_options(f"champion:{change}")[1]}
    players = [with_options("champion", options) for options in (usual, changed)]
    played, pairs = load_game(game), list[Contest]()
    play_contest(played, players, 2, Terms(seed=0, threads=1))  # compiles what is not yet
    ends = time.monotonic() + 60 * minutes
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{game}, {change}", total=60 * minutes)
        while not pairs or time.monotonic() < ends:
            terms = Terms(seed=address(1, "switches", len(pairs)), threads=1)
            pairs.append(play_contest(played, players, 2, terms))
            bar.update(task, completed=60 * minutes - max(0.0, ends - time.monotonic()))
    tables = [replace(pair.table, openings=pair.table.openings + i) for i, pair in enumerate(pairs)]
    records = tuple(record for pair in pairs for record in pair.records)
    result = MatchResult(Contest(tuple(players), joined(tables), records))
    found, (wins, draws, losses) = result.estimate, result.counts
    return {
        "game": game, "change": change, "seconds": seconds, "games": found.games,
        "wins": wins, "draws": draws, "losses": losses, "score": round(found.score, 4),
        "elo": round(found.elo, 1), "low": round(found.low, 1), "high": round(found.high, 1),
        "seconds a move": [round(each, 5) for each in result.seconds_per_move()],
    }  # fmt: skip


def main() -> None:
    """Print a line for each change that the command line names."""
    game, seconds, minutes, *changes = sys.argv[1:]
    for change in changes:
        print(json.dumps(compare(game, float(seconds), float(minutes), change)), flush=True)


if __name__ == "__main__":
    main()
