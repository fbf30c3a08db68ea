"""A search: one look at every move, the best one played, and now and then any other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evoboard.core.rng import below, next_random, nth_seed
from evoboard.core.settings import Settings as BaseSettings
from evoboard.games.rules import ONGOING, apply_move, legal_moves, outcome
from evoboard.search.base import DEPTH, LINE, NODES, ROOT, report
from evoboard.search.values import INFINITY, leaf_value

DETERMINISTIC = False  # the same position may get another answer


class Settings(BaseSettings):
    """Numbers and switches, each with a default; the kernel gets them as numbers."""

    adventures: int = Field(5, ge=0, le=100, description="percentage of moves played at random")


class Work(NamedTuple):
    """What the kernel writes to: the fields of `report` first, then its own."""

    stop: NDArray
    counts: NDArray
    value: NDArray
    line: NDArray
    root_moves: NDArray
    root_values: NDArray
    child: NDArray
    scratch: NDArray


def workspace(game, settings, scratch):
    """Return the arrays of one search: kernels allocate nothing."""
    child = np.zeros(game.state_size, np.int64)
    return Work(*report(game), child, np.zeros(scratch, np.float32))


def best_move(network, state, settings, chance, work):
    """Return the chosen move, -1 where there is none. The same `chance`, the same move."""
    counts = work.counts
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = 0, 0, 0, 0
    if outcome(state) != ONGOING:
        return -1
    count = legal_moves(state, work.root_moves)
    if count == 0:
        return -1
    best, chosen = -INFINITY, 0
    for i in range(count):
        apply_move(state, work.root_moves[i], work.child)
        work.root_values[i] = -leaf_value(network, work.child, 1, work.scratch)
        if work.root_values[i] > best:
            best, chosen = work.root_values[i], i
    luck = nth_seed(chance, 0)
    if below(luck, 100) < settings.adventures:
        chosen = below(next_random(luck), count)
    move = work.root_moves[chosen]
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = count, 1, 1, count
    work.value[0], work.line[0] = work.root_values[chosen], move
    return move
