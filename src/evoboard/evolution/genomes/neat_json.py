"""A NEAT genome as JSON: every number exact, every wrong field named."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

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


def read(data: Any) -> Parts:
    """Return what `written` was given; PartError names what is wrong."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise PartError(f"the text of a genome must be JSON: {error}.") from None
    if not isinstance(data, dict) or data.get("kind") != "neat":
        raise PartError('a genome of this kind is a JSON object with "kind": "neat".')
    if data.get("version") != VERSION:
        found = data.get("version")
        raise PartError(f"the genome's version is {found!r}; this evoboard reads {VERSION}.")
    inputs, outputs = (_field(data, name, int, "a genome") for name in ("inputs", "outputs"))
    nodes = tuple(_node(row) for row in _field(data, "nodes", list, "a genome"))
    links = tuple(_link(row) for row in _field(data, "links", list, "a genome"))
    return inputs, outputs, nodes, links


def _node(row: Any) -> NodeGene:
    values = _row(row, NodeGene, "a node")
    return NodeGene(*values)


def _link(row: Any) -> LinkGene:
    row = dict(row) if isinstance(row, dict) else row
    if isinstance(row, dict) and isinstance(row.get("status"), str):
        if row["status"] not in STATUS_NAMES:
            names = ", ".join(STATUS_NAMES)
            raise PartError(f"a link's status is {row['status']!r}; it must be one of {names}.")
        row["status"] = STATUS_NAMES.index(row["status"])
    values = _row(row, LinkGene, "a link")
    return LinkGene(*values)


_TYPES = {
    "key": int,
    "bias": float,
    "response": float,
    "activation": str,
    "aggregation": str,
    "number": int,
    "source": int,
    "target": int,
    "weight": float,
    "status": int,
    "frozen": bool,
}


def _row(row: Any, kind: Any, what: str) -> list[Any]:
    """Return the fields of one gene, each of its type."""
    if not isinstance(row, dict):
        raise PartError(f"{what} of the genome is {str(row)[:40]}; it must be an object.")
    return [_field(row, name, _TYPES[name], what) for name in kind._fields]


def _field(content: dict[str, Any], name: str, kind: type, what: str) -> Any:
    """Return a field of that type; a whole number is also a float."""
    value: Any = content.get(name)
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if isinstance(value, bool) and kind is not bool:
        fits = False
    if fits and kind is int:
        fits = abs(value) < 2**31
    if fits and kind is float:
        fits = math.isfinite(value) and abs(value) < 3e38
    if not fits:
        forms = {int: "a whole number", float: "a finite number", bool: "true or false"}
        wanted = forms.get(kind, "a list" if kind is list else "a text")
        raise PartError(f"the field {name!r} of {what} is {str(value)[:40]}; it must be {wanted}.")
    return float(value) if kind is float else value
