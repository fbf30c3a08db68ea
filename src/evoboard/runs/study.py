"""A study: the same seeds for several settings, each an ordinary run, looked at as one thing.

A study is the folder `studies/NAME` among the runs, with `study.toml`, its description; its runs
are named `NAME-CELL-sSEED` and are like any others. Whatever ends the process, the study goes on
with the run that was in progress. It may grow: more seeds and more cells are added to those there.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evoboard.core.arrays import Array, evenly_spread
from evoboard.core.errors import (
    SENSELESS,
    EvoboardError,
    NotFound,
    OptionError,
    in_one_line,
    quoted,
)
from evoboard.core.statistics import Comparison, Interval, compare, holm, mean_interval
from evoboard.core.toml import toml_text
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import listed, nearest
from evoboard.experiments.catalog import load, stem
from evoboard.players.equal_search import searches_alike
from evoboard.runs.folder import describe_run
from evoboard.runs.lock import is_held
from evoboard.runs.runner import Listener, MakeTrainer, Outcome, resume_run, start_run
from evoboard.runs.workers import train_side_by_side
from evoboard.store.reader import Reader, player_at
from evoboard.store.run_file import DATABASE, NAME, RunError, explain, run_folder, runs_folder
from evoboard.training.experiment import read_experiment, resolved
from evoboard.training.loop import Trainer

FOLDER, DESCRIPTION = "studies", "study.toml"
MOST_RUNS = 10_000
SETTLED = 0.5  # seconds
MOST_POINTS = 200  # of a curve
EQUAL = "elo equal search"  # Elo against who counts pieces and searches as the networks do
# What a study compares by where nobody says: the first that all of its runs have.
MEASURES = ("grade", EQUAL, "elo random", "best")

Over = Literal["games", "seconds", "generations"]


@dataclass(frozen=True)
class Cell:
    """One setting of a study: its name in tables, and the experiment as plain data."""

    label: str
    experiment: Mapping[str, Any]
    stem: str = ""  # of its runs' names; filled in by the study


@dataclass(frozen=True)
class StudyRun:
    """One run of a study: which cell's, which seed's, and its name among the runs."""

    cell: Cell
    seed: int
    name: str

    @property
    def exists(self) -> bool:
        """Whether the run has begun."""
        folder = run_folder(self.name)
        try:
            return (folder / DATABASE).is_file()
        except OSError as error:  # we may not look there
            raise explain(error, folder) from error


@dataclass(frozen=True)
class Study:
    """Cells × seeds. `over` says what all of them get the same of when they are compared."""

    name: str
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    over: Over = "games"

    @property
    def folder(self) -> Path:
        """Where its description and reports are."""
        return study_folder(self.name)

    def runs(self) -> list[StudyRun]:
        """Return all runs, every cell's first seed first: what there is can be compared early."""
        return [
            StudyRun(cell, seed, f"{cell.stem}-s{seed}")
            for seed in self.seeds
            for cell in self.cells
        ]

    def left(self) -> list[StudyRun]:
        """Return the runs that are not complete."""
        return [run for run in self.runs() if not _is_complete(run)]

    def train(
        self,
        threads: int = 0,
        *,
        jobs: int = 1,
        backend: str = "cpu",
        listener: StudyListener | None = None,
        make_trainer: MakeTrainer = Trainer,
    ) -> list[StudyRun]:
        """Train what is left, `jobs` runs at a time; return what is still left.

        Ctrl-C ends it after a generation, with everything saved. A run that another process trains
        is left to it, so several processes can work on one study. `threads`: of each run.
        """
        told, left = listener or StudyListener(), self.left()
        train = partial(_train, threads=threads, backend=backend, make_trainer=make_trainer)

        def ended(run: StudyRun, outcome: Outcome) -> None:
            if outcome.finished:
                told.ended_run(run)

        if jobs > 1 and len(left) > 1:
            train_side_by_side(left, jobs, train, lambda run: told.next_run(run) or told, ended)
            return self.left()
        for run in left:
            outcome = None if _is_taken(run) else train(run, told.next_run(run) or told)
            if outcome is not None:
                ended(run, outcome)
                if outcome.interrupted or not outcome.finished:
                    break
        return self.left()

    def gather(self, partial: bool = False) -> Gathered:
        """Return the numbers of all complete runs; with `partial`, of all that have begun."""
        wanted = [run for run in self.runs() if (run.exists if partial else _is_complete(run))]
        return Gathered(self, tuple(_read(run) for run in wanted))

    def save(self) -> None:
        """Write the description, whole or not at all."""
        cells = [
            {"label": cell.label, "stem": cell.stem, "experiment": cell.experiment}
            for cell in self.cells
        ]
        data = {"name": self.name, "over": self.over, "seeds": list(self.seeds), "cells": cells}
        head = f"# Go on with it: evoboard study --name {self.name}\n\n"
        try:
            write_whole(self.folder / DESCRIPTION, head + toml_text(data), lasting=True)
        except OSError as error:
            raise explain(error, self.folder) from error


