"""A game as text, written for people and read back exactly.

    evoboard game
    game: nim:heaps=3/5/7      the game, with the options that are not its defaults
    start: 3,5,7 0             the position it began with
    first: person              who played side 0, as text
    second: perfect            who played side 1
    result: 1-0                1-0 side 0 has won, 0-1 side 1, 1/2-1/2 a draw, * goes on
    reason: Second took the last match    why it ended
    seed: 17                   further lines of this form are kept as they are

    1. 2:4  1:3                two plies to a line, at least two spaces between them
    2. 0:2  2:3
    comment at ply 2: a slip   what is said of the position after that many plies
    marks at ply 2: $2 $16     what PGN's numbers say of it
    variation at ply 3:        what else could have been played there; any number of these
    2. 0:3  2:3
    ended at ply 4: 1-0, Second resigned   how another line than the main one ended
    variation of 1 at ply 4:   what leaves the first variation
    2. …  2:2

Only `game` is needed. A file says what happened; `GameText.tree` plays it again by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evoboard.arena.game_tree import Ending, GameTree, Node
from evoboard.core.errors import IllegalMove, NotationError, OptionError, quoted
from evoboard.core.options import with_options
from evoboard.core.wording import counted
from evoboard.games.adjudication import PLAYING
from evoboard.games.base import Game

HEADING = "evoboard game"
RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0, "*": None}
LONGEST = 1_000_000  # characters
MOST_PLIES = 20_000
MOST_VARIATIONS = 500
LATER = "…"  # the place of a first move where a line of the text begins with the second

_VARIATION = re.compile(r"variation (?:of ([1-9]\d{0,2}) )?at ply ([1-9]\d{0,5}):")
_NOTE = re.compile(r"(comment|marks|ended) at ply (\d{1,6}):\s*(.*)", re.IGNORECASE)
_HEADER = re.compile(r"([A-Za-z][A-Za-z _-]{0,30}):\s*(.*)")
_ENDED = re.compile(r"(1-0|0-1|1/2-1/2)(?:,\s*(.*))?")
# How texts used to tell the endings of other lines, each by its number among all lines.
_OLD_ENDED, _OLD_APART = "line ended", " | "
_OLD_ENDING = re.compile(r"variation (\d{1,3}), (\d{1,5}) plies, (1-0|0-1|1/2-1/2), (.*)")

LoadGame = Callable[[str], Game]


@dataclass
class WrittenLine:
    """A line as it stands in a text: its moves from a ply on, and what is noted about them.

    `parent` is the number of the part that it leaves; 0 is the main line.
    """

    parent: int = 0
    ply: int = 1
    moves: list[str] = field(default_factory=list)
    notes: list[tuple[str, int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class GameText:
    """A game's text, taken apart but not played; `tags` are its further lines."""

    game: str
    start: str
    players: tuple[str, str]
    result: str
    reason: str
    tags: Mapping[str, str]
    parts: tuple[WrittenLine, ...]

    @property
    def plies(self) -> int:
        """How long the main line is."""
        return len(self.parts[0].moves)

    def tree(self, load_game: LoadGame, *, lenient: bool = False) -> GameTree:
        """Return the game, played again; NotationError names the ply that is not legal.

        `lenient`: variations that cannot be played are left out, and counted in a line `dropped`.
        """
        game = load_game(self.game)
        start = game.parse_state(self.start) if self.start else None
        tags = {key: value for key, value in self.tags.items() if key != _OLD_ENDED}
        tree = GameTree(game, start=start, players=self.players, tags=tags)
        tree.end = _play(tree, tree.root, self.parts[0])
        tree.take_up(tree.end)
        self._conclude(tree)
        ends: list[Node | None] = [tree.end]
        for part in self.parts[1:]:
            try:
                ends.append(_play_variation(tree, ends[part.parent], part))
            except NotationError:
                if not lenient:
                    raise
                ends.append(None)
        for part, end in zip(self.parts, ends, strict=True):
            if end:
                for note in part.notes:
                    _take_note(end, *note)
        _take_old_endings(self.tags.get(_OLD_ENDED, ""), ends)
        tree.settle()
        lost = ends.count(None)
        note_dropped(tree, counted(lost, "variation") if lost else "")
        return tree

    def _conclude(self, tree: GameTree) -> None:
        """Take the result, where the rules do not tell it."""
        result, end = RESULTS[self.result], tree.end
        tree.claim(result)
        if result is not None and tree.code(end) == PLAYING:
            end.ending = Ending(result, self.reason or "agreed")
        elif result is not None and tree.result(end) != result:
            raise NotationError(
                f"the text says {self.result}, but by the rules the game ends "
                f"{result_text(tree.result(end))} ({tree.reason(end)})."
            )


