"""Every encoder against a slow version that reads the position's text, not its cells."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from conftest import GAMES, few
from evoboard.arena.schedules import start_positions
from evoboard.core.errors import NotFound, OptionError
from evoboard.core.link import link
from evoboard.encoders.base import encoder_names, find_encoder
from evoboard.encoders.chess_features import SPREAD
from evoboard.games.base import load_game
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork

VALUES = {"p": 0.1, "n": 0.3, "b": 0.35, "r": 0.5, "q": 0.9, "k": 1.0}
# Positions that random games seldom reach.
EXTRA = {
    "chess": [
        "8/8/8/8/8/8/8/K1k5 w - - 0 1",
        "QQQQQQQ1/8/8/8/8/8/6k1/K7 b - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
        "4k3/1P3p2/P1p3pP/3PpP2/2p5/p6p/PP3P2/4K3 w - - 0 1",
        "r3k2r/8/8/3BB3/3bb3/8/8/R3K2R w KQ - 0 1",
        "7k/8/8/3N4/4n3/8/8/K6R b - - 0 1",
    ],
    "draughts": ["W:WK1,K32,5:BK2,27,K14", "B:WK29:BK4", "W:W21-32:B1-12"],
    "kingcapture": ["6/6/2k3/3K2/6/6 w", "rrrrkr/rnnbr1/2P3/3p2/RNNRB1/RRBRK1 b"],
    "hexwar": ["10,-10,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,-1 r"],
}


def positions(game, count=150, seed=1):
    """Return states of random games and some strange ones."""
    rng = random.Random(seed)
    states = [game.parse_state(text) for text in EXTRA.get(game.name, ())]
    while len(states) < count:
        state = game.initial(rng.randrange(1, 10**6))
        while (moves := game.legal_moves(state)) and len(states) < count:
            state = game.apply(state, rng.choice(moves))
            if rng.random() < 0.3:
                states.append(state)
    return states


def encoded(game, encoder, states):
    """Return the numbers of each state; a kernel that writes beyond its inputs fails here."""
    kernel = game.link(encoder.encode)
    rows = []
    for state in states:
        out = np.full(encoder.inputs + 3, np.nan, np.float32)
        kernel(state, out)
        assert np.isnan(out[encoder.inputs :]).all()
        assert np.isfinite(out[: encoder.inputs]).all()
        rows.append(out[: encoder.inputs].copy())
    return np.array(rows)


def compare(name, text, slow):
    """Check an encoder of a game against `slow`, which makes numbers of the state's text."""
    game = load_game(text)
    encoder = find_encoder(name, game)
    assert encoder.name == name
    states = positions(game)
    wanted = np.array([slow(game.state_text(state)) for state in states], np.float64)
    assert wanted.shape[1] == encoder.inputs
    np.testing.assert_allclose(encoded(game, encoder, states), wanted, rtol=1e-6)
    assert len({row.tobytes() for row in wanted}) > len(states) / 10, "the positions differ little"


def fen_squares(text):
    """Return {(file, rank): letter} of a FEN, files and ranks from 0."""
    rows = text.split()[0].split("/")
    found = {}
    for index, row in enumerate(rows):
        x = 0
        for letter in row:
            if letter.isdigit():
                x += int(letter)
            else:
                found[x, len(rows) - 1 - index] = letter
                x += 1
    return found


def fen_values(size):
    def slow(text):
        pieces = fen_squares(text)
        row = []
        for y in range(size):
            for x in range(size):
                letter = pieces.get((x, y))
                value = VALUES[letter.lower()] if letter else 0.0
                row.append(-value if letter and letter.islower() else value)
        return row

    return slow


def fen_planes(size, order):
    def slow(text):
        pieces = fen_squares(text)
        cells = [(x, y) for y in range(size) for x in range(size)]
        return [float(pieces.get(cell) == letter) for letter in order for cell in cells]

    return slow


def draughts_pieces(text):
    """Return the side to move and {square: letter}, capital letters for kings."""
    side, white, black = text.split(":")[:3]
    found = {}
    for field in (white, black):
        for item in filter(None, field[1:].split(",")):
            crowned, square = re.fullmatch("(K?)([0-9]+)", item).groups()
            letter = field[0].lower()
            found[int(square)] = letter.upper() if crowned else letter
    return side.lower(), found


