"""cuda: games between networks on an NVIDIA GPU, a hundred thousand and more at once.

The kernels are the CPU's, linked for the GPU (`cuda_program.py` writes their roots). Games of
alpha-beta players are played ply by ply, a thread for each move to be valued (`cuda_moves.py`).
Those of other searches have a thread each (`cuda_games.py`).

A position's cells are as small as the game allows. Numbers are rounded as on the CPU, so results
are the same. Few games, and what cannot be compiled for a GPU, are played by the CPU.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from evoboard.arena.backends import base, cpu, cuda_moves
from evoboard.arena.backends.base import Progress, ResultBuffers, Task
from evoboard.arena.backends.cpu import draw_limits, game_space
from evoboard.arena.backends.cuda_games import EITHER, write_program
from evoboard.arena.backends.cuda_moves import Programs
from evoboard.arena.backends.cuda_players import Fixed, fixed_finders, fixed_players
from evoboard.arena.backends.cuda_program import GpuProgram
from evoboard.arena.backends.cuda_tables import GpuBoards, Listed, Replies
from evoboard.arena.backends.cuda_warps import GROUP
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.errors import KernelError, OptionError
from evoboard.core.link import count_up, link, thread_index
from evoboard.core.rng import address
from evoboard.games.adjudication import FORBIDDEN
from evoboard.players.setup import Bound
from evoboard.search.base import LONGEST_LINE

SUMMARY = "an NVIDIA GPU"

FEW = 64  # for each of the CPU's threads: fewer games than these are sooner over there
BLOCK = 128  # threads that are started together
THREADS = 2048  # for each of the GPU's processors
WARP = 32  # threads that work in step
CHECKED = 4  # rounds after which to look whether any game is left
MEMORY = 0.5  # of what is free on the GPU, for large arrays
WARPS = 16  # of a processor, at least, before games share one


class GpuWarning(UserWarning):
    """The GPU cannot play these games; the CPU does."""


class Backend(base.Backend):
    """Plays on the first GPU there is."""

    def __init__(self, threads: int = 0) -> None:
        super().__init__(threads)
        require_gpu()
        self._cpu = cpu.Backend(threads)

    def play_networks(self, task: Task, games: Array, progress: Progress) -> None:
        """Play the numbered games and write their results."""
        if not self._played(task._replace(players=()), games, progress):
            self._cpu.play_networks(task, games, progress)

    def play_players(
        self, task: Task, games: Array, progress: Progress, record: bool
    ) -> ResultBuffers:
        """Play the numbered games, all of them with a fixed player."""
        buffers = task.buffers
        if record and not buffers.moves.shape[1]:
            longest = draw_limits(task.setup.bind())[2]
            buffers = buffers._replace(moves=np.zeros((len(buffers.moves), longest), np.int32))
        played = self._played(task._replace(buffers=buffers), games, progress)
        if played and not (buffers.codes[games] == FORBIDDEN).any():  # which the CPU explains
            return buffers
        return super().play_players(task, games, progress, record)

    def _played(self, task: Task, games: Array, progress: Progress) -> bool:
        """Play games on the GPU if there are many and it can; tell whether it did."""
        if len(games) < FEW * self.threads:
            return False
        try:
            play_on_gpu(task, games, progress)
        except KernelError as error:
            who = f"{task.setup.game} with fixed players" if task.players else task.setup.game
            _warn(f"games of {who} are played by the CPU: {error}")
            return False
        return True


@cache
def _warn(problem: str) -> None:
    """Warn once per problem."""
    warnings.warn(problem, GpuWarning, stacklevel=2)


def require_gpu() -> None:
    """Raise OptionError, saying what is missing, where games cannot be played on a GPU."""
    from numba import config

    cuda: Any = import_module("numba.cuda")
    simulated = getattr(config, "ENABLE_CUDASIM", False)
    if not simulated and importlib.util.find_spec("numba_cuda") is None:
        raise OptionError(
            "the backend cuda needs the package numba-cuda; pip install 'evoboard[cuda]' adds it."
        )
    if not cuda.is_available():
        raise OptionError(
            "no NVIDIA GPU with a driver was found; use --backend cpu, or see evoboard doctor."
        )


def play_on_gpu(task: Task, games: Array, progress: Progress) -> None:
    """Play the numbered games on the GPU and write their results, as many at a time as it holds."""
    finders = fixed_finders(task)
    from evoboard.core.native_cuda import capacity

    bound, openings = task.setup.bind(), task.schedule.openings
    cell, by_move = cell_kind(bound, openings), cuda_moves.fits(bound)
    each = sum(column[0].nbytes for column in task.buffers) + 8 * len(game_space(bound).keys)
    each += cuda_moves.padded(bound.game.state_size, cell) * np.dtype(cell).itemsize
    programs, fixed, used = None, fixed_players(task, finders, cell, BLOCK), []
    most = cuda_moves.padded(bound.game.max_moves, np.int32)
    if by_move:
        crowded = len(games) >= capacity()[0] * WARPS << GROUP
        programs = cuda_moves.make_programs(bound, task.pack, cell, BLOCK, WARP, crowded)
        used = [*programs, *(player.program for player in fixed)]
        each += 8 * (most + 6) + (4 * most if programs.first else 0)

    def needed(count: int) -> int:
        replied = cuda_moves.most_rows(bound, count) if by_move else 0
        return count * each + 4 * (most + 1) * replied + _bytes_of_rows(used, count)

    room, portion = int(MEMORY * capacity()[1]), len(games)
    while needed(portion) > room:
        portion //= 2
        if portion < min(BLOCK, len(games)):
            raise KernelError("the games need more memory than the GPU has to spare.")
    for start in range(0, len(games), portion):
        part = games[start : start + portion]
        if programs is None:
            _play_by_game(_Portion(task, part), cell)
        else:
            _play_by_move(_Portion(task, part), cell, programs, fixed)
        progress(len(part))


def _grid_of(program: GpuProgram, count: int) -> tuple[int, int]:
    """Return how many games share a warp, as a power of 2, and in how many blocks all are."""
    from evoboard.core.native_cuda import capacity

    if program.group is None:
        return 0, -(-count // program.block)
    # Many for even work, but all warps shall have some.
    shared = min(1 << program.group, max(1, count // (capacity()[0] * WARPS)))
    shift = shared.bit_length() - 1
    warps = -(-count // (1 << shift))
    blocks = -(-warps * WARP // program.block)
    return shift, min(blocks, capacity()[0] * program.most) if program.most else blocks


def _bytes_of_rows(programs: Sequence[GpuProgram | None], count: int) -> int:
    """Return what the threads of that many games need besides the memory of the games
    themselves."""
    found = 0
    for program in programs:  # for games of a thread each, `_most_threads` sees to it
        if program is not None:
            threads = _grid_of(program, count)[1] * program.block
            found += threads * sum(one.nbytes for one in program.rows)
    return found


class _Portion:
    """Games that the GPU holds at a time, there."""

    def __init__(self, task: Task, games: Array) -> None:
        from evoboard.core.native_cuda import zeros

        cuda: Any = import_module("numba.cuda")
        self.task, self.games, self.bound, self.count = task, games, task.setup.bind(), len(games)
        self.chosen: Any = slice(None) if self.count == len(task.schedule.pairings) else games
        self.upload, self.room = cuda.to_device, cuda.device_array
        pairings, opening_of, openings = task.schedule
        columns = (np.ascontiguousarray(one[self.chosen]) for one in (pairings, opening_of))
        self.schedule = Schedule(*map(self.upload, (*columns, openings)))
        self.pack = self.network(task.pack)
        self.buffers = ResultBuffers(
            self.room(self.count, np.int8),
            zeros(self.count, np.int8),
            zeros(self.count, np.int32),
            self.room((self.count, task.buffers.finals.shape[1]), np.int64),
            self.room((self.count, task.buffers.moves.shape[1]), np.int32),
        )
        self.left = self.upload(np.array([self.count], np.int64))
        self.keys = self.room((len(game_space(self.bound).keys), self.count), np.int64)

    def network(self, network: Any) -> Any:
        """Return a network, or a pack of them, there."""
        if isinstance(network, np.ndarray):
            return self.upload(network)
        if isinstance(network, tuple):
            return type(network)(*map(self.network, network))
        return network

    def order(self, side: int, first: int = 0, end: int | None = None) -> Any:
        """Return the games of players first..end-1, of all without, in the order of a side's."""
        everybody = self.bound.kind.size(self.task.pack) + len(self.task.players)
        return order_of(self.schedule.pairings, side, first, end or everybody, BLOCK)

    def extras(self, program: GpuProgram, threads: int) -> tuple[Any, Any]:
        """Return the rows and tables of a program."""
        rows = tuple(self.room((threads, *one.shape), one.dtype) for one in program.rows)
        return rows, tuple(self.upload(one) for one in program.tables)

    def play(self, make: Callable[[int], list[Callable[[], None]]], sides: list[int]) -> None:
        """Play the sides' turns to the end; what starts their kernels is made when first needed."""
        turns: dict[int, list[Callable[[], None]]] = {}
        rounds, columns = 0, [column for column in self.task.buffers if column.size]
        while rounds % CHECKED or self.left.copy_to_host()[0] > 0:
            for side in sides:
                if side not in turns:
                    turns[side] = make(side)
                for start in turns[side]:
                    start()
            rounds += 1
            if rounds == CHECKED:
                # While the GPU plays: what is left to do then, as far as it can be done before.
                self.task.meanwhile()
                for column in columns:
                    column[self.chosen] = 0  # memory is not there before it is written to
        found: Any
        for column, found in zip(self.task.buffers, self.buffers, strict=True):
            if column.size:
                column[self.chosen] = found.copy_to_host()


