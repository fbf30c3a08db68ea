"""Reports on papers: verdicts, tables, the page and its files, and going on after a kill."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from browser import wait_for
from conftest import few
from evoboard.arena.scoring import ResultTable
from evoboard.cli.main import app
from evoboard.cli.progress import clock
from evoboard.core.errors import NotFound, PartError
from evoboard.core.statistics import box
from evoboard.core.wording import counted
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.games.hexwar import make_move
from evoboard.networks.graph_network import GraphNetwork
from evoboard.papers import a, b, c, d, e, strength
from evoboard.papers.base import (
    Claim,
    Findings,
    Paper,
    Scale,
    Trial,
    claim,
    find_paper,
    most,
    papers,
)
from evoboard.papers.bench import ENOUGH, Bench, Interrupted, games_of, report_folder
from evoboard.papers.making import Making, ReportProgress, look_at
from evoboard.papers.marks import PERSONS, drawn_tables, marked_in_games
from evoboard.papers.report_file import list_reports, write_findings
from evoboard.papers.series import number, smoothed, spread, with_range
from evoboard.papers.strength import Games
from evoboard.pictures.chart import Axis, Chart
from evoboard.pictures.png import can_write_png
from evoboard.pictures.report import Figure, Log, Section, Table, Words, page_of
from evoboard.runs.lock import Lock, ask_to_stop, is_asked_to_stop, this_process
from evoboard.runs.report import learning_curve, seconds_per_game
from evoboard.runs.study_training import StudyListener
from evoboard.store.run_file import RunError, run_names
from evoboard.training.experiment import resolved

TINY = ("strategy.population=8", "fitness.opponents=3", "measure.spread=2")


class SmallPaper(Paper):
    """Two quick runs of nim, and one of everything that a report can hold."""

    letter, author, title, kind, year, game = "Z", "A & B", "Less <than>", "a test", "2026", "nim"
    seeds = (2, 3)
    slips = ("It says 3 and means 2.",)

    @property
    def trials(self) -> tuple[Trial, ...]:
        changed = ("generations=6", *TINY)
        return (
            Trial("nim-stack-2", 3, 0.1, changes=changed),
            Trial("nim-stack-8-shares", 3, 0.1, changes=changed, key="eight"),
            Trial("nim-stack-2", 3, 0.1, changes=changed, key="long", only="full"),
        )

    def report(self, bench: Bench) -> Findings:
        found = number(bench.runs("eight"), "best")
        chart = Chart("Best <fitness>", Axis("generation", 0, 3), Axis.of("best", found.high))
        chart.line(found.generations, found.median, "#000000", "ours")
        chart.level(2.0, "the paper")
        picture = chart.finish()
        data = {"generation": found.generations.tolist(), **found.columns("best")}
        table = Table("numbers", "Numbers", ("a", "b"), (("x", 1.5), ("y & z", None)), "its own")
        figure = Figure("curve", "A curve", picture, "“quoted”", "a note", data)
        blocks = (Words("1 < 2"), table, figure, Log("Game", ("Turn: 0", "<end>")))
        claims = (
            claim("It works.", "1", True, "it does"),
            claim("It fails.", "2", False, "it does not"),
            claim("It takes long.", "3", None, "too short"),
        )
        return Findings(claims, (Section("All kinds", blocks),))


@pytest.fixture(autouse=True)
def _folders(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("EVOBOARD_REPORTS", str(tmp_path / "reports"))


def small_bench(paper: Paper | None = None, scale: Scale = Scale()) -> Bench:  # noqa: B008
    chosen = paper or SmallPaper()
    return Bench(chosen, scale, report_folder(chosen, scale), threads=1)


def test_papers_are_found_by_letter_and_file(tmp_path):
    letters = [paper.letter for paper in papers()]
    assert letters == sorted(letters)
    assert "B" in letters
    assert find_paper("b").author == "Lucien Kissling"
    with pytest.raises(NotFound, match="no paper named"):
        find_paper("q")
    own = tmp_path / "own.py"
    own.write_text("PAPER = 3\n")
    with pytest.raises(PartError, match="must be a Paper"):
        find_paper(str(own))


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.letter)
def test_every_trial_is_an_experiment_with_a_name_of_its_own(paper):
    for name in ("quick", "full"):
        trials = paper.chosen(Scale(name))
        names = [trial.name for trial in trials]
        assert len(set(names)) == len(names)
        for trial in trials:
            quick, full = trial.settings(Scale("quick")), trial.settings(Scale("full"))
            assert quick.generations <= full.generations
            assert trial.estimate(Scale("quick")) > 0
    for line in (paper.author, paper.title, paper.kind, paper.year):
        assert line in paper.citation


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.letter)
def test_quick_fits_into_six_minutes(paper):
    assert Bench(paper, Scale("quick"), Path("x")).estimate / 2 <= 360  # of two cores


def test_verdicts():
    assert claim("", "", True, "").verdict == "reproduced"
    assert claim("", "", False, "").verdict == "not reproduced"
    assert claim("", "", None, "").verdict == "not testable"
    assert most([True, True, False]) is True
    assert most([True, False]) is False
    assert most([]) is None


def test_spread_and_ranges():
    found = spread([(np.array([0, 1]), np.array([1.0, 3.0])), (np.array([1]), np.array([5.0]))])
    assert found.generations.tolist() == [0, 1]
    assert found.median.tolist() == [1.0, 4.0]
    assert found.low.tolist() == [1.0, 3.0]
    assert found.high.tolist() == [1.0, 5.0]
    assert smoothed(np.array([0.0, 3.0, 6.0, 3.0]), 3).tolist() == [1.5, 3.0, 4.0, 4.5]
    assert with_range([1.0, 2.0, 4.0]) == "2 (1 … 4)"
    assert with_range([2.0]) == "2"
    assert with_range([float("nan")]) == "–"


def test_marks_of_paper_b():
    perfect = np.ones(40)
    assert b.first_perfect(perfect) == 0
    assert b.first_perfect(perfect * 0.5) is None
    late = np.concatenate([np.full(30, 0.5), np.ones(70)])
    assert b.first_perfect(late) == 30
    assert b.steady_from(late) == 30
    assert b.steady_from(late[::-1]) is None
    assert b.end_of(np.concatenate([np.zeros(80), np.ones(20)])) == 1.0


def test_few_cases_are_luck_and_many_are_not():
    points, even = np.array([10.0, 5.0]), np.array([[0.5, 0.5]])
    sure = drawn_tables(np.array([[1.0, 0.0]]), points, 5, 10, wanted=10)
    assert (sure.mean, sure.deviation, sure.low, sure.high, sure.reached) == (10, 0, 10, 10, 1)
    few, many = (drawn_tables(even, points, 26, cases, wanted=12) for cases in (10, 1000))
    # Ten cases of each: a deviation of √(10² · ¼ / 10 + 5² · ¼ / 10), and that of rounding.
    assert few.deviation == pytest.approx(np.sqrt(2.5 + 0.625 + 1 / 12), rel=0.06)
    assert few.mean == pytest.approx(7.5, abs=0.1)
    assert many.mean == pytest.approx(7.5, abs=0.1)
    assert many.best < few.best
    assert many.reached == 0 < few.reached < 1
    assert drawn_tables(even, points, 26, 10, tried=3).mean > few.mean + 1


def test_marks_in_games():
    counting, blind = (marked_in_games(text, PERSONS[0], 30) for text in ("material", "random"))
    assert counting == marked_in_games("material", PERSONS[0], 30)
    assert min(*counting.cases, *blind.cases) > 0
    assert counting.points[3] > 4.5, "it takes what is worth most"
    assert blind.points[3] < 2
    assert counting.points[1] < 1, "unaided, it does not know that taking the king wins"
    slipping, sure = PERSONS[2], PERSONS[2]._replace(slips=0.0)
    cases = [marked_in_games("material", person, 20).cases[1] for person in (sure, slipping)]
    assert cases[0] < cases[1], "who slips leaves its king to be taken"


def test_a_report_stands_alone_and_its_files_lie_beside_it():
    bench = small_bench()
    bench.train()
    findings = bench.paper.report(bench)
    page = write_findings(bench, findings)
    folder = page.parent
    bench.close()
    text = page.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))  # well formed
    words = "".join(root.itertext())
    shown = ("A & B", "Less <than>", "1 < 2", "y & z", "<end>", "“quoted”", "not testable")
    for each in (*shown, "It says 3 and means 2.", "3 of 6 generations", "refused if the same two"):
        assert each in words
    assert not [each for each in ("http:", "https:", "src=", "href=", "url(")
                if each in text.replace("http://www.w3.org/2000/svg", "")]  # fmt: skip
    assert "<code>evoboard paper Z --full</code>" in text
    names = {path.name for path in (folder / "data").iterdir()}
    assert names == {"claims.csv", "curve.csv", "departures.csv", "numbers.csv", "runs.csv",
                     "slips.csv"}  # fmt: skip
    rows = list(csv.reader((folder / "data" / "curve.csv").read_text().splitlines()))
    assert rows[0] == ["generation", "best median", "best lowest", "best highest"]
    assert len(rows) == 4
    figures = {path.name for path in (folder / "figures").iterdir()}
    assert figures == {"curve.svg", "curve.pdf", *(["curve.png"] if can_write_png() else [])}
    if can_write_png():
        assert (folder / "figures" / "curve.png").read_bytes()[:4] == b"\x89PNG"
    (info,) = list_reports(folder.parent)
    assert info.paper == "Z"
    assert info.verdicts == {"reproduced": 1, "not reproduced": 1, "not testable": 1}


def test_measures_are_taken_once():
    bench, calls = small_bench(), []
    for _ in range(2):
        found = bench.measure("match", "run-1", lambda: calls.append(1) or {"won": 3})
        assert found == {"won": 3}
    assert len(calls) == 1
    assert bench.measure("match", "run-2", lambda: 4) == 4


def test_seeds_and_settings_decide_what_is_run(monkeypatch):
    bench = small_bench(scale=Scale("quick", 1))
    assert bench.names("eight") == [f"{bench.study.name}-eight-s1"]
    full = small_bench(scale=Scale("full"))
    assert len(full.names("long")) == 3
    assert full.study.name != bench.study.name
    changed = SmallPaper()
    first = replace(changed.trials[0], quick=2)
    monkeypatch.setattr(SmallPaper, "trials", (first,))
    assert small_bench(changed, Scale("quick", 1)).study.name != bench.study.name


def test_interrupted_it_goes_on():
    bench = small_bench(scale=Scale("quick", 1))
    name = bench.names("nim-stack-2")[0]

    class Impatient(StudyListener):
        def generation(self, record):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match="2 of 2 runs are not complete"):
        bench.train(Impatient())
    assert run_names() == [name]
    bench.train()
    (run,) = bench.runs("nim-stack-2")
    assert run.count() == 3
    assert games_of(run) > 0
    bench.close()


def test_a_report_on_the_runs_as_they_are(tmp_path):
    class Cut(StudyListener):
        last = 1

        def next_run(self, run):
            self.now = run.cell.label

        def generation(self, record):
            if self.now == "eight" and record.generation == self.last:
                raise KeyboardInterrupt

    def as_they_are():
        return Bench(bench.paper, bench.scale, bench.folder, threads=1, so_far=True)

    bench, cut = small_bench(scale=Scale("full", 2)), Cut()
    with pytest.raises(RunError, match="no run of eight has come far enough"):
        as_they_are().runs("eight")
    with pytest.raises(Interrupted, match="5 of 6 runs are not complete"):
        bench.train(cut)
    found = as_they_are()
    found.train()  # trains nothing
    assert found.names("eight") == bench.names("eight")[:1]
    assert found.reached("eight") == (2, 6)
    assert found.reached("nim-stack-2") == (6, 6)
    assert not found.has("long")
    assert found.cut_words(found.trial("eight")) == "2 of 6 generations so far"
    assert found.measure("match", "run-1", lambda: 4) == 4
    assert found.measure("match", "run:run-1@gen=2 random", lambda: 4) == 4
    assert found.measure("match", "run:run-1@gen=2 run:run-1@best", lambda: 4) == 4
    found.close()
    own = tmp_path / "own.py"
    own.write_text("from test_papers import SmallPaper\nPAPER = SmallPaper()\n")
    told = CliRunner().invoke(app, ["paper", str(own), "--full", "--seeds", "2", "--so-far"])
    assert told.exception is None, told.output
    assert "1 reproduced" in told.output
    words = (bench.folder / "report.html").read_text()
    assert "not all complete" in words
    assert "2 of 6 generations so far" in words
    cut.last = 3
    with pytest.raises(Interrupted):
        bench.train(cut)
    later = as_they_are()
    assert later.measure("match", "run-1", lambda: 5) == 5  # of another player by then
    assert later.measure("match", "run:run-1@gen=2 run:run-1@best", lambda: 5) == 5
    assert later.measure("match", "run:run-1@gen=2 random", lambda: 5) == 4  # of the same one
    later.close()
    bench.close()


KILLED = """
import os, sys
sys.path.insert(0, {tests!r})
from test_papers import SmallPaper, small_bench
from evoboard.runs.study_training import StudyListener
class Killed(StudyListener):
    count = 0
    def generation(self, record):
        self.count += 1
        if self.count == 5:
            os.kill(os.getpid(), 9)
