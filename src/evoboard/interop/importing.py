"""Other programs' networks as players: neat-python's, plain lists of weights, paper A's genomes.

`read_network` takes what a JSON file holds, or the things themselves:

    neat-python    what its `export_network_json` writes, or a FeedForwardNetwork
    layers         [{"weights": …, "biases": …, "activation": "tanh"}, …], or pairs of arrays
                   [(weights, biases), …]; weights[i][j] leads from source i to node j, as in Keras
    evoboard       a network of ours, as players' files hold it, or a genome as runs keep it, which
                   becomes a network by its kind's usual settings

`import_player` also reads a genome's line as in paper A (`evolution/genomes/neat_text.py`), from a
text file or as it is.

Nothing is ever unpickled: a file cannot run anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.errors import NotFound, OptionError, PartError, quoted
from evoboard.core.wording import listed
from evoboard.encoders.base import default_encoder, encoders_with, find_encoder
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import layered, neat, neat_text, real
from evoboard.evolution.genomes.neat_text import USUAL_WIDTHS, Widths
from evoboard.games.base import Game, load_game
from evoboard.networks import graph, mlp
from evoboard.networks.activations import NEAT_STEEPNESS
from evoboard.networks.base import find_network_kind
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.file import player_data, write_player
from evoboard.players.setup import Setup

Network = GraphNetwork | MLPNetwork
FORMS = (
    "neat-python's export_network_json, a list of layers, a network or a genome of evoboard, or a "
    "genome's line"
)
# Species and genome number, and the bias of the output; a colon parts nodes from links.
_LINE = re.compile(r"\s*\d+[+-][\d.]+[\d.+-]*:[\d.+-]*\s*")
# What the nodes of paper A do.
PAPER_A = neat.Settings(
    hidden="unilateral", hidden_steepness=1.0, output="bilateral", output_steepness=1.0
)


def import_player(
    source: Any,
    game: str | Game,
    out: str | Path,
    *,
    encoder: str = "",
    search: str = "alphabeta",
    settings: Mapping[str, Any] | None = None,
    activation: str = "tanh",
    widths: Widths = USUAL_WIDTHS,
) -> str:
    """Turn another program's network into a player file; return the player's text, file:OUT.

    `source`: a file's path, a genome's line, or what `read_network` takes. `encoder`: what the
    inputs are; it may be left out where one encoder alone gives that many, and for a genome's line,
    whose squares are then numbered as in paper A. `activation`: of layers that name none; `widths`:
    of the fields of a genome's line.
    """
    target = Path(out)
    if target.exists():
        raise OptionError(f"{target} exists already; name another file, or remove it first.")
    found = _read_file(source) if isinstance(source, str | Path) else source
    loaded = load_game(game) if isinstance(game, str) else game
    network, named = network_in(found, loaded, encoder, activation, widths)
    sees = named or fitting_encoder(loaded, network.inputs)
    about = {"title": f"An imported network on {find_encoder(sees, loaded).name}"}
    parts = (loaded.name, sees, network.to_json(), search, settings or {}, about)
    bound = Setup.from_json(player_data(*parts)).bind(loaded)
    bound.kind.require_inputs(bound.kind.pack([network]), bound.encoder)
    bound.settings  # noqa: B018 (a wrong setting is reported now)
    try:
        write_player(target, *parts)
    except OSError as error:
        raise OptionError(f"{target} cannot be written: {error.strerror}.") from error
    return f"file:{target}"


def _read_file(source: str | Path) -> Any:
    """Return what a JSON file holds, or a genome's line in a file or as it is."""
    if is_line(str(source)):
        return str(source)
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
        return text if is_line(text) else json.loads(text)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}.") from None
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise PartError(f"{path} cannot be read as JSON: {error}; it may hold {FORMS}.") from None


def is_line(text: str) -> bool:
    """Tell whether a text looks like a genome's line."""
    return _LINE.fullmatch(text) is not None


