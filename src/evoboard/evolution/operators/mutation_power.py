"""How strongly a child's numbers are mutated, by how its parent did (paper A, 4.2: "the worse the
performance, the higher the mutation rate").

The power is multiplied by 1 + growth · b, where b is the share of the others that did better than
the parent: 0 for the best, 1 for the worst. A growth of 0 leaves it as it is.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array


class Settings(settings.Settings):
    """How the power of value mutations depends on fitness."""

    growth: float = Field(0.0, ge=0, description="how much more power the child of the worst gets")


def factors(settings: Settings, fitness: Array) -> Array:
    """Return for every individual the factor on its children's mutation power."""
    better = np.searchsorted(np.sort(-fitness), -fitness)
    return 1.0 + settings.growth * better / max(1, len(fitness) - 1)
