"""Other people's programs as players: what the protocols share.

A program is started when it is first asked something, spoken to in lines, and ended with its
player: when that is closed or collected, or when we end. Whatever goes wrong with it is an
EngineError that names it and what it said last; a move that is not legal forfeits the game, as
everybody's does.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import ConfigDict, Field

from evoboard.core.arrays import Array
from evoboard.core.errors import EngineError, NotationError, NotFound, OptionError, quoted, unknown
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.base import LimitedOptions
from evoboard.players.program import Program, find_command
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, OPEN, Limits, Stop
from evoboard.search.values import WON

DEFAULT_NODES = 1000
GRACE = 5.0  # seconds to answer after "stop"
ENDURANCE = 60  # times its patience that a thought may last, whatever is said meanwhile
OVERSTEP = 0.05  # seconds past the limit after which it is told to stop
TICK = 0.1


T = TypeVar("T")


class EngineOptions(LimitedOptions):
    """Options of every engine; the engine's own stand beside them."""

    model_config = ConfigDict(extra="allow")
    BARE: ClassVar[str] = "program"

    program: str = Field("", description="the program: its name or path, and its arguments")
    nodes: int | None = Field(
        None,
        ge=1,
        lt=2**62,
        description=f"positions it may look at; {DEFAULT_NODES} without another limit",
    )
    depth: int | None = Field(None, ge=1, lt=2**62, description="plies it may look ahead")
    folder: str = Field("", description="the folder to start it in")
    patience: float = Field(
        60.0, gt=0, lt=1e6, description="seconds of silence after which we give up on it"
    )


def worth(hundredths: float) -> float:
    """Return a score s in hundredths of a pawn or man as a value within ±1.

    2 / (1 + 10^(-s/400)) - 1, an expected result by the curve of Elo differences: 1 pawn is 0.28,
    3 pawns are 0.70, 10 are 0.99. `interop/opinion.py` makes centipawns of values by the inverse.
    """
    return math.tanh(math.log(10) * hundredths / 800)


def certain(plies: int, wins: bool) -> float:
    """Return the value of a win, or a loss, that happens after that many plies."""
    return (1 if wins else -1) * (float(WON) - plies)


@dataclass
class Heard:
    """What an engine has said of a position so far; moves are its own texts."""

    value: float | None = None
    depth: int = 0
    nodes: int = 0
    line: list[str] = field(default_factory=list)
    move_values: dict[str, float] = field(default_factory=dict)
    move_lines: dict[str, list[str]] = field(default_factory=dict)  # which begin with these moves


