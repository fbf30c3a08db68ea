"""One NEAT genome as a value, which is also its JSON: numbers exact, every wrong field named."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from evoboard.core.settings import Settings
from evoboard.evolution.base import Genome
from evoboard.networks.activations import Activation, Aggregation

Status = Literal["live", "split", "dead", "disabled"]
STATUS_NAMES: tuple[str, ...] = get_args(Status)
Whole = Annotated[int, Field(gt=-(2**31), lt=2**31)]
Number = Annotated[float, Field(gt=-3e38, lt=3e38)]


class NodeGene(Settings):
    """A node of one genome."""

    key: Whole
    bias: Number
    response: Number
    activation: Activation
    aggregation: Aggregation


class LinkGene(Settings):
    """A link of one genome; `number` is its innovation number."""

    number: Whole
    source: Whole
    target: Whole
    weight: Number
    status: Status
    frozen: bool


class NeatGenome(Genome):
    """One genome as an immutable value."""

    kind: Literal["neat"]
    version: Literal[1]
    inputs: Whole
    outputs: Whole
    nodes: tuple[NodeGene, ...]
    links: tuple[LinkGene, ...]
