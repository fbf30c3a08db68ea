"""The first NEAT genomes: inputs linked to outputs, numbers drawn at random, no hidden node.

Paper A and the original link every input to every output; paper D's tables 1 to 3 give mean and
deviation of the first numbers. A share below 1 gives every genome as many links, drawn at random.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.rng import next_random
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import neat
from evoboard.evolution.genomes.neat import LIVE, Genes
from evoboard.evolution.operators.chance import normal, unit
from evoboard.networks.activations import activation_code, aggregation_code

# The number of a draw's kind, for kernels.
UNIFORM = 1


class Draw(settings.Settings):
    """How a new number is drawn, and the bounds it never leaves."""

    kind: Literal["gaussian", "uniform"] = Field(
        "gaussian",
        description="mean and standard deviation, or mean plus and minus a bound",
    )
    mean: float = Field(0.0, description="mean of new numbers")
    spread: float = Field(1.0, ge=0, description="standard deviation, or bound")
    low: float = Field(-30.0, description="smallest value")
    high: float = Field(30.0, description="largest value")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low:g} is above high {self.high:g}; swap them.")
        return self


class Settings(settings.Settings):
    """How the first genomes are made; new links and numbers that are reset are drawn alike."""

    share: settings.Share = Field(1.0, description="share of input-output links at the start")
    weight: Draw = Field(Draw(), description="initial weights")
    bias: Draw = Field(Draw(spread=0.0), description="initial biases")
    response: Draw = Field(Draw(mean=1.0, spread=0.0), description="initial responses")
    frozen: bool = Field(False, description="whether links start frozen")


class Basis(NamedTuple):
    """What operators know of the genomes they change."""

    shape: Shape
    genome: neat.Settings
    start: Settings


def begin(basis: Basis, count: int, rng: np.random.Generator) -> Genes:
    """Return the first genomes."""
    (inputs, outputs), genome, start = basis
    pairs = inputs * outputs
    links = round(start.share * pairs)
    chosen = np.tile(np.arange(pairs), (count, 1))
    if links < pairs:
        chosen = np.sort(rng.permuted(chosen, axis=1)[:, :links], axis=1)
    number = chosen.reshape(-1)
    nodes = count * outputs
    return Genes(
        node_start=np.arange(count + 1) * outputs,
        node=np.tile(inputs + np.arange(outputs), count),
        bias=drawn(start.bias, nodes, rng),
        response=drawn(start.response, nodes, rng),
        activation=np.full(nodes, activation_code(genome.output)),
        aggregation=np.full(nodes, aggregation_code(genome.aggregation)),
        link_start=np.arange(count + 1) * links,
        link=number,
        source=number % inputs,
        target=inputs + number // inputs,
        weight=drawn(start.weight, len(number), rng),
        status=np.full(len(number), LIVE),
        frozen=np.full(len(number), int(start.frozen)),
        shape=np.array([inputs, outputs]),
    )


def drawn(source: Draw, count: int, rng: np.random.Generator) -> Array:
    """Return new numbers."""
    if source.kind == "uniform":
        values = source.mean + source.spread * rng.uniform(-1.0, 1.0, count)
    else:
        values = rng.normal(source.mean, source.spread, count)
    return np.clip(values, source.low, source.high)


def drawn_anew(source: Any, number: np.int64) -> tuple[float, np.int64]:
    """Return a new number, drawn by a kernel, and the sequence's last number."""
    if source.kind == UNIFORM:
        number = next_random(number)
        value = source.mean + source.spread * (2.0 * unit(number) - 1.0)
    else:
        noise, number = normal(number)
        value = source.mean + source.spread * noise
    return min(max(value, source.low), source.high), number
