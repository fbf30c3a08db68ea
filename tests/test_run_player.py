"""Players of runs: run:NAME, @best, @gen=40, @gen=40#3, and what they say when there is none."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from evoboard.core.errors import EvoboardError, NotFound, OptionError
from evoboard.core.options import split_options
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.networks import graph
from evoboard.players.base import make_player
from evoboard.players.run import Address, find_player, read_address, run_players
from evoboard.runs.folder import request_stop
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.reader import open_run
from evoboard.store.run_file import run_mark
from fake_trainer import FakeTrainer, fake_experiment

KING = load_game("kingcapture")
LATER = {"depth": 1, "later": [{"generation": 6, "depth": 2}]}


@pytest.fixture(scope="module", autouse=True)
def runs(tmp_path_factory):
    """One finished run, and one that was stopped."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(folder))
        record = {"games_every": 0, "genomes_every": 4}
        done = fake_experiment(10, record, search=LATER)
        start_run("done", done, 1, make_trainer=Surprising)
        stop = Listener()
        stop.generation = lambda row: request_stop("halted") if row.generation == 5 else None
        start_run("halted", done, 1, make_trainer=Surprising, listener=stop)
        yield folder


class Surprising(FakeTrainer):
    """Its final is won by the champion of generation 3."""

    def final(self, progress=None):
        return replace(super().final(), champion_generation=3, id=champion_of("done", 3))


def champion_of(run, generation):
    with open_run(run) as reader:
        return reader.rows(generation, generation)[0].champion


@pytest.mark.parametrize(
    "text,kind,options",
    [
        ("run:a", "run", {"": "a"}),
        ("run:a@gen=40", "run", {"": "a@gen=40"}),
        ("run:a@gen=40#3,depth=2", "run", {"": "a@gen=40#3", "depth": "2"}),
        (
            "run: a@best , search=mcts,rounds=9",
            "run",
            {"": "a@best", "search": "mcts", "rounds": "9"},
        ),
        ("file:odd/a=b.json,depth=2", "file", {"": "odd/a=b.json", "depth": "2"}),
        ("material:depth=2,search=pvs", "material", {"depth": "2", "search": "pvs"}),
    ],
)
def test_the_equals_sign_of_a_generation_is_no_option(text, kind, options):
    assert split_options(text) == (kind, options)


def test_an_address_is_read_as_it_is_written():
    assert read_address("a.b-c") == Address("a.b-c")
    assert read_address("a@best") == Address("a")
    assert read_address("a@gen=40") == Address("a", 40)
    assert read_address("a@gen=40#3") == Address("a", 40, 3)
    for text in (f"a@gen={'9' * 5000}", f"a@gen=4#{'9' * 5000}"):
        with pytest.raises(OptionError, match=r"names no player of a run; write run:NAME") as told:
            read_address(text)
        assert len(str(told.value)) < 300
    with pytest.raises(OptionError, match=r"follow a comma: 'run:long@best,depth=3'\."):
        read_address("long@best:depth=3")


def test_a_run_has_changed_when_somebody_wrote_to_it_and_not_when_somebody_read(runs):
    folder = runs / "halted"
    before = run_mark(folder)
    with open_run("halted") as reader:
        reader.count()
        assert run_mark(folder) == before
    with closing(sqlite3.connect(folder / "run.db")) as database:
        database.execute("REPLACE INTO meta VALUES ('noted', 'something')")
        database.commit()
        assert run_mark(folder) != before
    assert run_mark(folder) != before
    assert run_mark(runs / "nowhere") == run_mark(runs / "nothing")


def test_champions_by_generation():
    for generation in (0, 3, 7):
        found = find_player(Address("done", generation))
        assert found.id == champion_of("done", generation)
        assert found.generation == generation
        with open_run("done") as run:
            assert found.network == run.genome(found.id).network


def test_the_best_of_a_finished_run_won_its_final_and_of_another_is_the_last_champion():
    assert find_player(read_address("done")).id == champion_of("done", 3)
    assert find_player(read_address("done@best")).generation == 3
    assert find_player(read_address("halted")).id == champion_of("halted", 5)


