"""Studies: cells × seeds as ordinary runs, gone on with after any end, and what they compare."""

from __future__ import annotations

import cmath
import csv
import io
import json
import math
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy  # it loads its statistics when they are asked for
from rich.console import Console
from typer.testing import CliRunner

from browser import wait_for
from evoboard.cli.main import app
from evoboard.cli.study import _print_results
from evoboard.cli.study_watch import StudyWatch
from evoboard.core.errors import EvoboardError
from evoboard.core.statistics import (
    compare,
    holm,
    least_p,
    mean_interval,
    permutation_test,
    t_quantile,
)
from evoboard.experiments.catalog import load
from evoboard.pictures.chart import Axis, Chart
from evoboard.pictures.pdf import _width, pdf_of
from evoboard.pictures.png import can_write_png
from evoboard.pictures.study_report import write_study
from evoboard.pictures.svg import Picture
from evoboard.runs.folder import describe_run
from evoboard.runs.lock import Lock, is_held
from evoboard.runs.runner import Begun, resume_run, start_run
from evoboard.runs.study import Cell, make_study, open_study, study_names
from evoboard.runs.study_numbers import Gathered, RunNumbers, gather
from evoboard.runs.study_training import StudyListener, train_study
from evoboard.runs.sweep import cells_of, seeds_of, values_of
from evoboard.store.run_file import RunError, run_folder
from evoboard.training.experiment import resolved
from evoboard.training.loop import Trainer
from fake_trainer import FakeTrainer, fake_experiment