def _play_by_move(games: _Portion, cell: type, programs: Programs, fixed: list[Fixed]) -> None:
    """Play games, a thread for each move of a network and for each game of a fixed player."""
    from evoboard.core.native_cuda import starter, zeros

    bound, count = games.bound, games.count
    most = cuda_moves.padded(bound.game.max_moves, np.int32)
    size = cuda_moves.padded(bound.game.state_size, cell)
    listing, replying = programs.listing, programs.replying
    boards = GpuBoards(games.room((count, size), cell), games.keys, games.left)
    listed = Listed(
        zeros(count, np.int32),
        games.room((count, most), np.int32),
        games.room((count, most), np.float32),
        games.room(count, np.float32),
        games.room((count, 2, 2), np.int32),  # any move will do before one has refuted another
        games.room((count, 2), np.int32),
        games.room(count, np.int32),
        games.room((count, most) if programs.first is not None else (1, 1), np.int32),
        games.room(count, np.int32),
        games.room(1, np.int32),
    )
    rows = cuda_moves.most_rows(bound, count)
    replies = Replies(games.room(rows, np.int32), games.room((rows, most), np.int32))
    searched = (replies,) if cuda_moves.is_deep(bound) else ()
    used = [one for one in programs if one is not None]
    networks = bound.kind.size(games.task.pack)
    sizes = [count]
    if fixed:  # the networks' games are fewer, and may have more warps for it
        pairings = games.task.schedule.pairings[games.chosen]
        sizes += [int((pairings[:, side] < networks).sum()) for side in (0, 1)]
    more = [
        games.extras(one, max(_grid_of(one, size)[1] for size in sizes) * one.block) for one in used
    ]

    def make(side: int) -> list[Callable[[], None]]:
        everyone, state = games.order(side), (boards, games.buffers, listed)
        order, starts = games.order(side, 0, networks) if fixed else everyone, []
        for program, extras in zip(used, more, strict=True):
            if program is listing:
                given: tuple[Any, ...] = (games.schedule, everyone, side, *state)
                shift, blocks = _grid_of(program, count)
            else:
                shift, blocks = _grid_of(program, len(order))
                given = (games.pack, games.schedule, order, shift, *state, *searched)
            if program.most:  # how many games further on a warp's next ones are
                given = (blocks * (program.block // WARP) << shift, *given)
            if program is replying:
                given = (order, shift, boards, listed, replies)
            if blocks:
                starts.append(starter(program.kernel, (*given, *extras), blocks, program.block))
        for player in fixed:
            order = games.order(side, player.number, player.number + 1)
            _, blocks = _grid_of(player.program, len(order))
            if blocks:
                given = (games.network(player.network), order, *state)
                extras = games.extras(player.program, blocks * player.program.block)
                arguments = (*given, *extras)
                starts.append(
                    starter(player.program.kernel, arguments, blocks, player.program.block)
                )
        return starts

    games.play(make, [0, 1])


def _play_by_game(games: _Portion, cell: type) -> None:
    """Play games, a thread for each."""
    from evoboard.core.native_cuda import starter

    bound, count = games.bound, games.count
    program = write_program(bound, games.task.pack, cell, WARP)
    boards = GpuBoards(games.room((bound.game.state_size, count), cell), games.keys, games.left)
    threads = min(_most_threads(program), -(-count // BLOCK) * BLOCK)
    seed, share = np.int64(address(games.task.seed, "tournament")), -(-count // threads)
    numbers = games.upload(games.games.astype(np.int32))
    more = games.extras(program, threads)

    def make(side: int) -> list[Callable[[], None]]:
        everyone = np.arange(count, dtype=np.int32)
        order = games.upload(everyone) if side == EITHER else games.order(side)
        given = (
            games.pack, games.schedule, numbers, seed, order, side, share, boards, games.buffers,
            *more,
        )  # fmt: skip
        return [starter(program.kernel, given, threads // BLOCK, BLOCK)]

    games.play(make, [0, 1] if share > 1 else [EITHER])


def cell_kind(bound: Bound, openings: Array) -> type:
    """Return the smallest integers that hold the cells of every position of these games.

    Counters grow by at most 1 a ply; a search looks at most LONGEST_LINE plies ahead.
    """
    if not bound.game.largest_cell:
        return np.int64
    largest = max(bound.game.largest_cell, int(np.abs(openings).max()))
    largest += draw_limits(bound)[2] + LONGEST_LINE
    return next(kind for kind in (np.int8, np.int16, np.int64) if largest <= np.iinfo(kind).max)


def _most_threads(program: GpuProgram) -> int:
    """Return how many threads are of use and have their rows in the GPU's memory."""
    from evoboard.core.native_cuda import capacity

    processors, free = capacity()
    wanted = processors * THREADS
    each = sum(one.nbytes for one in program.rows)
    if each:
        wanted = min(wanted, int(MEMORY * free) // each)
    if wanted < BLOCK:
        raise KernelError("the search needs more memory than the GPU has.")
    return wanted // BLOCK * BLOCK


def order_of(pairings: Any, side: int, first: int, end: int, block: int) -> Any:
    """Return the games in which players first..end-1 have a side, as an array of the GPU's.

    They are put in order of these players, on the GPU: threads that work in step then mostly ask
    the same network. Games of the same player come in any order, which decides nothing.
    """
    from evoboard.core.native_cuda import starter, zeros

    cuda: Any = import_module("numba.cuda")
    blocks, counts = -(-pairings.shape[0] // block), zeros(end - first + 1, np.int32)
    count, place = _ordering()
    starter(count, (pairings, side, first, counts), blocks, block)()
    starts = np.cumsum(counts.copy_to_host(), dtype=np.int32)
    games = int(starts[-1])
    order = cuda.device_array(max(1, games), np.int32)
    starter(place, (pairings, side, first, cuda.to_device(starts), order), blocks, block)()
    return order[:games]


@cache
def _ordering() -> tuple[Any, Any]:
    return link(count_games, target="cuda"), link(place_game, target="cuda")


def count_games(pairings: Array, side: int, first: int, counts: Array) -> None:
    """Count a game of one thread's in the cell after its player's."""
    game = thread_index()
    if game < pairings.shape[0]:
        place = pairings[game, side] - first
        if 0 <= place < counts.shape[0] - 1:
            count_up(counts, place + 1, 1)


def place_game(pairings: Array, side: int, first: int, starts: Array, order: Array) -> None:
    """Write one thread's game after those of the same player that are already written."""
    game = thread_index()
    if game < pairings.shape[0]:
        place = pairings[game, side] - first
        if 0 <= place < starts.shape[0] - 1:
            order[count_up(starts, place, 1)] = game
