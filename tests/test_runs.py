"""Runs: everything of a generation is kept and found again; training stops and goes on."""

from __future__ import annotations

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from compare_runs import differences, digest, lengths_of, read_record, same_run
from evoboard.core.errors import EvoboardError, NotFound, OptionError, PartError
from evoboard.core.statistics import box
from evoboard.experiments.catalog import load
from evoboard.runs import report, runner
from evoboard.runs.folder import describe_run, list_runs, new_name, request_stop
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.games import GameFilter
from evoboard.store.reader import Reader, open_run
from evoboard.store.records import GenerationRecord
from evoboard.store.run_file import RunError, run_folder, run_names
from evoboard.store.schema import COMPARED
from evoboard.store.writer import Writer, create_database
from fake_trainer import FakeTrainer, fake_experiment

SCRIPT = Path(__file__).parent / "killed_run.py"
LONG = pytest.param("x" * 101, id="long")
RECORD = {"games_every": 4, "genomes_every": 3}


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    """All runs of a test in a folder of its own."""
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def start(name="one", generations=10, seed=1, record=RECORD, **more):
    experiment = fake_experiment(generations, record)
    return start_run(name, experiment, seed, make_trainer=FakeTrainer, **more)


def resume(name="one", **more):
    return resume_run(name, make_trainer=FakeTrainer, **more)


class StopAfter(Listener):
    """Asks the run to stop, as another process would, when a generation is stored."""

    def __init__(self, name, generation):
        self.name, self.at = name, generation

    def generation(self, record):
        if record.generation == self.at:
            request_stop(self.name)


# What is stored


def same_record(first: GenerationRecord, second: GenerationRecord) -> None:
    for field in fields(GenerationRecord):
        a, b = getattr(first, field.name), getattr(second, field.name)
        if field.name == "individuals":
            for name, x, y in zip(a._fields, a, b, strict=True):
                np.testing.assert_array_equal(x, y, err_msg=name)
                assert x.dtype == y.dtype, name
        elif field.name == "lengths":
            np.testing.assert_array_equal(a, b)
        else:
            assert a == b, field.name


def test_everything_of_a_generation_is_found_again(runs):
    records: dict[int, GenerationRecord] = {}
    keeper = Listener()
    keeper.generation = lambda record: records.update({record.generation: record})
    start(generations=10, listener=keeper)
    with open_run("one") as run:
        for generation, record in records.items():
            same_record(record, read_record(run, generation))
        assert run.count() == 10
        assert [row.generation for row in run.rows(3, 5)] == [3, 4, 5]
        assert run.rows(9)[0].numbers == dict(records[9].numbers)
        assert run.recorded() == [
            (0, 11, 12),
            (3, 11, 0),
            (4, 0, 12),
            (6, 11, 0),
            (8, 0, 12),
            (9, 11, 0),
        ]
        facts = run.facts()
        assert facts["seed"] == 1
        assert facts["player"]["game"] == "kingcapture"
        assert facts["finished"] == "all 10 generations are done"
        assert run.finals()[0].scores == {9: 0.75, 0: 0.25}
        assert sorted(run.alarms()) == [3, 7]
        assert run.measurements()[6][0].high == math.inf
        assert len(run.species(2, 4)) == 3
        assert set(run.timings()[5]) == {"games", "tell"}


def test_games_are_found_by_generation_player_and_result():
    start(generations=5)
    with open_run("one") as run:
        everything = run.games()
        assert len(everything) == 24
        assert {kept.generation for kept in everything} == {0, 4}
        assert [kept.generation for kept in everything] == [4] * 12 + [0] * 12
        first = [kept for kept in everything if kept.generation == 0]
        assert run.games(GameFilter(0)) == first
        assert [kept.number for kept in first] == list(range(12))
        won = run.games(GameFilter(0, result="first"))
        assert won == [k for k in first if k.game.record.result == 1]
        theirs = run.games(GameFilter(0, player="3"))
        assert theirs == [k for k in first if 3 in (k.game.first, k.game.second)]
        assert len(run.games(GameFilter(player="material:depth=1"))) == 2
        assert run.games(GameFilter(purpose="title")) == []
        assert run.games(first=1, most=2) == everything[1:3]
        assert run.game(0, 5) == first[5]


