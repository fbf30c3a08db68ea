"""Whatever happens to a run's files or process: one clear sentence and no damage, for real."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from compare_runs import differences, read_record, same_run
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError, NotFound, OptionError
from evoboard.players.run import find_player, read_address
from evoboard.runs.folder import describe_run, list_runs
from evoboard.runs.lock import Lock, is_held
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.blob import MAGIC
from evoboard.store.reader import Reader, open_run
from evoboard.store.run_file import RunError, open_database
from fake_trainer import FakeTrainer, fake_experiment

SCRIPT = Path(__file__).parent / "killed_run.py"
RECORD = {"games_every": 4, "genomes_every": 3}
NOBODY = 65534


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    """All runs of a test in a folder of its own."""
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def start(name="one", generations=10, record=RECORD, **more):
    experiment = fake_experiment(generations, record)
    return start_run(name, experiment, 1, make_trainer=FakeTrainer, **more)


def resume(name="one", **more):
    return resume_run(name, make_trainer=FakeTrainer, **more)


class Halt(Listener):
    """Ends training without a word after some generations, or does something else then."""

    def __init__(self, after=5, act=None):
        self.after, self.act = after, act

    def generation(self, record):
        if record.generation == self.after:
            if self.act is None:
                raise ZeroDivisionError
            self.act()


def half_done(name="one", after=5, **more):
    """Train a run that stops in the middle; return its folder."""
    with pytest.raises(ZeroDivisionError):
        start(name, listener=Halt(after), **more)
    return Path(os.environ["EVOBOARD_RUNS"]) / name


def contents(folder):
    """Return every file that belongs to a run, byte by byte (SQLite's own index does not)."""
    passing = ("lock", "run.db-shm")
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in passing and path.stat().st_size
    }


@contextmanager
def refused(folder, told, kind=RunError):
    """Expect one sentence that tells this, and no file that is other than before."""
    before = contents(folder)
    with pytest.raises(kind, match=told) as caught:
        yield
    one_sentence(str(caught.value))
    assert contents(folder) == before


def one_sentence(text):
    assert text.endswith((".", "?"))
    assert "\n" not in text
    assert ". " not in text
    assert len(text) < 400, text


def train(name, *options):
    command = [sys.executable, str(SCRIPT), name, *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process, word):
    for line in process.stdout:
        if line.startswith(word):
            return line
    raise AssertionError(process.stderr.read())


