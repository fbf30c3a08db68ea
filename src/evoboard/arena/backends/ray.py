"""ray: games between networks on the cores of a cluster, or of this machine.

Every core has a worker, a process that stays, with its kernels loaded. A worker is handed numbers
of games, plays them as the backend cpu does on one thread, and returns their results. It is handed
as many as take it some tenths of a second, and the next ones before it is done, so that it never
waits. What a lost worker was playing is played by another: chance belongs to the game, so nobody
can tell.

`--backend ray` uses this machine alone, and is not reachable from others; `--backend ray:HOST:PORT`
joins the cluster whose head listens there (docs/scaling.md).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import logging
import os
import secrets
import socket
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from evoboard.arena.backends import base, cpu
from evoboard.arena.backends.base import Progress, ResultBuffers, Task
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.players.setup import Setup

SUMMARY = "a cluster of machines, or this one's cores, by Ray"

BLOCK_SECONDS = 0.2  # what a worker is handed at a time takes about this long,
LEAST_SECONDS = 0.05  # and towards the end at least this
AHEAD = 2  # blocks in a worker's hands: the one it plays, and the next
MOST_DEATHS = 10  # of workers with the same games in their hands
PATIENCE = 60.0  # seconds without any worker after which a cluster is given up
REACH = 5.0  # seconds in which a cluster's head must answer


class Job(NamedTuple):
    """A task as it travels: plain data, and where and by what it was written."""

    number: int
    setup: dict[str, Any]
    pack: Any
    schedule: Any
    seed: int
    cells: int  # of a last position
    plies: int  # of a record
    mark: str
    folder: str


class Refusal(NamedTuple):
    """What a worker cannot do, and where it is."""

    sentence: str
    node: str


class Worker:
    """Plays games on one core; its kernels, and the last job, stay loaded."""

    def __init__(self) -> None:
        self._number, self._task = -1, cast(Task, None)  # of the last job
        self._backend = cpu.Backend(1)

    def ready(self) -> None:
        """Answer, once the process has begun."""

    def play(self, job: list[Any], number: int, games: Array) -> Any:
        """Return the results of the numbered games, a row each, and the seconds they took."""
        try:
            if number != self._number:
                self._task, self._number = _unpacked(_ray().get(job[0])), number
            task = self._task
            start = time.perf_counter()
            self._backend.play_networks(task, games.copy(), lambda games: None)
            return [column[games] for column in task.buffers], time.perf_counter() - start
        except EvoboardError as error:
            return Refusal(str(error), socket.gethostname())


def _unpacked(job: Job) -> Task:
    """Return the task in a job, whose arrays may be written and whose kernel is the sender's."""
    if Path(job.folder).is_dir():
        os.chdir(job.folder)  # a user's files are named from there
    games = len(job.schedule.pairings)
    results, codes, plies = np.zeros((3, games), np.int64)
    buffers = ResultBuffers(
        results, codes, plies,
        np.zeros((games, job.cells), np.int64),
        np.zeros((games, job.plies), np.int32),
    )  # fmt: skip
    setup = _loaded(json.dumps(job.setup), job.mark)
    return Task(setup, _own(job.pack), _own(job.schedule), job.seed, (), buffers)


@lru_cache(maxsize=8)
def _loaded(text: str, mark: str) -> Setup:
    """Return a setup with its parts loaded, which takes longer than many a generation's games."""
    setup = Setup.from_json(json.loads(text))
    if (own := _mark(setup)) != mark:
        raise OptionError(
            f"it would play with different rules or arithmetic ({own}, not {mark}); install "
            "the same versions of evoboard and Numba, and copy your own files, on every machine."
        )
    return setup


def _own(arrays: Any) -> Any:
    """Return a tuple with copies of its arrays: what a cluster shares can only be read, which is
    another type to a compiled kernel."""
    return type(arrays)(*(x.copy() if isinstance(x, np.ndarray) else x for x in arrays))


