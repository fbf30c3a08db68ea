"""Networks against plain float64 arithmetic and neat-python, and what they refuse."""

from __future__ import annotations

import json
import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from arrange import Node, arrange
from conftest import few
from evoboard.core.errors import OptionError, PartError
from evoboard.core.link import link
from evoboard.networks import graph, mlp
from evoboard.networks.activations import (
    ACTIVATIONS,
    AGGREGATIONS,
    NEAT_STEEPNESS,
    activate,
    activation_code,
    aggregation_code,
)
from evoboard.networks.base import find_network_kind
from evoboard.networks.graph import GraphNetwork
from evoboard.networks.mlp import MLPNetwork
from evoboard.networks.mlp_network import Design

F = np.float32

# --- slow versions, in float64 ------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


SLOW = {
    "unilateral": lambda x, b, s: b * (2 * sigmoid(s * x) - 1) if x > 0 else 0.0,
    "bilateral": lambda x, b, s: b * (2 * sigmoid(s * x) - 1),
    "tanh": lambda x, b, s: b * np.tanh(s * x),
    "sigmoid": lambda x, b, s: b * sigmoid(s * x),
    "identity": lambda x, b, s: x,
    "relu": lambda x, b, s: max(x, 0.0),
    "elu": lambda x, b, s: x if x > 0 else b * np.expm1(s * x),
    "clamped": lambda x, b, s: np.clip(s * x, -b, b),
    "lelu": lambda x, b, s: x if x > 0 else 0.005 * x,
    "selu": lambda x, b, s: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * np.expm1(x)),
    "softplus": lambda x, b, s: np.logaddexp(0, s * x) / s,
    "hat": lambda x, b, s: b * max(1 - abs(s * x), 0.0),
    "gauss": lambda x, b, s: b * np.exp(-s * x * x),
    "sin": lambda x, b, s: b * np.sin(s * x),
    "exp": lambda x, b, s: np.exp(x),
    "log": lambda x, b, s: np.log(max(x, 1e-7)),
    "abs": lambda x, b, s: abs(x),
    "square": lambda x, b, s: x * x,
    "cube": lambda x, b, s: x**3,
    "inv": lambda x, b, s: 1 / x if x else 0.0,
}
GATHER = {
    "sum": sum,
    "product": math.prod,
    "max": lambda v: max(v, default=0.0),
    "min": lambda v: min(v, default=0.0),
    "mean": lambda v: sum(v) / len(v) if v else 0.0,
    "median": lambda v: float(np.median(v)) if v else 0.0,
    "maxabs": lambda v: max(v, key=abs, default=0.0),
}


def slow_graph(network, inputs):
    """Return the values of the outputs."""
    values = [float(x) for x in inputs]
    for k in range(network.nodes):
        links = range(network.start[k], network.start[k + 1])
        parts = [float(network.weight[i]) * values[network.source[i]] for i in links]
        total = GATHER[network.aggregation[k]](parts)
        total = float(network.bias[k]) + float(network.response[k]) * total
        shape = float(network.bound[k]), float(network.steepness[k])
        values.append(float(SLOW[network.activation[k]](total, *shape)))
    return [values[network.inputs + node] for node in network.outputs]


def slow_mlp(network, inputs):
    """Return the values of the outputs."""
    design, vector = network.design, network.vector.astype(np.float64)
    values, begin = np.array(inputs, np.float64), 0
    for layer, (fan, width) in enumerate(zip(design.sizes, design.sizes[1:], strict=False)):
        biases = vector[begin : begin + width]
        begin += width
        weights = vector[begin : begin + fan * width].reshape(fan, width)
        begin += fan * width
        sums = biases + values @ weights
        if layer == len(design.sizes) - 2:
            if design.direct:
                sums = sums + np.array(inputs) @ vector[begin:].reshape(len(inputs), width)
            sums = sums + design.difference * np.sum(inputs)
        shape = design.bounds[layer], design.steepness[layer]
        values = np.array([SLOW[design.activations[layer]](x, *shape) for x in sums])
    return values


# --- how they are run ---------------------------------------------------------------------------


def first_output(pack, index, rows, scratch, results):
    """Write the first output for every row of inputs."""
    network = member(pack, index)  # noqa: F821 (a slot)
    for row in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            scratch[i] = rows[row, i]
        results[row] = forward(network, scratch)  # noqa: F821 (a slot)


