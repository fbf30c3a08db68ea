"""neat-python's FeedForwardNetwork, in seconds per call of ``activate``.

Translated: nothing. The network is built from node lists, without a genome or a configuration
file: every input and every hidden node is linked to the one output, the links that remain go from
inputs to hidden nodes. Sigmoid, sum and response 1, as in neat-python's own examples.
"""

import random
import timeit

from neat.activations import sigmoid_activation
from neat.aggregations import sum_aggregation
from neat.nn import FeedForwardNetwork


def neat_python_activate(
    inputs: int = 36, hidden: int = 10, links: int = 106, seed: int = 1, repeats: int = 5
) -> float:
    """Return the seconds of one evaluation, the best of `repeats` means over 2,000 calls."""
    rng = random.Random(seed)
    network = _network(inputs, hidden, links, rng)
    values = [rng.uniform(-1, 1) for _ in range(inputs)]
    calls = 2000
    times = timeit.repeat(lambda: network.activate(values), number=calls, repeat=repeats)
    return min(times) / calls


def _network(inputs: int, hidden: int, links: int, rng: random.Random) -> FeedForwardNetwork:
    """Return a network of one output; inputs are nodes -1, -2, ..., the output is node 0."""
    between = links - inputs - hidden
    if not hidden <= between <= hidden * inputs:
        raise ValueError(f"{links} links do not fit {inputs} inputs and {hidden} hidden nodes")
    sources = list(range(-1, -inputs - 1, -1))
    feeds: dict[int, list[int]] = {node: [] for node in range(1, hidden + 1)}
    for k in range(between):
        feeds[1 + k % hidden].append(sources[(k // hidden + k) % inputs])
    feeds[0] = [*sources, *range(1, hidden + 1)]

    def weights(ends: list[int]) -> list[tuple[int, float]]:
        return [(end, rng.uniform(-1, 1)) for end in ends]

    nodes = [
        (node, sigmoid_activation, sum_aggregation, rng.uniform(-1, 1), 1.0, weights(ends))
        for node, ends in feeds.items()
    ]
    return FeedForwardNetwork(sources, [0], nodes)
