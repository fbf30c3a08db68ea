"""What every protocol needs: the game so far, the player in a thread of its own, limits, stop."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.games.adjudication import ON_BOARD, STUCK
from evoboard.games.base import Game
from evoboard.games.history import History, legal_steps, reason_text
from evoboard.games.laws.rule_guard import describe_failure
from evoboard.interop.thinking import Search, SearchListener, ThinkingThread
from evoboard.players.base import (
    Player,
    SearchPlayer,
    asking_for_all,
    make_player,
    names_limit,
)
from evoboard.players.levels import level_of
from evoboard.search.base import Thought
from evoboard.search.limits import OPEN, Limits

OVERHEAD = 0.05  # seconds
HASH, MOST_HASH = 16, 2_048  # megabytes
ENTRY = 20  # bytes of a transposition table
LEAST = 0.001  # seconds: enough for a first look
MOVES_LEFT = 40  # assumed if the number of moves to the time control is not given
# A move may get more or less than its share of the clock: multiples of the share which, spent as
# `Search` does, come to one share a move (chess, 500 moves, measured in positions).
USUAL, MOST = 0.66, 2.75
COARSE = 0.05  # seconds: of a smaller share there is nothing to be saved

Say = Callable[[str], None]
ReadState = Callable[[str], Array]
ReadMove = Callable[[Array, str], int]


@dataclass(frozen=True)
class Go:
    """What another program asks for; times in seconds, None if nothing is said.

    `endless`: no answer before a stop. `ponder`: the clock does not run before the hit. `only`:
    the moves to choose from, where not all of them.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: float | None = None
    remaining: float | None = None
    increment: float = 0.0
    moves_to_go: int | None = None
    endless: bool = False
    ponder: bool = False
    only: tuple[int, ...] = ()

    def seconds(self, overhead: float) -> float | None:
        """Return how long to think, None without a clock.

        `overhead` is what may get lost between the two programs, at this move and at all others.
        No move takes more than half of what is left without that.
        """
        if self.endless:
            return None
        if self.move_time is not None:
            return max(LEAST, self.move_time - min(overhead, self.move_time / 10))
        if self.remaining is None:
            return None
        named = self.moves_to_go or 0
        moves = min(named + 1, MOVES_LEFT) if named > 0 else MOVES_LEFT
        lost = max(overhead, min(overhead * moves, self.remaining / 2))
        share = (self.remaining - lost) / moves + 0.75 * self.increment
        return max(LEAST, min(share, (self.remaining - overhead) / 2))

    def leeway(self, overhead: float) -> tuple[float, float] | None:
        """Return after how many seconds a move is usually clear, and the most that it may take.

        None where it is to think as long as `seconds` says.
        """
        share = self.seconds(overhead)
        if share is None or self.remaining is None or self.move_time is not None or share < COARSE:
            return None
        return USUAL * share, min(MOST * share, (self.remaining - overhead) / 2)

    def limits(self, player: str, overhead: float) -> Limits:
        """Return the limits for a player.

        A requested depth or number of nodes replaces the limits in the player's text. On a clock,
        limits in its text still hold (champion:depth=4); without any, it takes as much time as is
        sensible. With neither a request nor a clock, it looks as far as it usually does. All this
        is a wish: the other program waits for a move even if the player cannot keep to it.
        """
        seconds = self.seconds(overhead)
        depth, nodes = (n if n is None else max(1, n) for n in (self.depth, self.nodes))
        asked = depth is not None or nodes is not None
        timed = seconds is not None or self.endless or self.ponder
        if depth is None and (nodes is not None or (timed and not names_limit(player))):
            depth = OPEN
        return Limits(depth, nodes, seconds, instead=asked, wish=True)


