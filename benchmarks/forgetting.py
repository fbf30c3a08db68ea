"""Do champions forget? python -m benchmarks.forgetting GAMES RUN…

Some champions of each run, evenly spread over it, meet each other with the search of its end, GAMES
for every two; where a later one loses significantly to an earlier one, that is named (of pairs of
equals one in forty is). Then a few of them climb the game's ladder, the last one among them, by as
many games at equal search and on the ladder. A line of JSON for each run says what came of it.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.report import begin
from evoboard.arena.backends.base import find_backend
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.ladder import Ladder, Place
from evoboard.core.arrays import evenly_spread
from evoboard.games.base import load_game
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import rate_lineage
from evoboard.store.reader import open_run

AMONG = 6  # champions that meet each other; the first generation's does, too
CLIMBING = 3  # of those on the ladder: the last, and others halfway


def judge(run: str, games: int) -> dict[str, Any]:
    """Return what a run's champions lose to earlier ones, and their places on the ladder."""
    with open_run(run) as reader:
        count, facts = reader.count(), reader.facts()
    lineage = read_lineage(run, every=max(1, -(-count // AMONG)))
    rated = rate_lineage(lineage, games=games, backend=find_backend("cpu", 1), final_games=games)
    met, lost, generations = 0, [], lineage.generations
    for one, other in combinations(range(len(generations)), 2):
        elo = elo_difference(Tally.of_table(rated.table, other, one))
        met += elo.games
        if elo.high < 0:
            lost.append(f"{generations[other]} to {generations[one]}: {elo.elo:.0f}")
    shares = rated.series.scores.round(3).tolist()
    depth, setup = lineage.setup.settings.get("depth"), lineage.setup
    search = "" if depth is None else f",depth={depth}"
    ladder = Ladder(load_game(setup.game))
    chosen = [generations[i] for i in evenly_spread(len(generations), CLIMBING + 1)[1:]]
    told = track(chosen, run, console=Console(stderr=True), transient=True)
    places = {g: ladder.measure(f"run:{run}@gen={g}{search}", games, threads=1) for g in told}
    return {
        "run": run, "seed": facts["seed"], "generations": count, "games": met, "lost": lost,
        "last takes": dict(zip(generations, shares, strict=False)),
        "elo": dict(zip(generations, rated.ratings.elo.round().tolist(), strict=False)),
        "ladder": {g: [round(x) for x in (p.elo, p.low, p.high)] for g, p in places.items()},
        "last": verdict(list(places.values())),
    }  # fmt: skip


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
    begin(main, __doc__, 2)
