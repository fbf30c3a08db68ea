"""Adds links between nodes that are not linked.

Each try draws one pair, all with the same chance: a source (an input or a hidden node; nothing
leaves an output) and a target (any node). What about cycles (`genome.loops`):

    refuse   pairs that would close a cycle are not drawn; a link in the other direction does not
             matter (the original NEAT, feed-forward; paper D, strictly feed-forward)
    kill     a pair linked in either direction is not drawn; a link that closes a cycle is made and
             dies at once (paper A: figure 15 and the loop solver)

Disabled links count as if they were enabled, so that enabling one never makes a cycle.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DEAD
from evoboard.evolution.operators.drafts import (
    CHANCE,
    LINKS,
    NODE,
    NODES,
    SOURCE,
    STATUS,
    TARGET,
    TICK,
    closes_cycle,
    draw_below,
    find_link,
    insert_link,
    mark_followers,
)
from evoboard.evolution.operators.innovation import link_number
from evoboard.evolution.operators.neat_start import Basis, drawn_anew

# Rejected pairs after which the fitting ones are counted; the choice is uniform either way.
PATIENCE = 16

STRUCTURAL = True
INSTEAD = "enable_link"


class Settings(settings.Settings):
    """How links are added."""

    chance: settings.Share = Field(0.05, description="chance that a genome gets new links")
    tries: int = Field(1, ge=1, le=1000, description="links added then, if unlinked pairs are left")
    bound: float | None = Field(
        None,
        ge=0,
        description="new weights are uniform in ± this; by default drawn as at the start",
    )


def rates(settings: Settings, basis: Basis) -> dict[str, Any]:
    """Return what the kernel reads: how new weights are drawn, and what it knows of genomes."""
    fresh = basis.start.weight
    if settings.bound is not None:
        drawn = {"kind": "uniform", "mean": 0.0, "spread": settings.bound}
        fresh = fresh.model_copy(update=drawn)
    kill = basis.genome.loops == "kill"
    return {"kill": kill, "fresh": fresh, **basis.shape._asdict()}


def growth(settings: Settings) -> tuple[int, int]:
    """Return how many nodes and links it can add."""
    return 0, settings.tries


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Link one random pair, if one is left; tell whether there was."""
    source, target = draw_pair(draft, rates)
    if source < 0:
        return False
    dies = rates.kill and closes_cycle(draft, rates.inputs, source, target)
    weight, draft.state[CHANCE] = drawn_anew(rates.fresh, draft.state[CHANCE])
    number = link_number(tables, source, target)
    place = insert_link(draft, number, source, target, weight)
    if dies:
        draft.whole[STATUS, place] = DEAD
    return True


def draw_pair(draft: Any, rates: Any) -> tuple[int, int]:
    """Return a source and a target drawn among all that fit, or (-1, -1)."""
    nodes = draft.state[NODES]
    sources = rates.inputs + nodes - rates.outputs
    # No two links share both ends, so that this many pairs at most have none.
    if sources * nodes - (nodes - rates.outputs) <= draft.state[LINKS]:
        return -1, -1
    for _ in range(PATIENCE):
        source = source_key(draft, rates, draw_below(draft, sources))
        target = draft.whole[NODE, draw_below(draft, nodes)]
        if fits(draft, rates, source, target):
            return source, target
    total, _, _ = count_pairs(draft, rates, sources * nodes)
    if total == 0:
        return -1, -1
    _, source, target = count_pairs(draft, rates, draw_below(draft, total))
    return source, target


def source_key(draft: Any, rates: Any, index: int) -> int:
    """Return the key of a source: inputs first, then hidden nodes."""
    hidden = index - rates.inputs
    return index if hidden < 0 else draft.whole[NODE, hidden + rates.outputs]


def fits(draft: Any, rates: Any, source: int, target: int) -> bool:
    """Tell whether a pair can be drawn."""
    if source == target or find_link(draft, source, target) >= 0:
        return False
    if rates.kill:
        return find_link(draft, target, source) < 0
    return not closes_cycle(draft, rates.inputs, source, target)


def count_pairs(draft: Any, rates: Any, wanted: int) -> tuple[int, int, int]:
    """Return how many pairs fit; or, where more than `wanted` do, so many and the next pair."""
    nodes = draft.state[NODES]
    sources = rates.inputs + nodes - rates.outputs
    total = 0
    for i in range(nodes):
        target = draft.whole[NODE, i]
        mark_unfit(draft, rates.kill, target)
        for j in range(sources):
            source = source_key(draft, rates, j)
            if draft.mark[source] != draft.state[TICK]:
                if total == wanted:
                    return total, source, target
                total += 1
    return total, -1, -1


def mark_unfit(draft: Any, kill: bool, target: int) -> None:
    """Mark all sources that do not fit a target."""
    if kill:
        draft.state[TICK] += 1
        draft.mark[target] = draft.state[TICK]
    else:
        mark_followers(draft, target)
    for i in range(draft.state[LINKS]):
        if draft.whole[TARGET, i] == target:
            draft.mark[draft.whole[SOURCE, i]] = draft.state[TICK]
        elif kill and draft.whole[SOURCE, i] == target:
            draft.mark[draft.whole[TARGET, i]] = draft.state[TICK]
