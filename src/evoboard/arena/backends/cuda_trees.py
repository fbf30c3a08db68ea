"""Listed moves valued on a GPU by searching on.

32 threads take moves of their games one after the other. A thread announces the slow steps,
generating moves and asking the network; all threads that wait for the same step do it together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.arena.backends.base import ResultBuffers
from evoboard.arena.backends.cuda_tables import GpuBoards, Listed, Replies, Work
from evoboard.arena.backends.cuda_warps import below, share
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.link import (
    count_up,
    raise_to,
    thread_index,
    threads_meet,
    threads_that,
)
from evoboard.games.rules import (
    ONGOING,
    TURN,
    apply_move,
    forcing_moves,
    legal_moves,
    outcome,
    pass_turn,
    stuck,
)
from evoboard.networks.base import member
from evoboard.search.ordering import bring_forward, pick, pick_by_force
from evoboard.search.past import line_result, show_past
from evoboard.search.quiescence import (
    ALPHA,
    BEST,
    BETA,
    COUNT,
    TRIED,
    count_value,
    keep_forcing,
    keep_sound,
)
from evoboard.search.values import INFINITY, WON, evaluate, settled

F = np.float32
# What a thread waits for: moves to be generated (first, or after the evaluation), or the network.
WALK, OPEN, OPEN_BRISK, ASK, OVER = 0, 1, 2, 3, 4
# What the network's answer is: a leaf's value, or what standing pat is worth.
LEAF, STAND, STAND_BRISK = 0, 1, 2


def _take(
    settings: Any, order: Array, first: int, shift: int, listed: Listed, taken: Array, cell: int
) -> tuple[int, int]:
    """Return the place of a game and the number of its next move to value, -1 if none is left.

    All games' first moves come first, then the second ones.
    """
    place, index = -1, 0
    searching = True
    while searching:
        number = count_up(taken, cell, 1)
        at, index = first + (number & ((1 << shift) - 1)), number >> shift
        count = listed.counts[order[at]] if at < order.shape[0] else 0
        if index < count and count > 1:
            place = at
        searching = place < 0 and index < taken[cell + 1]
    if place >= 0 and settings.depth > 1:  # the hope first
        hope = listed.firsts[order[place]]
        index = hope if index == 0 else (0 if index == hope else index)
    return place, index


def value_trees(
    pack: Any,
    schedule: Schedule,
    order: Array,
    shift: int,
    boards: GpuBoards,
    buffers: ResultBuffers,
    listed: Listed,
    replies: Replies,
    settings: Any,
    limits: Any,
    work: Work,
    taken: Array,
    warp: int,
    block: int,
) -> None:
    """Value the listed moves of some games by searching on; as `alphabeta` and `quiescence` do."""
    own = thread_index() % block // warp * 2
    first = thread_index() // warp << shift
    share(order, first, shift, listed, taken, own, warp)
    lift = 1 if settings.depth > 1 else 0  # replies are listed, so there is no row for them
    game, index, row = -1, 0, 0
    level, task, asked, value = -1, WALK, LEAF, F(0)
    network = member(pack, 0)
    while True:
        # On to where something long is to be done; level -1 is the game's position itself.
        while task == WALK:
            if level < 0:
                if game >= 0:
                    listed.values[game, index] = value
                    if value > listed.best[game]:
                        raise_to(listed.best, game, value)
                place, index = _take(settings, order, first, shift, listed, taken, own)
                if place < 0:
                    task = OVER
                    break
                game = order[place]
                if lift:
                    row = listed.rows[game] + index
                state = boards.cells[game]
                network = member(pack, schedule.pairings[game, state[TURN]])
                show_past(work, settings, state, boards.keys[:, game], buffers.plies[game], limits)
                apply_move(state, listed.moves[game, index], work.states[0])
            else:
                cursors, bounds = work.cursors[level], work.bounds[level]
                if level == 0:
                    bounds[BETA] = min(bounds[BETA], -below(listed.best[game]))
                if cursors[TRIED] == cursors[COUNT] or bounds[ALPHA] >= bounds[BETA]:
                    value = -bounds[BEST]
                    if level < lift and cursors[TRIED] < cursors[COUNT]:
                        refuter = replies.moves[row, cursors[TRIED] - 1]
                        listed.refuters[game, boards.cells[game, TURN], 0] = refuter
                    level -= 1
                    if level >= 0:
                        count_value(work.cursors[level], work.bounds[level], value)
                    continue
                tried, count = cursors[TRIED], cursors[COUNT]
                if level < lift:
                    move = replies.moves[row, tried]
                else:
                    moves, scores = work.moves[level - lift], work.scores[level - lift]
                    if level + 1 >= settings.depth:
                        pick(moves, scores, 0, tried, count)
                    elif settings.ordering:
                        pick_by_force(work.states[level], moves, scores, tried, count)
                    move = moves[tried]
                apply_move(work.states[level], move, work.states[level + 1])
            level += 1
            task, value = _arrive(settings, work, level, max(0, level - lift))
            asked = LEAF
            if task == OPEN and level < lift:
                count = replies.counts[row]
                _begin(settings, work, level, -INFINITY, -below(listed.best[game]))
                work.cursors[level, COUNT] = count
                # What refuted another move often refutes this one, too.
                refuter = listed.refuters[game, boards.cells[game, TURN], 0]
                bring_forward(replies.moves[row], refuter, 0, count)
                if count > 0:
                    task = WALK
                    continue
                task, asked, value = _stuck(settings, work, level)
            if task == WALK:  # the game is over there
                level -= 1
                value = -value
                if level >= 0:
                    count_value(work.cursors[level], work.bounds[level], value)
        asking, opening = threads_that(task == ASK), threads_that(task == OPEN)
        brisk = threads_that(task == OPEN_BRISK) if settings.brisk else 0
        threads_meet()
        if asking + opening + brisk == 0:
            break
        if asking >= opening and asking >= brisk:
            if task == ASK:
                value = evaluate(network, work.states[level], work.scratch)
                task = WALK
                if asked == LEAF:
                    level -= 1
                    value = -value
                    if level >= 0:
                        count_value(work.cursors[level], work.bounds[level], value)
                elif settings.quiescence > 0:
                    bounds = work.bounds[level]
                    bounds[BEST] = value
                    if asked == STAND_BRISK:
                        # Nothing is tried before its forcing moves are known.
                        work.cursors[level, COUNT], work.cursors[level, TRIED] = 0, 0
                        if value < bounds[BETA]:
                            task = OPEN_BRISK
                    bounds[ALPHA] = max(bounds[ALPHA], value)
        elif opening >= brisk:
            if task == OPEN:
                alpha, beta = -INFINITY, INFINITY
                if level > 0:
                    alpha, beta = -work.bounds[level - 1, BETA], -work.bounds[level - 1, ALPHA]
                else:
                    beta = -below(listed.best[game])
                task, asked, value = _open(settings, work, level, level - lift, alpha, beta)
                if task == WALK and work.cursors[level, COUNT] == 0 and asked == LEAF:
                    level -= 1
                    value = -value
                    if level >= 0:
                        count_value(work.cursors[level], work.bounds[level], value)
        elif task == OPEN_BRISK:
            state, moves = work.states[level], work.moves[level - lift]
            count = forcing_moves(state, moves)
            work.cursors[level, COUNT] = keep_sound(state, moves, work.scores[level - lift], count)
            task = WALK


def _arrive(settings: Any, work: Work, level: int, row: int) -> tuple[int, F]:
    """Return what is to be done in the position of a level that was just reached.

    WALK: nothing, the game is over there, and that is its value.
    """
    state, ply = work.states[level], level + 1
    if ply <= settings.depth:
        moves = work.moves[row if settings.draws else 0]
        result = line_result(settings, state, work.past, ply, ply == settings.depth, moves)
    else:
        result = outcome(state)
    if result == ONGOING:
        leaf = ply == settings.depth + settings.quiescence
        return (ASK if leaf else OPEN), F(0)
    if settings.unaided:
        return ASK, F(0)
    return WALK, settled(result, ply)


def _begin(settings: Any, work: Work, level: int, alpha: F, beta: F) -> None:
    """Begin with a position that is searched further."""
    bounds, cursors, ply = work.bounds[level], work.cursors[level], level + 1
    cursors[TRIED], cursors[COUNT] = 0, 0
    bounds[ALPHA], bounds[BETA], bounds[BEST] = alpha, beta, -INFINITY
    if ply < settings.depth:
        most = WON - F(ply + 1)  # no position is worth more than a win by the next move
        if alpha < most < beta:
            bounds[BETA] = most


def _stuck(settings: Any, work: Work, level: int) -> tuple[int, int, F]:
    """Return what `_open` does where the side to move cannot."""
    if settings.unaided:
        return ASK, LEAF, F(0)
    return WALK, LEAF, settled(stuck(work.states[level]), level + 1)


def _open(settings: Any, work: Work, level: int, row: int, alpha: F, beta: F) -> tuple[int, int, F]:
    """Prepare an ongoing position; return what is to be done next, what a network would be asked
    for, and the value where the side to move cannot."""
    state, cursors, ply = work.states[level], work.cursors[level], level + 1
    moves = work.moves[row]
    _begin(settings, work, level, alpha, beta)
    if ply >= settings.depth and settings.brisk and pass_turn(state, work.states[level + 1]) == 1:
        return ASK, STAND_BRISK, F(0)
    count = legal_moves(state, moves)
    if count == 0:
        return _stuck(settings, work, level)
    if ply < settings.depth:
        cursors[COUNT] = count
        return WALK, LEAF, F(0)
    kept = keep_forcing(state, moves, work.scores[row], count)
    cursors[COUNT] = kept
    if kept < count:
        return ASK, STAND, F(0)
    return WALK, LEAF, F(0)
