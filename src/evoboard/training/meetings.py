"""Who meets whom in one generation, and from which positions: pure functions of the seed."""

from __future__ import annotations

import numpy as np

from evoboard.arena.openings import start_positions
from evoboard.arena.schedules import (
    circular,
    double_round_robin,
    random_opponents,
    single_round_robin,
)
from evoboard.arena.tournament import Schedule
from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.games.base import Game
from evoboard.training.experiment import FitnessChoice


def fitness_games(
    game: Game, choice: FitnessChoice, size: int, rivals: int, seed: int, generation: int
) -> Schedule:
    """Return the games that judge a generation: players 0 .. size-1, rivals from `size` on."""
    openings = opening_positions(game, choice, seed, generation)
    pairs = _population_pairs(choice, size, seed, generation)
    if rivals:
        pairs = np.concatenate([pairs, outside_pairs(choice, size, rivals)])
    return assign_openings(pairs, choice, openings, stream(seed, "pairing", generation))


def outside_pairs(choice: FitnessChoice, size: int, rivals: int) -> Array:
    """Return the pairs of every individual with every rival; rivals count from `size` on."""
    pairs = np.stack(np.divmod(np.arange(size * rivals), rivals), axis=1)
    pairs[:, 1] += size
    if choice.openings:  # these are played with both colours anyway
        return pairs
    return np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)


def opening_positions(game: Game, choice: FitnessChoice, seed: int, generation: int) -> Array:
    """Return the positions that this generation's games begin from."""
    count = choice.pool or max(1, choice.openings)
    given = choice.opening_plies
    plies = game.opening_plies if given is None else given
    if choice.openings == 0 and choice.pool == 0 and given is None:
        plies = 0
    return start_positions(game, count, address(seed, "openings", generation), plies)


def assign_openings(
    pairs: Array, choice: FitnessChoice, openings: Array, rng: np.random.Generator
) -> Schedule:
    """Return the pairs' games: one from the start, or `openings` of them with both colours.

    With a pool, every pair takes openings of its own from it; the two games of a pair that meets
    with both colours begin alike.
    """
    each = max(1, choice.openings)
    if choice.pool:
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        _, pair = np.unique(low * (pairs.max() + 1) + high, return_inverse=True)
        offsets = rng.integers(choice.pool, size=pair.max() + 1)
        # Neighbours in the pool, so that the openings of one pair differ.
        taken = (offsets[pair][:, None] + np.arange(each)) % choice.pool
    else:
        taken = np.broadcast_to(np.arange(each), (len(pairs), each))
    if choice.openings == 0:
        return Schedule(pairs, taken[:, 0].astype(np.int64), openings)
    games = np.repeat(pairs, each, axis=0)
    both = np.stack([games, games[:, ::-1]], axis=1).reshape(-1, 2)
    return Schedule(both, np.repeat(taken.ravel(), 2).astype(np.int64), openings)


def _population_pairs(choice: FitnessChoice, size: int, seed: int, generation: int) -> Array:
    """Return the pairings within the population."""
    kind = choice.schedule
    if kind == "none":
        return np.zeros((0, 2), np.int64)
    if kind == "circular":
        return circular(size, choice.opponents, seed, generation)
    if kind == "random_opponents":
        return random_opponents(size, choice.opponents, seed, generation)
    # Openings are played with both colours, which is what "double" means.
    if kind == "single_round_robin" or choice.openings:
        return single_round_robin(size)
    return double_round_robin(size)
