"""A generation in figures, taken before the next one is bred, and what its champion is worth.

Champions play fixed players and earlier champions. All of that has addresses of its own for chance
and never feeds back into evolution, so measuring more or less changes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.errors import PartError
from evoboard.core.rng import address
from evoboard.evolution.base import ORIGINS, Networks, Population, Strategy
from evoboard.games.base import Game
from evoboard.players.equal_search import with_own_search
from evoboard.store.records import (
    Alarm,
    GenerationRecord,
    Individuals,
    Measurement,
    SpeciesRow,
    StoredGame,
    StoredGenome,
)
from evoboard.training.alarms import AlarmWatch
from evoboard.training.experiment import Experiment
from evoboard.training.games import GenerationGames, NetworkArena, stored_games
from evoboard.training.grades.base import GradeResult, grade_for
from evoboard.training.pairings import Archive, ArchiveEntry, Rivals


@dataclass(frozen=True)
class Judged:
    """A generation whose games are played and whose champion is known."""

    generation: int
    population: Population
    rivals: Rivals
    networks: Networks  # the population's, then the rivals'
    games: GenerationGames
    fitness: Array
    slot: int  # the champion's place


@dataclass(frozen=True)
class Observations:
    """Measurements of a generation's champion, without any effect on evolution."""

    numbers: Mapping[str, float]
    rows: tuple[Measurement, ...] = ()
    games: tuple[StoredGame, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    grade: float | None = None


@dataclass(frozen=True)
class MeasuredGames:
    """Measurements of one champion, and the games they come from if these are kept.

    `graded`: what a grade that reads games finds in them.
    """

    rows: tuple[Measurement, ...]
    games: tuple[StoredGame, ...] = ()
    graded: Mapping[str, float] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The mean over opponents of points per game, 1 / ½ / 0."""
        return float(np.mean([row.points / row.games for row in self.rows])) if self.rows else 0.0


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
        self.watch = AlarmWatch()
        self.learned = 0.0
        self.last = experiment.generations - 1

    def is_due(self, generation: int) -> bool:
        """Tell whether a generation's champion is measured."""
        every = self.choice.every
        return every > 0 and (generation % every == 0 or generation == self.last)

    def reads_games(self, generation: int) -> bool:
        """Tell whether the moves of a generation's games are needed."""
        return self.grade is not None and self.grade.reads_games and self.is_due(generation)

    def look(self, judged: Judged) -> Observations:
        """Return a generation's observations; the archive holds earlier champions only."""
        due = self.is_due(judged.generation)
        seed = address(self.seed, "measure", judged.generation)
        parts: list[MeasuredGames] = []
        numbers: dict[str, float] = {}
        slot, identity = judged.slot, int(judged.population.ids[judged.slot])
        genes = self.strategy.genomes.take(judged.population.genes, np.array([slot]))
        champion = ArchiveEntry(judged.generation, identity, genes)
        if due or self.choice.learning:
            entries = self.archive.previous(self.choice.previous)
            previous = self.against_champions("previous", champion, entries, seed)
            parts.append(previous)
            if previous.rows and judged.generation >= self.choice.learning_from:
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
            numbers |= {f"{name}_earlier": value for name, value in spread.graded.items()}
            fixed = self.choice.anchors
            anchors = self.against_anchors(judged.networks, slot, identity, fixed, self.seed)
            parts.append(anchors)
            for row in anchors.rows:
                numbers[f"elo {row.opponent}"] = row.elo
        grade = self._grade(judged) if due else None
        if grade is not None:
            numbers |= grade.numbers()
        played = judged.games.networks
        if self.grade is not None and self.reads_games(judged.generation) and played is not None:
            numbers |= self.grade.of_games(played, slot)
        rows = tuple(row for part in parts for row in part.rows)
        games = tuple(game for part in parts for game in part.games)
        alarms = self.watch.look(judged.generation, judged.fitness, judged.games.table, rows)
        return Observations(numbers, rows, games, tuple(alarms), grade.value if grade else None)

    def against_champions(
        self, kind: str, champion: ArchiveEntry, entries: Sequence[ArchiveEntry], seed: int
    ) -> MeasuredGames:
        """Return how a champion does against others, in as many games as the experiment says."""
        if not entries:
            return MeasuredGames(())
        everybody, chance = [champion, *entries], address(seed, kind)
        networks = self.strategy.express(self.archive.joined(everybody))
        pairs = np.array([[0, number] for number in range(1, len(everybody))])
        count = self.choice.champion_games // 2
        schedule = self.arena.paired(pairs, count, chance, own=self.choice.own_starts)
        graded = self.grade if self.grade is not None and self.grade.reads_games else None
        record = self.keeps_games or graded is not None
        results = self.arena.play(networks, schedule, chance, record=record)
        opponents = {number: f"gen={entry.generation}" for number, entry in enumerate(entries, 1)}
        ids = {number: entry.id for number, entry in enumerate(everybody)}
        found = self._measured(kind, results, 0, opponents, ids)
        return found if graded is None else replace(found, graded=graded.of_games(results, 0))

    def against_anchors(
        self, networks: Networks, slot: int, identity: int, anchors: Sequence[str], seed: int
    ) -> MeasuredGames:
        """Return how one network does against fixed players, always from the same openings.

        Plain `material` searches as the network does.
        """
        if not anchors:
            return MeasuredGames(())
        bound = self.arena.of_kind(networks)
        search, settings = bound.setup.search, bound.setup.settings
        anchors = [with_own_search(text, bound.game, search, settings) for text in anchors]
        chance, first = address(seed, "anchors"), networks.kind.size(networks.pack)
        names = {first + number: text for number, text in enumerate(anchors)}
        pairs = np.array([[slot, number] for number in names])
        schedule = self.arena.paired(pairs, self.choice.games // 2, chance)
        results = self.arena.play(networks, schedule, chance, anchors, record=self.keeps_games)
        return self._measured("anchor", results, slot, names, {slot: identity, **names})

    def _measured(
        self,
        kind: str,
        results: Results,
        player: int,
        opponents: Mapping[int, str],
        names: Mapping[int, int | str],
    ) -> MeasuredGames:
        games = stored_games(kind, names, results, self.arena.game) if self.keeps_games else ()
        return MeasuredGames(measurements(kind, results.table, player, opponents), games)

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
        counts = table.between(player, number).counts_of(player)
        ends = (estimate.elo, estimate.low, estimate.high)
        rows.append(Measurement(kind, opponent, *counts, *ends))
    return tuple(rows)


def generation_record(
    experiment: Experiment,
    strategy: Strategy,
    arena: NetworkArena,
    judged: Judged,
    observed: Observations,
) -> GenerationRecord:
    """Return everything that is stored of a generation."""
    individuals = _individuals(strategy, judged)
    species = species_rows(individuals.species, judged.fitness)
    settings = arena.bound.settings
    numbers = {
        **_game_numbers(judged.games.table),
        **_fitness_numbers(judged.fitness),
        **_species_numbers(species),
        **_complexity_numbers(individuals, judged.slot),
        **({"depth": settings.depth} if getattr(settings, "depth", 0) else {}),
        **{name: float(value) for name, value in strategy.facts().items()},
        **observed.numbers,
    }
    every = experiment.record.genomes_every
    keep_all = every > 0 and judged.generation % every == 0
    others = range(judged.population.size) if keep_all else ()
    return GenerationRecord(
        judged.generation,
        numbers,
        individuals,
        species,
        _stored(strategy, judged, judged.slot),
        judged.slot,
        ORIGINS[int(judged.population.origin[judged.slot])],
        tuple(_stored(strategy, judged, slot) for slot in others if slot != judged.slot),
        (*_fitness_games(experiment, arena.game, judged), *observed.games),
        observed.rows,
        observed.alarms,
        np.bincount(judged.games.table.plies),
    )


def _individuals(strategy: Strategy, judged: Judged) -> Individuals:
    population, size = judged.population, judged.population.size
    nodes, links = map(np.asarray, strategy.genomes.complexity(population.genes))
    if any(column.dtype.kind not in "iu" for column in (nodes, links)):
        raise PartError(
            f"complexity of the genomes {strategy.genomes.__name__} must return hidden nodes and "
            f"links as whole numbers (int64); it returned {nodes.dtype} and {links.dtype}."
        )
    return Individuals(
        population.ids,
        population.species,
        population.parents,
        population.origin,
        judged.fitness,
        judged.games.table.played()[:size],
        nodes,
        links,
    )


def _stored(strategy: Strategy, judged: Judged, slot: int) -> StoredGenome:
    genome = strategy.genomes.genome(judged.population.genes, slot).to_json()
    network = judged.networks.kind.unpack(judged.networks.pack, slot).to_json()
    return StoredGenome(int(judged.population.ids[slot]), genome, network)


def _fitness_games(experiment: Experiment, game: Game, judged: Judged) -> tuple[StoredGame, ...]:
    every, results = experiment.record.games_every, judged.games.networks
    if results is None or not every or judged.generation % every:
        return ()
    names: list[int | str] = [*(int(i) for i in judged.population.ids), *judged.rivals.names]
    return stored_games("fitness", dict(enumerate(names)), results, game)


def species_rows(species: Array, fitness: Array) -> tuple[SpeciesRow, ...]:
    """Return size, best, mean and adjusted fitness of every species, in the order of their ids.

    Paper D's adjusted fitness: (mean of the species - worst) / max(1, best - worst of all).
    """
    worst, span = float(fitness.min()), max(1.0, float(fitness.max() - fitness.min()))
    known = fitness[species >= 0]
    ids, place = np.unique(species[species >= 0], return_inverse=True)
    sizes = np.bincount(place, minlength=len(ids))
    means = np.bincount(place, known, len(ids)) / np.maximum(1, sizes)
    best = np.full(len(ids), -np.inf)
    np.maximum.at(best, place, known)
    return tuple(
        SpeciesRow(int(i), int(n), float(b), float(m), (float(m) - worst) / span)
        for i, n, b, m in zip(ids, sizes, best, means, strict=True)
    )


def _species_numbers(rows: tuple[SpeciesRow, ...]) -> dict[str, float]:
    adjusted = [row.adjusted for row in rows]
    return {"species": len(rows), "adjusted_mean": float(np.mean(adjusted))} if rows else {}


def _fitness_numbers(fitness: Array) -> dict[str, float]:
    return {
        "best": float(fitness.max()),
        "mean": float(fitness.mean()),
        "median": float(np.median(fitness)),
        "worst": float(fitness.min()),
        "spread": float(fitness.std()),
    }


def _game_numbers(table: ResultTable) -> dict[str, float]:
    return {
        "games": table.games,
        "first_wins": int((table.results > 0).sum()),
        "draws": int((table.results == 0).sum()),
        "second_wins": int((table.results < 0).sum()),
        "plies_mean": float(table.plies.mean()),
        "plies_median": float(np.median(table.plies)),
    }


def _complexity_numbers(individuals: Individuals, slot: int) -> dict[str, Any]:
    return {
        "nodes_mean": float(individuals.nodes.mean()),
        "links_mean": float(individuals.links.mean()),
        "champion_nodes": int(individuals.nodes[slot]),
        "champion_links": int(individuals.links[slot]),
    }
