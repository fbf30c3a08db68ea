"""Who has children, who stays, and who mates with whom.

The parents of a species are the best share of its members, at least one (paper A: 25%, paper D:
20%). They may stay in the population unchanged (paper A keeps them all, as the standard the new
ones are measured by); or only the few best of a species that is large enough stay, its elites
(paper D: 2 from species of 2; the original NEAT: the champion of a species of more than five).
Whoever stays takes a place of the species' quota. Among equals, who stands first in the
population comes first.

Both parents of a child are drawn among its species' parents with equal chances. `crossover` is
the share of children with two parents; of these, `interspecies` have the second one from another
species. The fitter parent comes first; of two that are equally fit the one with fewer links, which
keeps genomes from growing where nobody is better (as in the original NEAT's program).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array


class Settings(settings.Settings):
    """Who has children and who stays."""

    share: float = Field(
        0.2, gt=0, le=1, description="share of a species, the best, that has children"
    )
    least: int = Field(1, ge=1, description="fewest parents of a species that has members")
    stay: bool = Field(False, description="whether all parents stay in the population unchanged")
    elites: int = Field(1, ge=0, description="how many of a species' best members stay unchanged")
    elite_size: int = Field(6, ge=1, description="fewest members of a species with elites")
    crossover: settings.Share = Field(0.75, description="share of children with two parents")
    interspecies: settings.Share = Field(
        0.001, description="share of these whose second parent is from another species"
    )


class Ranking(NamedTuple):
    """A population by species, ascending, and within each by fitness, best first.

    Species `ids[k]` has the members `order[start[k] : start[k + 1]]`.
    """

    ids: Array
    start: Array
    order: Array

    @property
    def sizes(self) -> Array:
        """How many members each species has."""
        return np.diff(self.start)

    @property
    def best(self) -> Array:
        """The best member of each species."""
        return self.order[self.start[:-1]]


class Mates(NamedTuple):
    """For each child its parents, the fitter one first, -1 for no second, and its species' place
    in the ranking."""

    first: Array
    second: Array
    place: Array


def rank(species: Array, fitness: Array) -> Ranking:
    """Return the population ranked within its species."""
    # lexsort is stable: among equals, who stands first comes first.
    order = np.lexsort((-fitness, species))
    sorted_species = species[order]
    first = np.flatnonzero(np.diff(sorted_species, prepend=sorted_species[0] - 1))
    return Ranking(sorted_species[first], np.append(first, len(species)), order)


def parent_counts(settings: Settings, sizes: Array) -> Array:
    """Return how many members of each species have children."""
    counts = np.maximum(settings.least, np.rint(settings.share * sizes).astype(np.int64))
    return np.minimum(counts, sizes)


def stay_counts(settings: Settings, sizes: Array, quotas: Array) -> Array:
    """Return how many members of each species stay unchanged, within its quota."""
    elites = np.where(sizes >= settings.elite_size, np.minimum(settings.elites, sizes), 0)
    if settings.stay:
        elites = np.maximum(elites, parent_counts(settings, sizes))
    return np.minimum(elites, quotas)


def best_of(ranking: Ranking, counts: Array) -> tuple[Array, Array]:
    """Return the best `counts[k]` members of every species k, and each one's k."""
    place = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranking.order[ranking.start[place] + within], place


def mate(
    settings: Settings,
    ranking: Ranking,
    children: Array,
    fitness: Array,
    links: Array,
    rng: np.random.Generator,
) -> Mates:
    """Return the parents of `children[k]` children for every species k.

    `fitness` and `links` (n,) tell how fit everyone is, and how many links it has.
    """
    counts = np.where(children > 0, parent_counts(settings, ranking.sizes), 0)
    pool, _ = best_of(ranking, counts)
    begin = np.cumsum(counts) - counts
    place = np.repeat(np.arange(len(children)), children)
    own, size = begin[place], counts[place]
    luck = rng.random((4, len(place)))
    one = own + (luck[0] * size).astype(np.int64)
    two = own + (luck[1] * size).astype(np.int64)
    # The others' parents stand before and after the own ones: a draw that reaches these skips them.
    others = len(pool) - size
    far = (luck[1] * others).astype(np.int64)
    far += np.where(far >= own, size, 0)
    two = np.where((luck[3] < settings.interspecies) & (others > 0), far, two)
    first, second = pool[one], pool[two]
    second = np.where(luck[2] < settings.crossover, second, first)
    # Mating with itself changes nothing: that child has one parent.
    alone = first == second
    equal, smaller = fitness[second] == fitness[first], links[second] < links[first]
    swap = (fitness[second] > fitness[first]) | (equal & smaller)
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    return Mates(first, np.where(alone, -1, second), place)
