"""Games in progress: one table each, saved as text after every move, so that nothing is lost.

A table is known by its name, which is in the page's address: a reload, or a restart of the server,
finds it again. Tabs with different addresses have different tables and never meet.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evoboard.arena.game_text import (
    RESULTS,
    game_spec,
    read_text,
    replayed,
    result_text,
    text_of,
    variations_replayed,
    written,
)
from evoboard.arena.match import Match
from evoboard.core.errors import EvoboardError, IllegalMove, NotationError
from evoboard.core.rng import address
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.games.rules import Array
from evoboard.games.view import MoveLook, View
from evoboard.search.base import Thought
from evoboard.web.folders import NAME, game_path, write_whole
from evoboard.web.lines import Branch, Line, labels_of, line_going_on, parting, still_apart

PERSON = "person"
MOST_OPEN = 200  # tables in memory; the others are on disk

# What has changed: the position (or whose game it is), what is thought of it, or who thinks now.
Change = Literal["position", "advice", "thinking"]
Seats = tuple[str, str]

# One thread, so that the last state of a table is written last.
_writer = ThreadPoolExecutor(1, thread_name_prefix="evoboard-save")


@dataclass(eq=False)
class Table:
    """A match, who sits at it (PERSON or a player's text), and what is thought of each position.

    By ply, of the position after so many plies: `thoughts` of whoever was asked, `stills` an
    evaluation without search (for side 0), and `seconds`, the time the move that led there took.
    `closed` is a result (for side 0) and reason that the rules do not know of, such as a
    resignation. `lines` are those that were tried and left again. `host` (see `thinking`) moves
    for the players while there are `visitors`; `since` is when the one who `thinks` began.
    `trouble` is what went wrong with a player, `unsaved` why the game is not on disk.
    """

    name: str
    match: Match
    seats: Seats = (PERSON, PERSON)
    seed: int = 1
    adviser: str = ""
    closed: tuple[int, str] | None = None
    lines: list[Line] = field(default_factory=list)
    thoughts: dict[int, Thought] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    stills: dict[int, float] = field(default_factory=dict)
    listeners: list[Callable[[Change], None]] = field(default_factory=list)
    visitors: int = 0
    host: Any = None
    thinks: bool = False
    since: float = 0.0
    trouble: str = ""
    unsaved: str = ""
    version: int = 0
    _labels: list[str] = field(default_factory=list)
    _branches: list[Branch] = field(default_factory=list)
    _views: dict[int, View] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.game: Game = self.match.game
        self.spec = game_spec(self.game)

    @property
    def title(self) -> str:
        """The game's name, with the options that are not its defaults."""
        options = split_options(self.spec)[1]
        told = ", ".join(f"{key} {value}" for key, value in options.items())
        return f"{self.game.name}, {told}" if told else self.game.name

    @property
    def ply(self) -> int:
        """How many plies have been played."""
        return len(self.match.moves)

    @property
    def side(self) -> int:
        """The side to move."""
        return self.game.side(self.match.state)

    @property
    def over(self) -> bool:
        """Tell whether the game has ended."""
        return self.closed is not None or self.match.over

    @property
    def result(self) -> int:
        """+1 where side 0 has won, -1 where side 1 has, 0 for a draw or a game in progress."""
        return self.closed[0] if self.closed else self.match.result

    @property
    def reason(self) -> str:
        """Why the game has ended."""
        return self.closed[1] if self.closed else self.match.reason

    @property
    def person(self) -> int:
        """The side of the person; where both are (or none is) one, side 0."""
        return 1 if self.seats[1] == PERSON and self.seats[0] != PERSON else 0

    @property
    def persons_turn(self) -> bool:
        """Tell whether a person is to move."""
        return not self.over and self.seats[self.side] == PERSON

    @property
    def chance(self) -> int:
        """The chance of the move to be made now."""
        return address(self.seed, "table", self.ply)

    def verdict(self) -> str:
        """Return how the game has ended, with the reason; empty while it goes on."""
        if not self.over:
            return ""
        if self.result == 0:
            return f"Draw: {self.reason}"
        return f"{self.game.sides[0 if self.result > 0 else 1]} wins: {self.reason}"

    def labels(self) -> list[str]:
        """Return the moves as people of this game write them."""
        while len(self._labels) < self.ply:
            at = len(self._labels)
            self._labels.append(self.game.move_label(self.match.states[at], self.match.moves[at]))
        return self._labels

    def look(self, ply: int) -> MoveLook | None:
        """Return how the move that led to the position after `ply` plies looks."""
        if not 0 < ply <= self.ply:
            return None
        looks = self.view(ply - 1).moves
        return next((look for look in looks if look.move == self.match.moves[ply - 1]), None)

    def view(self, ply: int) -> View:
        """Return what the position after `ply` plies looks like."""
        if ply not in self._views:
            self._views[ply] = self.game.view(self.match.states[ply])
        return self._views[ply]

    def play(self, move: int) -> None:
        """Make a legal move; IllegalMove changes nothing."""
        if self.closed:
            raise IllegalMove(f"the game has ended ({self.reason}); no move can follow.")
        self.match.play(move)
        self.changed()

    def forfeit(self) -> None:
        """End the game: the player to move named no legal move."""
        self.match.forfeit()
        self.changed()

    def take_back(self, plies: int = 1) -> None:
        """Undo the last plies and whatever ended the game."""
        self.closed = None
        for _ in range(min(plies, self.ply)):
            self.match.take_back()
        self._forget_after()
        self.changed()

    def take_back_turn(self) -> None:
        """Undo to the person's last turn: their own move, and the answer to it."""
        if self.closed and self.seats[self.side] == PERSON:
            return self.take_back(0)
        plies = 1
        while plies < self.ply and self.seats[self._side_before(plies)] != PERSON:
            plies += 1
        return self.take_back(plies)

    def replace_from(self, ply: int, moves: Sequence[int]) -> None:
        """Undo everything after so many plies and play these moves instead."""
        self.closed = None
        while self.ply > ply:
            self.match.take_back()
        self._forget_after()
        for move in moves:
            self.match.play(move)
        self.changed()

    def branch(self, ply: int, moves: Sequence[int]) -> None:
        """Play these moves after so many plies; the line that is left stays among the others.

        Where one of those begins like this, it is taken up again.
        """
        left = tuple(self.match.moves)
        line = line_going_on(self.lines, (*left[:ply], *moves))
        self.lines.append(left)
        self.replace_from(ply, line[ply:])

    def drop_line(self, line: Line) -> None:
        """Forget one of the other lines."""
        self.lines = [other for other in self.lines if other != line]
        self.save()

    def branches(self) -> list[Branch]:
        """Return where the other lines leave the game."""
        current = tuple(self.match.moves)
        self.lines = still_apart(self.lines, current)
        known = {(branch.line, branch.ply): branch for branch in self._branches}
        self._branches = []
        for line in self.lines:
            ply = parting(line, current)
            branch = known.get((line, ply))
            if branch is None:
                labels = labels_of(self.game, self.match.states[ply], line[ply:])
                branch = Branch(line, ply, tuple(labels))
            self._branches.append(branch)
        return self._branches

    def ask_adviser(self, text: str) -> None:
        """Have another player say what it thinks, of every position anew."""
        self.adviser = text
        self.thoughts.clear()
        self.stills.clear()
        self.version += 1
        self.save()
        self.tell("advice")

    def resign(self, side: int) -> None:
        """End the game: `side` gives up."""
        if not self.over:
            self.closed = (-1 if side == 0 else 1, f"{self.game.sides[side]} resigned")
            self.changed()

    def changed(self) -> None:
        """Save the game and tell whoever listens that the position has changed."""
        self.version += 1
        self.save()
        self.tell("position")

    def tell(self, change: Change) -> None:
        """Tell every listener of a change."""
        for listener in list(self.listeners):
            listener(change)

    def text(self) -> str:
        """Return the game as text, to be kept or downloaded."""
        extra = {"seed": str(self.seed), "adviser": self.adviser}
        kept = text_of(self.match, self.seats, self.spec, **extra)
        if self.closed:
            kept = replace(kept, result=result_text(self.result), reason=self.reason)
        return written(replace(kept, variations=tuple(map(self._as_text, self.branches()))))

    def _as_text(self, branch: Branch) -> tuple[int, tuple[str, ...]]:
        state, texts = self.match.states[branch.ply], []
        for move in branch.line[branch.ply :]:
            texts.append(self.game.move_text(state, move))
            state = self.game.apply(state, move)
        return branch.ply + 1, tuple(texts)

    def save(self) -> None:
        """Write the game to its file, soon; a game without a move is not worth a file."""
        if self.ply or self.closed:
            _writer.submit(_write, self, self.text(), _running_loop())

    def _side_before(self, plies: int) -> int:
        return self.game.side(self.match.states[-1 - plies])

    def _forget_after(self) -> None:
        del self._labels[self.ply :]
        by_ply: tuple[dict[int, Any], ...]
        by_ply = (self.thoughts, self.stills, self.seconds, self._views)
        for known in by_ply:
            for ply in [ply for ply in known if ply > self.ply]:
                del known[ply]


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _write(table: Table, text: str, loop: asyncio.AbstractEventLoop | None) -> None:
    """Write a game; that a disk is full must not end it, but it must be told."""
    told = ""
    try:
        write_whole(game_path(table.name), text)
    except (OSError, EvoboardError) as error:
        logging.getLogger("evoboard").warning("the game %s cannot be saved: %s", table.name, error)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        told = f"This game cannot be saved: {reason}."
    if told != table.unsaved:
        table.unsaved = told
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(table.tell, "advice")


def flush() -> None:
    """Wait until all games are on disk."""
    _writer.submit(lambda: None).result()


def _new_name(game: Game) -> str:
    """Return a name nobody has; of a game's own name, what may be in the name of a file."""
    return f"{re.sub('[^A-Za-z0-9]+', '-', game.name).strip('-') or 'game'}-{secrets.token_hex(5)}"


class Tables:
    """All tables of a server. `load_game` decides which games a text may name."""

    def __init__(self, load_game: Callable[[str], Game]) -> None:
        self.load_game = load_game
        self._open: dict[str, Table] = {}

    def new(
        self,
        game: Game,
        seats: Seats = (PERSON, PERSON),
        *,
        start: Array | None = None,
        seed: int = 0,
        adviser: str = "",
    ) -> Table:
        """Return a new table with a name of its own."""
        seed = seed or secrets.randbelow(2**31) + 1
        start = game.initial(seed) if start is None else start
        match = Match(game, start=start)
        return self._kept(Table(_new_name(game), match, seats, seed, adviser))

    def find(self, name: str) -> Table | None:
        """Return the table of that name, from memory or disk; NotationError where it is damaged."""
        if name in self._open:
            return self._kept(self._open[name])
        if not NAME.fullmatch(name):
            return None
        try:
            content = game_path(name).read_text(encoding="utf-8")
        except OSError:
            return None
        except UnicodeDecodeError:
            raise NotationError(f"the file of the game {name} is no text in UTF-8.") from None
        try:
            return self._kept(self.from_text(content, name))
        except EvoboardError as error:
            raise NotationError(f"the game {name} cannot be read: {error}") from error

    def from_text(self, content: str, name: str = "") -> Table:
        """Return a table with the game that a text describes; it is not saved by that."""
        text = read_text(content)
        match = replayed(text, self.load_game(text.game))
        first, second = (player or PERSON for player in text.players)
        seed = text.extra.get("seed", "")
        table = Table(
            name or _new_name(match.game),
            match,
            (first, second),
            int(seed) if seed.isdecimal() and len(seed) < 12 else 1,
            text.extra.get("adviser", ""),
        )
        result = RESULTS[text.result]
        if result is not None and not match.over:
            table.closed = (result, text.reason or "agreed")
        table.lines = variations_replayed(text, match)
        return self._kept(table)

    def copy(self, table: Table, seats: Seats = (PERSON, PERSON)) -> Table:
        """Return a new table with the same game so far."""
        other = self.from_text(table.text())
        other.seats, other.closed = seats, None
        return other

    def _kept(self, table: Table) -> Table:
        """Remember a table as the one used last; forget old ones that nobody looks at."""
        self._open.pop(table.name, None)
        self._open[table.name] = table
        for name in list(self._open)[: max(0, len(self._open) - MOST_OPEN)]:
            if self._open[name].visitors <= 0:
                with suppress(KeyError):
                    del self._open[name]
        return table