class Engine:
    """A player of a game that is asked by another program, about one position at a time."""

    def __init__(self, game: Game, player: str) -> None:
        self.game, self.history = game, History(game)
        self._said: tuple[str | None, list[str]] = (None, [])
        self.overhead, self.megabytes, self.threads = OVERHEAD, HASH, 1
        self.elo: int | None = None  # how strong it is to play, where that is limited
        self.lines = 1  # moves to be told with their values
        self._refused: set[str] = set()  # limits that have been said not to hold
        self._worker = ThinkingThread()
        self._search: Search | None = None
        self._asked = 0
        self._player: Player | None = None
        self.choose(player)

    def choose(self, text: str) -> None:
        """Let another player play from the next search on; an error changes nothing."""
        self.text, self._player = text, self._made(make_player, text)
        self._judge: Player | None = None  # the same player, asked for the values of all moves

    def _made(self, make: Callable[[str, Game], Player], text: str) -> Player:
        player = make(text, self.game)
        if isinstance(player, SearchPlayer):
            bits = int(math.log2(self.megabytes * 2**20 / ENTRY))
            player.means = {"table_bits": bits, "threads": self.threads}
        if self.elo is not None:
            level = level_of(getattr(player, "rated", ""), self.elo)
            if isinstance(player, SearchPlayer):
                player.weaken(level)
        return player

    def clear(self) -> None:
        """Begin the next search without what those before have left in the table."""
        self.choose(self.text)

    @property
    def rated(self) -> str:
        """The champion that plays, if its strength can be limited to an Elo."""
        return getattr(self._player, "rated", "")

    def limit_strength(self, elo: int | None) -> None:
        """Play at an Elo from the next search on; None: as well as possible."""
        self._change("elo", elo)

    def set_megabytes(self, amount: int) -> None:
        """Give the search that much memory, from the next one on."""
        self._change("megabytes", amount)

    def set_threads(self, count: int) -> None:
        """Search with that many threads, from the next search on."""
        self._change("threads", count)

    def _change(self, name: str, value: int | None) -> None:
        """Change how the player plays, from the next search on; an error changes nothing."""
        before = getattr(self, name)
        setattr(self, name, value)
        try:
            self.choose(self.text)
        except Exception:
            setattr(self, name, before)
            raise

    def follow(
        self,
        start: str | None,
        moves: Sequence[str],
        read_state: ReadState | None = None,
        read_move: ReadMove | None = None,
    ) -> None:
        """Go to the position after these moves; NotationError, and no change, where none is.

        `start`: a position's text, None for the game's own start. Interfaces send the whole game
        again for every move: only what is new is read.
        """
        game, (begun, known), count = self.game, self._said, 0
        if start == begun:
            while count < min(len(moves), len(known)) and moves[count] == known[count]:
                count += 1
            history = self.history.until(count)
        else:
            first = None if start is None else (read_state or game.parse_state)(start)
            history = History(game, first)
        for text in moves[count:]:
            history = history.after((read_move or game.parse_move)(history.state, text))
        self.history, self._said = history, (start, list(moves))

    def ending(self) -> tuple[bool, str]:
        """Tell whether no move is possible, and why the game is over; "" if it is not.

        A game that is drawn by its history, such as repetition, can still be played on.
        """
        code, _ = self.history.verdict()
        return code in (ON_BOARD, STUCK), reason_text(self.game, self.history.state, code)

    def prepare(self, then: Callable[[], None], listener: SearchListener) -> None:
        """Compile all that thinking needs, in the player's thread; then call `then`."""
        player, limits = self._player, Go(move_time=LEAST).limits(self.text, 0)

        def task() -> None:
            try:
                self.ending()
                history = History(self.game)
                if player and history.verdict()[1]:
                    player.think(history, 1, limits)
            except Exception as error:
                listener.complain(describe_failure(error))
            then()

        self._worker.submit(task)

    @property
    def searching(self) -> bool:
        """Tell whether an answer is still to come."""
        return self._search is not None

    def go(self, asked: Go, listener: SearchListener) -> None:
        """Think about the position; the listener hears progress and the answer."""
        self.stop()
        self._asked += 1
        player = self._player
        if asked.only or self.lines > 1:
            try:
                player = self._judge = self._judge or self._made(asking_for_all, self.text)
            except Exception as error:  # whatever is wrong with its text by now, it can play
                listener.complain(describe_failure(error))
        assert player is not None
        limits = asked.limits(self.text, self.overhead)
        if isinstance(player, SearchPlayer):
            for why in player.refusals(limits):
                if why not in self._refused:
                    listener.complain(why)
                self._refused.add(why)
        usual, limits = self._leeway(asked, player, limits)
        search = Search(player, self.history, limits, asked.endless, asked.ponder, usual)
        self._search = search
        chance = self._asked
        told = _Relay(self, search, asked, listener)
        self._worker.submit(lambda: search.run(chance, told))

    def _leeway(self, asked: Go, player: Player, limits: Limits) -> tuple[float | None, Limits]:
        """Return after how many seconds a move is usually clear, if that may end the search, and
        the limits, which are wider then."""
        clock = asked.remaining is not None and asked.move_time is None
        if not clock or limits.depth != OPEN or limits.nodes is not None:
            return None, limits
        if len(asked.only or self.game.legal_moves(self.history.state)) == 1:
            return 0.0, limits  # there is nothing to find out
        found = asked.leeway(self.overhead)
        if not (found and isinstance(player, SearchPlayer) and player.goes_deeper(limits)):
            return None, limits
        return found[0], replace(limits, seconds=found[1])

    def stop(self) -> None:
        """Have a running search answer soon."""
        if (search := self._search) is not None:
            search.stop()

    def hit(self) -> None:
        """Let a search that ponders go on with its clock running."""
        if (search := self._search) is not None:
            search.hit()

    def forget(self, search: Search) -> None:
        """Stop waiting for the answer of this search."""
        if self._search is search:
            self._search = None

    def settle(self, seconds: float | None = None) -> bool:
        """Wait until nothing is under way any more; tell whether that is so."""
        return self._worker.settle(seconds)


