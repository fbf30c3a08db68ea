"""What keeping a run costs: time and disk space by generation, memory; and twenty kills."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Row
from evoboard.evolution.base import strategy_names
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.reader import open_run
from evoboard.store.records import GameRecord, StoredGame
from evoboard.store.writer import Writer
from evoboard.training.experiment import Experiment, read_experiment

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from compare_runs import differences  # noqa: E402
from fake_trainer import FakeTrainer, fake_experiment  # noqa: E402

KILLS = 20
# Paper A's session: population 50, every pair with both colours, one ply deep, every 50th
# generation with all its games and genomes.
SESSION = {
    "game": {"name": "kingcapture"},
    "search": {"name": "alphabeta", "depth": 1},
    "strategy": {"name": "neat", "population": 50},
    "measure": {"every": 10},
}


class Large(FakeTrainer):
    """Leaves as much behind as a session of 50 networks: 120 kB of state, at times 2,450 games."""

    population = 50
    links = 300

    def _games(self, rng: Any) -> Iterator[StoredGame]:
        moves = rng.integers(0, 1296, (2450, 27)).tolist()
        start = "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"
        for i, played in enumerate(moves):
            ended = (i % 3 - 1, "Black's king is taken", 1)
            record = GameRecord("kingcapture", 1, start, tuple(played), *ended)
            yield StoredGame("fitness", int(self.ids[i % 50]), int(self.ids[i % 49]), record)


@contextmanager
def new_runs() -> Iterator[Path]:
    """A folder for runs that is gone afterwards."""
    before = os.environ.get("EVOBOARD_RUNS")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVOBOARD_RUNS"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ.pop("EVOBOARD_RUNS")
            if before is not None:
                os.environ["EVOBOARD_RUNS"] = before


@contextmanager
def timed_store() -> Iterator[list[tuple[float, float]]]:
    """Note the seconds of every generation that is stored, and how long it was computed."""
    seconds: list[tuple[float, float]] = []
    original = Writer.add

    def add(self: Writer, *given: Any) -> None:
        began, computed = time.perf_counter(), time.thread_time()
        original(self, *given)
        seconds.append((time.perf_counter() - began, time.thread_time() - computed))

    Writer.add = add  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        Writer.add = original  # type: ignore[method-assign]


def storing_rows() -> list[Row]:
    """Milliseconds and bytes per generation, recorded ones included."""
    rows = []
    for name, generations, experiment, maker in (
        ("as large as a session of 50", 1000, fake_experiment(1000), Large),
        ("a real one: NEAT, population 50", 200, None, None),
    ):
        given = experiment or read_experiment({**SESSION, "generations": generations})
        more = {"make_trainer": maker} if maker else {}
        with new_runs() as folder, timed_store() as seconds:
            start_run("one", given, 1, **more)
            size = (folder / "one" / "run.db").stat().st_size
            with open_run("one") as run:
                # Measuring is games, too: against fixed players and earlier champions.
                games = sum(row["games"] + row.get("measure", 0) for row in run.timings().values())
                others = sum(sum(row.values()) for row in run.timings().values()) - games
        mean, computed = 1e3 * np.mean(seconds, axis=0)
        usual = 1e3 * float(np.median(seconds, axis=0)[0])
        rows.append(Row(f"{name}: storing", mean, "ms", target=3, lower_is_better=True))
        rows.append(Row("  of it computing, not waiting for the disk", computed, "ms"))
        rows.append(Row("  a generation that is not recorded", usual, "ms"))
        rows.append(Row("  on disk per 1,000 generations", size / generations / 1e3, "MB"))
        if not maker:
            others += generations * mean / 1e3
            rows.append(
                Row(
                    "  all but the games, of the time",
                    100 * others / (games + others),
                    "%",
                    target=15,
                    lower_is_better=True,
                )
            )
    return rows


def memory_rows() -> list[Row]:
    """How much memory 9,000 further generations take; the same run is read meanwhile."""
    seen: dict[int, float] = {}

    class Watch(Listener):
        def generation(self, record: Any) -> None:
            if record.generation in (1000, 9999):
                with open_run("one") as run:
                    run.rows(record.generation - 10)
                seen[record.generation] = resident()

    record = {"games_every": 500, "genomes_every": 500}
    with new_runs() as folder:
        start_run("one", fake_experiment(10_000, record), 1, make_trainer=Large, listener=Watch())
        size = (folder / "one" / "run.db").stat().st_size
    return [
        Row("memory at generation 1,000", seen[1000], "MB"),
        Row("  more at 10,000", seen[9999] - seen[1000], "MB", target=5, lower_is_better=True),
        Row("  database of 10,000 generations", size / 1e6, "MB"),
    ]


def resident() -> float:
    """Return this process's memory in MB; where nobody tells, the most it ever had."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def killed_rows() -> list[Row]:
    """Runs killed at random moments, each time gone on with, against runs left in peace."""
    rows = []
    cases: list[tuple[str, Experiment | None, int]] = [("nothing but storing", None, 1500)]
    for strategy in strategy_names():
        tables = {**SESSION, "strategy": {"name": strategy}, "generations": 80}
        tables["fitness"] = {"schedule": "circular", "opponents": 3, "openings": 1}
        cases.append((strategy, read_experiment(tables), 80))
    for name, experiment, generations in cases:
        with new_runs() as folder:
            options: list[Any] = ["--generations", generations]
            given, more = experiment, {}
            if experiment is None:
                record = {"checkpoint_every": 1, "games_every": 4, "genomes_every": 3}
                given, more = fake_experiment(generations, record), {"make_trainer": FakeTrainer}
            else:
                options = ["--experiment", folder / "plain" / "config.toml"]
            start_run("plain", given, 1, **more)
            kills, lost = kill_often(options, KILLS)
            resume_run("killed", **more)
            wrong = len(differences(folder / "plain", folder / "killed"))
        rows.append(Row(f"{name}: kills", kills, "", target=KILLS / 2))
        rows.append(Row("  generations lost that were stored", lost, ""))
        rows.append(Row("  rows that differ afterwards", wrong, ""))
        if wrong or lost:  # a target of 0 is none
            rows.append(Row("  it is NOT the same run", 1, "", target=0.5, lower_is_better=True))
    return rows


def kill_often(options: list[Any], times: int) -> tuple[int, int]:
    """Train a run named killed and kill it; return how often, and generations told but lost."""
    rng = np.random.default_rng(20)
    command = [sys.executable, str(TESTS / "killed_run.py"), "killed", *map(str, options)]
    kills = lost = 0
    for _ in range(times):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout
        told = process.stdout.readline()
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        told += process.communicate()[0]
        stored = [int(line.split()[1]) for line in told.splitlines() if line.startswith("stored")]
        kills += process.returncode != 0
        with open_run("killed") as run:
            lost += max(0, max([-1, *stored]) + 1 - run.count())
    return kills, lost


GROUPS: dict[str, Callable[[], list[Row]]] = {
    "runs: storing": storing_rows,
    "runs: memory": memory_rows,
    "runs: killed": killed_rows,
}
