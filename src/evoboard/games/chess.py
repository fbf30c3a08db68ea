"""Chess, on bitboards: bit 0 of a board is a1, bit 7 is h1, bit 63 is h8.

    56 57 58 59 60 61 62 63   r n b q k b n r   PAWN..KING    six boards, one per kind of piece
    48 49 50 51 52 53 54 55   p p p p p p p p   WHITE, BLACK  two boards, one per side
    40 41 42 43 44 45 46 47   . . . . . . . .   TURN          0 white, 1 black
    32 33 34 35 36 37 38 39   . . . . . . . .   CASTLING      rights: 1 K, 2 Q, 4 k, 8 q
    24 25 26 27 28 29 30 31   . . . . . . . .   EN_PASSANT    the square a pawn has just skipped, -1
    16 17 18 19 20 21 22 23   . . . . . . . .                 unless a pawn may legally take there
     8  9 10 11 12 13 14 15   P P P P P P P P   QUIET         plies since a capture or a pawn move
     0  1  2  3  4  5  6  7   R N B Q K B N R   NUMBER        of the move, from 1

A move is origin | target << 6 | promotion << 12, the promotion being KNIGHT..QUEEN, else 0.
"""

from __future__ import annotations

import re

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.bits import bit, lowest, popcount
from evoboard.core.errors import IllegalMove, ImpossibleState, MalformedMove, MalformedState, quoted
from evoboard.core.wording import counted
from evoboard.games.base import DrawRules, Game
from evoboard.games.boards import read_board, write_board
from evoboard.games.chess_tables import (
    ALL,
    DARK,
    END_RANKS,
    KING_STEPS,
    KNIGHT_STEPS,
    NOT_A,
    NOT_H,
    PAWN_TAKES,
    Bits,
    bishop_attacks,
    boards,
    checks_and_pins,
    pawn_steps,
    rook_attacks,
    shifted,
)
from evoboard.games.editing import Answers, Detail, Editor, Pieces, figures, letters
from evoboard.games.rules import DRAW, LOSS, ONGOING
from evoboard.games.view import MoveLook, Piece, View, grid

VERSION = 1
TITLE = "Chess, the full rules"
SIDES = ("White", "Black")
DRAWS = DrawRules(repetitions=3, quiet=100, plies=0)

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, WHITE, BLACK = range(8)
TURN, CASTLING, EN_PASSANT, QUIET, NUMBER = range(8, 13)
STATE_SIZE = 13
COUNTERS = (QUIET, NUMBER)
# No reachable position has more than 218; a position set up by hand cannot exceed 9 queens of 27
# moves, 2 rooks of 14, 2 bishops of 13, 2 knights and a king of 8, and castling.
MAX_MOVES = 9 * 27 + 2 * 14 + 2 * 13 + 3 * 8 + 2
KERNELS = ("in_check", "takers_en_passant")

POINTS = np.array([1, 3, 3, 5, 9], np.int64)
WORTH = np.array([1, 3, 3, 5, 9, 99], np.int64)  # in exchanges, where kings take part
BOARD = grid(8, 8, checkered=True)
LETTERS = "PNBRQKpnbrqk"
GLYPHS = "♙♘♗♖♕♔♟♞♝♜♛♚"

_PIECES = [0x00FF00000000FF00, *(x << 56 | x for x in (0x42, 0x24, 0x81, 0x08, 0x10))]
START = boards([*_PIECES, 0xFFFF, 0xFFFF << 48, 0, 15, 2**64 - 1, 0, 1])
# Rights that remain when a piece leaves or enters a square.
RIGHTS_KEPT = np.full(64, 15, np.int64)
RIGHTS_KEPT[[4, 7, 0, 60, 63, 56]] = [12, 14, 13, 3, 11, 7]
# Row by bit of CASTLING: squares to be empty, squares not to be attacked, the king's move.
_CASTLES = [[0x60, 0x60, 4 | 6 << 6], [0x0E, 0x0C, 4 | 2 << 6]]
CASTLES = boards(_CASTLES + [[e << 56, a << 56, m + 56 * 65] for e, a, m in _CASTLES])
# By target of a castling king: the rook's two squares.
ROOK_JUMP = boards([{2: 9, 6: 0xA0, 58: 9 << 56, 62: 0xA0 << 56}.get(s, 0) for s in range(64)])


