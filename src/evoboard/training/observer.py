"""What champions are worth outside of evolution: measurements, grades, alarms.

They play fixed players and earlier champions. All of that has addresses of its own for chance and
never feeds back into evolution, so measuring more or less changes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.scoring import ResultTable
from evoboard.core.rng import address
from evoboard.evolution.base import Networks, Strategy
from evoboard.players.equal_search import with_own_search
from evoboard.store.records import Measurement, StoredGame
from evoboard.training.alarms import Watch
from evoboard.training.archive import Archive, Entry
from evoboard.training.experiment import Experiment
from evoboard.training.games import NetworkArena, stored_games
from evoboard.training.grades.base import GradeResult, grade_for
from evoboard.training.summary import Judged, Observations


@dataclass(frozen=True)
class Measured:
    """Measurements of one champion, and the games they come from where these are kept."""

    rows: tuple[Measurement, ...]
    games: tuple[StoredGame, ...] = ()

    @property
    def score(self) -> float:
        """The mean over opponents of points per game, 1 / ½ / 0."""
        return float(np.mean([_share(row) for row in self.rows])) if self.rows else 0.0


def _share(row: Measurement) -> float:
    return (row.wins + row.draws / 2) / (row.wins + row.draws + row.losses)


class Observer:
    """Measures each champion as often as the experiment says."""

    def __init__(
        self,
        experiment: Experiment,
        arena: NetworkArena,
        strategy: Strategy,
        archive: Archive,
        seed: int,
    ) -> None:
        self.choice, self.keeps_games = experiment.measure, experiment.record.champion_games
        self.arena, self.strategy, self.archive, self.seed = arena, strategy, archive, seed
        self.grade = grade_for(arena.game) if self.choice.grade else None
        self.watch = Watch()
        self.learned = 0.0
        self.last = experiment.generations - 1

    def look(self, judged: Judged) -> Observations:
        """Return what is to be told of a generation; the archive holds earlier champions only."""
        every = self.choice.every
        due = every > 0 and (judged.generation % every == 0 or judged.generation == self.last)
        seed = address(self.seed, "measure", judged.generation)
        parts: list[Measured] = []
        numbers: dict[str, float] = {}
        slot, identity = judged.slot, int(judged.population.ids[judged.slot])
        genes = self.strategy.genomes.take(judged.population.genes, np.array([slot]))
        champion = Entry(judged.generation, identity, genes)
        if due or self.choice.learning:
            entries = self.archive.previous(self.choice.previous)
            previous = self.against_champions("previous", champion, entries, seed)
            parts.append(previous)
            if previous.rows:
                # Paper E: 1 / 0 / -1, the mean over opponents of the mean over games.
                learning = 2 * previous.score - 1
                self.learned += learning
                numbers |= {"learning": learning, "learned": self.learned}
        if due:
            entries = self.archive.spread(self.choice.spread)
            spread = self.against_champions("spread", champion, entries, seed)
            parts.append(spread)
            if spread.rows:
                numbers["spread_score"] = spread.score
            fixed = self.choice.anchors
            anchors = self.against_anchors(judged.networks, slot, identity, fixed, self.seed)
            parts.append(anchors)
            for row in anchors.rows:
                numbers[f"elo {row.opponent}"] = row.elo
        grade = self._grade(judged) if due else None
        if grade is not None:
            numbers |= grade.numbers()
        rows = tuple(row for part in parts for row in part.rows)
        games = tuple(game for part in parts for game in part.games)
        alarms = self.watch.look(judged.generation, judged.fitness, judged.games.table, rows)
        return Observations(numbers, rows, games, tuple(alarms), grade.value if grade else None)

    def against_champions(
        self,
        kind: str,
        champion: Entry,
        entries: Sequence[Entry],
        seed: int,
        games: int | None = None,
    ) -> Measured:
        """Return how a champion does against others, in as many games as the experiment says."""
        if not entries:
            return Measured(())
        everybody, chance = [champion, *entries], address(seed, kind)
        networks = self.strategy.express(self.archive.joined(everybody))
        pairs = np.array([[0, number] for number in range(1, len(everybody))])
        count = self.choice.champion_games if games is None else games
        schedule = self.arena.paired(pairs, count // 2, chance)
        results = self.arena.play(networks, schedule, chance, record=self.keeps_games)
        opponents = {number: f"gen={entry.generation}" for number, entry in enumerate(entries, 1)}
        ids = {number: entry.id for number, entry in enumerate(everybody)}
        return self._measured(kind, results, 0, opponents, ids)

    def against_anchors(
        self,
        networks: Networks,
        slot: int,
        identity: int,
        anchors: Sequence[str],
        seed: int,
        games: int | None = None,
    ) -> Measured:
        """Return how one network does against fixed players, always from the same openings.

        `material`, where nothing else is said of it, searches as the network does.
        """
        if not anchors:
            return Measured(())
        bound = self.arena.of_kind(networks)
        search, settings = bound.setup.search, bound.setup.settings
        anchors = [with_own_search(text, bound.game, search, settings) for text in anchors]
        chance, first = address(seed, "anchors"), networks.kind.size(networks.pack)
        names = {first + number: text for number, text in enumerate(anchors)}
        count = self.choice.games if games is None else games
        schedule = self.arena.paired(np.array([[slot, n] for n in names]), count // 2, chance)
        results = self.arena.play(networks, schedule, chance, anchors, record=self.keeps_games)
        return self._measured("anchor", results, slot, names, {slot: identity, **names})

    def _measured(
        self,
        kind: str,
        results: Results,
        player: int,
        opponents: Mapping[int, str],
        names: Mapping[int, int | str],
    ) -> Measured:
        games = stored_games(kind, names, results, self.arena.game) if self.keeps_games else ()
        return Measured(measurements(kind, results.table, player, opponents), games)

    def _grade(self, judged: Judged) -> GradeResult | None:
        if self.grade is None:
            return None
        bound = self.arena.of_kind(judged.networks)
        return self.grade.of_network(bound, judged.networks.pack, judged.slot)

    def state(self) -> dict[str, Any]:
        """Return what is remembered from generation to generation."""
        return {"learned": self.learned, **self.watch.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self.learned = float(state["learned"])
        self.watch.restore(state)


def measurements(
    kind: str, table: ResultTable, player: int, opponents: Mapping[int, str]
) -> tuple[Measurement, ...]:
    """Return what a player did against each of the others."""
    rows = []
    for number, opponent in opponents.items():
        estimate = elo_difference(Tally.of_table(table, player, number))
        results = table.between(player, number).results_of(player)
        wins, draws, losses = (int((results == value).sum()) for value in (1, 0, -1))
        rows.append(
            Measurement(
                kind, opponent, wins, draws, losses, estimate.elo, estimate.low, estimate.high
            )
        )
    return tuple(rows)
