"""Nodes and links taken away (papers A and D); off unless asked for.

A hidden node goes with all its links, and the link it had split lives again. Only simple nodes go,
those with no more than one living link in and one out: that is the inverse of adding a node, so
that equal chances keep genomes as large as they are. Where any node goes, it takes away all that
grew around it. A dead link stays: taken away, it could come back alive.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.base import Shape
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


class Settings(settings.Settings):
    """How often nodes and links are removed."""

    node: float = Field(
        default=0.0, ge=0, le=1, description="chance that a genome loses a hidden node"
    )
    link: float = Field(default=0.0, ge=0, le=1, description="chance that a genome loses a link")
    nodes: Literal["simple", "any"] = Field(
        default="simple", description="which hidden nodes: with one link in and out, or any"
    )


class Rates(NamedTuple):
    """The settings for kernels."""

    node: float
    link: float
    simple: bool
    outputs: int


def rates(settings: Settings, shape: Shape) -> Rates:
    """Return the settings as kernels take them."""
    return Rates(settings.node, settings.link, settings.nodes == "simple", shape.outputs)


def drop_node(draft: Any, rates: Any, tables: Any) -> bool:
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


def drop_link(draft: Any) -> bool:
    """Remove one link that is not dead, drawn at random, if there is one; tell whether."""
    living = 0
    for i in range(draft.state[LINKS]):
        if draft.whole[STATUS, i] != DEAD:
            living += 1
    if living == 0:
        return False
    left = draw_below(draft, living)
    kept = 0
    for i in range(draft.state[LINKS]):
        dropped = False
        if draft.whole[STATUS, i] != DEAD:
            dropped = left == 0
            left -= 1
        if not dropped:
            move_link(draft, i, kept)
            kept += 1
    draft.state[LINKS] = kept
    return True
