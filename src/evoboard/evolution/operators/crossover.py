"""A child of two NEAT genomes.

Genes match by number. The child has the structure of the fitter parent; its matching genes

    average   hold the mean of both numbers (paper A)
    pick      come from either parent, one lot per gene (the original NEAT, paper D)

Where both did equally well, the structure is

    random    what they share, and every link of one parent alone by a toss (the original: "the
              disjoint and excess genes are also inherited randomly"), nodes as links need them
    both      all of both; where ties are frequent genomes then grow by what all others found
    first     that of the parent named first

A link of the second parent that would close a cycle is left out, or dies where loops are killed.

A gene disabled in a parent is disabled in the child by a chance (the original: 0.75), else live;
without a chance, a gene's status comes with its other values (paper D; so disabled genes do not
spread by themselves, as they do under 0.75). A link dead in either parent is dead in the child, or
only one that is in the fitter (paper A, figure 11: its status counts).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from evoboard.core import settings
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.rng import next_random
from evoboard.evolution.genomes.neat import DEAD, DISABLED, LIVE
from evoboard.evolution.operators.chance import unit
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
    TICK,
    WEIGHT,
    closes_cycle,
    copy_cells,
    draw,
    draw_unit,
    has_node,
    insert_link,
    insert_node,
    move_link,
    move_node,
)
from evoboard.evolution.operators.neat_start import Basis

# Whose structure a child of equals has.
FIRST, BOTH, RANDOM = range(3)
# Stands for the chance that a disabled gene stays so, where there is none.
AS_INHERITED = -1.0


class Settings(settings.Settings):
    """How two genomes become one."""

    values: Literal["pick", "average"] = Field(
        "pick", description="matching genes: of either parent by chance, or the mean of both"
    )
    ties: Literal["random", "both", "first"] = Field(
        "random",
        description="whose structure a child gets if both parents did equally well",
    )
    status: Literal["chance", "inherited"] = Field(
        "chance",
        description="whether a gene is disabled by chance, or as in the parent it comes from",
    )
    disabled: settings.Share = Field(
        0.75, description="chance that a gene disabled in a parent stays so"
    )
    dead: Literal["either", "fitter"] = Field(
        "either", description="in which parent a link must be dead to be dead in the child"
    )


def rates(settings: Settings, basis: Basis) -> Any:
    """Return the settings as kernels take them, and what they know of links that close cycles."""
    return kernel_tuple(
        {
            "average": settings.values == "average",
            "ties": {"first": FIRST, "both": BOTH, "random": RANDOM}[settings.ties],
            "disabled": AS_INHERITED if settings.status == "inherited" else settings.disabled,
            "fitter_dies": settings.dead == "fitter",
            "kill": basis.genome.loops == "kill",
            **basis.shape._asdict(),
        }
    )


def copy_genome(draft: Any, genes: Any, index: int) -> None:
    """Make the draft equal to a genome."""
    first = genes.node_start[index]
    draft.state[NODES] = genes.node_start[index + 1] - first
    for i in range(draft.state[NODES]):
        copy_node(draft, i, genes, first + i)
    first = genes.link_start[index]
    count = genes.link_start[index + 1] - first
    draft.state[LINKS] = count
    copy_cells(genes.link[first:], draft.whole[LINK], count)
    copy_cells(genes.source[first:], draft.whole[SOURCE], count)
    copy_cells(genes.target[first:], draft.whole[TARGET], count)
    copy_cells(genes.status[first:], draft.whole[STATUS], count)
    copy_cells(genes.frozen[first:], draft.whole[FROZEN], count)
    copy_cells(genes.weight[first:], draft.real[WEIGHT], count)


def copy_node(draft: Any, place: int, genes: Any, cell: int) -> None:
    """Copy one node."""
    draft.whole[NODE, place] = genes.node[cell]
    draft.whole[ACTIVATION, place] = genes.activation[cell]
    draft.whole[AGGREGATION, place] = genes.aggregation[cell]
    draft.real[BIAS, place] = genes.bias[cell]
    draft.real[RESPONSE, place] = genes.response[cell]


def cross_nodes(draft: Any, genes: Any, second: int, rates: Any) -> None:
    """Bring the values of the second parent's matching nodes into the first one's copy."""
    number = draft.state[CHANCE]
    there, end = genes.node_start[second], genes.node_start[second + 1]
    for i in range(draft.state[NODES]):
        while there < end and genes.node[there] < draft.whole[NODE, i]:
            there += 1
        if there < end and genes.node[there] == draft.whole[NODE, i]:
            if rates.average:
                draft.real[BIAS, i] = 0.5 * (draft.real[BIAS, i] + genes.bias[there])
                draft.real[RESPONSE, i] = 0.5 * (draft.real[RESPONSE, i] + genes.response[there])
            else:
                number = next_random(number)
                if number < 0:
                    copy_node(draft, i, genes, there)
    draft.state[CHANCE] = number


def cross_links(draft: Any, genes: Any, second: int, rates: Any) -> None:
    """Bring in the values of the second parent's matching links, and settle every status."""
    number = draft.state[CHANCE]
    there, end = genes.link_start[second], genes.link_start[second + 1]
    for i in range(draft.state[LINKS]):
        while there < end and genes.link[there] < draft.whole[LINK, i]:
            there += 1
        status = draft.whole[STATUS, i]
        disabled, dead = status == DISABLED, status == DEAD
        if there < end and genes.link[there] == draft.whole[LINK, i]:
            other_status = genes.status[there]
            if other_status == DEAD and rates.fitter_dies:
                other_status = status
            disabled = disabled or other_status == DISABLED
            dead = dead or other_status == DEAD
            if rates.average:
                draft.real[WEIGHT, i] = 0.5 * (draft.real[WEIGHT, i] + genes.weight[there])
            else:
                # Both are read in any case: a lot of one in two cannot be foreseen by a branch.
                number = next_random(number)
                weight, other = draft.real[WEIGHT, i], genes.weight[there]
                draft.real[WEIGHT, i] = other if number < 0 else weight
                frozen, other_frozen = draft.whole[FROZEN, i], genes.frozen[there]
                draft.whole[FROZEN, i] = other_frozen if number < 0 else frozen
                status = other_status if number < 0 else status
        if dead:
            draft.whole[STATUS, i] = DEAD
        elif rates.disabled == AS_INHERITED:
            draft.whole[STATUS, i] = status
        elif disabled:
            number = next_random(number)
            draft.whole[STATUS, i] = DISABLED if unit(number) < rates.disabled else LIVE
    draft.state[CHANCE] = number


