"""The moves of a game as texts of the PGN family have them: numbered, with variations, wrapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from evoboard.arena.game_text import MOST_PLIES, MOST_VARIATIONS, GameText, Variation
from evoboard.core.arrays import Array
from evoboard.core.errors import NotationError, quoted
from evoboard.core.wording import counted, listed
from evoboard.games.base import Game
from evoboard.games.rules import ONGOING

WIDTH = 79  # PGN's lines are shorter than 80 characters
SHOWN = 6  # legal moves named in an error
# Signs of opinion such as +- and =; parentheses are none, and -- is a move that was left out.
WORDLESS = re.compile(r"(?!--)[^\w()\[]+")

Label = Callable[[Game, Array, int], str]  # a move as it is written
ReadMove = Callable[[Game, Array, str], int]  # the move that a word means


def start_of(text: GameText, game: Game) -> Array:
    """Return the position that a game begins with."""
    return game.parse_state(text.start) if text.start else game.initial()


# --- writing ----------------------------------------------------------------------------------


def moves_written(text: GameText, game: Game, number: int, label: Label) -> str:
    """Return a game's moves with its result, the first of them numbered `number`."""
    writer = _Writer(game, label, number, start_of(text, game))
    main = writer.labels(0, text.moves)
    words = [] if main else writer.remark(text.variations)
    for ply in range(len(main)):
        words += writer.numbered(ply, main[ply : ply + 1], anew=ply == 0 or words[-1] == ")")
        words += writer.variations(ply, text, last=ply == len(main) - 1)
    return wrapped([*words, text.result])


class _Writer:
    """Writes lines of one game; `states` are those of the game itself, as far as it is known."""

    def __init__(self, game: Game, label: Label, number: int, start: Array) -> None:
        self.game, self.label, self.number = game, label, number
        self.states, self.side = [start], game.side(start)

    def labels(self, ply: int, moves: Sequence[str]) -> list[str]:
        """Return moves played after so many plies as they are written."""
        state, found = self.states[ply], []
        for word in moves:
            move = _move_named(self.game, state, word)
            found.append(self.label(self.game, state, move))
            state = self.game.apply(state, move)
            if ply + len(found) == len(self.states) and not ply:
                self.states.append(state)
        return found

    def numbered(self, ply: int, labels: Sequence[str], anew: bool) -> list[str]:
        """Return moves with their numbers; where they begin `anew`, the second side's has one."""
        words = []
        for place, label in enumerate(labels, ply):
            number, second = divmod(place + self.side, 2)
            if not second or (anew and place == ply):
                words.append(f"{number + self.number}{'...' if second else '.'}")
            words.append(label)
        return words

    def variations(self, ply: int, text: GameText, last: bool) -> list[str]:
        """Return what else could have been played instead of a ply."""
        lines = [moves for instead, moves in text.variations if instead == ply + 1]
        if last:
            # A line that goes on where the game stopped has no move to stand beside: it is told
            # from the last move on, which it shares.
            going_on = (moves for instead, moves in text.variations if instead == ply + 2)
            lines += [(text.moves[ply], *moves) for moves in going_on]
        return self.nested(ply, [self.labels(ply, moves) for moves in lines if moves])

    def nested(self, ply: int, lines: Sequence[Sequence[str]]) -> list[str]:
        """Return lines that begin after so many plies, in parentheses.

        Of those that begin alike, the others stand within the first, where they leave it.
        """
        words, groups = list[str](), dict[str, list[Sequence[str]]]()
        for line in lines:
            groups.setdefault(line[0], []).append(line)
        for alike in groups.values():
            lead = alike[0]
            for line in alike[1:]:  # a line that goes on is the lead itself
                lead = line if line[: len(lead)] == lead else lead
            leaving: dict[int, list[Sequence[str]]] = {}
            for line in alike:
                place = _common(line, lead)
                if place < len(line):
                    leaving.setdefault(place, []).append(line[place:])
            words.append("(")
            for place, label in enumerate(lead):
                anew = words[-1] in ("(", ")")
                words += self.numbered(ply + place, [label], anew)
                words += self.nested(ply + place, leaving.get(place, ()))
            words.append(")")
        return words

    def remark(self, variations: Iterable[Variation]) -> list[str]:
        """Return lines of a game without a move, as a comment: there is nothing to replace."""
        told = [self.numbered(0, self.labels(0, moves), anew=True) for _, moves in variations]
        return [word for line in told for word in ("{", *line, "}")]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many moves two lines have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _move_named(game: Game, state: Array, word: str) -> int:
    """Return the move of our own text; the legal ones are looked through before it is parsed."""
    same = (move for move in game.legal_moves(state) if game.move_text(state, move) == word)
    found = next(same, None)
    return game.parse_move(state, word) if found is None else found


def wrapped(words: Iterable[str]) -> str:
    """Return words in lines; parentheses and braces stay with what they enclose."""
    lines, line, glued = [], "", False
    for word in words:
        gap = "" if glued or not line or word in (")", "}") else " "
        if line and len(line) + len(gap) + len(word) > WIDTH and gap:
            lines.append(line)
            line, gap = "", ""
        line += gap + word
        glued = word in ("(", "{")
    return "\n".join([*lines, line, ""])


