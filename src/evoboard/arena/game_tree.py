"""A game as a tree: every position that was reached, each with what is known about it.

The main line leads from the root along first children to `end`. Whatever else was tried leaves it,
or goes on beyond its end; such a line leads along first children as far as they go. `current` is
the last position of the line that is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from evoboard.core.arrays import Array
from evoboard.core.errors import IllegalMove, NotationError
from evoboard.games.adjudication import (
    ILLEGAL,
    MATCH_REASONS,
    NO_PROGRESS,
    PLAYING,
    PLY_CAP,
    REPETITION,
)
from evoboard.games.base import DrawRules, Game
from evoboard.games.history import History, reason_text, result_of
from evoboard.games.view import View
from evoboard.search.base import Thought
from evoboard.store.records import GameRecord

CLAIMED = (REPETITION, NO_PROGRESS, PLY_CAP)
UNCLAIMED = DrawRules(0, 0, 0)


class Ending(NamedTuple):
    """How a game ended where the rules do not say so: the result for side 0, and why."""

    result: int
    reason: str


@dataclass(eq=False, slots=True)
class Node:
    """A position, by the game that led there, its last move, and what is known about both.

    `static_eval` is an evaluation without search, for side 0; `seconds` is the time that the move
    took, after its player was `prepared` (compiled) for so long; `marks` are PGN's numbers ($14).
    """

    history: History
    parent: Node | None = None
    move: int = -1
    children: list[Node] = field(default_factory=list)
    thought: Thought | None = None
    static_eval: float | None = None
    seconds: float | None = None
    prepared: float = 0.0
    ending: Ending | None = None
    comment: str = ""
    marks: tuple[int, ...] = ()
    # Found when first asked for: what the rules say of it and its legal moves, texts, looks.
    judged: tuple[int, list[int]] | None = None
    label: str | None = None
    view: View | None = None

    @property
    def state(self) -> Array:
        """The position itself."""
        return self.history.state

    @property
    def ply(self) -> int:
        """After how many plies it was reached."""
        return self.history.ply

    def path(self) -> list[Node]:
        """Return the positions from the start of the game to this one."""
        found, node = [self], self
        while node.parent is not None:
            node = node.parent
            found.append(node)
        return found[::-1]

    def walk(self) -> Iterator[Node]:
        """Yield this position and all that follow."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def first_line(self) -> list[Node]:
        """Return this position and those that first children lead to."""
        found = [self]
        while found[-1].children:
            found.append(found[-1].children[0])
        return found

    def child(self, move: int) -> Node | None:
        """Return the position after a move, if that was played here."""
        return next((node for node in self.children if node.move == move), None)


class Branch(NamedTuple):
    """A line from where it leaves another; `parent` is that one's number, -1 for the main line."""

    nodes: list[Node]
    parent: int

    @property
    def ply(self) -> int:
        """After how many plies it leaves the other."""
        return self.nodes[0].ply - 1 if self.nodes else 0


