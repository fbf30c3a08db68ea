"""Who is best, who has to go, and what those who stay are called."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.evolution.base import PERSISTENT


def ranking(fitness: Array) -> Array:
    """Return indices from best to worst; among equals the one that stands first comes first.

    So the first is the champion that a search for the highest fitness finds.
    """
    return np.argsort(-np.asarray(fitness, np.float64), kind="stable")


def worst(fitness: Array, ids: Array, count: int) -> Array:
    """Return the indices of the `count` worst; among equals the older go first.

    The champion stays even where all are equal. So new blood comes into a population in which
    everybody scores alike, and the best is not lost.
    """
    order = np.lexsort((ids, fitness))
    return order[order != ranking(fitness)[0]][:count]


def origin_of_staying(origin: Array, indices: Array, champion: int, usual: int | Array) -> Array:
    """Return the origin of those that stay: PERSISTENT if they were ever champion, else `usual`.

    `origin` is that of the population they stay from, `champion` its champion's index.
    """
    was_champion = (origin[indices] == PERSISTENT) | (np.asarray(indices) == champion)
    return np.where(was_champion, PERSISTENT, usual).astype(np.int64)
