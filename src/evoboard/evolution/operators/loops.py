"""Paper A's loop solver: a link that closes a cycle dies, in this genome and all its descendants.

Of a cycle's links the one with the highest number dies. A new link is the only one that can close
a cycle, so `add_link` needs no more than one test; `kill_loops` makes any genomes sound.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import link
from evoboard.evolution.genomes.neat import DEAD, Genes
from evoboard.networks.express import plain_arrays


def kill_loops(genes: Genes) -> Genes:
    """Return the genomes with every link dead that closes a cycle with links of lower numbers."""
    genes, status = plain_arrays(genes), genes.status.copy()
    mark = np.zeros(int(max(genes.node.max(), genes.source.max(initial=0))) + 1, np.int64)
    linked_loops()(genes, status, mark)
    return genes._replace(status=status)


@cache
def linked_loops() -> Any:
    """Return `solve_loops` compiled."""
    return link(solve_loops)


def solve_loops(genes: Any, status: Array, mark: Array) -> None:
    """Write DEAD for every link that closes a cycle with the living ones before it."""
    tick = 0
    for genome in range(genes.link_start.shape[0] - 1):
        first = genes.link_start[genome]
        for new in range(first, genes.link_start[genome + 1]):
            if status[new] == DEAD or genes.source[new] < genes.shape[0]:
                continue
            tick += 1
            if _leads_back(genes, status, mark, tick, first, new):
                status[new] = DEAD


def _leads_back(genes: Any, status: Array, mark: Array, tick: int, first: int, new: int) -> bool:
    """Tell whether living links before `new` lead from its target to its source."""
    mark[genes.target[new]] = tick
    growing = True
    while growing:
        growing = False
        for i in range(first, new):
            reached = status[i] != DEAD and mark[genes.source[i]] == tick
            if reached and mark[genes.target[i]] != tick:
                mark[genes.target[i]] = tick
                growing = True
    return mark[genes.source[new]] == tick
