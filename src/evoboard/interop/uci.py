"""The words of the Universal Chess Interface, for any game: positions and moves are its own texts.

Unknown words are ignored, as UCI demands; errors are reported by `info string`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, quoted
from evoboard.core.version import program_version
from evoboard.interop.engine import HASH, MOST_HASH, OVERHEAD, Engine, Go, Say, Speaker
from evoboard.interop.opinion import centipawns, has_opinion
from evoboard.players.levels import elo_range, level_of
from evoboard.search.base import MOST_THREADS, Thought
from evoboard.search.values import plies_to_end

NUMBERS = ("depth", "nodes", "mate", "movetime", "wtime", "btime", "winc", "binc", "movestogo")
WORDS = (*NUMBERS, "infinite", "ponder", "searchmoves")
MOST_OVERHEAD = 5_000  # milliseconds
MOST_LINES = 500
SOON = 3.0  # seconds in which isready is answered, compiled or not
FARTHEST = 10**15  # no number of a command means more than this


class Uci(Speaker):
    """An engine that is spoken to in UCI."""

    BEST, PONDER, NO_MOVE = "bestmove {}", " ponder {}", "bestmove (none)"
    tells_draws = True

    def __init__(self, engine: Engine, say: Say) -> None:
        super().__init__(engine, say, engine.game.move_text)
        self._debug = False
        self._limited, self._elo = False, 0  # 0: the highest there is

    def handle(self, line: str) -> bool:
        """Do what a line says; tell whether to go on listening."""
        words = line.split()
        while words:
            word, *words = words
            if word == "quit":
                return False
            if word in COMMANDS:
                COMMANDS[word](self, words)
                return True
            if self._debug:  # what is not known is left out, and the rest is done
                self.complain(f"unknown: {word}")
        return True

    def _uci(self, words: Sequence[str]) -> None:
        engine, name = self._engine, self._engine.game.name
        self._say(f"id name evoboard {program_version()} {name} {engine.text}")
        self._say("id author the evoboard authors")
        self._say(f"option name Player type string default {engine.text}")
        self._say(f"option name Hash type spin default {HASH} min 1 max {MOST_HASH}")
        self._say("option name Clear Hash type button")
        self._say(f"option name Threads type spin default 1 min 1 max {MOST_THREADS}")
        usual = round(1000 * OVERHEAD)
        self._say(f"option name Move Overhead type spin default {usual} min 0 max {MOST_OVERHEAD}")
        self._say("option name Ponder type check default false")
        self._say(f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}")
        if found := elo_range(engine.rated):
            least, most = found
            self._say("option name UCI_LimitStrength type check default false")
            self._say(f"option name UCI_Elo type spin default {most} min {least} max {most}")
        if name != "chess":
            self._say(f"option name UCI_Variant type combo default {name} var {name}")
        self._say("uciok")

    def _isready(self, words: Sequence[str]) -> None:
        """Say readyok when all is compiled, or soon: interfaces give up on silent engines.

        A search that is asked for meanwhile begins when compiling has ended.
        """
        if self._engine.searching:
            self._say("readyok")
            return
        self._engine.prepare(_OnceReady(self).compiled, self)

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = "off" not in words

    def _setoption(self, words: Sequence[str]) -> None:
        found = re.fullmatch(r"name (.+?)(?: value(?: (.*))?)?", " ".join(words), re.DOTALL)
        name, value = (found[1], found[2] or "") if found else ("", "")
        try:
            if name.lower() in OPTIONS:
                OPTIONS[name.lower()](self, value)
            else:
                self.complain(f"there is no option {quoted(name)}.")
        except ValueError:
            self.complain(f"{name} is {quoted(value)}; it must be a whole number.")
        except EvoboardError as error:
            self.complain(str(error))

    def _set_hash(self, value: str) -> None:
        self._engine.set_megabytes(max(1, min(MOST_HASH, int(value))))

    def _set_threads(self, value: str) -> None:
        self._engine.set_threads(max(1, min(MOST_THREADS, int(value))))

    def _set_overhead(self, value: str) -> None:
        self._engine.overhead = max(0, min(MOST_OVERHEAD, int(value))) / 1000

    def _set_lines(self, value: str) -> None:
        self._engine.lines = max(1, min(MOST_LINES, int(value)))

    def _set_limited(self, value: str) -> None:
        self._limit_strength(value.strip().lower() == "true", self._elo)

    def _set_elo(self, value: str) -> None:
        level_of(self._engine.rated, int(value))
        self._limit_strength(self._limited, int(value))

    def _limit_strength(self, limited: bool, elo: int) -> None:
        """Limit the strength or do not; an error changes nothing."""
        highest = (elo_range(self._engine.rated) or (0, 0))[1]
        self._engine.limit_strength((elo or highest) if limited else None)
        self._limited, self._elo = limited, elo

    def _set_variant(self, value: str) -> None:
        if value != (plays := self._engine.game.name):
            self.complain(f"the variant is {quoted(value)}, but this engine plays {plays}.")

    def _position(self, words: Sequence[str]) -> None:
        place = words.index("moves") if "moves" in words else len(words)
        kind, *text = words[:place] or [""]
        if kind not in ("startpos", "fen"):
            self._lost = True
            return self.complain("a position is startpos or fen and its text, then moves.")
        return self._follow(" ".join(text) if kind == "fen" else None, words[place + 1 :])

    def _asked(self, words: Sequence[str]) -> Go:
        given: dict[str, Any] = {}
        while words:
            word, *words = words
            if word == "searchmoves":
                count = next((i for i, word in enumerate(words) if word in WORDS), len(words))
                given["only"], words = self._moves(words[:count]), words[count:]
            elif word in ("infinite", "ponder"):
                given[word] = True
            elif word in NUMBERS and words and re.fullmatch("[+-]?[0-9]{1,18}", words[0]):
                given[word] = max(-FARTHEST, min(FARTHEST, int(words[0])))
        seconds = {key: given[key] / 1000 for key in given if key.endswith(("time", "inc"))}
        depth, side = given.get("depth"), self._clock()
        if "mate" in given:  # it is seen where the mated side would have to move
            depth = min(depth or FARTHEST, 2 * given["mate"])
        return Go(
            depth=depth,
            nodes=given.get("nodes"),
            move_time=seconds.get("movetime"),
            remaining=seconds.get(f"{side}time"),
            increment=seconds.get(f"{side}inc", 0.0),
            moves_to_go=given.get("movestogo"),
            endless=given.get("infinite", False),
            ponder=given.get("ponder", False),
            only=given.get("only", ()),
        )

    def _moves(self, texts: Sequence[str]) -> tuple[int, ...]:
        game, state, found = self._engine.game, self._engine.history.state, []
        for text in texts:
            try:
                found.append(game.parse_move(state, text))
            except EvoboardError as error:
                self.complain(str(error))
        return tuple(found)

    def _clock(self) -> str:
        """Return whose clock runs: w for White, and for the first side where none is called so."""
        game = self._engine.game
        side = game.side(self._engine.history.state)
        white = game.sides.index("White") if "White" in game.sides else 0
        return "w" if side == white else "b"

    def _ignore(self, words: Sequence[str] | str) -> None:
        """Do nothing: there is no registration, and pondering is the other program's choice."""

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        """Say what a search has found: the best move with its line, then other moves if wanted.

        A tree search may choose a move over one that it has hardly looked at and values more; that
        one is said to be as good, as lines come in the order of their values.
        """
        count = self._engine.lines
        values = {m: min(value, thought.value) for m, value in thought.move_values.items()}
        rest = sorted((m for m in values if m != thought.move), key=lambda m: -values[m])
        for number, move in enumerate([thought.move, *rest][:count], 1):
            told = thought
            if number > 1:
                line = thought.move_lines.get(move, (move,))
                told = replace(thought, move=move, line=line, value=values[move])
            moves = self._texts(state, told.line)
            self._say(self._info(told, seconds, moves, f" multipv {number}" if count > 1 else ""))

    def complain(self, message: str) -> None:
        """Say what is wrong."""
        self._say(f"info string {' '.join(message.split())}")

    def _info(self, thought: Thought, seconds: float, line: Sequence[str], which: str) -> str:
        searched = has_opinion(thought)
        reached = f" seldepth {thought.deepest}" if searched and thought.deepest else ""
        parts = [f"info depth {thought.depth}{reached}{which}"]
        if searched:
            parts.append(f"score {_score(thought)}")
        if searched and thought.table_use is not None:
            parts.append(f"hashfull {round(1000 * thought.table_use)}")
        speed = round(thought.nodes / seconds) if seconds > 0 else 0
        parts.append(f"nodes {thought.nodes} nps {speed} time {round(1000 * seconds)}")
        return " ".join([*parts, "pv", *line] if line else parts)


