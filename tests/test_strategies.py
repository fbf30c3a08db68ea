"""What every strategy promises; a new file in strategies/ is tested unasked."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from evoboard.core.errors import EvoboardError, NotFound, OptionError, PartError
from evoboard.evolution.base import (
    ELITE,
    KEPT,
    NEW,
    ORIGINS,
    PERSISTENT,
    Evidence,
    Lessons,
    Shape,
    find_strategy,
    make_strategy,
    strategy_names,
)

SHAPE = Shape(4, 2)
GENERATIONS = 5
OURS = ("blondie", "draughts_ga", "layered", "morphological")

every_strategy = pytest.mark.parametrize("name", strategy_names())


def made(name, seed=1, **given):
    return make_strategy(name, given, SHAPE, seed)


def judge(strategy, population, noise=0):
    """Fitness that depends on the generation alone, with ties, and won games for some."""
    rng = np.random.default_rng([strategy.generation, noise])
    fitness = rng.integers(0, 8, population.size).astype(float)
    wanted = strategy.wants_won_inputs
    won = [
        rng.normal(size=(wanted if i % 3 else 0, SHAPE.inputs)).astype(np.float32)
        for i in range(population.size)
    ]
    lessons = some_lessons(rng, population.size) if strategy.wants_lessons else None
    return Evidence(fitness, won if wanted else (), lessons)


def some_lessons(rng, size, count=60):
    """Positions of ten games, whose results mean nothing."""
    games = np.sort(rng.integers(0, 10, count))
    signs = np.where(rng.random(count) < 0.5, 1, -1).astype(np.float32)
    results = rng.integers(-1, 2, 10).astype(np.float32)[games] * signs
    players = rng.integers(0, size, (10, 2))[games]
    inputs = rng.normal(size=(count, SHAPE.inputs)).astype(np.float32)
    return Lessons(inputs, results, signs, games, players)


def evolved(strategy, generations=GENERATIONS):
    """The populations from the strategy's present one on."""
    populations = [strategy.ask()]
    for _ in range(generations):
        strategy.tell(judge(strategy, populations[-1]))
        populations.append(strategy.ask())
    return populations


def same_genes(one, other):
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


def same(one, other):
    columns = ("ids", "parents", "species", "origin")
    return same_genes(one.genes, other.genes) and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in columns
    )


def test_the_papers_strategies_are_all_there():
    assert set(OURS) < set(strategy_names())


@every_strategy
def test_the_population_is_exactly_as_large_as_asked_for(name):
    strategy = made(name)
    for population in evolved(strategy):
        columns = (population.ids, population.species, population.origin, population.parents)
        assert {len(column) for column in columns} == {strategy.settings.population}
        assert strategy.genomes.count(population.genes) == strategy.settings.population
        assert population.parents.shape == (population.size, 2)
        assert {column.dtype for column in columns} == {np.dtype(np.int64)}


@every_strategy
def test_ids_are_unique_and_stay_with_what_stays_unchanged(name):
    strategy = made(name)
    known, previous = {}, set()
    for generation, population in enumerate(evolved(strategy)):
        ids = population.ids.tolist()
        assert len(set(ids)) == len(ids)
        for i, id_ in enumerate(ids):
            value = strategy.genomes.genome(population.genes, i).to_json()
            origin = population.origin[i]
            if id_ in known:
                # Nobody leaves and comes back, and nobody changes under the same id.
                assert id_ in previous
                assert known[id_] == value
                assert origin in (KEPT, ELITE, PERSISTENT)
            else:
                assert generation == 0 or origin not in (ELITE, PERSISTENT)
                assert set(population.parents[i].tolist()) <= {-1, *previous, *ids}
                assert (origin == NEW) == (population.parents[i] == -1).all()
            known[id_] = value
        assert set(population.origin.tolist()) <= set(range(len(ORIGINS)))
        previous = set(ids)
    assert len(known) > strategy.settings.population