class Speaker(SearchListener, ABC):
    """A protocol in which an engine is spoken to; `say` writes a line to the other program.

    What all protocols do is here; a subclass has the words.
    """

    BEST: str  # the answer, with the move and the reply that is expected
    PONDER: str
    NO_MOVE: str
    tells_draws = False  # before a search, that the game is drawn by its history

    def __init__(self, engine: Engine, say: Say, move_text: Callable[[Array, int], str]) -> None:
        self._engine, self._say, self._move_text = engine, say, move_text
        self._lost = False  # the last position could not be read

    @abstractmethod
    def handle(self, line: str) -> bool:
        """Do what a line says; tell whether to go on listening."""

    def _follow(self, start: str | None, moves: Sequence[str], *readers: Any) -> None:
        try:
            self._engine.follow(start, moves, *readers)
            self._lost = False
        except EvoboardError as error:
            self._lost = True
            self.complain(str(error))

    def _go(self, asked: Go) -> None:
        self._engine.stop()
        over, why = (True, "its position is unknown") if self._lost else self._engine.ending()
        if over:
            self.complain(f"there is no move: {why}.")
            return self._say(self.NO_MOVE)
        if why and self.tells_draws:
            self.complain(f"the game is drawn: {why}.")
        return self._engine.go(asked, self)

    def _new_game(self, given: Any) -> None:
        self._clear()
        self._follow(None, [])

    def _clear(self) -> None:
        try:
            self._engine.clear()
        except EvoboardError as error:  # its file may be gone; what has been loaded plays on
            self.complain(str(error))

    def _stop(self, given: Any) -> None:
        self._engine.stop()

    def _ponder_hit(self, given: Any) -> None:
        self._engine.hit()

    def answer(self, state: Array, thought: Thought | None, seconds: float) -> None:
        """Say the move, and which answer is expected."""
        if thought is None or thought.move < 0:
            self.complain("the player names no legal move.")
            return self._say(self.NO_MOVE)
        moves = thought.line if self._texts(state, thought.line) else (thought.move,)
        self.progress(state, replace(thought, line=moves), seconds)
        best, *replies = self._texts(state, moves)
        expected = self.PONDER.format(replies[0]) if replies else ""
        return self._say(self.BEST.format(best) + expected)

    def _texts(self, state: Array, moves: Sequence[int]) -> list[str]:
        return [self._move_text(*step) for step in legal_steps(self._engine.game, state, moves)]


class _Relay:
    """Passes on what a search says, and keeps to the moves that were asked about."""

    def __init__(self, engine: Engine, search: Search, asked: Go, listener: SearchListener) -> None:
        self._engine, self._search, self._listener = engine, search, listener
        self._only = asked.only

    def progress(self, state: Array, thought: Thought, seconds: float) -> None:
        if not self._only:
            self._listener.progress(state, thought, seconds)

    def answer(self, state: Array, thought: Thought | None, seconds: float) -> None:
        if thought is not None:
            thought = best_of(thought, self._only)
        legal = self._engine.game.legal_moves(state)
        if legal and (thought is None or thought.move not in legal):
            # A program that asks for a move waits for one, whatever went wrong.
            move = (*self._only, *legal)[0]
            self._listener.complain("the player names no legal move; the first one is played.")
            thought = Thought(move, 0.0, (move,), 0, 0, seconds, {})
        self._engine.forget(self._search)  # the program may ask again as soon as it has the answer
        self._listener.answer(state, thought, seconds)

    def complain(self, message: str) -> None:
        self._listener.complain(message)


def best_of(thought: Thought, moves: tuple[int, ...]) -> Thought:
    """Return the thought with the best of these moves, the first where none has a value; no others
    have one."""
    if not moves:
        return thought
    known = {move: thought.move_values[move] for move in moves if move in thought.move_values}
    if thought.move in moves:
        return replace(thought, move_values=known)
    move = max(known, key=lambda move: known[move], default=moves[0])
    value, depth = (known[move], thought.depth) if known else (0.0, 0)
    line = thought.move_lines.get(move, (move,))
    return replace(thought, move=move, line=line, value=value, depth=depth, move_values=known)
