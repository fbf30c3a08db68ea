"""Games: one plain-Python file each, and the contract they share.

Everything a game of your own may want is importable from here.
"""

from evoboard.core.errors import IllegalMove, ImpossibleState, MalformedState, OptionError
from evoboard.games.base import DrawRules, Game, game_names, load_game
from evoboard.games.boards import read_board, write_board
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.games.view import Board, MoveLook, Piece, View, grid

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Board",
    "DrawRules",
    "Game",
    "IllegalMove",
    "ImpossibleState",
    "MalformedState",
    "MoveLook",
    "OptionError",
    "Piece",
    "View",
    "game_names",
    "grid",
    "load_game",
    "read_board",
    "write_board",
]
