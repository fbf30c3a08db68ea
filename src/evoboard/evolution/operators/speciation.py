"""Which species every genome belongs to.

A genome joins the first species, oldest first, whose representative is nearer than the threshold
(the original NEAT and paper A), or the nearest of them (paper D); if there is none it founds a
species and represents it. Species numbers are never used twice.

A species is represented by one of its members of the generation before, drawn at random: among
all of them (2002), or among its parents (paper A, where parents that stay keep their species and
only children are sorted). Only species that live on are joined: one that
got no children cannot come back by chance.

With a target, the threshold rises by a step after a generation with more species than that, and
falls after one with fewer.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.core.link import linked
from evoboard.evolution.operators.distance import distance


class Settings(settings.Settings):
    """How genomes are sorted into species."""

    threshold: float = Field(
        3.0, gt=0, description="distance at which a genome no longer belongs to a species"
    )
    representative: Literal["members", "parents"] = Field(
        "members", description="where a species' representative is drawn from"
    )
    match: Literal["first", "nearest"] = Field(
        "first", description="the first species near enough, or the nearest"
    )
    stay: bool = Field(
        False, description="whether an individual that stays unchanged keeps its species"
    )
    target: int = Field(
        0, ge=0, description="target number of species; 0 leaves the threshold alone"
    )
    step: float = Field(0.3, gt=0, description="how far the threshold moves towards a target")


class Representatives(NamedTuple):
    """Known species, ascending, and who stands for each: genome `member[k]` of `genes`."""

    ids: Array
    member: Array
    genes: Any


def speciate(
    settings: Settings,
    by: Any,
    threshold: float,
    genes: Any,
    known: Representatives,
    species: Array,
    next_species: int,
) -> tuple[Array, int]:
    """Return the species of every genome, and the first species number not yet used.

    `species` (n,) holds the number of those that keep theirs, -1 for the others.
    """
    species = species.copy()
    room = len(known.ids) + len(species)
    # Representatives: `known` ones by their place in known.genes, founders by ~place in genes.
    ids, holder = np.empty(room, np.int64), np.empty(room, np.int64)
    ids[: len(known.ids)], holder[: len(known.ids)] = known.ids, known.member
    next_species = linked(assign)(
        genes,
        known.genes,
        by,
        threshold,
        settings.match == "nearest",
        ids,
        holder,
        len(known.ids),
        species,
        next_species,
    )
    return species, int(next_species)


def assign(
    genes: Any,
    old: Any,
    by: Any,
    threshold: float,
    nearest: bool,
    ids: Array,
    holder: Array,
    count: int,
    species: Array,
    next_species: int,
) -> int:
    """Write the species of every genome that has none yet; return the next free number."""
    for i in range(species.shape[0]):
        if species[i] >= 0:
            continue
        found, least = -1, threshold
        for k in range(count):
            if holder[k] >= 0:
                apart = distance(genes, i, old, holder[k], by, least)
            else:
                apart = distance(genes, i, genes, ~holder[k], by, least)
            if apart < least:
                found, least = k, apart
                if not nearest:
                    break
        if found < 0:
            found = count
            ids[found], holder[found] = next_species, ~i
            count += 1
            next_species += 1
        species[i] = ids[found]
    return next_species


def adjust(settings: Settings, threshold: float, species: int) -> float:
    """Return the threshold for the next generation, after one with that many species."""
    if settings.target == 0 or species == settings.target:
        return threshold
    change = settings.step if species > settings.target else -settings.step
    return max(settings.step, threshold + change)
