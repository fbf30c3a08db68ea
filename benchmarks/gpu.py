"""Speed of the backend cuda beside this machine's cores; measured where there is a GPU."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.networks import small_graph
from benchmarks.report import Row
from evoboard.arena.backends import cuda
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule, double_round_robin
from evoboard.core.errors import OptionError
from evoboard.experiments.catalog import load
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup
from evoboard.runs.runner import Listener, start_run
from evoboard.store.records import GenerationRecord

BACKEND = "cuda"
PLAYERS, FEWER = 1_000, 142  # all pairs with both colours: 999,000 and 20,022 games
ON_CORES = {1: 100, 2: 30}  # players, by depth
MCTS_GAMES, ROUNDS, GENERATIONS = 131_072, 300, 12
KINDS = ("unilateral", "bilateral")
QUIET = [
    "measure.every=1000000", "measure.grade=false", "record.games_every=0",
    "record.genomes_every=0", "record.champion_games=false", "record.checkpoint_every=1000000",
    "champion.finalists=1",
]  # fmt: skip


def has_gpu() -> bool:
    """Tell whether there is a GPU; say so where there is none."""
    try:
        cuda.require_gpu()
    except OptionError as error:
        print(f"SKIPPED: {error}")
        return False
    return True


def best_time(backend: str, threads: int, setup: Setup, pack: Any, schedule: Schedule) -> float:
    """Return the seconds of the fastest of three whole calls, everything compiled before."""
    chosen, least = find_backend(backend, threads), float("inf")
    for turn in range(4):
        began = time.perf_counter()
        chosen.play(setup, pack, schedule, 7)
        if turn > 0:
            least = min(least, time.perf_counter() - began)
    return least


def games_rate(backend: str, threads: int, players: int, **settings: int) -> float:
    """Return games of kingcapture per second between random networks, from the start."""
    pairs, game = double_round_robin(players), load_game("kingcapture")
    schedule = Schedule(pairs, np.zeros(len(pairs), np.int64), game.initial()[None])
    setup = Setup("kingcapture", "squares", settings=settings)
    return len(pairs) / best_time(backend, threads, setup, small_graph(KINDS, players), schedule)


def game_rows() -> list[Row]:
    """Games per second at different depths."""
    if not has_gpu():
        return []
    rows = []
    for depth, target in ((1, 10e6), (2, 1e6)):
        cores = games_rate("cpu", 2, ON_CORES[depth], depth=depth)
        for players in (PLAYERS, FEWER):
            ours = games_rate(BACKEND, 0, players, depth=depth)
            what = f"kingcapture, depth {depth}, {players * (players - 1):,} games"
            rows.append(Row(what, ours, "games/s", "two cores", cores, 100))
            if players == PLAYERS:
                rows.append(Row(what, ours, "games/s", target=target))
    for settings in ({"depth": 3}, {"depth": 1, "quiescence": 4}):
        what = f"kingcapture, {settings}, {FEWER * (FEWER - 1):,} games"
        rows.append(Row(what, games_rate(BACKEND, 0, FEWER, **settings), "games/s"))
    return rows


def rounds_rate(backend: str, threads: int, games: int) -> float:
    """Return rounds of mcts per second in the first four plies of draughts."""
    setup = Setup("draughts", "pieces", "graph", "mcts", {"rounds": ROUNDS}, DrawRules(3, 0, 4))
    inputs, rng, networks = setup.bind().encoder.inputs, np.random.default_rng(5), []
    for _ in range(64):
        sources = [np.sort(rng.choice(inputs, 6, replace=False)) for _ in range(10)]
        sources.append(np.arange(inputs + 10))
        start = np.cumsum([0, *map(len, sources)])
        weights = rng.normal(size=start[-1]) * 0.2
        networks.append(
            GraphNetwork(inputs, [10], start, np.concatenate(sources), weights, np.zeros(11))
        )
    pairs = double_round_robin(64)
    pairs = pairs[np.arange(games) % len(pairs)]
    begin = load_game("draughts").initial()[None]
    schedule = Schedule(pairs, np.zeros(games, np.int64), begin)
    spent = best_time(backend, threads, setup, graph.pack(networks), schedule)
    return games * 4 * ROUNDS / spent


def rounds_rows() -> list[Row]:
    """Rounds of mcts per second."""
    if not has_gpu():
        return []
    core, ours = rounds_rate("cpu", 1, 256), rounds_rate(BACKEND, 0, MCTS_GAMES)
    return [Row("draughts, mcts", ours, "rounds/s", "one core", core, 50)]


class _Clock(Listener):
    """Notes when generations end."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def generation(self, record: GenerationRecord) -> None:
        self.ends.append(time.perf_counter())


def generation_rows() -> list[Row]:
    """Whole generations per second, population 1,000, depth 1."""
    if not has_gpu():
        return []
    rows = []
    for name in ("kingcapture-neat-2002", "kingcapture-learn-1ply"):
        changes = [*QUIET, f"generations={GENERATIONS}", f"strategy.population={PLAYERS + 1}"]
        clock = _Clock()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["EVOBOARD_RUNS"] = folder
            start_run("run", load(name, changes), 1, 0, backend=BACKEND, listener=clock)
        rate = 1 / float(np.median(np.diff(clock.ends)[2:-1]))
        rows.append(Row(f"{name}, population {PLAYERS + 1:,}", rate, "generations/s", target=5))
    return rows


GROUPS = {"gpu: games": game_rows, "gpu: mcts": rounds_rows, "gpu: generations": generation_rows}
