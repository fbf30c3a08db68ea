"""What a Ray cluster costs and gives: python -m benchmarks.two_nodes [TURNS]

Two comparisons by turns, with a ratio inside each turn, so that a machine that is slower for a
while does not tell. The same games by two workers of a local cluster and by two threads: wanted is
at most 1.1 times as long. And by local nodes with one core each, one node alone, then both: wanted
is 1.7 times as fast. It takes about 40 seconds a turn, on two cores on which nothing else runs.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.networks import small_graph
from benchmarks.report import begin
from evoboard.arena.backends.base import Backend, find_backend
from evoboard.arena.schedules import Schedule, double_round_robin
from evoboard.games.base import load_game
from evoboard.players.setup import Setup

Games = tuple[Setup, Any, Schedule]
PLAYERS, DEPTH = 80, 2
MORE = 5  # times as many games for the first comparison: it is about those over 5 seconds
MOST_COST, WANTED = 1.1, 1.7


def timed(backend: Backend, games: Games) -> float:
    """Return the seconds of a second call: workers have started, loaded, and know their pace."""
    backend.play(*games, 7)
    began = time.perf_counter()
    backend.play(*games, 7)
    return time.perf_counter() - began


def compare(turns: int, what: str, measure: Callable[[], tuple[float, float]]) -> float:
    """Print the ratio of two times turn by turn; return their median."""
    ratios = []
    for turn in range(turns):
        one, other = measure()
        ratios.append(one / other)
        print(f"turn {turn + 1}: {what} {one:.2f} and {other:.2f} s: {one / other:.2f}", flush=True)
    return float(np.median(ratios))


def main() -> None:
    """Time both by turns."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    # Of both clusters: a process knows one token only.
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    pairs, start = double_round_robin(PLAYERS), load_game("kingcapture").initial()[None]
    setup = Setup("kingcapture", "squares", settings={"depth": DEPTH})
    pack = small_graph(("unilateral", "bilateral"), PLAYERS)

    def games(times: int) -> Games:
        repeated = np.tile(pairs, (times, 1))
        return setup, pack, Schedule(repeated, np.zeros(len(repeated), np.int64), start)

    ray_here, threads = find_backend("ray", 2), find_backend("cpu", 2)
    cost = compare(
        turns,
        "Ray and threads",
        lambda: (timed(ray_here, games(MORE)), timed(threads, games(MORE))),
    )
    gain = compare_nodes(turns, games(1))
    print(
        f"{MORE * len(pairs):,} games at depth {DEPTH} take Ray {cost:.2f} times as long "
        f"as threads (median; wanted {MOST_COST}); two nodes are {gain:.2f} times one "
        f"({len(pairs):,} games; wanted {WANTED})"
    )
    sys.exit(cost > MOST_COST or gain < WANTED)


def compare_nodes(turns: int, games: Games) -> float:
    """Return how many times as fast as one node two are."""
    import ray
    from ray.cluster_utils import Cluster

    ray.shutdown()
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    backend = find_backend(f"ray:{cluster.address}")

    def measure() -> tuple[float, float]:
        one = timed(backend, games)
        node = cluster.add_node(num_cpus=1)
        two = timed(backend, games)
        cluster.remove_node(node)
        return one, two

    found = compare(turns, "one node and two", measure)
    ray.shutdown()
    cluster.shutdown()
    return found


if __name__ == "__main__":
    begin(main, __doc__, 0)
