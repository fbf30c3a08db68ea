"""A match that ends when it is decided: against likelihoods by brute force, and by simulation."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import evoboard as eb
from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.elo import Tally, expected_score
from evoboard.arena.sprt import BLOCK, BOUND, ERROR, Sprt
from evoboard.core.errors import OptionError
from evoboard.games.base import load_game
from test_cli_training import fail, run
from test_ratings import SHAPES, profile, with_prior

DRAWISH = np.array([0.1, 0.2, 0.4, 0.2, 0.1])


@pytest.mark.parametrize("tally", SHAPES, ids=str)
@pytest.mark.parametrize("elo0, elo1", [(0, 10), (-5, 5), (-200, 50)])
def test_the_ratio_is_that_of_the_greatest_likelihoods(tally, elo0, elo1):
    zero, one = (profile(with_prior(tally), expected_score(elo)) for elo in (elo0, elo1))
    assert Sprt(elo0, elo1).ratio(tally) == pytest.approx(one - zero, abs=1e-6)


def test_nothing_played_decides_nothing_and_swapped_players_swap_the_answer():
    test = Sprt(-8, 8)
    assert test.ratio(Tally()) == 0
    assert test.accepted(Tally()) is None
    good, bad = Tally((2, 10, 60, 80, 30)), Tally((30, 80, 60, 10, 2))
    assert test.ratio(good) == pytest.approx(-test.ratio(bad))
    assert (test.accepted(good), test.accepted(bad)) == (8, -8)
    assert "+8 is accepted" in test.words(good)
    assert "not decided" in test.words(Tally((0, 0, 9, 0, 0)))


@pytest.mark.parametrize("true", [0, 40])
def test_either_answer_is_wrong_in_one_of_twenty_tests_at_most(true):
    # Pairs of games with this mean, by the tilt e^(x v) of a usual spread of their sums.
    values, aim = np.arange(5) / 4, expected_score(true)
    tilts = np.linspace(-3, 3, 60_001)
    chances = DRAWISH * np.exp(tilts[:, None] * values)
    chances /= chances.sum(axis=1, keepdims=True)
    chances = chances[np.argmin(abs(chances @ values - aim))]
    rng, test = np.random.default_rng(7), Sprt(0, 40)
    wrong, games, tests = 0, 0, 300
    for _ in range(tests):
        counts, accepted = np.zeros(5, int), None
        while accepted is None:
            counts += rng.multinomial(BLOCK // 2, chances)
            accepted = test.accepted(Tally(tuple(counts.tolist())))
        wrong += accepted != true
        games += 2 * counts.sum()
    # 5% of 300, and three standard deviations more.
    assert wrong <= tests * ERROR + 3 * math.sqrt(tests * ERROR * (1 - ERROR))
    assert games / tests < 600  # for the same certainty a fixed number needs about 700


def test_the_games_are_the_first_ones_of_the_match_and_threads_change_nothing():
    game, pair = load_game("nim"), ["perfect", "random"]
    test = Sprt(0, 60)
    ended = play_contest(game, pair, 1000, Terms(3, threads=1), sprt=test)
    assert len(ended.records) % BLOCK == 0
    assert BLOCK <= len(ended.records) < 1000
    whole = play_contest(game, pair, len(ended.records), Terms(3, threads=2))
    again = play_contest(game, pair, 1000, Terms(3, threads=2), sprt=test)
    for each in (whole, again):
        assert [r.moves for r in each.records] == [r.moves for r in ended.records]
    assert test.accepted(Tally.of_table(ended.table, 0, 1)) == 60
    assert abs(test.ratio(Tally.of_table(ended.table, 0, 1))) >= BOUND


def test_a_match_that_is_not_decided_ends_with_its_last_game():
    found = eb.match("random", "random", "nim", 10, sprt=(0, 5))
    assert sum(found.counts) == 10
    assert found.as_data()["sprt"] == pytest.approx(
        {"elo0": 0, "elo1": 5, "ratio": Sprt(0, 5).ratio(found.tally), "accepted": None}
    )
    assert "not decided" in str(found)
    assert "sprt" not in eb.match("random", "random", "nim", 10).as_data()


def test_the_command_says_what_was_decided():
    told = run("match", "perfect", "random", "-g", "nim", "--sprt", "0,60")
    assert "+60 is accepted" in told
    assert "interrupted" not in told
    found = json.loads(run("match", "perfect", "random", "-g", "nim", "--sprt", "0,60", "--json"))
    assert found["sprt"]["accepted"] == 60
    assert found["games"] == found["wins"] + found["draws"] + found["losses"] < 1000
    assert "interrupted" not in found
    told = run("match", "random", "random", "-g", "nim", "--sprt", "0,5", "--games", "4")
    assert "not decided" in told


@pytest.mark.parametrize(
    "text, told",
    [("5", "such as 0,10"), ("a,b", "such as 0,10"), ("10,0", "below"), ("nan,3", "below"),
     ("0,900", "between -800 and 800"), ("0,0", "below")],
)  # fmt: skip
def test_a_test_that_makes_no_sense_gets_a_sentence(text, told):
    assert told in fail("match", "random", "random", "-g", "nim", "--sprt", text)


def test_only_two_players_can_be_tested():
    with pytest.raises(OptionError, match="match of two"):
        play_contest(load_game("nim"), ["random", "random", "perfect"], 4, sprt=Sprt())
