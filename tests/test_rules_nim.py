"""Nim against slow rules, in every position of several sets of heaps; its starts and texts."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from evoboard.core.errors import (
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
    OptionError,
)
from evoboard.games.base import load_game
from evoboard.games.rules import ONGOING, WIN
from naive import NaiveNim, wins


@pytest.fixture(scope="module")
def game():
    return load_game("nim")


def moves_of(game, state):
    return {game.move_text(state, move): move for move in game.legal_moves(state)}


@pytest.mark.parametrize("bounds", [(3, 5, 7), (1,), (255,), (8, 8, 8, 8), (2,) * 6], ids=str)
def test_every_position_is_that_of_the_slow_rules(bounds):
    game = load_game("nim", heaps=bounds)
    for heaps in product(*(range(bound + 1) for bound in bounds)):
        for side in (0, 1):
            naive = NaiveNim(heaps, side)
            state = game.parse_state(naive.text())
            moves = moves_of(game, state)
            assert game.state_text(state) == naive.text()
            assert set(moves) == naive.moves()
            # Who took the last match has lost, so the side to move has won.
            assert game.outcome(state) == (ONGOING if naive.winner() is None else WIN)
            for text in list(moves)[:: max(1, len(moves) // 4)]:
                after = game.state_text(game.apply(state, moves[text]))
                assert after == naive.play(text).text()


def test_the_winner_of_every_small_position_is_the_known_one(game):
    def solve(state):
        if game.outcome(state) != ONGOING:
            return game.outcome(state) == WIN
        return any(not solve(game.apply(state, move)) for move in game.legal_moves(state))

    for heaps in product(range(2), range(3), range(4)):
        state = game.parse_state(f"{','.join(map(str, heaps))} 0")
        assert solve(state) == wins(heaps), heaps


# --- starts and options -------------------------------------------------------------------------


def starts(game, seeds=300):
    return [tuple(game.initial(seed)[:-1].tolist()) for seed in range(1, seeds + 1)]


def test_heaps_start_at_their_sizes():
    game = load_game("nim", heaps=(4, 1, 9))
    assert set(starts(game)) == {(4, 1, 9)}
    assert game.side(game.initial()) == 0


def test_random_heaps_are_drawn_from_one_to_their_bounds():
    game = load_game("nim", heaps=(2, 5, 7), random=True)
    drawn = starts(game)
    for heap, bound in enumerate((2, 5, 7)):
        seen = Counter(start[heap] for start in drawn)
        assert set(seen) == set(range(1, bound + 1))
        assert min(seen.values()) > len(drawn) / bound / 2
    assert drawn == starts(game)
    assert len(set(drawn)) > 60


@pytest.mark.parametrize("drawn", [False, True])
def test_simple_nim_leaves_one_random_heap(drawn):
    game = load_game("nim", heaps=(8, 8), random=drawn, simple=True)
    seen = Counter(starts(game))
    assert all(sorted(map(bool, start)) == [False, True] for start in seen)
    assert {max(start) for start in seen} == (set(range(1, 9)) if drawn else {8})
    assert 100 < sum(count for start, count in seen.items() if start[0]) < 200


@pytest.mark.parametrize(
    "options, offender",
    [
        ({"heaps": ()}, "has 0 entries"),
        ({"heaps": (1,) * 17}, "has 17 entries"),
        ({"heaps": (3, 0)}, "0"),
        ({"heaps": (256,)}, "256"),
        ({"heaps": (-1,)}, "-1"),
        ({"heaps": "3,5"}, "'3,5'"),
        ({"random": "perhaps"}, "'perhaps'"),
        ({"heap": (3,)}, "'heap'"),
    ],
)
def test_a_wrong_option_is_refused_with_the_offender(options, offender):
    with pytest.raises(OptionError) as error:
        load_game("nim", **options)
    assert offender in str(error.value)


def test_options_may_be_written_in_the_name():
    game = load_game("nim:heaps=2/3,random=yes,simple=off")
    assert game.options == {"heaps": (2, 3), "random": True, "simple": False}


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0:4", "3:1", "2:0", "9:9"])
def test_an_illegal_move_is_named_with_its_position(game, text):
    with pytest.raises(IllegalMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert "3,5,7 0" in str(error.value)


@pytest.mark.parametrize("text", ["", "3", "1:", ":1", "1-1", "1:1:1", "one"])
def test_a_malformed_move_is_named_with_its_position(game, text):
    with pytest.raises(MalformedMove) as error:
        game.parse_move(game.initial(), text)
    assert repr(text) in str(error.value)
    assert "3,5,7 0" in str(error.value)


def test_no_move_follows_the_last_match(game):
    state = game.parse_state("0,0,0 1")
    assert game.reason(state) == "First took the last match"
    with pytest.raises(IllegalMove, match="ended"):
        game.parse_move(state, "0:1")


@pytest.mark.parametrize(
    "text, error, offender",
    [
        ("", MalformedState, "3,5,7 0"),
        ("3,5,7", MalformedState, "3,5,7 0"),
        ("3,5 0", MalformedState, "2 heaps"),
        ("3,5,7,9 0", MalformedState, "4 heaps"),
        ("3,5,7 2", MalformedState, "'2'"),
        ("3,x,7 0", MalformedState, "'x' for heap 1"),
        ("3,-1,7 0", MalformedState, "'-1' for heap 1"),
        ("3,,7 0", MalformedState, "'' for heap 1"),
        ("3,6,7 0", ImpossibleState, "heap 1 has 6"),
        ("3,5,99999 1", ImpossibleState, "heap 2 has 99999"),
    ],
)
def test_a_wrong_position_is_refused_with_the_offender(game, text, error, offender):
    with pytest.raises(error) as raised:
        game.parse_state(text)
    assert offender in str(raised.value)
    assert repr(text) in str(raised.value)
