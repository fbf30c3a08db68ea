"""Speed of NEAT beside neat-python: 1,000 genomes of 36 inputs, in the same run, in turn."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import neat
import numpy as np

from benchmarks.report import Row
from evoboard.evolution.base import Evidence, Shape, make_strategy

SHAPE, POPULATION = Shape(36, 1), 1000
BEFORE, MEASURED = 10, 15

# Chances of new nodes and links, and of removing them.
GROWING = {"node_add": 0.2, "node_delete": 0.0, "conn_add": 0.5, "conn_delete": 0.0}
CHANGING = {"node_add": 0.2, "node_delete": 0.1, "conn_add": 0.5, "conn_delete": 0.2}

CONFIGURATION = """
[NEAT]
fitness_criterion = max
fitness_threshold = 1e9
no_fitness_termination = True
pop_size = {population}
reset_on_extinction = False

[DefaultGenome]
num_inputs = {inputs}
num_hidden = 0
num_outputs = {outputs}
feed_forward = True
initial_connection = full_direct
{chances}
enabled_default = True
enabled_mutate_rate = 0.01
single_structural_mutation = False
structural_mutation_surer = default
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
{kinds}
{numbers}

[DefaultSpeciesSet]
compatibility_threshold = 3.0

[DefaultStagnation]
species_fitness_func = max
max_stagnation = 20
species_elitism = 2

[DefaultReproduction]
elitism = 2
survival_threshold = 0.2
min_species_size = 2
"""


class NeatPython:
    """neat-python's population; a generation is its reproduction and speciation."""

    def __init__(self, chances: dict[str, float]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "neat.ini")
            file.write_text(_configuration(chances))
            self.config = neat.Config(
                neat.DefaultGenome,
                neat.DefaultReproduction,
                neat.DefaultSpeciesSet,
                neat.DefaultStagnation,
                str(file),
            )
        self.population = neat.Population(self.config)
        self.luck = random.Random(1)

    def generation(self) -> float:
        """Return the seconds that one generation takes."""
        all_ = self.population
        for genome in all_.population.values():
            genome.fitness = self.luck.random()
        began = time.perf_counter()
        all_.population = all_.reproduction.reproduce(
            self.config, all_.species, POPULATION, all_.generation
        )
        all_.species.speciate(self.config, all_.population, all_.generation + 1)
        spent = time.perf_counter() - began
        all_.generation += 1
        return spent

    def links(self) -> float:
        """Return the mean number of links."""
        genomes = self.population.population.values()
        return float(np.mean([len(genome.connections) for genome in genomes]))


class Ours:
    """The strategy `neat` with neat-python's numbers; a generation is ask, express and tell."""

    def __init__(self, chances: dict[str, float]) -> None:
        number = {"chance": 0.8, "reset": 0.1}
        settings: dict[str, Any] = {
            "population": POPULATION,
            "mutations": [
                {"kind": "add_node", "chance": chances["node_add"]},
                {"kind": "remove_node", "chance": chances["node_delete"]},
                {"kind": "add_link", "chance": chances["conn_add"]},
                {"kind": "remove_link", "chance": chances["conn_delete"]},
                {
                    "kind": "values",
                    "chance": 1.0,
                    "noise": "gaussian",
                    "weight": number,
                    "bias": {"chance": 0.7, "reset": 0.1},
                },
                {"kind": "toggle_link", "chance": 0.01},
            ],
        }
        self.strategy = make_strategy("neat", settings, SHAPE, 1)
        self.luck = np.random.default_rng(1)

    def generation(self) -> float:
        """Return the seconds that one generation takes."""
        evidence = Evidence(self.luck.random(POPULATION))
        began = time.perf_counter()
        population = self.strategy.ask()
        self.strategy.express(population.genes)
        self.strategy.tell(evidence)
        return time.perf_counter() - began

    def links(self) -> float:
        """Return the mean number of links."""
        return len(self.strategy.ask().genes.link) / POPULATION


def _configuration(chances: dict[str, float]) -> str:
    """Return neat-python's configuration file."""
    lines = {
        "bias": (0.0, 1.0, 0.5, 0.7, 0.1),
        "response": (1.0, 0.0, 0.0, 0.0, 0.0),
        "weight": (0.0, 1.0, 0.5, 0.8, 0.1),
    }
    names = ("init_mean", "init_stdev", "mutate_power", "mutate_rate", "replace_rate")
    numbers = [
        line
        for name, row in lines.items()
        for line in (
            *(f"{name}_{key} = {value}" for key, value in zip(names, row, strict=True)),
            f"{name}_init_type = gaussian",
            f"{name}_min_value = -30.0",
            f"{name}_max_value = 30.0",
        )
    ]
    kinds = [
        f"{name}_{key} = {value}"
        for name, kind in (("activation", "tanh"), ("aggregation", "sum"))
        for key, value in (("default", kind), ("options", kind), ("mutate_rate", 0.0))
    ]
    return CONFIGURATION.format(
        population=POPULATION,
        inputs=SHAPE.inputs,
        outputs=SHAPE.outputs,
        chances="\n".join(f"{name}_prob = {value}" for name, value in chances.items()),
        kinds="\n".join(kinds),
        numbers="\n".join(numbers),
    )


def compare(chances: dict[str, float]) -> tuple[float, float, str]:
    """Return our and their median seconds per generation, taken in turn, and the sizes."""
    random.seed(1)
    ours, theirs = Ours(chances), NeatPython(chances)
    times: dict[Any, list[float]] = {ours: [], theirs: []}
    for generation in range(BEFORE + MEASURED):
        for side, seconds in times.items():
            spent = side.generation()
            if generation >= BEFORE:
                seconds.append(spent)
    sizes = f"{ours.links():.0f} links, theirs {theirs.links():.0f}"
    return median(times[ours]), median(times[theirs]), sizes


def neat_rows() -> list[Row]:
    """One generation, everything but the games."""
    rows = []
    for what, chances in (("growing", GROWING), ("with removal", CHANGING)):
        ours, theirs, sizes = compare(chances)
        rows.append(
            Row(f"NEAT {what} ({sizes})", 1 / ours, "generations/s", "neat-python", 1 / theirs, 50)
        )
    return rows


GROUPS: dict[str, Callable[[], list[Row]]] = {"neat: ask, express and tell": neat_rows}
