"""`pieces`, `threats`, `chess_phases` against slow versions; exchanging sides changes nothing."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from conftest import few
from evoboard.core.errors import OptionError
from evoboard.encoders.base import encoder_names, find_encoder
from evoboard.encoders.board_cells import find_board_cells
from evoboard.games.base import load_game
from evoboard.games.hexwar import PIECES, TURN
from test_encoders import draughts_pieces, encoded, fen_squares, positions

BOTH = ("pieces", "threats", "pieces:apart=true", "threats:apart=true")
RHOMBUS = "hexwar:layout=rhombus,start_pieces=6"
GAMES = ("kingcapture", "chess", "draughts", "hexwar", RHOMBUS)
USUAL_NAMES, USUAL_GAMES = few(BOTH, *BOTH[1:3]), few(GAMES, *GAMES[:4])


def board_of(game, text):
    """Return mover, and {cell: (letter, side, count)}, cells numbered as side 0 sees them."""
    if game.name == "draughts":
        side, found = draughts_pieces(text)
        kinds = {"b": ("man", 0), "w": ("man", 1), "B": ("king", 0), "W": ("king", 1)}
        return "bw".index(side), {s - 1: (*kinds[letter], 1) for s, letter in found.items()}
    if game.name == "hexwar":
        rows, side = text.split()
        numbers = [int(n) for row in rows.split("/") for n in row.split(",")]
        pieces = {c: ("B", int(n < 0), abs(n)) for c, n in enumerate(numbers) if n}
        return "br".index(side), pieces
    width = 6 if game.name == "kingcapture" else 8
    pieces = {
        y * width + x: (letter.upper(), int(letter.islower()), 1)
        for (x, y), letter in fen_squares(text).items()
    }
    return "wb".index(text.split()[1]), pieces


KINDS = {"kingcapture": "PRNBK", "chess": "PNBRQK", "draughts": ("man", "king"), "hexwar": "B"}


def turned(game, cell):
    """Return where side 1 sees a cell."""
    if game.name == "draughts":
        return 31 - cell
    if game.name == "hexwar" and game.options["layout"] == "rhombus":
        return 24 - cell
    width = {"kingcapture": 6, "chess": 8, "hexwar": 5}[game.name]
    return (width - 1 - cell // width) * width + cell % width


def slow_pieces(game, text, apart):
    mover, pieces = board_of(game, text)
    kinds = list(KINDS[game.name])
    squares = {"kingcapture": 36, "chess": 64, "draughts": 32, "hexwar": 25}[game.name]
    row = np.zeros((1 + apart, len(kinds), squares))
    for cell, (kind, side, count) in pieces.items():
        if apart:
            seen = turned(game, cell) if mover else cell
            row[int(side != mover), kinds.index(kind), seen] = count
        else:
            seen = turned(game, cell) if side else cell
            row[0, kinds.index(kind), seen] += count if side == mover else -count
    sums = row.sum(axis=2) * (0.1 if game.name == "hexwar" else 1)
    return np.concatenate([row.ravel(), sums.ravel()])


STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
JUMPS = [(a, b) for a in (1, 2, -1, -2) for b in (1, 2, -1, -2) if abs(a) != abs(b)]


def attacks_of(board, x, y):
    """Return the squares that the kingcapture piece on a square attacks."""
    letter, side = board[x, y]
    steps = {"R": STRAIGHT, "B": DIAGONAL, "N": JUMPS, "K": STRAIGHT + DIAGONAL}.get(letter)
    if letter == "P":
        steps = [(1, 1 - 2 * side), (-1, 1 - 2 * side)]
    found = []
    for dx, dy in steps:
        for far in range(1, 6 if letter in "RB" else 2):
            there = (x + far * dx, y + far * dy)
            if not (0 <= there[0] < 6 and 0 <= there[1] < 6):
                break
            found.append(there)
            if there in board:
                break
    return found


def slow_kingcapture(game, text):
    mover, pieces = board_of(game, text)
    board = {(c % 6, c // 6): (kind, side) for c, (kind, side, _) in pieces.items()}
    worth = dict(zip("PRNBK", (1, 5, 3, 3, 99), strict=True))
    attacked = {place: attacks_of(board, *place) for place in board}
    return chess_like(
        board, mover, attacked, worth, "PRNBK", lambda x, y: 0 <= x < 6 and 0 <= y < 6
    )


def slow_chess(game, text):
    known = chess.Board(text)
    board, attacked = {}, {}
    for square, piece in known.piece_map().items():
        place = (square % 8, square // 8)
        board[place] = (piece.symbol().upper(), int(not piece.color))
        attacked[place] = [(s % 8, s // 8) for s in known.attacks(square)]
    worth = dict(zip("PNBRQK", (1, 3, 3, 5, 9, 99), strict=True))
    mover = int(not known.turn)
    on_board = lambda x, y: 0 <= x < 8 and 0 <= y < 8  # noqa: E731
    return chess_like(board, mover, attacked, worth, "PNBRQK", on_board)


def chess_like(board, mover, attacked, worth, kinds, on_board):
    """Return the inputs of threats, from what each piece attacks."""
    counts = {side: np.zeros((3, len(kinds))) for side in (0, 1)}
    reach, ring = np.zeros(len(kinds)), {0: 0.0, 1: 0.0}
    for place, (kind, side) in board.items():
        by = [board[p] for p in board if place in attacked[p]]
        foes = [k for k, s in by if s != side]
        if foes:
            loose = not [k for k, s in by if s == side]
            lesser = any(worth[k] < worth[kind] for k in foes)
            counts[side][:, kinds.index(kind)] += [1, loose, lesser]
        if kind == "P":
            ahead = (place[0], place[1] + 1 - 2 * side)
            reached = ahead not in board and on_board(*ahead)
        else:
            reached = sum(board.get(p, ("", -1))[1] != side for p in attacked[place])
        reach[kinds.index(kind)] += (1 if side == mover else -1) * reached / 8
        if kind == "K":
            x, y = place
            near = {(x + a, y + b) for a in (-1, 0, 1) for b in (-1, 0, 1)} - {place}
            hit = {p for p in near if any(p in attacked[q] for q in board if board[q][1] != side)}
            ring[side] = len(hit) / 8
    return [
        *counts[mover].ravel(),
        *counts[1 - mover].ravel(),
        *reach,
        ring[1 - mover],
        ring[mover],
    ]


def slow_draughts(game, text):
    mover, pieces = board_of(game, text)
    board = {}
    for square, (kind, side, _) in pieces.items():
        row = square // 4
        board[row, 2 * (square % 4) + 1 - row % 2] = (kind, side)
    steps, jumped = {0: 0, 1: 0}, {0: set(), 1: set()}
    for (row, column), (kind, side) in board.items():
        ahead = 1 - 2 * side
        for dy in (ahead, -ahead) if kind == "king" else (ahead,):
            for dx in (1, -1):
                over, beyond = (row + dy, column + dx), (row + 2 * dy, column + 2 * dx)
                inside = [0 <= r < 8 and 0 <= c < 8 for r, c in (over, beyond)]
                steps[side] += inside[0] and over not in board
                if inside[1] and beyond not in board and board.get(over, ("", side))[1] != side:
                    jumped[1 - side].add(over)
    row = [
        sum(board[p][0] == k for p in jumped[s])
        for s in (mover, 1 - mover)
        for k in KINDS["draughts"]
    ]
    first = sum((r % 2 == 0) == (mover == 0) for r, _ in board)
    return [*row, steps[mover] / 8, steps[1 - mover] / 8, len(board) / 12, 1 if first % 2 else -1]


def distances(game):
    """Return a function of two tiles: how many steps they are apart."""
    rhombus = game.options["layout"] == "rhombus"

    def place(cell):
        """Return a tile's coordinates on three axes, whose largest difference is the distance."""
        y, x = divmod(cell, 5)
        q = x if rhombus else x - (y - y % 2) // 2
        return q, y, -q - y

    return lambda one, other: max(abs(a - b) for a, b in zip(place(one), place(other), strict=True))


