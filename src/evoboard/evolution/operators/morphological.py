"""Morphological crossover: an odd number of parents give two children, number by number.

With g = max - min of a number among the parents (the morphological gradient),

    φ(g) = -0.8 g - 0.01          for g ≤ 0.05: parents alike, the interval grows
           0.421 g - 0.021        otherwise: parents differ, the interval shrinks

the first child is uniform in [min + φ(g), max - φ(g)] and the second its mirror image there.
All constants are settings. Paper C does not say how parents are chosen: here every set of them is
equally likely, and nobody is in it twice.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from evoboard.core.arrays import Array
from evoboard.core.settings import Settings as BaseSettings


class Settings(BaseSettings):
    """The number of parents and the constants of φ, the paper's unless changed."""

    parents: int = Field(5, ge=3, description="how many parents two children have; odd")
    threshold: float = Field(0.05, ge=0, description="the largest g of parents that are alike")
    growth: float = Field(0.8, ge=0, description="φ = -growth g - margin where parents are alike")
    margin: float = Field(0.01, ge=0, description="by how much the interval grows at least")
    shrinkage: float = Field(0.421, ge=0, le=0.5, description="φ = shrinkage g - relief elsewhere")
    relief: float = Field(0.021, description="by how much less the interval shrinks")

    @field_validator("parents")
    @classmethod
    def _odd(cls, parents: int) -> int:
        if parents % 2 == 0:
            raise ValueError(f"{parents} is even; the number of parents must be odd")
        return parents

    @model_validator(mode="after")
    def _never_inverted(self) -> Self:
        # For g above the threshold the width is g - 2 φ(g), which grows with g.
        if self.threshold * (1.0 - 2.0 * self.shrinkage) + 2.0 * self.relief < 0.0:
            raise ValueError(
                "the interval would end before it begins; relief must be at least "
                "-threshold (1 - 2 shrinkage) / 2"
            )
        return self


def choose_parents(settings: Settings, size: int, rng: np.random.Generator) -> Array:
    """Return the indices of parents among `size` individuals, all different."""
    return rng.choice(size, settings.parents, replace=False)


def cross(parents: Array, settings: Settings, rng: np.random.Generator) -> Array:
    """Return two children (2, K) of parents (odd number, K)."""
    low, high = interval(parents, settings)
    first = low + rng.random(len(low)) * (high - low)
    return np.stack([first, low + high - first])


def interval(parents: Array, settings: Settings) -> tuple[Array, Array]:
    """Return the lowest and the highest value that a child may have, for every number."""
    low, high = parents.min(axis=0), parents.max(axis=0)
    inward = phi(high - low, settings)
    return low + inward, high - inward


def phi(gradient: Array, settings: Settings) -> Array:
    """Return by how much the interval shrinks at both ends; where it grows, less than 0."""
    return np.where(
        gradient <= settings.threshold,
        -settings.growth * gradient - settings.margin,
        settings.shrinkage * gradient - settings.relief,
    )
