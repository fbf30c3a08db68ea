"""cpu: games between networks on this machine's cores, compiled.

Game, encoder, network kind and search are linked into one kernel that plays whole games. Threads
take blocks of games; chance belongs to the game, and every thread has a workspace of its own, so
results do not depend on the number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.backends import base
from evoboard.arena.backends.base import Progress, ResultBuffers, Task
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.rng import address, nth_seed
from evoboard.games.adjudication import (
    FORBIDDEN,
    ILLEGAL,
    LONGEST,
    PLAYING,
    board_result,
    verdict,
)
from evoboard.games.position import position_key
from evoboard.games.rules import TURN, copy_state, play_move
from evoboard.networks.base import member
from evoboard.players.setup import Bound
from evoboard.search.base import best_move
from evoboard.search.past import show_past

SUMMARY = "this machine's cores"


class GameSpace(NamedTuple):
    """The workspace of one game: position keys, legal moves, and two states."""

    keys: Array
    moves: Array
    state: Array
    spare: Array


class Backend(base.Backend):
    """Plays on threads, in blocks that idle ones take one after the other."""

    def play_networks(self, task: Task, games: Array, progress: Progress) -> None:
        """Play the numbered games and write their results."""
        bound = task.setup.bind()
        kernel = bound.link(play_games)
        limits = np.array(draw_limits(bound))
        seed = address(task.seed, "tournament")
        threads = max(1, min(self.threads, len(games)))
        # Small, so that no thread waits long for the last block, yet worth a call.
        size = max(1, min(64, len(games) // (8 * threads)))
        blocks = iter([games[i : i + size] for i in range(0, len(games), size)])
        searches: list[Any] = []

        def work() -> None:
            search, space = bound.workspace(task.pack), game_space(bound)
            searches.append(search)
            # A list iterator's `next` is one step under the GIL.
            while (block := next(blocks, None)) is not None:
                kernel(
                    task.pack, task.schedule, block, seed, limits, bound.numbers, search, space,
                    task.buffers,
                )  # fmt: skip
                progress(len(block))

        if threads == 1:
            work()
            return
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work) for _ in range(threads)]
            try:
                for future in futures:
                    future.result()
            except BaseException:  # Ctrl-C: begin no further block, and end the searches at work
                for _ in blocks:
                    pass
                for search in searches:
                    search.stop[0] = 1
                raise


def draw_limits(bound: Bound) -> tuple[int, int, int]:
    """Return the limits that games are judged by: repetitions, quiet plies and plies."""
    draws = bound.draws
    return draws.repetitions, draws.quiet, draws.plies or LONGEST


def game_space(bound: Bound) -> GameSpace:
    """Return the workspace of one game."""
    state = np.zeros((2, bound.game.state_size), np.int64)
    repetitions, _, plies = draw_limits(bound)
    keys = np.zeros(plies + 1 if repetitions else 1, np.int64)
    return GameSpace(keys, np.zeros(bound.game.max_moves, np.int32), state[0], state[1])


def play_games(
    pack: Any,
    schedule: Schedule,
    games: Array,
    seed: int,
    limits: Array,
    settings: Any,
    work: Any,
    space: GameSpace,
    buffers: ResultBuffers,
) -> None:
    """Play the numbered games of a schedule and write their results."""
    for i in range(games.shape[0]):
        game, ply, code = games[i], 0, PLAYING
        set_up(schedule, game, space.state)
        chance = nth_seed(seed, game)
        while code == PLAYING:
            code = play_ply(
                pack, schedule.pairings[game], chance, ply, limits, settings, work, space,
                buffers.moves[game],
            )  # fmt: skip
            ply += 1
        note_result(buffers, game, space.state, code, ply - 1)


def set_up(schedule: Schedule, game: int, state: Array) -> None:
    """Write the position that a game begins from."""
    opening = schedule.opening_of[game]
    copy_state(schedule.openings[opening], state)


def play_ply(
    pack: Any,
    pair: Array,
    chance: Any,
    ply: int,
    limits: Array,
    settings: Any,
    work: Any,
    space: GameSpace,
    record: Array,
) -> int:
    """Judge the position `space.state`, reached after `ply` plies; make a move if it is ongoing.

    Return PLAYING, or why the game is over.
    """
    state, spare = space.state, space.spare
    if limits[0] > 0:
        space.keys[ply] = position_key(state)
    code, _count = verdict(state, space.keys, ply, limits, space.moves)
    if code != PLAYING:
        return code
    luck = nth_seed(chance, ply)
    show_past(work, settings, state, space.keys, ply, limits)
    move = best_move(member(pack, pair[state[TURN]]), state, settings, luck, work)
    if move < 0:
        return ILLEGAL if move > FORBIDDEN else FORBIDDEN
    if ply < record.shape[0]:
        record[ply] = move
    play_move(state, move, spare)
    return PLAYING


def note_result(buffers: ResultBuffers, game: int, state: Array, code: int, plies: int) -> None:
    """Write what became of a game that ended in `state`."""
    result = board_result(state, code)
    buffers.results[game] = result if state[TURN] == 0 else -result
    buffers.codes[game] = code
    buffers.plies[game] = plies
    for cell in range(buffers.finals.shape[1]):
        buffers.finals[game, cell] = state[cell]
