"""Connect four: drop discs into columns; four in a row, any direction, wins.

    35 36 37 38 39 40 41      state[0:42]  what is on each cell: 1 red, -1 yellow, 0 nothing
     .  .  .  .  .  .  .      state[TURN]  whose turn it is: 0 red, 1 yellow
     7  8  9 10 11 12 13      state[WON]   1 where the last disc made four in a row, else 0
     0  1  2  3  4  5  6

A move is the number of a column, 0 to 6.
"""

from evoboard.games import DRAW, LOSS, ONGOING, MoveLook, Piece, View, grid

VERSION = 1
TITLE = "Drop discs into columns; four in a row wins"
SIDES = ("Red", "Yellow")

WIDTH, HEIGHT = 7, 6
CELLS = WIDTH * HEIGHT
TURN, WON = CELLS, CELLS + 1
STATE_SIZE = CELLS + 2
MAX_MOVES = WIDTH

BOARD = grid(WIDTH, HEIGHT)


# The rules: these functions are compiled.


def initial(state, seed):
    """Write the empty board; red begins."""
    for i in range(STATE_SIZE):
        state[i] = 0


def legal_moves(state, out):
    """Write the columns that have room into `out` and return how many there are."""
    count = 0
    for column in range(WIDTH):
        if state[CELLS - WIDTH + column] == 0:
            out[count] = column
            count += 1
    return count


def apply_move(state, move, out):
    """Write the position after dropping a disc into column `move` into `out`."""
    for i in range(STATE_SIZE):
        out[i] = state[i]
    cell = landing(state, move)
    out[cell] = 1 - 2 * state[TURN]
    out[TURN] = 1 - state[TURN]
    # Only the new disc can have made a line: looking here is cheaper than searching the board.
    out[WON] = in_a_four(out, cell)


def outcome(state):
    """Return LOSS where the other side has made four in a row."""
    return LOSS if state[WON] == 1 else ONGOING


def stuck(state):
    """All columns are full, and nobody has four in a row."""
    return DRAW


def landing(state, column):
    """Return the lowest empty cell of a column that has room."""
    cell = column
    while state[cell] != 0:
        cell += WIDTH
    return cell


def in_a_four(state, cell):
    """Return 1 where the disc on `cell` is one of four or more in a row, else 0."""
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        if alike(state, cell, dx, dy) + alike(state, cell, -dx, -dy) >= 3:
            return 1
    return 0


def alike(state, cell, dx, dy):
    """Return how many discs of the same colour follow in one direction."""
    x, y, count = cell % WIDTH + dx, cell // WIDTH + dy, 0
    while 0 <= x < WIDTH and 0 <= y < HEIGHT and state[y * WIDTH + x] == state[cell]:
        x, y, count = x + dx, y + dy, count + 1
    return count


INPUTS = CELLS


def encode(state, out):
    """Write what a network sees: its own discs as 1, the other side's as -1."""
    for cell in range(CELLS):
        out[cell] = state[cell] * (1 - 2 * state[TURN])


# Words and pictures: ordinary Python.


def state_text(state):
    """Return the rows from top to bottom and whose turn it is: `7/7/7/7/3y3/3r3 r`."""
    letters = [".ry"[disc] for disc in state[:CELLS]]  # index -1 is the last letter
    rows = ["".join(letters[i : i + WIDTH]) for i in range(0, CELLS, WIDTH)]
    board = "/".join(reversed(rows))
    for gap in range(WIDTH, 0, -1):
        board = board.replace("." * gap, str(gap))
    return f"{board} {'ry'[state[TURN]]}"


def parse_state(text, out):
    """Read what `state_text` writes; dots may stand for the empty cells, too."""
    fields = text.split()
    if len(fields) != 2 or fields[1] not in ("r", "y"):
        raise ValueError("write the board, a space, and r or y: 7/7/7/7/3y3/3r3 r")
    board, side = fields[0], "ry".index(fields[1])
    for gap in range(1, WIDTH + 1):
        board = board.replace(str(gap), "." * gap)
    rows = board.split("/")
    if [len(row) for row in rows] != [WIDTH] * HEIGHT:
        raise ValueError(f"the board needs {HEIGHT} rows of {WIDTH} cells, such as 7/7/7/7/7/3r3")
    letters = "".join(reversed(rows))
    for cell, letter in enumerate(letters):
        if letter not in ".ry":
            raise ValueError(f"{letter!r} is neither r nor y nor a number of empty cells")
        if letter != "." and cell >= WIDTH and letters[cell - WIDTH] == ".":
            raise ValueError(f"the disc on {BOARD.names[cell]} has nothing below it")
    if letters.count("r") - letters.count("y") != side:
        raise ValueError("red begins and they take turns, but discs and side to move disagree")
    out[:CELLS] = [(letter == "r") - (letter == "y") for letter in letters]
    out[TURN] = side
    fours = {"ry".index(letters[cell]) for cell in fours_of(out)}
    if side in fours:
        raise ValueError(f"{SIDES[side]} has four in a row, so it is not the side to move")
    out[WON] = len(fours)


def fours_of(state):
    """Return the cells of all fours in a row."""
    return [cell for cell in range(CELLS) if state[cell] and in_a_four(state, cell)]


def move_text(state, move):
    """Return the letter of the column."""
    return "abcdefg"[move]


def reason(state):
    """Return why the game has ended."""
    return "four in a row" if state[WON] else "board full"


def view(state, moves):
    """Return what to draw: the discs, where each move lands, and the four in a row."""
    owners = {cell: int(state[cell] < 0) for cell in range(CELLS) if state[cell]}
    pieces = [Piece(cell, "RY"[side], side, glyph="●") for cell, side in owners.items()]
    looks = [MoveLook(move, move_text(state, move), (landing(state, move),)) for move in moves]
    marks = fours_of(state) if state[WON] else ()
    return View(BOARD, tuple(pieces), tuple(looks), int(state[TURN]), SIDES, tuple(marks))
