"""Many games between the networks of one pack: compiled, on all cores, the same on any number.

A `Tournament` links game, encoder, network kind and search into one kernel that plays whole games.
Threads take blocks of games; game g's chance depends on the seed and g alone, and every block has
a workspace of its own, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.adjudication import ILLEGAL, PLAYING, board_result, verdict
from evoboard.arena.match import reason_text
from evoboard.arena.playouts import LONGEST
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.rng import address, nth_seed
from evoboard.encoders.base import Encoder
from evoboard.games.base import DrawRules, Game
from evoboard.games.position import position_key
from evoboard.games.rules import STATE_SIZE, TURN, apply_move
from evoboard.networks.base import member
from evoboard.search.base import best_move
from evoboard.search.values import network_value
from evoboard.store.records import GameRecord


class Schedule(NamedTuple):
    """The games to play: `pairings` (games, 2) indices into the pack, first side first, and for
    each game the row of `openings` (positions) it begins from."""

    pairings: Array
    opening_of: Array
    openings: Array


class Sheet(NamedTuple):
    """Where results go: result for side 0, code, plies, and moves (games, plies) if recorded."""

    results: Array
    codes: Array
    plies: Array
    moves: Array


class Table(NamedTuple):
    """The workspace of one game: position keys, legal moves, and two states."""

    keys: Array
    moves: Array
    state: Array
    spare: Array


@dataclass(frozen=True)
class Played:
    """A tournament's results and, where asked for, the moves of every game."""

    table: ResultTable
    finals: Array
    moves: Array
    schedule: Schedule

    def record(self, game: Game, index: int) -> GameRecord:
        """Return one game as a record; the tournament must have kept its moves."""
        if not self.moves.shape[1]:
            raise OptionError(
                "the moves of this tournament were not kept; play it with record=True."
            )
        length, code = int(self.table.plies[index]), int(self.table.codes[index])
        start = self.schedule.openings[self.schedule.opening_of[index]]
        return GameRecord(
            game.name,
            game.version,
            game.state_text(start),
            tuple(int(move) for move in self.moves[index, :length]),
            int(self.table.results[index]),
            reason_text(game, self.finals[index], code),
            code,
        )


