"""Exported networks compute what ours compute: in plain Python, in ONNX, and read back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pydot
import pytest
from onnx.reference import ReferenceEvaluator
from typer.testing import CliRunner

from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.link import link
from evoboard.encoders.base import Encoder, find_encoder
from evoboard.evolution.genomes import layered
from evoboard.evolution.operators import layered_mutation
from evoboard.evolution.strategies import layered as layered_strategy
from evoboard.games.base import game_names, load_game
from evoboard.games.history import History
from evoboard.interop.export import dot, onnx_nodes, python
from evoboard.interop.export import json as json_format
from evoboard.interop.export import onnx as onnx_format
from evoboard.interop.export.base import find_format, format_names
from evoboard.networks import graph, mlp
from evoboard.networks.activations import ACTIVATIONS, AGGREGATIONS
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.base import make_player
from evoboard.players.network import PlayerNetwork, find_network
from evoboard.players.setup import Bound, Setup
from evoboard.search.base import find_search
from small_run import make_run

ROWS = 200
NIM = load_game("nim")
F = np.float32


# --- networks, and what our own kernel says about them --------------------------------------------
NEAT = Path(__file__).parent / "players" / "kingcapture-neat.json"


def see(state, out):
    """Numbers from nowhere."""


def silent(state, out):
    out[0] = 1.0


def network_of(game, encoder, text, network, search="alphabeta", settings=(), about=()):
    """Return a network that sees by an encoder, made up or not."""
    kind = "mlp" if isinstance(network, MLPNetwork) else "graph"
    setup = Setup(game.name, text, kind, search, dict(settings))
    return PlayerNetwork(Bound(setup, game, encoder, find_search(search)), network, dict(about))


def subject_of(network, about=None, names=(), encode=see):
    """Return a network as it is exported, with inputs of no game."""
    names = names or tuple(f"number {i}" for i in range(network.inputs))
    encoder = Encoder("made up", network.inputs, encode, "mover", names)
    return network_of(NIM, encoder, "made up", network, about=about or {})


def forward_rows(network, rows, values, outputs):
    """Write all outputs for every row of inputs."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            values[j] = rows[i, j]
        forward_all(network, values, outputs[i])  # noqa: F821 (a slot)


KERNELS = {kind: link(forward_rows, {"forward_all": kind.forward_all}) for kind in (graph, mlp)}


def ours(network, rows):
    kind = graph if isinstance(network, GraphNetwork) else mlp
    pack = kind.pack([network])
    outputs = np.zeros((len(rows), pack.outputs), F)
    values = np.zeros(kind.scratch_size(pack), F)
    KERNELS[kind](kind.member(pack, 0), rows, values, outputs)
    return outputs


def by_python(network, rows):
    """Return what the exported Python file computes."""
    scope = {}
    exec(python.export(subject_of(network)), scope)
    return np.array([scope["evaluate"](row) for row in rows.tolist()])


def by_onnx(network, rows):
    """Return what the exported model computes, once it is found to be sound."""
    model = onnx.load_from_string(onnx_format.export(subject_of(network)))
    onnx.checker.check_model(model, full_check=True)
    return ReferenceEvaluator(model).run(None, {"inputs": rows})[0]


def assert_same(network, rows, sound=None):
    """Compare both with ours, to 1e-5 of a value, or of 1 where it is smaller."""
    wanted = ours(network, rows)
    sound = np.full(len(rows), True) if sound is None else sound
    for compute in (by_python, by_onnx):
        found = compute(network, rows)
        assert found.shape == wanted.shape
        apart = np.abs(found - wanted) / np.maximum(1, np.abs(wanted))
        assert apart[sound].max() <= 1e-5, (compute.__name__, network)


def random_rows(rng, inputs):
    return rng.normal(size=(ROWS, inputs)).astype(F)


def random_graph(rng, inputs, nodes, outputs, activations, aggregations):
    """Return a network with random links, some nodes without any."""
    links = [
        sorted(rng.choice(inputs + k, rng.integers(0, inputs + k + 1), replace=False))
        for k in range(nodes)
    ]
    start = np.cumsum([0, *map(len, links)])
    return GraphNetwork(
        inputs=inputs,
        outputs=rng.choice(nodes, outputs),
        start=start,
        source=np.concatenate(links).astype(np.int64),
        weight=rng.normal(size=start[-1]),
        bias=rng.normal(size=nodes),
        response=np.where(rng.random(nodes) < 0.5, 1, rng.normal(size=nodes)),
        bound=rng.uniform(0.5, 3, nodes),
        steepness=rng.uniform(0.3, 3, nodes),
        activation=rng.choice(activations, nodes).tolist(),
        aggregation=rng.choice(aggregations, nodes).tolist(),
    )


