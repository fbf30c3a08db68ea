"""Games between players of any kinds, on several threads: matches of two, tournaments of many.

Every thread makes its own players from their texts, and the random numbers of game g depend on
the seed and g alone, so the result does not depend on the number of threads (unless a player thinks
by the clock).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple, cast

import numpy as np

from evoboard.arena.elo import Tally
from evoboard.arena.match import Match
from evoboard.arena.schedules import (
    Schedule,
    one_against_all,
    paired_games,
    single_round_robin,
)
from evoboard.arena.scoring import ResultTable
from evoboard.arena.side_by_side import play_side_by_side
from evoboard.arena.sprt import BLOCK, Sprt
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError, quoted
from evoboard.core.rng import address
from evoboard.games.base import DrawRules, Game
from evoboard.games.history import History
from evoboard.players.base import Player, dismiss, finder_of, make_player
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, Limits, Stop, Stopped
from evoboard.store.records import GameRecord

SIDE_BY_SIDE = 16  # games; with more, what Python adds to a move is hardly less
PATIENCE = 0.5  # seconds in which players that are stopped are to answer


@dataclass(frozen=True)
class Terms:
    """How a contest is played: seed, random plies before the first move, draw rules, threads."""

    seed: int = 1
    opening_plies: int | None = None
    draws: DrawRules | None = None
    threads: int = 0


class EndedGame(NamedTuple):
    """A game that has ended: its number in the schedule, its players by index, the number of its
    opening, its record and, if it was just played, its last position."""

    number: int
    first: int
    second: int
    opening: int
    record: GameRecord
    final: Array | None = None


@dataclass(frozen=True)
class Contest:
    """The results among players (by index into `names`) and the record of every game."""

    names: tuple[str, ...]
    table: ResultTable
    records: tuple[GameRecord, ...]

    @classmethod
    def of(cls, names: Sequence[str], games: Sequence[EndedGame]) -> Contest:
        """Return the contest of the games that have ended so far."""
        rows = [
            (g.first, g.second, g.record.result, g.record.code, g.record.plies, g.opening)
            for g in games
        ]
        table = ResultTable(len(names), *np.array(rows, np.int64).reshape(-1, 6).T)
        return cls(tuple(names), table, tuple(game.record for game in games))


OnGame = Callable[[EndedGame], None]
# A player's text, a function that makes one, or a player itself. Each thread needs its own
# player; if a player itself is given, games are played one after the other.
MakeFor = Callable[[Game], Player]
Maker = str | MakeFor | Player


def play_contest(
    game: Game,
    players: Sequence[Maker],
    games: int,
    terms: Terms = Terms(),  # noqa: B008 - frozen
    progress: OnGame | None = None,
    *,
    gauntlet: bool = False,
    sprt: Sprt | None = None,
) -> Contest:
    """Play `games` games between each pair of players, in pairs from one opening, sides swapped.

    In a gauntlet the first player meets all others, who do not meet each other. `progress` is
    called with each finished game. A match of two with `sprt` ends as soon as that is decided.
    """
    if len(players) < 2:
        raise OptionError(f"a contest needs two players or more; it has {len(players)}.")
    pairs = one_against_all(len(players)) if gauntlet else single_round_robin(len(players))
    schedule = paired_games(game, pairs, games, terms.seed, terms.opening_plies)
    names = [_name(p, i) for i, p in enumerate(players, 1)]
    if sprt is None:
        return Contest.of(names, play_schedule(game, players, schedule, terms, progress))
    if len(players) != 2:
        raise OptionError(f"SPRT tests a match of two players; there are {len(players)}.")
    ended: list[EndedGame] = []
    for first in range(0, games, BLOCK):
        numbers = np.arange(first, min(games, first + BLOCK))
        ended += play_schedule(game, players, schedule, terms, progress, numbers)
        contest = Contest.of(names, ended)
        if sprt.accepted(Tally.of_table(contest.table, 0, 1)) is not None:
            break
    return contest


def _name(maker: Maker, number: int) -> str:
    if isinstance(maker, str):
        return maker
    return str(getattr(maker, "name", "")) if is_player(maker) else f"player {number}"


def is_player(maker: Maker) -> bool:
    """Tell whether this is a player itself, not its text or a function that makes it."""
    return hasattr(maker, "think")


def player_of(maker: Maker, game: Game) -> Player:
    """Return the player that this is, names or makes."""
    if isinstance(maker, str):
        return make_player(maker, game)
    return cast(Player, maker) if is_player(maker) else cast(MakeFor, maker)(game)


def play_schedule(
    game: Game,
    players: Sequence[Maker],
    schedule: Schedule,
    terms: Terms = Terms(),  # noqa: B008 - frozen
    progress: OnGame | None = None,
    numbers: Array | None = None,
    stop: Stop | None = None,
) -> list[EndedGame]:
    """Play a schedule's games, or only those with the given numbers, and return them.

    If `stop` is set meanwhile, it raises Stopped.
    """
    numbers = np.arange(len(schedule.pairings)) if numbers is None else numbers
    crew = _Crew(game, players, schedule, terms)
    try:
        with (stop or Stop()).calling(crew.stop.set):
            crew.players(numbers)  # a wrong text is reported before the first game
            return crew.play(numbers, progress)
    finally:
        crew.dismiss()


def thought_of(
    player: Player,
    history: History,
    chance: int,
    limits: Limits = NO_LIMITS,
    stop: Stop | None = None,
) -> Thought:
    """Return what a player thinks; PartError if that is not a thought."""
    thought = player.think(history, chance, limits, stop)
    if not isinstance(thought, Thought) or not isinstance(thought.move, Integral):
        raise PartError(
            f"the player {player.name} returned {quoted(str(thought))}; "
            "think must return a Thought, whose move is a whole number."
        )
    return thought


def play_one(match: Match, players: tuple[Player, Player], chance: int, stop: Stop) -> GameRecord:
    """Play a match to its end between two players and return its record.

    If `stop` is set meanwhile, it raises Stopped instead of making another move.
    """
    spent = [0.0, 0.0]
    while not match.over:
        side = match.game.side(match.state)
        began = time.perf_counter()
        luck = address(chance, match.history.ply)
        thought = thought_of(players[side], match.history, luck, NO_LIMITS, stop)
        spent[side] += time.perf_counter() - began
        if stop.is_set:
            raise Stopped
        if thought.move < 0:
            match.forfeit()
        else:
            match.play(thought.move)
    return match.record((spent[0], spent[1]))


class _Crew:
    """Threads that share a list of games, each with players of its own; `stop` ends all games."""

    def __init__(
        self, game: Game, makers: Sequence[Maker], schedule: Schedule, terms: Terms
    ) -> None:
        self.game, self.makers, self.schedule, self.terms = game, makers, schedule, terms
        self.stop = Stop(final=True)
        self.local = threading.local()
        self.made: list[Player] = []

    def players(self, numbers: Array) -> dict[int, Player]:
        """Return this thread's players, those of the numbered games."""
        if not hasattr(self.local, "players"):
            wanted = np.unique(self.schedule.pairings[numbers]).tolist()
            makers = {index: self.makers[index] for index in wanted}
            self.local.players = {i: player_of(maker, self.game) for i, maker in makers.items()}
            # A given player is released by its owner. One step under the GIL.
            self.made += [self.local.players[i] for i in makers if not is_player(makers[i])]
        found: dict[int, Player] = self.local.players
        return found

    def dismiss(self) -> None:
        """Release the players of all threads."""
        for player in self.made:
            dismiss(player)

    def play(self, numbers: Array, progress: OnGame | None) -> list[EndedGame]:
        """Return the numbered games, in this order."""
        quick = {i for i, player in self.players(numbers).items() if finder_of(player)}
        alone = any(map(is_player, self.makers))
        threads = 1 if alone else self.terms.threads or os.cpu_count() or 1
        ended: dict[int, EndedGame] = {}

        def play(block: Array) -> None:
            for number, record, final in self._played(block, numbers):
                first, second = (int(player) for player in self.schedule.pairings[number])
                opening = int(self.schedule.opening_of[number])
                ended[number] = EndedGame(number, first, second, opening, record, final)
                if progress:
                    progress(ended[number])

        with ThreadPoolExecutor(threads) as pool:
            games = [pool.submit(play, each) for each in self._blocks(numbers, quick, threads)]
            try:
                wait(games, return_when=FIRST_EXCEPTION)
                for game in games:
                    if game.done():
                        game.result()
                return [ended[number] for number in numbers.tolist()]
            except BaseException:
                self._stop(games)
                raise

    def _blocks(self, numbers: Array, quick: set[int], threads: int) -> list[Array]:
        """Return the numbers of games that are played together."""
        pairings = self.schedule.pairings[numbers]
        together = np.asarray(np.isin(pairings, list(quick)).all(axis=1))
        # Games of the same players side by side: fewer calls.
        order = np.lexsort(np.sort(pairings, axis=1).T)
        several = numbers[order[together[order]]]
        size = max(1, min(SIDE_BY_SIDE, len(several) // (8 * threads)))
        blocks = [several[i : i + size] for i in range(0, len(several), size)]
        return blocks + list(numbers[~together, None])

    def _played(self, block: Array, numbers: Array) -> Iterator[tuple[int, GameRecord, Array]]:
        """Give the games of a block as they end: number, record and last position."""
        players, terms, schedule = self.players(numbers), self.terms, self.schedule
        found = {int(i): finder_of(players[i]) for i in np.unique(schedule.pairings[block])}
        finders = {i: finder for i, finder in found.items() if finder}
        if len(finders) == len(found):
            yield from play_side_by_side(
                self.game, finders, schedule, block, terms.seed, terms.draws, self.stop
            )
            return
        for number in block.tolist():
            first, second = (int(player) for player in schedule.pairings[number])
            start = schedule.openings[schedule.opening_of[number]]
            match = Match(self.game, start=start, draws=terms.draws)
            chance = address(terms.seed, "contest", number)
            record = play_one(match, (players[first], players[second]), chance, self.stop)
            yield number, record, match.state

    def _stop(self, games: Sequence[Future[None]]) -> None:
        """End all games and all thinking now."""
        self.stop.set()
        for game in games:
            game.cancel()
        if wait(games, PATIENCE).not_done:
            self.dismiss()  # a program that does not listen
