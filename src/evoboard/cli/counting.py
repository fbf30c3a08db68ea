"""Count move sequences by first move, so that long counts show how far they are."""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.perft import perft


class Counter:
    """Perft of one position; between first moves it can be interrupted."""

    def __init__(self, game: Game, state: Array, depth: int) -> None:
        self.game, self.state = game, state
        self.states = np.zeros((depth, game.state_size), np.int64)
        self.moves = np.zeros((depth, game.max_moves), np.int32)
        self.cursors = np.zeros((depth, 2), np.int64)
        # A user's rules run with bounds checks: a wrong count is worse than a slow one.
        self.kernel = game.link(perft, "cpu" if game.built_in else "checked")
        self.count(state, 1)  # compile or load it before any clock runs

    def count(self, state: Array, depth: int) -> int:
        self.states[0] = state
        return int(self.kernel(self.states, self.moves, self.cursors, depth))

    def divide(self, depth: int) -> dict[int, int]:
        """Return the count below each first move."""
        # The kernel's own list: it plays drawn positions on, which Game.legal_moves does not.
        moves = [int(move) for move in self.moves[0, : self.count(self.state, 1)]]
        if depth == 1:
            return dict.fromkeys(moves, 1)
        columns = (
            TextColumn(f"depth {depth}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        quiet = not sys.stderr.isatty()
        with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
            return {
                m: self.count(self.game.apply(self.state, m), depth - 1) for m in bar.track(moves)
            }