KINDS = ("pdf", "svg", *(["png"] if can_write_png() else []))
TINY = """
extends = "nim-quick"
generations = 4
[fitness]
opponents = 2
pool = 10
[strategy]
population = 10
[measure]
every = 2
games = 4
spread = 2
[stop]
grade = 2.0
[champion]
finalists = 2
final_openings = 2
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOBOARD_RUNS", raising=False)
    (tmp_path / "tiny.toml").write_text(TINY)


def fake_cells(*generations):
    return [Cell(f"g={n}", resolved(fake_experiment(n))) for n in generations]


# --- statistics --------------------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [1, 2, 3.7, 4, 9, 30, 500])
def test_students_quantiles(freedom):
    assert t_quantile(freedom) == pytest.approx(scipy.stats.t.ppf(0.975, freedom), rel=1e-9)


def test_samples_are_compared_as_scipy_does():
    rng = np.random.default_rng(3)
    for sizes in ((5, 5), (3, 7), (2, 9)):
        one, other = rng.normal(1, 2, sizes[0]), rng.normal(0, 1, sizes[1])
        found = compare(one, other)
        welch = scipy.stats.ttest_ind(one, other, equal_var=False).confidence_interval()
        assert (found.low, found.high) == pytest.approx(tuple(welch))
        exact = scipy.stats.permutation_test(
            (one, other),
            lambda x, y: abs(x.mean() - y.mean()),
            n_resamples=np.inf,
            alternative="greater",
        )
        assert found.p == pytest.approx(exact.pvalue)
        u = scipy.stats.mannwhitneyu(one, other).statistic
        assert found.superiority == pytest.approx(u / (sizes[0] * sizes[1]))


def test_many_results_are_dealt_out_by_chance():
    rng = np.random.default_rng(4)
    one, other = rng.normal(0, 1, 30), rng.normal(0.5, 1, 30)
    p = permutation_test(one, other)
    assert p == permutation_test(one, other)
    assert p == pytest.approx(scipy.stats.ttest_ind(one, other).pvalue, abs=0.02)
    assert permutation_test(one, other + 9) == pytest.approx(1 / 20_001)


def test_the_least_p_of_few_seeds():
    assert permutation_test(np.arange(4), np.arange(4) + 10) == pytest.approx(least_p(4, 4))
    assert least_p(4, 4) == pytest.approx(2 / 70)
    assert permutation_test(np.arange(2), np.arange(3) + 10) == pytest.approx(least_p(2, 3))
    assert compare(np.ones(3), np.ones(3)).p == 1
    assert compare(np.ones(3), np.ones(3)).superiority == 0.5


def test_many_comparisons_are_corrected():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_intervals_of_columns():
    values = np.array([[1.0, 5.0, 7.0], [2.0, np.nan, 7.0], [6.0, np.nan, 7.0]])
    found = mean_interval(values)
    assert found.middle == pytest.approx([3, 5, 7])
    low, high = scipy.stats.t.interval(0.95, 2, 3, scipy.stats.sem([1, 2, 6]))
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
    assert math.isnan(found.low[1])  # one value tells nothing about its spread
    assert found.low[2] == found.high[2] == 7


# --- cells -------------------------------------------------------------------------------------


def test_settings_are_multiplied_and_named_briefly():
    cells = cells_of(
        ["tiny.toml"], ["strategy.population=8,10", "generations=2", "fitness.opponents=1,2"]
    )
    assert [cell.label for cell in cells] == [
        "population=8, opponents=1",
        "population=8, opponents=2",
        "population=10, opponents=1",
        "population=10, opponents=2",
    ]
    assert [cell.experiment["strategy"]["population"] for cell in cells] == [8, 8, 10, 10]
    assert {cell.experiment["generations"] for cell in cells} == {2}
    several = cells_of(["tiny.toml", "nim-quick"])
    assert [cell.label for cell in several] == ["tiny", "nim-quick"]


def test_commas_inside_of_values_part_nothing():
    assert values_of("a=1,2, 2") == ("a", ["1", "2"])
    assert values_of("a=[1,2],[3]") == ("a", ["[1,2]", "[3]"])
    assert values_of('a="nim:x=1,y=2",b') == ("a", ['"nim:x=1,y=2"', "b"])
    for wrong in ("a", "=1", "a=1,,2"):
        with pytest.raises(EvoboardError):
            values_of(wrong)


# --- training ----------------------------------------------------------------------------------


class Log(StudyListener):
    def __init__(self, stop_after=10**9):
        self.begun, self.ended, self.generations, self.stop_after = [], [], 0, stop_after

    def next_run(self, run):
        self.begun.append(run.name)

    def ended_run(self, run):
        self.ended.append(run.name)

    def generation(self, record):
        self.generations += 1
        if self.generations == self.stop_after:
            raise KeyboardInterrupt


def test_every_cell_and_seed_is_an_ordinary_run():
    study = make_study("s", fake_cells(3, 5), [1, 2])
    log = Log()
    assert train_study(study, listener=log, make_trainer=FakeTrainer) == []
    assert log.begun == log.ended == ["s-g-3-s1", "s-g-5-s1", "s-g-3-s2", "s-g-5-s2"]
    assert describe_run("s-g-5-s2").generation == 5
    assert describe_run("s-g-5-s2").seed == 2
    assert train_study(study, listener=(again := Log()), make_trainer=FakeTrainer) == []
    assert again.begun == []
    assert study_names() == ["s"]
    assert open_study("s") == study


def test_who_interrupts_the_last_generation_of_a_run_wants_no_other_run():
    class Interrupting(Log):
        def generation(self, record):
            if record.generation == 2:
                signal.raise_signal(signal.SIGINT)

    study = make_study("s", fake_cells(3), [1, 2])
    left = train_study(study, listener=(log := Interrupting()), make_trainer=FakeTrainer)
    assert log.begun == log.ended == ["s-g-3-s1"]
    assert [run.name for run in left] == ["s-g-3-s2"]


def test_a_study_that_was_cut_short_goes_on_and_comes_to_the_same():
    whole = make_study("whole", fake_cells(6, 4), [1, 2])
    train_study(whole, make_trainer=FakeTrainer)
    cut = make_study("cut", fake_cells(6, 4), [1, 2])
    for stop in (3, 2, 7):
        left = train_study(cut, listener=Log(stop), make_trainer=FakeTrainer)
        assert left
    assert train_study(open_study("cut"), make_trainer=FakeTrainer) == []
    same_numbers(whole, cut)


def same_numbers(one, other):
    for a, b in zip(gather(one).runs, gather(other).runs, strict=True):
        assert a.numbers["best"].tolist() == b.numbers["best"].tolist()
        assert a.games.tolist() == b.games.tolist()


def test_runs_side_by_side_are_what_they_are_one_after_the_other():
    one = make_study("one", fake_cells(6, 4), [1, 2])
    train_study(one, make_trainer=FakeTrainer)
    more = make_study("more", fake_cells(6, 4), [1, 2])
    log = Log()
    assert train_study(more, 1, jobs=3, listener=log, make_trainer=FakeTrainer) == []
    assert log.begun == [run.name for run in more.runs()]
    assert sorted(log.ended) == sorted(log.begun)
    assert log.generations == 2 * (6 + 4)
    assert multiprocessing.active_children() == []
    same_numbers(one, more)


class Late(Log):
    """Does something after some generations."""

    def __init__(self, action):
        super().__init__()
        self.action = action

    def generation(self, record):
        super().generation(record)
        if self.generations == 20:
            self.action()


def test_ctrl_c_reaches_all_runs_side_by_side_and_they_go_on():
    study = make_study("s", fake_cells(300), [1, 2, 3])
    late = Late(lambda: signal.raise_signal(signal.SIGINT))
    left = train_study(study, 1, jobs=2, listener=late, make_trainer=FakeTrainer)
    assert [run.name for run in left] == [run.name for run in study.runs()]
    assert not study.runs()[2].exists
    assert late.ended == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert train_study(study, 1, jobs=2, make_trainer=FakeTrainer) == []
    one = make_study("one", fake_cells(300), [1, 2, 3])
    train_study(one, make_trainer=FakeTrainer)
    same_numbers(one, study)


class Interrupting:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


class InterruptedTrainer(FakeTrainer):
    """Ctrl-C comes where Python ignores what is raised, before the run takes it itself."""

    def __init__(self, *args):
        super().__init__(*args)
        Interrupting()


def test_ctrl_c_reaches_a_worker_where_an_exception_would_vanish():
    study = make_study("s", fake_cells(3), [1, 2])
    left = train_study(study, 1, jobs=2, make_trainer=InterruptedTrainer)
    assert [run.name for run in left] == [run.name for run in study.runs()]
    assert train_study(study, 1, jobs=2, make_trainer=FakeTrainer) == []


def test_a_worker_that_is_killed_is_told_in_a_sentence():
    def kill():
        multiprocessing.active_children()[0].kill()

    study = make_study("s", fake_cells(300), [1, 2])
    with pytest.raises(RunError, match=r"ended unexpectedly \(SIGKILL\); what was stored is kept"):
        train_study(study, 1, jobs=2, listener=Late(kill), make_trainer=FakeTrainer)
    assert multiprocessing.active_children() == []
    assert train_study(study, 1, make_trainer=FakeTrainer) == []


def test_what_a_worker_cannot_do_is_told_as_it_says_it():
    train_study(make_study("s", fake_cells(3), [1, 2]), listener=Log(2), make_trainer=FakeTrainer)
    path = run_folder("studies") / "s" / "study.toml"
    path.write_text(path.read_text().replace("generations = 3", "generations = 4"))
    with pytest.raises(RunError, match="has other settings than the study"):
        train_study(open_study("s"), 1, jobs=2, make_trainer=FakeTrainer)


WORKERS = """
import os, sys
sys.path.insert(0, {tests!r})
from evoboard.runs.study import open_study
from evoboard.runs.study_training import StudyListener, train_study
from fake_trainer import FakeTrainer
class Killed(StudyListener):
    def generation(self, record):
        if record.generation == 20:
            os.kill(os.getpid(), 9)