def drop_unshared(draft: Any, genes: Any, second: int) -> None:
    """Take away every link that the second parent has not, by a toss."""
    there, end = genes.link_start[second], genes.link_start[second + 1]
    kept = 0
    for i in range(draft.state[LINKS]):
        while there < end and genes.link[there] < draft.whole[LINK, i]:
            there += 1
        shared = there < end and genes.link[there] == draft.whole[LINK, i]
        if shared or draw(draft) < 0:
            move_link(draft, i, kept)
            kept += 1
    draft.state[LINKS] = kept


def drop_bare_nodes(draft: Any, outputs: int) -> None:
    """Take away every hidden node without links."""
    draft.state[TICK] += 1
    tick = draft.state[TICK]
    for i in range(draft.state[LINKS]):
        draft.mark[draft.whole[SOURCE, i]] = tick
        draft.mark[draft.whole[TARGET, i]] = tick
    kept = outputs
    for i in range(outputs, draft.state[NODES]):
        if draft.mark[draft.whole[NODE, i]] == tick:
            move_node(draft, i, kept)
            kept += 1
    draft.state[NODES] = kept


def join_second(draft: Any, genes: Any, second: int, rates: Any) -> None:
    """Add what only the second parent has, as far as no cycle comes of it; all or by tosses."""
    for cell in range(genes.node_start[second], genes.node_start[second + 1]):
        if not has_node(draft, genes.node[cell]):
            kind, gathers = genes.activation[cell], genes.aggregation[cell]
            place = insert_node(draft, genes.node[cell], kind, gathers)
            draft.real[BIAS, place] = genes.bias[cell]
            draft.real[RESPONSE, place] = genes.response[cell]
    place = 0
    for cell in range(genes.link_start[second], genes.link_start[second + 1]):
        while place < draft.state[LINKS] and draft.whole[LINK, place] < genes.link[cell]:
            place += 1
        if place < draft.state[LINKS] and draft.whole[LINK, place] == genes.link[cell]:
            continue
        if rates.ties == RANDOM and draw(draft) >= 0:
            continue
        source, target, status = genes.source[cell], genes.target[cell], genes.status[cell]
        if status != DEAD and closes_cycle(draft, rates.inputs, source, target):
            if not rates.kill:
                continue
            status = DEAD
        place = insert_link(draft, genes.link[cell], source, target, genes.weight[cell])
        draft.whole[FROZEN, place] = genes.frozen[cell]
        chancy = status == DISABLED and rates.disabled != AS_INHERITED
        if chancy and draw_unit(draft) >= rates.disabled:
            status = LIVE
        draft.whole[STATUS, place] = status
