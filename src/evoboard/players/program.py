"""A program spoken to in lines, with time-outs; it does not outlive its owner.

Neither does anything that it has started: a process between us and the program sees to that,
however we end (`keeper.py`).
"""

from __future__ import annotations

import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from evoboard.core.errors import EngineError, NotFound, OptionError, quoted

PLACES = ("/usr/games", "/usr/local/games")  # where Debian puts engines, often not on the PATH
MOST_LINES = 10_000  # that wait to be read; a program that says more waits itself
LONGEST_LINE = 64 * 1024
FAREWELL = 1.0  # seconds a program gets to end by itself
KEEPER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("keeper.py")))


def find_command(text: str, kind: str) -> list[str]:
    """Return the program that a text names, and its arguments: "stockfish", "./scan hub"."""
    if not text:
        raise OptionError(f"it names no engine; write {kind}:PROGRAM, such as {kind}:stockfish.")
    whole = _found(text)  # a path may hold spaces
    if whole:
        return [whole]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(f"cannot read the command {quoted(text)}: {error}.") from None
    program = _found(words[0]) if words else None
    if program is None:
        asked = words[0] if words else text
        where = "" if "/" in asked else f" on the PATH or in {PLACES[0]}"
        raise NotFound(f"there is no program {quoted(asked)}{where}; install it or give its path.")
    return [program, *words[1:]]


def _found(name: str) -> str | None:
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])
    with suppress(ValueError):  # no name is too strange to be asked for
        found = shutil.which(os.path.expanduser(name), path=path)
        return str(Path(found).absolute()) if found else None
    return None


class Program:
    """A running program. `read` and `send` are for one thread each, `end` for any."""

    running: ClassVar[weakref.WeakSet[Program]] = weakref.WeakSet()

    def __init__(self, command: list[str], folder: str, name: str) -> None:
        self.name = name
        self._over = False  # we have ended it
        try:
            self.process, life = _start(command, folder)
        except OSError as error:
            raise EngineError(f"the engine {name} cannot be started: {error.strerror}.") from None
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_LINES)
        # The threads know the queue and the last words only, so that the program can be collected.
        self._last: list[str] = [""]
        out, err = self.process.stdout, self.process.stderr
        self._readers = (_reader(out, self._last, self._lines.put), _reader(err, self._last, None))
        self._end = weakref.finalize(self, _end, self.process, life, self._lines, self._readers)
        Program.running.add(self)

    def send(self, line: str) -> None:
        """Say a line; EngineError if the program has ended."""
        stdin = self.process.stdin
        assert stdin is not None
        try:
            stdin.write((" ".join(line.splitlines()) + "\n").encode())
            stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def read(self, until: float) -> str | None:
        """Return its next line, None if the time is `until`; EngineError if it has ended."""
        if self._over:
            raise self._ended()
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return None
        if line is None:
            raise self._ended()
        return line

    def trouble(self, what: str) -> EngineError:
        """Return the error that says what is wrong, and the program's last words."""
        last = f"it last said {quoted(self._last[0])}" if self._last[0] else "it never wrote a line"
        return EngineError(f"the engine {self.name} {what}; {last}.")

    def end(self) -> None:
        """End the program; it is gone when this returns. A reader learns of it before that."""
        self._over = True
        self._end()

    def _ended(self) -> EngineError:
        if self._over:
            return EngineError(f"the engine {self.name} was stopped while it was thinking.")
        for reader in self._readers:  # its last words may still be on their way
            reader.join(FAREWELL)
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = self.process.wait(FAREWELL)
        how = "has closed its output" if code is None else f"has ended with code {code}"
        if code is not None and code < 0:
            how = f"was killed by signal {-code}"
        return self.trouble(how)


def end_all() -> None:
    """End the processes of all external players, wherever they are."""
    for program in list(Program.running):
        program.end()


def _start(command: list[str], folder: str) -> tuple[subprocess.Popen[bytes], int]:
    """Return a program's process, and the end of a pipe: when that is closed, it is killed.

    The terminal's Ctrl-C does not reach it: its owner ends it.
    """
    pipe = subprocess.PIPE
    if sys.platform == "win32":  # nobody keeps it there
        apart = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder or None, creationflags=apart
        ), -1
    (watched, life), (told, news) = _pipe(), _pipe()
    try:
        process = subprocess.Popen(
            [*KEEPER, str(watched), str(news), *command],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=folder or None,
            start_new_session=True,
            pass_fds=(watched, news),
        )
    except BaseException:
        os.close(life)
        raise
    finally:
        os.close(watched)
        os.close(news)
        with open(told, "rb") as pipe_end:
            trouble = pipe_end.read()  # ends when the program runs
    if trouble:
        os.close(life)
        process.communicate()
        raise OSError(int(trouble), os.strerror(int(trouble)))
    return process, life


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends are none of 0, 1 and 2, which the keeper has other uses for.

    Where we were started without standard input, the system would take 0.
    """
    import fcntl  # not on Windows

    low = os.pipe()
    reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in low)
    for end in low:
        os.close(end)
    return reading, writing


def _reader(
    pipe: Any, last: list[str], put: Callable[[str | None], None] | None
) -> threading.Thread:
    """Return a thread that reads a pipe to its end."""

    def read() -> None:
        with suppress(OSError, ValueError):
            while line := pipe.readline(LONGEST_LINE):
                text = line.decode("utf-8", "replace").strip()
                if text:
                    last[0] = text
                    if put:
                        put(text)
        if put:
            put(None)

    thread = threading.Thread(target=read, name="evoboard-engine", daemon=True)
    thread.start()
    return thread


def _end(
    process: subprocess.Popen[bytes],
    life: int,
    lines: queue.Queue[str | None],
    readers: tuple[threading.Thread, ...],
) -> None:
    """Ask a program to end; if it does not, kill it with all it has started."""
    assert process.stdin is not None
    with suppress(OSError, ValueError):
        process.stdin.write(b"quit\n")
        process.stdin.flush()
    with suppress(OSError, ValueError):
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)
    if life < 0:
        process.kill()
    else:
        os.close(life)
    process.wait()
    until = time.monotonic() + FAREWELL
    for reader in readers:
        while reader.is_alive() and time.monotonic() < until:
            with suppress(queue.Empty):  # it may wait for room
                while True:
                    lines.get_nowait()
            reader.join(0.01)
    for pipe, reader in zip((process.stdout, process.stderr), readers, strict=True):
        if pipe and not reader.is_alive():
            pipe.close()
