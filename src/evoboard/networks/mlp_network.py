"""One layered network as a value: its design and its vector of biases and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, quoted
from evoboard.networks import text
from evoboard.networks.activations import WITHIN_BOUND, activation_code


@dataclass(frozen=True)
class Design:
    """What layered networks of one population share.

    `sizes` count inputs, hidden layers and outputs: (91, 40, 10, 1). `activations`, `bounds` and
    `steepness` have one entry per layer after the inputs, or one for all. With `direct`, links
    lead from every input straight to every output. `difference` is the weight, the same for ever,
    by which the sum of all inputs is added to every output's sum: the piece difference of
    Blondie24; 0 for none.
    """

    sizes: tuple[int, ...]
    activations: tuple[str, ...] = ("tanh",)
    bounds: tuple[float, ...] = (1.0,)
    steepness: tuple[float, ...] = (1.0,)
    direct: bool = False
    difference: float = 0.0

    def __post_init__(self) -> None:
        sizes = tuple(self.sizes)
        if len(sizes) < 2 or not all(_is_count(size) for size in sizes):
            raise OptionError(
                f"the sizes of a layered network are {quoted(sizes)}; they must be two or more "
                "whole numbers from 1, such as 91, 40, 10, 1."
            )
        layers = len(sizes) - 1
        put = object.__setattr__
        put(self, "sizes", tuple(int(size) for size in sizes))
        put(self, "direct", bool(self.direct))
        for name in ("activations", "bounds", "steepness"):
            given = tuple(getattr(self, name))
            if len(given) not in (1, layers):
                raise OptionError(
                    f"a network of {layers} layers has {len(given)} {name}; give 1 or {layers}."
                )
            put(self, name, given if len(given) == layers else given * layers)
        for name in self.activations:
            activation_code(name)
        for name in ("bounds", "steepness"):
            put(self, name, tuple(text.exact(text.numbers(getattr(self, name), name, 0.0))))
        weight = text.numbers([self.difference], "the difference weight")
        put(self, "difference", text.exact(weight)[0])

    @property
    def length(self) -> int:
        """Return how many numbers a vector has."""
        direct = self.sizes[0] * self.sizes[-1] if self.direct else 0
        return direct + sum(
            (fan + 1) * width for fan, width in zip(self.sizes, self.sizes[1:], strict=False)
        )

    @property
    def text(self) -> str:
        """Return the design in a few words: 91-40-10-1 tanh."""
        sizes = "-".join(map(str, self.sizes))
        kinds = self.activations if len(set(self.activations)) > 1 else self.activations[:1]
        extras = ["direct links"] * self.direct
        extras += [f"difference {self.difference:g}"] if self.difference else []
        return " ".join([sizes, "/".join(kinds), *extras])

    def biases(self, layer: int) -> slice:
        """Return where the biases of a layer (0 is the first after the inputs) are in a vector."""
        begin = sum(
            (fan + 1) * width
            for fan, width in zip(self.sizes[:layer], self.sizes[1 : layer + 1], strict=True)
        )
        return slice(begin, begin + self.sizes[layer + 1])

    def weights(self, layer: int) -> slice:
        """Return where the weights of a layer are, in the shape (sources, width)."""
        begin = self.biases(layer).stop
        return slice(begin, begin + self.sizes[layer] * self.sizes[layer + 1])


@dataclass(frozen=True, eq=False)
class MLPNetwork:
    """A design and the vector that fills it; `mlp.py` says in which order."""

    design: Design
    vector: Array

    def __post_init__(self) -> None:
        vector = text.numbers(self.vector, "weights and biases")
        if len(vector) != self.design.length:
            raise OptionError(
                f"the vector has {len(vector)} numbers; a network {self.design.text} has "
                f"{self.design.length} weights and biases."
            )
        object.__setattr__(self, "vector", vector)

    @property
    def inputs(self) -> int:
        """Return how many inputs there are."""
        return self.design.sizes[0]

    @property
    def outputs(self) -> int:
        """Return how many outputs there are."""
        return self.design.sizes[-1]

    @property
    def largest(self) -> float | None:
        """Return the largest value an output can have, None if there is no such bound."""
        return self.design.bounds[-1] if self.design.activations[-1] in WITHIN_BOUND else None

    def with_inputs(self, chosen: Sequence[int]) -> MLPNetwork:
        """Return the network that sees these of its inputs, in this order; -1: one that it does not
        know, which counts nothing."""
        places = np.array(chosen, np.int64)
        if self.design.difference and (places < 0).any():
            raise OptionError(
                "a network that adds up its inputs can have none that it does not know."
            )
        design = replace(self.design, sizes=(len(places), *self.design.sizes[1:]))
        kept = self.design.weights(0)
        after = slice(kept.stop, -self.inputs * self.outputs if self.design.direct else None)
        parts = [self.vector[: kept.start], self._rows(kept, places), self.vector[after]]
        if self.design.direct:
            parts.append(self._rows(slice(after.stop, None), places))
        return MLPNetwork(design, np.concatenate(parts))

    def _rows(self, kept: slice, places: Array) -> Array:
        """Return the weights from these inputs, one after another; 0 from input -1."""
        weights = self.vector[kept].reshape(self.inputs, -1)
        return np.where((places >= 0)[:, None], weights[places], np.float32(0)).ravel()

    def to_json(self) -> dict[str, Any]:
        """Return the network as JSON data; `from_json` gives it back exactly."""
        design = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self.design).items()
        }
        return text.form("mlp", {**design, "vector": text.exact(self.vector)})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MLPNetwork):
            return NotImplemented
        return self.design == other.design and np.array_equal(self.vector, other.vector)

    def __hash__(self) -> int:
        return hash((self.design, self.vector.tobytes()))


def from_json(data: Any) -> MLPNetwork:
    """Return the network in JSON data from `to_json`, or in their text."""
    content = text.content_of(data, "mlp")
    lists = {
        name: tuple(text.field(content, name, list))
        for name in ("sizes", "activations", "bounds", "steepness")
    }
    for name in lists["activations"]:
        if not isinstance(name, str):
            raise PartError(f"an activation of the network is {quoted(name)}; it must be a name.")
    design = Design(
        **lists,
        direct=text.field(content, "direct", bool),
        difference=text.field(content, "difference", float),
    )
    return MLPNetwork(design, text.field(content, "vector", list))


def _is_count(size: Any) -> bool:
    return isinstance(size, int | np.integer) and not isinstance(size, bool) and bool(size > 0)
