"""The commands around training: train, stop, resume, runs, experiments, init."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from evoboard.cli import demo, progress, training
from evoboard.cli.main import app
from evoboard.cli.progress import Display, Lines, Pace, clock, rated_words
from evoboard.cli.runs import run_heading
from evoboard.core.errors import EvoboardError
from evoboard.experiments.catalog import load
from evoboard.runs.folder import RunInfo, describe_run
from evoboard.runs.lineage import read_lineage
from evoboard.runs.runner import start_run
from evoboard.store.records import Measurement
from evoboard.training.experiment import resolved
from fake_trainer import FakeTrainer, fake_experiment

TINY = """
extends = "nim-quick"
title = "tiny"
generations = 6
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
finalists = 3
final_openings = 2
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The path of a small experiment, in a folder of its own that runs live in, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOBOARD_RUNS", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "tiny.toml").write_text(TINY)
    return "tiny.toml"


def run(*arguments):
    """Return what a successful command printed, both channels together."""
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None, result.output
    return result.output


def data(*arguments):
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exception is None, result.output
    return json.loads(result.stdout)


def fail(*arguments):
    """Return the one sentence of a command that fails as it should."""
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, EvoboardError), result.output
    assert "\n" not in str(result.exception)
    return str(result.exception)


def test_train_tells_what_was_learned_and_what_to_do_next(tiny):
    told = run("train", tiny, "--seed", "3")
    assert "tiny-1: nim:heaps=8,random=true, layered, 6 generations, seed 3" in told
    assert "1 of 6 generations" in told
    assert "6 of 6 generations" in told
    second = next(line for line in told.splitlines() if line.startswith("2 of 6 generations"))
    assert "(gen 0) random" in second  # its last measurement is the first generation's
    assert "best and mean: fitness, the sum of all points, 1/0/0 for won/drawn/lost" in told
    assert "tiny-1 has finished: all 6 generations are done." in told
    assert "Its best player is the champion of generation" in told
    assert "against random; grade" in told
    assert "evoboard match run:tiny-1@best random --game nim:heaps=8,random=true" in told
    # The player of that text plays.
    game = ("--game", "nim:heaps=8,random=true", "--games", "4")
    assert data("match", "run:tiny-1@best", "random", *game)["games"] == 4
    assert run("train", tiny, "--quiet", "--seed", "3").strip() == "tiny-2"
    first, second = (data("runs", name)["rows"] for name in ("tiny-1", "tiny-2"))
    assert first == second
    assert len(first) == 6
    assert data("runs", "tiny-1")["status"] == "finished"
    rated = " ".join(run("rate", "tiny-1", "--games", "2", "--every", "3").split())
    assert "fitted: won, drawn and lost again" in rated
    assert "Has it become stronger? " in rated
    assert rated.endswith("of the points from that of generation 0.")


def test_changes_and_names_are_kept_with_the_run(tiny):
    run("train", tiny, "--run", "mine", "-q", "--set", "generations=2", "--set", "title=changed")
    kept = data("runs", "mine")
    assert (kept["generation"], kept["title"], kept["seed"]) == (2, "changed", 1)
    assert kept["experiment"]["strategy"]["population"] == 10
    taken = fail("train", tiny, "--run", "mine")
    assert "there is already a run named mine, complete with 2 generations" in taken
    assert "(evoboard resume mine --generations N adds some)" in taken
    listed = run("runs").splitlines()
    assert listed[0].split() == ["run", "status", "generations", "game", "Elo", "what", "it", "is"]
    assert listed[1].split()[:4] == ["mine", "finished", "2/2", "nim"]
    assert "against random moves" in listed[-1]
    assert "more generations: evoboard resume mine --generations 4" in run("resume", "mine")
    table = run("runs", "mine")
    assert table.splitlines()[1].split()[:2] == ["generation", "Elo"]
    assert "best and mean: fitness" in table
    assert run("train", "runs/mine/config.toml", "-q").strip() == "mine-2"
    assert run("train", "runs/mine-2/config.toml", "-q").strip() == "mine-3"
    assert "is written run:mine." in fail("match", "mine", "random", "--game", "nim")
    assert "there is none at the moment" in fail("resume")


