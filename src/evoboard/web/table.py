"""A game in progress: the match, who sits at it, what is thought of its positions.

It is saved as text after every move, so that nothing is lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evoboard.arena.game_text import GameText, game_spec, result_text, text_of, written
from evoboard.arena.match import Match
from evoboard.core.arrays import Array
from evoboard.core.errors import IllegalMove
from evoboard.core.rng import address
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.games.view import MoveLook, View
from evoboard.search.base import Thought
from evoboard.web.lines import (
    ENDED,
    Branch,
    Ending,
    Line,
    MainLine,
    begins,
    endings_told,
    forks,
    line_going_on,
    parting,
    still_apart,
    told_moves,
    with_line,
)
from evoboard.web.saving import save_soon
from evoboard.web.values import reason_text, seen_by_first

PERSON = "person"
RETRY = 20.0  # seconds until a game that could not be saved is tried to be saved again

# What has changed: the position (or whose game it is), what is thought of it, or who thinks now.
Change = Literal["position", "advice", "thinking"]
Seats = tuple[str, str]
Dropped = list[tuple[int, Line]]  # lines, each with its place among the others


@dataclass(eq=False)
class Table:
    """A match, who sits at it (PERSON or a player's text), and what is thought of each position.

    By ply, of the position after so many plies: `thoughts` of whoever was asked, `stills` an
    evaluation without search (for side 0), and `seconds`, the time the move that led there took.
    `endings` are results (for side 0) and reasons that the rules do not know of, such as a
    resignation, by the line that ended so; `closed` is that of the line looked at. `names` are what
    the persons at it are called, where a file of a game told so. The match is the line that is
    looked at: the main one, or another, and then `main` holds the main one; `lines` are those
    besides it that were tried and left again. `host` (see `web.host`) moves for the players while
    there are `visitors`; `since` is when the one who `thinks` began, or began to be compiled while
    it `prepares`; `prepared` is how long that took, by ply. `trouble` is what went wrong with a
    player, `unsaved` why the game is not on disk; `kept` is set once it has been, so that what is
    undone is undone there, too.
    """

    name: str
    match: Match
    seats: Seats = (PERSON, PERSON)
    seed: int = 1
    adviser: str = ""
    names: tuple[str, str] = ("", "")
    main: MainLine | None = None
    lines: list[Line] = field(default_factory=list)
    endings: dict[Line, Ending] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    thoughts: dict[int, Thought] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    prepared: dict[int, float] = field(default_factory=dict)
    stills: dict[int, float] = field(default_factory=dict)
    listeners: list[Callable[[Change], None]] = field(default_factory=list)
    visitors: int = 0
    host: Any = None
    thinks: bool = False
    prepares: bool = False
    since: float = 0.0
    trouble: str = ""
    unsaved: str = ""
    kept: bool = False
    version: int = 0
    _tries_again: bool = False
    _labels: list[str] = field(default_factory=list)
    _branches: dict[tuple[Line, int, int], Branch] = field(default_factory=dict)
    _aside: dict[Line, tuple[Thought | None, float | None, int]] = field(default_factory=dict)
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
    def closed(self) -> Ending | None:
        """What ended the line that is looked at, where the rules do not."""
        return self.endings.get(tuple(self.match.moves))

    @closed.setter
    def closed(self, ending: Ending | None) -> None:
        line = tuple(self.match.moves)
        self.endings.pop(line, None)
        if ending:
            self.endings[line] = ending

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
    def below(self) -> int:
        """The side at the bottom of the board: as it was where this was copied from, if it was."""
        noted = self.extra.get("below", "")
        return int(noted) if noted in ("0", "1") else self.person

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
        why = reason_text(self.reason, self.ply)
        if self.result == 0:
            return f"Draw: {why}"
        return f"{self.game.sides[0 if self.result > 0 else 1]} wins: {why}"

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
        """Undo the last plies and whatever ended the game.

        Where nothing is left of another line, the main one is there again as a whole.
        """
        left, self.closed = tuple(self.match.moves), None
        kept = left[: max(0, self.ply - plies)]
        if self.main and begins(self.main.line, kept):
            self._go_along(self.main.line)
            self.main = None
        else:
            self._go_along(kept)
        self.lines = [line for line in self.lines if line != left]
        self.changed()

    def take_back_turn(self) -> None:
        """Undo to the person's last turn: their own move, and the answer to it."""
        if self.closed and self.seats[self.side] == PERSON:
            return self.take_back(0)
        plies = 1
        while plies < self.ply and self.seats[self._side_before(plies)] != PERSON:
            plies += 1
        return self.take_back(plies)

    @property
    def main_line(self) -> Line:
        """The moves of the main line."""
        return self.main.line if self.main else tuple(self.match.moves)

    def branch(self, ply: int, moves: Sequence[int]) -> None:
        """Play these moves after so many plies; the line that is left stays among the others.

        Where one of those begins like this, it is taken up again.
        """
        if ply == self.ply and self.match.over:
            raise IllegalMove(f"the game has ended ({self.match.reason}); no move can follow.")
        begun = (*self.match.moves[:ply], *moves)
        self.take_up(line_going_on([self.main_line, *self.lines], begun))

    def take_up(self, line: Line) -> None:
        """Look at another line; the one that is left stays among the others.

        What goes on from the end of the main line is the main line, unless that was given up there.
        """
        left = tuple(self.match.moves)
        if line == left:
            return
        main = self.main or MainLine(left, self._own_text(), self.verdict())
        self._go_along(line)
        if self.main:
            self.lines = with_line(self.lines, left)
        goes_on = begins(line, main.line) and main.line not in self.endings
        self.main = None if goes_on or line == main.line else main
        self.changed()

    def _go_along(self, line: Line) -> None:
        """Play a line instead of the present one; IllegalMove changes nothing."""
        left = tuple(self.match.moves)
        ply = parting(line, left)
        for at in range(ply + 1, self.ply + 1):
            side = self.game.side(self.match.states[at])
            self._aside[left[:at]] = self.thoughts.get(at), self.stills.get(at), side
        try:
            self._replay(ply, line)
        except IllegalMove:
            self._replay(ply, left)
            raise
        for at in range(ply + 1, self.ply + 1):
            thought, still, _ = self._aside.pop(line[:at], (None, None, 0))
            if thought is not None:
                self.thoughts[at] = thought
            if still is not None:
                self.stills[at] = still

    def _replay(self, ply: int, line: Line) -> None:
        while self.ply > ply:
            self.match.take_back()
        self._forget_after()
        for move in line[ply:]:
            if self.match.over:  # people look beyond what our rules call a draw
                break
            self.match.play(move)

    def make_main(self, branch: Branch) -> None:
        """Make a line the main one; the main one so far stays among the others."""
        old = self.main_line
        self.take_up(branch.line)
        self.main = None
        self.lines = [old, *(line for line in self.lines if line != branch.line)]
        self.changed()

    def drop_line(self, branch: Branch) -> Dropped:
        """Forget a line and whatever leaves it; who looks at one of those sees what it left.

        Return what `bring_back` needs.
        """
        gone = branch.line[: branch.ply + 1]
        if begins(tuple(self.match.moves), gone):
            self.take_up(self.branches()[branch.parent].line)
        dropped = [(at, line) for at, line in enumerate(self.lines) if begins(line, gone)]
        self.lines = [line for line in self.lines if not begins(line, gone)]
        self.save()
        self.tell("advice")
        return dropped

    def bring_back(self, dropped: Dropped) -> None:
        """Have lines again that were dropped, each in its place."""
        for at, line in dropped:
            self.lines.insert(at, line)
        self.save()
        self.tell("advice")

    def branches(self) -> list[Branch]:
        """Return all lines, the main one first, each with where it leaves another."""
        current = tuple(self.match.moves)
        lines = with_line(self.lines, current) if self.main else self.lines
        known = self._branches
        self._branches = {}
        for fork in forks(self.main_line, still_apart(lines, self.main_line)):
            self._branches[fork] = known.get(fork) or self._branch(*fork)
        return list(self._branches.values())

    def _branch(self, line: Line, parent: int, ply: int) -> Branch:
        return Branch(line, parent, ply, self._told(line, ply, self.game.move_label))

    def _told(self, line: Line, ply: int, tell: Callable[[Array, int], str]) -> tuple[str, ...]:
        """Return a line's moves after so many plies in words."""
        return told_moves(self.game, self._after(line, ply), line[ply:], tell)

    def _after(self, line: Line, ply: int) -> Array:
        """Return the position after so many plies of any line."""
        common = min(ply, parting(line, self.match.moves))
        state = self.match.states[common]
        for move in line[common:ply]:
            state = self.game.apply(state, move)
        return state

    def values_on(self, line: Line) -> list[float | None]:
        """Return what is thought of a line's positions, the first left out, for side 0."""
        common = parting(line, self.match.moves)
        found: list[float | None] = []
        for ply in range(1, len(line) + 1):
            if ply <= common:
                thought, side = self.thoughts.get(ply), self.game.side(self.match.states[ply])
            else:
                thought, _, side = self._aside.get(line[:ply], (None, None, 0))
            found.append(None if thought is None else seen_by_first(thought.value, side))
        return found

    def branch_shown(self) -> int:
        """Return the number of the line that is looked at, among all branches."""
        current = tuple(self.match.moves)
        return next((i for i, b in enumerate(self.branches()) if begins(b.line, current)), 0)

    def ask_adviser(self, text: str) -> None:
        """Have another player say what it thinks, of every position anew."""
        self.adviser = text
        for known in (self.thoughts, self.stills, self._aside):
            known.clear()
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
        kept, lines = self.game_text(), [branch.line for branch in self.branches()]
        told = endings_told(self.endings, lines)
        return written(replace(kept, extra={**kept.extra, ENDED: told}))

    def game_text(self) -> GameText:
        """Return the game as it stands, to be written in any notation: main line and variations."""
        kept = self.main.text if self.main else self._own_text()
        extra = {**self.extra, "seed": str(self.seed), "adviser": self.adviser}
        variations = tuple(self._as_text(branch.line) for branch in self.branches()[1:])
        return replace(kept, extra=extra, variations=variations)

    def _own_text(self) -> GameText:
        """Return the line that is looked at, without any other."""
        people = (self.names[0] or self.seats[0], self.names[1] or self.seats[1])
        kept = text_of(self.match, people, self.spec)
        if self.closed:
            kept = replace(kept, result=result_text(self.result), reason=self.reason)
        return kept

    def _as_text(self, line: Line) -> tuple[int, tuple[str, ...]]:
        ply = parting(line, self.main_line)
        return ply + 1, self._told(line, ply, self.game.move_text)

    def save(self) -> None:
        """Write the game to its file, soon; a game without a move is not worth a file."""
        self.kept = bool(self.kept or self.ply or self.closed or self.lines)
        if self.kept:
            save_soon(self.name, self.text(), self._saved)

    def _saved(self, told: str) -> None:
        if told and not self._tries_again:
            with suppress(RuntimeError):  # without an event loop nobody waits for room
                asyncio.get_running_loop().call_later(RETRY, self._try_again)
                self._tries_again = True
        if told != self.unsaved:
            self.unsaved = told
            self.tell("advice")

    def _try_again(self) -> None:
        self._tries_again = False
        if self.unsaved:
            self.save()

    def _side_before(self, plies: int) -> int:
        return self.game.side(self.match.states[-1 - plies])

    def _forget_after(self) -> None:
        del self._labels[self.ply :]
        by_ply: tuple[dict[int, Any], ...]
        by_ply = (self.thoughts, self.stills, self.seconds, self.prepared, self._views)
        for known in by_ply:
            for ply in [ply for ply in known if ply > self.ply]:
                del known[ply]
