"""What a generation of paper B is made of: the drawn, old best ones, random old ones and new ones.

The chance of agent i to be drawn is, with fitness f and the exponent e,

    p_i = f_i^e / sum of f_j^e

Where all have a fitness of 0, all are equally likely. Fitness that falls below 0
(paper B counts wins, which do not) is measured from the lowest.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.settings import HERE, Share, wrong_at
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.operators.replacement import ranking


class Settings(BaseSettings):
    """The exponent of fitness and the shares of a generation that are not drawn by fitness."""

    exponent: float = Field(
        1.0, ge=0, le=100, description="agents are drawn with probability ∝ fitness^exponent"
    )
    best: Share = Field(0.0, description="share of the best agents, kept as they are")
    old_best: Share = Field(
        0.0, description="share of best agents of all generations so far, mutated"
    )
    random_old: Share = Field(0.0, description="share of agents drawn regardless of fitness")
    new: Share = Field(0.0, description="share of new random agents")

    @model_validator(mode="after")
    def _at_most_all(self) -> Self:
        if self.best + self.old_best + self.random_old + self.new > 1 + 1e-9:
            raise wrong_at(
                ("best",),
                f"{HERE}: the shares best, old_best, random_old and new add up to more than 1.",
            )
        return self


class Composition(NamedTuple):
    """Indices of those that stay as they are and of those to be mutated, and how many are new.

    `old_best` are indices of champions, the others of the population.
    """

    best: Array
    drawn: Array
    old_best: Array
    random_old: Array
    new: int


def compose(
    fitness: Array, size: int, champions: int, settings: Settings, rng: np.random.Generator
) -> Composition:
    """Return a generation of exactly `size`; shares are rounded down, the drawn fill up.

    `champions`: how many best agents of all generations so far are known.
    """
    best, champion, old, new = (
        int(share * size + 1e-9)
        for share in (settings.best, settings.old_best, settings.random_old, settings.new)
    )
    rest = size - best - champion - old - new
    drawn = rng.choice(len(fitness), rest, p=chances(fitness, settings.exponent))
    random_old = rng.integers(0, len(fitness), old)
    # Drawn last, so that runs without them go on as they always did.
    old_best = rng.integers(0, champions, champion) if champion else np.zeros(0, np.int64)
    return Composition(ranking(fitness)[:best], drawn, old_best, random_old, new)


def chances(fitness: Array, exponent: float) -> Array:
    """Return each individual's chance of being drawn."""
    height = fitness - min(fitness.min(), 0.0)
    if height.max() <= 0.0:
        return np.full(len(fitness), 1.0 / len(fitness))
    # Scaled first, so that no power is too large for a number.
    power = exact.power(height / height.max(), exponent)
    return power / power.sum()