# --- the numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_with_every_aggregation_is_exported_exactly(activation):
    rng = np.random.default_rng(len(activation))
    count = len(AGGREGATIONS)
    # Each aggregation has a node of four inputs, and all of them another one; 1 / x and log x would
    # blow rounding up near 0, so everything is positive.
    links = [*[range(4)] * count, range(4, 4 + count)]
    start = np.cumsum([0, *map(len, links)])
    network = GraphNetwork(
        inputs=4,
        outputs=range(count + 1),
        start=start,
        source=np.concatenate([list(sources) for sources in links]),
        weight=rng.uniform(0.5, 1, start[-1]),
        bias=rng.uniform(0.2, 0.5, count + 1),
        response=rng.uniform(0.5, 1, count + 1),
        bound=rng.uniform(0.5, 2, count + 1),
        steepness=rng.uniform(0.3, 1, count + 1),
        activation=[activation] * count + ["tanh"],
        aggregation=[*AGGREGATIONS, "sum"],
    )
    rows = random_rows(rng, 4)
    assert_same(network, np.abs(rows) + F(0.1))
    if activation not in ("inv", "log"):
        assert_same(network, rows)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_far_from_zero_exports_do_as_ours_do(activation):
    one = np.ones(1)
    network = GraphNetwork(1, [0], [0, 1], [0], one, 0 * one, activation=[activation])
    far = [0, 5, 30, 59, 61, 86, 88, 100, 1_000]
    assert_same(network, np.array([[sign * x] for x in far for sign in (1, -1)], F))


def test_random_graphs_are_exported_whatever_they_are_made_of():
    rng, counted = np.random.default_rng(5), 0
    for nodes in [*range(1, 21)] * 3:
        network = random_graph(rng, 6, nodes, 3, ACTIVATIONS, AGGREGATIONS)
        rows = random_rows(rng, 6)
        # Where a change in the inputs' last place moves our own outputs, too, rounding decides.
        with np.errstate(all="ignore"):
            here = ours(network, rows)
            moved = [ours(network, rows * F(1 + e)) - here for e in (3e-7, -3e-7)]
            sound = np.isfinite(here) & (np.abs(here) < 1e6)
            sound &= np.max(np.abs(moved), axis=0) <= 1e-6 * np.maximum(1, np.abs(here))
            assert_same(network, rows, sound.all(axis=1))
        counted += sound.all(axis=1).sum()
    assert counted >= 0.85 * 60 * ROWS


def test_layered_networks_and_policies_are_exported():
    rng = np.random.default_rng(2)
    genes = layered_strategy.begin(layered_strategy.Start(), 8, 3, 2, rng)
    counts, settings = np.full(8, 40), layered_mutation.Settings()
    genes = layered_mutation.mutate(genes, np.arange(8), counts, settings, 4)
    pack = layered.express(genes, layered.Settings())
    networks = [graph.unpack(pack, i) for i in range(8)]
    assert max(network.nodes for network in networks) > 4
    for network in networks:
        assert_same(network, random_rows(rng, 3))


DESIGNS = [
    Design((7, 6, 5, 3)),
    Design((7, 6, 3), ("elu", "bilateral"), (1, 2.5), (0.5, 3), direct=True),
    Design((32, 40, 10, 1), difference=0.25),
    Design((9, 2), ("identity",), direct=True, difference=-1.5),
    Design((91, 40, 10, 1)),
    Design((9, 12, 10), ("sin", "relu"), steepness=(3.14, 1)),
    *(Design((4, 3, 2), (name, "tanh")) for name in ACTIVATIONS if name not in ("inv", "log")),
]


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.text)
def test_mlp_networks_are_exported_with_direct_links_and_piece_difference(design):
    rng = np.random.default_rng(8)
    network = MLPNetwork(design, rng.normal(size=design.length) * 0.4)
    assert_same(network, random_rows(rng, design.sizes[0]))


