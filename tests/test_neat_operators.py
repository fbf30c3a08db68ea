"""NEAT's operators against a slow version, and by the laws they must obey."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_neat as naive
from evoboard.core.errors import OptionError, PartError
from evoboard.core.link import link, linked
from evoboard.core.rng import next_random, nth_seed
from evoboard.core.settings import plain, read
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import neat
from evoboard.evolution.genomes.neat import DEAD, DISABLED, LIVE, SPLIT
from evoboard.evolution.mutations import (
    activation,
    add_link,
    add_node,
    aggregation,
    base,
    freeze_link,
    remove_link,
    remove_node,
    toggle_link,
    values,
)
from evoboard.evolution.operators import crossover, neat_breeding, neat_start
from evoboard.evolution.operators.chance import TAIL, normal
from evoboard.evolution.operators.drafts import make_draft
from evoboard.evolution.operators.innovation import STATE, Innovations, record_all
from evoboard.evolution.operators.neat_breeding import (
    ALL,
    COPY,
    VALUES,
    Breeding,
    breed,
    cross,
    mutate,
)

NO_NUMBERS = values.Numbers(chance=0, reset=0)
ALL_NUMBERS = values.Numbers(chance=1, reset=0)
# Three dialects of one algorithm, with chances high enough for a test.
DIALECTS = {
    "paper A": {
        "genome": neat.Settings(hidden="unilateral", output="bilateral", loops="kill"),
        "start": neat_start.Settings(
            weight=neat_start.Draw(kind="uniform", spread=2.0, low=-3, high=3),
            bias=neat_start.Draw(spread=0.0, low=-3, high=3),
        ),
        "mutation": values.Settings(
            chance=1, noise="gaussian", weight=ALL_NUMBERS, bias=ALL_NUMBERS
        ),
        "node": add_node.Settings(chance=0.5, old="split", first_weight=0.7),
        "link": add_link.Settings(chance=0.7, tries=5, bound=1.5),
        "cross": crossover.Settings(values="average", ties="first", dead="fitter"),
    },
    "original": {
        "mutation": values.Settings(),
        "node": add_node.Settings(chance=0.4),
        "link": add_link.Settings(chance=0.6),
        "cross": crossover.Settings(),
        "structure": "instead",
    },
    "paper D": {
        "start": neat_start.Settings(bias=neat_start.Draw(mean=1.0), share=0.7),
        "mutation": values.Settings(
            chance=1,
            noise="gaussian",
            weight=values.Numbers(chance=0.8, reset=0.1, severe=0.3),
            bias=values.Numbers(chance=0.7, reset=0.1),
            response=values.Numbers(chance=0.3, reset=0.2, power=0.1),
        ),
        "activations": activation.Settings(choices=("tanh", "relu", "sin"), chance=0.2),
        "aggregations": aggregation.Settings(choices=("max", "sum"), chance=0.3),
        "toggle": toggle_link.Settings(chance=0.1),
        "freeze": freeze_link.Settings(chance=0.1),
        "node": add_node.Settings(chance=0.5, bias="start"),
        "link": add_link.Settings(chance=0.8),
        "remove": remove_node.Settings(chance=0.2, nodes="any"),
        "unlink": remove_link.Settings(chance=0.3),
        "cross": crossover.Settings(status="inherited"),
        "alternative": True,
    },
    "one, killed, from both": {
        "genome": neat.Settings(loops="kill"),
        "mutation": values.Settings(),
        "node": add_node.Settings(chance=0.5, old="split"),
        "link": add_link.Settings(chance=0.7, tries=2),
        "remove": remove_node.Settings(chance=0.1, nodes="any"),
        "unlink": remove_link.Settings(chance=0.1),
        "cross": crossover.Settings(disabled=0.5, ties="both"),
        "structure": "one",
    },
}


def make_rates(
    shape,
    genome=None,
    *,
    start=None,
    cross=None,
    structure="each",
    alternative=False,
    **chosen,
):
    """Return how children are made; all mutations are listed, but only the chosen ones happen."""
    kinds = {
        "node": "add_node",
        "remove": "remove_node",
        "link": "add_link",
        "enable": "enable_link",
        "unlink": "remove_link",
        "mutation": "values",
        "activations": "activation",
        "aggregations": "aggregation",
        "toggle": "toggle_link",
        "freeze": "freeze_link",
    }
    assert set(chosen) <= set(kinds)
    choices = [
        base.MutationChoice(
            kind=kind, **(dict(plain(chosen[name])) if name in chosen else {"chance": 0.0})
        )
        for name, kind in kinds.items()
    ]
    basis = neat_start.Basis(shape, genome or neat.Settings(), start or neat_start.Settings())
    mutations = base.Mutations(choices, basis, structure, alternative)
    return Breeding(basis, mutations, cross)


def rates_by_kind(breeding):
    """Return what the slow version reads: what each mutation's kernel does, and its chance."""
    mutations = breeding.mutations
    found = {}
    for pairs, rates in (
        (mutations.structural, mutations.rates.structural),
        (mutations.others, mutations.rates.others),
    ):
        for (_, choice), told in zip(pairs, rates, strict=True):
            settings_ = {name: value for name, value in choice.settings if name in ("tries",)}
            cells = {"chance": choice.settings.chance, **settings_, **told._asdict()}
            found[choice.kind] = SimpleNamespace(**cells)
    return SimpleNamespace(
        crossover=breeding.rates.crossover,
        structure=mutations.rates.structure,
        alternative=mutations.alternative,
        **found,
    )


