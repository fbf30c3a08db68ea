"""Writes a report: one HTML file that stands alone, and beside it figures and numbers as files.

FOLDER/report.html        everything, figures inside
FOLDER/figures/NAME.svg   and NAME.png where PNG can be written
FOLDER/data/NAME.csv      the numbers of every figure and table
FOLDER/report.json        paper, scale and verdicts, for programs (the app's list among them)
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from evoboard.core.errors import OptionError
from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import counted
from evoboard.papers.base import (
    Block,
    Cell,
    Claim,
    Figure,
    Findings,
    Log,
    Section,
    Table,
    Words,
)
from evoboard.papers.bench import Bench, games_of, seconds_of
from evoboard.pictures.png import MISSING, can_write_png, save_png

PAGE, SUMMARY = "report.html", "report.json"
FORMAT = "evoboard-report"

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #26231f;
  background: #fbfaf7; margin: 0; }
main { max-width: 1180px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 38px 0 8px; border-bottom: 1px solid #ddd6c8; padding-bottom: 4px; }
h3 { font-size: 15px; margin: 22px 0 8px; }
p { max-width: 78ch; margin: 8px 0; }
.dim { color: #6f6a62; }
.small { font-size: 13px; }
.beside { display: grid; grid-template-columns: minmax(200px, 270px) minmax(0, 1fr); gap: 16px;
  align-items: start; }
.paper { border-left: 3px solid #c08a2b; background: #fdf5e3; padding: 8px 12px; font-size: 13px;
  color: #59430f; }
.paper b { display: block; color: #8a5a00; }
figure { margin: 0; }
figure svg { max-width: 100%; height: auto; border: 1px solid #e6e1d8; background: #fff; }
figcaption, .note { font-size: 13px; color: #6f6a62; margin-top: 4px; max-width: 90ch; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; background: #fff; }
th, td { border: 1px solid #e6e1d8; padding: 4px 9px; text-align: left; vertical-align: top; }
th { background: #f3efe6; font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { background: #fff; border: 1px solid #e6e1d8; padding: 8px 12px; overflow-x: auto;
  font-size: 12.5px; margin: 0; }
.verdict { white-space: nowrap; font-weight: 600; border-radius: 9px; padding: 1px 9px; }
.reproduced { background: #dff1e4; color: #1d6b3a; }
.not-reproduced { background: #fbe3df; color: #a3281b; }
.not-testable { background: #ece8df; color: #6a6353; }
@media (max-width: 760px) { .beside { grid-template-columns: 1fr; } }
@media print { body { background: #fff; } figure, table { break-inside: avoid; } }
"""


class Written(NamedTuple):
    """A report on the disk."""

    folder: Path
    page: Path
    claims: tuple[Claim, ...]
    png: bool


def write_report(bench: Bench, findings: Findings) -> Written:
    """Write the page, the figures and the numbers; what an older report has left is replaced."""
    folder = bench.folder
    figures, data = folder / "figures", folder / "data"
    try:
        for each in (figures, data):
            each.mkdir(parents=True, exist_ok=True)
            for old in each.iterdir():
                old.unlink()
        sections = [*findings.sections, _how_it_was_run(bench)]
        png = can_write_png()
        for block in (block for section in sections for block in section.blocks):
            _write_files(block, figures, data, png)
        write_whole(data / "claims.csv", _csv_of_claims(findings.claims).encode())
        write_whole(folder / PAGE, page_of(bench, findings.claims, sections, png).encode())
        write_whole(folder / SUMMARY, json.dumps(_summary(bench, findings), indent=1).encode())
    except OSError as error:
        raise OptionError(
            f"the report cannot be written to {folder}: {error.strerror}; name another folder "
            "with --out."
        ) from error
    return Written(folder, folder / PAGE, findings.claims, png)


def _write_files(block: Block, figures: Path, data: Path, png: bool) -> None:
    if isinstance(block, Figure):
        block.picture.save(figures / f"{block.name}.svg")
        if png:
            save_png(block.picture, figures / f"{block.name}.png")
        if block.data:
            rows = zip(*block.data.values(), strict=True)
            write_whole(data / f"{block.name}.csv", _csv(list(block.data), rows).encode())
    if isinstance(block, Table):
        write_whole(data / f"{block.name}.csv", _csv(block.columns, block.rows).encode())


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if _unknown(cell) else cell for cell in row])
    return text.getvalue()


def _csv_of_claims(claims: Sequence[Claim]) -> str:
    columns = ("verdict", "claim", "place", "evidence")
    return _csv(columns, ((c.verdict, c.text, c.place, c.evidence) for c in claims))


