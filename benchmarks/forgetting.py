"""Do champions forget? python -m benchmarks.forgetting GAMES RUN…

For each run: how many of its champions' measurements against earlier champions are significant
losses (2.5 % of those between equals are), and where champions stand on the game's ladder, the last
one and three before it, all with the search of the run's end. A line of JSON for each run says it;
GAMES is how many each of them plays at equal search, and as many on the ladder.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.progress import track

from evoboard.arena.ladder import Ladder, Place
from evoboard.core.arrays import evenly_spread
from evoboard.games.base import load_game
from evoboard.store.reader import open_run
from evoboard.training.alarms import meetings_of

CHAMPIONS = 5  # evenly spread over a run; its first generation is left out


def judge(run: str, games: int) -> dict[str, Any]:
    """Return what a run's champions have lost to earlier ones, and their places on the ladder."""
    with open_run(run) as reader:
        count, rows = reader.count(), reader.measurements()
        player, seed = reader.player(count - 1), reader.facts()["seed"]
    met = [(g, row) for g, found in rows.items() for row in found if meetings_of(g, [row])]
    lost = [f"{g} to {row.opponent} ({row.elo:+.0f})" for g, row in met if row.high < 0]
    ladder, depth = Ladder(load_game(player["game"])), player["settings"].get("depth")
    search = "" if depth is None else f",depth={depth}"
    chosen = evenly_spread(count, CHAMPIONS)[1:]
    told = track(chosen, run, console=Console(stderr=True), transient=True)
    places = {g: ladder.measure(f"run:{run}@gen={g}{search}", games) for g in told}
    return {
        "run": run, "seed": seed, "generations": count, "measurements": len(met), "lost": lost,
        "ladder": {g: [round(x) for x in (p.elo, p.low, p.high)] for g, p in places.items()},
        "equal": {g: equal(ladder, place) for g, place in places.items()},
        "last": verdict(list(places.values())),
    }  # fmt: skip


def equal(ladder: Ladder, place: Place) -> list[float]:
    """Return a player's share against counting pieces at equal search, with its interval."""
    found = ladder.equal_search(place.text)
    return [] if found is None else [round(x, 3) for x in (found.share, found.low, found.high)]


def verdict(places: list[Place]) -> str:
    """Say how the last of these stands beside the strongest of them."""
    last, best = places[-1], max(places, key=lambda place: place.elo)
    if last is best:
        return "strongest"
    return "within its interval" if last.high >= best.elo else "weaker"


def main() -> None:
    """Judge the runs that the command line names."""
    games, *runs = sys.argv[1:]
    for run in runs:
        print(json.dumps(judge(run, int(games))), flush=True)


if __name__ == "__main__":
    main()