def all_outputs(pack, index, rows, scratch, results):
    """Write all outputs for every row of inputs."""
    network = member(pack, index)  # noqa: F821 (a slot)
    for row in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            scratch[i] = rows[row, i]
        forward_all(network, scratch, results[row])  # noqa: F821 (a slot)


def run(kind, pack, index, rows, target="checked", kernel=all_outputs):
    """Return what network `index` says; its scratch is just large enough, and full of rubbish."""
    slots = {name: getattr(kind, name) for name in ("member", "forward", "forward_all")}
    scratch = np.full(kind.scratch_size(pack), np.nan, np.float32)
    shape = (len(rows), pack.outputs) if kernel is all_outputs else len(rows)
    results = np.full(shape, np.nan, np.float32)
    link(kernel, slots, target)(pack, index, np.array(rows, np.float32), scratch, results)
    return results


def random_graph(rng, inputs=5, nodes=8, outputs=2, kinds=ACTIVATIONS, gather=AGGREGATIONS):
    """Return a network with random links, some nodes without any."""
    sources = [
        sorted(rng.choice(inputs + k, rng.integers(0, inputs + k + 1), replace=False))
        for k in range(nodes)
    ]
    start = np.cumsum([0, *map(len, sources)])
    return GraphNetwork(
        inputs=inputs,
        outputs=rng.choice(nodes, outputs, replace=False),
        start=start,
        source=np.concatenate(sources).astype(np.int64),
        weight=rng.normal(size=start[-1]),
        bias=rng.normal(size=nodes),
        response=rng.normal(size=nodes),
        bound=rng.uniform(0.5, 3, nodes),
        steepness=rng.uniform(0.3, 5, nodes),
        activation=rng.choice(kinds, nodes).tolist(),
        aggregation=rng.choice(gather, nodes).tolist(),
    )


TAME = ["unilateral", "bilateral", "tanh", "sigmoid", "relu", "identity", "elu", "clamped", "hat"]
TAME += ["gauss", "sin", "abs", "softplus", "lelu", "selu"]


def random_mlp(rng, sizes=(7, 6, 5, 3), **options):
    design = Design(sizes, **options)
    return MLPNetwork(design, rng.normal(size=design.length) * 0.5)


DESIGNS = [
    {},
    {"activations": ("elu", "unilateral", "bilateral"), "bounds": (1, 2, 3.5)},
    {"activations": ("sigmoid",), "steepness": (0.5, 5, 1), "direct": True},
    {"sizes": (32, 40, 10, 1), "difference": 0.25},
    {"sizes": (9, 2), "activations": ("identity",), "direct": True, "difference": -1.5},
    {"sizes": (91, 40, 10, 1)},
    {"sizes": (1, 1)},
]


# --- activations --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_is_its_formula_and_the_same_compiled_and_not(name):
    rng = np.random.default_rng(1)
    code = activation_code(name)
    compiled, plain = link(activate), link(activate, target="python")
    xs = [*rng.normal(size=300), *rng.uniform(-12, 12, 300), 0.0, 1e-6, -1e-6, 20, -20]
    for x, bound, steepness in zip(
        np.array(xs, F),
        rng.uniform(0.5, 3, len(xs)).astype(F),
        rng.uniform(0.2, 4, len(xs)).astype(F),
        strict=True,
    ):
        value = F(compiled(code, x, bound, steepness))
        assert value == plain(code, x, bound, steepness)
        wanted = SLOW[name](float(x), float(bound), float(steepness))
        # The steep ones multiply the rounding of s x, half a unit in its last place.
        slack = 1e-6 * max(1, abs(wanted)) * (1 + abs(float(x * steepness)) / 4)
        assert abs(value - wanted) <= slack, (x, bound, steepness)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_survives_the_ends_of_the_numbers(name):
    compiled, plain = link(activate, target="checked"), link(activate, target="python")
    for x in (1e30, -1e30, math.inf, -math.inf, math.nan, 1e-38):
        with np.errstate(all="ignore"):
            value = F(compiled(activation_code(name), F(x), F(1), F(1)))
            other = F(plain(activation_code(name), F(x), F(1), F(1)))
        assert value == other or (np.isnan(value) and np.isnan(other)), (x, value, other)


