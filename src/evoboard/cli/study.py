"""Commands about many runs at once: study, tune."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from evoboard.cli.printing import Json, command, offer, print_json, print_table, table_console
from evoboard.cli.progress import Display, Lines, bar, clock
from evoboard.cli.training import BackendName, Threads
from evoboard.core.errors import OptionError, quoted
from evoboard.core.statistics import least_p, mean_interval
from evoboard.core.wording import as_name, counted, readable
from evoboard.experiments.catalog import stem
from evoboard.pictures.study_report import write_study
from evoboard.runs.report import seconds_of
from evoboard.runs.runner import Listener
from evoboard.runs.study import (
    Gathered,
    Study,
    StudyListener,
    StudyRun,
    cells_of,
    make_study,
    open_study,
    study_names,
)
from evoboard.runs.tuning import Tried, Tuning, params_of
from evoboard.store.reader import open_run

Jobs = Annotated[
    int, typer.Option(help="Runs that are trained at the same time, a process each.", min=1)
]

MOST_SEEDS = 1000
MOST_PAIRS = 10  # comparisons that are printed; the report has all


@command(
    "evoboard study kingcapture-quick --seeds 5 --set strategy.population=20,40",
    "evoboard study nim-quick own.toml --seeds 10 --games 50000",
    "evoboard study --name nim-quick-study          # go on with it, or see what it came to",
    "evoboard study                                 # all studies",
)
def study(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EXPERIMENT|FILE.toml|GAME.py]...", help="What is to be compared."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE,VALUE",
            help="Try a setting with several values, or change it for all with one; as often as "
            "you like, and all combinations are run.",
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option(help="How many (5: seeds 1 to 5), or which: 3,5,8 or 11-20.")
    ] = "5",
    games: Annotated[
        int | None,
        typer.Option(help="Every run ends after this many games.", min=1),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Every run ends after this many seconds of training.", min=0.1),
    ] = None,
    measure: Annotated[
        str, typer.Option(help="The number to compare by; left out: grade, or Elo.")
    ] = "",
    name: Annotated[str, typer.Option(help="The study's name; alone: go on with it.")] = "",
    jobs: Jobs = 1,
    threads: Threads = 0,
    backend: BackendName = "cpu",
    as_json: Json = False,
) -> None:
    """Run seeds × settings as one thing: learning curves with bands, and what makes a difference.

    The same command again goes on where it was, and adds what is new: more seeds, more values.
    """
    if not experiments and not name:
        return _list_studies(as_json)
    if games and seconds:
        raise OptionError("runs end after games or after seconds; give one of --games, --seconds.")
    found = _wanted(experiments or [], changes or [], seeds, games, seconds, name)
    left = _train(found, jobs, threads, backend)
    gathered = found.gather()
    if as_json:
        return print_json(_data(gathered, measure, left))
    console = table_console()
    if gathered.measures():
        _print_results(console, gathered, measure)
        page = write_study(gathered, measure)
        console.print(f"\nFigures, tables and numbers: {escape(str(page))}", soft_wrap=True)
    _conclude(console, found, left)
    return None


def _wanted(
    experiments: list[str],
    changes: list[str],
    seeds: str,
    games: int | None,
    seconds: float | None,
    name: str,
) -> Study:
    """Return the study to be run: one that is there, with more in it, or a new one."""
    if not experiments:
        if changes or games or seconds:
            raise OptionError("name the experiments, too, where a study is to get other settings.")
        return open_study(name)
    cells = cells_of(experiments, changes, games, seconds)
    base = as_name(stem(experiments[0]), 40, "my")
    over = "seconds" if seconds else "games"
    return make_study(name or f"{base}-study", cells, seeds_of(seeds), over)  # type: ignore[arg-type]


def seeds_of(text: str) -> list[int]:
    """Return the seeds that a text means: "5", "3,5,8" or "11-20"."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()) or len(part) > 40:
            raise OptionError(
                f"--seeds is {quoted(text)}; write how many, such as 5, or which: 3,5,8 or 11-20."
            )
        ends = (int(first), int(last or first)) if dash or "," in text else (1, int(first))
        if ends[1] - ends[0] >= MOST_SEEDS:
            raise OptionError(f"--seeds names {ends[1] - ends[0] + 1:,} seeds; take 1,000 at most.")
        found += range(ends[0], ends[1] + 1)
    if not found:
        raise OptionError("--seeds names no seed; write how many, such as 5, or which: 3,5,8.")
    return found