def network_in(
    found: Any,
    game: Game,
    encoder: str = "",
    activation: str = "tanh",
    widths: Widths = USUAL_WIDTHS,
) -> tuple[Network, str]:
    """Return the network in a genome's line or in what `read_network` takes, and its encoder.

    A line's encoder, where none is named, is paper A's squares; any other's is then "".
    """
    if not isinstance(found, str):
        return read_network(found, activation), encoder
    squares = "squares:top=true"
    if not encoder:
        encoder = squares if game.name == "kingcapture" else default_encoder(game, ["squares"])
    shape = Shape(find_encoder(encoder, game).inputs, 1)
    genes = neat_text.read(found, shape, PAPER_A, widths).genes
    return graph.unpack(neat.express(genes, PAPER_A), 0), encoder


def read_network(source: Any, activation: str = "tanh") -> Network:
    """Return the network in one of the forms above; PartError says what is missing."""
    if hasattr(source, "node_evals"):
        return _neat_network(source)
    if isinstance(source, Mapping) and "connections" in source:
        return _neat_export(source)
    if isinstance(source, Mapping) and "layers" in source:
        return _layers(source["layers"], activation)
    if isinstance(source, Mapping) and "kind" in source:
        return _own(source)
    if isinstance(source, Sequence) and not isinstance(source, str) and source:
        return _layers(source, activation)
    raise PartError(f"this is not a network that can be read; it may be {FORMS}.")


def _own(data: Mapping[str, Any]) -> Network:
    """Return a network of ours, or that of a genome."""
    if data["kind"] == "real":
        vectors = real.from_json(data)
        sizes = tuple(vectors.sizes.tolist())
        design = Design(sizes, direct=vectors.vector.shape[1] != Design(sizes).length)
        return mlp.unpack(real.express(vectors, design), 0)
    for kind in (neat, layered):
        if data["kind"] == kind.__name__.rpartition(".")[2]:
            return graph.unpack(kind.express(kind.from_json(data), kind.Settings()), 0)
    return find_network_kind(data).from_json(data)


def fitting_encoder(game: Game, inputs: int) -> str:
    """Return the encoder of a game that gives that many inputs; OptionError if not one does."""
    fitting = encoders_with(inputs, game)
    if len(fitting) > 1:
        raise OptionError(f"{listed(fitting)} all give {inputs} inputs; name the encoder.")
    return fitting[0]


