"""Games: one plain-Python file each, and the contract they share."""

from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.games.view import Board, MoveLook, Piece, View, grid

__all__ = ["DRAW", "LOSS", "ONGOING", "WIN", "Board", "MoveLook", "Piece", "View", "grid"]
