"""Training in separate processes: the server never waits for one, and none needs the server.

A trainer is `evoboard train` or `evoboard resume`. `stop` reaches a run whichever process trains
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evoboard.core.toml import toml_text
from evoboard.runs.folder import describe_run, request_stop, require_free
from evoboard.runs.lock import is_held, is_stopping
from evoboard.store.run_file import RunError, run_folder
from evoboard.web.processes import Processes

FILE = "experiment.toml"


@dataclass(frozen=True)
class NewRun:
    """A run to be started: its name, an experiment's plain data, seed, threads (0: every core)."""

    name: str
    experiment: Mapping[str, Any]
    seed: int = 1
    threads: int = 0


class Trainers(Processes):
    """The trainers that this server has started, by the name of their run. For any thread.

    What is `wanted` of one is a NewRun, or None if a run is resumed.
    """

    most = 8  # more only get into each other's way
    too_many = "runs are being trained here; stop one of them first."

    def start(self, wanted: NewRun) -> None:
        """Start a new run; the name must be free."""
        require_free(run_folder(wanted.name))
        words = ["train", FILE, f"--run={wanted.name}", f"--seed={wanted.seed}"]
        settings = {FILE: toml_text(wanted.experiment)}
        self.launch(wanted.name, [*words, *_shared(wanted.threads)], settings, wanted)

    def resume(self, name: str, *further: str) -> None:
        """Resume a run that is not being trained."""
        if is_held(run_folder(name)):
            raise RunError(f"the run {name} is already being trained.")
        self.launch(name, ["resume", name, *further, *_shared(0)])

    def lengthen(self, name: str) -> None:
        """Let a complete run go on to twice as many generations."""
        self.resume(name, f"--generations={2 * describe_run(name).length}")

    def stop(self, name: str) -> None:
        """Ask a run's trainer to stop after its generation; one that is still starting is ended."""
        with self._turn:
            if self.is_starting(name):
                return self.end(name)
        request_stop(name)

    def is_starting(self, name: str) -> bool:
        """Tell whether a process of this server is still preparing to train a run."""
        return name in self.at_work() and not is_held(run_folder(name))

    def is_stopping(self, name: str) -> bool:
        """Tell whether a run that is being trained is asked to stop."""
        return is_stopping(run_folder(name))

    def taken(self, name: str) -> str:
        """Return the sentence for a run whose trainer is starting."""
        return f"the run {name} is already being started."


def _shared(threads: int) -> list[str]:
    return [f"--threads={threads}", "--quiet"]


trainers = Trainers()
