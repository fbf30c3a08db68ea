"""Splits a link with a new node.

The link is drawn among the live ones. Its first half gets a fixed weight, the second half the old
weight, the new node bias 0, so that little changes at first, or (paper D, table 2) a bias drawn as
the first ones are. What becomes of the old link:

    disabled   it is no longer expressed (the original NEAT, paper D)
    split      it gets weight 0 and stays expressed, but is never split again (paper A)
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DISABLED, LIVE, SPLIT
from evoboard.evolution.operators.drafts import (
    BIAS,
    CHANCE,
    LINK,
    SOURCE,
    STATUS,
    TARGET,
    WEIGHT,
    draw_status,
    has_node,
    insert_link,
    insert_node,
)
from evoboard.evolution.operators.innovation import known_key, link_number, node_key
from evoboard.evolution.operators.neat_start import Basis, drawn_anew
from evoboard.networks.activations import activation_code, aggregation_code

STRUCTURAL = True
INSTEAD = "add_link"


class Settings(settings.Settings):
    """How nodes are added."""

    chance: settings.Share = Field(0.03, description="chance that a genome gets a new node")
    first_weight: float = Field(1.0, description="weight of the link into the new node")
    bias: Literal["zero", "start"] = Field(
        "zero", description="the new node's bias: 0, or drawn as at the start"
    )
    old: Literal["disabled", "split"] = Field("disabled", description="what the old link becomes")


def rates(settings: Settings, basis: Basis) -> dict[str, Any]:
    """Return what the kernel reads: the settings, and what a new node does."""
    return {
        "first_weight": settings.first_weight,
        "split": settings.old == "split",
        "drawn": settings.bias == "start",
        "bias": basis.start.bias,
        "activation": activation_code(basis.genome.hidden),
        "aggregation": aggregation_code(basis.genome.aggregation),
    }


def growth(settings: Settings) -> tuple[int, int]:
    """Return how many nodes and links it can add."""
    return 1, 2


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Split one live link, if there is one; tell whether there was."""
    place = draw_status(draft, LIVE)
    if place < 0:
        return False
    number, weight = draft.whole[LINK, place], draft.real[WEIGHT, place]
    source, target = draft.whole[SOURCE, place], draft.whole[TARGET, place]
    draft.whole[STATUS, place] = SPLIT if rates.split else DISABLED
    if rates.split:
        draft.real[WEIGHT, place] = 0.0
    # A link enabled again and split once more gets another node than the first time.
    turn, known = 0, known_key(tables, number, 0)
    while known >= 0 and has_node(draft, known):
        turn += 1
        known = known_key(tables, number, turn)
    key = node_key(tables, number, turn)
    node = insert_node(draft, key, rates.activation, rates.aggregation)
    if rates.drawn:
        draft.real[BIAS, node], draft.state[CHANCE] = drawn_anew(rates.bias, draft.state[CHANCE])
    insert_link(draft, link_number(tables, source, key), source, key, rates.first_weight)
    insert_link(draft, link_number(tables, key, target), key, target, weight)
    return True
