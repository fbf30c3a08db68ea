"""Othello: enclose the other side's discs to turn them; most discs win.

    56 57 58 59 60 61 62 63      state[BLACK]  black's discs: bit i is set for a disc on square i
     .  .  .  .  .  .  .  .      state[WHITE]  white's discs
     8  9 10 11 12 13 14 15      state[TURN]   whose turn it is: 0 black, 1 white
     0  1  2  3  4  5  6  7

All discs of a side are the 64 bits of one number, so that one shift moves all of them by a square.
A move is the number of a square, or PASS.
"""

from evoboard.core.bits import bit, lowest, popcount, shift_right
from evoboard.games import DRAW, LOSS, ONGOING, WIN, MoveLook, Piece, View, grid

VERSION = 1
TITLE = "Enclose discs to turn them; most discs win"
SIDES = ("Black", "White")

BLACK, WHITE, TURN = 0, 1, 2
STATE_SIZE = 3
MAX_MOVES = 60  # four squares are taken from the start
PASS = 64

BOARD = grid(8, 8)
CENTRE = (27, 28, 35, 36)

# A step to the right must not arrive on file a, one to the left not on file h.
EVERYWHERE, FILE_A, FILE_H = -1, 0x0101010101010101, -0x7F7F7F7F7F7F7F80
STEPS = (
    (1, ~FILE_A),
    (9, ~FILE_A),
    (-7, ~FILE_A),
    (-1, ~FILE_H),
    (-9, ~FILE_H),
    (7, ~FILE_H),
    (8, EVERYWHERE),
    (-8, EVERYWHERE),
)


# The rules: these functions are compiled.


def initial(state, seed):
    """Write the four discs of the start; black begins."""
    state[BLACK] = bit(28) | bit(35)
    state[WHITE] = bit(27) | bit(36)
    state[TURN] = 0


def legal_moves(state, out):
    """Write the squares that turn something; a pass only where the other side could go on."""
    own, other = state[state[TURN]], state[1 - state[TURN]]
    squares = targets(own, other)
    count = 0
    while squares != 0:
        out[count] = lowest(squares)
        squares &= squares - 1  # clears the lowest bit
        count += 1
    if count == 0 and targets(other, own) != 0:
        out[0] = PASS
        count = 1
    return count


def apply_move(state, move, out):
    """Write the position after placing a disc, or passing, into `out`."""
    side = state[TURN]
    own, other = state[side], state[1 - side]
    if move != PASS:
        turned = turns(own, other, move)
        own = own | turned | bit(move)
        other = other & ~turned
    out[side], out[1 - side], out[TURN] = own, other, 1 - side


def outcome(state):
    """Never decided while a side can move: see `stuck`."""
    return ONGOING


def stuck(state):
    """Neither side can move: count the discs."""
    own, other = popcount(state[state[TURN]]), popcount(state[1 - state[TURN]])
    if own == other:
        return DRAW
    return WIN if own > other else LOSS


def targets(own, other):
    """Return the empty squares from which a line of other discs leads to an own one."""
    found = 0
    for step, mask in STEPS:
        found |= shift(line(own, other, step, mask), step, mask)
    return found & ~(own | other)


def turns(own, other, square):
    """Return the discs that change sides when `own` gets a disc on `square`."""
    turned = 0
    for step, mask in STEPS:
        between = line(bit(square), other, step, mask)
        if shift(between, step, mask) & own != 0:
            turned |= between
    return turned


def line(start, other, step, mask):
    """Return the unbroken lines of `other` discs that begin next to the squares of `start`."""
    found = shift(start, step, mask) & other
    for _ in range(5):  # a line between two discs has at most six
        found |= shift(found, step, mask) & other
    return found


def shift(squares, step, mask):
    """Return the squares one step further, less those that would leave the board."""
    moved = squares << step if step > 0 else shift_right(squares, -step)
    return moved & mask


INPUTS = 64


def encode(state, out):
    """Write what a network sees: its own discs as 1, the other side's as -1."""
    own, other = state[state[TURN]], state[1 - state[TURN]]
    for square in range(64):
        out[square] = (own >> square & 1) - (other >> square & 1)


# Words and pictures: ordinary Python.


def letters_of(state):
    """Return b, w or a dot for each square."""
    black, white = int(state[BLACK]), int(state[WHITE])
    return ["b" if black >> i & 1 else "w" if white >> i & 1 else "." for i in range(64)]


def state_text(state):
    """Return the rows from top to bottom and whose turn it is: `8/8/8/3bw3/3wb3/8/8/8 b`."""
    letters = "".join(letters_of(state))
    board = "/".join(letters[i : i + 8] for i in range(56, -1, -8))
    for gap in range(8, 0, -1):
        board = board.replace("." * gap, str(gap))
    return f"{board} {'bw'[state[TURN]]}"


def parse_state(text, out):
    """Read what `state_text` writes; dots may stand for the empty squares, too."""
    fields = text.split()
    if len(fields) != 2 or fields[1] not in ("b", "w"):
        raise ValueError("write the board, a space, and b or w: 8/8/8/3bw3/3wb3/8/8/8 b")
    board = fields[0]
    for gap in range(1, 9):
        board = board.replace(str(gap), "." * gap)
    rows = board.split("/")
    if [len(row) for row in rows] != [8] * 8:
        raise ValueError("the board needs 8 rows of 8 squares, such as 8/8/8/3bw3/3wb3/8/8/8")
    out[BLACK], out[WHITE], out[TURN] = 0, 0, "bw".index(fields[1])
    letters = "".join(reversed(rows))
    for square, letter in enumerate(letters):
        if letter not in ".bw":
            raise ValueError(f"{letter!r} is neither b nor w nor a number of empty squares")
        if letter != ".":
            out["bw".index(letter)] |= bit(square)
    if "." in [letters[square] for square in CENTRE]:
        raise ValueError("the four squares in the middle are never empty")


def move_text(state, move):
    """Return the name of the square, such as d3, or "pass"."""
    return "pass" if move == PASS else BOARD.names[move]


def reason(state):
    """Return why the game has ended."""
    if state[BLACK] == 0 or state[WHITE] == 0:
        return "all discs of one colour"
    return "neither side can move" if "." in letters_of(state) else "board full"


def view(state, moves):
    """Return what to draw: the discs, and the square of each move."""
    discs = [(i, "bw".index(c)) for i, c in enumerate(letters_of(state)) if c != "."]
    pieces = [Piece(square, "BW"[side], side, glyph="●") for square, side in discs]
    looks = [MoveLook(m, move_text(state, m), () if m == PASS else (m,)) for m in moves]
    return View(BOARD, tuple(pieces), tuple(looks), int(state[TURN]), SIDES)
