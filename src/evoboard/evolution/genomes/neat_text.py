"""Paper A's genome as one line of fixed-width fields (its figures 12 and 13).

    species, genome, the outputs' biases, (node, bias) …, ":", (link, from, to, weight, status) …

Whole numbers are filled up with zeros; a bias or weight has a sign and as many decimals as its
width allows. What the line has no field for must be what the settings say, and is given back so:
activations, aggregation, response 1 and no frozen link.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import Field

from evoboard.core import settings
from evoboard.core.errors import OptionError, PartError
from evoboard.evolution.base import Shape
from evoboard.evolution.genomes.neat import Genes, NeatGenome, Settings, from_genome
from evoboard.evolution.genomes.neat_json import STATUS_NAMES, LinkGene, NodeGene


class Widths(settings.Settings):
    """How many characters each field has."""

    species: int = Field(4, ge=1, le=18, description="a species' number")
    genome: int = Field(6, ge=1, le=18, description="a genome's number")
    bias: int = Field(8, ge=2, le=18, description="a bias")
    node: int = Field(5, ge=1, le=9, description="a node's key")
    link: int = Field(6, ge=1, le=9, description="a link's number")
    weight: int = Field(8, ge=2, le=18, description="a weight")


USUAL_WIDTHS = Widths()


class Entry(NamedTuple):
    """What a line holds: two numbers and a population of one."""

    species: int
    number: int
    genes: Genes


def write(
    genome: NeatGenome, species: int, number: int, genome_settings: Settings, widths: Widths
) -> str:
    """Return a genome as one line; numbers are rounded to their widths."""
    _refuse_what_has_no_field(genome, genome_settings)
    outputs, hidden = genome.nodes[: genome.outputs], genome.nodes[genome.outputs :]
    parts = [
        _whole(species, widths.species, "species"),
        _whole(number, widths.genome, "genome"),
        *(_real(node.bias, widths.bias, "bias") for node in outputs),
    ]
    for node in hidden:
        parts += [_whole(node.key, widths.node, "node"), _real(node.bias, widths.bias, "bias")]
    parts.append(":")
    for link in genome.links:
        parts += [
            _whole(link.number, widths.link, "link"),
            _whole(link.source, widths.node, "node"),
            _whole(link.target, widths.node, "node"),
            _real(link.weight, widths.weight, "weight"),
            str(STATUS_NAMES.index(link.status)),
        ]
    return "".join(parts)


def read(line: str, shape: Shape, genome_settings: Settings, widths: Widths) -> Entry:
    """Return what a line holds, checked; PartError says what is wrong with it."""
    head, colon, tail = line.strip().partition(":")
    if not colon:
        raise PartError("the line of a genome has no ':' between its nodes and its links.")
    fields = _Fields(head, "nodes")
    species, number = fields.whole(widths.species), fields.whole(widths.genome)
    nodes = [
        _node(shape.inputs + i, fields.real(widths.bias), genome_settings.output, genome_settings)
        for i in range(shape.outputs)
    ]
    while fields.left():
        key, bias = fields.whole(widths.node), fields.real(widths.bias)
        nodes.append(_node(key, bias, genome_settings.hidden, genome_settings))
    links = list(_links(_Fields(tail, "links"), widths))
    genome = NeatGenome(
        kind="neat",
        version=1,
        inputs=shape.inputs,
        outputs=shape.outputs,
        nodes=tuple(nodes),
        links=tuple(links),
    )
    return Entry(species, number, from_genome(genome))


def _links(fields: _Fields, widths: Widths) -> Iterator[LinkGene]:
    while fields.left():
        number, source = fields.whole(widths.link), fields.whole(widths.node)
        target, weight = fields.whole(widths.node), fields.real(widths.weight)
        status = fields.whole(1)
        if status >= len(STATUS_NAMES):
            raise PartError(f"a link's status is {status}; it must be 0, 1, 2 or 3.")
        yield LinkGene(
            number=number,
            source=source,
            target=target,
            weight=weight,
            status=STATUS_NAMES[status],
            frozen=False,
        )


def _node(key: int, bias: float, activation: str, genome_settings: Settings) -> NodeGene:
    aggregation = genome_settings.aggregation
    return NodeGene(
        key=key, bias=bias, response=1.0, activation=activation, aggregation=aggregation
    )


def _refuse_what_has_no_field(genome: NeatGenome, genome_settings: Settings) -> None:
    """Raise OptionError if a genome is more than the line can say."""
    for i, node in enumerate(genome.nodes):
        kind = genome_settings.output if i < genome.outputs else genome_settings.hidden
        if node != _node(node.key, node.bias, kind, genome_settings):
            raise OptionError(
                f"node {node.key} has a response, an activation or an aggregation of its own, "
                "which the fixed-width line cannot hold; save the genome as JSON."
            )
    for link in genome.links:
        if link.frozen:
            raise OptionError(
                f"link {link.number} is frozen, which the fixed-width line cannot hold; "
                "save the genome as JSON."
            )


def _whole(value: int, width: int, what: str) -> str:
    text = f"{value:0{width}d}"
    if value < 0 or len(text) > width:
        raise OptionError(f"{what} {value} does not fit {width} characters; make the field wider.")
    return text


def _real(value: float, width: int, what: str) -> str:
    """Return a number with its sign and as many decimals as fit."""
    for decimals in range(max(width - 3, 0), -1, -1):
        text = f"{value:+.{decimals}f}"
        if len(text) <= width:
            return text[0] + text[1:].zfill(width - 1)
    raise OptionError(f"{what} {value:g} does not fit {width} characters; make the field wider.")


class _Fields:
    """A text read field by field."""

    def __init__(self, text: str, what: str) -> None:
        self.text, self.what, self.place = text, what, 0

    def left(self) -> bool:
        """Tell whether anything is left."""
        return self.place < len(self.text)

    def take(self, width: int) -> str:
        """Return the next field's characters."""
        field = self.text[self.place : self.place + width]
        if len(field) < width:
            raise PartError(f"the {self.what} of a genome's line end within a field.")
        self.place += width
        return field

    def whole(self, width: int) -> int:
        """Return the next field as a whole number."""
        field = self.take(width)
        if not (field.isascii() and field.isdigit()):
            raise PartError(
                f"{field!r} in the {self.what} of a genome's line is not a whole number."
            )
        return int(field)

    def real(self, width: int) -> float:
        """Return the next field as a number with a sign."""
        field = self.take(width)
        sign, digits = field[0], field[1:].replace(".", "", 1)
        if sign not in "+-" or not (digits.isascii() and digits.isdigit()):
            raise PartError(f"{field!r} in the {self.what} of a genome's line is not a number.")
        value = float(field)
        if not math.isfinite(value):
            raise PartError(f"{field!r} in the {self.what} of a genome's line is not finite.")
        return value