def test_the_sigmoids_of_paper_a_reach_their_bounds():
    kernel = link(activate)
    for name, low in (("unilateral", 0), ("bilateral", -2.5)):
        code = activation_code(name)
        ends = [kernel(code, F(x), F(2.5), F(1)) for x in (-40, 0, 40)]
        assert np.allclose(ends, [low, 0, 2.5], atol=1e-6)
    assert kernel(activation_code("unilateral"), F(1), F(1), F(1)) == pytest.approx(
        2 / (1 + math.exp(-1)) - 1, abs=1e-6
    )


def test_low_sigmoids_keep_their_digits():
    kernel = link(activate)
    values = [kernel(activation_code("sigmoid"), F(-x), F(1), F(1)) for x in (20, 40, 60)]
    assert np.allclose(values, np.exp([-20.0, -40.0, -60.0]), rtol=1e-5, atol=0)


def test_unknown_activations_and_aggregations_are_named_with_the_nearest():
    with pytest.raises(OptionError, match="did you mean sigmoid"):
        activation_code("sigmiod")
    with pytest.raises(OptionError, match="did you mean median"):
        aggregation_code("medain")


# --- graphs -------------------------------------------------------------------------------------


def test_graphs_compute_what_float64_does():
    rng = np.random.default_rng(2)
    networks = [random_graph(rng, nodes=int(rng.integers(2, 12)), kinds=TAME) for _ in range(60)]
    rows = rng.normal(size=(6, 5)) * (rng.random((6, 5)) < 0.7)
    pack = graph.pack(networks)
    for i, network in enumerate(networks):
        wanted = [slow_graph(network, row.astype(F)) for row in rows]
        np.testing.assert_allclose(run(graph, pack, i, rows), wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("target", ["cpu", "python"])
def test_graphs_are_the_same_to_the_bit_on_every_target(target):
    rng = np.random.default_rng(3)
    networks = [random_graph(rng, kinds=TAME) for _ in range(10)]
    pack, rows = graph.pack(networks), rng.normal(size=(4, 5))
    for i in range(len(networks)):
        one = run(graph, pack, i, rows)
        assert np.array_equal(one, run(graph, pack, i, rows, target), equal_nan=True)
        first = run(graph, pack, i, rows, target, first_output)
        assert np.array_equal(one[:, 0], first, equal_nan=True)


@pytest.mark.parametrize("gather", AGGREGATIONS)
@pytest.mark.parametrize("links", [0, 1, 2, 3, 4, 5, 9])
def test_every_aggregation_works_for_every_number_of_links(gather, links):
    rng = np.random.default_rng(links)
    network = GraphNetwork(
        inputs=9,
        outputs=[0],
        start=[0, links],
        source=np.arange(links),
        weight=rng.normal(size=links),
        bias=[0.25],
        response=[-1.5],
        aggregation=[gather],
    )
    rows = rng.normal(size=(5, 9))
    wanted = [slow_graph(network, row.astype(F)) for row in rows]
    found = run(graph, graph.pack([network]), 0, rows)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def neat_network(network):
    """Return neat-python's network of the same nodes; ours has its steepness where it has one."""
    neat = pytest.importorskip("neat", reason="neat-python, the oracle, is not installed")
    activations = neat.activations.ActivationFunctionSet()
    aggregations = neat.aggregations.AggregationFunctionSet()
    keys = [-1 - i for i in range(network.inputs)]
    keys += list(range(network.nodes))
    nodes = []
    for k in range(network.nodes):
        links = range(network.start[k], network.start[k + 1])
        nodes.append(
            (
                k,
                activations.get(network.activation[k]),
                aggregations.get(network.aggregation[k]),
                float(network.bias[k]),
                float(network.response[k]),
                [(keys[network.source[i]], float(network.weight[i])) for i in links],
            )
        )
    return neat.nn.FeedForwardNetwork(keys[: network.inputs], list(network.outputs), nodes)


def as_neat(network):
    """Return the network with bound 1 and neat-python's steepness."""
    parts = {name: getattr(network, name) for name in network.__dataclass_fields__}
    steepness = [NEAT_STEEPNESS.get(name, 1.0) for name in network.activation]
    return GraphNetwork(**{**parts, "bound": None, "steepness": steepness})


@pytest.mark.parametrize("gather", AGGREGATIONS)
@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if not n.endswith("lateral")])
def test_nodes_agree_with_neat_python(name, gather):
    rng = np.random.default_rng(5)
    # One layer: errors of float32 are not multiplied by later nodes.
    network = GraphNetwork(
        inputs=6,
        outputs=range(12),
        start=np.arange(13) * 5,
        source=np.concatenate([rng.choice(6, 5, replace=False) for _ in range(12)]),
        weight=rng.normal(size=60),
        bias=rng.normal(size=12),
        response=rng.normal(size=12),
        activation=[name] * 12,
        aggregation=[gather] * 12,
    )
    network = as_neat(network)
    peer = neat_network(network)
    rows = rng.normal(size=(8, 6)).astype(F)
    wanted = np.array([peer.activate([float(x) for x in row]) for row in rows])
    found = run(graph, graph.pack([network]), 0, rows)
    # What is near 0 is worth little to a logarithm or an inverse.
    steep = name in ("inv", "log")
    np.testing.assert_allclose(found, wanted, rtol=1e-3 if steep else 2e-5, atol=2e-5)


