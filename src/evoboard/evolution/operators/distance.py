"""How unlike two genomes are.

Genes with the same innovation number match. Of those that do not, the ones beyond the other
genome's last number are excess, the rest disjoint. The distance is

    (excess E + disjoint D) / N + weight W
    + (node_excess E' + node_disjoint D') / N' + attributes A

E, D count links, E', D' nodes; N, N' are the larger genome's numbers of links and of nodes, or 1;
W is the mean difference of matching links' weights, whatever their status; A the mean difference
of matching nodes: that of their biases, that of their responses, and 1 for each other kind of
activation or aggregation.

The original NEAT (Stanley & Miikkulainen 2002, eq. 1) has no node terms, and N is 1 while both
genomes have fewer than 20 genes. Paper A counts nodes too, with 0.1, and no biases; it
has links "as a percentage", but the number of nodes (`links`). Paper D (eq. 2.1) divides always;
only by what genomes have evolved beyond direct links and outputs (`evolved`) can two be as far
apart as its threshold says.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import linked

LARGE, LINKS, EVOLVED = 1, 3, 4  # kinds of `normalise`, as kernels know them
# Genomes with fewer links are small: their distances are not divided under `normalise = "large"`.
SMALL = 20


class Settings(settings.Settings):
    """How much each difference counts."""

    excess: float = Field(1.0, ge=0, description="weight of each excess link")
    disjoint: float = Field(1.0, ge=0, description="weight of each disjoint link")
    weight: float = Field(0.4, ge=0, description="weight of the mean weight difference")
    node_excess: float = Field(0.0, ge=0, description="weight of each excess node")
    node_disjoint: float = Field(0.0, ge=0, description="weight of each disjoint node")
    attributes: float = Field(
        0.0, ge=0, description="weight of the mean difference of matching nodes"
    )
    normalise: Literal["never", "large", "always", "links", "evolved"] = Field(
        "large",
        description="whether counts are divided by the larger genome's size; links: those of links "
        "only; evolved: by what it has beyond direct links and outputs",
    )


def measure(settings: Settings) -> Any:
    """Return the settings as kernels take them."""
    return kernel_tuple(settings)


def distances(settings: Settings, genes: Any, others: Any) -> Array:
    """Return the distances (n, m) of every genome of `genes` to every one of `others`."""
    table = np.zeros((len(genes.node_start) - 1, len(others.node_start) - 1))
    linked(fill_distances)(genes, others, measure(settings), table)
    return table


def fill_distances(genes: Any, others: Any, by: Any, table: Array) -> None:
    """Write every distance into `table`."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = distance(genes, i, others, j, by, np.inf)


def distance(genes: Any, i: int, others: Any, j: int, by: Any, limit: float) -> float:
    """Return the distance between genome `i` of `genes` and genome `j` of `others`.

    Where it is not below `limit`, that or anything greater is returned, sooner.
    """
    total = link_distance(genes, i, others, j, by, limit)
    if total < limit and (by.node_excess > 0 or by.node_disjoint > 0 or by.attributes > 0):
        total += node_distance(genes, i, others, j, by)
    return total


def link_distance(genes: Any, i: int, others: Any, j: int, by: Any, limit: float) -> float:
    """Return the links' part of the distance, or `limit` or more where it reaches that.

    From the newest link back: relatives differ in what is new, so that strangers are known soon.
    """
    begin, here = genes.link_start[i], genes.link_start[i + 1] - 1
    start, there = others.link_start[j], others.link_start[j + 1] - 1
    links, other_links = here - begin + 1, there - start + 1
    larger = max(links, other_links)
    if by.normalise == EVOLVED:
        larger = max(evolved_links(genes, i), evolved_links(others, j))
    size = larger if larger > 0 and _is_divided(larger, by) else 1
    if min(by.excess, by.disjoint) * abs(links - other_links) >= limit * size:
        return limit
    excess = excess_links(genes.link, begin, here, others.link, start, there)
    here -= excess
    excess_there = excess_links(others.link, start, there, genes.link, begin, begin + links - 1)
    there -= excess_there
    total = by.excess * (excess + excess_there) / size
    each, matching, difference = by.disjoint / size, 0, 0.0
    while here >= begin and there >= start and total < limit:
        one, other = genes.link[here], others.link[there]
        if one == other:
            difference += abs(genes.weight[here] - others.weight[there])
            matching += 1
            here -= 1
            there -= 1
        else:
            total += each
            if one > other:
                here -= 1
            else:
                there -= 1
    total += each * ((here - begin + 1) + (there - start + 1))
    return total + by.weight * difference / matching if matching else total


def evolved_links(genes: Any, i: int) -> int:
    """Return how many links genome `i` has that are not direct; those have the first numbers."""
    begin, end = genes.link_start[i], genes.link_start[i + 1]
    low, high, direct = begin, end, genes.shape[0] * genes.shape[1]
    while low < high:
        middle = (low + high) // 2
        if genes.link[middle] < direct:
            low = middle + 1
        else:
            high = middle
    return end - low


def excess_links(link: Array, begin: int, here: int, other: Array, start: int, there: int) -> int:
    """Return how many of the links `begin` … `here` lie beyond the last of `start` … `there`."""
    if there < start:
        return here - begin + 1
    count = 0
    while here - count >= begin and link[here - count] > other[there]:
        count += 1
    return count


def node_distance(genes: Any, i: int, others: Any, j: int, by: Any) -> float:
    """Return the nodes' part of the distance."""
    here, end = genes.node_start[i], genes.node_start[i + 1]
    there, last = others.node_start[j], others.node_start[j + 1]
    larger = max(end - here, last - there) - (genes.shape[1] if by.normalise == EVOLVED else 0)
    disjoint, matching, difference = 0, 0, 0.0
    while here < end and there < last:
        one, other = genes.node[here], others.node[there]
        if one == other:
            if by.attributes > 0:
                difference += attribute_distance(genes, here, others, there)
            matching += 1
            here += 1
            there += 1
        else:
            disjoint += 1
            if one < other:
                here += 1
            else:
                there += 1
    excess = (end - here) + (last - there)
    # Links decide for nodes, too.
    links = genes.link_start[i + 1] - genes.link_start[i]
    links = max(links, others.link_start[j + 1] - others.link_start[j])
    divided = by.normalise != LINKS and larger > 0 and _is_divided(links, by)
    size = larger if divided else 1
    total = (by.node_excess * excess + by.node_disjoint * disjoint) / size
    return total + by.attributes * difference / matching if matching else total


def attribute_distance(genes: Any, here: int, others: Any, there: int) -> float:
    """Return the difference of two matching nodes."""
    difference = abs(genes.bias[here] - others.bias[there])
    difference += abs(genes.response[here] - others.response[there])
    if genes.activation[here] != others.activation[there]:
        difference += 1.0
    if genes.aggregation[here] != others.aggregation[there]:
        difference += 1.0
    return difference


def _is_divided(links: int, by: Any) -> bool:
    """Tell whether counts are divided, where the larger genome has so many links."""
    return by.normalise > LARGE or (by.normalise == LARGE and links >= SMALL)
