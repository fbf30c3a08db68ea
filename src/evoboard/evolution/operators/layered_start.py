"""How layered networks begin: every input linked to every output, all numbers random."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.genomes.layered import Genes


class Settings(BaseSettings):
    """The numbers of new networks."""

    spread: float = Field(
        1.0, gt=0, le=1e6, description="weights and biases are uniform in ± spread"
    )


def begin(
    settings: Settings, count: int, inputs: int, outputs: int, rng: np.random.Generator
) -> Genes:
    """Return new genomes without hidden nodes: I × O edges, weights and biases in ± spread."""
    edges = inputs * outputs
    source, target = np.divmod(np.arange(edges), outputs)
    return Genes(
        node_start=np.arange(count + 1) * outputs,
        layer=np.ones(count * outputs, np.int64),
        bias=rng.uniform(-settings.spread, settings.spread, count * outputs),
        edge_start=np.arange(count + 1) * edges,
        source=np.tile(source, count),
        target=np.tile(target + inputs, count),
        weight=rng.uniform(-settings.spread, settings.spread, count * edges),
        shape=np.array([inputs, outputs]),
    )
