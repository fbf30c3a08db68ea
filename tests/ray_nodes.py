"""Games on a cluster of local nodes against the same games here: `python tests/ray_nodes.py NODES`.

With one node there is no cluster but the one that Ray makes of this machine by itself.
Run by test_ray.py. One line for each thing that was tried, or an error.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from compare_runs import differences
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule, paired_games
from evoboard.core.errors import OptionError
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup
from evoboard.runs.runner import Listener, start_run
from evoboard.store.run_file import find_run

CHANGES = ["generations=3"]
# A head without those of its processes that nobody here asks; each begins by loading Python.
HEAD = {"num_cpus": 1, "include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
# A killed node is missed after half a second without an answer, not after fifteen.
QUICK = {"RAY_health_check_period_ms": "250", "RAY_health_check_failure_threshold": "2"}
GAMES_BEFORE = 40  # of generation 2: then a node is killed
OWN_GAME = Path(__file__).parents[1] / "examples" / "tictactoe.py"


class Killer(Listener):
    """Kills a node while generation 2 is being played."""

    def __init__(self, cluster: Any, node: Any) -> None:
        self.cluster, self.node, self.stored, self.killed = cluster, node, 0, ""

    def generation(self, record: Any) -> None:
        self.stored += 1

    def games(self, done: int, total: int) -> None:
        if self.stored == 1 and done >= GAMES_BEFORE and not self.killed:
            self.killed = f"a node was killed after {done} of {total} games"
            self.cluster.remove_node(self.node, allow_graceful=False)


def sentence(action: Any) -> str:
    """Return what a refused action says."""
    try:
        action()
    except OptionError as error:
        return str(error)
    raise AssertionError("it was not refused")


def same_run_though_a_node_is_lost(cluster: Any, node: Any) -> str:
    """Train on the cluster and here; return a line about it."""
    experiment = load("nim-quick", CHANGES)
    killer = Killer(cluster, node)
    start_run("here", experiment, 5)
    start_run("there", experiment, 5, backend=f"ray:{cluster.address}", listener=killer)
    assert killer.killed, "no node was killed"
    assert not (found := differences(find_run("here"), find_run("there"))), found
    return f"equal runs of {killer.stored} generations; {killer.killed}"


def some_games(file: str) -> tuple[Setup, Any, Schedule, int]:
    """Return games between two random networks in a game: what backends are asked with."""
    game = load_game(file)
    setup, rng = Setup(file, "cells").loaded(game), np.random.default_rng(1)
    size = setup.bind().encoder.inputs
    pack = graph.pack(
        [
            GraphNetwork(size, [0], [0, size], range(size), rng.normal(size=size), [0.1])
            for _ in "ab"
        ]
    )
    return setup, pack, paired_games(game, np.array([[0, 1]]), 20, 7, 2), 3


def equal_games_alone() -> str:
    """Play on a cluster of this machine's own and without one; return a line about it."""
    games = some_games(str(OWN_GAME))
    first = find_backend("ray", 2)  # its workers keep the cores
    first.play(*games)
    here, there = (find_backend(one, 2).play(*games, record=True) for one in ("cpu", "ray"))
    for mine, other in zip(vars(here.table).values(), vars(there.table).values(), strict=True):
        assert np.array_equal(mine, other)
    assert np.array_equal(here.moves, there.moves)
    assert np.array_equal(here.finals, there.finals)
    return "equal games on this machine alone, and by the next backend at once"


def refusals(cluster: Any, folder: Path) -> list[str]:
    """Return what is said where a user's own game is not the same on a node."""
    file = folder / "own.py"
    file.write_text(OWN_GAME.read_text())
    games, there = some_games(str(file)), find_backend(f"ray:{cluster.address}")

    def play() -> None:
        there.play(*games)

    file.write_text(OWN_GAME.read_text().replace("return DRAW", "return LOSS"))
    changed = sentence(play)
    file.unlink()
    return [changed, sentence(play)]


def main() -> None:
    """Try everything."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray
    from ray.cluster_utils import Cluster

    begun = time.perf_counter()
    os.environ |= QUICK
    print(sentence(lambda: find_backend("ray:127.0.0.1:9")))
    print(sentence(lambda: find_backend("ray:nowhere")))
    more = int(sys.argv[1]) - 1
    if more:
        cluster = Cluster(initialize_head=True, head_node_args=HEAD)
        nodes = [cluster.add_node(num_cpus=1) for _ in range(more)]
        with tempfile.TemporaryDirectory() as folder:
            os.environ["EVOBOARD_RUNS"] = folder
            print(same_run_though_a_node_is_lost(cluster, nodes[-1]))
            for line in refusals(cluster, Path(folder)):
                print(line)
        ray.shutdown()
        cluster.shutdown()
    print(equal_games_alone())
    print(f"{time.perf_counter() - begun:.0f} seconds", file=sys.stderr)


if __name__ == "__main__":
    main()
