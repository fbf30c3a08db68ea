"""Games on a GPU against the same games on the CPU: `python tests/gpu_games.py COUNT PLIES CASE…`.

PLIES: how long games may be, 0 for the game's own rule. CASE: a number, or `few`; all without any.

Run by test_cuda.py in Numba's CUDA simulator with a few short games, and by `make gpu-test` on a
machine with a GPU with many whole ones.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from evoboard.arena.backends import cuda, cuda_moves, cuda_program
from evoboard.arena.backends.base import Backend, Results, find_backend
from evoboard.arena.schedules import Schedule, paired_games
from evoboard.core.errors import OptionError
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph, mlp
from evoboard.networks.activations import ACTIVATIONS, AGGREGATIONS
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.setup import Setup

DEPTH_1, DEPTH_2 = {"depth": 1}, {"depth": 2}
CASES = [
    ("kingcapture", "squares", "graph", "alphabeta", DEPTH_1),
    ("kingcapture", "squares", "graph", "alphabeta", {"depth": 2, "draws": True}),
    ("kingcapture", "pieces", "mlp", "alphabeta", {"depth": 1, "quiescence": 4}),
    ("draughts", "pieces", "graph", "mcts", {"rounds": 30}),
    ("hexwar", "cells", "mlp", "alphabeta", DEPTH_1),
    ("nim", "heaps", "graph", "alphabeta", DEPTH_2),
    ("nim", "heaps", "graph", "policy", {"safe": True}),
    ("kingcapture", "squares", "graph", "alphabeta", DEPTH_1, "material:depth=2"),
    ("hexwar", "exchanges", "mlp", "alphabeta", DEPTH_1, "scripted:turtle", "scripted:builder",
     "scripted:rusher", "material:depth=1"),
]  # fmt: skip
# What the others have not, each: layers with quiescence, two plies with draws, moves named, a tree,
# one ply, a fixed player, two plies with quiescence. In games that are simulated fast, with kernels
# that others need as well.
FEW = [
    ("kingcapture", "squares", *CASES[2][2:]),
    ("nim", "heaps", "graph", "alphabeta", CASES[1][4]),
    CASES[6],
    ("nim", "heaps", "graph", "mcts", {"rounds": 30}),
    ("nim", "heaps", "graph", "alphabeta", DEPTH_1),
    CASES[7],
    ("nim", "heaps", "graph", "alphabeta", {"depth": 2, "quiescence": 1}),
]
# Too slow for the simulator.
LONG = [
    ("kingcapture", "squares", "graph", "alphabeta", {"depth": 3, "quiescence": 4}),
    ("kingcapture", "squares", "mlp", "pvs", {"depth": 2, "table_bits": 6}),
    ("chess", "chess_features", "mlp", "alphabeta", DEPTH_1),
    ("kingcapture", "squares", "graph", "alphabeta", {"depth": 2, "unaided": True}),
    ("kingcapture", "pieces", "mlp", "alphabeta", {"depth": 2, "quiescence": 4, "brisk": True}),
    ("draughts", "pieces", "graph", "alphabeta", {"depth": 3, "quiescence": 2, "draws": True}),
    ("draughts", "pieces", "mlp", "alphabeta", {"depth": 2, "ordering": False}),
    ("chess", "chess_phases", "mlp", "alphabeta", {"depth": 1, "quiescence": 2}),
]


def graphs(inputs: int, outputs: int, count: int, rng: np.random.Generator) -> Any:
    """Return graphs of different sizes, with every activation and aggregation."""
    networks = []
    for _ in range(count):
        hidden, links = int(rng.integers(1, 8)), []
        for node in range(hidden + outputs):
            known = inputs + min(node, hidden)
            links.append(np.sort(rng.choice(known, min(known, 6), replace=False)))
        nodes = len(links)
        networks.append(
            GraphNetwork(
                inputs,
                range(hidden, nodes),
                np.cumsum([0, *map(len, links)]),
                np.concatenate(links),
                rng.normal(size=sum(map(len, links))),
                rng.normal(size=nodes),
                activation=list(rng.choice(ACTIVATIONS, nodes)),
                aggregation=list(rng.choice(AGGREGATIONS, nodes)),
            )
        )
    return graph.pack(networks)


def layers(inputs: int, outputs: int, count: int, rng: np.random.Generator) -> Any:
    """Return layered networks with links straight to the output."""
    size = (inputs + 1) * 8 + 9 * outputs + inputs * outputs
    design = Design((inputs, 8, outputs), direct=True, difference=0.01)
    return mlp.pack([MLPNetwork(design, rng.normal(size=size) * 0.3) for _ in range(count)])


def compare(case: tuple[Any, ...], count: int, plies: int) -> str:
    """Play a case's games on both; return a line about them. Who it names besides meets all."""
    name, encoder, kind, search, settings, *fixed = case
    game, rng = load_game(name), np.random.default_rng(5)
    draws = DrawRules(game.draws.repetitions, game.draws.quiet, plies) if plies else None
    setup = Setup(name, encoder, kind, search, settings, draws)
    bound, players = setup.bind(), 2 + int(count**0.5)
    make = layers if kind == "mlp" else graphs
    pack = make(bound.encoder.inputs, bound.outputs, players, rng)
    pairs = np.array([(i, j) for i in range(players) for j in range(i)])[: max(1, count // 2)]
    if fixed:
        met = [(i, players + k) for i in range(players) for k in range(len(fixed))]
        pairs = np.array(met)[: len(pairs)]
    schedule = paired_games(game, pairs, 2, 7, 2)
    (ours, gpu), (theirs, cpu) = (
        timed(find_backend(backend), setup, pack, schedule, fixed) for backend in ("cuda", "cpu")
    )
    for column in ("results", "codes", "plies"):
        assert np.array_equal(getattr(ours.table, column), getattr(theirs.table, column)), column
    assert np.array_equal(ours.finals, theirs.finals)
    longest = min(ours.moves.shape[1], theirs.moves.shape[1])
    assert np.array_equal(ours.moves[:, :longest], theirs.moves[:, :longest])
    assert not ours.moves[:, longest:].any()
    rates = f"gpu {len(pairs) * 2 / gpu:,.0f} games/s, cpu {len(pairs) * 2 / cpu:,.0f} games/s"
    return f"{' '.join(map(str, case))}: equal {2 * len(pairs)} games; {rates}"


def timed(
    backend: Backend, setup: Setup, pack: Any, schedule: Schedule, fixed: Sequence[str]
) -> tuple[Results, float]:
    """Return the results of a schedule, and the seconds it took once everything was compiled."""
    for _ in range(1 if len(schedule.pairings) < 10 else 2):
        began = time.perf_counter()
        results = backend.play(setup, pack, schedule, 7, fixed, record=True)
        spent = time.perf_counter() - began
    return results, spent


def simulate() -> None:
    """Have little of what a GPU has, so that a few games come to know all of it."""
    numba_cuda = import_module("numba.cuda")
    device_array = numba_cuda.device_array

    def dirty_array(shape: Any, kind: Any) -> Any:
        """Return memory that nobody has written to."""
        made = device_array(shape, kind)
        made[...] = np.nan if np.dtype(kind).kind == "f" else np.iinfo(kind).max
        return made

    numba_cuda.device_array = dirty_array
    cuda.BLOCK = cuda.WARP = 1  # the simulator's threads disturb each other
    cuda_moves.RESIDENT = 1  # warps go on to the next games
    # Replies to one game's moves have room: the other games wait.
    cuda_moves.most_rows = lambda bound, games: cuda_moves.padded(bound.game.max_moves, np.int32)


def main() -> None:
    count, plies = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    try:
        cuda.require_gpu()
    except OptionError as error:
        print(f"SKIPPED: nothing was tested on a GPU: {error}")
        return
    cuda.FEW = 0
    warnings.simplefilter("error", cuda.GpuWarning)  # the CPU's games would be equal anyway
    if count < 10:
        simulate()
    with np.errstate(all="ignore"):
        given = sys.argv[3:]
        cases = FEW if "few" in given else CASES + (LONG if count > 10 else [])
        wanted = [int(text) for text in given if text.isdecimal()] or range(len(cases))
        for number in wanted:
            case = cases[number]
            if count < 10:  # move by move, or whole games
                cuda.THREADS = 1 + number % 2 * 100
                # Arrays of a thread's own, or rows in the GPU's memory.
                cuda_program.LARGEST_LOCAL = 64 if number == 1 else 4096
            print(compare(case, count, plies), flush=True)


main()
