"""The first NEAT genomes: inputs linked to outputs, numbers drawn at random, no hidden node.

Paper A and the original link every input to every output; paper D's tables 1 to 3 give mean and
deviation of the first numbers. A share below 1 gives every genome as many links, drawn at random.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.evolution.genomes.neat import LIVE, Genes


class Draw(settings.Settings):
    """How a new number is drawn; bounds are the mutation's."""

    kind: Literal["gaussian", "uniform"] = Field(
        default="gaussian",
        description="mean and standard deviation, or mean plus and minus a bound",
    )
    mean: float = Field(default=0.0, description="mean of new numbers")
    spread: float = Field(default=1.0, ge=0, description="standard deviation, or bound")


class Settings(settings.Settings):
    """How the first genomes are made; new links and numbers that are reset are drawn alike."""

    share: float = Field(
        default=1.0, ge=0, le=1, description="share of input-output links at the start"
    )
    weight: Draw = Field(default=Draw(), description="first weights")
    bias: Draw = Field(default=Draw(spread=0.0), description="first biases")
    response: Draw = Field(default=Draw(mean=1.0, spread=0.0), description="first responses")


class Source(NamedTuple):
    """A `Draw` and its bounds, for kernels."""

    uniform: bool
    mean: float
    spread: float
    low: float
    high: float


def source(draw: Draw, low: float, high: float) -> Source:
    """Return a draw as kernels take it."""
    return Source(draw.kind == "uniform", draw.mean, draw.spread, low, high)


class Rates(NamedTuple):
    """The settings and what they need to know of the genomes."""

    share: float
    weight: Source
    bias: Source
    response: Source
    frozen: int
    activation: int
    aggregation: int
    inputs: int
    outputs: int


def begin(all_rates: Any, count: int, rng: np.random.Generator) -> Genes:
    """Return the first genomes; `all_rates` come from neat_rates.make_rates."""
    rates: Rates = all_rates.start
    inputs, outputs = rates.inputs, rates.outputs
    pairs = inputs * outputs
    links = round(rates.share * pairs)
    chosen = np.tile(np.arange(pairs), (count, 1))
    if links < pairs:
        chosen = np.sort(rng.permuted(chosen, axis=1)[:, :links], axis=1)
    number = chosen.reshape(-1)
    nodes = count * outputs
    return Genes(
        node_start=np.arange(count + 1) * outputs,
        node=np.tile(inputs + np.arange(outputs), count),
        bias=drawn(rates.bias, nodes, rng),
        response=drawn(rates.response, nodes, rng),
        activation=np.full(nodes, rates.activation),
        aggregation=np.full(nodes, rates.aggregation),
        link_start=np.arange(count + 1) * links,
        link=number,
        source=number % inputs,
        target=inputs + number // inputs,
        weight=drawn(rates.weight, len(number), rng),
        status=np.full(len(number), LIVE),
        frozen=np.full(len(number), rates.frozen),
        shape=np.array([inputs, outputs]),
    )


def drawn(source: Source, count: int, rng: np.random.Generator) -> Array:
    """Return new numbers."""
    if source.uniform:
        values = source.mean + source.spread * rng.uniform(-1.0, 1.0, count)
    else:
        values = rng.normal(source.mean, source.spread, count)
    return np.clip(values, source.low, source.high)
