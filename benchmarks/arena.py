"""Speed of whole tournaments: beside the miniature they grew from, and on two threads."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.networks import small_graph
from benchmarks.report import Row
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule, double_round_robin
from evoboard.games.base import load_game
from evoboard.players.setup import Setup

SKETCH = Path(__file__).parents[2] / "shared" / "sketch" / "measure.py"
PLAYERS = 50


def tournament_seconds(threads: int, depth: int = 1, repeats: int = 5) -> float:
    """Return the best time of a double round robin of 50 networks of 106 links."""
    game = load_game("kingcapture")
    pack = small_graph(("unilateral", "bilateral"), PLAYERS)
    pairings = double_round_robin(PLAYERS)
    schedule = Schedule(pairings, np.zeros(len(pairings), np.int64), game.initial()[None])
    setup = Setup("kingcapture", "squares", settings={"depth": depth})
    backend = find_backend(threads=threads)
    backend.play(setup, pack, schedule, seed=1)
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        backend.play(setup, pack, schedule, seed=1)
        times.append(time.perf_counter() - began)
    return min(times)


def sketch_seconds(repeats: int = 3) -> float:
    """Return the best time of the miniature's tournament on all cores, 0 where it is not there."""
    if not SKETCH.is_file():
        return 0.0
    times = []
    for _ in range(repeats):
        command = [sys.executable, SKETCH.name, "cpu", "1"]
        done = subprocess.run(
            command, cwd=SKETCH.parent, capture_output=True, text=True, check=True
        )
        found = re.search(r"games in ([\d.]+) ms", done.stdout)
        assert found, done.stdout
        times.append(float(found[1]) / 1000)
    return min(times)


def tournament_rows() -> list[Row]:
    """2,450 games of kingcapture at depth 1; two threads beside one, at depth 1 and 2."""
    two, one = tournament_seconds(2), tournament_seconds(1)
    deep_two, deep_one = tournament_seconds(2, depth=2), tournament_seconds(1, depth=2)
    rows = [
        Row("2,450 games, two threads", two, "s", "miniature", sketch_seconds(), 1.3, True),
        Row("one thread over two, depth 1", one, "s", "two threads", two, 1.8),
        Row("one thread over two, depth 2", deep_one, "s", "two threads", deep_two, 1.8),
    ]
    return [row for row in rows if row.peer]


GROUPS = {"arena: tournaments": tournament_rows}
