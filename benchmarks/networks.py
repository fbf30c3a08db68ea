"""Speed of networks and encoders on one core, beside neat-python's `activate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.report import Row, rate
from evoboard.core.arrays import Array
from evoboard.core.link import link
from evoboard.encoders.base import encode, encoder_names, find_encoder
from evoboard.games.base import Game, game_names, load_game
from evoboard.games.rules import ONGOING, apply_move, legal_moves, outcome
from evoboard.networks import graph, mlp
from evoboard.networks.base import forward, member
from evoboard.networks.graph import GraphNetwork
from evoboard.networks.mlp import MLPNetwork
from evoboard.networks.mlp_network import Design

F = np.float32


def forward_many(pack: Any, rows: Array, values: Array, results: Array) -> None:
    """Write the first output of network 0 for every row of inputs."""
    network = member(pack, 0)
    for row in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            values[i] = rows[row, i]
        results[row] = forward(network, values)


def encode_many(states: Array, values: Array, results: Array) -> None:
    """Encode every state."""
    for row in range(states.shape[0]):
        encode(states[row], values)
        results[row] = values[0]


def evaluate_many(pack: Any, states: Array, values: Array, results: Array) -> None:
    """Write what network 0 says of every state."""
    network = member(pack, 0)
    for row in range(states.shape[0]):
        encode(states[row], values)
        results[row] = forward(network, values)


def look_ahead(pack: Any, states: Array, moves: Array, after: Array, values: Array) -> int:
    """Evaluate every position one move ahead of every state; return how many there were."""
    network = member(pack, 0)
    count = 0
    for row in range(states.shape[0]):
        best = F(-10)
        for i in range(legal_moves(states[row], moves)):
            apply_move(states[row], moves[i], after)
            if outcome(after) == ONGOING:
                encode(after, values)
                best = max(best, forward(network, values))
            count += 1
        values[0] = best
    return count


def sample(game: Game, count: int = 256) -> Array:
    """Return positions of random games."""
    rng = np.random.default_rng(1)
    states: list[Array] = []
    while len(states) < count:
        state = game.initial(int(rng.integers(1, 10**6)))
        for _ in range(60):
            moves = game.legal_moves(state)
            if not moves:
                break
            states.append(state)
            state = game.apply(state, int(rng.choice(moves)))
    return np.array(states[:count])


def small_graph(kinds: tuple[str, str], count: int = 1) -> graph.GraphPack:
    """Return networks of 36 inputs, 10 hidden nodes of 6 links, an output linked to all."""
    return graph.pack([_small_network(kinds, seed) for seed in range(1, count + 1)])


def _small_network(kinds: tuple[str, str], seed: int) -> GraphNetwork:
    rng = np.random.default_rng(seed)
    sources = [rng.choice(36, 6, replace=False) for _ in range(10)] + [np.arange(46)]
    start = np.cumsum([0, *map(len, sources)])
    return GraphNetwork(
        inputs=36,
        outputs=[10],
        start=start,
        source=np.concatenate(sources),
        weight=rng.normal(size=106),
        bias=rng.normal(size=11) * 0.1,
        activation=[kinds[0]] * 10 + [kinds[1]],
    )


def layers(*sizes: int) -> mlp.MLPPack:
    """Return a layered network of tanh."""
    design = Design(sizes)
    return mlp.pack([MLPNetwork(design, np.random.default_rng(1).normal(size=design.length) * 0.2)])


def per_second(kernel: Callable[..., Any], *arguments: Any) -> float:
    """Return how many results, its last argument, a kernel writes in a second."""
    kernel(*arguments)
    rows = len(arguments[-1])

    def work() -> int:
        for _ in range(20):
            kernel(*arguments)
        return 20 * rows

    return rate(work, seconds=1)


def forward_rate(kind: Any, pack: Any, rows: Array) -> float:
    """Return networks evaluated per second."""
    kernel = link(forward_many, {"member": kind.member, "forward": kind.forward})
    values = np.zeros(kind.scratch_size(pack), F)
    return per_second(kernel, pack, rows.astype(F), values, np.zeros(len(rows), F))


def evaluation_rate(kind: Any, pack: Any, game: Game, encoder: str) -> float:
    """Return positions encoded and evaluated per second."""
    inputs = find_encoder(encoder, game)
    slots = {**inputs.bindings, "member": kind.member, "forward": kind.forward}
    kernel = game.link(evaluate_many, **slots)
    states = sample(game)
    values = np.zeros(kind.scratch_size(pack), F)
    return per_second(kernel, pack, states, values, np.zeros(len(states), F))


def network_rows() -> list[Row]:
    """Forward alone, then with all that one position of a search costs."""
    from benchmarks.peers.activate import neat_python_activate

    rng = np.random.default_rng(2)
    board = rng.choice([0, 0, 0, 0.1, 0.3, 0.5, -0.1, -0.3, -0.5], (256, 36))
    peer = 1 / neat_python_activate()
    paper = small_graph(("unilateral", "bilateral"))
    ours = forward_rate(graph, paper, board)
    rows = [Row("graph, 106 links, paper A's sigmoids", ours, "calls/s", "neat-python", peer)]
    ours = forward_rate(graph, small_graph(("sigmoid", "sigmoid")), board)
    rows.append(Row("graph, 106 links, sigmoid", ours, "calls/s", "neat-python", peer))
    game = load_game("kingcapture")
    inputs = find_encoder("squares", game)
    slots = {**inputs.bindings, "member": graph.member, "forward": graph.forward}
    kernel = game.link(look_ahead, **slots)
    moves, after = np.zeros(game.max_moves, np.int32), np.zeros(game.state_size, np.int64)
    arguments = (paper, sample(game), moves, after, np.zeros(graph.scratch_size(paper), F))
    kernel(*arguments)
    ours = rate(lambda: int(kernel(*arguments)), seconds=1)
    what = "kingcapture: move, encode, forward"
    rows.append(Row(what, ours, "positions/s", "neat-python", peer, 60))
    windows = rng.integers(-4, 5, (256, 91)) * (rng.random((256, 91)) < 0.8)
    ours = forward_rate(mlp, layers(91, 40, 10, 1), windows)
    rows.append(Row("layers 91-40-10-1, tanh", ours, "calls/s", target=1e6))
    ours = evaluation_rate(mlp, layers(91, 40, 10, 1), load_game("draughts"), "subsquares")
    rows.append(Row("draughts: subsquares, 91-40-10-1", ours, "positions/s", target=1e6))
    ours = evaluation_rate(mlp, layers(10, 10, 1), load_game("chess"), "chess_features")
    rows.append(Row("chess: ten features, 10-10-1", ours, "positions/s", target=2e6))
    return rows


def encoder_rows() -> list[Row]:
    """Every encoder of every game."""
    rows = []
    for name in game_names():
        game = load_game(name)
        states = sample(game)
        for encoder in encoder_names(game):
            inputs = find_encoder(encoder, game)
            kernel = game.link(encode_many, **inputs.bindings)
            ours = per_second(kernel, states, np.zeros(inputs.inputs, F), np.zeros(len(states), F))
            rows.append(Row(f"{name}: {encoder} ({inputs.inputs})", ours, "positions/s"))
    return rows


GROUPS = {"networks: forward": network_rows, "networks: encoders": encoder_rows}