def _play(tree: GameTree, node: Node, part: WrittenLine, of: str = "") -> Node:
    """Play a part's moves from a position on; return the last one reached."""
    for text in part.moves:
        try:
            node = tree.add(node, tree.game.parse_move(node.state, text))
        except NotationError as error:
            apart = " " in text and not isinstance(error, IllegalMove)
            hint = " Two moves on a line need two spaces between them." if apart else ""
            place = f"ply {node.ply + 1}{of} cannot be played"
            raise type(error)(f"{place}: {error}{hint}") from None
    return node


def _play_variation(tree: GameTree, parent: Node | None, part: WrittenLine) -> Node:
    if parent is None or part.ply > parent.ply + 1:
        raise NotationError(f"there is a variation at ply {part.ply}, where the game has none.")
    return _play(tree, parent.path()[part.ply - 1], part, f" of the variation at ply {part.ply}")


def _take_note(end: Node, kind: str, ply: int, text: str) -> None:
    """Note something about a position of the line that ends here."""
    if ply > end.ply:
        raise NotationError(
            f"{kind} at ply {ply}: the line has {counted(end.ply, 'ply', 'plies')}."
        )
    node, ended = end.path()[ply], _ENDED.fullmatch(text)
    if kind == "comment":
        node.comment = text
    elif kind == "marks":
        node.marks = tuple(int(mark) for mark in re.findall(r"\$(\d{1,3})", text))
    elif ended:
        node.ending = Ending(RESULTS[ended[1]] or 0, ended[2] or "agreed")
    else:
        raise NotationError(f"ended at ply {ply}: write it like 1-0, Black resigned.")


def _take_old_endings(text: str, ends: Sequence[Node | None]) -> None:
    """Note how lines ended in the old form of a text; what does not fit is left out."""
    for told in map(_OLD_ENDING.fullmatch, text.split(_OLD_APART)):
        end = ends[int(told[1])] if told and int(told[1]) < len(ends) else None
        if told and end and int(told[2]) <= end.ply:
            _take_note(end, "ended", int(told[2]), f"{told[3]}, {told[4]}")


def note_dropped(tree: GameTree, told: str) -> None:
    """Say in the line `dropped`, beside what it said before, what was left out."""
    if told:
        before = tree.tags.get("dropped", "")
        tree.tags["dropped"] = f"{before}; {told}" if before else told


def game_spec(game: Game) -> str:
    """Return the text that `load_game` makes this game of, without its start position."""
    changed = {key: value for key, value in game.changed_options.items() if key != "start"}
    return with_options(game.name if game.built_in else game.file, changed)


def written(tree: GameTree) -> str:
    """Return a game as text."""
    first, second = tree.players
    lines = {
        "game": game_spec(tree.game),
        "start": tree.game.state_text(tree.root.state),
        "first": first,
        "second": second,
        "result": written_result(tree),
        "reason": tree.reason(tree.end),
        **tree.tags,
    }
    head = [f"{key}: {_one_line(value)}" for key, value in lines.items() if value]
    body: list[str] = []
    for number, (nodes, parent) in enumerate(tree.branches()):
        if number:
            of = f"of {parent} " if parent else ""
            body.append(f"variation {of}at ply {nodes[0].ply}:")
        body += _numbered(tree.game, nodes)
        for node in nodes if number else (tree.root, *nodes):
            body += _notes(node, closes=node is tree.end)
    return "\n".join([HEADING, *head, "", *body, ""])


