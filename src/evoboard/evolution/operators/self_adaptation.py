"""Blondie24's mutation (Chellapilla and Fogel): every number has a step size that evolves, too.

σ'_j = σ_j exp(τ N_j(0, 1))        τ = rate / √(2 √K), K the number of weights and biases
w'_j = w_j + σ'_j N_j(0, 1)        a new standard normal number for each
"""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings


class Settings(BaseSettings):
    """The step sizes at the start and how fast they change."""

    strength: float = Field(0.05, gt=0, description="every step size σ of a new vector")
    rate: float = Field(1.0, ge=0, description="factor of the learning rate τ = 1/√(2√K)")


def adapt(
    vectors: Array, strengths: Array, settings: Settings, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the children of vectors (n, K) and of their step sizes, in the same shapes."""
    tau = settings.rate / math.sqrt(2.0 * math.sqrt(vectors.shape[-1]))
    changed = strengths * np.exp(tau * rng.standard_normal(strengths.shape))
    return vectors + changed * rng.standard_normal(vectors.shape), changed