# --- reading ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Played:
    """A game that was played through: its moves and variations as our own text has them."""

    moves: tuple[str, ...]
    variations: tuple[Variation, ...]
    final: Array
    dropped: str


@dataclass
class _Line:
    """A line that is being read: all its moves, its position, and the one before its last move.

    `own` counts those that are not of the line it leaves; one that is `cut` takes no more.
    """

    moves: list[str]
    state: Array
    before: Array | None = None
    own: int = 0
    cut: bool = False


@dataclass
class Reader:
    """Plays the words of a game through. `place` names the game, `number` is its first move's."""

    game: Game
    read_move: ReadMove
    label: Label
    place: str
    number: int
    lines: list[_Line] = field(default_factory=list)
    plies: int = 0
    dropped: int = 0
    beyond: int = 0  # plies that were played on after the game's end

    def play(self, start: Array, words: Iterable[str]) -> Played:
        """Return the game; NotationError names the move that cannot be played."""
        self.side = self.game.side(start)
        main = _Line([], start)
        open_lines, skipped = [main], 0
        for word in words:
            if skipped:
                skipped += {"(": 1, ")": -1}.get(word, 0)
            elif word == "(":
                begun = self._begin(open_lines[-1])
                if begun is None:
                    skipped, self.dropped = 1, self.dropped + 1
                else:
                    open_lines.append(begun)
            elif word == ")":
                if len(open_lines) == 1:
                    raise NotationError(f"{self.place}: there is a ) without its (.")
                open_lines.pop()
            else:
                self._move(open_lines[-1], word, main)
        if skipped or len(open_lines) > 1:
            raise NotationError(f"{self.place}: a variation that begins with ( is never closed.")
        moves = tuple(main.moves)
        variations = self._variations(moves)
        return Played(moves, variations, main.state, self._left_out())

    def _left_out(self) -> str:
        """Return what was not kept, in words."""
        told = []
        if self.beyond:
            told.append(f"{counted(self.beyond, 'ply', 'plies')} after the game's end")
        if self.dropped:
            told.append(f"{counted(self.dropped, 'variation')}, whole or in part")
        return "; ".join(told)

    def _begin(self, line: _Line) -> _Line | None:
        """Return the line that leaves this one at its last move; None where it is not kept."""
        full = len(self.lines) >= MOST_VARIATIONS or self.plies > MOST_PLIES
        if line.before is None or line.cut or full:
            return None
        self.lines.append(_Line(line.moves[:-1], line.before))
        return self.lines[-1]

    def _move(self, line: _Line, word: str, main: _Line) -> None:
        """Play a word; a variation ends where it cannot be played, the game must not.

        Where the board has ended the game, people may have played on: that is left out.
        """
        if line.cut and line is not main:
            return
        if line is main and self.game.outcome(line.state) != ONGOING:
            line.cut, self.beyond = True, self.beyond + 1
            return
        try:
            move = self.read_move(self.game, line.state, word)
        except NotationError as error:
            if line is main:
                raise NotationError(self._told(line, word, error)) from None
            line.cut, self.dropped = True, self.dropped + 1
            return
        line.moves.append(self.game.move_text(line.state, move))
        line.before, line.state = line.state, self.game.apply(line.state, move)
        line.own += 1
        self.plies += 1
        if line is not main and self.plies > MOST_PLIES:
            line.cut, self.dropped = True, self.dropped + 1
        if len(main.moves) > MOST_PLIES:
            raise NotationError(f"{self.place} has more than {MOST_PLIES:,} plies.")

    def _told(self, line: _Line, word: str, error: NotationError) -> str:
        """Return what is wrong with a move, and what legal ones look like."""
        number, second = divmod(len(line.moves) + self.side, 2)
        where = f"{self.place}, move {number + self.number}{'...' if second else '.'} {word[:20]}"
        legal = self.game.legal_moves(line.state)
        if not legal:
            return f"{where} cannot be played: the game has ended ({self.game.reason(line.state)})."
        some = [self.label(self.game, line.state, move) for move in legal[:SHOWN]]
        more = [f"{len(legal) - SHOWN} more"] if len(legal) > SHOWN else []
        return f"{where} cannot be played: {error} Legal: {listed([*some, *more])}."

    def _variations(self, main: tuple[str, ...]) -> tuple[Variation, ...]:
        found, plies = [], len(main)
        for line in (begun.moves for begun in self.lines if begun.own):
            pairs = zip(line, main, strict=False)
            parting = next((ply for ply, (a, b) in enumerate(pairs) if a != b), None)
            parting = min(len(line), len(main)) if parting is None else parting
            plies += len(line) - parting
            if plies > MOST_PLIES:  # variations within variations repeat what they have in common
                self.dropped += 1
            elif parting < len(line):
                found.append((parting + 1, tuple(line[parting:])))
        return tuple(found)


def unreadable(word: str, how: str) -> NotationError:
    """Return the error for a word that is no move at all."""
    return NotationError(f"{quoted(word)} is no move; write it like {how}.")
