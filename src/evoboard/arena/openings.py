"""Openings: positions a few random plies into a game, so that deterministic players meet anew."""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address, stream
from evoboard.games.base import Game

# A random line that ends the game is dropped and drawn again, this often at most.
TRIES = 1000


def start_positions(game: Game, count: int, seed: int, plies: int = 0) -> Array:
    """Return `count` ongoing positions, int64 (count, STATE_SIZE), `plies` random plies deep.

    Position i depends on the seed and i alone. With 0 plies these are the game's start states,
    which differ only where the game's start is random.
    """
    if count < 1:
        raise OptionError(f"the number of openings is {count}; it must be at least 1.")
    if plies < 0:
        raise OptionError(f"the length of an opening is {plies} plies; it must be 0 or more.")
    return np.stack([_opening(game, seed, index, plies) for index in range(count)])


def _opening(game: Game, seed: int, index: int, plies: int) -> Array:
    chance = stream(seed, "opening", game.name, index)
    for attempt in range(TRIES):
        state = game.initial(address(seed, "start", index, attempt))
        for _ in range(plies):
            moves = game.legal_moves(state)
            if not moves:
                break
            state = game.apply(state, moves[int(chance.integers(len(moves)))])
        if game.legal_moves(state):
            return state
    raise OptionError(
        f"no game of {game.name} was still going after {plies} random plies; use shorter openings."
    )
