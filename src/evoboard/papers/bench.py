"""Trains a paper's trials and keeps what is measured on them; whatever ends it, it goes on there.

The runs are those of a study, `paper-b-quick-DIGEST`: another setting makes another study,
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
from evoboard.games.base import Game, load_game
from evoboard.papers.base import Paper, Scale, Trial
from evoboard.runs.study import Cell, Study, make_study
from evoboard.runs.study_training import StudyListener, train_study
from evoboard.store.reader import Reader, open_run
from evoboard.store.run_file import RunError
from evoboard.training.experiment import resolved

MEASURES = "measures"
GENERATION = "@gen="  # in the text of a run's champion
ENOUGH = 0.25  # of a paper's generations, below which what takes that long is not judged
DIGEST = 6  # letters


class Interrupted(EvoboardError):
    """The user wants no more for now; everything so far is kept."""


def reports_folder() -> Path:
    """Return where reports live: the folder EVOBOARD_REPORTS, else reports in the working one."""
    return Path(os.environ.get("EVOBOARD_REPORTS") or "reports")


def report_folder(paper: Paper, scale: Scale, parent: Path | None = None) -> Path:
    """Return the folder of a paper's report."""
    return (parent or reports_folder()) / f"paper-{paper.letter.lower()}-{scale.name}"


class Bench:
    """One paper's runs and measures at one scale; `close` it.

    With `so_far` it is about the runs there are, however far they have come.
    """

    def __init__(
        self,
        paper: Paper,
        scale: Scale,
        folder: Path,
        threads: int = 0,
        tell: Callable[[str], None] = lambda what: None,
        backend: str = "cpu",
        so_far: bool = False,
    ) -> None:
        self.paper, self.scale, self.folder, self.so_far = paper, scale, folder, so_far
        self.threads, self.backend = threads, backend
        self.trials, self.seeds = paper.chosen(scale), tuple(paper.seed_numbers(scale))
        self.tell, self.told = tell, ""  # what is being measured
        self._open = ExitStack()
        self._readers: dict[str, Reader] = {}

    @cached_property
    def expected(self) -> dict[str, float]:
        """About how many seconds of one core a run of each trial takes."""
        return {trial.name: trial.estimate(self.scale) for trial in self.trials}

    @property
    def estimate(self) -> float:
        """About how many seconds of one core all runs take, from nothing."""
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
        """Train every run that is not complete, `jobs` at a time with that many threads each."""
        if self.so_far:
            return
        each = self.threads if threads is None else threads
        left = train_study(self.study, each, jobs=jobs, backend=self.backend, listener=listener)
        if left:
            raise Interrupted(f"{len(left)} of {len(self.study.runs())} runs are not complete.")

    def trial(self, name: str) -> Trial:
        """Return a trial of this scale by its name."""
        return next(trial for trial in self.trials if trial.name == name)

    def has(self, name: str) -> bool:
        """Tell whether a trial belongs to this scale, and has a run where they are as they are."""
        known = any(trial.name == name for trial in self.trials)
        return known and (not self.so_far or name in self._begun)

    def names(self, trial: str) -> list[str]:
        """Return the names of a trial's runs, one for each seed."""
        if not self.so_far:
            return [run.name for run in self.study.runs() if run.cell.label == trial]
        if trial not in self._begun:
            raise RunError(f"no run of {trial} has come far enough; nothing can be reported yet.")
        return self._begun[trial]

    @cached_property
    def _begun(self) -> dict[str, list[str]]:
        """The names of runs that have more than the first generation, by trial."""
        found: dict[str, list[str]] = {}
        for run in self.study.runs():
            if run.exists and self._reader(run.name).count() > 1:
                found.setdefault(run.cell.label, []).append(run.name)
        return found

    @cached_property
    def _ends(self) -> list[int]:
        """How far every run of the study has come."""
        return [self._reader(run.name).count() if run.exists else 0 for run in self.study.runs()]

    def runs(self, trial: str) -> list[Reader]:
        """Return a trial's runs, open for reading."""
        return [self._reader(name) for name in self.names(trial)]

    def _reader(self, name: str) -> Reader:
        if name not in self._readers:
            self._readers[name] = self._open.enter_context(open_run(name))
        return self._readers[name]

    def reached(self, trial: str) -> tuple[int, int]:
        """Return how many generations a trial has, and how many the paper's experiment has."""
        chosen = self.trial(trial)
        whole = chosen.settings(Scale("full")).generations
        wanted = chosen.settings(self.scale).generations
        ends = [run.count() for run in self.runs(trial) if not _is_complete(run)]
        return min([wanted, *ends]) if self.so_far else wanted, whole

    def cut_words(self, trial: Trial) -> str:
        """Return what was cut of a trial, or is still to come."""
        done, whole = self.reached(trial.name)
        told = trial.cut_words(self.scale)
        wanted = trial.settings(self.scale).generations
        return told if done == wanted else f"{done:,} of {whole:,} generations so far"

    def long(self, trial: str) -> bool:
        """Tell whether a trial was run for long enough that what the paper saw can be judged."""
        done, whole = self.reached(trial)
        return done >= ENOUGH * whole

    def whole(self, trial: str) -> bool:
        """Tell whether a trial was run as long as in the paper, as claims about a whole run need.

        Without so much, a verdict could change with the next generation.
        """
        done, whole = self.reached(trial)
        return done >= whole

    def measure(self, key: str, of: str, work: Callable[[], Any]) -> Any:
        """Return what `work` finds out about a run (or several), as JSON data; once only.

        `of` names what is measured. A run that goes on is another one next time, unless all runs
        are named with a generation (`run:NAME@gen=9`).
        """
        if self.so_far and of.count(GENERATION) < max(1, of.count("run:")):
            of += "".join(f" {run}" for run in self._ends)
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


def _is_complete(run: Reader) -> bool:
    return "finished" in run.facts()


def champion_text(run: Reader, generation: int | None = None) -> str:
    """Return the text of a run's champion, the last one unless told otherwise."""
    return f"run:{run.name}{GENERATION}{run.count() - 1 if generation is None else generation}"


def game_of(run: Reader) -> Game:
    """Return the game that a run plays."""
    return load_game(run.facts()["player"]["game"])


def games_of(run: Reader) -> int:
    """Return how many games a run's fitness took."""
    return int(sum(row.numbers.get("games", 0) for row in run.rows()))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST]
