"""Listed moves valued on a GPU by the replies to them, where two plies are searched.

`value_firsts` asks about one reply to every move, the likeliest to refute it: the move is worth no
more than that. `value_replies` tries the other replies, to the most promising moves first; most
moves are known to be worse than the best before any other reply to them is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.arena.backends.base import ResultBuffers
from evoboard.arena.backends.cuda_tables import GpuBoards, Listed, Replies, Work
from evoboard.arena.backends.cuda_warps import add_up, below, find, share
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.link import (
    copy_row,
    count_up,
    four,
    raise_to,
    thread_index,
    threads_meet,
    threads_that,
)
from evoboard.games.rules import ONGOING, STATE_SIZE, TURN, apply_move, stuck
from evoboard.networks.base import member
from evoboard.search.past import line_result, show_past
from evoboard.search.values import INFINITY, WON, evaluate, settled

F = np.float32


def value_firsts(
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
    ends: Array,
    warp: int,
    block: int,
) -> None:
    """Value the listed moves of some games by the first reply to each: none is worth more.

    Then rank them, the highest first: most need no other reply once the best of them is searched.
    """
    first, cell, wanted = add_up(order, shift, listed, ends, warp, block)
    child, leaf = work.states[0], work.states[1]
    for number in range(thread_index() % warp, wanted, warp):
        place, index = find(ends, first, cell, shift, number)
        game = order[place]
        copy_row(boards.cells[game], leaf, STATE_SIZE)
        network = member(pack, schedule.pairings[game, leaf[TURN]])
        show_past(work, settings, leaf, boards.keys[:, game], buffers.plies[game], limits)
        apply_move(leaf, listed.moves[game, index], child)
        result = line_result(settings, child, work.past, 1, False, work.moves[0])
        row = listed.rows[game] + index
        count = replies.counts[row] if result == ONGOING else 0
        if count > 0:
            apply_move(child, replies.moves[row, 0], leaf)
            result = line_result(settings, leaf, work.past, 2, True, work.moves[0])
            value = settled(result, 2)
        else:
            replies.counts[row] = 0
            result = stuck(child) if result == ONGOING else result
            value = -settled(result, 1)
            if settings.unaided:
                copy_row(child, leaf, STATE_SIZE)
        if settings.unaided or result == ONGOING:
            value = evaluate(network, leaf, work.scratch)
            value = value if count > 0 else -value
        listed.values[game, index] = value
        if count < 2:
            raise_to(listed.best, game, value)
    threads_meet()
    for number in range(thread_index() % warp, wanted, warp):
        place, index = find(ends, first, cell, shift, number)
        game = order[place]
        listed.ranks[game, _rank(listed.values[game], index, listed.counts[game])] = index


def _rank(values: Array, index: int, count: int) -> int:
    """Return how many values are higher than one of them, or as high and before it."""
    own, rank = values[index], 0
    for i in range(0, count, 4):
        a, b, c, d = four(values, i)
        rank += 1 if a > own or (a == own and i < index) else 0
        rank += 1 if i + 1 < count and (b > own or (b == own and i + 1 < index)) else 0
        rank += 1 if i + 2 < count and (c > own or (c == own and i + 2 < index)) else 0
        rank += 1 if i + 3 < count and (d > own or (d == own and i + 3 < index)) else 0
    return rank


def _take_open(
    order: Array, first: int, shift: int, listed: Listed, replies: Replies, taken: Array, cell: int
) -> tuple[int, int]:
    """Return the place of a game and the number of its next move to value, -1 if none is left.

    The moves of the first rank come first, then the second ones. Moves that are certainly worse
    than the best, or have no reply left, are skipped.
    """
    place, index = -1, 0
    searching = True
    while searching:
        number = count_up(taken, cell, 1)
        at, rank = first + (number & ((1 << shift) - 1)), number >> shift
        game = order[at] if at < order.shape[0] else -1
        count = listed.counts[game] if game >= 0 else 0
        if rank < count and count > 1:
            index = listed.ranks[game, rank]
            hopeful = listed.values[game, index] > below(listed.best[game])
            if hopeful and replies.counts[listed.rows[game] + index] > 1:
                place = at
        searching = place < 0 and rank < taken[cell + 1]
    return place, index


def _place_of(moves: Array, move: int, count: int) -> int:
    """Return the place of a move among so many, 0 where it is not among them."""
    found = 0
    for i in range(0, count, 4):
        a, b, c, d = four(moves, i)
        found = i if a == move else found
        found = i + 1 if b == move else found
        found = i + 2 if c == move else found
        found = i + 3 if d == move else found
    return found if found < count else 0


def value_replies(
    step: int,
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
    """Value the listed moves of some games by the replies to them: `value_trees` for two plies.

    Moves are already valued by their first replies; the best of them are tried first. In every
    round each thread evaluates one position, so threads only wait while some of them take their
    next move. When all moves are taken, those of the games `step` places further on are next.
    Threads must meet before each part of a round: after a vote alone, the compiler would not bring
    those together that took different branches.
    """
    own = thread_index() % block // warp * 2
    first = thread_index() // warp << shift
    share(order, first, shift, listed, taken, own, warp)
    child, leaf = work.states[0], work.states[1]
    game, place, index, row, side = 0, -1, 0, 0, 0
    tried, count, lead, reply, answer = 0, 0, 0, 0, 0
    busy, spent = True, False
    best, value = -INFINITY, F(0)
    network = member(pack, 0)
    while threads_that(busy) > 0:
        threads_meet()
        if spent and first + step < order.shape[0]:
            first += step
            share(order, first, shift, listed, taken, own, warp)
        asks, takes = False, busy and tried == count
        if takes:
            place, index = _take_open(order, first, shift, listed, replies, taken, own)
            tried, count, busy = 0, 0, place >= 0 or first + step < order.shape[0]
        threads_meet()
        if takes and place >= 0:
            game = order[place]
            copy_row(boards.cells[game], leaf, STATE_SIZE)
            side = leaf[TURN]
            network = member(pack, schedule.pairings[game, side])
            show_past(work, settings, leaf, boards.keys[:, game], buffers.plies[game], limits)
            apply_move(leaf, listed.moves[game, index], child)
            line_result(settings, child, work.past, 1, False, work.moves[0])  # notes the position
            row = listed.rows[game] + index
            tried, count, answer = 1, replies.counts[row], 0
            best = -listed.values[game, index]
            # What refuted another move often refutes this one, too.
            lead = _place_of(replies.moves[row], listed.refuters[game, side, 0], count)
        threads_meet()
        if tried < count:
            reply = tried if tried > lead else (lead if tried == 1 else tried - 1)
            apply_move(child, replies.moves[row, reply], leaf)
            tried += 1
            result = line_result(settings, leaf, work.past, 2, True, work.moves[0])
            value, asks = settled(result, 2), settings.unaided != 0 or result == ONGOING
        threads_meet()
        if asks:
            value = evaluate(network, leaf, work.scratch)
        if place >= 0:
            if -value > best:
                best, answer = -value, reply
            # Nothing is more than a win by the next move.
            if best >= min(WON - F(2), -below(listed.best[game])):
                tried = count
            if tried == count:
                listed.values[game, index] = -best
                if -best > listed.best[game]:
                    raise_to(listed.best, game, -best)
                refuter, refuters = replies.moves[row, answer], listed.refuters[game, side]
                if refuter != refuters[0]:
                    refuters[0], refuters[1] = refuter, refuters[0]
        spent = taken[own] >= taken[own + 1] << shift
