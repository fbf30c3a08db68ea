"""Games of other searches than alpha-beta on a GPU: a thread plays a game.

Where there are more games than threads, they are played move by move: first every game in which the
first player is to move, in the order of the first players, then those of the second, so that
threads that work in step evaluate with one network and read the same weights. Where there are
fewer, every thread plays its game to the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.arena.backends.base import ResultBuffers
from evoboard.arena.backends.cpu import GameSpace, draw_limits, note_result, play_ply, set_up
from evoboard.arena.backends.cuda_program import GpuProgram, RootWriter, clear_1, scratch_size, slim
from evoboard.arena.backends.cuda_tables import GpuBoards
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.link import count_down, thread_index
from evoboard.core.rng import nth_seed
from evoboard.games.adjudication import PLAYING
from evoboard.games.rules import STATE_SIZE, TURN
from evoboard.players.setup import Bound

EITHER = -1  # instead of a side: both, to the end of the game


def write_program(bound: Bound, pack: Any, cell: type, warp: int) -> GpuProgram:
    """Return the kernel that plays games of a setup, with room for networks of a pack.

    Positions have cells of the given kind.
    """
    work = bound.search.workspace(bound.game, bound.settings, scratch_size(bound, pack))
    work = slim(work, bound.settings, cell)
    writer = RootWriter()
    position: Array = np.zeros(bound.game.state_size, cell)
    made = {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        "work": writer.workspace(work),
        "moves": _moves_row(work) or writer.array(np.zeros(bound.game.max_moves, np.int32)),
        "state": writer.array(position),
        "spare": writer.array(position),
        "warp": str(warp),
    }
    given = [
        "pack", "schedule", "numbers", "seed", "order", "side", "share", "boards", "buffers",
    ]  # fmt: skip
    return writer.program(bound, play_share, given, made)


def _moves_row(work: Any) -> str:
    """Return where a search keeps the moves of its root: free until it is asked."""
    if "moves" not in work._fields:
        return ""
    return "work.moves" if work.moves.ndim == 1 else "work.moves[0]"


def play_share(
    pack: Any,
    schedule: Schedule,
    numbers: Array,
    seed: int,
    order: Array,
    side: int,
    share: int,
    boards: GpuBoards,
    buffers: ResultBuffers,
    settings: Any,
    limits: Any,
    work: Any,
    moves: Array,
    state: Array,
    spare: Array,
    warp: int,
) -> None:
    """Make the next move in one thread's share of the games in which `side` is to move.

    32 threads work in step, on neighbouring games of the order, most of them with one network.
    """
    thread = thread_index()
    place = thread // warp * warp * share + thread % warp
    end = min(place + warp * share, order.shape[0])
    while True:
        while place < end and not _waits(schedule, order[place], side, boards, buffers):
            place += warp
        if place >= end:
            break
        game = order[place]
        place += warp
        ply = buffers.plies[game]
        if ply == 0:
            set_up(schedule, game, state)
            clear_1(buffers.moves[game])
        else:
            for cell in range(STATE_SIZE):
                state[cell] = boards.cells[cell, game]
        space = GameSpace(boards.keys[:, game], moves, state, spare)
        chance = nth_seed(seed, numbers[game])
        while True:
            code = play_ply(
                pack, schedule.pairings[game], chance, ply, limits, settings, work, space,
                buffers.moves[game],
            )  # fmt: skip
            if code != PLAYING:
                break
            ply += 1
            if side != EITHER:
                break
        if code != PLAYING:
            note_result(buffers, game, state, code, ply)
            count_down(boards.left)
        else:
            buffers.plies[game] = ply
            for cell in range(STATE_SIZE):
                boards.cells[cell, game] = state[cell]


def _waits(
    schedule: Schedule, game: int, side: int, boards: GpuBoards, buffers: ResultBuffers
) -> bool:
    """Tell whether a game goes on and `side` is to move in it."""
    if buffers.codes[game] != PLAYING:
        return False
    if side == EITHER:
        return True
    if buffers.plies[game] > 0:
        return bool(boards.cells[TURN, game] == side)
    return bool(schedule.openings[schedule.opening_of[game], TURN] == side)
