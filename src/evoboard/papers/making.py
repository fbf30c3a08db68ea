"""A report in the making: its progress, readable from its folder, and asking it to stop."""

from __future__ import annotations

import _thread
import json
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from evoboard.core.whole_file import write_whole
from evoboard.runs.lock import Lock, forget_request, is_asked_to_stop, is_held, is_stopping
from evoboard.store.run_file import RunError

PROGRESS = "progress.json"
EVERY = 0.5  # seconds between two looks at whether anything has changed
ASKED = int(getattr(signal, "SIGUSR1", 0))  # 0: Windows has no such signal

_Handler = Callable[[int, FrameType | None], Any] | int


class ReportProgress(NamedTuple):
    """How far a report is: what is done now, `share` from 0 to 1 and seconds left where known.

    `seeds` as they were asked for; 0: as many as the paper says.
    """

    study: str
    seeds: int
    words: str
    share: float | None = None
    left: float | None = None


class Making:
    """This process makes a report: it says how far it is, and ends when it is asked to.

    Being asked is a Ctrl-C: whatever is trained is saved. Where another process makes the same
    report, that one speaks. What was reached stays in the folder where the end was not.
    """

    def __init__(self, folder: Path, far: Callable[[], ReportProgress]) -> None:
        self.folder, self.far = folder, far
        self._lock: Lock | None = None
        self._over = threading.Event()
        self._listening: _Handler | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Making:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = Lock(self.folder)
        except (OSError, RunError):  # another makes it; or nothing can be written, as will be seen
            return self
        self._listening = _listen()
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._lock is None:
            return
        self._over.set()
        try:
            with suppress(KeyboardInterrupt):  # a request that comes when all is done
                self._thread.join()
            if kind is None:
                with suppress(OSError):
                    (self.folder / PROGRESS).unlink()
            forget_request(self.folder)
        finally:
            if self._listening is not None:
                signal.signal(ASKED, self._listening)
            self._lock.release()

    def _watch(self) -> None:
        before: ReportProgress | None = None
        now: ReportProgress | None = None
        asked = False
        while True:
            with suppress(Exception):  # it looks at what another thread changes
                now = self.far()
            if now is not None and now != before:
                with suppress(OSError):  # such as a full disk: the report itself says so
                    write_whole(self.folder / PROGRESS, json.dumps(now._asdict()))
                before = now
            if not asked and is_asked_to_stop(self.folder) and not self._over.is_set():
                asked = True
                _interrupt()
            if self._over.wait(EVERY):
                return


def _listen() -> _Handler | None:
    """Take the signal that asks to stop; return the handler before, None if none can be set."""
    if not ASKED or threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(ASKED, _obey) or signal.SIG_DFL


def _obey(_: int, frame: FrameType | None) -> None:
    """Do as Ctrl-C would, also where that is ignored, as a script's background processes do."""
    taken = signal.getsignal(signal.SIGINT)
    if callable(taken):
        taken(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt


def _interrupt() -> None:
    """Interrupt the main thread, also where it waits."""
    main = threading.main_thread().ident
    if main is not None and ASKED and signal.getsignal(ASKED) is _obey:
        signal.pthread_kill(main, ASKED)
    else:
        _thread.interrupt_main()


class InTheMaking(NamedTuple):
    """What a folder says of a report that is being made, or was until it was stopped."""

    progress: ReportProgress | None
    held: bool  # a living process makes it
    stopping: bool


def look_at(folder: Path) -> InTheMaking:
    """Return how far the report of a folder is; without `progress` nothing is known of any."""
    found = None
    with suppress(OSError, ValueError, TypeError):
        given = ReportProgress(**json.loads((folder / PROGRESS).read_text(encoding="utf-8")))
        share, left = (None if each is None else float(each) for each in (given.share, given.left))
        found = ReportProgress(str(given.study), int(given.seeds), str(given.words), share, left)
    return InTheMaking(found, is_held(folder), is_stopping(folder))
