"""Hexwar against slow rules, in both layouts; then its options and what its texts refuse."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from evoboard.core.errors import (
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
    OptionError,
)
from evoboard.games.base import load_game
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN
from naive import NaiveHexwar
from refusals import refuses

START = "0,0,0,0,1/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 b"
EMPTY_ROWS = "/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0"


@pytest.fixture(scope="module", params=["offset", "rhombus"])
def layout(request):
    return request.param


@pytest.fixture(scope="module")
def game():
    return load_game("hexwar")


def moves_of(game, state):
    return {game.move_text(state, move): move for move in game.legal_moves(state)}


# --- against the slow rules ---------------------------------------------------------------------


def random_position(rng, layout):
    """Return a position with few tiles held or many, often at the limit, sometimes of one side."""
    held, signs = rng.random(), rng.choice([(1, -1), (1, -1), (1, -1), (1,), (-1,)])
    sizes = rng.choice([(1,), (1, 2), (9, 10), range(1, 11)])
    counts = {
        (x, y): rng.choice(signs) * rng.choice(sizes) if rng.random() < held else 0
        for x in range(5)
        for y in range(5)
    }
    return NaiveHexwar(counts, rng.choice("br"), layout)


def outcome_by(naive):
    """Return the outcome for the side to move by the slow rules."""
    result = naive.result()
    if result is None:
        return ONGOING
    return DRAW if result == "draw" else WIN if result[0] == naive.side else LOSS


def play_along(game, naive, rng, plies):
    """Compare every position of a random game; yield the outcome of each."""
    state = game.parse_state(naive.text())
    for _ in range(plies):
        moves = moves_of(game, state)
        assert game.state_text(state) == naive.text()
        assert set(moves) == naive.moves(), naive
        assert game.outcome(state) == outcome_by(naive), naive
        yield game.outcome(state)
        if not moves:
            return
        text = rng.choice(sorted(moves))
        state, naive = game.apply(state, moves[text]), naive.play(text)


@pytest.mark.parametrize("pieces", [1, 2, 10])
def test_random_games_are_those_of_the_slow_rules(layout, pieces, cases):
    game = load_game("hexwar", layout=layout, start_pieces=pieces)
    start = NaiveHexwar.start(pieces, layout)
    assert game.state_text(game.initial()) == start.text()
    rng, seen, wanted = random.Random(pieces), Counter(), cases(600, 2_500)
    while seen.total() < wanted:
        seen.update(play_along(game, start, rng, 150))


def test_constructed_positions_are_those_of_the_slow_rules(layout, cases):
    game, rng, seen = load_game("hexwar", layout=layout), random.Random(layout), Counter()
    wanted = cases(1_000, 3_500)
    while seen.total() < wanted:
        seen.update(play_along(game, random_position(rng, layout), rng, 8))
    assert min(seen[outcome] for outcome in (WIN, LOSS, DRAW)) >= wanted // 350, seen


# --- rules by hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout, tile, neighbours",
    [
        ("offset", "2,2", {"1,2", "3,2", "2,1", "2,3", "1,1", "1,3"}),
        ("offset", "2,1", {"1,1", "3,1", "2,0", "2,2", "3,0", "3,2"}),
        ("offset", "4,0", {"3,0", "4,1", "3,1"}),
        ("offset", "0,4", {"1,4", "0,3"}),
        ("rhombus", "2,2", {"1,2", "3,2", "2,1", "2,3", "1,3", "3,1"}),
        ("rhombus", "2,1", {"1,1", "3,1", "2,0", "2,2", "1,2", "3,0"}),
        ("rhombus", "4,0", {"3,0", "4,1", "3,1"}),
        ("rhombus", "0,4", {"1,4", "0,3", "1,3"}),
    ],
)
def test_the_layout_says_which_tiles_touch(layout, tile, neighbours):
    game = load_game("hexwar", layout=layout)
    x, y = map(int, tile.split(","))
    rows = [["0"] * 5 for _ in range(5)]
    rows[y][x], rows[2 if y != 2 else 4][0] = "1", "-1"
    state = game.parse_state("/".join(map(",".join, rows)) + " b")
    transfers = {move.partition("-")[2].removesuffix(":1") for move in moves_of(game, state)}
    assert transfers - {""} == neighbours


@pytest.mark.parametrize(
    "before, move, after",
    [
        ("3,0,0,0,0 b", "0,0+", "4,0,0,0,0 r"),
        ("3,0,0,0,0 b", "0,0-1,0:2", "1,2,0,0,0 r"),
        ("3,4,0,0,0 b", "0,0-1,0:3", "0,7,0,0,0 r"),
        ("3,-1,0,0,0 b", "0,0-1,0:3", "0,2,0,0,0 r"),
        ("3,-3,0,0,0 b", "0,0-1,0:3", "0,0,0,0,0 r"),
        ("3,-9,0,0,0 b", "0,0-1,0:3", "0,-6,0,0,0 r"),
        ("-3,1,0,0,0 r", "0,0-1,0:2", "-1,-1,0,0,0 b"),
        ("-3,0,0,0,0 r", "0,0+", "-4,0,0,0,0 b"),
    ],
)
def test_pieces_move_multiply_and_cancel(game, before, move, after):
    def position(text):
        row, side = text.split()
        return f"{row}{EMPTY_ROWS}/1,0,0,0,-1 {side}"

    state = game.parse_state(position(before))
    assert game.state_text(game.apply(state, game.parse_move(state, move))) == position(after)


def test_a_tile_holds_ten_pieces_at_most(game):
    state = game.parse_state(f"10,8,0,0,0{EMPTY_ROWS}/0,0,0,0,-1 b")
    moves = set(moves_of(game, state))
    assert "0,0+" not in moves
    assert "1,0+" in moves
    assert {m for m in moves if m.startswith("0,0-1,0")} == {"0,0-1,0:1", "0,0-1,0:2"}
    assert {m for m in moves if m.startswith("1,0-0,0")} == set()
    assert "0,0-0,1:10" in moves


@pytest.mark.parametrize(
    "row, side, outcome, reason",
    [
        ("1,0,0,0,0", "b", WIN, "no pieces left"),
        ("1,0,0,0,0", "r", LOSS, "no pieces left"),
        ("-1,0,0,0,0", "b", LOSS, "no pieces left"),
        ("0,0,0,0,0", "b", DRAW, "both without pieces"),
        ("0,0,0,0,0", "r", DRAW, "both without pieces"),
    ],
)
def test_a_side_without_pieces_loses_and_two_draw(game, row, side, outcome, reason):
    state = game.parse_state(f"{row}{EMPTY_ROWS}/0,0,0,0,0 {side}")
    assert (game.outcome(state), game.reason(state)) == (outcome, reason)
    assert game.legal_moves(state) == []


def test_only_the_rhombus_is_the_same_for_both_sides(layout):
    game = load_game("hexwar", layout=layout, start_pieces=3)
    blue = game.initial()
    red = game.parse_state(game.state_text(blue)[:-1] + "r")
    same = len(game.legal_moves(blue)) == len(game.legal_moves(red))
    assert same == (layout == "rhombus")


# --- options and texts --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, offender",
    [
        ({"layout": "square"}, "'square'"),
        ({"start_pieces": 0}, "start_pieces of hexwar is 0"),
        ({"start_pieces": 11}, "start_pieces of hexwar is 11"),
        ({"start_pieces": "many"}, "'many'"),
        ({"pieces": 3}, "'pieces'"),
    ],
)
def test_a_wrong_option_is_refused_with_the_offender(options, offender):
    with pytest.raises(OptionError) as error:
        load_game("hexwar", **options)
    assert offender in str(error.value)


@pytest.mark.parametrize("text", ["4,0-0,4:1", "4,0-3,0:2", "0,4+", "3,3+", "9,9+"])
def test_an_illegal_move_is_named_with_its_position(game, text):
    with pytest.raises(IllegalMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert START in str(error.value)


@pytest.mark.parametrize("text", ["", "4,0", "4,0-3,0", "4,0-3,0:", "40+", "e4", "4,0-3,0:1:1"])
def test_a_malformed_move_is_named_with_its_position(game, text):
    with pytest.raises(MalformedMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert START in str(error.value)


@pytest.mark.parametrize(
    "text, offender",
    [
        ("", "five rows"),
        (START[:-2], "the side"),
        (START[:-1] + "x", "'x'"),
        (START.replace("/0,0,0,0,0", "", 1), "4 rows"),
        (START.replace("0,0,0,0,1", "0,0,0,1"), "row 0 has 4"),
        (START.replace("0,0,0,0,1", "0,0,0,0,x"), "'x' on tile 4,0"),
        (START.replace("0,0,0,0,1", "0,0,0,0,²"), "'²' on tile 4,0"),
        (START.replace("0,0,0,0,1", "0,0,,0,1"), "'' on tile 2,0"),
    ],
)
def test_a_malformed_position_is_refused_with_what_is_wrong(game, text, offender):
    refuses(game, text, MalformedState, offender)


@pytest.mark.parametrize("count", ["11", "-11", "999999"])
def test_too_many_pieces_on_a_tile_are_impossible(game, count):
    with pytest.raises(ImpossibleState) as error:
        game.parse_state(START.replace("-1", count))
    assert f"tile 0,4 holds {count}" in str(error.value)