def _neat_export(data: Mapping[str, Any]) -> GraphNetwork:
    """Return the network that neat-python's `export_network_json` wrote."""
    kind = data.get("network_type", "feedforward")
    if kind != "feedforward":
        raise PartError(f"the network is {quoted(str(kind))}; only feedforward ones can play here.")
    try:
        inputs = [int(key) for key in data["topology"]["input_keys"]]
        outputs = [int(key) for key in data["topology"]["output_keys"]]
        nodes = [
            _Node(
                int(node["id"]),
                str(node["activation"]["name"]),
                str(node["aggregation"]["name"]),
                float(node["bias"]),
                float(node["response"]),
            )
            for node in data["nodes"]
            if node["type"] != "input"
        ]
        links = [
            (int(link["from"]), int(link["to"]), float(link["weight"]))
            for link in data["connections"]
            if link.get("enabled", True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise PartError(
            f"neat-python's network lacks {error}, or it is of another type; was it cut short?"
        ) from None
    return _graph(inputs, outputs, nodes, links)


def _neat_network(network: Any) -> GraphNetwork:
    """Return a FeedForwardNetwork of neat-python."""
    nodes, links = [], []
    for key, act, aggregate, bias, response, sources in network.node_evals:
        names = (str(f.__name__) for f in (act, aggregate))
        act_name, sum_name = (n.rpartition("_")[0] for n in names)  # tanh_activation
        nodes.append(_Node(key, act_name, sum_name, float(bias), float(response)))
        links += [(source, key, float(weight)) for source, weight in sources]
    return _graph(list(network.input_nodes), list(network.output_nodes), nodes, links)


class _Node(NamedTuple):
    """A node of neat-python; `steepness` makes our activation its own."""

    key: int
    activation: str
    aggregation: str
    bias: float
    response: float

    @property
    def steepness(self) -> float:
        return NEAT_STEEPNESS.get(self.activation, 1.0)


def _graph(
    inputs: Sequence[int],
    outputs: Sequence[int],
    nodes: Sequence[_Node],
    links: Sequence[tuple[int, int, float]],
) -> GraphNetwork:
    """Return the network of nodes and links, each known by its keys, in an order that computes."""
    known, sources = set(inputs), {node.key: list[tuple[int, float]]() for node in nodes}
    for source, target, weight in links:
        if (source not in known and source not in sources) or target not in sources:
            raise PartError(f"a link leads from {source} to {target}, but they are not both there.")
        sources[target].append((source, weight))
    if missing := [key for key in outputs if key not in sources]:
        raise PartError(
            f"output {missing[0]} is not a node of the network, or no link leads to it."
        )
    before = {key: [s for s, _ in found if s in sources] for key, found in sources.items()}
    try:
        keys = list(TopologicalSorter(before).static_order())
    except CycleError:
        raise PartError("links form a cycle; a network that plays here has none.") from None
    slots = {key: slot for slot, key in enumerate([*inputs, *keys])}
    ordered = sorted(nodes, key=lambda node: slots[node.key])
    rows = [sources[key] for key in keys]
    return GraphNetwork(
        inputs=len(inputs),
        outputs=[slots[key] - len(inputs) for key in outputs],
        start=np.cumsum([0, *map(len, rows)]),
        source=np.array([slots[source] for row in rows for source, _ in row], np.int64),
        weight=np.array([weight for row in rows for _, weight in row], np.float64),
        bias=np.array([node.bias for node in ordered]),
        response=np.array([node.response for node in ordered]),
        steepness=np.array([node.steepness for node in ordered]),
        activation=[node.activation for node in ordered],
        aggregation=[node.aggregation for node in ordered],
    )


def _layers(layers: Any, activation: str) -> MLPNetwork:
    """Return the layered network of weights and biases, one entry for each layer."""
    if not isinstance(layers, Sequence) or isinstance(layers, str) or not layers:
        raise PartError("layers must be a list, one entry for each layer after the inputs.")
    sizes, activations, vector = list[int](), list[str](), list[Any]()
    for number, layer in enumerate(layers, 1):
        weights, biases, name = _layer(layer, number, activation)
        if sizes and weights.shape[0] != sizes[-1]:
            raise PartError(
                f"layer {number} has {weights.shape[0]} rows of weights, but {sizes[-1]} sources "
                "lead to it; weights[i][j] leads from source i to node j (transpose PyTorch's)."
            )
        sizes += [*([] if sizes else [weights.shape[0]]), weights.shape[1]]
        activations.append(name)
        vector += [biases, weights.ravel()]
    return MLPNetwork(Design(tuple(sizes), tuple(activations)), np.concatenate(vector))


def _layer(layer: Any, number: int, activation: str) -> tuple[Any, Any, str]:
    if isinstance(layer, Mapping):
        weights, biases = layer.get("weights"), layer.get("biases")
        activation = str(layer.get("activation", activation))
    elif isinstance(layer, Sequence) and len(layer) == 2:
        weights, biases = layer
    else:
        raise PartError(f"layer {number} is not weights and biases; write [weights, biases].")
    try:
        matrix = np.asarray(weights, np.float64)
        row = np.zeros(matrix.shape[-1]) if biases is None else np.asarray(biases, np.float64)
    except (TypeError, ValueError, IndexError):
        matrix, row = np.zeros(0), np.zeros(0)
    if matrix.ndim != 2 or row.ndim != 1:
        raise PartError(
            f"the weights of layer {number} must be rows of numbers, equally long, and its biases "
            "one row of numbers."
        )
    if len(row) != matrix.shape[1]:
        raise PartError(
            f"layer {number} has {len(row)} biases for {matrix.shape[1]} nodes; weights[i][j] "
            "leads from source i to node j (transpose PyTorch's)."
        )
    return matrix, row, activation
