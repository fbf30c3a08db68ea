"""English draughts: men move and jump forward, kings both ways, and who can jump must.

     .  1  .  2  .  3  .  4   Black, on 1..12, moves first and towards 32
     5  .  6  .  7  .  8  .
     .  9  . 10  . 11  . 12   state[BLACK]  Black's men and kings, a bitboard
    13  . 14  . 15  . 16  .   state[WHITE]  White's men and kings
     . 17  . 18  . 19  . 20   state[KINGS]  the kings of both
    21  . 22  . 23  . 24  .   state[TURN]   the side to move: 0 Black, 1 White
     . 25  . 26  . 27  . 28   state[QUIET]  plies since the last capture
    29  . 30  . 31  . 32  .   White, on 21..32

Square s is bit 9 + s + (s - 1) // 8 of a bitboard. The bit left free after every second row makes
each diagonal step one of 4 or 5 bits that cannot wrap around an edge, and the ten free bits below
square 1 keep bit numbers positive when a jump leaves the board. The sign bit is never used.

A move is origin | target << 6 | path << 12, in bit numbers. The path of a plain step is 0; that of
a jump is a 1 and then two bits for the direction of each jump, the last one lowest.

A piece already jumped cannot be jumped again. Whether it leaves the board at once or after the
move makes no difference: the moving piece lands on every other row and column, and what it jumps
stands on those between, so a captured piece is never in its way. Nor does a man need stopping where
it is crowned: it goes on only forward, and there is no row ahead.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.bits import bit, lowest, popcount
from evoboard.core.errors import (
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
)
from evoboard.core.settings import Settings
from evoboard.games.base import DrawRules, Game
from evoboard.games.editing import Answers, Editor, Pieces, figures
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from evoboard.games.view import Board, MoveLook, Piece, View

VERSION = 1
TITLE = "English draughts: you must jump if you can; a side that cannot move loses"
SIDES = ("Black", "White")
DRAWS = DrawRules(repetitions=3, quiet=80, plies=100)

BLACK, WHITE, KINGS, TURN, QUIET = 0, 1, 2, 3, 4
STATE_SIZE = 5
COUNTERS = (QUIET,)
# Steps: 12 kings with 4 each. Jump paths are fewer: a piece can land on a 4×4 grid of squares and
# jump the 9 between them, and counting the paths of every placement of 12 pieces against 12 on such
# grids gives at most 40. None has more than those 9 jumps, so a move has at most 12 + 19 bits.
MAX_MOVES = 48

BLOCKED = LOSS  # what a side with pieces but without a move gets

SQUARE_BIT = np.array([10 + s + s // 8 for s in range(32)], np.int64)  # entry 0 is square 1
SQUARES = sum(1 << int(b) for b in SQUARE_BIT)
BLACK_START = sum(1 << int(b) for b in SQUARE_BIT[:12])
WHITE_START = sum(1 << int(b) for b in SQUARE_BIT[20:])
# A man only ever arrives on the crowning row of its own side.
CROWNING = sum(1 << int(b) for b in (*SQUARE_BIT[:4], *SQUARE_BIT[28:]))
# Directions 0 and 1 lead towards 32, Black's way; 2 and 3 towards 1.
STEPS = np.array([4, 5, -4, -5], np.int64)


class Options(Settings):
    """Rules that differ from place to place."""

    blocked: Literal["loss", "draw"] = Field(
        "loss", description="the result for a side that has pieces left but no move"
    )


def configure(options: Options) -> dict[str, Any]:
    """Return the constants of these rules."""
    return {"BLOCKED": LOSS if options.blocked == "loss" else DRAW}


def initial(state: Array, seed: int) -> None:
    """Write the start position."""
    state[BLACK], state[WHITE], state[KINGS] = BLACK_START, WHITE_START, 0
    state[TURN], state[QUIET] = 0, 0


def legal_moves(state: Array, out: Array) -> int:
    """Write every whole jump path, or, where there is none, every step."""
    side = state[TURN]
    own, foes = state[side], state[1 - side]
    kings = own & state[KINGS]
    empty = SQUARES & ~(own | foes)
    down, up = (own, kings) if side == BLACK else (kings, own)
    jumpers = down & ((foes >> 4) & (empty >> 8) | (foes >> 5) & (empty >> 10))
    jumpers |= up & ((foes << 4) & (empty << 8) | (foes << 5) & (empty << 10))
    count = 0
    if jumpers == 0:
        count = _steps(down & (empty >> 4), 4, out, count)
        count = _steps(down & (empty >> 5), 5, out, count)
        count = _steps(up & (empty << 4), -4, out, count)
        return _steps(up & (empty << 5), -5, out, count)
    while jumpers != 0:
        origin = lowest(jumpers)
        jumpers &= jumpers - 1
        ways = (3 if down & bit(origin) else 0) | (12 if up & bit(origin) else 0)
        count = _jumps(origin, ways, foes, empty | bit(origin), out, count)
    return count


def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after `move`; a man that ends on the last row is crowned."""
    side = state[TURN]
    square, path = (move >> 6) & 63, move >> 12
    # Both are the same square where a king jumps in a circle, and then nothing moves.
    origin, target = bit(move & 63), bit(square)
    captured = np.int64(0)
    while path > 1:
        step = STEPS[path & 3]
        captured |= bit(square - step)
        square -= 2 * step
        path >>= 2
    kings = state[KINGS] & ~captured
    if kings & origin:
        kings ^= origin ^ target
    else:
        kings |= target & CROWNING
    out[side] = state[side] ^ origin ^ target
    out[1 - side] = state[1 - side] & ~captured
    out[KINGS] = kings
    out[TURN] = 1 - side
    out[QUIET] = 0 if captured else state[QUIET] + 1


