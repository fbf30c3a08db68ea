"""Tuning: what is sought and where, trials as cells of a study, gone on with after any end."""

from __future__ import annotations

import tomllib

import pytest
from typer.testing import CliRunner

from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError
from evoboard.experiments.catalog import load
from evoboard.runs import tuning
from evoboard.runs.study import open_study
from evoboard.runs.study_training import StudyListener
from evoboard.runs.tuning import Param, Tuning, params_of
from evoboard.training.experiment import read_experiment, resolved
from fake_trainer import FakeTrainer

pytest.importorskip("optuna")

POWER = "strategy.mutations.values.power"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOBOARD_RUNS", raising=False)
    monkeypatch.setattr(Tuning, "worth", worth)


def worth(self, run, cell):
    """The nearer the power is to 0.3, the better."""
    rows = cell.experiment["strategy"]["mutations"]
    power = next(row["power"] for row in rows if row["kind"] == "values")
    return 1 - abs(power - 0.3)


def tuned(name="t"):
    small = ("generations=3", "record.games_every=0", "record.genomes_every=0")
    return Tuning(name, "kingcapture-quick", params_of([f"{POWER}=0.01:1"]), (1,), small)


def test_what_is_to_be_tuned_is_read():
    assert Param.read("a.b=0.1:2") == Param("a.b", 0.1, 2.0)
    assert Param.read("a=1:9") == Param("a", 1, 9, whole=True)
    assert Param.read("a=1:9:log") == Param("a", 1, 9, whole=True, log=True)
    assert Param.read("a=x,y") == Param("a", choices=("x", "y"))
    for wrong in ("a=1", "a=2:1", "a=0:1:log", "a=1:2:3", "a=x:y", "a"):
        with pytest.raises(EvoboardError):
            Param.read(wrong)
    with pytest.raises(EvoboardError, match="say what to tune"):
        params_of([])
    with pytest.raises(EvoboardError, match="listed twice"):
        params_of(["a=1:2", "a=3:4"])


def test_the_best_settings_are_found_and_written():
    wanted, told = tuned(), []
    assert wanted.seek(12, told=told.append, make_trainer=FakeTrainer)
    assert len(told) == 12
    best = wanted.tried()[0]
    assert best.value == max(each.value for each in told) > 0.9
    path = wanted.write_best(best)
    kept = tomllib.loads(path.read_text())
    assert resolved(read_experiment(kept)) == resolved(
        load("kingcapture-quick", [*wanted.fixed, *best.changes])
    )
    assert len(open_study("t").cells) == 12
    assert wanted.seek(12, told=told.append, make_trainer=FakeTrainer)
    assert len(told) == 12  # all were done


def test_a_trial_that_was_cut_short_is_taken_up_again():
    class Impatient(StudyListener):
        def generation(self, record):
            if record.generation == 1:
                raise KeyboardInterrupt

    wanted = tuned()
    assert not wanted.seek(2, listener=Impatient(), make_trainer=FakeTrainer)
    (cut,) = open_study("t").cells
    assert wanted.seek(2, make_trainer=FakeTrainer)
    assert len(open_study("t").cells) == 2
    assert wanted.tried()[0].changes != wanted.tried()[1].changes
    values = [each.changes[0].partition("=")[2] for each in wanted.tried()]
    assert cut.label in [f"power={value}" for value in values]  # short: runs are named after it
    assert cut.stem == f"t-power-{cut.label[6:]}"


def test_settings_that_cannot_be_are_told_and_not_tried_again():
    wrong = Tuning("t", "kingcapture-quick", params_of(["strategy.population=-5:-1"]))
    with pytest.raises(EvoboardError, match=r"strategy\.population is -\d; it must be at least"):
        wrong.seek(3, make_trainer=FakeTrainer)
    assert wrong.tried() == []


def test_without_optuna_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(tuning.importlib.util, "find_spec", lambda name: None)
    result = CliRunner().invoke(app, ["tune", "nim-quick", "--param", "strategy.population=50:99"])
    assert str(result.exception) == "tuning needs Optuna; install it with: pip install optuna."