@every_strategy
@pytest.mark.parametrize("stop", [0, 1, 3])
def test_a_restored_strategy_goes_on_as_if_it_had_never_stopped(name, stop):
    straight = evolved(made(name))
    stopped = made(name)
    evolved(stopped, stop)
    state = stopped.state()
    for key, value in state.items():
        # What a database can hold: arrays, and what JSON can.
        assert isinstance(value, np.ndarray) or json.loads(json.dumps(value)) == value, key
    resumed = made(name)
    resumed.restore({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in state.items()})
    assert resumed.generation == stop
    again = evolved(resumed, GENERATIONS - stop)
    assert all(same(a, b) for a, b in zip(again, straight[stop:], strict=True))
    # Taking the state changes nothing, either.
    went_on = evolved(stopped, GENERATIONS - stop)
    assert all(same(a, b) for a, b in zip(went_on, straight[stop:], strict=True))


@every_strategy
def test_read_only_arrays_are_restored_as_well(name):
    stopped = made(name)
    expected = evolved(stopped, 2)
    state = dict(stopped.state())
    for value in state.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    resumed = made(name)
    resumed.restore(state)
    assert same(resumed.ask(), expected[-1])
    resumed.tell(judge(resumed, resumed.ask()))
    assert resumed.ask().size == resumed.settings.population


@every_strategy
def test_one_seed_gives_one_run_and_another_seed_another(name):
    first, again, other = (evolved(made(name, seed)) for seed in (1, 1, 2))
    assert all(same(a, b) for a, b in zip(first, again, strict=True))
    assert not any(same_genes(a.genes, b.genes) for a, b in zip(first, other, strict=True))


@every_strategy
def test_breeding_depends_on_the_seed_and_not_only_the_start(name):
    one, other = made(name, seed=1), made(name, seed=2)
    other.restore(one.state())
    for strategy in (one, other):
        strategy.tell(judge(strategy, strategy.ask()))
    assert not same_genes(one.ask().genes, other.ask().genes)


@every_strategy
def test_what_was_told_matters(name):
    one, other = made(name), made(name)
    one.tell(judge(one, one.ask()))
    other.tell(judge(other, other.ask(), noise=1))
    assert not same(one.ask(), other.ask())


@every_strategy
def test_telling_changes_no_population_that_was_asked_for(name):
    strategy = made(name)
    for _ in range(3):
        population = strategy.ask()
        columns = [*population.genes, population.ids, population.parents, population.origin]
        before = [column.copy() for column in columns]
        strategy.tell(judge(strategy, population))
        assert all(np.array_equal(a, b) for a, b in zip(before, columns, strict=True))


@every_strategy
def test_every_genome_comes_back_exactly_from_its_json(name):
    strategy = made(name)
    kind = strategy.genomes
    genes = evolved(strategy)[-1].genes
    for i in range(min(40, kind.count(genes))):
        data = json.loads(json.dumps(kind.genome(genes, i).to_json()))
        assert same_genes(kind.from_json(data), kind.take(genes, np.array([i])))


@every_strategy
def test_genomes_are_taken_and_joined_in_order(name):
    strategy = made(name)
    kind, genes = strategy.genomes, evolved(strategy)[-1].genes
    halves = [kind.take(genes, np.arange(i, kind.count(genes), 2)) for i in range(2)]
    joined = kind.join(halves)
    order = np.argsort([*range(0, kind.count(genes), 2), *range(1, kind.count(genes), 2)])
    assert same_genes(kind.take(joined, order), genes)
    nodes, links = kind.complexity(genes)
    assert len(nodes) == len(links) == kind.count(genes)
    assert nodes.min() >= 0 < links.max()


@every_strategy
def test_networks_have_the_shape_of_the_game(name):
    strategy = made(name)
    population = evolved(strategy)[-1]
    networks = strategy.express(population.genes)
    assert (networks.pack.inputs, networks.pack.outputs) == SHAPE
    assert networks.kind.size(networks.pack) == population.size
    # A genome's network is the same alone and among the others.
    some = strategy.express(strategy.genomes.take(population.genes, np.array([3, 1])))
    for place, index in enumerate((3, 1)):
        alone = networks.kind.member(some.pack, place)
        among = networks.kind.member(networks.pack, index)
        assert all(np.array_equal(a, b) for a, b in zip(alone, among, strict=True))