def initial(state: Array, seed: int) -> None:
    """Write the start position."""
    for cell in range(STATE_SIZE):
        state[cell] = START[cell]


def legal_moves(state: Array, out: Array) -> int:
    """Write the legal moves: the king's, pawns', knights', those on diagonals, those on lines."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    king = lowest(us & state[KING])
    rooks = them & (state[ROOK] | state[QUEEN]) & rook_attacks(king, them)
    bishops = them & (state[BISHOP] | state[QUEEN]) & bishop_attacks(king, them)
    line_checks, line_pins = checks_and_pins(king, rooks, us, 0)
    diagonal_checks, diagonal_pins = checks_and_pins(king, bishops, us, 2)
    checks = PAWN_TAKES[turn, king] & state[PAWN] | KNIGHT_STEPS[king] & state[KNIGHT]
    checks = checks & them | line_checks | diagonal_checks
    count = _king_moves(state, king, checks, out)
    if popcount(checks & them) > 1:
        return count
    # A single check is met by taking the piece that gives it or by stepping in its way.
    goal = checks if checks else ALL
    count = _pawn_moves(state, goal, line_pins, diagonal_pins, out, count)
    return _piece_moves(state, goal & ~us, line_pins, diagonal_pins, out, count)


def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after `move`."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    turn = state[TURN]
    kept = ~(bit(origin) | bit(target))
    progress = (state[PAWN] >> origin | (state[WHITE] | state[BLACK]) >> target) & 1
    for board in range(8):
        out[board] = state[board] & kept | (state[board] >> origin & 1) << target
    out[TURN] = 1 - turn
    out[CASTLING] = state[CASTLING] & RIGHTS_KEPT[origin] & RIGHTS_KEPT[target]
    out[EN_PASSANT] = -1
    out[QUIET] = 0 if progress else state[QUIET] + 1
    out[NUMBER] = state[NUMBER] + turn
    if promotion:
        out[PAWN] &= kept
        out[promotion] |= bit(target)
    elif state[PAWN] >> origin & 1:
        if target == state[EN_PASSANT]:
            out[PAWN] &= ~bit(target ^ 8)
            out[BLACK - turn] &= ~bit(target ^ 8)
        elif origin ^ target == 16 and takers_en_passant(out, target ^ 8):
            out[EN_PASSANT] = target ^ 8
    elif state[KING] >> origin & 1 and (target - origin == 2 or origin - target == 2):
        out[ROOK] ^= ROOK_JUMP[target]
        out[WHITE + turn] ^= ROOK_JUMP[target]


def outcome(state: Array) -> int:
    """Return DRAW where neither side can ever mate: one minor piece, or bishops of one colour."""
    if state[PAWN] | state[ROOK] | state[QUEEN]:
        return ONGOING
    bishops = state[BISHOP]
    if state[KNIGHT]:
        enough = popcount(state[KNIGHT] | bishops) > 1
    else:
        enough = bishops & DARK != 0 and bishops & ~DARK != 0
    return ONGOING if enough else DRAW


def stuck(state: Array) -> int:
    """Return LOSS for checkmate, DRAW for stalemate."""
    return LOSS if in_check(state) else DRAW


def in_check(state: Array) -> bool:
    """Tell whether the king of the side to move is attacked."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    return _attackers(state, lowest(us & state[KING]), us | them) & them != 0


def takers_en_passant(state: Array, square: int) -> Bits:
    """Return the pawns of the side to move that may take on the skipped `square`."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    king = lowest(us & state[KING])
    taken = bit(square ^ 8)
    pawns = PAWN_TAKES[1 - turn, square] & state[PAWN] & us
    takers = np.int64(0)
    while pawns:
        pawn = pawns & -pawns
        occupied = (us | them) ^ pawn ^ taken | bit(square)
        if _attackers(state, king, occupied) & them & ~taken == 0:
            takers |= pawn
        pawns ^= pawn
    return takers


def _attackers(state: Array, square: int, occupied: Bits) -> Bits:
    """Return the pieces of either side that attack `square`; of pawns, those not to move."""
    return (
        PAWN_TAKES[state[TURN], square] & state[PAWN]
        | KNIGHT_STEPS[square] & state[KNIGHT]
        | KING_STEPS[square] & state[KING]
        | rook_attacks(square, occupied) & (state[ROOK] | state[QUEEN])
        | bishop_attacks(square, occupied) & (state[BISHOP] | state[QUEEN])
    )


def _king_moves(state: Array, king: int, checks: Bits, out: Array) -> int:
    """Write the king's moves, castling included; return their number."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    attacked = _attacked(state, (us | them) ^ bit(king))
    count = _write(king, KING_STEPS[king] & ~us & ~attacked, out, 0)
    if checks == 0 and state[CASTLING]:
        for wing in range(2 * turn, 2 * turn + 2):
            blocked = CASTLES[wing, 0] & (us | them) | CASTLES[wing, 1] & attacked
            if state[CASTLING] >> wing & 1 and blocked == 0:
                out[count] = CASTLES[wing, 2]
                count += 1
    return count


