"""The list of runs, kept up to date at little cost: only what has changed is read again."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evoboard.core.wording import counted
from evoboard.runs.folder import RunInfo, describe_run
from evoboard.runs.lock import is_held
from evoboard.store.run_file import CONFIG, run_folder, run_mark, run_names
from evoboard.web.training.trainers import Trainers

# What a person sees of each status, beside the run's own word for it.
STATUS_WORDS = {
    "starting": "preparing",
    "stopping": "stops after this generation",
    "failed": "could not be started",
}
PREPARING = "Preparing: the game is compiled for this machine, which usually takes 5–10 s"


@dataclass(frozen=True)
class ListedRun:
    """A run in the list. `status`: that of RunInfo, or starting, stopping, failed.

    A run is starting until its trainer has stored a generation; `seconds` says for how long.
    """

    info: RunInfo
    status: str
    told: str = ""
    seconds: float | None = None

    @property
    def name(self) -> str:
        """The run's name."""
        return self.info.name

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return self.info.generation / max(1, self.info.generations)

    @property
    def can_stop(self) -> bool:
        """Tell whether it can be asked to stop."""
        return self.status in ("running", "starting")

    @property
    def can_resume(self) -> bool:
        """Tell whether it can be resumed."""
        return self.status in ("stopped", "interrupted")

    def words(self) -> str:
        """Return in a few words how far it is."""
        word = STATUS_WORDS.get(self.status, self.status)
        count, total = self.info.generation, self.info.generations
        if self.ended_early:
            word = "finished early"
        if self.status == "starting" and not count:
            return word
        if self.status in ("damaged", "failed") or not total:
            return word
        return f"{word} · {count:,} of {counted(total, 'generation')}"

    @property
    def ended_early(self) -> bool:
        """Tell whether it has finished before its last generation."""
        return self.status == "finished" and self.info.generation < self.info.generations

    def why(self) -> str:
        """Return a sentence about what a person should know of its status, "" for nothing."""
        if self.status == "starting":
            far = "" if self.seconds is None else f" · {self.seconds:.0f} s so far"
            return f"{PREPARING}{far}"
        if self.status in ("running", "stopping") or self.told in ("", self.status):
            return ""
        return self.told[:1].upper() + self.told[1:]


class Listing:
    """All runs by name, shared by any number of threads and pages."""

    def __init__(self, trainers: Trainers) -> None:
        self.trainers = trainers
        self._turn = threading.Lock()
        self._known: dict[str, tuple[Any, RunInfo]] = {}
        self._counts: dict[str, int] = {}  # generations a run had before it was resumed

    def read(self) -> list[ListedRun]:
        """Return all runs, those at work first, then the latest first."""
        with self._turn:
            return self._read()

    def _read(self) -> list[ListedRun]:
        names = run_names()
        for name in set(self._known) - set(names):  # it was removed
            del self._known[name]
            self._counts.pop(name, None)
            self.trainers.forget(name)
        trouble, working = self.trainers.trouble(), self.trainers.at_work()
        found = [self._listed(name, working, trouble.get(name, "")) for name in names]
        for name in [*working, *trouble]:
            if name not in names:
                found.append(self._unborn(name, name in working, trouble.get(name, "")))
        busy = ("starting", "running", "stopping")
        found.sort(key=lambda run: (run.status not in busy, -_made(run.name), run.name))
        return found

    def _listed(self, name: str, working: list[str], trouble: str) -> ListedRun:
        folder = run_folder(name)
        held = is_held(folder)
        signature = (held, *run_mark(folder))
        known = self._known.get(name)
        if known is None or known[0] != signature:
            known = signature, describe_run(name)
            self._known[name] = known
        info = known[1]
        status = info.status
        if name not in working or not (held or name in self._counts):
            self._counts[name] = info.generation
        begun = info.generation > self._counts.get(name, 0)
        if held:
            status = "running" if begun or name not in working else "starting"
            status = "stopping" if self.trainers.is_stopping(name) else status
        elif name in working and not begun:  # else its process is about to end
            status = "starting"
        return ListedRun(info, status, trouble or info.told, self.trainers.seconds(name))

    def _unborn(self, name: str, working: bool, trouble: str) -> ListedRun:
        """Return a run that has no folder yet, as it was requested."""
        status, wanted = "starting" if working else "failed", self.trainers.wanted(name)
        info = RunInfo(name, status)
        if wanted:
            given = wanted.experiment
            info = info._replace(
                generations=int(given["generations"]),
                game=str(given["game"]["name"]),
                strategy=str(given["strategy"]["name"]),
                title=str(given.get("title", "")),
                seed=wanted.seed,
            )
        return ListedRun(info, status, trouble, self.trainers.seconds(name))


def _made(name: str) -> float:
    """Return when a run was made, by the file that is never written again."""
    try:
        return os.stat(run_folder(name) / CONFIG).st_mtime
    except OSError:
        return 0.0


def by_age(names: Sequence[str]) -> list[str]:
    """Return names of runs, the oldest first; those that are being made are the youngest."""
    return sorted(names, key=lambda name: (_made(name) or math.inf, name))