if __name__ == "__main__":
    train_study(open_study("s"), 1, jobs=2, listener=Killed(), make_trainer=FakeTrainer)
"""


def test_workers_whose_parent_was_killed_save_and_end(tmp_path):
    study = make_study("s", fake_cells(90_000), [1, 2])
    path = tmp_path / "parent.py"
    path.write_text(WORKERS.format(tests=str(Path(__file__).parent)))
    assert subprocess.run([sys.executable, path], check=False, timeout=120).returncode == -9
    folders = [run_folder(run.name) for run in study.runs()]
    wait_for(lambda: not any(map(is_held, folders)), "the workers' end", 60)
    found = {describe_run(run.name).status for run in study.runs() if run.exists}
    assert found == {"stopped"}


EARLY = """
import os, sys
sys.path.insert(0, {tests!r})
from evoboard.runs.study import open_study
from evoboard.runs.study_training import StudyListener, train_study
from fake_trainer import FakeTrainer
class Early(StudyListener):
    def next_run(self, run):
        {kill}  # the worker has just begun
if __name__ == "__main__":
    left = train_study(open_study("s"), 1, jobs=2, listener=Early(), make_trainer=FakeTrainer)
    print(len(left))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no groups of processes")
@pytest.mark.parametrize("kill", ["os.killpg(0, 2)", "os.kill(os.getpid(), 2)"])
def test_ctrl_c_reaches_a_worker_that_is_being_loaded_and_breaks_nothing(kill, tmp_path):
    study = make_study("s", fake_cells(3), [1, 2, 3])
    path = tmp_path / "parent.py"
    path.write_text(EARLY.format(tests=str(Path(__file__).parent), kill=kill))
    command = [sys.executable, path]
    ended = subprocess.run(
        command, check=False, timeout=120, start_new_session=True, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "3\n", "")
    assert train_study(study, 1, make_trainer=FakeTrainer) == []


