"""Distance, species, quotas, parents and stagnation against plain Python, and their exactness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoboard.evolution.genomes.neat import Genes
from evoboard.evolution.operators import (
    distance,
    mutation_power,
    parents,
    quotas,
    speciation,
    stagnation,
)

RNG = np.random.default_rng


# --- slow versions ------------------------------------------------------------------------------


class Genome(NamedTuple):
    """Links as {innovation: weight}, nodes as {key: (bias, response, activation, aggregation)}."""

    links: dict
    nodes: dict


def random_genomes(rng, count, numbers=30):
    """Return genomes of random genes, some of them empty."""
    genomes = []
    for _ in range(count):
        links = np.flatnonzero(rng.random(numbers) < rng.choice([0, 0.3, 0.8, 1]))
        nodes = np.flatnonzero(rng.random(12) < rng.random())
        genomes.append(
            Genome(
                {int(k): float(rng.normal()) for k in links},
                {int(k): (rng.normal(), rng.normal(), *rng.integers(0, 2, 2)) for k in nodes},
            )
        )
    return genomes


def as_genes(genomes):
    """Return genomes as the arrays of a population."""
    nodes = [(k, *v) for g in genomes for k, v in sorted(g.nodes.items())]
    links = [(k, w) for g in genomes for k, w in sorted(g.links.items())]
    node = np.array(nodes).reshape(-1, 5)
    link = np.array(links).reshape(-1, 2)
    number = link[:, 0].astype(np.int64)
    return Genes(
        node_start=np.cumsum([0, *(len(g.nodes) for g in genomes)]),
        node=node[:, 0].astype(np.int64),
        bias=node[:, 1].copy(),
        response=node[:, 2].copy(),
        activation=node[:, 3].astype(np.int64),
        aggregation=node[:, 4].astype(np.int64),
        link_start=np.cumsum([0, *(len(g.links) for g in genomes)]),
        link=number,
        source=number,
        target=number,
        weight=link[:, 1].copy(),
        status=number % 4,
        frozen=number % 2,
        shape=np.array([4, 1]),
    )


def unmatched(one, other):
    """Return (excess, disjoint) by the definition in the 2002 paper."""
    alone = set(one) ^ set(other)
    reach = min(max(one, default=-1), max(other, default=-1))
    return sum(k > reach for k in alone), sum(k <= reach for k in alone)


def slow_distance(chosen, one, other):
    excess, disjoint = unmatched(one.links, other.links)
    node_excess, node_disjoint = unmatched(one.nodes, other.nodes)
    links = max(len(one.links), len(other.links))
    nodes = max(len(one.nodes), len(other.nodes))
    divided = chosen.normalise in ("always", "evolved", "links") or (
        chosen.normalise == "large" and links >= 20
    )
    if chosen.normalise == "evolved":  # of 4 inputs and 1 output
        links = max(sum(k >= 4 for k in g.links) for g in (one, other))
        nodes -= 1
    total = (chosen.excess * excess + chosen.disjoint * disjoint) / (
        links if divided and links else 1
    )
    total += (chosen.node_excess * node_excess + chosen.node_disjoint * node_disjoint) / (
        nodes if divided and nodes > 0 and chosen.normalise != "links" else 1
    )
    both = one.links.keys() & other.links.keys()
    if both:
        total += chosen.weight * np.mean([abs(one.links[k] - other.links[k]) for k in both])
    both = one.nodes.keys() & other.nodes.keys()
    if both:
        parts = []
        for k in both:
            (b, r, f, a), (b2, r2, f2, a2) = one.nodes[k], other.nodes[k]
            parts.append(abs(b - b2) + abs(r - r2) + (f != f2) + (a != a2))
        total += chosen.attributes * np.mean(parts)
    return total


MEASURES = {
    "2002": distance.Settings(),
    "paper A": distance.Settings(
        excess=0.9,
        disjoint=0.9,
        weight=0.1,
        node_excess=0.1,
        node_disjoint=0.1,
        normalise="links",
    ),
    "evolved": distance.Settings(excess=0.9, node_excess=0.1, normalise="evolved"),
    "undivided": distance.Settings(excess=0.9, node_excess=0.1, normalise="never"),
    "paper D": distance.Settings(weight=0.5, normalise="always"),
    "all": distance.Settings(
        excess=0.3,
        disjoint=0.7,
        weight=1.1,
        node_excess=0.2,
        node_disjoint=0.9,
        attributes=0.6,
        normalise="large",
    ),
}


def slow_species(chosen, by, genomes, known, species, next_species):
    """Return everyone's species: `known` is a list of (species, genome)."""
    known, answer = list(known), []
    for genome, kept in zip(genomes, species, strict=True):
        if kept >= 0:
            answer.append(int(kept))
            continue
        near = [(slow_distance(by, genome, other), k) for k, (_, other) in enumerate(known)]
        near = [(apart, k) for apart, k in near if apart < chosen.threshold]
        if not near:
            known.append((next_species, genome))
            answer.append(next_species)
            next_species += 1
        elif chosen.match == "first":
            answer.append(known[min(k for _, k in near)][0])
        else:
            answer.append(known[min(near)[1]][0])
    return answer, next_species