small_bench().train(Killed())
"""


def test_killed_it_becomes_what_it_would_have_been():
    whole = small_bench()
    whole.train()
    wanted = [[row.numbers for row in run.rows()] for run in whole.runs("eight")]
    whole.close()
    os.environ["EVOBOARD_RUNS"] += "-killed"
    code = KILLED.format(tests=str(Path(__file__).parent))
    ended = subprocess.run([sys.executable, "-c", code], check=False, timeout=120)
    assert ended.returncode == -9
    bench = small_bench()
    assert bench.study.left()
    bench.train()
    assert [[row.numbers for row in run.rows()] for run in bench.runs("eight")] == wanted
    bench.close()


FAR = ReportProgress("a-study", 2, "half of it", 0.5, 3.0)


def test_a_report_in_the_making_is_seen_and_stopped_from_outside(tmp_path):
    folder = tmp_path / "reports" / "paper-z-quick"
    assert look_at(folder) == (None, False, False)

    def make():
        with Making(folder, lambda: FAR):
            wait_for(lambda: look_at(folder).progress, "its progress", 20)
            assert look_at(folder) == (FAR, True, False)
            with Making(folder, lambda: FAR._replace(words="a second one")):
                pass  # goes on without a word: the first one speaks
            assert look_at(folder) == (FAR, True, False)
            ask_to_stop(folder)
            assert look_at(folder).stopping
            time.sleep(30)

    with pytest.raises(KeyboardInterrupt):
        make()
    assert look_at(folder) == (FAR, False, False)  # how far it was is still known
    (folder / "stop").write_text("process 1")  # left by one that was killed
    (folder / "progress.json").write_text('{"study": 3')
    assert look_at(folder).progress is None
    with Making(folder, lambda: FAR):
        assert not look_at(folder).stopping
    assert look_at(folder) == (None, False, False)


DEAF = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.SIG_IGN)
from evoboard.papers.making import Making
def far():
    raise RuntimeError("a dictionary changed its size")
try:
    with Making(Path(sys.argv[1]), far):
        print("begun", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("asked", flush=True)
print(signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows has no such signal")
def test_it_is_stopped_where_ctrl_c_is_ignored_and_nobody_can_say_how_far_it_is(tmp_path):
    made = subprocess.Popen(
        [sys.executable, "-c", DEAF, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert made.stdout.readline() == "begun\n"
    made.send_signal(signal.SIGINT)  # a terminal's, for others
    ask_to_stop(tmp_path)
    told, _ = made.communicate(timeout=300)
    assert told == "asked\nTrue\n"


def test_a_request_reaches_who_has_just_taken_the_lock(tmp_path):
    with Lock(tmp_path):
        for before in ("", "process 1"):  # not written yet, or still the last one's
            (tmp_path / "lock").write_text(before)
            late = threading.Timer(0.03, (tmp_path / "lock").write_text, [this_process()])
            late.start()
            ask_to_stop(tmp_path)
            late.join()
            assert is_asked_to_stop(tmp_path)


def test_the_command_makes_a_report_and_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    own = tmp_path / "own.py"
    own.write_text("from test_papers import SmallPaper\nPAPER = SmallPaper()\n")
    seen = []

    def stop(self, bench):
        def work():
            wait_for(lambda: "a match" in look_at(bench.folder).progress.words, "its words", 20)
            seen.append(look_at(bench.folder))
            ask_to_stop(bench.folder)
            time.sleep(30)

        bench.measure("a-match", "run", work)

    command = ["paper", str(own), "--seeds", "1", "--threads", "1"]
    with monkeypatch.context() as patch:
        patch.setattr(SmallPaper, "report", stop)
        stopped = CliRunner().invoke(app, command)
    assert stopped.exit_code == 130
    assert "All runs are kept." in stopped.output
    assert f"paper {own} --quick --seeds 1" in stopped.output.replace("\n", "")
    assert "of training on 1 free core" in stopped.output
    folder = tmp_path / "reports" / "paper-z-quick"
    study = small_bench(scale=Scale("quick", 1)).study.name
    assert seen == [(ReportProgress(study, 1, "measuring: a match"), True, False)]
    assert look_at(folder) == (seen[0].progress, False, False)
    done = CliRunner().invoke(app, command)
    assert done.exception is None, done.output
    assert "of training" not in done.output  # which is over
    for each in ("reproduced", "It works.", "1 reproduced, 1 not reproduced, 1 not testable"):
        assert each in done.output
    assert (folder / "report.html").is_file()
    assert look_at(folder) == (None, False, False)


@pytest.mark.parametrize(
    ("options", "seconds", "cores"),
    [
        ((), 100, 4),
        (("--threads", "1"), 400, 1),
        (("--jobs", "2"), 100, 4),
        (("--jobs", "2", "--threads", "4"), 100, 4),  # more threads than cores
        (("--jobs", "2", "--threads", "1"), 200, 2),
        (("--jobs", "3"), 200, 2),  # one core each, and there are two runs
    ],
)
def test_a_forecast_is_the_work_shared_by_the_cores_in_use(
    tmp_path, monkeypatch, options, seconds, cores
):
    own = tmp_path / "own.py"
    own.write_text("from test_papers import SmallPaper\nPAPER = SmallPaper()\n")
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr(Trial, "estimate", lambda self, scale: 200.0)  # of one core

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Bench, "train", stop)
    told = CliRunner().invoke(app, ["paper", str(own), "--seeds", "1", *options]).output
    assert f"about {clock(seconds)} of training on {counted(cores, 'free core')}" in told


def test_the_app_sends_listed_reports_alone(tmp_path):
    page = pytest.importorskip("evoboard.web.pages.papers", reason="the extra web is missing")
    from fastapi import HTTPException

    folder = tmp_path / "reports" / "paper-z-quick"
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("<p>ours</p>")
    for name in ("paper-z-quick", "..", "paper-z-quick/report.html"):
        with pytest.raises(HTTPException):
            page.report(name)
    data = {"format": "evoboard-report", "paper": "Z", "title": "t", "scale": "quick", "made": ""}
    (folder / "report.json").write_text(json.dumps({**data, "claims": []}))
    assert page.report("paper-z-quick").body == b"<p>ours</p>"
    (folder / "report.json").write_text("{")
    assert list_reports(tmp_path / "reports") == []


# What a report needs of its trials, and experiments that stand for slower ones of ours: what
# is tried is that everything is measured, drawn and judged, whatever the runs are like.
SHORT = {
    "A": ("kingcapture-neat-01", "kingcapture-neat-03", "kingcapture-neat-09",
          "kingcapture-neat-16", "kingcapture-series-tt1", "kingcapture-series-tt4", *a.OURS),
    "B": (*(name for _, name, _ in b.TESTS), "real-direct", "nim-heaps-3-4-5"),
    "C": (c.TRIAL, c.OURS, c.RIVAL),
    "D": (*(style.trial for style in d.STYLES), d.OURS),
    "E": (*e.TRIALS.values(), e.OURS),
}  # fmt: skip
INSTEAD = {
    **dict.fromkeys(a.OURS, "kingcapture-neat-01"), c.OURS: c.TRIAL, d.OURS: d.STYLES[0].trial,
    e.OURS: e.TRIALS[1],
}  # fmt: skip
FEWER = {
    "kingcapture": ("strategy.population=8", "measure.every=1", "measure.games=2"),
    "nim": ("strategy.population=8", "fitness.opponents=3", "measure.spread=2"),
    "chess": ("strategy.population=6", "measure.games=2", "search.depth=1"),
    "hexwar": ("strategy.population=8", "search.depth=1", "measure.games=2"),
    "draughts": ("search.rounds=8", "measure.games=2"),
}


# A report of everything that a report can hold, of a small paper, is made above.
@pytest.mark.parametrize("letter", few([*"ABCDE"]))
def test_a_whole_report_is_made_of_short_runs(letter, monkeypatch):
    paper = find_paper(letter)
    trials = [
        replace(trial, experiment=INSTEAD.get(trial.name, trial.experiment), key=trial.name,
                quick=3, changes=(*trial.changes, *FEWER[paper.game]), cuts=(), only=None)
        for trial in paper.trials if trial.name in SHORT[letter]
    ]  # fmt: skip
    monkeypatch.setattr(type(paper), "trials", tuple(trials))
    plain = strength.match
    monkeypatch.setattr(strength, "match", lambda *words: plain(*words[:5], 2))
    for module in (a, c):
        monkeypatch.setattr(module, "match", lambda *words: plain(*words[:5], 2))
    monkeypatch.setattr(d, "GAMES", 2)
    meet = e.meet_ancestors
    monkeypatch.setattr(e, "meet_ancestors", lambda lineage, *_: meet(lineage, 4, 1))
    bench = small_bench(paper, Scale("quick", 1))
    bench.train()
    findings = paper.report(bench)
    page = write_findings(bench, findings)
    bench.close()
    text = page.read_text(encoding="utf-8")
    ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))
    blocks = [block for section in findings.sections for block in section.blocks]
    assert f"{letter.lower()}-beyond" in [getattr(block, "name", "") for block in blocks]
    for section in findings.sections:
        assert section.blocks
        for block in section.blocks:
            if isinstance(block, (Figure, Table)):
                assert escape(block.title) in text
    assert len(findings.claims) > 5
    assert all(claim.evidence and "nan" not in claim.evidence for claim in findings.claims)


def test_ours_have_no_more_games_than_a_run_of_the_paper():
    def games(name, each):
        paper = load(name)
        return paper.generations * paper.strategy.settings.population * each

    chess = load(c.TRIAL).strategy.settings.population
    once, again = chess * (chess - 1), 2 * (2 * (chess - 2) + 1)
    wanted = {
        "A": games("kingcapture-neat-01", 49),
        "C": once + (load(c.TRIAL).generations - 1) * again,
        "D": games("hexwar-aggressive", 2 * load("hexwar-aggressive").fitness.against[0].count),
        "E": games("draughts-1ply", load("draughts-1ply").fitness.opponents),
    }
    for letter, module in zip("ACDE", (a, c, d, e), strict=True):
        ours = module.OURS if letter == "A" else (module.OURS,)
        trials = [trial for trial in find_paper(letter).trials if trial.name in ours]
        assert len(trials) == len(ours)
        for trial in trials:
            assert trial.settings(Scale("full")).stop.games == wanted[letter]


def test_champions_of_paper_d_s_game_play_on_both_boards(monkeypatch):
    monkeypatch.setattr(d, "GAMES", 2)
    monkeypatch.setattr(d, "SCRIPTS", ("scripted:rusher",))
    assert len({load_game(name).options["layout"] for name in d.BOARDS}) == 2
    table = d._champions(FakeBench())
    assert [row[0] for row in table.rows] == list(d.BOARDS)


def test_real_nim_s_table_is_of_one_game():
    named = {trial.name: trial for trial in find_paper("B").trials}
    for name in (*b.REAL_PAPER, *b.REAL_OURS):
        game = load_game(named[name].settings(Scale("full")).game.name)
        assert game.options["heaps"] == load_game(b.REAL_GAME).options["heaps"]


def test_paper_a_s_tables_are_the_paper_s_and_the_experiments():
    totals = [session.total for session in a.SESSIONS]
    assert totals[:9] == [16, 14, 10, 14, 11, 9, 17, 12, 9]  # figure 28
    assert totals[9:18] == [15, 14, 10, 16, 15, 13, 18, 12, 13]  # figure 35
    assert totals[18:26] == [16, 17, 17, 14, 10, 11, 10, 12]  # figures 41 and 44
    assert totals[26:] == [20, 13, 14, 22, 19, 19, 14, 19]  # figure 48
    for session in a.SESSIONS:
        experiment = load(session.experiment)
        assert experiment.generations == session.tournaments
        found = {m["kind"]: m for m in resolved(experiment)["strategy"]["mutations"]}
        assert found["add_node"]["chance"] == session.node
        assert found["add_link"]["chance"] == session.link
        assert found["values"]["power"] == session.power


def test_links_straight_from_inputs_are_drawn_apart():
    start, source = np.array([0, 2, 4]), np.array([0, 1, 0, 2])
    network = GraphNetwork(2, [1], start, source, np.array([0.5, -1.0, 2.0, 3.0]), np.zeros(2))
    direct, rest = (part.to_json()["nodes"] for part in a.split_links(network))
    assert [node["links"] for node in direct] == [[], [[0, 2.0]]]
    assert [node["links"] for node in rest] == [[[0, 0.5], [1, -1.0]], [[2, 3.0]]]


def test_colours_are_told_apart():
    games = Games(3, 1, 0, 0.0, 0.0, 0.0, (2, 0, 0), (1, 1, 0))
    assert c.colour_shares([games]) == {"White": [[100, 0, 0]], "Black": [[50, 50, 0]]}
    assert games.share == 3.5 / 4


def test_styles_and_bands():
    assert d.in_band(np.array([0.2, 0.4, 0.5, np.nan]), (0.3, 0.5)) == pytest.approx(2 / 3)
    game = load_game("hexwar:start_pieces=1")
    state = game.initial()
    to_centre, produce = make_move(4, 3, 1), make_move(4, 4, 1)
    for move in (to_centre, produce):
        assert move in game.legal_moves(state)
    played = d.ChampionGame("scripted:turtle", 0, game.state_text(state), [to_centre], 0, "")
    (move,) = d.moves_of(game, played)
    assert not move.produces
    assert move.towards == pytest.approx(2 * 2**0.5 - 5**0.5)
    assert ElementTree.fromstring(d.strip(game, played).svg).get("viewBox")


def test_a_style_is_what_random_moves_do_not_do():
    random = d.Leaning(20.0, 0.15)
    assert d.adopted("aggressive", d.Leaning(5.0, 0.3), random)
    # Out of the corner everybody comes nearer to the centre.
    assert not d.adopted("aggressive", d.Leaning(5.0, 0.1), random)
    assert d.adopted("defensive", d.Leaning(80.0, 0.05), random)
    assert not d.adopted("defensive", d.Leaning(80.0, 0.2), random)
    assert not d.adopted("defensive", d.Leaning(30.0, 0.05), random)
    game = load_game("hexwar:start_pieces=1")
    moves = [make_move(4, 3, 1), make_move(20, 20, 1), make_move(3, 3, 1)]
    played = d.ChampionGame("scripted:turtle", 0, game.state_text(game.initial()), moves, 0, "")
    found = d.leaning(game, [played])
    assert found.produced == 50
    assert found.towards == pytest.approx(2 * 2**0.5 - 5**0.5)


class FakeRun:
    """A run that has numbers of its generations, and nothing else."""

    def __init__(self, origins: Sequence[str] = (), **numbers: Sequence[float]) -> None:
        self.numbers, self.origins = numbers, origins

    def count(self) -> int:
        return len(self.rows())

    def rows(self) -> list[SimpleNamespace]:
        columns = zip(*self.numbers.values(), strict=True)
        rows = [dict(zip(self.numbers, row, strict=True)) for row in columns]
        origins = self.origins or [""] * len(rows)
        return [
            SimpleNamespace(generation=i, numbers=row, champion=i, champion_origin=origin)
            for i, (row, origin) in enumerate(zip(rows, origins, strict=True))
        ]


class FakeBench:
    """A bench of such runs, by trial; each has as many generations as the paper says by default."""

    scale, threads = Scale("full"), 1

    def measure(self, key: str, of: str, work: Callable[[], Any]) -> Any:
        return json.loads(json.dumps(work()))

    def __init__(self, done: int = 1000, whole: int = 1000, **found: Sequence[FakeRun]) -> None:
        self.done, self.paper = done, whole
        self.found = {trial.replace("_", "-"): runs for trial, runs in found.items()}

    def runs(self, trial: str) -> Sequence[FakeRun]:
        return self.found[trial]

    def reached(self, trial: str) -> tuple[int, int]:
        return self.done, self.paper

    def long(self, trial: str) -> bool:
        return self.done >= ENOUGH * self.paper

    def whole(self, trial: str) -> bool:
        return self.done >= self.paper


def verdict(claims: Iterable[Claim], begin: str) -> str:
    """Return the verdict of the one claim that begins so."""
    (found,) = (each for each in claims if each.claim.startswith(begin))
    return found.verdict


@pytest.mark.parametrize(
    ("done", "right", "wanted"),
    [
        (400, [5, *range(20, 400)], "reproduced"),
        (400, [5, *range(200, 400)], "not reproduced"),  # once is not learned
        (400, [5], "not reproduced"),
        (140, [*range(20, 140)], "reproduced"),
        (140, [7, *range(55, 140)], "not testable"),  # of 1,000 generations those are few
        (40, [*range(5, 40)], "not testable"),
    ],
)
def test_learned_is_what_stays_for_shares_as_for_exponent_1(done, right, wanted):
    grade = np.isin(np.arange(done), right).astype(float)
    run = FakeRun(performance=grade, grade=grade, performance_earlier=grade)
    trials = ("nim_stack_8_exponent_1", "nim_stack_8_exponent_2", "nim_stack_8_shares")
    claims = b._exponents(FakeBench(done, **{key: [run] for key in trials}))
    assert verdict(claims, "Stack 8, shares of 15%: learned") == wanted


def draughts_system(ply: int, done: int, origins: Sequence[str] = ()) -> SimpleNamespace:
    """Return one of paper E's systems after so many of 200 generations."""
    run = FakeRun(origins or ["mutant"] * done, learning=np.full(done, 0.1))
    return SimpleNamespace(
        ply=ply, label=f"{ply}-ply", runs=[run], learning=[learning_curve(run, 2)],
        ancestors=[e.Ancestors([0, 1], [[9, 1, 0], [5, 0, 5]], [10, 0, 0])],
        long=done >= 50, whole=done >= 200,
    )  # fmt: skip


