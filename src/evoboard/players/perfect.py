"""perfect: never makes a mistake, in games small enough to be solved completely.

Its kernel is a search (see `search/base.py`) whose network is the solver's table.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.rng import below, next_random, nth_seed
from evoboard.core.settings import Settings
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.games.rules import (
    DRAW,
    ONGOING,
    apply_move,
    copy_state,
    legal_moves,
    outcome,
    play_move,
)
from evoboard.players.solver import SolvedTable, Solver, find
from evoboard.search.base import (
    DEPTH,
    LINE,
    LONGEST_LINE,
    NODES,
    ROOT,
    Searcher,
    Thought,
    report,
)
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.search.values import INFINITY, settled

SUMMARY = "never makes a mistake, in small games"
SOLVED = ("nim",)  # the built-in games that are small enough

F = np.float32


class Options(Settings):
    """How it decides where several moves are equally good."""

    vary: bool = Field(
        True, description="choose at random between equal moves; off: play the first"
    )


def player_for(game: Game, options: Options) -> PerfectPlayer:
    """Return the player; the game is solved at once, so that one too large is refused here."""
    return PerfectPlayer(game, options)


class PerfectPlayer:
    """Looks its moves up in the solver's table."""

    name = "perfect"

    def __init__(self, game: Game, options: Options) -> None:
        self.deterministic = not options.vary
        self.solver = Solver(game)
        self.solver.solve(game.initial())
        self.searcher = Searcher(game, sys.modules[__name__], options, {})

    def think(
        self, history: History, chance: int, limits: Limits = NO_LIMITS, stop: Stop | None = None
    ) -> Thought:
        """Return a perfect move with its line, and the exact value of every move."""
        self.solver.solve(history.state)
        return self.searcher.think(self.solver.table, history, chance)


class Work(NamedTuple):
    """The report fields, then the search's own."""

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array
    moves: Array  # (MAX_MOVES,) int32
    values: Array  # (MAX_MOVES,) float32
    states: Array  # (2, STATE_SIZE) int64


def workspace(game: Game, settings: Options, scratch: int) -> Work:
    """Return the arrays one choice of a move needs."""
    moves, values = np.zeros(game.max_moves, np.int32), np.zeros(game.max_moves, F)
    return Work(*report(game), moves, values, np.zeros((2, game.state_size), np.int64))


def best_move(network: SolvedTable, state: Array, settings: Any, chance: int, work: Work) -> int:
    """Return a perfect move; -1 if the game is over or the table does not know the position."""
    counts, here = work.counts, work.states[0]
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = 0, 0, 0, 0
    count = _rate(state, network, work.root_moves, work.root_values, work.states[1])
    if count <= 0:
        return -1
    counts[NODES], counts[ROOT] = count, count
    number = next_random(nth_seed(chance, 0)) if settings.vary else np.int64(0)
    first = _choose(work.root_values, count, number)
    work.value[0] = work.root_values[first]
    move = work.root_moves[first]
    copy_state(state, here)
    while count > 0 and counts[LINE] < LONGEST_LINE:
        work.line[counts[LINE]] = move
        counts[LINE] += 1
        play_move(here, move, work.states[1])
        count = _rate(here, network, work.moves, work.values, work.states[1])
        move = work.moves[_choose(work.values, count, np.int64(0))]
    counts[DEPTH] = counts[LINE]
    return work.root_moves[first]


def _rate(state: Array, table: SolvedTable, moves: Array, values: Array, spare: Array) -> int:
    """Write the legal moves and their values; return how many, -1 if the table lacks one."""
    count = legal_moves(state, moves) if outcome(state) == ONGOING else 0
    for i in range(count):
        apply_move(state, moves[i], spare)
        number = find(spare, table.slots, table.states)
        if number < 0:
            return -1
        values[i] = F(0)
        if table.results[number] != DRAW:
            values[i] = -settled(table.results[number], table.plies[number] + 1)
    return count


def _choose(values: Array, count: int, number: np.int64) -> int:
    """Return the index of a highest value; `number` decides between equal ones."""
    highest, equal = -INFINITY, 0
    for i in range(count):
        if values[i] > highest:
            highest, equal = values[i], 0
        if values[i] == highest:
            equal += 1
    left = below(number, equal)
    for i in range(count):
        if values[i] == highest:
            if left == 0:
                return i
            left -= 1
    return 0
