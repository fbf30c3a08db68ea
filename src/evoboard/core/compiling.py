"""How far the compiler has got with a kernel, so that people who wait for it can be shown."""

from __future__ import annotations

from collections.abc import Callable


class _Progress:
    """The kernel that is being compiled; there is one at a time."""

    def __init__(self) -> None:
        # Called with the number of functions that are ready and the number of all of them, which is
        # 0 while another process compiles the same kernel; None: no one is listening.
        self.listener: Callable[[int, int], None] | None = None
        # Whether only evoboard compiles in this process, as in every command.
        self.own_process = False
        self._ready, self._all = 0, 0

    def begin(self, functions: int) -> None:
        """Say that a kernel of so many functions is being compiled."""
        self._ready, self._all = 0, functions
        self._tell()

    def advance(self) -> None:
        """Say that one of its functions is ready."""
        self._ready = min(self._ready + 1, self._all - 1)  # the kernel itself is the last
        self._tell()

    def end(self) -> None:
        """Say that all of it is ready."""
        self._ready = self._all
        self._tell()

    def wait(self) -> None:
        """Say that another process is compiling what is needed; its progress is unknown."""
        if self.listener is not None:
            self.listener(0, 0)

    def _tell(self) -> None:
        if self.listener is not None:
            self.listener(self._ready, self._all)


compiling = _Progress()
