"""Random games, compiled: the yardstick of a game's speed, and a test of its rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address, below, next_random, nth_seed
from evoboard.games.adjudication import LONGEST, PLAYING, board_result, verdict
from evoboard.games.base import DrawRules, Game
from evoboard.games.position import position_key
from evoboard.games.rules import TURN, copy_state, initial, play_move


@dataclass(frozen=True)
class Playouts:
    """Many random games: per game its result for side 0 (+1, 0, -1), verdict code and plies."""

    results: Array
    codes: Array
    plies: Array
    finals: Array


def random_games(game: Game, count: int, seed: int, draws: DrawRules | None = None) -> Playouts:
    """Return `count` random games; game i depends on the seed and i alone."""
    if count < 1:
        raise OptionError(f"the number of games is {count}; it must be at least 1.")
    rules = draws or game.draws
    limits = np.array([rules.repetitions, rules.quiet, rules.plies or LONGEST], np.int64)
    states = np.zeros((count, game.state_size), np.int64)
    summary = np.zeros((count, 3), np.int64)
    keys = np.zeros(int(limits[2]) + 1, np.int64)
    moves, spare = np.zeros(game.max_moves, np.int32), np.zeros(game.state_size, np.int64)
    start = np.zeros(0, np.int64) if game.start_state is None else game.start_state
    kernel = game.link(play_random_games)
    kernel(start, address(seed, "playout"), states, limits, summary, keys, moves, spare)
    return Playouts(summary[:, 0], summary[:, 1], summary[:, 2], states)


def play_random_games(
    start: Array,
    seed: int,
    states: Array,
    limits: Array,
    summary: Array,
    keys: Array,
    moves: Array,
    spare: Array,
) -> None:
    """Play a game per row of `states`, which keeps its last position; `summary` has the rest.

    `start` is the start state, or empty for the game's own. `summary[i]` = result for side 0,
    code, plies. Workspace: `keys` (longest game + 1), `moves` (MAX_MOVES), `spare` (STATE_SIZE).
    """
    for i in range(states.shape[0]):
        chance = nth_seed(seed, i)
        if start.shape[0] > 0:
            copy_state(start, states[i])
        else:
            initial(states[i], int(nth_seed(int(chance), 1)))
        play_random(states[i], chance, limits, summary[i], keys, moves, spare)


def play_random(
    state: Array,
    chance: np.int64,
    limits: Array,
    summary: Array,
    keys: Array,
    moves: Array,
    spare: Array,
) -> None:
    """Play one random game from `state` to its end, in place."""
    number, ply = chance, 0
    while True:
        if limits[0] > 0:
            keys[ply] = position_key(state)
        code, count = verdict(state, keys, ply, limits, moves)
        if code != PLAYING:
            break
        number = next_random(number)
        play_move(state, moves[below(number, count)], spare)
        ply += 1
    summary[0] = board_result(state, code) * (1 - 2 * state[TURN])
    summary[1], summary[2] = code, ply