def slow_hexwar(game, text):
    mover, pieces = board_of(game, text)
    far = distances(game)
    rows = {side: np.zeros(4) for side in (0, 1)}
    near = {side: np.zeros(6) for side in (0, 1)}
    for cell, (_, side, count) in pieces.items():
        foes = {c: n for c, (_, s, n) in pieces.items() if s != side}
        most = max((n for c, n in foes.items() if far(c, cell) == 1), default=0)
        rows[side] += [count / 10, 1 / 8, count / 10 * (most > 0), count / 10 * (most >= count)]
        near[side][min(6, min((far(c, cell) for c in foes), default=6)) - 1] += count / 10
    own, other = rows[mover][0], rows[1 - mover][0]
    both = np.stack([rows[mover], rows[1 - mover]], axis=1).ravel()
    return [*both, *near[mover], *near[1 - mover], (own - other) / (own + other)]


def slow_room(game, text):
    mover, pieces = board_of(game, text)
    far = distances(game)
    empty = [cell for cell in range(25) if cell not in pieces]
    rows = []
    for side in (mover, 1 - mover):
        own = {cell: n for cell, (_, s, n) in pieces.items() if s == side}
        foes = [cell for cell, (_, s, _) in pieces.items() if s != side]
        left = sum(10 - n for n in own.values())
        beside = [tile for tile in empty if any(far(tile, cell) == 1 for cell in own)]
        steps = {
            t: [min((far(t, c) for c in who), default=25) for who in (own, foes)] for t in empty
        }
        nearer = [tile for tile, (mine, theirs) in steps.items() if mine < theirs]
        hemmed = sum(n for c, n in own.items() if all(far(c, tile) != 1 for tile in empty))
        stuck = left == 0 and not beside
        rows.append([left / 10, len(beside) / 8, len(nearer) / 8, hemmed / 10, stuck])
        rows[-1].append(max(own.values(), default=0) / 10)
        away = [min((far(cell, foe) for foe in foes), default=25) for cell in own]
        rows[-1].append(any(steps >= 3 for steps in away))
        rows[-1].append(
            sum(
                np.mean([tile in foes for tile in range(25) if far(cell, tile) == 1])
                for cell in own
            )
        )
    return [*np.array(rows, float).T.ravel(), min(6, *away, 6) / 6]


