"""One trainer per run: a lock that the system releases when its process dies, however it dies.

The process that holds it can be asked to stop. A report on a paper has the same, in its folder.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from evoboard.core.file_lock import PAUSE, take
from evoboard.store.run_file import RunError, telling

LOCK, STOP = "lock", "stop"
# Asking whether a lock is held shares it for a moment; a trainer that starts just then retries.
PATIENCE = 10.0  # seconds
SETTLED = 0.05  # seconds after which the holder of a lock has written that it is


class Lock:
    """The right to train a run, from the moment it is made until `release`."""

    def __init__(self, folder: Path) -> None:
        with telling(folder):
            self._handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        until = time.monotonic() + PATIENCE
        while not take(self._handle, alone=True):
            if is_held(folder) or time.monotonic() > until:
                os.close(self._handle)
                raise RunError(
                    f"the run {folder.name} is being trained by "
                    f"{owner(folder) or 'another process'}; "
                    f"wait for it, or end it with evoboard stop {folder.name}."
                )
            time.sleep(PAUSE)
        forget_request(folder)  # one that is left over from a process of the same number
        try:
            with telling(folder):  # such as of a full disk
                os.ftruncate(self._handle, 0)
                os.lseek(self._handle, 0, os.SEEK_SET)
                os.write(self._handle, this_process().encode())
        except RunError:
            self.release()
            raise

    def release(self) -> None:
        """Let others train the run; doing so twice does no harm."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def this_process() -> str:
    """Return this process in words, as it stands in the lock it holds."""
    return f"process {os.getpid()}"


def owner(folder: Path) -> str:
    """Return who holds the lock, or held it last; "" if that is not known."""
    return _said_in(folder / LOCK)


def is_held(folder: Path) -> bool:
    """Tell whether a living process trains the run."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY)  # where it may not be written, it can be asked
    except OSError:
        return False
    try:
        return not take(handle, alone=False)
    finally:
        os.close(handle)


def ask_to_stop(folder: Path) -> None:
    """Ask the process that holds the lock to finish what it is doing, save and end."""
    asked, until = "", time.monotonic() + PATIENCE
    with telling(folder):
        # Addressed to one process: a later one must not obey it. Who has just taken the lock has
        # not written yet who it is, so look twice.
        while not (who := owner(folder)) or who != asked:
            asked = who
            (folder / STOP).write_text(who, encoding="utf-8")
            if not is_held(folder) or time.monotonic() > until:
                break
            time.sleep(SETTLED)


def is_asked_to_stop(folder: Path) -> bool:
    """Tell whether this process, which holds the lock, is asked to stop."""
    return _asked(folder) == this_process()


def is_stopping(folder: Path) -> bool:
    """Tell whether the holder of the lock is asked to stop."""
    return is_held(folder) and _asked(folder) == owner(folder) != ""


def forget_request(folder: Path) -> None:
    """Remove a request to stop."""
    with suppress(OSError):
        (folder / STOP).unlink()


def _asked(folder: Path) -> str:
    """Return who is asked to stop; a request that a killed process has left is no longer meant."""
    return _said_in(folder / STOP)


def _said_in(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