def test_deep_networks_agree_with_neat_python():
    rng = np.random.default_rng(6)
    kinds = ["sigmoid", "tanh", "relu", "identity", "clamped", "elu", "abs", "hat", "gauss", "sin"]
    for _ in range(20):
        network = as_neat(random_graph(rng, nodes=10, kinds=kinds))
        peer = neat_network(network)
        rows = rng.normal(size=(4, 5)).astype(F)
        wanted = [peer.activate([float(x) for x in row]) for row in rows]
        found = run(graph, graph.pack([network]), 0, rows)
        np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3)


def test_networks_of_a_pack_do_not_know_of_each_other():
    rng = np.random.default_rng(7)
    networks = [random_graph(rng, nodes=n, outputs=1, kinds=TAME) for n in (1, 12, 3)]
    rows = rng.normal(size=(3, 5))
    together = graph.pack(networks)
    assert graph.size(together) == 3
    for i, network in enumerate(networks):
        alone = run(graph, graph.pack([network]), 0, rows)
        assert np.array_equal(alone, run(graph, together, i, rows), equal_nan=True)


# --- layered networks ---------------------------------------------------------------------------


@pytest.mark.parametrize("options", DESIGNS)
def test_layered_networks_compute_what_float64_does(options):
    rng = np.random.default_rng(8)
    networks = [random_mlp(rng, **options) for _ in range(4)]
    pack = mlp.pack(networks)
    assert mlp.size(pack) == 4
    count = networks[0].design.sizes[0]
    for density in (1, 0.5, 0.1, 0):
        rows = (rng.normal(size=(5, count)) * (rng.random((5, count)) < density)).astype(F)
        for i, network in enumerate(networks):
            wanted = [slow_mlp(network, row) for row in rows]
            found = run(mlp, pack, i, rows)
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=5e-6)
            assert np.array_equal(found, run(mlp, pack, i, rows, "cpu"))
            assert np.array_equal(found[:, 0], run(mlp, pack, i, rows, "cpu", first_output))


@pytest.mark.parametrize("options", DESIGNS)
def test_a_network_can_have_its_inputs_in_another_order(options):
    rng = np.random.default_rng(10)
    network = random_mlp(rng, **options)
    inputs = rng.normal(size=network.inputs)
    order = rng.permutation(network.inputs)
    moved = network.with_inputs(order)
    np.testing.assert_allclose(slow_mlp(moved, inputs[order]), slow_mlp(network, inputs))
    more = [-1, *range(network.inputs), -1]
    if network.design.difference:
        with pytest.raises(OptionError, match="adds up its inputs"):
            network.with_inputs(more)
    else:
        wider = slow_mlp(network.with_inputs(more), [5.0, *inputs, -7.0])
        np.testing.assert_allclose(wider, slow_mlp(network, inputs))


def test_layered_networks_are_the_same_to_the_bit_uncompiled():
    rng = np.random.default_rng(9)
    for options in DESIGNS[:5]:
        network = random_mlp(rng, **options)
        pack = mlp.pack([network])
        rows = rng.normal(size=(2, pack.inputs)) * (rng.random((2, pack.inputs)) < 0.6)
        assert np.array_equal(run(mlp, pack, 0, rows, "cpu"), run(mlp, pack, 0, rows, "python"))


