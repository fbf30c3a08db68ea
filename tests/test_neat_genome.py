"""NEAT genomes as data: forms, checks, and their expression against `arrange`."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrange import Node, arrange
from evoboard.core.errors import OptionError, PartError
from evoboard.core.link import link
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import neat, neat_text
from evoboard.evolution.genomes.neat import DEAD, DISABLED, LIVE, SPLIT, Genes
from evoboard.evolution.genomes.neat_text import Widths
from evoboard.networks import express as expressing
from evoboard.networks import graph
from evoboard.networks.activations import ACTIVATIONS, AGGREGATIONS

SHAPE = Shape(4, 2)


def random_genes(seed, size=5, shape=SHAPE, most_hidden=6, plain=False):
    """Return genomes of random structure: any status, links to nowhere, nodes without links."""
    rng = np.random.default_rng(seed)
    first = sum(shape)
    nodes, links = [], []
    for _ in range(size):
        hidden = np.sort(rng.choice(np.arange(first, first + 12), rng.integers(0, most_hidden + 1)))
        hidden = np.unique(hidden)
        order = rng.permutation(hidden)
        place = dict.fromkeys(range(shape.inputs), -1) | {k: i for i, k in enumerate(order)}
        place |= {shape.inputs + o: len(order) for o in range(shape.outputs)}
        genes = []
        for source in [*range(shape.inputs), *hidden]:
            for target in [*range(shape.inputs, first), *hidden]:
                if rng.random() < 0.4 and place[source] < place[target]:
                    number = int(source * 1000 + target)
                    genes.append((number, int(source), int(target), rng.integers(0, 4)))
        nodes.append([*range(shape.inputs, first), *map(int, hidden)])
        links.append(sorted(genes))
    node_count, link_count = sum(map(len, nodes)), sum(map(len, links))
    flat = [gene for genome in links for gene in genome]
    ends = np.array(flat, np.int64).reshape(-1, 4)
    kinds = rng.integers(0, [[len(ACTIVATIONS)], [len(AGGREGATIONS)]], (2, node_count))
    return Genes(
        node_start=np.cumsum([0, *map(len, nodes)]),
        node=np.array([key for genome in nodes for key in genome]),
        bias=rng.normal(size=node_count),
        response=np.ones(node_count) if plain else rng.normal(size=node_count),
        activation=np.full(node_count, 3) if plain else kinds[0],
        aggregation=np.zeros(node_count, int) if plain else kinds[1],
        link_start=np.cumsum([0, *map(len, links)]),
        link=ends[:, 0].copy(),
        source=ends[:, 1].copy(),
        target=ends[:, 2].copy(),
        weight=rng.normal(size=link_count) * 10 ** rng.uniform(-3, 2, link_count),
        status=ends[:, 3].copy(),
        frozen=np.zeros(link_count, int) if plain else rng.integers(0, 2, link_count),
        shape=np.array(shape),
    )


def same(one, other):
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


# --- populations --------------------------------------------------------------------------------


def test_take_and_join_give_the_same_genomes():
    genes = random_genes(1, 7)
    neat.check(genes, SHAPE)
    order = [6, 0, 0, 3]
    taken = neat.take(genes, order)
    neat.check(taken)
    assert neat.count(taken) == 4
    for i, index in enumerate(order):
        assert neat.genome(taken, i) == neat.genome(genes, index)
    parts = [neat.take(genes, [i]) for i in range(7)]
    assert same(neat.join(parts), genes)
    assert neat.count(neat.take(genes, [])) == 0
    with pytest.raises(OptionError, match="cannot be joined"):
        neat.join([genes, random_genes(1, 2, Shape(3, 2))])
    with pytest.raises(OptionError, match="at least one"):
        neat.join([])


def test_complexity_counts_hidden_nodes_and_expressed_links():
    genes = random_genes(2, 9)
    hidden, links = neat.complexity(genes)
    for i in range(9):
        genome = neat.genome(genes, i)
        assert hidden[i] == sum(node.key >= 6 for node in genome.nodes)
        assert links[i] == sum(link.status in ("live", "split") for link in genome.links)
    assert hidden.dtype == links.dtype == np.int64


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), bias=st.floats(-1e30, 1e30))
def test_json_gives_back_every_bit(seed, bias):
    genes = random_genes(seed, 2)
    genes.bias[0] = bias
    value = neat.genome(genes, 1)
    data = neat.genome(genes, 0).to_json()
    assert same(neat.from_json(data), neat.take(genes, [0]))
    assert same(neat.from_json(json.dumps(value.to_json())), neat.take(genes, [1]))
    assert neat.genome(neat.from_json(value.to_json()), 0) == value
    assert hash(value) == hash(neat.genome(genes, 1))


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda d: d.update(kind="graph"), "genome.kind is 'graph'; it must be 'neat'"),
        (lambda d: d.update(version=2), "genome.version is 2; it must be 1"),
        (lambda d: d.pop("inputs"), "genome.inputs is missing"),
        (lambda d: d["nodes"].append(3), "genome.nodes.* is 3; it must be a table"),
        (
            lambda d: d["nodes"][0].update(bias="x"),
            "genome.nodes.0.bias is 'x'; it must be a number",
        ),
        (
            lambda d: d["nodes"][0].update(bias=float("nan")),
            "genome.nodes.0.bias is nan; it must be a finite number",
        ),
        (lambda d: d["nodes"][0].update(activation="sgmoid"), "did you mean sigmoid"),
        (lambda d: d["links"][0].update(status="alive"), "status is 'alive'; it must be 'live'"),
        (lambda d: d["links"][0].update(frozen=7), "true or false"),
        (
            lambda d: d["links"][0].update(source=2**40),
            "source is 1,099,511,627,776; it must be less than",
        ),
        (lambda d: d["links"][0].update(target=0), "leads to an input"),
        (lambda d: d["nodes"].pop(0), "lacks the node of an output"),
        (lambda d: d.update(outputs=0), "one or more inputs and outputs"),
    ],
)
def test_wrong_json_is_named(change, words):
    data = neat.genome(random_genes(3, 1, plain=True), 0).to_json()
    change(data)
    with pytest.raises((PartError, OptionError), match=words):
        neat.from_json(data)
    with pytest.raises(PartError, match="must be JSON"):
        neat.from_json("{")


# --- what is valid ------------------------------------------------------------------------------


def set_cell(name, cell, value):
    def change(genes):
        getattr(genes, name)[cell] = value

    return change


def swap(name, *cells):
    def change(genes):
        column = getattr(genes, name)
        column[list(cells)] = column[list(cells)[::-1]]

    return change


def valid():
    """Return two genomes of 2 inputs and 1 output with a chain of two hidden nodes each."""
    links = [(0, 2, LIVE), (0, 3, LIVE), (3, 4, DISABLED), (4, 2, SPLIT), (4, 3, DEAD)]
    one = Genes(
        node_start=np.array([0, 3]),
        node=np.array([2, 3, 4]),
        bias=np.zeros(3),
        response=np.ones(3),
        activation=np.zeros(3, int),
        aggregation=np.zeros(3, int),
        link_start=np.array([0, 5]),
        link=np.array([0, 2, 3, 4, 9]),
        source=np.array([source for source, _, _ in links]),
        target=np.array([target for _, target, _ in links]),
        weight=np.ones(5),
        status=np.array([status for _, _, status in links]),
        frozen=np.zeros(5, int),
        shape=np.array([2, 1]),
    )
    return neat.join([one, one])


@pytest.mark.parametrize(
    "change, words",
    [
        (set_cell("node", 4, 4), "keys that do not ascend"),
        (set_cell("node", 3, 1), "lacks the node of an output"),
        (set_cell("link", 6, 3), "numbers that do not ascend"),
        (set_cell("link", 5, -1), "negative number"),
        (set_cell("source", 5, 7), "from an unknown node"),
        (set_cell("source", 5, -2), "from an unknown node"),
        (set_cell("target", 5, 7), "to an unknown node"),
        (set_cell("target", 5, 1), "leads to an input"),
        (set_cell("target", 6, 2), "two links with the same ends"),
        (set_cell("status", 9, DISABLED), "in a cycle"),
        (set_cell("status", 9, LIVE), "in a cycle"),
        (set_cell("source", 8, 2), "leaves an output"),
        (set_cell("status", 5, 4), "unknown status"),
        (set_cell("frozen", 5, 2), "unknown status"),
        (set_cell("weight", 5, np.nan), "weight that is not finite"),
        (set_cell("weight", 5, 1e39), "weight that is not finite"),
        (set_cell("bias", 3, np.inf), "number that is not finite"),
        (set_cell("response", 3, np.inf), "number that is not finite"),
        (set_cell("activation", 3, 99), "unknown activation"),
        (set_cell("aggregation", 3, -1), "unknown activation"),
    ],
)
def test_wrong_genomes_are_named(change, words):
    genes = valid()
    neat.check(genes, Shape(2, 1))
    change(genes)
    with pytest.raises(PartError, match=f"genome 1 has .*{words}|genome 1 {words}"):
        neat.check(genes)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"node_start": np.array([0, 3, 5])}, "do not fit"),
        ({"link_start": np.array([0, 11, 10])}, "must not fall"),
        ({"link_start": np.array([0, 10])}, "do not fit"),
        ({"bias": np.zeros(5)}, "5 cells of bias"),
        ({"shape": np.array([2, 4])}, "lacks the node of an output"),
    ],
)
def test_wrong_arrays_are_named(change, words):
    with pytest.raises(PartError, match=words):
        neat.check(valid()._replace(**change))
    with pytest.raises(PartError, match="3 and 1 are wanted"):
        neat.check(valid(), Shape(3, 1))


# --- paper A's line -----------------------------------------------------------------------------

CHOICE = neat.Settings(hidden="unilateral", output="bilateral")
WIDTHS = Widths(species=2, genome=3, bias=5, node=2, link=3, weight=6)


def changed(value, **fields):
    return value.model_copy(update=fields)


def paper_genome():
    genome = neat.genome(valid(), 0)
    nodes = tuple(
        changed(node, activation="bilateral" if node.key == 2 else "unilateral", bias=bias)
        for node, bias in zip(genome.nodes, (0.25, -1.5, 12.3456), strict=True)
    )
    links = tuple(
        changed(gene, weight=weight)
        for gene, weight in zip(genome.links, (0.5, -0.125, 3.14159, 0.0, -9.99996), strict=True)
    )
    return changed(genome, nodes=nodes, links=links)


def test_the_line_is_that_of_the_paper():
    line = neat_text.write(paper_genome(), 7, 42, CHOICE, WIDTHS)
    nodes = "07" + "042" + "+0.25" + "03" + "-1.50" + "04" + "+12.3"
    links = (
        ("000", "00", "02", "+0.500", "0"),
        ("002", "00", "03", "-0.125", "0"),
        ("003", "03", "04", "+3.142", "3"),
        ("004", "04", "02", "+0.000", "1"),
        ("009", "04", "03", "-10.00", "2"),
    )
    assert line == nodes + ":" + "".join("".join(fields) for fields in links)
    entry = neat_text.read(line + "\n", Shape(2, 1), CHOICE, WIDTHS)
    assert (entry.species, entry.number) == (7, 42)
    back = neat.genome(entry.genes, 0)
    assert [node.key for node in back.nodes] == [2, 3, 4]
    assert [node.bias for node in back.nodes] == [0.25, -1.5, 12.3]
    assert [gene.weight for gene in back.links] == [0.5, -0.125, 3.142, 0.0, -10.0]
    assert [gene.status for gene in back.links] == ["live", "live", "disabled", "split", "dead"]
    assert neat_text.write(back, 7, 42, CHOICE, WIDTHS) == line


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), width=st.integers(7, 18))
def test_a_line_read_and_written_is_the_same_line(seed, width):
    genes = random_genes(seed, 1, plain=True)
    genes = genes._replace(weight=np.clip(genes.weight, -500, 500))
    widths, chosen = Widths(bias=width, weight=width, link=9), neat.Settings()
    line = neat_text.write(neat.genome(genes, 0), 3, 123, chosen, widths)
    entry = neat_text.read(line, SHAPE, chosen, widths)
    assert neat_text.write(neat.genome(entry.genes, 0), 3, 123, chosen, widths) == line
    assert np.abs(entry.genes.weight - genes.weight).max(initial=0) <= 0.5 * 10.0 ** (5 - width)
    for name in ("node", "link", "source", "target", "status", "node_start", "link_start"):
        assert np.array_equal(getattr(entry.genes, name), getattr(genes, name))


def test_what_does_not_fit_a_line_is_named():
    genome = paper_genome()
    for widths, words in (
        (WIDTHS.model_copy(update={"species": 1}), "species 12 does not fit 1"),
        (WIDTHS.model_copy(update={"weight": 2}), "weight -9.99996 does not fit 2"),
        (WIDTHS.model_copy(update={"bias": 2}), "bias 12.3456 does not fit 2"),
        (WIDTHS.model_copy(update={"node": 0}), "node 3 does not fit 0"),
    ):
        with pytest.raises(OptionError, match=words):
            neat_text.write(genome, 12, 1, CHOICE, widths)
    with pytest.raises(OptionError, match="activation"):
        neat_text.write(genome, 1, 1, neat.Settings(), WIDTHS)
    first, *others = genome.links
    frozen = changed(genome, links=(changed(first, frozen=True), *others))
    with pytest.raises(OptionError, match="frozen"):
        neat_text.write(frozen, 1, 1, CHOICE, WIDTHS)


@pytest.mark.parametrize(
    "line, words",
    [
        ("07042+0.25", "no ':'"),
        ("07042+0.2:", "end within a field"),
        ("0x042+0.25:", "not a whole number"),
        ("0704240.25:", "not a number"),
        ("07042+0.25:0000002+0.5000"[:-1], "end within a field"),
        ("07042+0.25:0000002+0.5004", "it must be 0, 1, 2 or 3"),
        ("07042+0.25:0000009+0.5000", "to an unknown node"),
    ],
)
def test_wrong_lines_are_named(line, words):
    with pytest.raises(PartError, match=words):
        neat_text.read(line, Shape(2, 1), CHOICE, WIDTHS)


# --- expression ---------------------------------------------------------------------------------


def arranged(wiring, inputs, outputs):
    """Return a wiring as a pack by `arrange`, one network after the other."""
    networks = []
    for i in range(len(wiring.node_start) - 1):
        nodes = [
            Node(
                int(wiring.node[j]),
                wiring.bias[j],
                ACTIVATIONS[wiring.activation[j]],
                wiring.bound[j],
                wiring.steepness[j],
                AGGREGATIONS[wiring.aggregation[j]],
                wiring.response[j],
            )
            for j in range(*wiring.node_start[i : i + 2])
        ]
        links = [
            (int(wiring.source[j]), int(wiring.target[j]), wiring.weight[j])
            for j in range(*wiring.link_start[i : i + 2])
            if wiring.live[j]
        ]
        networks.append(arrange(range(inputs), range(inputs, inputs + outputs), nodes, links))
    return graph.pack(networks)


def same_pack(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)) and (
        one.code.dtype == other.code.dtype and one.number.dtype == other.number.dtype
    )


def wiring_of(seed, shape, size=4, most_hidden=8):
    """Return random networks whose links come in any order."""
    rng = np.random.default_rng(seed)
    genes = random_genes(seed, size, shape, most_hidden)
    starts = genes.link_start
    order = np.concatenate(
        [begin + rng.permutation(end - begin) for begin, end in pairwise(starts)]
    ).astype(int)
    nodes = len(genes.node)
    return expressing.Wiring(
        genes.node_start,
        genes.node,
        genes.bias,
        genes.response,
        genes.activation,
        genes.aggregation,
        rng.uniform(0.5, 2.0, nodes),
        rng.uniform(0.5, 5.0, nodes),
        starts,
        genes.source[order],
        genes.target[order],
        genes.weight[order],
        (genes.status <= SPLIT)[order],
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    shape=st.sampled_from([Shape(4, 2), Shape(1, 1), Shape(3, 5), Shape(30, 1)]),
)
def test_expression_is_that_of_arrange_bit_for_bit(seed, shape):
    wiring = wiring_of(seed, shape)
    assert same_pack(expressing.express(wiring, *shape), arranged(wiring, *shape))


def test_long_rows_in_any_order_are_sorted():
    rng, inputs = np.random.default_rng(3), 150
    links = [(i, j) for i in range(inputs) for j in (150, 151, 152)] + [(152, 150), (152, 151)]
    ends = rng.permutation(np.array(links))
    ones, zeros = np.ones(3), np.zeros(3, int)
    wiring = expressing.Wiring(
        *(np.array([0, 3]), np.array([150, 151, 152]), ones, ones, zeros, zeros, ones, ones),
        *(np.array([0, len(links)]), ends[:, 0], ends[:, 1]),
        rng.normal(size=len(links)),
        rng.random(len(links)) < 0.9,
    )
    assert same_pack(expressing.express(wiring, inputs, 2), arranged(wiring, inputs, 2))


def test_uncompiled_expression_is_the_compiled(monkeypatch):
    wiring, shape = wiring_of(8, Shape(30, 2), 3), Shape(30, 2)
    compiled = expressing.express(wiring, *shape)
    kernel = link(expressing.express_all, target="python")
    monkeypatch.setattr(expressing, "linked", lambda root: kernel)
    assert same_pack(expressing.express(wiring, *shape), compiled)


def test_genomes_are_expressed_with_their_settings():
    genes = random_genes(5, 6)
    chosen = neat.Settings(
        hidden_bound=2.0, hidden_steepness=3.0, output_bound=4.0, output_steepness=5.0
    )
    hidden = genes.node >= 6
    wiring = expressing.Wiring(
        *genes[:6],
        np.where(hidden, 2.0, 4.0),
        np.where(hidden, 3.0, 5.0),
        genes.link_start,
        genes.source,
        genes.target,
        genes.weight,
        np.isin(genes.status, (LIVE, SPLIT)),
    )
    assert same_pack(neat.express(genes, chosen), arranged(wiring, *SHAPE))


def test_cycles_are_refused_only_where_an_output_depends_on_them():
    genes = valid()
    genes.status[5:] = LIVE
    with pytest.raises(OptionError, match="cycle in network 1"):
        neat.express(genes, neat.Settings())
    genes.status[8] = DEAD  # the only way from the cycle to the output
    pack = neat.express(genes, neat.Settings())
    assert pack.code[pack.first[1] + 1] == 1
    with pytest.raises(OptionError, match="at least one network"):
        neat.express(neat.take(genes, []), neat.Settings())


def test_scratch_is_enough_for_the_largest_and_for_medians():
    for seed in range(20):
        wiring = wiring_of(seed, SHAPE, 6)
        pack = expressing.express(wiring, *SHAPE)
        sizes = []
        for i in range(6):
            network = graph.unpack(pack, i)
            rows = np.diff(network.start)
            medians = [
                n for n, kind in zip(rows, network.aggregation, strict=True) if kind == "median"
            ]
            sizes.append(network.inputs + network.nodes + max(medians, default=0))
        assert graph.scratch_size(pack) == max(sizes)
