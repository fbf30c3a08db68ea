"""Who meets whom in one generation, and from which positions: rivals, pairings, openings.

Rivals are networks from outside the population: the previous best, earlier champions, a hall of
fame, a league. Everything is a function of the seed and the generation's number.

Earlier champions are kept in an archive: all recent ones, and further back evenly spread ones.
Memory stays flat: when there are too many of these, every second one is dropped and the spacing
doubles. So what is kept depends on the generations' numbers alone, never on interruptions.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evoboard.arena.schedules import (
    OpeningLines,
    Schedule,
    both_colours,
    circular,
    double_round_robin,
    even_openings,
    opening_lines,
    positions_met,
    random_opponents,
    single_round_robin,
)
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.evolution.base import Population, named_genes, restored_genes
from evoboard.games.base import Game
from evoboard.training.experiment import Against, FitnessChoice

MOST_SPREAD = 64
RANDOM_LINES = 5000  # that even openings come from


@dataclass
class ArchiveEntry:
    """A champion: its generation, id and genes (a population of one), and how it fared.

    `points` and `games` count what later populations scored against it, newest weighing most.
    """

    generation: int
    id: int
    genes: Any
    points: float = 0.0
    games: float = 0.0

    @property
    def beaten(self) -> float:
        """The share of points that populations take from it; ½ until it has been met."""
        return (self.points + 1.0) / (self.games + 2.0)

    def remember(self, points: float, games: float) -> None:
        """Add what a population scored against it; older results fade by half."""
        self.points, self.games = self.points / 2 + points, self.games / 2 + games


@dataclass
class Archive:
    """Champions in the order of their generations."""

    genomes: types.ModuleType
    recent: int = 10
    spacing: int = 1
    entries: list[ArchiveEntry] = field(default_factory=list)

    def add(self, generation: int, identity: int, genes: Any) -> None:
        """Keep a champion, and drop what need not be kept any more."""
        self.entries.append(ArchiveEntry(generation, identity, genes))
        while self._spread_count() > MOST_SPREAD:
            self.spacing *= 2
        first_recent = generation - self.recent
        self.entries = [
            entry
            for entry in self.entries
            if entry.generation > first_recent or entry.generation % self.spacing == 0
        ]

    def _spread_count(self) -> int:
        return sum(entry.generation % self.spacing == 0 for entry in self.entries)

    def previous(self, count: int) -> list[ArchiveEntry]:
        """Return the last champions, the latest first."""
        return self.entries[::-1][:count]

    def spread(self, count: int) -> list[ArchiveEntry]:
        """Return champions evenly spread from the first to the latest."""
        if len(self.entries) <= count:
            return list(self.entries)
        # Evenly in generations, not in entries, which are denser towards the end.
        wanted = np.linspace(self.entries[0].generation, self.entries[-1].generation, count)
        generations = np.array([entry.generation for entry in self.entries])
        places = np.unique(np.abs(generations[None, :] - wanted[:, None]).argmin(axis=1))
        return [self.entries[place] for place in places]

    def joined(self, entries: Sequence[ArchiveEntry]) -> Any:
        """Return the genes of chosen entries as one population."""
        return self.genomes.join([entry.genes for entry in entries])

    def state(self) -> dict[str, Any]:
        """Return the archive as arrays and numbers."""
        if not self.entries:
            return {"archive.spacing": self.spacing}
        columns = [
            (entry.generation, entry.id, entry.points, entry.games) for entry in self.entries
        ]
        return {
            "archive.spacing": self.spacing,
            "archive.columns": np.array(columns, np.float64),
            **named_genes(self.joined(self.entries), "archive.genes."),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self.spacing, self.entries = int(state["archive.spacing"]), []
        if "archive.columns" not in state:
            return
        genes = restored_genes(self.genomes, state, "archive.genes.")
        for index, (generation, identity, points, games) in enumerate(state["archive.columns"]):
            one = self.genomes.take(genes, np.array([index]))
            self.entries.append(ArchiveEntry(int(generation), int(identity), one, points, games))


def draw_league(
    entries: Sequence[ArchiveEntry], count: int, rng: np.random.Generator
) -> list[ArchiveEntry]:
    """Return `count` different entries, those beaten about half the time most likely.

    The weight p (1 - p) is greatest at ½ and small for opponents that are always or never beaten,
    from which there is nothing to learn; a floor gives everyone a chance to return.
    """
    if len(entries) <= count:
        return list(entries)
    shares = np.array([entry.beaten for entry in entries])
    weights = shares * (1 - shares) + 0.01
    chosen = rng.choice(len(entries), count, replace=False, p=weights / weights.sum())
    return [entries[i] for i in sorted(int(i) for i in chosen)]


@dataclass(frozen=True)
class Rivals:
    """Networks that every individual meets; `entries` has those that are champions, else None.

    `genes`: None if there are none.
    """

    genes: Any
    names: tuple[int | str, ...] = ()
    entries: tuple[ArchiveEntry | None, ...] = ()

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

    `previous_best` are the genes of the last generation, fittest first, None at the start. If
    there is no one yet, individuals of the population itself are drawn.
    """
    parts: list[Any] = []
    names: list[int | str] = []
    entries: list[ArchiveEntry | None] = []
    genomes = archive.genomes
    for number, choice in enumerate(choices):
        if choice.kind == "players" or choice.generation > generation:
            continue
        rng = stream(seed, "rivals", generation, number)
        found = _champions(choice, archive, rng)
        if choice.kind == "previous_best" and previous_best is not None:
            count = min(choice.count, genomes.count(previous_best))
            parts.append(genomes.take(previous_best, np.arange(count)))
            names += ["previous best"] * count
            entries += [None] * count
        elif found:
            parts.append(archive.joined(found))
            names += [entry.id for entry in found]
            entries += found
        else:
            count = min(choice.count, population.size)
            drawn = np.sort(rng.choice(population.size, count, replace=False))
            parts.append(genomes.take(population.genes, drawn))
            names += [int(identity) for identity in population.ids[drawn]]
            entries += [None] * count
    genes = genomes.join(parts) if parts else None
    return Rivals(genes, tuple(names), tuple(entries))


