"""A run's champions against fixed players and against each other: what evolution has gained.

All games together give one Bradley–Terry rating of champions and anchors (`arena.ratings`), so that
Elo of different generations can be compared. Every opening is played with both colours; the same
seed plays the same games on any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evoboard.arena.backends.base import Backend, find_backend
from evoboard.arena.ratings import RatingTable
from evoboard.arena.ratings import rate as rate_table
from evoboard.arena.schedules import paired_games, single_round_robin
from evoboard.arena.scoring import CrossTable, ResultTable, joined
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address
from evoboard.players.equal_search import counter_with
from evoboard.players.setup import Bound
from evoboard.runs.lineage import ChampionLineage
from evoboard.store.records import Alarm
from evoboard.training.alarms import Meeting, cycling, forgetting

FINAL_GAMES = 128  # of the last champion against each ancestor and against random (paper E)

# Told what is being played, how many games have just ended, and how many there are.
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Series:
    """The last champion against each ancestor: wins, draws, losses, all int64 (ancestors,).

    `trend` is the fitted share of wins, draws and losses, float64 (3, ancestors): a cubic by least
    squares (paper E), a straight line below six ancestors, what was seen below three. `random` is
    wins, draws and losses against a random mover.
    """

    generations: tuple[int, ...]
    wins: Array
    draws: Array
    losses: Array
    trend: Array
    random: tuple[int, int, int]

    @property
    def games(self) -> int:
        """How many games against each."""
        return sum(self.random)

    @property
    def scores(self) -> Array:
        """The share of points against each ancestor."""
        return (self.wins + self.draws / 2) / (self.wins + self.draws + self.losses)


@dataclass(frozen=True)
class Rated:
    """What was found out about a run. Players 0 .. n-1 are its champions, the rest the anchors."""

    lineage: ChampionLineage
    anchors: tuple[str, ...]
    games: int
    seed: int
    table: ResultTable
    ratings: RatingTable
    series: Series
    alarms: tuple[Alarm, ...]
    opening_plies: int

    @property
    def cross(self) -> CrossTable:
        """Wins, draws and losses of everyone against everyone."""
        return self.table.cross()

    @property
    def curve(self) -> tuple[str, tuple[int, ...], Array, Array, Array]:
        """The champions' Elo by generation with its 95% interval, as `draw_curves` takes it."""
        table, count = self.ratings, len(self.lineage.generations)
        rows = table.elo[:count], table.low[:count], table.high[:count]
        return "champions", self.lineage.generations, *rows

    def shares(self) -> Array:
        """Return the row's share of points against the column, NaN where they have not met."""
        cross = self.cross
        return np.where(cross.games > 0, cross.points() / np.maximum(1, cross.games), np.nan)


def default_anchors(bound: Bound) -> list[str]:
    """Return the fixed players that networks are rated against where none are named: random moves,
    and a player that counts pieces and searches as they do."""
    counter = counter_with(bound.game, bound.setup.search, bound.setup.settings)
    return ["random", *([counter] if counter else [])]


def rate_lineage(
    lineage: ChampionLineage,
    anchors: Sequence[str] = (),
    games: int = 40,
    seed: int = 1,
    backend: Backend | None = None,
    progress: Tell | None = None,
    final_games: int = FINAL_GAMES,
    opening_plies: int | None = None,
) -> Rated:
    """Return Elo by generation, everyone's results, and the last champion's series.

    Every champion plays `games` games against every anchor and every other champion, the last one
    `final_games` against each ancestor and a random mover; the rating of the first anchor is 0.
    `opening_plies`: random plies before each game, 0 from the start; None: the game's own number.
    """
    anchors = tuple(anchors) or tuple(default_anchors(lineage.bound))
    if len(set(anchors)) < len(anchors):
        raise OptionError("an anchor is named twice; name each once.")
    tell = progress or (lambda what, done, total: None)
    plies = lineage.bound.game.opening_plies if opening_plies is None else opening_plies
    play = _Play(lineage, anchors, seed, backend or find_backend(), tell, plies)
    tables = [play.against_anchors(games)]
    count = len(lineage.generations)
    series_table = None
    if count > 1:
        tables.append(play.each_other(games))
        series_table = play.last_one(final_games)
        tables.append(series_table)
    table = joined(_apart(tables))
    ratings = rate_table(table, anchor=count)
    series = _series(lineage, series_table, play.against_random(final_games))
    alarms = _alarms(lineage, tables[1:])
    return Rated(lineage, anchors, games, seed, table, ratings, series, alarms, plies)


