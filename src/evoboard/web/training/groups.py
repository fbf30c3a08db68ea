"""Groups of runs: the seeds of one setting as one line, their mean, with a band around it.

The runs of a study are grouped by its settings, any others by their experiments.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np

from evoboard.core.errors import EvoboardError
from evoboard.core.statistics import mean_interval
from evoboard.runs.study import DESCRIPTION, StudyRun, open_study, study_folder, study_names
from evoboard.web.training.series import Rating, RunSeries


class GroupSeries(RunSeries):
    """Runs as one: every number is their mean, up to the generation that all of them have reached.

    A run that has finished early, such as by reaching a grade, keeps its last values.
    """

    def __init__(self, name: str, members: Sequence[RunSeries], colour: int = 0) -> None:
        super().__init__(name, colour)
        self.members = list(members)
        self.gather()

    def gather(self) -> None:
        """Take what the runs have by now."""
        known = [run for run in self.members if run.count]
        self.experiment = known[0].experiment if known else {}
        ends = [run.count for run in known if not run.finished]
        self.count = min(ends) if ends else max((run.count for run in known), default=0)
        names = {name for run in known for name in run.numbers}
        self._bands = {}
        self.numbers = {}
        for name in names:
            rows = np.array([_prolonged(run, name, self.count) for run in known])
            middle, low, high = mean_interval(rows)
            self.numbers[name] = middle.tolist()
            self._bands[name] = [
                [float(i), float(low[i]), float(high[i])]
                for i in np.flatnonzero(~np.isnan(low)).tolist()
            ]
        self.seconds = _means([run.seconds for run in known])
        self.playing = _means([run.playing for run in known])
        anchors = {anchor for run in known for anchor in run.ratings}
        self.ratings = {
            anchor: _joined(known, [run.ratings.get(anchor, []) for run in known])
            for anchor in anchors
        }
        self.ratings = {anchor: rows for anchor, rows in self.ratings.items() if rows}
        self.earlier = _joined(known, [run.earlier for run in known])

    def band(self, name: str) -> list[list[float]]:
        """Return the interval of a number's mean by generation, where two runs have it."""
        return self._bands.get(name, [])


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    length = min((len(row) for row in rows), default=0)
    return np.mean([row[:length] for row in rows], axis=0).tolist() if length else []


def _prolonged(run: RunSeries, name: str, count: int) -> list[float]:
    """Return a number of the first generations; after its end, a run keeps its last value."""
    values = run.values(name)[:count]
    return values + [run.latest(name)] * (count - len(values))


def _joined(runs: Sequence[RunSeries], rows: Sequence[Sequence[Rating]]) -> list[Rating]:
    """Return the mean of what was measured in the same generation of all runs."""

    def at(run: RunSeries, row: Sequence[Rating], generation: int) -> float | None:
        there = [each.value for each in row if each.generation == generation]
        if not there and row and run.finished and generation >= run.count:
            return row[-1].value
        return there[0] if there else None

    found = []
    for generation in sorted({rating.generation for row in rows for rating in row}):
        known = [at(run, row, generation) for run, row in zip(runs, rows, strict=True)]
        if any(value is None for value in known):
            continue
        values = np.array(known, np.float64)[:, None]
        middle, low, high = (float(each[0]) for each in mean_interval(values))
        ends = (middle, middle) if math.isnan(low) else (low, high)
        found.append(Rating(generation, middle, *ends))
    return found


def grouped(runs: Sequence[RunSeries], study: str = "") -> list[GroupSeries]:
    """Return runs in groups: by the settings of a study, or those of one experiment together."""
    labels = study_labels(study) if study else {}
    found: dict[str, list[RunSeries]] = {}
    for run in runs:
        key = labels.get(run.name) or json.dumps(run.experiment, sort_keys=True)
        found.setdefault(key, []).append(run)
    known = set(labels.values())
    named = {key: key if key in known else _common(members) for key, members in found.items()}
    return [
        GroupSeries(_unlike(name, place, list(named.values())), found[key], place)
        for place, (key, name) in enumerate(named.items())
    ]


def study_labels(study: str) -> Mapping[str, str]:
    """Return the setting of each run of a study, by the run's name; none if the study is gone."""
    try:
        return {run.name: run.cell.label for run in open_study(study).runs()}
    except EvoboardError:
        return {}


def studies() -> dict[str, list[str]]:
    """Return the runs of every study that have begun, by its name."""
    found = {}
    for name in study_names():
        with suppress(EvoboardError, OSError):  # damaged: `evoboard study` says how; or just gone
            written = (study_folder(name) / DESCRIPTION).stat().st_mtime_ns
            names = [run.name for run in _runs_of(name, written) if run.exists]
            if names:
                found[name] = names
    return found


@lru_cache
def _runs_of(study: str, written: int) -> list[StudyRun]:
    """Return a study's runs; its description is read again after it has changed."""
    return open_study(study).runs()


def _common(runs: Sequence[RunSeries]) -> str:
    """Return a name for runs of one experiment: what their names begin with."""
    return re.sub(r"[-.]?s?\d+$", "", runs[0].name) or runs[0].name


def _unlike(name: str, place: int, names: Sequence[str]) -> str:
    """Return a name that no other group has."""
    return name if names.count(name) == 1 else f"{name} ({place + 1})"
