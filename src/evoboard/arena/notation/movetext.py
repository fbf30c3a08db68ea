"""The moves of a game as texts of the PGN family have them: numbered, with variations, wrapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evoboard.arena.game_text import MOST_PLIES, MOST_VARIATIONS, written_result
from evoboard.arena.game_tree import GameTree, Node
from evoboard.core.arrays import Array
from evoboard.core.errors import NotationError, quoted
from evoboard.core.wording import counted, listed
from evoboard.games.base import Game
from evoboard.games.rules import ONGOING

WIDTH = 79  # PGN's lines are shorter than 80 characters
SHOWN = 6  # legal moves named in an error
# Signs of opinion such as +- and =; parentheses are none, and -- is a move that was left out.
WORDLESS = re.compile(r"(?!--)[^\w()\[]+")
MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}  # as PGN numbers them

Label = Callable[[Game, Array, int], str]  # a move as it is written
ReadMove = Callable[[Game, Array, str], int]  # the move that a word means


# --- writing ----------------------------------------------------------------------------------


def moves_written(tree: GameTree, number: int, label: Label) -> str:
    """Return a game's moves with its result, the first of them numbered `number`."""
    writer = _Writer(tree, label, number)
    words = [*_comment(tree.root), *writer.lines(), written_result(tree)]
    return wrapped(words)


@dataclass
class _Writer:
    """Writes the lines of one game."""

    tree: GameTree
    label: Label
    number: int

    def lines(self) -> list[str]:
        """Return the main line with all that leaves it, each where it does, in parentheses."""
        main, words = self.tree.end.path()[1:], list[str]()
        if not main:
            return self._remarks()
        todo: list[str | tuple[Sequence[Node], int]] = [(main, 0)]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                words.append(item)
                continue
            nodes, at = item
            node, leaving = nodes[at], list[Sequence[Node]]()
            assert node.parent is not None
            # A line that continues where the game stopped has no move to stand beside: it is
            # written from the last move on, which both share.
            shared = node is self.tree.end and nodes is not main
            words += self._move(node, anew=not words or words[-1] in ("(", ")", "}"))
            if not shared:
                words += [*(f"${mark}" for mark in node.marks), *_comment(node)]
            if at or nodes is main:
                leaving += [other.first_line() for other in node.parent.children[1:]]
            if node is self.tree.end and node.children and not shared:
                leaving.append(node.first_line())
            if at + 1 < len(nodes):
                todo.append((nodes, at + 1))
            for line in reversed(leaving):
                todo += [")", (line, 0), "("]
        return words

    def _move(self, node: Node, anew: bool) -> list[str]:
        """Return a move with its number; the second side's has one where it begins `anew`."""
        assert node.parent is not None
        first = self.tree.side(self.tree.root)
        number, second = divmod(node.ply - 1 + first, 2)
        label = self.label(self.tree.game, node.parent.state, node.move)
        told = [f"{number + self.number}{'...' if second else '.'}"] if anew or not second else []
        return [*told, label]

    def _remarks(self) -> list[str]:
        """Return lines of a game without a move, as comments: there is nothing to replace."""
        words = []
        for nodes, _ in self.tree.branches()[1:]:
            line = nodes[-1].path()[1:]
            told = [self._move(node, anew=node.ply == 1) for node in line]
            words += ["{", *(word for move in told for word in move), "}"]
        return words


def _comment(node: Node) -> list[str]:
    return ["{", *node.comment.replace("}", ")").split(), "}"] if node.comment else []


def wrapped(words: Iterable[str]) -> str:
    """Return words in lines; parentheses and braces stay with what they enclose."""
    units, glued = list[str](), False
    for word in words:
        if glued or (units and word in (")", "}")):
            units[-1] += word
        else:
            units.append(word)
        glued = word in ("(", "{")
    lines = [""]
    for unit in units:
        if lines[-1] and len(lines[-1]) + 1 + len(unit) > WIDTH:
            lines.append("")
        lines[-1] += f" {unit}" if lines[-1] else unit
    return "\n".join([*lines, ""])


# --- reading ----------------------------------------------------------------------------------


@dataclass
class _Line:
    """A line that is being read: its last position, and what is said before its next move.

    `own` counts the moves that are not of the line it leaves; one that is `cut` takes no more.
    """

    node: Node
    own: int = 0
    cut: bool = False
    said: str = ""


