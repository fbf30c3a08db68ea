"""Two nodes of a Ray cluster against one: python -m benchmarks.two_nodes [TURNS]

Local nodes with one core each play the same games by turns: one node alone, then both. The ratio is
taken inside each turn, so that a machine that is slower for a while does not tell; wanted is 1.7.
It takes about 10 seconds a turn, on two cores on which nothing else runs.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from typing import Any

import numpy as np

from benchmarks.networks import small_graph
from benchmarks.report import begin
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule, double_round_robin
from evoboard.games.base import load_game
from evoboard.players.setup import Setup

PLAYERS, DEPTH, WANTED = 80, 2, 1.7


def main() -> None:
    """Time both by turns."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray
    from ray.cluster_utils import Cluster

    pairs = double_round_robin(PLAYERS)
    start = load_game("kingcapture").initial()[None]
    schedule = Schedule(pairs, np.zeros(len(pairs), np.int64), start)
    setup = Setup("kingcapture", "squares", settings={"depth": DEPTH})
    pack = small_graph(("unilateral", "bilateral"), PLAYERS)

    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    backend = find_backend(f"ray:{cluster.address}")

    def timed() -> float:
        backend.play(setup, pack, schedule, 7)  # workers start, load, and learn what a game takes
        began = time.perf_counter()
        backend.play(setup, pack, schedule, 7)
        return time.perf_counter() - began

    ratios = []
    for turn in range(turns):
        one = timed()
        node = cluster.add_node(num_cpus=1)
        two = timed()
        cluster.remove_node(node)
        ratios.append(one / two)
        print(
            f"turn {turn + 1}: one node {one:.2f} s, two {two:.2f} s: {one / two:.2f}", flush=True
        )
    middle = float(np.median(ratios))
    told = f"{len(pairs):,} games at depth {DEPTH}"
    print(f"{told}: two nodes are {middle:.2f} times one (median; wanted {WANTED})")
    ray.shutdown()
    cluster.shutdown()
    sys.exit(middle < WANTED)


if __name__ == "__main__":
    begin(main, __doc__, 0)