def systems(done: int) -> dict[int, SimpleNamespace]:
    """Return paper E's three systems after so many of 200 generations."""
    return {ply: draughts_system(ply, done) for ply in e.PLIES}


@pytest.mark.parametrize(
    ("done", "later", "wanted"),
    [
        (200, 200, ["reproduced"] * 3),
        (200, 104, ["reproduced", "not testable", "not testable"]),
        (2, 2, ["not testable"] * 3),
    ],
)
def test_what_is_said_of_a_whole_run_waits_for_its_end(monkeypatch, done, later, wanted):
    spent = {1: 1.0, 3: 4.0, 6: 9.0}
    monkeypatch.setattr(e, "lengths_of", lambda runs: box(np.array([runs[0].plies])))
    monkeypatch.setattr(e, "work_of", lambda runs: runs[0].spent)
    found = {ply: draughts_system(ply, done if ply == 1 else later) for ply in e.PLIES}
    for ply, system in found.items():
        system.runs[0].plies, system.runs[0].spent = 50.0 + ply, spent[ply]
    claims = list(e._claims(FakeBench(), found, 69.7))
    begins = ("Games last about 50 moves", "Games last longer at 3", "Time grows about linearly")
    assert [verdict(claims, begin) for begin in begins] == wanted
    lengths = next(each for each in claims if each.claim.startswith(begins[0]))
    assert ("fewer rounds" in lengths.evidence) == (done < 200)  # the others' length is no matter


