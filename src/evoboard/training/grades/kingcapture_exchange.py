"""What a move of king-capture chess wins or loses by the exchanges that can follow it.

With the values P 1, N 3, B 3, R 5 and a king beyond price, and with only captures counted,

    gain(position) = max(0, max over captures c: won(c) - gain(position after c))
    net(move)      = won(move) - gain(position after the move)

where `won` is the value of the piece taken, and 4 more where a pawn becomes a rook. Either side may
leave an exchange at any point, which is worth 0 from there on. Taking the king ends everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game
from evoboard.games.kingcapture import PAWN, TURN
from evoboard.games.rules import apply_move, copy_state, legal_moves
from evoboard.search.ordering import pick_by_force

# Nothing else can add up to a king: eleven rooks are worth 55.
KING_VALUE = 100
VALUES = np.array([0, 1, 5, 3, 3, KING_VALUE], np.int64)  # by piece number
PROMOTION = 4  # a rook for a pawn
LEVELS = 24  # no more than 23 of 24 pieces can be taken
EVERYTHING = 1_000

COUNT, TRIED, ALPHA, BETA, BEST, WON = range(6)
# What `judge` tells about a position.
MOVES, ATTACKED, LOSS, PROMOTES = range(4)


class Work(NamedTuple):
    """The workspace of an exchange: one row for each capture."""

    states: Array  # (LEVELS + 1, STATE_SIZE) int64
    moves: Array  # (LEVELS + 1, MAX_MOVES) int32
    scores: Array  # (LEVELS + 1, MAX_MOVES) int32, for their order
    cells: Array  # (LEVELS + 1, 6) int64: COUNT, TRIED, ALPHA, BETA, BEST, WON
    spare: Array  # (STATE_SIZE,) int64


class Judgement(NamedTuple):
    """What the moves of n positions win and lose; cells beyond a position's moves are 0.

    `facts` has for each position its number of moves, whether its king is attacked, what the other
    side would win if the mover passed, and whether a pawn can move to the last rank.
    """

    facts: Array  # (n, 4) int64
    moves: Array  # (n, MAX_MOVES) int32
    won: Array  # (n, MAX_MOVES) int64
    net: Array  # (n, MAX_MOVES) int64


def judge_positions(game: Game, states: Array) -> Judgement:
    """Return what every move of every position wins and loses."""
    shape = (len(states), game.max_moves)
    found = Judgement(
        np.zeros((len(states), 4), np.int64),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
    )
    game.link(judge)(states, found, workspace(game))
    return found


def workspace(game: Game) -> Work:
    """Return the arrays one exchange needs."""
    return Work(
        np.zeros((LEVELS + 1, game.state_size), np.int64),
        np.zeros((LEVELS + 1, game.max_moves), np.int32),
        np.zeros((LEVELS + 1, game.max_moves), np.int32),
        np.zeros((LEVELS + 1, 6), np.int64),
        np.zeros(game.state_size, np.int64),
    )


def judge(states: Array, found: Judgement, work: Work) -> None:
    """Fill `found`, one row for each position."""
    spare = work.spare
    for i in range(states.shape[0]):
        state, facts, moves = states[i], found.facts[i], found.moves[i]
        copy_state(state, spare)
        spare[TURN] = 1 - state[TURN]
        facts[LOSS] = gain(spare, work)
        facts[ATTACKED] = facts[LOSS] >= KING_VALUE
        facts[MOVES] = legal_moves(state, moves)
        facts[PROMOTES] = 0
        for j in range(facts[MOVES]):
            won = won_by(state, moves[j])
            found.won[i, j] = won
            if won < KING_VALUE:
                apply_move(state, moves[j], spare)
                won -= gain(spare, work)
                if promotes(state, moves[j]):
                    facts[PROMOTES] = 1
            found.net[i, j] = won


def gain(state: Array, work: Work) -> int:
    """Return what the side to move wins by captures, 0 where none pays; exact, by alpha-beta."""
    copy_state(state, work.states[0])
    _open(work, 0, -EVERYTHING, EVERYTHING)
    level = 0
    while True:
        cells = work.cells[level]
        if cells[TRIED] == cells[COUNT] or cells[BEST] >= cells[BETA]:
            if level == 0:
                return cells[BEST]
            level -= 1
            _take(work.cells[level], work.cells[level, WON] - cells[BEST])
            continue
        place, here, moves = cells[TRIED], work.states[level], work.moves[level]
        pick_by_force(here, moves, work.scores[level], place, cells[COUNT])
        cells[TRIED] = place + 1
        won = won_by(here, moves[place])
        cells[WON] = won
        if won >= KING_VALUE:
            _take(cells, won)
            continue
        apply_move(here, moves[place], work.states[level + 1])
        _open(work, level + 1, won - cells[BETA], won - cells[ALPHA])
        level += 1


def _open(work: Work, level: int, alpha: int, beta: int) -> None:
    """List the captures of a level's position; standing still is its first choice."""
    state, moves, cells = work.states[level], work.moves[level], work.cells[level]
    count = 0
    for i in range(legal_moves(state, moves)):
        if state[moves[i] % 36] != 0:
            moves[count] = moves[i]
            count += 1
    cells[COUNT], cells[TRIED], cells[BETA], cells[BEST] = count, 0, beta, 0
    cells[ALPHA] = max(alpha, 0)


def _take(cells: Array, value: int) -> None:
    """Count the value of a capture at its level."""
    cells[BEST] = max(cells[BEST], value)
    cells[ALPHA] = max(cells[ALPHA], value)


def won_by(state: Array, move: int) -> int:
    """Return the value a move adds to the mover's side: the piece taken, and a promotion."""
    won = VALUES[abs(state[move % 36])]
    return won + PROMOTION if promotes(state, move) else won


def promotes(state: Array, move: int) -> bool:
    """Tell whether a move makes a rook of a pawn."""
    target = move % 36
    return abs(state[move // 36]) == PAWN and (target >= 30 or target < 6)
