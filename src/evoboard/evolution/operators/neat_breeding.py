"""The children of a generation of NEAT genomes, made by one kernel.

Every child has a number of its own to draw from, so what it becomes does not depend on the others,
but for the numbers of new structure: those are given in the order of the children.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import link, linked, slot
from evoboard.core.rng import nth_seed
from evoboard.evolution.genomes.neat import LINK_FIELDS, NODE_FIELDS, Genes
from evoboard.evolution.mutations.base import INSTEAD, Mutations, choose_structural
from evoboard.evolution.operators import crossover
from evoboard.evolution.operators.crossover import (
    FIRST,
    RANDOM,
    copy_genome,
    cross_links,
    cross_nodes,
    drop_bare_nodes,
    drop_unshared,
    join_second,
)
from evoboard.evolution.operators.drafts import (
    ACTIVATION,
    AGGREGATION,
    BIAS,
    CHANCE,
    FROZEN,
    LINK,
    LINKS,
    NODE,
    NODES,
    RESPONSE,
    SOURCE,
    STATUS,
    TARGET,
    WEIGHT,
    copy_cells,
    make_draft,
)
from evoboard.evolution.operators.innovation import Innovations
from evoboard.evolution.operators.neat_start import Basis
from evoboard.networks.express import plain_arrays

# How much of the mutations a child gets.
COPY, VALUES, ALL = range(3)


class Breeding:
    """How children are made: by crossover, then by a list of mutations."""

    def __init__(
        self, basis: Basis, mutations: Mutations, cross: crossover.Settings | None = None
    ) -> None:
        self.basis, self.mutations = basis, mutations
        inherited = crossover.rates(cross or crossover.Settings(), basis)
        self.rates = kernel_tuple({"crossover": inherited, "mutations": mutations.rates})

    @cached_property
    def kernel(self) -> Any:
        """`breed_all` compiled with the mutations."""
        return link(breed_all, self.mutations.bindings)


class BreedingPlan(NamedTuple):
    """One cell per child: int64 arrays, but for `factor`, which is float64.

    `first`: the fitter parent. `second`: the other one, -1 for no crossover. `equal`: 1 if both
    did equally well. `extent`: COPY, VALUES or ALL. `seed`: not 0. `factor`: multiplies the power
    of the mutation of values.
    """

    first: Array
    second: Array
    equal: Array
    extent: Array
    seed: Array
    factor: Array


def make_plan(
    first: Sequence[int] | Array,
    seed: int,
    *,
    second: Any = -1,
    equal: Any = 0,
    extent: Any = ALL,
    factor: Any = 1.0,
) -> BreedingPlan:
    """Return a plan; what is one number holds for every child."""
    children = len(first)

    def column(values: Any, kind: type) -> Array:
        return np.full(children, values, kind)

    return BreedingPlan(
        column(first, np.int64),
        column(second, np.int64),
        column(equal, np.int64),
        column(extent, np.int64),
        child_seeds(seed, children),
        column(factor, np.float64),
    )


def child_seeds(seed: int, count: int) -> Array:
    """Return a number for each of so many children."""
    seeds = np.empty(count, np.int64)
    linked(fill_seeds)(seed, seeds)
    return seeds


def mutate(
    genes: Genes,
    breeding: Breeding,
    record: Innovations,
    seed: int,
    chosen: Sequence[int] | Array | None = None,
) -> Genes:
    """Return the genomes, every chosen one (else all) mutated once, the others as they are."""
    size = len(genes.node_start) - 1
    extent = np.full(size, ALL if chosen is None else COPY)
    if chosen is not None:
        extent[np.asarray(chosen, np.int64)] = ALL
    return breed(genes, make_plan(np.arange(size), seed, extent=extent), breeding, record)


def cross(
    genes: Genes,
    first: Sequence[int] | Array,
    second: Sequence[int] | Array,
    breeding: Breeding,
    record: Innovations,
    seed: int,
    equal: Any = 0,
) -> Genes:
    """Return one child of each pair by crossover alone; `first` are the fitter parents."""
    plan = make_plan(first, seed, second=second, equal=equal, extent=COPY)
    return breed(genes, plan, breeding, record)


def breed(parents: Genes, plan: BreedingPlan, breeding: Breeding, record: Innovations) -> Genes:
    """Return the planned children, in order; new structure is entered into the record."""
    parents, plan, rates = plain_arrays(parents), plain_arrays(plan), breeding.rates
    _check(parents, plan, breeding, record)
    new_nodes, new_links = breeding.mutations.growth
    changing = int(np.count_nonzero(plan.extent == ALL))
    record.reserve(changing * new_links, changing * new_nodes)
    nodes, most_nodes = _room(parents.node_start, plan, rates)
    links, most_links = _room(parents.link_start, plan, rates)
    nodes, links = nodes + changing * new_nodes, links + changing * new_links
    out = _empty(parents, len(plan.first), nodes, links)
    room = max(most_nodes + new_nodes, most_links + new_links)
    record.draft = make_draft(room, record.next_key + changing * new_nodes, record.draft)
    breeding.kernel(parents, plan, rates, record.tables, record.draft, out)
    return out._replace(
        **{name: getattr(out, name)[: out.node_start[-1]] for name in NODE_FIELDS},
        **{name: getattr(out, name)[: out.link_start[-1]] for name in LINK_FIELDS},
    )


def _check(parents: Genes, plan: BreedingPlan, breeding: Breeding, record: Innovations) -> None:
    """Raise PartError if parents, plan and record do not fit each other."""
    size = len(parents.node_start) - 1
    for column in (plan.first, plan.second):
        if len(column) and (column.min() < -1 or column.max() >= size):
            raise PartError(f"a child has a parent that is not among the {size} genomes.")
    if len(plan.first) and plan.first.min() < 0:
        raise PartError("a child has no first parent; give every child one.")
    if not plan.seed.all():
        raise PartError("a child's seed is 0; it must not be.")
    if tuple(parents.shape) != breeding.basis.shape:
        raise PartError("the genomes have other inputs or outputs than those they are bred for.")
    known = parents.node.max(initial=0) < record.next_key
    if not known or parents.link.max(initial=-1) >= record.links:
        raise PartError(
            "the genomes hold nodes or links that the record of innovations does not know; "
            "use the record of the run they come from."
        )


def _room(start: Array, plan: BreedingPlan, rates: Any) -> tuple[int, int]:
    """Return how many nodes or links the children can inherit together, and one of them."""
    sizes = np.diff(start)
    each = sizes[plan.first]
    both = (plan.second >= 0) & (plan.equal != 0) & (rates.crossover.ties != FIRST)
    if both.any():
        each = each + np.where(both, sizes[plan.second], 0)
    return int(each.sum()), int(each.max(initial=0))


def _empty(like: Genes, count: int, nodes: int, links: int) -> Genes:
    """Return arrays for children of so many nodes and links together."""
    sizes = [nodes] * len(NODE_FIELDS) + [links] * len(LINK_FIELDS)
    # One block, of a size that comes again: else memory is newly mapped for every generation,
    # which takes longer than the breeding.
    block = np.empty(1 << sum(sizes).bit_length(), np.int64)
    columns = np.split(block, np.cumsum(sizes))
    names = (*NODE_FIELDS, *LINK_FIELDS)
    return like._replace(
        node_start=np.zeros(count + 1, np.int64),
        link_start=np.zeros(count + 1, np.int64),
        **{
            name: column.view(getattr(like, name).dtype)
            for name, column in zip(names, columns[:-1], strict=True)
        },
    )


def fill_seeds(seed: int, seeds: Array) -> None:
    """Write the seed of every child."""
    for i in range(seeds.shape[0]):
        seeds[i] = nth_seed(seed, i)


def breed_all(parents: Any, plan: Any, rates: Any, tables: Any, draft: Any, out: Any) -> None:
    """Make every child: inherit, mutate structure, mutate values, append."""
    for i in range(plan.first.shape[0]):
        draft.state[CHANCE] = plan.seed[i]
        inherit(draft, parents, plan.first[i], plan.second[i], plan.equal[i] != 0, rates.crossover)
        if plan.extent[i] != COPY:
            mutate_draft(draft, rates.mutations, tables, plan.factor[i], plan.extent[i] == ALL)
        append(draft, out, i)


def mutate_draft(draft: Any, rates: Any, tables: Any, factor: float, structure: bool) -> None:
    """Make the mutations: those of structure, if they are wanted, then the others."""
    grown = False
    if structure:
        choose_structural(draft, rates)
        grown = make_structural(draft, rates.structural, tables, factor, rates.todo, 0)
    if not (grown and rates.structure == INSTEAD):
        make_others(draft, rates.others, tables, factor, rates.others_todo, 0)


@slot
def make_structural(draft: Any, rates: Any, tables: Any, factor: float, todo: Any, i: int) -> bool:
    """Make the structural mutations that were chosen; tell whether any was made."""


@slot
def make_others(draft: Any, rates: Any, tables: Any, factor: float, todo: Any, i: int) -> bool:
    """Make the mutations that leave the structure as it is."""


def inherit(draft: Any, genes: Any, first: int, second: int, equal: bool, rates: Any) -> None:
    """Make the draft a copy of one parent, or a child of two."""
    copy_genome(draft, genes, first)
    if second >= 0:
        cross_nodes(draft, genes, second, rates)
        cross_links(draft, genes, second, rates)
        if equal and rates.ties != FIRST:
            if rates.ties == RANDOM:
                drop_unshared(draft, genes, second)
            join_second(draft, genes, second, rates)
            if rates.ties == RANDOM:
                drop_bare_nodes(draft, rates.outputs)


def append(draft: Any, out: Any, child: int) -> None:
    """Write the draft as a child, behind those made so far."""
    node, link = out.node_start[child], out.link_start[child]
    for i in range(draft.state[NODES]):
        out.node[node + i] = draft.whole[NODE, i]
        out.activation[node + i] = draft.whole[ACTIVATION, i]
        out.aggregation[node + i] = draft.whole[AGGREGATION, i]
        out.bias[node + i] = draft.real[BIAS, i]
        out.response[node + i] = draft.real[RESPONSE, i]
    count = draft.state[LINKS]
    out.node_start[child + 1], out.link_start[child + 1] = node + draft.state[NODES], link + count
    copy_cells(draft.whole[LINK], out.link[link:], count)
    copy_cells(draft.whole[SOURCE], out.source[link:], count)
    copy_cells(draft.whole[TARGET], out.target[link:], count)
    copy_cells(draft.whole[STATUS], out.status[link:], count)
    copy_cells(draft.whole[FROZEN], out.frozen[link:], count)
    copy_cells(draft.real[WEIGHT], out.weight[link:], count)
