"""Links change between frozen and free; the weight of a frozen one does not mutate (paper D)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.operators.drafts import FROZEN, LINKS, draw_unit

STRUCTURAL = False


class Settings(settings.Settings):
    """How often links are frozen and freed."""

    chance: settings.Share = Field(
        0.0, description="chance per link of switching between frozen and free"
    )


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Change each link by the chance; tell whether any was."""
    changed = False
    if rates.chance > 0.0:
        for i in range(draft.state[LINKS]):
            if draw_unit(draft) < rates.chance:
                draft.whole[FROZEN, i], changed = 1 - draft.whole[FROZEN, i], True
    return changed
