"""Random numbers inside kernels: of 0..1, and of the normal distribution.

A sequence is an int64 number stepped by `core.rng.next_random`. Normal numbers come from a
ziggurat (Marsaglia & Tsang 2000, with Doornik's doubles): the area under e^(-x²/2), x > 0, is cut
into 256 layers of equal area; layer i reaches from 0 to EDGE[i] and lies wholly under the curve up
to EDGE[i + 1]. One number chooses layer, sign and place; 98.8% need no more than that.
"""

from __future__ import annotations

import math

import numpy as np

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.bits import shift_right
from evoboard.core.rng import next_random

LAYERS = 256
# Beyond it lies the tail; AREA is that of each layer, the lowest with the tail.
TAIL = 3.6541528853610088
AREA = 0.00492867323399


def _edges() -> Array:
    """Return the right edges of the layers, from the widest, lowest one up to 0."""
    edges = [AREA / math.exp(-0.5 * TAIL * TAIL), TAIL]
    while len(edges) < LAYERS:
        height = math.exp(-0.5 * edges[-1] ** 2) + AREA / edges[-1]
        edges.append(math.sqrt(-2.0 * math.log(height)))
    # Rounded, so that every processor's exponentials give the same edges; areas differ by 1e-7.
    return np.array([*edges, 0.0], np.float32).astype(np.float64)


EDGE = _edges()
HEIGHT = exact.exp(-0.5 * EDGE**2)
# From a whole number of -2^52 … 2^52 to a place in the layer.
STEP = EDGE[:-1] * 2.0**-52
UNIT = 2.0**-53
ELEVEN, LOW_BITS = np.int64(11), np.int64(LAYERS - 1)


def unit(number: np.int64) -> float:
    """Return the number as one of 0..1, 1 excluded."""
    return float(shift_right(number, 11)) * UNIT


def normal(number: np.int64) -> tuple[float, np.int64]:
    """Return a normal number of mean 0 and deviation 1, and the sequence's last number."""
    number = next_random(number)
    layer = number & LOW_BITS
    value = float(number >> ELEVEN) * STEP[layer]
    if abs(value) < EDGE[layer + 1]:
        return value, number
    return _rare(value, layer, number)


def _rare(value: float, layer: np.int64, number: np.int64) -> tuple[float, np.int64]:
    """Return a normal number where the first try fell beside the sure part of its layer."""
    while True:
        if layer == 0:
            return _tail(value, number)
        number = next_random(number)
        height = HEIGHT[layer] + unit(number) * (HEIGHT[layer + 1] - HEIGHT[layer])
        if height < math.exp(-0.5 * value * value):
            return value, number
        number = next_random(number)
        layer = number & LOW_BITS
        value = float(number >> ELEVEN) * STEP[layer]
        if abs(value) < EDGE[layer + 1]:
            return value, number


def _tail(side: float, number: np.int64) -> tuple[float, np.int64]:
    """Return a normal number beyond TAIL, of the sign of `side` (Marsaglia 1964)."""
    while True:
        number = next_random(number)
        # 1 - unit is never 0, whose logarithm does not exist.
        beyond = -math.log(1.0 - unit(number)) / TAIL
        number = next_random(number)
        if -2.0 * math.log(1.0 - unit(number)) > beyond * beyond:
            value = TAIL + beyond
            return (-value if side < 0.0 else value), number