class Tournament:
    """Plays schedules between networks that share encoder, search and settings."""

    def __init__(
        self,
        game: Game,
        encoder: Encoder,
        networks: types.ModuleType,
        search: types.ModuleType,
        settings: Any,
        draws: DrawRules | None = None,
        threads: int = 0,
    ) -> None:
        self.game, self.search, self.settings = game, search, settings
        self.encoder, self.networks = encoder, networks
        self.draws, self.threads = draws or game.draws, threads or os.cpu_count() or 1
        self.kernel = game.link(
            play_games,
            **encoder.bindings,
            member=networks.member,
            forward=networks.forward,
            forward_all=networks.forward_all,
            evaluate=network_value,
            best_move=search.best_move,
        )

    def play(
        self,
        pack: Any,
        schedule: Schedule,
        seed: int,
        *,
        record: bool = False,
        cache: ResultCache | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Played:
        """Return the results of every game; `progress` is told how many games have just ended."""
        self.networks.require_inputs(pack, self.encoder)
        games = len(schedule.pairings)
        _check_schedule(schedule, self.networks.size(pack))
        plies = self.draws.plies or LONGEST
        sheet = Sheet(
            np.zeros(games, np.int64),
            np.zeros(games, np.int64),
            np.zeros(games, np.int64),
            np.zeros((games, plies if record else 0), np.int32),
        )
        finals = np.zeros((games, self.game.state_size), np.int64)
        todo = np.arange(games)
        if cache is not None and not record and getattr(self.search, "DETERMINISTIC", False):
            todo = cache.fill(pack, schedule, sheet, finals, self)
        self._play(pack, schedule, address(seed, "tournament"), todo, sheet, finals, progress)
        if cache is not None:
            cache.learn(pack, schedule, sheet, finals, self, todo)
        size = self.networks.size(pack)
        first, second = schedule.pairings[:, 0], schedule.pairings[:, 1]
        results, codes, lengths, moves = sheet
        table = ResultTable(size, first, second, results, codes, lengths, schedule.opening_of)
        return Played(table, finals, moves, schedule)

    def _play(
        self,
        pack: Any,
        schedule: Schedule,
        seed: int,
        todo: Array,
        sheet: Sheet,
        finals: Array,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Play the games in `todo`, in blocks that idle threads take one after the other."""
        threads = max(1, min(self.threads, len(todo)))
        # Small, so that no thread waits long for the last block, yet worth a call.
        size = max(1, min(64, len(todo) // (8 * threads)))
        blocks = iter([todo[i : i + size] for i in range(0, len(todo), size)])
        limits = np.array([self.draws.repetitions, self.draws.quiet, self.draws.plies or LONGEST])
        scratch, settings = self.networks.scratch_size(pack), kernel_tuple(self.settings)
        spaces: list[Any] = []

        def work() -> None:
            space = self.search.workspace(self.game, self.settings, scratch)
            spaces.append(space)
            table = self._table()
            while (block := _take(blocks)) is not None:
                self.kernel(
                    pack, schedule, block, seed, limits, settings, space, table, sheet, finals
                )
                if progress:
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
                for space in spaces:
                    space.stop[0] = 1
                raise

    def _table(self) -> Table:
        state = np.zeros((2, self.game.state_size), np.int64)
        keys = np.zeros((self.draws.plies or LONGEST) + 1, np.int64)
        return Table(keys, np.zeros(self.game.max_moves, np.int32), state[0], state[1])


def _take(blocks: Any) -> Any:
    """Return the next block, or None; a list iterator's `next` is one step under the GIL."""
    return next(blocks, None)


def _check_schedule(schedule: Schedule, size: int) -> None:
    pairings, opening_of, openings = schedule
    if len(pairings) == 0:
        raise OptionError("there are no games to play; a tournament needs at least two players.")
    if pairings.min() < 0 or pairings.max() >= size:
        raise OptionError(f"a pairing names player {pairings.max()}; there are {size}, from 0.")
    if len(opening_of) != len(pairings) or opening_of.max() >= len(openings):
        raise OptionError("every game needs an opening from the list of openings.")


def play_games(
    pack: Any,
    schedule: Schedule,
    games: Array,
    seed: int,
    limits: Array,
    settings: Any,
    work: Any,
    table: Table,
    sheet: Sheet,
    finals: Array,
) -> None:
    """Play the numbered games of a schedule and write their results."""
    for i in range(games.shape[0]):
        game = games[i]
        opening = schedule.opening_of[game]
        for cell in range(STATE_SIZE):
            table.state[cell] = schedule.openings[opening, cell]
        first = member(pack, schedule.pairings[game, 0])
        second = member(pack, schedule.pairings[game, 1])
        chance = nth_seed(seed, game)
        record = sheet.moves[game]
        code, plies = play_game(first, second, chance, limits, settings, work, table, record)
        result = board_result(table.state, code)
        sheet.results[game] = result if table.state[TURN] == 0 else -result
        sheet.codes[game] = code
        sheet.plies[game] = plies
        for cell in range(STATE_SIZE):
            finals[game, cell] = table.state[cell]


def play_game(
    first: Any,
    second: Any,
    chance: Any,
    limits: Array,
    settings: Any,
    work: Any,
    table: Table,
    record: Array,
) -> tuple[int, int]:
    """Play one game from `table.state` to its end; return (code, plies)."""
    state, spare = table.state, table.spare
    ply = 0
    while True:
        if limits[0] > 0:
            table.keys[ply] = position_key(state)
        code, _count = verdict(state, table.keys, ply, limits, table.moves)
        if code != PLAYING:
            return code, ply
        luck = nth_seed(chance, ply)
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