class World:
    """A population that evolves under one dialect."""

    def __init__(self, dialect: str, seed: int, shape: Shape, size: int = 6) -> None:
        self.shape, self.size = shape, size
        self.rates = make_rates(shape, **DIALECTS[dialect])
        self.record = Innovations(shape)
        self.rng = np.random.default_rng(seed)
        self.genes = neat_start.begin(self.rates.basis, size, self.rng)

    def plan(self) -> neat_breeding.BreedingPlan:
        """Return a random plan."""
        rng, size = self.rng, self.size
        return neat_breeding.make_plan(
            rng.integers(0, size, size),
            int(rng.integers(1, 2**62)),
            second=rng.integers(-2, size, size).clip(-1),
            equal=rng.random(size) < 0.5,
            extent=rng.choice([COPY, VALUES, ALL, ALL, ALL], size),
            factor=rng.uniform(0.5, 2.0, size),
        )


def columns(genes):
    """Return genes as lists that can be compared bit for bit."""
    return {name: getattr(genes, name).tolist() for name in genes._fields}


def split_by_genome(genes, name):
    start = genes.node_start if name in neat.NODE_FIELDS else genes.link_start
    return [getattr(genes, name)[begin:end] for begin, end in pairwise(start)]


def statuses_by_link(genes):
    columns_ = (split_by_genome(genes, name) for name in ("link", "status"))
    return [dict(zip(*map(list, cells), strict=True)) for cells in zip(*columns_, strict=True)]


# --- chance -------------------------------------------------------------------------------------


def fill_normals(number, out):
    for i in range(out.shape[0]):
        out[i], number = normal(number)
    return number


def test_normal_numbers_have_the_right_moments_shape_and_tails():
    out = np.empty(1_000_000)
    link(fill_normals)(np.int64(12345), out)
    ones = len(out) ** -0.5
    assert abs(out.mean()) < 4 * ones
    assert abs((out**2).mean() - 1) < 4 * math.sqrt(2) * ones
    assert abs((out**3).mean()) < 4 * math.sqrt(15) * ones
    assert abs((out**4).mean() - 3) < 4 * math.sqrt(96) * ones
    # Kolmogorov-Smirnov: 1.95 is passed by one sample in a thousand.
    cumulated = np.array([0.5 * (1 + math.erf(x / math.sqrt(2))) for x in np.sort(out)[::50]])
    assert np.abs(cumulated - np.arange(0, len(out), 50) / len(out)).max() < 1.95 * ones
    for edge in (0.3, 1.0, 2.0, 3.0, TAIL, 4.0):
        expected = len(out) * math.erfc(edge / math.sqrt(2)) / 2
        for side in (out > edge, out < -edge):
            assert abs(side.sum() - expected) < 4 * math.sqrt(expected) + 1


def test_normal_numbers_are_those_of_plain_python():
    out, luck = np.empty(20_000), naive.Luck(77)
    last = link(fill_normals)(np.int64(77), out)
    assert out.tolist() == [luck.normal() for _ in out]
    assert int(last) & naive.WORD == luck.number
    slow = np.empty(500)
    link(fill_normals, target="python")(np.int64(77), slow)
    assert slow.tolist() == out[:500].tolist()


def test_seeds_of_children_are_those_of_the_core():
    seeds = neat_breeding.child_seeds(99, 50)
    assert seeds.tolist() == [int(nth_seed(99, i)) for i in range(50)]
    assert next_random(seeds[0]) != seeds[1]


