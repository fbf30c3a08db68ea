"""The words of Hub, version 2, the protocol of draughts programs, for English draughts.

Positions and moves are those of `players.hub_words`. Times are seconds, real numbers; scores are in
men, ±100 less a hundredth for every ply where the game is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, quoted
from evoboard.core.version import program_version
from evoboard.interop.engine import HASH, MOST_HASH, OVERHEAD, Engine, Go, Say, Speaker
from evoboard.interop.opinion import centipawns, has_opinion
from evoboard.players.hub_words import VARIANT, fen_of, move_text, read_line, read_move
from evoboard.search.base import MOST_THREADS, Thought
from evoboard.search.values import plies_to_end

MOST_OVERHEAD = 5.0  # seconds
FARTHEST = 1e15  # no number of a command means more than this
Arguments = Mapping[str, str]


class Hub(Speaker):
    """An engine that is spoken to in Hub."""

    BEST, PONDER, NO_MOVE = "done move={}", " ponder={}", "done"

    def __init__(self, engine: Engine, say: Say) -> None:
        super().__init__(engine, say, partial(move_text, engine.game))
        self._level: Arguments = {}

    def handle(self, line: str) -> bool:
        """Do what a line says; tell whether to go on listening."""
        command, given = read_line(line)
        if command == "quit":
            return False
        if command in COMMANDS:
            COMMANDS[command](self, given)
        return True

    def _hub(self, given: Arguments) -> None:
        version, player = program_version(), _quoted(self._engine.text)
        self._say(f'id name=evoboard version={version} author="the evoboard authors"')
        self._say(f"param name=variant value={VARIANT} type=enum values={VARIANT}")
        self._say(f"param name=player value={player} type=string")
        self._say(f"param name=hash value={HASH} type=int min=1 max={MOST_HASH}")
        self._say(f"param name=threads value=1 type=int min=1 max={MOST_THREADS}")
        self._say(f"param name=overhead value={OVERHEAD} type=real min=0 max={MOST_OVERHEAD:g}")
        self._say("wait")

    def _set_param(self, given: Arguments) -> None:
        name, value = given.get("name", ""), given.get("value", "")
        try:
            if name == "player":
                self._engine.choose(value)
            elif name == "hash":
                self._engine.set_megabytes(max(1, min(MOST_HASH, int(value))))
            elif name == "threads":
                self._engine.set_threads(max(1, min(MOST_THREADS, int(value))))
            elif name == "overhead":
                if (number := _number(value)) is None:
                    raise ValueError
                self._engine.overhead = max(0.0, min(MOST_OVERHEAD, number))
            elif name == "variant" and value != VARIANT:
                self.complain(f"the variant is {quoted(value)}, but this engine plays {VARIANT}.")
            elif name != "variant":
                self.complain(f"there is no parameter {quoted(name)}.")
        except ValueError:
            self.complain(f"{name} is {quoted(value)}; it must be a number.")
        except EvoboardError as error:
            self.complain(str(error))

    def _init(self, given: Arguments) -> None:
        self._engine.prepare(lambda: self._say("ready"), self)

    def _pos(self, given: Arguments) -> None:
        start, moves = given.get("pos", ""), given.get("moves", "").split()
        self._follow(start, moves, self._read_state, partial(read_move, self._engine.game))

    def _set_level(self, given: Arguments) -> None:
        self._level = given

    def _asked(self, given: Arguments) -> Go:
        level = {key: _number(value) for key, value in self._level.items()}
        numbers = (level.get(key) for key in ("depth", "nodes", "moves"))
        depth, nodes, moves = (None if number is None else int(number) for number in numbers)
        remaining, increment = level.get("time"), level.get("inc") or 0.0
        return Go(
            depth=depth,
            nodes=nodes,
            move_time=level.get("move-time"),
            # Hub adds the increment before a move, not after it.
            remaining=None if remaining is None else remaining + increment,
            increment=increment,
            moves_to_go=moves,
            endless="infinite" in self._level,
            ponder="ponder" in given,
        )

    def _ping(self, given: Arguments) -> None:
        self._say("pong")

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        """Say how far a search has come."""
        self._say(_info(thought, seconds, self._texts(state, thought.line)))

    def complain(self, message: str) -> None:
        """Say what is wrong."""
        self._say(f"error message={_quoted(message)}")

    def _read_state(self, text: str) -> Array:
        return self._engine.game.parse_state(fen_of(text))


def _info(thought: Thought, seconds: float, line: Sequence[str]) -> str:
    parts = [f"info depth={thought.depth}"]
    if has_opinion(thought):
        parts.append(f"score={_score(thought):.2f}")
    speed = thought.nodes / seconds / 1e6 if seconds > 0 else 0.0
    parts.append(f"nodes={thought.nodes} time={seconds:.3f} nps={speed:.3f}")
    return " ".join([*parts, f'pv="{" ".join(line)}"'] if line else parts)


def _score(thought: Thought) -> float:
    plies = plies_to_end(thought.value)
    if plies is None:
        return centipawns(thought.value, thought.scale) / 100
    return math.copysign(100 - plies / 100, thought.value)


def _quoted(text: str) -> str:
    return '"' + " ".join(text.replace('"', "'").split()) + '"'


def _number(text: str) -> float | None:
    """Return a number that a level may have, None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return max(-FARTHEST, min(FARTHEST, number)) if math.isfinite(number) else None


COMMANDS: dict[str, Callable[[Hub, Arguments], None]] = {
    "hub": Hub._hub,
    "set-param": Hub._set_param,
    "init": Hub._init,
    "new-game": Hub._new_game,
    "pos": Hub._pos,
    "level": Hub._set_level,
    "go": lambda hub, given: hub._go(hub._asked(given)),
    "stop": Hub._stop,
    "ponder-hit": Hub._ponder_hit,
    "ping": Hub._ping,
}
