"""Benchmarks run: a change of the program that breaks one is noticed before `make bench` is."""

from __future__ import annotations

import importlib
import itertools
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import few
from evoboard.arena.ladder import Place
from evoboard.core.errors import NotFound
from evoboard.experiments.catalog import load
from evoboard.runs.runner import start_run
from evoboard.runs.study_numbers import gather

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
report = importlib.import_module("benchmarks.report")


def once(work, seconds=1.0, repeats=3):
    """Take the place of `rate`: the work is done once, and how fast does not matter."""
    return float(work())


GROUPS = (
    "search: depth 1",
    "search: deeper",
    "networks: forward",
    "networks: encoders",
    "mcts: early termination",
    "rules: a user's game",
)


@pytest.mark.parametrize("group", few(GROUPS, "search: depth 1"))
def test_a_group_has_rows(group, monkeypatch):
    found = importlib.import_module(f"benchmarks.{group.partition(':')[0]}")
    if hasattr(found, "rate"):
        monkeypatch.setattr(found, "rate", once)
    rows = found.GROUPS[group]()
    assert rows
    assert all(row.ours > 0 for row in rows)


def test_a_group_that_fails_is_told_and_the_others_go_on(capsys):
    def broken():
        raise ValueError("no such network")

    def fine():
        return [report.Row("games", 3.0, "games/s", "peer", 2.0, 1.0)]

    assert report.print_groups({"first": broken, "second": fine}) == 1
    told = capsys.readouterr().out
    assert "first\n  did not run: ValueError: no such network" in told
    assert "1.50 ×" in told


@pytest.mark.parametrize(
    "module", ["equal_time", "forgetting", "inputs", "populations", "switches", "two_nodes"]
)
def test_a_module_of_its_own_explains_itself(module, monkeypatch):
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit, match=f"python -m benchmarks.{module}"):
        runpy.run_path(str(ROOT / "benchmarks" / f"{module}.py"), run_name="__main__")


def test_too_few_words_and_wrong_ones_are_told_in_words(monkeypatch):
    def main():
        raise NotFound("there is no game named 'ches'.")

    monkeypatch.setattr(sys, "argv", ["inputs"])
    with pytest.raises(SystemExit, match="how it is called"):
        report.begin(main, "how it is called", 1)
    monkeypatch.setattr(sys, "argv", ["inputs", "ches"])
    with pytest.raises(SystemExit, match="no game named 'ches'"):
        report.begin(main, "how it is called", 1)


@pytest.mark.parametrize("tool", ["trust", "mutations"])
def test_a_tool_that_finds_nothing_to_try_does_not_look_content(tool):
    command = [sys.executable, str(ROOT / "tools" / f"{tool}.py"), "nonsense"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode
    assert "nonsense" in ended.stderr


@pytest.mark.proof
@pytest.mark.parametrize("limit", ["seconds=0.001", "nodes=30"])
def test_a_change_of_the_search_meets_the_champion(limit):
    switches = importlib.import_module("benchmarks.switches")
    found = switches.compare("nim", limit, 0, "killers=0,quiescence=2")
    assert found["games"] == found["wins"] + found["draws"] + found["losses"] == switches.GAMES
    assert found["cost"] == 1 if "seconds" in limit else 0 < found["cost"] < 10
    assert found["low"] <= found["elo"] <= found["high"]


def test_a_run_is_judged_by_its_champions(monkeypatch, tmp_path):
    forgetting = importlib.import_module("benchmarks.forgetting")
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path))
    changes = ["generations=3", "strategy.population=6", "fitness.opponents=2", "measure.every=1"]
    start_run("tried", load("kingcapture-quick", [*changes, "measure.games=4"]), 1, 1)
    found = forgetting.judge("tried", 2)
    assert found["games"] == 2 * 3 + 2 * 2  # every two, and the last one against the others
    assert list(found["last takes"]) == [0, 1]
    assert list(found["ladder"]) == [1, 2]
    assert found["last"] in ("strongest", "within its interval", "weaker")


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        ((100, 50, 150), "strongest"),
        ((60, 20, 100), "within its interval"),
        ((30, 0, 60), "weaker"),
    ],
)
def test_the_last_champion_is_told_from_the_strongest(ends, told):
    forgetting = importlib.import_module("benchmarks.forgetting")
    earlier = Place("earlier", 90.0, 70.0, 110.0, 20, 0.5, False)
    assert forgetting.verdict([earlier, Place("last", *ends, 20, 0.5, False)]) == told


def test_inputs_are_judged_by_runs_at_equal_search(monkeypatch, tmp_path):
    inputs = importlib.import_module("benchmarks.inputs")
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    monkeypatch.setattr(inputs, "DEPTHS", (1, 2))
    found = inputs.worth("kingcapture-quick", 1, 2, 4, "squares")
    assert found["inputs"] == 36
    assert found["games"] == 8
    assert found["ns"] > 0
    assert found["position ns"] > 0
    assert list(found["share"]) == list(found["elo"]) == [1, 2]
    assert all(0 <= share <= 1 for shares in found["share"].values() for share in shares)
    runs = {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("*/run.db")}
    again = inputs.worth("kingcapture-quick", 1, 2, 4, "squares")  # of the runs that there are
    assert again["share"] == found["share"]
    assert runs == {path.parent.name: path.stat().st_mtime_ns for path in tmp_path.glob("*/run.db")}


def test_experiments_get_equal_processor_time(monkeypatch, tmp_path):
    equal_time = importlib.import_module("benchmarks.equal_time")
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    spent = itertools.count(0, 0.25)
    monkeypatch.setattr(equal_time.time, "process_time", lambda: next(spent))
    study = equal_time.trained("equal", 3.0, 1, ["nim-quick"])
    assert not study.left()
    assert study.over == "seconds"
    # Three steps of a generation are training before it is known whether it is the last one.
    numbers = gather(study).runs[0]
    assert len(numbers.games) == 4


def test_what_mutations_change_is_there_once():
    """Else `make mutations`, which nobody runs every day, would end there."""
    tool = runpy.run_path(str(ROOT / "tools" / "mutations.py"))
    for file, old, new, _ in tool["CHANGES"]:
        text = (ROOT / "src" / "evoboard" / file).read_text()
        assert (text.count(old), old == new) == (1, False), (file, old)