# --- breeding -----------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    dialect=st.sampled_from(sorted(DIALECTS)),
    seed=st.integers(0, 10**6),
    shape=st.sampled_from([Shape(3, 1), Shape(2, 2), Shape(1, 1)]),
)
def test_breeding_is_that_of_plain_python(dialect, seed, shape):
    world = World(dialect, seed, shape)
    record = naive.Record(*shape)
    for _ in range(5):
        plan = world.plan()
        expected = naive.breed(
            naive.to_genomes(world.genes), plan, rates_by_kind(world.rates), record
        )
        children = breed(world.genes, plan, world.rates, world.record)
        assert naive.plain(naive.to_genomes(children)) == naive.plain(expected)
        neat.check(children, shape)
        world.genes = children
    state = world.record.state()
    pairs = zip(state["source"].tolist(), state["target"].tolist(), strict=True)
    assert list(pairs) == list(record.links)
    splits = zip(state["split_link"].tolist(), state["split_turn"].tolist(), strict=True)
    assert list(splits) == list(record.nodes)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_compiled_breeding_is_the_uncompiled(dialect):
    results = []
    for target in ("cpu", "python"):
        world = World(dialect, 5, Shape(3, 1), 4)
        bindings = world.rates.mutations.bindings
        world.rates.kernel = link(neat_breeding.breed_all, bindings, target)
        for _ in range(3):
            world.genes = breed(world.genes, world.plan(), world.rates, world.record)
        results.append(columns(world.genes))
    assert results[0] == results[1]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_long_evolution_stays_valid_and_what_is_dead_stays_dead(dialect):
    world = World(dialect, 11, Shape(4, 2), 40)
    numbers: dict[int, tuple[int, int]] = {}
    for _ in range(25):
        plan = world.plan()
        children = breed(world.genes, plan, world.rates, world.record)
        neat.check(children, world.shape)
        neat.express(children, neat.Settings())
        # One number, one pair of ends, in every individual of every generation.
        ends = zip(children.source.tolist(), children.target.tolist(), strict=True)
        for number, pair in zip(children.link.tolist(), ends, strict=True):
            assert numbers.setdefault(number, pair) == pair
        parents, made = statuses_by_link(world.genes), statuses_by_link(children)
        for i, child in enumerate(made):
            first, second = parents[plan.first[i]], parents[plan.second[i]]
            for number, status in child.items():
                dead = first.get(number) == DEAD
                if (
                    plan.second[i] >= 0
                    and number in first
                    and not world.rates.rates.crossover.fitter_dies
                ):
                    dead = dead or second.get(number) == DEAD
                assert status == DEAD or not dead
        world.genes = children
    assert len(set(numbers.values())) == len(numbers)
    assert neat.complexity(world.genes)[0].mean() > 1


def test_a_batch_may_be_split():
    one, two = (World("paper D", 3, Shape(3, 1), 12) for _ in range(2))
    for _ in range(4):
        plan = one.plan()
        two.plan()
        one.genes = breed(one.genes, plan, one.rates, one.record)
        halves = [type(plan)(*(c[part] for c in plan)) for part in (slice(5), slice(5, None))]
        parts = [breed(two.genes, half, two.rates, two.record) for half in halves]
        two.genes = neat.join(parts)
        assert columns(one.genes) == columns(two.genes)
    assert naive.plain(naive.to_genomes(one.genes)) == naive.plain(naive.to_genomes(two.genes))


def test_a_copy_is_a_copy_and_values_leave_structure_alone():
    world = World("paper D", 4, Shape(5, 2), 20)
    genes = mutate(world.genes, world.rates, world.record, 8)
    order = np.arange(20)[::-1]
    plan = neat_breeding.make_plan(order, 5, extent=COPY)
    assert columns(breed(genes, plan, world.rates, world.record)) == columns(
        neat.take(genes, order)
    )
    plan = neat_breeding.make_plan(np.arange(20), 5, extent=VALUES)
    changed = breed(genes, plan, world.rates, world.record)
    for name in ("node_start", "node", "link_start", "link", "source", "target"):
        assert np.array_equal(getattr(changed, name), getattr(genes, name))
    assert (changed.weight != genes.weight).any()
    some = mutate(genes, world.rates, world.record, 9, chosen=[3])
    assert columns(neat.take(some, [0, 19])) == columns(neat.take(genes, [0, 19]))
    assert columns(neat.take(some, [3])) != columns(neat.take(genes, [3]))


def test_arrays_of_any_layout_breed_without_compiling_anew():
    world = World("original", 2, Shape(3, 1), 4)
    gaps = {n: np.repeat(getattr(world.genes, n), 2)[::2] for n in ("weight", "source", "bias")}
    odd = world.genes._replace(**gaps)
    odd.node.flags.writeable = False
    plan = world.plan()
    compiled = len(world.rates.kernel.signatures)
    children = breed(odd, plan, world.rates, world.record)
    assert columns(children) == columns(breed(world.genes, plan, world.rates, world.record))
    assert len(world.rates.kernel.signatures) <= max(compiled, 1)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"first": np.array([0, 9])}, "not among the 2"),
        ({"first": np.array([0, -1])}, "no first parent"),
        ({"second": np.array([-1, 2])}, "not among the 2"),
        ({"seed": np.array([0, 5])}, "seed is 0"),
    ],
)
def test_wrong_plans_are_refused(change, words):
    world = World("original", 1, Shape(3, 1), 2)
    plan = neat_breeding.make_plan([0, 1], 3)._replace(**change)
    with pytest.raises(PartError, match=words):
        breed(world.genes, plan, world.rates, world.record)


def test_genomes_of_another_run_or_shape_are_refused():
    world = World("paper A", 1, Shape(3, 1), 3)
    grown = world.genes
    for _ in range(3):
        grown = breed(grown, world.plan(), world.rates, world.record)
    with pytest.raises(PartError, match="does not know"):
        mutate(grown, world.rates, Innovations(world.shape), 5)
    with pytest.raises(PartError, match="other inputs"):
        mutate(grown, make_rates(Shape(4, 1)), world.record, 5)


# --- innovations --------------------------------------------------------------------------------