class StudyListener(Listener):
    """Hears also which run of a study begins and ends."""

    def next_run(self, run: StudyRun) -> Listener | None:
        """A run is about to be trained or resumed; return who hears of it, None for this one."""

    def ended_run(self, run: StudyRun) -> None:
        """A run is complete."""


# --- making and finding studies ----------------------------------------------------------------


def study_folder(name: str) -> Path:
    """Return the folder of the study of that name, whether it exists or not."""
    if not NAME.fullmatch(name) or len(name) > 60:
        raise OptionError(
            f"a study cannot be named {quoted(name)}; "
            "use letters, digits, and - _ . inside, 60 characters at most."
        )
    return runs_folder() / FOLDER / name


def study_names() -> list[str]:
    """Return the names of all studies, sorted."""
    try:
        found = list(os.scandir(runs_folder() / FOLDER))
    except OSError:
        return []
    return sorted(
        entry.name
        for entry in found
        if NAME.fullmatch(entry.name) and os.path.isfile(os.path.join(entry.path, DESCRIPTION))
    )


def open_study(name: str) -> Study:
    """Return the study of that name."""
    path = study_folder(name) / DESCRIPTION
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        given = data["cells"]
        cells = tuple(Cell(each["label"], each["experiment"], each["stem"]) for each in given)
        seeds, over = tuple(int(seed) for seed in data["seeds"]), data["over"]
        for cell in cells:
            run_folder(f"{cell.stem}-s1")  # nobody's hand makes it name another folder
    except FileNotFoundError:
        near = nearest(name, study_names())
        known = listed(near or study_names()[:6], "or")
        hint = f"did you mean {known}?" if known else "evoboard study EXPERIMENT makes one."
        raise NotFound(f"there is no study named {quoted(name)}; {hint}") from None
    except (OSError, *SENSELESS) as error:
        raise RunError(f"{path} cannot be read ({in_one_line(error)}); mend it.") from error
    return Study(name, cells, seeds, over)


def make_study(
    name: str, cells: Iterable[Cell], seeds: Iterable[int], over: Over = "games"
) -> Study:
    """Return the study of that name, new or as it is, with whatever cells and seeds it lacks.

    A cell that has a run keeps its settings: others under its label are refused.
    """
    wanted = _checked(list(cells))
    numbers = tuple(dict.fromkeys(seeds))
    if not numbers or min(numbers) < 0:
        raise OptionError("a study needs at least one seed, and no seed is below 0.")
    try:
        known = open_study(name)
    except NotFound:
        known = Study(name, (), (), over)
    if not any(run.exists for run in known.runs()):
        known = Study(name, (), (), over)  # nothing has come of it: whatever is wanted now is right
    own = {cell.label: cell for cell in known.cells}
    for cell in wanted:
        before = own.get(cell.label)
        if before is not None and not _same(before.experiment, cell.experiment):
            raise RunError(
                f"the study {name} has other settings for {cell.label}; "
                "take another name for this one (--name)."
            )
    stems = {cell.stem for cell in known.cells}
    fresh = []
    for cell in wanted:
        if cell.label not in own:
            stems.add(stem := _stem(name, cell.label, stems))
            fresh.append(Cell(cell.label, cell.experiment, stem))
    seeds_now = tuple(dict.fromkeys((*known.seeds, *numbers)))
    study = Study(name, (*known.cells, *fresh), seeds_now, over)
    if len(study.cells) * len(study.seeds) > MOST_RUNS:
        raise OptionError(f"a study has {MOST_RUNS:,} runs at most; take fewer settings or seeds.")
    if study != known:
        study.save()
    return study


