"""The 6×6 game against Fairy-Stockfish and against slow rules; then what its texts refuse."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from evoboard.core.errors import IllegalMove, ImpossibleState, MalformedMove, MalformedState
from evoboard.games.base import load_game
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from naive import NaiveKingCapture
from refusals import refuses

START = "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"
STUCK = "k1n3/6/p1p3/P1Pp2/PB1P2/KRB3 w"


@pytest.fixture(scope="module")
def game():
    return load_game("kingcapture")


@pytest.fixture(scope="module")
def oracle():
    pytest.importorskip("pyffish", reason="pyffish, the oracle, is not installed")
    from oracles import kingcapture_oracle

    return kingcapture_oracle


def fen_of(game, state):
    """Return the position without the count of quiet plies, which the oracles do not keep."""
    return " ".join(game.state_text(state).split()[:2])


def moves_of(game, state):
    return {game.move_text(state, move): move for move in game.legal_moves(state)}


# --- against others -----------------------------------------------------------------------------


def random_fen(rng):
    """Return a position of few pieces or many; kings stand anywhere, pawns often near the end."""
    squares = list(range(36))  # from a6 on, as a FEN is written
    rng.shuffle(squares)
    board = ["."] * 36
    for letters, last in (("KRNBP", range(6, 12)), ("krnbp", range(24, 30))):
        king, *pieces, pawn = letters
        board[squares.pop()] = king
        for _ in range(rng.randrange(6)):
            board[squares.pop()] = rng.choice(pieces)
        rows = last if rng.random() < 0.5 else range(6, 30)
        for square in [s for s in squares if s in rows][: rng.randrange(5)]:
            squares.remove(square)
            board[square] = pawn
    return NaiveKingCapture([board[i : i + 6] for i in range(0, 36, 6)], rng.choice("wb")).text()


def kinds_of(naive, move):
    """Return what the move has that most have not."""
    origin, target = (naive.rows[6 - int(y)]["abcdef".index(x)] for x, y in (move[:2], move[2:]))
    kinds = [("promotion", origin in "Pp" and move[3] in "16"), ("king", target in "Kk")]
    return [kind for kind, is_so in kinds if is_so]


def starts(rng):
    """Yield forever the start position and constructed ones, with the plies to play from each."""
    while True:
        yield START, 200
        for _ in range(20):
            yield random_fen(rng), 6


def test_moves_are_those_of_fairy_stockfish(game, oracle, cases):
    rng, positions, decided, wanted = random.Random(1), 0, 0, cases(500, 10_000)
    for start, plies in starts(rng):
        state = game.parse_state(start)
        for _ in range(plies):
            fen, moves = fen_of(game, state), moves_of(game, state)
            assert set(moves) == oracle.legal(fen), fen
            positions += 1
            if not moves:
                assert oracle.decided(fen) == (game.reason(state) == "king captured")
                decided += oracle.decided(fen)
                break
            text = rng.choice(sorted(moves))
            state = game.apply(state, moves[text])
            if positions % 5 == 0:
                assert fen_of(game, state) == oracle.after(fen, text), (fen, text)
        if positions >= wanted:
            break
    assert decided >= wanted / 100


def outcome_by(naive):
    """Return the outcome for the side to move by the slow rules."""
    winner = {"white": "w", "black": "b"}.get(naive.result())
    if naive.result() is None:
        return ONGOING
    return DRAW if winner is None else WIN if winner == naive.side else LOSS


def test_games_are_those_of_the_slow_rules(game, cases):
    rng, positions, seen, wanted = random.Random(2), 0, Counter(), cases(2_000, 20_000)
    for start, plies in starts(rng):
        state, naive = game.parse_state(start), NaiveKingCapture.from_text(start)
        for _ in range(plies):
            moves = moves_of(game, state)
            assert fen_of(game, state) == naive.text()
            assert set(moves) == naive.moves(), naive
            assert game.outcome(state) == outcome_by(naive), naive
            positions += 1
            seen.update(kind for move in moves for kind in kinds_of(naive, move))
            if not moves:
                break
            text = rng.choice(sorted(moves))
            state, naive = game.apply(state, moves[text]), naive.play(text)
        if positions >= wanted:
            break
    assert min(seen["promotion"], seen["king"]) >= wanted / 20, seen


# --- rules by hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fen, square, targets",
    [
        # One square ahead, never two; takes aslant, and nothing straight ahead.
        ("k5/6/6/6/2P3/K5 w", "c2", {"c3"}),
        ("k5/6/6/1npn2/2P3/K5 w", "c2", {"b3", "d3"}),
        ("k5/2p3/6/6/6/K5 b", "c5", {"c4"}),
        # A rook and a bishop go on to the first piece, which they take if it is not theirs.
        ("k5/6/2p3/6/P1R3/K5 w", "c2", {"b2", "d2", "e2", "f2", "c1", "c3", "c4"}),
        ("k5/6/4p1/6/P1B3/K5 w", "c2", {"b1", "d1", "b3", "a4", "d3", "e4"}),
        ("k5/6/6/6/1P4/N4K w", "a1", {"b3", "c2"}),
        # A king may step next to the other, and take it.
        ("6/6/6/2k3/6/K5 w", "a1", {"a2", "b1", "b2"}),
        ("6/6/6/6/1k4/K5 w", "a1", {"a2", "b1", "b2"}),
    ],
)
def test_pieces_move_as_in_chess_but_for_pawns_and_checks(game, fen, square, targets):
    moves = moves_of(game, game.parse_state(fen))
    assert {move[2:] for move in moves if move[:2] == square} == targets


@pytest.mark.parametrize(
    "fen, move, after",
    [
        ("5k/P5/6/6/6/K5 w 9", "a5a6", "R4k/6/6/6/6/K5 b"),
        ("5k/6/6/6/p5/1R3K b 9", "a2b1", "5k/6/6/6/6/1r3K w"),
        ("5k/6/6/6/p5/1R3K b 9", "f6f5", "6/5k/6/6/p5/1R3K w 10"),
        ("r4k/6/6/6/6/R4K w 9", "a1a6", "R4k/6/6/6/6/5K b"),
        ("5k/6/6/6/p5/R4K w 9", "a1a2", "5k/6/6/6/R5/5K b"),
    ],
)
def test_pawns_become_rooks_and_progress_is_counted(game, fen, move, after):
    state = game.parse_state(fen)
    assert game.state_text(game.apply(state, game.parse_move(state, move))) == after


@pytest.mark.parametrize(
    "fen, outcome, reason",
    [
        ("rbn1br/pppppp/6/6/PPPPPP/RBNKBR b", LOSS, "king captured"),
        ("rbnkbr/pppppp/6/6/PPPPPP/RBN1BR w", LOSS, "king captured"),
        (STUCK, DRAW, "no legal move"),
    ],
)
def test_the_board_ends_the_game(game, fen, outcome, reason):
    state = game.parse_state(fen)
    assert game.legal_moves(state) == []
    assert (game.outcome(state), game.reason(state)) == (outcome, reason)


@pytest.mark.parametrize("fen, move", [("k5/6/6/6/6/R4K w", "a1a6"), ("k5/6/6/1n4/6/K5 b", "b3a1")])
def test_taking_the_king_wins_at_once(game, fen, move):
    state = game.parse_state(fen)
    after = game.apply(state, game.parse_move(state, move))
    assert game.outcome(after) == LOSS
    assert game.legal_moves(after) == []
    assert game.outcome(game.parse_state(game.state_text(after))) == LOSS


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", ["", "\n", " 0", " - -", " - - 0", " - - 0 1"])
def test_the_start_is_written_as_in_the_paper(game, more):
    assert (game.parse_state(f"  {START}{more}") == game.initial()).all()
    assert game.state_text(game.initial()) == START


@pytest.mark.parametrize("text", ["a2a4", "a1a2", "d1d2", "b5b4", "a1a1"])
def test_an_illegal_move_is_named_with_its_position(game, text):
    with pytest.raises(IllegalMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert START in str(error.value)


@pytest.mark.parametrize("text", ["", "a2", "a2-a3", "a2a3r", "Nc3", "22a3"])
def test_a_malformed_move_is_named_with_its_position(game, text):
    with pytest.raises(MalformedMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert START in str(error.value)


def test_a_move_after_the_end_is_illegal(game):
    with pytest.raises(IllegalMove, match="ended"):
        game.parse_move(game.parse_state("rbn1br/pppppp/6/6/PPPPPP/RBNKBR b"), "a5a4")


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("", "0 fields"),
        ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR", "1 field"),
        (START + " 0 1", "4 fields"),
        ("rbnkbr/pppppp/6/PPPPPP/RBNKBR w", "5 rows"),
        ("rbnkbr/pppppp/7/6/PPPPPP/RBNKBR w", "'7' describes 7 squares"),
        ("rbnkbr/ppppp/6/6/PPPPPP/RBNKBR w", "'ppppp' describes 5 squares"),
        ("rbqkbr/pppppp/6/6/PPPPPP/RBNKBR w", "'q'"),
        ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR x", "'x'"),
        ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w -3", "'-3'"),
        ("rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w ²", "'²'"),
    ],
)
def test_a_malformed_position_is_refused_with_what_is_wrong(game, fen, offender):
    refuses(game, fen, MalformedState, offender)


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("6/6/6/6/6/6 w", "no king"),
        ("6/6/6/6/6/K5 w", "Black has no king"),
        ("k5/6/6/6/6/6 b", "White has no king"),
        ("kk4/6/6/6/6/K5 w", "Black has 2 kings"),
        ("k5/6/6/6/6/KK4 w", "White has 2 kings"),
        ("k5/6/6/P5/PPPPPP/K5 w", "White has more than 6 pawns"),
        ("k5/nnnnnn/nnnnnn/6/6/K5 w", "Black has more than 6 pawns or 12 pieces"),
        ("kP4/6/6/6/6/K5 w", "White has a pawn on its last rank"),
        ("k5/6/6/6/6/Kp4 w", "Black has a pawn on its last rank"),
    ],
)
def test_an_impossible_position_is_refused_with_the_offender(game, fen, offender):
    refuses(game, fen, ImpossibleState, offender)


@pytest.mark.parametrize(
    "fen, text, label",
    [
        (START, "a2a3", "a2a3"),
        (START, "c1d3", "Nc1d3"),
        ("5k/4pp/6/1N4/6/K1R3 w", "b3a5", "Nb3a5"),
        ("k5/2p3/6/1N4/6/K5 w", "b3c5", "Nb3xc5"),
        ("k5/1P4/6/6/6/K5 w", "b5b6", "b5b6=R"),
        ("k5/1P4/6/6/6/K5 w", "b5a6", "b5xa6=R"),
    ],
)
def test_labels_name_the_piece_and_what_it_does(game, fen, text, label):
    state = game.parse_state(fen)
    move = game.parse_move(state, text)
    assert game.move_label(state, move) == label
    assert game.parse_move(state, label) == move
