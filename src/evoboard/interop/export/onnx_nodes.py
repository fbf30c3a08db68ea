"""The parts of an ONNX model: aggregations and activations made of ONNX's own operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.networks.activations import (
    EXP_END,
    LEAK,
    LOG_LEAST,
    SELU_DEPTH,
    SELU_SCALE,
    SIN_END,
)

Links = Sequence[Sequence[tuple[int, np.float32]]]  # by node: columns of the values, weights


class Chain:
    """Operations and constants in the order they are added; values go by their names."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[Any, str] = {}

    def add(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add an operation; return the name of its first result."""
        from onnx import helper

        name = f"{kind.lower()}_{len(self.nodes)}"
        names = [name, *(f"{name}_{i}" for i in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name, **attributes))
        return name

    def constant(self, numbers: Any, kind: Any = np.float32) -> str:
        """Return the name of an array; equal ones are kept once."""
        from onnx import numpy_helper

        array = np.ascontiguousarray(numbers, kind)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = f"constant_{len(self._known)}"
            self.constants.append(numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def columns(self, values: str, chosen: Sequence[int]) -> str:
        """Return these columns of (batch, n) values."""
        return self.add("Gather", values, self.constant(chosen, np.int64), axis=1)

    def rename(self, name: str, wanted: str) -> None:
        """Give the last operation's result the name that the model promises."""
        assert list(self.nodes[-1].output) == [name]
        self.nodes[-1].output[0] = wanted


def aggregated(chain: Chain, kind: str, values: str, links: Links) -> str:
    """Return (batch, nodes): what reaches nodes that gather their links alike."""
    if kind in ("sum", "mean"):
        return _weighed(chain, values, links, mean=kind == "mean")
    if kind not in GATHERERS:
        raise OptionError(f"the aggregation {kind} has no ONNX form in this evoboard.")
    parts = [_gathered(chain, kind, values, row) for row in links]
    return parts[0] if len(parts) == 1 else chain.add("Concat", *parts, axis=1)


def _weighed(chain: Chain, values: str, links: Links, mean: bool) -> str:
    """Return sums or means, all by one matrix."""
    # A node without links gets its 0 from a weight of 0.
    sources = sorted({place for row in links for place, _ in row}) or [0]
    row_of = {place: i for i, place in enumerate(sources)}
    matrix = np.zeros((len(sources), len(links)), np.float64)
    for node, row in enumerate(links):
        for place, weight in row:
            matrix[row_of[place], node] += float(weight) / (len(row) if mean else 1)
    return chain.add("MatMul", chain.columns(values, sources), chain.constant(matrix))


def _gathered(chain: Chain, kind: str, values: str, links: Sequence[tuple[int, np.float32]]) -> str:
    """Return (batch, 1): what reaches one node."""
    if not links:  # a product of nothing is 1, everything else of nothing 0
        zero = chain.add("Mul", chain.columns(values, [0]), chain.constant([0]))
        return chain.add("Add", zero, chain.constant([1])) if kind == "product" else zero
    weights = chain.constant([weight for _, weight in links])
    parts = chain.add("Mul", chain.columns(values, [place for place, _ in links]), weights)
    return GATHERERS[kind](chain, parts, len(links))


def _reduced(operation: str) -> Callable[[Chain, str, int], str]:
    return lambda chain, parts, count: chain.add(operation, parts, chain.constant([1], np.int64))


def _median(chain: Chain, parts: str, count: int) -> str:
    ordered = chain.add("TopK", parts, chain.constant([count], np.int64), outputs=2, axis=1)
    middle = chain.columns(ordered, sorted({(count - 1) // 2, count // 2}))
    return chain.add("ReduceMean", middle, chain.constant([1], np.int64))


def _maxabs(chain: Chain, parts: str, count: int) -> str:
    place = chain.add("ArgMax", chain.add("Abs", parts), axis=1, keepdims=1)
    return chain.add("GatherElements", parts, place, axis=1)


GATHERERS = {
    "product": _reduced("ReduceProd"),
    "max": _reduced("ReduceMax"),
    "min": _reduced("ReduceMin"),
    "median": _median,
    "maxabs": _maxabs,
}


def activated(chain: Chain, kind: str, x: str, bound: Array, steepness: Array) -> str:
    """Return the activations of (batch, nodes) values; bound and steepness are per node."""
    if kind in PLAIN:
        return PLAIN[kind](chain, x)
    if kind not in SHAPED:
        raise OptionError(f"the activation {kind} has no ONNX form in this evoboard.")
    return SHAPED[kind](chain, x, np.asarray(bound), np.asarray(steepness))


def _times(chain: Chain, x: str, factor: Any) -> str:
    """Return x times a number or a row of them; nothing is added for 1."""
    row = np.atleast_1d(np.asarray(factor, np.float32))
    return x if (row == 1).all() else chain.add("Mul", x, chain.constant(row))


def _within(chain: Chain, x: str, end: Any) -> str:
    """Return x, kept within ± a number or a row of them."""
    row = np.atleast_1d(np.asarray(end, np.float32))
    low = chain.add("Max", x, chain.constant(-row))
    return chain.add("Min", low, chain.constant(row))


def _exp(chain: Chain, x: str) -> str:
    return chain.add("Exp", _within(chain, x, EXP_END))


def _less_one(chain: Chain, x: str) -> str:
    return chain.add("Sub", x, chain.constant([1]))


def _below(chain: Chain, x: str) -> str:
    """Return x where it is negative, else 0."""
    return chain.add("Min", x, chain.constant([0]))


def _identity(chain: Chain, x: str) -> str:
    return chain.add("Identity", x)


def _selu(chain: Chain, x: str) -> str:
    above = _times(chain, chain.add("Relu", x), SELU_SCALE)
    rest = _times(chain, _less_one(chain, _exp(chain, _below(chain, x))), SELU_DEPTH)
    return chain.add("Add", above, rest)


def _log(chain: Chain, x: str) -> str:
    return chain.add("Log", chain.add("Max", x, chain.constant([LOG_LEAST])))


def _square(chain: Chain, x: str) -> str:
    return chain.add("Mul", x, x)


def _cube(chain: Chain, x: str) -> str:
    return chain.add("Mul", _square(chain, x), x)


def _inv(chain: Chain, x: str) -> str:
    zero, one = chain.constant([0]), chain.constant([1])
    none = chain.add("Equal", x, zero)
    inverse = chain.add("Div", one, chain.add("Where", none, one, x))
    return chain.add("Where", none, zero, inverse)


PLAIN: dict[str, Callable[[Chain, str], str]] = {
    "identity": _identity,
    "relu": lambda chain, x: chain.add("Relu", x),
    "lelu": lambda chain, x: chain.add("LeakyRelu", x, alpha=float(LEAK)),
    "selu": _selu,
    "exp": _exp,
    "log": _log,
    "abs": lambda chain, x: chain.add("Abs", x),
    "square": _square,
    "cube": _cube,
    "inv": _inv,
}


def _tanh(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    return _times(chain, chain.add("Tanh", _times(chain, x, steepness)), bound)


def _bilateral(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    # 2 / (1 + e^-y) - 1 = tanh(y / 2)
    return _tanh(chain, x, bound, steepness / 2)


def _unilateral(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    return chain.add("Relu", _bilateral(chain, x, bound, steepness))


def _sigmoid(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    near = _within(chain, _times(chain, x, steepness), EXP_END)
    return _times(chain, chain.add("Sigmoid", near), bound)


def _elu(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    # Only what is negative goes to the exponential, so that nothing can overflow.
    low = _exp(chain, _times(chain, _below(chain, x), steepness))
    return chain.add("Add", chain.add("Relu", x), _times(chain, _less_one(chain, low), bound))


def _clamped(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    return _within(chain, _times(chain, x, steepness), bound)


def _softplus(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    # log(1 + e^y) = max(y, 0) + log(1 + e^-|y|)
    y = _times(chain, x, steepness)
    small = _exp(chain, chain.add("Neg", chain.add("Abs", y)))
    rest = chain.add("Log", chain.add("Add", small, chain.constant([1])))
    return _times(chain, chain.add("Add", chain.add("Relu", y), rest), 1 / steepness)


def _hat(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    distance = chain.add("Abs", _times(chain, x, steepness))
    peak = chain.add("Relu", chain.add("Sub", chain.constant([1]), distance))
    return _times(chain, peak, bound)


def _gauss(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    return _times(chain, _exp(chain, _times(chain, _square(chain, x), -steepness)), bound)


def _sin(chain: Chain, x: str, bound: Array, steepness: Array) -> str:
    near = _within(chain, _times(chain, x, steepness), SIN_END)
    return _times(chain, chain.add("Sin", near), bound)


SHAPED: dict[str, Callable[[Chain, str, Array, Array], str]] = {
    "tanh": _tanh,
    "bilateral": _bilateral,
    "unilateral": _unilateral,
    "sigmoid": _sigmoid,
    "elu": _elu,
    "clamped": _clamped,
    "softplus": _softplus,
    "hat": _hat,
    "gauss": _gauss,
    "sin": _sin,
}
