"""cuda: games between networks on an NVIDIA GPU, a hundred thousand and more at once.

The kernel is the CPU's, linked for the GPU, one thread a game. Where there are more games than
threads, they are played move by move: first every game in which the first player is to move, in the
order of the first players, then those of the second, so that threads that work in step evaluate
with one network and read the same weights. Where there are fewer, every thread plays its game to
the end.

The root of the kernel is written here for each setup. Settings and draw rules are constants in it,
so that the compiler leaves out what a search with these settings never does; small arrays of a
thread's workspace are local, which a GPU lays out so that neighbouring threads read neighbouring
addresses; large ones are rows in the GPU's memory. A position's cells are as small as the game
allows.

Numbers are rounded as on the CPU, so results are the same. Few games, and what cannot be compiled
for a GPU, are played by the CPU.
"""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.backends import base, cpu
from evoboard.arena.backends.base import Progress, ResultBuffers, Task
from evoboard.arena.backends.cpu import (
    GameSpace,
    draw_limits,
    game_space,
    note_result,
    play_ply,
    set_up,
)
from evoboard.arena.schedules import Schedule
from evoboard.core.arrays import Array
from evoboard.core.errors import KernelError, OptionError
from evoboard.core.link import count_down, thread_index
from evoboard.core.rng import address, nth_seed
from evoboard.games.adjudication import PLAYING
from evoboard.games.rules import STATE_SIZE, TURN
from evoboard.players.setup import Bound
from evoboard.search.base import LONGEST_LINE

SUMMARY = "an NVIDIA GPU"

