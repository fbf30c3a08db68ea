"""Layered genomes, their mutations and generations, each against what paper B says of them."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrange import Node, arrange
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule, circular
from evoboard.core.errors import EvoboardError, OptionError, PartError
from evoboard.core.link import link
from evoboard.core.settings import read
from evoboard.evolution.base import (
    ELITE,
    KEPT,
    MUTANT,
    NEW,
    PERSISTENT,
    Evidence,
    Shape,
    make_strategy,
)
from evoboard.evolution.genomes import layered
from evoboard.evolution.operators import composition, layered_mutation
from evoboard.evolution.strategies import layered as layered_strategy
from evoboard.networks import graph
from evoboard.players.setup import Setup

VALUES = ("change_weight", "change_bias", "shift_weight", "shift_bias")
KINDS = (*VALUES, "add_edge", "add_node")
OFF = dict.fromkeys(KINDS, 0.0)


def beginners(count=1, inputs=3, outputs=2, seed=0):
    rng = np.random.default_rng(seed)
    return layered_strategy.begin(layered_strategy.Start(), count, inputs, outputs, rng)


def mutated(genes, steps, seed=1, **weights):
    chosen = layered_mutation.Settings(**(OFF | weights if weights else {}), most=1)
    everybody = np.arange(layered.count(genes))
    counts = np.full(len(everybody), steps)
    return layered_mutation.mutate(genes, everybody, counts, chosen, seed)


def grown(count=1, steps=30, seed=3):
    return mutated(beginners(count), steps, seed)


def copies(genes, count):
    return layered.take(genes, np.zeros(count, np.int64))


def layer_of(one, key):
    return 0 if key < one.inputs else one.nodes[key - one.inputs][0]


def layer_sizes(one):
    """The number of nodes in every layer: inputs, hidden layers, outputs."""
    return (one.inputs, *np.bincount([layer for layer, _ in one.nodes])[1:].tolist())


def values_of(one, inputs):
    """Layer by layer, as the paper describes it, in float64."""
    values = dict(enumerate(inputs))
    order = sorted(range(len(one.nodes)), key=lambda node: one.nodes[node][0])
    for node in order:
        key = one.inputs + node
        total = one.nodes[node][1] + sum(w * values[s] for s, t, w in one.edges if t == key)
        values[key] = total if total > 0 else math.exp(total) - 1
    return [values[one.inputs + i] for i in range(one.outputs)]


def forward_rows(network, rows, values, outputs):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            values[j] = rows[i, j]
        graph_forward_all(network, values, outputs[i])


graph_forward_all = graph.forward_all


@functools.cache
def linked_forward():
    return link(forward_rows)


def network_outputs(pack, index, rows):
    outputs = np.zeros((len(rows), pack.outputs), np.float32)
    values = np.zeros(graph.scratch_size(pack), np.float32)
    rows = np.asarray(rows, np.float32)
    linked_forward()(graph.member(pack, index), rows, values, outputs)
    return outputs


# Genomes


def test_a_new_network_links_every_input_to_every_output():
    genes = beginners(200, 3, 2)
    layered.check(genes)
    one = layered.genome(genes, 7)
    assert layer_sizes(one) == (3, 2)
    assert {edge[:2] for edge in one.edges} == {(i, 3 + o) for i in range(3) for o in range(2)}
    for numbers in (genes.bias, genes.weight):
        assert -1 <= numbers.min() < -0.95
        assert 0.95 < numbers.max() <= 1
        assert abs(numbers.mean()) < 0.1
        assert abs(numbers.std() - 1 / math.sqrt(3)) < 0.05


def test_networks_compute_what_their_layers_say():
    genes = grown(40)
    pack = layered.express(genes, layered.Settings())
    rows = np.random.default_rng(5).normal(size=(6, 3)) * 3
    for index in range(40):
        one = layered.genome(genes, index)
        expected = [values_of(one, row) for row in rows.astype(np.float32).astype(float)]
        assert np.allclose(network_outputs(pack, index, rows), expected, rtol=1e-4, atol=1e-4)


def test_networks_are_those_of_their_nodes_and_edges():
    genes = grown(25)
    made = []
    for index in range(25):
        one = layered.genome(genes, index)
        nodes = [Node(3 + k, bias, "elu") for k, (_, bias) in enumerate(one.nodes)]
        made.append(arrange(range(3), range(3, 5), nodes, one.edges))
    pack = layered.express(genes, layered.Settings())
    for mine, theirs in zip(pack, graph.pack(made), strict=True):
        assert np.array_equal(mine, theirs)


def test_the_activation_is_a_setting_of_all_nodes():
    genes = grown(3)
    pack = layered.express(genes, layered.Settings(activation="tanh", bound=0.5))
    rows = np.full((1, 3), 50.0)
    assert all(np.abs(network_outputs(pack, i, rows)).max() <= 0.5 for i in range(3))
    with pytest.raises(OptionError, match=r"strategy.genome.activation: .*did you mean log or elu"):
        make_strategy("layered", {"genome": {"activation": "elo"}}, Shape(1, 1), 0)


def test_take_and_join_are_each_others_inverse():
    genes = grown(9)
    order = np.array([4, 0, 8, 8])
    some = layered.take(genes, order)
    assert [layered.genome(some, i) for i in range(4)] == [layered.genome(genes, i) for i in order]
    parts = [layered.take(genes, np.array(part, int)) for part in ([0, 1], [], range(2, 9))]
    for mine, theirs in zip(layered.join(parts), genes, strict=True):
        assert np.array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype
    with pytest.raises(OptionError, match="different"):
        layered.join([genes, beginners(1, 2, 2)])


def test_complexity_counts_hidden_nodes_layers_and_edges():
    genes = grown(30)
    nodes, edges = layered.complexity(genes)
    layers = layered.hidden_layers(genes)
    for index in range(30):
        one = layered.genome(genes, index)
        assert sum(layer_sizes(one)[1:-1]) == nodes[index] == len(one.nodes) - 2
        assert len(layer_sizes(one)) - 2 == layers[index]
        assert len(one.edges) == edges[index]
        assert layer_sizes(one)[0] == 3
        assert layer_sizes(one)[-1] == 2
    assert nodes.max() > 3
    assert layers.max() > 2


def test_a_genome_comes_back_exactly_from_its_json():
    genes = grown(5)
    for index in range(5):
        data = json.loads(json.dumps(layered.genome(genes, index).to_json()))
        back, same = layered.from_json(data), layered.take(genes, np.array([index]))
        for mine, theirs in zip(back, same, strict=True):
            assert np.array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "neat"}, "genome.kind is 'neat'; it must be 'layered'"),
        ({"version": 2}, "genome.version is 2; it must be 1"),
        ({"nodes": [[1, 0.0]]}, "1 nodes for 2 outputs"),
        ({"nodes": [[2, 0.0], [2, 0.0]]}, "none of them empty"),
        ({"nodes": [[1, 0.0], [1, 0.0], [1, 0.0]]}, "not alone in the last layer"),
        ({"nodes": [[1, "x"], [1, 0.0]]}, "genome.nodes.0.1 is 'x'; it must be a number"),
        ({"nodes": [[1, float("nan")], [1, 0.0]]}, "it must be a finite number"),
        ({"edges": [[0, 9, 1.0]]}, "an end that is not a node"),
        ({"edges": [[0, 1, 1.0]]}, "leads to an input"),
        ({"edges": [[3, 4, 1.0]]}, "does not lead to a later layer"),
        ({"edges": [[0, 3, 1.0], [0, 3, 2.0]]}, "the same ends"),
        ({"colour": 1}, "no setting of genome named 'colour'"),
    ],
)
def test_a_damaged_genome_is_refused_in_one_sentence(change, words):
    data = layered.genome(beginners(), 0).to_json() | change
    with pytest.raises(EvoboardError) as caught:
        layered.from_json(data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_check_finds_numbers_that_are_none():
    genes = beginners(3)
    genes.weight[-1] = math.inf
    with pytest.raises(PartError, match=r"genome 2 is not valid: .* not a finite number"):
        layered.check(genes)


# Mutations


@given(seed=st.integers(1, 2**62), steps=st.integers(0, 60), inputs=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_mutations_leave_valid_genomes_and_their_parents_alone(seed, steps, inputs):
    genes = beginners(3, inputs, 2)
    before = [column.copy() for column in genes]
    children = mutated(genes, steps, seed)
    layered.check(children)
    assert layered.count(children) == 3
    assert all(np.array_equal(a, b) for a, b in zip(before, genes, strict=True))


@pytest.mark.parametrize("target", ["checked", "python"])
def test_mutations_are_the_same_on_every_target(target, monkeypatch):
    expected = mutated(grown(20), 5, 77)
    linked = link(layered_mutation.mutate_all, target=target)
    monkeypatch.setattr(layered_mutation, "linked", lambda root: linked)
    for mine, theirs in zip(mutated(grown(20), 5, 77), expected, strict=True):
        assert np.array_equal(mine, theirs)


def test_the_child_of_a_parent_does_not_depend_on_the_others():
    genes, chosen = grown(6), layered_mutation.Settings(most=9)
    all_of_them = layered_mutation.mutate(genes, [3, 1, 5], [9, 0, 4], chosen, 8)
    only_two = layered_mutation.mutate(genes, [3, 2], [9, 9], chosen, 8)
    assert layered.genome(all_of_them, 0) == layered.genome(only_two, 0)
    assert layered.genome(all_of_them, 1) == layered.genome(genes, 1)


@pytest.mark.parametrize("kind", VALUES)
def test_one_number_changes_and_as_the_paper_says(kind):
    parent = grown()
    children = mutated(copies(parent, 6000), 1, **{kind: 1.0})
    for name in ("layer", "source", "target"):
        expected = np.tile(getattr(parent, name), 6000)
        assert np.array_equal(getattr(children, name), expected)
    column, other = ("weight", "bias") if "weight" in kind else ("bias", "weight")
    assert np.array_equal(getattr(children, other), np.tile(getattr(parent, other), 6000))
    rows = getattr(children, column).reshape(6000, -1)
    moved = rows != getattr(parent, column)
    assert (moved.sum(axis=1) == 1).all()
    # Every number is as likely as another.
    expected = 6000 / rows.shape[1]
    assert ((moved.sum(axis=0) - expected) ** 2 / expected).sum() < 3 * rows.shape[1] + 20
    if "change" in kind:
        spread = 2 * np.arange(1, 6000, 2) / 6000 - 1
        assert np.abs(np.sort(rows[moved])[::2] - spread).max() < 0.03
    else:
        step = (rows - getattr(parent, column))[moved]
        assert abs((step > 0).mean() - 0.5) < 0.03
        # |step| = u², so its root is uniform.
        assert np.abs(np.sort(np.sqrt(np.abs(step))) - np.arange(6000) / 6000).max() < 0.03


def test_a_new_edge_may_be_any_that_there_is_not():
    parent = grown(steps=14, seed=9)
    one = layered.genome(parent, 0)
    keys = range(one.inputs + len(one.nodes))
    linked = {edge[:2] for edge in one.edges}
    free = {
        (a, b)
        for a in keys
        for b in keys
        if layer_of(one, a) < layer_of(one, b) and (a, b) not in linked
    }
    assert len(free) > 5
    children = mutated(copies(parent, 300 * len(free)), 1, add_edge=1.0)
    found = Counter()
    for index in range(layered.count(children)):
        child = layered.genome(children, index)
        assert child.nodes == one.nodes
        assert child.edges[:-1] == one.edges
        assert -1 <= child.edges[-1][2] <= 1
        found[child.edges[-1][:2]] += 1
    assert set(found) == free
    chi = sum((n - 300) ** 2 / 300 for n in found.values())
    assert chi < len(free) + 5 * math.sqrt(2 * len(free))


def test_where_all_are_linked_the_other_mutations_step_in():
    genes = beginners(500)
    children = mutated(genes, 1, add_edge=50.0, change_bias=1.0)
    assert (children.bias.reshape(500, -1) != genes.bias.reshape(500, -1)).any(axis=1).all()
    unchanged = mutated(genes, 1, add_edge=1.0)
    assert all(np.array_equal(a, b) for a, b in zip(unchanged, genes, strict=True))
    full = mutated(grown(seed=2), 2000, add_edge=1.0)
    one = layered.genome(full, 0)
    sizes = np.array(layer_sizes(one))
    assert len(one.edges) == (sizes.sum() ** 2 - (sizes**2).sum()) // 2


def test_a_node_on_an_edge_between_neighbours_makes_a_layer():
    genes = beginners(400, 2, 1)
    children = mutated(genes, 1, add_node=1.0)
    split = Counter()
    for index in range(400):
        one, parent = layered.genome(children, index), layered.genome(genes, index)
        assert layer_sizes(one) == (2, 1, 1)
        assert [layer for layer, _ in one.nodes] == [2, 1]
        gone = [edge for edge in parent.edges if edge not in one.edges]
        made = [edge for edge in one.edges if edge not in parent.edges]
        assert len(gone) == 1
        assert {edge[:2] for edge in made} == {(gone[0][0], 3), (3, 2)}
        assert all(-1 <= edge[2] <= 1 and edge[2] != gone[0][2] for edge in made)
        split[gone[0][:2]] += 1
    assert all(140 < times < 260 for times in split.values())
    assert len(split) == 2
    assert len(set(children.bias[1::2])) == 400
    assert np.abs(children.bias).max() <= 1


def test_a_node_on_a_long_edge_takes_any_layer_between():
    data = layered.genome(beginners(1, 1, 1), 0).to_json()
    # A chain through layers 1, 2 and 3, and one edge from the input to the output in layer 4.
    data["nodes"] = [[4, 0.1], [1, 0.2], [2, 0.3], [3, 0.4]]
    data["edges"] = [[0, 2, 1.0], [2, 3, 1.0], [3, 4, 1.0], [4, 1, 1.0], [0, 1, 0.5]]
    parent = layered.from_json(data)
    children = mutated(copies(parent, 5000), 1, add_node=1.0)
    where = Counter()
    for index in range(5000):
        one = layered.genome(children, index)
        old = [layer for layer, _ in one.nodes[:-1]]
        if (0, 1, 0.5) not in one.edges:
            assert old == [4, 1, 2, 3]
            where["between", one.nodes[-1][0]] += 1
        else:
            # The edge from layer k to k + 1 has made room for a layer k + 1.
            new = one.nodes[-1][0]
            assert old == [5, *(layer + (layer >= new) for layer in (1, 2, 3))]
            where["new", new] += 1
    assert set(where) == {*(("between", i) for i in (1, 2, 3)), *(("new", i) for i in range(1, 5))}
    assert all(270 < where["between", i] < 400 for i in (1, 2, 3))
    assert all(880 < where["new", i] < 1120 for i in range(1, 5))


def test_mutations_are_chosen_by_weight():
    weights = dict(zip(KINDS, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))
    parent = grown(steps=14, seed=9)
    children = mutated(copies(parent, 8400), 1, **weights)
    old, found = layered.genome(parent, 0), Counter()
    for index in range(8400):
        one = layered.genome(children, index)
        if len(one.nodes) > len(old.nodes):
            found["add_node"] += 1
        elif len(one.edges) > len(old.edges):
            found["add_edge"] += 1
        else:
            found["weight" if one.nodes == old.nodes else "bias"] += 1
    expected = {"weight": 4, "bias": 6, "add_edge": 5, "add_node": 6}
    for kind, weight in expected.items():
        assert abs(found[kind] - 400 * weight) < 4.5 * math.sqrt(400 * weight)


def test_the_number_of_mutations_is_between_its_bounds():
    rng = np.random.default_rng(4)
    counts = layered_mutation.draw_counts(layered_mutation.Settings(fewest=2, most=5), 4000, rng)
    assert np.abs(np.bincount(counts, minlength=6) - [0, 0, 1000, 1000, 1000, 1000]).max() < 130


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"fewest": 3, "most": 2}, "fewest is 3 and most is 2"),
        (OFF, "no mutation has a weight above 0"),
        ({"add_node": -1}, "add_node is -1; it must be at least 0"),
        ({"ad_node": 1}, "no setting of mutation named 'ad_node'; did you mean add_node"),
    ],
)
def test_wrong_mutation_settings_are_refused_in_one_sentence(given_, words):
    with pytest.raises(OptionError) as caught:
        read(layered_mutation.Settings, given_, "mutation")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# Generations


def test_the_chance_to_be_drawn_is_a_power_of_fitness():
    fitness = np.array([0.0, 1.0, 2.0, 5.0])
    for exponent in (0.5, 1.0, 2.0):
        power = [f**exponent for f in fitness]
        expected = np.array(power) / sum(power)
        assert np.allclose(composition.chances(fitness, exponent), expected)
    assert composition.chances(np.zeros(4), 2.0).tolist() == [0.25] * 4
    assert np.allclose(composition.chances(np.array([-2.0, 0.0, 2.0]), 1), [0, 1 / 3, 2 / 3])
    assert composition.chances(np.full(3, -1.0), 1).tolist() == [1 / 3] * 3
    assert composition.chances(np.array([1e300, 1e200]), 100).tolist() == [1.0, 0.0]


@given(
    shares=st.tuples(*[st.floats(0, 1)] * 4).filter(lambda s: sum(s) <= 1),
    size=st.integers(1, 60),
    seed=st.integers(0, 999),
)
@settings(max_examples=80, deadline=None)
def test_a_generation_has_exactly_its_size(shares, size, seed):
    rng = np.random.default_rng(seed)
    fitness = rng.integers(0, 4, size).astype(float)
    names = ("best", "random_old", "new", "old_best")
    chosen = composition.Settings(**dict(zip(names, shares, strict=True)))
    parts = composition.compose(fitness, size, 3, chosen, rng)
    counts = [len(parts.best), len(parts.random_old), parts.new, len(parts.old_best)]
    assert sum(counts) + len(parts.drawn) == size
    assert set(parts.old_best) <= {0, 1, 2}
    assert all(-1e-6 < s * size - n < 1 + 1e-6 for s, n in zip(shares, counts, strict=True))
    assert fitness[parts.best].sum() == np.sort(fitness)[::-1][: len(parts.best)].sum()
    if fitness.any():
        assert (fitness[parts.drawn] > 0).all()


def test_a_share_is_not_lost_to_rounding():
    rng = np.random.default_rng(0)
    parts = composition.compose(np.ones(100), 100, 0, composition.Settings(best=0.29), rng)
    assert len(parts.best) == 29
    with pytest.raises(OptionError, match="add up to more than 1"):
        read(composition.Settings, {"best": 0.5, "new": 0.6}, "selection")


def test_who_is_drawn_follows_fitness_and_random_old_do_not():
    fitness = np.array([1.0, 3.0, 6.0, 0.0])
    chosen = composition.Settings(random_old=0.5)
    parts = composition.compose(fitness, 20_000, 0, chosen, np.random.default_rng(1))
    assert np.allclose(np.bincount(parts.drawn, minlength=4) / 10_000, fitness / 10, atol=0.02)
    assert np.allclose(np.bincount(parts.random_old) / 10_000, 0.25, atol=0.02)


SHARES = {"best": 0.15, "random_old": 0.15, "new": 0.15, "exponent": 2}


def test_a_generation_is_the_best_then_the_drawn_then_the_old_then_the_new():
    strategy = make_strategy(
        "layered", {"selection": SHARES, "mutation": {"most": 2}}, Shape(2, 1), 3
    )
    old, champions, fresh = strategy.ask(), set(), set()
    for generation in range(6):
        fitness = np.random.default_rng(generation).integers(0, 30, 100).astype(float)
        champions.add(old.ids[fitness.argmax()])
        strategy.tell(Evidence(fitness))
        new = strategy.ask()
        layered.check(new.genes)
        best = np.argsort(-fitness, kind="stable")[:15]
        assert new.ids[:15].tolist() == old.ids[best].tolist()
        assert (new.origin[85:] == NEW).all()
        assert (new.parents[85:] == -1).all()
        assert set(new.origin[15:85]) <= {KEPT, MUTANT, PERSISTENT}
        place = {int(id_): i for i, id_ in enumerate(old.ids)}
        for i in range(85):
            stays = int(new.ids[i]) in place
            parent = int(new.ids[i] if stays else new.parents[i, 0])
            same = layered.genome(new.genes, i) == layered.genome(old.genes, place[parent])
            assert same == (new.origin[i] != MUTANT)
            assert same or not stays
            if stays:
                ever = new.ids[i] in champions
                assert new.origin[i] == (PERSISTENT if ever else ELITE if i < 15 else KEPT)
        fresh |= {layered.genome(new.genes, i) for i in range(85, 100)}
        assert len(fresh) == 15 * (generation + 1)
        assert MUTANT in new.origin
        assert PERSISTENT in new.origin
        old = new


def test_old_best_are_champions_of_all_generations_mutated():
    chosen = {"selection": {"old_best": 0.5}, "mutation": {"fewest": 1, "most": 2}}
    strategy = make_strategy("layered", chosen, Shape(2, 1), 3)
    old, champions, ages = strategy.ask(), {}, set()
    for generation in range(12):
        fitness = np.random.default_rng(generation).random(100)
        champions[int(old.ids[fitness.argmax()])] = generation
        strategy.tell(Evidence(fitness))
        new = strategy.ask()
        parents = [int(parent) for parent in new.parents[50:, 0]]
        assert set(parents) <= set(champions)
        assert (new.origin[50:] == MUTANT).all()
        assert not set(new.ids[50:].tolist()) & set(old.ids.tolist())
        assert not set(new.parents[:50, 0].tolist()) - set(old.ids.tolist())
        ages |= {generation - champions[parent] for parent in parents}
        again = make_strategy("layered", chosen, Shape(2, 1), 3)
        again.restore(strategy.state())
        strategy, old = again, again.ask()
    assert ages == set(range(12))  # the oldest are as welcome as the latest


def test_champions_kept_stay_few_and_evenly_spread():
    chosen = {"population": 4, "selection": {"old_best": 0.25}}
    strategy = make_strategy("layered", chosen, Shape(1, 1), 1)
    for _ in range(200):
        strategy.ask()
        strategy.tell(Evidence(np.arange(4.0)))
        assert len(strategy.champion_ids) <= 64
    assert strategy.spacing == 4
    assert len(strategy.champion_ids) == 50
    assert layered.count(strategy.champions) == 50


def test_nobody_having_won_is_no_trouble():
    strategy = make_strategy("layered", {"population": 20}, Shape(2, 1), 0)
    for _ in range(3):
        strategy.ask()
        strategy.tell(Evidence(np.zeros(20)))
    assert strategy.ask().size == 20


def test_facts_tell_how_complex_the_networks_are():
    strategy = make_strategy("layered", {"population": 30, "mutation": {"most": 9}}, Shape(2, 1), 0)
    assert strategy.facts() == {"hidden_layers": 0.0, "nodes_per_hidden_layer": 0.0}
    for _ in range(4):
        strategy.ask()
        strategy.tell(Evidence(np.ones(30)))
    sizes = [layer_sizes(layered.genome(strategy.ask().genes, i))[1:-1] for i in range(30)]
    facts = strategy.facts()
    assert facts["hidden_layers"] == sum(map(len, sizes)) / 30 > 0.5
    assert facts["nodes_per_hidden_layer"] == sum(map(sum, sizes)) / sum(map(len, sizes))


@pytest.mark.parametrize("seed", [1, 4])
def test_simple_nim_is_learnt(seed):
    """Stack 1 to 8, test 2 of the paper: direct outputs, solved; it says not how soon."""
    setup = Setup("nim:heaps=8,random=true", "heaps", search="policy")
    backend = find_backend(threads=1)
    strategy = make_strategy("layered", {"selection": SHARES}, Shape(1, 2), seed)
    starts, rights = np.array([[heap, 0] for heap in range(1, 9)]), []
    for generation in range(30):
        population = strategy.ask()
        pack = strategy.express(population.genes).pack
        half = circular(population.size, 25, seed, generation)
        pairs = np.concatenate([half, half[:, ::-1]])
        heaps = np.tile(np.random.default_rng(generation).integers(0, 8, len(half)), 2)
        schedule = Schedule(pairs, heaps, starts)
        results = backend.play(setup, pack, schedule, generation).table.results
        winners = np.concatenate([pairs[results > 0, 0], pairs[results < 0, 1]])
        fitness = np.bincount(winners, minlength=population.size)
        moves = network_outputs(pack, int(fitness.argmax()), np.arange(2.0, 9.0)[:, None])
        # From heap 0 all matches but one.
        right = np.floor(moves + 0.5) == np.stack([np.zeros(7), np.arange(1, 8)], axis=1)
        rights.append(right.all(axis=1).mean())
        strategy.tell(Evidence(fitness))
    assert rights[0] < 0.5
    assert rights[-5:] == [1.0] * 5
