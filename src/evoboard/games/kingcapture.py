"""King-capture chess on 6×6 squares: no check, no queens, and taking the king wins.

30 31 32 33 34 35   r b n k b r   black     cells 0..35  pieces: white 1..5, black -1..-5
24 25 26 27 28 29   p p p p p p             TURN         0 white, 1 black
18 19 20 21 22 23   . . . . . .             QUIET        plies since a capture or a pawn move
12 13 14 15 16 17   . . . . . .             KINGS        1 white's king is there, 2 black's
 6  7  8  9 10 11   P P P P P P
 0  1  2  3  4  5   R B N K B R   white     a move is origin * 36 + target
"""

from __future__ import annotations

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import ImpossibleState, MalformedState, quoted
from evoboard.core.wording import counted
from evoboard.games.base import DrawRules, Game
from evoboard.games.boards import read_board, write_board
from evoboard.games.editing import Answers, Editor, Pieces, figures, letters
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.games.view import MoveLook, Piece, View, grid

VERSION = 1
TITLE = "6×6 chess won by taking the king"
SIDES = ("White", "Black")
DRAWS = DrawRules(repetitions=3, plies=40)

PAWN, ROOK, KNIGHT, BISHOP, KING = 1, 2, 3, 4, 5
TURN, QUIET, KINGS = 36, 37, 38
STATE_SIZE = 39
COUNTERS = (QUIET,)
LARGEST_CELL = KING
# A side has at most a king, which sees 8 squares, and 11 others, of which a rook sees most, 10.
MAX_MOVES = 8 + 11 * 10

BOARD = grid(6, 6, checkered=True)
LETTERS = ".PRNBKkbnrp"  # by piece number; the negative ones count from the end
GLYPHS = " ♙♖♘♗♔♚♝♞♜♟"
POINTS = np.array([0, -3, -3, -5, -1, 0, 1, 5, 3, 3, 0], np.int64)  # by piece number + KING
# For the order of captures, by piece number + KING.
VICTIM = np.array([900, 30, 30, 50, 10, 0, 10, 50, 30, 30, 900], np.int64)
ATTACKER = np.array([5, 2, 2, 3, 1, 0, 1, 3, 2, 2, 5], np.int64)
WORTH = np.array([0, 1, 5, 3, 3, 99], np.int64)  # in exchanges, by piece number
START = np.array([2, 4, 3, 5, 4, 2], np.int64)


def _reach(steps: list[tuple[int, int]], far: bool) -> Array:
    """Return a (36, 8, 6) table: the squares met from a square along each step, ended by -1."""
    table = np.full((36, 8, 6), -1, np.int8)  # small, to fit a GPU's constant memory
    for square in range(36):
        for d, (dx, dy) in enumerate(steps):
            x, y = square % 6 + dx, square // 6 + dy
            for i in range(5 if far else 1):
                if 0 <= x < 6 and 0 <= y < 6:
                    table[square, d, i] = y * 6 + x
                x, y = x + dx, y + dy
    return table


_STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
_DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
_JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
# Row by piece number: each piece's rays; a pawn's are not used.
RAYS = np.stack(
    [
        _reach([], False),
        _reach([], False),
        _reach(_STRAIGHT, True),
        _reach(_JUMPS, False),
        _reach(_DIAGONAL, True),
        _reach(_STRAIGHT + _DIAGONAL, False),
    ]
)
RAY_COUNT = np.array([0, 0, 4, 8, 4, 8], np.int64)


def initial(state: Array, seed: int) -> None:
    """Write the start position."""
    for cell in range(STATE_SIZE):
        state[cell] = 0
    for x in range(6):
        state[x], state[6 + x] = START[x], PAWN
        state[30 + x], state[24 + x] = -START[x], -PAWN
    state[KINGS] = 3


def legal_moves(state: Array, out: Array) -> int:
    """Write the moves of the side to move; attacked kings may stay where they are."""
    me = 1 - 2 * state[TURN]
    n = 0
    for square in range(36):
        piece = state[square] * me
        if piece <= 0:
            continue
        base = square * 36
        if piece == PAWN:
            ahead = square + 6 * me
            x = square % 6
            if state[ahead] == 0:
                out[n] = base + ahead
                n += 1
            if x > 0 and state[ahead - 1] * me < 0:
                out[n] = base + ahead - 1
                n += 1
            if x < 5 and state[ahead + 1] * me < 0:
                out[n] = base + ahead + 1
                n += 1
            continue
        for ray in range(RAY_COUNT[piece]):
            for step in range(6):
                target = RAYS[piece, square, ray, step]
                if target < 0:
                    break
                there = state[target] * me
                if there > 0:
                    break
                out[n] = base + target
                n += 1
                if there < 0:
                    break
    return n


