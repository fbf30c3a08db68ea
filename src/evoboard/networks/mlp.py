"""Layered networks, every node linked to all of the layer before.

All networks of a pack have one architecture; each is its *vector*, layer by layer first the biases,
then the weights (those of the first source, those of the second, …), at last the weights of the
links from inputs straight to outputs, where there are any, in the same order.

    shape   uint32   inputs, layers, 1 with direct links; per layer: width, activation
    number  float32  per network: the difference weight; per layer bound and steepness; the vector
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import with_constants
from evoboard.networks.activations import ACTIVATIONS, TANH, activate, activation_code, tanh
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.networks.mlp_network import from_json as from_json
from evoboard.networks.text import Source, fit_inputs

F = np.float32
ZERO = F(0)
# Unsigned cursors: for a signed index, Numba asks at every access whether it counts from the end.
_UNSIGNED: list[Any] = [np.uint32(i) for i in range(9)]
U0, U1, U2, U3, U4, U5, U6, U7, U8 = _UNSIGNED
PER_UNIT, UNIT = F(2.0**20), F(2.0**-20)
LARGEST_WEIGHT, LARGEST_TOTAL = 16.0, F(127)  # with these, sums in units are within 32 bits
LEAST_WEIGHT = 2.0**-6  # of smaller ones whole units would leave too little
WIDE = 64  # from this width on, what has changed takes less time than all inputs


class MLPPack(NamedTuple):
    """Networks as the rows of `number`, and the shape they share."""

    shape: Array
    number: Array
    inputs: int
    outputs: int


class MLPMember(NamedTuple):
    """One network: the shape and a row of `number`."""

    shape: Array
    number: Array


def member(pack: Any, index: int) -> Any:
    """Return network `index` of a pack, as views without copying."""
    return MLPMember(pack.shape, pack.number[index])


def forward_all(network: Any, values: Array, outputs: Array) -> None:
    """Write every output into `outputs`; `values` as for `forward`."""
    slot = _fill(network, values, 0, 0, U0)
    width = network.shape[U1 + U2 * network.shape[U1]]
    for i in range(width):
        outputs[i] = values[slot + i]


def forward(network: Any, values: Array) -> np.float32:
    """Return the first output; `values[:inputs]` hold the inputs, the rest is scratch."""
    return values[_fill(network, values, 0, 0, U0)]


def forward_listed(network: Any, values: Array, count: int, unlisted: int) -> np.float32:
    """Return the first output for inputs that are listed in `values`, as pairs of place and number;
    those from place `unlisted` on are in their places.

    The sums are those of `forward` but for the order in which they are added.
    """
    return values[_fill_listed(network, values, count, unlisted, U0)]


def forward_changed(
    network: Any, values: Array, count: int, unlisted: int, side: int
) -> np.float32:
    """Return what `forward_listed` does, but for rounding, from what has changed since last time.

    The last `values` remember, for either side to move, the last inputs and what they add to
    the first layer. That is counted in whole UNITs: whole numbers come and go without a trace, so a
    position has the same value whatever came before it. All 0 is to remember nothing.
    """
    kept = np.uint32(values.shape[0] - (2 - side) * _kept(network.shape))
    return values[_fill_changed(network, values, count, unlisted, kept)]


def _kept(shape: Array) -> np.uint32:
    """Return how many numbers are remembered for a side: how many were listed, inputs, sums."""
    return U1 + shape[U0] + shape[U3]


def _fill(network: Any, values: Array, count: int, unlisted: int, kept: int) -> int:
    """Write the values of all layers behind the inputs; return where those of the outputs begin."""
    shape, number = network.shape, network.number
    inputs, layers = shape[U0], shape[U1]
    source, fan, target = U0, inputs, inputs
    cursor = U1 + U2 * layers
    for layer in range(layers):
        width = shape[U3 + U2 * layer]
        for j in range(width):
            values[target + j] = number[cursor + j]
        cursor += width
        if layer == U0:
            add_inputs(number, cursor, values, inputs, count, unlisted, kept, target, width)
        else:
            _add_products(number, cursor, values, source, fan, target, width)
        cursor += fan * width
        if layer + U1 == layers:
            if shape[U2] == U1:
                add_inputs(number, cursor, values, inputs, count, unlisted, U0, target, width)
            if number[U0] != ZERO:
                difference = number[U0] * sum_inputs(values, inputs, count, unlisted)
                for j in range(width):
                    values[target + j] += difference
        bound, steepness = number[U1 + U2 * layer], number[U2 + U2 * layer]
        _activate_all(shape[U3 + U1 + U2 * layer], values, target, width, bound, steepness)
        source, fan, target = target, width, target + width
    return source


def add_inputs(
    number: Array,
    weights: int,
    values: Array,
    inputs: int,
    count: int,
    unlisted: int,
    kept: int,
    target: int,
    width: int,
) -> None:
    """Add to every target each input times its weight."""
    _add_products(number, weights, values, U0, inputs, target, width)


def sum_inputs(values: Array, inputs: int, count: int, unlisted: int) -> np.float32:
    """Return the sum of all inputs: the difference in pieces."""
    total = ZERO
    for i in range(inputs):
        total += values[i]
    return total


def _add_listed(
    number: Array,
    weights: int,
    values: Array,
    inputs: int,
    count: int,
    unlisted: int,
    kept: int,
    target: int,
    width: int,
) -> None:
    """Add to every target each input, listed or not, times its weight."""
    if width == U1:  # sums that wait neither for memory nor for each other
        one, two, at = values[target], ZERO, np.uint64(0)
        for _ in range(count >> 1):
            one += values[at + U1] * number[weights + np.uint32(values[at])]
            two += values[at + U3] * number[weights + np.uint32(values[at + U2])]
            at += U4
        if count & 1:
            one += values[at + U1] * number[weights + np.uint32(values[at])]
        values[target] = one + two + _sum_products(number, weights, values, unlisted, inputs)
        return
    _add_products(
        number, weights + unlisted * width, values, unlisted, inputs - unlisted, target, width
    )
    for i in range(count):
        amount, row = values[2 * i + 1], weights + np.uint32(values[2 * i]) * width
        for n in range(width):
            values[target + n] += amount * number[row + n]


def _add_changed(
    number: Array,
    weights: int,
    values: Array,
    inputs: int,
    count: int,
    unlisted: int,
    kept: int,
    target: int,
    width: int,
) -> None:
    """Do the same for the first layer, from what has changed since the last inputs."""
    if kept == U0 or not _total(values, inputs, count, unlisted) < LARGEST_TOTAL:
        _add_listed(number, weights, values, inputs, count, unlisted, kept, target, width)
        return
    last = kept + U1
    sums = values[last + inputs : last + inputs + width].view(np.int32)
    for i in range(unlisted, inputs):
        if values[i] != values[last + i]:
            row = weights + i * width
            _change(number, row, values[i], row, values[last + i], sums, width)
            values[last + i] = values[i]
    old, end = last, last + np.uint32(2) * np.uint32(values[kept])
    new, new_end = U0, np.uint32(2 * count)
    while old < end and new < new_end and _same(values, old, new):
        old += U2
        new += U2
    begin = new
    while old < end or new < new_end:
        both = old < end and new < new_end
        if both and _same(values, old, new):
            old += U2
            new += U2
            continue
        # Mostly one was put in or taken out; where it looks like neither, one stands for the other.
        came = new < new_end and not (both and old + U2 < end and _same(values, old + U2, new))
        went = old < end and not (both and new + U2 < new_end and _same(values, old, new + U2))
        came, went = came or not went, went or not came
        x, x_row, y, y_row = ZERO, U0, ZERO, U0
        if came:
            x, x_row = values[new + U1], np.uint32(values[new])
            new += U2
        if went:
            y, y_row = values[old + U1], np.uint32(values[old])
            old += U2
        _change(number, weights + x_row * width, x, weights + y_row * width, y, sums, width)
    values[kept] = F(count)
    for i in range(begin, new_end):
        values[last + i] = values[i]
    for n in range(width):
        values[target + n] += F(sums[n]) * UNIT


def _change(number: Array, x_row: int, x: F, y_row: int, y: F, sums: Array, width: int) -> None:
    """Add to the sums an input x that has come, and take away an input y that has gone."""
    x, y = x * PER_UNIT, y * PER_UNIT
    for n in range(width):
        sums[n] += np.int32(x * number[x_row + n]) - np.int32(y * number[y_row + n])


def _same(values: Array, one: int, other: int) -> bool:
    """Tell whether two pairs of place and number are the same."""
    return values[one] == values[other] and values[one + U1] == values[other + U1]


def _total(values: Array, inputs: int, count: int, unlisted: int) -> np.float32:
    """Return the sum of all inputs without their signs; as four sums, which takes less time."""
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    at = np.uint64(1)
    for _ in range(count >> 1):
        a += abs(values[at])
        b += abs(values[at + U2])
        at += U4
    if count & 1:
        a += abs(values[at])
    i = np.uint64(unlisted)
    for _ in range((inputs - unlisted) >> 2):
        a += abs(values[i])
        b += abs(values[i + U1])
        c += abs(values[i + U2])
        d += abs(values[i + U3])
        i += U4
    for _ in range((inputs - unlisted) & 3):
        a += abs(values[i])
        i += U1
    return (a + b) + (c + d)


def _add_sums(
    number: Array, weights: int, values: Array, source: int, fan: int, target: int, width: int
) -> None:
    """Do what `_add_products` does, faster for one target, in another order."""
    if width == U1:
        end = source + fan
        values[target] += _sum_products(number, weights - source, values, source, end)
    else:
        _add_products(number, weights, values, source, fan, target, width)


def _sum_products(number: Array, weights: int, values: Array, first: int, end: int) -> np.float32:
    """Return the sum of inputs times their weights; as eight sums, which vectorises."""
    a, b, c, d, e, f, g, h = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    i, w, left = np.uint64(first), np.uint64(weights + first), end - first
    for _ in range(left >> 3):
        a += values[i] * number[w]
        b += values[i + U1] * number[w + U1]
        c += values[i + U2] * number[w + U2]
        d += values[i + U3] * number[w + U3]
        e += values[i + U4] * number[w + U4]
        f += values[i + U5] * number[w + U5]
        g += values[i + U6] * number[w + U6]
        h += values[i + U7] * number[w + U7]
        i += U8
        w += U8
    for _ in range(left & 7):
        a += values[i] * number[w]
        i += U1
        w += U1
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


def _sum_listed(values: Array, inputs: int, count: int, unlisted: int) -> np.float32:
    """Return the sum of all inputs, listed or not."""
    total = ZERO
    for i in range(count):
        total += values[2 * i + 1]
    for i in range(unlisted, inputs):
        total += values[i]
    return total


def _add_products(
    number: Array, weights: int, values: Array, source: int, fan: int, target: int, width: int
) -> None:
    """Add to every target each source times its weight, the sources in order.

    Sources of 0 are passed over, which changes no sum, and four of the others are added in one go
    over the targets, which vectorises: no target waits for another.
    """
    end = source + fan
    last = end - U1
    i = _next(values, source, end)
    while i < end:
        j = _next(values, i + U1, end)
        k = _next(values, j + U1, end)
        m = _next(values, k + U1, end)
        # Behind the end there is nothing to add: 0 times any weight.
        x = values[i]
        y = values[j] if j < end else ZERO
        z = values[k] if k < end else ZERO
        w = values[m] if m < end else ZERO
        x_row = weights + (i - source) * width
        y_row = weights + (min(j, last) - source) * width
        z_row = weights + (min(k, last) - source) * width
        w_row = weights + (min(m, last) - source) * width
        for n in range(width):
            total = values[target + n] + x * number[x_row + n]
            total += y * number[y_row + n]
            total += z * number[z_row + n]
            values[target + n] = total + w * number[w_row + n]
        i = _next(values, m + U1, end)


def _next(values: Array, slot: int, end: int) -> int:
    """Return the first slot from `slot` on that is not 0, or one not before `end`."""
    while slot < end and values[slot] == ZERO:
        slot += U1
    return slot


def _activate_all(
    code: int, values: Array, first: int, width: int, bound: np.float32, steepness: np.float32
) -> None:
    """Put the activation of each value in its place."""
    if code == TANH:
        # Apart from the others because this loop vectorises.
        for j in range(width):
            values[first + j] = bound * tanh(steepness * values[first + j])
    else:
        for j in range(width):
            values[first + j] = activate(code, values[first + j], bound, steepness)


# After all that it calls.
_fill_listed = with_constants(_fill, add_inputs=_add_listed, sum_inputs=_sum_listed)
_fill_changed = with_constants(
    _fill, add_inputs=_add_changed, sum_inputs=_sum_listed, _add_products=_add_sums
)


def pack(networks: Sequence[MLPNetwork]) -> MLPPack:
    """Return a population as one pack; all must have the same architecture."""
    if not networks:
        raise OptionError("a pack needs at least one network; none was given.")
    design = networks[0].design
    for i, network in enumerate(networks):
        if network.design != design:
            raise OptionError(
                f"network {i} is {network.design.text}, network 0 is {design.text}; in one pack "
                "these must be equal."
            )
    shape, numbers = described(design)
    head = np.array(numbers, np.float32)
    number = np.stack([np.concatenate([head, network.vector]) for network in networks])
    return MLPPack(np.array(shape, np.uint32), number, design.sizes[0], design.sizes[-1])


def described(design: Design) -> tuple[list[int], list[float]]:
    """Return a design as whole numbers (inputs, layers, direct; width and activation by layer) and
    others (difference; bound and steepness by layer)."""
    kinds = [activation_code(name) for name in design.activations]
    layers = [n for layer in zip(design.sizes[1:], kinds, strict=True) for n in layer]
    slopes = [n for pair in zip(design.bounds, design.steepness, strict=True) for n in pair]
    return [design.sizes[0], len(kinds), int(design.direct), *layers], [design.difference, *slopes]


def size(pack: MLPPack) -> int:
    """Return how many networks a pack holds."""
    return len(pack.number)


def require_inputs(pack: MLPPack, encoder: Source) -> None:
    """Raise OptionError if the networks of a pack do not fit an encoder."""
    fit_inputs(pack.inputs, encoder)


def scratch_size(pack: MLPPack) -> int:
    """Return how many float32 `values` the networks of a pack need."""
    return int(pack.shape[0] + pack.shape[3::2].sum())


def kept_size(pack: MLPPack, index: int) -> int:
    """Return how many `values` more `forward_changed` needs for a network.

    0 where it takes as long as `forward_listed` does, or where whole UNITs do not fit the weights.
    """
    network = unpack(pack, index)
    largest = np.abs(network.vector[network.design.weights(0)]).max()
    fits = network.design.sizes[1] >= WIDE and LEAST_WEIGHT <= largest <= LARGEST_WEIGHT
    return 2 * int(_kept(pack.shape)) if fits else 0


def unpack(pack: MLPPack, index: int) -> MLPNetwork:
    """Return network `index` of a pack as a value."""
    row, layers = pack.number[index], int(pack.shape[1])
    head = 1 + 2 * layers
    design = Design(
        (int(pack.shape[0]), *(int(width) for width in pack.shape[3::2])),
        tuple(ACTIVATIONS[code] for code in pack.shape[4::2]),
        tuple(float(bound) for bound in row[1:head:2]),
        tuple(float(slope) for slope in row[2:head:2]),
        bool(pack.shape[2]),
        float(row[0]),
    )
    return MLPNetwork(design, row[head:])
