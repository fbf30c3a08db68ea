"""Looks at champions without touching evolution: measurements, grade, alarms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evoboard.core.rng import address
from evoboard.evolution.base import Strategy
from evoboard.training.alarms import Watch
from evoboard.training.archive import Archive
from evoboard.training.experiment import Experiment
from evoboard.training.grades.base import GradeResult, grade_for
from evoboard.training.measure import Measured, against_anchors, against_champions
from evoboard.training.stage import Stage
from evoboard.training.summary import Judged, Seen


class Observer:
    """Measures each champion as often as the experiment says."""

    def __init__(
        self,
        experiment: Experiment,
        stage: Stage,
        strategy: Strategy,
        archive: Archive,
        seed: int,
    ) -> None:
        self.choice, self.keeps_games = experiment.measure, experiment.record.champion_games
        self.stage, self.strategy, self.archive, self.seed = stage, strategy, archive, seed
        self.grade = grade_for(stage.game) if self.choice.grade else None
        self.watch = Watch()
        self.learned = 0.0
        self.last = experiment.generations - 1

    def look(self, judged: Judged) -> Seen:
        """Return what is to be told of a generation; the archive holds earlier champions only."""
        every = self.choice.every
        due = every > 0 and (judged.generation % every == 0 or judged.generation == self.last)
        seed = address(self.seed, "measure", judged.generation)
        parts: list[Measured] = []
        numbers: dict[str, float] = {}
        if due or self.choice.learning:
            previous = self._champions("previous", judged, seed)
            parts.append(previous)
            if previous.rows:
                # Paper E: 1 / 0 / -1, the mean over opponents of the mean over games.
                learning = 2 * previous.score - 1
                self.learned += learning
                numbers |= {"learning": learning, "learned": self.learned}
        if due:
            spread = self._champions("spread", judged, seed)
            parts.append(spread)
            if spread.rows:
                numbers["spread_score"] = spread.score
            anchors = self._anchors(judged)
            parts.append(anchors)
            for row in anchors.rows:
                numbers[f"elo {row.opponent}"] = row.elo
        grade = self._grade(judged) if due else None
        if grade is not None:
            numbers |= grade.numbers()
        rows = tuple(row for part in parts for row in part.rows)
        games = tuple(game for part in parts for game in part.games) if self.keeps_games else ()
        alarms = self.watch.look(judged.generation, judged.fitness, judged.found.table, rows)
        return Seen(numbers, rows, games, tuple(alarms), grade.value if grade else None)

    def _champions(self, kind: str, judged: Judged, seed: int) -> Measured:
        """Return the champion against the latest champions, or against evenly spread ones."""
        choice = self.choice
        entries = (
            self.archive.previous(choice.previous)
            if kind == "previous"
            else self.archive.spread(choice.spread)
        )
        slot = judged.slot
        genes = self.strategy.genomes.take(judged.population.genes, np.array([slot]))
        return against_champions(
            kind,
            self.stage,
            self.strategy,
            self.archive,
            (int(judged.population.ids[slot]), genes),
            entries,
            choice.champion_games,
            seed,
            self.keeps_games,
        )

    def _anchors(self, judged: Judged) -> Measured:
        """Return the champion against fixed players, from the same openings every time."""
        return against_anchors(
            self.stage,
            judged.networks,
            judged.slot,
            int(judged.population.ids[judged.slot]),
            self.choice.anchors,
            self.choice.games,
            self.seed,
        )

    def _grade(self, judged: Judged) -> GradeResult | None:
        if self.grade is None:
            return None
        return self.grade.of_network(self.stage, judged.networks, judged.slot)

    def state(self) -> dict[str, Any]:
        """Return what is remembered from generation to generation."""
        return {"learned": self.learned, **self.watch.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self.learned = float(state["learned"])
        self.watch.restore(state)
