"""A study as a report: one HTML file that stands alone, and beside it figures and numbers as files.

FOLDER/report.html        everything, figures inside
FOLDER/figures/NAME.svg   and .pdf, and .png where PNG can be written
FOLDER/data/NAME.csv      runs.csv: every generation of every run; outcomes, compared, curve-…
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.errors import OptionError
from evoboard.core.statistics import mean_interval
from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import counted, listed
from evoboard.pictures.chart import COLOURS, INK, Axis, Chart
from evoboard.pictures.curves import Curve, draw_curves
from evoboard.pictures.pdf import save_pdf
from evoboard.pictures.png import MISSING, can_write_png, save_png
from evoboard.pictures.svg import Picture
from evoboard.runs.study import MEASURES, Gathered

PAGE = "report.html"
# Shown beside the number that is compared by, where all runs have them.
FURTHER = (*MEASURES, "grade_unaided", "spread_score", "species", "nodes_mean", "links_mean")
BANDS = "Line: the mean over seeds; band: its 95 % interval (Student's t)."

STYLE = """
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #26231f;
  background: #fbfaf7; margin: 0; }
main { max-width: 980px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 6px; }
h2 { font-size: 19px; margin: 34px 0 8px; border-bottom: 1px solid #ddd6c8; }
p { max-width: 78ch; margin: 8px 0; }
.dim { color: #6f6a62; font-size: 13px; }
figure { margin: 12px 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; border: 1px solid #e6e1d8; }
table { border-collapse: collapse; font-size: 13.5px; background: #fff; }
th, td { border: 1px solid #e6e1d8; padding: 4px 9px; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { background: #f3efe6; }
.sure { font-weight: 600; background: #dff1e4; }
.wide { overflow-x: auto; }
"""


class Figure(NamedTuple):
    """A picture with its name and a sentence about it."""

    name: str
    picture: Picture
    caption: str


class Table(NamedTuple):
    """A table; where `sure` says so, a row is one of those that chance does not explain."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    sure: Sequence[bool] = ()


def write_study(found: Gathered, measure: str = "", folder: Path | None = None) -> Path:
    """Write the report of a study's complete runs; return its page."""
    target = folder or found.study.folder
    main = found.main_measure(measure)
    names = [main, *(name for name in FURTHER if name != main and name in found.measures())]
    figures = [outcome_figure(found, main), *(curve_figure(found, name) for name in names)]
    tables = [outcome_table(found, main), compared_table(found, main)]
    try:
        for inner in ("figures", "data"):
            (target / inner).mkdir(parents=True, exist_ok=True)
        for figure in figures:
            _save(figure, target / "figures")
        for table in (*tables, _all_numbers(found), *(_curve_data(found, name) for name in names)):
            text = _csv(table.columns, table.rows)
            write_whole(target / "data" / f"{table.name}.csv", text.encode())
        write_whole(target / PAGE, _page(found, main, figures, tables).encode())
    except OSError as error:
        raise OptionError(f"the report cannot be written to {target}: {error.strerror}.") from error
    return target / PAGE


# --- figures ------------------------------------------------------------------------------------


def curve_figure(found: Gathered, measure: str) -> Figure:
    """Return the learning curves of all cells, with their bands."""
    over = found.study.over
    curves = [
        Curve(c.label, c.places.tolist(), *(cells.tolist() for cells in c.interval))
        for c in found.curves(measure)
    ]
    title = f"{measure} by {over}"
    picture = draw_curves(curves, title, across=over, up=measure)
    return Figure(f"curve-{_plain(measure)}", picture, f"{title}. {BANDS}")


def outcome_figure(found: Gathered, measure: str) -> Figure:
    """Return what every run has come to, a dot each, and the cells' means with intervals."""
    outcomes = found.outcomes(measure)
    known = np.concatenate([np.zeros(0), *outcomes.values()])
    ends = [_interval(values)[1:] for values in outcomes.values()]
    tall = np.concatenate([known, np.ravel(ends)])
    chart = Chart(f"{measure}, every run", Axis.named("", list(outcomes)), Axis.of(measure, tall))
    for place, values in enumerate(outcomes.values()):
        colour = COLOURS[place % len(COLOURS)]
        spots = place + 0.12 * np.sin(2.4 * np.arange(len(values)))
        chart.points(spots, values, colour, size=3.5)
        mean, low, high = _interval(values)
        chart.whisker(place + 0.25, low, high, INK)
        chart.points([place + 0.25], [mean], INK, size=3.5)
    told = f"What each run had come to after {_budget(found, measure)}; black: mean and interval."
    return Figure("outcomes", chart.finish(), told)


# --- tables -------------------------------------------------------------------------------------


def outcome_table(found: Gathered, measure: str) -> Table:
    """Return the cells with means, intervals and spreads."""
    rows = []
    for label, values in found.outcomes(measure).items():
        spread = (float(values.min()), float(np.median(values)), float(values.max()))
        unknown = (math.nan,) * 3
        deviation = float(values.std(ddof=1)) if len(values) > 1 else math.nan
        cells = (*_interval(values), deviation, *(spread if len(values) else unknown))
        rows.append([label, len(values), *cells])
    columns = ("setting", "seeds", measure, "low", "high", "deviation", "least", "median", "most")
    return Table("outcomes", columns, rows)


def compared_table(found: Gathered, measure: str) -> Table:
    """Return every two cells compared."""
    versus = found.compared(measure)
    rows = [[v.first, v.second, *v.found, v.corrected] for v in versus]
    columns = ("first", "second", "difference", "low", "high", "better", "p", "p corrected")
    return Table("compared", columns, rows, [v.corrected < 0.05 for v in versus])


def _all_numbers(found: Gathered) -> Table:
    """Return every generation of every run, with all its numbers."""
    names = sorted({name for run in found.runs for name in run.numbers} - {"games"})
    nothing = np.zeros(0)
    rows = []
    for run in found.runs:
        columns = [run.numbers.get(name, nothing) for name in names]
        for g in range(len(run.games)):
            cells = [float(c[g]) if len(c) else math.nan for c in columns]
            head = [run.run.cell.label, run.run.seed, run.run.name, g]
            rows.append([*head, int(run.games[g]), round(float(run.seconds[g]), 3), *cells])
    columns_told = ("setting", "seed", "run", "generation", "games", "seconds", *names)
    return Table("runs", columns_told, rows)


def _curve_data(found: Gathered, measure: str) -> Table:
    rows = []
    for curve in found.curves(measure):
        for place, column in enumerate(curve.places):
            ends = (float(cells[place]) for cells in curve.interval)
            rows.append([curve.label, float(column), *ends, *curve.values[:, place].tolist()])
    seeds = [f"seed {seed}" for seed in found.study.seeds]
    columns = ("setting", found.study.over, "mean", "low", "high", *seeds)
    return Table(f"curve-{_plain(measure)}", columns, rows)


# --- the page -----------------------------------------------------------------------------------


def _page(found: Gathered, main: str, figures: list[Figure], tables: list[Table]) -> str:
    study = found.study
    games = sorted({str(cell.experiment["game"]["name"]) for cell in study.cells})
    total, done = len(study.cells) * len(study.seeds), len(found.runs)
    far = "all complete" if done == total else f"{done} of them complete"
    intro = (
        f"{counted(len(study.cells), 'setting')} with {counted(len(study.seeds), 'seed')} each, "
        f"{counted(total, 'run')}, {far}; {listed([Path(game).name for game in games])}. "
        f"Compared by {main} after {_budget(found, main)}."
    )
    about = (
        "better: how often a run of the first is ahead of one of the second. p: permutation test "
        "on the means; corrected for the number of comparisons (Holm). Shaded: below 0.05. "
        "Intervals are of 95 %: Student's t for a mean, Welch's for a difference."
    )
    parts = [f"<h1>{escape(study.name)}</h1><p>{escape(intro)}</p>"]
    parts += [f"<h2>What it came to</h2>{_figure(figures[0])}{_table(tables[0])}"]
    if tables[1].rows:
        parts.append(f"<h2>Which differences are not chance</h2>{_table(tables[1])}")
        parts.append(f'<p class="dim">{about}</p>')
    parts.append("<h2>Learning curves</h2>")
    parts += [_figure(figure) for figure in figures[1:]]
    parts.append("<h2>Settings that differ</h2>")
    parts.append(_table(_differences(found)))
    png = "" if can_write_png() else f" {MISSING}."
    parts.append(
        '<p class="dim">Figures are in the folder figures (SVG, PDF, PNG), numbers in data (CSV): '
        f"runs.csv has every generation of every run. The same once more: evoboard study --name "
        f"{escape(study.name)}. Made by evoboard {escape(program_version())}.{escape(png)}</p>"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>{escape(study.name)}</title><style>{STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _differences(found: Gathered) -> Table:
    """Return the settings that are not the same in all cells."""
    flat = [dict(_flat(cell.experiment)) for cell in found.study.cells]
    keys = sorted({key for each in flat for key in each})
    varied = [key for key in keys if len({str(each.get(key)) for each in flat}) > 1]
    labels = [cell.label for cell in found.study.cells]
    rows = [[key, *(str(each.get(key, "–")) for each in flat)] for key in varied]
    return Table("settings", ("setting", *labels), rows or [["(none)", *[""] * len(labels)]])


def _flat(data: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _flat(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        for number, row in enumerate(data):
            yield from _flat(row, f"{path}.{row.get('kind', number)}")
    else:
        yield path, data


def _figure(figure: Figure) -> str:
    told = f'<figcaption class="dim">{escape(figure.caption)}</figcaption>'
    return f"<figure>{figure.picture.svg}{told}</figure>"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = []
    for number, row in enumerate(table.rows):
        sure = ' class="sure"' if table.sure and table.sure[number] else ""
        rows.append(f"<tr{sure}>{''.join(map(_cell, row))}</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>'


def _cell(cell: Any) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    told = "–" if math.isnan(cell) else f"{cell:,}" if isinstance(cell, int) else f"{cell:.4g}"
    return f'<td class="n">{told}</td>'


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        unknown = (isinstance(cell, float) and math.isnan(cell) for cell in row)
        writer.writerow(["" if no else cell for no, cell in zip(unknown, row, strict=True)])
    return text.getvalue()


def _save(figure: Figure, folder: Path) -> None:
    figure.picture.save(folder / f"{figure.name}.svg")
    save_pdf(figure.picture, folder / f"{figure.name}.pdf")
    if can_write_png():
        save_png(figure.picture, folder / f"{figure.name}.png")


def _interval(values: Any) -> tuple[float, float, float]:
    mean, low, high = (float(each[0]) for each in mean_interval(values[:, None]))
    return mean, low, high


def _budget(found: Gathered, measure: str) -> str:
    return f"{found.common(measure):,.0f} {found.study.over} each"


def _plain(measure: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", measure).strip("-").lower()
