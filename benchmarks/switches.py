"""What a setting of `pvs` is worth: python -m benchmarks.switches GAME LIMIT MINUTES CHANGE…

Each CHANGE, such as null_move=0 or threads=2, several joined by commas, makes another player of
the game's champion. It meets the champion as it usually plays, with the same network and time,
openings in pairs, until it is decided whether it is stronger by 0 or by 15 Elo (SPRT, 5% of
errors), for MINUTES of games at most. A line of JSON tells what came of them, seen by the champion
as it is: above 0, the change is for the worse.

LIMIT is seconds=S, which needs a core of its own for every thread, or nodes=N, which does not: the
one that is changed then looks at as many positions as it can in the processor time that the other
needs for N. (A table is kept between moves by the clock only.)
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from statistics import median
from typing import Any

from rich.console import Console
from rich.progress import Progress

from benchmarks.report import begin
from evoboard.arena.contest import Contest, Terms, play_contest
from evoboard.arena.elo import Tally
from evoboard.arena.schedules import start_positions
from evoboard.arena.scoring import joined
from evoboard.arena.sprt import Sprt
from evoboard.arena.standings import MatchResult
from evoboard.core.options import split_options, with_options
from evoboard.core.rng import address
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.players.base import Player, make_player

GAMES = 32  # that are played together
POSITIONS, TURNS = 12, 7  # to measure what a position costs


def compare(game: str, limit: str, minutes: float, change: str) -> dict[str, Any]:
    """Return what came of a champion's games against itself with a change of settings."""
    played, usual = load_game(game), split_options(f"champion:{limit}")[1]
    usual |= {"search": "pvs", "quiescence": "4"}
    changed = {**usual, **split_options(f"champion:{change}")[1]}
    cost = 1.0
    if "nodes" in usual:
        cost = costs(played, with_options("champion", usual), with_options("champion", changed))
        changed["nodes"] = str(max(1, round(int(usual["nodes"]) / cost)))
    players = [with_options("champion", options) for options in (usual, changed)]
    play_contest(played, players, 2, Terms(seed=0, threads=1))  # compiles what is not yet
    found, ends = list[Contest](), time.monotonic() + 60 * minutes
    test, tally = Sprt(0, 15), Tally()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{game}, {change}", total=60 * minutes)
        while not found or (test.accepted(tally) is None and time.monotonic() < ends):
            terms = Terms(seed=address(1, "switches", len(found)), threads=1)
            found.append(play_contest(played, players, GAMES, terms))
            tally = Tally.of_table(_joined(found, players).table, 0, 1)
            bar.update(task, completed=60 * minutes - max(0.0, ends - time.monotonic()))
    result = MatchResult(_joined(found, players), test)
    elo, (wins, draws, losses) = result.estimate, result.counts
    return {
        "game": game, "change": change, "limit": limit, "cost": round(cost, 3),
        "games": elo.games, "wins": wins, "draws": draws, "losses": losses,
        "score": round(elo.score, 4), "elo": round(elo.elo), "low": round(elo.low),
        "high": round(elo.high), "sprt": round(test.ratio(tally), 2),
        "accepted": test.accepted(tally),
        "seconds": [round(each, 5) for each in result.seconds_per_move()],
    }  # fmt: skip


def _joined(contests: list[Contest], players: list[str]) -> Contest:
    """Return contests one after the other as one; no two share an opening."""
    tables = [
        replace(c.table, openings=c.table.openings + i * GAMES) for i, c in enumerate(contests)
    ]
    records = tuple(record for each in contests for record in each.records)
    return Contest(tuple(players), joined(tables), records)


def costs(game: Game, usual: str, changed: str) -> float:
    """Return how many times the processor time of one player another needs for a position."""
    starts = start_positions(game, POSITIONS, address(1, "costs"), None)
    histories = [History.of(game, start) for start in starts]
    players = [make_player(text, game) for text in (usual, changed)]
    for player in players:
        player.think(histories[0], 1)  # compiles what is not yet
    ratios = []
    for _ in range(TURNS):
        one, other = (_per_position(player, histories) for player in players)
        ratios.append(other / one)
    return median(ratios)


def _per_position(player: Player, histories: list[History]) -> float:
    began = time.process_time()
    nodes = sum(player.think(history, 1).nodes for history in histories)
    return (time.process_time() - began) / nodes


def main() -> None:
    """Print a line for each change that the command line names."""
    game, limit, minutes, *changes = sys.argv[1:]
    for change in changes:
        print(json.dumps(compare(game, limit, float(minutes), change)), flush=True)


if __name__ == "__main__":
    begin(main, __doc__, 4)
