"""What a report on a paper is made of: trials to run, tables, figures, and claims with verdicts."""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from evoboard.core import catalog
from evoboard.core.errors import PartError
from evoboard.experiments.catalog import load
from evoboard.pictures.report import Section
from evoboard.training.experiment import Experiment

if TYPE_CHECKING:
    from evoboard.papers.bench import Bench

PACKAGE = "evoboard.papers"
T = TypeVar("T")

ScaleName = Literal["quick", "full"]
Verdict = Literal["reproduced", "not reproduced", "not testable"]


@dataclass(frozen=True)
class Scale:
    """How much is run: all, or what fits into minutes; 0 seeds: as many as the paper says."""

    name: ScaleName = "quick"
    seeds: int = 0

    def pick(self, quick: T, full: T) -> T:
        """Return the one of two that belongs to this scale."""
        return quick if self.name == "quick" else full


@dataclass(frozen=True)
class Trial:
    """An experiment to be trained with several seeds.

    `quick`: generations where there are only minutes, with `cuts` (such as search.rounds=30) to
    make them shorter. `changes` hold always; a trial that changes its experiment has a `key` of its
    own. `seconds`: what a generation takes of one core, for forecasts; `quick_seconds` with the
    cuts.
    """

    experiment: str
    quick: int
    seconds: float
    cuts: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    key: str = ""
    quick_seconds: float | None = None
    only: ScaleName | None = None  # left out of the other scale

    @property
    def name(self) -> str:
        """What the trial is called in a report."""
        return self.key or self.experiment

    def settings(self, scale: Scale) -> Experiment:
        """Return the experiment as it is run."""
        whole = _loaded(self.experiment, self.changes)
        if scale.name == "full":
            return whole
        few = f"generations={min(self.quick, whole.generations)}"
        return _loaded(self.experiment, (*self.changes, *self.cuts, few))

    def estimate(self, scale: Scale) -> float:
        """Return about how many seconds of one core one seed takes."""
        each = self.seconds
        if scale.name == "quick" and self.quick_seconds is not None:
            each = self.quick_seconds
        return each * self.settings(scale).generations

    def cut_words(self, scale: Scale) -> str:
        """Return what was cut: "100 of 1,000 generations, search.rounds=30"."""
        whole = self.settings(Scale("full")).generations
        done = self.settings(scale).generations
        told = [f"{done:,} of {whole:,} generations" if done < whole else f"{whole:,} generations"]
        cuts = scale.pick(self.cuts, ())
        # Measuring less changes nothing of what is measured.
        return ", ".join([*told, *(cut for cut in cuts if not cut.startswith("measure."))])


class Claim(NamedTuple):
    """What a paper says, where, whether it came out again here, and the numbers behind that."""

    verdict: Verdict
    claim: str
    place: str
    evidence: str


@dataclass(frozen=True)
class Findings:
    """What came out: every claim, and the sections with the figures and tables behind them."""

    claims: Sequence[Claim]
    sections: Sequence[Section]


class Paper(ABC):
    """One document: who wrote it, what is run for it, and what is made of the runs."""

    letter: str
    author: str
    title: str
    kind: str  # such as "bachelor's thesis, Durham University"
    year: str
    game: str
    seeds: tuple[int, int] = (2, 3)  # of every trial, quick and full
    slips: tuple[str, ...] = ()  # where the document contradicts itself

    @property
    @abstractmethod
    def trials(self) -> tuple[Trial, ...]:
        """What is trained, the paper's own experiments first, then what goes beyond them."""

    @abstractmethod
    def report(self, bench: Bench) -> Findings:
        """Return what came out; every trial has been run."""

    @property
    def citation(self) -> str:
        """The document as a bibliography names it."""
        end = "" if self.title.endswith("?") else "."
        return f"{self.author}: {self.title}{end} {self.kind}, {self.year}."

    def seed_numbers(self, scale: Scale) -> range:
        """Return the seeds that everything is run with."""
        return range(1, 1 + (scale.seeds or scale.pick(*self.seeds)))

    def chosen(self, scale: Scale) -> list[Trial]:
        """Return the trials of a scale."""
        return [trial for trial in self.trials if trial.only in (None, scale.name)]


@lru_cache(256)
def _loaded(experiment: str, changes: tuple[str, ...]) -> Experiment:
    return load(experiment, changes)


def claim(text: str, place: str, holds: bool | None, evidence: str) -> Claim:
    """Return a claim; `holds` is None if the runs cannot tell."""
    verdict: Verdict = "not testable" if holds is None else "not reproduced"
    return Claim("reproduced" if holds else verdict, text, place, evidence)


def most(holds: Sequence[bool]) -> bool | None:
    """Return whether something holds for most seeds; None without any."""
    return sum(holds) * 2 > len(holds) if holds else None


def settled(holds: bool | None, enough: bool, *, for_good: bool = True) -> bool | None:
    """Return whether something holds; None if there was too little training to tell.

    `for_good`: what stays as it is once it is seen, so that little training may show it.
    """
    return holds if enough or holds == for_good else None


def find_paper(name: str) -> Paper:
    """Return the paper of a letter, or of a user's own FILE.py."""
    given = name if catalog.is_path(name) else name.lower()
    module = catalog.find("paper", PACKAGE, given, "PAPER")
    return _paper(module, name)


def papers() -> list[Paper]:
    """Return the papers that come with evoboard, by their letters."""
    return [find_paper(name) for name in catalog.names(PACKAGE, "PAPER")]


def _paper(module: types.ModuleType, name: str) -> Paper:
    found = module.PAPER
    if not isinstance(found, Paper):
        raise PartError(f"PAPER in {name} is {found!r}; it must be a Paper (evoboard.papers.base).")
    return found
