"""A NEAT genome as JSON: every number exact, every wrong field named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from evoboard.core import settings
from evoboard.core.errors import PartError

VERSION = 1
STATUS_NAMES = ("live", "split", "dead", "disabled")


class NodeGene(NamedTuple):
    """A node of one genome."""

    key: int
    bias: float
    response: float
    activation: str
    aggregation: str


class LinkGene(NamedTuple):
    """A link of one genome; `number` is its innovation number."""

    number: int
    source: int
    target: int
    weight: float
    status: int
    frozen: bool


Parts = tuple[int, int, tuple[NodeGene, ...], tuple[LinkGene, ...]]


def written(
    inputs: int, outputs: int, nodes: Sequence[NodeGene], links: Sequence[LinkGene]
) -> dict[str, Any]:
    """Return a genome as JSON data."""
    return {
        "kind": "neat",
        "version": VERSION,
        "inputs": inputs,
        "outputs": outputs,
        "nodes": [node._asdict() for node in nodes],
        "links": [{**link._asdict(), "status": STATUS_NAMES[link.status]} for link in links],
    }


Whole = Annotated[int, Field(gt=-(2**31), lt=2**31)]
Number = Annotated[float, Field(gt=-3e38, lt=3e38)]


class _Node(settings.Settings):
    key: Whole
    bias: Number
    response: Number
    activation: str
    aggregation: str


class _Link(settings.Settings):
    number: Whole
    source: Whole
    target: Whole
    weight: Number
    status: Literal["live", "split", "dead", "disabled"]
    frozen: bool


class _Form(settings.Settings):
    kind: Literal["neat"]
    version: Literal[1]
    inputs: Whole
    outputs: Whole
    nodes: tuple[_Node, ...]
    links: tuple[_Link, ...]


def read(data: Any) -> Parts:
    """Return what `written` was given, as data or as text; what is wrong is named."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PartError(f"the text of a genome must be JSON: {error}.") from None
    form = settings.read(_Form, data, "genome")
    nodes = tuple(NodeGene(**dict(node)) for node in form.nodes)
    links = tuple(
        LinkGene(**{**dict(link), "status": STATUS_NAMES.index(link.status)}) for link in form.links
    )
    return form.inputs, form.outputs, nodes, links