def test_the_parts_of_a_vector_are_where_the_design_says():
    design = Design((3, 4, 2), direct=True)
    assert design.length == 4 + 12 + 2 + 8 + 6
    vector = np.zeros(design.length)
    vector[design.biases(1)] = [0.5, -0.25]
    vector[design.weights(1)] = [1, 0, 2, 0, 3, 0, 4, 0]  # four sources, two outputs
    vector[design.biases(0)] = [0.1, 0.2, 0.3, 0.4]
    network = MLPNetwork(Design((3, 4, 2), ("identity",), direct=True), vector)
    found = run(mlp, mlp.pack([network]), 0, [[0, 0, 0]])
    np.testing.assert_allclose(found, [[0.5 + 0.1 + 0.4 + 0.9 + 1.6, -0.25]], rtol=1e-6)


@pytest.mark.parametrize("kind", few([graph, mlp], graph))
def test_forward_computes_in_float32_alone(kind, tmp_path, monkeypatch):
    # Stored kernels cannot be looked into: compile them anew.
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr("evoboard.core.link._COMPILED", {})
    pack = kind.pack([{graph: random_graph, mlp: random_mlp}[kind](np.random.default_rng(10))])
    slots = {name: getattr(kind, name) for name in ("member", "forward", "forward_all")}
    kernel = link(first_output, slots)
    rows, scratch = np.zeros((1, pack.inputs), F), np.zeros(kind.scratch_size(pack), F)
    kernel(pack, 0, rows, scratch, np.zeros(1, F))
    for code in kernel.inspect_llvm().values():
        assert "fmul" in code or "fdiv" in code
        assert "fpext" not in code
        assert "double" not in code


# --- as text ------------------------------------------------------------------------------------


def test_a_network_comes_back_exactly_from_its_text():
    rng = np.random.default_rng(11)
    networks = [random_graph(rng) for _ in range(10)]
    networks += [random_mlp(rng, **options) for options in DESIGNS]
    for network in networks:
        document = json.dumps(network.to_json())
        kind = find_network_kind(json.loads(document))
        for data in (json.loads(document), document):
            again = kind.from_json(data)
            assert again == network
            assert hash(again) == hash(network)
            for one, other in zip(kind.pack([network]), kind.pack([again]), strict=True):
                assert np.array_equal(one, other)
    assert networks[0] != networks[1]


def test_numbers_are_written_as_short_as_they_can_be():
    network = MLPNetwork(Design((1, 1)), np.array([0.1, -1e-30]))
    assert network.to_json()["vector"] == [0.1, -1e-30]


GRAPH = {
    "kind": "graph",
    "version": 1,
    "inputs": 2,
    "outputs": [0],
    "nodes": [
        {
            "activation": "tanh",
            "aggregation": "sum",
            "bias": 0,
            "response": 1,
            "bound": 1,
            "steepness": 1,
            "links": [[0, 1.5], [1, 2]],
        }
    ],
}


