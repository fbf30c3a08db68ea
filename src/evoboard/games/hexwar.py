"""Hexwar: armies on 5×5 hexes, which move, multiply and cancel each other out.

    20  21  22  23  24       Cell y * 5 + x is the tile (x, y); row 0 is the lowest.
      15  16  17  18  19     Blue starts on (4,0), cell 4; Red on (0,4), cell 20.
    10  11  12  13  14
       5   6   7   8   9     Layout "rhombus" moves each row half a tile further right than
     0   1   2   3   4       the one below it, which makes the two corners equal.

    state[0:25]          pieces on each tile, Blue's positive, Red's negative, -10..10
    state[TURN]          the side to move, 0 Blue, 1 Red
    state[PIECES + side] the sum of that side's pieces, so that `outcome` is two comparisons

A move is source << 9 | target << 4 | amount: `amount` pieces go from source to target, or, where
both are the same tile, one piece is produced there (amount 1).
"""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import ImpossibleState, MalformedState, quoted
from evoboard.core.settings import Settings
from evoboard.games.base import DrawRules, Game
from evoboard.games.editing import ERASER, Answers, Editor, Pieces
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.games.view import Board, MoveLook, Piece, View

VERSION = 1
TITLE = "Armies on 5×5 hexes that move, multiply and cancel each other out"
SIDES = ("Blue", "Red")
DRAWS = DrawRules(repetitions=0, quiet=0, plies=150)

SIZE, CELLS, LIMIT = 5, 25, 10
TURN, PIECES, STATE_SIZE = 25, 26, 28
LARGEST_CELL = CELLS * LIMIT
BLUE_START, RED_START = 4, 20
START_PIECES = 1

# The 56 borders of either layout carry at most 10 transfers each: between own tiles of c and d
# pieces min(c, 10 - d) + min(d, 10 - c) <= 10, from an own tile to any other c <= 10. Each of the
# 25 tiles adds one production. A board full of 5s has all 585.
MAX_MOVES = 56 * 10 + 25


def neighbours(layout: str) -> Array:
    """Return a (25, 6) table of the cells that touch each cell, padded with -1 at the end."""
    table = np.full((CELLS, 6), -1, np.int64)
    for cell in range(CELLS):
        y, x = divmod(cell, SIZE)
        # In the rows above and below, a tile touches column x and one more.
        above = -1 if layout == "rhombus" or y % 2 == 0 else 1
        below = -above if layout == "rhombus" else above
        tiles = [(x + 1, y), (x - 1, y), (x, y + 1), (x + above, y + 1)]
        tiles += [(x, y - 1), (x + below, y - 1)]
        cells = [v * SIZE + u for u, v in tiles if 0 <= u < SIZE and 0 <= v < SIZE]
        table[cell, : len(cells)] = cells
    return table


def steps_between(table: Array) -> Array:
    """Return how many steps lie between any two cells, (25, 25), by a table of neighbours."""
    steps = np.full((CELLS, CELLS), CELLS, np.int64)
    np.fill_diagonal(steps, 0)
    for cell, others in enumerate(table):
        steps[cell, others[others >= 0]] = 1
    for via in range(CELLS):
        steps = np.minimum(steps, steps[:, via, None] + steps[via])
    return steps


NEIGHBOURS = neighbours("offset")
SLANT = False
NAMES = tuple(f"{cell % SIZE},{cell // SIZE}" for cell in range(CELLS))


class Options(Settings):
    """The layout of the hexes, and how many pieces there are at the start."""

    layout: Literal["offset", "rhombus"] = Field(
        "offset",
        description="how rows are stacked; in a rhombus both start corners have the same number"
        " of neighbours",
    )
    start_pieces: int = Field(
        1, ge=1, le=LIMIT, description="how many pieces each side starts with"
    )


def configure(options: Options) -> dict[str, Any]:
    """Return the constants of these options."""
    shape = {"NEIGHBOURS": neighbours(options.layout), "SLANT": options.layout == "rhombus"}
    return {**shape, "START_PIECES": options.start_pieces}


def initial(state: Array, seed: int) -> None:
    """Write the start: each side on its corner, Blue to move."""
    for cell in range(STATE_SIZE):
        state[cell] = 0
    state[BLUE_START], state[RED_START] = START_PIECES, -START_PIECES
    state[PIECES], state[PIECES + 1] = START_PIECES, START_PIECES


def legal_moves(state: Array, out: Array) -> int:
    """Write tile by tile the production, then the transfers, small before large."""
    sign = 1 - 2 * state[TURN]
    count = 0
    for source in range(CELLS):
        own = state[source] * sign
        if own <= 0:
            continue
        if own < LIMIT:
            out[count] = make_move(source, source, 1)
            count += 1
        for direction in range(6):
            target = NEIGHBOURS[source, direction]
            if target < 0:
                break
            # An enemy tile, negative here, takes any number.
            most = min(own, LIMIT - state[target] * sign)
            for amount in range(1, most + 1):
                out[count] = make_move(source, target, amount)
                count += 1
    return count


