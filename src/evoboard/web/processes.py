"""Commands of evoboard in processes of their own: the server never waits for one.

They have a lower priority, and continue when the browser or the server is closed.
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
from functools import cache
from pathlib import Path
from typing import Any

from nicegui import app

from evoboard.core.errors import OptionError
from evoboard.store.run_file import RunError

NICENESS = 10
LONGEST_MESSAGE = 600
SAID = "said.txt"
INTERRUPTED = 130  # how a command ends that was asked to


@dataclass
class Process:
    """A process at work, and the folder of its files and output, which no other process shares."""

    process: subprocess.Popen[bytes]
    folder: Path
    wanted: Any = None  # what was asked for
    ended: bool = False  # by us
    began: float = field(default_factory=time.monotonic)


class Processes:
    """The processes that this server has started, by what they work on. For any thread.

    `most`: how many at once; `too_many` ends the sentence that refuses another.
    """

    most: int
    too_many: str

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._running: dict[str, Process] = {}
        self._told: dict[str, str] = {}

    def require_room(self, name: str) -> None:
        """Raise where a process may not be started now."""
        working = self.at_work()
        if name in working:
            raise RunError(self.taken(name))
        if len(working) >= self.most:
            raise OptionError(f"{self.most} {self.too_many}")

    def taken(self, name: str) -> str:
        """Return the sentence for what a process is at already."""
        raise NotImplementedError

    def launch(
        self,
        name: str,
        words: list[str],
        files: Mapping[str, str] | None = None,
        wanted: Any = None,
    ) -> None:
        """Start a command; words that name one of `files` become the path of a file with it."""
        with self._turn:
            self.require_room(name)
            self.forget(name)
            folder = Path(tempfile.mkdtemp(prefix="evoboard-app-"))
            try:
                for file, text in (files or {}).items():
                    (folder / file).write_text(text, encoding="utf-8")
                    words = [str(folder / file) if word == file else word for word in words]
                self._running[name] = Process(start(folder, *words), folder, wanted)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def end(self, name: str) -> None:
        """End a process that has nothing to lose yet."""
        with self._turn:
            if name in self._running:
                self._running[name].ended = True
                self._running[name].process.terminate()

    def wanted(self, name: str) -> Any:
        """Return what a process of this server was asked for, or None if it has ended."""
        process = self._running.get(name)
        return process.wanted if process else None

    def seconds(self, name: str) -> float | None:
        """Return how long a process of this server has been at work."""
        process = self._running.get(name)
        return time.monotonic() - process.began if process else None

    def trouble(self) -> dict[str, str]:
        """Return what the last process of each name said, for those that failed."""
        self.at_work()
        return dict(self._told)

    def forget(self, name: str) -> None:
        """Forget what a process said."""
        self._told.pop(name, None)

    def at_work(self) -> list[str]:
        """Return the names of the processes that have not ended."""
        with self._turn:
            for name, process in list(self._running.items()):
                code = process.process.poll()
                if code is None:
                    continue
                if code not in (0, INTERRUPTED) and not process.ended:
                    self._told[name] = last_words(process.folder / SAID)
                shutil.rmtree(process.folder, ignore_errors=True)
                del self._running[name]
            return sorted(self._running)


@cache
def announce_at_the_end(processes: Processes, sentence: str) -> None:
    """When the server ends, say which processes go on without it; `sentence` has their names."""

    def tell() -> None:
        if names := processes.at_work():
            print(sentence.format(", ".join(names)))

    app.on_shutdown(tell)


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Return a new process of evoboard, out of the reach of the terminal's Ctrl-C."""
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    # -P: a file beside the runs must not take the place of a module.
    command = [sys.executable, "-P", "-m", "evoboard", *words]
    nothing = subprocess.DEVNULL
    with open(folder / SAID, "wb") as said:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=said, **apart)
    with suppress(OSError, AttributeError):  # its threads get the priority with which they begin
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    return process


def last_words(file: Path) -> str:
    """Return the last line that a process wrote, without the kind of an error."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    told = re.sub(r"^(evoboard|[\w.]+(Error|Exception)): ", "", lines[-1] if lines else "")
    return told[:LONGEST_MESSAGE] or "its process ended without a message"
