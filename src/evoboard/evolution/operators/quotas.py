"""How many places of the next population each species gets; the sum is exact, always.

Explicit fitness sharing: a member's fitness is divided by its species' size, so that a species
counts with its mean fitness f. Of N places it is entitled to N f / (sum of all f).

`shared` (paper A): entitlements are rounded, and a species entitled to fewer than `minimum` (2)
dies. Missing places go one by one to species drawn at random among the survivors, surplus ones are
taken one by one from the largest. `proportional` (the original NEAT, paper D): no species gets
fewer than `minimum`, the rest is shared out by largest remainders; where the minima together
exceed the places, the species with the least f die until they fit.

Sharing needs a fitness that is nowhere negative. Counted from "zero" it is taken as it is, but
where any is negative the worst is subtracted from all; counted from the "worst" that is always
done (paper D's adjusted fitness but for its scale, which cancels). Where nothing is left, because
all are equal, all f are 1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.evolution.operators.parents import Ranking


class Settings(settings.Settings):
    """How places in the next generation are divided."""

    rule: Literal["proportional", "shared"] = Field(
        "proportional", description="exact shares, or paper A's rounded ones with corrections"
    )
    minimum: int = Field(
        0,
        ge=0,
        description="fewest places of a species, whether children or members that stay; with "
        "shared, a species that would get fewer dies",
    )
    count_from: Literal["zero", "worst"] = Field(
        "zero", description="what fitness is measured from when it is shared"
    )


def share_out(
    settings: Settings,
    fitness: Array,
    ranking: Ranking,
    fertile: Array,
    rng: np.random.Generator,
) -> Array:
    """Return the places of each species: as many in all as there are individuals, or none at all.

    Only species that are `fertile` (bool) get any. None at all where every species dies.
    """
    places = np.zeros(len(ranking.ids), np.int64)
    if fertile.any():
        means = mean_fitness(settings, fitness, ranking)[fertile]
        means = means if means.sum() > 0 else np.ones(len(means))
        divide = _shared if settings.rule == "shared" else _proportional
        places[fertile] = divide(means, len(fitness), settings.minimum, rng)
    return places


def rescue(fitness: Array, ranking: Ranking) -> Array:
    """Return the places where every species died: all for the one with the fittest member."""
    places = np.zeros(len(ranking.ids), np.int64)
    places[np.argmax(fitness[ranking.best])] = len(fitness)
    return places


def mean_fitness(settings: Settings, fitness: Array, ranking: Ranking) -> Array:
    """Return each species' mean fitness, shifted so that none is negative, in any unit."""
    # Scaled before it is summed, so that the sum of huge numbers stays finite.
    scaled = fitness / (np.abs(fitness).max() or 1.0)
    worst = scaled.min()
    if settings.count_from == "worst" or worst < 0:
        scaled = scaled - worst
    return np.add.reduceat(scaled[ranking.order], ranking.start[:-1]) / ranking.sizes


def _shared(means: Array, places: int, minimum: int, rng: np.random.Generator) -> Array:
    """Return paper A's quotas, or zeros where all species die."""
    quotas = np.rint(places * (means / means.sum())).astype(np.int64)
    quotas[quotas < minimum] = 0
    alive = np.flatnonzero(quotas)
    if len(alive) == 0:
        return quotas
    missing = places - int(quotas.sum())
    if missing > 0:
        np.add.at(quotas, rng.choice(alive, missing), 1)
    for _ in range(-missing):
        quotas[np.argmax(quotas)] -= 1
    return quotas


def _proportional(means: Array, places: int, minimum: int, _rng: np.random.Generator) -> Array:
    """Return shares of at least `minimum`, the remainders going to those who miss most."""
    alive = np.ones(len(means), np.bool_)
    if minimum * len(means) > places:
        alive[np.argsort(-means, kind="stable")[max(1, places // minimum) :]] = False
    entitled = np.zeros(len(means))
    at_minimum = ~alive
    while True:
        free = ~at_minimum
        rest = places - minimum * (alive & at_minimum).sum()
        entitled[free] = rest * (means[free] / (means[free].sum() or 1.0))
        low = free & (entitled < minimum)
        # Of several none can be all below the minimum but by rounding; one alone gets the rest.
        if not low.any() or low.sum() == free.sum():
            break
        at_minimum |= low
        entitled[low] = minimum
    quotas = np.floor(entitled).astype(np.int64)
    missing = places - int(quotas.sum())
    quotas[np.argsort(quotas - entitled, kind="stable")[:missing]] += 1
    return quotas