def test_report_tells_how_a_run_went(tiny, monkeypatch):
    """Of a run without games, every number of which is known."""

    class Counting(FakeTrainer):
        def step(self, progress=None):
            record = super().step(progress)
            plies = np.repeat(np.arange(len(record.lengths)), record.lengths)
            known = {"species": len(record.species), "plies_mean": float(plies.mean())}
            return replace(record, numbers={**record.numbers, **known})

    told_once = fake_experiment(30, {"games_every": 0}, title="a [walk]")
    start_run("walk", told_once, 1, make_trainer=Counting)
    found = data("report", "walk")
    rows = data("runs", "walk")["rows"]
    assert found["fitness"]["best"] == [row["best"] for row in rows]
    assert found["fitness"]["worst"] == [None] * 30  # not NaN, which no reader of JSON knows
    values = [row["learning"] for row in rows[2:]]
    learning = found["learning"]
    assert learning["generations"] == list(range(2, 30))
    assert learning["values"] == values
    assert learning["sums"] == pytest.approx([sum(values[: i + 1]) for i in range(28)])
    wanted = np.polyfit(learning["generations"], learning["sums"], 1)
    assert list(learning["trend"].values()) == pytest.approx(wanted)
    assert sum(box["champions"] for box in found["origins"].values()) == 30
    assert sum(found["lengths"]["games"]) == 30 * 20
    assert sum(found["species"]["individuals"]) == 30 * 12
    assert len(found["species"]["adjusted"]) == len(found["species"]["individuals"])
    assert all(0 <= share <= 1 for share in found["species"]["adjusted"])
    assert set(found["measured"]) > {"grade", "performance", "spread_score", "hidden_layers"}
    assert found["seconds"]["total"] == pytest.approx(
        np.add(found["seconds"]["games"], found["seconds"]["tell"])
    )
    assert found["ratings"]["random"]["high"] == [None] * 10  # it has no end
    monkeypatch.setenv("COLUMNS", "80")
    told = run("report", "walk").splitlines()
    assert told[0] == "walk: a [walk], seed 1, finished, 30 of 30 generations"
    assert told[1].split() == ["generations", "best", "mean", "species", "plies", "seconds"]
    spans = [line.split()[0] for line in told[2:14]]
    assert (spans[0], spans[1], spans[-1]) == ("0–1", "2–4", "27–29")
    best = [row["best"] for row in rows[2:5]]
    assert float(told[3].split()[1]) == pytest.approx(sum(best) / 3, rel=1e-3)
    last = next(line for line in told[16:] if line.split()[:1] == ["27–29"])  # by learning value
    assert float(last.split()[2]) == pytest.approx(sum(values), abs=0.01)
    assert f"linear trend: {wanted[0]:+.4f} a generation; measured in 28" in " ".join(told)
    assert {line.split()[0] for line in told if line} >= set(found["origins"])
    assert "Elo against random: +120 (+20 … +inf) in generation 0" in " ".join(told)
    assert told[-1].startswith("Time: ")


def test_the_heading_of_a_run_that_ended_early_says_why():
    known = {
        "generations": 30,
        "title": "a [walk]",
        "seed": 1,
        "told": "it has [stopped] improving",
    }
    early = RunInfo("walk", "finished", 20, **known)
    assert Text.from_markup(run_heading(early)).plain == (
        "walk: a [walk], seed 1, finished, 20 of 30 generations, because it has [stopped] improving"
    )
    for whole in (early._replace(generation=30), early._replace(status="stopped")):
        assert "because" not in run_heading(whole)


def test_report_of_a_run_that_measured_little(tiny):
    class Quiet(FakeTrainer):
        def step(self, progress=None):
            record = super().step(progress)
            few = {"best": record.numbers["best"], "mean": record.numbers["mean"]}
            few |= {"learning": 0.5} if record.generation == 4 and self.seed == 2 else {}
            return replace(record, numbers=few, measurements=(), species=(), lengths=None)

    for seed in (1, 2):
        start_run(f"quiet-{seed}", fake_experiment(8), seed, make_trainer=Quiet)
    told = run("report", "quiet-1")
    assert told.splitlines()[1].split() == ["generations", "best", "mean", "seconds"]
    assert "No champion has played earlier ones, so nothing shows whether they learned" in told
    assert "measure.learning=true in every generation." in told
    assert "–" not in told.partition("Champions by origin")[2]  # nothing is promised that is not
    assert data("report", "quiet-1")["lengths"]["plies"] == []
    assert "measured in 1 of them (measure.learning=true measures every one)" in run(
        "report", "quiet-2"
    )


