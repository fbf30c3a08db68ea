"""Earlier champions: all recent ones, and further back evenly spread ones, never more than fit.

Memory stays flat: when there are too many spread ones, every second is let go and the spacing
doubles. So what is kept depends on the generations' numbers alone, never on interruptions.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evoboard.core.arrays import Array

MOST_SPREAD = 64


@dataclass
class Entry:
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
        """The share of points that populations take from it; ½ while nobody has met it."""
        return (self.points + 1.0) / (self.games + 2.0)


@dataclass
class Archive:
    """Champions in the order of their generations."""

    genomes: types.ModuleType
    recent: int = 10
    spacing: int = 1
    entries: list[Entry] = field(default_factory=list)

    def add(self, generation: int, identity: int, genes: Any) -> None:
        """Keep a champion, and let go of what need not be kept any more."""
        self.entries.append(Entry(generation, identity, genes))
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

    def previous(self, count: int) -> list[Entry]:
        """Return the last champions, the latest first."""
        return self.entries[::-1][:count]

    def spread(self, count: int) -> list[Entry]:
        """Return champions evenly spread from the first to the latest."""
        if len(self.entries) <= count:
            return list(self.entries)
        # Evenly in generations, not in entries, which are denser towards the end.
        wanted = np.linspace(self.entries[0].generation, self.entries[-1].generation, count)
        generations = np.array([entry.generation for entry in self.entries])
        places = np.unique(np.abs(generations[None, :] - wanted[:, None]).argmin(axis=1))
        return [self.entries[place] for place in places]

    def joined(self, entries: Sequence[Entry]) -> Any:
        """Return the genes of chosen entries as one population."""
        return self.genomes.join([entry.genes for entry in entries])

    def state(self) -> dict[str, Any]:
        """Return the archive as arrays and numbers."""
        if not self.entries:
            return {"archive.spacing": self.spacing}
        genes = self.joined(self.entries)
        columns = [
            (entry.generation, entry.id, entry.points, entry.games) for entry in self.entries
        ]
        return {
            "archive.spacing": self.spacing,
            "archive.columns": np.array(columns, np.float64),
            **{f"archive.genes.{name}": getattr(genes, name) for name in genes._fields},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self.spacing, self.entries = int(state["archive.spacing"]), []
        if "archive.columns" not in state:
            return
        kind = self.genomes.Genes
        genes = kind(**{name: np.array(state[f"archive.genes.{name}"]) for name in kind._fields})
        for index, (generation, identity, points, games) in enumerate(state["archive.columns"]):
            one = self.genomes.take(genes, np.array([index]))
            self.entries.append(Entry(int(generation), int(identity), one, points, games))


def draw_league(entries: Sequence[Entry], count: int, rng: np.random.Generator) -> list[Entry]:
    """Return `count` different entries, those beaten about half the time most likely.

    The weight p (1 - p) is greatest at ½ and small for opponents that are always or never beaten,
    from which nothing is to be learned; a floor lets everybody come back.
    """
    if len(entries) <= count:
        return list(entries)
    shares = np.array([entry.beaten for entry in entries])
    weights = shares * (1 - shares) + 0.01
    chosen = rng.choice(len(entries), count, replace=False, p=weights / weights.sum())
    return [entries[i] for i in sorted(int(i) for i in chosen)]


def remember_results(entries: Sequence[Entry], points: Array, games: Array) -> None:
    """Add what a population scored against each entry; older results fade by half."""
    for entry, scored, played in zip(entries, points, games, strict=True):
        entry.points = entry.points / 2 + float(scored)
        entry.games = entry.games / 2 + float(played)
