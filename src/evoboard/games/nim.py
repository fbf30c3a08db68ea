"""Nim: take matches from one heap; whoever takes the last match of all loses.

    |||  |||||  |||||||      state[0:HEAPS]  matches left in each heap
     0     1       2         state[TURN]     the side to move, 0 or 1; the cell after the heaps

A move is heap * 256 + amount; `make_move`, `move_heap` and `move_amount` pack and unpack it.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.bits import as_signed
from evoboard.core.errors import ImpossibleState, MalformedState, quoted
from evoboard.core.rng import below, next_random
from evoboard.core.settings import Settings
from evoboard.games.base import DrawRules, Game
from evoboard.games.editing import ERASER, Answers, Editor, Pieces
from evoboard.games.rules import ONGOING, WIN
from evoboard.games.view import Board, MoveLook, Piece, View

OPENING_PLIES = 1
VERSION = 1
TITLE = "Take matches from one heap; whoever takes the last match loses"
SIDES = ("First", "Second")
DRAWS = DrawRules(repetitions=0, quiet=0, plies=0)

MOST_HEAPS, MOST_MATCHES = 16, 255
MIXER = as_signed(0x9E3779B97F4A7C15)  # odd, so that no seed becomes 0

HEAPS = 3  # how many heaps
BOUNDS = np.array([3, 5, 7], np.int64)  # the most matches of each heap
RANDOM = False  # each heap drawn from 1 to its bound
SIMPLE = False  # all heaps but one random one empty
TURN, STATE_SIZE = 3, 4
MAX_MOVES = 15  # one for each match


class Options(Settings):
    """The heaps at the start."""

    heaps: tuple[Annotated[int, Field(ge=1, le=MOST_MATCHES)], ...] = Field(
        (3, 5, 7),
        min_length=1,
        max_length=MOST_HEAPS,
        description="how many matches each heap starts with, such as 3/5/7",
    )
    random: bool = Field(
        False,
        description="every heap starts with a random number of matches, up to the number given",
    )
    simple: bool = Field(False, description="all heaps except one, chosen at random, start empty")


def configure(options: Options) -> dict[str, Any]:
    """Return the constants of these heaps."""
    count, bounds = len(options.heaps), np.array(options.heaps, np.int64)
    sizes = {"HEAPS": count, "TURN": count, "STATE_SIZE": count + 1, "MAX_MOVES": int(bounds.sum())}
    return {**sizes, "BOUNDS": bounds, "RANDOM": options.random, "SIMPLE": options.simple}


def initial(state: Array, seed: int) -> None:
    """Write the start heaps; where they are random, `seed` decides them."""
    number = np.int64(seed)
    # `next_random` alone would keep the starts of neighbouring seeds alike.
    for _ in range(4):
        number = next_random(number * MIXER)
    kept = below(number, HEAPS)
    for heap in range(HEAPS):
        number = next_random(number)
        size = 1 + below(number, BOUNDS[heap]) if RANDOM else BOUNDS[heap]
        state[heap] = 0 if SIMPLE and heap != kept else size
    state[TURN] = 0


def legal_moves(state: Array, out: Array) -> int:
    """Write heap by heap the moves that take 1, 2, … matches."""
    count = 0
    for heap in range(HEAPS):
        first = make_move(heap, 1)
        for more in range(state[heap]):
            out[count] = first + more
            count += 1
    return count


def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after taking the matches."""
    for heap in range(HEAPS):
        out[heap] = state[heap]
    out[move_heap(move)] -= move_amount(move)
    out[TURN] = 1 - state[TURN]


def outcome(state: Array) -> int:
    """Return the win of the side to move where no match is left: the other took the last."""
    for heap in range(HEAPS):
        if state[heap] > 0:
            return ONGOING
    return WIN


def stuck(state: Array) -> int:
    """Return a win; without a move no match is left, so `outcome` has said so before."""
    return WIN


def make_move(heap: int, amount: int) -> int:
    """Return the move that takes `amount` matches from `heap`."""
    return heap * 256 + amount


def move_heap(move: int) -> int:
    """Return the heap a move takes from, counted from 0."""
    return move // 256


def move_amount(move: int) -> int:
    """Return how many matches a move takes, 1..255."""
    return move % 256


def state_text(state: Array) -> str:
    """Return the heap sizes and the side to move: `3,5,7 0`."""
    return f"{','.join(map(str, state[:HEAPS].tolist()))} {int(state[TURN])}"


def parse_state(text: str, out: Array) -> None:
    """Fill `out` from a text in the form of `state_text`."""
    fields = text.split()
    if len(fields) != 2:
        raise MalformedState("it must be the heaps, a space and the side to move, such as 3,5,7 0.")
    sizes, side = fields[0].split(","), fields[1]
    if len(sizes) != HEAPS:
        raise MalformedState(f"it has {len(sizes)} heaps; this game has {HEAPS} (option heaps).")
    if side not in ("0", "1"):
        raise MalformedState(f"the side to move is {quoted(side)}; it must be 0 or 1.")
    for heap, size in enumerate(sizes):
        if not re.fullmatch("[0-9]{1,4000}", size):
            raise MalformedState(f"{quoted(size)} for heap {heap} is not a number of matches.")
        if int(size) > BOUNDS[heap]:
            most = f"the option heaps gives it at most {BOUNDS[heap]}"
            raise ImpossibleState(f"heap {heap} has {quoted(int(size))} matches; {most}.")
        out[heap] = int(size)
    out[TURN] = int(side)


def move_text(state: Array, move: int) -> str:
    """Return `2:4` for taking 4 matches from heap 2."""
    return f"{move_heap(move)}:{move_amount(move)}"


def move_label(state: Array, move: int) -> str:
    """Return `2nd heap −4`: people count from one."""
    number = move_heap(move) + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
    return f"{number}{ending} heap −{move_amount(move)}"


def reason(state: Array) -> str:
    """Return why an ended game has ended."""
    return f"{SIDES[1 - state[TURN]]} took the last match"


def view(state: Array, moves: Array) -> View:
    """Return what the position looks like: one piece per heap, which belongs to neither side."""
    board = Board("heaps", HEAPS, 1, tuple(map(str, range(HEAPS))))
    sizes = state[:HEAPS].tolist()
    pieces = tuple(Piece(heap, "|", -1, size) for heap, size in enumerate(sizes) if size)
    looks = tuple(
        MoveLook(move, move_text(state, move), (move_heap(move),), amount=move_amount(move))
        for move in map(int, moves)
    )
    return View(board, pieces, looks, int(state[TURN]), SIDES)


# --- positions set up by hand ---------------------------------------------------------------------


def _placed_text(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    heaps = game.view(game.initial()).board.width
    return f"{','.join(str(pieces[h].count if h in pieces else 0) for h in range(heaps))} {side}"


EDITOR = Editor((Piece(-1, "|", -1), ERASER), _placed_text, counted=True)
