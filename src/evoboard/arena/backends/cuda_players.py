"""Games of alpha-beta networks with fixed players on a GPU, which finds those players' moves too.

A ply is played as between networks (`cuda_moves.py`): moves are listed, then valued. Where a fixed
player is to move, a thread a game asks its search instead, linked for the GPU, and the move it
finds gets the highest value. That takes a player whose move depends on nothing but the game.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.backends.base import ResultBuffers, Task, as_seeing
from evoboard.arena.backends.cpu import draw_limits, note_result
from evoboard.arena.backends.cuda_moves import fits, padded
from evoboard.arena.backends.cuda_program import GpuProgram, RootWriter, slim
from evoboard.arena.backends.cuda_tables import GpuBoards, Listed
from evoboard.core.arrays import Array
from evoboard.core.errors import KernelError
from evoboard.core.link import copy_row, count_down, thread_index
from evoboard.games.adjudication import FORBIDDEN, ILLEGAL
from evoboard.games.rules import STATE_SIZE
from evoboard.players.base import borrowed_player, finder_of
from evoboard.players.setup import Bound
from evoboard.search.base import Finder, best_move
from evoboard.search.past import show_past

F = np.float32


class Fixed(NamedTuple):
    """A fixed player on the GPU: its number in pairings, its kernel and its network."""

    number: int
    program: GpuProgram
    network: Any


def fixed_finders(task: Task) -> list[Finder]:
    """Return how fixed players find their moves; raise KernelError if a GPU cannot."""
    bound = task.setup.bind()
    if task.players and not fits(bound):
        raise KernelError(f"a GPU cannot play {task.setup.search} against fixed players.")
    encoder, lists = bound.encoder, hasattr(bound.kind, "forward_listed")
    if task.players and lists and encoder.listed is not None and not encoder.always_listed:
        raise KernelError(
            f"fixed players read the inputs of {encoder.name} as a list, which a GPU cannot."
        )
    return [_finder(bound, text) for text in task.players]


@lru_cache(maxsize=32)
def _finder(bound: Bound, text: str) -> Finder:
    """Return how a player finds moves; cached, so that it is compiled once and not in every
    generation."""
    with borrowed_player(text, bound.game) as player:
        found, steady = finder_of(as_seeing(bound, player)), player.deterministic
        changed = "forward_changed" in getattr(player, "evaluator", {})
    if not steady or (found is not None and not found.steady):
        raise KernelError(f"{text} does not always give the same answer to the same game.")
    if found is None:
        raise KernelError(f"a kernel alone cannot find the moves of {text}.")
    if changed:
        raise KernelError(f"{text} remembers what it has valued, which a kernel on a GPU cannot.")
    return found


def fixed_players(task: Task, finders: list[Finder], cell: type, block: int) -> list[Fixed]:
    """Return the fixed players of a task with their kernels."""
    bound = task.setup.bind()
    return [
        Fixed(number, answer_program(bound, finder, cell, block), finder.network)
        for number, finder in enumerate(finders, bound.kind.size(task.pack))
    ]


def answer_program(bound: Bound, finder: Finder, cell: type, block: int) -> GpuProgram:
    """Return the kernel that finds a player's moves."""
    writer, work = RootWriter(), slim(finder.searcher.workspace(), finder.settings, cell)
    made = {
        "settings": writer.constant(finder.settings),
        "limits": writer.constant(draw_limits(bound)),
        "work": writer.workspace(work),
        "state": writer.array(np.zeros(padded(bound.game.state_size, cell), cell), clear=False),
    }
    given = ["network", "order", "boards", "buffers", "listed"]
    return writer.program(finder.searcher, answer, given, made)._replace(block=block)


def answer(
    network: Any,
    order: Array,
    boards: GpuBoards,
    buffers: ResultBuffers,
    listed: Listed,
    settings: Any,
    limits: Any,
    work: Any,
    state: Array,
) -> None:
    """Ask a player for the move of one thread's game, and value that above the others."""
    thread = thread_index()
    if thread >= order.shape[0]:
        return
    game = order[thread]
    count, ply = listed.counts[game], buffers.plies[game]
    if count == 0:
        return
    copy_row(boards.cells[game], state, STATE_SIZE)
    show_past(work, settings, state, boards.keys[:, game], ply, limits)
    move, known = best_move(network, state, settings, 1, work), False
    for i in range(count):
        same = listed.moves[game, i] == move
        listed.values[game, i] = F(1) if same else F(0)
        known = known or same
    if not known:
        note_result(buffers, game, state, ILLEGAL if move < 0 else FORBIDDEN, ply)
        listed.counts[game] = 0  # it is over: no player is asked again
        count_down(boards.left)