class _Play:
    """Plays champions' games; every table has the players champions, then anchors."""

    def __init__(
        self,
        lineage: ChampionLineage,
        anchors: tuple[str, ...],
        seed: int,
        backend: Backend,
        progress: Tell,
        opening_plies: int,
    ) -> None:
        self.lineage, self.anchors, self.seed, self.backend = lineage, anchors, seed, backend
        self.count = len(lineage.generations)
        self.players, self.progress = self.count + len(anchors), progress
        self.opening_plies = opening_plies

    def against_anchors(self, games: int) -> ResultTable:
        """Return every champion's games against every anchor."""
        champions = np.arange(self.count)
        pairs = np.stack(np.meshgrid(champions, np.arange(self.count, self.players)), axis=-1)
        return self._play("against anchors", pairs.reshape(-1, 2), games, self.anchors)

    def against_random(self, games: int) -> tuple[int, int, int]:
        """Return wins, draws and losses of the last champion against a random mover."""
        pairs = np.array([[self.count - 1, self.count]])
        table = self._play("last champion against random", pairs, games, ("random",))
        return table.counts_of(self.count - 1)

    def each_other(self, games: int) -> ResultTable:
        """Return the games between every two champions."""
        return self._among("champions among each other", single_round_robin(self.count), games)

    def last_one(self, games: int) -> ResultTable:
        """Return the last champion's games against every ancestor."""
        earlier = np.arange(self.count - 1)
        pairs = np.stack([np.full_like(earlier, self.count - 1), earlier], axis=1)
        return self._among("last champion against ancestors", pairs, games)

    def _among(self, what: str, pairs: Array, games: int) -> ResultTable:
        return replace(self._play(what, pairs, games), players=self.players)

    def _play(
        self, what: str, pairs: Array, games: int, others: tuple[str, ...] = ()
    ) -> ResultTable:
        lineage, seed = self.lineage, address(self.seed, "rate", what)
        schedule = paired_games(lineage.bound.game, pairs, games, seed, self.opening_plies)
        total = len(schedule.pairings)

        def tell(ended: int) -> None:
            self.progress(what, ended, total)

        tell(0)
        setup, pack = lineage.setup, lineage.pack
        return self.backend.play(setup, pack, schedule, seed, others, progress=tell).table


def _apart(tables: Sequence[ResultTable]) -> list[ResultTable]:
    """Return the tables with openings numbered on, so that no games of two tables are a pair."""
    found, first = [], 0
    for table in tables:
        found.append(replace(table, openings=table.openings + first))
        first += int(table.openings.max()) + 1
    return found


def _series(
    lineage: ChampionLineage, table: ResultTable | None, random: tuple[int, int, int]
) -> Series:
    """Return the last champion's results against its ancestors."""
    earlier = lineage.generations[:-1]
    if table is None:
        nothing = np.zeros(0, np.int64)
        return Series((), nothing, nothing, nothing, np.zeros((3, 0)), random)
    cross, last = table.cross(), len(earlier)
    wins, draws, losses = (column[last, :last] for column in cross)
    shares = np.stack([wins, draws, losses]) / (wins + draws + losses)
    return Series(earlier, wins, draws, losses, fitted(np.array(earlier), shares), random)


def fitted(generations: Array, shares: Array) -> Array:
    """Return the least-squares trend of every row of `shares` over the generations."""
    count = len(generations)
    if count < 3:
        return shares
    # Within ±1, where a cubic's columns are well told apart.
    place = 2 * (generations - generations[0]) / (generations[-1] - generations[0]) - 1
    columns = np.polynomial.legendre.legvander(place, 3 if count >= 6 else 1)
    solution = np.linalg.lstsq(columns, shares.T, rcond=None)[0]
    return np.asarray((columns @ solution).T)


def _alarms(lineage: ChampionLineage, tables: Sequence[ResultTable]) -> tuple[Alarm, ...]:
    """Return what the champions' results among each other warn of."""
    meetings = []
    if tables:
        cross = joined(_apart(tables)).cross()
        for later in range(len(lineage.generations)):
            for earlier in range(later):
                counts = (int(column[later, earlier]) for column in cross)
                pair = (lineage.generations[later], lineage.generations[earlier])
                meetings.append(Meeting(*pair, *counts))
    found = [forgetting(lineage.generations[-1], meetings), cycling(meetings)]
    return tuple(alarm for alarm in found if alarm is not None)
