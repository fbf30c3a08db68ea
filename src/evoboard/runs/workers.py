"""Runs side by side: worker processes, each of which trains one run after another.

A worker reports what happens in its run; here that is passed on to the listener of that run. Ctrl-C
is passed on to the workers, so each of them finishes its generation and saves. A worker whose
parent has ended, however it ended, does the same.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from evoboard.core.errors import EvoboardError
from evoboard.runs.runner import Begun, Listener, Outcome, on_interrupt
from evoboard.store.records import GenerationRecord, Individuals
from evoboard.store.run_file import RunError

PATIENCE = 2  # Ctrl-C so often before it ends this process, too

Task = TypeVar("Task")
Train = Callable[[Any, Listener], Outcome | None]  # None: another process trains it


@dataclass
class _Worker(Generic[Task]):
    process: BaseProcess
    pipe: Connection
    task: Task
    listener: Listener


def train_side_by_side(
    tasks: Iterable[Task],
    jobs: int,
    train: Train,
    began: Callable[[Task], Listener],
    ended: Callable[[Task, Outcome], None],
) -> None:
    """Hand out tasks to that many processes, in their order, until none is left or Ctrl-C comes.

    `train` must be picklable. `began` returns who hears of a task's run, `ended` hears how it
    ended; both are called in this process.
    """
    waiting, workers = list(tasks), list[_Worker[Task]]()
    stops = _Stops(workers)
    with on_interrupt(stops.note):
        try:
            while waiting and len(workers) < jobs and not stops.count:
                workers.append(_begin(waiting.pop(0), train, began))
                if stops.count:  # this one was not among the workers yet
                    stops.tell(workers[-1])
            while workers:
                for pipe in wait([worker.pipe for worker in workers]):
                    worker = next(each for each in workers if each.pipe is pipe)
                    if not _hear(worker, ended):
                        continue
                    if waiting and not stops.count:
                        worker.task = waiting.pop(0)
                        worker.listener = began(worker.task)
                        worker.pipe.send(worker.task)
                    else:
                        with suppress(OSError):  # it may have heard Ctrl-C between two runs
                            worker.pipe.send(None)
                        worker.process.join()
                        workers.remove(worker)
        finally:
            for worker in workers:  # one has failed, or the user wants no more
                worker.process.terminate()
                worker.process.join()


def _begin(task: Task, train: Train, began: Callable[[Task], Listener]) -> _Worker[Task]:
    # Not forked: threads, and what a GPU's driver holds, would not come along.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, train), daemon=True)
    with _holding_back():
        process.start()
    theirs.close()  # so that a worker that dies is heard of
    worker = _Worker(process, ours, task, began(task))
    ours.send(task)
    return worker


@contextmanager
def _holding_back() -> Iterator[None]:
    """Keep Ctrl-C for later in a process that begins now: `_work` takes it there."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # With its first process, Python begins another one, and lets signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _hear(worker: _Worker[Task], ended: Callable[[Task, Outcome], None]) -> bool:
    """Take what a worker says, and tell whether it has nothing to do now."""
    try:
        kind, what = worker.pipe.recv()
    except (EOFError, ConnectionError):
        worker.process.join()
        how = _end(worker.process.exitcode)
        raise RunError(
            f"a process that was training a run ended unexpectedly ({how}); what was stored is "
            "kept, and the same command continues."
        ) from None
    if kind == "failed":
        raise what
    if kind == "ended":
        if what is not None:
            ended(worker.task, what)
        return True
    getattr(worker.listener, kind)(what)
    return False


def _end(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


class _Stops:
    """Counts Ctrl-C, and passes it on: workers have left the terminal's group of processes."""

    def __init__(self, workers: list[_Worker[Task]]) -> None:
        self.workers, self.count = workers, 0

    def note(self, *_: object) -> None:
        """Take Ctrl-C."""
        self.count += 1
        if self.count >= PATIENCE:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for worker in self.workers:
            self.tell(worker)

    def tell(self, worker: _Worker[Task]) -> None:
        """Pass Ctrl-C on to a worker."""
        worker.listener.stopping()
        if worker.process.pid is not None and os.name != "nt":  # there, all have heard it
            with suppress(ProcessLookupError):
                os.kill(worker.process.pid, signal.SIGINT)


# --- in a worker --------------------------------------------------------------------------------


class _Sender(Listener):
    """Sends on the events of a run, without genomes and games, which nobody looks at."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.asked = pipe, False

    def interrupt(self, *_: object) -> None:
        """Take the first Ctrl-C outside of a run; raised, it could vanish in a destructor."""
        self.asked = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def wants_stop(self) -> bool:
        """Tell whether Ctrl-C came before the run took it itself."""
        return self.asked

    def began(self, run: Begun) -> None:
        """Send the run."""
        self._send(("began", run))

    def generation(self, record: GenerationRecord) -> None:
        """Send the generation's numbers."""
        few = Individuals(*(column[:0] for column in record.individuals))
        slim = replace(record, individuals=few, species=(), genomes=(), games=(), lengths=None)
        self._send(("generation", slim))

    def _send(self, what: tuple[str, object]) -> None:
        with suppress(OSError):  # the parent is gone: `_end_with_parent` sees to it
            self.pipe.send(what)


def _work(pipe: Connection, train: Train) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C in the terminal is the parent's, who passes it on
    sender = _Sender(pipe)
    signal.signal(signal.SIGINT, sender.interrupt)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        while (task := pipe.recv()) is not None:
            pipe.send(("ended", None if sender.asked else train(task, sender)))
    except (KeyboardInterrupt, EOFError, ConnectionError):
        with suppress(OSError):
            pipe.send(("ended", None))
    except EvoboardError as error:
        with suppress(OSError):
            pipe.send(("failed", _plain(error)))


def _plain(error: EvoboardError) -> EvoboardError:
    """Return an error that can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RunError(str(error))
    return error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGINT)