def changed(data, path, value):
    copy = json.loads(json.dumps(data))
    part = copy
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    "path, value, words",
    [
        (["kind"], "mlp", '"kind": "graph"'),
        (["version"], 2, "version is 2"),
        (["inputs"], "2", "'inputs' of a network is '2'"),
        (["inputs"], True, "'inputs' of a network is True"),
        (["inputs"], 0, "0 inputs"),
        (["outputs"], [1], "output 1 is not a node"),
        (["outputs"], [0.5], "outputs must be whole numbers"),
        (["outputs"], [], "needs one or more"),
        (["nodes"], 3, "'nodes'"),
        (["nodes", 0], 3, "must be an object"),
        (["nodes", 0, "bias"], None, "'bias'"),
        (["nodes", 0, "bias"], math.nan, "biases must be finite"),
        (["nodes", 0, "bias"], 1e60, "biases must be finite"),
        (["nodes", 0, "bound"], 0, "bounds must be above 0"),
        (["nodes", 0, "activation"], "tan", "did you mean tanh"),
        (["nodes", 0, "aggregation"], "total", "no aggregation named 'total'"),
        (["nodes", 0, "links"], [[0]], "write \\[source, weight\\]"),
        (["nodes", 0, "links"], [[0, math.inf]], "weights must be finite"),
        (["nodes", 0, "links"], [[0, "a"]], "weights must be numbers"),
        (["nodes", 0, "links"], [[0, "1"]], "weights must be numbers"),
        (["nodes", 0, "links"], [[0, [1]], [1, 1]], "weights must be numbers"),
        (["nodes", 0, "links"], [[[0], 1], [1, 1]], "source must be whole numbers"),
        (["nodes", 0, "links"], [[10**30, 1]], "source must be whole numbers"),
        (["nodes", 0, "links"], [[0.5, 1]], "source must be whole numbers"),
        (["nodes", 0, "links"], [[-1, 1]], "source must be whole numbers"),
        (["nodes", 0, "links"], [[2, 1]], "not in topological order"),
        (["nodes", 0, "links"], [[3, 1]], "comes from node 1"),
    ],
)
def test_a_damaged_graph_is_refused_in_one_sentence(path, value, words):
    assert graph.from_json(GRAPH).nodes == 1
    with pytest.raises((OptionError, PartError), match=words) as caught:
        graph.from_json(changed(GRAPH, path, value))
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "path, value, words",
    [
        (["sizes"], [3], "sizes of a layered network"),
        (["sizes"], [2, 0], "sizes of a layered network"),
        (["sizes"], [2, 1.5], "sizes of a layered network"),
        (["sizes"], [3, 1], "has 4 weights and biases"),
        (["activations"], ["tanh"] * 2, "1 layers has 2 activations"),
        (["activations"], [3], "must be a name"),
        (["activations"], ["tan"], "did you mean tanh"),
        (["steepness"], [-1], "steepness must be above 0"),
        (["bounds"], ["x"], "bounds must be numbers"),
        (["direct"], 1, "'direct'"),
        (["difference"], math.inf, "the difference weight must be finite"),
        (["vector"], [0, 0, math.nan], "number 2 is nan"),
        (["vector"], [0, [1], 2], "must be numbers"),
        (["vector"], [0, "1", 2], "must be numbers"),
        (["vector"], [0, None, 2], "must be numbers"),
        (["vector"], None, "'vector'"),
    ],
)
def test_a_damaged_layered_network_is_refused_in_one_sentence(path, value, words):
    data = MLPNetwork(Design((2, 1)), [1, 2, 3]).to_json()
    assert mlp.from_json(data).inputs == 2
    with pytest.raises((OptionError, PartError), match=words) as caught:
        mlp.from_json(changed(data, path, value))
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"kind": 3}', "[" * 100_000])
def test_a_text_that_is_no_network_is_refused(text):
    for kind in (graph, mlp):
        with pytest.raises(PartError):
            kind.from_json(text)


def test_arrays_that_do_not_fit_each_other_are_refused():
    good = {"inputs": 2, "outputs": [0], "start": [0, 1], "source": [0], "weight": [1.0]}
    good |= {"bias": [0.0]}
    assert GraphNetwork(**good).nodes == 1
    wrong = [
        ({"weight": [1.0, 2.0]}, "1 links has 2 weights"),
        ({"start": [0, 2]}, "rise from 0 to 1"),
        ({"start": [0, 1, 1]}, "rise from 0 to 1"),
        ({"start": [1, 1]}, "rise from 0 to 1"),
        ({"bias": [], "start": [0]}, "no output"),
        ({"response": [1.0, 1.0]}, "2 values of response"),
        ({"activation": ["tanh"] * 2}, "2 values of activation"),
        ({"weight": [[1.0]]}, "one row of numbers"),
    ]
    for change, words in wrong:
        with pytest.raises(OptionError, match=words):
            GraphNetwork(**{**good, **change})


def test_a_network_cannot_be_changed():
    network = graph.from_json(GRAPH)
    with pytest.raises(ValueError):
        network.weight[0] = 3
    with pytest.raises(AttributeError):
        network.inputs = 3


# --- packs --------------------------------------------------------------------------------------


