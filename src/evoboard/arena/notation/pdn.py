"""PDN, Portable Draughts Notation: English draughts, its game type 21.

Which win is 1-0? PDN 3.0 (pdn.fmjd.org, section "Result tag") gives results "from the perspective
of the 1st side to move", and in English draughts that is Black, side 0 of ours. So 1-0 is Black's
win, also where a position set up has White to move first. Older descriptions copy PGN's "White
won", and some programs follow them (pydraughts' tournaments give White 2-0): where the final
position itself decides the game, it is believed, and the file's result is kept beside it.

Jumps are written by their first and last squares where no other jump has the same ones, else by
all squares. The terminator * says nothing about a result that the tag names (PDN 3.0).
"""

from __future__ import annotations

import re

from evoboard.arena.game_text import game_spec
from evoboard.arena.game_tree import GameTree
from evoboard.arena.notation.base import Notation
from evoboard.arena.notation.dialect import Dialect
from evoboard.arena.notation.movetext import WORDLESS, moves_written, unreadable
from evoboard.arena.notation.scan import DRAWN, RESULTS, RawGame, Scanner, tags_written
from evoboard.arena.notation.tags import head_tags
from evoboard.core.arrays import Array
from evoboard.core.errors import NotationError, quoted
from evoboard.games.base import Game

GAME, TYPE = "draughts", "21"
WHITE = 1  # White's side
BLOCKED_DRAWS = f"{GAME}:blocked=draw"  # our only other rules, told by a tag of our own
# Results as they count in international draughts, and 0-0 where both have lost.
ALL_RESULTS = RESULTS | {"2-0": "1-0", "0-2": "0-1", "1-1": DRAWN, "0-0": "*"}
MOVE = re.compile(r"\d{1,2}(?:[-x:×X]\d{1,2})+")


def write(tree: GameTree) -> str:
    """Return a game as PDN."""
    game = tree.game
    position = game.state_text(tree.root.state)
    further = {"GameType": TYPE}
    if game_spec(game) == BLOCKED_DRAWS:
        further["Rules"] = BLOCKED_DRAWS
    # PDN's FEN knows no plies since the last capture: ours stand in a tag of their own.
    board, _, quiet = position.partition(":H")
    if position != game.state_text(game.initial()):
        further |= {"SetUp": "1", "FEN": board} | ({"Quiet": quiet} if quiet else {})
    head = tags_written(head_tags(tree, WHITE, further))
    return f"{head}\n{moves_written(tree, 1, _label)}"


def fits(text: str) -> bool:
    """Tell whether a text is PDN: by its tags, or because it begins with a move in numbers."""
    tags, word = DIALECT.first(text)
    position = re.match(r"[BW]:[BW]", tags.get("FEN", ""))
    return bool("GameType" in tags or position or MOVE.match(word))


def _label(game: Game, state: Array, move: int) -> str:
    """Return a move; a jump by its ends where they tell it from all others."""
    whole = game.move_text(state, move)
    squares = whole.split("x")
    if len(squares) < 3:
        return whole
    ends = f"{squares[0]}x{squares[-1]}"
    try:
        return ends if game.parse_move(state, ends) == move else whole
    except NotationError:
        return whole


def _game_of(piece: RawGame) -> str:
    kind = piece.tags.get("GameType", TYPE).split(",")[0].strip()
    if kind != TYPE:
        raise NotationError(f"its type is {quoted(kind)}; only {TYPE}, English draughts, is known.")
    return BLOCKED_DRAWS if piece.tags.get("Rules") == BLOCKED_DRAWS else GAME


def _position_of(piece: RawGame) -> str:
    position, quiet = piece.tags.get("FEN", ""), piece.tags.get("Quiet", "")
    return f"{position.removesuffix('.')}:H{quiet}" if position and quiet else position


def _is_said(word: str) -> bool:
    """Tell whether a word is a move or a parenthesis, not a number or a remark."""
    return not ((word.isdecimal() and len(word) < 4) or WORDLESS.fullmatch(word))


def _read_move(game: Game, state: Array, word: str) -> int:
    """Return the move that a word means; 1115 is 11-15, and a star marks a forced move."""
    plain = word.rstrip("*.")
    if re.fullmatch(r"\d{4}", plain):
        plain = f"{int(plain[:2])}-{int(plain[2:])}"
    if not MOVE.fullmatch(plain):
        raise unreadable(word, "11-15, 15x22 or 15x22x31")
    return game.parse_move(state, plain)


def _first_number(_: str) -> int:
    """Return the number of a game's first move: positions do not tell another."""
    return 1


DIALECT = Dialect(
    scanner=Scanner(ALL_RESULTS),
    white=WHITE,
    game_of=_game_of,
    position_of=_position_of,
    is_said=_is_said,
    read_move=_read_move,
    label=_label,
    number=_first_number,
)
NOTATION = Notation("PDN", ".pdn", (GAME,), write, DIALECT.read, fits)
