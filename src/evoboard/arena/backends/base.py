"""What every backend promises: the same games give the same results, wherever they are played.

A backend module (`arena/backends/NAME.py`, or a user's file) defines

    SUMMARY                         what it is, in a line (not needed in a user's file)
    class Backend(base.Backend)     with `play_networks`

`play_networks` gets the numbers of games between networks, plays them, and writes each result into
the row of that number. The seed of game g is `nth_seed(address(seed, "tournament"), g)`, so
neither the order of games nor where they are played changes anything. Games with fixed players,
which may be any program, are played here, as in a contest; a backend that can do better overrides
`play_players`.
"""

from __future__ import annotations

import inspect
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.contest import EndedGame, Maker, Terms, play_schedule
from evoboard.arena.match import game_record
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.schedules import Schedule
from evoboard.arena.scoring import ResultTable
from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError
from evoboard.core.options import require_taking
from evoboard.games.adjudication import FORBIDDEN, LONGEST
from evoboard.games.base import Game
from evoboard.players.base import Player, SearchPlayer, make_player
from evoboard.players.setup import Bound, Setup
from evoboard.store.records import GameRecord

PACKAGE = "evoboard.arena.backends"
Progress = Callable[[int], None]  # called by any thread with how many games have just ended


class ResultBuffers(NamedTuple):
    """Where results go, one row per game: result for side 0, code, plies, last position (of shape
    (games, 0) if not needed), and moves (games, plies) if they are recorded, else (games, 0)."""

    results: Array
    codes: Array
    plies: Array
    finals: Array
    moves: Array


class Task(NamedTuple):
    """A schedule to play between the networks of a pack and, numbered after them, fixed players."""

    setup: Setup
    pack: Any
    schedule: Schedule
    seed: int
    players: tuple[str, ...]
    buffers: ResultBuffers
    meanwhile: Callable[[], None] = lambda: None  # to be called once while games are being played


@dataclass(frozen=True)
class Results:
    """The outcome of a schedule: the table of results, last positions, and moves if recorded."""

    table: ResultTable
    finals: Array
    moves: Array
    schedule: Schedule

    def record(self, game: Game, index: int) -> GameRecord:
        """Return one game as a record; its moves must have been recorded."""
        if not self.moves.shape[1]:
            raise OptionError("the moves of these games were not kept; play them with record=True.")
        length, code = int(self.table.plies[index]), int(self.table.codes[index])
        start = self.schedule.openings[self.schedule.opening_of[index]]
        moves = self.moves[index, :length].tolist()
        return game_record(game, start, moves, self.finals[index], code)

    def records(self, game: Game) -> list[GameRecord]:
        """Return all games as records."""
        return [self.record(game, index) for index in range(self.table.games)]


