"""A run as far as it has been read: each time, only the new rows of its database are read.

What would grow without limit is kept more coarsely as a run gets longer: species at every k-th
generation, lengths of games summed over k generations, so that no chart has more columns than can
be seen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, NamedTuple

from evoboard.core.statistics import wilson
from evoboard.core.wording import duration
from evoboard.players.equal_search import searches_alike
from evoboard.store.reader import Reader, open_run, player_at
from evoboard.store.records import Alarm
from evoboard.web.opponents import short_name

MOST_COLUMNS = 160  # generations of species, and of lengths, that are told apart
# One name whatever the search is: then runs compare, also where their searches differ.
EQUAL_SEARCH = "Counting pieces, equal search"
FURTHEST = 2000.0  # Elo; an interval that has no end goes that far


class Rating(NamedTuple):
    """A champion's strength, Elo or a share of points, with the ends of its 95% interval.

    `bound` is 1 if it has won every game and -1 if it has lost every one: then only one end
    of the interval is known.
    """

    generation: int
    value: float
    low: float
    high: float
    bound: int = 0


class RunSeries:
    """One run's series. `generation` i of every list of `numbers` is generation i of the run."""

    def __init__(self, name: str, colour: int = 0) -> None:
        self.name, self.colour = name, colour  # its place among the colours of series
        self._begin("")

    def _begin(self, made: str) -> None:
        self.made = made
        self.experiment: dict[str, Any] = {}
        self.count = 0
        self.finished = False
        self.numbers: dict[str, list[float]] = {}  # by name: all that generations have
        self.seconds: list[float] = []  # of the whole generation
        self.playing: list[float] = []  # of its games alone
        self.ratings: dict[str, list[Rating]] = {}  # Elo, by anchor in words
        self.earlier: list[Rating] = []  # share of the points against earlier champions
        self.alarms: list[tuple[int, Alarm]] = []
        self.stride = 1
        self.sizes: dict[int, dict[int, int]] = {}  # by generation, by species
        self.lengths: dict[int, dict[int, int]] = {}  # by generation // stride, by plies

    def read_on(self) -> bool:
        """Read what is new; tell whether anything is."""
        with open_run(self.name) as run:
            facts = run.facts()
            made = str(facts.get("made"))
            count, was = run.count(), self.finished
            # Another run under the same name; or it gets longer, and its last generation, which
            # was measured because it was the last, is played again.
            if (made, facts["experiment"]) != (self.made, self.experiment) or count < self.count:
                self._begin(made)
                self.experiment = facts["experiment"]
            self.finished = "finished" in facts
            if count <= self.count:
                return self.finished != was
            self._read(run, self.count, count - 1)
        self.count = count
        return True

    def _read(self, run: Reader, first: int, last: int) -> None:
        """Read the generations from `first` to `last`, which do not change any more."""
        rows = run.rows(first, last)
        for name in {name for row in rows for name in row.numbers}.difference(self.numbers):
            self.numbers[name] = [math.nan] * first
        for name, values in self.numbers.items():
            values += [float(row.numbers.get(name, math.nan)) for row in rows]
        timings = run.timings(first, last)
        for row in rows:
            steps = timings.get(row.generation, {})
            self.seconds.append(sum(steps.values()))
            self.playing.append(steps.get("games", self.seconds[-1]))
        facts = run.facts()
        for generation, measured in run.measurements(first, last).items():
            player = player_at(facts, generation)
            for one in measured:
                if one.kind == "anchor" and math.isfinite(one.elo):
                    ends = max(one.low, one.elo - FURTHEST), min(one.high, one.elo + FURTHEST)
                    rating = Rating(generation, one.elo, *ends, one.bound)
                    alike = searches_alike(one.opponent, player["search"], player["settings"])
                    name = EQUAL_SEARCH if alike else short_name(one.opponent)
                    self.ratings.setdefault(name, []).append(rating)
            spread = [one for one in measured if one.kind == "spread"]
            games = sum(one.games for one in spread)
            if games:
                share = sum(one.points for one in spread) / games
                bounds = {one.bound for one in spread}
                bound = bounds.pop() if len(bounds) == 1 else 0
                self.earlier.append(Rating(generation, share, *wilson(share, games), bound))
        for generation, alarms in run.alarms(first, last).items():
            self.alarms += [(generation, alarm) for alarm in alarms]
        self._coarsen(last + 1)
        self._read_shapes(run, first, last)

    def _read_shapes(self, run: Reader, first: int, last: int) -> None:
        """Read species and lengths of games, as coarsely as `stride` says."""
        for generation, species, size in run.species_sizes(first, last, self.stride):
            self.sizes.setdefault(generation, {})[species] = size
        for column, plies, games in run.length_counts(first, last, self.stride):
            cells = self.lengths.setdefault(column, {})
            cells[plies] = cells.get(plies, 0) + games

    def _coarsen(self, generations: int) -> None:
        """Double the stride until that many generations make few enough columns."""
        while generations > MOST_COLUMNS * self.stride:
            self.stride *= 2
            self.sizes = {g: row for g, row in self.sizes.items() if g % self.stride == 0}
            merged: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
            for column, row in self.lengths.items():
                for plies, games in row.items():
                    merged[column // 2][plies] += games
            self.lengths = {column: dict(row) for column, row in merged.items()}

    def values(self, name: str) -> list[float]:
        """Return a number of every generation, NaN where it is not known."""
        return self.numbers.get(name) or [math.nan] * self.count

    def speeds(self) -> list[float]:
        """Return the games per second of each generation, while they were played."""
        return [
            games / seconds if seconds > 0 else math.nan
            for games, seconds in zip(self.values("games"), self.playing, strict=True)
        ]

    def time_left(self, generations: int) -> str:
        """Return how long the rest of that many generations takes, by the pace of the last ones.

        Only generations with the present search count, and a later change of search is mentioned.
        """
        later = self.experiment.get("search", {}).get("later", [])
        changes = sorted(int(stage["generation"]) for stage in later)
        begun = max((change for change in changes if change < self.count), default=0)
        recent = self.seconds[max(1, begun) :][-20:]  # the first one compiles, too
        if not recent or generations <= self.count:
            return ""
        left = duration(sum(recent) / len(recent) * (generations - self.count))
        coming = next((change for change in changes if self.count <= change < generations), None)
        if coming is None:
            return f"about {left} left"
        return f"{left} or more left (the search changes in generation {coming:,})"

    def band(self, name: str) -> list[list[float]]:
        """Return rows of generation, low and high around a number; one run alone has none."""
        return []

    def latest(self, key: str) -> float:
        """Return the last known value of a number, NaN if there is none."""
        return next((v for v in reversed(self.values(key)) if not math.isnan(v)), math.nan)