def test_report_tells_of_points_where_no_learning_value_was_measured(tiny):
    class Spread(FakeTrainer):
        def step(self, progress=None):
            record = super().step(progress)
            few = {"best": record.numbers["best"], "mean": record.numbers["mean"]}
            few |= {"spread_score": 0.25 * record.generation} if record.generation % 2 else {}
            return replace(record, numbers=few)

    start_run("spread", fake_experiment(4), 1, make_trainer=Spread)
    told = run("report", "spread")
    assert "Points of champions against earlier ones" in told
    assert [line.split() for line in told.splitlines() if "%" in line][1:3] == [
        ["1", "25%"],
        ["3", "75%"],
    ]
    assert "with their points against earlier ones" in told


def test_ctrl_c_saves_and_resume_makes_it_the_run_it_would_have_been(tiny, monkeypatch):
    run("train", tiny, "--run", "whole", "-q")
    usual = Lines.generation

    def interrupted(self, record):
        usual(self, record)
        if record.generation == 2:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Lines, "generation", interrupted)
        told = run("train", tiny, "--run", "parts")
    assert "stopping after this generation, which is finished and saved first." in told
    assert "parts is saved with 3 generations." in told
    assert "Continue: evoboard resume parts" in told
    assert data("runs", "parts")["status"] == "stopped"
    assert fail("resume") == "name a run to resume: parts."
    assert "parts has finished" in run("resume", "parts", "--threads", "1")
    assert data("runs", "parts")["rows"] == data("runs", "whole")["rows"]
    assert "parts has finished" in run("resume", "parts")  # once more does no harm


def test_stop_ends_a_run_in_another_process(tiny, tmp_path):
    command = [sys.executable, "-m", "evoboard", "train", tiny, "--run", "long"]
    process = subprocess.Popen(
        [*command, "--set", "generations=1000000", "--set", "measure.every=0"],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        until = time.monotonic() + 300
        while not (tmp_path / "runs/long/run.db").exists() or describe_run("long").generation < 2:
            assert process.poll() is None, process.stdout.read()
            assert time.monotonic() < until
            time.sleep(0.05)
        assert describe_run("long").status == "running"
        assert "resume long" in run("stop", "long")
        told, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Continue: evoboard resume long" in told
    assert describe_run("long").status == "stopped"
    assert "nothing to stop" in fail("stop", "long")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("train", "nim-quik"), "did you mean nim-quick"),
        (("train", "nowhere.toml"), "no file nowhere.toml"),
        (("train", "tiny.toml", "--set", "strategy.populaton=9"), "did you mean population"),
        (("train", "tiny.toml", "--set", "generations"), "key=value"),
        (("train", "tiny.toml", "--run", "../outside"), "cannot be named"),
        (("train", "x" * 5000), "no experiment named"),
        (("resume", "nobody"), "no run named 'nobody'"),
        (("stop", "nobody"), "no run named 'nobody'"),
        (("runs", "nobody"), "no run named 'nobody'"),
        (("report", "nobody"), "no run named 'nobody'"),
        (("train", "tiny.toml", "--set", f"generations={'1' * 5000}"), "too many digits"),
        (("experiments", "zzz"), "`evoboard experiments` lists them"),
        (("init", "tiny.toml"), "exists already"),
        (("init", "tiny"), "tiny.toml"),
        (("init", "no/such/folder.toml"), "cannot be written"),
        (("init", "new.toml", "--from", "nim-quik"), "did you mean nim-quick"),
    ],
)
def test_mistakes_are_one_sentence(tiny, arguments, told):
    assert told in fail(*arguments)


