"""Python source of the function from a board to a network's inputs, for the simple encoders.

The board is as people write it: letters (those of the game's positions) or numbers, square by
square in the order of the inputs' names.
"""

from __future__ import annotations

from evoboard.core.options import split_options
from evoboard.encoders.base import PACKAGE
from evoboard.players.network import PlayerNetwork

CHESS, KINGCAPTURE = "PNBRQK", "PRNBK"  # the pieces in the order of the encoders
ON_CHESSBOARD = """\
the {count} squares from {first} to {last}, row by row from White's side.

    Each is a letter: {letters} for White's pieces, small letters for Black's, "." for none."""
ON_DRAUGHTBOARD = """\
the squares 1 to 32; `side` is 0 with Black to move, 1 with White.

    Each is a letter: b and w for men, B and W for kings, "." for none."""
SQUARES = '''\
VALUES = {{
{values}
}}


def inputs_of(board):
    """Return the inputs for {board}
    """
    return [VALUES[letter] for letter in board]
'''
PLANES = '''\
KINDS = "{kinds}"


def inputs_of(board):
    """Return the inputs for {board}
    """
    return [float(letter == kind) for kind in KINDS for letter in board]
'''
DRAUGHTS_SQUARES = '''\
VALUES = {{
{values}
}}


def inputs_of(board, side):
    """Return the inputs for {board}
    """
    seen, sign = (board[::-1], -1) if side else (board, 1)
    return [sign * VALUES[letter] for letter in seen]
'''
DRAUGHTS_PLANES = '''\
def inputs_of(board, side):
    """Return the inputs for {board}
    """
    seen, kinds = (board[::-1], "wWbB") if side else (board, "bBwW")
    return [float(letter == kind) for kind in kinds for letter in seen]
'''
HEXWAR_SQUARES = '''\
def inputs_of(board, side):
    """Return the inputs for the 25 tiles from (0, 0), row by row; `side` is 0 with Blue to move.

    Each is a number of pieces: Blue's are positive, Red's negative.
    """
    sign = -1 if side else 1
    return [float(sign * pieces) for pieces in board]
'''
HEAPS = '''\
def inputs_of(heaps):
    """Return the inputs for the sizes of the heaps."""
    return [float(size) for size in heaps]
'''
BINARY = '''\
def inputs_of(heaps):
    """Return the inputs for the sizes of the heaps: their binary digits, the ones first."""
    return [float(size >> digit & 1) for size in heaps for digit in range({digits})]
'''


def board_function(subject: PlayerNetwork) -> str:
    """Return the source of `inputs_of`, empty where the encoder is not that simple."""
    # A user's encoder or game may have the name of one of these.
    written = getattr(subject.encoder.encode, "__module__", "")
    if not subject.game.built_in:
        return ""
    if written == f"{PACKAGE}.heaps":
        return HEAPS
    if written == f"{PACKAGE}.binary":
        return BINARY.format(digits=subject.encoder.inputs // subject.game.turn)
    if written == f"{PACKAGE}.squares":
        return _squares(subject)
    return _planes(subject.game.name) if written == f"{PACKAGE}.planes" else ""


def _squares(subject: PlayerNetwork) -> str:
    # Here and not above: the tables of chess would delay the start of every command.
    from evoboard.encoders.squares import CHESS_VALUES, STANDARD_KING, draughts_values

    game = subject.game.name
    if game == "hexwar":
        return HEXWAR_SQUARES
    if game == "draughts":
        king = float(split_options(subject.setup.encoder)[1].get("king", STANDARD_KING))
        _, man, _, _, _, king, *_ = (float(str(value)) for value in draughts_values(king))
        black = {".": 0.0, "b": man, "B": king}
        values = _entries(black, {"w": -man, "W": -king})
        return DRAUGHTS_SQUARES.format(values=values, board=ON_DRAUGHTBOARD)
    worth = dict(zip(CHESS, (float(str(value)) for value in CHESS_VALUES), strict=True))
    pieces = CHESS if game == "chess" else KINGCAPTURE
    white = {".": 0.0, **{piece: worth[piece] for piece in pieces}}
    values = _entries(white, {piece.lower(): -worth[piece] for piece in pieces})
    return SQUARES.format(values=values, board=_chessboard(game))


def _entries(*lines: dict[str, float]) -> str:
    """Return the entries of a table, each dict on a line of its own."""
    rows = (" ".join(f'"{key}": {value},' for key, value in line.items()) for line in lines)
    return "\n".join(f"    {row}" for row in rows)


def _planes(game: str) -> str:
    if game == "draughts":
        return DRAUGHTS_PLANES.format(board=ON_DRAUGHTBOARD)
    pieces = CHESS if game == "chess" else KINGCAPTURE
    return PLANES.format(kinds=pieces + pieces.lower(), board=_chessboard(game))


def _chessboard(game: str) -> str:
    count, last, letters = (64, "h8", CHESS) if game == "chess" else (36, "f6", KINGCAPTURE)
    return ON_CHESSBOARD.format(count=count, first="a1", last=last, letters=letters)
