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
from evoboard.runs.study import Cell, Study, StudyListener, make_study
from evoboard.store.reader import Reader, open_run
from evoboard.training.experiment import resolved

MEASURES = "measures"
ENOUGH = 0.25  # of a paper's generations, below which what takes that long is not judged
DIGEST = 6  # letters


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
        tell: Callable[[str], None] = lambda what: None,
        backend: str = "cpu",
    ) -> None:
        self.paper, self.scale, self.folder = paper, scale, folder
        self.threads, self.backend = threads, backend
        self.trials, self.seeds = paper.chosen(scale), tuple(paper.seed_numbers(scale))
        self.tell, self.told = tell, ""  # what is being measured
        self._open = ExitStack()
        self._readers: dict[str, Reader] = {}

    @cached_property
    def expected(self) -> dict[str, float]:
        """About how many seconds a run of each trial takes on two cores."""
        return {trial.name: trial.estimate(self.scale) for trial in self.trials}

    @property
    def estimate(self) -> float:
        """About how many seconds all runs take on two cores, from nothing."""
        return len(self.seeds) * sum(self.expected.values())

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

    def train(
        self, listener: StudyListener | None = None, jobs: int = 1, threads: int | None = None
    ) -> None:
        """Train every run that is not complete, `jobs` at a time with so many threads each."""
        each = self.threads if threads is None else threads
        left = self.study.train(each, jobs=jobs, backend=self.backend, listener=listener)
        if left:
            raise Interrupted(f"{len(left)} of {len(self.study.runs())} runs are not complete.")

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
        self.told = f"measuring: {key.replace('-', ' ')}"
        self.tell(self.told)
        found = work()
        write_whole(path, json.dumps(found))
        return found


def games_of(run: Reader) -> int:
    """Return how many games a run's fitness took."""
    return int(sum(row.numbers.get("games", 0) for row in run.rows()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
