"""One trainer per run: a lock that the system lets go of when its process dies, however it dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from evoboard.core.run_file import RunError, explain

LOCK = "lock"
# A look at the lock takes it for a moment; a trainer that begins just then tries again.
TRIES, PAUSE = 20, 0.02

if sys.platform == "win32":
    import msvcrt

    FAR = 1 << 30  # beyond the text, which stays readable

    def _take(handle: int) -> None:
        os.lseek(handle, FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """The right to train a run, from the moment it is made until `release`."""

    def __init__(self, folder: Path) -> None:
        self._handle = _open(folder)
        for attempt in range(TRIES):
            try:
                _take(self._handle)
                break
            except OSError:
                if attempt < TRIES - 1:
                    time.sleep(PAUSE)
        else:
            os.close(self._handle)
            raise RunError(
                f"the run {folder.name} is being trained by {owner(folder) or 'another process'}; "
                f"wait for it, or end it with evoboard stop {folder.name}."
            )
        try:
            os.ftruncate(self._handle, 0)
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, this_process().encode())
        except OSError as error:  # such as a full disk
            os.close(self._handle)
            raise explain(error, folder) from error

    def release(self) -> None:
        """Let others train the run; more than once does no harm."""
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
    """Return who holds the lock, or held it last; "" where nobody knows."""
    try:
        return (folder / LOCK).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def is_held(folder: Path) -> bool:
    """Tell whether a living process trains the run."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR)
    except OSError:
        try:  # where it may not be written, it can still be asked
            handle = os.open(folder / LOCK, os.O_RDONLY)
        except OSError:
            return False
    try:
        _take(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _open(folder: Path) -> int:
    try:
        return os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise explain(error, folder) from error
