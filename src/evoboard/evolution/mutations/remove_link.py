"""Removes a link (papers A and D). A dead one stays: if removed, it could come back alive."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DEAD
from evoboard.evolution.operators.drafts import LINKS, STATUS, draw_below, move_link

STRUCTURAL = True


class Settings(settings.Settings):
    """How often links are removed."""

    chance: settings.Share = Field(0.0, description="chance that a genome loses a link")


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
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