def test_a_restored_record_goes_on_alike():
    one = World("original", 7, Shape(3, 1), 30)
    two = World("original", 7, Shape(3, 1), 30)
    for generation in range(12):
        for world in (one, two):
            world.genes = breed(world.genes, world.plan(), world.rates, world.record)
        if generation == 5:
            state = two.record.state()
            two.record = Innovations(two.shape)
            two.record.restore({name: np.array(state[name].tolist()) for name in STATE})
    assert columns(one.genes) == columns(two.genes)
    # More than the room of a new record, so that it has grown on the way.
    assert one.record.links > 64
    assert one.record.next_key == 4 + one.record.nodes


def test_a_record_is_two_dictionaries():
    record, slow = Innovations(Shape(2, 1)), naive.Record(2, 1)
    rng = np.random.default_rng(4)
    # Pairs that share one end, many of them twice, and a table filled to its half.
    many = rng.choice([0, 1, 3], 5000), rng.integers(0, 10**6, 5000)
    pairs = np.array(many)[:, rng.integers(0, 5000, 6000)]
    splits = pairs[:, ::7].copy()
    record.reserve(4000, 900)
    linked(record_all)(record.tables, *pairs, *splits)
    assert 3000 < record.links < 4096
    for source, target in pairs.T.tolist():
        slow.link(source, target)
    for number, turn in splits.T.tolist():
        slow.node(number, turn)
    state = record.state()
    assert list(zip(state["source"], state["target"], strict=True)) == list(slow.links)
    assert list(zip(state["split_link"], state["split_turn"], strict=True)) == list(slow.nodes)


def test_a_damaged_record_is_refused():
    record = Innovations(Shape(2, 1))
    state = record.state()
    with pytest.raises(PartError, match="twice"):
        record.restore({**state, "source": np.zeros(2, int), "target": np.full(2, 2)})
    with pytest.raises(PartError, match="length"):
        record.restore({**state, "source": np.zeros(1, int)})


def test_a_link_split_again_gets_another_node():
    shape = Shape(1, 1)
    record = Innovations(shape)
    rates = make_rates(shape, node=add_node.Settings(chance=1))
    genes = neat_start.begin(rates.basis, 2, np.random.default_rng(1))
    once = mutate(genes, rates, record, 4)
    assert once.node.tolist() == [1, 2, 1, 2]
    assert once.link.tolist() == [0, 1, 2] * 2
    assert once.status.tolist() == [DISABLED, LIVE, LIVE] * 2
    assert record.state()["split_turn"].tolist() == [0]
    again = once._replace(status=np.array([LIVE, DISABLED, DISABLED] * 2))
    twice = mutate(again, rates, record, 5)
    assert twice.node.tolist() == [1, 2, 3, 1, 2, 3]
    assert record.state()["split_link"].tolist() == [0, 0]
    assert record.state()["split_turn"].tolist() == [0, 1]
    assert twice.link.tolist() == [0, 1, 2, 3, 4] * 2


# --- start --------------------------------------------------------------------------------------


def test_the_start_links_as_much_as_asked():
    shape = Shape(10, 3)
    for share, links in ((1.0, 30), (0.0, 0), (0.5, 15)):
        rates = make_rates(shape, start=neat_start.Settings(share=share))
        genes = neat_start.begin(rates.basis, 200, np.random.default_rng(2))
        neat.check(genes, shape)
        assert (np.diff(genes.link_start) == links).all()
        assert (genes.link == (genes.target - 10) * 10 + genes.source).all()
        counts = np.bincount(genes.link, minlength=30)
        assert abs(counts - 200 * share).max() <= (0 if share != 0.5 else 4 * math.sqrt(50))


def test_first_numbers_are_drawn_as_asked_and_kept_in_bounds():
    shape = Shape(50, 2)
    draw = neat_start.Draw(kind="uniform", mean=1.0, spread=2.0, low=-3, high=3)
    bias = neat_start.Draw(mean=-1.0, spread=3.0, low=-2, high=2)
    rates = make_rates(shape, start=neat_start.Settings(weight=draw, bias=bias, frozen=True))
    genes = neat_start.begin(rates.basis, 500, np.random.default_rng(3))
    assert genes.weight.min() >= -1.0
    assert genes.weight.max() <= 3.0
    assert abs(genes.weight.mean() - 1.0) < 0.03
    assert genes.bias.min() == -2.0
    assert genes.bias.max() == 2.0
    assert (genes.response == 1.0).all()
    assert (genes.frozen == 1).all()


# --- values and attributes ----------------------------------------------------------------------


def changes(mutation, weight=0.0, factor=1.0, **more):
    """Return what one mutation makes of 30,000 equal weights, and their biases."""
    shape = Shape(60, 1)
    rates = make_rates(shape, mutation=mutation, **more)
    genes = neat_start.begin(rates.basis, 500, np.random.default_rng(1))
    genes = genes._replace(weight=np.full(30_000, weight), bias=np.zeros(500))
    plan = neat_breeding.make_plan(np.arange(500), 42, extent=VALUES, factor=factor)
    after = breed(genes, plan, rates, Innovations(shape))
    return after.weight, after.bias