def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after a transfer or a production."""
    for cell in range(STATE_SIZE):
        out[cell] = state[cell]
    side = state[TURN]
    sign = 1 - 2 * side
    source, target, amount = split_move(move)
    out[TURN] = 1 - side
    if source == target:
        out[source] = state[source] + sign
        out[PIECES + side] = state[PIECES + side] + 1
    else:
        out[source] = state[source] - sign * amount
        out[target] = state[target] + sign * amount
        fallen = max(0, min(amount, -state[target] * sign))
        out[PIECES] = state[PIECES] - fallen
        out[PIECES + 1] = state[PIECES + 1] - fallen


def outcome(state: Array) -> int:
    """Return the loss of a side without pieces, or the draw where both have none."""
    side = state[TURN]
    own, other = state[PIECES + side], state[PIECES + 1 - side]
    if own > 0 and other > 0:
        return ONGOING
    if own > 0:
        return WIN
    return LOSS if other > 0 else DRAW


def stuck(state: Array) -> int:
    """Return a draw; no ongoing state gets here.

    A side without a production has 10 on all its tiles. The board is connected and holds enemy
    tiles, so one of its tiles touches a tile not its own, and to that it can transfer.
    """
    return DRAW


def make_move(source: int, target: int, amount: int) -> int:
    """Return the move of `amount` pieces; a production has source = target and amount 1."""
    return source << 9 | target << 4 | amount


def split_move(move: int) -> tuple[int, int, int]:
    """Return source, target and amount of a move."""
    return move >> 9, (move >> 4) & 31, move & 15


def state_text(state: Array) -> str:
    """Return the rows from y = 0 on and the side: `0,0,0,0,1/…/-1,0,0,0,0 b`."""
    rows = [",".join(map(str, state[y * SIZE : (y + 1) * SIZE].tolist())) for y in range(SIZE)]
    return f"{'/'.join(rows)} {'br'[int(state[TURN])]}"


def parse_state(text: str, out: Array) -> None:
    """Fill `out` from a text in the form of `state_text`."""
    fields = text.split()
    if len(fields) != 2:
        example = "0,0,0,0,1/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 b"
        raise MalformedState(f"it must be five rows, a space and the side, such as {example}.")
    rows, side = fields[0].split("/"), fields[1]
    if len(rows) != SIZE:
        raise MalformedState(f"it has {len(rows)} rows; it needs {SIZE}, separated by /.")
    if side not in ("b", "r"):
        raise MalformedState(f"the side to move is {quoted(side)}; it must be b (Blue) or r (Red).")
    counts = np.array([_parse_row(row, y) for y, row in enumerate(rows)]).ravel()
    out[:CELLS] = counts
    out[TURN] = "br".index(side)
    out[PIECES], out[PIECES + 1] = counts[counts > 0].sum(), -counts[counts < 0].sum()


def _parse_row(row: str, y: int) -> list[int]:
    """Return the counts of row `y`."""
    numbers = row.split(",")
    if len(numbers) != SIZE:
        raise MalformedState(
            f"row {y} has {len(numbers)} numbers; it needs {SIZE}, as in 0,0,0,0,1."
        )
    for x, number in enumerate(numbers):
        if not re.fullmatch("-?[0-9]{1,4000}", number):
            raise MalformedState(f"{quoted(number)} on tile {x},{y} is not a whole number.")
        if abs(int(number)) > LIMIT:
            told = quoted(int(number))
            raise ImpossibleState(f"tile {x},{y} holds {told}; it must be from -10 to 10.")
    return [int(number) for number in numbers]


def move_text(state: Array, move: int) -> str:
    """Return `4,0-3,1:6` for a transfer and `4,0+` for a production."""
    source, target, amount = split_move(move)
    return f"{NAMES[source]}+" if source == target else f"{NAMES[source]}-{NAMES[target]}:{amount}"


def move_label(state: Array, move: int) -> str:
    """Return `4,0→3,1 ×6` for a transfer and `4,0 grows` for a production."""
    source, target, amount = split_move(move)
    if source == target:
        return f"{NAMES[source]} grows"
    return f"{NAMES[source]}→{NAMES[target]} ×{amount}"


def material(state: Array) -> int:
    """Return the mover's pieces minus the other side's."""
    return state[PIECES + state[TURN]] - state[PIECES + 1 - state[TURN]]


def forcing(state: Array, move: int) -> int:
    """Return how many pieces a transfer onto an enemy tile cancels, more for the enemy's last."""
    _, target, amount = split_move(move)
    side = state[TURN]
    fallen = min(amount, -state[target] * (1 - 2 * side))
    if fallen <= 0:
        return 0
    return 1000 + fallen if fallen == state[PIECES + 1 - side] else fallen


def reason(state: Array) -> str:
    """Return why an ended game has ended."""
    result = outcome(state)
    if result == ONGOING:
        return "no legal move"
    return "both without pieces" if result == DRAW else "no pieces left"


def view(state: Array, moves: Array) -> View:
    """Return what the position looks like: one piece per tile, with its count."""
    pieces = tuple(
        Piece(cell, "B" if count > 0 else "R", int(count < 0), abs(count))
        for cell, count in enumerate(state[:CELLS].tolist())
        if count
    )
    looks = tuple(_look(state, int(move)) for move in moves)
    board = Board("hex", SIZE, SIZE, NAMES, slant=SLANT)
    return View(board, pieces, looks, int(state[TURN]), SIDES)


def _look(state: Array, move: int) -> MoveLook:
    """Return how one move is shown."""
    source, target, amount = split_move(move)
    cells = (source,) if source == target else (source, target)
    captures = (target,) if state[source] * state[target] < 0 else ()
    return MoveLook(move, move_text(state, move), cells, captures, amount=amount)


# --- positions set up by hand ---------------------------------------------------------------------


def _placed_text(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    counts = [0] * 25
    for cell, piece in pieces.items():
        counts[cell] = -piece.count if piece.side else piece.count
    rows = [",".join(map(str, counts[y : y + 5])) for y in range(0, 25, 5)]
    return f"{'/'.join(rows)} {'br'[side]}"


EDITOR = Editor((Piece(-1, "B", 0), Piece(-1, "R", 1), ERASER), _placed_text, counted=True)