class GameTree:
    """A game with all its lines; `players` and `tags` are what a file says about it.

    `draws` are the rules of repetition, progress and length it is played by.
    """

    def __init__(
        self,
        game: Game,
        *,
        start: Array | None = None,
        draws: DrawRules | None = None,
        players: tuple[str, str] = ("", ""),
        tags: dict[str, str] | None = None,
    ) -> None:
        self.game, self.draws = game, draws or game.draws
        self.players, self.tags = players, tags or {}
        self.root = self.end = Node(History(game, start, draws))
        self.line = [self.root]

    @classmethod
    def of_record(
        cls, record: GameRecord, game: Game, players: tuple[str, str] = ("", ""), **tags: str
    ) -> GameTree:
        """Return the record of a game as a tree of one line.

        NotationError: today's rules refuse it, or end it otherwise.
        """
        # What was played was legal, whatever would end it elsewhere.
        start = game.parse_state(record.start)
        tree = cls(game, start=start, draws=UNCLAIMED, players=players, tags=tags)
        other = f"; it was played by version {record.version} of the rules, this is {game.version}"
        hint = other if record.version != game.version else ""
        for ply, move in enumerate(record.moves, 1):
            if move not in game.legal_moves(tree.end.state):
                raise NotationError(f"ply {ply} cannot be played: move {move} is not legal{hint}.")
            tree.end = tree.add(tree.end, move)
        tree.line = tree.end.path()
        if tree.over(tree.end) and tree.result(tree.end) != record.result:
            raise NotationError(f"by today's rules it would have ended differently{hint}.")
        if not tree.over(tree.end) and record.code != PLAYING:
            tree.end.ending = Ending(record.result, record.reason)
        return tree

    # --- positions --------------------------------------------------------------------------

    @property
    def current(self) -> Node:
        """The last position of the line that is looked at."""
        return self.line[-1]

    @property
    def moves(self) -> list[int]:
        """The moves of the line that is looked at."""
        return [node.move for node in self.line[1:]]

    def side(self, node: Node) -> int:
        """Return the side to move."""
        return self.game.side(node.state)

    def label(self, node: Node) -> str:
        """Return the move that led to a position as people of this game write it."""
        if node.label is None and node.parent is not None:
            node.label = self.game.move_label(node.parent.state, node.move)
        return node.label or ""

    def history(self, node: Node) -> History:
        """Return the game that led to a position, for a player to think about."""
        return node.history.under(self.draws)

    def view(self, node: Node) -> View:
        """Return what a position looks like."""
        if node.view is None:
            node.view = self.game.view(node.state)
        return node.view

    def code(self, node: Node) -> int:
        """Return what the rules say of a position (see `games.adjudication`)."""
        return self._judged(node)[0]

    def legal(self, node: Node) -> list[int]:
        """Return the moves that may be played in a position; none where the rules end the game."""
        return self._judged(node)[1]

    def over(self, node: Node) -> bool:
        """Tell whether the game has ended in a position."""
        return node.ending is not None or self.code(node) != PLAYING

    def result(self, node: Node) -> int:
        """+1 if side 0 has won there, -1 if side 1 has, 0 for a draw or while it goes on."""
        if node.ending:
            return node.ending.result
        return result_of(self.game, node.state, self.code(node))

    def reason(self, node: Node) -> str:
        """Return why the game has ended in a position; empty where it goes on."""
        if node.ending:
            return node.ending.reason
        return reason_text(self.game, node.state, self.code(node))

    def _judged(self, node: Node) -> tuple[int, list[int]]:
        if node.judged is None:
            code, legal = node.history.verdict(self.draws)
            node.judged = code, legal if code == PLAYING else []
        return node.judged

    def claim(self, result: int | None) -> None:
        """Apply the rules to the main line as a file has it, with the result there, if any.

        People may play on where our rules call a draw by repetition, progress or length: in a game
        that did, or whose result is another one, those rules are not applied.
        """
        path = self.end.path()
        claimed = [self.code(node) in CLAIMED for node in path]
        if any(claimed[:-1]) or (claimed[-1] and result):
            self.draws = UNCLAIMED
            for node in self.root.walk():
                node.judged = None

    # --- playing ----------------------------------------------------------------------------

    def add(self, node: Node, move: int) -> Node:
        """Return the position after a legal move, whether it was played there before or not."""
        known = node.child(move)
        if known is None:
            known = Node(node.history.after(move), node, move)
            node.children.append(known)
        return known

    def play(self, move: int) -> None:
        """Make a legal move at the end of the line looked at; IllegalMove changes nothing."""
        left = self.current
        if left.ending:
            raise IllegalMove(f"the game has ended ({self.reason(left)}); no move can follow.")
        node = self._played(left, move)
        if left is self.end:
            self._lead(node)
        self.line = [*self.line, node]

    def branch(self, ply: int, move: int) -> None:
        """Make a legal move after `ply` plies; where it was made before, its line is taken up."""
        self.take_up(self._played(self.line[ply], move))

    def _played(self, node: Node, move: int) -> Node:
        if move not in self.legal(node):
            if self.code(node) != PLAYING:
                why = reason_text(self.game, node.state, self.code(node))
                raise IllegalMove(f"the game has ended ({why}); no move can follow.")
            position = self.game.state_text(node.state)
            raise IllegalMove(f"move number {move} is not legal in {position}.")
        return self.add(node, move)

    def forfeit(self) -> None:
        """End the line looked at: the side to move named no legal move, and loses."""
        if not self.over(self.current):
            result = -1 if self.side(self.current) == 0 else 1
            self.current.ending = Ending(result, MATCH_REASONS[ILLEGAL])

    def take_back(self, plies: int = 1) -> None:
        """Undo the last plies of the line looked at, and whatever ended it.

        What other lines have in common with it stays. Where nothing is left of a side line, the
        main one is looked at.
        """
        node = left = self.current
        left.ending = None
        for _ in range(min(plies, left.ply)):
            assert node.parent is not None
            # A line may go on from where the main one was given up: that stays.
            if not node.children and (left is self.end or not self.is_main(node)):
                node.parent.children.remove(node)
            node = node.parent
        if left is self.end:
            self.end = node
        self.line = (self.end if self.is_main(node) else node).path()

    # --- lines ------------------------------------------------------------------------------

    def is_main(self, node: Node) -> bool:
        """Tell whether a position belongs to the main line."""
        return node.ply <= self.end.ply and self.end.path()[node.ply] is node

    def holds(self, node: Node) -> bool:
        """Tell whether a position still belongs to the game."""
        path = node.path()
        return path[0] is self.root and all(
            node.parent and node in node.parent.children for node in path[1:]
        )

    def line_end(self, node: Node) -> Node:
        """Return the last position of the line that a position belongs to."""
        return self.end if self.is_main(node) else node.first_line()[-1]

    def take_up(self, node: Node) -> None:
        """Look at the line of a position, as far as it goes.

        What goes on from the end of the main line is the main line, unless that was given up there.
        """
        path = self.line_end(node).path()
        beyond = len(path) > self.end.ply + 1 and path[self.end.ply] is self.end
        if beyond and self.end.ending is None:
            self._lead(path[-1])
        self.line = path

    def make_main(self, node: Node) -> None:
        """Make the line of a position the main one, and look at it."""
        self._lead(node.first_line()[-1])
        self.line = self.end.path()

    def _lead(self, end: Node) -> None:
        """Make a position the end of the main line: it and all its ancestors become first
        children."""
        self.end = end
        for node in end.path()[1:]:
            assert node.parent is not None
            children = node.parent.children
            if children[0] is not node:
                children.remove(node)
                children.insert(0, node)

    def settle(self) -> None:
        """Put the main line first again, after lines were added in any order."""
        self._lead(self.end)

    def drop(self, node: Node) -> int:
        """Forget a position of a side line and all that follows; return its place.

        Where its line was looked at, the one it left is now.
        """
        assert node.parent is not None
        at = node.parent.children.index(node)
        del node.parent.children[at]
        if node.ply < len(self.line) and self.line[node.ply] is node:
            self.take_up(node.parent)
        return at

    def bring_back(self, node: Node, at: int) -> None:
        """Bring back a position that was dropped, with all that followed.

        Where it was reached again meanwhile, it joins what was played there.
        """
        assert node.parent is not None
        again = node.parent.child(node.move)
        if again is None:
            node.parent.children.insert(at, node)
        twins = [(again, node)] if again else []
        while twins:
            kept, lost = twins.pop()
            kept.comment, kept.marks = kept.comment or lost.comment, kept.marks or lost.marks
            kept.ending = kept.ending or lost.ending
            for child in lost.children:
                known = kept.child(child.move)
                if known:
                    twins.append((known, child))
                else:
                    child.parent = kept
                    kept.children.append(child)
        self.settle()

    def copy(self) -> GameTree:
        """Return another tree with the same lines, comments and endings, without thoughts."""
        other = GameTree(self.game, start=self.root.state, draws=self.draws)
        other.players, other.tags = self.players, dict(self.tags)
        twins = {self.root: other.root}
        for node in self.root.walk():
            twin = twins[node]
            twin.ending, twin.comment, twin.marks = node.ending, node.comment, node.marks
            twin.judged, twin.label, twin.view = node.judged, node.label, node.view
            twins |= {child: Node(child.history, twin, child.move) for child in node.children}
            twin.children = [twins[child] for child in node.children]
        other.end = twins[self.end]
        other.line = other.end.path()
        return other

    def branches(self) -> list[Branch]:
        """Return all lines, the main one first, each before those that leave it."""
        found: list[Branch] = []
        waiting: list[tuple[Node | None, int]] = [(None, -1)]
        while waiting:
            first, parent = waiting.pop()
            nodes = self.end.path()[1:] if first is None else first.first_line()
            leaving: list[Node] = []
            for node in nodes if first is None else nodes[1:]:
                assert node.parent is not None
                leaving += node.parent.children[1:]
            if first is None:
                leaving += self.end.children
            waiting += [(node, len(found)) for node in reversed(leaving)]
            found.append(Branch(nodes, parent))
        return found