def test_a_number_that_is_none_comes_back_as_none(runs):
    trainer = FakeTrainer(fake_experiment(), 1)
    record = trainer.step()
    broken = record.individuals._replace(fitness=np.full(12, np.nan))
    record = replace(record, individuals=broken, lengths=None, alarms=())
    runs.mkdir()
    create_database(runs, {"format": "evoboard-run", "version": "1"})
    with closing(Writer(runs)) as store:
        store.begin(0, "test", 1)
        store.add(record)
    with Reader(runs) as run:
        assert np.isnan(run.individuals(0).fitness).all()
        assert lengths_of(run, 0) is None
        assert run.checkpoint() is None


def test_a_generation_is_stored_whole_or_not_at_all(runs):
    trainer = FakeTrainer(fake_experiment(record=RECORD), 1)
    runs.mkdir()
    create_database(runs, {"format": "evoboard-run", "version": "1"})
    store = Writer(runs)
    store.begin(0, "test", 1)
    store.add(trainer.step(), trainer.state())
    before = digest(runs)
    good = trainer.step()
    twice = (*good.species, *good.species)
    for wrong in (
        replace(good, generation=0),  # as by a second trainer
        replace(good, timings={"x": None}),
        replace(good, champion=None),
        replace(good, species=((1, 2),)),
        replace(good, measurements=((None,) * 8,)),
    ):
        with pytest.raises(Exception):  # noqa: B017
            store.add(wrong, trainer.state())
        assert digest(runs) == before
    with pytest.raises(PartError):
        store.add(good, {"state": object()})
    assert digest(runs) == before
    store._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 5_000)
    with pytest.raises(RunError, match=r"GB can be stored; take fewer or smaller networks\."):
        store.save(1, {"numbers": np.random.default_rng(1).random(10_000)})
    assert digest(runs) == before
    store._database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000_000)
    store.add(replace(good, species=twice), trainer.state())
    store.close()
    assert digest(runs) != before


def test_a_resting_run_is_two_files_and_a_lock(runs):
    start()
    assert sorted(os.listdir(runs / "one")) == ["config.toml", "lock", "run.db"]
    assert os.listdir(runs) == ["one"]
    data = tomllib.loads((runs / "one" / "config.toml").read_text())
    with open_run("one") as run:
        assert run.facts()["experiment"] == data


# Names


@pytest.mark.parametrize(
    "name",
    [
        *"./ä:",
        "",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/abs",
        ".hid",
        "-x",
        "x.",
        "a b",
        "a\0b",
        "a\n",
        LONG,
    ],
)
def test_a_name_cannot_leave_the_folder(name, runs):
    for use in (run_folder, start, resume, describe_run, open_run, request_stop):
        with pytest.raises(OptionError, match="cannot be named"):
            use(name)
    assert not runs.exists()


def test_runs_are_numbered_after_their_experiment(runs):
    assert new_name("nim 8 [x].toml") == "nim-8-x-.toml-1"
    assert new_name("///") == "run-1"
    assert start(None, stem="nim", generations=1).name == "nim-1"
    assert start(None, stem="nim", generations=1).name == "nim-2"
    (runs / "nim-7").mkdir()
    assert start(None, stem="nim", generations=1).name == "nim-8"
    (runs / "chess").mkdir()
    assert new_name("chess") == "chess-2"  # the one without a number is the first
    assert new_name("ni") == "ni-1"
    assert run_names() == ["nim-1", "nim-2", "nim-8"]


def test_a_name_in_use_says_how_to_go_on(runs):
    start(generations=1)
    before = digest(runs / "one")
    with pytest.raises(RunError, match="evoboard resume one"):
        start(generations=2)
    assert digest(runs / "one") == before
    with pytest.raises(NotFound, match="did you mean one"):
        resume("ome")


# Stopping and going on