def test_paper_a_changes_every_weight_and_bias_within_bounds():
    wide = values.Numbers(chance=1, reset=0)
    mutation = values.Settings(chance=1, power=0.2, noise="gaussian", weight=wide, bias=wide)
    weight, bias = changes(mutation)
    assert (weight != 0).all()
    assert (bias != 0).all()
    assert abs(weight.std() - 0.2) < 0.004
    assert abs(changes(mutation, factor=3.0)[0].std() - 0.6) < 0.012
    bounded = neat_start.Settings(weight=neat_start.Draw(low=-3, high=3))
    weight, _ = changes(mutation, weight=3.0, start=bounded)
    assert weight.max() == 3.0
    assert abs((weight == 3.0).mean() - 0.5) < 0.02


def test_the_original_mutates_four_genomes_of_five_uniformly():
    weight, _ = changes(values.Settings(power=0.5, bias=NO_NUMBERS), weight=20.0)
    touched = (weight.reshape(500, 60) != 20.0).any(axis=1)
    assert abs(touched.mean() - 0.8) < 0.06
    near = weight.reshape(500, 60)[touched]
    perturbed = np.abs(near - 20.0) <= 0.5
    # Nine of ten are moved by at most the power, the tenth is new: far from 20.
    assert abs(perturbed.mean() - 0.9) < 0.01
    assert abs((near[perturbed] - 20.0).std() - 0.5 / math.sqrt(3)) < 0.01
    assert abs(near[~perturbed].std() - 1.0) < 0.05


def test_severe_mutation_has_twice_the_power():
    numbers = values.Numbers(chance=1, reset=0, severe=0.25)
    mutation = values.Settings(chance=1, power=1.0, noise="uniform", weight=numbers)
    weight, _ = changes(mutation)
    # A quarter is uniform in ±2, half of which lies beyond 1.
    assert abs((np.abs(weight) > 1).mean() - 0.125) < 0.01
    assert np.abs(weight).max() <= 2


def test_frozen_weights_never_mutate():
    mutation = DIALECTS["paper A"]["mutation"]
    weight, bias = changes(mutation, start=neat_start.Settings(frozen=True))
    assert (weight == 0).all()
    assert (bias != 0).all()


def test_flags_and_kinds_turn_by_their_chance():
    shape = Shape(40, 1)
    rates = make_rates(
        shape,
        activations=activation.Settings(choices=("sin", "relu"), chance=0.5),
        toggle=toggle_link.Settings(chance=0.2),
        freeze=freeze_link.Settings(chance=0.3),
    )
    genes = neat_start.begin(rates.basis, 500, np.random.default_rng(1))
    genes = genes._replace(status=np.tile(np.arange(4), 5000))
    after = mutate(genes, rates, Innovations(shape), 3)
    for status in (SPLIT, DEAD):
        assert (after.status[genes.status == status] == status).all()
    for status, other in ((LIVE, DISABLED), (DISABLED, LIVE)):
        now = after.status[genes.status == status]
        assert set(now) == {status, other}
        assert abs((now == other).mean() - 0.2) < 0.03
    assert abs(after.frozen.mean() - 0.3) < 0.02
    codes, counts = np.unique(after.activation, return_counts=True)
    assert codes.tolist() == [3, 5, 13]  # sigmoid as it was, relu, sin
    assert abs(counts - [250, 125, 125]).max() < 50


# --- structure ----------------------------------------------------------------------------------


def small(shape, links, hidden=()):
    """Return a genome of live links between keys, numbered as they come, and its record."""
    record = Innovations(shape)
    state = record.state()
    known = list(zip(state["source"].tolist(), state["target"].tolist(), strict=True))
    pairs = [*known, *(pair for pair in links if pair not in known)]
    count = len(hidden)
    record.restore(
        {
            "source": np.array([source for source, _ in pairs]),
            "target": np.array([target for _, target in pairs]),
            "split_link": np.arange(count),
            "split_turn": np.full(count, 5),
        }
    )
    numbers = sorted(pairs.index(pair) for pair in links)
    nodes = [*range(shape.inputs, sum(shape)), *hidden]
    zeros = np.zeros(len(nodes))
    ends = np.array([pairs[number] for number in numbers], int).reshape(-1, 2)
    return neat.Genes(
        node_start=np.array([0, len(nodes)]),
        node=np.array(nodes),
        bias=zeros,
        response=zeros + 1,
        activation=zeros.astype(int),
        aggregation=zeros.astype(int),
        link_start=np.array([0, len(numbers)]),
        link=np.array(numbers, int),
        source=ends[:, 0],
        target=ends[:, 1],
        weight=np.ones(len(numbers)),
        status=np.zeros(len(numbers), int),
        frozen=np.zeros(len(numbers), int),
        shape=np.array(shape),
    ), record


