"""Games between players of any kinds, on several threads: matches of two, tournaments of many.

Every thread makes its own players from their texts, and game g's chance depends on the seed and g
alone, so the result does not depend on the number of threads (unless a player thinks by the clock).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evoboard.arena.match import Match
from evoboard.arena.openings import start_positions
from evoboard.arena.schedules import (
    PairedGames,
    one_against_all,
    paired_openings,
    single_round_robin,
)
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address
from evoboard.games.base import DrawRules, Game
from evoboard.players.base import Player, dismiss, make_player
from evoboard.store.records import GameRecord

NUDGE = 0.02  # seconds between two stops of players that think
PATIENCE = 0.5  # seconds in which they are to answer


@dataclass(frozen=True)
class Contest:
    """The results among players (by index into `names`) and the record of every game."""

    names: tuple[str, ...]
    table: ResultTable
    records: tuple[GameRecord, ...]


@dataclass(frozen=True)
class Terms:
    """How a contest is played: seed, random plies before the first move, draw rules, threads."""

    seed: int = 1
    opening_plies: int | None = None
    draws: DrawRules | None = None
    threads: int = 0


class Played(NamedTuple):
    """A game that has just ended: its place in the schedule, its players by index, its record."""

    number: int
    first: int
    second: int
    record: GameRecord


Progress = Callable[[Played], None]


# A player's text, or a function that makes one: each thread needs a player of its own.
Maker = str | Callable[[Game], Player]


def play_contest(
    game: Game,
    players: Sequence[str],
    games: int,
    terms: Terms = Terms(),  # noqa: B008 - frozen
    progress: Progress | None = None,
    *,
    gauntlet: bool = False,
) -> Contest:
    """Let every two players meet `games` times, in pairs of games from one opening, sides swapped.

    In a gauntlet the first player meets every other, and these do not meet. `progress` is told each
    finished game.
    """
    if len(players) < 2:
        raise OptionError(f"a contest needs two players or more; it has {len(players)}.")
    pairs = one_against_all(len(players)) if gauntlet else single_round_robin(len(players))
    schedule = paired_openings(pairs, games)
    plies = game.opening_plies if terms.opening_plies is None else terms.opening_plies
    count = int(schedule.openings.max()) + 1
    openings = start_positions(game, count, terms.seed, plies)
    return play_schedule(game, players, schedule, openings, terms, progress)


def play_schedule(
    game: Game,
    players: Sequence[Maker],
    schedule: PairedGames,
    openings: Array,
    terms: Terms = Terms(),  # noqa: B008 - frozen
    progress: Progress | None = None,
) -> Contest:
    """Play the games of a schedule, each from its row of `openings` (positions)."""
    crew = _Crew(game, players, terms)
    try:
        crew.players()  # a wrong text is told before the first game
        records = crew.play(schedule, openings, progress)
    finally:
        crew.dismiss()
    first, second = schedule.pairings[:, 0], schedule.pairings[:, 1]
    results = np.array([record.result for record in records])
    codes = np.array([record.code for record in records])
    lengths = np.array([record.plies for record in records])
    table = ResultTable(len(players), first, second, results, codes, lengths, schedule.openings)
    names = tuple(p if isinstance(p, str) else f"player {i}" for i, p in enumerate(players))
    return Contest(names, table, tuple(records))


class Stopped(Exception):
    """Nobody wants the rest of a game any more."""


def play_one(
    match: Match,
    players: tuple[Player, Player],
    chance: int,
    seconds: float | None = None,
    stopped: threading.Event | None = None,
) -> GameRecord:
    """Play a match to its end between two players and return its record.

    Where `stopped` is set meanwhile, it raises Stopped instead of asking for another move.
    """
    spent = [0.0, 0.0]
    while not match.over:
        if stopped and stopped.is_set():
            raise Stopped
        side = match.game.side(match.state)
        began = time.perf_counter()
        luck = address(chance, len(match.moves))
        thought = players[side].think(match.state, luck, seconds)
        spent[side] += time.perf_counter() - began
        if thought.move < 0:
            match.forfeit()
        else:
            match.play(thought.move)
    return match.record((spent[0], spent[1]))


class _Crew:
    """Threads that share a list of games, each with players of its own."""

    def __init__(self, game: Game, makers: Sequence[Maker], terms: Terms) -> None:
        self.game, self.makers, self.terms = game, makers, terms
        self.local = threading.local()
        self.made: list[Player] = []
        self.stopped = threading.Event()

    def players(self) -> list[Player]:
        """Return this thread's players."""
        if not hasattr(self.local, "players"):
            self.local.players = [
                make_player(maker, self.game) if isinstance(maker, str) else maker(self.game)
                for maker in self.makers
            ]
            self.made += self.local.players  # one step under the GIL
        found: list[Player] = self.local.players
        return found

    def dismiss(self) -> None:
        """Let all threads' players go."""
        for player in self.made:
            dismiss(player)

    def play(
        self, schedule: PairedGames, openings: Array, progress: Progress | None
    ) -> list[GameRecord]:
        """Return the records of all games, in the schedule's order."""

        def one(index: int) -> GameRecord:
            first, second = (int(player) for player in schedule.pairings[index])
            start = openings[schedule.openings[index]]
            match = Match(self.game, start=start, draws=self.terms.draws)
            pair = (self.players()[first], self.players()[second])
            chance = address(self.terms.seed, "contest", index)
            record = play_one(match, pair, chance, stopped=self.stopped)
            if progress:
                progress(Played(index, first, second, record))
            return record

        threads = self.terms.threads or os.cpu_count() or 1
        with ThreadPoolExecutor(threads) as pool:
            games = [pool.submit(one, index) for index in range(len(schedule.pairings))]
            try:
                wait(games, return_when=FIRST_EXCEPTION)
                return [game.result() for game in games if game.done()]
            except BaseException:
                self._stop(games)
                raise

    def _stop(self, games: Sequence[Future[GameRecord]]) -> None:
        """End all games now, and whoever thinks; a search that only begins misses a stop."""
        self.stopped.set()
        for game in games:
            game.cancel()
        patience = time.monotonic() + PATIENCE
        while wait(games, NUDGE).not_done:
            for player in list(self.made):
                player.stop()
            if time.monotonic() > patience:
                self.dismiss()  # a program that does not listen
