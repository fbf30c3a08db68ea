"""Networks of other programs as players: the same values as where they come from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoboard as eb
from evoboard.encoders.base import find_encoder
from evoboard.interop.importing import import_player, read_network
from evoboard.networks.base import find_network_kind

KING = eb.load_game("kingcapture")
CONFIG = """
[NEAT]
fitness_criterion = max
fitness_threshold = 1
no_fitness_termination = False
pop_size = 10
reset_on_extinction = False
[DefaultGenome]
num_inputs = 36
num_hidden = 3
num_outputs = 1
initial_connection = partial_direct 0.5
feed_forward = True
compatibility_disjoint_coefficient = 1.0
compatibility_weight_coefficient = 0.5
conn_add_prob = 0.5
conn_delete_prob = 0.1
node_add_prob = 0.5
node_delete_prob = 0.1
activation_default = random
activation_options = tanh sigmoid relu gauss sin clamped
activation_mutate_rate = 0.5
aggregation_default = random
aggregation_options = sum mean max product
aggregation_mutate_rate = 0.5
bias_init_mean = 0.0
bias_init_stdev = 1.0
bias_init_type = gaussian
bias_replace_rate = 0.1
bias_mutate_rate = 0.7
bias_mutate_power = 0.5
bias_max_value = 3.0
bias_min_value = -3.0
response_init_mean = 1.0
response_init_stdev = 0.3
response_init_type = gaussian
response_replace_rate = 0.1
response_mutate_rate = 0.3
response_mutate_power = 0.2
response_max_value = 3.0
response_min_value = -3.0
weight_init_mean = 0.0
weight_init_stdev = 1.0
weight_init_type = gaussian
weight_max_value = 3
weight_min_value = -3
weight_mutate_power = 0.5
weight_mutate_rate = 0.8
weight_replace_rate = 0.1
enabled_default = True
enabled_mutate_rate = 0.05
enabled_rate_to_true_add = 0.0
enabled_rate_to_false_add = 0.0
single_structural_mutation = False
structural_mutation_surer = default
[DefaultSpeciesSet]
compatibility_threshold = 3.0
[DefaultStagnation]
species_fitness_func = max
max_stagnation = 20
species_elitism = 1
[DefaultReproduction]
elitism = 1
survival_threshold = 0.2
min_species_size = 2
"""


def outputs_of(network: Any, rows: Any) -> list[float]:
    kind = find_network_kind(network.to_json())
    pack = kind.pack([network])
    found = []
    for row in rows:
        values = np.zeros(int(kind.scratch_size(pack)), np.float32)
        values[: len(row)] = row
        found.append(float(kind.forward(kind.member(pack, 0), values)))
    return found


@pytest.fixture(scope="module")
def winners(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Networks of neat-python that have been mutated a good deal."""
    neat = pytest.importorskip("neat", reason="neat-python is not installed")
    path = tmp_path_factory.mktemp("neat") / "config"
    path.write_text(CONFIG)
    config = neat.Config(
        neat.DefaultGenome,
        neat.DefaultReproduction,
        neat.DefaultSpeciesSet,
        neat.DefaultStagnation,
        str(path),
    )
    population = neat.Population(config, seed=1)

    def judge(genomes: Any, config: Any) -> None:
        for key, genome in genomes:
            genome.fitness = float(key % 7)

    population.run(judge, 15)
    genomes = population.population.values()
    return [neat.nn.FeedForwardNetwork.create(genome, config) for genome in genomes]


def test_neat_pythons_networks_compute_what_they_computed_there(winners: list[Any]) -> None:
    from neat.export import export_network_json

    rows = np.random.default_rng(1).normal(0, 0.7, (20, 36)).astype(np.float32)
    for theirs in winners:
        expected = [theirs.activate([float(x) for x in row])[0] for row in rows]
        assert outputs_of(read_network(theirs), rows) == pytest.approx(expected, abs=2e-5)
        exported = json.loads(export_network_json(theirs))
        assert outputs_of(read_network(exported), rows) == pytest.approx(expected, abs=2e-5)