FEW = [(0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (0, 5), (1, 5), (2, 5), (4, 5), (5, 3)]
CASES = {
    "many pairs": ([(0, 3), (1, 3), (0, 4), (4, 3)], (4, 5)),
    "few pairs": (FEW, (4, 5)),
    "few pairs, one dead": (FEW, (4, 5)),
    "a chain": ([(0, 4), (4, 5), (5, 6), (6, 3)], (4, 5, 6)),
}


@pytest.mark.parametrize("loops", ["refuse", "kill"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_every_fitting_pair_is_linked_equally_often(case, loops):
    shape, count = Shape(3, 1), 12_000
    genes, record = small(shape, *CASES[case])
    if "dead" in case:
        genes.status[genes.source == 4] = DEAD
    genome = neat.Settings(loops=loops)
    rates = make_rates(shape, genome, link=add_link.Settings(chance=1, bound=0.5))
    many = neat.take(genes, np.zeros(count, int))
    after = mutate(many, rates, record, 21)
    neat.check(after)
    pairs = naive.fitting_pairs(naive.to_genomes(genes)[0], rates_by_kind(rates).add_link)
    new = np.setdiff1d(np.arange(len(after.link)), _old_cells(after, genes))
    assert len(new) == count
    found = list(zip(after.source[new].tolist(), after.target[new].tolist(), strict=True))
    counts = np.array([found.count(pair) for pair in pairs])
    assert counts.sum() == count
    # Chi-square: its mean is the number of pairs less 1, its variance twice that.
    expected, freedom = count / len(pairs), max(len(pairs) - 1, 1)
    assert ((counts - expected) ** 2 / expected).sum() < freedom + 4 * math.sqrt(2 * freedom)
    assert np.abs(after.weight[new]).max() <= 0.5
    if loops == "kill":
        slow = naive.to_genomes(genes)[0]
        for cell in new:
            dies = slow.reaches(int(after.target[cell]), int(after.source[cell]))
            assert after.status[cell] == (DEAD if dies else LIVE)


@pytest.mark.parametrize("loops", ["refuse", "kill"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_counting_finds_every_fitting_pair_once(case, loops):
    shape = Shape(3, 1)
    genes, _ = small(shape, *CASES[case])
    if "dead" in case:
        genes.status[genes.source == 4] = DEAD
    rates = rates_by_kind(make_rates(shape, neat.Settings(loops=loops))).add_link
    draft = make_draft(40, 20)
    link(crossover.copy_genome, target="python")(draft, genes, 0)
    count = link(add_link.count_pairs, target="python")
    total = count(draft, rates, 99)[0]
    found = [tuple(map(int, count(draft, rates, i)[1:])) for i in range(total)]
    assert found == naive.fitting_pairs(naive.to_genomes(genes)[0], rates)


def _old_cells(after, genes):
    return np.flatnonzero(np.isin(after.link, genes.link))


def test_no_pair_left_changes_nothing_or_enables_one():
    shape = Shape(2, 1)
    genes, record = small(shape, [(0, 2), (1, 2)])
    full = make_rates(shape, link=add_link.Settings(chance=1, tries=3))
    assert columns(mutate(genes, full, record, 5)) == columns(genes)
    closed = genes._replace(status=np.array([LIVE, DISABLED]))
    other = make_rates(shape, link=add_link.Settings(chance=1), alternative=True)
    assert mutate(closed, other, record, 5).status.tolist() == [LIVE, LIVE]
    bare, record = small(shape, [])
    splits = make_rates(shape, node=add_node.Settings(chance=1), alternative=True)
    assert len(mutate(bare, splits, record, 5).link) == 1


def test_splitting_keeps_the_old_link_as_its_dialect_says():
    shape = Shape(2, 1)
    genes, _ = small(shape, [(0, 2), (1, 2)])
    genes = genes._replace(weight=np.array([5.0, 7.0]))
    for old, status, weight in (("split", SPLIT, 0.0), ("disabled", DISABLED, None)):
        settings_ = add_node.Settings(chance=1, first_weight=0.3, old=old)
        after = mutate(genes, make_rates(shape, node=settings_), Innovations(shape), 6)
        split = int(np.flatnonzero(after.status)[0])
        assert after.status.tolist().count(status) == 1
        assert after.weight[split] == (genes.weight[split] if weight is None else weight)
        assert after.node.tolist() == [2, 3]
        assert after.source[2:].tolist() == [split, 3]
        assert after.target[2:].tolist() == [3, 2]
        assert after.weight[2:].tolist() == [0.3, genes.weight[split]]
        assert after.bias[1] == 0.0


def test_a_new_node_has_no_bias_or_one_drawn_as_at_the_start():
    shape, start = Shape(2, 1), neat_start.Settings(bias=neat_start.Draw(mean=1.0, spread=1.0))
    genes, record = small(shape, [(0, 2), (1, 2)])
    many = neat.take(genes, np.zeros(4000, int))
    for bias, mean, deviation in (("zero", 0.0, 0.0), ("start", 1.0, 1.0)):
        node = add_node.Settings(chance=1, bias=bias)
        after = mutate(many, make_rates(shape, start=start, node=node), record, 2)
        new = after.bias[after.node > 2]
        assert len(new) == 4000
        assert abs(new.mean() - mean) < 0.06
        assert abs(new.std() - deviation) < 0.06


def test_only_live_links_are_split_each_equally_often():
    shape = Shape(4, 1)
    genes, record = small(shape, [(i, 4) for i in range(4)])
    genes = genes._replace(status=np.array([LIVE, SPLIT, DISABLED, LIVE]))
    many = neat.take(genes, np.zeros(4000, int))
    after = mutate(many, make_rates(shape, node=add_node.Settings(chance=1)), record, 2)
    assert set(after.source[after.target > 4].tolist()) == {0, 3}
    assert abs((after.source[after.target > 4] == 0).mean() - 0.5) < 0.04


def test_removal_takes_simple_nodes_or_any_and_spares_the_dead():
    shape = Shape(3, 1)
    genes, record = small(shape, [(0, 3), (1, 3), (0, 4), (1, 4), (4, 3), (2, 5), (5, 3)], (4, 5))
    genes.status[0] = DEAD
    many = neat.take(genes, np.zeros(300, int))
    for nodes, left in (("simple", {(3, 4)}), ("any", {(3, 4), (3, 5)})):
        rates = make_rates(shape, remove=remove_node.Settings(chance=1, nodes=nodes))
        after = mutate(many, rates, record, 3)
        neat.check(after)
        assert {tuple(keys) for keys in split_by_genome(after, "node")} == left
    fewer = mutate(many, make_rates(shape, unlink=remove_link.Settings(chance=1)), record, 3)
    assert (np.diff(fewer.link_start) == 6).all()
    assert (fewer.link == genes.link[0]).sum() == 300
    assert np.bincount(fewer.link, minlength=7)[1:].min() < 300


@pytest.mark.parametrize("old", ["disabled", "split"])
def test_removing_a_node_is_the_inverse_of_adding_one(old):
    shape = Shape(3, 1)
    record = Innovations(shape)
    adds = make_rates(shape, node=add_node.Settings(chance=1, old=old))
    drops = make_rates(shape, remove=remove_node.Settings(chance=1))
    genes = neat_start.begin(adds.basis, 5, np.random.default_rng(1))
    back = mutate(mutate(genes, adds, record, 3), drops, record, 4)
    if old == "split":
        genes = genes._replace(weight=np.where(back.weight == 0, 0.0, genes.weight))
        assert (back.weight == 0).sum() == 5
    assert columns(back) == columns(genes)


def test_a_cycle_is_refused():
    genes, _ = small(Shape(1, 1), [(0, 2), (2, 3), (3, 4), (4, 2), (4, 1), (3, 2)], (2, 3, 4))
    with pytest.raises(PartError, match="cycle"):
        neat.check(genes)


# --- crossover ----------------------------------------------------------------------------------


def two_parents():
    """Return the two parents of figure 4 of the original paper, with numbers of their own."""
    shape = Shape(3, 1)
    first, record = small(shape, [(0, 3), (1, 3), (2, 3), (1, 4), (4, 3), (0, 4)], (4,))
    second, _ = small(shape, [(0, 3), (1, 3), (2, 3), (1, 4), (4, 3), (0, 4)], (4,))
    second = second._replace(
        weight=second.weight + np.arange(6), bias=second.bias + 4.0, frozen=np.ones(6, int)
    )
    short = second._replace(
        link_start=np.array([0, 5]),
        **{name: getattr(second, name)[[0, 1, 2, 3, 5]] for name in neat.LINK_FIELDS},
    )
    return shape, record, neat.join([first, short])


def test_crossover_averages_or_picks_what_matches():
    shape, record, genes = two_parents()
    mean = make_rates(shape, cross=crossover.Settings(values="average"))
    child = cross(genes, [0], [1], mean, record, 4)
    assert child.weight.tolist() == [1.0, 1.5, 2.0, 2.5, 1.0, 3.5]
    assert child.bias.tolist() == [2.0, 2.0]
    weaker = cross(genes, [1], [0], mean, record, 4)
    assert weaker.link.tolist() == [0, 1, 2, 3, 5]
    pick = make_rates(shape, cross=crossover.Settings())
    many = cross(genes, [0] * 2000, [1] * 2000, pick, record, 5)
    weights = many.weight.reshape(2000, 6)
    for column, choices in enumerate(([1, 1], [1, 2], [1, 3], [1, 4], [1], [1, 6])):
        assert set(weights[:, column]) == set(choices)
    assert abs((weights[:, 3] == 1).mean() - 0.5) < 0.05
    assert abs(np.corrcoef(weights[:, 3], weights[:, 5])[0, 1]) < 0.1


def test_a_link_dead_in_either_parent_or_in_the_fitter_dies():
    shape, record, genes = two_parents()
    genes.status[0] = DEAD  # the first link of the first parent
    for held in ("average", "pick"):
        for dead, of_weaker in (("either", [DEAD]), ("fitter", [LIVE])):
            rates = make_rates(shape, cross=crossover.Settings(values=held, dead=dead))
            for first, second, wanted in ((0, 1, [DEAD]), (1, 0, of_weaker)):
                many = cross(genes, [first] * 40, [second] * 40, rates, record, 4)
                assert set(many.status[many.link == 0].tolist()) == set(wanted)


def test_equal_parents_give_the_genes_of_both():
    shape, record, genes = two_parents()
    both = make_rates(shape, cross=crossover.Settings(ties="both"))
    assert cross(genes, [1], [0], both, record, 4, equal=1).link.tolist() == list(range(6))
    lots = make_rates(shape, cross=crossover.Settings())
    for first, second in ((0, 1), (1, 0)):
        many = cross(genes, [first] * 2000, [second] * 2000, lots, record, 4, equal=1)
        neat.check(many)
        # Link 4, from node 4 to the output, is in one of them only.
        assert set(map(tuple, split_by_genome(many, "link"))) == {
            (0, 1, 2, 3, 4, 5),
            (0, 1, 2, 3, 5),
        }
        assert abs((many.link == 4).sum() / 2000 - 0.5) < 0.05
    first = make_rates(shape, cross=crossover.Settings(ties="first"))
    child = cross(genes, [1], [0], first, record, 4, equal=1)
    assert child.link.tolist() == [0, 1, 2, 3, 5]


def test_nodes_that_no_inherited_link_needs_are_not_inherited():
    shape = Shape(1, 1)
    genes, record = small(shape, [(0, 1), (0, 2), (2, 1), (0, 3), (3, 1)], (2, 3))
    plain_ = neat.take(genes, [0])._replace(
        node_start=np.array([0, 1]),
        link_start=np.array([0, 1]),
        **{name: getattr(genes, name)[:1] for name in (*neat.NODE_FIELDS, *neat.LINK_FIELDS)},
    )
    rates = make_rates(shape, cross=crossover.Settings())
    both = neat.join([genes, plain_])
    many = cross(both, [0, 1] * 500, [1, 0] * 500, rates, record, 4, equal=1)
    neat.check(many)
    nodes = split_by_genome(many, "node")
    for i, genome in enumerate(nodes):
        ends = range(*many.link_start[i : i + 2])
        touched = {int(key) for j in ends for key in (many.source[j], many.target[j])}
        assert set(genome.tolist()) == (touched | {1}) - {0}
    assert {tuple(genome) for genome in nodes} == {(1,), (1, 2), (1, 3), (1, 2, 3)}


@pytest.mark.parametrize("loops", ["refuse", "kill"])
def test_equal_parents_never_make_a_cycle(loops):
    shape = Shape(1, 1)
    links = [(0, 2), (0, 3), (2, 3), (3, 2), (2, 1), (3, 1)]
    both, record = small(shape, links, (2, 3))
    one, other = (
        both._replace(
            link_start=np.array([0, 5]),
            **{name: np.delete(getattr(both, name), drop) for name in neat.LINK_FIELDS},
        )
        for drop in ([int(np.flatnonzero(both.source == 3)[0])], [2])
    )
    genes = neat.join([one, other])
    genome = neat.Settings(loops=loops)
    rates = make_rates(shape, genome, cross=crossover.Settings(ties="both"))
    child = cross(genes, [0], [1], rates, record, 3, equal=1)
    neat.check(child)
    assert len(child.link) == (5 if loops == "refuse" else 6)
    assert (child.status == DEAD).sum() == (0 if loops == "refuse" else 1)


def test_what_is_disabled_in_a_parent_mostly_stays_so():
    shape, record, genes = two_parents()
    status = genes.status.copy()
    status[[0, 3]] = DISABLED  # in the first parent: links 0 and 3
    status[6 + 1] = DISABLED  # in the second: link 1
    status[6 + 2] = DEAD
    genes = genes._replace(status=status)
    rates = make_rates(shape, cross=crossover.Settings())
    many = cross(genes, [0] * 4000, [1] * 4000, rates, record, 8)
    statuses = many.status.reshape(4000, 6)
    for column in (0, 1, 3):
        assert abs((statuses[:, column] == DISABLED).mean() - 0.75) < 0.03
    assert (statuses[:, 2] == DEAD).all()
    assert (statuses[:, 4:] == LIVE).all()
    # Without the chance a status comes with its weight: 1 from the first parent, more else.
    rates = make_rates(shape, cross=crossover.Settings(status="inherited"))
    many = cross(genes, [0] * 4000, [1] * 4000, rates, record, 8)
    statuses, weights = many.status.reshape(4000, 6), many.weight.reshape(4000, 6)
    assert np.array_equal(statuses[:, 1] == DISABLED, weights[:, 1] != 1)
    assert np.array_equal(statuses[:, 3] == DISABLED, weights[:, 3] == 1)
    assert (statuses[:, 2] == DEAD).all()


# --- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, data, words",
    [
        (values.Settings, {"weight": {"chance": 0.8, "reset": 0.5}}, "add up to more than 1"),
        (neat_start.Settings, {"bias": {"low": 2, "high": 1}}, "above high"),
        (values.Settings, {"powr": 1}, "did you mean power"),
        (add_link.Settings, {"tries": 0}, "at least 1"),
        (activation.Settings, {"choices": ["sigmod"]}, "did you mean sigmoid"),
        (aggregation.Settings, {"choices": ["summ"]}, "did you mean sum"),
        (neat.Settings, {"hidden": "unilaterl"}, "did you mean unilateral"),
        (add_node.Settings, {"old": "gone"}, "'disabled' or 'split'"),
    ],
)
def test_wrong_settings_are_named(model, data, words):
    with pytest.raises(OptionError, match=words):
        read(model, data, "strategy")
