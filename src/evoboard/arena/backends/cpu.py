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
from evoboard.arena.playouts import LONGEST
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.rng import address, nth_seed
from evoboard.games.adjudication import ILLEGAL, PLAYING, board_result, verdict
from evoboard.games.position import position_key
from evoboard.games.rules import STATE_SIZE, TURN, apply_move
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
        kernel, draws = bound.link(play_games), bound.draws
        limits = np.array([draws.repetitions, draws.quiet, draws.plies or LONGEST])
        seed = address(task.seed, "tournament")
        threads = max(1, min(self.threads, len(games)))
        # Small, so that no thread waits long for the last block, yet worth a call.
        size = max(1, min(64, len(games) // (8 * threads)))
        blocks = iter([games[i : i + size] for i in range(0, len(games), size)])
        searches: list[Any] = []

        def work() -> None:
            search, space = bound.workspace(task.pack), _game_space(bound)
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


def _game_space(bound: Bound) -> GameSpace:
    state = np.zeros((2, bound.game.state_size), np.int64)
    keys = np.zeros((bound.draws.plies or LONGEST) + 1, np.int64)
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
        game = games[i]
        opening = schedule.opening_of[game]
        for cell in range(STATE_SIZE):
            space.state[cell] = schedule.openings[opening, cell]
        first = member(pack, schedule.pairings[game, 0])
        second = member(pack, schedule.pairings[game, 1])
        chance = nth_seed(seed, game)
        record = buffers.moves[game]
        code, plies = play_game(first, second, chance, limits, settings, work, space, record)
        result = board_result(space.state, code)
        buffers.results[game] = result if space.state[TURN] == 0 else -result
        buffers.codes[game] = code
        buffers.plies[game] = plies
        for cell in range(STATE_SIZE):
            buffers.finals[game, cell] = space.state[cell]


def play_game(
    first: Any,
    second: Any,
    chance: Any,
    limits: Array,
    settings: Any,
    work: Any,
    space: GameSpace,
    record: Array,
) -> tuple[int, int]:
    """Play one game from `space.state` to its end; return (code, plies)."""
    state, spare = space.state, space.spare
    ply = 0
    while True:
        if limits[0] > 0:
            space.keys[ply] = position_key(state)
        code, _count = verdict(state, space.keys, ply, limits, space.moves)
        if code != PLAYING:
            return code, ply
        luck = nth_seed(chance, ply)
        show_past(work, settings, state, space.keys, ply, limits)
        if state[TURN] == 0:
            move = best_move(first, state, settings, luck, work)
        else:
            move = best_move(second, state, settings, luck, work)
        if move < 0:
            return ILLEGAL, ply
        if ply < record.shape[0]:
            record[ply] = move
        apply_move(state, move, spare)
        for cell in range(STATE_SIZE):
            state[cell] = spare[cell]
        ply += 1