def _mark(setup: Setup) -> str:
    """Return what tells equal kernels from others, on any machine."""
    kernel = setup.bind().link(cpu.play_games)
    numba = importlib.metadata.version("numba")
    return f"{kernel.__qualname__.rsplit('_', 1)[-1]}, Numba {numba}"


@dataclass
class _Pool:
    """The workers of a cluster: those that answer, and those that have just been asked for."""

    wanted: int
    place: str
    idle_since: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.working: list[Any] = []
        self.starting: dict[Any, Any] = {}  # what says that it is ready: the worker
        self._make = _ray().remote(num_cpus=1, max_restarts=0)(Worker)

    def fill(self) -> None:
        """Ask for as many workers as are wanted and the cluster has cores for."""
        if self.place:
            self.wanted = max(1, int(_ray().cluster_resources().get("CPU", 1)))
        for _ in range(self.wanted - len(self.working) - len(self.starting)):
            worker = self._make.remote()
            self.starting[worker.ready.remote()] = worker

    def started(self, answer: Any) -> None:
        """Let the worker that has given this first answer work, unless it died of it."""
        worker = self.starting.pop(answer)
        try:
            _ray().get(answer)
        except _ray().exceptions.RayActorError as error:
            cause = str(error)
            if "ModuleNotFoundError" in cause and "evoboard" in cause:
                raise OptionError(
                    f"a machine of the cluster{self._at()} has no evoboard; install it on every "
                    "machine."
                ) from error
            return
        self.working.append(worker)

    def lost(self, worker: Any) -> None:
        """Forget a worker that has died."""
        if worker in self.working:
            self.working.remove(worker)
            self.idle_since = time.monotonic()

    def check(self) -> None:
        """Raise OptionError if no worker has been there for long."""
        if not self.working and time.monotonic() - self.idle_since > PATIENCE:
            raise OptionError(
                f"the cluster{self._at()} has had no worker for {PATIENCE:.0f} seconds; start a "
                "node (docs/scaling.md), then resume: everything so far is kept."
            )

    def _at(self) -> str:
        return f" at {self.place}" if self.place else ""

    def end(self) -> None:
        """End all workers, whatever they are doing."""
        for worker in (*self.working, *self.starting.values()):
            _ray().kill(worker)
        self.working, self.starting = [], {}


class Backend(base.Backend):
    """Plays on a cluster's workers; `address` is its head's, none for this machine alone."""

    _jobs = count()  # of all backends: a worker may know those of an earlier one

    def __init__(self, threads: int = 0, address: str = "") -> None:
        super().__init__(threads)
        self._pool = _join(address, self.threads)
        self._each = LEAST_SECONDS  # seconds a game, as lately measured

    def play_networks(self, task: Task, games: Array, progress: Progress) -> None:
        """Play the numbered games and write their results."""
        # The first game is played here: what must be compiled is compiled once, not by every core.
        first, rest = games[:1], games[1:]
        cpu.Backend(1).play_networks(task, first, progress)
        try:
            self._spread(task, rest, progress)
        except BaseException:  # Ctrl-C too: nothing goes on unseen
            self._pool.end()
            raise

    def _spread(self, task: Task, games: Array, progress: Progress) -> None:
        """Hand out games until all are played."""
        ray, pool = _ray(), self._pool
        pool.idle_since = time.monotonic()  # no worker was asked for before: kernels were compiled
        number = next(Backend._jobs)
        shared = [ray.put(_job(task, number))]
        left, blocks = 0, deque[Array]()  # games[left:] were never handed out
        playing: dict[Any, tuple[Any, Array]] = {}  # an answer to come: who owes it, what games
        deaths = Counter[int]()  # by a block's first game

        def hand(worker: Any) -> None:
            nonlocal left
            while sum(who is worker for who, _ in playing.values()) < AHEAD:
                if blocks:
                    block = blocks.popleft()
                elif left < len(games):
                    # Ever fewer towards the end, so that all end at about the same time.
                    share = (len(games) - left) // (AHEAD * len(pool.working))
                    most, least = BLOCK_SECONDS / self._each, LEAST_SECONDS / self._each
                    block = games[left : left + max(1, int(min(most, max(share, least))))]
                    left += len(block)
                else:
                    return
                playing[worker.play.remote(shared, number, block)] = worker, block

        while left < len(games) or blocks or playing:
            pool.fill()
            for worker in pool.working:
                hand(worker)
            pool.check()
            awaited = [*playing, *pool.starting]
            answers, _ = ray.wait(awaited, num_returns=1, timeout=1.0)
            for answer in answers:
                if answer in pool.starting:
                    pool.started(answer)
                    continue
                worker, block = playing.pop(answer)
                try:
                    given = ray.get(answer)
                except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError):
                    blocks.append(block)
                    pool.lost(worker)
                    deaths[int(block[0])] += 1
                    if deaths[int(block[0])] == MOST_DEATHS:
                        raise OptionError(
                            f"{MOST_DEATHS} workers have died playing the same games; is there "
                            "enough memory for a worker on each core? Use fewer cores, then resume."
                        ) from None
                    continue
                if isinstance(given, Refusal):
                    raise OptionError(f"{given.node} cannot play: {given.sentence}")
                rows, seconds = given
                for column, row in zip(task.buffers, rows, strict=True):
                    column[block] = row
                progress(len(block))
                self._each += 0.5 * (max(seconds / len(block), 1e-6) - self._each)