def test_a_run_has_one_result_however_it_is_interrupted_and_kept(runs):
    start("plain", 12)
    for name, every in (("stopped", 1), ("seldom", 5)):
        record = {**RECORD, "checkpoint_every": every}
        outcome = start(name, 12, record=record, listener=StopAfter(name, 2))
        assert (outcome.generation, outcome.finished, outcome.cut) == (3, "", False)
        assert describe_run(name).status == "stopped"
        outcome = resume(name, listener=StopAfter(name, 6))
        assert outcome.generation == 7
        outcome = resume(name)
        assert outcome.finished == "all 12 generations are done"
        assert outcome.final
    assert differences(runs / "plain", runs / "stopped") == []
    assert same_run(runs / "plain", runs / "stopped")
    assert digest(runs / "plain") == digest(runs / "stopped")
    # The settings differ, nothing else does.
    but_meta = set(COMPARED) - {"meta"}
    assert differences(runs / "plain", runs / "seldom", but_meta) == []
    assert [d.split(":")[0] for d in differences(runs / "plain", runs / "seldom")] == ["meta"]
    start("bare", 12, record={"games_every": 0, "genomes_every": 0})
    but_kept = but_meta - {"games", "genomes", "recorded"}
    assert differences(runs / "plain", runs / "bare", but_kept) == []
    start("other", 12, seed=2)
    assert not same_run(runs / "plain", runs / "other")


def test_what_follows_a_checkpoint_is_played_again(runs):
    class Crash(Listener):
        def generation(self, record):
            if record.generation == 6:
                raise RuntimeError("the power is\ngone")

    record = {**RECORD, "checkpoint_every": 4}
    start("plain", 12, record=record)
    with pytest.raises(RuntimeError):
        start("crashed", 12, record=record, listener=Crash())
    with open_run("crashed") as run:
        assert run.count() == 7
        assert run.checkpoint()[0] == 4
        assert run.sessions()[0]["reason"] == "failed: the power is gone"
    found = describe_run("crashed")
    assert (found.status, found.told) == ("interrupted", "failed: the power is gone")
    seen = []
    listener = Listener()
    listener.began = lambda begun: seen.append(begun.generation)
    resume("crashed", listener=listener)
    assert seen == [4]
    assert same_run(runs / "plain", runs / "crashed")


@pytest.mark.parametrize("inside", ["a generation", "the final", "nothing"])
def test_what_a_second_ctrl_c_cuts_short_is_all_that_is_lost(runs, inside):
    """Though checkpoints are far apart, the last whole generation is what is gone on with."""

    class Cut(FakeTrainer):
        def step(self, progress=None):
            if inside == "a generation" and self.generation == 7:
                self.values[:] = 0  # half of what the generation would have done
                self.history.clear()
                raise KeyboardInterrupt
            return super().step(progress)

        def final(self, progress=None):
            raise KeyboardInterrupt

    class Impatient(Listener):
        def generation(self, record):
            if inside == "nothing" and record.generation == 6:
                raise KeyboardInterrupt

    record = {**RECORD, "checkpoint_every": 5}
    start("plain", 12, record=record)
    given = fake_experiment(12, record)
    outcome = start_run("cut", given, 1, make_trainer=Cut, listener=Impatient())
    played = 12 if inside == "the final" else 7
    assert (outcome.generation, outcome.cut, outcome.finished) == (played, True, "")
    assert describe_run("cut")[1:3] == ("stopped", played)
    seen = []
    listener = Listener()
    listener.began = lambda begun: seen.append(begun.generation)
    assert resume("cut", listener=listener).finished
    assert seen == [played]
    assert same_run(runs / "plain", runs / "cut")


# More generations than a run was to have


@pytest.mark.parametrize("every", [1, 5])
def test_a_run_that_gets_longer_is_the_run_that_was_so_from_its_start(runs, every):
    record = {**RECORD, "checkpoint_every": every}
    start("long", 20, record=record)
    assert start("one", 12, record=record).finished == "all 12 generations are done"
    seen = []
    listener = StopAfter("one", 14)
    listener.began = lambda begun: seen.append((begun.generation, begun.restored))
    assert resume(generations=17, listener=listener).generation == 15
    assert describe_run("one")[1:4] == ("stopped", 15, 17)
    assert resume(generations=20).finished == "all 20 generations are done"
    assert seen == [(11, False)]  # the last one is measured out of turn, so it is played again
    assert same_run(runs / "long", runs / "one")
    config = [(runs / name / "config.toml").read_text() for name in ("long", "one")]
    assert config[0].replace("run long", "run one") == config[1]
    with open_run("one") as run:
        assert run.require_whole() == 0
        assert [final.generation for final in run.finals()] == [19]