def test_a_study_grows_but_keeps_its_cells():
    train_study(make_study("s", fake_cells(3), [1]), make_trainer=FakeTrainer)
    grown = make_study("s", fake_cells(3, 4), [1, 2])
    assert [run.name for run in grown.left()] == ["s-g-4-s1", "s-g-3-s2", "s-g-4-s2"]
    with pytest.raises(EvoboardError, match="has other settings for g=3"):
        make_study("s", [Cell("g=3", resolved(fake_experiment(9)))], [1])
    assert open_study("s") == grown


def test_a_study_without_a_run_is_made_anew():
    make_study("s", fake_cells(3), [1, 2])
    assert [cell.label for cell in make_study("s", fake_cells(4), [1]).cells] == ["g=4"]


def test_a_run_of_another_process_is_left_to_it():
    study = make_study("s", fake_cells(3), [1, 2])
    train_study(study, listener=Log(2), make_trainer=FakeTrainer)
    with Lock(run_folder("s-g-3-s1")):
        left = train_study(study, make_trainer=FakeTrainer)
    assert [run.name for run in left] == ["s-g-3-s1"]


def test_a_run_with_other_settings_is_not_taken_for_the_studys():
    train_study(make_study("s", fake_cells(3), [1]), listener=Log(2), make_trainer=FakeTrainer)
    path = run_folder("studies") / "s" / "study.toml"
    path.write_text(path.read_text().replace("generations = 3", "generations = 4"))
    with pytest.raises(EvoboardError, match="has other settings than the study"):
        train_study(open_study("s"), make_trainer=FakeTrainer)


def test_a_complete_run_with_other_settings_is_not_compared():
    study = make_study("s", fake_cells(3), [1])
    train_study(study, make_trainer=FakeTrainer)
    assert len(gather(study).runs) == 1
    shutil.rmtree(run_folder("s-g-3-s1"))
    start_run("s-g-3-s1", fake_experiment(4), 1, make_trainer=FakeTrainer)
    with pytest.raises(EvoboardError, match="s-g-3-s1 has other settings than the study"):
        gather(study)


def test_a_run_of_a_study_stays_as_long_as_the_others_but_a_copy_need_not():
    study = make_study("s", fake_cells(3), [1])
    train_study(study, make_trainer=FakeTrainer)
    with pytest.raises(EvoboardError, match="belongs to the study s, which compares runs of one"):
        resume_run("s-g-3-s1", generations=6, make_trainer=FakeTrainer)
    assert len(gather(study).runs) == 1
    shutil.copytree(run_folder("s-g-3-s1"), run_folder("mine"))
    assert resume_run("mine", generations=6, make_trainer=FakeTrainer).generation == 6
    (run_folder("studies") / "s" / "study.toml").write_text("seeds = 3")
    assert resume_run("mine", generations=7, make_trainer=FakeTrainer).generation == 7


OUTSIDE = """over = "games"
seeds = [1]
cells = [{label = "x", stem = "../x", experiment = {}}]"""


@pytest.mark.parametrize("text", ["", "seeds = 3", "cells = []", "\x00", OUTSIDE])
def test_a_damaged_description_is_one_sentence(text):
    make_study("s", fake_cells(3), [1])
    (run_folder("studies") / "s" / "study.toml").write_text(text)
    with pytest.raises(EvoboardError) as error:
        open_study("s")
    assert "\n" not in str(error.value)


def test_names_and_seeds_that_cannot_be():
    with pytest.raises(EvoboardError, match="cannot be named"):
        make_study("../x", fake_cells(3), [1])
    with pytest.raises(EvoboardError, match="at least one seed"):
        make_study("x", fake_cells(3), [])
    with pytest.raises(EvoboardError, match="two cells"):
        make_study("x", fake_cells(3, 3), [1])
    with pytest.raises(EvoboardError, match="there is no study named"):
        open_study("x")