def _job(task: Task, number: int) -> Job:
    buffers = task.buffers
    return Job(
        number, task.setup.to_json(), task.pack, task.schedule, task.seed, buffers.finals.shape[1],
        buffers.moves.shape[1], _mark(task.setup), str(Path.cwd()),
    )  # fmt: skip


def _ray() -> Any:
    """Return Ray, or say how to add it."""
    if importlib.util.find_spec("ray") is None:
        raise OptionError(
            "the backend ray needs the package ray; pip install 'evoboard[cluster]' adds it."
        )
    # It reads these as it is loaded: nothing is told to anybody, and workers work as fast as a
    # thread would, where Ray would let every other program go first.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")
    import ray

    return ray


# By address. Ray knows one cluster per process, whose cores one set of workers holds: all backends
# of a process use it, or the next run of a study would wait for cores that the last one keeps.
_pools: dict[str, _Pool] = {}


def _join(address: str, threads: int) -> _Pool:
    """Return the workers of a cluster, which this process joins, or starts on this machine."""
    if not address:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray = _ray()
    if not ray.is_initialized():
        _pools.clear()
        _connect(ray, address, threads)
    if address not in _pools:
        for other in _pools:
            raise OptionError(
                f"this process uses the cluster {other or 'of its own'}, and Ray knows only one "
                "at a time; use another process for another cluster."
            )
        _pools[address] = _Pool(threads, address)
    return _pools[address]


def _connect(ray: Any, address: str, threads: int) -> None:
    """Connect this process to a cluster, or start one of this machine's own."""
    quiet = {"logging_level": logging.ERROR, "log_to_driver": False, "configure_logging": True}
    if not address:
        own = {"num_cpus": threads, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        ray.init(address="local", **own, **quiet)
        return
    _require_answer(address)
    try:
        ray.init(address=address, **quiet)
    except Exception as error:
        said = " ".join(str(error).split())
        raise OptionError(f"the cluster at {address} cannot be joined: {said[:200]}") from error


def _require_answer(address: str) -> None:
    """Raise OptionError if nothing listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise OptionError(
            f"{address!r} is not the address of a cluster; write ray:HOST:PORT, such as "
            "ray:192.168.0.5:6379."
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH).close()
    except OSError as error:
        raise OptionError(
            f"nothing answers at {address} ({error.strerror or error}); is the cluster's head "
            "there? ray start --head prints its address."
        ) from error
