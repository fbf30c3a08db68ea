"""What the compiler takes for a player's first move, with an empty kernel cache.

    python tools/compile_times.py chess champion      processor time in all, then by function

A function's time is its own: typing, lowering and, of the last one, machine code for all of them.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter

from numba.core import event

from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import make_player


class Stopwatch(event.Listener):  # type: ignore[misc]
    """Counts the processor time of each function without that of the functions it calls."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._open: list[float] = []

    def on_start(self, what: event.Event) -> None:
        """Begin a function."""
        self._open.append(time.process_time())

    def on_end(self, what: event.Event) -> None:
        """End it, and leave it out of its caller's time."""
        spent = time.process_time() - self._open.pop()
        self.spent[what.data["dispatcher"].py_func.__name__] += spent
        self._open = [began + spent for began in self._open]


def main() -> None:
    """Compile, and print what it took."""
    game_text, player_text = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVOBOARD_CACHE"] = folder
        watch = Stopwatch()
        began = time.process_time()
        game = load_game(game_text)
        with event.install_listener("numba:compile", watch):
            make_player(player_text, game).think(History(game), 1)
        print(f"{time.process_time() - began:.1f} s for {len(os.listdir(folder))} functions")
    for name, seconds in watch.spent.most_common(20):
        print(f"{seconds:6.2f} s  {name}")


if __name__ == "__main__":
    main()