def can_mount():
    """Tell whether this process may mount file systems: it is root, and not locked in."""
    with tempfile.TemporaryDirectory() as probe:
        done = _mount(probe, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
        if done:
            subprocess.run(["umount", probe], check=True)
        return done


def _mount(place, *options):
    try:
        done = subprocess.run(["mount", *options, str(place)], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


MOUNTS = can_mount()


@contextmanager
def mounted(place, *options):
    assert _mount(place, *options)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


# Killed


@pytest.mark.parametrize("every", [1, 4])
def test_a_killed_run_goes_on_as_if_nothing_had_happened(runs, every):
    """SIGKILL at random moments, most of them in the middle of a transaction."""
    record = {**RECORD, "checkpoint_every": every}
    start("plain", 60, record)
    rng = np.random.default_rng(every)
    kept = 0
    for last in (25, 50):  # beyond which it does not come, however late it is killed
        process = train("one", "--generations", 60, "--every", every, "--last", last)
        wait_for(process, "stored")
        time.sleep(rng.uniform(0.0, 0.06))
        process.kill()
        out, _ = process.communicate()
        told = [int(line.split()[1]) for line in out.splitlines() if line.startswith("stored")]
        with open_run("one") as run:
            assert run.count() > max([0, *told])  # what was told is there
            assert run.count() >= kept  # and so is what was there before
            run.require_whole()
            saved = run.checkpoint()  # None where it was killed before the first was due
            kept = run.count() if every == 1 else saved[0] if saved else 0
        with closing(open_database(runs / "one")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert describe_run("one").status == "interrupted"
    outcome = resume("one")
    assert outcome.finished
    assert differences(runs / "plain", runs / "one") == []


def test_a_run_killed_while_it_is_made_leaves_nothing_behind(runs, monkeypatch):
    def kill(*_):
        raise SystemExit  # all that was written stays, as after a kill

    monkeypatch.setattr("evoboard.runs.folder.create_database", kill)
    monkeypatch.setattr("evoboard.runs.folder.shutil.rmtree", lambda *_, **__: None)
    with pytest.raises(SystemExit):
        start()
    monkeypatch.undo()
    monkeypatch.setenv("EVOBOARD_RUNS", str(runs))
    (left,) = runs.iterdir()
    assert list_runs() == []
    os.utime(left, (0, 0))  # it was long ago
    start(generations=1)
    assert os.listdir(runs) == ["one"]


# Two trainers


def test_two_trainers_on_one_run(runs):
    process = train("one", "--generations", 100, "--pause", 0.1)
    wait_for(process, "stored")
    assert is_held(runs / "one")
    with pytest.raises(RunError, match=f"being trained by process {process.pid};") as caught:
        resume()
    one_sentence(str(caught.value))
    with pytest.raises(RunError, match="evoboard resume one"):
        start()
    wait_for(process, "stored")  # it was not disturbed
    process.kill()
    process.communicate()
    assert not is_held(runs / "one")
    with Lock(runs / "one"), pytest.raises(RunError, match=f"process {os.getpid()};"):
        resume()
    resume("one", listener=Listener())
    start("plain", 100)
    assert same_run(runs / "plain", runs / "one")


def test_whoever_looks_at_a_run_is_no_trainer(runs):
    """Several look at the same time, all the time, while a trainer comes and goes."""
    runs.mkdir()
    with Lock(runs):
        assert is_held(runs)
    stop, wrong = threading.Event(), []

    def look():
        while not stop.is_set():
            if is_held(runs) and not training.is_set():
                wrong.append("nobody trains it")

    training = threading.Event()
    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    try:
        for _ in range(3):
            training.set()
            with Lock(runs):  # though they look
                assert is_held(runs)
                with pytest.raises(RunError, match="is being trained by"):
                    Lock(runs)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_a_run_that_may_not_be_written_can_be_asked_whether_it_is_trained(runs, monkeypatch):
    """As root may all, the system is asked what it would be asked for."""
    runs.mkdir()
    opened = os.open

    def refuse(path, flags, *more, **others):
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *more, **others)

    with Lock(runs):
        monkeypatch.setattr(os, "open", refuse)
        assert is_held(runs)
    assert not is_held(runs)


# Disk full


def _on_small_disk(runs):
    """Train in 1.2 MB of memory disk; then make the disk larger and go on."""
    runs.mkdir()
    with mounted(runs, "-t", "tmpfs", "-o", "size=1200k", "tmpfs"):
        with pytest.raises(RunError, match="is full; make room, then go on with") as caught:
            start(generations=100)
        one_sentence(str(caught.value))
        with open_run("one") as run:
            stored = run.count()
        assert 2 < stored < 100
        before = contents(runs / "one")
        with pytest.raises(RunError, match="is full"):
            start("two", generations=100)
        assert sorted(os.listdir(runs)) == ["one"]
        with pytest.raises(RunError, match="is full"):
            resume()
        with open_run("one") as run:
            assert run.count() >= stored
        assert contents(runs / "one").keys() == before.keys()
        assert _mount(runs, "-o", "remount,size=32m")
        resume()
        shutil.copytree(runs / "one", runs.parent / "finished")
    return runs.parent / "finished"


def _under_a_limit(runs):
    """Train where no file may grow beyond 600 kB; then without the limit."""
    process = train("one", "--generations", 100, "--largest-file", 600_000)
    out, err = process.communicate()
    assert process.returncode == 1
    one_sentence(err.strip().removeprefix("RunError: "))
    assert "Traceback" not in err
    stored = sum(line.startswith("stored") for line in out.splitlines())
    with open_run("one") as run:
        assert run.count() == stored > 2
    resume()
    return runs / "one"


@pytest.mark.parametrize("fill", [_under_a_limit, *([_on_small_disk] if MOUNTS else [])])
def test_a_full_disk_costs_the_generation_in_progress(runs, fill):
    finished = fill(runs)
    start("plain", 100)
    assert differences(runs / "plain", finished) == []


# Read-only


@pytest.fixture
def open_runs(monkeypatch):
    """A folder for runs that other users can look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("EVOBOARD_RUNS", folder)
        yield Path(folder)


def test_a_folder_that_may_not_be_written(open_runs):
    """By a process without the right to: another user's where this one is root, who may all."""
    user = () if os.geteuid() else ("--as-user", NOBODY)
    folder = half_done()
    for place in (folder, open_runs):
        for path in (*folder.iterdir(), place):
            path.chmod(0o555 if path.is_dir() else 0o444)
        with refused(open_runs, "cannot be written"):
            process = train("one" if place == folder else "two", *user)
            _, err = process.communicate()
            assert process.returncode == 1
            raise RunError(err.strip().removeprefix("RunError: "))
    for path in (open_runs, folder, *folder.iterdir()):
        path.chmod(0o755)
    assert resume().finished


@pytest.mark.parametrize("log", [False, True])
def test_a_disk_that_cannot_be_written(runs, log):
    """A run on a read-only disk can be read, even with a log left by a killed process."""
    folder = half_done()
    if log:
        process = train("killed", "--generations", 400)
        wait_for(process, "stored 3")
        process.kill()
        process.communicate()
        folder = runs / "killed"
        assert (folder / "run.db-wal").stat().st_size
    with _readonly_disk(folder):
        with open_run(folder.name) as run:
            assert run.count() > 3
        with refused(folder, "cannot be written"):
            resume(folder.name)
        assert describe_run(folder.name).status == "interrupted"
    assert resume(folder.name).finished


@contextmanager
def _readonly_disk(folder):
    if not MOUNTS:  # the best that can be had
        folder.chmod(0o555)
        yield
        folder.chmod(0o755)
        return
    with mounted(folder, "--bind", str(folder)):
        assert _mount(folder, "-o", "remount,bind,ro")
        yield


# Files that are not what they were


def cut(size):
    return lambda path: os.truncate(path, int(path.stat().st_size * size))


def replace_by_text(path):
    path.write_text("Dear diary,\n" * 1000)


def replace_by_other_database(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE meta (key, value)")
        database.execute("INSERT INTO meta VALUES ('format', 'photographs')")
        database.commit()


def replace_by_foreign_database(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE photographs (place)")


def replace_by_folder(path):
    path.unlink()
    path.mkdir()
    (path / "file").write_text("x")


def change(statement):
    def act(path):
        with closing(sqlite3.connect(path)) as database:
            database.execute(statement)
            database.commit()

    return act


def spoil_tables(path):
    """Let a name begin with a quote: SQLite then quotes lines of the text that made the table."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        spoilt = "UPDATE sqlite_master SET sql = replace(sql, 'parent1', ?)"
        database.execute(spoilt, ("`parent1",))
        database.commit()


def move_checkpoint(row):
    """As a damaged byte does: SQLite keeps the constraint in mind only when it writes."""

    def act(path):
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute("UPDATE checkpoint SET row = ?", (row,))
            database.commit()

    return act


def rename_in_a_constraint(path):
    """Only who writes looks at it, and SQLite's words about it are not UTF-8."""
    data = path.read_bytes()
    assert data.count(b"CHECK (row IN (0, 1))") == 1
    path.write_bytes(data.replace(b"CHECK (row IN", b"CHECK (r\xf7w IN"))


def change_behind_the_index(path):
    """Let a game be of another generation in its row than in the index by which it is found."""
    with closing(sqlite3.connect(path)) as database:
        index = "name = 'games_by_generation'"
        database.execute("PRAGMA writable_schema = ON")
        found = database.execute(f"SELECT * FROM sqlite_master WHERE {index}").fetchall()
        database.execute(f"DELETE FROM sqlite_master WHERE {index}")
        database.commit()
    change("UPDATE games SET generation = 5 WHERE generation = 4 AND number = 2")(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.executemany("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", found)
        database.commit()


def promise_petabytes(path):
    """Store a state whose checksum is right and whose array no memory holds."""
    head = json.dumps([["ids", "<i8", [1 << 47], "<i8", 1]]).encode()
    content = MAGIC + len(head).to_bytes(8, "little") + head + bytes(8)
    state = content + hashlib.sha256(content).digest()
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE checkpoint SET state = ?", (state,))
        database.commit()


def flip_checkpoint(path):
    data = bytearray(path.read_bytes())
    data[data.rindex(b"evoboard state 1") + 200] ^= 4
    path.write_bytes(data)


NEWER = "UPDATE meta SET value = '99' WHERE key = 'version'"
AHEAD = "UPDATE checkpoint SET generation = 50"
NO_TEXT = "UPDATE meta SET value = CAST(x'7bff' AS TEXT) WHERE key = 'experiment'"
GAP = "DELETE FROM generations WHERE generation = 2"


@pytest.mark.parametrize(
    "harm,told",
    [
        (cut(0), "is damaged .it is empty"),
        (cut(0.001), "is not a database|is damaged"),
        (cut(0.5), "is damaged"),
        (cut(0.9), "is damaged"),
        (replace_by_text, "is not a database"),
        (replace_by_other_database, "another program's database"),
        (replace_by_foreign_database, "another program's database"),
        (replace_by_folder, "holds no run.db"),
        (Path.unlink, "holds no run.db"),
        (change(NEWER), "newer evoboard .*update evoboard"),
        (change(AHEAD), "is damaged .its checkpoint is of a generation"),
        (change(GAP), "is damaged .generations are missing"),
        (move_checkpoint(51), "is damaged .its checkpoint is of a generation"),
        (move_checkpoint(1), "is damaged .its checkpoint is of a generation"),
        (change("DELETE FROM meta WHERE key = 'seed'"), "is damaged .its settings or its seed"),
        (change("UPDATE meta SET value = '{' WHERE key = 'player'"), "is damaged"),
        (change(NO_TEXT), "is damaged .Could not decode"),
        (change("DROP TABLE checkpoint"), "is damaged .the columns of checkpoint are not as"),
        (change("ALTER TABLE finals RENAME scores TO score"), "is damaged .the columns of finals"),
        (spoil_tables, "is damaged .*unrecognized token"),
        (flip_checkpoint, "is damaged .*the checkpoint's checksum is wrong"),
        (change_behind_the_index, "is damaged .row 15 missing from index games_by_generation"),
        (rename_in_a_constraint, "is damaged .its tables cannot be read"),
        (promise_petabytes, "is damaged .*MemoryError: Unable to allocate"),
    ],
    ids=lambda value: getattr(value, "__name__", None) if callable(value) else None,
)
def test_a_damaged_run_is_refused_and_left_alone(runs, harm, told):
    folder = half_done()
    harm(folder / "run.db")
    with refused(folder, told):
        resume()
    with refused(folder, "evoboard resume one"):
        start()
    info = list_runs()
    assert all(one_sentence(run.told) is None for run in info if run.status == "damaged")


def test_rows_that_make_no_sense_are_told(runs):
    folder = half_done()
    change("UPDATE generations SET numbers = '[]'")(folder / "run.db")
    told = [run.told for run in list_runs() if run.status == "damaged"]
    assert len(told) == 1
    assert "AttributeError" in told[0]


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE generations SET numbers = '{"best": "high", "mean": []}'""",
        "UPDATE generations SET champion_origin = 5",
        "UPDATE measurements SET elo = 'much', wins = 'many'",
        "UPDATE lengths SET games = 'some'",
        "UPDATE species SET size = x'00ff'",
        "UPDATE timings SET seconds = 'few'",
        "UPDATE alarms SET text = 7.5",
        "UPDATE meta SET value = '{}' WHERE key = 'experiment'",
        "UPDATE meta SET value = '{}' WHERE key = 'player'",
        "UPDATE meta SET value = '3' WHERE key = 'experiment'",
    ],
)
def test_commands_tell_of_rows_that_make_no_sense(runs, statement):
    folder = half_done()
    with closing(sqlite3.connect(folder / "run.db")) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        assert database.execute(statement).rowcount
        database.commit()
    for words in (["runs"], ["runs", "one"], ["runs", "one", "--json"], ["report", "one"]):
        error = CliRunner().invoke(app, words).exception
        assert error is None or isinstance(error, RunError), (words, repr(error))


def test_facts_that_make_no_sense_are_told(runs):
    folder = half_done()
    change("UPDATE meta SET value = '[1]' WHERE key = 'player'")(folder / "run.db")
    assert [run.status for run in list_runs()] == ["damaged"]


def test_a_truncated_run_with_a_log_is_refused_and_left_alone(runs):
    process = train("one", "--generations", 4000)
    wait_for(process, "stored 60")
    process.kill()
    process.communicate()
    path = runs / "one" / "run.db"
    assert (runs / "one" / "run.db-wal").stat().st_size
    os.truncate(path, path.stat().st_size // 2 or 1)
    with refused(runs / "one", "is damaged|is not a database"):
        resume()


CHANGED = {
    "meta": "UPDATE meta SET value = '2' WHERE key = 'seed'",
    "generations": "UPDATE generations SET champion_slot = 3 - champion_slot",
    "genomes": "UPDATE genomes SET network = zeroblob(5) WHERE generation = 0",
    "individuals": "UPDATE individuals SET fitness = 0.25 WHERE generation = 1 AND slot = 2",
    "species": "UPDATE species SET size = 9 WHERE generation = 2",
    "games": "UPDATE games SET result = 1 - result WHERE generation = 0",
    "measurements": "UPDATE measurements SET wins = 8 WHERE generation = 0",
    "alarms": "UPDATE alarms SET text = 'nothing'",
    "lengths": "DELETE FROM lengths WHERE generation = 3",
    "recorded": "UPDATE recorded SET games = 1 WHERE generation = 4",
    "chain": "UPDATE chain SET hash = zeroblob(32) WHERE generation = 2",
    "links gone": "DELETE FROM chain WHERE generation > 1",
    "links elsewhere": "UPDATE chain SET generation = 9 WHERE generation = 4",
    "links far away": "UPDATE chain SET generation = -(1 << 60) WHERE generation = -1",
}


@pytest.mark.parametrize("statement", CHANGED.values(), ids=CHANGED)
def test_history_that_was_changed_is_not_trained_on(runs, statement):
    """As sound as before to everybody who reads it."""
    folder = half_done()
    with closing(sqlite3.connect(folder / "run.db")) as database:
        assert database.execute(statement).rowcount
        database.commit()
    with refused(folder, "as (it|they) (was|were) stored|chain of hashes is incomplete"):
        resume()


def test_a_run_from_before_there_were_hashes_is_trained_on_and_then_has_them(runs, monkeypatch):
    start("plain")
    folder, begun = half_done(), []
    change("DROP TABLE chain")(folder / "run.db")
    change("UPDATE meta SET value = '1' WHERE key = 'version'")(folder / "run.db")

    class Heard(Halt):
        def began(self, run):
            begun.append(run.unchecked)

    with pytest.raises(ZeroDivisionError):
        resume(listener=Heard(7))
    resume(listener=Heard(99))
    assert begun == [6, 6]
    assert same_run(runs / "plain", runs / "one")
    with monkeypatch.context() as older:
        older.setattr("evoboard.store.run_file.VERSION", 1)
        with pytest.raises(RunError, match="made by a newer evoboard"):
            Reader(folder)
    change("UPDATE individuals SET games = 77 WHERE generation = 7")(folder / "run.db")
    with Reader(folder) as run, pytest.raises(RunError, match="generation 7 is not as it was"):
        run.require_whole()


def test_a_run_that_got_its_first_hash_after_its_last_generation_can_be_lengthened(runs):
    start("plain", generations=12)
    with pytest.raises(ZeroDivisionError):
        start(listener=Halt(9))  # all generations are played, and there is no final
    folder = runs / "one"
    change("DROP TABLE chain")(folder / "run.db")
    change("UPDATE meta SET value = '1' WHERE key = 'version'")(folder / "run.db")
    resume()
    resume(generations=12)
    assert same_run(runs / "plain", runs / "one")


def test_a_run_whose_hashes_are_of_texts_keeps_to_them(runs, monkeypatch):
    with monkeypatch.context() as older:
        for module in ("runs.folder", "store.chain"):
            older.setattr(f"evoboard.{module}.VERSION", 2)
        start("plain")
        folder = half_done()
    resume()
    assert same_run(runs / "plain", runs / "one")
    with Reader(folder) as run:
        assert run.facts()["version"] == "2"
        run.require_whole()
    rows = rows_of(folder, 7)
    said = "".join(f"{table} {found!r}\n" for table, found in rows.items())
    with closing(sqlite3.connect(folder / "run.db")) as database:
        links = "SELECT hash FROM chain WHERE generation IN (6, 7) ORDER BY generation"
        (before,), (link,) = database.execute(links).fetchall()
    assert link == hashlib.sha256(before + said.encode()).digest()
    change("UPDATE individuals SET games = 77 WHERE generation = 7")(folder / "run.db")
    with Reader(folder) as run, pytest.raises(RunError, match="generation 7 is not as it was"):
        run.require_whole()


def rows_of(folder, generation):
    """Return the rows of a generation by table, in the order in which they are hashed."""
    tables = ("generations", "genomes", "individuals", "species", "games", "measurements")
    with closing(sqlite3.connect(folder / "run.db")) as database:
        return {
            table: database.execute(
                f"SELECT * FROM {table} WHERE generation = ?", (generation,)
            ).fetchall()
            for table in (*tables, "alarms", "lengths", "recorded")
        }


@pytest.mark.parametrize("values", [[math.nan, -0.0, math.inf], [-math.inf, 1e300, 5e-324]])
def test_rows_are_hashed_as_they_are_read(runs, values):
    """What is stored is hashed before it is read back; SQLite has no NaN and no -0.0."""

    class Odd(FakeTrainer):
        def _record(self, fitness, rng):
            fitness[: len(values)] = values
            return super()._record(fitness, rng)

    start_run("one", fake_experiment(4, {"games_every": 2}), 1, make_trainer=Odd)
    with Reader(runs / "one") as run:
        run.require_whole()


def test_random_damage_never_ends_in_a_traceback(runs):
    """Some bytes anywhere in the file: a clear error, or nothing that matters."""
    folder = half_done(after=7, record={"games_every": 1, "genomes_every": 0})
    path = folder / "run.db"
    sound = path.read_bytes()
    rng = np.random.default_rng(5)
    told = []
    for _ in range(40):
        data = bytearray(sound)
        for _ in range(rng.integers(1, 9)):
            data[rng.integers(len(data))] = rng.integers(256)
        path.write_bytes(data)
        with suppress(EvoboardError):
            told.append(describe_run("one").told)
            with Reader(folder) as run:
                for generation in range(run.count()):
                    read_record(run, generation)
        with suppress(EvoboardError):
            find_player(read_address("one@gen=3"))
        try:
            resume()
        except EvoboardError as error:
            told.append(str(error))
        for file in folder.glob("run.db-*"):
            file.unlink()
    assert sum("damaged" in text for text in told) > 5
    assert not any("\n" in text for text in told)


def test_settings_that_are_gone_are_written_again(runs):
    folder = half_done()
    before = (folder / "config.toml").read_bytes()
    (folder / "config.toml").unlink()
    begun = []
    listener = Listener()
    listener.began = begun.append
    resume(listener=listener)
    assert begun[0].restored
    assert (folder / "config.toml").read_bytes() == before
    start("plain")
    assert same_run(runs / "plain", folder)


@pytest.mark.parametrize(
    "text,told",
    [("generations = 99\n", "was changed since the run began"), ("a = = 2", "cannot be read")],
)
def test_settings_that_say_something_else_are_refused(runs, text, told):
    folder = half_done()
    (folder / "config.toml").write_text(text)
    with refused(folder, told):
        resume()
    (folder / "config.toml").unlink()
    assert resume().finished


def test_a_checkpoint_that_does_not_fit_its_strategy_is_refused(runs):
    class Other(FakeTrainer):
        def restore(self, state):
            raise KeyError("genes.weight")

    folder = half_done()
    with refused(folder, "does not fit the parts it names .KeyError: 'genes.weight'.; have"):
        resume_run("one", make_trainer=Other)


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_folder_that_goes_away_while_it_is_trained(runs, how):
    def act():
        if how == "deleted":
            shutil.rmtree(runs / "one")
        else:
            os.rename(runs / "one", runs / "elsewhere")
        if how == "replaced":
            shutil.copytree(runs / "elsewhere", runs / "one")

    with pytest.raises(RunError, match="was deleted or replaced while") as caught:
        start(listener=Halt(3, act))
    assert "nothing more is written there" in str(caught.value)
    left = {"deleted": [], "moved": ["elsewhere"], "replaced": ["elsewhere", "one"]}[how]
    assert sorted(os.listdir(runs)) == left
    if left:
        start("plain")
        os.rename(runs / "elsewhere", runs / "back")
        resume("back")
        assert same_run(runs / "plain", runs / "back")


def test_a_run_that_is_not_there(runs):
    with pytest.raises(NotFound, match="no run named 'one'"):
        resume()
    assert not runs.exists()
    runs.write_text("a file")
    with pytest.raises(OptionError, match="is not a folder; set EVOBOARD_RUNS to one"):
        start()
    assert runs.read_text() == "a file"


def test_a_folder_that_cannot_be_looked_into_is_told(monkeypatch, tmp_path):
    """As one of somebody else's; here, its name is too long."""
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / ("long" * 100)))
    for action in (start, resume):
        with pytest.raises(RunError, match=r"cannot be used \(File name too long\)"):
            action()


def test_a_run_that_fails_at_once_leaves_nothing_behind(runs):
    class Broken(FakeTrainer):
        def step(self, progress=None):
            raise OptionError("nobody plays.")

    with pytest.raises(OptionError, match="nobody plays"):
        start_run("one", fake_experiment(), 1, make_trainer=Broken)
    assert not (runs / "one").exists()
    start()


def test_a_complete_run_without_its_final_is_damaged(runs):
    start()
    change("DELETE FROM finals")(runs / "one" / "run.db")
    with refused(runs / "one", "is damaged .it is complete, but has no final"):
        resume()


def test_a_signal_between_two_generations_loses_nothing(runs):
    """Ctrl-C twice from inside: the generation in progress is given up, the others are kept."""

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    outcome = start(listener=Halt(4, interrupt))
    assert (outcome.generation, outcome.cut) == (5, True)
    resume()
    start("plain")
    assert same_run(runs / "plain", runs / "one")
