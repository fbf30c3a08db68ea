"""Writes what was found out about a paper as a report, and lists the reports there are.

Beside the files that every report has (`pictures/report.py`) lies `report.json`: paper, scale and
verdicts, for programs (the app's list among them).
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import counted
from evoboard.papers.base import Findings, Scale
from evoboard.papers.bench import Bench, games_of
from evoboard.pictures.report import PAGE, Block, Cell, Section, Table, write_report
from evoboard.runs.report import seconds_of

SUMMARY = "report.json"
FORMAT = "evoboard-report"


def write_findings(bench: Bench, findings: Findings) -> Path:
    """Write the page, the figures and the numbers; return the page."""
    paper = bench.paper
    page = write_report(
        bench.folder,
        f"Paper {paper.letter}: {paper.title}",
        (paper.citation, _scale_words(bench)),
        (_claims(findings), *findings.sections, _how_it_was_run(bench)),
    )
    summary = {
        "format": FORMAT,
        "paper": paper.letter,
        "citation": paper.citation,
        "title": paper.title,
        "scale": bench.scale.name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": program_version(),
        "claims": [claim._asdict() for claim in findings.claims],
    }
    write_whole(bench.folder / SUMMARY, json.dumps(summary, indent=1))
    return page


def _claims(findings: Findings) -> Section:
    columns = ("verdict", "the paper claims", "where", "here")
    looks = [claim.verdict.replace(" ", "-") for claim in findings.claims]
    table = Table("claims", "What was reproduced", columns, findings.claims, looks=looks)
    return Section("Claims and verdicts", [table])


def _how_it_was_run(bench: Bench) -> Section:
    """Return the section about runs: what was cut, how many games, how long."""
    rows: list[tuple[Cell, ...]] = []
    for trial in filter(lambda each: bench.has(each.name), bench.trials):
        runs = bench.runs(trial.name)
        seconds = sum(seconds_of(run) for run in runs)
        games = sum(games_of(run) for run in runs)
        experiment = trial.experiment
        if trial.changes:
            experiment += f" with {', '.join(trial.changes)}"
        cut = bench.cut_words(trial)
        rows.append((trial.name, experiment, cut, len(runs), games, round(seconds, 1)))
    columns = ("trial", "experiment", "run", "seeds", "games", "seconds")
    told = "Every run can be looked at in the app and by `evoboard runs`; names begin with "
    told += f"paper-{bench.paper.letter.lower()}-."
    blocks: list[Block] = [Table("runs", "Runs", columns, rows, note=told)]
    departures = dict.fromkeys(
        line for trial in bench.trials for line in trial.settings(bench.scale).departures
    )
    for name, title, lines, note in (
        ("departures", "Departures from the text", departures, "As the experiments list them."),
        ("slips", "Where the document contradicts itself", bench.paper.slips, ""),
    ):
        if lines:
            heads = ("", name.removesuffix("s"))
            blocks.append(Table(name, title, heads, list(enumerate(lines, 1)), note=note))
    return Section("How it was run", blocks)


def _scale_words(bench: Bench) -> str:
    if bench.so_far:
        return (
            "Results so far of runs that are not all complete; the last section says how "
            "far each of them is."
        )
    if bench.scale.name == "full":
        return (
            "A full report: every experiment at the paper's own length, except for what is noted "
            "below."
        )
    cut = dict.fromkeys(
        trial.cut_words(bench.scale)
        for trial in bench.trials
        if trial.settings(bench.scale) != trial.settings(Scale("full"))
    )
    return (
        f"A quick report: {counted(len(bench.seeds), 'seed')} of each experiment, and less of it "
        f"than in the paper ({'; '.join(cut)}). The last section lists every experiment as it was "
        f"run; `evoboard paper {bench.paper.letter} --full` runs them at the paper's length."
    )


class ReportInfo(NamedTuple):
    """A finished report, as a list shows it."""

    name: str
    page: Path
    paper: str
    title: str
    scale: str
    made: str
    verdicts: dict[str, int]


def list_reports(parent: Path) -> list[ReportInfo]:
    """Return the finished reports in a folder, in the order of their names."""
    found = []
    for summary in sorted(parent.glob(f"*/{SUMMARY}")):
        try:
            data = json.loads(summary.read_text(encoding="utf-8"))
            name, page = summary.parent.name, summary.parent / PAGE
            if data["format"] == FORMAT and page.is_file():
                paper, title, scale, made = (
                    str(data[key]) for key in ("paper", "title", "scale", "made")
                )
                verdicts = Counter(str(each["verdict"]) for each in data["claims"])
                found.append(ReportInfo(name, page, paper, title, scale, made, verdicts))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not ours, or being written
    return found