FEW = 64  # for each of the CPU's threads: fewer games than these are sooner over there
BLOCK = 128  # threads that are started together
THREADS = 2048  # for each of the GPU's processors
WARP = 32  # threads that work in step
EITHER = -1  # instead of a side: whoever is to move, to the end of the game
CHECKED = 4  # rounds after which to look whether any game is left
LARGEST_LOCAL = 4096  # bytes of an array that a thread keeps to itself
MEMORY = 0.5  # of what is free on the GPU, for large arrays
MULTIPLE = 32  # scratch sizes are rounded up to these, so that growing networks find their kernel


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
        if len(games) < FEW * self.threads:
            self._cpu.play_networks(task, games, progress)
            return
        try:
            play_on_gpu(task, games, progress)
        except KernelError as error:
            _warn(f"games of {task.setup.game} are played by the CPU: {error}")
            self._cpu.play_networks(task, games, progress)


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
    from evoboard.core.native_cuda import capacity

    bound, openings = task.setup.bind(), task.schedule.openings
    cell = cell_kind(bound, openings)
    program = write_program(bound, task.pack, cell)
    each = sum(column[0].nbytes for column in task.buffers) + 8 * len(game_space(bound).keys)
    each += bound.game.state_size * np.dtype(cell).itemsize
    portion = max(BLOCK, int(MEMORY * capacity()[1]) // each)
    for start in range(0, len(games), portion):
        part = games[start : start + portion]
        _play_portion(task, part, program, cell)
        progress(len(part))


def _play_portion(task: Task, games: Array, program: Program, cell: type) -> None:
    """Play games that the GPU holds at a time."""
    from evoboard.core.native_cuda import compile_now

    cuda: Any = import_module("numba.cuda")
    bound, upload, count = task.setup.bind(), cuda.to_device, len(games)
    chosen: Any = slice(None) if count == len(task.schedule.pairings) else games
    pairings = task.schedule.pairings[chosen].astype(np.int32)
    schedule = Schedule(
        upload(pairings),
        upload(task.schedule.opening_of[chosen].astype(np.int32)),
        upload(task.schedule.openings),
    )
    pack = type(task.pack)(
        *(upload(one) if isinstance(one, np.ndarray) else one for one in task.pack)
    )
    buffers = ResultBuffers(
        cuda.device_array(count, np.int8),
        upload(np.zeros(count, np.int8)),
        upload(np.zeros(count, np.int32)),
        cuda.device_array((count, task.buffers.finals.shape[1]), np.int64),
        cuda.device_array((count, task.buffers.moves.shape[1]), np.int32),
    )
    left = upload(np.array([count], np.int64))
    boards = Boards(
        cuda.device_array((bound.game.state_size, count), cell),
        cuda.device_array((len(game_space(bound).keys), count), np.int64),
        left,
    )
    threads = min(_most_threads(program), -(-count // BLOCK) * BLOCK)
    rows = tuple(cuda.device_array((threads, *one.shape), one.dtype) for one in program.rows)
    tables = tuple(upload(one) for one in program.tables)
    seed, share = np.int64(address(task.seed, "tournament")), -(-count // threads)
    numbers = upload(games.astype(np.int32))
    sides = {EITHER: np.arange(count, dtype=np.int32)}
    if share > 1:
        sides = {side: _sorted_by(pairings[:, side]) for side in (0, 1)}
    turns = [
        (pack, schedule, numbers, seed, upload(order), side, share, boards, buffers, rows, tables)
        for side, order in sides.items()
    ]
    compile_now(program.kernel, turns[0])
    rounds = 0
    while rounds % CHECKED or left.copy_to_host()[0] > 0:
        for turn in turns:
            program.kernel[threads // BLOCK, BLOCK](*turn)
        rounds += 1
    found: Any
    for column, found in zip(task.buffers, buffers, strict=True):
        if column.size:
            column[chosen] = found.copy_to_host()


def _sorted_by(players: Array) -> Array:
    """Return the games in the order of one side's players."""
    if (players[1:] >= players[:-1]).all():
        return np.arange(len(players), dtype=np.int32)
    # Small numbers are sorted faster.
    kind = np.uint16 if players.max() < 1 << 16 else np.int32
    return np.argsort(players.astype(kind), kind="stable").astype(np.int32)


class Boards(NamedTuple):
    """The games at work: positions (cells, games), keys (plies, games), and how many are left."""

    cells: Array
    keys: Array
    left: Array


class Program(NamedTuple):
    """A kernel, and what each of its threads needs besides: rows of its own, tables of all."""

    kernel: Any
    rows: list[Array]
    tables: list[Array]
    local: int  # bytes that a thread keeps to itself


def cell_kind(bound: Bound, openings: Array) -> type:
    """Return the smallest integers that hold the cells of every position of these games.

    Counters grow by at most 1 a ply; a search looks at most LONGEST_LINE plies ahead.
    """
    if not bound.game.largest_cell:
        return np.int64
    largest = max(bound.game.largest_cell, int(np.abs(openings).max()))
    largest += draw_limits(bound)[2] + LONGEST_LINE
    return next(kind for kind in (np.int8, np.int16, np.int64) if largest <= np.iinfo(kind).max)


def write_program(bound: Bound, pack: Any, cell: type) -> Program:
    """Return the kernel that plays games of a setup, with room for networks of a pack.

    Positions, those in the search's `states` too, have cells of the given kind: the less memory
    threads need, the more of it is close at hand.
    """
    scratch = -(-bound.kind.scratch_size(pack) // MULTIPLE) * MULTIPLE
    work = bound.search.workspace(bound.game, bound.settings, scratch)
    if "past" in work._fields and not bound.settings.draws:
        work = work._replace(past=type(work.past)(*(one[:1].copy() for one in work.past)))
    if "states" in work._fields:
        work = work._replace(states=work.states.astype(cell))
    writer = _Writer()
    position: Array = np.zeros(bound.game.state_size, cell)
    values = {
        "settings": writer.constant(bound.numbers),
        "limits": writer.constant(draw_limits(bound)),
        "work": writer.workspace(work),
        "state": writer.array(position),
        "spare": writer.array(position),
        "moves": _moves_row(work) or writer.array(np.zeros(bound.game.max_moves, np.int32)),
    }
    lines = [*writer.lines, *(f"{name} = {value}" for name, value in values.items())]
    source = "\n    ".join([HEAD, *lines, CALL])
    kernel = _linked(source, _Scope(writer.scope), bound)
    return Program(kernel, writer.rows, writer.tables, writer.local)


def _moves_row(work: Any) -> str:
    """Return where a search keeps the moves of its root: free until it is asked."""
    if "moves" not in work._fields:
        return ""
    return "work.moves" if work.moves.ndim == 1 else "work.moves[0]"


HEAD = (
    "def play_turns("
    "pack, schedule, numbers, seed, order, side, share, boards, buffers, rows, tables):"
)
CALL = (
    "play_share("
    "pack, schedule, numbers, seed, order, side, share, boards, buffers, "
    "settings, limits, work, moves, state, spare)"
)


class _Scope(dict[str, Any]):
    """The globals of a root; alike for every root with the same text."""

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


@lru_cache(maxsize=32)
def _linked(source: str, scope: _Scope, bound: Bound) -> Any:
    called = (play_share, clear_1, clear_2, thread_index)
    names = {**scope, **{one.__name__: one for one in called}}
    exec(compile(source, "<cuda>", "exec"), names)
    return bound.link(names["play_turns"], "cuda")


class _Writer:
    """Writes a thread's constants and workspace as the lines of a kernel."""

    def __init__(self) -> None:
        from evoboard.core import native_cuda

        # Numba's simulator computes with NumPy's scalars, which overflow where others widen.
        self.kinds = {np.int32: np.int64, np.int8: np.int64} if native_cuda.SIMULATED else {}
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"cuda": import_module("numba.cuda")}
        self.rows: list[Array] = []
        self.tables: list[Array] = []
        self.local = 0

    def constant(self, value: Any) -> str:
        """Return the expression of a number, or of a tuple of such."""
        if not isinstance(value, tuple):
            return repr(value)
        parts = ", ".join(self.constant(one) for one in value)
        return f"{self.name(type(value))}({parts})" if hasattr(value, "_fields") else f"({parts},)"

    def workspace(self, value: Any) -> str:
        """Return the expression of a tuple of arrays, for which lines are written."""
        if isinstance(value, tuple):
            parts = ", ".join(self.workspace(one) for one in value)
            return f"{self.name(type(value))}({parts})"
        return self.array(value)

    def array(self, value: Array) -> str:
        """Write the line that makes an array; return its name."""
        name = f"array{len(self.lines)}"
        if value.any():
            self.lines.append(f"{name} = tables[{len(self.tables)}]")
            self.tables.append(value)
            return name
        if value.nbytes > LARGEST_LOCAL:
            made = f"rows[{len(self.rows)}][thread_index()]"
            self.rows.append(value)
        else:
            kind = self.name(self.kinds.get(value.dtype.type, value.dtype.type))
            made = f"cuda.local.array({value.shape}, {kind})"
            self.local += value.nbytes
        self.lines += [f"{name} = {made}", f"clear_{value.ndim}({name})"]
        return name

    def name(self, kind: type) -> str:
        """Return a name for a class."""
        name = f"{kind.__name__.replace('·', '_')}"
        self.scope[name] = kind
        return name


def clear_1(cells: Array) -> None:
    """Write zeros into a row."""
    for i in range(cells.shape[0]):
        cells[i] = 0


def clear_2(cells: Array) -> None:
    """Write zeros into a table."""
    for row in range(cells.shape[0]):
        clear_1(cells[row])


def play_share(
    pack: Any,
    schedule: Schedule,
    numbers: Array,
    seed: int,
    order: Array,
    side: int,
    share: int,
    boards: Boards,
    buffers: ResultBuffers,
    settings: Any,
    limits: Any,
    work: Any,
    moves: Array,
    state: Array,
    spare: Array,
) -> None:
    """Make the next move in one thread's share of the games in which `side` is to move.

    32 threads work in step, on neighbouring games of the order, most of them with one network.
    """
    thread = thread_index()
    place = thread // WARP * WARP * share + thread % WARP
    end = min(place + WARP * share, order.shape[0])
    while True:
        while place < end and not _waits(schedule, order[place], side, boards, buffers):
            place += WARP
        if place >= end:
            break
        game = order[place]
        place += WARP
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
    schedule: Schedule, game: int, side: int, boards: Boards, buffers: ResultBuffers
) -> bool:
    """Tell whether a game goes on and `side` is to move in it."""
    if buffers.codes[game] != PLAYING:
        return False
    if side == EITHER:
        return True
    if buffers.plies[game] > 0:
        return bool(boards.cells[TURN, game] == side)
    return bool(schedule.openings[schedule.opening_of[game], TURN] == side)


def _most_threads(program: Program) -> int:
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