class _OnceReady:
    """One answer to isready, from the compiler or the clock, whichever is first."""

    def __init__(self, uci: Uci) -> None:
        self._uci, self._lock, self._said, self._done = uci, threading.Lock(), False, False
        self._timer = threading.Timer(SOON, self.early)
        self._timer.daemon = True
        self._timer.start()

    def compiled(self) -> None:
        """Say readyok, or that the wait is over."""
        self._timer.cancel()
        with self._lock:
            self._done = True
            if self._said:
                self._uci.complain("compiled; later starts need no compiling.")
            else:
                self._uci._say("readyok")

    def early(self) -> None:
        """Say readyok while compiling goes on."""
        with self._lock:
            if not self._done:
                self._said = True
                self._uci.complain("compiling the game and the search; the first move waits for it")
                self._uci._say("readyok")


def _score(thought: Thought) -> str:
    """Return the value as UCI writes it; a mate is counted in moves of the side that wins."""
    plies = plies_to_end(thought.value)
    if plies is None:
        return f"cp {centipawns(thought.value, thought.scale)}"
    return f"mate {(plies + 1) // 2 * (1 if thought.value > 0 else -1)}"


COMMANDS: dict[str, Callable[[Uci, Sequence[str]], None]] = {
    "uci": Uci._uci,
    "debug": Uci._set_debug,
    "isready": Uci._isready,
    "setoption": Uci._setoption,
    "register": Uci._ignore,
    "ucinewgame": Uci._new_game,
    "position": Uci._position,
    "go": lambda uci, words: uci._go(uci._asked(words)),
    "stop": Uci._stop,
    "ponderhit": Uci._ponder_hit,
}
OPTIONS: dict[str, Callable[[Uci, str], None]] = {
    "player": lambda uci, value: uci._engine.choose(value),
    "hash": Uci._set_hash,
    "clear hash": lambda uci, value: uci._clear(),
    "threads": Uci._set_threads,
    "move overhead": Uci._set_overhead,
    "ponder": Uci._ignore,
    "multipv": Uci._set_lines,
    "uci_limitstrength": Uci._set_limited,
    "uci_elo": Uci._set_elo,
    "uci_variant": Uci._set_variant,
}
