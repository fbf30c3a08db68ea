"""Paper E's safe mutation: of several mutants the one that forgets least of what won games.

Inputs I of positions from games that the parent won are remembered. With λ_w(I) the parent's output
and λ_y(I) that of a mutant y:

    1. draw `tries` mutants y;
    2. the quality of y is the number of inputs on which its output has not fallen, λ_y ≥ λ_w;
    3. keep the best; among equals the one whose outputs fall least in all, Σ max(0, λ_w - λ_y).

The paper writes the second step as λ_y / λ_w ≥ 1. For λ_w > 0 that is the same; for λ_w < 0 it
would reward a mutant that thinks still less of a position that was won, so the meaning is followed.
A parent without won games has an ordinary mutant. The inputs must be such that a higher first
output speaks for the side that won.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.link import linked
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.genomes import real
from evoboard.evolution.operators import vector_mutation
from evoboard.networks import mlp
from evoboard.networks.mlp import forward, member
from evoboard.networks.mlp_network import Design


class Settings(BaseSettings):
    """How hard a mutation tries to be safe."""

    tries: int = Field(10, ge=1, le=10_000, description="mutants to choose from; 1 turns it off")
    positions: int = Field(20, ge=1, le=10_000, description="positions of won games to remember")


def mutate(
    parents: Array,
    won_inputs: Sequence[Array],
    design: Design,
    mutation: vector_mutation.Settings,
    settings: Settings,
    rng: np.random.Generator,
) -> Array:
    """Return a mutant of each parent (m, K); `won_inputs` has an array (k, inputs) for each."""
    chosen = np.empty(parents.shape)
    for i, parent in enumerate(parents):
        # As many are drawn where there is nothing to compare, so that no parent's mutants depend
        # on the games of another.
        copies = np.broadcast_to(parent, (settings.tries, len(parent)))
        mutants, best = vector_mutation.mutate(copies, mutation, rng), 0
        if settings.tries > 1 and len(won_inputs) and len(won_inputs[i]):
            found = outputs(np.vstack([parent, mutants]), won_inputs[i], design)
            best = safest(found[0], found[1:])
        chosen[i] = mutants[best]
    return chosen


def safest(before: Array, after: Array) -> int:
    """Return which row of `after` (tries, k) keeps most of `before` (k,)."""
    fall = np.maximum(0.0, before - after)
    quality, total = (fall == 0.0).sum(axis=1), fall.sum(axis=1)
    return int(np.lexsort((total, -quality))[0])


def outputs(vectors: Array, inputs: Array, design: Design) -> Array:
    """Return the first output of every vector's network on every input, float32 (n, k)."""
    pack = real.express(real.make(vectors, design), design)
    rows = np.require(inputs, np.float32, ["C", "W"])
    results = np.zeros((len(vectors), len(rows)), np.float32)
    linked(evaluate_all)(pack, rows, np.zeros(mlp.scratch_size(pack), np.float32), results)
    return results


def evaluate_all(pack: Any, rows: Array, values: Array, results: Array) -> None:
    """Write the first output of every network for every row of inputs."""
    for i in range(results.shape[0]):
        network = member(pack, i)
        for row in range(rows.shape[0]):
            for j in range(rows.shape[1]):
                values[j] = rows[row, j]
            results[i, row] = forward(network, values)
