"""dot: a drawing for Graphviz: inputs by their names, hidden nodes by depth, then the outputs.

Blue links have positive weights, red ones negative; the stronger, the thicker and darker. Of very
many links the weakest are left out, which the drawing's label says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from evoboard.core.wording import counted
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.layers import layers_of, node_depths, node_links
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.players.network import PlayerNetwork

SUMMARY = "a drawing for Graphviz (dot -Tsvg)"
ENDINGS = (".dot", ".gv")
MOST_LINKS = 2_000  # that Graphviz lays out in seconds
POSITIVE, NEGATIVE = "#1f6fb4", "#c0392b"
THIN, THICK = 0.3, 3.5  # points
FAINT, FULL = 50, 255  # opacity


class Link(NamedTuple):
    """A link between two nodes of the drawing."""

    source: str
    target: str
    weight: float


class Parts(NamedTuple):
    """Nodes behind the inputs, column by column, with what they do; links; the outputs' nodes."""

    columns: list[dict[str, str]]
    links: list[Link]
    outputs: list[str]
    note: str = ""


def export(subject: PlayerNetwork) -> str:
    """Return the drawing as text."""
    network = subject.network
    parts = _of_graph(network) if isinstance(network, GraphNetwork) else _of_layers(network)
    links = sorted(parts.links, key=lambda link: -abs(link.weight))[:MOST_LINKS]
    ends: dict[str, str] = {}
    for node, name in zip(parts.outputs, subject.outputs, strict=True):
        ends[node] = f"{ends[node]}, {name}" if node in ends else name
    drawn = {link.source for link in links}
    inputs = {f"i{i}": name for i, name in enumerate(subject.inputs) if f"i{i}" in drawn}
    lines = ["digraph network {", *(f"  {line};" for line in _style(_label(subject, parts)))]
    lines += _column(inputs, "box")
    for column in parts.columns:
        lines += _column({n: about for n, about in column.items() if n not in ends}, "ellipse")
        ends |= {n: f"{ends[n]}: {about}" for n, about in column.items() if n in ends}
    lines += _column(ends, "doubleoctagon")
    return "\n".join([*lines, *_edges(links), "}", ""])


def _label(subject: PlayerNetwork, parts: Parts) -> str:
    """Return what stands below the drawing."""
    told = [subject.title, f"{len(subject.inputs)} inputs by the encoder {subject.encoder.name}"]
    told += [parts.note] * bool(parts.note)
    if len(parts.links) > MOST_LINKS:
        told.append(f"{counted(len(parts.links) - MOST_LINKS, 'weak link')} left out")
    return ", ".join(told)


def _style(label: str) -> Iterator[str]:
    yield f"graph [label={_text(label)}, rankdir=LR, ranksep=2, nodesep=0.08]"
    yield 'graph [fontname="sans-serif", fontsize=11, outputorder=edgesfirst]'
    yield 'node [fontname="sans-serif", fontsize=10, style=filled, fillcolor=white, height=0.2]'
    yield "edge [arrowhead=none]"


def _of_graph(network: GraphNetwork) -> Parts:
    depths = node_depths(network)
    columns: list[dict[str, str]] = [{} for _ in range(max(depths) + 1)]
    links = []
    for node, depth in enumerate(depths):
        kind, gathered = network.activation[node], network.aggregation[node]
        about = kind if gathered == "sum" else f"{kind} of {gathered}"
        columns[depth][f"n{node}"] = f"{about} {network.bias[node]:+.3g}"
        for slot, weight in node_links(network, node):
            source = f"i{slot}" if slot < network.inputs else f"n{slot - network.inputs}"
            links.append(Link(source, f"n{node}", float(weight)))
    return Parts(columns, links, [f"n{node}" for node in network.outputs])


def _of_layers(network: MLPNetwork) -> Parts:
    columns, links = [], []
    before = inputs = [f"i{i}" for i in range(network.inputs)]
    for number, layer in enumerate(layers_of(network)):
        names = [f"n{number}_{j}" for j in range(len(layer.bias))]
        told = [f"{layer.activation} {bias:+.3g}" for bias in layer.bias]
        columns.append(dict(zip(names, told, strict=True)))
        for sources, weights in ((before, layer.weights), (inputs, layer.direct)):
            if weights is not None:
                links += [
                    Link(source, target, float(weights[i, j]))
                    for i, source in enumerate(sources)
                    for j, target in enumerate(names)
                ]
        before = names
    share = network.design.difference
    note = f"and the sum of all inputs times {share:g} to every output" if share else ""
    return Parts(columns, links, before, note)


def _column(nodes: Mapping[str, str], shape: str) -> Iterator[str]:
    """Yield the nodes of one column, kept below each other."""
    if nodes:
        yield "  {"
        yield f"    rank=same; node [shape={shape}];"
        yield from (f"    {node} [label={_text(name)}];" for node, name in nodes.items())
        yield "  }"


def _edges(links: list[Link]) -> Iterator[str]:
    """Yield the links, the weakest first: what is drawn later lies above."""
    strongest = max((abs(link.weight) for link in links), default=0.0) or 1.0
    for link in reversed(links):
        share = abs(link.weight) / strongest
        colour = POSITIVE if link.weight >= 0 else NEGATIVE
        opacity = round(FAINT + (FULL - FAINT) * share)
        width = THIN + (THICK - THIN) * share
        look = f'color="{colour}{opacity:02x}", penwidth={width:.2f}'
        yield f'  {link.source} -> {link.target} [{look}, tooltip="{link.weight:.6g}"];'


def _text(words: str) -> str:
    """Return words as a quoted text of the language; a backslash would begin an escape."""
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
