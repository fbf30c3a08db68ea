"""What a network's inputs and outputs are, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.games.rules import Array
from evoboard.games.view import Board
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork

POSITIONS = 6  # in which inputs are compared with the board


def input_names(game: Game, encoder: Encoder) -> tuple[str, ...]:
    """Return the encoder's names; the squares' where there is an input for each; else numbers.

    Nothing is assumed about encoders: inputs are squares if, in positions of the game, those that
    are not 0 are those of the squares with a piece on them.
    """
    if encoder.names:
        return encoder.names
    board = game.view(game.initial()).board
    cells = _cells(board)
    planes, rest = divmod(encoder.inputs, len(cells))
    if planes == 0 or (planes > 1 and rest) or not _are_squares(game, encoder, cells, planes):
        return _numbered(0, encoder.inputs)
    squares = [board.names[cell] or f"cell {cell}" for cell in cells]
    if board.shape == "heaps":
        squares = [f"heap {name}" for name in squares]
    if planes == 1:
        return (*squares, *_numbered(len(cells), encoder.inputs))
    titles = encoder.planes
    if len(titles) != planes:
        titles = tuple(f"plane {plane}" for plane in range(planes))
    return tuple(f"{title} {square}" for title in titles for square in squares)


def output_names(
    game: Game, network: GraphNetwork | MLPNetwork, search: str, settings: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what each output is: the value of a position, or the parts of a policy's move."""
    count = network.outputs if isinstance(network, MLPNetwork) else len(network.outputs)
    known = ["value"]
    if search == "policy":
        heaps = game.turn  # in nim the side to move is the cell after the heaps
        takes = [f"take {amount}" for amount in range(1, count - heaps + 1)]
        one_hot = bool(settings.get("one_hot"))
        known = [*(f"heap {i}" for i in range(heaps)), *takes] if one_hot else ["heap", "amount"]
    return tuple([*known, *(f"output {i}" for i in range(len(known), count))][:count])


def _numbered(first: int, end: int) -> tuple[str, ...]:
    return tuple(f"input {i}" for i in range(first, end))


def _cells(board: Board) -> list[int]:
    """Return the cells that can hold a piece, by their numbers where they are numbered."""
    named = [cell for cell, name in enumerate(board.names) if name]
    if len(named) < len(board.names) and all(board.names[cell].isdigit() for cell in named):
        return sorted(named, key=lambda cell: int(board.names[cell]))
    return list(range(len(board.names)))


def _are_squares(game: Game, encoder: Encoder, cells: Sequence[int], planes: int) -> bool:
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
    """Return some positions with side 0 to move: encoders may turn the board for the other."""
    found, state = [], game.initial()
    for _ in range(2 * POSITIONS):
        if game.side(state) == 0:
            found.append(state)
        legal = game.legal_moves(state)
        if not legal:
            break
        state = game.apply(state, legal[len(legal) // 2])
    return found