def _checked(cells: list[Cell]) -> list[Cell]:
    """Return cells with whole experiments, as they are stored; their labels must differ."""
    labels = [cell.label for cell in cells]
    if not cells:
        raise OptionError("a study needs at least one experiment.")
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise OptionError(f"two cells of the study are the same: {twice[0]}; name each once.")
    return [Cell(cell.label, resolved(read_experiment(cell.experiment))) for cell in cells]


def _stem(study: str, label: str, taken: set[str]) -> str:
    """Return the beginning of the names of a cell's runs: the study's name, and the label's."""
    plain = re.sub(r"[^A-Za-z0-9._]+", "-", label).strip("-._")[:30].strip("-._") or "cell"
    for number in itertools.count(1):
        found = f"{study}-{plain}" if number == 1 else f"{study}-{plain}-{number}"
        if found not in taken:
            return found
    raise AssertionError


def cells_of(
    experiments: Sequence[str],
    changes: Sequence[str] = (),
    games: int | None = None,
    seconds: float | None = None,
) -> list[Cell]:
    """Return the cells of experiments × changes such as strategy.population=20,40.

    A change with one value holds for all of them. With `games` or `seconds` every run goes on until
    it has had so many, however many generations that takes.
    """
    swept = [values_of(change) for change in changes]
    fixed = [f"{key}={values[0]}" for key, values in swept if len(values) == 1]
    varied = [(key, values) for key, values in swept if len(values) > 1]
    names = short_names([key for key, _ in varied])
    if games is not None:
        fixed += [f"stop.games={games}", f"generations={ENDLESS}"]
    if seconds is not None:
        fixed += [f"stop.seconds={seconds}", f"generations={ENDLESS}"]
    cells = []
    for text in experiments:
        for chosen in itertools.product(*(values for _, values in varied)):
            pairs = list(zip([key for key, _ in varied], chosen, strict=True))
            found = load(text, [*fixed, *(f"{key}={value}" for key, value in pairs)])
            words = [f"{names[key]}={value}" for key, value in pairs]
            if len(experiments) > 1 or not words:
                words.insert(0, stem(text))
            cells.append(Cell(", ".join(words), resolved(found)))
    return cells


ENDLESS = 1_000_000  # generations: more than games or seconds allow


def values_of(change: str) -> tuple[str, list[str]]:
    """Return key and values of key=value,value…; commas in quotes and brackets part nothing."""
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise OptionError(
            f"cannot read the setting {quoted(change)}; write key=value or key=value,value, "
            "such as strategy.population=20,40."
        )
    found = [""]
    depth, inside = 0, ""
    for letter in text:
        if inside:
            inside = "" if letter == inside else inside
        elif letter in "\"'":
            inside = letter
        elif letter in "[]{}":
            depth += 1 if letter in "[{" else -1
        if letter == "," and not inside and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    values = [value.strip() for value in found]
    if not all(values):
        raise OptionError(f"{quoted(change)} has an empty value; write key=value,value.")
    return key.strip(), list(dict.fromkeys(values))


def short_names(keys: Sequence[str]) -> dict[str, str]:
    """Return a short name for each dotted key: its last word, more where two would be alike."""
    found = {}
    for key in keys:
        words = key.split(".")
        for length in range(1, len(words) + 1):
            short = ".".join(words[-length:])
            if sum(f".{other}".endswith(f".{short}") for other in keys) == 1:
                break
        found[key] = short
    return found


def _train(
    run: StudyRun, listener: Listener, threads: int, backend: str, make_trainer: MakeTrainer
) -> Outcome | None:
    """Train a run, or go on with it; None where another process does."""
    options: dict[str, Any] = {
        "backend": backend,
        "listener": listener,
        "make_trainer": make_trainer,
    }
    try:
        if not run.exists:
            experiment = read_experiment(run.cell.experiment)
            return start_run(run.name, experiment, run.seed, threads, **options)
        _require_own(run)
        return resume_run(run.name, threads, **options)
    except RunError:
        until = time.monotonic() + SETTLED  # who has made a run's folder locks it a moment later
        while not (_is_taken(run) or (run.exists and _is_complete(run))):
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        return None  # another process was quicker