def test_what_has_no_form_is_refused_by_its_name(monkeypatch):
    network = random_graph(np.random.default_rng(1), 3, 2, 1, ["sin"], ["median"])
    subject = subject_of(network)
    monkeypatch.delitem(onnx_nodes.SHAPED, "sin")
    with pytest.raises(OptionError, match="activation sin has no ONNX form"):
        onnx_format.export(subject)
    monkeypatch.delitem(onnx_nodes.GATHERERS, "median")
    with pytest.raises(OptionError, match="aggregation median has no ONNX form"):
        onnx_format.export(subject)
    monkeypatch.delitem(python.ACTIVATIONS, "sin")
    with pytest.raises(OptionError, match="activation sin has no Python form"):
        python.export(subject)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OptionError, match="pip install onnx"):
        onnx_format.export(subject)


# --- players --------------------------------------------------------------------------------------


def positions(game, count=60):
    """Return positions of random games, both sides to move."""
    rng, found = np.random.default_rng(3), []
    while len(found) < count:
        state = game.initial()
        while legal := game.legal_moves(state):
            found.append(state)
            state = game.apply(state, int(rng.choice(legal)))
    return [found[i] for i in rng.choice(len(found), count, replace=False)]


@pytest.mark.parametrize("name", game_names())
def test_a_champion_read_back_from_json_plays_the_same_moves(name, tmp_path):
    game = load_game(name)
    path = tmp_path / "player.json"
    path.write_text(json_format.export(find_network("champion:depth=1", game)), encoding="utf-8")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["settings"]["depth"] == 1
    assert data["title"].startswith("Champion of")
    one, other = make_player("champion:depth=1", game), make_player(f"file:{path}", game)
    for state in positions(game, 25):
        asked = History.of(game, state)
        here, there = one.think(asked, 1), other.think(asked, 1)
        assert (here.move, here.value) == (there.move, there.value)


@pytest.mark.parametrize("name", game_names())
def test_a_champion_as_python_and_onnx_values_positions_as_it_does_itself(name):
    game = load_game(name)
    subject = find_network("champion", game)
    states = positions(game)
    encode = game.link(subject.encoder.encode)
    rows = np.zeros((len(states), subject.encoder.inputs), F)
    for row, state in zip(rows, states, strict=True):
        encode(state, row)
    wanted = ours(subject.network, rows)
    # Sums are rounded by what is added, which may be far more than what comes out.
    near = {"rtol": 1e-5, "atol": 1e-6 * max(1.0, float(np.abs(wanted).max()))}
    scope = {}
    exec(python.export(subject), scope)
    assert np.allclose([scope["evaluate"](r) for r in rows.tolist()], wanted, **near)
    model = onnx.load_from_string(onnx_format.export(subject))
    told = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(told["inputs"]) == list(scope["INPUTS"]) == list(subject.inputs)
    assert (told["game"], told["encoder"]) == (name, subject.setup.encoder)
    found = ReferenceEvaluator(model).run(None, {"inputs": rows})[0]
    assert np.allclose(found, wanted, **near)


def written(game, state):
    """Return a position as the exported `inputs_of` takes it."""
    if game.name == "nim":
        return [[int(size) for size in state[: game.turn]]]
    side = game.side(state)
    if game.name == "hexwar":
        return [[int(pieces) for pieces in state[:25]], side]
    view = game.view(state)
    pieces = {piece.cell: piece for piece in view.pieces}
    cells = range(len(view.board.names))
    if game.name == "draughts":
        names = view.board.names
        cells = sorted((cell for cell in cells if names[cell]), key=lambda cell: int(names[cell]))
    text = ""
    for cell in cells:
        letter = "."
        if cell in pieces and game.name == "draughts":
            letter = ("bB", "wW")[pieces[cell].side][pieces[cell].symbol == "k"]
        elif cell in pieces:
            letter = pieces[cell].symbol.lower() if pieces[cell].side else pieces[cell].symbol
        text += letter
    return [text, side] if game.name == "draughts" else [text]


BOARDS = [
    *((game, "squares") for game in ("kingcapture", "chess", "draughts", "hexwar")),
    *((game, "planes") for game in ("kingcapture", "chess", "draughts")),
    *((f"nim:heaps={heaps}", kind) for heaps in ("3/5/7", "8/15") for kind in ("heaps", "binary")),
    ("draughts", "squares:king=1.3"),
]


