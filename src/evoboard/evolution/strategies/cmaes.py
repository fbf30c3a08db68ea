"""CMA-ES (Hansen, 2016): samples of a normal distribution, whose shape follows what did well.

1. The population is the mean of the distribution and samples of it.
2. The better half of the samples, the best weighing most, are the next mean.
3. Two paths remember where the mean has been going: the step size grows while it keeps its
   direction, and the covariance stretches along it and along the good samples.

All constants are those of Hansen's tutorial (arXiv 1604.00772), without negative weights. The root
of the covariance is its triangular one (Krause, Arbonès and Igel, 2016): cheaper than its axes and,
unlike their signs, the same on every processor.
`separable` (Ros and Hansen, 2008) keeps variances only, and learns them faster: for networks of
more than some hundred numbers. The mean is the champion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from pydantic import Field

from evoboard.core import exact
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import stream
from evoboard.core.settings import Settings as BaseSettings
from evoboard.evolution.base import Evidence, Population, Shape, State
from evoboard.evolution.operators.replacement import ranking
from evoboard.evolution.strategies.vectors import CentredStrategy, Network, Start

LARGEST_FULL = 2000  # numbers of a network whose whole covariance is learned
SMALLEST, LARGEST = 1e-12, 1e6  # step sizes and deviations stay within


class Settings(BaseSettings):
    """Everything that can be chosen."""

    population: int = Field(25, ge=5, le=100_001, description="the mean and its samples")
    sigma: float = Field(0.05, gt=0, le=1e6, description="step size at the start")
    separable: bool = Field(False, description="learn variances only, no covariances")
    network: Network = Network()
    start: Start = Start()


class Strategy(CentredStrategy):
    """A normal distribution of vectors."""

    def __init__(self, settings: Any, shape: Shape, seed: int) -> None:
        super().__init__(settings, shape, seed)
        length = self.design.length
        if length > LARGEST_FULL and not settings.separable:
            raise OptionError(
                f"a network {self.design.text} has {length} numbers, too many for all their "
                f"covariances ({LARGEST_FULL}); set strategy.separable = true."
            )
        self.constants = Constants(length, settings.population - 1, settings.separable)
        self.sigma = settings.sigma
        # The diagonal alone, (n,), where it is separable.
        self.covariance = np.ones(length) if settings.separable else np.eye(length)
        self.path, self.sigma_path = np.zeros(length), np.zeros(length)
        self._known: tuple[Array, Array] | None = None  # a covariance and its root

    def breed(self, population: Population, evidence: Evidence) -> Population:
        """Return the next mean and samples around it."""
        vectors = population.genes.vector
        order = 1 + ranking(evidence.fitness[1:])
        chosen = order[: len(self.constants.weights)]
        steps = (vectors[chosen] - vectors[0]) / self.sigma
        step = exact.combined(self.constants.weights, steps)
        mean = vectors[0] + self.sigma * step
        self._follow(step, steps)
        parents = (int(population.ids[0]), int(population.ids[order[0]]))
        return self.surrounded(mean, self.around(mean, self.generation), parents)

    def _follow(self, step: Array, steps: Array) -> None:
        """Let paths, covariance and step size follow the mean's step and those of the best."""
        c, length = self.constants, len(step)
        root = self._root()
        white = step / root if self.settings.separable else exact.solved(root, step)
        gain = math.sqrt(c.sigma_share * (2 - c.sigma_share) * c.effective)
        self.sigma_path = (1 - c.sigma_share) * self.sigma_path + gain * white
        size = float(np.sqrt((self.sigma_path**2).sum()))
        faded = float(Decimal(1 - c.sigma_share) ** (2 * (self.generation + 1)))
        settled = math.sqrt(1 - faded)
        # Where the path is suddenly long, the step size is at fault, not the shape.
        usual = 1.0 if size / settled < (1.4 + 2 / (length + 1)) * c.expected else 0.0
        gain = math.sqrt(c.path_share * (2 - c.path_share) * c.effective)
        self.path = (1 - c.path_share) * self.path + usual * gain * step
        kept = 1 - c.one - c.many + (1 - usual) * c.one * c.path_share * (2 - c.path_share)
        if self.settings.separable:
            many, one = exact.combined(c.weights, steps**2), self.path**2
        else:
            many = exact.product(steps.T * c.weights, steps)
            one = np.outer(self.path, self.path)
        self.covariance = kept * self.covariance + c.one * one + c.many * many
        change = c.sigma_share / c.damping * (size / c.expected - 1)
        growth = float(Decimal(min(1.0, change)).exp())
        self.sigma = min(max(self.sigma * growth, SMALLEST), LARGEST)

    def _root(self) -> Array:
        """Return R of the covariance RᵀR, or the deviations where it is separable."""
        if self.settings.separable:
            return np.clip(np.sqrt(self.covariance), SMALLEST, LARGEST)
        if self._known is None or self._known[0] is not self.covariance:
            # As above; what varies with what stays, and so does all that is within (x * 1 is x).
            within = LARGEST / np.maximum(np.sqrt(self.covariance.diagonal()), LARGEST)
            bounded = self.covariance * within * within[:, None]
            self._known = self.covariance, exact.factor(bounded, SMALLEST**2)
        return self._known[1]

    def around(self, mean: Array, when: int | str) -> Array:
        """Return samples of the distribution."""
        rng = stream(self.seed, "cmaes", "samples", when)
        noise = rng.standard_normal((self.settings.population - 1, len(mean)))
        root = self._root()
        steps = noise * root if self.settings.separable else exact.product(noise, root)
        return mean + self.sigma * steps

    def extra_state(self) -> State:
        """Return the distribution beside its mean."""
        return {
            "sigma": self.sigma,
            "covariance": self.covariance,
            "path": self.path,
            "sigma_path": self.sigma_path,
        }

    def restore_extra(self, state: State) -> None:
        """Take back what `extra_state` returned."""
        self.sigma, self.covariance = float(state["sigma"]), state["covariance"]
        self.path, self.sigma_path = state["path"], state["sigma_path"]

    def facts(self) -> Mapping[str, float]:
        """Return the step size."""
        return {"step_size": self.sigma}


class Constants:
    """The tutorial's constants for so many numbers and samples; its table 1 names them."""

    def __init__(self, length: int, samples: int, separable: bool) -> None:
        best = np.arange(1, samples // 2 + 1)
        weights = float(Decimal((samples + 1) / 2).ln()) - exact.log(best)
        self.weights = weights / weights.sum()
        effective = self.effective = float(1 / (self.weights**2).sum())
        self.sigma_share = (effective + 2) / (length + effective + 5)
        excess = max(0.0, math.sqrt((effective - 1) / (length + 1)) - 1)
        self.damping = 1 + 2 * excess + self.sigma_share
        self.path_share = (4 + effective / length) / (length + 4 + 2 * effective / length)
        self.one = 2 / ((length + 1.3) ** 2 + effective)
        many = 2 * (effective - 2 + 1 / effective) / ((length + 2) ** 2 + effective)
        self.many = min(1 - self.one, many)
        if separable:  # so many fewer numbers are learned that much faster
            self.one = min(1.0, self.one * (length + 2) / 3)
            self.many = min(1 - self.one, self.many * (length + 2) / 3)
        # How long a normal vector is on average.
        self.expected = math.sqrt(length) * (1 - 1 / (4 * length) + 1 / (21 * length**2))
