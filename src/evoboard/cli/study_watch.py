"""The display of a study in training: how far it is, and how long the rest will take."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from evoboard.cli.progress import Display, Lines, bar, clock
from evoboard.core.wording import counted
from evoboard.runs.report import seconds_of
from evoboard.runs.runner import Listener
from evoboard.runs.study import Study, StudyRun
from evoboard.runs.study_training import StudyListener
from evoboard.store.reader import open_run


def threads_each(threads: int, jobs: int) -> int:
    """Return how many threads each of that many runs at a time gets; 0: all cores."""
    return threads or (max(1, (os.cpu_count() or 1) // jobs) if jobs > 1 else 0)


def cores_used(threads: int, jobs: int) -> int:
    """Return how many cores that many runs at a time with that many threads each keep busy."""
    cores = os.cpu_count() or 1
    return min(cores, jobs * threads) if threads else cores


class StudyWatch(StudyListener):
    """Shows how far a study is, with a forecast; in a terminal also the run that is trained."""

    def __init__(
        self,
        found: Study,
        console: Console,
        expected: Mapping[str, float] | None = None,
        jobs: int = 1,
    ) -> None:
        self.study, self.console = found, console
        self.expected = expected or {}  # seconds of a run by cell, where nothing else is known
        runs, left = found.runs(), found.left()
        self.jobs = max(1, min(jobs, len(left)))  # runs at a time
        self.total, self.done = len(runs), len(runs) - len(left)
        self.todo = [run.cell.label for run in left]
        # Seconds of whole runs by cell: those there are tell how long the others will take.
        self.took: dict[str, list[float]] = {cell.label: [] for cell in found.cells}
        for run in runs:
            if run not in left:
                with open_run(run.name) as reader:
                    self.took[run.cell.label].append(seconds_of(reader))
        self.now: dict[str, _Present] = {}  # the runs that are trained, by name

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show a bar in a terminal, and lines elsewhere."""
        if not self.console.is_terminal:
            yield
            return
        with Live(
            console=self.console, get_renderable=self.render, refresh_per_second=4, transient=True
        ):
            yield

    def next_run(self, run: StudyRun) -> Listener:
        """Return the display of the next run."""
        alone = self.console.is_terminal and self.jobs == 1
        inner = Display(self.console) if alone else _Counter(self.console)
        self.now[run.name] = _Present(run, inner, time.monotonic())
        return inner

    def ended_run(self, run: StudyRun) -> None:
        """Count it, and say so where there is no terminal."""
        present = self.now.pop(run.name)
        took = time.monotonic() - present.began_at
        self.took[run.cell.label].append(took - present.inner.pace.compiling)
        self.todo.remove(run.cell.label)
        self.done += 1
        if not self.console.is_terminal:
            far = f"{self.done} of {counted(self.total, 'run')}"
            words = f"{run.cell.label}, seed {run.seed}"
            told = f"{far}  {words} ({clock(took)})  left {self.left()}"
            self.console.print(told, soft_wrap=True)

    def left(self) -> str:
        """Return how long the rest will take, in words."""
        seconds = self.seconds_left()
        return "–" if seconds is None else clock(seconds)

    def seconds_left(self) -> float | None:
        """Return how long the rest will take, by the runs that are done and the present ones."""
        rest, here = list(self.todo), list[float]()
        known = dict(self.expected)
        known |= {label: sum(took) / len(took) for label, took in self.took.items() if took}
        for present in list(self.now.values()):  # asked by another thread than the one that trains
            label, spent = present.run.cell.label, time.monotonic() - present.began_at
            if label not in rest:
                continue
            rest.remove(label)
            own = present.inner.seconds_left()
            if own is not None:
                known.setdefault(label, spent + own)
            here.append(own if own is not None else max(0.0, known.get(label, 0.0) - spent))
        if not known:
            return None
        usual = sum(known.values()) / len(known)
        later = [known.get(label, usual) for label in rest]
        # Side by side nothing ends before the longest, nor before all work is done.
        return max([*here, *later, (sum(here) + sum(later)) / self.jobs], default=0.0)

    def share(self) -> float:
        """Return how much of all runs is done, from 0 to 1."""
        here = sum(present.share for present in list(self.now.values()))
        return (self.done + here) / max(1, self.total)

    def words(self) -> str:
        """Return in a few words which run it is."""
        far = f"{self.done} of {counted(self.total, 'run')} trained"
        now = "; ".join(present.title for present in list(self.now.values()))
        return f"{far}; now {now}" if now else far

    def render(self) -> RenderableType:
        """Return the display."""
        bars = Table.grid(padding=(0, 2))
        bars.add_row("study", *bar(round(1000 * self.share()), 1000, ""))
        title = Text(f"{self.study.name}: {self.done} of {counted(self.total, 'run')}", "bold")
        rows: list[RenderableType] = [title.append(f"   {self.left()} left in all", "dim"), bars]
        present = list(self.now.values())
        if len(present) == 1 and isinstance(present[0].inner, Display):
            rows += [Text(f"\n{present[0].title}"), present[0].inner.render()]
        for each in present if self.jobs > 1 else ():
            played, length = each.far
            bars.add_row(each.title, *bar(played, length))
        return Group(*rows)


@dataclass(frozen=True)
class _Present:
    """A run that is being trained, and who hears of it."""

    run: StudyRun
    inner: Lines
    began_at: float

    @property
    def title(self) -> str:
        """Which one it is."""
        return f"{self.run.cell.label}, seed {self.run.seed}"

    @property
    def far(self) -> tuple[int, int]:
        """How many generations it has, and will have."""
        return (0, 1) if self.inner.run is None else (self.inner.played, self.inner.length)

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        played, length = self.far
        return min(1.0, played / max(1, length))


class _Counter(Lines):
    """Counts generations where there is no terminal: the study has a line for each run."""

    def __init__(self, console: Console) -> None:
        super().__init__(Console(quiet=True))
        self.study_console = console

    def stopping(self) -> None:
        """Say that it will stop."""
        self.console = self.study_console
        super().stopping()
