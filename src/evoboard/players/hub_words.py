"""What Hub, version 2, writes of positions and moves, here for English draughts.

The protocol describes 10×10 boards. In the same manner a position is the side to move, W or B, and
one letter for each of the squares 1 to 32: w and b men, W and B kings, e empty; the start is B,
twelve b, eight e, twelve w. A capture names its ends, then what is taken, in any order, such as
15x31x18x27.
"""

from __future__ import annotations

import re

from evoboard.core.arrays import Array
from evoboard.core.errors import IllegalMove, MalformedMove, MalformedState, quoted
from evoboard.games.base import Game

GAME, VARIANT, SQUARES = "draughts", "english", 32


def read_line(line: str) -> tuple[str, dict[str, str]]:
    """Return a line's command and its arguments; one without a value has an empty one."""
    command, _, rest = line.strip().partition(" ")
    found = re.findall(r'([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"]*)))?', rest)
    return command, {name: inside or bare for name, inside, bare in found}


def position_text(fen: str) -> str:
    """Return a position such as B:W21,K30:B1,2 as Hub writes it."""
    turn, *parts = fen.split(":")
    board = ["e"] * SQUARES
    for side in parts[:2]:  # what follows tells how the position was reached
        for square in side[1:].split(",") if side[1:] else ():
            king = square.startswith("K")
            letter = side[0] if king else side[0].lower()
            board[int(square.removeprefix("K")) - 1] = letter
    return turn + "".join(board)


def fen_of(text: str) -> str:
    """Return a position of Hub as FEN."""
    if not re.fullmatch(f"[WB][wbWBe]{{{SQUARES}}}", text):
        raise MalformedState(
            f"{quoted(text)} is not a position; write W or B, then one of w, b, W, B and e "
            f"for each of the {SQUARES} squares."
        )
    lists: dict[str, list[str]] = {"W": [], "B": []}
    for square, letter in enumerate(text[1:], 1):
        if letter != "e":
            lists[letter.upper()].append(f"{'K' if letter.isupper() else ''}{square}")
    return f"{text[0]}:W{','.join(lists['W'])}:B{','.join(lists['B'])}"


def move_text(game: Game, state: Array, move: int) -> str:
    """Return a legal move as Hub writes it."""
    view = game.view(state)
    look = next(look for look in view.moves if look.move == move)
    names = view.board.names
    ends = [names[look.cells[0]], names[look.cells[-1]]]
    taken = sorted((names[cell] for cell in look.captures), key=int)
    return "x".join(ends + taken) if taken else "-".join(ends)


def read_move(game: Game, state: Array, text: str) -> int:
    """Return the move that a text means; who takes the same men between the same ends is it."""
    if not re.fullmatch("[0-9]{1,2}(-[0-9]{1,2}|(x[0-9]{1,2}){2,})", text):
        raise MalformedMove(f"{quoted(text)} is not a move; write 11-15, or 15x22x18 to capture.")
    wanted = _alike(text)
    for move in game.legal_moves(state):
        if _alike(move_text(game, state, move)) == wanted:
            return move
    raise IllegalMove(f"{quoted(text)} is not legal in {game.state_text(state)}.")


def _alike(text: str) -> tuple[list[int], list[int]]:
    """Return what tells a move from all others: its ends, and the squares taken, in order."""
    squares = [int(number) for number in re.findall("[0-9]+", text)]
    return squares[:2], sorted(squares[2:])
