"""Opponents from outside the population: previous best, earlier champions, hall of fame, league."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evoboard.arena.scoring import ResultTable
from evoboard.core.rng import stream
from evoboard.evolution.base import Population
from evoboard.training.archive import Archive, Entry, draw_league, remember_results
from evoboard.training.experiment import Against


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
    address: tuple[int, int],
) -> Rivals:
    """Return this generation's rivals; `address` is the run's seed and the generation's number.

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
        rng = stream(address[0], "rivals", address[1], number)
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
