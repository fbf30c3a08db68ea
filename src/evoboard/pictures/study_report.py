"""What a study's report consists of: what its runs came to, what makes a difference, curves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.core.statistics import mean_interval
from evoboard.core.wording import as_name, counted, listed
from evoboard.pictures.chart import COLOURS, INK, Axis, Chart
from evoboard.pictures.curves import Curve, draw_curves
from evoboard.pictures.report import Cell, Figure, Section, Table, write_report
from evoboard.runs.study_numbers import MEASURES, Gathered

# Shown beside the number that is compared by, where all runs have them.
FURTHER = (*MEASURES, "grade_unaided", "spread_score", "species", "nodes_mean", "links_mean")
WORDS = {
    "best": "best fitness",
    "elo random": "Elo against random moves",
    "elo equal search": "Elo against counting pieces at equal search",
    "grade_unaided": "grade, unaided",
    "spread_score": "points against earlier champions",
    "nodes_mean": "hidden nodes, mean",
    "links_mean": "links, mean",
}
BANDS = "Line: the mean over seeds; band: its 95% interval (Student's t)."
ABOUT = (
    "better: how often a run of the first is ahead of one of the second. p: permutation test "
    "on the means; corrected for the number of comparisons (Holm). Shaded: below 0.05. "
    "Intervals are 95%: Student's t for a mean, Welch's for a difference."
)


def write_study(found: Gathered, measure: str = "") -> Path:
    """Write the report of a study's complete runs; return its page."""
    main = found.main_measure(measure)
    names = [main, *(name for name in FURTHER if name != main and name in found.measures())]
    compared = compared_table(found, main)
    sections = [
        Section("Results", [outcome_figure(found, main), outcome_table(found, main)]),
        *([Section("Which differences are significant", [compared])] if compared.rows else []),
        Section("Learning curves", [curve_figure(found, name) for name in names]),
        Section("Settings that differ", [_differences(found)]),
    ]
    intro = (
        _intro(found, main),
        "data/runs.csv has every generation of every run. To make this page again: "
        f"`evoboard study --name {found.study.name}`.",
    )
    study = found.study
    return write_report(study.folder, study.name, intro, sections, [_all_numbers(found)])


def _intro(found: Gathered, measure: str) -> str:
    study = found.study
    games = sorted({str(cell.experiment["game"]["name"]) for cell in study.cells})
    total, done = len(study.runs()), len(found.runs)
    far = "all complete" if done == total else f"{done} of them complete"
    return (
        f"{counted(len(study.cells), 'setting')} with {counted(len(study.seeds), 'seed')} each, "
        f"{counted(total, 'run')}, {far}; {listed([Path(game).name for game in games])}. "
        f"Compared by {measure} after {found.budget(measure)}."
    )


def curve_figure(found: Gathered, measure: str) -> Figure:
    """Return the learning curves of all cells, with their bands."""
    over, curves = found.study.over, found.curves(measure)
    words = WORDS.get(measure, measure)
    picture = draw_curves(
        [
            Curve(c.label, c.places.tolist(), *(cells.tolist() for cells in c.interval))
            for c in curves
        ],
        f"{words} by {over}",
        across=over,
        up=words,
    )
    data: dict[str, list[Any]] = {
        "setting": [curve.label for curve in curves for _ in curve.places],
        over: [place for curve in curves for place in curve.places.tolist()],
    }
    for name, column in zip(("mean", "low", "high"), range(3), strict=True):
        data[name] = [cell for curve in curves for cell in curve.interval[column].tolist()]
    for seed in found.study.seeds:
        own = [(curve, dict(zip(curve.seeds, curve.values.tolist(), strict=True)).get(seed))
               for curve in curves]  # fmt: skip
        unknown = math.nan
        data[f"seed {seed}"] = [v for c, row in own for v in row or [unknown] * len(c.places)]
    return Figure(
        f"curve-{as_name(measure, 60, 'number')}",
        f"{words} by {over}",
        picture,
        note=BANDS,
        data=data,
    )


