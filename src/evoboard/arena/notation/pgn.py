"""PGN, Portable Game Notation: chess, and king-capture chess as a variant.

Written: the seven tags of the roster, FEN and SetUp where a game does not begin as usual, why it
ended as Termination, moves in standard algebraic notation, comments, marks, and variations in
parentheses. Evaluations are not written, as our own text has none. Read: whatever people and
programs write; variations that cannot be played or kept are counted in the line `dropped`.
"""

from __future__ import annotations

import re

from evoboard.arena.game_tree import GameTree
from evoboard.arena.notation.base import Notation
from evoboard.arena.notation.dialect import Dialect
from evoboard.arena.notation.movetext import WORDLESS, moves_written, unreadable
from evoboard.arena.notation.scan import RESULTS, RawGame, Scanner, tags_written
from evoboard.arena.notation.tags import head_tags
from evoboard.core.arrays import Array
from evoboard.core.errors import NotationError, quoted
from evoboard.core.wording import listed
from evoboard.games.base import Game

WHITE = 0  # White's side, in both games
# What the tag Variant says of our games, in small letters.
VARIANTS = dict.fromkeys(("", "chess", "standard", "normal", "from position"), "chess")
VARIANTS["kingcapture"] = "kingcapture"
GAMES = tuple(dict.fromkeys(VARIANTS.values()))
MOVE = re.compile(r"[NBRQKPO0oa-h][a-hnbrqNBRQO0ox1-8:=-]{1,9}")
REMARKS = {"e.p.", "e.p", "ep", "ep.", "ch", "ch.", "dbl", "mate", "N", "D"}


def write(tree: GameTree) -> str:
    """Return a game as PGN."""
    game = tree.game
    position, further = game.state_text(tree.root.state), {}
    if game.name != "chess":
        further["Variant"] = game.name
    # No other program knows where a variant begins: it is always written.
    if game.name != "chess" or position != game.state_text(game.initial()):
        further |= {"SetUp": "1", "FEN": position}
    head = tags_written(head_tags(tree, WHITE, further))
    return f"{head}\n{moves_written(tree, _number(position), Game.move_label)}"


def fits(text: str) -> bool:
    """Tell whether a text is PGN: it has tags, or begins with a move of chess."""
    tags, word = DIALECT.first(text)
    if "GameType" in tags or re.match(r"\d+[-x:]\d", word):
        return False
    return bool(tags or MOVE.fullmatch(_plain(word)))


def _number(position: str) -> int:
    """Return the number of the move to be made, which a position of chess tells."""
    fields = position.split()
    return int(fields[5]) if len(fields) == 6 else 1


def _game_of(piece: RawGame) -> str:
    variant = piece.tags.get("Variant", "").strip()
    if variant.lower() not in VARIANTS:
        raise NotationError(f"its variant is {quoted(variant)}; known are {listed(GAMES)}.")
    return VARIANTS[variant.lower()]


def _is_said(word: str) -> bool:
    """Tell whether a word is a move or a parenthesis, not a number or a remark such as +-."""
    return not (word.isdecimal() or word.rstrip("+#") in REMARKS or WORDLESS.fullmatch(word))


def _read_move(game: Game, state: Array, word: str) -> int:
    """Return the move that a word means, in the ways that people write moves."""
    if word[0] == "[":
        raise NotationError(f'{quoted(word)} is not a tag; a tag is written [White "Name"].')
    plain = _plain(word)
    if not MOVE.fullmatch(plain):
        raise unreadable(word, "Nf3, exd5, O-O or e8=Q")
    return game.parse_move(state, plain)


def _plain(word: str) -> str:
    """Return a move without marks: exd6e.p. is exd6, Pe4 is e4, e8(Q) is e8=Q, Nf3(N) is new."""
    plain = re.sub(r"(?:e\.?p)?\.?[+#†‡]*$", "", word)
    plain = re.sub(r"^(P?[a-h].*[18])[(/]([NBRQ])\)?$", r"\1=\2", plain).removesuffix("(N)")
    return re.sub(r"^P(?=[a-h])", "", plain)


DIALECT = Dialect(
    scanner=Scanner(RESULTS),
    white=WHITE,
    game_of=_game_of,
    position_of=lambda piece: piece.tags.get("FEN", ""),
    is_said=_is_said,
    read_move=_read_move,
    label=Game.move_label,
    number=_number,
)
NOTATION = Notation("PGN", ".pgn", GAMES, write, DIALECT.read, fits)
