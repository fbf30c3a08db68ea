"""What champions are worth outside of evolution: against fixed players and earlier champions.

Measurements use chance of their own addresses and never feed back into evolution, so measuring
more or less changes nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evoboard.arena.contest import Maker, Terms, play_schedule
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.schedules import paired_openings
from evoboard.arena.scoring import ResultTable
from evoboard.core.rng import address
from evoboard.evolution.base import Networks, Strategy
from evoboard.games.base import Game
from evoboard.players.base import Player
from evoboard.store.records import GameRecord, Measurement, StoredGame
from evoboard.training.archive import Archive, Entry
from evoboard.training.stage import Stage


@dataclass(frozen=True)
class Measured:
    """Measurements of one champion, and the games they come from where these are kept."""

    rows: tuple[Measurement, ...]
    games: tuple[StoredGame, ...] = ()

    @property
    def score(self) -> float:
        """The mean over opponents of points per game, 1 / ½ / 0."""
        return float(np.mean([_share(row) for row in self.rows])) if self.rows else 0.0


def _share(row: Measurement) -> float:
    return (row.wins + row.draws / 2) / (row.wins + row.draws + row.losses)


def against_anchors(
    stage: Stage,
    networks: Networks,
    slot: int,
    identity: int,
    anchors: Sequence[str],
    games: int,
    seed: int,
) -> Measured:
    """Return how one network does against fixed players, always from the same openings."""
    if not anchors:
        return Measured(())

    def champion(_game: Game) -> Player:
        return stage.player(networks, slot)

    players: list[Maker] = [champion, *anchors]
    schedule = paired_openings(
        np.stack([np.zeros(len(anchors), np.int64), np.arange(1, len(players))], axis=1), games
    )
    terms = Terms(address(seed, "anchors"), draws=stage.draws, threads=stage.threads)
    starts = stage.openings(games // 2, address(seed, "anchors"))
    contest = play_schedule(stage.game, players, schedule, starts, terms)
    names: list[int | str] = [identity, *anchors]
    rows = _rows("anchor", anchors, contest.table)
    return Measured(rows, _stored("anchor", contest.records, contest.table, names))


def against_champions(
    kind: str,
    stage: Stage,
    strategy: Strategy,
    archive: Archive,
    champion: tuple[int, Any],
    entries: Sequence[Entry],
    games: int,
    seed: int,
    record: bool,
) -> Measured:
    """Return how a champion (its id and genes) does against earlier ones."""
    if not entries:
        return Measured(())
    identity, genes = champion
    networks = strategy.express(strategy.genomes.join([genes, archive.joined(entries)]))
    played = stage.challenge(networks, games // 2, address(seed, kind), record=record)
    rows = _rows(kind, [f"gen={entry.generation}" for entry in entries], played.table)
    records: list[GameRecord] = []
    if record:
        records = [played.record(stage.game, i) for i in range(played.table.games)]
    names: list[int | str] = [identity, *(entry.id for entry in entries)]
    return Measured(rows, _stored(kind, records, played.table, names))


def _rows(kind: str, opponents: Sequence[str], table: ResultTable) -> tuple[Measurement, ...]:
    """Return what player 0 did against each of the others, who come in this order."""
    rows = []
    for number, opponent in enumerate(opponents, 1):
        estimate = elo_difference(Tally.of_table(table, 0, number))
        results = table.between(0, number).results_of(0)
        wins, draws, losses = (int((results == value).sum()) for value in (1, 0, -1))
        rows.append(
            Measurement(
                kind, opponent, wins, draws, losses, estimate.elo, estimate.low, estimate.high
            )
        )
    return tuple(rows)


def _stored(
    kind: str, records: Sequence[GameRecord], table: ResultTable, names: Sequence[int | str]
) -> tuple[StoredGame, ...]:
    return tuple(
        StoredGame(
            kind,
            names[int(table.first[i])],
            names[int(table.second[i])],
            replace(record, seconds=(0.0, 0.0)),  # no two runs share thinking times
        )
        for i, record in enumerate(records)
    )