# --- while it runs ------------------------------------------------------------------------------


def _train(found: Study, jobs: int, threads: int, backend: str) -> list[StudyRun]:
    if not found.left():
        return []
    console = Console(stderr=True, highlight=False)
    watch = StudyWatch(found, console, jobs=jobs)
    with watch.shown():
        return found.train(threads_each(threads, jobs), jobs=jobs, backend=backend, listener=watch)


def threads_each(threads: int, jobs: int) -> int:
    """Return how many threads each of so many runs at a time gets; 0: all cores."""
    return threads or (max(1, (os.cpu_count() or 1) // jobs) if jobs > 1 else 0)


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


# --- what it came to ----------------------------------------------------------------------------


def _print_results(console: Console, found: Gathered, measure: str) -> None:
    """Print what each cell has come to, and which differences are not chance."""
    main = found.main_measure(measure)
    end, over = found.common(main), found.study.over
    outcomes = found.outcomes(main)
    rows = []
    for label, values in outcomes.items():
        mean, low, high = (float(each[0]) for each in mean_interval(values[:, None]))
        rows.append([label, str(len(values)), _number(mean), _span(low, high), _spread(values)])
    headings = ("setting", "seeds>", f"{main}>", "95 % interval>", "least … most")
    equal = f"after {end:,.0f} {over} each"
    console.print(f"[bold]{escape(main)}[/], mean over seeds, {equal}")
    print_table(console, headings, rows)
    versus = found.compared(main)
    if not versus:
        return
    console.print()
    versus = sorted(versus, key=lambda one: (one.corrected, one.found.p))
    print_table(
        console,
        ("compared", "difference>", "95 % interval>", "better>", "p>", "p, corrected"),
        [
            [
                f"{one.first} − {one.second}",
                f"{one.found.difference:+.4g}",
                _span(one.found.low, one.found.high),
                f"{one.found.superiority:.0%}",
                f"{one.found.p:.4f}",
                f"{one.corrected:.4f}{' *' if one.corrected < 0.05 else ''}",
            ]
            for one in versus[:MOST_PAIRS]
        ],
    )
    sizes = sorted(len(values) for values in outcomes.values() if len(values))
    told = (
        "better: how often a run of the first is ahead of one of the second. p: permutation test, "
        f"corrected for {counted(len(versus), 'comparison')} (Holm); * below 0.05."
    )
    if least_p(*sizes[:2]) * len(versus) >= 0.05:
        told += f" With {counted(sizes[0], 'seed')} no difference can be told from chance."
    console.print(f"[dim]{told}[/]")


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4g}"


def _span(low: float, high: float) -> str:
    return "–" if math.isnan(low) else f"{low:.4g} … {high:.4g}"


def _spread(values: Any) -> str:
    return f"{values.min():.4g} … {values.max():.4g}" if len(values) else "–"


def _conclude(console: Console, found: Study, left: list[StudyRun]) -> None:
    if not left:
        return
    total = len(found.cells) * len(found.seeds)
    console.print(
        f"\n[bold]{escape(found.name)}[/] is saved: {total - len(left)} of "
        f"{counted(total, 'run')} complete, nothing is lost."
    )
    offer(console, "Go on", [f"study --name {found.name}"])


def _data(found: Gathered, measure: str, left: list[StudyRun]) -> dict[str, Any]:
    main = found.main_measure(measure) if found.measures() else ""
    outcomes = found.outcomes(main) if main else {}
    return {
        "name": found.study.name,
        "over": found.study.over,
        "left": [run.name for run in left],
        "measure": main,
        "measures": found.measures(),
        "at": found.common(main) if main else 0,
        "cells": [
            {
                "label": cell.label,
                "runs": [run.run.name for run in found.of(cell.label)],
                "values": outcomes[cell.label].tolist() if main else [],
            }
            for cell in found.study.cells
        ],
        "compared": [
            {
                "first": one.first,
                "second": one.second,
                **one.found._asdict(),
                "corrected": one.corrected,
            }
            for one in (found.compared(main) if main else ())
        ],
    }


def _list_studies(as_json: bool) -> None:
    found = [open_study(name) for name in study_names()]
    if as_json:
        return print_json(
            [
                {
                    "name": each.name,
                    "runs": len(each.cells) * len(each.seeds),
                    "left": len(each.left()),
                    "cells": [cell.label for cell in each.cells],
                    "seeds": list(each.seeds),
                }
                for each in found
            ]
        )
    if not found:
        print("There are no studies yet; `evoboard study nim-quick --seeds 3` makes one.")
        return None
    rows = []
    for each in found:
        total = len(each.cells) * len(each.seeds)
        cells = readable("; ".join(cell.label for cell in each.cells))
        rows.append([each.name, f"{total - len(each.left())}/{total}", cells])
    print_table(table_console(), ("study", "runs>", "settings"), rows)
    return None


# --- tune ---------------------------------------------------------------------------------------


@command(
    "evoboard tune kingcapture-quick --param strategy.mutations.values.power=0.02:0.5:log",
    "evoboard tune nim-quick --param strategy.population=50:200 --param search.safe=0,1",
    "evoboard tune mine.py --param search.depth=1,2 --games 20000",
)
def tune(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT|FILE.toml|GAME.py", help="What is to be tuned.")
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=LOW:HIGH[:log]|KEY=A,B",
            help="A setting, and between what its value is; as often as you like.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting for all trials."),
    ] = None,
    trials: Annotated[int, typer.Option(help="How many settings are tried in all.", min=1)] = 20,
    seeds: Annotated[str, typer.Option(help="Seeds of every trial, as in study.")] = "2",
    games: Annotated[
        int | None, typer.Option(help="Every run ends after this many games.", min=1)
    ] = None,
    tests: Annotated[
        int,
        typer.Option(
            help="Games of each run's best player against who counts pieces at equal search, or "
            "random moves; where there is a grade, that decides.",
            min=2,
        ),
    ] = 200,
    name: Annotated[str, typer.Option(help="The name of its study.")] = "",
    threads: Threads = 0,
    backend: BackendName = "cpu",
) -> None:
    """Seek the best settings of an experiment with Optuna; the same command goes on.

    Every trial is a setting of a study, so its runs and its report are as any other's.
    """
    base = as_name(stem(experiment), 40, "my")
    wanted = Tuning(
        name or f"{base}-tune",
        experiment,
        params_of(param or []),
        tuple(seeds_of(seeds)),
        tuple(changes or []),
        games,
        tests + tests % 2,
    )
    said = Console(stderr=True, highlight=False)
    began, first = time.monotonic(), len(wanted.tried())

    def tell(tried: Tried) -> None:
        done = len(wanted.tried())
        spent = (time.monotonic() - began) / max(1, done - first)
        left = clock(spent * max(0, trials - done))
        words = f"{done} of {counted(trials, 'trial')}  {tried.value:.4g}  "
        said.print(f"{words}{', '.join(tried.changes)}  left {left}", soft_wrap=True)

    complete = wanted.seek(trials, threads, backend=backend, told=tell)
    found, console = wanted.tried(), table_console()
    if found:
        rows = [
            [f"{tried.value:.4g}", _spread(np.array(tried.values)), ", ".join(tried.changes)]
            for tried in found[:MOST_PAIRS]
        ]
        print_table(console, ("value>", "seeds", "settings"), rows)
        path = wanted.write_best(found[0])
        console.print(f"\nThe best settings: {escape(str(path))}", soft_wrap=True)
        offer(console, "Next", [f"study {experiment} {path} --seeds 10"])
    if not complete:
        console.print("\nIt is saved, nothing is lost; the same command goes on.")
