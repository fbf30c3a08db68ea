"""What a terminal shows while kernels are compiled, which is the first time they are used."""

from __future__ import annotations

import sys
import time

PATIENCE = 2.0  # seconds after which something is said
WIDTH = 30


class CompilingBar:
    """A bar on standard error; only a line where something else is being drawn there."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._shown = ""

    def __call__(self, ready: int, functions: int) -> None:
        """Show how many functions are ready; without any, that another process compiles them."""
        now = time.monotonic()
        if self._began is None:
            self._began = now
        if ready == functions > 0:
            self._clear()
            self._began = None
        elif now - self._began < PATIENCE:
            return
        elif not _draws_elsewhere():
            told = _told(ready, functions, now - self._began)
            if told != self._shown:
                print(f"\r{told}\033[K", end="", file=sys.stderr, flush=True)
            self._shown = told
        elif not self._shown:
            self._shown = "compiling for this machine, once …"
            print(self._shown, file=sys.stderr)

    def _clear(self) -> None:
        if self._shown and not _draws_elsewhere():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = ""


def _told(ready: int, functions: int, seconds: float) -> str:
    if functions:
        bar, far = "█" * (ready * WIDTH // functions), f"{ready} of {functions}"
        return f"compiling for this machine, once: {bar:░<{WIDTH}} {far}"
    bar = f"{'░' * (int(seconds) % WIDTH)}█"  # it only shows that something goes on
    return f"another process is compiling this: {bar:░<{WIDTH}} {seconds:.0f} s"


def _draws_elsewhere() -> bool:
    """Tell whether Rich draws something, which keeps lines apart from it, but lines only."""
    return type(sys.stderr).__name__ == "FileProxy"
