"""Trains runs: start, resume, stop. Step, store, check whether to stop, repeat until the end.

However the process ends, the run can be resumed at the generation that was in progress. Because
the seed decides everything, the result is the same as if it had never stopped.
"""

from __future__ import annotations

import copy
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from evoboard.arena.backends.base import Backend, find_backend
from evoboard.core.errors import EvoboardError, in_one_line
from evoboard.core.version import program_version
from evoboard.core.wording import counted
from evoboard.experiments.catalog import stem
from evoboard.runs.folder import (
    STOPPED,
    NameTaken,
    create_run,
    new_name,
    require_config,
    require_free,
    write_config,
)
from evoboard.runs.lock import Lock, forget_request, is_asked_to_stop
from evoboard.runs.study import study_of
from evoboard.store.reader import Reader
from evoboard.store.records import Final, GenerationRecord
from evoboard.store.run_file import (
    CONFIG,
    DATABASE,
    RunError,
    damaged,
    find_run,
    run_folder,
    telling,
)
from evoboard.store.writer import Writer
from evoboard.training.experiment import Experiment, read_experiment, resolved
from evoboard.training.loop import Trainer

NAMES_TRIED = 100


class Training(Protocol):
    """What a run needs of a trainer."""

    @property
    def generation(self) -> int: ...
    def step(self, progress: Callable[[int, int], None] | None = None) -> GenerationRecord: ...
    def finished(self) -> str: ...
    def final(self, progress: Callable[[int], None] | None = None) -> Final: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: Mapping[str, Any]) -> None: ...
    def player_data(self) -> dict[str, Any]: ...


MakeTrainer = Callable[[Experiment, int, Backend], Training]


class Listener:
    """Is told what a run does; a subclass overrides what it wants to know. The run waits for it."""

    def began(self, run: Begun) -> None:
        """Training is about to begin."""

    def games(self, done: int, total: int) -> None:
        """This many of the generation's games have been played; called by any thread."""

    def generation(self, record: GenerationRecord) -> None:
        """A generation is stored."""

    def final_games(self, done: int) -> None:
        """This many more games of the final have been played; called by any thread."""

    def stopping(self) -> None:
        """Ctrl-C: the generation is finished first. Called by a signal handler: do little."""

    def wants_stop(self) -> bool:
        """Tell whether to end after this generation; asked before each."""
        return False


@dataclass(frozen=True)
class Begun:
    """A run about to be trained; `restored`: its config.toml was missing and is written again.

    `unchecked`: how many of its first generations have no hashes that would reveal damage.
    """

    name: str
    folder: Path
    experiment: Experiment
    seed: int
    generation: int
    restored: bool = False
    unchecked: int = 0


@dataclass(frozen=True)
class Outcome:
    """How training ended: `finished` says why the run is complete, "" if it can be resumed.

    `generation` is the one to be played next; `cut`: it had begun and was abandoned;
    `interrupted`: no more runs are wanted, though this one may be complete.
    """

    name: str
    folder: Path
    generation: int
    finished: str = ""
    final: Final | None = None
    cut: bool = False
    interrupted: bool = False


def start_run(
    name: str | None,
    experiment: Experiment,
    seed: int,
    threads: int = 0,
    *,
    backend: str = "cpu",
    stem: str = "run",
    listener: Listener | None = None,
    make_trainer: MakeTrainer = Trainer,
) -> Outcome:
    """Train a new run until it is complete or stopped; without a name it is `stem`-NUMBER."""
    if name is not None:
        require_free(run_folder(name))
    # As it will be read again: a user's file is named by its full path from the start.
    data = resolved(experiment)
    experiment = read_experiment(data)
    trainer = make_trainer(experiment, seed, find_backend(backend, threads))
    folder = _create(name, stem, data, seed, trainer.player_data())
    begun = Begun(folder.name, folder, experiment, seed, 0)
    try:
        with Lock(folder):
            return _train(begun, trainer, threads, listener or Listener())
    except Exception:
        if trainer.generation == 0:  # nothing to resume, so the name is free again
            shutil.rmtree(folder, ignore_errors=True)
        raise


def stem_of(experiment: str) -> str:
    """Return what a new run is named after; the settings of a run stand for that run."""
    path = Path(experiment)
    if path.name == CONFIG and (path.parent / DATABASE).exists():
        return re.sub(r"-\d+$", "", path.resolve().parent.name)
    return stem(experiment)


def resume_run(
    name: str,
    threads: int = 0,
    *,
    generations: int | None = None,
    backend: str = "cpu",
    listener: Listener | None = None,
    make_trainer: MakeTrainer = Trainer,
) -> Outcome:
    """Resume a run until it is complete or stopped; a complete one is left as it is.

    With `generations`, it becomes the run it would have been with that length from the start.
    """
    folder = find_run(name)
    with Lock(folder):
        # Nothing is written before everything is known to be in order.
        with Reader(folder) as run:
            unchecked = run.require_whole()
            facts, checkpoint = run.facts(), run.checkpoint()
            if generations is not None:
                checkpoint = _before_more(run, facts, generations)
            elif "finished" in facts:
                return Outcome(name, folder, run.count(), facts["finished"], _last_final(run))
        restored = not require_config(folder, facts["experiment"])
        if generations is not None:
            facts["experiment"]["generations"] = generations
        experiment = read_experiment(facts["experiment"])
        trainer = make_trainer(experiment, facts["seed"], find_backend(backend, threads))
        if checkpoint:
            _restore(trainer, checkpoint, folder)
        if generations is not None:
            _lengthen(folder, facts["experiment"])
        if restored or generations is not None:
            with telling(folder):
                write_config(folder, name, facts["experiment"], facts["seed"])
        generation = trainer.generation
        known = (name, folder, experiment, facts["seed"], generation)
        begun = Begun(*known, restored, min(unchecked, generation))
        return _train(begun, trainer, threads, listener or Listener())


