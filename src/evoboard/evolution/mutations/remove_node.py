"""Removes a hidden node (papers A and D).

It goes with all its links, and the link it had split lives again. Only simple nodes go,
those with no more than one living link in and one out: that is the inverse of adding a node, so
that equal chances keep genomes as large as they are. Where any node goes, it takes away all that
grew around it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DEAD, LIVE
from evoboard.evolution.operators.drafts import (
    LINK,
    LINKS,
    NODE,
    NODES,
    SOURCE,
    STATUS,
    TARGET,
    TICK,
    draw_below,
    move_link,
    move_node,
)
from evoboard.evolution.operators.innovation import split_link
from evoboard.evolution.operators.neat_start import Basis

STRUCTURAL = True


class Settings(settings.Settings):
    """How often nodes are removed, and which."""

    chance: settings.Share = Field(0.0, description="chance that a genome loses a hidden node")
    nodes: Literal["simple", "any"] = Field(
        "simple",
        description="which hidden nodes: only those with one link in and one out, or any",
    )


def rates(settings: Settings, basis: Basis) -> dict[str, Any]:
    """Return what the kernel reads."""
    return {"simple": settings.nodes == "simple", "outputs": basis.shape.outputs}


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Remove one hidden node drawn at random, if there is one; tell whether there was."""
    fitting = mark_fitting(draft, rates)
    if fitting == 0:
        return False
    left, place = draw_below(draft, fitting), rates.outputs - 1
    while left >= 0:
        place += 1
        if draft.mark[draft.whole[NODE, place]] == draft.state[TICK]:
            left -= 1
    key = draft.whole[NODE, place]
    split = split_link(tables, key)
    kept = 0
    for i in range(draft.state[LINKS]):
        if draft.whole[SOURCE, i] != key and draft.whole[TARGET, i] != key:
            move_link(draft, i, kept)
            if draft.whole[LINK, kept] == split and draft.whole[STATUS, kept] != DEAD:
                draft.whole[STATUS, kept] = LIVE
            kept += 1
    draft.state[LINKS] = kept
    draft.state[NODES] -= 1
    for i in range(place, draft.state[NODES]):
        move_node(draft, i + 1, i)
    return True


def mark_fitting(draft: Any, rates: Any) -> int:
    """Mark the hidden nodes that may be removed; return how many there are."""
    tick = draft.state[TICK] + 1
    draft.state[TICK] = tick
    fitting = 0
    for place in range(rates.outputs, draft.state[NODES]):
        key = draft.whole[NODE, place]
        into, out = 0, 0
        for i in range(draft.state[LINKS]):
            if draft.whole[STATUS, i] != DEAD:
                into += draft.whole[TARGET, i] == key
                out += draft.whole[SOURCE, i] == key
        if not rates.simple or (into <= 1 and out <= 1):
            draft.mark[key] = tick
            fitting += 1
    return fitting
