"""Several games side by side, between players whose moves kernels find (`search/base.py: Finder`).

All games make a move, then all make the next, and a kernel is asked once for all games in which its
player is to move: so Python costs little per move. The games are the same as those of
`contest.play_one`, move for move.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from evoboard.arena.match import game_record, illegal_move
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.rng import address
from evoboard.games.adjudication import FORBIDDEN, ILLEGAL, PLAYING, verdict
from evoboard.games.base import DrawRules, Game
from evoboard.games.history import rules_of
from evoboard.games.position import position_key
from evoboard.games.rules import TURN, play_move
from evoboard.search.base import Finder, Positions
from evoboard.search.limits import Stop, Stopped
from evoboard.store.records import GameRecord

ROOM = 64  # plies, at first


class Boards(NamedTuple):
    """What is known of games beside their positions, a row for each."""

    seats: Array  # (games, 2) int64: the numbers of either side's player
    codes: Array  # (games,) int64: verdicts
    legal: Array  # (games, MAX_MOVES) int32: legal moves,
    counts: Array  # (games,) int64: and how many there are
    made: Array  # (games, 2) int64: how many moves either side has made
    moves: Array  # (games, room for plies) int32
    spare: Array  # (STATE_SIZE,) int64


def play_side_by_side(
    game: Game,
    finders: Mapping[int, Finder],
    schedule: Schedule,
    numbers: Array,
    seed: int,
    draws: DrawRules | None,
    stop: Stop,
) -> Iterator[tuple[int, GameRecord, Array]]:
    """Play numbered games of a schedule; give number, record and last position of each as it ends.

    If `stop` is set meanwhile, it raises Stopped.
    """
    starts, seats = schedule.openings[schedule.opening_of[numbers]], schedule.pairings[numbers]
    games, boards = _begin(game, starts, seats)
    rules, judge, ply = rules_of(draws or game.draws), game.link(advance), 0
    spent = {int(player): 0.0 for player in np.unique(seats)}
    for finder in (finders[player] for player in spent):
        finder.searcher.prepare(finder.network, games, rules, finder.settings)
    chances = [address(seed, "contest", number) for number in numbers.tolist()]
    left = set(range(len(numbers)))
    while left:
        if judge(games, boards, ply, rules) < len(left):
            for i in [each for each in left if boards.codes[each] != PLAYING]:
                left.remove(i)
                final, code = games.states[i].copy(), int(boards.codes[i])
                if code == FORBIDDEN:
                    raise illegal_move(game, final, int(games.moves[i]))
                moves = boards.moves[i, : boards.made[i].sum()].tolist()
                seconds = _seconds(boards, i, spent)
                record = game_record(game, starts[i], moves, final, code, seconds)
                yield int(numbers[i]), record, final
        for player in spent if left else ():
            began = time.perf_counter()
            if not finders[player].steady:
                for i in np.flatnonzero(games.movers == player).tolist():
                    games.chances[i] = address(chances[i], ply)
            finders[player].find(player, games, ply, rules, stop)
            if stop.is_set:
                raise Stopped
            spent[player] += time.perf_counter() - began
        ply += 1
        if ply == games.keys.shape[1]:
            games = games._replace(keys=_wider(games.keys))
            boards = boards._replace(moves=_wider(boards.moves))


def _begin(game: Game, starts: Array, seats: Array) -> tuple[Positions, Boards]:
    count = len(starts)
    cells, one = np.zeros((count, ROOM), np.int64), np.zeros(count, np.int64)
    games = Positions(
        np.array(starts, np.int64), cells, one - 1, one.copy(), np.zeros(count, np.int32)
    )
    legal, moves = np.zeros((count, game.max_moves), np.int32), cells.astype(np.int32)
    made, spare = np.zeros((count, 2), np.int64), np.zeros(game.state_size, np.int64)
    boards = Boards(np.array(seats, np.int64), one.copy(), legal, one.copy(), made, moves, spare)
    return games, boards


def _wider(cells: Array) -> Array:
    return np.concatenate([cells, np.zeros_like(cells)], axis=1)


def _seconds(boards: Boards, index: int, spent: Mapping[int, float]) -> tuple[float, float]:
    """Return how long either side of a game has thought: a player's moves all count the same."""
    seats, made = boards.seats, boards.made
    first, second = (
        spent[player] * float(made[index, side] / max(1, made[seats == player].sum()))
        for side, player in enumerate(seats[index].tolist())
    )
    return first, second


def advance(games: Positions, boards: Boards, ply: int, rules: Array) -> int:
    """Make the moves that were found, none before the first ply, and judge where games stand after
    `ply` plies; return how many go on."""
    playing = 0
    for i in range(games.movers.shape[0]):
        if boards.codes[i] == PLAYING and ply > 0:
            boards.codes[i] = make_move(games.states[i], games.moves[i], boards, i, ply)
        if boards.codes[i] == PLAYING:
            if rules[0] > 0:
                games.keys[i, ply] = position_key(games.states[i])
            boards.codes[i], boards.counts[i] = verdict(
                games.states[i], games.keys[i], ply, rules, boards.legal[i]
            )
        games.movers[i] = -1
        if boards.codes[i] == PLAYING:
            games.movers[i] = boards.seats[i, games.states[i, TURN]]
            playing += 1
    return playing


def make_move(state: Array, move: int, boards: Boards, i: int, ply: int) -> int:
    """Make a move in game i, its `ply`-th; return PLAYING, or why there was none."""
    if move < 0:
        return ILLEGAL
    legal = False
    for k in range(boards.counts[i]):
        legal = legal or boards.legal[i, k] == move
    if not legal:
        return FORBIDDEN
    boards.moves[i, ply - 1] = move
    boards.made[i, state[TURN]] += 1
    play_move(state, move, boards.spare)
    return PLAYING
