"""Real vectors and what papers C and E and Blondie24 do with them, against slow oracles."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.settings import read
from evoboard.evolution.base import (
    CROSSOVER,
    ELITE,
    KEPT,
    MUTANT,
    NEW,
    PERSISTENT,
    Evidence,
    Shape,
    make_strategy,
)
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import (
    node_crossover,
    replacement,
    safe_mutation,
    vector_mutation,
    vector_start,
)
from evoboard.evolution.strategies import blondie, morphological
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork

DESIGN = Design((4, 3, 2), ("tanh",))
DIRECT = Design((4, 3, 2), ("relu", "tanh"), (1.0, 2.0), (1.0, 0.5), direct=True, difference=0.25)
PLAIN = {"hidden": []}


def vectors(count, design=DESIGN, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (count, design.length))


def sphere(population):
    """Fitness that is highest, 0, where all numbers are 0.3."""
    return -((population.genes.vector - 0.3) ** 2).sum(axis=1)


def tell(strategy, fitness, won=()):
    strategy.tell(Evidence(np.asarray(fitness, float), won))
    return strategy.ask()


# Genomes


@pytest.mark.parametrize("design", [DESIGN, DIRECT])
def test_vectors_are_the_networks_they_fill(design):
    matrix = vectors(5, design)
    pack = real.express(real.make(matrix, design), design)
    expected = mlp.pack([MLPNetwork(design, row.astype(np.float32)) for row in matrix])
    for mine, theirs in zip(pack, expected, strict=True):
        assert np.array_equal(mine, theirs)


def test_numbers_too_large_for_a_network_become_the_largest_it_knows():
    matrix = vectors(2)
    matrix[0, 3], matrix[1, 4] = 1e300, -1e300
    number = real.express(real.make(matrix, DESIGN), DESIGN).number
    assert np.isfinite(number).all()
    with pytest.raises(OptionError, match=r"23 numbers; a network 4-3-2 .* has 31"):
        real.express(real.make(matrix, DESIGN), DIRECT)


def test_settings_make_the_design():
    chosen = real.Settings(
        hidden=(7, 5), activation="relu", output_bound=2.0, direct=True, difference=1.0
    )
    design = chosen.design(9, 1)
    assert design == Design(
        (9, 7, 5, 1), ("relu", "relu", "tanh"), (1.0, 1.0, 2.0), (1.0,), True, 1.0
    )
    assert real.Settings(hidden=()).design(9, 1).sizes == (9, 1)
    for given_, words in (
        ({"hidden": [4, 0]}, "network.hidden.1 is 0; it must be at least 1"),
        ({"activation": "tan"}, "network.activation: there is no activation named 'tan'"),
        ({"bound": 0}, "network.bound is 0; it must be more than 0"),
    ):
        with pytest.raises(OptionError) as caught:
            read(real.Settings, given_, "network")
        assert words in str(caught.value)


def test_complexity_is_that_of_the_network():
    nodes, links = real.complexity(real.make(vectors(3), DESIGN))
    assert (nodes.tolist(), links.tolist()) == ([3] * 3, [18] * 3)
    nodes, links = real.complexity(real.make(vectors(2, DIRECT), DIRECT))
    assert (nodes.tolist(), links.tolist()) == ([3] * 2, [26] * 2)


def test_a_genome_comes_back_exactly_with_and_without_step_sizes():
    for strength in (None, np.abs(vectors(3, seed=1)) * 1e-17):
        genes = real.make(vectors(3) * math.pi, DESIGN, strength)
        data = json.loads(json.dumps(real.genome(genes, 2).to_json()))
        back = real.from_json(data)
        for mine, theirs in zip(back, real.take(genes, np.array([2])), strict=True):
            assert np.array_equal(mine, theirs)
            assert mine.shape == theirs.shape


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "layered"}, "genome.kind is 'layered'; it must be 'real'"),
        ({"vector": [1.0] * 9}, "9 numbers; a network 4-3-2 has 23"),
        ({"vector": ["a"] * 23}, "genome.vector.0 is 'a'; it must be a number"),
        ({"strength": [1.0]}, "1 step sizes for 23 numbers"),
        ({"strength": [-1.0] * 23}, "genome.strength.0 is -1.0; it must be at least 0"),
        ({"sizes": [4]}, "genome.sizes"),
    ],
)
def test_a_damaged_genome_is_refused_in_one_sentence(change, words):
    data = real.genome(real.make(vectors(1), DESIGN), 0).to_json() | change
    with pytest.raises(EvoboardError) as caught:
        real.from_json(data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unlike_vectors_are_not_joined():
    one = real.make(vectors(1), DESIGN)
    with pytest.raises(OptionError, match="different sizes"):
        real.join([one, real.make(vectors(1, DIRECT), DIRECT)])
    with pytest.raises(OptionError, match="step sizes"):
        real.join([one, real.make(vectors(1), DESIGN, vectors(1))])


def test_a_strategy_of_ones_own_that_cannot_begin_says_what_it_lacks(tmp_path):
    parts = Path(__file__).parents[1] / "examples" / "parts"
    file = tmp_path / "hill_climber.py"
    file.write_text((parts / file.name).read_text().replace("def first", "def begin"))
    strategy = make_strategy(str(file), {}, Shape(4, 1), 1)
    with pytest.raises(EvoboardError, match="needs a setting `start`, or its own `first`"):
        strategy.first()


# Who stays


def test_the_first_of_equals_is_the_better_one():
    assert replacement.ranking(np.array([1.0, 3.0, 3.0, 2.0, 1.0])).tolist() == [1, 2, 3, 0, 4]


def test_the_worst_are_the_oldest_of_the_worst_but_never_the_champion():
    ids = np.array([5, 9, 2, 7])
    assert replacement.worst(np.array([1.0, 0.0, 0.0, 0.0]), ids, 2).tolist() == [2, 3]
    assert replacement.worst(np.zeros(4), ids, 2).tolist() == [2, 3]
    assert replacement.worst(np.zeros(4), np.array([1, 2, 3, 4]), 2).tolist() == [1, 2]
    assert replacement.worst(np.array([4.0, 3.0, 2.0, 1.0]), ids, 2).tolist() == [3, 2]


def test_a_champion_that_stays_is_persistent_for_ever():
    origin = np.array([NEW, PERSISTENT, MUTANT, ELITE])
    stays = replacement.origin_of_staying(origin, np.array([3, 1, 0, 2]), 2, ELITE)
    assert stays.tolist() == [ELITE, PERSISTENT, ELITE, PERSISTENT]


# Morphological crossover (paper C)


def slow_interval(column):
    """The crossover interval of one number, as the paper writes it."""
    g = max(column) - min(column)
    phi = -(0.8 * g) - 0.01 if g <= 0.05 else 0.421 * g - 0.021
    return min(column) + phi, max(column) - phi


numbers = st.floats(-100, 100, allow_nan=False)


@given(parents=st.lists(st.tuples(numbers, numbers), min_size=3, max_size=9))
@settings(max_examples=60, deadline=None)
def test_children_are_mirror_images_in_the_papers_interval(parents):
    # Two numbers as they come, and two close ones, which make the other branch of φ.
    matrix = np.array([[a, b, a / 1e4, 1 + b / 4e3] for a, b in parents])
    chosen = morphological.Crossover()
    first, second = morphological.cross(matrix, chosen, np.random.default_rng(1))
    low, high = morphological.interval(matrix, chosen)
    for j in range(4):
        bounds = slow_interval(matrix[:, j].tolist())
        assert (low[j], high[j]) == pytest.approx(bounds, abs=1e-12)
        assert low[j] < high[j]
        assert low[j] <= first[j] <= high[j]
        assert first[j] + second[j] == pytest.approx(low[j] + high[j], abs=1e-9)


def test_the_interval_grows_where_parents_are_alike_and_shrinks_elsewhere():
    chosen = morphological.Crossover()
    gaps = np.array([0.0, 0.05, 0.050001, 1.0])
    assert morphological.phi(gaps, chosen) == pytest.approx([-0.01, -0.05, 0.00005, 0.4], abs=1e-6)


def test_the_first_child_is_uniform_in_the_interval():
    parents = np.repeat([[-1.0], [0.2], [3.0]], 5000, axis=1)
    low, high = slow_interval([-1.0, 0.2, 3.0])
    first, _ = morphological.cross(parents, morphological.Crossover(), np.random.default_rng(2))
    share = np.sort((first - low) / (high - low))
    assert np.abs(share - np.arange(5000) / 5000).max() < 0.025


@given(
    threshold=st.floats(0, 2),
    growth=st.floats(0, 3),
    margin=st.floats(0, 1),
    shrinkage=st.floats(0, 0.5),
    relief=st.floats(-1, 1),
    gap=st.floats(0, 50),
)
@settings(max_examples=200, deadline=None)
def test_no_settings_that_are_taken_invert_the_interval(gap, **constants):
    least = constants["threshold"] * (1 - 2 * constants["shrinkage"]) + 2 * constants["relief"]
    if least < 0:
        with pytest.raises(OptionError, match="interval would end before it begins"):
            read(morphological.Crossover, constants)
        return
    chosen = read(morphological.Crossover, constants)
    low, high = morphological.interval(np.array([[0.0], [gap], [gap / 2]]), chosen)
    assert high[0] - low[0] >= -1e-12


def test_parents_are_any_set_of_different_individuals():
    rng, met = np.random.default_rng(3), Counter()
    for _ in range(2000):
        chosen = morphological.choose_parents(morphological.Crossover(parents=3), 5, rng)
        met[tuple(sorted(chosen.tolist()))] += 1
    assert len(met) == 10
    assert all(len(set(group)) == 3 and 140 < times < 260 for group, times in met.items())
    with pytest.raises(OptionError, match="4 is even; the number of parents must be odd"):
        read(morphological.Crossover, {"parents": 4})


def test_two_children_take_the_places_of_the_two_worst():
    strategy = make_strategy("morphological", {"population": 8}, Shape(3, 1), 5)
    old, champions = strategy.ask(), set()
    for generation in range(8):
        fitness = np.random.default_rng(generation).permutation(8).astype(float)
        champions.add(old.ids[fitness.argmax()])
        new = tell(strategy, fitness)
        replaced = fitness < 2
        same = (new.genes.vector == old.genes.vector).all(axis=1)
        assert (same == ~replaced).all()
        assert (new.ids[same] == old.ids[same]).all()
        assert (new.origin[replaced] == CROSSOVER).all()
        assert all(
            new.origin[i] == (PERSISTENT if new.ids[i] in champions else KEPT)
            for i in np.flatnonzero(same)
        )
        assert set(new.parents[replaced].ravel()) <= set(old.ids)
        one, other = new.genes.vector[replaced]
        spread = old.genes.vector.max(axis=0) - old.genes.vector.min(axis=0)
        assert (np.maximum(one, other) < old.genes.vector.max(axis=0) + spread + 0.01).all()
        old = new


# Paper E


def test_a_mutation_moves_every_number_by_its_share_of_the_largest_step():
    old = np.zeros((400, 16))
    new = vector_mutation.mutate(old, vector_mutation.Settings(), np.random.default_rng(0))
    step = 1 / math.sqrt(2 * math.sqrt(16))
    assert vector_mutation.largest_step(16, vector_mutation.Settings()) == step
    assert step == pytest.approx(0.353553, abs=1e-6)
    shares = np.sort((new.ravel() / step + 1) / 2)
    assert np.abs(shares - np.arange(6400) / 6400).max() < 0.02
    assert (vector_mutation.mutate(old, vector_mutation.Settings(power=0), _rng()) == 0).all()


def _rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("design", [DESIGN, DIRECT])
def test_a_node_is_fed_by_its_bias_and_all_weights_that_lead_to_it(design):
    found = node_crossover.feeds(design)
    assert len(found.bias) == 5
    inputs, hidden, outputs = design.sizes
    for node in range(5):
        places = found.weight[found.start[node] : found.start[node + 1]]
        if node < hidden:
            first = hidden  # behind the biases
            assert found.bias[node] == node
            assert places.tolist() == [first + i * hidden + node for i in range(inputs)]
        else:
            out, begin = node - hidden, hidden * (inputs + 1)
            expected = [begin + outputs + i * outputs + out for i in range(hidden)]
            if design.direct:
                begin_direct = begin + outputs * (hidden + 1)
                expected += [begin_direct + i * outputs + out for i in range(inputs)]
            assert found.bias[node] == begin + out
            assert places.tolist() == expected
    # Every number of a vector feeds exactly one node.
    assert sorted([*found.bias, *found.weight]) == list(range(design.length))


def test_what_feeds_a_node_is_what_changes_its_value():
    design = Design((3, 4, 2), ("identity",))
    found = node_crossover.feeds(design)
    inputs = np.array([[0.5, -1.0, 2.0]], np.float32)
    vector = vectors(1, design, seed=4)
    # Node 4 is the first output, the one that `outputs` reads, node 5 the other.
    for node, matters in ((4, True), (5, False)):
        for place in node_crossover.strong_places(
            np.full(design.length, 1.0), node, found, node_crossover.Settings()
        ):
            changed = vector.copy()
            changed[0, place] += 1
            both = safe_mutation.outputs(np.vstack([vector, changed]), inputs, design)
            assert (both[0] != both[1]) == matters


@given(seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_crossover_swaps_the_strong_weights_and_the_bias_of_one_node(seed):
    one, other = vectors(2, DIRECT, seed) * 1.3
    found = node_crossover.feeds(DIRECT)
    children = node_crossover.cross(one, other, found, node_crossover.Settings(), _rng(seed))
    swapped = np.flatnonzero(children[0] != one)
    assert np.array_equal(children[0][swapped], other[swapped])
    assert np.array_equal(children[1][swapped], one[swapped])
    kept = np.setdiff1d(np.arange(len(one)), swapped)
    assert np.array_equal(children[:, kept], np.stack([one, other])[:, kept])
    biases = [place for place in swapped if place in found.bias]
    assert len(biases) == 1
    node = found.bias.tolist().index(biases[0])
    incoming = found.weight[found.start[node] : found.start[node + 1]]
    strong = {int(place) for place in incoming if abs(one[place]) > 0.75}
    assert set(swapped.tolist()) == strong | {int(biases[0])}


def test_every_node_may_be_chosen_and_points_make_the_dominant_parent():
    one, other = vectors(2)
    found, rng = node_crossover.feeds(DESIGN), _rng(7)
    met = Counter()
    for _ in range(1000):
        child = node_crossover.cross(one, other, found, node_crossover.Settings(), rng)[0]
        met.update(place for place in np.flatnonzero(child != one) if place in found.bias)
    assert len(met) == 5
    assert all(150 < times < 250 for times in met.values())
    assert node_crossover.dominates(2.0, 1.0, rng)
    assert not node_crossover.dominates(-1.0, 1.0, rng)
    assert 400 < sum(node_crossover.dominates(1.0, 1.0, rng) for _ in range(1000)) < 600


def slow_choice(before, after):
    """The paper's steps 4 to 6 with the falls of negative outputs read as falls."""
    ranks = []
    for row in after:
        falls = [max(0.0, b - a) for b, a in zip(before, row, strict=True)]
        ranks.append((-sum(fall == 0 for fall in falls), sum(falls)))
    return ranks.index(min(ranks))