def test_a_final_of_an_earlier_generation_says_nothing_about_the_best(runs, tmp_path, monkeypatch):
    (tmp_path / "old").mkdir()
    data = (runs / "done" / "run.db").read_bytes()
    (tmp_path / "old" / "run.db").write_bytes(data)
    with closing(sqlite3.connect(tmp_path / "old" / "run.db")) as database:
        database.execute("UPDATE finals SET generation = 8")
        database.commit()
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    assert find_player(Address("old")).generation == 9


def test_individuals_by_their_fitness():
    with open_run("done") as run:
        who = run.individuals(4)
    order = sorted(range(12), key=lambda slot: (-who.fitness[slot], slot))
    assert len(set(who.fitness)) < 12  # there are equals among them
    for rank in range(1, 13):
        found = find_player(Address("done", 4, rank))
        assert found.id == who.ids[order[rank - 1]]


def test_a_player_of_a_run_plays_as_its_network_says():
    text = "run:done@gen=4#3"
    player = make_player(text, KING)
    assert player.name == text
    assert player.deterministic
    found = find_player(read_address("done@gen=4#3"))
    wanted = graph.member(graph.pack([graph.from_json(found.network)]), 0)
    for a, b in zip(player.network, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    state = KING.initial()
    assert player.think(History.of(KING, state), 1).move in KING.legal_moves(state)


def test_the_search_is_the_generations_own_unless_another_is_given():
    state = KING.initial()
    assert make_player("run:done@gen=5", KING).think(History.of(KING, state), 1).depth == 1
    assert make_player("run:done@gen=6", KING).think(History.of(KING, state), 1).depth == 2
    assert make_player("run:done@gen=6,depth=1", KING).think(History.of(KING, state), 1).depth == 1
    other = make_player("run:done,search=mcts,rounds=20", KING)
    assert other.think(History.of(KING, state), 1).move in KING.legal_moves(state)
    assert not make_player("run:done,seconds=0.01", KING).deterministic


@pytest.mark.parametrize(
    "text,told",
    [
        ("run", "write run:NAME"),
        ("run:", "write run:NAME"),
        ("run:done@", "write run:NAME"),
        ("run:done@last", "write run:NAME, run:NAME@best, run:NAME@gen=40"),
        ("run:done#3", "write run:NAME"),
        ("run:done@gen=-1", "write run:NAME"),
        ("run:done@gen=x", "write run:NAME"),
        ("run:doen", "did you mean done"),
        ("run:../done", "cannot be named"),
        ("run:nothing-alike", "known: done.* halted"),
        ("run:done@gen=10", "no generation 10; it has 0 to 9"),
        ("run:done@gen=99999999999999999999999", "it has 0 to 9"),
        ("run:done@gen=4#0", "12 individuals; #0 must be #1 to #12"),
        ("run:done@gen=4#13", "#13 must be #1 to #12"),
        ("run:done@gen=5#9", "only the champion of generation 5.*generations 0, 4, 8"),
        ("run:done,dept=2", "did you mean depth"),
        ("run:done,search=alfabeta", "did you mean alphabeta"),
    ],
)
def test_what_is_not_there_names_what_is(text, told):
    with pytest.raises(EvoboardError, match=told) as caught:
        make_player(text, KING)
    assert "\n" not in str(caught.value)


def test_a_run_plays_its_own_game_only():
    with pytest.raises(EvoboardError, match="the run done plays kingcapture, not nim"):
        make_player("run:done", load_game("nim"))


def test_runs_are_among_the_players(runs):
    (runs / "broken").mkdir()
    (runs / "broken" / "run.db").write_text("x")
    found = [(player.text, player.plays) for player in run_players()]
    assert found == [("run:done", "kingcapture"), ("run:halted", "kingcapture")]
    (runs / "broken" / "run.db").unlink()
    (runs / "broken").rmdir()


def test_a_run_without_a_generation_has_no_player(runs):
    class Early(Listener):
        def began(self, begun):
            raise KeyboardInterrupt

    start_run("early", fake_experiment(), 1, make_trainer=FakeTrainer, listener=Early())
    with pytest.raises(NotFound, match="has no generation yet"):
        find_player(Address("early"))
    resume_run("early", make_trainer=FakeTrainer)
    assert find_player(Address("early")).generation == 9