def test_packs_refuse_what_does_not_fit_together():
    rng = np.random.default_rng(12)
    for kind in (graph, mlp):
        with pytest.raises(OptionError, match="at least one network"):
            kind.pack([])
    with pytest.raises(OptionError, match="network 1 has 4 inputs and 2 outputs"):
        graph.pack([random_graph(rng), random_graph(rng, inputs=4)])
    with pytest.raises(OptionError, match="network 1 is 7-6-3 tanh, network 0 is 7-6-5-3 tanh"):
        mlp.pack([random_mlp(rng), random_mlp(rng, (7, 6, 3))])


def test_a_network_that_does_not_fit_its_encoder_is_refused():
    rng = np.random.default_rng(13)
    for kind, pack in ((graph, graph.pack([random_graph(rng, 36)])), (mlp, mlp.pack([_wide(rng)]))):
        kind.require_inputs(pack, SimpleNamespace(name="squares", inputs=36))
        with pytest.raises(OptionError, match="36 inputs, but the encoder planes gives 360"):
            kind.require_inputs(pack, SimpleNamespace(name="planes", inputs=360))


def _wide(rng):
    return random_mlp(rng, (36, 1))


# --- nodes and links in any order ---------------------------------------------------------------


NODES = [Node(9, 0.5, "tanh"), Node(4, -0.5, "relu"), Node(7, 0.25, "sin"), Node(30, 1.0, "abs")]
LINKS = [(1, 9, 0.5), (2, 4, -1.0), (4, 7, 2.0), (7, 9, 1.5), (2, 9, 0.75), (9, 30, 1.0)]


def test_nodes_and_links_come_in_any_order():
    network = arrange([1, 2], [9], NODES, LINKS)
    assert network.nodes == 3, "a node that no output needs is left out"
    assert network.activation == ("relu", "sin", "tanh")
    shuffler = random.Random(1)
    for _ in range(10):
        nodes, links = NODES[:], LINKS[:]
        shuffler.shuffle(nodes)
        shuffler.shuffle(links)
        assert arrange([1, 2], [9], nodes, links) == network
    found = run(graph, graph.pack([network]), 0, [[0.5, -2.0]])
    four = max(-0.5 - 1.0 * -2.0, 0)
    seven = math.sin(0.25 + 2.0 * four)
    nine = math.tanh(0.5 + 0.5 * 0.5 + 1.5 * seven + 0.75 * -2.0)
    assert found[0, 0] == pytest.approx(nine, abs=1e-6)


@pytest.mark.parametrize(
    "inputs, outputs, nodes, links, words",
    [
        ([1, 2], [9], NODES, [*LINKS, (9, 4, 1.0)], "cycle among the nodes 4, 7, 9"),
        ([1, 2], [9], NODES, [*LINKS, (4, 4, 1.0)], "cycle"),
        ([1, 2], [9], NODES, [*LINKS, (5, 4, 1.0)], "comes from 5"),
        ([1, 2], [9], NODES, [*LINKS, (1, 5, 1.0)], "leads to 5"),
        ([1, 2], [9], NODES, [*LINKS, (4, 1, 1.0)], "leads to 1"),
        ([1, 2], [9], NODES, [*LINKS, (1, 9, 1.0)], "two links lead from 1 to 9"),
        ([1, 2], [8], NODES, LINKS, "output 8 is not a node"),
        ([1, 2, 4], [9], NODES, LINKS, "4 is an input and a node"),
        ([1, 2], [9], [*NODES, Node(4)], LINKS, "two nodes have the key 4"),
        ([1, 2], [9], NODES, [*LINKS, (2, 7, math.nan)], "weights must be finite"),
        ([], [9], NODES, [], "0 inputs"),
    ],
)
def test_nodes_and_links_that_are_no_network_are_refused(inputs, outputs, nodes, links, words):
    with pytest.raises(OptionError, match=words):
        arrange(inputs, outputs, nodes, links)


def test_a_pack_gives_its_networks_back():
    rng = np.random.default_rng(3)
    graphs = [random_graph(rng) for _ in range(5)]
    assert [graph.unpack(graph.pack(graphs), i) for i in range(5)] == graphs
    design = Design((4, 3, 2), ("tanh", "elu"), (1.0, 2.0), (0.3, 1.0), True, 0.5)
    vectors = np.random.default_rng(1).normal(size=(3, design.length))
    layered = [MLPNetwork(design, vector) for vector in vectors]
    assert [mlp.unpack(mlp.pack(layered), i) for i in range(3)] == layered