outputs_ = st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 0.5]), min_size=3, max_size=3)


@given(before=outputs_, after=st.lists(outputs_, min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_the_safest_mutant_is_the_one_whose_outputs_fall_least(before, after):
    assert safe_mutation.safest(np.array(before), np.array(after)) == slow_choice(before, after)


def test_for_outputs_above_zero_safe_is_the_papers_ratio():
    rng = _rng(5)
    before, after = rng.uniform(0.1, 1, 6), rng.uniform(0.1, 1, (9, 6))
    quality = ((after / before) >= 1).sum(axis=1)
    assert quality[safe_mutation.safest(before, after)] == quality.max()


def test_a_safe_mutant_is_the_best_of_the_mutants_that_were_drawn():
    parents = vectors(3, DIRECT)
    won = [_rng(i).normal(size=(k, 4)).astype(np.float32) for i, k in enumerate((7, 0, 4))]
    mutation, safe = vector_mutation.Settings(), safe_mutation.Settings(tries=6)
    chosen = safe_mutation.mutate(parents, won, DIRECT, mutation, safe, _rng(9))
    drawn = vector_mutation.mutate(np.repeat(parents[:, None], 6, axis=1), mutation, _rng(9))
    for i, inputs in enumerate(won):
        best = 0
        if len(inputs):
            before = safe_mutation.outputs(parents[i : i + 1], inputs, DIRECT)[0]
            best = slow_choice(before, safe_mutation.outputs(drawn[i], inputs, DIRECT))
        assert np.array_equal(chosen[i], drawn[i, best])
    first = safe_mutation.mutate(parents, (), DIRECT, mutation, safe, _rng(9))
    assert np.array_equal(first, drawn[:, 0])


def test_safe_mutation_forgets_less_of_won_games():
    parents = vectors(20, seed=3)
    won = [_rng(i).normal(size=(15, 4)).astype(np.float32) for i in range(20)]
    falls = []
    for tries in (1, 20):
        safe = safe_mutation.Settings(tries=tries)
        mutants = safe_mutation.mutate(
            parents, won, DESIGN, vector_mutation.Settings(), safe, _rng(1)
        )
        pairs = [
            safe_mutation.outputs(np.stack(two), inputs, DESIGN)
            for *two, inputs in zip(parents, mutants, won, strict=True)
        ]
        falls.append(np.mean([after < before for before, after in pairs]))
    assert falls[0] > 0.35
    assert falls[1] < falls[0] / 2


def test_fifteen_are_bred_as_the_paper_says():
    strategy = make_strategy("draughts_ga", {"network": {"hidden": [3]}}, Shape(4, 1), 2)
    old, champions = strategy.ask(), set()
    assert np.abs(old.genes.vector).max() <= 1
    for generation in range(6):
        fitness = np.random.default_rng(generation).permutation(15).astype(float)
        order = np.argsort(-fitness)
        champions.add(old.ids[order[0]])
        new = tell(strategy, fitness, [np.zeros((2, 4), np.float32)] * 15)
        assert new.ids[:5].tolist() == old.ids[order[:5]].tolist()
        assert np.array_equal(new.genes.vector[:5], old.genes.vector[order[:5]])
        assert [PERSISTENT if id_ in champions else ELITE for id_ in new.ids[:5]] == list(
            new.origin[:5]
        )
        assert new.origin[5:].tolist() == [CROSSOVER] * 4 + [MUTANT] * 6
        rank = {int(old.ids[index]): place for place, index in enumerate(order)}
        parents = [[rank.get(int(id_), -1) for id_ in row] for row in new.parents[5:]]
        assert parents[:4] == [[0, 1], [1, 0], [1, 2], [2, 1]]
        assert parents[4:] == [[0, -1], [1, -1], [1, -1], [2, -1], [3, -1], [4, -1]]
        for child, (mother, _) in zip(new.genes.vector[5:9], parents, strict=False):
            assert 1 <= (child != old.genes.vector[order[mother]]).sum() <= 5
        step = vector_mutation.largest_step(new.genes.vector.shape[1], vector_mutation.Settings())
        for child, (mother, _) in zip(new.genes.vector[9:], parents[4:], strict=True):
            moved = np.abs(child - old.genes.vector[order[mother]])
            assert moved.min() > 0
            assert moved.max() <= step
        old = new


@pytest.mark.parametrize(
    ("given_", "ranks"),
    [
        ({}, [0, 1, 1, 2, 3, 4]),
        ({"population": 20}, [0, 1, 1, 2, 3, 4, 3, 4, 3, 4, 3]),
        ({"population": 8, "kept": 3, "pairs": 0}, [0, 1, 2, 0, 1]),
        ({"population": 9, "kept": 2, "pairs": 1}, [0, 1, 0, 1, 0]),
        ({"population": 13}, [0, 1, 1, 2]),
    ],
)
def test_mutants_are_of_those_in_no_pair_where_numbers_differ(given_, ranks):
    strategy = make_strategy("draughts_ga", given_ | {"network": PLAIN}, Shape(2, 1), 0)
    old = strategy.ask()
    new = tell(strategy, -np.arange(old.size))
    assert new.size == old.size
    found = [old.ids.tolist().index(row[0]) for row in new.parents[new.origin == MUTANT]]
    assert found == ranks


def test_crossovers_are_mutated_where_asked_for():
    given_ = {"mutate_crossovers": True, "network": {"hidden": [3]}}
    strategy = make_strategy("draughts_ga", given_, Shape(4, 1), 2)
    old = strategy.ask()
    new = tell(strategy, -np.arange(15), [np.ones((2, 4), np.float32)] * 15)
    moved = (new.genes.vector[5:9] != old.genes.vector[[0, 1, 1, 2]]).mean(axis=1)
    assert (moved == 1).all()


def test_only_safe_mutation_wants_positions_of_won_games():
    for given_, wanted in (({}, 20), ({"safe": {"tries": 1}}, 0), ({"safe": {"positions": 7}}, 7)):
        assert make_strategy("draughts_ga", given_, Shape(2, 1), 0).wants_won_inputs == wanted
    assert make_strategy("blondie", {}, Shape(2, 1), 0).wants_won_inputs == 0


def test_positions_of_won_games_change_what_is_bred():
    populations = []
    for wins in (False, True):
        strategy = make_strategy("draughts_ga", {"network": {"hidden": [3]}}, Shape(4, 1), 2)
        strategy.ask()
        won = [_rng(i).normal(size=(9 * wins, 4)).astype(np.float32) for i in range(15)]
        populations.append(tell(strategy, -np.arange(15), won).genes.vector)
    assert np.array_equal(populations[0][:9], populations[1][:9])
    assert not np.array_equal(populations[0][9:], populations[1][9:])


@pytest.mark.parametrize(
    ("name", "given_", "words"),
    [
        ("draughts_ga", {"population": 12}, "need a population of 13, but it is 12"),
        ("draughts_ga", {"kept": 2}, "2 pairs need 3 of the best, but kept is 2"),
        ("draughts_ga", {"safe": {"tries": 0}}, "strategy.safe.tries is 0; it must be at least 1"),
        ("blondie", {"population": 31}, "strategy.population is 31; it must be a multiple of 2"),
        ("blondie", {"mutation": {"strength": 0}}, "strategy.mutation.strength is 0"),
        ("morphological", {"population": 4}, "crossover.parents is 5, more than the population"),
        ("morphological", {"crossover": {"parents": 6}}, "strategy.crossover.parents: 6 is even"),
        ("layered", {"selection": {"best": 2}}, "strategy.selection.best is 2; it must be at most"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_one_sentence(name, given_, words):
    with pytest.raises(OptionError) as caught:
        make_strategy(name, given_, Shape(2, 1), 0)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_setting_of_a_network_leaves_the_others_as_the_strategy_has_them():
    for name in ("blondie", "draughts_ga"):
        strategy = make_strategy(name, {"network": {"activation": "relu"}}, Shape(32, 1), 0)
        assert strategy.design.sizes == (32, 40, 10, 1)


# Blondie24


def test_step_sizes_and_numbers_follow_their_equations():
    old, sizes = np.zeros((3000, 16)), np.full((3000, 16), 0.05)
    new, changed = blondie.adapt(old, sizes, blondie.Mutation(), _rng(3))
    tau = 1 / math.sqrt(2 * math.sqrt(16))
    exponent = np.log(changed / 0.05) / tau
    deviation = new / changed
    for normal in (exponent, deviation):
        assert abs(normal.mean()) < 0.02
        assert abs(normal.std() - 1) < 0.02
        assert abs((np.abs(normal) < 1).mean() - 0.6827) < 0.01
    # A new number for each: neither in step with the other nor with its neighbour.
    assert abs(np.corrcoef(exponent.ravel(), deviation.ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(exponent[:, 0], exponent[:, 1])[0, 1]) < 0.06


def test_every_parent_has_one_child_and_the_better_half_stay():
    strategy = make_strategy("blondie", {}, Shape(32, 1), 4)
    assert strategy.design == Design((32, 40, 10, 1), ("tanh",), difference=1.0)
    assert strategy.design.length == 1741
    old = strategy.ask()
    assert old.size == 30
    assert np.abs(old.genes.vector[:15]).max() <= 0.2
    assert (old.genes.strength[:15] == 0.05).all()
    assert (old.origin == [NEW] * 15 + [MUTANT] * 15).all()
    for generation in range(5):
        assert old.parents[15:, 0].tolist() == old.ids[:15].tolist()
        moved = (old.genes.vector[15:] - old.genes.vector[:15]) / old.genes.strength[15:]
        assert abs(moved.std() - 1) < 0.03
        fitness = np.random.default_rng(generation).permutation(30).astype(float)
        best = np.argsort(-fitness)[:15]
        new = tell(strategy, fitness)
        assert new.ids[:15].tolist() == old.ids[best].tolist()
        assert np.array_equal(new.genes.vector[:15], old.genes.vector[best])
        assert np.array_equal(new.genes.strength[:15], old.genes.strength[best])
        assert new.origin[0] == PERSISTENT
        assert set(new.origin[1:15]) <= {ELITE, PERSISTENT}
        assert strategy.facts() == {"step_size": new.genes.strength.mean()}
        old = new


def test_new_vectors_are_uniform():
    matrix = vector_start.begin(vector_start.Settings(spread=0.5), 50, 100, _rng())
    shares = np.sort(matrix.ravel() + 0.5)
    assert np.abs(shares - np.arange(5000) / 5000).max() < 0.025


@pytest.mark.parametrize(
    ("name", "given_", "generations", "factor"),
    [
        ("morphological", {}, 400, 10),
        ("draughts_ga", {"mutation": {"power": 0.3}}, 150, 10),
        ("blondie", {}, 150, 10),
    ],
)
def test_a_simple_function_is_minimised(name, given_, generations, factor):
    """The distance to a point falls, as it must for any use in games."""
    strategy = make_strategy(name, given_ | {"network": PLAIN}, Shape(9, 1), 6)
    first = -sphere(strategy.ask()).max()
    for _ in range(generations):
        population = strategy.ask()
        strategy.tell(Evidence(sphere(population)))
    assert -sphere(strategy.ask()).max() < first / factor