def test_results_of_a_champion_of_paper_d_are_its_own_with_either_colour(monkeypatch):
    monkeypatch.setattr(d, "GAMES", 4)
    monkeypatch.setattr(d, "SCRIPTS", ("scripted:rusher",))
    game = load_game("hexwar")
    games = d._games(FakeBench(), "champion", game)
    assert [played.side for played in games] == [0, 1, 0, 1]
    assert [played.result for played in games] == [1, 1, 1, 1]  # it always beats that script
    for played in games:
        end = d._history(game, played).state
        won = 1 if game.side(end) == played.side else -1  # for whoever would move
        assert game.outcome(end) == won, "the side that it is said to have had"


def test_wins_and_losses_against_ancestors(monkeypatch):
    """The last of three champions beats the first, loses to the second, draws with `random`."""
    results = {0: 1, 1: -1, 3: 0}

    class Backend:
        def play(self, setup, pack, schedule, seed, others):
            first, second = schedule.pairings.T
            value = [
                results[int(b)] if a == 2 else -results[int(a)]
                for a, b in zip(first, second, strict=True)
            ]
            return SimpleNamespace(table=ResultTable.of(4, schedule.pairings, value))

    monkeypatch.setattr(e, "find_backend", lambda name, threads: Backend())
    lineage = SimpleNamespace(
        generations=(0, 5, 9), setup=None, pack=None,
        bound=SimpleNamespace(game=load_game("draughts")),
    )  # fmt: skip
    found = e.meet_ancestors(lineage, 6)
    assert found == ([0, 5], [[6, 0, 0], [0, 0, 6]], [0, 6, 0])


