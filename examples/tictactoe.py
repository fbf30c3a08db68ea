"""Tic-tac-toe: three in a row wins.

    6 7 8      state[0:9]   what is on each cell: 1 a cross, -1 a nought, 0 nothing
    3 4 5      state[TURN]  whose turn it is: 0 X, 1 O
    0 1 2

A move is the number of the cell to mark.
"""

from evoboard.games import DRAW, LOSS, ONGOING, MoveLook, Piece, View, grid

VERSION = 1
TITLE = "Three in a row on 3×3 cells"
SIDES = ("X", "O")

TURN, STATE_SIZE = 9, 10
MAX_MOVES = 9

BOARD = grid(3, 3)  # its cells are called a1, b1, c1, a2, …
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
COLUMNS = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
LINES = (*ROWS, *COLUMNS, (0, 4, 8), (2, 4, 6))


# The rules: these functions are compiled.


def initial(state, seed):
    """Write the empty board; X begins."""
    for i in range(STATE_SIZE):
        state[i] = 0


def legal_moves(state, out):
    """Write the empty cells into `out` and return how many there are."""
    count = 0
    for cell in range(9):
        if state[cell] == 0:
            out[count] = cell
            count += 1
    return count


def apply_move(state, move, out):
    """Write the position after marking the cell `move` into `out`."""
    for i in range(STATE_SIZE):
        out[i] = state[i]
    out[move] = mark(state[TURN])
    out[TURN] = 1 - state[TURN]


def outcome(state):
    """Return LOSS where the other side, which moved last, has three in a row."""
    return LOSS if has_three(state, 1 - state[TURN]) else ONGOING


def stuck(state):
    """No empty cell is left, and nobody has three in a row."""
    return DRAW


def mark(side):
    """Return what this side writes into a cell: 1 or -1."""
    return 1 - 2 * side


def has_three(state, side):
    """Return 1 where this side has three in a row, else 0."""
    own = mark(side)
    for a, b, c in LINES:
        if state[a] == own and state[b] == own and state[c] == own:
            return 1
    return 0


INPUTS = 9


def encode(state, out):
    """Write what a network sees: its own marks as 1, the other side's as -1."""
    for cell in range(9):
        out[cell] = state[cell] * mark(state[TURN])


# Words and pictures: ordinary Python.


def state_text(state):
    """Return the rows from top to bottom and whose turn it is, such as `x2/1o1/3 x`."""
    letters = [".xo"[cell] for cell in state[:9]]  # index -1 is the last letter
    board = "/".join("".join(letters[cell] for cell in row) for row in reversed(ROWS))
    for gap in (3, 2, 1):
        board = board.replace("." * gap, str(gap))
    return f"{board} {'xo'[state[TURN]]}"


def parse_state(text, out):
    """Read what `state_text` writes; dots may stand for the empty cells, too."""
    fields = text.split()
    if len(fields) != 2 or fields[1] not in ("x", "o"):
        raise ValueError("write the board, a space, and x or o for the side to move: x2/1o1/3 x")
    board, side = fields[0], "xo".index(fields[1])
    for gap in (1, 2, 3):
        board = board.replace(str(gap), "." * gap)
    rows = board.split("/")
    if [len(row) for row in rows] != [3, 3, 3]:
        raise ValueError("the board needs three rows of three cells, such as x2/1o1/3")
    letters = "".join(reversed(rows))
    for letter in letters:
        if letter not in ".xo":
            raise ValueError(f"{letter!r} is neither x nor o nor a number of empty cells")
    if letters.count("x") - letters.count("o") != side:
        raise ValueError("X begins and they take turns, but marks and side to move disagree")
    out[:9] = [(letter == "x") - (letter == "o") for letter in letters]
    out[TURN] = side
    if has_three(out, side):
        raise ValueError(f"{SIDES[side]} has three in a row, so it is not the side to move")


def move_text(state, move):
    """Return the name of the cell, such as b2."""
    return BOARD.names[move]


def reason(state):
    """Return why the game has ended."""
    return "board full" if outcome(state) == ONGOING else "three in a row"


def view(state, moves):
    """Return what to draw: the marks, the moves, and the three in a row if there are any."""
    owners = {cell: int(state[cell] < 0) for cell in range(9) if state[cell]}
    pieces = [Piece(cell, SIDES[side], side) for cell, side in owners.items()]
    looks = [MoveLook(move, move_text(state, move), (move,)) for move in moves]
    threes = [line for line in LINES if abs(sum(state[cell] for cell in line)) == 3]
    marks = sorted({cell for line in threes for cell in line})
    return View(BOARD, tuple(pieces), tuple(looks), int(state[TURN]), SIDES, tuple(marks))