class ExternalPlayer(ABC):
    """A program that plays. Subclasses know the words of its protocol."""

    elo: int | None = None  # how strong it shall be; None: as strong as it can
    all_values = False  # whether it is asked for the value of every move

    def __init__(self, game: Game, kind: str, options: EngineOptions) -> None:
        self.game, self.name = game, kind
        self.command = find_command(options.program, kind)
        self.program_name = Path(self.command[0]).name
        self.own = Limits(options.depth, options.nodes, options.seconds)
        self.patience, self.folder = options.patience, options.folder
        if self.folder and not Path(self.folder).is_dir():
            raise NotFound(f"there is no folder {quoted(self.folder)} to start it in.")
        self.settings = {key: str(value) for key, value in (options.model_extra or {}).items()}
        self.known_options = list(type(options).model_fields)
        self._program: Program | None = None
        self._turn = threading.Lock()
        self._stop = Stop()  # of the thought under way
        self._stoppable = False  # it is searching and has not been told to stop

    @property
    def deterministic(self) -> bool:
        """Whether the same position, reached alike, always gets the same answer, for all we know.

        An engine that is made weaker makes random mistakes, and several threads race.
        """
        names = {plain_name(name): value for name, value in self.settings.items()}
        weakened = self.elo or {"skill_level", "uci_limitstrength"} & set(names)
        return self.own.seconds is None and not weakened and names.get("threads", "1") == "1"

    # --- the protocol's words -------------------------------------------------------------------

    @abstractmethod
    def greet(self, program: Program) -> None:
        """Exchange greetings and set the options."""

    @abstractmethod
    def forget(self, program: Program) -> None:
        """Make the engine forget everything it has seen."""

    @abstractmethod
    def ask(self, program: Program, history: History, limits: Limits) -> None:
        """Begin a search of the position that a game has come to."""

    @abstractmethod
    def hear(self, line: str, heard: Heard) -> str | None:
        """Take in a line; where it is the answer, return its move as the engine writes it."""

    @abstractmethod
    def read_move(self, state: Array, text: str) -> int:
        """Return the move that a text means; NotationError if there is none."""

    # --- a player ---------------------------------------------------------------------------------

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return the engine's answer within the smallest of all limits.

        Without a clock the engine first forgets what it has seen, so that its answer depends on
        the game so far alone.
        """
        limits = self._limits(limits)
        self._stop = Stop()
        with (stop or Stop()).calling(self._stop.set), self._stop.calling(self._say_stop):
            try:
                program = self._started()
                began = time.perf_counter()
                if limits.seconds is None:
                    self.forget(program)
                heard = Heard()
                with self._turn:
                    self.ask(program, history, limits)
                    self._stoppable = True
                answer = self._await_answer(program, limits, heard)
            except BaseException:  # the next question finds another process
                self.close()
                raise
            finally:
                self._stoppable = False
        return self._thought(history.state, answer, heard, time.perf_counter() - began)

    def start(self) -> None:
        """Start the program now: OptionError or EngineError tell that it cannot play this game."""
        self._started()

    def _say_stop(self) -> None:
        with self._turn, suppress(EngineError):  # `think` finds out by itself
            program = self._program
            if self._stoppable and program:
                self._stoppable = False
                program.send("stop")

    def close(self) -> None:
        """End the process, if there is one; a thought in progress ends with an EngineError."""
        program, self._program = self._program, None  # first, or it is told to stop and answers
        self._stop.set()  # for a thought whose process does not run yet
        if program:
            program.end()

    def _limits(self, limits: Limits) -> Limits:
        both = self.own.within(limits)
        if both.depth is not None and both.depth >= OPEN:
            both = replace(both, depth=None)
        return replace(both, nodes=DEFAULT_NODES) if both == NO_LIMITS else both

    def _started(self) -> Program:
        program = self._program  # another thread may close it
        if program is None:
            program = self._program = Program(self.command, self.folder, self.program_name)
            self.greet(program)
        return program

    def exchange(self, program: Program, said: str, word: str) -> list[str]:
        """Say something and return the answer, the lines up to the one that is `word`; once
        stopped, it does not wait long."""
        program.send(said)
        lines: list[str] = []
        now, patience, told = time.monotonic(), self.patience, False
        latest = now + patience
        while now < latest:
            if self._stop.is_set and not told:
                told, patience = True, min(GRACE, patience)
                latest = min(latest, now + patience)
            line = program.read(min(latest, now + TICK))
            if line is not None:
                if line.split()[:1] == [word]:
                    return lines
                lines.append(line)
            now = time.monotonic()
        raise program.trouble(f"has not said {quoted(word)} within {patience:g} s")

    def chosen(self, known: Mapping[str, T], own: Mapping[str, str]) -> Iterator[tuple[T, str]]:
        """Yield the options to set, as the engine describes them, with their values.

        `known` are its options by plain name, `own` those that are set in any case; OptionError for
        one that it does not have.
        """
        given = {plain_name(key.removeprefix("set_")): v for key, v in self.settings.items()}
        for name, value in {**own, **given}.items():
            if name not in known:
                known_names = [*known, *self.known_options]
                raise OptionError(unknown(f"option of {self.program_name}", name, known_names))
            yield known[name], value

    def _await_answer(self, program: Program, limits: Limits, heard: Heard) -> str:
        """Return the move that the engine names, and see to it that it keeps to its limits."""
        now = time.monotonic()
        clock = now + ENDURANCE * self.patience  # talking for ever is no thinking
        if limits.seconds is not None:
            clock = now + limits.seconds + OVERSTEP
        silent, told = now + self.patience, False
        while True:
            now = time.monotonic()
            if not told and (self._stop.is_set or now > clock or _beyond(limits, heard)):
                self._stop.set()
                self._say_stop()
                told, silent = True, now + min(GRACE, self.patience)
            line = program.read(min(silent, clock if not told else silent, now + TICK))
            if line is not None:
                answer = self.hear(line, heard)
                if answer is not None:
                    return answer
                if not told:
                    silent = time.monotonic() + self.patience
            if time.monotonic() >= silent and (told or limits.seconds is None):
                what = "does not stop when told to" if told else "thinks without saying anything"
                raise program.trouble(f"{what}, and is given up")

    def _thought(self, state: Array, answer: str, heard: Heard, seconds: float) -> Thought:
        move = self._legal(state, answer)
        line = self._line(state, heard.line)
        if line[:1] != (move,):
            line = (move,) if move >= 0 else ()
        judged = heard.move_values if self.all_values else {}
        values = {self._legal(state, text): value for text, value in judged.items()}
        values.pop(-1, None)
        lines = {
            found[0]: found
            for text in judged
            if (found := self._line(state, heard.move_lines.get(text, [])))
        }
        value = heard.value or 0.0
        return Thought(move, value, line, heard.nodes, heard.depth, seconds, values, 1.0, lines)

    def _legal(self, state: Array, text: str) -> int:
        """Return the move a text means, -1 if it is not legal."""
        with suppress(NotationError):
            return self.read_move(state, text)
        return -1

    def _line(self, state: Array, texts: list[str]) -> tuple[int, ...]:
        line: list[int] = []
        for text in texts:
            move = self._legal(state, text) if self.game.legal_moves(state) else -1
            if move < 0:
                break
            line.append(move)
            state = self.game.apply(state, move)
        return tuple(line)


def plain_name(name: str) -> str:
    """Return an engine's name for an option as a player's text has it: Skill Level, skill_level."""
    return "".join(c if c.isalnum() else "_" for c in name).lower()


def _beyond(limits: Limits, heard: Heard) -> bool:
    """Tell whether an engine searches on past its limit: not all know every kind of limit."""
    deep = limits.depth is not None and heard.depth > limits.depth
    return deep or (limits.nodes is not None and heard.nodes > 2 * limits.nodes + 10_000)