def test_a_share_of_paper_c_is_one_of_all_points_that_can_be_had():
    run = FakeRun(best=[0.0, 49.0, 98.0])
    run.facts = lambda: {"experiment": {"strategy": {"population": 50}}}
    generations, shares = c.shares(run)
    assert generations.tolist() == [0, 1, 2]
    assert shares.tolist() == [0.0, 0.5, 1.0]  # two games with each of the 49 others


def test_ours_meet_the_linear_player_with_either_search_and_colour(monkeypatch):
    seen = []

    def match(bench, key, game, one, other, games):
        seen.append((one, other, games))
        won = (40, 5, 5) if one.endswith("quiescence=4") else (30, 5, 15)
        return Games(0, 0, 0, 0, 0, 0, won, (20, 10, 20))

    monkeypatch.setattr(c, "match", match)
    bench = Bench(find_paper("C"), Scale("quick", 1), Path("x"))
    (run,) = bench.names(c.OURS)
    rows = c._ours_by_colour(bench).rows
    flat, deep, black = ("60%", "10%", "30%"), ("80%", "10%", "10%"), ("40%", "20%", "40%")
    ways = ("the paper's search", flat), ("captures to their end", deep)
    who = ("chess-learn", f"run:{run}@best,"), ("champion", "champion:")
    assert rows == [(name, way, *white, *black) for name, _ in who for way, white in ways]
    searches = ("depth=2,quiescence=0", "depth=2"), ("depth=2,quiescence=4",) * 2
    assert seen == [(text + own, f"linear:{its}", 100) for _, text in who for own, its in searches]


