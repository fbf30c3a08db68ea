"""Games of alpha-beta players on a GPU: a thread values a move, not a game.

A ply takes two or three kernels. `list_moves`, a thread a game, makes the move found last, judges
the position and lists its moves. `list_replies` lists the replies to these where they are searched.
`value_leaves` or `value_trees` values the listed moves: each 32 threads that work in step share the
moves of a few neighbouring games, whose players are mostly one network. So threads are busy however
many moves a position has, and a few thousand games keep a whole GPU busy.

Where moves are searched further, the best value so far of a game is known to all who search its
other moves. They give one up only if it is certainly worse than the best, never if it may be as
good: whatever order threads come in, the first move of the highest value is known exactly, and it
is the move that the search finds on the CPU. What takes long, generating moves and asking the
network, a thread announces, and all that wait for the same do it together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.backends.base import ResultBuffers
from evoboard.arena.backends.cpu import draw_limits, note_result, set_up
from evoboard.arena.backends.cuda_program import Program, Writer, clear_1, scratch_size
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.link import (
    count_down,
    count_up,
    raise_to,
    thread_index,
    threads_meet,
    threads_that,
)
from evoboard.games.adjudication import PLAYING, verdict
from evoboard.games.position import position_key
from evoboard.games.rules import (
    ONGOING,
    STATE_SIZE,
    TURN,
    apply_move,
    forcing_moves,
    legal_moves,
    outcome,
    pass_turn,
    stuck,
)
from evoboard.networks.base import member
from evoboard.players.setup import Bound
from evoboard.search import alphabeta
from evoboard.search.ordering import bring_forward, pick, pick_by_force
from evoboard.search.past import Past, empty_past, line_result, line_value, show_past
from evoboard.search.quiescence import ALPHA, BEST, BETA, COUNT, TRIED, _keep_forcing, _keep_sound
from evoboard.search.values import INFINITY, WON, evaluate, settled

F = np.float32
# What a thread waits for: moves to be generated (first, or after the evaluation), or the network.
WALK, OPEN, OPEN_BRISK, ASK, OVER = 0, 1, 2, 3, 4
# What the network's answer is: a leaf's value, or what standing pat is worth.
LEAF, STAND, STAND_BRISK = 0, 1, 2
GROUP = 5  # at most 1 << 5 games share a warp
STEP, LEAST = F(1.2e-7), F(1e-30)  # a number less these parts of it is another number


class Boards(NamedTuple):
    """The games at work: positions (games, cells), keys (plies, games), and how many are left."""

    cells: Array
    keys: Array
    left: Array


class Listed(NamedTuple):
    """The moves whose values are wanted: how many there are of each game, the moves and their
    values (games, moves), the best value so far, and the reply that refuted a move of either side
    last (games, sides)."""

    counts: Array
    moves: Array
    values: Array
    best: Array
    refuters: Array


class Replies(NamedTuple):
    """The replies to listed moves, for searches of two plies and more: how many there are (games in
    their order, moves), and the replies."""

    counts: Array
    moves: Array


class Work(NamedTuple):
    """A thread's workspace; rows are levels, from that of a listed move's position on."""

    states: Array
    moves: Array
    scores: Array
    cursors: Array
    bounds: Array
    scratch: Array
    past: Past


def fits(bound: Bound) -> bool:
    """Tell whether games of a setup are played so: by alpha-beta that counts no nodes."""
    return bound.search is alphabeta and bound.settings.nodes == 0


def list_program(bound: Bound, cell: type) -> Program:
    """Return the kernel that lists moves."""
    writer = Writer()
    position: Array = np.zeros(bound.game.state_size, cell)
    row: Array = np.zeros(bound.game.max_moves, np.int32)
    made = {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        "state": writer.array(position, clear=False),
        "moves": writer.array(row, clear=False),
        "scores": writer.array(row[: None if is_deep(bound) else 1], clear=False),
    }
    given = ["schedule", "order", "side", "boards", "buffers", "listed"]
    return writer.program(bound, list_moves, given, made)


def reply_program(bound: Bound, cell: type, block: int, warp: int) -> Program | None:
    """Return the kernel that lists the replies to listed moves; None where nobody wants them."""
    if bound.settings.depth == 1:
        return None
    writer = Writer()
    row: Array = np.zeros(bound.game.max_moves, np.int32)
    made = {
        "settings": writer.constant(bound.numbers),
        "child": writer.array(np.zeros(bound.game.state_size, cell), clear=False),
        "moves": writer.array(row, clear=False),
        "scores": writer.array(row, clear=False),
        "ends": writer.shared(block // warp << GROUP),
        "warp": str(warp),
        "block": str(block),
    }
    given = ["order", "shift", "boards", "listed", "replies"]
    return writer.program(bound, list_replies, given, made)


def value_program(bound: Bound, pack: Any, cell: type, block: int, warp: int) -> Program:
    """Return the kernel that values moves, with room for networks of a pack."""
    writer, settings = Writer(), bound.settings
    deep = is_deep(bound)
    levels = settings.depth + settings.quiescence if deep else 1
    size, most = bound.game.state_size, bound.game.max_moves
    past = empty_past()
    if not settings.draws:
        past = Past(*(one[:1].copy() for one in past))
    # Replies are listed elsewhere, and leaves have no moves, unless draw rules ask whether they do.
    inner = levels - (settings.depth > 1) - (not settings.draws)
    rows = (max(1, inner), most if inner > 0 else 1)
    work = Work(
        np.zeros((levels, size), cell),
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.zeros((levels, 2), np.int32),
        np.zeros((levels, 3), F),
        np.zeros(scratch_size(bound, pack), F),
        past,
    )
    made = {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        # Where there are rows of moves as well, not all of it fits into a processor's cache.
        "work": writer.workspace(work, clear=False, shared=inner > 0, block=block),
        "taken": writer.shared(2 * (block // warp) if deep else block // warp << GROUP),
        "warp": str(warp),
        "block": str(block),
    }
    given = ["pack", "schedule", "order", "shift", "boards", "buffers", "listed"]
    if deep:
        return writer.program(bound, value_trees, [*given, "replies"], made)
    return writer.program(bound, value_leaves, given, made)


class Programs(NamedTuple):
    """The kernels of a ply: those that list moves and replies, and the one that values them."""

    listing: Program
    replying: Program | None
    valuing: Program


def make_programs(bound: Bound, pack: Any, cell: type, block: int, warp: int) -> Programs:
    """Return the kernels of a setup, with room for networks of a pack."""
    return Programs(
        list_program(bound, cell),
        reply_program(bound, cell, block, warp),
        value_program(bound, pack, cell, block, warp),
    )


def is_deep(bound: Bound) -> bool:
    """Tell whether a listed move's position is searched further."""
    return bool(bound.settings.depth > 1 or bound.settings.quiescence > 0)


