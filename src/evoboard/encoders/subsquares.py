"""subsquares: the sums of the pieces in every square window of the draughts board (paper E).

91 windows: 36 of 3×3, 25 of 4×4, … one of 8×8, each size from the top left of the board, where
square 1 is, row by row. A man counts 1, a king 1.5 (an option), those of White, the second side,
negative.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import popcount
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.encoders.squares import Options, draughts_values
from evoboard.games.base import Game
from evoboard.games.draughts import BLACK, KINGS, SQUARE_BIT, WHITE

F = np.float32


def encoder_for(game: Game, options: Options) -> Encoder | None:
    """Return the encoder for draughts, None for other games."""
    if game.name != "draughts":
        return None
    crown = F(draughts_values(options.king)[5] - F(1))
    return Encoder("subsquares", 91, with_constants(encode, CROWN=crown), "first", NAMES)


def _window(size: int, top: int, left: int) -> int:
    """Return the board of the dark squares in a window."""
    squares = range(32)
    rows, columns = [s // 4 for s in squares], [2 * (s % 4) + 1 - s // 4 % 2 for s in squares]
    return sum(
        1 << int(SQUARE_BIT[s])
        for s in squares
        if top <= rows[s] < top + size and left <= columns[s] < left + size
    )


PLACES = [
    (size, top, left) for size in range(3, 9) for top in range(9 - size) for left in range(9 - size)
]
WINDOWS = np.array([_window(*place) for place in PLACES], np.int64)
NAMES = tuple(
    f"{size}×{size}, rows {top + 1} to {top + size}, columns {left + 1} to {left + size}"
    for size, top, left in PLACES
)
CROWN = F(0.5)  # what a king counts more than a man


def encode(state: Array, out: Array) -> None:
    """Write the 91 sums."""
    black, white, kings = state[BLACK], state[WHITE], state[KINGS]
    if kings == 0:
        for i in range(91):
            window = WINDOWS[i]
            out[i] = F(popcount(black & window) - popcount(white & window))
        return
    black_kings, white_kings = black & kings, white & kings
    for i in range(91):
        window = WINDOWS[i]
        pieces = popcount(black & window) - popcount(white & window)
        crowns = popcount(black_kings & window) - popcount(white_kings & window)
        out[i] = F(pieces) + CROWN * F(crowns)