def outcome_figure(found: Gathered, measure: str) -> Figure:
    """Return what every run has come to, a dot each, and the cells' means with intervals."""
    outcomes = found.outcomes(measure)
    known = np.concatenate([np.zeros(0), *outcomes.values()])
    ends = [_interval(values)[1:] for values in outcomes.values()]
    tall = np.concatenate([known, np.ravel(ends)])
    words = WORDS.get(measure, measure)
    chart = Chart(f"{words}, every run", Axis.named("", list(outcomes)), Axis.of(words, tall))
    for place, values in enumerate(outcomes.values()):
        colour = COLOURS[place % len(COLOURS)]
        spots = place + 0.12 * np.sin(2.4 * np.arange(len(values)))
        chart.points(spots, values, colour, size=3.5)
        mean, low, high = _interval(values)
        chart.whisker(place + 0.25, low, high, INK)
        chart.points([place + 0.25], [mean], INK, size=3.5)
    told = f"The result of each run after {found.budget(measure)}; black: mean and interval."
    return Figure("outcomes", f"{words}, every run", chart.finish(), note=told)


def outcome_rows(found: Gathered, measure: str) -> list[list[Any]]:
    """Return the cells with means, intervals and spreads."""
    rows: list[list[Any]] = []
    for label, values in found.outcomes(measure).items():
        spread = [math.nan] * 3
        if len(values):
            spread = [float(values.min()), float(np.median(values)), float(values.max())]
        deviation = float(values.std(ddof=1)) if len(values) > 1 else math.nan
        rows.append([label, len(values), *_interval(values), deviation, *spread])
    return rows


def outcome_table(found: Gathered, measure: str) -> Table:
    """Return what the cells have come to."""
    columns = ("setting", "seeds", measure, "low", "high", "deviation", "least", "median", "most")
    return Table(
        "outcomes",
        f"{WORDS.get(measure, measure)}, over seeds",
        columns,
        outcome_rows(found, measure),
    )


def compared_table(found: Gathered, measure: str) -> Table:
    """Return every two cells compared."""
    versus = found.compared(measure)
    rows: list[list[Cell]] = [[v.first, v.second, *v.found, v.corrected] for v in versus]
    columns = ("first", "second", "difference", "low", "high", "better", "p", "p corrected")
    looks = ["sure" if v.corrected < 0.05 else "" for v in versus]
    return Table("compared", "Each pair of settings", columns, rows, note=ABOUT, looks=looks)


def _all_numbers(found: Gathered) -> Table:
    """Return every generation of every run, with all its numbers."""
    names = sorted({name for run in found.runs for name in run.numbers} - {"games"})
    nothing = np.zeros(0)
    rows: list[list[Cell]] = []
    for run in found.runs:
        columns = [run.numbers.get(name, nothing) for name in names]
        for g in range(len(run.games)):
            cells = [float(c[g]) if len(c) else math.nan for c in columns]
            told = (run.run.cell.label, run.run.seed, run.run.name, g, int(run.games[g]))
            rows.append([*told, round(float(run.seconds[g]), 3), *cells])
    columns_told = ("setting", "seed", "run", "generation", "games", "seconds", *names)
    return Table("runs", "Every generation", columns_told, rows)


def _differences(found: Gathered) -> Table:
    """Return the settings that are not the same in all cells."""
    flat = [dict(_flat(cell.experiment)) for cell in found.study.cells]
    keys = sorted({key for each in flat for key in each})
    varied = [key for key in keys if len({str(each.get(key)) for each in flat}) > 1]
    labels = [cell.label for cell in found.study.cells]
    rows = [[key, *(str(each.get(key, "–")) for each in flat)] for key in varied]
    none = [["(none)", *[""] * len(labels)]]
    return Table("settings", "By setting", ("key", *labels), rows or none)


def _flat(data: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _flat(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        for number, row in enumerate(data):
            yield from _flat(row, f"{path}.{row.get('kind', number)}")
    else:
        yield path, data


def _interval(values: Any) -> tuple[float, float, float]:
    mean, low, high = (float(each[0]) for each in mean_interval(values[:, None]))
    return mean, low, high