def _pawn_moves(
    state: Array, goal: Bits, line_pins: Bits, diagonal_pins: Bits, out: Array, count: int
) -> int:
    """Write the pawns' moves to `goal`, and those en passant; return the new count."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    empty = ~(us | them)
    pawns = state[PAWN] & us
    ahead = 8 - 16 * turn
    once = pawn_steps(pawns & ~diagonal_pins, line_pins, ahead) & empty
    twice = shifted(once & (0xFF0000 << 24 * turn), ahead) & empty
    count = _write_pawns(ahead, once & goal, out, count)
    count = _write_pawns(2 * ahead, twice & goal, out, count)
    pawns &= ~line_pins
    west = pawn_steps(pawns & NOT_A, diagonal_pins, ahead - 1) & them
    east = pawn_steps(pawns & NOT_H, diagonal_pins, ahead + 1) & them
    count = _write_pawns(ahead - 1, west & goal, out, count)
    count = _write_pawns(ahead + 1, east & goal, out, count)
    skipped = state[EN_PASSANT]
    if skipped >= 0:
        takers = takers_en_passant(state, skipped)
        while takers:
            out[count] = lowest(takers) | skipped << 6
            count += 1
            takers &= takers - 1
    return count


def _piece_moves(
    state: Array, goal: Bits, line_pins: Bits, diagonal_pins: Bits, out: Array, count: int
) -> int:
    """Write the moves of knights, bishops, rooks and queens to `goal`; return the new count."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    occupied = us | them
    pieces = us & state[KNIGHT] & ~(line_pins | diagonal_pins)
    while pieces:
        square = lowest(pieces)
        count = _write(square, KNIGHT_STEPS[square] & goal, out, count)
        pieces &= pieces - 1
    pieces = us & (state[BISHOP] | state[QUEEN]) & ~line_pins
    while pieces:
        square = lowest(pieces)
        targets = bishop_attacks(square, occupied) & goal
        if diagonal_pins >> square & 1:
            targets &= diagonal_pins
        count = _write(square, targets, out, count)
        pieces &= pieces - 1
    pieces = us & (state[ROOK] | state[QUEEN]) & ~diagonal_pins
    while pieces:
        square = lowest(pieces)
        targets = rook_attacks(square, occupied) & goal
        if line_pins >> square & 1:
            targets &= line_pins
        count = _write(square, targets, out, count)
        pieces &= pieces - 1
    return count


def _write(origin: int, targets: Bits, out: Array, count: int) -> int:
    """Write the moves from `origin`; return the new count."""
    while targets:
        out[count] = origin | lowest(targets) << 6
        count += 1
        targets &= targets - 1
    return count


def _write_pawns(step: int, targets: Bits, out: Array, count: int) -> int:
    """Write the pawn moves that end on `targets`, `step` squares from their origins."""
    promoting = targets & END_RANKS
    targets ^= promoting
    while targets:
        target = lowest(targets)
        out[count] = target - step | target << 6
        count += 1
        targets &= targets - 1
    while promoting:
        target = lowest(promoting)
        for piece in range(KNIGHT, QUEEN + 1):
            out[count] = target - step | target << 6 | piece << 12
            count += 1
        promoting &= promoting - 1
    return count


