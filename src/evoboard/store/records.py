"""What one generation leaves behind: the contract between training and the run's store.

Nothing here depends on threads, interruptions or what is recorded, except `Timings`, which the
store keeps apart from everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evoboard.core.arrays import Array


@dataclass(frozen=True)
class GameRecord:
    """A finished game: start, moves, who won (+1 side 0, 0 nobody, -1 side 1), and why it ended.

    `code` is the verdict behind the reason (see adjudication.py); `seconds` is each side's thinking
    time, if it was measured.
    """

    game: str
    version: int
    start: str
    moves: tuple[int, ...]
    result: int
    reason: str
    code: int
    seconds: tuple[float, float] = (0.0, 0.0)

    @property
    def plies(self) -> int:
        """The length of the game."""
        return len(self.moves)


class Individuals(NamedTuple):
    """One cell per individual, in the order of ask."""

    ids: Array  # int64
    species: Array  # int64, -1 for none
    parents: Array  # int64 (n, 2), -1 for none
    origin: Array  # int64, an index into evolution.base.ORIGINS
    fitness: Array  # float64
    games: Array  # int64, games played
    nodes: Array  # int64, hidden nodes
    links: Array  # int64, expressed links


class SpeciesRow(NamedTuple):
    """One species in one generation; `adjusted` is paper D's adjusted fitness (formula 3.7)."""

    species: int
    size: int
    best: float
    mean: float
    adjusted: float


@dataclass(frozen=True)
class StoredGenome:
    """A genome and its network as JSON data, so that a player can be made from the record alone."""

    id: int
    genome: Mapping[str, Any]
    network: Mapping[str, Any]


@dataclass(frozen=True)
class StoredGame:
    """A recorded game; `first` and `second` are ids, or names of players that have no id."""

    purpose: str  # "fitness", "title", "previous", "spread", "anchor"
    first: int | str
    second: int | str
    record: GameRecord


class KeptGame(NamedTuple):
    """A stored game and its place."""

    generation: int
    number: int
    game: StoredGame


class Measurement(NamedTuple):
    """The champion against one opponent: results from its point of view, and the Elo difference.

    `opponent` is an anchor's text, or a champion as "gen=12". Elo and its 95% interval.
    """

    kind: str  # "anchor", "previous", "spread"
    opponent: str
    wins: int
    draws: int
    losses: int
    elo: float
    low: float
    high: float

    @property
    def games(self) -> int:
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The champion's points."""
        return self.wins + self.draws / 2

    @property
    def bound(self) -> int:
        """1 if it won every game, -1 if it lost every one; then Elo only has a bound."""
        return (self.wins == self.games) - (self.losses == self.games)


class Alarm(NamedTuple):
    """Something evolution should not do, in one sentence."""

    kind: str  # "forgetting", "cycling", "disengagement"
    text: str


@dataclass(frozen=True)
class GenerationRecord:
    """Everything stored of one generation.

    `numbers` are its figures by name (floats and ints), the same names in every generation of a
    run: games, plies_mean, plies_median, first_wins, draws, second_wins, best, mean, median,
    worst, spread, species, adjusted_mean (paper D), nodes_mean, links_mean, champion_nodes,
    champion_links, depth, and what the strategy's facts() add; learning, spread_score, grade…
    if measured (otherwise missing).
    """

    generation: int
    numbers: Mapping[str, float]
    individuals: Individuals
    species: tuple[SpeciesRow, ...]
    champion: StoredGenome
    champion_slot: int
    champion_origin: str
    genomes: tuple[StoredGenome, ...] = ()  # further ones, of recorded generations
    games: tuple[StoredGame, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    lengths: Array | None = None  # int64: how many fitness games lasted 0, 1, 2 … plies
    timings: Mapping[str, float] = field(default_factory=dict)  # seconds by step; not compared


class GenerationRow(NamedTuple):
    """One generation's figures and its champion."""

    generation: int
    champion: int
    champion_slot: int
    champion_origin: str
    numbers: dict[str, float]


@dataclass(frozen=True)
class Final:
    """The run's best player, chosen by games among the champions."""

    generation: int  # the last one played
    champion_generation: int
    id: int
    scores: Mapping[int, float]  # points per game by champion's generation