def list_moves(
    schedule: Schedule,
    order: Array,
    side: int,
    boards: Boards,
    buffers: ResultBuffers,
    listed: Listed,
    settings: Any,
    limits: Any,
    state: Array,
    moves: Array,
    scores: Array,
) -> None:
    """Make the move found in one thread's game; list the moves of `side` if it is to move next."""
    thread = thread_index()
    if thread >= order.shape[0]:
        return
    game = order[thread]
    if buffers.codes[game] != PLAYING:
        return
    cells, found, ply = boards.cells[game], listed.counts[game], buffers.plies[game]
    if found > 0:
        move = _best_listed(listed.moves[game], listed.values[game], found)
        if ply < buffers.moves.shape[1]:
            buffers.moves[game, ply] = move
        apply_move(cells, move, state)
        for cell in range(STATE_SIZE):
            cells[cell] = state[cell]
        ply += 1
        buffers.plies[game] = ply
        listed.counts[game] = 0
    elif ply == 0:
        set_up(schedule, game, state)
        if state[TURN] == side:
            clear_1(buffers.moves[game])
    else:
        for cell in range(STATE_SIZE):
            state[cell] = cells[cell]
    if state[TURN] != side:
        return
    keys = boards.keys[:, game]
    if limits[0] > 0:
        keys[ply] = position_key(state)
    code, count = verdict(state, keys, ply, limits, moves)
    if code != PLAYING:
        note_result(buffers, game, state, code, ply)
        count_down(boards.left)
        return
    if found == 0:
        for cell in range(STATE_SIZE):
            cells[cell] = state[cell]
    # A search one ply deep takes moves as they come.
    ordered = settings.ordering == 1 and (settings.depth > 1 or settings.quiescence > 0)
    row = listed.moves[game]
    for i in range(count):
        if ordered:
            pick_by_force(state, moves, scores, i, count)
        row[i] = moves[i]
    listed.counts[game] = count
    listed.best[game] = -INFINITY


