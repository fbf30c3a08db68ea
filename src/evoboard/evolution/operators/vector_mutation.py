"""Paper E's mutation of a vector: every number moves a little, the less the more there are.

w' = w + power m / √(2 √K)        m uniform in ±1, K the number of weights and biases
"""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings


class Settings(BaseSettings):
    """How far numbers move."""

    power: float = Field(1.0, ge=0, description="factor of the largest step, 1/√(2√K)")


def mutate(vectors: Array, settings: Settings, rng: np.random.Generator) -> Array:
    """Return vectors (…, K) with every number moved."""
    step = largest_step(vectors.shape[-1], settings)
    moved = rng.uniform(-step, step, vectors.shape)
    moved += vectors
    return moved


def largest_step(length: int, settings: Settings) -> float:
    """Return how far the numbers of a vector of that length move at most."""
    return settings.power / math.sqrt(2.0 * math.sqrt(length))
