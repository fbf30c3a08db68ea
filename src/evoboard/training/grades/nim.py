"""Nim: the share of moves as good as a perfect player's, as paper B grades its agents.

A move earns a point if it keeps a win, or in a lost position if it makes the opponent's win take as
long as possible; grade = points ÷ moves. Where starts are random, the moves are those a player
makes in every position that can arise, once each; where they are fixed, those it makes against
itself: an agent for a heap of 8 need only know what to do with 8. So the grade of a player without
chance is exact. An illegal move loses at once and earns nothing; it does not count where one match
is left, and so nothing to choose.

The paper's own number is the `performance` of a run's champion: points ÷ moves in its games of the
generation, whatever its opponents left it to choose from; `performance_earlier` in those against
earlier champions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import product

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.games.adjudication import ILLEGAL
from evoboard.games.rules import LOSS, WIN, apply_move, copy_state, legal_moves
from evoboard.players.solver import SolvedTable, Solver, find
from evoboard.training.grades import base
from evoboard.training.grades.base import GradePart, GradeResult

MOST_POSITIONS = 50_000


class Grade(base.Grade):
    """Points ÷ moves over all positions."""

    most = 1.0
    title = "moves as good as a perfect player's"
    reads_games = True

    @cached_property
    def positions(self) -> Array:
        """Every position that can arise and is not over, with the first side to move."""
        most, lone = self._most(), self._lone()
        count = sum(most) if lone else math.prod(size + 1 for size in most) - 1
        if count > MOST_POSITIONS:
            raise OptionError(
                f"this nim has {count:,} positions, too many to be graded; "
                f"take smaller heaps, with at most {MOST_POSITIONS:,}."
            )
        if lone:
            rows = np.repeat(np.eye(len(most), dtype=np.int64), most, axis=0)
            states = rows * np.concatenate([np.arange(1, size + 1) for size in most])[:, None]
        else:
            states = np.array(list(product(*(range(size + 1) for size in most))), np.int64)[1:]
        return np.pad(states, ((0, 0), (0, 1)))

    @cached_property
    def solution(self) -> tuple[Array, Array, Array]:
        """Legal moves and whether they earn a point, both (n, MAX_MOVES); how many plies a lost
        position lasts, 0 where it is won (n,)."""
        solver = Solver(self.game)
        # With either side to move, the largest positions lead to all others.
        for state in self._largest():
            solver.solve(state)
        shape = (len(self.positions), self.game.max_moves)
        moves, earns = np.full(shape, -2, np.int32), np.zeros(shape, np.bool_)
        lost = np.zeros(len(self.positions), np.int64)
        spare = np.zeros(self.game.state_size, np.int64)
        self.game.link(mark)(self.positions, solver.table, moves, earns, lost, spare)
        return moves, earns, lost

    def _most(self) -> list[int]:
        """Return how large each heap can be."""
        start = self.game.start_state
        return [int(n) for n in (self.game.options["heaps"] if start is None else start[:-1])]

    def _lone(self) -> bool:
        """Tell whether there is never more than one heap."""
        return self.game.start_state is None and bool(self.game.options["simple"])

    def _largest(self) -> Array:
        """Return the positions that no move leads to, with either side to move."""
        most = np.array(self._most(), np.int64)
        heaps = np.diag(most) if self._lone() else most[None]
        sides = np.repeat([0, 1], len(heaps))[:, None]
        return np.hstack([np.concatenate([heaps, heaps]), sides])

    def judged(self, choices: Array, deterministic: bool, unaided: Array | None) -> GradeResult:
        """Return the grade of the moves chosen."""
        moves, earns, lost = self.solution
        legal = (moves == choices[:, None]).any(1)
        points = (earns & (moves == choices[:, None])).any(1)
        met = self._met(choices, legal)
        met = met[legal[met] | (lost[met] != 1)]
        parts = []
        for name, title, own in (
            ("won", "keeps a win", met[lost[met] == 0]),
            ("lost", "loses as late as possible", met[lost[met] > 0]),
        ):
            share, earned = len(own) / max(1, len(met)), points[own].astype(np.float64)
            parts.append(
                GradePart.of_cases(name, title, share, earned, np.ones(len(own)), deterministic)
            )
        return GradeResult(tuple(parts))

    def of_games(self, results: Results, player: int) -> dict[str, float]:
        """Return paper B's performance: points ÷ moves of a player's games, illegal ones too."""
        moves, earns, lost = self.solution
        points, counted, table = 0, 0, results.table
        for index in np.flatnonzero((table.first == player) | (table.second == player)).tolist():
            for place, move in self._chosen(results, index, int(table.second[index] == player)):
                same = moves[place] == move
                counted += int(same.any() or lost[place] != 1)
                points += int(earns[place][same].any())
        return {"performance": points / max(1, counted)}

    def _chosen(self, results: Results, index: int, side: int) -> Iterator[tuple[int, int]]:
        """Yield the place of every position in which a side of one game chose, and its move."""
        state = results.schedule.openings[results.schedule.opening_of[index]]
        made = results.moves[index, : results.table.plies[index]].tolist()
        for move in [*made, *([-1] if results.table.codes[index] == ILLEGAL else [])]:
            if self.game.side(state) == side:
                yield self._places[tuple(state[:-1].tolist())], move
            if move >= 0:
                state = self.game.apply(state, move)

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        """Where the heaps of every position stand in `positions`."""
        return {tuple(state[:-1].tolist()): i for i, state in enumerate(self.positions)}

    def _met(self, choices: Array, legal: Array) -> Array:
        """Return the positions whose moves count: all, or those of its games against itself."""
        if self.game.start_state is None and self.game.options["random"]:
            return np.arange(len(self.positions))
        places, met = self._places, []
        for start in self._largest()[: len(self._largest()) // 2]:
            place = places[tuple(start[:-1])]
            while place >= 0:
                met.append(place)
                after = (
                    self.game.apply(self.positions[place], int(choices[place]))
                    if legal[place]
                    else start * 0
                )
                place = places.get(tuple(after[:-1]), -1)
        return np.array(met, np.int64)


def mark(
    states: Array, table: SolvedTable, moves: Array, earns: Array, lost: Array, spare: Array
) -> None:
    """Write the legal moves of every position and which of them earn a point."""
    for i in range(states.shape[0]):
        copy_state(states[i], spare)
        here = find(spare, table.slots, table.states)
        is_lost = table.results[here] == LOSS
        lost[i] = table.plies[here] if is_lost else 0
        for j in range(legal_moves(states[i], moves[i])):
            apply_move(states[i], moves[i, j], spare)
            after = find(spare, table.slots, table.states)
            if is_lost:
                earns[i, j] = table.plies[after] + 1 == table.plies[here]
            else:
                earns[i, j] = table.results[after] != WIN
