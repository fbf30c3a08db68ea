"""The drawing of a network, and of how champions grew, as elements of a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import numpy as np
from nicegui import ui

from evoboard.core.arrays import Array
from evoboard.networks.graph_network import GraphNetwork
from evoboard.pictures.inputs import Arrangement
from evoboard.players.network import PlayerNetwork
from evoboard.web.board.board import chosen

STYLE = (Path(__file__).parent / "network.css").read_text(encoding="utf-8")

Mode = Literal["hidden", "all", "direct", "matrix", "boards"]


class NetworkView(
    ui.element,
    component="network.js",
    dependencies=[
        "net_draw.js",
        "net_graph.js",
        "net_bars.js",
        "net_boards.js",
        "net_matrix.js",
    ],
):
    """Draws networks; see network.js. Pages that have a board already know its pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.props.update(data="", live="", mode="all", signal=False, label="", told="")

    def show(self, anatomy: dict[str, Any], live: dict[str, Any] | None, label: str) -> None:
        """Show a network and what it computes, if that is known; screen readers say the label."""
        self.props.update(data=json.dumps(anatomy), label=label)
        self.show_live(live)

    def show_mode(self, mode: Mode, *, signal: bool, told: str) -> None:
        """Show the links a mode says, by their weights or by what they carry.

        `told`: what strength means there; a saved drawing says it, too.
        """
        self.props.update(mode=mode, signal=signal, told=told)
        self.update()

    def show_live(self, live: dict[str, Any] | None) -> None:
        """Show what the network computes for a position."""
        self.props["live"] = json.dumps(live) if live else ""
        self.update()

    def save(self, form: Literal["svg", "png"], name: str) -> None:
        """Let the browser download the drawing."""
        self.run_method("saveSvg" if form == "svg" else "savePng", name)


class Growth(ui.element, component="growth.js"):
    """Numbers by generation; `on_select` gets the generation that is clicked."""

    def __init__(self, on_select: Callable[[int], Any]) -> None:
        super().__init__()
        self._last = 0
        self.props.update(series=[], at=0, last=0)
        self.on("select", lambda event: chosen(event.args, self._last + 1, on_select))

    def show(self, series: Sequence[tuple[str, Sequence[tuple[int, float]]]], last: int) -> None:
        """Show (name, [(generation, number), …]) of each series."""
        self._last = last
        shown = [{"name": name, "points": [list(p) for p in points]} for name, points in series]
        self.props.update(series=shown, last=last)
        self.update()

    def point_at(self, generation: int) -> None:
        """Mark a generation."""
        self.props["at"] = generation
        self.update()


def live_data(shown: PlayerNetwork, inputs: Arrangement, state: Array) -> dict[str, Any]:
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