def _attacked(state: Array, occupied: Bits) -> Bits:
    """Return the squares that the side not to move attacks."""
    them = state[BLACK - state[TURN]]
    ahead = 16 * state[TURN] - 8
    pawns = state[PAWN] & them
    attacked = shifted(pawns & NOT_A, ahead - 1) | shifted(pawns & NOT_H, ahead + 1)
    attacked |= KING_STEPS[lowest(state[KING] & them)]
    pieces = state[KNIGHT] & them
    while pieces:
        attacked |= KNIGHT_STEPS[lowest(pieces)]
        pieces &= pieces - 1
    pieces = (state[BISHOP] | state[QUEEN]) & them
    while pieces:
        attacked |= bishop_attacks(lowest(pieces), occupied)
        pieces &= pieces - 1
    pieces = (state[ROOK] | state[QUEEN]) & them
    while pieces:
        attacked |= rook_attacks(lowest(pieces), occupied)
        pieces &= pieces - 1
    return attacked


def material(state: Array) -> int:
    """Return the mover's points minus the other side's: 1, 3, 3, 5, 9 for pawn to queen."""
    mine, other = state[WHITE + state[TURN]], state[BLACK - state[TURN]]
    points = 0
    for kind in range(PAWN, KING):
        points += POINTS[kind] * (popcount(state[kind] & mine) - popcount(state[kind] & other))
    return points


def forcing(state: Array, move: int) -> int:
    """Return how early to try a capture (great victim, then small attacker) or a promotion."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    force = 10 * promotion
    if (state[WHITE] | state[BLACK]) >> target & 1:
        force += 10
        for kind in range(PAWN, KING):
            force += 10 * kind * (state[kind] >> target & 1) - kind * (state[kind] >> origin & 1)
    elif target == state[EN_PASSANT] and state[PAWN] >> origin & 1:
        force = 10
    return force


def forcing_moves(state: Array, out: Array) -> int:
    """Write the captures and promotions of a side that is not in check."""
    turn = state[TURN]
    us, them = state[WHITE + turn], state[BLACK - turn]
    king = lowest(us & state[KING])
    rooks = them & (state[ROOK] | state[QUEEN]) & rook_attacks(king, them)
    bishops = them & (state[BISHOP] | state[QUEEN]) & bishop_attacks(king, them)
    _, line_pins = checks_and_pins(king, rooks, us, 0)
    _, diagonal_pins = checks_and_pins(king, bishops, us, 2)
    count, targets = 0, KING_STEPS[king] & them
    if targets:
        count = _write(king, targets & ~_attacked(state, (us | them) ^ bit(king)), out, 0)
    count = _pawn_moves(state, them | END_RANKS, line_pins, diagonal_pins, out, count)
    return _piece_moves(state, them, line_pins, diagonal_pins, out, count)


def losing(state: Array, move: int) -> int:
    """Return 1 for a capture after which the exchange on its square, played well, costs points."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    if promotion:
        return 0
    attacker, victim = _kind(state, origin), _kind(state, target)
    # What the side to take next must win back, and then the other one, in turns.
    owed = WORTH[attacker] - (WORTH[victim] if victim <= KING else WORTH[PAWN])
    if owed <= 0:
        return 0
    occupied = (state[WHITE] | state[BLACK]) & ~bit(origin) | bit(target)
    side, lost = 1 - state[TURN], 0
    while True:
        taker = _least_taker(state, target, side, occupied)
        if taker < 0:
            return lost
        lost = 1 - lost
        kind = _kind(state, taker)
        if kind == KING:  # it cannot take what is protected
            safe = _least_taker(state, target, 1 - side, occupied & ~bit(taker)) < 0
            return lost if safe else 1 - lost
        owed = WORTH[kind] - owed
        if owed < 1 - lost:
            return lost
        occupied &= ~bit(taker)
        side = 1 - side


def _kind(state: Array, square: int) -> int:
    """Return the kind of the piece on a square, KING + 1 for none."""
    kind = PAWN
    while kind <= KING and state[kind] >> square & 1 == 0:
        kind += 1
    return kind


def _least_taker(state: Array, square: int, side: int, occupied: Bits) -> int:
    """Return where a side's least piece stands that attacks `square`, -1 if none does."""
    own = state[WHITE + side] & occupied
    found = PAWN_TAKES[1 - side, square] & state[PAWN] & own
    if found == 0:
        found = KNIGHT_STEPS[square] & state[KNIGHT] & own
    if found == 0:
        diagonals = bishop_attacks(square, occupied) & own
        found = diagonals & state[BISHOP]
        if found == 0:
            lines = rook_attacks(square, occupied) & own
            found = lines & state[ROOK]
            if found == 0:
                found = (lines | diagonals) & state[QUEEN]
    if found == 0:
        found = KING_STEPS[square] & state[KING] & own
    return lowest(found) if found else -1