def test_a_match_is_told_apart_by_colours():
    # Whoever begins wins, as its first move leaves the other a lost position.
    found = strength.match(
        FakeBench(), "match", "nim:heaps=3/5/7", "perfect", "perfect", 6, 0
    )  # fmt: skip
    assert found.first == (3, 0, 0)
    assert found.second == (0, 0, 3)
    assert (found.wins, found.draws, found.losses) == (3, 0, 3)


def test_numbers_of_tables_are_written_out():
    table = Table("t", "T", ("a",), [(10_812.4,), (1234.5,), (0.12345,), (7.0,)])
    page = page_of("P", [], [Section("S", (table,))])
    assert re.findall('number">([^<]+)', page) == ["10,812", "1,234", "0.1235", "7"]


def test_seconds_of_a_game_are_those_of_all_games_by_their_number():
    run = FakeRun(games=[4.0, 0.5])
    run.timings = lambda: {0: {"games": 6.0, "breeding": 9.0}, 1: {"games": 2.0}}
    assert seconds_per_game(run).values["game"].tolist() == [1.5, 4.0]


def test_scores_by_origin_are_judged_of_many_champions_and_by_their_middle_half():
    # Few by mutation lie far apart; many by crossover lie close, but for two.
    many = [("crossover", 0.01 * i) for i in range(100)] + [("crossover", -9.0), ("crossover", 9.0)]
    wide = [("mutant", -2.0 + 0.04 * i) for i in range(100)]

    def judged(scores, done=200):
        found = systems(done)
        for system in found.values():
            origins, values = zip(("", 0.0), *scores, strict=True)
            system.runs = [FakeRun(origins, learning=values)]
        begins = ("Scores of champions by crossover", "Champions by crossover score below")
        begins += ("Crossover and mutation make",)
        return [verdict(e._origin_claims(found), begin) for begin in begins]

    better = [("elite", 2.0)] * 70
    assert judged(many + wide + better)[:2] == ["not reproduced", "reproduced"]
    # Below by chance is not below.
    assert (
        judged([("crossover", 1.99 - i % 3) for i in range(100)] + wide + better)[1] == "reproduced"
    )
    level = [("elite", i % 3) for i in range(100)]
    assert judged([("crossover", i % 3 - 0.05) for i in range(100)] + wide + level)[1] == (
        "not reproduced"
    )
    assert judged(many[:19] + wide[:19] + better[:19])[:2] == ["not testable"] * 2
    assert judged(many + wide + better, done=40) == ["not testable"] * 3


