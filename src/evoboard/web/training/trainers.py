"""Training in processes of their own: the server never waits for one, nor does one need the server.

A trainer is `evoboard train` or `evoboard resume`, started with a lower priority. It goes on when
the browser or the server is closed; whoever trains a run, `stop` reaches it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evoboard.core.errors import OptionError
from evoboard.core.toml import toml_text
from evoboard.runs.folder import STOP, request_stop, require_free
from evoboard.runs.lock import is_held
from evoboard.store.run_file import RunError, run_folder

MOST = 8  # trainers at once; more only get into each other's way
NICENESS = 10
LONGEST_TOLD = 600
SAID = "said.txt"


@dataclass(frozen=True)
class Start:
    """A run to be started: its name, an experiment's plain data, seed, threads (0: every core)."""

    name: str
    experiment: Mapping[str, Any]
    seed: int = 1
    threads: int = 0


@dataclass
class _Trainer:
    process: subprocess.Popen[bytes]
    folder: Path  # of its settings and of what it says; nobody else's
    wanted: Start | None = None  # None: a run that is resumed
    ended: bool = False  # by us
    began: float = field(default_factory=time.monotonic)


class Trainers:
    """The processes that this server has started, by the name of their run. For any thread."""

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._running: dict[str, _Trainer] = {}
        self._told: dict[str, str] = {}

    def start(self, wanted: Start) -> None:
        """Start a new run; the name must be free."""
        require_free(run_folder(wanted.name))
        numbers = (f"--seed={wanted.seed}", f"--threads={wanted.threads}")
        settings = toml_text(wanted.experiment)
        self._launch(wanted.name, wanted, settings, "train", f"--run={wanted.name}", *numbers)

    def resume(self, name: str, threads: int = 0) -> None:
        """Resume a run that is not being trained."""
        if is_held(run_folder(name)):
            raise RunError(f"the run {name} is being trained already.")
        self._launch(name, None, "", "resume", name, f"--threads={threads}")

    def stop(self, name: str) -> None:
        """Ask a run's trainer to stop after its generation; one that is still starting is ended."""
        with self._turn:
            if self.is_starting(name):
                self._running[name].ended = True
                self._running[name].process.terminate()
                return
        request_stop(name)

    def is_starting(self, name: str) -> bool:
        """Tell whether a process of this server is at work for a run that it does not train yet."""
        return name in self.at_work() and not is_held(run_folder(name))

    def is_stopping(self, name: str) -> bool:
        """Tell whether a run that is being trained is asked to stop."""
        folder = run_folder(name)
        return (folder / STOP).exists() and is_held(folder)

    def wanted(self, name: str) -> Start | None:
        """Return what was asked for where a process of this server begins a run."""
        trainer = self._running.get(name)
        return trainer.wanted if trainer else None

    def seconds(self, name: str) -> float | None:
        """Return how long a process of this server has been at work for a run."""
        trainer = self._running.get(name)
        return time.monotonic() - trainer.began if trainer else None

    def trouble(self) -> dict[str, str]:
        """Return what the last trainer of each run said, for those that failed."""
        self.at_work()
        return dict(self._told)

    def forget(self, name: str) -> None:
        """Forget what a trainer said."""
        self._told.pop(name, None)

    def at_work(self) -> list[str]:
        """Return the runs whose trainers have not ended, whether they have begun or not."""
        with self._turn:
            for name, trainer in list(self._running.items()):
                code = trainer.process.poll()
                if code is None:
                    continue
                if code and not trainer.ended:
                    self._told[name] = last_words(trainer.folder / SAID)
                shutil.rmtree(trainer.folder, ignore_errors=True)
                del self._running[name]
            return sorted(self._running)

    def _launch(
        self, name: str, wanted: Start | None, settings: str, command: str, *words: str
    ) -> None:
        with self._turn:
            self._require_room(name)
            self.forget(name)
            folder = Path(tempfile.mkdtemp(prefix="evoboard-train-"))
            try:
                file = folder / "experiment.toml"
                file.write_text(settings, encoding="utf-8")
                named = [str(file)] if settings else []
                process = _run(folder, command, *named, *words)
                self._running[name] = _Trainer(process, folder, wanted)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def _require_room(self, name: str) -> None:
        working = self.at_work()
        if name in working:
            raise RunError(f"the run {name} is being started already.")
        if len(working) >= MOST:
            raise OptionError(f"{MOST} runs are being trained here; stop one of them first.")


def _run(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Return a new process of evoboard, out of the reach of the terminal's Ctrl-C."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    # -P: a file beside the runs must not take the place of a module.
    command = [sys.executable, "-P", "-m", "evoboard", *words, "--quiet"]
    nothing = subprocess.DEVNULL
    with open(folder / SAID, "wb") as said:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=said, **apart)
    with suppress(OSError, AttributeError):  # its threads get the priority with which they begin
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    return process


def last_words(file: Path) -> str:
    """Return the last line that a process wrote, of an error what it says without its kind."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    told = re.sub(r"^(evoboard|[\w.]+(Error|Exception)): ", "", lines[-1] if lines else "")
    return told[:LONGEST_TOLD] or "its process ended without a word"


trainers = Trainers()
