"""Real vectors: the weights and biases of one layered network each.

    vector    float64 (n, length)  in the order that networks/mlp.py reads them
    strength  float64 (n, length)  the step size of each number, (n, 0) where a strategy has none
    sizes     int64 (layers + 1,)  inputs, hidden layers and outputs, shared by all

What the vectors fill, activations and all, is a design; it belongs to the settings of a strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError
from evoboard.core.settings import Settings as BaseSettings
from evoboard.core.settings import read
from evoboard.evolution.base import Genome
from evoboard.networks import mlp
from evoboard.networks.activations import Activation
from evoboard.networks.mlp_network import Design, MLPNetwork

# Beyond this a float32 is infinite.
LARGEST = float(np.finfo(np.float32).max)


class Genes(NamedTuple):
    """A population; the module says what each array holds."""

    vector: Array
    strength: Array
    sizes: Array


Width = Annotated[int, Field(ge=1, le=100_000)]
Positive = Annotated[float, Field(gt=0)]


class Settings(BaseSettings):
    """The network that vectors fill; inputs and outputs come from the game."""

    hidden: tuple[Width, ...] = Field((10,), description="nodes in each hidden layer")
    activation: Activation = Field("tanh", description="activation of hidden nodes")
    bound: Positive = Field(1.0, description="bound of the hidden activation")
    steepness: Positive = Field(1.0, description="steepness of the hidden activation")
    output_activation: Activation = Field("tanh", description="activation of outputs")
    output_bound: Positive = Field(1.0, description="bound of the output activation")
    output_steepness: Positive = Field(1.0, description="steepness of the output activation")
    direct: bool = Field(False, description="direct links from every input to every output")
    biases: bool = Field(True, description="false: every bias stays 0")
    difference: float = Field(
        0.0, description="fixed weight with which the sum of all inputs is added to every output"
    )

    def design(self, inputs: int, outputs: int) -> Design:
        """Return the design of these settings for that many inputs and outputs."""
        layers = len(self.hidden)
        return Design(
            sizes=(inputs, *self.hidden, outputs),
            activations=(self.activation,) * layers + (self.output_activation,),
            bounds=(self.bound,) * layers + (self.output_bound,),
            steepness=(self.steepness,) * layers + (self.output_steepness,),
            direct=self.direct,
            difference=self.difference,
        )


class RealGenome(Genome):
    """One genome: its network's sizes, its numbers and their step sizes, if there are any."""

    kind: Literal["real"]
    version: Literal[1]
    sizes: tuple[Width, ...] = Field(min_length=2)
    vector: tuple[float, ...]
    strength: tuple[Annotated[float, Field(ge=0)], ...]


def make(vector: Array, design: Design, strength: Array | None = None) -> Genes:
    """Return the population of these vectors, which fill networks of that design."""
    none = np.zeros((len(vector), 0))
    return Genes(vector, none if strength is None else strength, np.array(design.sizes))


def count(genes: Genes) -> int:
    """Return how many genomes there are."""
    return len(genes.vector)


def take(genes: Genes, indices: Array) -> Genes:
    """Return the chosen genomes, in that order."""
    chosen = np.asarray(indices, np.int64)
    return Genes(genes.vector[chosen], genes.strength[chosen], genes.sizes)


def join(parts: Sequence[Genes]) -> Genes:
    """Return several populations as one; all must fill networks of the same sizes."""
    if len({(tuple(part.sizes.tolist()), part.vector.shape[1]) for part in parts}) != 1:
        raise OptionError("vectors of networks of different sizes cannot be joined.")
    if len({part.strength.shape[1] for part in parts}) != 1:
        raise OptionError("vectors with step sizes cannot be joined with vectors without.")
    return Genes(
        np.concatenate([part.vector for part in parts]),
        np.concatenate([part.strength for part in parts]),
        parts[0].sizes,
    )


def complexity(genes: Genes) -> tuple[Array, Array]:
    """Return the number of hidden nodes and of weights of each genome."""
    genomes, length = genes.vector.shape
    hidden, biases = genes.sizes[1:-1].sum(), genes.sizes[1:].sum()
    return np.full(genomes, hidden, np.int64), np.full(genomes, length - biases, np.int64)


def genome(genes: Genes, index: int) -> RealGenome:
    """Return one genome as a value."""
    return RealGenome.model_construct(
        kind="real",
        version=1,
        sizes=tuple(genes.sizes.tolist()),
        vector=tuple(genes.vector[index].tolist()),
        strength=tuple(genes.strength[index].tolist()),
    )


def from_json(data: Any) -> Genes:
    """Return a population of the one genome in JSON data from `to_json`."""
    form = read(RealGenome, data, "genome")
    vector, strength = np.array([form.vector], np.float64), np.array([form.strength], np.float64)
    plain = Design(form.sizes).length
    if vector.shape[1] not in (plain, plain + form.sizes[0] * form.sizes[-1]):
        sizes = "-".join(map(str, form.sizes))
        raise PartError(
            f"the genome has {vector.shape[1]} numbers; a network {sizes} has {plain} weights and "
            "biases, or as many more as it has direct links."
        )
    if strength.shape[1] not in (0, vector.shape[1]):
        raise PartError(
            f"the genome has {strength.shape[1]} step sizes for {vector.shape[1]} numbers; give "
            "one for each, or none."
        )
    return Genes(vector, strength, np.array(form.sizes, np.int64))


def express(genes: Genes, design: Design) -> mlp.MLPPack:
    """Return the vectors as networks of a design, in order."""
    if genes.vector.shape[1] != design.length:
        raise OptionError(
            f"the genomes have {genes.vector.shape[1]} numbers; a network {design.text} has "
            f"{design.length} weights and biases."
        )
    blank = mlp.pack([MLPNetwork(design, np.zeros(design.length))])
    # Every row of a pack begins with the numbers that belong to the design.
    head = blank.number.shape[1] - design.length
    number = np.empty((len(genes.vector), blank.number.shape[1]), np.float32)
    number[:, :head] = blank.number[0, :head]
    number[:, head:] = np.clip(genes.vector, -LARGEST, LARGEST)
    return blank._replace(number=number)