def slow_exchanges(game, text):
    mover, pieces = board_of(game, text)
    far = distances(game)
    room = np.reshape(slow_room(game, text)[:16], (8, 2))
    beside = {cell: [t for t in range(25) if far(cell, t) == 1] for cell in range(25)}
    rows, steps = [], []
    for side in (mover, 1 - mover):
        own = {cell: n for cell, (_, s, n) in pieces.items() if s == side}
        foes = {cell: n for cell, (_, s, n) in pieces.items() if s != side}
        total, sizes = sum(own.values()), sorted(own.values())
        steps.append({c: min((far(c, f) for f in foes), default=0) for c in own})
        threats = {c: max((foes.get(t, 0) for t in beside[c]), default=0) for c in range(25)}
        taken = [(foes[t], n - foes[t], t) for c, n in own.items() for t in beside[c] if t in foes]
        wins = any(foe == sum(foes.values()) and left >= 0 < total - foe for foe, left, _ in taken)
        cancelled = max((min(foe, foe + left) for foe, left, _ in taken), default=0)
        taken = [take for take in taken if take[1] > 0]
        held = max(((foe, left) for foe, left, t in taken if left > threats[t]), default=(0, 0))
        most = max((foe for foe, _, _ in taken), default=0)
        lost = [n for c, n in own.items() if threats[c] > n]
        rows.append([
            total / 10, np.log(max(1, total)) / 5, 1 / max(1, total), len(own) / 8,
            *(room[i, len(rows)] for i in (0, 1, 2, 3)),
            max(sizes, default=0) / 10, (sizes[-2] if len(sizes) > 1 else 0) / 10,
            min(sizes, default=10) / 10, sizes.count(10) / 4, set(sizes) <= {10},
            held[0] > 0, held[0] / 10, most > 0, most / 10,
            wins,
            sum(n for c, n in own.items() if threats[c]) / 10, sum(lost) / 10,
            bool(foes) and room[6, len(rows)], room[7, len(rows)], len(lost) / 4, held[1] / 10,
            sum(n * steps[-1][c] for c, n in own.items()) / max(1, total) / 6, room[4, len(rows)],
        ])  # fmt: skip
    own, other = (round(10 * row[0]) for row in rows)
    apart = min([6, *(far for side in steps for far in side.values() if far)])
    once = [(own - other) / (own + other), np.sign(own - other), (own - other) / 10]
    once += [(own - other) / max(1, min(own, other)), np.log(own + other) / 5, apart / 6]
    once += [*(apart == n for n in (1, 2, 3)), rows[0][13] and rows[1][13], cancelled / 10]
    half = np.array([*np.array(rows, float).T.ravel(), *once], float)
    return [*half, *half * rows[0][8]]


