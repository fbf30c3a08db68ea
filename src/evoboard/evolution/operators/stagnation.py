"""Which species no longer get better, and so have no more children.

A species' fitness is that of its best member. One that has not exceeded its own record for more
than `generations` is infertile (the original NEAT: 15; paper D: 20), unless it is among the
`protected` ones with the fittest members. If the whole population has not exceeded its record for
more than `population_generations` (2002: 20), only the `refuge` (2) species with the fittest
members are fertile in that generation, and the count starts again.

Where fitness is a score against the rest of the population, as in paper A, records say nothing:
such experiments turn both off with 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core import settings
from evoboard.core.arrays import Array
from evoboard.evolution.operators.parents import Ranking


class Settings(settings.Settings):
    """How long species may stagnate."""

    generations: int = Field(
        15, ge=0, description="generations without improvement allowed to a species; 0: any number"
    )
    protected: int = Field(1, ge=0, description="how many of the best species always have children")
    population_generations: int = Field(
        20,
        ge=0,
        description="generations without improvement allowed to the population; 0: any number",
    )
    refuge: int = Field(2, ge=1, description="how many species have children after that")


class Records(NamedTuple):
    """The best fitness each species ever had, and the generation it was reached in.

    `ids` ascend. The last two are one cell for the whole population.
    """

    ids: Array
    best: Array
    since: Array
    top: Array
    top_since: Array


def no_records() -> Records:
    """Return the records before the first generation."""
    none = np.zeros(0, np.int64)
    return Records(none, np.zeros(0), none, np.full(1, -np.inf), np.zeros(1, np.int64))


def update(records: Records, ranking: Ranking, fitness: Array, generation: int) -> Records:
    """Return the records of the species that are alive, after this generation."""
    best = fitness[ranking.best]
    place = np.searchsorted(records.ids, ranking.ids)
    place = np.minimum(place, max(0, len(records.ids) - 1))
    old = np.zeros(len(best), np.bool_)
    if len(records.ids):
        old = records.ids[place] == ranking.ids
    better = np.ones(len(best), np.bool_)
    since = np.full(len(best), generation, np.int64)
    if old.any():
        better[old] = best[old] > records.best[place[old]]
        since[~better] = records.since[place[~better]]
        best = np.where(better, best, records.best[place])
    if fitness.max() > records.top[0]:
        top, top_since = np.array([fitness.max()]), np.array([generation])
    else:
        top, top_since = records.top, records.top_since
    return Records(ranking.ids, best, since, top, top_since)


def fertile(
    settings: Settings, records: Records, ranking: Ranking, fitness: Array, generation: int
) -> tuple[Array, Records]:
    """Return which species may have children (bool), and the records, begun anew if need be."""
    by_best = np.argsort(-fitness[ranking.best], kind="stable")
    limit = settings.population_generations
    if limit and generation - records.top_since[0] > limit:
        answer = np.zeros(len(ranking.ids), np.bool_)
        answer[by_best[: settings.refuge]] = True
        since = np.full_like(records.since, generation)
        return answer, records._replace(since=since, top_since=np.array([generation]))
    answer = np.ones(len(ranking.ids), np.bool_)
    if settings.generations:
        answer = generation - records.since <= settings.generations
        answer[by_best[: settings.protected]] = True
    return answer, records