def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after `move`; a pawn on the last rank becomes a rook at once."""
    for cell in range(STATE_SIZE):
        out[cell] = state[cell]
    side = state[TURN]
    me = 1 - 2 * side
    origin, target = move // 36, move % 36
    piece, taken = state[origin], state[target]
    out[QUIET] = state[QUIET] + 1
    if taken != 0:
        out[QUIET] = 0
        if taken == -KING * me:
            out[KINGS] = 1 + side
    if piece == PAWN * me:
        out[QUIET] = 0
        if target >= 30 or target < 6:
            piece = ROOK * me
    out[origin], out[target], out[TURN] = 0, piece, 1 - side


def outcome(state: Array) -> int:
    """Return LOSS where the side to move has lost its king."""
    if state[KINGS] == 3:
        return ONGOING
    return LOSS if state[KINGS] == 2 - state[TURN] else WIN


def stuck(state: Array) -> int:
    """A side without a move draws."""
    return DRAW


def material(state: Array) -> int:
    """Return the mover's points minus the other side's; the king is beyond price."""
    points = 0
    for square in range(36):
        points += POINTS[state[square] + KING]
    return points * (1 - 2 * state[TURN])


def forcing(state: Array, move: int) -> int:
    """Return how early to try a capture (great victim, then small attacker) or a promotion."""
    origin, target = move // 36, move % 36
    piece, taken = state[origin], state[target]
    force = 0
    if taken != 0:
        force = VICTIM[taken + KING] - ATTACKER[piece + KING]
    if (target >= 30 or target < 6) and (piece == PAWN or piece == -PAWN):
        force += VICTIM[KING + ROOK]
    return force


def losing(state: Array, move: int) -> int:
    """Return 1 for a capture that costs more than the victim and the least of its protectors."""
    me = 1 - 2 * state[TURN]
    origin, target = move // 36, move % 36
    attacker, victim = WORTH[state[origin] * me], WORTH[-state[target] * me]
    if victim >= attacker:
        return 0
    protector = _least_taker(state, target, me)
    return 1 if protector > 0 and victim + protector < attacker else 0


def _least_taker(state: Array, square: int, me: int) -> int:
    """Return what the other side's least piece is worth that attacks a square, 0 without any.

    `me` is 1 for White, -1 for Black.
    """
    x, ahead = square % 6, square + 6 * me
    if 0 <= ahead < 36:
        if x > 0 and state[ahead - 1] == -PAWN * me:
            return WORTH[PAWN]
        if x < 5 and state[ahead + 1] == -PAWN * me:
            return WORTH[PAWN]
    for kind in (KNIGHT, BISHOP, ROOK, KING):
        for ray in range(RAY_COUNT[kind]):
            for step in range(6):
                target = RAYS[kind, square, ray, step]
                if target < 0:
                    break
                there = state[target] * me
                if there == -kind:
                    return WORTH[kind]
                if there != 0:
                    break
    return 0


def in_check(state: Array) -> int:
    """Return 1 if the king of the side to move can be taken next."""
    me = 1 - 2 * state[TURN]
    square = 0
    while square < 35 and state[square] != KING * me:
        square += 1
    return 1 if _least_taker(state, square, me) > 0 else 0


def pass_turn(state: Array, out: Array) -> int:
    """Write the state with the other side to move; not in check, nor with pawns alone."""
    me, pieces = 1 - 2 * state[TURN], 0
    for square in range(36):
        piece = state[square] * me
        pieces += 1 if PAWN < piece < KING else 0
    if pieces == 0 or in_check(state):
        return 0
    for cell in range(STATE_SIZE):
        out[cell] = state[cell]
    out[TURN] = 1 - state[TURN]
    return 1


def reason(state: Array) -> str:
    """Return why the game ended."""
    return "king captured" if state[KINGS] != 3 else "no legal move"


def state_text(state: Array) -> str:
    """Return board and side as FEN, then the plies without progress where there are any."""
    pieces = {cell: LETTERS[state[cell]] for cell in range(36) if state[cell]}
    quiet = f" {state[QUIET]}" if state[QUIET] else ""
    return f"{write_board(pieces, 6, 6)} {'wb'[state[TURN]]}{quiet}"


def parse_state(text: str, out: Array) -> None:
    """Read "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"; one king may be gone, as after its capture.

    A FEN's further fields may follow: no castling, no en passant, quiet plies, number of the move.
    """
    fields = text.split()
    if fields[2:4] == ["-", "-"] and (len(fields) < 6 or fields[5].isdecimal()):
        fields[2:] = fields[4:5]
    if not 2 <= len(fields) <= 3:
        found = counted(len(fields), "field")
        raise MalformedState(f"it has {found}; write the board, a space, and w or b.")
    if fields[1] not in ("w", "b"):
        raise MalformedState(f"the side to move is {quoted(fields[1])}; it must be w or b.")
    quiet = fields[2] if len(fields) == 3 else "0"
    if not (quiet.isascii() and quiet.isdigit() and len(quiet) < 6):
        raise MalformedState(
            f"the count of quiet plies is {quoted(quiet)}; it must be a whole number."
        )
    out[:] = 0
    for cell, letter in read_board(fields[0], 6, 6, "PRNBKprnbk"):
        number = LETTERS.index(letter)
        out[cell] = number if number <= KING else number - len(LETTERS)
    out[TURN], out[QUIET] = "wb".index(fields[1]), int(quiet)
    _check_possible(out)
    out[KINGS] = int(KING in out[:36]) + 2 * int(-KING in out[:36])


def _check_possible(state: Array) -> None:
    """Raise ImpossibleState for a position no game can reach."""
    board = state[:36]
    for sign, side in ((1, "White"), (-1, "Black")):
        own = board * sign
        kings, pawns = int((own == KING).sum()), int((own == PAWN).sum())
        if kings > 1:
            raise ImpossibleState(f"{side} has {kings} kings; a side has one.")
        if kings == 0 and (-KING * sign not in board or sign != 1 - 2 * state[TURN]):
            raise ImpossibleState(f"{side} has no king; only the side to move can have lost it.")
        if (own > 0).sum() > 12 or pawns > 6:
            raise ImpossibleState(f"{side} has more than 6 pawns or 12 pieces.")
        last = board[30:36] if sign > 0 else board[0:6]
        if PAWN * sign in last:
            raise ImpossibleState(f"{side} has a pawn on its last rank, where it becomes a rook.")


def move_text(state: Array, move: int) -> str:
    """Return origin and target, such as a2a3."""
    return BOARD.names[move // 36] + BOARD.names[move % 36]


def move_label(state: Array, move: int) -> str:
    """Return the move with its piece and what it does: a2a3, Nc1d3, Nd3xe5, b5b6=R."""
    origin, target = move // 36, move % 36
    piece = LETTERS[state[origin]].upper()
    pawn = piece == "P"
    takes = "x" if state[target] else ""
    becomes = "=R" if pawn and target // 6 in (0, 5) else ""
    return f"{'' if pawn else piece}{BOARD.names[origin]}{takes}{BOARD.names[target]}{becomes}"


def view(state: Array, moves: list[int]) -> View:
    """Return the board to draw."""
    pieces = tuple(
        Piece(c, LETTERS[state[c]].upper(), int(state[c] < 0), glyph=GLYPHS[state[c]])
        for c in range(36)
        if state[c]
    )
    looks = tuple(_look(state, move) for move in moves)
    return View(BOARD, pieces, looks, int(state[TURN]), SIDES)


def _look(state: Array, move: int) -> MoveLook:
    origin, target = move // 36, move % 36
    captures = (target,) if state[target] else ()
    return MoveLook(move, move_text(state, move), (origin, target), captures)


# --- positions set up by hand ---------------------------------------------------------------------


def _placed_text(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    return f"{write_board(letters(pieces), 6, 6)} {'wb'[side]}"


EDITOR = Editor(figures("KRBNP", "♔♖♗♘♙", "♚♜♝♞♟"), _placed_text)
