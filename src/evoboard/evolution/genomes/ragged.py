"""Populations whose genomes differ in length: all cells of a kind lie one genome after the other.

Genome i has the cells `start[i]` to `start[i+1]` of every column that belongs to a start; a genome
kind names its starts and their columns, its `Rows`. All share one `shape`: inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError

Rows = Mapping[str, tuple[str, ...]]
Genes = TypeVar("Genes", bound=Any)


def take(genes: Genes, indices: Sequence[int] | Array, rows: Rows) -> Genes:
    """Return the chosen genomes, in that order."""
    chosen = np.asarray(indices, np.int64)
    taken: dict[str, Array] = {}
    for start, columns in rows.items():
        first, end = getattr(genes, start)[chosen], getattr(genes, start)[chosen + 1]
        taken[start] = _starts(end - first)
        cells = np.repeat(first - taken[start][:-1], end - first) + np.arange(taken[start][-1])
        taken |= {name: getattr(genes, name)[cells] for name in columns}
    return genes._replace(**taken)


def join(parts: Sequence[Genes], rows: Rows) -> Genes:
    """Return several populations as one; all must have the same inputs and outputs."""
    if not parts:
        raise OptionError("there are no populations to join; give at least one.")
    if len({tuple(part.shape.tolist()) for part in parts}) != 1:
        raise OptionError("populations of different inputs or outputs cannot be joined.")
    joined: dict[str, Array] = {}
    for start, columns in rows.items():
        joined[start] = _starts(np.concatenate([np.diff(getattr(part, start)) for part in parts]))
        for name in columns:
            joined[name] = np.concatenate([getattr(part, name) for part in parts])
    return parts[0]._replace(**joined)


def cells(genes: Any, index: int, start: str, rows: Rows) -> list[list[Any]]:
    """Return one genome's cells, a list for each column."""
    first, end = getattr(genes, start)[index : index + 2]
    return [getattr(genes, name)[first:end].tolist() for name in rows[start]]


def _starts(sizes: Array) -> Array:
    """Return where genomes of these sizes begin, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
