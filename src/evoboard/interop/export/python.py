"""python: the network as one plain Python file that needs nothing but itself.

`evaluate(inputs)` returns the outputs, `INPUTS` says what the inputs are, and where the encoder is
simple `inputs_of(board)` makes them. It computes with Python's own floats, of twice the digits.
"""

from __future__ import annotations

import inspect
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from evoboard.core.errors import OptionError
from evoboard.interop.export.python_boards import board_function
from evoboard.networks.graph_network import GraphNetwork
from evoboard.networks.layers import layers_of, node_links
from evoboard.networks.mlp_network import MLPNetwork
from evoboard.networks.text import exact
from evoboard.players.network import PlayerNetwork, one_line

SUMMARY = "one Python file without dependencies: evaluate(inputs)"
ENDINGS = (".py",)
WIDTH = 100

# By activation: its parameters, and what it returns. Ends of 87 and 60: beyond them evoboard's
# exponential and sine stay as they are there.
ACTIVATIONS = {
    "unilateral": ("bound, steepness", "bound * math.tanh(steepness * x / 2) if x > 0 else 0.0"),
    "bilateral": ("bound, steepness", "bound * math.tanh(steepness * x / 2)"),
    "tanh": ("bound, steepness", "bound * math.tanh(steepness * x)"),
    "sigmoid": ("bound, steepness", "bound / (1 + math.exp(within(-steepness * x, 87)))"),
    "relu": ("", "x if x > 0 else 0.0"),
    "elu": (
        "bound, steepness",
        "x if x > 0 else bound * (math.exp(within(steepness * x, 87)) - 1)",
    ),
    "clamped": ("bound, steepness", "within(steepness * x, bound)"),
    "lelu": ("", "x if x > 0 else 0.005 * x"),
    "selu": (
        "",
        "1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * (math.exp(within(x, 87)) - 1))",
    ),
    "softplus": (
        "steepness",
        "(max(steepness * x, 0.0) + math.log(1 + math.exp(within(-abs(steepness * x), 87)))) "
        "/ steepness",
    ),
    "hat": ("bound, steepness", "bound * max(1 - abs(steepness * x), 0.0)"),
    "gauss": ("bound, steepness", "bound * math.exp(within(-steepness * x * x, 87))"),
    "sin": ("bound, steepness", "bound * math.sin(within(steepness * x, 60))"),
    "exp": ("", "math.exp(within(x, 87))"),
    "log": ("", "math.log(x if x > 1e-7 else 1e-7)"),
    "square": ("", "x * x"),
    "cube": ("", "x * x * x"),
    "inv": ("", "1 / x if x else 0.0"),
}
BUILT_IN = ("identity", "abs")  # that need no function of their own
AGGREGATIONS = {
    "sum": "",
    "max": "",
    "min": "",
    "product": "math.prod(values)",
    "mean": "sum(values) / len(values)",
    "median": "(sorted(values)[(len(values) - 1) // 2] + sorted(values)[len(values) // 2]) / 2",
    "maxabs": "max(values, key=abs)",
}

WEIGHTED = """\
def weighted(weights, values):
    return sum(weight * value for weight, value in zip(weights, values))"""
WITHIN = """\
def within(x, end):
    x = x if x < end else end
    return x if x > -end else -end"""


def export(subject: PlayerNetwork) -> str:
    """Return the Python file."""
    network, board = subject.network, board_function(subject).strip()
    body = _graph(subject, network) if isinstance(network, GraphNetwork) else _layers(network)
    functions = list(_functions(network))
    imported = ["import math", ""] if any("math." in function for function in functions) else []
    head = [*_comment(subject, bool(board)), "", *imported, *_names(subject)]
    parts = ["\n".join(head), board, "\n".join(body), *functions]
    return "\n\n\n".join(part for part in parts if part) + "\n"


def _comment(subject: PlayerNetwork, simple: bool) -> Iterator[str]:
    """Yield what the file is, and what its inputs are where no function makes them."""
    game = one_line(subject.game.name)
    who = f"{subject.title}, a network for {game}" if subject.about.get("title") else subject.title
    told = f"{who}. evaluate(inputs) returns its outputs; INPUTS says what the inputs are."
    told = f"{told} {subject.meaning}"
    yield from (f"# {line}" for line in textwrap.wrap(told, WIDTH - 2))
    if simple:
        return
    lines = _encoder_text(subject).splitlines()
    end = ":" if lines else "."
    yield from ("#", f"# The inputs are those of the encoder {one_line(subject.encoder.name)}{end}")
    for line in lines:
        shown = "".join(c if c.isprintable() else " " for c in line)
        yield f"#   {shown}".rstrip()


def _names(subject: PlayerNetwork) -> Iterator[str]:
    for title, names in (("INPUTS", subject.inputs), ("OUTPUTS", subject.outputs)):
        yield from _tuple(title, (json.dumps(name, ensure_ascii=False) for name in names))


def _encoder_text(subject: PlayerNetwork) -> str:
    """Return what the encoder's file says about it; of a user's own, its function."""
    encode = subject.encoder.encode
    module = sys.modules.get(encode.__module__)
    ours = encode.__module__.startswith("evoboard.")
    told = inspect.cleandoc(str((module.__doc__ if module and ours else encode.__doc__) or ""))
    if not ours and not told:
        with suppress(OSError, TypeError):
            told = inspect.getsource(encode)
    spread = getattr(module, "SPREAD", None) if ours else None
    return f"{told}\n\nSPREAD = {spread}" if spread else told


