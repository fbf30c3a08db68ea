"""Chess against python-chess, position by position; then its notations and what they refuse."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from evoboard.arena.match import Match
from evoboard.core.errors import (
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
    NotationError,
)
from evoboard.games.base import DrawRules, load_game
from evoboard.games.rules import DRAW, LOSS, ONGOING
from refusals import refuses

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
TWO_KNIGHTS = "4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1"


@pytest.fixture(scope="module")
def game():
    return load_game("chess")


@pytest.fixture(scope="module")
def chess():
    return pytest.importorskip("chess", reason="python-chess, the oracle, is not installed")


# --- against python-chess -----------------------------------------------------------------------


def end_of(board, draws):
    """Return why the game ends here by python-chess, in our words, or nothing."""
    if board.is_insufficient_material():
        return "insufficient material"
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_repetition(draws.repetitions):
        return "repetition"
    return "no progress" if board.halfmove_clock >= draws.quiet else ""


def result_of(board, end):
    return 0 if end != "checkmate" else -1 if board.turn else 1


def same_moves(game, state, board):
    """Return our moves by UCI once both sides agree on position and moves."""
    fen = board.fen()
    assert game.state_text(state) == fen
    moves = {game.move_text(state, move): move for move in game.legal_moves(state)}
    if not board.is_insufficient_material():
        assert set(moves) == {move.uci() for move in board.legal_moves}, fen
    return moves


def play_along(game, board, rng, draws, habit=0.0):
    """Play one random game with both; return the positions compared and why it ended.

    With the probability `habit` a piece goes back to where it came from.
    """
    match = Match(game, start=game.parse_state(board.fen()), draws=draws)
    while True:
        moves = same_moves(game, match.state, board)
        end = end_of(board, draws)
        found = (match.over, match.reason, match.result)
        assert found == (end != "", end, result_of(board, end)), board.fen()
        if end:
            return len(match.states), end
        before = board.move_stack[-2].uci() if len(match.moves) > 1 else ""
        back = before[2:4] + before[:2]
        uci = back if back in moves and rng.random() < habit else rng.choice(sorted(moves))
        board.push_uci(uci)
        match.play(moves[uci])


def test_random_games_are_the_same_games(game, chess, cases):
    rng, positions, ends = random.Random(1), 0, Counter()
    games = cases(10, 45)
    for _ in range(games):
        played, end = play_along(game, chess.Board(), rng, game.draws)
        positions += played
        ends[end] += 1
    assert positions >= 200 * games
    assert {"checkmate", "insufficient material"} <= set(ends)


# Rooks, rights and pawns abreast: positions that come back, and some that only seem to.
SHUFFLES = [
    "8/8/4k3/8/8/3K4/8/R6r w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",
    "4k3/8/b7/1p6/1P6/B7/8/4K3 w - - 0 1",
    "rn2k1nr/8/8/4p3/2p5/8/1P1P4/RN2K1NR w KQkq - 0 1",
    "7k/8/8/6Q1/8/8/8/K7 b - - 0 1",
]


@pytest.mark.parametrize("draws", [DrawRules(2, 100), DrawRules(3, 100), DrawRules(5, 20)], ids=str)
def test_repetition_and_the_fifty_moves_end_the_same_games(game, chess, draws):
    rng, ends = random.Random(2), Counter()
    for fen in SHUFFLES * 10:
        ends[play_along(game, chess.Board(fen), rng, draws, habit=0.6)[1]] += 1
    assert ends["no progress" if draws.quiet < 100 else "repetition"] >= 20, ends


THEMES = ["promotion", "castling", "en passant"]


def random_position(chess, rng, theme):
    """Return a valid position with few pieces or many, rich in what the theme names."""
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        if theme == "castling":
            set_up_castling(chess, board, rng)
        kept = set_up_en_passant(chess, board, rng) if theme == "en passant" else ()
        free = [s for s in chess.SQUARES if board.piece_at(s) is None and s not in kept]
        rng.shuffle(free)
        for colour in (True, False):
            if board.king(colour) is None:
                board.set_piece_at(free.pop(), chess.Piece(chess.KING, colour))
            for _ in range(rng.randrange(6)):
                kind = rng.choice((chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN))
                board.set_piece_at(free.pop(), chess.Piece(kind, colour))
            near = range(48, 56) if colour else range(8, 16)
            rows = near if theme == "promotion" else range(8, 56)
            for square in [s for s in free if s in rows][: rng.randrange(3)]:
                free.remove(square)
                board.set_piece_at(square, chess.Piece(chess.PAWN, colour))
        if board.is_valid():
            return board


def set_up_castling(chess, board, rng):
    """Put kings and most rooks at home, most of them with the right to castle."""
    for colour, home in ((True, 0), (False, 56)):
        board.set_piece_at(home + 4, chess.Piece(chess.KING, colour))
        for corner in (home, home + 7):
            if rng.random() < 0.8:
                board.set_piece_at(corner, chess.Piece(chess.ROOK, colour))
                if rng.random() < 0.8:
                    board.castling_rights |= chess.BB_SQUARES[corner]


def set_up_en_passant(chess, board, rng):
    """Put a pawn that has just moved two squares beside ours; return what must stay empty."""
    ours, rank, ahead = (True, 4, 8) if board.turn else (False, 3, -8)
    files = list(range(8))
    file = rng.choice(files)
    pawn = 8 * rank + file
    board.set_piece_at(pawn, chess.Piece(chess.PAWN, not ours))
    for beside in {file - 1, file + 1} & set(files):
        if rng.random() < 0.8:
            board.set_piece_at(8 * rank + beside, chess.Piece(chess.PAWN, ours))
    # On the same rank a king may be bared to a rook by two pawns that leave it at once.
    for kind, colour in ((chess.KING, ours), (chess.ROOK, not ours)):
        place = 8 * rank + rng.choice(files)
        if rng.random() < 0.6 and board.piece_at(place) is None:
            board.set_piece_at(place, chess.Piece(kind, colour))
    board.ep_square = pawn + ahead
    return pawn + ahead, pawn + 2 * ahead


def special(board, move):
    """Return what the move has that most have not."""
    kinds = [("castling", board.is_castling(move)), ("en passant", board.is_en_passant(move))]
    kinds += [("promotion", move.promotion), ("check", board.gives_check(move))]
    return [kind for kind, is_so in kinds if is_so]


@pytest.mark.parametrize("theme", THEMES)
def test_moves_in_constructed_positions_are_the_same_moves(game, chess, theme, cases):
    rng, seen, positions, wanted = random.Random(theme), Counter(), 0, cases(800, 3_500)
    while positions < wanted:
        board = random_position(chess, rng, theme)
        state = game.parse_state(board.fen(en_passant="fen"))
        for _ in range(5):
            moves = same_moves(game, state, board)
            positions += 1
            known = {move: special(board, move) for move in board.legal_moves}
            seen.update(kind for kinds in known.values() for kind in kinds)
            if not moves:
                break
            # Every other time one of the rare moves, if there is one.
            rare = [move for move, kinds in known.items() if theme in kinds]
            chosen = rng.choice(rare if rare and rng.random() < 0.5 else list(known))
            state = game.apply(state, moves[chosen.uci()])
            board.push(chosen)
    assert seen[theme] >= wanted // 9, seen
    assert seen["check"] >= wanted // 9, seen


def test_san_is_the_same_and_reads_back(game, chess, cases):
    rng, compared, seen, wanted = random.Random(4), 0, Counter(), cases(2_000, 8_000)
    while compared < wanted:
        board = random_position(chess, rng, rng.choice(THEMES))
        if board.is_insufficient_material():
            continue
        state = game.parse_state(board.fen())
        for move in board.legal_moves:
            ours, san = game.parse_move(state, move.uci()), board.san(move)
            assert game.move_label(state, ours) == san, board.fen()
            assert game.parse_move(state, san) == ours, (san, board.fen())
            seen.update(san)
            compared += 1
    assert seen["#"] >= wanted // 800, seen
    assert min(seen[letter] for letter in "x+=O") >= wanted // 80, seen


# --- ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fen, outcome, reason",
    [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", LOSS, "checkmate"),
        ("7k/8/5KQ1/8/8/8/8/8 b - - 0 1", DRAW, "stalemate"),
        ("8/8/8/4k3/8/8/4K3/8 w - - 0 1", DRAW, "insufficient material"),
        ("8/8/8/4k3/8/8/4KN2/8 w - - 0 1", DRAW, "insufficient material"),
        ("8/8/8/4k3/8/8/4KB2/8 b - - 0 1", DRAW, "insufficient material"),
        ("8/8/8/2b1k3/8/8/4KB2/8 w - - 0 1", DRAW, "insufficient material"),
    ],
)
def test_the_board_ends_the_game(game, fen, outcome, reason):
    state = game.parse_state(fen)
    assert (game.outcome(state), game.reason(state)) == (outcome, reason)
    assert game.legal_moves(state) == []


@pytest.mark.parametrize(
    "pieces", ["2n1k3", "1b2k3", "4k2p", "4k2r", "4k2q"], ids=["N-N", "B-B", "P", "R", "Q"]
)
def test_whatever_may_still_mate_is_played_on(game, pieces):
    own = {"2n1k3": "4KN2", "1b2k3": "4KB2"}.get(pieces, "4K3")
    state = game.parse_state(f"8/8/8/{pieces}/8/8/{own}/8 w - - 0 1")
    assert game.outcome(state) == ONGOING


# --- moves as text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fen, texts, uci",
    [
        (START, ["e2e4", "e4", "e2-e4", " e4 ", "e4!?", "e2e4+"], "e2e4"),
        (START, ["Nf3", "g1f3", "Ng1f3", "Ngf3", "N1f3", "Ng1-f3"], "g1f3"),
        (TWO_KNIGHTS, ["Nab3", "Nb3", "N1b3", "a1b3"], "a1b3"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", ["exd5", "e4xd5", "ed5", "e:d5", "e4d5"], "e4d5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", ["exd6", "e5d6", "e5xd6"], "e5d6"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", ["O-O", "0-0", "o-o", "e1g1", "Kg1", "O-O!"], "e1g1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", ["O-O-O", "0-0-0", "e8c8", "Kc8"], "e8c8"),
        ("8/P7/8/8/8/8/8/k1K5 w - - 0 1", ["a8=N", "a8N", "a8n", "a7a8n", "a7-a8=N"], "a7a8n"),
        ("1r5k/P7/8/8/8/8/8/2K5 w - - 0 1", ["axb8=Q+", "axb8Q", "a7b8q", "axb8=Q"], "a7b8q"),
    ],
)
def test_a_move_may_be_written_in_many_ways(game, fen, texts, uci):
    state = game.parse_state(fen)
    for text in texts:
        assert game.move_text(state, game.parse_move(state, text)) == uci, text


@pytest.mark.parametrize(
    "fen, text, choices",
    [
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", ["Nbd2", "Nfd2"]),
        ("4k3/8/8/N7/8/8/8/N3K3 w - - 0 1", "Nb3", ["N1b3", "N5b3"]),
        ("4k3/8/8/8/8/R7/8/R3K3 w - - 0 1", "Raa2", ["R1a2", "R3a2"]),
        # One needs its file, one its rank, one both.
        ("8/k7/8/8/4Q2Q/8/8/1K5Q w - - 0 1", "Qe1", ["Qee1", "Qh4e1", "Q1e1"]),
        ("8/P6k/8/8/8/8/8/2K5 w - - 0 1", "a8", ["a8=N", "a8=B", "a8=R", "a8=Q"]),
    ],
)
def test_an_ambiguous_san_is_refused_and_its_readings_named(game, fen, text, choices):
    state = game.parse_state(fen)
    with pytest.raises(NotationError, match="ambiguous") as error:
        game.parse_move(state, text)
    assert all(part in str(error.value) for part in [*choices, repr(text), fen])
    moves = {game.parse_move(state, choice) for choice in choices}
    assert len(moves) == len(choices)


@pytest.mark.parametrize(
    "fen, text",
    [
        (START, "e2e5"),
        (START, "e5"),
        (START, "Ke2"),
        (START, "Nd2"),
        (START, "O-O"),
        (START, "exd3"),
        (START, "e2e4q"),
        (START, "e7e5"),
        (START, "a1a1"),
        ("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1", "O-O"),
        ("4k3/8/8/8/5r2/8/8/4K2R w K - 0 1", "0-0"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "Bd3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "exd6"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "Kxg7"),
        ("8/8/8/4k3/8/8/4K3/8 w - - 0 1", "Kd3"),
    ],
)
def test_an_illegal_move_is_named_with_its_position(game, fen, text):
    with pytest.raises(IllegalMove) as error:
        game.parse_move(game.parse_state(fen), text)
    assert repr(text) in str(error.value)
    assert fen in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", " ", "e9", "i4", "e2e9", "xyzzy", "e2e4e5", "Pe4", "♘f3", "e7e8k", "O-O-O-O", "O-0", "--"],
)
def test_a_malformed_move_is_named_with_its_position(game, text):
    with pytest.raises(MalformedMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert START in str(error.value)


# --- positions as text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("", "0 fields"),
        ("e4", "1 field"),
        (START + " 1", "7 fields"),
        ("8/8/8/8/8/8/8 w - - 0 1", "7 rows"),
        ("9/8/8/8/8/8/8/8 w - - 0 1", "'9' describes 9 squares"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w - - 0 1", "'PPPPPPP' describes 7"),
        ("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "'x'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x - - 0 1", "'x'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KX - 0 1", "'KX'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KK - 0 1", "'KK'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "'e9'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - -1 1", "'-1'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ² 1", "'²'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", "'0'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 x", "'x'"),
    ],
)
def test_a_malformed_fen_is_refused_with_what_is_wrong(game, fen, offender):
    refuses(game, fen, MalformedState, offender)


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has 0 kings"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "White has 2 kings"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has more than 8 pawns"),
        ("rnbqkbnr/pppppppp/n7/8/8/8/8/4K3 w - - 0 1", "Black has more than 8 pawns or 16"),
        ("4k3/8/8/8/8/8/PPPPPPPP/3QKQ2 w - - 0 1", "White has more promoted pieces"),
        ("4k3/8/8/8/8/8/PPPPPPPP/2B1K1B1 w - - 0 1", "White has more promoted pieces"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on a8"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawn on a1"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "pawn on a1"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "Black is in check"),
        ("8/8/8/8/8/8/3kK3/8 w - - 0 1", "Black is in check"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right K"),
        ("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1", "castling right Q"),
        ("r4k2/8/8/8/8/8/8/4K3 w q - 0 1", "castling right q"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant square is e6"),
        ("4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1", "en passant square is e3"),
        ("4k3/4n3/8/3Pp3/8/8/8/4K3 w - e6 0 1", "en passant square is e6"),
        ("4k3/8/4n3/3Pp3/8/8/8/4K3 w - e6 0 1", "en passant square is e6"),
    ],
)
def test_an_impossible_position_is_refused_with_the_offender(game, fen, offender):
    refuses(game, fen, ImpossibleState, offender)


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/PPPPPPP1/3QKQ2 w - - 0 1",
        "4k3/8/8/8/8/8/PPPPPPPP/2B1KB2 w - - 0 1",
        "4k3/8/8/8/8/8/QQQQQQQQ/3QK3 b - - 40 90",
    ],
)
def test_promoted_pieces_may_stand_for_missing_pawns(game, fen):
    assert game.state_text(game.parse_state(fen)) == fen


def test_the_en_passant_square_is_kept_only_where_a_pawn_may_take(game):
    dropped = game.parse_state("4k3/8/8/4p3/8/8/8/4K3 w - e6 0 1")
    assert game.state_text(dropped) == "4k3/8/8/4p3/8/8/8/4K3 w - - 0 1"
    kept = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1"
    assert game.state_text(game.parse_state(kept)) == kept
    # Both pawns would leave the king's rank at once.
    pinned = game.parse_state("4k3/8/8/K2Pp2r/8/8/8/8 w - e6 0 1")
    assert game.state_text(pinned) == "4k3/8/8/K2Pp2r/8/8/8/8 w - - 0 1"


def test_the_clocks_may_be_left_out(game):
    assert game.state_text(game.parse_state(" ".join(START.split()[:4]))) == START
    assert game.state_text(game.parse_state(f"  {START}\n")) == START
