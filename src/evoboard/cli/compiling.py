"""What a terminal shows while kernels are compiled, which is the first time they are used."""

from __future__ import annotations

import sys
import time

PATIENCE = 2.0  # seconds after which something is said
WIDTH = 30


class CompilingBar:
    """A bar on standard error; only a line where something else is being drawn there."""

    def __init__(self) -> None:
        self._began, self._shown = 0.0, False

    def __call__(self, ready: int, functions: int) -> None:
        """Show how many functions are ready."""
        now = time.monotonic()
        if ready == 0:
            self._began, self._shown = now, False
        if ready == functions or now - self._began < PATIENCE:
            self._clear()
        elif not _draws_elsewhere():
            bar = "█" * (ready * WIDTH // functions)
            told = f"compiling for this machine, once: {bar:░<{WIDTH}} {ready} of {functions}"
            print(f"\r{told}", end="", file=sys.stderr, flush=True)
            self._shown = True
        elif not self._shown:
            print("compiling for this machine, once …", file=sys.stderr)
            self._shown = True

    def _clear(self) -> None:
        if self._shown and not _draws_elsewhere():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = False


def _draws_elsewhere() -> bool:
    """Tell whether Rich draws something, which keeps lines apart from it, but lines only."""
    return type(sys.stderr).__name__ == "FileProxy"