# --- distance -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEASURES)
def test_distance_is_that_of_plain_python(name):
    one, other = random_genomes(RNG(1), 30), random_genomes(RNG(2), 30)
    expected = [[slow_distance(MEASURES[name], a, b) for b in other] for a in one]
    actual = distance.distances(MEASURES[name], as_genes(one), as_genes(other))
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_distance_is_symmetric_and_zero_to_itself(name):
    genes = as_genes(random_genomes(RNG(3), 20))
    table = distance.distances(MEASURES[name], genes, genes)
    np.testing.assert_allclose(table, table.T)
    assert (np.diag(table) == 0).all()


def test_excess_and_disjoint_of_the_2002_papers_figure():
    """Figure 4: parents with genes 1-5, 8 and 1-7, 9, 10: disjoint 6, 7, 8, excess 9, 10."""
    one = Genome(dict.fromkeys((1, 2, 3, 4, 5, 8), 0.0), {})
    other = Genome(dict.fromkeys((1, 2, 3, 4, 5, 6, 7, 9, 10), 0.5), {})
    genes, others = as_genes([one]), as_genes([other])
    for chosen, expected in (
        (distance.Settings(excess=1, disjoint=0, weight=0), 2),
        (distance.Settings(excess=0, disjoint=1, weight=0), 3),
        (distance.Settings(excess=0, disjoint=0, weight=1), 0.5),
        (distance.Settings(excess=1, disjoint=1, weight=0, normalise="always"), 5 / 9),
    ):
        assert distance.distances(chosen, genes, others)[0, 0] == pytest.approx(expected)


# --- species ------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", ["first", "nearest"])
@pytest.mark.parametrize("threshold", [0.01, 4.0, 100.0])
def test_species_are_those_of_plain_python(match, threshold):
    by = MEASURES["all"]
    old, new = random_genomes(RNG(4), 8), random_genomes(RNG(5), 60)
    chosen = speciation.Settings(threshold=threshold, match=match)
    ids, member = np.array([2, 5, 9]), np.array([7, 0, 3])
    given = np.full(60, -1)
    given[[0, 10]] = 5, 9
    known = [(int(k), old[m]) for k, m in zip(ids, member, strict=True)]
    expected = slow_species(chosen, by, new, known, given, 12)
    representatives = speciation.Representatives(ids, member, as_genes(old))
    species, following = speciation.speciate(
        chosen, distance.measure(by), threshold, as_genes(new), representatives, given, 12
    )
    assert (species.tolist(), following) == expected
    assert set(species[species >= 12]) == set(range(12, following))


def test_a_target_moves_the_threshold_towards_it():
    chosen = speciation.Settings(target=10, step=0.5)
    assert speciation.adjust(chosen, 3.0, 11) == 3.5
    assert speciation.adjust(chosen, 3.0, 9) == 2.5
    assert speciation.adjust(chosen, 3.0, 10) == 3.0
    assert speciation.adjust(chosen, 0.6, 1) == 0.5
    assert speciation.adjust(speciation.Settings(), 3.0, 50) == 3.0


# --- parents ------------------------------------------------------------------------------------


