"""Games of alpha-beta players on a GPU: a thread values a move, not a game.

A ply takes two to four kernels. `list_moves`, a thread a game, makes the move found last, judges
the position and lists its moves. `list_replies` lists the replies to these where they are searched.
`value_leaves`, or a search of `cuda_two_plies.py` or `cuda_trees.py`, values the listed moves: each
32 threads that work in step share the moves of a few neighbouring games, whose players are mostly
one network. So threads are busy however many moves a position has, and a few thousand games keep a
whole GPU busy.

Where moves are searched further, the best value so far of a game is known to all who search its
other moves. They give one up only if it is certainly worse than the best, never if it may be as
good: whatever order threads come in, the first move of the highest value is known exactly, and it
is the move that the search finds on the CPU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.backends.base import ResultBuffers
from evoboard.arena.backends.cpu import draw_limits, note_result, set_up
from evoboard.arena.backends.cuda_program import (
    MULTIPLE,
    GpuProgram,
    RootWriter,
    clear_1,
    scratch_size,
    slim,
)
from evoboard.arena.backends.cuda_tables import GpuBoards, Listed, Replies, Work
from evoboard.arena.backends.cuda_trees import value_trees
from evoboard.arena.backends.cuda_two_plies import value_firsts, value_replies
from evoboard.arena.backends.cuda_warps import GROUP, add_up, find
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.link import (
    copy_row,
    count_down,
    count_up,
    thread_index,
    threads_meet,
)
from evoboard.games.adjudication import PLAYING, verdict
from evoboard.games.position import position_key
from evoboard.games.rules import (
    ONGOING,
    STATE_SIZE,
    TURN,
    apply_move,
    legal_moves,
    outcome,
)
from evoboard.networks.base import member
from evoboard.players.setup import Bound
from evoboard.search import alphabeta
from evoboard.search.ordering import pick_by_force
from evoboard.search.past import empty_past, line_value, show_past
from evoboard.search.values import INFINITY

F = np.float32
# At most 1 << 6 games share a warp that searches their moves: the more there are, the more often a
# good move of a game is known before its next one is searched. Where two plies are, a good move is
# known from the first: 1 << 7 were fastest, 1 << 6 and 1 << 8 slower by 6 and 10 percent.
DEEP_GROUP, TWO_GROUP = 6, 7
RESIDENT = 32  # blocks that a processor holds at a time
ROOMY = 4  # one move in so many of those that there could be has room for the replies to it
FINER, FEW_NUMBERS = 16, 48  # of a network, rounded up, that a block's shared memory has room for


def fits(bound: Bound) -> bool:
    """Tell whether games of a setup are played so: by alpha-beta that counts no nodes."""
    return bound.search is alphabeta and bound.settings.nodes == 0


def list_program(bound: Bound, cell: type, block: int) -> GpuProgram:
    """Return the kernel that lists moves."""
    writer = RootWriter()
    position: Array = np.zeros(padded(bound.game.state_size, cell), cell)
    row: Array = np.zeros(padded(bound.game.max_moves, np.int32), np.int32)
    made = {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        "state": writer.array(position, clear=False),
        "spare": writer.array(position, clear=False),
        "moves": writer.array(row, clear=False),
        "scores": writer.array(row[: None if is_deep(bound) else 1], clear=False),
    }
    given = ["schedule", "order", "side", "boards", "buffers", "listed"]
    return writer.program(bound, list_moves, given, made)._replace(block=block)


def reply_program(bound: Bound, cell: type, block: int, warp: int) -> GpuProgram | None:
    """Return the kernel that lists the replies to listed moves; None if they are not wanted."""
    if bound.settings.depth == 1:
        return None
    writer = RootWriter()
    row: Array = np.zeros(padded(bound.game.max_moves, np.int32), np.int32)
    made = {
        "settings": writer.constant(bound.numbers),
        "state": writer.array(np.zeros(padded(bound.game.state_size, cell), cell), clear=False),
        "child": writer.array(np.zeros(padded(bound.game.state_size, cell), cell), clear=False),
        "moves": writer.array(row, clear=False),
        "scores": writer.array(row[: 1 if is_two_plies(bound.settings) else None], clear=False),
        "ends": writer.shared(block // warp << GROUP),
        "begins": writer.shared(block // warp),
        "warp": str(warp),
        "block": str(block),
    }
    given = ["order", "shift", "boards", "listed", "replies"]
    program = writer.program(bound, list_replies, given, made)
    return program._replace(block=block, group=GROUP)


GIVEN = ["pack", "schedule", "order", "shift", "boards", "buffers", "listed"]


def first_program(bound: Bound, pack: Any, cell: type, block: int, warp: int) -> GpuProgram | None:
    """Return the kernel that values moves by one reply to each; None if that is not wanted."""
    if not is_two_plies(bound.settings):
        return None
    writer = RootWriter()
    work = writer.workspace(_work(bound, pack, cell), clear=False)
    made = _made(writer, bound, work, 1 << GROUP, block, warp)
    program = writer.program(bound, value_firsts, [*GIVEN, "replies"], made)
    return program._replace(block=block, group=GROUP)


def value_program(
    bound: Bound, pack: Any, cell: type, block: int, warp: int, crowded: bool
) -> GpuProgram:
    """Return the kernel that values moves, with room for networks of a pack."""
    writer, two_plies = RootWriter(), is_two_plies(bound.settings)
    if not is_deep(bound):
        work = _work(bound, pack, cell)
        room = writer.workspace(work, clear=False, shared=work.moves.shape[1] > 1, block=block)
        made = _made(writer, bound, room, 1 << GROUP, block, warp)
        return writer.program(bound, value_leaves, GIVEN, made)._replace(block=block, group=GROUP)
    block = warp  # its threads meet at every step, and those of another warp are elsewhere
    # Shared memory is as near as the cache, and takes from it.
    shared = crowded and two_plies and scratch_size(bound, pack, FINER) <= FEW_NUMBERS
    work = _work(bound, pack, cell, FINER if shared else MULTIPLE)
    # Where there are rows of moves as well, not all of it fits into a processor's cache.
    shared = shared or work.moves.shape[1] > 1
    room = writer.workspace(work, clear=False, shared=shared, block=block)
    made = _made(writer, bound, room, 2, block, warp)
    if two_plies:
        program = writer.program(bound, value_replies, ["step", *GIVEN, "replies"], made)
        return program._replace(block=block, group=TWO_GROUP, most=RESIDENT)
    program = writer.program(bound, value_trees, [*GIVEN, "replies"], made)
    return program._replace(block=block, group=DEEP_GROUP)


def _work(bound: Bound, pack: Any, cell: type, multiple: int = MULTIPLE) -> Work:
    """Return what a thread that values moves needs."""
    settings, levels = bound.settings, bound.settings.depth + bound.settings.quiescence
    # Replies are listed elsewhere, and leaves have no moves, unless draw rules ask whether they do.
    inner = levels - (settings.depth > 1) - (not settings.draws)
    rows = (max(1, inner), bound.game.max_moves if inner > 0 else 1)
    work = Work(
        np.zeros((max(2, levels), padded(bound.game.state_size, cell)), cell),
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.zeros((levels, 2), np.int32),
        np.zeros((levels, 3), F),
        np.zeros(scratch_size(bound, pack, multiple), F),
        empty_past(),
    )
    return slim(work, settings, cell)


def _made(
    writer: RootWriter, bound: Bound, work: str, cells: int, block: int, warp: int
) -> dict[str, str]:
    """Return what a kernel that values moves makes itself; a warp shares so many cells."""
    return {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        "work": work,
        "taken": writer.shared(block // warp * cells),
        "warp": str(warp),
        "block": str(block),
    }


class Programs(NamedTuple):
    """The kernels of a ply: those that list moves and replies, the one that values moves by one
    reply, and the one that values them."""

    listing: GpuProgram
    replying: GpuProgram | None
    first: GpuProgram | None
    valuing: GpuProgram


def make_programs(
    bound: Bound, pack: Any, cell: type, block: int, warp: int, crowded: bool = False
) -> Programs:
    """Return the kernels of a setup, with room for networks of a pack.

    `crowded`: for so many games that a processor's cache cannot hold what its threads need.
    """
    return Programs(
        list_program(bound, cell, block),
        reply_program(bound, cell, block, warp),
        first_program(bound, pack, cell, block, warp),
        value_program(bound, pack, cell, block, warp, crowded),
    )


def padded(size: int, kind: type) -> int:
    """Return how many cells a row of so many has: whole words of 16 bytes, which are copied."""
    word = 16 // np.dtype(kind).itemsize
    return -(-size // word) * word


def most_rows(bound: Bound, games: int) -> int:
    """Return how many moves of so many games have room for the replies to them at a time, those of
    a warp's games at least."""
    most = padded(bound.game.max_moves, np.int32)
    return max(games * most // ROOMY, most << GROUP) if bound.settings.depth > 1 else 1


def is_deep(bound: Bound) -> bool:
    """Tell whether a listed move's position is searched further."""
    return bool(bound.settings.depth > 1 or bound.settings.quiescence > 0)


def is_two_plies(settings: Any) -> bool:
    """Tell whether two plies are searched, and no more: a kernel may ask, too."""
    return bool(settings.depth == 2 and settings.quiescence == 0)


def list_moves(
    schedule: Schedule,
    order: Array,
    side: int,
    boards: GpuBoards,
    buffers: ResultBuffers,
    listed: Listed,
    settings: Any,
    limits: Any,
    state: Array,
    spare: Array,
    moves: Array,
    scores: Array,
) -> None:
    """Make the move found in one thread's game; list the moves of `side` if it is to move next."""
    thread = thread_index()
    if thread == 0:
        listed.used[0] = 0  # the replies listed before are of no use any more
    if thread >= order.shape[0]:
        return
    game = order[thread]
    if buffers.codes[game] != PLAYING:
        return
    cells, found, ply = boards.cells[game], listed.counts[game], buffers.plies[game]
    if found > 0:
        best, second = _best_listed(listed.values[game], found)
        move = listed.moves[game, best]
        if ply < buffers.moves.shape[1]:
            buffers.moves[game, ply] = move
        copy_row(cells, spare, STATE_SIZE)
        if settings.depth > 1 and not is_two_plies(settings):
            listed.hopes[game, spare[TURN]] = listed.moves[game, second]
        apply_move(spare, move, state)
        copy_row(state, cells, STATE_SIZE)
        ply += 1
        buffers.plies[game] = ply
        listed.counts[game] = 0
    elif ply == 0:
        set_up(schedule, game, state)
        if state[TURN] == side:
            clear_1(buffers.moves[game])
    else:
        copy_row(cells, state, STATE_SIZE)
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
        copy_row(state, cells, STATE_SIZE)
    # A search one ply deep takes moves as they come.
    if settings.ordering == 1 and (settings.depth > 1 or settings.quiescence > 0):
        for i in range(count):
            pick_by_force(state, moves, scores, i, count)
    if settings.depth > 1 and not is_two_plies(settings):
        first, hope = 0, listed.hopes[game, side]
        for i in range(count):
            first = i if moves[i] == hope else first
        listed.firsts[game] = first
    copy_row(moves, listed.moves[game], count)
    listed.counts[game] = count
    listed.best[game] = -INFINITY


def _best_listed(values: Array, count: int) -> tuple[int, int]:
    """Return the numbers of the first move of the highest value, and of the next best."""
    best, second = 0, 0
    for i in range(1, count):  # an only move is not valued
        if values[i] > values[best]:
            best, second = i, best
        elif second == best or values[i] > values[second]:
            second = i
    return best, second


def _likely_first(moves: Array, count: int, refuters: Array) -> None:
    """Bring a reply forward that refuted other moves, the last such one if it is there."""
    found, other = 0, 0
    for i in range(count):
        found = i if moves[i] == refuters[0] else found
        other = i if moves[i] == refuters[1] else other
    found = found if found > 0 or moves[0] == refuters[0] else other
    moves[0], moves[found] = moves[found], moves[0]


def value_leaves(
    pack: Any,
    schedule: Schedule,
    order: Array,
    shift: int,
    boards: GpuBoards,
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
    first, cell, count = add_up(order, shift, listed, taken, warp, block)
    state, child = work.states[0], work.states[1]
    for number in range(thread_index() % warp, count, warp):
        place, index = find(taken, first, cell, shift, number)
        game = order[place]
        copy_row(boards.cells[game], state, STATE_SIZE)
        network = member(pack, schedule.pairings[game, state[TURN]])
        show_past(work, settings, state, boards.keys[:, game], buffers.plies[game], limits)
        apply_move(state, listed.moves[game, index], child)
        listed.values[game, index] = -line_value(
            network, settings, child, work.past, 1, work.moves[0], work.scratch
        )


def list_replies(
    order: Array,
    shift: int,
    boards: GpuBoards,
    listed: Listed,
    replies: Replies,
    settings: Any,
    state: Array,
    child: Array,
    moves: Array,
    scores: Array,
    ends: Array,
    begins: Array,
    warp: int,
    block: int,
) -> None:
    """List the replies to the listed moves of some games, in the order they are to be tried.

    A warp's games for which no rows are left wait until moves are listed again.
    """
    first, cell, wanted = add_up(order, shift, listed, ends, warp, block)
    lane, own = thread_index() % warp, thread_index() % block // warp
    if lane == 0:
        begins[own] = count_up(listed.used, 0, wanted)
    threads_meet()
    begin = begins[own]
    room = begin + wanted <= replies.counts.shape[0]
    for i in range(lane, 1 << shift, warp):
        if first + i < order.shape[0]:
            game = order[first + i]
            if room:
                listed.rows[game] = begin + (ends[cell + i - 1] if i > 0 else 0)
            elif listed.counts[game] > 1:
                listed.counts[game] = 0
    threads_meet()
    for number in range(lane, wanted if room else 0, warp):
        place, index = find(ends, first, cell, shift, number)
        game = order[place]
        copy_row(boards.cells[game], state, STATE_SIZE)
        apply_move(state, listed.moves[game, index], child)
        if outcome(child) == ONGOING:
            count = legal_moves(child, moves)
            if is_two_plies(settings):
                _likely_first(moves, count, listed.refuters[game, state[TURN]])
            elif settings.ordering:
                for i in range(count):
                    pick_by_force(child, moves, scores, i, count)
            row = listed.rows[game] + index
            copy_row(moves, replies.moves[row], count)
            replies.counts[row] = count