@pytest.mark.parametrize(("text", "encoder"), BOARDS)
def test_the_python_file_makes_the_inputs_of_a_board(text, encoder):
    game, rng = load_game(text), np.random.default_rng(1)
    found = find_encoder(encoder, game)
    design = Design((found.inputs, 1))
    network = MLPNetwork(design, rng.normal(size=design.length))
    subject = network_of(game, found, encoder, network)
    scope = {}
    exec(python.export(subject), scope)
    encode, row = game.link(found.encode), np.zeros(found.inputs, F)
    for state in positions(game):
        encode(state, row)
        assert np.allclose(scope["inputs_of"](*written(game, state)), row, rtol=1e-6)
    assert len(set(scope["INPUTS"])) == found.inputs


def test_the_inputs_of_an_own_encoder_are_told_by_its_function():
    network = MLPNetwork(Design((2, 1)), np.arange(3))
    exec("def gone(state, out): pass", scope := {"__name__": "gone"})
    for encode, told in (
        (see, "those of the encoder made up:\n#   Numbers from nowhere."),
        (silent, "made up:\n#   def silent(state, out):\n#       out[0] = 1.0"),
        (scope["gone"], "those of the encoder made up.\n\n"),
    ):
        assert told in python.export(subject_of(network, encode=encode))


def test_inputs_are_named_by_encoder_and_board():
    def names(game, encoder):
        played = load_game(game)
        found = find_encoder(encoder, played)
        network = MLPNetwork(Design((found.inputs, 1)), np.zeros(found.inputs + 1))
        return network_of(played, found, encoder, network).inputs

    assert names("kingcapture", "squares")[:2] == ("a1", "b1")
    assert names("kingcapture", "planes")[36] == "White rooks a1"
    assert names("draughts", "squares")[-1] == "32"
    assert names("draughts", "subsquares")[0] == "3×3, rows 1 to 3, columns 1 to 3"
    assert names("nim", "heaps") == ("heap 0", "heap 1", "heap 2")
    assert names("chess", "chess_features")[0] == "material"
    assert names("examples/connectfour.py", "own")[:2] == ("a1", "b1")
    assert names("kingcapture", "cells")[35:37] == ("f6", "input 36")


def test_a_policy_says_what_its_outputs_are():
    design = Design((3, 2))
    network = MLPNetwork(design, np.zeros(design.length))
    encoder = find_encoder("heaps", NIM)
    direct = network_of(NIM, encoder, "heaps", network, "policy", {"one_hot": 0})
    assert direct.outputs == ("heap", "amount")
    assert "rounded" in python.export(direct)
    wide = MLPNetwork(Design((3, 10)), np.zeros(40))
    one_hot = network_of(NIM, encoder, "heaps", wide, "policy", {"one_hot": 1})
    assert one_hot.outputs == ("heap 0", "heap 1", "heap 2", *(f"take {i}" for i in range(1, 8)))


# --- drawings -------------------------------------------------------------------------------------


def drawn(text):
    """Return the one graph in a drawing, its nodes with their labels, and its edges."""
    (whole,) = pydot.graph_from_dot_data(text)
    nodes = {
        node.get_name(): json.loads(node.get_label())
        for part in whole.get_subgraphs()
        for node in part.get_nodes()
        if node.get_label()
    }
    return whole, nodes, whole.get_edges()


def test_a_drawing_has_every_link_by_sign_and_strength():
    evolved = Path(__file__).parent / "players" / "kingcapture-neat.json"
    subject = find_network(f"file:{evolved}", load_game("kingcapture"))
    _, nodes, edges = drawn(dot.export(subject))
    network = subject.network
    assert len(edges) == len(network.source)
    assert nodes["i31"] == "b6"
    assert nodes[f"n{network.outputs[0]}"].startswith("value: tanh")
    weights = [float(json.loads(edge.get_tooltip())) for edge in edges]
    for weight, edge in zip(weights, edges, strict=True):
        assert json.loads(edge.get_color())[:7] == (dot.POSITIVE if weight >= 0 else dot.NEGATIVE)
    widths = [float(edge.get_penwidth()) for edge in edges]
    assert widths == sorted(widths)
    assert np.argmax(np.abs(weights)) == np.argmax(widths)