def draughts_seen(text):
    """Return letters by square as the mover sees them: m and k its own, o and q the other's."""
    side, found = draughts_pieces(text)
    seen = {}
    for square, letter in found.items():
        names = "mk" if letter.lower() == side else "oq"
        seen[33 - square if side == "w" else square] = names[letter.isupper()]
    return seen


def draughts_squares(king):
    values = {"m": 1.0, "k": king, "o": -1.0, "q": -king}
    return lambda text: [values.get(draughts_seen(text).get(s), 0.0) for s in range(1, 33)]


def draughts_planes(text):
    seen = draughts_seen(text)
    return [float(seen.get(square) == letter) for letter in "mkoq" for square in range(1, 33)]


def draughts_windows(king):
    def slow(text):
        _, found = draughts_pieces(text)
        board = np.zeros((8, 8))
        square = 0
        for row in range(8):
            for column in range(8):
                if (row + column) % 2 == 1:
                    square += 1
                    letter = found.get(square, " ")
                    value = king if letter.isupper() else 1.0
                    board[row, column] = {"b": value, "w": -value}.get(letter.lower(), 0.0)
        sums = []
        for size in range(3, 9):
            for top in range(9 - size):
                for left in range(9 - size):
                    sums.append(board[top : top + size, left : left + size].sum())
        return sums

    return slow


def hexwar_numbers(text):
    board, side = text.split()
    sign = 1 if side == "b" else -1
    return [sign * int(number) for row in board.split("/") for number in row.split(",")]


def nim_heaps(text):
    return [float(heap) for heap in text.split()[0].split(",")]


def nim_digits(digits):
    def slow(text):
        heaps = [int(heap) for heap in text.split()[0].split(",")]
        return [float(d) for heap in heaps for d in reversed(f"{heap:0{digits}b}")]

    return slow


def test_squares_are_the_values_of_the_pieces():
    compare("squares", "kingcapture", fen_values(6))
    compare("squares", "chess", fen_values(8))
    compare("squares", "draughts", draughts_squares(1.5))
    compare("squares", "hexwar", hexwar_numbers)


def test_planes_have_a_one_where_each_kind_of_piece_stands():
    compare("planes", "kingcapture", fen_planes(6, "PRNBKprnbk"))
    compare("planes", "chess", fen_planes(8, "PNBRQKpnbrqk"))
    compare("planes", "draughts", draughts_planes)


def test_squares_are_also_seen_from_the_top_and_turned_round():
    def from_top(text):
        return np.reshape(fen_values(6)(text), (6, 6))[::-1].ravel()

    def turned(text):
        return hexwar_numbers(text)[:: -1 if text.endswith("r") else 1]

    compare("squares:top=true", "kingcapture", from_top)
    compare("squares:turned=true", "hexwar", turned)
    for option, game in (("top", "hexwar"), ("turned", "chess")):
        with pytest.raises(OptionError, match=f"not .*{game}"):
            find_encoder(f"squares:{option}=true", load_game(game))


def test_subsquares_are_the_sums_of_all_windows():
    compare("subsquares", "draughts", draughts_windows(1.5))


def test_the_value_of_a_king_is_an_option():
    compare("squares:king=1.25", "draughts", draughts_squares(1.25))
    compare("subsquares:king=2", "draughts", draughts_windows(2.0))
    for king in ("0", "-1", "nan", "inf"):
        with pytest.raises(OptionError, match="option king of the encoder squares"):
            find_encoder(f"squares:king={king}", load_game("draughts"))


@pytest.mark.parametrize(
    ("encoder", "game", "told"),
    [
        ("squares:king=2", "chess", "can be set in draughts only, not in chess"),
        ("squares:king=two", "draughts", "king.*'two'.*number"),
        ("squares:kings=2", "draughts", "no option of the encoder squares.*did you mean king"),
        ("planes:king=2", "draughts", "no option of the encoder planes"),
        ("squares:king", "draughts", "cannot read 'king'"),
    ],
)
def test_a_wrong_option_is_told_in_one_sentence(encoder, game, told):
    with pytest.raises(OptionError, match=told):
        find_encoder(encoder, load_game(game))


@pytest.mark.parametrize("text", ["chess", "draughts", "kingcapture", "nim", "hexwar"])
def test_names_are_given_for_all_inputs_or_none(text):
    game = load_game(text)
    for name in encoder_names(game):
        encoder = find_encoder(name, game)
        assert len(set(encoder.names)) in (0, encoder.inputs)
        assert not encoder.planes or encoder.inputs % len(encoder.planes) == 0