def _graph(subject: PlayerNetwork, network: GraphNetwork) -> Iterator[str]:
    """Yield `evaluate` of a graph: every node is a local variable, every link a line."""
    yield from _beginning()
    shape: list[Any] = [network.bias, network.response, network.bound, network.steepness]
    numbers = np.stack(shape, axis=1)
    columns = zip(network.activation, network.aggregation, strict=True)
    for node, (activation, aggregation) in enumerate(columns):
        links = node_links(network, node)
        bias, response, bound, steepness = exact(numbers[node])
        times = "" if response == 1 else f"{response!r} * "
        call, end = _call(activation, bound, steepness)
        if not links:  # a product of nothing is 1, everything else of nothing 0
            alone = bias + response if aggregation == "product" else bias
            yield f"    n{node} = {call}{alone!r}{end}"
            continue
        yield f"    n{node} = {call}{bias!r} + {times}{aggregation}(("
        weights = exact(np.array([weight for _, weight in links]))
        for (slot, _), weight in zip(links, weights, strict=True):
            if slot < network.inputs:
                yield f"        {weight!r} * inputs[{slot}],  # {subject.inputs[slot]}"
            else:
                yield f"        {weight!r} * n{slot - network.inputs},"
        yield f"    )){end}"
    yield f"    return [{', '.join(f'n{node}' for node in network.outputs)}]"


def _layers(network: MLPNetwork) -> Iterator[str]:
    """Yield the tables and `evaluate` of a layered network, one row of weights per node."""
    layers = layers_of(network)
    for number, layer in enumerate(layers, 1):
        yield from _tuple(f"BIASES_{number}", map(repr, exact(layer.bias)))
        yield from _rows(f"WEIGHTS_{number}", [exact(row) for row in layer.weights.T])
        if layer.direct is not None:
            yield from _rows("DIRECT", [exact(row) for row in layer.direct.T])
    yield from ("", "", *_beginning())
    before = "inputs"
    for number, layer in enumerate(layers, 1):
        target = "outputs" if number == len(layers) else f"layer_{number}"
        names, tables = ["bias", "weights"], [f"BIASES_{number}", f"WEIGHTS_{number}"]
        terms = ["bias", f"weighted(weights, {before})"]
        if layer.direct is not None:
            names, tables = [*names, "direct"], [*tables, "DIRECT"]
            terms.append("weighted(direct, inputs)")
        if number == len(layers) and network.design.difference:
            terms.append(f"{network.design.difference!r} * sum(inputs)")
        call, end = _call(layer.activation, layer.bound, layer.steepness)
        yield f"    {target} = ["
        yield f"        {call}{' + '.join(terms)}{end}"
        yield f"        for {', '.join(names)} in zip({', '.join(tables)})"
        yield "    ]"
        before = target
    yield "    return outputs"


def _beginning() -> Iterator[str]:
    yield "def evaluate(inputs):"
    yield '    """Return the outputs for these inputs, in the order of INPUTS and OUTPUTS."""'
    yield "    if len(inputs) != len(INPUTS):"
    yield '        raise ValueError(f"{len(inputs)} inputs are given, not {len(INPUTS)}.")'


def _call(activation: str, bound: float, steepness: float) -> tuple[str, str]:
    """Return what stands before and behind the sum that reaches a node."""
    if activation in BUILT_IN:
        return ("abs(", ")") if activation == "abs" else ("", "")
    if activation not in ACTIVATIONS:
        raise OptionError(f"the activation {activation} has no Python form in this evoboard.")
    given = {"bound": bound, "steepness": steepness}
    takes = [name for name in given if name in ACTIVATIONS[activation][0]]
    more = "".join(f", {name}={given[name]!r}" for name in takes if given[name] != 1)
    return f"{activation}(", f"{more})"


def _functions(network: GraphNetwork | MLPNetwork) -> Iterator[str]:
    """Yield the functions that `evaluate` calls."""
    if isinstance(network, GraphNetwork):
        activations, aggregations = set(network.activation), set(network.aggregation)
    else:
        activations, aggregations = set(network.design.activations), {"weighted"}
    bodies = []
    for name in sorted(activations.intersection(ACTIVATIONS)):
        takes, body = ACTIVATIONS[name]
        arguments = ["x", *(f"{word}=1.0" for word in takes.split(", ") if word)]
        bodies.append(f"def {name}({', '.join(arguments)}):\n    return {body}")
    for name in sorted(aggregations.intersection(AGGREGATIONS)):
        if AGGREGATIONS[name]:
            bodies.append(f"def {name}(values):\n    return {AGGREGATIONS[name]}")
    if "weighted" in aggregations:
        bodies.append(WEIGHTED)
    if any("within(" in body for body in bodies):
        bodies.append(WITHIN)
    yield from bodies


def _tuple(name: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a table of items, as many on a line as fit."""
    yield f"{name} = ("
    yield from _wrapped(items)
    yield ")"


def _rows(name: str, rows: Iterable[list[float]]) -> Iterator[str]:
    """Yield a table of rows of numbers."""
    yield f"{name} = ("
    for row in rows:
        yield "    ("
        yield from (f"    {line}" for line in _wrapped(map(repr, row)))
        yield "    ),"
    yield ")"


def _wrapped(items: Iterable[str]) -> Iterator[str]:
    line = ""
    for item in items:
        if line and len(line) + len(item) + 2 > WIDTH - 8:
            yield f"    {line}"
            line = ""
        line += f"{' ' if line else ''}{item},"
    yield f"    {line}"
