"""NEAT as a strategy: sizes, descent, species, the papers' settings, going on, small proofs."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from evoboard.core.errors import OptionError
from evoboard.core.rng import stream
from evoboard.core.settings import read
from evoboard.evolution import base
from evoboard.evolution.base import Evidence, Shape, make_strategy
from evoboard.evolution.genomes import neat as genomes
from evoboard.evolution.operators import neat_breeding, speciation
from evoboard.training.changes import merged
from evoboard.training.experiment import StrategyChoice

sys.path.insert(0, str(Path(__file__).parent.parent))
neat_settings = importlib.import_module("benchmarks.neat_settings")
neat_proofs = importlib.import_module("benchmarks.neat_proofs")
poles = importlib.import_module("benchmarks.poles")

SHAPE = Shape(5, 2)
SETTINGS = {
    "2002": ("neat", neat_settings.ORIGINAL),
    "paper A": ("neat", neat_settings.PAPER_A),
    "paper D": ("neat", neat_settings.PAPER_D),
    "series": ("tournament_series", {**neat_settings.PAPER_A, "series": 3}),
}


def start(which, seed=1, shape=SHAPE, **changes):
    """Return a strategy with one of the ready settings, `changes` merged into them."""
    name, settings = SETTINGS[which]
    return make_strategy(name, merged({**settings, "population": 40}, changes), shape, seed)


def run(strategy, generations, fitness=None):
    """Yield (population, its fitness, the population that follows) of so many generations."""
    for _ in range(generations):
        old = strategy.ask()
        luck = stream(strategy.seed, "test", strategy.generation)
        judged = luck.random(old.size) if fitness is None else fitness(old)
        strategy.tell(Evidence(judged))
        yield old, judged, strategy.ask()


def same(one, other, i, j):
    """Tell whether genome i of one population equals genome j of another, to the last bit."""
    return genomes.genome(one, i) == genomes.genome(other, j)


# --- what holds in every generation ---------------------------------------------------------------


@pytest.mark.parametrize("which", SETTINGS)
@pytest.mark.parametrize("kind", neat_proofs.FITNESS)
def test_the_size_is_exact_and_genomes_are_valid(which, kind):
    strategy, rng = start(which), np.random.default_rng(1)
    for _, _, new in run(strategy, 8, lambda old: neat_proofs.FITNESS[kind](rng, old.size)):
        assert new.size == genomes.count(new.genes) == 40
        assert len(np.unique(new.ids)) == 40
        assert {len(new.parents), len(new.species), len(new.origin)} == {40}
        genomes.check(new.genes, SHAPE)


@pytest.mark.parametrize("which", SETTINGS)
def test_ids_tell_who_stays_and_who_descends_from_whom(which):
    strategy = start(which)
    used = set(strategy.ask().ids.tolist())
    for old, _, new in run(strategy, 9):
        place = {int(k): i for i, k in enumerate(old.ids)}
        for i, who in enumerate(new.ids.tolist()):
            first, second = new.parents[i].tolist()
            if who in place:
                assert same(new.genes, old.genes, i, place[who])
                assert new.origin[i] in (base.KEPT, base.ELITE)
                assert (new.parents[i] == old.parents[place[who]]).all()
            else:
                assert who not in used
                assert first in place
                assert second == -1 or (second in place and second != first)
                assert new.origin[i] == (base.MUTANT if second == -1 else base.CROSSOVER)
        used |= set(new.ids.tolist())


@pytest.mark.parametrize("which", SETTINGS)
def test_species_numbers_are_never_used_again(which):
    never = {"normalise": "never"}
    strategy = start(which, speciation={"threshold": 0.9}, distance=never)
    seen, before = set(), set(strategy.ask().species.tolist())
    for _, _, new in run(strategy, 12):
        now = set(new.species.tolist())
        assert not (now - before) & seen
        seen |= before | now
        before = now
    assert len(seen) > 5


def test_the_fitter_parent_comes_first_and_both_are_among_the_best():
    strategy = start("paper A", speciation={"threshold": 1000.0})
    for old, fitness, new in run(strategy, 4):
        score = dict(zip(old.ids.tolist(), fitness, strict=True))
        best = set(old.ids[np.argsort(-fitness)[:10]].tolist())
        for first, second in new.parents[new.origin == base.CROSSOVER].tolist():
            assert score[first] >= score[second]
            assert {first, second} <= best


def test_every_generation_has_chances_of_its_own():
    strategy = start("2002", speciation={"threshold": 1000.0})
    patterns = []
    for old, _, new in run(strategy, 2, lambda old: -np.arange(40.0)):
        place = {int(k): i for i, k in enumerate(old.ids)}
        patterns.append([place.get(int(k)) for k in new.parents[:, 0]])
    assert patterns[0] != patterns[1]


def test_what_breeding_is_told(monkeypatch):
    plans, real = [], neat_breeding.breed

    def watch(genes, plan, *others):
        plans.append(plan)
        return real(genes, plan, *others)

    monkeypatch.setattr(neat_breeding, "breed", watch)
    strategy = start("paper D", power={"growth": 1.0})
    levels = np.repeat([1.0, 2.0], 20)
    for _, fitness, new in run(strategy, 3, lambda old: levels):
        plan = plans.pop()
        two = plan.second >= 0
        assert (plan.equal[two] == (fitness[plan.first] == fitness[plan.second])[two]).all()
        assert 0 < plan.equal[two].sum() <= two.sum()
        assert (plan.extent == np.where(new.origin == base.ELITE, 0, 2)).all()
        worse = fitness[plan.first] == 1.0
        assert (plan.factor == np.where(worse, 1 + 20 / 39, 1.0)).all()


@pytest.mark.parametrize(("which", "share"), [("paper A", 0.25), ("2002", 1.0)])
def test_representatives_come_from_parents_or_all_members(monkeypatch, which, share):
    known, real = [], speciation.speciate

    def watch(settings, by, threshold, genes, representatives, *others):
        known.append(representatives)
        return real(settings, by, threshold, genes, representatives, *others)

    monkeypatch.setattr(speciation, "speciate", watch)
    strategy, worst = start(which, speciation={"threshold": 1000.0}), 0
    for old, fitness, _ in run(strategy, 30):
        ids, member, genes = known[-1]
        assert ids.tolist() == [0]
        assert genes is old.genes
        worst = max(worst, int((fitness > fitness[member[0]]).sum()))
    assert 0.5 * share * 40 < worst < share * 40


# --- the papers -----------------------------------------------------------------------------------


def test_paper_a_keeps_the_best_quarter_of_each_species():
    strategy = start("paper A", speciation={"threshold": 1000.0})
    for old, fitness, new in run(strategy, 3):
        best = old.ids[np.argsort(-fitness, kind="stable")[:10]]
        assert new.ids[:10].tolist() == best.tolist()
        assert (new.origin[:10] == base.KEPT).all()
        assert not np.isin(new.ids[10:], old.ids).any()


@pytest.mark.parametrize("weight", [0.1, 1.5])
def test_paper_as_parents_keep_their_species_and_dead_species_stay_dead(weight):
    strategy = start("paper A", distance={"weight": weight, "normalise": "never"})
    died = 0
    for old, _, new in run(strategy, 20):
        kind = dict(zip(old.ids.tolist(), old.species.tolist(), strict=True))
        stayed = np.isin(new.ids, old.ids)
        assert [kind[k] for k in new.ids[stayed].tolist()] == new.species[stayed].tolist()
        living = set(new.species[stayed].tolist())
        assert set(new.species.tolist()) & set(old.species.tolist()) == living
        died += len(set(old.species.tolist()) - living)
    assert died > 20


def test_the_original_keeps_champions_of_species_of_more_than_five():
    strategy = start("2002", stagnation={"generations": 0, "population_generations": 0})
    for old, fitness, new in run(strategy, 12):
        stayed = set(new.ids.tolist()) & set(old.ids.tolist())
        ids, sizes = np.unique(old.species, return_counts=True)
        champions = set()
        for species in ids[sizes > 5]:
            members = np.flatnonzero(old.species == species)
            champions.add(int(old.ids[members[np.argmax(fitness[members])]]))
        # Only a species without any place loses its champion.
        assert stayed <= champions
        assert len(stayed) >= 1


def test_paper_d_keeps_two_elites_and_mates_between_species():
    strategy = start("paper D", speciation={"threshold": 0.5}, parents={"interspecies": 1.0})
    mixed = 0
    for old, _, new in run(strategy, 6):
        kind = dict(zip(old.ids.tolist(), old.species.tolist(), strict=True))
        counts = np.unique(old.species[np.isin(old.ids, new.ids)], return_counts=True)[1]
        assert counts.max() <= 2
        pairs = new.parents[new.origin == base.CROSSOVER].tolist()
        mixed += sum(kind[a] != kind[b] for a, b in pairs)
    assert mixed > 20


def test_paper_a_starts_with_one_mutation_round():
    plain, mutated = (
        start("paper A", start_mutation=False),
        start("paper A", mutations=[{"kind": "add_node", "chance": 1}]),
    )
    assert (genomes.complexity(plain.ask().genes)[0] == 0).all()
    assert (genomes.complexity(mutated.ask().genes)[0] == 1).all()


def test_a_series_changes_numbers_only_until_it_ends():
    strategy, changes = start("series", mutations=[{"kind": "add_node", "chance": 1.0}]), []
    for old, fitness, new in run(strategy, 9):
        if strategy.generation % 3 == 0:
            nodes = dict(zip(old.ids.tolist(), genomes.complexity(old.genes)[0], strict=True))
            child = new.origin != base.KEPT
            before = [nodes[first] for first in new.parents[child, 0].tolist()]
            assert (genomes.complexity(new.genes)[0][child] == np.array(before) + 1).all()
            continue
        assert (new.genes.link == old.genes.link).all()
        assert (new.genes.status == old.genes.status).all()
        assert (new.species == old.species).all()
        stays = new.ids == old.ids
        for species in np.unique(old.species):
            members = np.flatnonzero(old.species == species)
            count = max(1, round(0.25 * len(members)))
            best = members[np.argsort(-fitness[members], kind="stable")[:count]]
            assert set(np.flatnonzero(stays & (old.species == species))) == set(best)
        assert (new.parents[~stays, 0] == old.ids[~stays]).all()
        for i in range(40):
            assert same(new.genes, old.genes, i, i) == stays[i]
        changes.append(np.unique(np.round(new.genes.weight - old.genes.weight, 9)))
    assert len(np.intersect1d(changes[0], changes[1])) < 5


@pytest.mark.parametrize("reset", [True, False])
def test_stagnation_ends_in_a_new_start_or_the_best_species_lives_on(reset):
    limits = {"generations": 1, "protected": 0}
    alone = {"threshold": 1000.0}
    strategy = start("paper D", reset_on_extinction=reset, stagnation=limits, speciation=alone)
    history = list(run(strategy, 3, lambda old: np.arange(40.0) - 1000 * strategy.generation))
    assert not any((new.origin == base.NEW).any() for _, _, new in history[:2])
    old, _, new = history[2]
    assert (new.origin == base.NEW).all() == reset
    if reset:
        assert new.ids.min() > max(old.ids.max() for old, _, _ in history)
        assert new.species.min() > old.species.max()
        assert not same(new.genes, history[0][0].genes, 0, 0)
        assert strategy.state()["extra.records.top"] == -np.inf
        assert len(list(run(strategy, 2))) == 2
    else:
        assert set(new.species) == set(old.species)


def test_a_target_number_of_species_is_reached():
    strategy = start("2002", population=100, speciation={"threshold": 6.0, "target": 8})
    counts = [len(np.unique(new.species)) for _, _, new in run(strategy, 60)]
    assert counts[0] == 1
    assert 4 <= np.mean(counts[-20:]) <= 14
    assert strategy.facts()["threshold"] < 6.0


def test_bad_parents_have_more_changed_children():
    def change(growth):
        weak = [{"kind": "values", "power": 0.01}]
        strategy = start("series", power={"growth": growth}, mutations=weak)
        old, fitness, new = next(run(strategy, 1))
        worst = np.flatnonzero((new.ids != old.ids) & (fitness < np.median(fitness)))
        return np.mean(
            [
                np.abs(genomes.take(new.genes, [i]).weight - genomes.take(old.genes, [i]).weight)
                for i in worst
            ]
        )

    assert change(9.0) > 4 * change(0.0)


def test_facts_are_about_the_population_asked_for():
    strategy = start("2002", speciation={"threshold": 1.5})
    for _, _, new in run(strategy, 5):
        facts = strategy.facts()
        sizes = np.unique(new.species, return_counts=True)[1]
        assert facts["species"] == len(sizes)
        assert facts["largest_species"] == sizes.max()
        assert facts["threshold"] == 1.5
        assert facts["link_innovations"] >= new.genes.link.max() + 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"populaton": 5}, "population"),
        ({"population": 1}, "strategy.population is 1; it must be at least 2"),
        ({"parents": {"share": 0}}, "strategy.parents.share is 0; it must be more than 0"),
        ({"quotas": {"rule": "equal"}}, "strategy.quotas.rule"),
        ({"speciation": {"treshold": 3}}, "threshold"),
        ({"genome": {"hidden": "sigmoidal"}}, "sigmoid"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(OptionError, match=words):
        make_strategy("neat", settings, SHAPE, 1)


# --- going on -------------------------------------------------------------------------------------


def through_files(state):
    """Return a state as it comes back from storage: JSON values, and arrays as bytes."""
    copy = {}
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            stored = np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
            copy[name] = stored
        else:
            copy[name] = json.loads(json.dumps(value))
    return copy


@pytest.mark.parametrize("which", SETTINGS)
def test_a_restored_strategy_goes_on_as_if_it_had_never_stopped(which):
    changes = {"speciation": {"target": 5, "threshold": 1.0}, "distance": {"normalise": "never"}}
    whole, stopped = start(which, **changes), start(which, **changes)
    for generation in range(7):
        one, other = whole.state(), stopped.state()
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert np.array_equal(value, other[name]), (generation, name)
            assert np.asarray(value).dtype == np.asarray(other[name]).dtype, name
        fitness = stream(5, "fitness", generation).random(40)
        again = start(which, **changes)
        again.restore(through_files(other))
        stopped = again
        for strategy in (whole, stopped):
            strategy.ask()
            strategy.tell(Evidence(fitness))


@pytest.mark.parametrize("which", SETTINGS)
def test_another_seed_is_another_run(which):
    one, other = (list(run(start(which, seed), 2))[-1][2] for seed in (1, 2))
    assert (
        len(one.genes.weight) != len(other.genes.weight)
        or (one.genes.weight != other.genes.weight).any()
    )


# --- small proofs; benchmarks/neat_proofs.py has the large ones -----------------------------------


def test_xor_is_solved_soon():
    needed = neat_proofs.generations_needed(neat_proofs.xor, 2, 6, 100)
    assert max(needed) <= 100
    assert np.mean(needed) <= 40


def test_two_poles_are_balanced_soon():
    assert np.mean(neat_proofs.generations_needed(neat_proofs.two_poles, 6, 3, 60)) <= 24


def test_poles_keep_their_energy_where_there_is_no_friction(monkeypatch):
    """An independent check of the equations of motion: no force, no friction, constant energy."""
    monkeypatch.setattr(poles, "TRACK_FRICTION", 0.0)
    monkeypatch.setattr(poles, "HINGE_FRICTION", 0.0)

    def energy(x):
        total = 0.5 * poles.CART * x[1] ** 2
        for k, (half, mass) in enumerate(zip(poles.LENGTHS, poles.MASSES, strict=True)):
            angle, turn = x[2 + 2 * k], x[3 + 2 * k]
            along = x[1] + half * turn * np.cos(angle)
            up = half * turn * np.sin(angle)
            total += 0.5 * mass * (along**2 + up**2) + mass * half**2 * turn**2 / 6
            total -= mass * poles.GRAVITY * half * np.cos(angle)
        return total

    work = np.zeros((6, 6))
    work[poles.STATE] = 0.0, 0.3, 0.4, -0.2, -0.5, 1.0
    before = energy(work[poles.STATE])
    for _ in range(50):
        poles.advance(work, 0.0)
    assert abs(work[poles.STATE, 4]) > 1
    assert energy(work[poles.STATE]) == pytest.approx(before, rel=1e-5)


@pytest.mark.parametrize("name", ["PAPER_D", "NEAT_PYTHON"])
def test_links_do_not_drift_away_under_random_fitness(name):
    settings = {**getattr(neat_settings, name), "population": 100}
    means = np.mean([neat_proofs.drift(settings, 30, seed) for seed in range(3)], axis=0)
    assert means[0] == 36
    assert 27 < means[-1] < 54


# --- mutations ----------------------------------------------------------------------------------

FLIP = Path(__file__).parent.parent / "examples" / "parts" / "flip_weight.py"


def test_a_mutation_in_a_file_of_ones_own_needs_no_other_file(tmp_path):
    own = tmp_path / "flip.py"
    own.write_text(FLIP.read_text())
    settings = {"population": 30, "mutations": [{"kind": str(own), "chance": 1.0}]}
    strategy = make_strategy("neat", settings, SHAPE, 3)
    before = strategy.ask().genes
    after = neat_breeding.mutate(before, strategy.breeding, strategy.innovations, 4)
    assert (np.abs(after.weight) == np.abs(before.weight)).all()
    flipped = np.add.reduceat(after.weight != before.weight, before.link_start[:-1])
    assert (flipped == 1).all()


def test_a_structural_mutation_in_a_file_gets_room_to_grow_and_a_turn_of_its_own(tmp_path):
    own = tmp_path / "two_nodes.py"
    own.write_text(
        "from evoboard.core.settings import Settings as BaseSettings\n"
        "from evoboard.evolution.mutations import add_node\n"
        "from evoboard.evolution.mutations.add_node import mutate as split, rates\n"
        "STRUCTURAL, INSTEAD = True, 'add_link'\n"
        "class Settings(add_node.Settings):\n"
        "    'Two nodes at once.'\n"
        "def growth(settings):\n"
        "    return 2, 4\n"
        "def mutate(draft, rates, tables, factor):\n"
        "    first = split(draft, rates, tables, factor)\n"
        "    return split(draft, rates, tables, factor) or first\n"
    )
    settings = {"population": 20, "mutations": [{"kind": str(own), "chance": 1.0}]}
    strategy = make_strategy("neat", settings, SHAPE, 3)
    before = strategy.ask().genes
    after = neat_breeding.mutate(before, strategy.breeding, strategy.innovations, 4)
    assert (np.diff(after.node_start) == np.diff(before.node_start) + 2).all()
    genomes.check(after, SHAPE)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("STRUCTURAL = ", "STRUCTURE = ", "it lacks STRUCTURAL"),
        ("    chance: float", "    luck: float", "have `chance`"),
        ("def mutate", "def change", "it lacks mutate"),
        ("STRUCTURAL = False", "STRUCTURAL = True", r"define growth\(settings\)"),
    ],
)
def test_a_mutation_that_lacks_something_is_told_with_its_place(tmp_path, old, new, told):
    own = tmp_path / "flip.py"
    own.write_text(FLIP.read_text().replace(old, new))
    with pytest.raises(OptionError, match=rf"strategy\.mutations\.0\.kind: .*{told}"):
        make_strategy("neat", {"mutations": [{"kind": str(own)}]}, SHAPE, 3)


def test_settings_of_an_older_version_are_read_as_they_were_meant():
    older = {
        "name": "neat",
        "alternative": True,
        "mutation": {"power": 0.3, "weight": {"chance": 0.5, "low": -5.0, "high": 4.0}},
        "add_link": {"chance": 0.4, "loops": "kill"},
        "removal": {"node": 0.2, "link": 0.0, "nodes": "any"},
        "attributes": {
            "activations": ["sin"],
            "activation_chance": 0.1,
            "aggregations": [],
            "aggregation_chance": 0.0,
            "enable": 0.0,
            "freeze": 0.3,
            "frozen": True,
        },
    }
    found = read(StrategyChoice, older).settings
    assert (found.genome.loops, found.start.frozen) == ("kill", True)
    assert (found.start.weight.low, found.start.weight.high) == (-5.0, 4.0)
    rows = {choice.kind: choice.settings for choice in found.mutations}
    assert list(rows) == [
        *("add_node", "remove_node", "add_link", "enable_link"),
        *("values", "activation", "freeze_link"),
    ]
    assert (rows["add_node"].chance, rows["add_link"].chance) == (0.03, 0.4)
    assert (rows["remove_node"].chance, rows["remove_node"].nodes) == (0.2, "any")
    assert (rows["values"].power, rows["values"].weight.chance) == (0.3, 0.5)
    assert (rows["activation"].chance, rows["activation"].choices) == (0.1, ("sin",))
    # What is written now is not mixed with what was written then.
    with pytest.raises(OptionError, match="named 'add_link'"):
        read(StrategyChoice, {"mutations": [{"kind": "values"}], "add_link": {"chance": 0.4}})