def test_names_are_never_cut(tiny, monkeypatch, tmp_path):
    names = [f"{'a-long-name-' * 5}{number}" for number in range(10, 22)]
    for name in names:  # what is not a database is listed as damaged
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.db").write_text("nothing")
        (tmp_path / "runs" / name / "config.toml").write_text("# evoboard train x --seed 41\n")
    for width in ("40", "80", "200"):
        monkeypatch.setenv("COLUMNS", width)
        listed = run("runs").splitlines()
        assert [row.split()[0] for row in listed if "damaged  " in row] == names
        assert ("game" in listed[0]) == (width == "200")  # the first to go where there is no room
    assert "…" not in run("runs")
    assert "evoboard train runs/" in fail("runs", names[0])
    assert "config.toml --seed 41`" in fail("runs", names[0])
    assert "and 7 more" in fail("runs", "nobody")
    assert f"did you mean {names[0]}, " in fail("runs", "a-long")


def test_parts_of_ones_own_are_trained_rated_and_played(tiny):
    parts = Path(__file__).parent.parent / "examples" / "parts"
    small = ["generations=2", "measure.every=1", "measure.games=2", "strategy.population=8"]
    small += ["champion.final_openings=1", "measure.spread=0", "measure.previous=0"]
    changes = [word for change in small for word in ("--set", change)]
    run("train", str(parts / "own.toml"), "--run", "own", "-q", *changes)
    game = ("--game", "nim:heaps=3/4/5", "--games", "2")
    assert data("match", "run:own", f"{parts / 'stubborn.py'}:which=last", *game)["games"] == 2
    assert "Elo stubborn.py:which=last" in run("runs", "own")
    lineage = read_lineage("own")
    assert lineage.bound.player(lineage.pack, 1).searcher.module.__name__ == "bold"


def test_no_runs_yet(tiny):
    assert "There are no runs yet" in run("runs")
    assert data("runs") == []


def test_experiments_are_listed_and_shown(tiny):
    listed = run("experiments")
    assert "kingcapture-neat-01" in listed
    assert "A, session 1" in listed
    rows = data("experiments")
    assert {"name", "game", "paper", "generations", "strategy", "title"} <= set(rows[0])
    only = data("experiments", "draughts")
    assert {row["name"].split("-")[0] for row in only} == {"draughts"}
    shown = run("experiments", "hexwar-defensive")
    assert shown.startswith("# Paper D, experiment 2")
    removal = {"kind": "remove_node", "chance": 0.2, "nodes": "any"}
    assert tomllib.loads(shown)["strategy"]["mutations"][1] == removal
    assert data("experiments", "nim-quick") == resolved(load("nim-quick"))


def test_init_writes_a_file_that_can_be_trained(tiny):
    assert "evoboard train new.toml" in run("init", "new.toml")
    assert load("new.toml").game.name == "kingcapture"
    run("init", "own.toml", "--from", tiny)
    assert resolved(load("own.toml")) == resolved(load(tiny))
    assert run("train", "own.toml", "-q", "--set", "generations=1").strip() == "own-1"


def test_the_live_display_shows_what_the_lines_tell(tiny):
    display = Display(Console(file=io.StringIO(), force_terminal=True, width=100))
    with display.shown():
        start_run("shown", load(tiny), 1, 1, listener=display)
    console = Console(width=100, record=True, file=io.StringIO())
    display.stopping()
    display.games(3, 40)
    console.print(display.render())
    told = console.export_text()
    for part in ("shown: nim", "6/6", "3/40", "games/s", "best", "mean", "Elo", "grade", "Ctrl-C"):
        assert part in told
    display.games(40, 40)
    console.print(display.render())
    assert "left   choosing and measuring the champion …" in console.export_text()
    display.played = display.run.generation  # nothing is compiled yet
    console.print(display.render())
    assert "measuring the champion (compiling first) …" in console.export_text()


def test_elo_after_a_perfect_score_is_a_bound():
    row = Measurement("anchor", "random", 40, 0, 0, 883.0, 459.4, 2000.0)
    assert rated_words(row) == ("> +459", "won every game")
    assert rated_words(row._replace(wins=0, losses=40, high=-459.4)) == (
        "< -459",
        "lost every game",
    )
    assert rated_words(row._replace(draws=1))[0] == "+883"