def _create(
    name: str | None, stem: str, experiment: Mapping[str, Any], seed: int, player: dict[str, Any]
) -> Path:
    """Return the folder of a new run, named as given or after `stem`."""
    if name is not None:
        return create_run(name, experiment, seed, player)
    for _ in range(NAMES_TRIED):
        with suppress(NameTaken):  # by another process that starts at the same time
            return create_run(new_name(stem), experiment, seed, player)
    raise RunError(f"no name such as {new_name(stem)} is free; name the run yourself.")


def _last_final(run: Reader) -> Final:
    finals = run.finals()
    if not finals:
        raise damaged(run.folder, "it is complete, but has no final")
    return finals[-1]


def _restore(trainer: Training, checkpoint: tuple[int, dict[str, Any]], folder: Path) -> None:
    generation, state = checkpoint
    try:
        trainer.restore(state)
    except Exception as error:
        raise RunError(
            f"the checkpoint of the run {folder.name} does not fit the parts it names "
            f"({in_one_line(error)}); have its game or strategy changed since?"
        ) from error
    if trainer.generation != generation:
        raise damaged(folder, f"its checkpoint is not of generation {generation}")


def _before_more(
    run: Reader, facts: Mapping[str, Any], generations: int
) -> tuple[int, dict[str, Any]] | None:
    """Return the checkpoint from which a run continues with another number of generations."""
    count, length = run.count(), int(facts["experiment"]["generations"])
    name, played = run.folder.name, counted(count, "generation")
    if study := study_of(name):
        raise RunError(
            f"the run {name} belongs to the study {study}, which compares runs of one length; "
            "copy its folder under another name to train that one for longer."
        )
    if generations <= count:
        raise RunError(f"the run {name} has {played} already; take more, such as {2 * count}.")
    if "finished" in facts and count < length:
        raise RunError(
            f"the run {name} has ended because {facts['finished']}, and would end again; start "
            "a new run with other settings in [stop]."
        )
    checkpoint = run.checkpoint(before_last=True)
    if checkpoint is None and count == length:
        raise RunError(
            f"the run {name} was finished by an earlier version, which stored too little "
            f"to continue; evoboard train {run.folder / CONFIG} --seed {facts['seed']} --set "
            f"generations={generations} trains it again, with the same first {played}."
        )
    return checkpoint or run.checkpoint()


def _lengthen(folder: Path, experiment: Mapping[str, Any]) -> None:
    """Give a run other settings; if killed meanwhile, it has the old ones or the new ones."""
    with telling(folder):
        (folder / CONFIG).unlink(missing_ok=True)
    with closing(Writer(folder)) as writer:
        writer.lengthen(experiment)


def _train(begun: Begun, trainer: Training, threads: int, listener: Listener) -> Outcome:
    """Return how training ended, with everything stored that happened until then."""
    writer = Writer(begun.folder)
    progress = _Progress(begun, listener)
    try:
        try:
            writer.begin(trainer.generation, program_version(), threads)
            listener.began(begun)
            with on_interrupt(progress.interrupt):
                outcome = _play_on(begun, trainer, writer, progress)
        except KeyboardInterrupt:
            progress.save_last(writer)
            outcome = Outcome(begun.name, begun.folder, writer.saved(), cut=True)
    except BaseException as error:
        told = " ".join(f"failed: {error}".split())
        with suppress(EvoboardError):
            writer.close(told[:500])
        raise
    finally:
        forget_request(begun.folder)
    writer.close(outcome.finished or STOPPED)
    return outcome


def _play_on(begun: Begun, trainer: Training, writer: Writer, progress: _Progress) -> Outcome:
    every, length = begun.experiment.record.checkpoint_every, begun.experiment.generations
    while not (reason := trainer.finished()):
        if progress.asked_to_stop():
            progress.save_last(writer)
            return Outcome(begun.name, begun.folder, trainer.generation)
        if trainer.generation == length - 1:
            writer.save_before_last(trainer.generation, trainer.state())
        record = trainer.step(progress.listener.games)
        state = trainer.state()
        if trainer.generation % every == 0:
            writer.add(record, state)
        else:
            # A copy: the next generation changes arrays in place, and may be abandoned.
            state = copy.deepcopy(state)
            writer.add(record)
            progress.last = (trainer.generation, state)
        progress.listener.generation(record)
    final = trainer.final(progress.listener.final_games)
    writer.finish(reason, final, trainer.generation, trainer.state())
    generation, interrupted = trainer.generation, progress.interrupted
    return Outcome(begun.name, begun.folder, generation, reason, final, interrupted=interrupted)


class _Progress:
    """A run's listener, what is not yet stored of it, and whether it has been asked to stop."""

    def __init__(self, begun: Begun, listener: Listener) -> None:
        self.listener = listener
        # The next generation and the state to resume from, where a checkpoint was not due.
        self.last: tuple[int, dict[str, Any]] | None = None
        self.folder = begun.folder
        self.interrupted = False

    def save_last(self, writer: Writer) -> None:
        """Store the state after the last whole generation, however far the next one is."""
        if self.last and self.last[0] > writer.saved():
            writer.save(*self.last)

    def asked_to_stop(self) -> bool:
        """Tell whether this generation is the last for now."""
        return self.interrupted or self.listener.wants_stop() or is_asked_to_stop(self.folder)

    def interrupt(self, *_: object) -> None:
        """Take the first Ctrl-C as a request to stop; the second is KeyboardInterrupt."""
        self.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.listener.stopping()


@contextmanager
def on_interrupt(act: Callable[..., None]) -> Iterator[None]:
    """Make Ctrl-C do something else inside this block; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, act)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