def outcome(state: Array) -> int:
    """Return the loss of the side to move where it has no piece left, its win where the other."""
    side = state[TURN]
    if state[side] == 0:
        return LOSS
    return ONGOING if state[1 - side] else WIN


def stuck(state: Array) -> int:
    """Return what the rules in use give to a side that is blocked."""
    return BLOCKED


def _steps(movers: np.int64, step: int, out: Array, count: int) -> int:
    """Append one step for each of `movers`; return the new count."""
    while movers != 0:
        origin = lowest(movers)
        movers &= movers - 1
        out[count] = origin | (origin + step) << 6
        count += 1
    return count


def _jumps(origin: int, ways: int, foes: np.int64, empty: np.int64, out: Array, count: int) -> int:
    """Append every jump path from `origin` in the directions of the bits `ways`; return the count.

    Depth first: `path` is the stack, and `foes` lacks the pieces that it jumps.
    """
    square, path, direction, arrived = origin, 1, 0, False
    while True:
        if direction < 4:
            step = STEPS[direction]
            if (ways >> direction) & (foes >> (square + step)) & (empty >> (square + 2 * step)) & 1:
                foes ^= bit(square + step)
                square += 2 * step
                path = path << 2 | direction
                direction, arrived = 0, True
            else:
                direction += 1
            continue
        if arrived:
            out[count] = origin | square << 6 | path << 12
            count += 1
            arrived = False
        if path == 1:
            return count
        direction = path & 3
        path >>= 2
        square -= 2 * STEPS[direction]
        foes ^= bit(square + STEPS[direction])
        direction += 1


