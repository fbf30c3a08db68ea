"""planes: for every kind of piece of either side, one 0 or 1 per square; no values of pieces.

    kingcapture  10 × 36, seen by White: White's P R N B K, then Black's
    chess        12 × 64, seen by White: White's P N B R Q K, then Black's
    draughts      4 × 32, seen by the side to move: own men, own kings, the other side's

The squares of a plane are ordered, and for White in draughts turned round, as in `squares`.
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import lowest
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.chess import BLACK as CHESS_BLACK
from evoboard.games.draughts import KINGS, SQUARE_BIT
from evoboard.games.rules import TURN

F = np.float32
ZERO, ONE = F(0), F(1)


KINDS = {
    "kingcapture": ("pawns", "rooks", "knights", "bishops", "king"),
    "chess": ("pawns", "knights", "bishops", "rooks", "queens", "king"),
    "draughts": ("men", "kings"),
}


def encoder_for(game: Game) -> Encoder | None:
    """Return the encoder of a game, None for other games."""
    sides = ("own", "other") if game.name == "draughts" else ("White", "Black")
    planes = tuple(f"{side} {kind}" for side in sides for kind in KINDS.get(game.name, ()))
    if game.name == "kingcapture":
        return Encoder("planes", 360, kingcapture_planes, "first", planes=planes)
    if game.name == "chess":
        return Encoder("planes", 768, chess_planes, "first", planes=planes)
    if game.name == "draughts":
        return Encoder("planes", 128, draughts_planes, "mover", planes=planes)
    return None


def kingcapture_planes(state: Array, out: Array) -> None:
    """Write 1 if the plane of a piece meets its square."""
    for i in range(360):
        out[i] = ZERO
    for cell in range(36):
        piece = state[cell]
        if piece > 0:
            out[(piece - 1) * 36 + cell] = ONE
        elif piece < 0:
            out[(4 - piece) * 36 + cell] = ONE


def chess_planes(state: Array, out: Array) -> None:
    """Write 1 if the plane of a piece meets its square."""
    for i in range(768):
        out[i] = ZERO
    black = state[CHESS_BLACK]
    for kind in range(6):
        pieces = state[kind]
        while pieces:
            square = lowest(pieces)
            out[(kind + 6 * (black >> square & 1)) * 64 + square] = ONE
            pieces &= pieces - 1


def draughts_planes(state: Array, out: Array) -> None:
    """Write 1 if the plane of a piece meets its square."""
    side = state[TURN]
    own, others, kings = state[side], state[1 - side], state[KINGS]
    for i in range(32):
        bit = SQUARE_BIT[i + side * (31 - 2 * i)]
        king = kings >> bit & 1
        out[i] = F((own >> bit & 1) & ~king)
        out[32 + i] = F((own >> bit & 1) & king)
        out[64 + i] = F((others >> bit & 1) & ~king)
        out[96 + i] = F((others >> bit & 1) & king)
