"""Networks of other programs as players: the same values as where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import evoboard as eb
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError
from evoboard.encoders.base import find_encoder
from evoboard.evolution.base import Shape, make_strategy
from evoboard.interop.importing import import_player, read_network
from evoboard.networks.base import find_network_kind
from evoboard.networks.mlp_network import Design, MLPNetwork

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


@pytest.mark.parametrize("name", ["neat", "layered", "blondie"])
def test_a_genome_of_ours_becomes_the_network_that_it_has_in_a_run(name: str) -> None:
    strategy = make_strategy(name, {"population": 4}, Shape(36, 1), 1)
    genes = strategy.ask().genes
    data = json.loads(json.dumps(strategy.genomes.genome(genes, 2).to_json()))
    # A genome's design is not in it: only what the usual settings make of it can be compared.
    network, rows = read_network(data), np.eye(36, dtype=np.float32)[:5]
    if name == "blondie":  # that has its own hidden layers, and a difference of pieces
        assert network.design.sizes == (36, 40, 10, 1)
        own = MLPNetwork(Design(network.design.sizes), genes.vector[2])
    else:
        networks = strategy.express(strategy.genomes.take(genes, np.array([2])))
        own = networks.kind.unpack(networks.pack, 0)
    assert outputs_of(network, rows) == outputs_of(own, rows)


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
        ({}, "not a network that can be read; it may be neat-python's"),
        ("text", "not a network that can be read"),
        ({"layers": []}, "layers must be a list"),
        ([1, 2], "layer 1 is not weights and biases"),
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


# Species 3, genome 41, the output's bias; node 37 and its bias; then three links: paper A's widths
# are not known, these are ours.
LINE = (
    "0003" "000041" "+0.12500" "00037" "+0.50000" ":"
    "000000" "00000" "00036" "+0.75000" "0"
    "000036" "00014" "00037" "-1.25000" "0"
    "000037" "00037" "00036" "+2.00000" "0"
    "000038" "00035" "00037" "+9.00000" "2"
)  # fmt: skip


def test_a_genomes_line_is_read_as_paper_a_numbers_squares(tmp_path: Path) -> None:
    (tmp_path / "genome.txt").write_text(LINE + "\n")
    texts = [
        import_player(source, KING, tmp_path / f"{number}.json")
        for number, source in enumerate((LINE, tmp_path / "genome.txt"))
    ]
    players = [eb.make_player(text, KING) for text in texts]
    # Square 0 is a6, where Black's rook stands, and 14 is c4, 35 f1.
    for fen, a6, c4 in (
        ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w", -0.5, 0.0),
        ("3k2/6/2B3/6/6/3K2 b", 0.0, 0.35),
    ):
        hidden = 0.5 - 1.25 * c4  # the link that is dead counts for nothing
        unilateral = 0.0 if hidden < 0 else 2 / (1 + np.exp(-hidden)) - 1
        total = 0.125 + 0.75 * a6 + 2.0 * unilateral
        expected = 2 / (1 + np.exp(-total)) - 1
        for player in players:
            value = eb.value(player, KING, fen)
            assert (value if fen[-1] == "w" else -value) == pytest.approx(expected, abs=1e-5)


def test_the_line_of_a_runs_genome_is_written_and_read_back(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    changes = ["generations=2", "strategy.population=6", "measure.every=0", "game.plies=4"]
    words = ["train", "kingcapture-neat-16", "--run", "tiny", "--quiet"]
    runner, sets = CliRunner(), [word for change in changes for word in ("--set", change)]
    assert runner.invoke(app, [*words, *sets]).exit_code == 0
    player, line = "run:tiny@gen=1", tmp_path / "best.genome"
    done = runner.invoke(app, ["export", player, "--game", "kingcapture", "--out", str(line)])
    assert done.exit_code == 0, done.exception
    words = ["import", str(line), "--game", "kingcapture", "--encoder", "squares"]
    done = runner.invoke(app, [*words, "--out", str(tmp_path / "back.json")])
    assert done.exit_code == 0, done.exception
    mine, back = (
        eb.make_player(player, KING),
        eb.make_player(f"file:{tmp_path / 'back.json'}", KING),
    )
    for fen in ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w", "3k2/6/2B3/6/6/3K2 b"):
        # Weights have five decimals.
        assert eb.value(back, KING, fen) == pytest.approx(eb.value(mine, KING, fen), abs=1e-3)
    refused = runner.invoke(app, ["export", "champion", "--game", "kingcapture", "--to", "genome"])
    assert "for a run's player" in str(refused.exception)


@pytest.mark.parametrize(
    ("line", "widths", "told"),
    [
        (LINE[:-3], "", "end within a field"),
        (LINE.replace("00037+0.50000", "00037+0..5000"), "", "is not a number"),
        (LINE, "4/6/8", "write 6 numbers, species/genome/bias/node/link/weight"),
        (LINE, "4/6/8/0/6/8", "node"),
    ],
)
def test_a_line_that_cannot_be_read_is_said_in_a_sentence(tmp_path, line, widths, told) -> None:
    words = ["import", line, "--game", "kingcapture", "--out", str(tmp_path / "never.json")]
    done = CliRunner().invoke(app, [*words, *(["--widths", widths] if widths else [])])
    assert isinstance(done.exception, eb.EvoboardError), done.output
    assert told in str(done.exception)
    assert not (tmp_path / "never.json").exists()


def test_the_command_finds_the_encoder_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layers.json").write_text(json.dumps([[[[0.5]] * 9, [0.0]]]))
    (tmp_path / "odd.json").write_text(json.dumps([[[[0.5]] * 8, [0.0]]]))
    (tmp_path / "cut.json").write_text("[[[")

    def run(*words: str) -> Result:
        return CliRunner().invoke(app, ["import", *words, "--game", "nim:heaps=3/5/7"])

    done = run("layers.json", "--out", "player.json")
    assert "the player is file:player.json." in done.output, done.exception
    assert json.loads((tmp_path / "player.json").read_text())["encoder"] == "binary"
    # A depth ends other searches early, or is none of their settings.
    for number, words in enumerate(((), ("--search", "mcts"), ("--depth", "2"))):
        run("layers.json", "--out", f"{number}.json", *words)
        data = json.loads((tmp_path / f"{number}.json").read_text())
        assert data["settings"] == ({"depth": 2} if "--depth" in words else {})
    for file, told in (
        ("odd.json", "the network has 8 inputs, and no encoder of nim gives as many: "),
        ("cut.json", "cut.json cannot be read as JSON"),
        ("none.json", "there is no file none.json."),
    ):
        failed = run(file, "--out", "other.json")
        assert isinstance(failed.exception, EvoboardError)
        assert told in str(failed.exception)
        assert not (tmp_path / "other.json").exists()
