"""Experiments at equal time: python -m benchmarks.equal_time NAME SECONDS SEEDS EXPERIMENT…

Like `evoboard study EXPERIMENT… --name NAME --seeds SEEDS --seconds SECONDS --threads 1`, but time
is the processor's, so that it says the same on a machine that others use as well. The same
command again goes on; `evoboard study --name NAME` then prints and draws what came of it.
"""

from __future__ import annotations

import sys
import time
from functools import partial

from rich.console import Console

from benchmarks.report import begin
from evoboard.cli.study_watch import StudyWatch
from evoboard.runs.study import Study, make_study
from evoboard.runs.study_training import train_study
from evoboard.runs.sweep import cells_of
from evoboard.training.loop import Trainer


def trained(name: str, seconds: float, seeds: int, experiments: list[str]) -> Study:
    """Return the study of runs that had so much processor time each, as far as they are trained."""
    cells = cells_of(experiments, seconds=seconds)
    study = make_study(name, cells, range(1, seeds + 1), over="seconds")
    if study.left():
        watch = StudyWatch(study, Console(stderr=True))
        with watch.shown():
            train_study(
                study, 1, listener=watch, make_trainer=partial(Trainer, clock=time.process_time)
            )
    return study


def main() -> None:
    """Train what the command line names."""
    name, seconds, seeds, *experiments = sys.argv[1:]
    left = len(trained(name, float(seconds), int(seeds), experiments).left())
    told = f"{left} runs are not complete; the same command again goes on." if left else ""
    print(told or f"evoboard study --name {name} prints what came of it.")


if __name__ == "__main__":
    begin(main, __doc__, 4)