def test_ranking_goes_by_species_then_fitness_then_place():
    species, fitness = np.array([7, 3, 7, 3, 7]), np.array([1.0, 2.0, 5.0, 2.0, 1.0])
    ranking = parents.rank(species, fitness)
    assert ranking.ids.tolist() == [3, 7]
    assert ranking.start.tolist() == [0, 2, 5]
    assert ranking.order.tolist() == [1, 3, 2, 0, 4]
    assert ranking.sizes.tolist() == [2, 3]
    assert ranking.best.tolist() == [1, 2]


def test_parents_are_the_best_share_and_at_least_one():
    sizes = np.array([1, 2, 3, 6, 40])
    quarter = parents.Settings(share=0.25)
    expected = [max(1, round(0.25 * n)) for n in sizes.tolist()]
    assert parents.parent_counts(quarter, sizes).tolist() == expected == [1, 1, 1, 2, 10]
    assert parents.parent_counts(parents.Settings(share=0.1, least=2), sizes).tolist() == [
        *(1, 2, 2, 2, 4)
    ]


def test_who_stays():
    sizes, places = np.array([1, 2, 5, 6, 40]), np.array([3, 1, 0, 9, 9])

    def stay(**chosen):
        return parents.stay_counts(parents.Settings(**chosen), sizes, places).tolist()

    assert stay() == [0, 0, 0, 1, 1]
    assert stay(elites=2, elite_size=2) == [0, 1, 0, 2, 2]
    assert stay(stay=True, share=0.25) == [1, 1, 0, 2, 9]
    assert stay(elites=0) == [0, 0, 0, 0, 0]


def mates_of(chosen, children, seed=1):
    species = np.repeat([1, 4, 6], [10, 20, 5])
    fitness = RNG(seed).normal(size=35)
    ranking = parents.rank(species, fitness)
    links = np.arange(35)
    mates = parents.mate(chosen, ranking, np.array(children), fitness, links, RNG(seed + 1))
    return species, fitness, ranking, mates


def test_mates_are_parents_of_the_childs_species():
    chosen = parents.Settings(share=0.4, crossover=1, interspecies=0)
    species, fitness, ranking, mates = mates_of(chosen, [40, 0, 3000])
    both = mates.second >= 0
    assert np.bincount(mates.place).tolist() == [40, 0, 3000]
    assert (species[mates.first] == ranking.ids[mates.place]).all()
    assert (species[mates.second] == ranking.ids[mates.place])[both].all()
    assert (fitness[mates.first] >= fitness[mates.second])[both].all()
    # Two of five are parents: each is drawn as often, and half of the pairs are one and the same.
    allowed = set(ranking.order[30:32])
    last = mates.place == 2
    assert set(mates.first[last]) | set(mates.second[last & both]) == allowed
    assert both[last].mean() == pytest.approx(0.5, abs=0.04)
    # Who mates with the other is second if he is the worse one: 0.25 + 0.5 of the firsts are best.
    assert (mates.first[last] == ranking.order[30]).mean() == pytest.approx(0.75, abs=0.04)


def test_interspecies_mates_come_from_all_other_living_species_alike():
    chosen = parents.Settings(share=0.4, crossover=1, interspecies=1)
    species, _, ranking, mates = mates_of(chosen, [3000, 1, 0])
    mine = mates.place == 0
    pairs = set(zip(mates.first[mine], mates.second[mine], strict=True))
    own, others = set(ranking.order[:4]), set(ranking.order[10:18])
    assert {frozenset(pair) for pair in pairs} == {frozenset((a, b)) for a in own for b in others}
    assert (species[mates.first] != species[mates.second]).all()


def test_no_other_species_means_no_interspecies_mates():
    chosen = parents.Settings(share=1, crossover=1, interspecies=1)
    species, _, _, mates = mates_of(chosen, [50, 0, 0])
    assert (species[mates.first] == 1).all()
    assert (species[mates.second[mates.second >= 0]] == 1).all()