def _is_taken(run: StudyRun) -> bool:
    return is_held(run_folder(run.name))


def _is_complete(run: StudyRun) -> bool:
    return run.exists and describe_run(run.name).status == "finished"


def _require_own(run: StudyRun) -> None:
    """Raise where a run of that name is not this study's."""
    with Reader(run_folder(run.name)) as reader:
        facts = reader.facts()
    if facts["seed"] != run.seed or not _same(facts["experiment"], run.cell.experiment):
        raise RunError(
            f"the run {run.name} has other settings than the study; "
            "remove it, or give the study another name."
        )


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two experiments are the same; an older version may have had fewer settings."""
    return one == other or read_experiment(one) == read_experiment(other)


# --- what the runs have come to ----------------------------------------------------------------


@dataclass(frozen=True)
class RunNumbers:
    """A run's numbers, one cell a generation; games and seconds are counted from its beginning.

    `settled`: it has ended before its time because an aim was reached, such as a grade; what it had
    come to then is what it would be worth later.
    """

    run: StudyRun
    games: Array
    seconds: Array
    numbers: Mapping[str, Array] = field(repr=False)
    settled: bool = False

    @property
    def generations(self) -> Array:
        """Return how many generations were played, at the end of each."""
        return np.arange(1, len(self.games) + 1, dtype=np.float64)

    def known(self, measure: str, over: Over) -> tuple[Array, Array]:
        """Return where a number is known, and the number."""
        values = self.numbers.get(measure, np.full(len(self.games), np.nan))
        there = ~np.isnan(values)
        return np.asarray(getattr(self, over))[there], values[there]


@dataclass(frozen=True)
class Curve:
    """A cell's learning curve: its middle over seeds and the interval, at the same places."""

    label: str
    seeds: tuple[int, ...]
    places: Array
    values: Array  # (seeds, places)
    interval: Interval


@dataclass(frozen=True)
class Versus:
    """Two cells compared; `corrected` is p with regard to how many comparisons there are."""

    first: str
    second: str
    found: Comparison
    corrected: float