@every_strategy
def test_facts_are_numbers(name):
    strategy = made(name)
    evolved(strategy, 2)
    assert all(np.isfinite(value) for value in strategy.facts().values())


@every_strategy
def test_tell_before_ask_is_refused(name):
    strategy = made(name)
    with pytest.raises(PartError, match="tell was called before ask"):
        strategy.tell(Evidence(np.zeros(strategy.settings.population)))
    strategy.tell(judge(strategy, strategy.ask()))
    with pytest.raises(PartError, match="tell was called before ask"):
        strategy.tell(Evidence(np.zeros(strategy.settings.population)))


@every_strategy
def test_fitness_that_is_none_is_refused(name):
    strategy = made(name)
    size = strategy.ask().size
    for fitness in (np.zeros(size + 1), np.full(size, np.nan), np.full(size, np.inf)):
        with pytest.raises(OptionError, match="fitness"):
            strategy.tell(Evidence(fitness))
    assert strategy.generation == 0


@every_strategy
@pytest.mark.parametrize("fitness", [0.0, -3.0, 1e300])
def test_equal_fitness_of_any_size_is_no_trouble(name, fitness):
    strategy = made(name)
    for _ in range(2):
        strategy.tell(Evidence(np.full(strategy.ask().size, fitness)))
    assert strategy.ask().size == strategy.settings.population


@every_strategy
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"populaton": 10}, "no setting of strategy named 'populaton'; did you mean population?"),
        ({"population": "many"}, "strategy.population is 'many'; it must be a whole number"),
        ({"population": 0}, "strategy.population is 0; it must be at least"),
        ({"population": -4}, "strategy.population is -4; it must be at least"),
        ({"population": 20.5}, "strategy.population is 20.5; it must be"),
    ],
)
def test_wrong_settings_are_refused_in_one_clear_sentence(name, given, words):
    with pytest.raises(OptionError) as caught:
        made(name, **given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


@every_strategy
def test_settings_cannot_be_changed_and_each_says_what_it_is(name):
    strategy = made(name)
    with pytest.raises(ValueError, match="frozen"):
        strategy.settings.population = 3
    models = [find_strategy(name).Settings]
    while models:
        for key, field in models.pop().model_fields.items():
            nested = getattr(field.annotation, "model_fields", None)
            assert nested or field.description, f"{key} of {name} is not described"
            if nested:
                models.append(field.annotation)


def test_an_unknown_strategy_is_named_with_the_nearest():
    with pytest.raises(NotFound, match="did you mean layered"):
        make_strategy("layerd", {}, SHAPE, 0)
    assert issubclass(NotFound, EvoboardError)


@pytest.mark.parametrize(
    "returned, told",
    [
        (lambda bred: None, "breed of the strategy returned 'None'; it must return a Population"),
        (lambda bred: replace(bred, origin=bred.origin[:3]), "with origin of shape (3,)"),
        (lambda bred: replace(bred, parents=bred.ids), "whole numbers of shape (100, 2)"),
        (lambda bred: replace(bred, ids=bred.ids / 2), "with ids of shape (100,) and type float64"),
        (lambda bred: replace(bred, origin=bred.origin + 7), "an origin beyond ORIGINS"),
        (lambda bred: replace(bred, origin=bred.origin.tolist()), "with origin of <class 'list'>"),
    ],
)
def test_what_is_no_population_is_said_and_not_evolved(returned, told, monkeypatch):
    strategy = made("layered", population=100)
    breed = type(strategy).breed
    monkeypatch.setattr(type(strategy), "breed", lambda self, *given: returned(breed(self, *given)))
    evidence = judge(strategy, strategy.ask())
    with pytest.raises(PartError) as error:
        strategy.tell(evidence)
    assert told in str(error.value)
