"""Training: who meets whom, what it is worth, who is champion, and that nothing depends on chance
that has no address."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from evoboard.arena.backends.base import find_backend
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.scoring import ResultTable
from evoboard.core.errors import EvoboardError, OptionError, PartError
from evoboard.core.rng import address, stream
from evoboard.evolution.base import Evidence, strategy_names
from evoboard.evolution.genomes import real
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.players.network import find_network
from evoboard.runs.runner import start_run
from evoboard.training import loop
from evoboard.training.experiment import FitnessChoice, read_experiment, resolved
from evoboard.training.gain import GainWatch
from evoboard.training.lessons import won_inputs
from evoboard.training.loop import Trainer
from evoboard.training.observer import measurements, species_rows
from evoboard.training.pairings import (
    MOST_SPREAD,
    Archive,
    ArchiveEntry,
    draw_league,
    player_games,
    population_games,
)

NIM = load_game("nim:heaps=3/4")
# A small game that every strategy's players can play, by search or (layered) by policy.
SMALL = {
    "generations": 6,
    "game": {"name": "kingcapture", "plies": 16},
    "player": {"encoder": "squares"},  # whose kernels other tests need as well
    "search": {"name": "alphabeta", "depth": 1},
    "fitness": {"openings": 1},
    "measure": {"every": 2, "games": 2, "champion_games": 2, "previous": 2, "spread": 2},
    "record": {"games_every": 3, "genomes_every": 3},
}
POPULATIONS = {
    "neat": {"population": 12},
    "tournament_series": {"population": 12},
    "layered": {"population": 8},
    "morphological": {"population": 8},
    "draughts_ga": {},
    "blondie": {"population": 10},
    "lifetime": {"population": 8, "network": {"hidden": [3]}},
    "temporal_difference": {"population": 8, "network": {"hidden": [3]}},
    "evolution_strategy": {"population": 9},
    "cmaes": {"population": 9, "separable": True},
}


def experiment(name="blondie", changes=(), **tables):
    strategy = {"name": name, **POPULATIONS.get(name, {})}
    return read_experiment({**SMALL, "strategy": strategy, **tables}, changes)


def plain(value):
    """Return a record as data that can be compared, without its timings."""
    if is_dataclass(value):
        names = [f.name for f in fields(value) if f.name != "timings"]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return dict(value) if isinstance(value, dict) else value


def copied(state):
    """Return a state as it comes back from storage."""
    return {
        key: value.copy() if isinstance(value, np.ndarray) else json.loads(json.dumps(value))
        for key, value in state.items()
    }


@pytest.mark.parametrize("name", strategy_names())
def test_one_seed_one_run_whatever_the_threads_and_interruptions(name):
    serial = Trainer(experiment(name), 5, find_backend(threads=1))
    threaded = Trainer(experiment(name), 5, find_backend(threads=2))
    for _ in range(3):
        expected = plain(serial.step())
        assert plain(threaded.step()) == expected
        fresh = Trainer(experiment(name), 5, find_backend(threads=2))
        fresh.restore(copied(threaded.state()))
        threaded = fresh
    assert serial.final() == threaded.final()


def test_measuring_and_recording_change_nothing_else():
    watched = Trainer(experiment(), 3)
    quiet = Trainer(
        experiment(changes=["measure.every=0", "record.games_every=0", "record.genomes_every=0"]), 3
    )
    for _ in range(4):
        one, other = watched.step(), quiet.step()
        assert plain(one.individuals) == plain(other.individuals)
        assert one.champion == other.champion
    assert watched.final() == quiet.final()


def test_a_generation_of_paper_b_has_all_its_numbers():
    changes = ["strategy.population=12", "fitness.opponents=3", "measure.spread=4"]
    trainer, shared = Trainer(load("nim-1-8-onehot", changes), 3), 0
    for generation in range(6):
        record = trainer.step()
        numbers = record.numbers
        wanted = {"best", "plies_mean", "grade", "performance", "champion_links"}
        assert wanted | {"hidden_layers", "nodes_per_hidden_layer"} <= set(numbers)
        rows = [row for row in record.measurements if row.kind == "spread"]
        assert len(rows) == min(generation, 4)
        if rows:
            shares = [(row.wins + row.draws / 2) / 2 for row in rows]  # of two games each
            assert numbers["spread_score"] == pytest.approx(np.mean(shares))
        starts = [kept.record.start for kept in record.games if kept.purpose == "spread"]
        assert starts[::2] == starts[1::2]  # a heap, with both colours
        shared += len(rows) > 1 and len(set(starts)) == 1
    assert shared < 2  # of four generations: each opponent's heap is drawn by itself


def test_games_against_others_may_have_one_colour_drawn_at_random():
    pairs = {}
    for colours in ("both", "random"):
        choice = FitnessChoice(
            schedule="none", colours=colours, against=[{"kind": "previous_best", "count": 5}]
        )
        pairs[colours] = population_games(NIM, choice, 40, 5, 1, 0).pairings
    assert len(pairs["both"]) == 2 * len(pairs["random"]) == 400
    one = pairs["random"]
    assert {tuple(sorted(pair)) for pair in one.tolist()} == {
        (i, 40 + r) for i in range(40) for r in range(5)
    }
    assert 70 < (one[:, 0] < 40).sum() < 130  # first as often as second, about


def test_learning_values_begin_where_the_experiment_says():
    for first in (1, 2):
        changes = ["measure.learning=true", f"measure.learning_from={first}"]
        trainer = Trainer(experiment(changes=changes), 3)
        records = [trainer.step() for _ in range(4)]
        told = ["learning" in record.numbers for record in records]
        assert told == [generation >= first for generation in range(4)]
        # Paper E: 1 / 0 / -1, the mean over opponents of the mean over games; and their sum.
        total = 0.0
        for record in records[first:]:
            met = [row for row in record.measurements if row.kind == "previous"]
            means = [(row.wins - row.losses) / (row.wins + row.draws + row.losses) for row in met]
            total += np.mean(means)
            assert record.numbers["learning"] == pytest.approx(np.mean(means), abs=1e-12)
            assert record.numbers["learned"] == pytest.approx(total, abs=1e-12)
        assert total != 0  # or nothing was compared


def test_sizes_of_networks_that_are_no_whole_numbers_are_refused(monkeypatch):
    trainer = Trainer(experiment(), 3)
    kind = trainer.strategy.genomes
    monkeypatch.setattr(kind, "complexity", lambda genes: (np.zeros(8), np.zeros(8, np.int64)))
    with pytest.raises(PartError, match=r"as whole numbers \(int64\); it returned float64 and int"):
        trainer.step()


def test_another_seed_is_another_run():
    one, other = (Trainer(experiment(), seed).step() for seed in (1, 2))
    assert one.champion.genome != other.champion.genome


def test_statistics_are_of_the_population_that_played():
    trainer = Trainer(experiment("neat"), 1)
    asked = trainer.strategy.ask()
    record = trainer.step()
    assert record.individuals.ids.tolist() == asked.ids.tolist()
    assert record.champion.id == int(asked.ids[record.champion_slot])
    assert record.numbers["best"] == record.individuals.fitness.max()
    # Every game's points are somebody's.
    assert record.individuals.fitness.sum() == record.numbers["games"] == 12 * 11


def test_rounds_have_the_games_they_should():
    def games(**choice):
        return population_games(NIM, FitnessChoice(**choice), 6, choice.pop("rivals", 0), 1, 2)

    assert len(games().pairings) == 30
    assert len(games(schedule="single_round_robin").pairings) == 15
    assert len(games(openings=2).pairings) == 60
    paired = games(openings=2, opening_plies=1, pool=7)
    assert paired.opening_of.max() < len(paired.openings) == 7
    # Games 2i and 2i + 1 are one pair of players and one opening, with colours exchanged.
    assert (paired.pairings[::2] == paired.pairings[1::2, ::-1]).all()
    assert (paired.opening_of[::2] == paired.opening_of[1::2]).all()
    circular = games(schedule="circular", opponents=2)
    assert len(circular.pairings) == 12


def test_with_a_pool_both_games_of_a_pair_begin_alike():
    schedule = population_games(NIM, FitnessChoice(pool=50), 6, 0, 1, 2)
    begins = dict(zip(map(tuple, schedule.pairings.tolist()), schedule.opening_of, strict=True))
    assert len(begins) == 30  # every pair twice, once with each colour
    assert all(begins[a, b] == begins[b, a] for a, b in begins)
    assert len(set(begins.values())) > 7  # and not all pairs alike


def test_rivals_meet_everybody_with_both_colours():
    choice = FitnessChoice(schedule="none", against=({"kind": "previous_best", "count": 2},))
    schedule = population_games(NIM, choice, 4, 2, 1, 0)
    met = {tuple(pair) for pair in schedule.pairings.tolist()}
    assert met == {(i, r) for i in range(4) for r in (4, 5)} | {
        (r, i) for i in range(4) for r in (4, 5)
    }


@pytest.mark.parametrize("kind", ["previous_best", "previous_champions", "hall_of_fame", "league"])
def test_opponents_from_outside(kind):
    against = [{"kind": kind, "count": 3}]
    made = experiment(fitness={"schedule": "none", "openings": 1, "against": against})
    trainer = Trainer(made, 2)
    counts = [trainer.step().numbers["games"] for _ in range(4)]
    # At first there are no champions; then one more in each generation, up to three.
    expected = [3, 3, 3, 3] if kind == "previous_best" else [3, 1, 2, 3]
    assert counts == [10 * 2 * n for n in expected]


def test_fixed_players_as_opponents():
    against = [{"kind": "players", "players": ["random", "material:depth=1"]}]
    few = ["strategy.population=6"]
    alone = experiment(
        changes=few,
        fitness={"schedule": "none", "openings": 1, "against": against},
        measure={"every": 0},
    )
    record = Trainer(alone, 1).step()
    assert record.individuals.games.tolist() == [4] * 6
    both = experiment(
        changes=few,
        fitness={"schedule": "circular", "opponents": 1, "openings": 1, "against": against},
        measure={"every": 0},
    )
    record = Trainer(both, 1).step()
    assert record.individuals.games.tolist() == [4 + 4] * 6


def test_a_league_prefers_opponents_near_one_half():
    entries = [
        ArchiveEntry(i, i, None, points=share * 100, games=100)
        for i, share in enumerate((0, 0.5, 1))
    ]
    drawn = [draw_league(entries, 1, stream(seed, "league"))[0].generation for seed in range(400)]
    assert drawn.count(1) > 300
    assert {0, 2} <= set(drawn)


def test_the_archive_stays_small_and_spread():
    archive = Archive(real, recent=5)
    for generation in range(5000):
        archive.add(generation, generation, None)
        assert len(archive.entries) <= MOST_SPREAD + 5
    generations = [entry.generation for entry in archive.entries]
    assert generations[-5:] == [4995, 4996, 4997, 4998, 4999]
    assert generations[0] == 0
    assert [entry.generation for entry in archive.previous(2)] == [4999, 4998]
    spread = [entry.generation for entry in archive.spread(6)]
    assert len(spread) == 6
    gaps = np.diff(spread)
    assert gaps.max() < 1.3 * gaps.min()


def test_as_many_of_the_latest_champions_are_kept_as_are_asked_for():
    against = [{"kind": "previous_champions", "count": 21}]
    for asked, count in (
        ({"measure": {"previous": 17}}, 17),
        ({"fitness": {"against": against}}, 21),
        ({"measure": {"previous": 2}}, 10),
    ):
        archive = Trainer(experiment(**asked), 1).archive
        for generation in range(300):
            archive.add(generation, generation, None)
        kept = [entry.generation for entry in archive.previous(count)]
        assert kept == list(range(299, 299 - count, -1))


def test_measured_elo_is_that_of_the_pairs():
    """Player 0 has won with the first colour what it lost with the second, and the like."""
    games = [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1), (1, 0)] + [(0, 2), (2, 0)] * 3
    results = [1, 1, 1, 0, 1, -1, -1, 1, 0, 1, 1, 1]
    openings = [0, 0, 1, 1, 2, 2] * 2
    rows = measurements(
        "anchor", ResultTable.of(3, games, results, openings), 0, {1: "one", 2: "two"}
    )
    assert [row[:5] for row in rows] == [("anchor", "one", 4, 1, 1), ("anchor", "two", 1, 1, 4)]
    for row, pairs in zip(rows, [(0, 0, 1, 1, 1), (1, 1, 1, 0, 0)], strict=True):
        wanted = elo_difference(Tally(pairs=pairs))
        assert row[5:] == (wanted.elo, wanted.low, wanted.high)


def test_champions_are_revalidated():
    made = experiment(champion={"candidates": 4, "openings": 3})
    trainer = Trainer(made, 4)
    record = trainer.step()
    best = np.argsort(-record.individuals.fitness, kind="stable")[:4]
    assert record.champion_slot in best


def test_the_search_deepens_when_it_should():
    search = {"name": "alphabeta", "depth": 1, "later": [{"generation": 2, "depth": 2}]}
    trainer = Trainer(experiment(search=search), 1)
    assert [trainer.step().numbers["depth"] for _ in range(4)] == [1, 1, 2, 2]


def test_opponents_are_met_from_their_generation_on():
    against = [
        {"kind": "players", "players": ["random"]},
        {"kind": "players", "players": ["material:depth=1", "random"], "generation": 1},
        {"kind": "previous_champions", "count": 1, "generation": 2},
    ]
    fitness = {"schedule": "none", "openings": 1, "against": against}
    trainer = Trainer(experiment("lifetime", fitness=fitness, measure={"every": 0}), 1)
    games = [trainer.step().numbers["games"] for _ in range(3)]
    # Eight individuals, with both colours: one player, three of them, and a champion.
    assert games == [8 * 2, 8 * 2 * 3, 8 * 2 * 4]
    with pytest.raises(OptionError, match="the first generation would play no games"):
        experiment(fitness={**fitness, "against": against[1:]})


def test_runs_end_when_they_should():
    trainer = Trainer(experiment(generations=1), 1)
    assert trainer.finished() == ""
    trainer.step()
    assert trainer.finished() == "its 1 generation is done"
    trainer = Trainer(experiment(stop={"fitness": 1.0}), 1)
    trainer.step()
    assert "has reached 1" in trainer.finished()


def test_a_run_ends_when_nothing_has_become_better(monkeypatch):
    best = iter([3.0, 2.0, 3.5, 3.5, 1.0])
    monkeypatch.setattr(loop, "fitness_of", lambda *given: np.full(given[-1], next(best)))
    trainer = Trainer(experiment(stop={"stagnation": 2}, measure={"every": 0}), 1)
    told = []
    for _ in range(5):
        trainer.step()
        told.append(trainer.finished())
    assert told[:4] == [""] * 4
    assert told[4] == "for 2 generations no fitness was better than before"


def test_a_run_ends_when_its_champions_no_longer_improve():
    # Nobody ever changes, so what a champion gains is luck.
    still = {"learning": {"passes": 0}, "mutation": {"share": 0.0, "least": 0.0}, "cross": False}
    strategy = {"name": "lifetime", **POPULATIONS["lifetime"], **still}
    search = {"name": "alphabeta", "depth": 1, "later": [{"generation": 1, "depth": 2}]}
    tables = {**SMALL, "generations": 30, "search": search, "strategy": strategy}
    made = read_experiment({**tables, "stop": {"gain": 2, "gain_games": 20}})
    trainer, told = Trainer(made, 1), []
    while not trainer.finished():
        told.append(trainer.step())
        fresh = Trainer(made, 1)
        fresh.restore(copied(trainer.state()))
        trainer = fresh
    # The first that must be beaten is of generation 1, when the search is as deep as it gets.
    checked = [r.generation for r in told if "gain" in r.numbers]
    assert checked[0] == 3
    assert checked[-1] == told[-1].generation < 29
    assert re.fullmatch(
        r"it has stopped improving: the champion of generation \d+ takes \d+% \(\d+% … \d+%\) "
        r"of 20 games from that of generation \d+",
        trainer.finished(),
    )
    # The last champion is measured, and games that end a run change nothing else.
    assert told[-1].measurements
    endless = Trainer(read_experiment(tables), 1)
    for record in told:
        assert plain(endless.step().individuals) == plain(record.individuals)
    assert endless.finished() == ""


def test_a_run_whose_champions_improve_goes_on(monkeypatch):
    won = elo_difference(Tally(pairs=(0, 0, 0, 0, 10)))
    monkeypatch.setattr(GainWatch, "_meet", lambda *given: won)
    tables = {"generations": 6, "stop": {"gain": 2}, "measure": {"every": 0}}
    trainer = Trainer(experiment(**tables), 1)
    told = [trainer.step().numbers for _ in range(6)]
    assert [i for i, numbers in enumerate(told) if "gain" in numbers] == [2, 4]
    assert trainer.gain.generation == 4
    assert trainer.finished() == "all 6 generations are done"
    # Where opponents come later, nobody is judged before.
    against = [{"kind": "previous_champions", "count": 1, "generation": 1}]
    fitness = {**SMALL["fitness"], "against": against}
    trainer = Trainer(experiment(**tables, fitness=fitness), 1)
    told = [trainer.step().numbers for _ in range(6)]
    assert [i for i, numbers in enumerate(told) if "gain" in numbers] == [3, 5]


def test_the_last_champion_is_measured_whatever_the_interval():
    made = experiment(generations=3, measure={"every": 5, "games": 2, "spread": 0, "previous": 0})
    trainer = Trainer(made, 1)
    assert [len(trainer.step().measurements) for _ in range(3)] == [1, 0, 1]


def test_material_searches_as_the_run_does_unless_its_text_says_how():
    search = {"name": "alphabeta", "depth": 1, "later": [{"generation": 1, "depth": 2}]}
    anchors = ["random", "material", "material:depth=1"]
    measure = {"every": 1, "games": 2, "spread": 0, "previous": 0, "anchors": anchors}
    trainer = Trainer(experiment(generations=2, search=search, measure=measure), 1)
    met = [[row.opponent for row in trainer.step().measurements] for _ in range(2)]
    # At depth 1 that is what `material` does anyway, and its name stays as it was.
    assert met == [anchors, ["random", "material:depth=2", "material:depth=1"]]


@pytest.mark.parametrize(
    "place, changes",
    [
        ("measure.anchors", {"measure": {"anchors": ["random", "material:dept=2"]}}),
        (
            "fitness.against.1.players",
            {
                "fitness": {
                    "against": [
                        {"kind": "hall_of_fame"},
                        {"kind": "players", "players": ["random", "material:dept=2"]},
                    ]
                }
            },
        ),
    ],
)
def test_a_wrong_fixed_player_ends_a_run_before_it_begins(place, changes, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    wrong = f"^{place}: player 'material:dept=2': there is no setting of alphabeta named 'dept'"
    with pytest.raises(OptionError, match=wrong):
        start_run("wrong", experiment(**changes), 1)
    assert list(tmp_path.iterdir()) == []


VECTORS = [name for name in POPULATIONS if name not in ("neat", "tournament_series", "layered")]


@pytest.mark.parametrize("name", VECTORS)
def test_a_run_can_begin_with_a_player_and_needs_it_no_more(name, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    start_run("first", experiment(name, generations=1, measure={"every": 0}), 1)
    known = find_network("run:first@best", load_game("kingcapture")).network
    begun = experiment(name, player={"encoder": "squares", "start": "run:first@best"})
    trainer = Trainer(begun, 2)
    vectors = trainer.strategy.ask().genes.vector
    assert np.array_equal(vectors[0].astype(np.float32), known.vector)
    spread = np.abs(vectors - known.vector).max(axis=1)
    assert (spread[1:] > 0).all()
    assert spread.max() < 3, "the others are not near the player"
    state = copied(trainer.state())
    shutil.rmtree(tmp_path / "first")
    again = Trainer(begun, 2)
    again.restore(state)
    assert np.array_equal(again.strategy.ask().genes.vector, vectors)


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("neat", (), "this strategy cannot begin with a player; those that evolve"),
        ("blondie", ["player.start=material"], "player.start: the player material has no network"),
        ("blondie", ["player.start=run:none"], "player.start: player 'run:none': there is no run"),
        ("blondie", [], "player.start: champion sees positions by threats, and squares does not"),
        ("blondie", ["player.encoder=threats"], "the player to begin with has the network 222-1"),
    ],
)
def test_a_player_that_a_run_cannot_begin_with_is_refused(name, changes, told):
    chosen = experiment(name, ["player.start=champion", *changes])
    with pytest.raises(EvoboardError, match=f"^{re.escape(told)}"):
        Trainer(chosen, 1).strategy.ask()


def test_anchors_that_are_never_met_need_not_be_there():
    Trainer(experiment(measure={"every": 0, "anchors": ["material:dept=2"]}), 1)


def test_reused_results_are_the_results():
    fitness = {"openings": 0, "reuse": True}
    # Games that are recorded are always played.
    kept = {"games_every": 0}
    reusing = Trainer(experiment("morphological", fitness=fitness, record=kept), 1)
    playing = Trainer(experiment("morphological", fitness={"openings": 0}), 1)
    for _ in range(4):
        assert plain(reusing.step().individuals) == plain(playing.step().individuals)
    # Two of eight are new: of 56 games, those among the other six are known.
    assert reusing.cache is not None
    assert reusing.cache.hits >= 3 * 6 * 5
    assert len(reusing.cache) == 8 * 7


def test_species_rows_follow_the_papers_formula():
    rows = species_rows(np.array([4, 7, 4, 7]), np.array([1.0, 2.0, 3.0, 6.0]))
    assert [(row.species, row.size, row.best, row.mean) for row in rows] == [
        (4, 2, 3.0, 2.0),
        (7, 2, 6.0, 4.0),
    ]
    # (mean - 1) / max(1, 6 - 1)
    assert [row.adjusted for row in rows] == [pytest.approx(0.2), pytest.approx(0.6)]
    assert species_rows(np.array([-1, -1]), np.array([1.0, 2.0])) == ()


def test_a_resolved_experiment_says_everything_and_reads_back():
    made = experiment("neat", ["strategy.population=20"])
    data = json.loads(json.dumps(resolved(made)))
    assert data["strategy"]["population"] == 20
    assert data["champion"]["candidates"] == 1
    assert resolved(read_experiment(data)) == data


@pytest.mark.parametrize(
    "changes, words",
    [
        (["generatoins=5"], ["generatoins", "generations"]),
        (["strategy.populaton=5"], ["populaton", "population"]),
        (["strategy.name=neet"], ["neet", "neat"]),
        (["search.dept=2"], ["dept", "depth"]),
        (["search.name=alphabet"], ["alphabet", "alphabeta"]),
        (["game.name=kingcaptur"], ["kingcaptur", "kingcapture"]),
        (["generations=0"], ["generations", "0", "at least 1"]),
        (["generations=many"], ["generations", "many", "whole number"]),
        (["fitness.scoring=1/2/3"], ["1/2/3"]),
        (["fitness.schedule=none"], ["no games would be played"]),
        (["measure.games=3"], ["games must be even"]),
        (["game=chess"], ["game"]),
        (["generations"], ["key=value"]),
        (["generations.more=1"], ["generations", "table"]),
        ([f"generations={'1' * 5000}"], ["cannot set generations", "too many digits"]),
        ([f"generations=0x{'f' * 5000}"], ["generations is 0xff", "at most"]),
        ([f"measure.every=0x{'f' * 5000}"], ["measure.every is 0xff", "at most"]),
        ([f"measure.anchors=0x{'f' * 5000}"], ["measure.anchors is 0xff", "a list"]),
        ([f"generations={'[' * 5000}"], ["cannot set generations", "nested too deep"]),
        ([f"search.later.{'1' * 5000}.depth=2"], ["cannot read the change", "key=value"]),
        (["search.later=[]", "search.later.0.depth=2"], ["no entry yet"]),
        (["1" * 5000], ["5000 characters", "key=value"]),
        (["seed=3"], ["--seed 3"]),
    ],
)
def test_wrong_experiments_are_told_in_one_sentence(changes, words):
    with pytest.raises(EvoboardError) as told:
        experiment("neat", changes)
    text = str(told.value)
    assert all(word in text for word in words), text
    assert "\n" not in text
    assert len(text) < 400


@pytest.mark.parametrize("value", ["1" * 5000, "[" * 5000])
def test_a_file_beyond_what_python_reads_is_told_in_one_sentence(tmp_path, value):
    path = tmp_path / "own.toml"
    path.write_text(f"generations = {value}\n")
    with pytest.raises(PartError, match=r"cannot be read as TOML: a number has too many digits"):
        load(str(path))


def test_tell_wants_the_right_number_of_values():
    trainer = Trainer(experiment(), 1)
    trainer.strategy.ask()
    with pytest.raises(OptionError, match="3 fitness values for 10"):
        trainer.strategy.tell(Evidence(np.zeros(3)))


def test_fitness_may_be_points_per_game():
    trainer = Trainer(experiment(fitness={"openings": 1, "total": "mean"}), 1)
    fitness = trainer.step().individuals.fitness
    assert 0 <= fitness.min() <= fitness.mean() == pytest.approx(0.5)


@pytest.mark.parametrize(
    "name, encoder",
    [
        pytest.param("draughts", "squares", marks=pytest.mark.proof),
        ("kingcapture", "squares"),
    ],
)
def test_won_positions_speak_for_the_winner(name, encoder):
    made = experiment(
        "draughts_ga",
        game={"name": name, "plies": 60},
        player={"encoder": encoder},
        fitness={"openings": 2, "opening_plies": 3},  # so that side 1 begins
    )
    trainer = Trainer(made, 1)
    population = trainer.strategy.ask()
    networks = trainer.strategy.express(population.genes)
    schedule = population_games(trainer.game, made.fitness, population.size, 0, 1, 0)
    assert {trainer.game.side(state) for state in schedule.openings} == {1}
    played = trainer.arena.play(networks, schedule, 1, record=True)
    found = won_inputs(trainer.game, trainer.encoder, played, population.size, 10_000)
    kernel = trainer.game.link(trainer.encoder.encode)
    for player, inputs in enumerate(found):
        expected = []
        for number in range(played.table.games):
            side = (
                [played.table.first[number], played.table.second[number]].index(player)
                if (player in (played.table.first[number], played.table.second[number]))
                else -1
            )
            if side < 0 or played.table.results[number] != 1 - 2 * side:
                continue
            if name == "kingcapture" and side == 1:  # its networks see with White's eyes
                continue
            record = played.record(trainer.game, number)
            state = trainer.game.parse_state(record.start)
            for move in record.moves:
                if name == "kingcapture" or trainer.game.side(state) == side:
                    out = np.zeros(trainer.encoder.inputs, np.float32)
                    kernel(state, out)
                    expected.append(out)
                state = trainer.game.apply(state, move)
        assert len(inputs) == len(expected)
        assert all(np.array_equal(a, b) for a, b in zip(inputs, expected, strict=True))
    assert sum(map(len, found)) > 100


def test_where_fixed_players_decide_fitness_they_decide_the_final():
    changes = ["generations=4", "strategy.population=5", "game.plies=30", "measure.every=0"]
    changes += ["fitness.openings=1", "champion.finalists=3", "champion.final_openings=2"]
    trainer = Trainer(load("hexwar-quick", changes), 1)
    while not trainer.finished():
        trainer.step()
    told: list[int] = []
    final = trainer.final(told.append)
    assert list(final.scores) == [0, 2, 3]
    # By hand: each of the three meets the count of pieces from the same fresh openings.
    players = [e for e in trainer.archive.entries if e.generation in final.scores]
    networks = trainer.strategy.express(trainer.archive.joined(players))
    fitness = trainer.experiment.fitness.model_copy(update={"openings": 2})
    chance = address(1, "final", 3)
    schedule = player_games(trainer.game, fitness, 3, 3, 1, chance, 3)
    assert len(schedule.pairings) == 3 * 2 * 2 == sum(told)
    table = trainer.arena.play(networks, schedule, chance, ["material:depth=1"]).table
    shares = (table.points() / table.played())[:3]
    assert list(final.scores.values()) == pytest.approx(shares)
    best = [generation for generation, share in final.scores.items() if share == max(shares)]
    assert final.champion_generation == best[-1]
