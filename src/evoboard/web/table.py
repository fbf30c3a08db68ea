"""A game in progress: the match, who sits at it, what is thought of its positions.

It is saved as text after every move, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evoboard.arena.game_text import game_spec, result_text, text_of, written
from evoboard.arena.match import Match
from evoboard.core.errors import IllegalMove
from evoboard.core.rng import address
from evoboard.games.base import Game
from evoboard.games.options import split_options
from evoboard.games.view import MoveLook, View
from evoboard.search.base import Thought
from evoboard.web.lines import Branch, Line, labels_of, line_going_on, parting, still_apart
from evoboard.web.saving import save_soon

PERSON = "person"

# What has changed: the position (or whose game it is), what is thought of it, or who thinks now.
Change = Literal["position", "advice", "thinking"]
Seats = tuple[str, str]


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
    extra: dict[str, str] = field(default_factory=dict)
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
        self.tell("advice")

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
        extra = {**self.extra, "seed": str(self.seed), "adviser": self.adviser}
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
        if self.ply or self.closed or self.lines:
            save_soon(self.name, self.text(), self._saved)

    def _saved(self, told: str) -> None:
        if told != self.unsaved:
            self.unsaved = told
            self.tell("advice")

    def _side_before(self, plies: int) -> int:
        return self.game.side(self.match.states[-1 - plies])

    def _forget_after(self) -> None:
        del self._labels[self.ply :]
        by_ply: tuple[dict[int, Any], ...]
        by_ply = (self.thoughts, self.stills, self.seconds, self._views)
        for known in by_ply:
            for ply in [ply for ply in known if ply > self.ply]:
                del known[ply]