class Backend(ABC):
    """Plays games; `threads` is how many threads of this machine it may use, 0 for one per core.

    A backend whose name may be followed by an address (`ray:HOST:PORT`) takes that as well.
    """

    def __init__(self, threads: int = 0) -> None:
        self.threads = threads or os.cpu_count() or 1

    @abstractmethod
    def play_networks(self, task: Task, games: Array, progress: Progress) -> None:
        """Play the numbered games, all of them between networks, and write their results."""

    def play(
        self,
        setup: Setup,
        pack: Any,
        schedule: Schedule,
        seed: int,
        players: Sequence[str] = (),
        *,
        record: bool = False,
        cache: ResultCache | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Return the results of a schedule between networks and players.

        The networks of the pack come first; the `players`, as texts, are numbered after them.
        """
        bound, tell = setup.bind(), progress or (lambda games: None)
        bound.require(pack)
        size = bound.kind.size(pack)
        _check_schedule(schedule, size + len(players))
        games, keep = np.arange(len(schedule.pairings)), record or cache is not None
        among, outside = games, games[:0]
        if players:
            with_player = (schedule.pairings >= size).any(axis=1)
            among, outside = games[~with_player], games[with_player]
        buffers = _buffers(bound, len(games), keep, record and len(among) > 0)
        results, codes, plies = map(_read_only, buffers[:3])
        everybody, (first, second) = size + len(players), schedule.pairings.T
        made: list[ResultTable] = []

        def make_table() -> None:
            """Make the table while games are being played, because large ones take a while."""
            if not made:
                columns = (results, codes, plies, schedule.opening_of)
                made.append(ResultTable(everybody, first, second, *columns))

        task = Task(setup, pack, schedule, seed, tuple(players), buffers, make_table)
        if cache is not None:
            among = cache.fill(bound, pack, schedule, among, buffers, recall=not record)
        if len(among):
            self.play_networks(task, among, tell)
        if (buffers.codes == FORBIDDEN).any():
            raise PartError(
                f"the search {setup.search} returned a move that is not legal; its best_move must "
                "return one of the legal moves, or -1 for none."
            )
        if cache is not None:
            cache.learn(bound, pack, schedule, among, buffers)
        if len(outside):
            buffers = self.play_players(task, outside, tell, record)
        make_table()
        made[0].check_results()
        return Results(made[0], buffers.finals, buffers.moves, schedule)

    def play_players(
        self, task: Task, games: Array, progress: Progress, record: bool
    ) -> ResultBuffers:
        """Play the numbered games, all of them with a fixed player; return the buffers, including
        the moves if they are to be recorded."""
        bound, buffers = task.setup.bind(), task.buffers

        def network(index: int) -> Callable[[Game], Player]:
            return lambda game: as_seeing(bound, bound.on(game).player(task.pack, index))

        def fixed(text: str) -> Callable[[Game], Player]:
            return lambda game: as_seeing(bound, make_player(text, game))

        def note(game: EndedGame) -> None:
            buffers.results[game.number] = game.record.result
            buffers.codes[game.number] = game.record.code
            buffers.plies[game.number] = game.record.plies
            if record:
                buffers.finals[game.number] = game.final
            progress(1)

        makers: list[Maker] = [network(index) for index in range(bound.kind.size(task.pack))]
        terms = Terms(task.seed, draws=bound.draws, threads=self.threads)
        found = play_schedule(
            bound.game, [*makers, *map(fixed, task.players)], task.schedule, terms, note, games
        )
        if not record:
            return buffers
        # These games may last longer than any between networks.
        longest = max(1, buffers.moves.shape[1], *(one.record.plies for one in found))
        moves = np.zeros((len(buffers.moves), longest), np.int32)
        moves[:, : buffers.moves.shape[1]] = buffers.moves
        for one in found:
            moves[one.number, : one.record.plies] = one.record.moves
        return buffers._replace(moves=moves)


def as_seeing(bound: Bound, player: Player) -> Player:
    """Return a player that looks back as far as the networks of a setup do."""
    if isinstance(player, SearchPlayer):
        player.see_draws(bool(getattr(bound.settings, "draws", False)))
    return player


def find_backend(name: str = "cpu", threads: int = 0) -> Backend:
    """Return the backend of that name, or in a user's file, ready to play on that many threads."""
    named = re.fullmatch(r"([a-z_]{2,}):(.*)", name)
    module = catalog.find("backend", PACKAGE, named[1] if named else name, "SUMMARY")
    if not hasattr(module, "Backend"):
        raise PartError(
            f"{name} is not a backend: it lacks the class Backend (arena.backends.base)."
        )
    require_taking(module.Backend.play_networks, "self, task, games, progress", name)
    if named is None:
        backend: Backend = module.Backend(threads)
    elif "address" in inspect.signature(module.Backend).parameters:
        backend = module.Backend(threads, address=named[2])
    else:
        raise OptionError(f"the backend {named[1]} has no address; leave out {named[2]!r}.")
    return backend


def _read_only(column: Array) -> Array:
    """Return a column as the table of results may keep it without a copy."""
    seen = column.view()
    seen.setflags(write=False)
    return seen


def _buffers(bound: Bound, games: int, finals: bool, record: bool) -> ResultBuffers:
    return ResultBuffers(
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
        np.zeros((games, bound.game.state_size if finals else 0), np.int64),
        np.zeros((games, (bound.draws.plies or LONGEST) if record else 0), np.int32),
    )


def _check_schedule(schedule: Schedule, players: int) -> None:
    pairings, opening_of, openings = schedule
    if len(pairings) == 0:
        raise OptionError("there are no games to play; a tournament needs at least two players.")
    if pairings.min() < 0 or pairings.max() >= players:
        raise OptionError(f"a pairing names player {pairings.max()}; there are {players}, from 0.")
    if len(opening_of) != len(pairings) or opening_of.max() >= len(openings):
        raise OptionError("every game needs an opening from the list of openings.")
