"""New activations for nodes, chosen from a list (paper D's table 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.evolution.operators.drafts import ACTIVATION, choose_rows
from evoboard.evolution.operators.neat_start import Basis
from evoboard.networks.activations import Activation, activation_code

STRUCTURAL = False


class Settings(settings.Settings):
    """What can be chosen, and how often it is."""

    chance: settings.Share = Field(0.0, description="chance per node of a new choice")
    choices: tuple[Activation, ...] = Field((), description="activations to choose from")


def rates(settings: Settings, basis: Basis) -> dict[str, Any]:
    """Return what the kernel reads; nothing is chosen from an empty list."""
    codes = np.array([activation_code(name) for name in settings.choices], np.int64)
    return {"chance": settings.chance if len(codes) else 0.0, "codes": codes}


def mutate(draft: Any, rates: Any, tables: Any, factor: float) -> bool:
    """Choose the activation of each node anew, by the chance."""
    return choose_rows(draft, ACTIVATION, rates.codes, rates.chance)