def test_an_imported_network_plays(winners: list[Any], tmp_path: Path) -> None:
    out = tmp_path / "winner.json"
    text = eb.import_player(winners[0], KING, out, encoder="squares")
    assert text == f"file:{out}"
    assert sum(eb.match(text, "random", KING, games=2).counts) == 2
    inputs = np.zeros(36, np.float32)
    KING.link(find_encoder("squares", KING).encode)(KING.initial(), inputs)
    expected = winners[0].activate([float(x) for x in inputs])[0]
    assert eb.value(text, KING) == pytest.approx(expected, abs=2e-5)
    with pytest.raises(eb.EvoboardError, match="exists already"):
        import_player(winners[0], KING, out, encoder="squares")


def test_layers_are_weights_and_biases() -> None:
    rng = np.random.default_rng(2)
    shapes = [(9, 5), (5, 1)]
    layers = [(rng.normal(0, 1, shape), rng.normal(0, 1, shape[1])) for shape in shapes]
    rows = rng.normal(0, 1, (10, 9)).astype(np.float32)
    expected = rows
    for weights, biases in layers:
        expected = np.tanh(expected @ weights + biases)
    assert outputs_of(read_network(layers), rows) == pytest.approx(expected[:, 0], abs=1e-5)
    data = {"layers": [{"weights": w.tolist(), "biases": b.tolist()} for w, b in layers]}
    data["layers"][0]["activation"] = "relu"
    half = np.maximum(0, rows @ layers[0][0] + layers[0][1])
    expected = np.tanh(half @ layers[1][0] + layers[1][1])
    assert outputs_of(read_network(data), rows) == pytest.approx(expected[:, 0], abs=1e-5)


def neat(links: list[tuple[int, int]]) -> dict[str, Any]:
    plain = {"activation": {"name": "tanh"}, "aggregation": {"name": "sum"}}
    nodes = [{"id": key, "type": "hidden", "bias": 0, "response": 1, **plain} for key in (0, 1)]
    return {
        "topology": {"input_keys": [-1], "output_keys": [0]},
        "nodes": nodes,
        "connections": [{"from": a, "to": b, "weight": 1} for a, b in links],
    }


ONE = {"weights": [[1.0]] * 36, "biases": [0.0]}


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "no network that can be read; it may be neat-python's"),
        ("text", "no network that can be read"),
        ({"layers": []}, "layers must be a list"),
        ([1, 2], "layer 1 is no weights and biases"),
        ([[[[1.0, 2.0]], [0.0]]], "1 biases for 2 nodes; .*transpose PyTorch's"),
        ([[[[1.0], [2.0, 3.0]], [0.0]]], "must be rows of numbers, equally long"),
        ([ONE, ONE], "layer 2 has 36 rows of weights, but 1 sources"),
        ([{**ONE, "activation": "tahn"}], "did you mean tanh"),
        ({"connections": [], "network_type": "ctrnn"}, "only feedforward ones"),
        ({"connections": [], "nodes": []}, "lacks 'topology'"),
        (
            {"connections": [], "nodes": [], "topology": {"input_keys": [-1], "output_keys": [0]}},
            "output 0 is not a node",
        ),
        (neat([(-1, 0), (0, 5)]), "a link leads from 0 to 5"),
        (neat([(-1, 0), (1, 0), (0, 1)]), "links form a cycle"),
        ({"kind": "mlp", "version": 9}, "version is 9"),
    ],
)
def test_what_is_no_network_is_said_in_a_sentence(data: Any, told: str) -> None:
    with pytest.raises(eb.EvoboardError, match=told):
        read_network(data)


def test_the_command_finds_the_encoder_and_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "layers.json").write_text(json.dumps([[[[0.5]] * 9, [0.0]]]))
    (tmp_path / "odd.json").write_text(json.dumps([[[[0.5]] * 8, [0.0]]]))
    (tmp_path / "cut.json").write_text("[[[")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "evoboard", "import", *words, "--game", "nim:heaps=3/5/7"]
        return subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)

    done = run("layers.json", "--out", "player.json")
    assert "the player is file:player.json." in done.stdout, done.stderr
    assert json.loads((tmp_path / "player.json").read_text())["encoder"] == "binary"
    for file, told in (
        ("odd.json", "the network has 8 inputs, and no encoder of nim gives as many: "),
        ("cut.json", "cut.json cannot be read as JSON"),
        ("none.json", "there is no file none.json."),
    ):
        failed = run(file, "--out", "other.json")
        assert failed.returncode == 2
        assert told in failed.stderr
        assert not (tmp_path / "other.json").exists()