@dataclass
class MovetextReader:
    """Plays a game's text through. `place` names the game, `number` is its first move's."""

    tree: GameTree
    read_move: ReadMove
    label: Label
    place: str
    number: int
    lines: int = 0
    plies: int = 0
    dropped: int = 0
    beyond: int = 0  # plies that were played on after the game's end

    def play(self, tokens: Iterable[tuple[str, str]]) -> None:
        """Play all lines; NotationError names the move that cannot be played."""
        main = _Line(self.tree.root)
        open_lines, skipped = [main], 0
        for kind, text in tokens:
            line = open_lines[-1]
            if skipped:
                skipped += {"(": 1, ")": -1}.get(text, 0) if kind == "paren" else 0
            elif text == "(" and kind == "paren":
                if self._may_begin(line):
                    assert line.node.parent is not None
                    open_lines.append(_Line(line.node.parent))
                    self.lines += 1
                else:
                    skipped, self.dropped = 1, self.dropped + 1
            elif kind == "paren":
                if len(open_lines) == 1:
                    raise NotationError(f"{self.place}: there is a ) without its (.")
                open_lines.pop()
            elif kind == "word":
                self._move(line, text, main)
            elif not line.cut:
                _annotate(line, kind, text, before=line is not main and not line.own)
        if skipped or len(open_lines) > 1:
            raise NotationError(f"{self.place}: a variation that begins with ( is never closed.")
        self.tree.end = main.node
        self.tree.settle()
        self.tree.take_up(main.node)

    def left_out(self) -> str:
        """Return what was not kept, in words."""
        told = []
        if self.beyond:
            told.append(f"{counted(self.beyond, 'ply', 'plies')} after the game's end")
        if self.dropped:
            told.append(f"{counted(self.dropped, 'variation')}, whole or in part")
        return "; ".join(told)

    def _may_begin(self, line: _Line) -> bool:
        """Tell whether a line that leaves this one at its last move is kept."""
        full = self.lines >= MOST_VARIATIONS or self.plies > MOST_PLIES
        return bool(line.own) and not line.cut and not full

    def _move(self, line: _Line, word: str, main: _Line) -> None:
        """Play a word; a variation ends where it cannot be played, the game must not.

        Where the board has ended the game, people may have played on: that is left out.
        """
        game, node = self.tree.game, line.node
        if line.cut and line is not main:
            return
        if line is main and game.outcome(node.state) != ONGOING:
            line.cut, self.beyond = True, self.beyond + 1
            return
        try:
            move = self.read_move(game, node.state, word)
        except NotationError as error:
            if line is main:
                raise NotationError(self._explained(node, word, error)) from None
            line.cut, self.dropped = True, self.dropped + 1
            return
        line.node = self.tree.add(node, move)
        _annotate(line, "comment", line.said, before=False)
        line.own, line.said = line.own + 1, ""
        self.plies += 1
        if line is not main and self.plies > MOST_PLIES:
            line.cut, self.dropped = True, self.dropped + 1
        if main.node.ply > MOST_PLIES:
            raise NotationError(f"{self.place} has more than {MOST_PLIES:,} plies.")

    def _explained(self, node: Node, word: str, error: NotationError) -> str:
        """Return what is wrong with a move, and what legal ones look like."""
        game = self.tree.game
        number, second = divmod(node.ply + self.tree.side(self.tree.root), 2)
        where = f"{self.place}, move {number + self.number}{'...' if second else '.'} {word[:20]}"
        legal = game.legal_moves(node.state)
        if not legal:
            return f"{where} cannot be played: the game has ended ({game.reason(node.state)})."
        some = [self.label(game, node.state, move) for move in legal[:SHOWN]]
        more = [f"{len(legal) - SHOWN} more"] if len(legal) > SHOWN else []
        return f"{where} cannot be played: {error} Legal: {listed([*some, *more])}."


def _annotate(line: _Line, kind: str, text: str, *, before: bool) -> None:
    """Keep a comment or a mark; what is said `before` a line's first move belongs to that move."""
    if kind == "comment" and before:
        line.said = f"{line.said} {text}".strip()
    elif kind == "comment":
        line.node.comment = f"{line.node.comment} {text}".strip()
    elif not before:
        mark = int(text[1:4]) if text[1:4].isdecimal() else MARKS.get(text[:2], 0)
        if mark and mark not in line.node.marks:
            line.node.marks = (*line.node.marks, mark)


def unreadable(word: str, how: str) -> NotationError:
    """Return the error for a word that is not a move at all."""
    return NotationError(f"{quoted(word)} is not a move; write it like {how}.")
