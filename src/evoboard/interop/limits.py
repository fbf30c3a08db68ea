"""What a move may cost, and the share of a clock that one move gets."""

from __future__ import annotations

from dataclasses import dataclass

LEAST = 0.001  # seconds: enough for a first look
MOVES_LEFT = 40  # expected where nobody says how many the clock is for


@dataclass(frozen=True)
class Limits:
    """What was asked for; times in seconds, None where nothing is said.

    `endless`: no answer before a stop. `ponder`: the clock does not run before the hit. `only`:
    the moves to choose from, where not all of them.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: float | None = None
    remaining: float | None = None
    increment: float = 0.0
    moves_to_go: int | None = None
    endless: bool = False
    ponder: bool = False
    only: tuple[int, ...] = ()

    @property
    def open(self) -> bool:
        """Tell whether a clock or a stop ends the search, rather than the player's own limit."""
        clock = self.move_time is not None or self.remaining is not None
        return clock or self.endless or self.ponder

    def seconds(self, overhead: float) -> float | None:
        """Return how long to think, None without a clock.

        `overhead` is what may get lost between the two programs, at this move and at all others.
        No move takes more than half of what is left without that.
        """
        if self.endless:
            return None
        if self.move_time is not None:
            return max(LEAST, self.move_time - min(overhead, self.move_time / 10))
        if self.remaining is None:
            return None
        named = self.moves_to_go or 0
        moves = min(named + 1, MOVES_LEFT) if named > 0 else MOVES_LEFT
        lost = max(overhead, min(overhead * moves, self.remaining / 2))
        share = (self.remaining - lost) / moves + 0.75 * self.increment
        return max(LEAST, min(share, (self.remaining - overhead) / 2))