def _numbered(game: Game, nodes: Sequence[Node]) -> list[str]:
    """Return the moves that led to these positions, two to a line."""
    moves = [game.move_text(node.parent.state, node.move) for node in nodes if node.parent]
    ply = nodes[0].ply if nodes else 1
    filled = moves if ply % 2 else [LATER, *moves]
    pairs = [filled[i : i + 2] for i in range(0, len(filled), 2)]
    return [f"{number}. {'  '.join(pair)}" for number, pair in enumerate(pairs, (ply + 1) // 2)]


def _notes(node: Node, *, closes: bool) -> list[str]:
    """Return what is noted of a position; how the main line `closes` its head tells."""
    told = {
        "comment": _one_line(node.comment),
        "marks": " ".join(f"${mark}" for mark in node.marks),
        "ended": "",
    }
    if node.ending and not closes:
        told["ended"] = f"{result_text(node.ending.result)}, {_one_line(node.ending.reason)}"
    return [f"{kind} at ply {node.ply}: {text}" for kind, text in told.items() if text]


def read_text(text: str) -> GameText:
    """Return the parts of a game's text; NotationError names the line that cannot be read."""
    if len(text) > LONGEST:
        raise NotationError(
            f"the text has {len(text):,} characters; a game has at most {LONGEST:,}."
        )
    lines = [line.strip() for line in text.strip().lstrip("\ufeff").splitlines()]
    if not lines or lines[0].lower() != HEADING:
        raise NotationError(f"this is not an evoboard game; its first line must be {HEADING!r}.")
    head: dict[str, str] = {}
    parts = [WrittenLine()]
    for number, line in enumerate(lines[1:], 2):
        variation, note = _VARIATION.fullmatch(line.lower()), _NOTE.fullmatch(line)
        header = _HEADER.fullmatch(line)
        if re.match(r"\d+\.(\s|$)", line):
            words = re.split(r"\s{2,}|\t", line.split(".", 1)[1].strip())
            parts[-1].moves += [word for word in words if word not in ("", LATER)]
        elif variation and int(variation[1] or 0) < len(parts):
            parts.append(WrittenLine(int(variation[1] or 0), int(variation[2])))
        elif note:
            parts[-1].notes.append((note[1].lower(), int(note[2]), note[3]))
        elif header and parts == [WrittenLine()]:
            head[header[1].strip().lower()] = header[2]
        elif line:
            raise NotationError(
                f"line {number}, {quoted(line)}, is neither a heading such as game: chess "
                "nor a numbered line of moves such as 1. e2e4  e7e5."
            )
    if not head.get("game"):
        raise NotationError(
            "the text does not say which game it is; add a line such as game: chess."
        )
    _require_bounded(parts)
    return _taken_apart(head, tuple(parts))


def _require_bounded(parts: Sequence[WrittenLine]) -> None:
    if len(parts) - 1 > MOST_VARIATIONS:
        raise NotationError(
            f"the game has {len(parts) - 1:,} variations; at most {MOST_VARIATIONS:,} are read."
        )
    empty = next((part.ply for part in parts[1:] if not part.moves), None)
    if empty:
        raise NotationError(f"the variation at ply {empty} has no moves.")
    plies = sum(len(part.moves) for part in parts)
    if plies > MOST_PLIES:
        raise NotationError(f"the game has {plies:,} plies; at most {MOST_PLIES:,} are read.")


def _taken_apart(head: dict[str, str], parts: tuple[WrittenLine, ...]) -> GameText:
    result = head.pop("result", "*") or "*"
    if result not in RESULTS:
        raise NotationError(
            f"the result is {quoted(result)}; it must be one of {', '.join(RESULTS)}."
        )
    players = head.pop("first", ""), head.pop("second", "")
    game, start, reason = head.pop("game"), head.pop("start", ""), head.pop("reason", "")
    return GameText(game, start, players, result, reason, head, parts)


def written_result(tree: GameTree) -> str:
    """Return the result of a game's main line as it is written."""
    return result_text(tree.result(tree.end)) if tree.over(tree.end) else "*"


def result_text(result: int) -> str:
    """Return 1-0, 0-1 or 1/2-1/2 for a result seen by side 0."""
    for text, value in RESULTS.items():
        if value == result:
            return text
    raise OptionError(f"{result} is not a result; it must be 1, 0 or -1.")


def _one_line(value: str) -> str:
    return " ".join(str(value).split())