def test_a_drawing_of_too_many_links_shows_the_strongest(monkeypatch):
    monkeypatch.setattr(dot, "MOST_LINKS", 40)
    design = Design((9, 8, 1), direct=True, difference=0.5)
    network = MLPNetwork(design, np.random.default_rng(1).normal(size=design.length))
    text = dot.export(subject_of(network))
    assert len(drawn(text)[2]) == 40
    assert "49 weak links left out" in text
    assert "sum of all inputs times 0.5" in text


# --- the command ----------------------------------------------------------------------------------


def run(*words):
    return CliRunner().invoke(app, ["export", *words])


def refusal(*words):
    """Return the sentence with which a command is refused."""
    result = run(*words)
    assert isinstance(result.exception, EvoboardError), result.output
    return str(result.exception)


def test_the_command_writes_what_the_ending_says_and_never_over_a_file(tmp_path):
    for name in format_names():
        path = tmp_path / f"champion{find_format(name).ENDINGS[0]}"
        words = [f"file:{NEAT}", "--game", "kingcapture", "--out", str(path)]
        if name == "genome":
            assert "can only be written for a run's player" in refusal(*words)
            continue
        result = run(*words)
        assert result.exit_code == 0, result.output
        assert f"{path.stat().st_size:,} bytes" in result.output
        assert "exists already" in refusal(*words)
    onnx.checker.check_model(str(tmp_path / "champion.onnx"))
    # The Python file needs nothing but Python.
    code = "import champion; print(champion.evaluate(champion.inputs_of('.' * 36)))"
    bare = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path = sys.path + ['.']; {code}"]
    done = subprocess.run(bare, cwd=tmp_path, capture_output=True, check=True, timeout=300)
    assert json.loads(done.stdout)


def test_the_command_prints_texts_but_nothing_binary():
    assert run("champion", "--game", "nim", "--to", "dot").stdout.startswith("digraph")
    assert json.loads(run("linear", "--game", "chess", "--to", "json").stdout)["game"] == "chess"
    assert "name a file with --out" in refusal("champion", "--game", "nim", "--to", "onnx")


def test_players_of_runs_and_files_are_exported(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    make_run("mine")
    path = tmp_path / "third.json"
    assert run("run:mine@gen=3#3", "-g", "kingcapture", "--out", str(path)).exit_code == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["title"], data["search"]) == ("Run mine, number 3 of generation 3", "alphabeta")
    text = run(f"file:{path},depth=2,seconds=0.5", "-g", "kingcapture", "--to", "json").stdout
    assert json.loads(text)["network"] == data["network"]
    assert json.loads(text)["settings"] == data["settings"] | {"depth": 2, "seconds": 0.5}
    path.write_text(text, encoding="utf-8")
    assert make_player(f"file:{path}", load_game("kingcapture")).own.seconds == 0.5
    assert make_player(f"file:{path},seconds=2", load_game("kingcapture")).own.seconds == 2


def test_mistakes_are_told_in_a_sentence(tmp_path):
    assert "random has no network" in refusal("random", "-g", "nim", "--to", "json")
    assert "did you mean champion" in refusal("champoin", "-g", "nim", "--to", "json")
    assert "did you mean json" in refusal("champion", "-g", "nim", "--to", "jsn")
    assert "names no format" in refusal("champion", "-g", "nim", "--out", "network.txt")
    assert "choose a format with --to" in refusal("champion", "-g", "nim")
    assert "plays chess, not nim" in refusal("champion:chess", "-g", "nim", "--to", "json")
    where = str(tmp_path / "nowhere" / "network.py")
    assert "cannot be written" in refusal("champion", "-g", "nim", "--out", where)


def test_no_words_of_a_file_become_code():
    words = 'x"""\n\r\u2028\x0c\x00import os"]; }\n\\" # \ud800'
    network = random_graph(np.random.default_rng(1), 2, 2, 1, ["tanh"], ["sum"])

    def hostile(state, out):
        pass

    hostile.__doc__ = words
    subject = subject_of(network, {"title": words}, (words, words + "2"), hostile)
    scope = {}
    exec(python.export(subject).encode(), scope)
    assert "os" not in scope
    assert scope["INPUTS"] == subject.inputs
    _, nodes, _ = drawn(dot.export(subject))
    assert set(nodes.values()) >= {subject.inputs[i] for i in {*network.source} - {2, 3}}
    onnx.checker.check_model(onnx.load_from_string(onnx_format.export(subject)))
