"""python tests/killed_run.py NAME [options]: trains a run until something ends it.

Starts the run, or goes on with it where it exists; says "begun G" once and "stored G" after each
generation, so that whoever kills it knows what must not be lost. With --experiment FILE.toml it
trains for real, else with the fake trainer.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys

from evoboard.core.errors import EvoboardError
from evoboard.experiments.catalog import load
from evoboard.runs.folder import program_version
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.run_file import run_names
from evoboard.training.experiment import resolved
from evoboard.training.loop import Trainer
from fake_trainer import FakeTrainer, fake_experiment


class Teller(Listener):
    def __init__(self, last):
        self.last = last

    def began(self, run):
        print(f"begun {run.generation}", flush=True)

    def generation(self, record):
        print(f"stored {record.generation}", flush=True)
        if record.generation == self.last:
            signal.pause()

    def stopping(self):
        os.write(1, b"stopping\n")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--last", type=int, help="stand still after this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--experiment")
    parser.add_argument("--as-user", type=int, help="become this user once all is imported")
    parser.add_argument("--largest-file", type=int, help="no file may become larger")
    given = parser.parse_args()
    FakeTrainer.pause = given.pause
    record = {"checkpoint_every": given.every, "games_every": 4, "genomes_every": 3}
    experiment, trainer = fake_experiment(given.generations, record), FakeTrainer
    if given.experiment:
        experiment, trainer = load(given.experiment), Trainer
    resolved(experiment)
    program_version()  # what is imported late must be imported before rights are given up
    if given.as_user:
        os.setgroups([])
        os.setgid(given.as_user)
        os.setuid(given.as_user)
    if given.largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (given.largest_file, given.largest_file))
    more = {"listener": Teller(given.last), "make_trainer": trainer}
    try:
        if given.name in run_names():
            outcome = resume_run(given.name, given.threads, **more)
        else:
            outcome = start_run(given.name, experiment, given.seed, given.threads, **more)
    except EvoboardError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print(f"ended {outcome.generation} {outcome.cut} {outcome.finished!r}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