def pass_turn(state: Array, out: Array) -> int:
    """Write the state with the other side to move; not in check, nor with pawns alone."""
    turn = state[TURN]
    if state[WHITE + turn] & ~(state[PAWN] | state[KING]) == 0 or in_check(state):
        return 0
    for cell in range(STATE_SIZE):
        out[cell] = state[cell]
    out[TURN], out[EN_PASSANT] = 1 - turn, -1
    return 1


def reason(state: Array) -> str:
    """Return why the game ended."""
    if outcome(state) == DRAW:
        return "insufficient material"
    return "checkmate" if in_check(state) else "stalemate"


def state_text(state: Array) -> str:
    """Return the position as FEN; the en passant square only where a pawn may take there."""
    rights = "".join(c for i, c in enumerate("KQkq") if state[CASTLING] >> i & 1)
    skipped = BOARD.names[state[EN_PASSANT]] if state[EN_PASSANT] >= 0 else "-"
    board = write_board(_letters(state), 8, 8)
    clocks = f"{state[QUIET]} {state[NUMBER]}"
    return f"{board} {'wb'[state[TURN]]} {rights or '-'} {skipped} {clocks}"


def parse_state(text: str, out: Array) -> None:
    """Read a FEN; its two clocks may be left out."""
    fields = text.split()
    if len(fields) not in (4, 6):
        raise MalformedState(
            f"it has {counted(len(fields), 'field')}; a FEN has board, side to move, castling "
            "rights and en passant square, then two clocks or none."
        )
    board, turn, rights, skipped, quiet, number = (*fields, "0", "1")[:6]
    out[:] = 0
    for square, letter in read_board(board, 8, 8, LETTERS):
        kind, side = LETTERS.index(letter) % 6, LETTERS.index(letter) // 6
        out[kind] |= bit(square)
        out[WHITE + side] |= bit(square)
    _check_material(out)
    if turn not in ("w", "b"):
        raise MalformedState(f"the side to move is {quoted(turn)}; it must be w or b.")
    out[TURN] = "bw".index(turn)
    if in_check(out):
        raise ImpossibleState(f"{SIDES[out[TURN]]} is in check, but it is the other side's turn.")
    out[TURN] = 1 - out[TURN]
    out[CASTLING] = _read_rights(rights, out)
    out[EN_PASSANT] = _read_skipped(skipped, out)
    out[QUIET] = _read_clock("halfmove clock", quiet, 0)
    out[NUMBER] = _read_clock("move number", number, 1)


def move_text(state: Array, move: int) -> str:
    """Return the move as in UCI: e2e4, e7e8q."""
    promotion = LETTERS[move >> 12].lower() if move >> 12 else ""
    return BOARD.names[move & 63] + BOARD.names[move >> 6 & 63] + promotion


def move_label(state: Array, move: int) -> str:
    """Return the move in standard algebraic notation: Nf3, exd5, O-O, e8=Q+."""
    origin, target = move & 63, move >> 6 & 63
    letters = _letters(state)
    piece, name = letters[origin].upper(), BOARD.names[origin]
    takes = target in letters or (piece == "P" and origin % 8 != target % 8)
    if _castles(state, move):
        text = "O-O" if target > origin else "O-O-O"
    else:
        start = (name[0] if takes else "") if piece == "P" else piece
        if piece not in "PK":
            moves = [m for m in _moves(state) if m >> 6 == target and m != move]
            rivals = [BOARD.names[m & 63] for m in moves if letters[m & 63].upper() == piece]
            same_file = any(rival[0] == name[0] for rival in rivals)
            if rivals and (not same_file or any(rival[1] == name[1] for rival in rivals)):
                start += name[0]
            start += name[1] if same_file else ""
        promotion = f"={LETTERS[move >> 12]}" if move >> 12 else ""
        text = start + "x" * takes + BOARD.names[target] + promotion
    after = np.zeros_like(state)
    apply_move(state, move, after)
    if in_check(after):
        text += "+" if _moves(after) else "#"
    return text