def test_of_equal_parents_the_smaller_comes_first():
    species, fitness = np.zeros(4, np.int64), np.array([1.0, 1.0, 2.0, 1.0])
    links, ranking = np.array([5, 3, 9, 4]), parents.rank(species, fitness)
    chosen = parents.Settings(share=1, crossover=1, interspecies=0)
    mates = parents.mate(chosen, ranking, np.array([200]), fitness, links, RNG(1))
    pairs = set(zip(mates.first.tolist(), mates.second.tolist(), strict=True))
    assert pairs - {(k, -1) for k in range(4)} == {(2, 0), (2, 1), (2, 3), (1, 0), (1, 3), (3, 0)}


def test_crossover_rate():
    chosen = parents.Settings(share=1, crossover=0.3)
    _, _, _, mates = mates_of(chosen, [0, 4000, 0])
    assert (mates.second >= 0).mean() == pytest.approx(0.3 * 0.95, abs=0.03)


# --- quotas -------------------------------------------------------------------------------------

FITNESS = st.one_of(
    st.floats(-1e308, 1e308), st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e308, -1e308])
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), FITNESS), min_size=1, max_size=40),
    st.sampled_from(["shared", "proportional"]),
    st.integers(0, 5),
    st.sampled_from(["zero", "worst"]),
    st.integers(0, 2**7 - 1),
)
def test_places_are_exact_whatever_the_fitness(individuals, rule, minimum, count_from, dead):
    species, fitness = (np.array(column) for column in zip(*individuals, strict=True))
    ranking = parents.rank(species, fitness)
    fertile = np.array([not dead >> k & 1 for k in ranking.ids])
    chosen = quotas.Settings(rule=rule, minimum=minimum, count_from=count_from)
    places = quotas.share_out(chosen, fitness, ranking, fertile, RNG(1))
    assert places.sum() in (0, len(fitness))
    assert (places >= 0).all()
    assert not places[~fertile].any()
    if places.sum() == 0:
        assert rule == "shared" or not fertile.any()
        places = quotas.rescue(fitness, ranking)
        assert places.sum() == len(fitness)
        assert fitness[ranking.best[np.argmax(places)]] == fitness.max()
    elif rule == "proportional" and len(fitness) >= minimum:
        assert (places[places > 0] >= minimum).all()


def many_species(seed):
    rng = RNG(seed)
    species = rng.integers(0, 12, 60)
    fitness = rng.gamma(0.7, size=60)
    return fitness, parents.rank(species, fitness)


@pytest.mark.parametrize("seed", range(20))
def test_shared_places_are_paper_as(seed):
    fitness, ranking = many_species(seed)
    means = [
        fitness[ranking.order[a:b]].mean()
        for a, b in zip(ranking.start[:-1], ranking.start[1:], strict=True)
    ]
    base = [round(60 * mean / sum(means)) for mean in means]
    base = [0 if quota < 2 else quota for quota in base]
    chosen = quotas.Settings(rule="shared", minimum=2)
    fertile = np.ones(len(means), np.bool_)
    places = quotas.share_out(chosen, fitness, ranking, fertile, RNG(seed)).tolist()
    assert sum(places) == 60
    if sum(base) <= 60:
        assert all(a >= b and (a == 0) == (b == 0) for a, b in zip(places, base, strict=True))
    else:
        while sum(base) > 60:
            base[base.index(max(base))] -= 1
        assert places == base


def test_missing_places_go_to_any_survivor():
    fitness = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.01, 0.01])
    ranking = parents.rank(np.array([0, 0, 1, 1, 1, 2, 3]), fitness)
    chosen, fertile = quotas.Settings(rule="shared", minimum=2), np.ones(4, np.bool_)
    # Entitled to 3.47 each: 3 and 3, and the seventh place goes to either.
    seen = {
        tuple(quotas.share_out(chosen, fitness, ranking, fertile, RNG(seed)).tolist())
        for seed in range(20)
    }
    assert seen == {(4, 3, 0, 0), (3, 4, 0, 0)}


@pytest.mark.parametrize("minimum", [0, 2, 4])
@pytest.mark.parametrize("seed", range(10))
def test_proportional_places_miss_the_exact_share_by_less_than_one(seed, minimum):
    fitness, ranking = many_species(seed)
    means = quotas.mean_fitness(quotas.Settings(), fitness, ranking)
    chosen = quotas.Settings(minimum=minimum)
    places = quotas.share_out(chosen, fitness, ranking, np.ones(len(means), np.bool_), RNG(1))
    assert places.sum() == 60
    above = places > minimum
    rest = 60 - places[~above].sum()
    exact = rest * means[above] / means[above].sum()
    assert (np.abs(places[above] - exact) < 1).all()
    # More fitness never gets fewer places.
    assert (np.diff(places[np.argsort(means)]) >= 0).all()


