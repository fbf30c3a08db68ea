"""Settings sought by Optuna: every trial is a cell of a study, so its runs are ordinary ones.

What was tried is in `tune.db` in the study's folder. A process that is killed loses nothing: its
unfinished trial is tried again, and the runs continue where they were.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.standings import MatchResult
from evoboard.core.errors import EvoboardError, OptionError, quoted
from evoboard.core.whole_file import write_whole
from evoboard.experiments.catalog import load
from evoboard.experiments.template import template
from evoboard.games.base import load_game
from evoboard.players.equal_search import counter_of
from evoboard.runs.runner import MakeTrainer
from evoboard.runs.study import Cell, make_study, study_folder
from evoboard.runs.study_numbers import gather
from evoboard.runs.study_training import StudyListener, train_study
from evoboard.runs.sweep import cells_of, short_names, values_of
from evoboard.training.loop import Trainer

DATABASE, BEST = "tune.db", "best.toml"


@dataclass(frozen=True)
class Param:
    """A setting to be tuned: between two numbers (on a logarithmic scale), or one of several."""

    key: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    log: bool = False
    choices: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Param:
        """Return the setting in key=low:high, key=low:high:log or key=value,value."""
        key, values = values_of(text)
        if len(values) > 1:
            return cls(key, choices=tuple(values))
        ends = values[0].split(":")
        try:
            low, high = float(ends[0]), float(ends[1])
            log = ends[2:] == ["log"]
            if len(ends) > 2 + log or not low < high or (log and low <= 0):
                raise ValueError
        except (ValueError, IndexError):
            raise OptionError(
                f"cannot read what to tune in {quoted(text)}; write key=low:high, "
                "key=low:high:log for a logarithmic scale, or key=value,value."
            ) from None
        whole = all(end.strip("-").isdecimal() for end in ends[:2])
        return cls(key, low, high, whole, log)

    def suggest(self, trial: Any) -> str:
        """Return the value that a trial of Optuna is to take, as it is written in a change."""
        if self.choices:
            return str(trial.suggest_categorical(self.key, list(self.choices)))
        if self.whole:
            return str(trial.suggest_int(self.key, int(self.low), int(self.high), log=self.log))
        return f"{trial.suggest_float(self.key, self.low, self.high, log=self.log):.4g}"


@dataclass(frozen=True)
class Tried:
    """A trial that is done: the settings, what its runs were worth, and their mean."""

    number: int
    changes: tuple[str, ...]
    values: tuple[float, ...]
    value: float


@dataclass(frozen=True)
class Tuning:
    """What is tuned, by which games, and where it is kept."""

    name: str
    experiment: str
    params: tuple[Param, ...]
    seeds: tuple[int, ...] = (1, 2)
    fixed: tuple[str, ...] = ()
    games: int | None = None  # of each run
    tests: int = 200  # games of each run's best player, where there is no grade
    sampler_seed: int = 1

    def seek(
        self,
        trials: int,
        threads: int = 0,
        *,
        backend: str = "cpu",
        listener: StudyListener | None = None,
        told: Callable[[Tried], None] = lambda tried: None,
        make_trainer: MakeTrainer = Trainer,
    ) -> bool:
        """Try settings until there are that many trials in all; False if interrupted."""
        optuna, found = _optuna(), self._open()
        states = optuna.trial.TrialState
        for trial in found.get_trials(
            states=(states.RUNNING,)
        ):  # the process that tried it is gone
            found.tell(trial.number, state=states.FAIL)
            if trial.params:
                found.enqueue_trial(trial.params)
        short = short_names([param.key for param in self.params])
        while len(done := found.get_trials(states=(states.COMPLETE,))) < trials:
            found.sampler = optuna.samplers.TPESampler(seed=self.sampler_seed + len(done))
            trial = found.ask()
            chosen = {param.key: param.suggest(trial) for param in self.params}
            changes = tuple(f"{key}={value}" for key, value in chosen.items())
            label = ", ".join(f"{short[key]}={value}" for key, value in chosen.items())
            try:
                (cell,) = cells_of([self.experiment], [*self.fixed, *changes], self.games)
                named = Cell(label, cell.experiment)
                study = make_study(self.name, [named], self.seeds)
                own = tuple(cell for cell in study.cells if cell.label == label)
                study = replace(study, cells=own)
                left = train_study(
                    study, threads, backend=backend, listener=listener, make_trainer=make_trainer
                )
            except EvoboardError:  # such settings cannot be, and are not tried again
                found.tell(trial, state=states.FAIL)
                raise
            if left:
                return False  # the trial stays open, and is taken up again
            values = tuple(self.worth(run.name, named) for run in study.runs())
            trial.set_user_attr("changes", list(changes))
            trial.set_user_attr("values", list(values))
            value = float(np.mean(values))
            found.tell(trial, value)
            told(Tried(trial.number, changes, values, value))
        return True

    def worth(self, run: str, cell: Cell) -> float:
        """Return what a run has come to: the grade of its last champion, or the share of points its
        best player takes at equal search from counting pieces, or from random moves."""
        if cell.experiment["measure"]["grade"]:
            study = make_study(self.name, [cell], self.seeds)
            numbers = next(each for each in gather(study).runs if each.run.name == run)
            known = numbers.known("grade", "generations")[1]
            if len(known):
                return float(known[-1])
        player, game = f"run:{run}@best", load_game(str(cell.experiment["game"]["name"]))
        rival = counter_of(player, game) or "random"
        contest = play_contest(game, [player, rival], self.tests, Terms(seed=1))
        return float(MatchResult(contest).estimate.score)

    def tried(self) -> list[Tried]:
        """Return all trials that are done, the best first."""
        states = _optuna().trial.TrialState
        found = [
            Tried(
                trial.number,
                tuple(trial.user_attrs["changes"]),
                tuple(trial.user_attrs["values"]),
                float(trial.value),
            )
            for trial in self._open().get_trials(states=(states.COMPLETE,))
        ]
        return sorted(found, key=lambda tried: -tried.value)

    def write_best(self, best: Tried) -> Path:
        """Write the best settings as an experiment's file, every key explained."""
        experiment = load(self.experiment, [*self.fixed, *best.changes])
        head = f"# The best of the study {self.name}, {best.value:.4g}: {', '.join(best.changes)}."
        path = study_folder(self.name) / BEST
        write_whole(path, template(experiment, head))
        return path

    def _open(self) -> Any:
        folder = study_folder(self.name)
        folder.mkdir(parents=True, exist_ok=True)
        return _optuna().create_study(
            study_name=self.name,
            storage=f"sqlite:///{(folder / DATABASE).resolve()}",
            direction="maximize",
            load_if_exists=True,
        )


def params_of(texts: Sequence[str]) -> tuple[Param, ...]:
    """Return the settings to be tuned, each named once."""
    found = tuple(map(Param.read, texts))
    if not found:
        raise OptionError("say what to tune with --param key=low:high, which may be repeated.")
    keys = [param.key for param in found]
    if len(set(keys)) < len(keys):
        raise OptionError("a setting is listed twice; name each once.")
    return found


def _optuna() -> Any:
    if importlib.util.find_spec("optuna") is None:
        raise OptionError("tuning needs Optuna; install it with: pip install optuna.")
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
