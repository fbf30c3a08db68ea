"""How vectors begin: every number uniform around 0."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings


class Settings(BaseSettings):
    """The numbers of new vectors."""

    spread: float = Field(1.0, gt=0, le=1e6, description="numbers are uniform in ± spread")


def begin(settings: Settings, count: int, length: int, rng: np.random.Generator) -> Array:
    """Return new vectors, float64 (count, length)."""
    return rng.uniform(-settings.spread, settings.spread, (count, length))