def test_a_study_that_cannot_be_looked_into_is_told(monkeypatch, tmp_path):
    """As one of somebody else's; here, its folder's name is too long."""
    (run,) = make_study("x", fake_cells(3), [1]).runs()
    assert not run.exists
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / ("long" * 100)))
    with pytest.raises(RunError, match=r"cannot be used \(File name too long\)"):
        _ = run.exists


# --- what they come to -------------------------------------------------------------------------


def test_cells_are_compared_where_all_have_played_the_same_games():
    study = make_study("s", fake_cells(4, 8), [1, 2, 3])
    train_study(study, make_trainer=FakeTrainer)
    found = gather(study)
    each = 12 * 11  # games of a fake generation
    assert found.common("best") == 4 * each
    outcomes = found.outcomes("best")
    for cell in ("g=4", "g=8"):
        for run, value in zip(found.of(cell), outcomes[cell], strict=True):
            assert value == run.numbers["best"][3]
    curves = found.curves("best")
    assert [curve.places[-1] for curve in curves] == [4 * each, 4 * each]
    assert found.curves("best", whole=True)[1].places[-1] == 8 * each
    assert curves[1].values.shape == (3, 4)
    assert curves[1].interval.middle == pytest.approx(found.array("g=8", "best")[:, :4].mean(0))
    assert found.array("g=8", "learning").shape == (3, 8)
    assert np.isnan(found.array("g=8", "learning")[:, :2]).all()
    versus = found.compared("best")
    assert [(one.first, one.second) for one in versus] == [("g=4", "g=8")]
    assert versus[0].found == compare(outcomes["g=4"], outcomes["g=8"])
    assert found.main_measure() == "best"
    with pytest.raises(EvoboardError, match="not all runs have the number 'bestt'; they have best"):
        found.main_measure("bestt")


def numbers(run, values, settled=False):
    games = 100.0 * np.arange(1, len(values) + 1)
    return RunNumbers(run, games, games / 50, {"grade": np.array(values)}, settled)


def test_runs_that_were_last_measured_earlier_than_others_are_told():
    study, nan = make_study("s", fake_cells(4, 5), [1]), math.nan
    known = numbers(study.runs()[0], [0.1, 0.2, 0.3, 0.4])
    seldom = numbers(study.runs()[1], [0.1, nan, 0.5, nan, 0.7])
    found = Gathered(study, (known, seldom))
    assert found.outcomes("grade") == {"g=4": [0.4], "g=5": [0.5]}
    assert found.budget("grade") == "400 games each, last measured after 300 to 400"
    assert Gathered(study, (known, known)).budget("grade") == "400 games each"
    settled = numbers(study.runs()[1], [0.1, nan, 1.0], settled=True)
    assert Gathered(study, (known, settled)).budget("grade") == "400 games each"


def test_a_run_that_has_reached_its_aim_keeps_its_value():
    study = make_study("s", fake_cells(4, 5), [1, 2])
    nan = math.nan
    rows = [
        numbers(study.runs()[0], [0.1, nan, 0.5, nan, 0.7]),
        numbers(study.runs()[1], [0.2, 1.0], settled=True),
        numbers(study.runs()[2], [0.3, nan, 0.6, 0.8]),
        numbers(study.runs()[3], [0.2, 0.4, 0.6, 0.9]),
    ]
    found = Gathered(study, tuple(rows))
    assert found.common("grade") == 400
    assert found.outcomes("grade")["g=4"].tolist() == [0.5, 0.8]
    assert found.outcomes("grade")["g=5"].tolist() == [1.0, 0.9]
    curve = found.curves("grade")[1]
    assert curve.places.tolist() == [100, 200, 300, 400]
    assert curve.values[0].tolist() == [0.2, 1, 1, 1]
    assert Gathered(replace(study, over="seconds"), found.runs).common("grade") == 8
    assert Gathered(replace(study, over="generations"), found.runs).common("grade") == 4