def test_heaps_are_their_sizes_and_their_binary_digits():
    compare("heaps", "nim", nim_heaps)
    compare("binary", "nim", nim_digits(3))
    game = load_game("nim:heaps=8/100,random=true")
    states = positions(game, 40)
    rows = encoded(game, find_encoder("binary", game), states)
    assert rows.tolist() == [nim_digits(7)(game.state_text(state)) for state in states]
    rows = encoded(game, find_encoder("heaps", game), states)
    assert rows.tolist() == [nim_heaps(game.state_text(state)) for state in states]


def test_cells_are_the_state_without_its_counters():
    game = load_game("kingcapture")
    states = positions(game, 40)
    rows = encoded(game, find_encoder("cells", game), states)
    wanted = np.array(states)
    assert wanted[:, list(game.counters)].any()
    wanted[:, list(game.counters)] = 0
    assert np.array_equal(rows, wanted)


# --- the ten chess features, by python-chess ----------------------------------------------------


def slow_features(chess, board):
    """Return the ten features, not standardised."""
    rows = []
    for side in (chess.WHITE, chess.BLACK):
        own = {s: p.piece_type for s, p in board.piece_map().items() if p.color == side}
        other_king = board.king(not side)
        pawns = [s for s, kind in own.items() if kind == chess.PAWN]
        others = board.pieces(chess.PAWN, not side)
        pieces = [s for s, kind in own.items() if kind not in (chess.PAWN, chess.KING)]
        worth = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}
        colours = {(s % 8 + s // 8) % 2 for s, kind in own.items() if kind == chess.BISHOP}
        files = [s % 8 for s in pawns]
        distance = [7 - s // 8 if side else s // 8 for s in pawns]
        reach = {t for s in pieces for t in board.attacks(s) if t not in own}
        way = 1 if side else -1
        rows.append(
            [
                sum(worth[kind] for kind in own.values()),
                len(colours) == 2,
                sum(files.count(f) - 1 for f in set(files)),
                -sum(d + 1 for d in distance),
                sum(not board.is_attacked_by(not side, t) for t in reach),
                sum(len(board.attackers(side, s)) for s, kind in own.items() if kind != chess.KING),
                sum(f - 1 not in files and f + 1 not in files for f in files),
                sum(
                    not any(abs(t % 8 - s % 8) < 2 and (t // 8 - s // 8) * way > 0 for t in others)
                    for s in pawns
                ),
                sum(len(board.attackers(side, s)) for s in (27, 28, 35, 36)),
                sum(can_check(chess, board, s, other_king) for s in pieces)
                + bool(board.castling_rights & (chess.BB_RANK_1 if side else chess.BB_RANK_8)),
            ]
        )
    return np.array(rows[0], float) - np.array(rows[1], float)


def can_check(chess, board, square, king):
    """Tell whether the piece on `square` attacks the king, or does after a move of its own."""
    piece = board.piece_at(square)
    if king in board.attacks(square):
        return True
    for target in board.attacks(square):
        if board.color_at(target) == piece.color:
            continue
        after = board.copy(stack=False)
        after.remove_piece_at(square)
        after.set_piece_at(target, piece)
        if king in after.attacks(target):
            return True
    return False


def test_chess_features_are_those_python_chess_counts():
    chess = pytest.importorskip("chess", reason="python-chess, the oracle, is not installed")
    game = load_game("chess")
    states = positions(game, 250)
    rows = encoded(game, find_encoder("chess_features", game), states) * np.array(SPREAD)
    boards = [chess.Board(game.state_text(state)) for state in states]
    wanted = np.array([slow_features(chess, board) for board in boards])
    np.testing.assert_allclose(rows, wanted, atol=1e-4)
    assert (wanted.std(axis=0) > 0).all(), "every feature must have been seen"


def test_chess_features_change_sign_with_the_colours():
    chess = pytest.importorskip("chess", reason="python-chess, the oracle, is not installed")
    game = load_game("chess")
    states = positions(game, 40, seed=2)
    boards = [chess.Board(game.state_text(state)) for state in states]
    mirrored = [game.parse_state(board.mirror().fen()) for board in boards]
    encoder = find_encoder("chess_features", game)
    assert np.array_equal(encoded(game, encoder, states), -encoded(game, encoder, mirrored))


def test_chess_features_are_of_one_size():
    game = load_game("chess")
    rows = encoded(game, find_encoder("chess_features", game), positions(game, 400, seed=3))
    assert (rows.std(axis=0) > 0.3).all()
    assert (rows.std(axis=0) < 3).all()


# --- all encoders -------------------------------------------------------------------------------


def test_every_encoder_is_the_same_compiled_and_not(game):
    states = positions(game, 12, seed=4)
    for name in encoder_names(game):
        encoder = find_encoder(name, game)
        rows = encoded(game, encoder, states)
        uncompiled = link(encoder.encode, game.bindings, "python")
        for state, row in zip(states, rows, strict=True):
            out = np.zeros(encoder.inputs, np.float32)
            uncompiled(state, out)
            assert np.array_equal(out, row), (name, game.state_text(state))


# Uncompiled, as above, NumPy checks most bounds; that compiled ones are kept, two games tell.
@pytest.mark.parametrize(
    "game", few(GAMES, "nim", "kingcapture"), indirect=True, ids=lambda text: Path(text).stem
)
def test_every_encoder_stays_inside_its_arrays(game):
    states = positions(game, 12, seed=5)
    for name in encoder_names(game):
        encoder = find_encoder(name, game)
        checked = game.link(encoder.encode, "checked")
        for state in states:
            checked(state, np.zeros(encoder.inputs, np.float32))


def test_every_game_has_an_encoder(game):
    assert encoder_names(game)


def test_draughts_looks_the_same_to_both_sides():
    game = load_game("draughts")
    black = game.parse_state("B:W21,K30:B1,K9,14")
    white = game.parse_state("W:W32,K24,19:B12,K3")
    for name in ("squares", "planes"):
        one, other = encoded(game, find_encoder(name, game), [black, white])
        assert np.array_equal(one, other)


def test_an_unknown_or_unfitting_encoder_is_refused():
    with pytest.raises(NotFound, match="did you mean squares"):
        find_encoder("square", load_game("chess"))
    with pytest.raises(OptionError, match="does not fit nim; these do: binary, cells, heaps"):
        find_encoder("subsquares", load_game("nim"))


SPARSE = ("pieces", "pieces:apart=true", "threats", "threats:apart=true")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, text) for name in ("chess", "kingcapture", "draughts") for text in SPARSE),
        ("chess", "chess_phases"),
    ],
)
def test_listed_inputs_are_the_inputs(name, text):
    game = load_game(name)
    encoder, rng = find_encoder(text, game), np.random.default_rng(1)
    assert encoder.listed is not None
    unlisted = encoder.bindings["UNLISTED"]
    # Uncompiled: a dozen kernels would take longer to compile than all this takes.
    encode, listed = (game.link(f, "python") for f in (encoder.encode, encoder.listed))
    for hidden, direct, difference in (((), False, 0.0), ((5,), True, 0.3)):
        design = Design((encoder.inputs, *hidden, 1), direct=direct, difference=difference)
        vector = rng.normal(size=design.length).astype(np.float32) / 10
        pack = mlp.pack([MLPNetwork(design, vector)])
        network = mlp.member(pack, 0)
        for state in start_positions(game, 10, 3, 20):
            values = np.zeros(mlp.scratch_size(pack), np.float32)
            encode(state, values)
            inputs, value = values[: encoder.inputs].copy(), mlp.forward(network, values)
            values[:] = 7  # nothing may be taken for granted
            count, found = listed(state, values), np.zeros(encoder.inputs, np.float32)
            assert 2 * count <= unlisted
            for place, amount in values[: 2 * count].reshape(count, 2):
                assert place < unlisted
                found[int(place)] += amount
            found[unlisted:] = values[unlisted : encoder.inputs]
            np.testing.assert_allclose(found, inputs, atol=1e-6)
            assert abs(mlp.forward_listed(network, values, count, unlisted) - value) < 1e-5


@pytest.mark.parametrize("text", ["pieces:apart=true", "threats:apart=true"])
def test_inputs_are_not_listed_where_a_full_board_would_write_over_the_sums(text):
    # All 25 tiles may hold pieces, and two boards of 25 inputs have room for 25 pairs alone.
    assert find_encoder(text, load_game("hexwar")).listed is None
