"""What a network's inputs and outputs are, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoboard.encoders.base import Encoder
from evoboard.encoders.seen import are_squares, piece_cells
from evoboard.games.base import Game
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork


def input_names(game: Game, encoder: Encoder) -> tuple[str, ...]:
    """Return the encoder's names; the squares' where there is an input for each; else numbers."""
    if encoder.names:
        return encoder.names
    board = game.view(game.initial()).board
    cells = piece_cells(board)
    planes, rest = divmod(encoder.inputs, len(cells))
    if planes == 0 or (planes > 1 and rest) or not are_squares(game, encoder, cells, planes):
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