def test_a_setting_that_is_measured_too_late_to_be_compared_is_listed_without_a_number(capsys):
    study = make_study("s", fake_cells(4, 5), [1])
    one, other = study.runs()
    late = [math.nan, math.nan, math.nan, 0.9]
    found = Gathered(study, (numbers(one, [0.1, 0.2]), numbers(other, late)))
    table = (write_study(found).parent / "data/outcomes.csv").read_text()
    rows = [line.split(",")[:3] for line in table.splitlines()[1:]]
    assert rows == [["g=4", "1", "0.2"], ["g=5", "0", ""]]
    _print_results(Console(), found, "grade")
    assert re.search(r"g=5 +0 +– +–", capsys.readouterr().out)


def test_a_run_ends_when_its_games_are_played():
    found = load("tiny.toml", ["stop.games=100", "generations=1000"])
    trainer, played = Trainer(found, 1), []
    while not trainer.finished():
        played.append(trainer.step())
    games = [record.numbers["games"] for record in played]
    assert sum(games[:-1]) < 100 <= sum(games)
    assert "games are played" in trainer.finished()
    assert "grade" in played[-1].numbers  # the last generation is measured
    half = Trainer(found, 1)
    half.step()
    other = Trainer(found, 1)
    other.restore(half.state())
    while not other.finished():
        other.step()
    assert other.generation == trainer.generation


def test_a_run_ends_when_its_time_is_up():
    trainer = Trainer(load("tiny.toml", ["stop.seconds=0.05", "generations=100000"]), 1)
    while not trainer.finished():
        trainer.step()
    assert "seconds were trained" in trainer.finished()
    assert trainer.spent.seconds >= 0.05
    assert "spent" not in Trainer(load("tiny.toml"), 1).state()  # else no run would repeat another


