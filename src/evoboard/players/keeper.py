"""Starts a program and ends it, with all it has started, when it should no longer run.

It is a process of its own, between evoboard and the program: python keeper.py LIFE NEWS COMMAND…
LIFE is the reading end of a pipe whose other end only evoboard holds, so it ends with evoboard
however that ends; nobody needs handlers of signals, which could come at any moment. NEWS takes why
the program could not be started. On Linux the keeper adopts what the program leaves behind, also
what has left its process group and session; elsewhere it finds the group alone.

It imports nothing of evoboard, to start in a moment.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from contextlib import suppress

ADOPT = 36  # PR_SET_CHILD_SUBREAPER
CORE_DUMPS = 4  # PR_SET_DUMPABLE
PYTHONS_OWN = [signal.SIGPIPE, signal.SIGXFSZ]  # which it ignores, and a program may not


def keep(life: int, news: int, command: list[str]) -> None:
    """Run a command until it ends or `life` does, then end as it has ended."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            prctl = ctypes.CDLL(None).prctl
            prctl(ADOPT, 1, 0, 0, 0)
            prctl(CORE_DUMPS, 0, 0, 0, 0)  # our own end by its signal leaves none
    for end in (life, news):
        os.set_inheritable(end, False)
    try:
        program = os.posix_spawn(
            command[0], command, os.environ, setpgroup=0, setsigdef=PYTHONS_OWN
        )
    except OSError as error:
        os.write(news, str(error.errno).encode())
        return
    os.close(news)
    for pipe in range(3):  # they are the program's now
        os.close(pipe)
    threading.Thread(target=_end_with, args=(life, program), daemon=True).start()
    status = 0
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == program:
            break
    _kill_all(program)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with suppress(OSError):  # SIGKILL needs none
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _end_with(life: int, program: int) -> None:
    while os.read(life, 1):
        pass
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    with suppress(OSError):  # where it has left its group
        os.kill(program, signal.SIGKILL)


def _kill_all(program: int) -> None:
    """Kill what a program that has ended leaves behind."""
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    with suppress(ChildProcessError):  # until nobody is left
        while _adopted():
            for pid in _adopted():
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)


def _adopted() -> list[int]:
    """Return whose parent we are; none where the system does not say."""
    found: list[int] = []
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        with suppress(OSError, ValueError):
            with open(f"/proc/{int(name)}/stat", "rb") as file:
                facts = file.read().rpartition(b")")[2].split()
            if int(facts[1]) == os.getpid() and facts[0] != b"Z":
                found.append(int(name))
    return found


if __name__ == "__main__":
    keep(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