def test_species_that_do_not_fit_die_worst_first():
    fitness = np.arange(10.0)
    ranking = parents.rank(np.arange(10), fitness)
    chosen = quotas.Settings(minimum=3)
    places = quotas.share_out(chosen, fitness, ranking, np.ones(10, np.bool_), RNG(1))
    assert places.tolist() == [0] * 7 + [3, 3, 4]


def test_fitness_is_counted_from_zero_or_from_the_worst():
    species = np.array([0, 0, 1, 1])
    for fitness, count_from, expected in (
        ([2.0, 2.0, 6.0, 6.0], "zero", [1, 3]),
        ([2.0, 2.0, 6.0, 6.0], "worst", [0, 4]),
        ([-6.0, -2.0, -2.0, 2.0], "zero", [1, 3]),
        ([0.0, 0.0, 0.0, 0.0], "zero", [2, 2]),
        ([7.0, 7.0, 7.0, 7.0], "worst", [2, 2]),
    ):
        ranking = parents.rank(species, np.array(fitness))
        chosen = quotas.Settings(count_from=count_from)
        fertile = np.ones(2, np.bool_)
        places = quotas.share_out(chosen, np.array(fitness), ranking, fertile, RNG(1))
        assert places.tolist() == expected, (fitness, count_from)


# --- stagnation ---------------------------------------------------------------------------------


def fertile_after(chosen, history):
    """Return who is fertile after generations of {species: fitness}, each species of one member."""
    records, answers = stagnation.no_records(), []
    for generation, members in enumerate(history):
        species, fitness = np.array(list(members)), np.array(list(members.values()), np.float64)
        ranking = parents.rank(species, fitness)
        records = stagnation.update(records, ranking, fitness, generation)
        answer, records = stagnation.fertile(chosen, records, ranking, fitness, generation)
        answers.append(set(ranking.ids[answer].tolist()))
    return answers


def test_a_species_without_progress_loses_its_fertility():
    chosen = stagnation.Settings(generations=2, protected=1, population_generations=0)
    # 1 is best and protected; 2 gets better once, in generation 2; 3 comes late.
    history = [{1: 9, 2: 1}, {1: 9, 2: 1}, {1: 9, 2: 2}, {1: 9, 2: 2, 3: 0}, {1: 9, 2: 0, 3: 0}]
    history += [{1: 9, 2: 2, 3: 0}, {1: 9, 2: 5, 3: 0}]
    assert fertile_after(chosen, history) == [
        *({1, 2}, {1, 2}, {1, 2}, {1, 2, 3}, {1, 2, 3}, {1, 3}, {1, 2})
    ]
    bare = stagnation.Settings(generations=2, protected=0, population_generations=0)
    assert fertile_after(bare, [{1: 9, 2: 1}] * 4)[-2:] == [{1, 2}, set()]


def test_a_population_without_progress_keeps_two_species_once():
    chosen = stagnation.Settings(generations=0, population_generations=2)
    answers = fertile_after(chosen, [{1: 5, 2: 6, 3: 7}] * 8)
    assert [len(answer) for answer in answers] == [3, 3, 3, 2, 3, 3, 2, 3]
    assert answers[3] == {2, 3}


def test_without_limits_all_stay_fertile():
    chosen = stagnation.Settings(generations=0, population_generations=0)
    assert fertile_after(chosen, [{1: 5, 2: 6}] * 40)[-1] == {1, 2}


def test_the_worse_the_parent_the_more_power():
    chosen = mutation_power.Settings(growth=3)
    factors = mutation_power.factors(chosen, np.array([5.0, 1.0, 5.0, 7.0]))
    np.testing.assert_allclose(factors, [2.0, 4.0, 2.0, 1.0])
    assert (mutation_power.factors(mutation_power.Settings(), np.arange(4.0)) == 1).all()