def test_systems_of_paper_e_without_a_run_are_not_testable_yet(monkeypatch):
    monkeypatch.setattr(e, "lengths_of", lambda runs: box(np.array([50.0])))
    monkeypatch.setattr(e, "work_of", lambda runs: 1.0)
    found = {1: draughts_system(1, 200)}
    claims = list(e._claims(FakeBench(), found, 69.7))
    assert len(claims) == len(list(e._claims(FakeBench(), systems(200), 69.7)))
    for begin in ("3-ply: the cumulative", "6-ply: the last champion does sig", "Games last longer",
                  "Time grows", "The 3-ply system learns", "Of all origins"):  # fmt: skip
        assert verdict(claims, begin) == "not testable"
    assert verdict(claims, "1-ply: the cumulative") == "reproduced"
    assert verdict(claims, "Games last about 50") == "reproduced"
    (told,) = e._absent_words(found)
    assert "No run of 3-ply and 6-ply yet" in told.text


def test_all_seeds_meet_their_ancestors_in_figure_8():
    one = e.Ancestors([0, 20], [[9, 1, 0], [5, 0, 5]], [10, 0, 0])
    other = e.Ancestors([0, 10], [[1, 0, 9], [2, 2, 6]], [4, 4, 2])
    both = e.Ancestors([0, 10, 20], [[10, 1, 9], [2, 2, 6], [5, 0, 5]], [14, 4, 2])
    assert e.pooled([one, other]) == both
    system = draughts_system(1, 200)
    system.ancestors = [one, other]
    first, random = e._elo_table([system]).rows
    assert first[:5] == ("1-ply", "generation 0", 10, 1, 9)
    assert float(first[5].split()[0]) == pytest.approx(17, abs=3)  # 10½ of 20 points
    assert random[:5] == ("1-ply", "random moves", 14, 4, 2)


