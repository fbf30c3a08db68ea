"""Who meets whom in one generation, and from which positions: rivals, pairings, openings.

Rivals are networks from outside the population: the previous best, earlier champions, a hall of
fame, a league. Everything is a function of the seed and the generation's number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoboard.arena.schedules import (
    Schedule,
    both_colours,
    circular,
    double_round_robin,
    random_opponents,
    single_round_robin,
    start_positions,
)
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.evolution.base import Population
from evoboard.games.base import Game
from evoboard.training.archive import Archive, Entry, draw_league, remember_results
from evoboard.training.experiment import Against, FitnessChoice


@dataclass(frozen=True)
class Rivals:
    """Networks that every individual meets; `entries` are those among them that are champions.

    `genes`: None where there is nobody. `entry_of[r]`: which entry rival r is, -1 for none.
    """

    genes: Any
    names: tuple[int | str, ...] = ()
    entries: tuple[Entry, ...] = ()
    entry_of: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """The number of rivals."""
        return len(self.names)


def choose_rivals(
    choices: Sequence[Against],
    population: Population,
    archive: Archive,
    previous_best: Any,
    seed: int,
    generation: int,
) -> Rivals:
    """Return this generation's rivals.

    `previous_best` are the genes of the last generation, fittest first, None at the start. Where
    nobody is known yet, individuals of the population itself are drawn.
    """
    parts: list[Any] = []
    names: list[int | str] = []
    entries: list[Entry] = []
    entry_of: list[int] = []
    genomes = archive.genomes
    for number, choice in enumerate(choices):
        if choice.kind == "players":
            continue
        rng = stream(seed, "rivals", generation, number)
        found = _champions(choice, archive, rng)
        if choice.kind == "previous_best" and previous_best is not None:
            count = min(choice.count, genomes.count(previous_best))
            parts.append(genomes.take(previous_best, np.arange(count)))
            names += ["previous best"] * count
            entry_of += [-1] * count
        elif found:
            parts.append(archive.joined(found))
            names += [entry.id for entry in found]
            entry_of += range(len(entries), len(entries) + len(found))
            entries += found
        else:
            count = min(choice.count, population.size)
            drawn = np.sort(rng.choice(population.size, count, replace=False))
            parts.append(genomes.take(population.genes, drawn))
            names += [int(identity) for identity in population.ids[drawn]]
            entry_of += [-1] * count
    genes = genomes.join(parts) if parts else None
    return Rivals(genes, tuple(names), tuple(entries), tuple(entry_of))


def _champions(choice: Against, archive: Archive, rng: np.random.Generator) -> list[Entry]:
    if choice.kind == "previous_best":
        return []
    if choice.kind == "previous_champions":
        return archive.previous(choice.count)
    if choice.kind == "league":
        return draw_league(archive.entries, choice.count, rng)
    count = min(choice.count, len(archive.entries))
    chosen = np.sort(rng.choice(len(archive.entries), count, replace=False))
    return [archive.entries[int(place)] for place in chosen]


def learn_of_rivals(rivals: Rivals, table: ResultTable, size: int) -> None:
    """Tell the champions among the rivals how the population scored against them."""
    if not rivals.entries:
        return
    points = np.zeros(len(rivals.entries))
    games = np.zeros(len(rivals.entries))
    won, played = table.points(), table.played()
    for rival, entry in enumerate(rivals.entry_of):
        if entry >= 0:
            games[entry] = played[size + rival]
            points[entry] = played[size + rival] - won[size + rival]
    remember_results(rivals.entries, points, games)


def population_games(
    game: Game, choice: FitnessChoice, size: int, rivals: int, seed: int, generation: int
) -> Schedule:
    """Return the games that judge a generation: players 0 .. size-1, rivals from `size` on."""
    pairs = _population_pairs(choice, size, seed, generation)
    if rivals:
        pairs = np.concatenate([pairs, _outside_pairs(choice, size, size, rivals)])
    rng = stream(seed, "pairing", generation)
    return _assign_openings(game, choice, pairs, seed, generation, rng)


def player_games(
    game: Game,
    choice: FitnessChoice,
    size: int,
    networks: int,
    players: int,
    seed: int,
    generation: int,
) -> Schedule:
    """Return every individual's games against fixed players, numbered after all `networks`."""
    pairs = _outside_pairs(choice, size, networks, players)
    rng = stream(seed, "pairing with players", generation)
    return _assign_openings(game, choice, pairs, seed, generation, rng)


def _outside_pairs(choice: FitnessChoice, size: int, first: int, opponents: int) -> Array:
    """Return the pairs of every individual with every opponent; these count from `first` on."""
    pairs = np.stack(np.divmod(np.arange(size * opponents), opponents), axis=1)
    pairs[:, 1] += first
    # Openings are played with both colours anyway.
    return pairs if choice.openings else both_colours(pairs)


def _opening_positions(game: Game, choice: FitnessChoice, seed: int, generation: int) -> Array:
    """Return the positions that this generation's games begin from."""
    count, plies = choice.pool or max(1, choice.openings), choice.opening_plies
    if choice.openings == 0 and choice.pool == 0 and plies is None:
        plies = 0
    return start_positions(game, count, address(seed, "openings", generation), plies)


def _assign_openings(
    game: Game,
    choice: FitnessChoice,
    pairs: Array,
    seed: int,
    generation: int,
    rng: np.random.Generator,
) -> Schedule:
    """Return the pairs' games: one from the start, or `openings` of them with both colours.

    With a pool, every pair takes openings of its own from it; the two games of a pair that meets
    with both colours begin alike.
    """
    openings, each = _opening_positions(game, choice, seed, generation), max(1, choice.openings)
    if choice.pool:
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        _, pair = np.unique(low * (pairs.max() + 1) + high, return_inverse=True)
        offsets = rng.integers(choice.pool, size=pair.max() + 1)
        # Neighbours in the pool, so that the openings of one pair differ.
        chosen = (offsets[pair][:, None] + np.arange(each)) % choice.pool
    else:
        chosen = np.broadcast_to(np.arange(each), (len(pairs), each))
    if choice.openings == 0:
        return Schedule(pairs, chosen[:, 0].astype(np.int64), openings)
    games = both_colours(np.repeat(pairs, each, axis=0))
    return Schedule(games, np.repeat(chosen.ravel(), 2).astype(np.int64), openings)


def _population_pairs(choice: FitnessChoice, size: int, seed: int, generation: int) -> Array:
    """Return the pairings within the population."""
    kind = choice.schedule
    if kind == "none":
        return np.zeros((0, 2), np.int64)
    if kind == "circular":
        return circular(size, choice.opponents, seed, generation)
    if kind == "random_opponents":
        return random_opponents(size, choice.opponents, seed, generation)
    # Openings are played with both colours, which is what "double" means.
    if kind == "single_round_robin" or choice.openings:
        return single_round_robin(size)
    return double_round_robin(size)