def test_a_perfect_score_is_no_step_back():
    row = Measurement("anchor", "random", 39, 0, 1, 636.4, 335.2, 2000.0)
    some, won = training._elo_text(row), training._elo_text(row._replace(wins=40, losses=0))
    lost = training._elo_text(row._replace(wins=0, losses=40))
    assert training._change(some, won) == "Elo +636 → all 40 games won"
    assert training._change(lost, some) == "all 40 games lost → Elo +636"
    assert training._change(some, some) == "Elo +636 → +636"
    assert training._change(won, won) == "all 40 games won by both"


@pytest.mark.usefixtures("tiny")
def test_a_forecast_says_that_a_deeper_search_is_to_come():
    small = ["generations=4", "strategy.population=8", "fitness.opponents=2", "measure.games=2"]
    later = "[{generation=3, depth=2}, {generation=9, depth=3}]"  # the second never comes
    small += ["measure.every=1", f"search.later={later}"]
    told = run("train", "kingcapture-quick", *(word for each in small for word in ("--set", each)))
    lines = [line for line in told.splitlines() if " of 4 generations" in line]
    for line in lines[1:3]:
        assert "or more (the search changes in generation 3)" in line
    assert "or more" not in lines[3]
    assert "material at equal search (depth 1)" in lines[2]
    assert "material at equal search (depth 2)" in lines[3]


def test_a_run_that_its_rules_have_ended_is_offered_no_more_generations(tiny):
    run("train", tiny, "--run", "mine", "-q", "--set", "stop.games=40")
    early = run("resume", "mine")
    assert "40 games are played" in early
    assert "more generations" not in early
    assert "and would end again" in fail("resume", "mine", "--generations", "12")


def test_the_demo_tells_what_evolution_has_added_and_then_what_to_do_next(tiny, monkeypatch):
    small = ["generations=2", "strategy.population=8", "fitness.opponents=2", "measure.games=2"]
    small += ["champion.candidates=1", "champion.final_openings=1", "measure.every=1"]
    monkeypatch.setattr(demo, "load", lambda name: load(name, small))
    monkeypatch.setattr(demo, "GAMES", 4)
    monkeypatch.setattr(sys, "argv", ["elsewhere/bin/evoboard", "demo"])
    monkeypatch.setenv("PATH", "")
    told = run("demo", "--no-app")
    assert "nobody tells them what a piece is worth" in " ".join(told.split())
    places = [
        told.index(part)
        for part in (
            "demo-1 has finished",
            "At equal search, depth 1, the best player takes",
            "best player against counting pieces",
            "the same, both 3 plies deep",
            "species alive at the end",
            "All this took 0:",
            "Next: elsewhere/bin/evoboard match run:demo-1@best material:depth=1",
        )
    ]
    assert places == sorted(places)
    assert told.rstrip().endswith("elsewhere/bin/evoboard runs demo-1")


def test_pace_and_clock(monkeypatch):
    now = iter([0.0, 100.0, 101.0, 102.0, 112.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    pace = Pace()
    pace.begin()
    pace.add(50)
    assert pace.games_per_second == 0.5
    assert pace.seconds_left(29) is None  # a forecast would take compiling for playing
    pace.add(50)  # the first one, which compiles, no longer counts
    pace.add(70)
    assert pace.games_per_second == 60
    assert pace.seconds_left(3) == 3
    pace.add(10, anew=True)  # a deeper search: earlier generations say nothing of later ones
    assert (pace.games_per_second, pace.seconds_left(3)) == (1, 30)
    assert [clock(s) for s in (7.4, 62, 3723, 97_445)] == [
        "0:07",
        "1:02",
        "1:02:03",
        "1 day 3:04:05",
    ]


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="there are no priorities here")
def test_training_lets_others_go_first():
    code = (
        "import os, sys\n"
        "from evoboard.cli import main\n"
        "sys.argv = ['evoboard', sys.argv[1], '--help']\n"
        "main.app = lambda **_: print(os.getpriority(os.PRIO_PROCESS, 0))\n"
        "main.run()\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code, command], capture_output=True, text=True, check=True
        ).stdout
        for command in ("games", "train")
    ]
    assert int(told[1]) == max(10, int(told[0]))