def _unknown(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _summary(bench: Bench, findings: Findings) -> dict[str, Any]:
    paper = bench.paper
    return {
        "format": FORMAT,
        "paper": paper.letter,
        "citation": paper.citation,
        "title": paper.title,
        "scale": bench.scale.name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": program_version(),
        "claims": [
            {"verdict": c.verdict, "claim": c.text, "place": c.place, "evidence": c.evidence}
            for c in findings.claims
        ],
    }


def _how_it_was_run(bench: Bench) -> Section:
    """Return the section about runs: what was cut, how many games, how long."""
    rows: list[tuple[Cell, ...]] = []
    for trial in bench.trials:
        runs = bench.runs(trial.name)
        seconds = sum(seconds_of(run) for run in runs)
        games = sum(games_of(run) for run in runs)
        experiment = trial.experiment
        if trial.changes:
            experiment += f" with {', '.join(trial.changes)}"
        rows.append(
            (trial.name, experiment, trial.cut_words(bench.scale), len(runs), games,
             round(seconds, 1))
        )  # fmt: skip
    columns = ("trial", "experiment", "run", "seeds", "games", "seconds")
    told = "Every run can be looked at in the app and by `evoboard runs`; names begin with "
    told += f"paper-{bench.paper.letter.lower()}-."
    table = Table("runs", "Runs", columns, tuple(rows), note=told)
    departures = dict.fromkeys(
        line for trial in bench.trials for line in trial.settings(bench.scale).departures
    )
    blocks: list[Block] = [table]
    if departures:
        listed = tuple((number, line) for number, line in enumerate(departures, 1))
        blocks.append(
            Table(
                "departures", "Departures from the text", ("", "departure"), listed,
                note="As the experiments' files list them.",
            )
        )  # fmt: skip
    if bench.paper.slips:
        slips = tuple((number, line) for number, line in enumerate(bench.paper.slips, 1))
        blocks.append(Table("slips", "Where the document contradicts itself", ("", "slip"), slips))
    return Section("How it was run", tuple(blocks))


def page_of(bench: Bench, claims: Sequence[Claim], sections: Sequence[Section], png: bool) -> str:
    """Return the whole page; it needs nothing but itself."""
    paper = bench.paper
    heading = f"Paper {paper.letter}: {paper.title}"
    parts = [
        f"<h1>{escape(heading)}</h1>",
        f'<p class="dim">{escape(paper.citation)}</p>',
        f"<p>{escape(_scale_words(bench))}</p>",
        "<h2>Claims and verdicts</h2>",
        _claims(claims),
    ]
    for section in sections:
        parts.append(f"<h2>{escape(section.title)}</h2>")
        parts += [_block(block) for block in section.blocks]
    files = "Figures are in the folder figures (SVG" + (", PNG" if png else "") + "), numbers in "
    parts.append(
        f'<p class="dim small">{files}data (CSV), both beside this file. Made by evoboard '
        f"{escape(program_version())}{'' if png else f'; {escape(MISSING)}'}.</p>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _scale_words(bench: Bench) -> str:
    if bench.scale.name == "full":
        return (
            "A full report: every experiment at the paper's own length, but for what is noted "
            "below."
        )
    cut = dict.fromkeys(
        trial.cut_words(bench.scale)
        for trial in bench.trials
        if trial.settings(bench.scale) != trial.settings(type(bench.scale)("full"))
    )
    return (
        f"A quick report: {counted(len(bench.seeds), 'seed')} of each experiment, and less of it "
        f"than in the paper ({'; '.join(cut)}). The last section lists every experiment as it was "
        f"run; `evoboard paper {bench.paper.letter} --full` runs them at the paper's length."
    )


def _claims(claims: Sequence[Claim]) -> str:
    rows = "".join(
        f'<tr><td><span class="verdict {c.verdict.replace(" ", "-")}">{c.verdict}</span></td>'
        f"<td>{escape(c.text)}</td><td>{escape(c.place)}</td><td>{escape(c.evidence)}</td></tr>"
        for c in claims
    )
    return (
        '<div class="wide"><table><tr><th>verdict</th><th>the paper claims</th><th>where</th>'
        f"<th>here</th></tr>{rows}</table></div>"
    )


def _block(block: Block) -> str:
    if isinstance(block, Words):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Log):
        lines = escape("\n".join(block.lines))
        return f"<h3>{escape(block.title)}</h3>{_beside(block.paper, f'<pre>{lines}</pre>')}"
    note = f'<div class="note">{escape(block.note)}</div>' if block.note else ""
    if isinstance(block, Table):
        body = f'<div class="wide">{_table(block)}</div>{note}'
    else:
        body = f"<figure>{block.picture.svg}{note}</figure>"
    return f"<h3>{escape(block.title)}</h3>{_beside(block.paper, body)}"


def _beside(paper: str, body: str) -> str:
    """Return ours with the paper's words beside it, where there are any."""
    if not paper:
        return body
    return (
        f'<div class="beside"><div class="paper"><b>The paper</b>{escape(paper)}</div>'
        f"<div>{body}</div></div>"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return f"<table><tr>{head}</tr>{rows}</table>"


def _cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    if _unknown(cell) or cell is None:
        return '<td class="number">–</td>'
    told = f"{cell:,}" if isinstance(cell, int) or float(cell).is_integer() else f"{cell:,.4g}"
    return f'<td class="number">{told}</td>'


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
            if data["format"] != FORMAT or not (summary.parent / PAGE).is_file():
                continue
            verdicts: dict[str, int] = {}
            for each in data["claims"]:
                verdicts[str(each["verdict"])] = verdicts.get(str(each["verdict"]), 0) + 1
            paper, title, scale, made = (
                str(data[key]) for key in ("paper", "title", "scale", "made")
            )
            name, page = summary.parent.name, summary.parent / PAGE
            found.append(ReportInfo(name, page, paper, title, scale, made, verdicts))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not ours, or being written
    return found
