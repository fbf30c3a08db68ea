"""Enables a disabled link, drawn at random."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.genomes.neat import DISABLED, LIVE
from evoboard.evolution.operators.drafts import STATUS, draw_status

STRUCTURAL = True


class Settings(settings.Settings):
    """How often links are enabled."""

    chance: settings.Share = Field(0.0, description="chance that a disabled link is enabled")


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Enable a disabled link drawn at random, if there is one; tell whether there was."""
    place = draw_status(draft, DISABLED)
    if place < 0:
        return False
    draft.whole[STATUS, place] = LIVE
    return True
