"""neat-python: generations to XOR, and links under random fitness.

Translated: nothing. The configuration is that of neat-python's own XOR example (fully connected,
links added and deleted with 0.5 each, nodes with 0.2), with the given number of inputs; fitness
is that example's too, 4 minus the squared errors.
"""

import random
import tempfile
from pathlib import Path
from typing import Any

import neat

CONFIG = """
[NEAT]
pop_size = {population}
fitness_criterion = max
fitness_threshold = 1e9
reset_on_extinction = True
no_fitness_termination = True

[DefaultGenome]
num_inputs = {inputs}
num_outputs = 1
num_hidden = 0
feed_forward = True
initial_connection = full_direct
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
conn_add_prob = 0.5
conn_delete_prob = 0.5
node_add_prob = 0.2
node_delete_prob = 0.2
single_structural_mutation = False
structural_mutation_surer = default
activation_default = sigmoid
activation_mutate_rate = 0.0
activation_options = sigmoid
aggregation_default = sum
aggregation_mutate_rate = 0.0
aggregation_options = sum
bias_init_mean = 0.0
bias_init_stdev = 1.0
bias_init_type = gaussian
bias_max_value = 30.0
bias_min_value = -30.0
bias_mutate_power = 0.5
bias_mutate_rate = 0.7
bias_replace_rate = 0.1
response_init_mean = 1.0
response_init_stdev = 0.0
response_init_type = gaussian
response_max_value = 30.0
response_min_value = -30.0
response_mutate_power = 0.0
response_mutate_rate = 0.0
response_replace_rate = 0.0
time_constant_init_mean = 1.0
time_constant_init_stdev = 0.0
time_constant_init_type = gaussian
time_constant_max_value = 10.0
time_constant_min_value = 0.01
time_constant_mutate_power = 0.0
time_constant_mutate_rate = 0.0
time_constant_replace_rate = 0.0
weight_init_mean = 0.0
weight_init_stdev = 1.0
weight_init_type = gaussian
weight_max_value = 30
weight_min_value = -30
weight_mutate_power = 0.5
weight_mutate_rate = 0.8
weight_replace_rate = 0.1
enabled_default = True
enabled_mutate_rate = 0.01
enabled_rate_to_false_add = 0.0
enabled_rate_to_true_add = 0.0

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

XOR = (((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0))


def neat_python_xor(runs: int, limit: int, population: int = 150) -> list[int]:
    """Return for each run the generations until a network is right in all four cases."""
    return [_xor_run(seed, limit, population) for seed in range(runs)]


def _xor_run(seed: int, limit: int, population: int) -> int:
    random.seed(seed)
    config = _config(2, population)
    solved: list[Any] = []

    def judge(genomes: list[tuple[int, Any]], config: Any) -> None:
        for _, genome in genomes:
            network = neat.nn.FeedForwardNetwork.create(genome, config)
            errors = [abs(network.activate(case)[0] - answer) for case, answer in XOR]
            genome.fitness = 4 - sum(error * error for error in errors)
            if max(errors) < 0.5:
                solved.append(genome)

    crowd = neat.Population(config)
    for generation in range(1, limit + 1):
        crowd.run(judge, 1)
        if solved:
            return generation
    return limit + 1


def neat_python_drift(inputs: int, generations: int, population: int, seed: int) -> list[float]:
    """Return the mean number of enabled links of every generation under random fitness."""
    means: list[float] = []

    def judge(genomes: list[tuple[int, Any]], _config: Any) -> None:
        links = [genome.size()[1] for _, genome in genomes]
        means.append(sum(links) / len(links))
        for _, genome in genomes:
            genome.fitness = random.random()

    random.seed(seed)
    neat.Population(_config(inputs, population)).run(judge, generations + 1)
    return means


def _config(inputs: int, population: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "neat.ini"
        path.write_text(CONFIG.format(inputs=inputs, population=population))
        return neat.Config(
            neat.DefaultGenome,
            neat.DefaultReproduction,
            neat.DefaultSpeciesSet,
            neat.DefaultStagnation,
            str(path),
        )
