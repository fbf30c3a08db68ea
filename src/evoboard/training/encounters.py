"""The games that judge a generation, played: among individuals, against rivals, against players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from evoboard.arena.contest import Maker, Terms, play_schedule
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.schedules import PairedGames
from evoboard.arena.scoring import ResultTable, joined
from evoboard.arena.tournament import Played, Schedule
from evoboard.core.rng import address, stream
from evoboard.evolution.base import Networks
from evoboard.games.base import Game
from evoboard.players.base import Player
from evoboard.training.experiment import FitnessChoice
from evoboard.training.meetings import assign_openings, opening_positions, outside_pairs
from evoboard.training.stage import Stage

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Encounters:
    """All games of a generation: `played` those between networks, `table` those and all others."""

    played: Played | None
    table: ResultTable


def play_networks(
    stage: Stage,
    networks: Networks,
    schedule: Schedule,
    seed: int,
    *,
    record: bool,
    cache: ResultCache | None,
    progress: Progress | None,
) -> Encounters:
    """Return the games between the networks of a pack."""
    played = stage.play(networks, schedule, seed, record=record, cache=cache, progress=progress)
    if cache is not None:
        cache.forget_unused()
    return Encounters(played, played.table)


def add_players(
    stage: Stage,
    choice: FitnessChoice,
    texts: tuple[str, ...],
    networks: Networks,
    size: int,
    seed: int,
    found: Encounters | None,
) -> Encounters:
    """Return the encounters with those of individuals 0 .. size-1 against fixed players added.

    The players' numbers follow those of all networks.
    """
    makers: list[Maker] = [_maker(stage, networks, index) for index in range(size)]
    pairs = outside_pairs(choice, size, len(texts))
    openings = opening_positions(stage.game, choice, seed, stage.generation)
    rng = stream(seed, "pairing with players", stage.generation)
    schedule = assign_openings(pairs, choice, openings, rng)
    terms = Terms(address(seed, "players", stage.generation), None, stage.draws, stage.threads)
    games = PairedGames(schedule.pairings, schedule.opening_of)
    table = play_schedule(stage.game, [*makers, *texts], games, openings, terms).table
    if found is None:
        return Encounters(None, table)
    networks_count = found.table.players
    everybody = networks_count + len(texts)
    shift = networks_count - size
    moved = replace(
        table,
        players=everybody,
        first=table.first + shift * (table.first >= size),
        second=table.second + shift * (table.second >= size),
    )
    return Encounters(found.played, joined([replace(found.table, players=everybody), moved]))


def _maker(stage: Stage, networks: Networks, index: int) -> Callable[[Game], Player]:
    return lambda _game: stage.player(networks, index)