_SQUARE_OF = {int(b): s for s, b in enumerate(SQUARE_BIT, 1)}
# By square from 1: the cell of the view, whose row 0 is the bottom one.
_CELL = {s + 1: (7 - s // 4) * 8 + 2 * (s % 4) + 1 - s // 4 % 2 for s in range(32)}
_NAMES = {cell: str(square) for square, cell in _CELL.items()}
_DARK = tuple(sorted(_NAMES))
BOARD = Board("square", 8, 8, tuple(_NAMES.get(cell, "") for cell in range(64)), _DARK)
GLYPHS = ("⛂⛃", "⛀⛁")


def material(state: Array) -> int:
    """Return the mover's points minus the other side's: a man counts 2, a king 3."""
    mine, other = state[BLACK + state[TURN]], state[WHITE - state[TURN]]
    men = 2 * (popcount(mine) - popcount(other))
    return men + popcount(mine & state[KINGS]) - popcount(other & state[KINGS])


def forcing(state: Array, move: int) -> int:
    """Return how early to try a jump, the longer the earlier, or a step that crowns a man."""
    path = move >> 12
    force = 0
    while path > 1:
        force += 2
        path >>= 2
    if bit((move >> 6) & 63) & CROWNING and not bit(move & 63) & state[KINGS]:
        force += 1
    return force


def reason(state: Array) -> str:
    """Return why an ended game has ended."""
    return "blocked" if state[BLACK] and state[WHITE] else "no pieces"


def state_text(state: Array) -> str:
    """Return PDN FEN, `B:W21,K30:B1,2`, with `:H` and the plies since a capture, if any."""
    quiet = f":H{state[QUIET]}" if state[QUIET] else ""
    return f"{'BW'[state[TURN]]}:W{_list(state, WHITE)}:B{_list(state, BLACK)}{quiet}"


def _list(state: Array, side: int) -> str:
    return ",".join(f"{'K' if king else ''}{square}" for square, king in _pieces(state, side))


def parse_state(text: str, out: Array) -> None:
    """Read PDN FEN: lists in either order, ranges such as 1-12, a final dot; `:F` is ignored."""
    turn, *rest = (field.strip() for field in text.strip().removesuffix(".").upper().split(":"))
    if turn not in ("B", "W"):
        raise MalformedState(f"it begins with {turn[:20]!r}; it must begin with B: or W:.")
    fields: dict[str, str] = {}
    for field in rest:
        letter = field[:1]
        if letter not in ("W", "B", "H", "F"):
            raise MalformedState(f"the field {field[:20]!r} must begin with W, B, H or F.")
        if letter in fields:
            raise MalformedState(f"the field {letter} occurs twice; it may occur once.")
        fields[letter] = field[1:].strip()
        if letter in "HF" and not re.fullmatch("[0-9]{1,9}", fields[letter]):
            raise MalformedState(f"{field[:20]!r} must be {letter} and a number of 1 to 9 digits.")
    out[:] = 0
    for side in (WHITE, BLACK):
        letter = SIDES[side][0]
        if letter not in fields:
            raise MalformedState(f"{SIDES[side]} has no list; add one such as :{letter}14,K15.")
        _read_pieces(fields[letter], side, out)
    if not out[BLACK] and not out[WHITE]:
        raise ImpossibleState("neither side has a piece; at least one must.")
    out[TURN], out[QUIET] = "BW".index(turn), int(fields.get("H", 0))


def _read_pieces(field: str, side: int, out: Array) -> None:
    """Add the pieces of a list such as `1-4,K9` to `out`."""
    name = SIDES[side]
    crowning = range(29, 33) if side == BLACK else range(1, 5)
    for item in map(str.strip, field.split(",") if field else ()):
        match = re.fullmatch(r"(K?)([0-9]{1,9})(?:-([0-9]{1,9}))?", item)
        if not match:
            raise MalformedState(f"{name}'s {item[:20]!r} is not a piece; write 12, K12 or 1-12.")
        low, high = int(match[2]), int(match[3] or match[2])
        if low > high:
            raise MalformedState(f"the range {low}-{high} runs backwards; write {high}-{low}.")
        if low < 1 or high > 32:
            raise ImpossibleState(f"{name} has a piece on {item}; squares are 1 to 32.")
        for square in range(low, high + 1):
            place = bit(SQUARE_BIT[square - 1])
            if (out[BLACK] | out[WHITE]) & place:
                raise ImpossibleState(f"two pieces stand on {square}; a square holds one.")
            if square in crowning and not match[1]:
                raise ImpossibleState(f"{name}'s man on {square} must be a king, K{square}.")
            out[side] |= place
            out[KINGS] |= place if match[1] else 0
    count = int(out[side]).bit_count()
    if count > 12:
        raise ImpossibleState(f"{name} has {count} pieces; a side has at most 12.")


def move_text(state: Array, move: int) -> str:
    """Return `11-15` for a step and `15x22x31`, with every square visited, for jumps."""
    visited, captured = _path(move)
    return ("x" if captured else "-").join(map(str, visited))


def parse_move(state: Array, text: str) -> int:
    """Return the legal move that visits these squares; jumps may omit those between the ends.

    Either separator will do: no squares mean a step in one reading and a jump in the other.
    """
    if not re.fullmatch("[0-9]{1,2}([-xX×:][0-9]{1,2})+", text.strip()):
        raise MalformedMove(f"{text[:40]!r} is not a move; write 11-15, 15x22 or 15x22x31.")
    squares = [int(number) for number in re.findall("[0-9]+", text)]
    for square in squares:
        if not 1 <= square <= 32:
            raise MalformedMove(f"{text[:40]!r} names square {square}; squares are 1 to 32.")
    out = np.zeros(MAX_MOVES, np.int32)
    count = legal_moves(state, out) if outcome(state) == ONGOING else 0
    paths = {move: _path(move)[0] for move in map(int, out[:count])}
    exact = [move for move, path in paths.items() if path == squares]
    found = exact or [move for move, path in paths.items() if _shortens(squares, path)]
    if len(found) == 1:
        return found[0]
    quoted = f"{text.strip()[:40]} in {state_text(state)}"
    if found:
        raise MalformedMove(f"{quoted} can mean {_listed(state, found)}; name the squares between.")
    raise IllegalMove(f"{quoted} is not legal: {_why_illegal(state, squares, paths)}")


def _shortens(squares: list[int], path: list[int]) -> bool:
    """Tell whether `squares` are some of `path`, in order, with both its ends."""
    following = iter(path)
    ends = squares[0] == path[0] and squares[-1] == path[-1]
    return ends and all(square in following for square in squares)


def _why_illegal(state: Array, squares: list[int], paths: dict[int, list[int]]) -> str:
    """Return the reason that helps most, as the end of a sentence."""
    if not paths:
        return f"the game has ended ({reason(state)})."
    begun = [move for move, path in paths.items() if path[: len(squares)] == squares]
    if begun:
        return f"the jump goes on, {_listed(state, begun)}."
    if next(iter(paths)) >> 12:
        return f"a capture is compulsory here: {_listed(state, list(paths))}."
    side, start = state[TURN], squares[0]
    if start not in dict(_pieces(state, side)):
        return f"{SIDES[side]}, to move, has no piece on {start}."
    same = [move for move, path in paths.items() if path[0] == start]
    return f"the piece on {start} can play {_listed(state, same) if same else 'no move'}."


def _listed(state: Array, moves: list[int]) -> str:
    texts = [move_text(state, move) for move in moves]
    return " or ".join(texts[:6]) + (" or …" if len(texts) > 6 else "")


def view(state: Array, moves: Array) -> View:
    """Return what the position looks like, White at the bottom."""
    pieces = tuple(
        Piece(_CELL[square], "mk"[king], side, glyph=GLYPHS[side][king])
        for side in (BLACK, WHITE)
        for square, king in _pieces(state, side)
    )
    looks = tuple(_look(state, int(move)) for move in moves)
    return View(BOARD, pieces, looks, int(state[TURN]), SIDES)


def _look(state: Array, move: int) -> MoveLook:
    visited, captured = (tuple(_CELL[square] for square in squares) for squares in _path(move))
    return MoveLook(move, move_text(state, move), visited, captured)


def _pieces(state: Array, side: int) -> list[tuple[int, bool]]:
    """Return square and crown of each piece of `side`, by square."""
    own, kings = int(state[side]), int(state[KINGS])
    return [(s, bool(kings >> b & 1)) for b, s in _SQUARE_OF.items() if own >> b & 1]


def _path(move: int) -> tuple[list[int], list[int]]:
    """Return the squares that a move visits and those it captures, in order."""
    square, path = (int(move) >> 6) & 63, int(move) >> 12
    visited, captured = [square], []
    while path > 1:
        step = int(STEPS[path & 3])
        captured.append(square - step)
        square -= 2 * step
        visited.append(square)
        path >>= 2
    if not captured:
        visited.append(int(move) & 63)
    return [_SQUARE_OF[b] for b in visited[::-1]], [_SQUARE_OF[b] for b in captured[::-1]]


# --- positions set up by hand ---------------------------------------------------------------------


def _placed_text(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    names = game.view(game.initial()).board.names
    lists: tuple[list[str], list[str]] = ([], [])
    for cell, piece in pieces.items():
        lists[piece.side].append(f"{'K' if piece.symbol == 'k' else ''}{names[cell] or '0'}")
    return f"{'BW'[side]}:W{','.join(lists[1])}:B{','.join(lists[0])}"


EDITOR = Editor(figures("mk", "⛂⛃", "⛀⛁"), _placed_text)
