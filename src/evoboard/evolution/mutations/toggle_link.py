"""Links change between live and disabled; split and dead ones (paper A) keep their status."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DISABLED, LIVE
from evoboard.evolution.operators.drafts import LINKS, STATUS, draw_unit

STRUCTURAL = False


class Settings(settings.Settings):
    """How often links are switched on and off."""

    chance: settings.Share = Field(
        0.0, description="chance per link of switching between enabled and disabled"
    )


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Change each link by the chance; tell whether any was."""
    changed = False
    if rates.chance > 0.0:
        for i in range(draft.state[LINKS]):
            status = draft.whole[STATUS, i]
            if status in (LIVE, DISABLED) and draw_unit(draft) < rates.chance:
                draft.whole[STATUS, i], changed = LIVE + DISABLED - status, True
    return changed