def _best_listed(moves: Array, values: Array, count: int) -> int:
    """Return the first move of the highest value."""
    best, chosen = values[0], 0
    if count > 1:  # an only move is not valued
        for i in range(1, count):
            if values[i] > best:
                best, chosen = values[i], i
    return moves[chosen]


def _add_up(
    order: Array, shift: int, listed: Listed, ends: Array, warp: int, block: int
) -> tuple[int, int, int]:
    """Note where the moves of each game of 32 threads end if all are numbered, game after game.

    Return the place of the first game in the order, the cell of its end, and how many moves there
    are. An only move is left out.
    """
    thread = thread_index()
    cell, lane, first = thread % block // warp << GROUP, thread % warp, thread // warp << shift
    last = cell + (1 << shift) - 1
    for i in range(lane, 1 << shift, warp):
        count = 0
        if first + i < order.shape[0]:
            count = listed.counts[order[first + i]]
        ends[cell + i] = count if count > 1 else 0
    threads_meet()
    if lane == 0:
        for i in range(cell, last):
            ends[i + 1] += ends[i]
    threads_meet()
    return first, cell, ends[last]


def _find(ends: Array, first: int, cell: int, shift: int, number: int) -> tuple[int, int]:
    """Return the place of the game whose move has that number, and its number among the game's."""
    i = 0
    for bit in range(shift - 1, -1, -1):
        if number >= ends[cell + i + (1 << bit) - 1]:
            i += 1 << bit
    return first + i, number - (ends[cell + i - 1] if i > 0 else 0)


def _share(order: Array, shift: int, listed: Listed, taken: Array, warp: int, block: int) -> int:
    """Begin with the games of 32 threads, 1 << shift; return the place of the first in the order.

    `taken` of theirs, two cells: how many moves are taken, and the most that a game has.
    """
    thread = thread_index()
    cell, lane = thread % block // warp * 2, thread % warp
    first = thread // warp << shift
    if lane == 0:
        taken[cell], taken[cell + 1] = 0, 0
    threads_meet()
    for place in range(first + lane, min(first + (1 << shift), order.shape[0]), warp):
        raise_to(taken, cell + 1, listed.counts[order[place]])
    threads_meet()
    return first


def _take(
    order: Array, first: int, shift: int, listed: Listed, taken: Array, cell: int
) -> tuple[int, int]:
    """Return the place of a game and the number of its next move to value, -1 where none is left.

    All games' first moves come first, then the second ones.
    """
    while True:
        number = count_up(taken, cell)
        index = number >> shift
        if index >= taken[cell + 1]:
            return -1, 0
        place = first + (number & ((1 << shift) - 1))
        if place < order.shape[0]:
            count = listed.counts[order[place]]
            if index < count and count > 1:
                return place, index


def value_leaves(
    pack: Any,
    schedule: Schedule,
    order: Array,
    shift: int,
    boards: Boards,
    buffers: ResultBuffers,
    listed: Listed,
    settings: Any,
    limits: Any,
    work: Work,
    taken: Array,
    warp: int,
    block: int,
) -> None:
    """Value the listed moves of some games by the positions they lead to."""
    first, cell, count = _add_up(order, shift, listed, taken, warp, block)
    child = work.states[0]
    for number in range(thread_index() % warp, count, warp):
        place, index = _find(taken, first, cell, shift, number)
        game = order[place]
        state = boards.cells[game]
        network = member(pack, schedule.pairings[game, state[TURN]])
        show_past(work, settings, state, boards.keys[:, game], buffers.plies[game], limits)
        apply_move(state, listed.moves[game, index], child)
        listed.values[game, index] = -line_value(
            network, settings, child, work.past, 1, work.moves[0], work.scratch
        )


