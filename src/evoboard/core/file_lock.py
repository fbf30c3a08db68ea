"""Locks on files, which the system releases when their process dies, however it dies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSE = 0.005  # seconds

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    FAR = 1 << 30  # beyond the text, which stays readable
    AT_ONCE, ALONE = 1, 2  # Windows' own numbers

    class _Place(ctypes.Structure):
        """The byte that is locked: Windows' OVERLAPPED."""

        _fields_ = (
            ("internal", ctypes.c_void_p),
            ("internal_high", ctypes.c_void_p),
            ("offset", wintypes.DWORD),
            ("offset_high", wintypes.DWORD),
            ("event", wintypes.HANDLE),
        )

    _lock_file = ctypes.WinDLL("kernel32").LockFileEx
    _lock_file.argtypes = (wintypes.HANDLE, *[wintypes.DWORD] * 4, ctypes.POINTER(_Place))
    _lock_file.restype = wintypes.BOOL

    def take(handle: int, alone: bool, without: bool = False) -> bool:
        """Take the lock, alone or with others who share it, and tell whether it was free."""
        flags = AT_ONCE | ALONE if alone else AT_ONCE
        file = msvcrt.get_osfhandle(handle)
        return bool(_lock_file(file, flags, 0, 1, 0, ctypes.byref(_Place(offset=FAR))))
else:
    import fcntl

    def take(handle: int, alone: bool, without: bool = False) -> bool:
        """Take the lock, alone or with others who share it, and tell whether it was free.

        `without`: what to tell where the file system has no locks.
        """
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            return without and not isinstance(error, BlockingIOError)
        return True


@contextmanager
def taken(path: Path, patience: float) -> Iterator[bool]:
    """Hold the lock on a file, which is made if need be and stays; tell whether it came in time.

    The file cannot be one that is written whole: that is another file each time. On a file system
    without locks there is nothing to wait for.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, until = os.open(path, os.O_RDWR | os.O_CREAT, 0o666), time.monotonic() + patience
    try:
        while not (came := take(handle, True, without=True)) and time.monotonic() < until:
            time.sleep(PAUSE)
        yield came
    finally:
        os.close(handle)
