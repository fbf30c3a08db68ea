"""Trains a paper's trials and keeps what is measured on them; whatever ends it, it goes on there.

The runs are those of a study, `paper-b-quick-DIGEST`: whoever changes a setting gets another study,
so that runs of different settings are never mistaken for each other. What is measured beside
(matches, grades) lies as JSON in the report's folder, under a name that stands for the runs.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evoboard.core.errors import EvoboardError
from evoboard.core.whole_file import write_whole
from evoboard.papers.base import Paper, Scale, Trial
from evoboard.runs.study import Cell, Study, StudyListener, StudyRun, make_study
from evoboard.store.reader import Reader, open_run
from evoboard.store.records import GenerationRecord
from evoboard.training.experiment import resolved

MEASURES = "measures"
ENOUGH = 0.25  # of a paper's generations, below which what takes that long is not judged
DIGEST = 6  # letters

# Told what is going on, how many seconds' worth of work are done, and of how many.
Tell = Callable[[str, float, float], None]


class Interrupted(EvoboardError):
    """Somebody wants no more for now; everything so far is kept."""


def reports_folder() -> Path:
    """Return where reports live: the folder EVOBOARD_REPORTS, else reports in the working one."""
    return Path(os.environ.get("EVOBOARD_REPORTS") or "reports")


def report_folder(paper: Paper, scale: Scale, parent: Path | None = None) -> Path:
    """Return the folder of a paper's report."""
    return (parent or reports_folder()) / f"paper-{paper.letter.lower()}-{scale.name}"


class Bench:
    """One paper's runs and measures at one scale; `close` it."""

    def __init__(
        self,
        paper: Paper,
        scale: Scale,
        folder: Path,
        threads: int = 0,
        tell: Tell = lambda what, done, total: None,
        backend: str = "cpu",
    ) -> None:
        self.paper, self.scale, self.folder = paper, scale, folder
        self.threads, self.backend = threads, backend
        self.trials, self.seeds = paper.chosen(scale), tuple(paper.seed_numbers(scale))
        self._told, self._done = tell, 0.0
        self._open = ExitStack()
        self._readers: dict[str, Reader] = {}

    @cached_property
    def estimate(self) -> float:
        """About how many seconds all runs take on two cores, from nothing."""
        return len(self.seeds) * sum(trial.estimate(self.scale) for trial in self.trials)

    @cached_property
    def study(self) -> Study:
        """The runs: every trial with every seed."""
        whole = [(trial.name, resolved(trial.settings(self.scale))) for trial in self.trials]
        digest = _digest(json.dumps(whole, sort_keys=True))
        name = f"paper-{self.paper.letter.lower()}-{self.scale.name}-{digest}"
        found = make_study(name, [Cell(*each) for each in whole], self.seeds, "generations")
        return replace(found, seeds=self.seeds)  # it may have more, asked for before

    def close(self) -> None:
        """Close all runs."""
        self._open.close()

    def train(self) -> None:
        """Train every run that is not complete."""
        left = self.study.left()
        for run in self.study.runs():
            if run not in left:
                self.advance(run.cell.label, self.trial(run.cell.label).estimate(self.scale))
        left = self.study.train(self.threads, backend=self.backend, listener=_Listener(self))
        if left:
            raise Interrupted(f"{len(left)} of {len(self.study.runs())} runs are not complete.")

    def advance(self, what: str, seconds: float) -> None:
        """Tell that so much more is done."""
        self._done += seconds
        self._told(what, min(self._done, self.estimate), self.estimate)

    def trial(self, name: str) -> Trial:
        """Return a trial of this scale by its name."""
        return next(trial for trial in self.trials if trial.name == name)

    def has(self, name: str) -> bool:
        """Tell whether a trial belongs to this scale."""
        return any(trial.name == name for trial in self.trials)

    def names(self, trial: str) -> list[str]:
        """Return the names of a trial's runs, one for each seed."""
        return [run.name for run in self.study.runs() if run.cell.label == trial]

    def runs(self, trial: str) -> list[Reader]:
        """Return a trial's runs, open for reading."""
        names = self.names(trial)
        for name in names:
            if name not in self._readers:
                self._readers[name] = self._open.enter_context(open_run(name))
        return [self._readers[name] for name in names]

    def reached(self, trial: str) -> tuple[int, int]:
        """Return how many generations a trial has, and how many the paper's experiment has."""
        chosen = self.trial(trial)
        whole = chosen.settings(Scale("full")).generations
        return chosen.settings(self.scale).generations, whole

    def long(self, trial: str) -> bool:
        """Tell whether a trial was run for long enough that what the paper saw can be judged."""
        done, whole = self.reached(trial)
        return done >= ENOUGH * whole

    def measure(self, key: str, of: str, work: Callable[[], Any]) -> Any:
        """Return what `work` finds out about a run (or several), as JSON data; once only."""
        path = self.folder / MEASURES / f"{key}-{_digest(of)}.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            pass
        self._told(f"measuring: {key.replace('-', ' ')}", self._done, self.estimate)
        found = work()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(found).encode())
        return found


class _Listener(StudyListener):
    """Turns a study's generations into seconds of the progress bar."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.name, self.left, self.each = bench, "", 0.0, 0.0

    def next_run(self, run: StudyRun) -> None:
        """Begin to count a run."""
        trial = self.bench.trial(run.cell.label)
        self.name, self.left = trial.name, trial.estimate(self.bench.scale)
        self.each = self.left / trial.settings(self.bench.scale).generations

    def generation(self, record: GenerationRecord) -> None:
        """Count a generation."""
        self._count(self.each)

    def ended_run(self, run: StudyRun) -> None:
        """Count what is left, such as generations of an earlier session or not needed at all."""
        self._count(self.left)

    def _count(self, seconds: float) -> None:
        seconds = min(seconds, self.left)
        self.left -= seconds
        self.bench.advance(self.name, seconds)


def seconds_of(run: Reader) -> float:
    """Return how long a run's generations took."""
    return sum(sum(steps.values()) for steps in run.timings().values())


def seconds_each(run: Reader) -> float:
    """Return how long a generation takes; the first ones compile, so it is the median."""
    each = sorted(sum(steps.values()) for steps in run.timings().values())
    return each[len(each) // 2] if each else float("nan")


def games_of(run: Reader) -> int:
    """Return how many games a run's fitness took."""
    return int(sum(row.numbers.get("games", 0) for row in run.rows()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
