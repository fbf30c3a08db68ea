"""A run made by hand: champions that grow by a node a generation, and real games of few plies.

Nothing is trained, so a test that needs a run with networks and games has one in no time.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np

from arrange import Node, arrange
from evoboard.arena.match import Match
from evoboard.core.rng import stream
from evoboard.games.base import load_game
from evoboard.networks.graph_network import GraphNetwork
from evoboard.runs.folder import create_run
from evoboard.store.records import GenerationRecord, Individuals, StoredGame, StoredGenome
from evoboard.store.writer import Writer
from evoboard.training.experiment import resolved
from fake_trainer import fake_experiment

INPUTS, OUTPUT = 36, 36
SIZE = 6  # individuals
PLAYER = {"game": "kingcapture", "encoder": "squares", "search": "alphabeta"}


def make_run(name: str, generations: int = 4, games: int = 15) -> None:
    """Write a run of kingcapture; all games and genomes of the first and last generation."""
    experiment = resolved(fake_experiment(generations))
    folder = create_run(name, experiment, 1, {**PLAYER, "settings": {"depth": 1}})
    with closing(Writer(folder)) as store:
        store.begin(0, "test", 1)
        for generation in range(generations):
            whole = generation in (0, generations - 1)
            store.add(_record(generation, games if whole else 0), {})


def network_of(generation: int, slot: int) -> GraphNetwork:
    """Return the network of an individual: 12 direct links, and for every node three more."""
    rng = stream(3, "network", generation, slot)
    nodes = [Node(OUTPUT, 0.25, "tanh")]
    squares = rng.permutation(INPUTS)[:12]
    links = [(int(square), OUTPUT, float(rng.normal())) for square in squares]
    for hidden in range(generation):
        key = OUTPUT + 1 + hidden
        nodes.append(Node(key, float(rng.normal()), "bilateral"))
        before = key - 1 if hidden else int(rng.integers(18, INPUTS))
        sources = {int(rng.integers(18)), before}
        links += [(source, key, float(rng.normal())) for source in sources]
        links.append((key, OUTPUT, float(rng.normal())))
    return arrange(range(INPUTS), [OUTPUT], nodes, links)


def _record(generation: int, games: int) -> GenerationRecord:
    ids = np.arange(SIZE) + SIZE * generation
    fitness = _fitness(generation)
    champion = _champion(generation)
    none = np.zeros(SIZE, np.int64)
    parents = np.full((SIZE, 2), -1)
    networks = [network_of(generation, slot) for slot in range(SIZE)]
    stored = [
        StoredGenome(int(i), {"made": "by hand"}, network.to_json())
        for i, network in zip(ids, networks, strict=True)
    ]
    sizes = [len(network.source) for network in networks]
    return GenerationRecord(
        generation,
        {"champion_links": sizes[champion], "champion_nodes": generation, "best": 1.0},
        Individuals(ids, none, parents, none, fitness, none, none + generation, np.array(sizes)),
        (),
        stored[champion],
        champion,
        "new",
        tuple(s for s in stored if games and s is not stored[champion]),
        tuple(_game(generation, number, ids, champion) for number in range(games)),
    )


def _fitness(generation: int) -> np.ndarray:
    return stream(5, "fitness", generation).permutation(SIZE) / SIZE


def _champion(generation: int) -> int:
    """Return who has the title: one of the first four."""
    return int(np.argmax(_fitness(generation)[:4]))


def _game(generation: int, number: int, ids: np.ndarray, champion: int) -> StoredGame:
    """Return a random game; every third one is the champion's against an anchor.

    Every seventh of the others is the champion's against the one before it.
    """
    rng = stream(9, "game", generation, number)
    game = load_game("kingcapture")
    match = Match(game)
    while not match.over:
        match.play(match.legal[int(rng.integers(len(match.legal)))])
    first, second = (int(i) for i in rng.permutation(ids)[:2])
    if number % 7 == 0 and number % 3 and generation:
        before = SIZE * (generation - 1) + _champion(generation - 1)
        return StoredGame("previous", int(ids[champion]), before, match.record())
    if number % 3:
        return StoredGame("fitness", first, second, match.record())
    pair = (int(ids[champion]), "random") if number % 2 else ("random", int(ids[champion]))
    return StoredGame("anchor", *pair, match.record())
