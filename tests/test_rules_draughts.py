"""English draughts against OpenSpiel and pydraughts; then its notations and what they refuse."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from evoboard.core.errors import (
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
    NotationError,
    OptionError,
)
from evoboard.games.base import load_game
from evoboard.games.rules import DRAW, LOSS, WIN
from refusals import refuses

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


@pytest.fixture(scope="module")
def game():
    return load_game("draughts")


@pytest.fixture(scope="module")
def oracle():
    for package in ("draughts", "pyspiel"):
        pytest.importorskip(package, reason=f"{package}, an oracle, is not installed")
    from oracles import draughts_oracle

    return draughts_oracle


def fen_of(game, state):
    """Return the position without the count of quiet plies, which the oracles do not keep."""
    return game.state_text(state).partition(":H")[0]


def moves_of(game, state):
    return {game.move_text(state, move): move for move in game.legal_moves(state)}


# --- against others -----------------------------------------------------------------------------


def test_random_games_are_openspiels_games(game, oracle):
    rng, positions, ends = random.Random(1), 0, Counter()
    while positions < 10_000:
        state, theirs = game.initial(), oracle.OpenSpielGame()
        while True:
            assert fen_of(game, state) == theirs.fen()
            if theirs.drawn():
                break
            moves = moves_of(game, state)
            assert set(moves) == theirs.legal(), theirs.fen()
            positions += 1
            if not moves:
                assert game.outcome(state) == LOSS
                ends[game.reason(state)] += 1
                break
            text = rng.choice(sorted(moves))
            state = game.apply(state, moves[text])
            theirs.play(text)
    assert min(ends["blocked"], ends["no pieces"]) >= 5, ends


# What a piece that lands on every other row can jump over, row by row.
JUMPED = [(6, 7, 8, 14, 15, 16, 22, 23, 24), (9, 10, 11, 17, 18, 19, 25, 26, 27)]


def random_fen(rng):
    """Return a position with any number of men and kings, every other one made for long jumps."""
    squares = list(range(1, 33))
    rng.shuffle(squares)
    counts = [rng.choice([1, 2, 4, 7, 12]), rng.choice([1, 2, 4, 7, 12])]
    if rng.random() < 0.5:
        victims = rng.sample(rng.choice(JUMPED), rng.randrange(3, 8))
        squares = [s for s in squares if s not in victims] + victims
        counts = [len(victims), rng.randrange(1, 4)]
    fields = {}
    for side, count in zip(rng.choice(["WB", "BW"]), counts, strict=True):
        chosen, crowned = sorted(squares.pop() for _ in range(count)), rng.random()
        row = range(1, 5) if side == "W" else range(29, 33)
        kings = {s for s in chosen if s in row or rng.random() < crowned}
        fields[side] = ",".join(f"K{s}" if s in kings else str(s) for s in chosen)
    return f"{rng.choice('BW')}:W{fields['W']}:B{fields['B']}"


def kinds_of(text):
    """Return what the move has that most have not."""
    visited = text.replace("-", "x").split("x")
    kind = {2: "plain", 3: "double", 4: "triple"}.get(len(visited), "longer")
    return [kind, "circle"] if visited[0] == visited[-1] else [kind]


def test_moves_in_constructed_positions_are_those_of_pydraughts(game, oracle, cases):
    rng, seen, positions, wanted = random.Random(2), Counter(), 0, cases(600, 10_000)
    while positions < wanted:
        state = game.parse_state(random_fen(rng))
        for _ in range(4):
            fen, moves = fen_of(game, state), moves_of(game, state)
            if game.reason(state) == "no pieces":
                break
            assert set(moves) == oracle.legal(fen), fen
            positions += 1
            if not moves:
                break
            seen.update(kind for text in moves for kind in kinds_of(text))
            text = rng.choice(sorted(moves))
            state = game.apply(state, moves[text])
            if positions % 4 == 0:
                assert fen_of(game, state) == oracle.after(fen, text), (fen, text)
    assert min(seen[kind] for kind in ("double", "triple", "longer", "circle")) >= wanted / 300, (
        seen
    )


# --- rules by hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fen, moves",
    [
        # A man jumps forward only, a king both ways.
        ("B:W10,11:B15", {"15-18", "15-19"}),
        ("B:W10,11:BK15", {"15x6", "15x8"}),
        # Capture is compulsory, also for another piece; which capture is free.
        ("B:W18,32:B1,15", {"15x22"}),
        ("B:W18,19,26:B15", {"15x22x31", "15x24"}),
        # A man crowned by a jump stops, though a king could go on.
        ("B:W26,27:B22", {"22x31"}),
        # A king may come back to where it began, in either sense.
        ("B:W18,19,26,27:BK15", {"15x24x31x22x15", "15x22x31x24x15"}),
    ],
)
def test_jumps_are_whole_paths(game, fen, moves):
    assert set(moves_of(game, game.parse_state(fen))) == moves


@pytest.mark.parametrize(
    "fen, move, after",
    [
        ("B:W18,26:B15", "15x22x31", "W:W:BK31"),
        ("B:W10:B28", "28-32", "W:W10:BK32:H1"),
        ("W:W6:B9,K20:H7", "6-1", "B:WK1:B9,K20:H8"),
        ("W:WK14:B9,K10", "14x5", "B:WK5:BK10"),
        ("W:WK14:B9,K10:H79", "14x7", "B:WK7:B9"),
        ("B:W18,19,26,27:BK15", "15x24x31x22x15", "W:W:BK15"),
    ],
)
def test_pieces_are_taken_and_crowned(game, fen, move, after):
    state = game.parse_state(fen)
    assert game.state_text(game.apply(state, game.parse_move(state, move))) == after


@pytest.mark.parametrize("option, outcome", [("loss", LOSS), ("draw", DRAW)])
def test_a_blocked_side_gets_what_the_option_says(option, outcome):
    game = load_game("draughts", blocked=option)
    state = game.parse_state("W:W13:B5,9,6")
    assert game.legal_moves(state) == []
    assert (game.outcome(state), game.reason(state)) == (outcome, "blocked")


@pytest.mark.parametrize("option", ["loss", "draw"])
@pytest.mark.parametrize("fen, outcome", [("B:W5:B", LOSS), ("W:W5:B", WIN), ("W:W:BK5", LOSS)])
def test_a_side_without_pieces_has_lost_whatever_the_option_says(option, fen, outcome):
    game = load_game("draughts", blocked=option)
    state = game.parse_state(fen)
    assert (game.outcome(state), game.reason(state)) == (outcome, "no pieces")
    assert game.legal_moves(state) == []


def test_the_option_refuses_what_it_does_not_know():
    with pytest.raises(OptionError, match=r"blocked.*'win'"):
        load_game("draughts", blocked="win")


# --- moves as text ------------------------------------------------------------------------------

TWO_WAYS = "B:W6,7,14,15:BK2"


@pytest.mark.parametrize(
    "fen, texts, move",
    [
        (START, ["11-15", " 11-15 ", "11x15", "11:15"], "11-15"),
        ("B:W18,26:B15", ["15x22x31", "15x31", "15-31", "15X22X31", "15:31", "15×31"], "15x22x31"),
        ("B:W6,14,22,23:BK1", ["1x10x17x26x19", "1x17x19", "1x19", "1x26x19"], "1x10x17x26x19"),
        (TWO_WAYS, ["2x9x18x11x2", "2x9x18x2", "2x9x11x2"], "2x9x18x11x2"),
    ],
)
def test_a_jump_may_be_written_short(game, fen, texts, move):
    state = game.parse_state(fen)
    for text in texts:
        assert game.move_text(state, game.parse_move(state, text)) == move, text


@pytest.mark.parametrize("text", ["2x2", "2x18x2", "2x9x2"])
def test_an_ambiguous_short_form_is_refused_and_its_readings_named(game, text):
    with pytest.raises(NotationError, match="can mean") as error:
        game.parse_move(game.parse_state(TWO_WAYS), text)
    for part in (text, TWO_WAYS, "2x9x18x11x2", "2x11x18x9x2"):
        assert part in str(error.value)


@pytest.mark.parametrize(
    "fen, text, why",
    [
        (START, "11-14", "piece on 11"),
        (START, "12-12", "piece on 12"),
        (START, "1-5", "no move"),
        (START, "13-17", "no piece on 13"),
        (START, "22-18", "no piece on 22"),
        ("B:W18:B1,15", "1-5", "compulsory"),
        ("B:W18,26:B15", "15x22", "goes on"),
        ("B:W26,27:B22", "22x31x24", "compulsory"),
        ("W:W5:B", "5-1", "has ended"),
    ],
)
def test_an_illegal_move_is_named_with_its_position_and_the_reason(game, fen, text, why):
    with pytest.raises(IllegalMove, match=why) as error:
        game.parse_move(game.parse_state(fen), text)
    assert text in str(error.value)
    assert fen in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "11", "e2e4", "11-", "11-15-", "11--15", "33-29", "0-4", "²-5"]
)
def test_a_malformed_move_is_quoted(game, text):
    with pytest.raises(MalformedMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)


# --- positions as text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, fen",
    [
        (START, START),
        ("B:W21-32:B1-12", START),
        (f" {START}.\n", START),
        ("B:B1-12:W21-32:H0:F1", START),
        ("w:wk1,k2:b k3 , 4", "W:WK1,K2:BK3,4"),
        ("W:WK1-3:B5:H12", "W:WK1,K2,K3:B5:H12"),
    ],
)
def test_a_position_may_be_written_in_many_ways(game, text, fen):
    assert game.state_text(game.parse_state(text)) == fen


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("", "''"),
        ("X:W1:B2", "'X'"),
        ("B", "no list"),
        ("B:W5", "Black has no list"),
        ("B:B5", "White has no list"),
        ("B:W5:B6:W7", "field W occurs twice"),
        ("B:W5:B6:Z7", "'Z7'"),
        ("B:Wx:B6", "'X'"),
        ("B:W5,,7:B6", "''"),
        ("B:WKK5:B6", "'KK5'"),
        ("B:W9-7:B6", "9-7"),
        ("B:W5:B6:Hx", "'HX'"),
        ("B:W5:B6:H-1", "'H-1'"),
    ],
)
def test_a_malformed_position_is_refused_with_what_is_wrong(game, fen, offender):
    refuses(game, fen, MalformedState, offender)


@pytest.mark.parametrize(
    "fen, offender",
    [
        ("B:W:B", "neither side"),
        ("B:W33:B1", "White has a piece on 33"),
        ("B:W32:B0", "Black has a piece on 0"),
        ("B:W20-32:B1", "White has 13 pieces"),
        ("B:W32:BK1-13", "Black has 13 pieces"),
        ("B:W5:B5", "stand on 5"),
        ("B:W5,K5:B6", "stand on 5"),
        ("B:W4:B6", "White's man on 4"),
        ("B:W5:B6,29", "Black's man on 29"),
    ],
)
def test_an_impossible_position_is_refused_with_the_offender(game, fen, offender):
    refuses(game, fen, ImpossibleState, offender)
