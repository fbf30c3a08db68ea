"""A network as an SVG picture: inputs as the board where they are squares, nodes by depth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from evoboard.encoders.base import Encoder
from evoboard.games.base import Game
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.pictures.anatomy import anatomy
from evoboard.pictures.inputs import Arrangement, arrange_inputs
from evoboard.pictures.svg import Drawing, Picture

POSITIVE, NEGATIVE, NODE = "#2f6fb0", "#c4463a", "#f4efe4"
HEIGHT = 10.0  # of the picture, in units of its own
LEAST = 0.02  # links weaker than this part of the strongest are not drawn
MOST_NODES = 40  # of a layer that are drawn as nodes

Place = tuple[float, float]


def draw_network(
    network: GraphNetwork | MLPNetwork,
    game: Game,
    encoder: Encoder,
    outputs: Sequence[str] = ("value",),
    *,
    pixels: int = 640,
) -> Picture:
    """Return a picture of a network: blue links are positive, red negative, thick ones strong."""
    inputs = arrange_inputs(game, encoder)
    data = anatomy(network, outputs, inputs)
    drawing = Drawing()
    scale = HEIGHT / max(inputs.height, 1.0)
    unit = min(scale, 1.2)
    left = inputs.width * unit
    top = (HEIGHT - inputs.height * unit) / 2
    places = [((x + 0.5) * unit, (y + 0.5) * unit + top) for x, y in inputs.places]
    nodes, links = _graph(data, left) if data["kind"] == "graph" else _layers(data, left, places)
    at = [*places, *nodes]
    strongest = max((abs(weight) for _, _, weight in links), default=0.0)
    for source, target, weight in sorted(links, key=lambda link: abs(link[2])):
        if strongest and abs(weight) >= LEAST * strongest:
            _link(drawing, at[source], at[target], weight / strongest)
    _inputs(drawing, inputs, places, unit, top)
    for place in nodes:
        drawing.add(
            "circle", cx=place[0], cy=place[1], r=0.16, fill=NODE, stroke="#444", stroke_width=0.04
        )
    last = len(nodes) - len(outputs)
    ends = data["ends"] if data["kind"] == "graph" else range(len(places) + last, len(at))
    for end, name in zip(ends, outputs, strict=False):
        x, y = at[end]
        drawing.text(x + 0.3, y, name, 0.4, text_anchor="start", fill="#333")
    width = max(x for x, _ in at) + 2.4
    high = max(HEIGHT, *(y for _, y in at)) + 0.6
    room = 0.3
    if inputs.shape == "list":
        room += 0.22 * max(len(name) for name in inputs.names) + 0.4 * unit
    return drawing.finish((-room, -0.6, width + room, high + 0.6), pixels, _title(game, network))


def _title(game: Game, network: GraphNetwork | MLPNetwork) -> str:
    return f"a network of {network.inputs} inputs for {game.title}"


def _graph(data: dict[str, Any], left: float) -> tuple[list[Place], list[tuple[int, int, float]]]:
    nodes = [(left + 1.8 * node[0], HEIGHT * node[1]) for node in data["nodes"]]
    return nodes, [(link[0], link[1], link[2]) for link in data["links"]]


def _layers(
    data: dict[str, Any], left: float, inputs: list[Place]
) -> tuple[list[Place], list[tuple[int, int, float]]]:
    """Return nodes and links of a layered network; of a wide layer the first nodes only."""
    sizes = [len(inputs), *(min(layer["targets"], MOST_NODES) for layer in data["layers"])]
    nodes, links, first = list[Place](), list[tuple[int, int, float]](), [0, len(inputs)]
    for depth, size in enumerate(sizes[1:], 1):
        nodes += [(left + 2.4 * depth, HEIGHT * (i + 0.5) / size) for i in range(size)]
        first.append(first[-1] + size)
    for depth, ((sources, targets), layer) in enumerate(
        zip(pairwise(sizes), data["layers"], strict=True)
    ):
        for target in range(targets):
            row = layer["weights"][target * layer["sources"] : (target + 1) * layer["sources"]]
            links += [
                (first[depth] + source, first[depth + 1] + target, row[source])
                for source in range(min(sources, len(row)))
            ]
    for target in range(sizes[-1] if data["direct"] else 0):
        row = data["direct"][target * len(inputs) : (target + 1) * len(inputs)]
        links += [(i, first[-2] + target, weight) for i, weight in enumerate(row)]
    return nodes, links


def _link(drawing: Drawing, start: Place, end: Place, strength: float) -> None:
    (x, y), (u, v), size = start, end, abs(strength)
    middle = (x + u) / 2
    drawing.add(
        "path",
        d=f"M{x:.4g} {y:.4g}C{middle:.4g} {y:.4g} {middle:.4g} {v:.4g} {u:.4g} {v:.4g}",
        fill="none",
        stroke=POSITIVE if strength > 0 else NEGATIVE,
        stroke_width=0.015 + 0.1 * size,
        stroke_opacity=0.15 + 0.7 * size,
    )


def _inputs(
    drawing: Drawing, inputs: Arrangement, places: list[Place], unit: float, top: float
) -> None:
    """Draw every input as a cell with its name: beside it in a list, else within."""
    side, listed = 0.9 * unit, inputs.shape == "list"
    for i, (x, y) in enumerate(places):
        fill = "#d9c19a" if i in inputs.dark else "#f3e7cf"
        look: dict[str, str | float] = {"fill": fill, "stroke": "#a58a5c", "stroke_width": 0.015}
        corner = {"x": x - side / 2, "y": y - side / 2, "width": side, "height": side}
        drawing.add("rect", **corner, rx=0.06, **look)
        name = inputs.names[i].split(",")[0] if inputs.titles else inputs.names[i]
        if listed:
            size = min(0.36, 0.8 * unit)
            drawing.text(x - side, y, name, size, text_anchor="end", fill="#6b5836")
        elif unit >= 0.55:
            size = min(0.24, 1.5 * side / max(1, len(name)))
            drawing.text(x, y, name, size, fill="#6b5836")
    for title, x, y in inputs.titles:
        if unit >= 0.3:
            drawing.text(
                x * unit, y * unit + top - 0.12, title, 0.28, text_anchor="start", fill="#555"
            )
