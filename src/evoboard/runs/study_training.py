"""Training a study: however the process ends, the next one continues the run that was in
progress."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from evoboard.runs.lock import is_held
from evoboard.runs.runner import Listener, MakeTrainer, Outcome, resume_run, start_run
from evoboard.runs.study import Study, StudyRun
from evoboard.runs.workers import train_side_by_side
from evoboard.store.reader import Reader
from evoboard.store.run_file import RunError, run_folder
from evoboard.training.experiment import read_experiment
from evoboard.training.loop import Trainer

SETTLED = 0.5  # seconds


class StudyListener(Listener):
    """Hears also which run of a study begins and ends."""

    def next_run(self, run: StudyRun) -> Listener | None:
        """A run is about to be trained or resumed; return its listener, or None to use this one."""

    def ended_run(self, run: StudyRun) -> None:
        """A run is complete."""


def train_study(
    study: Study,
    threads: int = 0,
    *,
    jobs: int = 1,
    backend: str = "cpu",
    listener: StudyListener | None = None,
    make_trainer: MakeTrainer = Trainer,
) -> list[StudyRun]:
    """Train what is left, `jobs` runs at a time; return what is still left.

    Ctrl-C ends it after a generation, with everything saved. A run that another process trains
    is left to it, so several processes can work on one study. `threads`: of each run.
    """
    told, left = listener or StudyListener(), study.left()
    train = partial(_train, threads=threads, backend=backend, make_trainer=make_trainer)

    def ended(run: StudyRun, outcome: Outcome) -> None:
        if outcome.finished:
            told.ended_run(run)

    if jobs > 1 and len(left) > 1:
        train_side_by_side(left, jobs, train, lambda run: told.next_run(run) or told, ended)
        return study.left()
    for run in left:
        outcome = None if _is_taken(run) else train(run, told.next_run(run) or told)
        if outcome is not None:
            ended(run, outcome)
            if outcome.interrupted or not outcome.finished:
                break
    return study.left()


def _train(run: StudyRun, listener: Listener, threads: int, **options: Any) -> Outcome | None:
    """Train a run, or go on with it; None if another process does."""
    try:
        if not run.exists:
            experiment = read_experiment(run.cell.experiment)
            return start_run(run.name, experiment, run.seed, threads, listener=listener, **options)
        with Reader(run_folder(run.name)) as reader:
            run.require_own(reader.facts())
        return resume_run(run.name, threads, listener=listener, **options)
    except RunError:
        until = time.monotonic() + SETTLED  # a run's folder is locked a moment after it is made
        while not (_is_taken(run) or run.is_complete):
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        return None  # another process was quicker


def _is_taken(run: StudyRun) -> bool:
    return is_held(run_folder(run.name))
