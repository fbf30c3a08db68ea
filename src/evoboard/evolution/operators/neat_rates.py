"""All settings of NEAT's operators as the one record its breeding kernel reads."""

from __future__ import annotations

from typing import NamedTuple

from evoboard.evolution.base import Shape
from evoboard.evolution.genomes import neat
from evoboard.evolution.operators import (
    add_link,
    add_node,
    attributes,
    crossover,
    neat_start,
    removal,
    values,
)
from evoboard.evolution.operators.structure import EACH, INSTEAD, ONE
from evoboard.evolution.operators.structure import Structure as Structure
from evoboard.networks.activations import activation_code, aggregation_code


class Rates(NamedTuple):
    """What each operator is told; `make_rates` makes it of settings."""

    start: neat_start.Rates
    values: values.Rates
    attributes: attributes.Rates
    add_node: add_node.Rates
    add_link: add_link.Rates
    removal: removal.Rates
    crossover: crossover.Rates
    structure: int
    alternative: bool


_STILL = values.Settings(chance=0.0)


def make_rates(
    shape: Shape,
    genome: neat.Settings | None = None,
    *,
    start: neat_start.Settings | None = None,
    mutation: values.Settings | None = None,
    attribute: attributes.Settings | None = None,
    node: add_node.Settings | None = None,
    link: add_link.Settings | None = None,
    remove: removal.Settings | None = None,
    cross: crossover.Settings | None = None,
    structure: Structure = "each",
    alternative: bool = False,
) -> Rates:
    """Return what the operators are told; those whose settings are left out do nothing.

    `alternative` (paper D): where no link can be split one is added instead, and where no pair is
    left to be linked a disabled link is enabled.
    """
    genome, start = genome or neat.Settings(), start or neat_start.Settings()
    attribute = attribute or attributes.Settings()
    change = values.rates(mutation or _STILL, start)
    grow = add_link.rates(link or add_link.Settings(chance=0.0), change.weight.fresh, shape)
    return Rates(
        neat_start.Rates(
            start.share,
            change.weight.fresh,
            change.bias.fresh,
            change.response.fresh,
            int(attribute.frozen),
            activation_code(genome.output),
            aggregation_code(genome.aggregation),
            shape.inputs,
            shape.outputs,
        ),
        change,
        attributes.rates(attribute),
        add_node.rates(node or add_node.Settings(chance=0.0), genome),
        grow,
        removal.rates(remove or removal.Settings(), shape),
        crossover.rates(cross or crossover.Settings(), grow.kill, shape),
        {"each": EACH, "one": ONE, "instead": INSTEAD}[structure],
        alternative,
    )