def slow_phases(board):
    """Return the inputs of chess_phases, by python-chess."""
    counts = {1: 0, 2: 1, 3: 1, 4: 2, 5: 4, 6: 0}
    pieces = board.piece_map()
    early = min(24, sum(counts[piece.piece_type] for piece in pieces.values())) / 24
    squares, balance, kings = np.zeros((6, 8, 4)), np.zeros(29), []
    for square, piece in pieces.items():
        rank, file = square // 8 if piece.color else 7 - square // 8, square % 8
        half = file - 4 if file > 3 else 3 - file
        squares[piece.piece_type - 1, rank, half] += 1 if piece.color == board.turn else -1
    for side in (board.turn, not board.turn):
        balance += (1 if side == board.turn else -1) * np.array(slow_side(board, side), float)
        near = board.attacks(board.king(not side))
        own = [s for s, p in pieces.items() if p.color == side and p.piece_type not in (1, 6)]
        hits = sum(len(board.attacks(s) & near) for s in own) / 8
        kings += [hits, hits**2]
    twice = [*balance, *kings, 1]
    phases = np.array([early, 1 - early])
    seen = [np.outer(phases, squares.ravel()).ravel(), np.outer(phases, twice).ravel()]
    return np.concatenate([*seen, slow_chess(None, board.fen())[:36]])


