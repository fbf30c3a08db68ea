"""A generation in figures, taken before the next one is bred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.evolution.base import ORIGINS, Networks, Population, Strategy
from evoboard.games.base import Game
from evoboard.store.records import (
    Alarm,
    GenerationRecord,
    Individuals,
    Measurement,
    SpeciesRow,
    StoredGame,
    StoredGenome,
)
from evoboard.training.experiment import Experiment
from evoboard.training.games import GenerationGames, NetworkArena, Title, stored_games
from evoboard.training.pairings import Rivals


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
    title: Title | None


@dataclass(frozen=True)
class Observations:
    """What was measured of a generation's champion, without any effect on evolution."""

    numbers: Mapping[str, float]
    rows: tuple[Measurement, ...] = ()
    games: tuple[StoredGame, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    grade: float | None = None


def generation_record(
    experiment: Experiment,
    strategy: Strategy,
    arena: NetworkArena,
    judged: Judged,
    observed: Observations,
) -> GenerationRecord:
    """Return everything that is kept of a generation."""
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
    nodes, links = strategy.genomes.complexity(population.genes)
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