def test_times_of_games_by_generation():
    run = FakeRun(games=[4.0, 2.0, 2.0])
    run.timings = lambda: {0: {"games": 99.0}, 1: {"games": 3.0}, 2: {"games": 5.0}}
    generations, seconds = e.game_times([run, run])
    assert generations.tolist() == [1, 2, 1, 2]
    assert seconds.tolist() == [1.5, 2.5, 1.5, 2.5]
    cells, longest, count = e._counted(generations, seconds, np.ones(4), 1e-9)
    assert (longest, count) == (2.5, 3)
    assert np.argwhere(cells).tolist() == [[12, 1], [19, 2]]
    assert cells.sum() == 4


def test_a_quarter_of_4000_tournaments_shows_no_decline_after_2000():
    for done, wanted in ((1000, "not testable"), (4000, "reproduced")):
        found = a.Grades.__new__(a.Grades)
        found.bench, found.sessions = FakeBench(done, 4000), list(a.SESSIONS)
        found.of = {s.name: [[9.0 if s.tournaments == 2000 else 8.0, 0, 0, 0]] for s in a.SESSIONS}
        found.of["1"] = [[10.0, 0, 0, 0]]
        groups = [("2,000", ("28", "29")), ("4,000", ("34", "35"))]
        assert a._compared(found, "", "", groups, whole=True).verdict == wanted
        assert a._compared(found, "", "", groups).verdict == "reproduced"


def test_a_curve_is_judged_once_it_is_as_long_as_what_is_said_of_it():
    for done, wanted in ((65, "not testable"), (66, "reproduced")):
        run = FakeRun(adjusted_mean=np.full(done, 0.4), mean=np.arange(float(done)))
        bench = FakeBench(done, 100)
        found = d._curve_claims(bench, d.STYLES[0], [run])
        assert verdict(found, "Aggressive: during the first 66 generations") == wanted
        found = d._curve_claims(bench, d.STYLES[1], [run])
        assert verdict(found, "Defensive: the average adjusted") == "not testable"


class FewGenerations:
    """A bench whose trials were cut short, or were not."""

    def __init__(self, long: bool) -> None:
        self.is_long = long

    def long(self, trial: str) -> bool:
        return self.is_long

    def runs(self, trial: str) -> list[str]:
        return [trial]


@pytest.mark.parametrize(
    ("long", "end", "taken", "stalled", "two"),
    [
        (False, 0.65, [1, 2], "not testable", "not testable"),
        (True, 0.65, [1, 2], "reproduced", "reproduced"),
        (True, 0.56, [1, 2], "not reproduced", "reproduced"),
        (False, 0.9, [1, 5], "not reproduced", "not reproduced"),
    ],
)
def test_that_nothing_more_is_learned_takes_long(monkeypatch, long, end, taken, stalled, two):
    monkeypatch.setattr(b, "_performances", lambda bench, name: [np.full(20, 0.5)])
    monkeypatch.setattr(b, "against_earlier", lambda run: np.full(20, end))
    monkeypatch.setattr(b, "_amounts", lambda run: taken)
    first, second, *_ = b._random_stacks(FewGenerations(long))
    assert (first.verdict, second.verdict) == (stalled, two)


def test_a_few_runs_cannot_refute_that_one_of_three_gets_stuck():
    assert b.some_stuck([True, False], [False, True]) is True
    assert b.some_stuck([False] * 3, [True] * 3) is None
    assert b.some_stuck([False] * 9, [True] * 9) is False


def test_runs_of_a_quarter_are_long_enough(monkeypatch):
    bench = small_bench()
    for done, long in ((250, True), (249, False)):
        monkeypatch.setattr(bench, "reached", lambda trial, done=done: (done, 1000))
        assert bench.long("eight") is long


def test_groups_of_sessions_are_compared_seed_by_seed(monkeypatch):
    found = a.Grades.__new__(a.Grades)
    monkeypatch.setattr(a.Grades, "have", lambda self, names, whole: True)
    groups = [("low", ("1",)), ("high", ("2",))]
    # By medians 10 against 9; but in two seeds of three the second is better.
    found.of = {"1": [[10.0], [20.0], [2.0]], "2": [[11.0], [9.0], [3.0]]}
    assert a._compared(found, "", "", groups).verdict == "not reproduced"
    found.of = {"1": [[10.0], [20.0], [2.0]], "2": [[9.0], [9.0], [3.0]]}
    assert a._compared(found, "", "", groups).verdict == "reproduced"
    monkeypatch.setattr(a.Grades, "have", lambda self, names, whole: False)
    assert a._compared(found, "", "", groups).verdict == "not testable"


def test_parts_of_the_untrained_grade_count_for_themselves():
    assert a.parts_agree([1.0, 5.0, 0.5, 1.0])
    assert not a.parts_agree([4.1, 1.9, 1.0, 0.8])  # 7.8 in all, as the paper's 7


def test_better_is_more_than_chance():
    assert e.clearly_better(70, 40)
    assert not e.clearly_better(60, 55)
    assert not e.clearly_better(0, 0)


def test_time_is_linear_where_every_ply_takes_about_as_long():
    assert e.linear(e.SECONDS)  # the paper's own
    assert e.linear({1: 8.1, 3: 18.2, 6: 28.2})
    assert not e.linear({ply: float(ply**2) for ply in e.PLIES})
    assert not e.linear({1: 5.0, 3: 5.0, 6: 5.0})


def test_champions_by_origin_as_paper_e_groups_them():
    scores = {"persistent": [1.0, float("nan")], "elite": [0.5], "crossover": [-1.0], "mutant": []}
    assert e.boxes_of(scores) == {"elite": [1.0, 0.5], "mutant": [], "crossover": [-1.0]}
    assert e.shares_of(scores) == {"persistent": 0.5, "elite": 0.25, "crossover": 0.25, "mutant": 0}