def parse_move(state: Array, text: str) -> int:
    """Return the legal move that `text` names in UCI or in standard algebraic notation."""
    written = text.strip().rstrip("+#!?")
    castling = re.fullmatch("([O0o])-\\1(-\\1)?", written)
    parts = re.fullmatch("([NBRQK]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:=?([nbrqNBRQ]))?", written)
    legal = _moves(state) if outcome(state) == ONGOING else []
    if castling:
        wing = 2 if castling[2] else 6
        found = [m for m in legal if _castles(state, m) and m >> 6 & 7 == wing]
    elif parts:
        letters = _letters(state)
        found = [m for m in legal if _fits(m, letters[m & 63].upper(), parts)]
    else:
        raise MalformedMove(
            f"{quoted(text)} is not a move in {state_text(state)}; "
            "write it like e2e4, e7e8q, Nf3 or O-O."
        )
    if len(found) > 1:
        names = " or ".join(move_label(state, m) for m in found)
        raise IllegalMove(f"{quoted(text)} is ambiguous in {state_text(state)}; write {names}.")
    if not found:
        ended = "" if legal else ", where the game has ended"
        raise IllegalMove(f"{quoted(text)} is not legal in {state_text(state)}{ended}.")
    return found[0]


def view(state: Array, moves: list[int]) -> View:
    """Return the board to draw; a king in check is marked."""
    letters = _letters(state)
    pieces = tuple(
        Piece(square, letter.upper(), int(letter.islower()), glyph=GLYPHS[LETTERS.index(letter)])
        for square, letter in letters.items()
    )
    king = lowest(state[KING] & state[WHITE + state[TURN]])
    marks = (king,) if in_check(state) else ()
    looks = tuple(_look(state, letters, int(move)) for move in moves)
    return View(BOARD, pieces, looks, int(state[TURN]), SIDES, marks)


def _look(state: Array, letters: dict[int, str], move: int) -> MoveLook:
    origin, target = move & 63, move >> 6 & 63
    taken = target
    if letters[origin] in "Pp" and target == state[EN_PASSANT]:
        taken = target ^ 8
    captures = (taken,) if taken in letters else ()
    promotion = LETTERS[move >> 12] if move >> 12 else ""
    text, rook = move_text(state, move), origin + 3 if target > origin else origin - 4
    also = (rook,) if _castles(state, move) else ()  # many a hand puts the king onto its rook
    return MoveLook(move, text, (origin, target), captures, promotion, also=also)