def test_the_report_stands_alone_with_figures_and_numbers_beside_it():
    study = make_study("s", fake_cells(4, 5), [1, 2, 3])
    train_study(study, make_trainer=FakeTrainer)
    found = gather(study)
    page = write_study(found)
    text = page.read_text()
    assert text.count("<svg") == 2  # every run's outcome, and the curve of what it is
    assert "best fitness by games" in text
    assert "<script" not in text
    assert "src=" not in text
    assert "https:" not in text
    files = sorted(file.name for file in (page.parent / "figures").iterdir())
    pictures = [f"{name}.{kind}" for name in ("curve-best", "outcomes") for kind in KINDS]
    assert files == sorted(pictures)
    with open(page.parent / "data" / "runs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * (4 + 5)
    last = found.of("g=5")[2]
    assert float(rows[-1]["best"]) == last.numbers["best"][-1]
    assert int(rows[-1]["games"]) == last.games[-1]
    with open(page.parent / "data" / "compared.csv", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["p corrected"]) == found.compared("best")[0].corrected
    with open(page.parent / "data" / "curve-best.csv", newline="") as file:
        curve = [row for row in csv.DictReader(file) if row["setting"] == "g=4"]
    assert [float(row["seed 2"]) for row in curve] == found.curves("best")[0].values[1].tolist()


def test_a_picture_as_pdf_has_its_words_and_shapes():
    chart = Chart("Title (1)", Axis("x", 0, 10), Axis("y − z", 0, 1))
    chart.line([0, 5, 10], [0, 1, 0.5], "#112233", "named", dashed=True)
    chart.band([0, 10], [0, 0], [1, 1], "#445566")
    chart.points([5], [0.5], "#000000")
    whole = pdf_of(chart.finish())
    assert whole.startswith(b"%PDF-1.4")
    packed = re.search(rb"stream\n(.*?)\nendstream", whole, re.DOTALL)
    drawn = zlib.decompress(packed[1]).decode("latin-1")
    assert "(Title \\(1\\)) Tj" in drawn
    assert "(y - z) Tj" in drawn  # its minus is not in every font
    assert "0.067 0.133 0.2 RG 2 w [6 4] 0 d" in drawn
    assert drawn.count(" c\n") + drawn.count(" c ") >= 1  # a circle is drawn by curves
    # Every object is where the table at the end says.
    start = int(re.search(rb"startxref\n(\d+)", whole)[1])
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", whole[start:]), 1):
        assert whole[int(place) :].startswith(f"{number} 0 obj".encode())
    with pytest.raises(EvoboardError, match="the shape path cannot be written as PDF"):
        pdf_of(Picture('<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>'))


def corners(element):
    """Yield the corners of the words of an SVG text, as wide as Helvetica makes them."""
    size, look = float(element.attrib["font-size"]), element.attrib
    wide = size / 1000 * sum(_width(byte) for byte in element.text.encode("cp1252", "replace"))
    left = {"start": 0.0, "end": -wide}.get(look["text-anchor"], -wide / 2)
    turned = re.fullmatch(r"rotate\((\S+) .*", look.get("transform", ""))
    turn = cmath.rect(1, math.radians(float(turned[1]))) if turned else 1
    for along in (left, left + wide):
        for down in (-size / 2, size / 2):
            yield complex(float(look["x"]), float(look["y"])) + turn * complex(along, down)


LONG = ["strategy.mutations.add_node.chance=0.05, population=100", *"bcdef"]


@pytest.mark.parametrize(
    "labels, leans",
    [
        (LONG, True),
        (["population=50, power=0.1, depth=1", "population=100, power=0.1, depth=1"] * 2, False),
        ([f"session {number}" for number in range(30)], True),
        (["one", "two"], False),
    ],
)
def test_no_word_of_a_chart_is_cut_off(labels, leans):
    chart = Chart("A title", Axis.named("settings", labels), Axis("points", 0, 1))
    for label in labels:
        chart.line([0, 1], [0, 1], "#112233", label)
    chart.level(0.99, "what others have reached, in many words")
    root = ElementTree.fromstring(chart.finish().svg)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    texts = [each for each in root if each.tag.endswith("text")]
    for element in texts:
        for corner in corners(element):
            assert left <= corner.real <= left + width, element.text
            assert top <= corner.imag <= top + height, element.text
    below = next(each for each in texts if each.text == "settings")
    lowest = max(c.imag for each in texts if each is not below for c in corners(each))
    assert min(corner.imag for corner in corners(below)) >= lowest
    assert leans is any("rotate(-35" in text.get("transform", "") for text in texts)
    paper = next(each for each in root if each.tag.endswith("rect"))
    assert float(paper.attrib["height"]) == height


# --- the command -------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """Let the command train with a trainer that plays no games."""
    monkeypatch.setenv("COLUMNS", "120")
    train_with(FakeTrainer, monkeypatch)


def train_with(trainer, monkeypatch):
    train = partial(train_study, make_trainer=trainer)
    monkeypatch.setattr("evoboard.cli.study.train_study", train)


def run(*arguments):
    result = CliRunner().invoke(app, ["study", *arguments])
    assert result.exception is None, result.output
    return result.output


def fail(*arguments):
    result = CliRunner().invoke(app, ["study", *arguments])
    assert isinstance(result.exception, EvoboardError), result.output
    return str(result.exception)


@pytest.mark.usefixtures("quick")
def test_a_study_by_command():
    assert "There are no studies yet" in run()
    told = run(
        "tiny.toml", "--seeds", "2", "--set", "strategy.population=8,10", "--measure", "best"
    )
    assert re.search(r"4 of 4 runs  population=10, seed 2 \(0:\d\d\)  left 0:00", told)
    assert "it lost to" not in told  # nobody could tell which run
    assert "best, mean over seeds, after 528 games each" in told
    assert "population=8 − population=10" in told
    assert "With only 2 seeds, no difference can be told from chance." in told
    again = run("tiny.toml", "--seeds", "2", "--set", "strategy.population=8,10")
    assert "runs  population" not in again  # nothing is trained twice
    more = run("tiny.toml", "--seeds", "4", "--set", "strategy.population=8,10")
    assert "8 of 8 runs" in more
    assert "10 of 10 runs" in run("--name", "tiny-study", "--seeds", "5")
    assert "no difference can be told" not in more
    assert "runs/studies/tiny-study/report.html" in more
    assert run().split() == [
        "study",
        "runs",
        "settings",
        "tiny-study",
        "10/10",
        "population=8;",
        "population=10",
    ]
    found = json.loads(run("--name", "tiny-study", "--json", "--measure", "mean"))
    assert found["measure"] == "mean"
    assert [len(cell["values"]) for cell in found["cells"]] == [5, 5]
    assert found["left"] == []
    assert found["compared"][0]["corrected"] == found["compared"][0]["p"]


def test_ctrl_c_says_how_to_go_on(monkeypatch):
    class Impatient(FakeTrainer):
        def step(self, progress=None):
            if self.generation == 2 and self.seed == 2:
                raise KeyboardInterrupt
            return super().step(progress)

    train_with(Impatient, monkeypatch)
    told = run("tiny.toml", "--seeds", "3", "--name", "mine")
    assert "mine is saved: 1 of 3 runs complete." in told
    assert "evoboard study --name mine" in told
    train_with(FakeTrainer, monkeypatch)
    assert "3 of 3 runs" in run("--name", "mine")


@pytest.mark.usefixtures("quick")
def test_what_a_study_cannot_be():
    assert "give --games or --seconds" in fail("tiny.toml", "--games", "9", "--seconds", "9")
    assert "write how many, such as 5" in fail("tiny.toml", "--seeds", "x")
    assert "1,000 at most" in fail("tiny.toml", "--seeds", "1001")
    assert "names no seed" in fail("tiny.toml", "--seeds", "0")
    assert "no study named 'nope'" in fail("--name", "nope")
    assert "need the experiments of the study" in fail("--name", "nope", "--set", "generations=3")
    assert "there is no setting of strategy named 'populatio'" in fail(
        "tiny.toml", "--set", "strategy.populatio=8,10"
    )


def test_seeds_are_a_number_a_list_or_a_range():
    assert seeds_of("3") == [1, 2, 3]
    assert seeds_of("3,5,8") == [3, 5, 8]
    assert seeds_of("11-13") == [11, 12, 13]
    assert seeds_of("2,7-8") == [2, 7, 8]


def test_the_forecast_goes_by_runs_that_are_done(monkeypatch):
    study = make_study("s", fake_cells(3, 4), [1, 2])
    now = [0.0]
    monkeypatch.setattr("evoboard.cli.study_watch.time.monotonic", lambda: now[0])
    watch = StudyWatch(study, Console(file=io.StringIO()))
    assert watch.seconds_left() is None
    for run, seconds in zip(study.runs(), (10, 30, 10), strict=False):
        watch.next_run(run)
        now[0] += seconds
        watch.ended_run(run)
    assert watch.seconds_left() == 30
    watch.next_run(study.runs()[3])
    now[0] += 12
    assert watch.seconds_left() == 18
    # Compiling, in a run's first generation, is not expected again.
    other = StudyWatch(study, Console(file=io.StringIO()))
    other.next_run(study.runs()[0])
    pace = other.now[study.runs()[0].name].inner.pace
    pace.begin()
    for seconds in (25, 5):
        now[0] += seconds
        pace.add(100)
    other.ended_run(study.runs()[0])
    assert other.seconds_left() == 3 * 10
    # Before any run is done, by what is expected of each cell.
    expected = {cell.label: 10.0 * place for place, cell in enumerate(study.cells, 1)}
    assert StudyWatch(study, Console(file=io.StringIO()), expected).seconds_left() == 60
    # Two at a time: half of it, but nothing ends before the longest run.
    assert StudyWatch(study, Console(file=io.StringIO()), expected, 2).seconds_left() == 30
    assert StudyWatch(study, Console(file=io.StringIO()), expected, 9).seconds_left() == 20


def test_a_studys_display_in_a_terminal():
    def shown(watch):
        console.print(watch.render())
        return console.export_text()

    study = make_study("s", fake_cells(3), [1, 2])
    console = Console(file=io.StringIO(), force_terminal=True, width=100, record=True)
    watch = StudyWatch(study, console)
    with watch.shown():
        train_study(study, listener=watch, make_trainer=FakeTrainer)
    assert "s: 2 of 2 runs" in shown(watch)
    more = make_study("s", fake_cells(3), [3])
    watch = StudyWatch(more, console)
    watch.next_run(more.runs()[2])
    assert "s: 2 of 3 runs" in shown(watch)
    assert "g=3, seed 3" in shown(watch)
    both = make_study("s", fake_cells(3), [4, 5])
    watch = StudyWatch(both, console, jobs=2)
    for run, played in ((both.runs()[3], 1), (both.runs()[4], 2)):
        inner = watch.next_run(run)
        folder = run_folder(run.name)
        inner.began(Begun(run.name, folder, fake_experiment(3), run.seed, played))
    told = shown(watch)
    assert re.search(r"g=3, seed 4 .* 1/3\n", told)
    assert re.search(r"g=3, seed 5 .* 2/3\n", told)
    assert watch.share() == pytest.approx((2 + 1) / 5)
