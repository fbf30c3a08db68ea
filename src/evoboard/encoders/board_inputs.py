"""Whether an encoder's inputs are squares of the board, worked out from positions alone.

Nothing is assumed about encoders: inputs are squares if, in positions of the game, those that are
not 0 are those of the squares with a piece on them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoboard.core.arrays import Array
from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.view import Board

POSITIONS = 6  # in which inputs are compared with the board


def piece_cells(board: Board) -> list[int]:
    """Return the cells that can hold a piece, by their numbers where they are numbered."""
    named = [cell for cell, name in enumerate(board.names) if name]
    if len(named) < len(board.names) and all(board.names[cell].isdigit() for cell in named):
        return sorted(named, key=lambda cell: int(board.names[cell]))
    return list(range(len(board.names)))


def find_planes(game: Game, encoder: Encoder) -> tuple[list[int], tuple[str, ...]]:
    """Return the cells that inputs stand for, and a title for each plane of them; none where inputs
    are no squares. Behind a single plane there may be further inputs."""
    cells = piece_cells(game.view(game.initial()).board)
    planes, rest = divmod(encoder.inputs, len(cells))
    if planes == 0 or (planes > 1 and rest) or not _are_squares(game, encoder, cells, planes):
        return cells, ()
    titles = encoder.planes
    if len(titles) != planes:
        titles = tuple(f"plane {plane}" for plane in range(planes))
    return cells, titles


def numbered(first: int, end: int) -> list[str]:
    """Return names for inputs of which nothing else is known."""
    return [f"input {i}" for i in range(first, end)]


def _are_squares(game: Game, encoder: Encoder, cells: Sequence[int], planes: int) -> bool:
    """Tell whether the first inputs are these cells, once for each of so many planes."""
    encode = game.link(encoder.encode, "python")  # for a few positions not worth compiling
    numbers = np.zeros(encoder.inputs, np.float32)
    for state in _positions(game):
        encode(state, numbers)
        boards = numbers[: planes * len(cells)].reshape(planes, len(cells))
        seen = {cells[int(i)] for i in np.flatnonzero(boards.any(axis=0))}
        if seen != {piece.cell for piece in game.view(state).pieces}:
            return False
    return True


def _positions(game: Game) -> list[Array]:
    """Return some positions with side 0 to move: encoders may turn the board for the other.

    The moves are taken from the middle of the list, so that different pieces move.
    """
    found, state = [], game.initial()
    for _ in range(2 * POSITIONS):
        if game.side(state) == 0:
            found.append(state)
        legal = game.legal_moves(state)
        if not legal:
            break
        state = game.apply(state, legal[len(legal) // 2])
    return found