def _letters(state: Array) -> dict[int, str]:
    """Return the FEN letter of every occupied square."""
    letters = {}
    for number, letter in enumerate(LETTERS):
        board = int(state[number % 6] & state[WHITE + number // 6])
        letters.update({square: letter for square in range(64) if board >> square & 1})
    return letters


def _moves(state: Array) -> list[int]:
    out = np.zeros(MAX_MOVES, np.int32)
    return [int(move) for move in out[: legal_moves(state, out)]]


def _castles(state: Array, move: int) -> bool:
    origin, target = move & 63, move >> 6 & 63
    return bool(state[KING] >> origin & 1) and abs(origin - target) == 2


def _fits(move: int, piece: str, parts: re.Match[str]) -> bool:
    """Tell whether a legal move of `piece` is the one written as `parts`."""
    kind, file, rank, target, promotion = parts.groups()
    origin = BOARD.names[move & 63]
    if not (kind or (file and rank)):
        # Neither a piece nor a whole square: a pawn, which leaves its file only if the text says.
        kind, file = "P", file or target[0]
    return (
        BOARD.names[move >> 6 & 63] == target
        and kind in ("", piece)
        and file in ("", origin[0])
        and rank in ("", origin[1])
        and (promotion is None or LETTERS[move >> 12] == promotion.upper())
    )


def _check_material(state: Array) -> None:
    """Raise ImpossibleState for a set of pieces that no game can leave."""
    for side, name in enumerate(SIDES):
        own = state[WHITE + side]
        pawns, knights, bishops, rooks, queens, kings = (popcount(own & b) for b in state[:6])
        dark = popcount(own & state[BISHOP] & DARK)
        extra = (knights - 2, dark - 1, bishops - dark - 1, rooks - 2, queens - 1)
        promoted = sum(max(0, number) for number in extra)
        if kings != 1:
            raise ImpossibleState(f"{name} has {kings} kings; a side has one.")
        if pawns > 8 or popcount(own) > 16:
            raise ImpossibleState(f"{name} has more than 8 pawns or 16 pieces.")
        if promoted > 8 - pawns:
            missing = f"missing pawns ({8 - pawns})"
            raise ImpossibleState(f"{name} has more promoted pieces ({promoted}) than {missing}.")
    if state[PAWN] & END_RANKS:
        square = BOARD.names[lowest(state[PAWN] & END_RANKS)]
        raise ImpossibleState(f"there is a pawn on {square}; pawns stand on ranks 2 to 7.")


def _read_rights(text: str, state: Array) -> int:
    """Return the castling rights; their kings and rooks must be at home."""
    if text == "-":
        return 0
    if not set(text) <= set("KQkq") or len(set(text)) < len(text):
        raise MalformedState(f"the castling rights are {quoted(text)}; write some of KQkq, or -.")
    for letter in text:
        side, home = int(letter.islower()), 56 * letter.islower()
        own = state[WHITE + side]
        corner = home + (7 if letter in "Kk" else 0)
        if not own & state[KING] & bit(home + 4) or not own & state[ROOK] & bit(corner):
            raise ImpossibleState(
                f"the castling right {letter} needs {SIDES[side]}'s king on "
                f"{BOARD.names[home + 4]} and a rook on {BOARD.names[corner]}."
            )
    return sum(1 << "KQkq".index(letter) for letter in text)


def _read_skipped(text: str, state: Array) -> int:
    """Return the en passant square where a pawn may take there, else -1."""
    if text == "-":
        return -1
    if text not in BOARD.names:
        raise MalformedState(f"the en passant square is {quoted(text)}; write a square, or -.")
    square, turn = BOARD.names.index(text), state[TURN]
    pawn = state[PAWN] & state[BLACK - turn] & bit(square ^ 8)
    behind = (state[WHITE] | state[BLACK]) & (bit(square) | bit(square ^ 24))
    if square // 8 != 5 - 3 * turn or not pawn or behind:
        raise ImpossibleState(
            f"the en passant square is {text}, but no pawn of {SIDES[1 - turn]} can just have "
            "passed over it."
        )
    return square if takers_en_passant(state, square) else -1


def _read_clock(name: str, text: str, least: int) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < least:
        raise MalformedState(f"the {name} is {quoted(text)}; it must be from {least} to 999999999.")
    return int(text)


# --- positions set up by hand ---------------------------------------------------------------------


def _placed_text(game: Game, pieces: Pieces, side: int, answers: Answers) -> str:
    found = [
        detail.key for detail in _details(pieces, side) if answers.get(detail.key, detail.usual)
    ]
    rights = "".join(key for key in found if len(key) == 1)
    skipped = next((key for key in found if len(key) == 2), "-")
    return f"{write_board(letters(pieces), 8, 8)} {'wb'[side]} {rights or '-'} {skipped} 0 1"


def _details(pieces: Pieces, side: int) -> tuple[Detail, ...]:
    """Castling where king and rook are at home; a pawn's double step where a pawn could take it."""
    placed = letters(pieces)
    homes = (
        ("K", "White O-O", "KR", 4, 7),
        ("Q", "White O-O-O", "KR", 4, 0),
        ("k", "Black O-O", "kr", 60, 63),
        ("q", "Black O-O-O", "kr", 60, 56),
    )
    castling = [
        Detail(key, label, usual=True)
        for key, label, men, king, rook in homes
        if (placed.get(king), placed.get(rook)) == tuple(men)
    ]
    own, other, row, back = ("P", "p", 32, 8) if side == 0 else ("p", "P", 24, -8)
    passed = [
        cell + back
        for cell in range(row, row + 8)
        if placed.get(cell) == other
        and not {cell + back, cell + 2 * back} & placed.keys()
        and any(placed.get(c) == own and c // 8 == cell // 8 for c in (cell - 1, cell + 1))
    ]
    names = [f"{'abcdefgh'[cell % 8]}{cell // 8 + 1}" for cell in passed]
    return (*castling, *(Detail(name, f"En passant {name}", alone=True) for name in names))


def _answers(fen: str) -> dict[str, bool]:
    rights, skipped = fen.split()[2:4]
    return {**{key: key in rights for key in "KQkq"}, skipped: True}


EDITOR = Editor(
    figures("KQRBNP", "♔♕♖♗♘♙", "♚♛♜♝♞♟"),
    _placed_text,
    details=_details,
    answers=_answers,
)