def list_replies(
    order: Array,
    shift: int,
    boards: Boards,
    listed: Listed,
    replies: Replies,
    settings: Any,
    child: Array,
    moves: Array,
    scores: Array,
    ends: Array,
    warp: int,
    block: int,
) -> None:
    """List the replies to the listed moves of some games, in the order they are to be tried."""
    first, cell, wanted = _add_up(order, shift, listed, ends, warp, block)
    for number in range(thread_index() % warp, wanted, warp):
        place, index = _find(ends, first, cell, shift, number)
        game = order[place]
        apply_move(boards.cells[game], listed.moves[game, index], child)
        if outcome(child) == ONGOING:
            count, row = legal_moves(child, moves), replies.moves[place, index]
            replies.counts[place, index] = count
            for i in range(count):
                if settings.ordering:
                    pick_by_force(child, moves, scores, i, count)
                row[i] = moves[i]


def value_trees(
    pack: Any,
    schedule: Schedule,
    order: Array,
    shift: int,
    boards: Boards,
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
    first = _share(order, shift, listed, taken, warp, block)
    own = thread_index() % block // warp * 2
    lift = 1 if settings.depth > 1 else 0  # replies are listed, so there is no row for them
    game, place, index = -1, -1, 0
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
                place, index = _take(order, first, shift, listed, taken, own)
                if place < 0:
                    task = OVER
                    break
                game = order[place]
                state = boards.cells[game]
                network = member(pack, schedule.pairings[game, state[TURN]])
                show_past(work, settings, state, boards.keys[:, game], buffers.plies[game], limits)
                apply_move(state, listed.moves[game, index], work.states[0])
            else:
                cursors, bounds = work.cursors[level], work.bounds[level]
                if level == 0:
                    bounds[BETA] = min(bounds[BETA], -_below(listed.best[game]))
                if cursors[TRIED] == cursors[COUNT] or bounds[ALPHA] >= bounds[BETA]:
                    value = -bounds[BEST]
                    if level < lift and cursors[TRIED] < cursors[COUNT]:
                        refuter = replies.moves[place, index, cursors[TRIED] - 1]
                        listed.refuters[game, boards.cells[game, TURN]] = refuter
                    level -= 1
                    if level >= 0:
                        _note(work.cursors[level], work.bounds[level], value)
                    continue
                tried, count = cursors[TRIED], cursors[COUNT]
                if level < lift:
                    move = replies.moves[place, index, tried]
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
                count = replies.counts[place, index]
                _begin(settings, work, level, -INFINITY, -_below(listed.best[game]))
                work.cursors[level, COUNT] = count
                # What refuted another move often refutes this one, too.
                refuter = listed.refuters[game, boards.cells[game, TURN]]
                bring_forward(replies.moves[place, index], refuter, 0, count)
                if count > 0:
                    task = WALK
                    continue
                task, asked, value = _stuck(settings, work, level)
            if task == WALK:  # the game is over there
                level -= 1
                value = -value
                if level >= 0:
                    _note(work.cursors[level], work.bounds[level], value)
        asking, opening = threads_that(task == ASK), threads_that(task == OPEN)
        brisk = threads_that(task == OPEN_BRISK) if settings.brisk else 0
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
                        _note(work.cursors[level], work.bounds[level], value)
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
                    beta = -_below(listed.best[game])
                task, asked, value = _open(settings, work, level, level - lift, alpha, beta)
                if task == WALK and work.cursors[level, COUNT] == 0 and asked == LEAF:
                    level -= 1
                    value = -value
                    if level >= 0:
                        _note(work.cursors[level], work.bounds[level], value)
        elif task == OPEN_BRISK:
            state, moves = work.states[level], work.moves[level - lift]
            count = forcing_moves(state, moves)
            work.cursors[level, COUNT] = _keep_sound(state, moves, work.scores[level - lift], count)
            task = WALK


def _below(value: F) -> F:
    """Return a number that is less, by nearly nothing."""
    return value - (abs(value) * STEP + LEAST)


def _note(cursors: Array, bounds: Array, value: F) -> None:
    """Count the value of the move tried last."""
    cursors[TRIED] += 1
    if value > bounds[BEST]:
        bounds[BEST] = value
        bounds[ALPHA] = max(bounds[ALPHA], value)


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
    kept = _keep_forcing(state, moves, work.scores[row], count)
    cursors[COUNT] = kept
    if kept < count:
        return ASK, STAND, F(0)
    return WALK, LEAF, F(0)