@dataclass(frozen=True)
class Gathered:
    """The numbers of a study's runs."""

    study: Study
    runs: tuple[RunNumbers, ...]

    def measures(self) -> list[str]:
        """Return the numbers that every run has somewhere, by name."""
        names = [{n for n, v in run.numbers.items() if not np.isnan(v).all()} for run in self.runs]
        return sorted(set.intersection(*names)) if names else []

    def main_measure(self, wanted: str = "") -> str:
        """Return the number to compare by: the wanted one, or the most telling there is."""
        known = self.measures()
        if wanted in known:
            return wanted
        if wanted or not known:
            near = listed(nearest(wanted, known) or known[:12], "or") or "nothing yet"
            raise OptionError(f"not all runs have the number {quoted(wanted)}; they have {near}.")
        return next((name for name in MEASURES if name in known), known[0])

    def of(self, label: str) -> list[RunNumbers]:
        """Return the runs of a cell, in the order of their seeds."""
        return [each for each in self.runs if each.run.cell.label == label]

    def array(self, label: str, measure: str) -> Array:
        """Return a cell's numbers, (seeds, generations), NaN where there is none."""
        runs = self.of(label)
        longest = max((len(run.games) for run in runs), default=0)
        found = np.full((len(runs), longest), np.nan)
        for row, run in zip(found, runs, strict=True):
            values = run.numbers.get(measure, np.zeros(0))
            row[: len(values)] = values
        return found

    def common(self, measure: str, over: Over | None = None) -> float:
        """Return how far every run has come, in games or whatever they are compared over."""
        known = [(self._known(run, measure, over)[0], run.settled) for run in self.runs]
        known = [each for each in known if len(each[0])]
        open_ends = [places[-1] for places, settled in known if not settled]
        ends = open_ends or [max((places[-1] for places, _ in known), default=0.0)]
        return float(min(ends))

    def outcomes(self, measure: str, over: Over | None = None) -> dict[str, Array]:
        """Return what each cell's runs had come to when all had had the same, by label."""
        end = self.common(measure, over)
        found: dict[str, list[float]] = {cell.label: [] for cell in self.study.cells}
        for run in self.runs:
            places, values = self._known(run, measure, over)
            if (places <= end).any():
                found[run.run.cell.label].append(float(values[places <= end][-1]))
        return {label: np.array(values) for label, values in found.items()}

    def curves(self, measure: str, over: Over | None = None, whole: bool = False) -> list[Curve]:
        """Return each cell's curve up to where all have come, or of each cell as far as it goes."""
        end = np.inf if whole else self.common(measure, over)
        curves = []
        for cell in self.study.cells:
            runs = [run for run in self.of(cell.label) if len(self._known(run, measure, over)[0])]
            if not runs:
                continue
            known = [self._known(run, measure, over) for run in runs]
            ends = [x[-1] for (x, _), run in zip(known, runs, strict=True) if not run.settled]
            first = max(x[0] for x, _ in known)
            last = min(end, *(ends or [max(x[-1] for x, _ in known)]))
            places = _thinned(np.unique(np.concatenate([x for x, _ in known])), first, last)
            values = np.array([np.interp(places, x, y) for x, y in known])
            seeds = tuple(run.run.seed for run in runs)
            curves.append(Curve(cell.label, seeds, places, values, mean_interval(values)))
        return curves

    def compared(self, measure: str, over: Over | None = None) -> list[Versus]:
        """Return every two cells compared by what they had come to; p is corrected (Holm)."""
        outcomes = {k: v for k, v in self.outcomes(measure, over).items() if len(v)}
        pairs = list(itertools.combinations(outcomes, 2))
        found = [compare(outcomes[one], outcomes[other]) for one, other in pairs]
        corrected = holm([each.p for each in found])
        return [
            Versus(*pair, each, p) for pair, each, p in zip(pairs, found, corrected, strict=True)
        ]

    def _known(self, run: RunNumbers, measure: str, over: Over | None) -> tuple[Array, Array]:
        return run.known(measure, over or self.study.over)


def _thinned(places: Array, first: float, last: float) -> Array:
    inside = places[(places >= first) & (places <= last)]
    if not len(inside):
        return np.array([last])
    return inside[evenly_spread(len(inside), MOST_POINTS)]


def _read(run: StudyRun) -> RunNumbers:
    with Reader(run_folder(run.name)) as reader, reader.snapshot():
        rows, timings, measured = reader.rows(), reader.timings(), reader.measurements()
        facts = reader.facts()
    names = {name for row in rows for name in row.numbers}
    numbers = {name: np.array([row.numbers.get(name, np.nan) for row in rows]) for name in names}
    equal = np.full(len(rows), np.nan)
    for generation, found in measured.items():
        player = player_at(facts, generation)
        for one in found:
            if one.kind == "anchor":
                with suppress(EvoboardError):
                    if searches_alike(one.opponent, player["search"], player["settings"]):
                        equal[generation] = one.elo
    if not np.isnan(equal).all():
        numbers[EQUAL] = equal
    games = np.cumsum([row.numbers.get("games", 0.0) for row in rows])
    steps = [timings.get(row.generation, {}) for row in rows]
    # Measuring and storing is the observer's time; the first generation compiles, too.
    seconds = np.array([sum(v for k, v in s.items() if k not in APART) for s in steps])
    if len(seconds) > 2:
        seconds[0] = min(seconds[0], float(np.median(seconds[1:])))
    settled = _is_settled(facts, len(rows), float(games[-1]) if len(rows) else 0.0)
    return RunNumbers(run, games, np.cumsum(seconds), numbers, settled)


def _is_settled(facts: Mapping[str, Any], count: int, games: float) -> bool:
    """Tell whether a run ended by reaching an aim."""
    stop = facts["experiment"].get("stop", {})
    early = "finished" in facts and count < int(facts["experiment"]["generations"])
    timed = str(facts.get("finished", "")).endswith("seconds were trained")
    return early and not timed and games < stop.get("games", math.inf)


APART = ("measure", "record")  # steps of a generation that are not training
