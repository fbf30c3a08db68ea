"""What a network computes for one position, as data to draw."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.networks.graph_network import GraphNetwork
from evoboard.pictures.inputs import Arrangement
from evoboard.web.network.source import Shown


def live_data(shown: Shown, inputs: Arrangement, state: Array) -> dict[str, Any]:
    """Return every slot's value, and the pieces on the inputs they are seen by.

    `turned`: the network sees the board turned round, as encoders do for the second side.
    """
    game, network = shown.game, shown.network
    view = game.view(state)
    count = network.inputs
    nodes = network.nodes if isinstance(network, GraphNetwork) else sum(network.design.sizes[1:])
    slots = shown.look(state).slots[: count + nodes]
    by_input, turned = _seen(inputs, {piece.cell: piece for piece in view.pieces}, slots[:count])
    return {
        "slots": [float(f"{value:.5g}") if np.isfinite(value) else 0.0 for value in slots],
        "pieces": [[i, asdict(piece)] for i, piece in by_input.items()],
        "sides": list(view.sides),
        "counted": view.board.shape == "hex",
        "turned": turned,
    }


def _seen(
    inputs: Arrangement, pieces: dict[int, Any], values: Array
) -> tuple[dict[int, Any], bool]:
    """Return the pieces by their inputs, and whether the board is seen turned round."""
    if inputs.shape not in ("square", "hex"):
        return {}, False
    active = {int(i) for i in np.flatnonzero(values)}
    squares = [i for i, cell in enumerate(inputs.cells) if cell >= 0]
    for turned in (False, True):
        cells = [inputs.cells[i] for i in (squares[::-1] if turned else squares)]
        found = {i: pieces[cell] for i, cell in zip(squares, cells, strict=True) if cell in pieces}
        lit = {i for i in found if i in active}
        if {pieces[cell].cell for cell in pieces} == {found[i].cell for i in lit}:
            # With several planes, a piece is shown on its own.
            return {i: found[i] for i in sorted(lit)}, turned
    return {}, False
