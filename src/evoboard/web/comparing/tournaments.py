"""Tournaments that are played in threads of their own while the server goes on.

The games are those of `evoboard tournament` with the same players and seed. A tournament can be
cancelled at any moment: the games that have ended stay.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from evoboard.arena.contest import EndedGame, Terms, play_schedule
from evoboard.arena.schedules import Schedule, paired_games, single_round_robin
from evoboard.core.errors import OptionError
from evoboard.core.settings import Settings
from evoboard.games.base import Game
from evoboard.players.base import make_player
from evoboard.search.limits import Stop, Stopped
from evoboard.training.experiment import EvenGames
from evoboard.web.async_player import log_failure

MOST_PLAYERS = 16
MOST_GAMES = 20_000
MOST_PLIES = 100  # of an opening
MOST_AT_ONCE = 2
KEPT = 12  # in memory of those that are on disk
FEWEST = 5  # games that tell how long the rest takes
PATIENCE = 3.0  # seconds that the end of the server waits for tournaments

State = Literal["playing", "finished", "cancelled", "failed"]


class TournamentPlan(Settings):
    """A tournament to be played: every two players meet `games` times."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    game: Game
    players: tuple[str, ...] = Field(min_length=2, max_length=MOST_PLAYERS)
    games: EvenGames
    seed: int = Field(1, ge=0, lt=1 << 62)
    opening_plies: int | None = Field(None, ge=0, le=MOST_PLIES)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(set(self.players)) < len(self.players):
            raise OptionError("a player is chosen twice; give one of them another limit.")
        if self.total > MOST_GAMES:
            raise OptionError(
                f"that makes {self.total:,} games; at most {MOST_GAMES:,} are played here. "
                "`evoboard tournament` plays more."
            )
        return self

    @property
    def total(self) -> int:
        """The number of all games."""
        return self.games * len(self.players) * (len(self.players) - 1) // 2

    def schedule(self) -> Schedule:
        """Return who meets whom, from which opening."""
        pairs = single_round_robin(len(self.players))
        return paired_games(self.game, pairs, self.games, self.seed, self.opening_plies)


@dataclass(eq=False)
class Tournament:
    """A tournament, as far as it has been played.

    `told` says what went wrong; `kept`: it is on disk in its present state.
    """

    plan: TournamentPlan
    name: str = field(default_factory=lambda: f"tournament-{secrets.token_hex(4)}")
    state: State = "playing"
    told: str = ""
    ended: list[EndedGame] = field(default_factory=list)
    kept: bool = False

    def __post_init__(self) -> None:
        self._turn = threading.Lock()
        self._stop = Stop()
        self._began = time.monotonic()

    def seconds_left(self, done: int) -> float | None:
        """Return how long the rest takes at the pace of the games so far; None at the beginning."""
        if self.state != "playing" or done < FEWEST:
            return None
        return (time.monotonic() - self._began) / done * (self.plan.total - done)

    def games(self) -> list[EndedGame]:
        """Return the games that have ended, in the schedule's order."""
        with self._turn:
            return sorted(self.ended, key=lambda each: each.number)

    def play(self) -> None:
        """Play all games; to be called in a thread of its own."""
        plan, self._began = self.plan, time.monotonic()
        try:
            makers = [partial(make_player, text) for text in plan.players]
            terms = Terms(plan.seed, plan.opening_plies)

            def note(game: EndedGame) -> None:
                with self._turn:
                    self.ended.append(game._replace(final=None))

            play_schedule(plan.game, makers, plan.schedule(), terms, note, stop=self._stop)
            self.state = "finished"
        except Stopped:
            self.state = "cancelled"
        except Exception as error:
            self.state, self.told = "failed", log_failure(error)

    def cancel(self) -> None:
        """End the tournament now; players that think are stopped."""
        self._stop.set()


class Tournaments:
    """The tournaments of a server by name; the finished ones are also on disk (see `saved`)."""

    def __init__(self) -> None:
        self._known: dict[str, Tournament] = {}
        self._threads: list[threading.Thread] = []

    def start(self, plan: TournamentPlan, on_end: Callable[[Tournament], Any]) -> Tournament:
        """Begin a tournament in the background; `on_end` is called in its thread when it has
        ended."""
        playing = [each for each in self._known.values() if each.state == "playing"]
        if len(playing) >= MOST_AT_ONCE:
            raise OptionError(
                f"{MOST_AT_ONCE} tournaments are being played; wait for one, or cancel it."
            )
        tournament = self.add(Tournament(plan))

        def work() -> None:
            tournament.play()
            on_end(tournament)

        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._threads.append(threading.Thread(target=work, name=tournament.name, daemon=True))
        self._threads[-1].start()
        return tournament

    def cancel_all(self) -> None:
        """End all that are being played, when the server ends, and wait until they are saved."""
        for tournament in self._known.values():
            if tournament.state == "playing":
                tournament.cancel()
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def find(self, name: str) -> Tournament | None:
        """Return the tournament of that name, if it is known."""
        return self._known.get(name)

    def add(self, tournament: Tournament) -> Tournament:
        """Remember a tournament, and forget the oldest that are on disk."""
        found = self._known.setdefault(tournament.name, tournament)
        on_disk = [name for name, each in self._known.items() if each.kept]
        for name in on_disk[:-KEPT]:
            del self._known[name]
        return found


tournaments = Tournaments()