def slow_side(board, side):
    """Return what `chess_phases` counts of one side."""
    own = {s: p.piece_type for s, p in board.piece_map().items() if p.color == side}
    kinds, way = list(own.values()), 1 if side else -1
    pawns, foes = board.pieces(chess.PAWN, side), board.pieces(chess.PAWN, not side)
    files, closed = [s % 8 for s in pawns], [s % 8 for s in foes]
    passed = [
        s
        for s in pawns
        if not any(abs(t % 8 - s % 8) < 2 and (t // 8 - s // 8) * way > 0 for t in foes)
    ]
    ranks = [s // 8 if side else 7 - s // 8 for s in passed]
    far = {
        king: sum(
            (rank - 1) * chess.square_distance(s + 8 * way, board.king(king)) / 64
            for s, rank in zip(passed, ranks, strict=True)
        )
        for king in (side, not side)
    }
    guarded = [s for s in own if any(s in board.attacks(p) for p in pawns)]
    rooks = [s % 8 for s, kind in own.items() if kind == chess.ROOK]
    king = board.king(side)
    before = [
        s for s in pawns if abs(s % 8 - king % 8) < 2 and (s // 8 - king // 8) * way in (1, 2)
    ]
    beside = [f for f in range(8) if abs(f - king % 8) < 2]
    denied = {t for p in foes for t in board.attacks(p)}
    reach = [0] * 6
    reach[0] = sum(board.piece_at(s + 8 * way) is None for s in pawns)
    for square, kind in own.items():
        if kind != chess.PAWN:
            reach[kind - 1] += len(set(board.attacks(square)) - set(own) - denied)
    colours = {(s % 8 + s // 8) % 2 for s, kind in own.items() if kind == chess.BISHOP}
    return [
        *(kinds.count(kind) for kind in range(1, 6)),
        len(colours) == 2,
        *(ranks.count(rank) for rank in range(1, 7)),
        sum(board.piece_at(s + 8 * way) is not None for s in passed),
        far[not side],
        far[side],
        len(files) - len(set(files)),
        sum(f - 1 not in files and f + 1 not in files for f in files),
        sum(own[s] == chess.PAWN for s in guarded),
        sum(own[s] in (chess.KNIGHT, chess.BISHOP) for s in guarded),
        sum(f not in files for f in rooks),
        sum(f not in files and f not in closed for f in rooks),
        len(before),
        sum(f not in files for f in beside),
        *(n / 8 for n in reach),
    ]


def test_chess_phases_are_those_of_the_slow_version():
    game = load_game("chess")
    encoder = find_encoder("chess_phases", game)
    assert len(set(encoder.names)) == encoder.inputs == 488
    states = positions(game, 200)
    rows = encoded(game, encoder, states)
    wanted = [slow_phases(chess.Board(game.state_text(state))) for state in states]
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)
    assert (np.abs(rows[:, 384:]).sum(axis=0) > 0).mean() > 0.9, "inputs that are always 0"
    others = encoded(game, encoder, [exchanged(game, state) for state in states])
    assert np.array_equal(rows, others)


SLOW = {
    "kingcapture": slow_kingcapture,
    "chess": slow_chess,
    "draughts": slow_draughts,
    "hexwar": slow_hexwar,
}


@pytest.mark.parametrize("text", USUAL_GAMES)
@pytest.mark.parametrize("name", USUAL_NAMES)
def test_inputs_are_those_of_the_slow_version(text, name):
    game = load_game(text)
    encoder = find_encoder(name, game)
    assert len(set(encoder.names)) == encoder.inputs
    states = positions(game)
    rows = encoded(game, encoder, states)
    wanted = []
    for state in states:
        words = game.state_text(state)
        row = slow_pieces(game, words, "apart" in name)
        if name.startswith("threats"):
            row = np.concatenate([row, SLOW[game.name](game, words)])
        wanted.append(row)
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)
    assert (np.abs(rows).sum(axis=0) > 0).mean() > 0.3, "most inputs are always 0"


@pytest.mark.parametrize("text", few(["hexwar", RHOMBUS], "hexwar"))
def test_exchanges_are_those_of_the_slow_version(text):
    game = load_game(text)
    encoder = find_encoder("exchanges", game)
    assert len(set(encoder.names)) == encoder.inputs == 2 * (52 + 11)
    # Full tiles, armies of one size, what two could take back, and the end of a game, too.
    rows = ("0,0,0,0,9/0,0,0,-5,10/0,0,0,-2,0/0,0,0,0,0/-10,-10,0,0,1",
            "10,0,0,0,0/-4,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0",
            "3,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0",
            "0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-3,-3,0,0,0/10,-3,0,0,0")  # fmt: skip
    set_up = [game.parse_state(f"{row} {side}") for row in rows for side in "br"]
    states = [*positions(game), *set_up]
    rows, words = encoded(game, encoder, states), [game.state_text(state) for state in states]
    wanted = [slow_exchanges(game, w) for w in words]
    np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-6)
    others = encoded(game, encoder, [exchanged(game, state) for state in states])
    assert np.array_equal(rows, others)


def test_exchanges_by_lead_are_those_of_exchanges_where_they_apply():
    game = load_game("hexwar")
    once, apart = find_encoder("exchanges", game), find_encoder("exchanges_by_lead", game)
    states = positions(game)
    rows, found = encoded(game, once, states), encoded(game, apart, states)
    leads = [int(s[PIECES + s[TURN]] - s[PIECES + 1 - s[TURN]]) for s in states]
    assert {-1, 0, 1} <= set(np.sign(leads).tolist())
    for row, lead, seen in zip(rows, leads, found, strict=True):
        parts = [row, row * (lead > 0), row * (lead == 0)]
        assert np.array_equal(seen, np.concatenate(parts).astype(np.float32))


def exchanged(game, state):
    """Return the position with the board turned and the sides exchanged."""
    text = game.state_text(state)
    if game.name in ("kingcapture", "chess"):
        fields = text.split()
        fields[0] = "/".join(fields[0].swapcase().split("/")[::-1])
        fields[1] = "wb"["bw".index(fields[1])]
        if game.name == "chess":
            rights = fields[2].swapcase()
            fields[2] = "".join(sorted(rights)) if rights != "-" else "-"
            skipped = fields[3]
            fields[3] = skipped[0] + str(9 - int(skipped[1])) if skipped != "-" else "-"
        return game.parse_state(" ".join(fields))
    mover, pieces = board_of(game, text)
    if game.name == "draughts":
        lists = {0: [], 1: []}
        for cell, (kind, side, _) in pieces.items():
            lists[1 - side].append(f"{'K' if kind == 'king' else ''}{32 - cell}")
        side = "BW"[1 - mover]
        return game.parse_state(f"{side}:W{','.join(lists[1])}:B{','.join(lists[0])}")
    numbers = [0] * 25
    for cell, (_, side, count) in pieces.items():
        numbers[turned(game, cell)] = count * (2 * side - 1)
    rows = "/".join(",".join(map(str, numbers[y : y + 5])) for y in range(0, 25, 5))
    return game.parse_state(f"{rows} {'br'[1 - mover]}")


@pytest.mark.parametrize("text", USUAL_GAMES)
@pytest.mark.parametrize("name", USUAL_NAMES)
def test_exchanging_the_sides_changes_nothing(text, name):
    game = load_game(text)
    encoder = find_encoder(name, game)
    states = positions(game, 60)
    others = [exchanged(game, state) for state in states]
    assert {game.side(state) for state in states} == {0, 1}
    assert np.array_equal(encoded(game, encoder, states), encoded(game, encoder, others))


def test_the_board_of_a_game_of_ones_own_is_found_out():
    ticks = find_board_cells(load_game("examples/tictactoe.py"))
    assert (len(ticks.kinds), len(ticks.names)) == (1, 9)
    four = find_board_cells(load_game("examples/connectfour.py"))
    assert four.places[1].tolist() == list(range(42)), "discs fall: the board cannot be turned"
    assert sorted(four.amount.tolist()) == [-1, 0, 1]
    assert find_board_cells(load_game("examples/othello.py")) is None  # its board is two numbers
    assert find_board_cells(load_game("nim")) is None  # heaps belong to nobody
    game = load_game("examples/connectfour.py")
    state = game.apply(game.apply(game.initial(), 3), 3)
    row = encoded(game, find_encoder("pieces", game), [state])[0]
    assert {i: row[i] for i in np.flatnonzero(row)} == {3: 1.0, 10: -1.0}
    assert "threats" not in encoder_names(game)


def test_the_kinds_of_kingcapture_are_in_the_order_of_its_numbers():
    found = find_board_cells(load_game("kingcapture"))
    assert "".join(found.kinds) == "PRNBK"
    assert found.places[1, :6].tolist() == [30, 31, 32, 33, 34, 35]


def test_pieces_do_not_fit_games_without_any():
    with pytest.raises(OptionError, match="pieces does not fit nim"):
        find_encoder("pieces", load_game("nim"))
