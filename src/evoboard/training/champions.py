"""Who is champion: the fittest, or the winner of title games; and who is a run's best player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import address
from evoboard.evolution.base import Strategy
from evoboard.store.records import Final
from evoboard.training.archive import Archive, Entry
from evoboard.training.experiment import ChampionChoice
from evoboard.training.stage import Stage


class Title(NamedTuple):
    """Title games: who played (places in the population, fittest first), and points per game."""

    candidates: Array
    scores: Array


def ranking(fitness: Array) -> Array:
    """Return the individuals from the fittest to the least fit, equals in their order."""
    return np.argsort(-fitness, kind="stable")


def choose_champion(
    choice: ChampionChoice,
    stage: Stage,
    strategy: Strategy,
    genes: Any,
    fitness: Array,
    seed: int,
) -> tuple[int, Title | None]:
    """Return the champion's place, and the title games where there were any.

    One generation's highest score is partly luck. With more than one candidate the fittest meet
    again, from openings that nobody was judged by.
    """
    if strategy.champion is not None:
        return strategy.champion, None
    best = ranking(fitness)[: choice.candidates]
    if len(best) == 1:
        return int(best[0]), None
    networks = strategy.express(strategy.genomes.take(genes, best))
    played = stage.round_robin(networks, choice.openings, seed)
    points = played.table.points()
    return int(best[np.argmax(points)]), Title(best, points / played.table.played())


def finalists(archive: Archive, count: int) -> list[Entry]:
    """Return the champions that meet for the title of a run: half the latest, half spread ones."""
    latest = archive.previous(max(1, count // 2))
    known = {entry.generation for entry in latest}
    earlier = [entry for entry in archive.entries if entry.generation not in known]
    places = np.linspace(0, len(earlier) - 1, min(len(earlier), count - len(latest)))
    spread = [earlier[int(place)] for place in places.round()]
    return sorted([*latest, *spread], key=lambda entry: entry.generation)


def play_final(
    choice: ChampionChoice,
    stage: Stage,
    strategy: Strategy,
    archive: Archive,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Final:
    """Return the run's best player: who scores most when champions of many generations meet."""
    entries: Sequence[Entry] = finalists(archive, choice.finalists)
    last = archive.entries[-1].generation
    if len(entries) == 1:
        return Final(last, last, entries[0].id, {last: 1.0})
    networks = strategy.express(archive.joined(entries))
    played = stage.round_robin(
        networks, choice.final_openings, address(seed, "final", last), progress=progress
    )
    shares = played.table.points() / played.table.played()
    winner = entries[int(np.argmax(shares))]
    scores = {entry.generation: float(s) for entry, s in zip(entries, shares, strict=True)}
    return Final(last, winner.generation, winner.id, scores)