def test_a_last_generation_that_was_measured_out_of_turn_is_not_afterwards(runs):
    changes = ["fitness.opponents=2", "strategy.population=8", "measure.every=3"]
    changes += ["measure.games=2", "measure.champion_games=2", "champion.finalists=2"]
    for name, length in (("long", 8), ("one", 6)):
        start_run(name, load("nim-quick", [*changes, f"generations={length}"]), 1, 1)
    with open_run("one") as run:
        assert sorted(run.measurements()) == [0, 3, 5]
    resume_run("one", 1, generations=8)
    with open_run("one") as run:
        assert sorted(run.measurements()) == [0, 3, 6, 7]
    assert same_run(runs / "long", runs / "one")


def test_who_is_killed_while_a_run_gets_longer_loses_nothing(runs, monkeypatch):
    start("long", 20)
    for part in ("Writer.lengthen", "write_config", "_train"):
        name = f"at{part}"
        start(name, 12)

        def die(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(f"evoboard.runs.runner.{part}", die)
            with pytest.raises(KeyboardInterrupt):
                resume(name, generations=20)
        if part == "Writer.lengthen":
            assert describe_run(name)[1:4] == ("finished", 12, 12)
        assert resume(name, generations=20).finished == "all 20 generations are done"
        assert same_run(runs / "long", runs / name)


def test_why_a_run_gets_no_longer_is_said_and_nothing_is_changed(runs):
    class Content(FakeTrainer):
        def finished(self):
            return "it has enough" if self.generation == 7 else super().finished()

    start(generations=10)
    start_run("content", fake_experiment(10, RECORD), 1, make_trainer=Content)
    start("old", 10)
    with closing(sqlite3.connect(runs / "old" / "run.db")) as database:
        database.execute("DELETE FROM checkpoint WHERE row = 1")
        database.commit()
    before = [digest(runs / name) for name in ("one", "content", "old")]
    with pytest.raises(RunError, match="has 10 generations already; take more, such as 20"):
        resume(generations=10)
    with pytest.raises(RunError, match="has ended because it has enough, and would end again"):
        resume("content", generations=20)
    again = r"config.toml --seed 1 --set generations=20 trains it again, with the same first 10"
    with pytest.raises(RunError, match=again):
        resume("old", generations=20)
    assert [digest(runs / name) for name in ("one", "content", "old")] == before


def test_the_file_of_an_earlier_version_is_trained_on_without_a_second_checkpoint(runs):
    start(listener=StopAfter("one", 4))
    start("plain")
    with closing(sqlite3.connect(runs / "one" / "run.db")) as database:
        database.execute("PRAGMA writable_schema = ON")
        old = "UPDATE sqlite_master SET sql = replace(sql, 'row IN (0, 1)', 'row = 0')"
        assert database.execute(old).rowcount
        database.commit()
    assert resume().finished
    assert differences(runs / "plain", runs / "one", set(COMPARED) - {"checkpoint"}) == []
    with open_run("one") as run:
        assert run.checkpoint()[0] == 10
        assert run.checkpoint(before_last=True) is None


def test_what_cannot_be_saved_when_training_is_cut_short_is_not_said_to_be(runs, monkeypatch):
    class Impatient(Listener):
        def generation(self, record):
            if record.generation == 6:
                raise KeyboardInterrupt

    record = {**RECORD, "checkpoint_every": 5}
    monkeypatch.setattr(runner._Progress, "save_last", lambda *_: None)
    assert start("cut", 12, record=record, listener=Impatient()).generation == 5
    monkeypatch.undo()
    monkeypatch.setenv("EVOBOARD_RUNS", str(runs))
    assert resume("cut").finished


def test_a_complete_run_is_left_as_it_is(runs):
    first = start()
    before = (runs / "one" / "run.db").read_bytes()
    assert resume() == first
    assert (runs / "one" / "run.db").read_bytes() == before


def test_a_run_killed_before_its_final_gets_it(runs):
    class Careless(FakeTrainer):
        def final(self, progress=None):
            raise RuntimeError("killed")

    start("plain")
    with pytest.raises(RuntimeError):
        start_run("one", fake_experiment(10, RECORD), 1, make_trainer=Careless)
    assert describe_run("one").status == "interrupted"
    assert resume().final is not None
    assert same_run(runs / "plain", runs / "one")


def test_every_single_change_is_a_difference(runs):
    start("plain", 8)
    with closing(sqlite3.connect(runs / "plain" / "run.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        tables = {t: [c[1] for c in database.execute(f"PRAGMA table_info({t})")] for t in COMPARED}
        found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    assert {name for (name,) in found} == {*COMPARED, "timings", "sessions", "chain"}
    fixed = {("meta", "key"), ("checkpoint", "row")}
    for table, columns in tables.items():
        for column in (c for c in columns if (table, c) not in fixed):
            target = runs / "changed"
            target.mkdir()
            (target / "run.db").write_bytes((runs / "plain" / "run.db").read_bytes())
            with closing(sqlite3.connect(target / "run.db")) as database:
                _change_one(database, table, column)
                database.commit()
            if (table, column) in (("genomes", "genome"), ("genomes", "network")):
                with pytest.raises(RunError, match="damaged"):
                    same_run(runs / "plain", target)
            else:
                assert not same_run(runs / "plain", target), (table, column)
                assert digest(runs / "plain") != digest(target)
            for file in target.iterdir():
                file.unlink()
            target.rmdir()


def _change_one(database, table, column):
    """Change one cell of the last row to something it has never been."""
    order = COMPARED[table]
    keys = ["rowid"] if table == "games" else order.split(", ")
    where = "key = 'seed'" if table == "meta" else "1"
    (*place, value) = database.execute(
        f"SELECT {', '.join(keys)}, {column} FROM {table} WHERE {where} "
        f"ORDER BY {', '.join(f'{key} DESC' for key in keys)}"
    ).fetchone()
    changed = b"changed" if isinstance(value, str | bytes) or value == math.inf else value + 1000
    row = " AND ".join(f"{key} = ?" for key in keys)
    database.execute(f"UPDATE {table} SET {column} = ? WHERE {row}", (changed, *place))


def test_unknown_tables_are_named():
    start(generations=1)
    with pytest.raises(OptionError, match="did you mean genomes"):
        differences(run_folder("one"), run_folder("one"), ["genoms"])


# Other processes


def train(name, *options, **more):
    command = [sys.executable, str(SCRIPT), name, *map(str, options)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def wait_for(process, word):
    for line in process.stdout:
        if line.startswith(word):
            return line
    raise AssertionError(process.stderr.read())


def test_a_run_is_read_while_another_process_trains_it(runs):
    process = train("live", "--generations", 60, "--pause", 0.01)
    wait_for(process, "stored 0")
    seen = []
    with open_run("live") as run:
        assert describe_run("live").status == "running"
        while process.poll() is None:
            count = run.count()
            rows = run.rows()
            assert len(rows) >= count
            assert len(run.individuals(count - 1).ids) == 12
            assert [row.generation for row in rows] == list(range(len(rows)))
            seen.append(count)
            time.sleep(0.01)
        assert run.count() == 60
    process.communicate()
    assert len(set(seen)) > 3
    assert describe_run("live").status == "finished"


def test_stop_and_ctrl_c_finish_the_generation(runs):
    start("plain", 150, record={**RECORD, "checkpoint_every": 50})
    for how in ("stop", "ctrl-c"):
        process = train("one", "--generations", 150, "--pause", 0.02, "--every", 50)
        wait_for(process, "stored")
        if how == "stop":
            request_stop("one")
        else:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=200)
        assert (process.returncode, err) == (0, "")
        stored = [int(line.split()[1]) for line in out.splitlines() if line.startswith("stored")]
        with open_run("one") as run:
            assert out.splitlines()[-1] == f"ended {run.count()} False ''"
            assert run.checkpoint()[0] == run.count()  # though the interval is 50
            assert not stored or stored[-1] == run.count() - 1
        assert (how == "ctrl-c") == ("stopping" in out)
        assert describe_run("one").status == "stopped"
    resume()
    assert same_run(runs / "plain", runs / "one")
    with pytest.raises(RunError, match="is not being trained"):
        request_stop("one")


def test_a_request_to_stop_is_for_one_process_only(runs):
    start(listener=StopAfter("one", 2))
    (runs / "one" / "stop").write_text("process 1")  # left by a process that was killed
    assert resume().finished
    assert sorted(os.listdir(runs / "one")) == ["config.toml", "lock", "run.db"]


def test_of_two_that_begin_the_same_run_one_does(runs):
    barrier = threading.Barrier(4)
    results = []

    def make(*given):
        barrier.wait()
        return FakeTrainer(*given)

    def try_it():
        try:
            results.append(start_run("one", fake_experiment(5), 1, make_trainer=make).finished)
        except RunError as error:
            results.append(str(error))

    threads = [threading.Thread(target=try_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("already a run named one" in text for text in results) == 3
    assert results.count("all 5 generations are done") == 1
    assert os.listdir(runs) == ["one"]


def test_a_second_ctrl_c_stops_at_once(runs):
    process = train("one", "--generations", 5, "--pause", 600)
    wait_for(process, "begun")
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    wait_for(process, "stopping")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=200)
    assert out.splitlines()[-1] == "ended 0 True ''"
    assert describe_run("one").status == "stopped"
    start("plain", 5)
    resume()
    assert same_run(runs / "plain", runs / "one")


def test_training_in_a_thread_leaves_signals_alone(runs):
    before = signal.getsignal(signal.SIGINT)
    found = []
    thread = threading.Thread(target=lambda: found.append(start(generations=3)))
    thread.start()
    thread.join()
    assert found[0].finished
    assert signal.getsignal(signal.SIGINT) is before
    start("two", generations=1)
    assert signal.getsignal(signal.SIGINT) is before


def test_one_reader_serves_many_threads():
    start(generations=6)
    with open_run("one") as run:
        wanted, found = run.rows(), []
        threads = [
            threading.Thread(target=lambda: found.extend(run.rows() == wanted for _ in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [True] * 80


def test_a_snapshot_is_one_state_while_a_trainer_writes():
    seen = []

    class Look(Listener):
        def began(self, begun):
            self.reader = open_run("one")

        def generation(self, record):
            seen.append(self.reader.count())
            if record.generation == 2:  # left open while generation 3 is stored
                self.snapshot = self.reader.snapshot()
                self.snapshot.__enter__()
                self.reader.count()
            if record.generation == 3:
                self.snapshot.__exit__(None, None, None)
                seen.append(self.reader.count())

    look = Look()
    start(generations=5, listener=look)
    look.reader.close()
    assert seen == [1, 2, 3, 3, 4, 5]


def test_the_log_does_not_grow(runs, monkeypatch):
    """Each generation writes 96 kB of state; the log must be folded into the file meanwhile."""
    monkeypatch.setattr(FakeTrainer, "links", 1000)
    sizes = []

    class Look(Listener):
        def began(self, begun):
            self.reader = open_run("one")

        def generation(self, record):
            sizes.append((runs / "one" / "run.db-wal").stat().st_size)
            assert self.reader.count() == record.generation + 1

    look = Look()
    start(generations=300, listener=look)
    look.reader.close()
    assert max(sizes) < 20 << 20
    assert len(sizes) * 96_000 > 25 << 20  # which is more than that


def test_runs_are_listed_with_what_became_of_them(runs):
    assert list_runs() == []
    start("done", 4)
    start("halted", 4, listener=StopAfter("halted", 1))
    (runs / "empty").mkdir()
    (runs / "broken").mkdir()
    (runs / "broken" / "run.db").write_text("nothing of use")
    broken, done, halted = list_runs()
    assert (broken.name, broken.status) == ("broken", "damaged")
    assert "not a database" in broken.told
    assert done[:8] == ("done", "finished", 4, 4, "kingcapture", "blondie", "", 1)
    assert (halted.status, halted.generation) == ("stopped", 2)
    assert isinstance(halted.best, float)


def test_asking_for_what_is_not_there_names_what_is():
    start(generations=3, record={})
    with open_run("one") as run:
        with pytest.raises(NotFound, match="0 to 2"):
            run.individuals(3)
        with pytest.raises(NotFound, match="0 to 2"):
            run.champion(-1)
        with pytest.raises(NotFound, match="genome 99999"):
            run.genome(99999)
    with pytest.raises(EvoboardError, match="cannot be used"):
        run.count()  # it is closed


# Reports


@pytest.fixture
def reported():
    start(generations=9, record={})
    with open_run("one") as run:
        yield run


def test_curves_follow_the_numbers(reported):
    rows = reported.rows()
    fitness = report.curves(reported, report.FITNESS)
    assert fitness.generations.tolist() == list(range(9))
    assert fitness.values["best"].tolist() == [row.numbers["best"] for row in rows]
    assert np.isnan(fitness.values["worst"]).all()  # the fake trainer has none
    learning = report.learning_curve(reported)
    assert learning.generations.tolist() == list(range(2, 9))
    values = [row.numbers["learning"] for row in rows[2:]]
    np.testing.assert_allclose(learning.sums, [sum(values[: i + 1]) for i in range(7)])
    slope, start_ = np.polyfit(learning.generations, learning.sums, 1)
    np.testing.assert_allclose(learning.trend, (slope, start_))
    np.testing.assert_allclose(learning.trend.at(np.array([0, 2])), [start_, start_ + 2 * slope])
    seconds = report.generation_seconds(reported)
    assert (seconds.values["total"] == seconds.values["games"] + seconds.values["tell"]).all()
    anchors = report.ratings(reported)
    assert anchors["random"].generations.tolist() == [0, 3, 6]
    assert anchors["random"].low.tolist() == [20.5] * 3


def test_tables_count_lengths_and_species(reported):
    lengths = report.game_lengths(reported)
    assert np.bincount(lengths.generations, lengths.numbers).tolist() == [20] * 9
    for generation in range(9):
        here = lengths.generations == generation
        wanted = enumerate(lengths_of(reported, generation).tolist())
        found = zip(lengths.kinds[here].tolist(), lengths.numbers[here].tolist(), strict=True)
        assert dict(found) == {plies: games for plies, games in wanted if games}
    sizes = report.species_sizes(reported)
    assert sizes.generations.tolist() == np.repeat(range(9), 3).tolist()
    assert sizes.kinds.tolist() == [0, 1, 2] * 9
    assert sizes.numbers.tolist() == [4] * 27


def test_champions_are_told_by_origin(reported):
    boxes = report.champions_by_origin(reported)
    origins, before = Counter(), set()
    for row in reported.rows():
        origins["persistent" if row.champion in before else row.champion_origin] += 1
        before.add(row.champion)
    assert {origin: box.total for origin, box in boxes.items()} == origins
    merged = report.champions_by_origin(reported, merged=True)
    elite = origins.pop("persistent", 0) + origins.pop("elite", 0)
    assert {origin: box.total for origin, box in merged.items()} == {
        **origins, **({"elite": elite} if elite else {})
    }  # fmt: skip
    values = np.array([3.0, 1, 2, 4, 100, np.nan])
    found = box(values)
    assert found[:8] == (6, 1.0, 1.0, 2.0, 3.0, 4.0, 4.0, 100.0)
    assert found.mean == 22.0
    # The box is 2 to 4: whiskers reach -1 to 7, and not a step further.
    found = box(np.array([-1.1, -1.0, 2, 2, 3, 4, 4, 7.0, 7.1]))
    assert (found.quarter, found.three_quarters) == (2.0, 4.0)
    assert (found.low_whisker, found.high_whisker) == (-1.0, 7.0)
    assert (found.minimum, found.maximum) == (-1.1, 7.1)
    assert np.isnan(box(np.array([np.nan])).median)


def test_reports_of_an_empty_run_are_empty(runs):
    runs.mkdir()
    create_database(runs, {"format": "evoboard-run", "version": "1"})
    with Reader(runs) as run:
        assert len(report.curves(run, report.FITNESS).generations) == 0
        assert report.learning_curve(run).trend == (0.0, 0.0)
        assert report.champions_by_origin(run) == {}
        assert report.game_lengths(run).kinds.tolist() == []
        assert report.generation_seconds(run).values["total"].tolist() == []
        assert report.ratings(run) == {}
        assert report.seconds_per_game(run).values["game"].tolist() == []


def test_sessions_tell_when_and_by_what_a_run_was_trained():
    start(generations=4, listener=StopAfter("one", 1))
    resume(threads=2)
    with open_run("one") as run:
        first, second = run.sessions()
    assert (first["reason"], first["first_generation"]) == ("stopped", 0)
    assert (second["reason"], second["first_generation"]) == ("all 4 generations are done", 2)
    assert second["threads"] == 2
    assert second["process"] == os.getpid()
    assert json.dumps(first)
