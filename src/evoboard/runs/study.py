"""A study: the same seeds for several settings, each an ordinary run, looked at as one thing.

A study is the folder `studies/NAME` among the runs, with `study.toml`, its description; its runs
are named `NAME-CELL-sSEED` and are like any others. It may grow: more seeds and more cells are
added to those there. `study_training.py` trains it, `study_numbers.py` reads the results.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evoboard.core.errors import (
    SENSELESS,
    EvoboardError,
    NotFound,
    OptionError,
    in_one_line,
    quoted,
)
from evoboard.core.toml import toml_text
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import listed, nearest
from evoboard.runs.folder import describe_run
from evoboard.store.run_file import (
    NAME,
    RunError,
    folders_with,
    is_run,
    run_folder,
    runs_folder,
    telling,
)
from evoboard.training.experiment import read_experiment, resolved

FOLDER, DESCRIPTION = "studies", "study.toml"
MOST_RUNS = 10_000

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
        return is_run(run_folder(self.name))

    @property
    def is_complete(self) -> bool:
        """Whether the run has come to its end."""
        return self.exists and describe_run(self.name).status == "finished"

    def require_own(self, facts: Mapping[str, Any]) -> None:
        """Raise where the run of that name, of which these are the facts, is not the study's."""
        same = same_settings(facts["experiment"], self.cell.experiment)
        if facts["seed"] != self.seed or not same:
            raise RunError(
                f"the run {self.name} has other settings than the study; "
                "remove it, or give the study another name."
            )


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
        return [run for run in self.runs() if not run.is_complete]

    def save(self) -> None:
        """Write the description, whole or not at all."""
        cells = [
            {"label": cell.label, "stem": cell.stem, "experiment": cell.experiment}
            for cell in self.cells
        ]
        data = {"name": self.name, "over": self.over, "seeds": list(self.seeds), "cells": cells}
        head = f"# Continue it with: evoboard study --name {self.name}\n\n"
        with telling(self.folder):
            write_whole(self.folder / DESCRIPTION, head + toml_text(data), lasting=True)


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
    return folders_with(DESCRIPTION, runs_folder() / FOLDER)


def study_of(run: str) -> str:
    """Return the study that a run belongs to, "" if there is none."""
    for name in possible_studies(run):
        with suppress(EvoboardError):  # a damaged one has no runs that could be told
            if any(each.name == run for each in open_study(name).runs()):
                return name
    return ""


def possible_studies(run: str) -> list[str]:
    """Return the studies that a run may belong to, by its name alone."""
    return [name for name in study_names() if run.startswith(f"{name}-")]


def open_study(name: str) -> Study:
    """Return the study of that name."""
    path = study_folder(name) / DESCRIPTION
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        given = data["cells"]
        cells = tuple(Cell(each["label"], each["experiment"], each["stem"]) for each in given)
        seeds, over = tuple(int(seed) for seed in data["seeds"]), data["over"]
        for cell in cells:
            run_folder(f"{cell.stem}-s1")  # an edited file must not name another folder
    except FileNotFoundError:
        near = nearest(name, study_names())
        known = listed(near or study_names()[:6], "or")
        hint = f"did you mean {known}?" if known else "evoboard study EXPERIMENT makes one."
        raise NotFound(f"there is no study named {quoted(name)}; {hint}") from None
    except (OSError, *SENSELESS) as error:
        raise RunError(f"{path} cannot be read ({in_one_line(error)}); fix it.") from error
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
        if before is not None and not same_settings(before.experiment, cell.experiment):
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


def same_settings(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two experiments are the same; an older version may have had fewer settings."""
    return one == other or read_experiment(one) == read_experiment(other)
