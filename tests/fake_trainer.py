"""A trainer that plays no games: all that the storage of runs needs, in a fraction of the time.

Every generation depends on all before it through the state, so a state that is lost or changed on
the way through a file shows in every later row.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from evoboard.core.rng import stream
from evoboard.networks.graph_network import GraphNetwork
from evoboard.store.records import (
    Alarm,
    Final,
    GameRecord,
    GenerationRecord,
    Individuals,
    Measurement,
    SpeciesRow,
    StoredGame,
    StoredGenome,
)
from evoboard.training.experiment import Experiment, read_experiment

INPUTS = 36


def fake_experiment(generations: int = 10, record: dict[str, Any] | None = None, **more: Any):
    """Return an experiment that a fake trainer takes for its length and what it records."""
    data = {"generations": generations, "record": record or {}, **more}
    return read_experiment(
        {"game": {"name": "kingcapture"}, "strategy": {"name": "blondie"}, **data}
    )


class FakeTrainer:
    """The interface of training.loop.Trainer, the work of a random walk."""

    population = 12
    pause = 0.0  # seconds of a generation
    links = 3  # numbers of the state, per individual, beside its value

    def __init__(self, experiment: Experiment, seed: int, threads: int = 0) -> None:
        self.experiment, self.seed, self.threads = experiment, seed, threads
        self.generation = 0
        self.ids = np.arange(self.population)
        self.values = stream(seed, "first").normal(size=self.population)
        self.weights = np.zeros((self.population, self.links))
        self.history: list[float] = []

    def step(self, progress=None) -> GenerationRecord:
        rng = stream(self.seed, "step", self.generation)
        if progress:
            progress(0, 10)
        if self.pause:
            time.sleep(self.pause)
        fitness = np.round(self.values + rng.normal(size=self.population), 1)
        record = self._record(fitness, rng)
        best = int(np.argmax(fitness))
        self.values = 0.9 * self.values + rng.normal(size=self.population) + self.weights.sum() / 7
        self.values[0], self.weights = self.values[best], self.weights + rng.normal()
        kept = self.ids[best]
        self.ids = self.ids.max() + 1 + np.arange(self.population)
        self.ids[0] = kept
        self.history = [*self.history, float(fitness.max())][-5:]
        self.generation += 1
        if progress:
            progress(10, 10)
        return record

    def _record(self, fitness, rng) -> GenerationRecord:
        g, n, choice = self.generation, self.population, self.experiment.record
        best = int(np.argmax(fitness))
        columns = (rng.integers(0, 5, n) for _ in range(4))
        origin, games, nodes, links = columns
        parents = rng.integers(-1, 100, (n, 2))
        measured = g % 3 == 0
        numbers = {"best": fitness.max(), "mean": float(fitness.mean()), "games": n * (n - 1)}
        others = [s for s in range(n) if s != best]
        all_genomes = choice.genomes_every and g % choice.genomes_every == 0
        all_games = choice.games_every and g % choice.games_every == 0
        return GenerationRecord(
            g,
            {**numbers, "learning": float(rng.normal())} if g > 1 else numbers,
            Individuals(self.ids, np.arange(n) % 3, parents, origin, fitness, games, nodes, links),
            tuple(SpeciesRow(s, n // 3, float(fitness[s]), 0.5, 0.25) for s in range(3)),
            self._stored(best),
            best,
            ("new", "elite", "mutant", "crossover")[g % 4],
            tuple(self._stored(s) for s in others) if all_genomes else (),
            tuple(self._games(stream(self.seed, "games", g))) if all_games else (),
            (Measurement("anchor", "random", 7, 2, 1, 120.0, 20.5, np.inf),) if measured else (),
            (Alarm("forgetting", f"it lost to generation {g - 1}"),) if g % 4 == 3 else (),
            np.bincount(rng.integers(3, 9, 20)),
            {"games": time.perf_counter() % 1, "tell": 0.25},
        )

    def _stored(self, slot: int) -> StoredGenome:
        rng = stream(7, "genome", int(self.ids[slot]))
        weights = rng.normal(size=INPUTS)
        network = GraphNetwork(
            INPUTS, [0], [0, INPUTS], range(INPUTS), weights, [0.1], activation=("bilateral",)
        )
        return StoredGenome(int(self.ids[slot]), {"weights": weights.tolist()}, network.to_json())

    def _games(self, rng):
        for i in range(self.population):
            moves = tuple(int(m) for m in rng.integers(0, 10 ** (1 + i % 8), i % 5))
            record = GameRecord("kingcapture", 1, "a start", moves, i % 3 - 1, "king taken", 1)
            first = int(self.ids[i]) if i else "material:depth=1"
            yield StoredGame("fitness", first, int(self.ids[i - 1]), record)

    def finished(self) -> str:
        if self.generation >= self.experiment.generations:
            return f"all {self.experiment.generations} generations are done"
        return ""

    def state(self) -> dict[str, Any]:
        names = ("generation", "ids", "values", "weights", "history")
        return {name: getattr(self, name) for name in names}

    def restore(self, state) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    def final(self, progress=None) -> Final:
        """Return the champion, which breeding has put first."""
        last = self.generation - 1
        return Final(last, last, int(self.ids[0]), {last: 0.75, 0: 0.25})

    def player_data(self) -> dict[str, Any]:
        return {
            "game": self.experiment.game.name,
            "encoder": "squares",
            "search": "alphabeta",
            "settings": {"depth": 1},
        }
