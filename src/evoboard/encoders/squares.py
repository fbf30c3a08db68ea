"""squares: one number per square, the value of the piece there, the other side's negative.

    kingcapture  36, seen by White: P 0.1, N 0.3, B 0.35, R 0.5, K 1 (paper A gives no values)
    chess        64, seen by White: the same, and Q 0.9
    draughts     32, seen by the side to move, as if it were Black: man 1, king 1.5 (an option)
    hexwar       25, seen by the side to move: the numbers of pieces

Squares come in the order of the state: from a1, from square 1, from tile (0, 0). In draughts White
sees the board turned round, square 32 first, so that a position and its mirror look the same; with
`turned` so does Red in hexwar. With `top` kingcapture's squares come from a6, as paper A has them.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest
from evoboard.core.errors import OptionError
from evoboard.core.link import with_constants
from evoboard.core.settings import Settings
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.chess import BLACK as CHESS_BLACK
from evoboard.games.draughts import KINGS, SQUARE_BIT
from evoboard.games.kingcapture import BOARD
from evoboard.games.rules import TURN

F = np.float32
ZERO = F(0)
STANDARD_KING = 1.5  # men
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = F(0.1), F(0.3), F(0.35), F(0.5), F(0.9), F(1)
CHESS_VALUES = np.array([PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING], np.float32)
_MEN = [PAWN, ROOK, KNIGHT, BISHOP, KING]  # kingcapture's pieces 1 to 5
FROM_TOP = np.arange(36).reshape(6, 6)[::-1].ravel()
# By piece number plus 5, filled up to 16 so that the index can be cut to 4 bits.
KINGCAPTURE_VALUES = np.array([-v for v in _MEN[::-1]] + [0, *_MEN] + [0] * 5, np.float32)


class Options(Settings):
    """What a king of draughts is worth, and the order of squares."""

    king: float = Field(STANDARD_KING, gt=0, description="the value of a king of draughts, in men")
    top: bool = Field(False, description="kingcapture: number squares from a6, as in paper A")
    turned: bool = Field(False, description="hexwar: Red sees the board rotated")


def encoder_for(game: Game, options: Options) -> Encoder | None:
    """Return the encoder of a game, None for other games."""
    if options.king != STANDARD_KING and game.name != "draughts":
        raise OptionError(f"the value of a king can be set in draughts only, not in {game.name}.")
    if options.top and game.name != "kingcapture":
        raise OptionError(
            f"squares can be numbered from the top in kingcapture only, not in {game.name}."
        )
    if options.turned and game.name != "hexwar":
        raise OptionError(f"the board can be turned for Red in hexwar only, not in {game.name}.")
    if game.name == "kingcapture" and options.top:
        names = tuple(BOARD.names[cell] for cell in FROM_TOP)
        return Encoder("squares", 36, kingcapture_from_top, "first", names)
    if game.name == "hexwar" and options.turned:
        return Encoder("squares", 25, hexwar_turned, "mover")
    if game.name == "kingcapture":
        return Encoder("squares", 36, kingcapture_squares, "first")
    if game.name == "chess":
        return Encoder("squares", 64, chess_squares, "first")
    if game.name == "hexwar":
        return Encoder("squares", 25, hexwar_squares, "mover")
    if game.name == "draughts":
        kernel = with_constants(draughts_squares, DRAUGHTS_VALUES=draughts_values(options.king))
        return Encoder("squares", 32, kernel, "mover")
    return None


def draughts_values(king: float) -> Array:
    """Return the values by 1 for an own piece, plus 2 for the other side's, plus 4 for a king."""
    return np.array([0, 1, -1, 0, 0, king, -king, 0], np.float32)


DRAUGHTS_VALUES = draughts_values(STANDARD_KING)


def kingcapture_squares(state: Array, out: Array) -> None:
    """Write the values of the pieces, White's positive."""
    for cell in range(36):
        # The cut tells the compiler that the index is not negative.
        out[cell] = KINGCAPTURE_VALUES[(state[cell] + 5) & 15]


def kingcapture_from_top(state: Array, out: Array) -> None:
    """Write the values of the pieces, White's positive, from Black's back rank on."""
    for cell in range(36):
        out[cell] = KINGCAPTURE_VALUES[(state[FROM_TOP[cell]] + 5) & 15]


def chess_squares(state: Array, out: Array) -> None:
    """Write the values of the pieces, White's positive."""
    for square in range(64):
        out[square] = ZERO
    black = state[CHESS_BLACK]
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            value = CHESS_VALUES[kind]
            out[square] = -value if black >> square & 1 else value
            pieces &= pieces - 1


def draughts_squares(state: Array, out: Array) -> None:
    """Write the values of the pieces as the side to move sees them."""
    side = state[TURN]
    own, others, kings = state[side], state[1 - side], state[KINGS]
    for i in range(32):
        bit = SQUARE_BIT[i + side * (31 - 2 * i)]
        kind = (own >> bit & 1) | (others >> bit & 1) << 1 | (kings >> bit & 1) << 2
        out[i] = DRAUGHTS_VALUES[kind]


def hexwar_squares(state: Array, out: Array) -> None:
    """Write the numbers of pieces, the side to move's positive."""
    sign = 1 - 2 * state[TURN]
    for cell in range(25):
        out[cell] = F(state[cell] * sign)


def hexwar_turned(state: Array, out: Array) -> None:
    """Write the same; what is far right above for Blue is left below for Red."""
    side = state[TURN]
    for cell in range(25):
        out[cell + side * (24 - 2 * cell)] = F(state[cell] * (1 - 2 * side))
