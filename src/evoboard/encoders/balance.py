"""balance: how many more pieces of each kind one has than the other side, and what attacks what.

The inputs of `threats` without squares: wherever a piece stands, it counts alike. There are few of
them (kingcapture 42, chess 50, draughts 10, hexwar 22), so that little has to be learned, and soon.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import popcount
from evoboard.core.link import with_constants
from evoboard.encoders.base import Encoder
from evoboard.encoders.pieces import walk, walk_of
from evoboard.encoders.threats import with_threats
from evoboard.games.base import Game
from evoboard.games.chess import BLACK, WHITE
from evoboard.games.draughts import KINGS
from evoboard.games.rules import TURN

F = np.float32
ZERO = F(0)
KINDS = 1  # that of a game is put in its place


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of kingcapture, chess, draughts or hexwar, None for other games."""
    kernel: Any
    if game.name == "chess":
        kernel, kinds = chess_counts, tuple("PNBRQK")
    elif game.name == "draughts":
        kernel, kinds = draughts_counts, ("man", "king")
    else:
        found = walk_of(game)
        if found is None:
            return None
        kinds, walked = found.kinds, with_constants(found.kernel, note=count_piece)
        kernel = with_constants(cell_counts, walk=walked, KINDS=len(kinds))
    return with_threats("balance", game, kernel, tuple(f"more {kind}" for kind in kinds))


def cell_counts(state: Array, out: Array) -> None:
    """Count the pieces of a board that is kept in cells."""
    for kind in range(KINDS):
        out[kind] = ZERO
    walk(state, out)


def count_piece(
    out: Array, count: int, kind: int, owner: int, side: int, here: int, turned: int, amount: F
) -> int:
    """Count a piece for its side."""
    out[kind] += amount if owner == side else -amount
    return count


def chess_counts(state: Array, out: Array) -> None:
    """Count pawns, knights, bishops, rooks, queens and kings."""
    side = state[TURN]
    own, other = state[WHITE + side], state[BLACK - side]
    for kind in range(6):
        out[kind] = F(popcount(state[kind] & own) - popcount(state[kind] & other))


def draughts_counts(state: Array, out: Array) -> None:
    """Count men and kings."""
    own, other, kings = state[state[TURN]], state[1 - state[TURN]], state[KINGS]
    out[0] = F(popcount(own & ~kings) - popcount(other & ~kings))
    out[1] = F(popcount(own & kings) - popcount(other & kings))
