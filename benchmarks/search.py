"""Speed of alpha-beta and principal variation search on one core, with networks of the papers."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from benchmarks.networks import sample, small_graph
from benchmarks.report import Row, rate
from evoboard.core.arrays import Array
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.encoders.base import find_encoder
from evoboard.games.base import load_game
from evoboard.networks import graph, mlp
from evoboard.networks.graph import GraphNetwork
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.search import alphabeta, pvs
from evoboard.search.base import NODES, best_move, read_settings
from evoboard.search.values import network_value

F = np.float32


def think_often(network: Any, states: Array, settings: Any, work: Any) -> int:
    """Search every state; return the positions looked at."""
    nodes = 0
    for row in range(states.shape[0]):
        best_move(network, states[row], settings, 1, work)
        nodes += work.counts[NODES]
    return nodes


class Bench:
    """A game, an encoder, a network and random positions to search from."""

    def __init__(self, game: str, encoder: str, kind: types.ModuleType, pack: Any, count: int):
        self.game = load_game(game)
        self.network = kind.member(pack, 0)
        self.evaluator = {
            **find_encoder(encoder, self.game).bindings,
            "evaluate": network_value,
            "forward": kind.forward,
            "SCRATCH": kind.scratch_size(pack),
        }
        self.states = sample(self.game, count)

    def speed(self, module: types.ModuleType, **given: Any) -> tuple[float, float]:
        """Return positions per second and searches per second."""
        settings = read_settings(module, given)
        work = module.workspace(self.game, settings, self.evaluator["SCRATCH"])
        kernel = self.game.link(think_often, best_move=module.best_move, **self.evaluator)

        numbers = kernel_tuple(settings)

        def search() -> int:
            return int(kernel(self.network, self.states, numbers, work))

        nodes = search()
        per_second = rate(search, seconds=2)
        return per_second, per_second / nodes * len(self.states)


def small_network(inputs: int, seed: int = 1) -> graph.GraphPack:
    """Return a pack of one network as NEAT finds it early: all inputs to the output, 5 hidden."""
    rng = np.random.default_rng(seed)
    sources = [rng.choice(inputs, 5, replace=False) for _ in range(5)] + [np.arange(inputs + 5)]
    start = np.cumsum([0, *map(len, sources)])
    weights = rng.normal(size=start[-1]).astype(F)
    kinds = ("tanh",) * 6
    biases = np.zeros(6, F)
    network = GraphNetwork(
        inputs, [5], start, np.concatenate(sources), weights, biases, activation=kinds
    )
    return graph.pack([network])


def feature_network() -> mlp.MLPPack:
    """Return a pack of one 10-10-1 network of random weights, as the chess paper begins with."""
    design = Design((10, 10, 1))
    vector = np.random.default_rng(1).uniform(-1, 1, design.length).astype(F)
    return mlp.pack([MLPNetwork(design, vector)])


def depth_one_rows() -> list[Row]:
    """The inner loop of training: every move made, encoded and evaluated once."""
    from benchmarks.peers.activate import neat_python_activate

    pack = small_graph(("unilateral", "bilateral"))
    kings = Bench("kingcapture", "squares", graph, pack, 256)
    speed, _ = kings.speed(alphabeta, depth=1)
    peer = 1 / neat_python_activate()
    return [
        Row("kingcapture depth 1, 106 links", speed, "positions/s", "neat-python", peer, 60),
        Row("  time of one position", 1e6 / speed, "µs", target=0.21, lower_is_better=True),
    ]


def deep_rows() -> list[Row]:
    """Positions per second, and how long a search takes, with and without what pvs adds."""
    hexwar = Bench("hexwar", "squares", graph, small_network(25), 100)
    chess = Bench("chess", "chess_features", mlp, feature_network(), 30)
    kings = Bench("kingcapture", "squares", graph, small_graph(("unilateral", "bilateral")), 60)
    rows: list[Row] = []
    plain = {"table_bits": 0, "killers": 0, "history": 0, "reductions": 0, "singular": 0}
    for name, bench, depth, searches in (
        ("hexwar", hexwar, 3, ((pvs, {}), (pvs, plain), (alphabeta, {}))),
        ("chess", chess, 4, ((alphabeta, {}), (pvs, {}))),
        ("kingcapture", kings, 3, ((alphabeta, {}), (pvs, {}))),
    ):
        for module, given in searches:
            speed, searched = bench.speed(module, depth=depth, **given)
            kind = module.__name__.rsplit(".", 1)[-1] + (" without extras" if given else "")
            target = 1e6 if (name, module) in (("hexwar", pvs), ("chess", alphabeta)) else 0
            rows.append(Row(f"{name} depth {depth}, {kind}", speed, "positions/s", target=target))
            rows.append(Row("  time of one search", 1e3 / searched, "ms"))
    return rows


GROUPS = {
    "search: depth 1": depth_one_rows,
    "search: deeper": deep_rows,
}