def _champions(choice: Against, archive: Archive, rng: np.random.Generator) -> list[ArchiveEntry]:
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
    won, played = table.points(), table.played()
    for rival, entry in enumerate(rivals.entries, size):
        if entry is not None:
            entry.remember(float(played[rival] - won[rival]), float(played[rival]))


def population_games(
    game: Game, choice: FitnessChoice, size: int, rivals: int, seed: int, generation: int
) -> Schedule:
    """Return the games that judge a generation: players 0 .. size-1, rivals from `size` on."""
    pairs = _population_pairs(choice, size, seed, generation)
    if rivals:
        lots = stream(seed, "colours", generation)
        pairs = np.concatenate([pairs, _outside_pairs(choice, size, size, rivals, lots)])
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
    lots = stream(seed, "colours with players", generation)
    pairs = _outside_pairs(choice, size, networks, players, lots)
    rng = stream(seed, "pairing with players", generation)
    return _assign_openings(game, choice, pairs, seed, generation, rng)


def _outside_pairs(
    choice: FitnessChoice, size: int, first: int, opponents: int, lots: np.random.Generator
) -> Array:
    """Return the pairs of every individual with every opponent; these count from `first` on."""
    pairs = np.stack(np.divmod(np.arange(size * opponents), opponents), axis=1)
    pairs[:, 1] += first
    if choice.openings:
        return pairs  # openings are played with both colours anyway
    if choice.colours == "random":
        return np.where(lots.random(len(pairs))[:, None] < 0.5, pairs, pairs[:, ::-1])
    return both_colours(pairs)


@functools.lru_cache(maxsize=1)  # games and lessons of a generation want the same ones
def generation_openings(
    game: Game, choice: FitnessChoice, seed: int, generation: int
) -> OpeningLines:
    """Return the openings of this generation's games."""
    count, plies = choice.pool or max(1, choice.openings), choice.opening_plies
    if plies is None:
        plies = game.opening_plies if choice.openings or choice.pool else 0
    chance = address(seed, "openings", generation)
    if choice.even_openings:
        positions = _positions(game, seed, plies)
        return even_openings(game, count, chance, positions, choice.exploring)
    return opening_lines(game, count, chance, plies, choice.shorter_openings)


@functools.lru_cache(maxsize=1)  # of a whole run
def _positions(game: Game, seed: int, plies: int) -> Array:
    return positions_met(game, RANDOM_LINES, address(seed, "positions"), plies)


def _assign_openings(
    game: Game,
    choice: FitnessChoice,
    pairs: Array,
    seed: int,
    generation: int,
    rng: np.random.Generator,
) -> Schedule:
    """Return the pairs' games: one from the start, or `openings` of them with both colours.

    With a pool, every pair takes its own openings from it; the two games of a pair that meets
    with both colours start the same.
    """
    openings, each = generation_openings(game, choice, seed, generation).ends, choice.openings or 1
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
