"""Schedules: everybody meets whom they should, as often and with the colours they should."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from evoboard.arena import schedules
from evoboard.arena.schedules import (
    circular,
    double_round_robin,
    even_openings,
    opening_lines,
    paired_games,
    paired_openings,
    positions_met,
    random_opponents,
    single_round_robin,
    start_positions,
)
from evoboard.core.errors import OptionError
from evoboard.games.base import load_game

SIZES = [2, 3, 4, 5, 7, 10, 15, 50, 101]


def rows(pairings):
    assert pairings.dtype == np.int64
    assert pairings.ndim == 2
    assert pairings.shape[1] == 2
    return [(int(first), int(second)) for first, second in pairings]


def unordered(games):
    return Counter(frozenset(game) for game in games)


@pytest.mark.parametrize("players", SIZES)
def test_a_double_round_robin_has_every_ordered_pair_exactly_once(players):
    expected = [(i, j) for i in range(players) for j in range(players) if i != j]
    assert sorted(rows(double_round_robin(players))) == expected


@pytest.mark.parametrize("players", SIZES)
def test_a_single_round_robin_has_every_pair_once_and_balanced_colours(players):
    games = rows(single_round_robin(players))
    assert len(games) == players * (players - 1) // 2
    assert set(unordered(games)) == {frozenset((i, j)) for i in range(players) for j in range(i)}
    first, second = Counter(a for a, _ in games), Counter(b for _, b in games)
    assert max(abs(first[i] - second[i]) for i in range(players)) <= 1


@pytest.mark.parametrize("players", SIZES)
def test_no_two_meet_twice_in_a_circular_schedule_and_each_is_first_and_second_k_times(players):
    for opponents in range(1, (players - 1) // 2 + 1):
        games = rows(circular(players, opponents, 7, opponents))
        assert max(unordered(games).values()) == 1
        for side in (0, 1):
            assert Counter(game[side] for game in games) == dict.fromkeys(range(players), opponents)


@pytest.mark.parametrize("players", [2, 4, 10, 100])
def test_a_circular_schedule_of_all_distances_of_an_even_number_is_a_round_robin(players):
    games = rows(circular(players, players // 2, 3))
    assert len(games) == len(unordered(games)) == players * (players - 1) // 2


def test_a_circular_schedule_is_made_of_whole_turns_of_the_circle():
    games = circular(11, 4, 5, "generation", 2).reshape(4, 11, 2)
    distances = (games[:, :, 1] - games[:, :, 0]) % 11
    assert (distances == distances[:, :1]).all()
    assert len({min(int(d), 11 - int(d)) for d in distances[:, 0]}) == 4


def test_every_distance_in_both_directions_is_drawn_equally_often():
    first = Counter(int(np.diff(circular(9, 1, 1, run)[0])[0]) % 9 for run in range(4000))
    assert set(first) == set(range(1, 9))
    # 500 expected, standard deviation 21.
    assert all(abs(count - 500) < 90 for count in first.values())


@pytest.mark.parametrize("players,opponents", [(2, 1), (5, 4), (15, 5), (40, 3)])
def test_random_opponents_are_k_different_others_for_each_first_player(players, opponents):
    games = rows(random_opponents(players, opponents, 11))
    assert len(set(games)) == len(games)
    assert all(first != second for first, second in games)
    assert Counter(first for first, _ in games) == dict.fromkeys(range(players), opponents)


def test_random_opponents_are_drawn_evenly():
    met = Counter()
    for run in range(2000):
        met.update(rows(random_opponents(6, 2, 1, run)))
    # 30 ordered pairs, 800 expected of each, standard deviation 22.
    assert len(met) == 30
    assert all(abs(count - 800) < 100 for count in met.values())


def test_fifty_opponents_are_25_distances():
    met = circular(100, 25, 1)
    for player in range(100):
        others = {*met[met[:, 0] == player, 1], *met[met[:, 1] == player, 0]}
        assert len(others) == 50


def test_pairs_share_openings_or_have_their_own():
    game, pairs = load_game("nim:heaps=200,random=true"), np.array([[0, 1], [0, 2], [0, 3]])
    shared, own = (paired_games(game, pairs, 4, 1, 0, own=own) for own in (False, True))
    for schedule, count in ((shared, 2), (own, 6)):
        assert len(schedule.openings) == count
        assert schedule.pairings.tolist() == shared.pairings.tolist()
        # With both colours from each.
        assert (schedule.opening_of[::2] == schedule.opening_of[1::2]).all()
    assert shared.opening_of[::2].tolist() == [0, 1] * 3
    assert own.opening_of[::2].tolist() == list(range(6))
    assert len({tuple(state) for state in own.openings.tolist()}) == 6


def test_paired_openings_are_played_with_both_colours_by_the_same_two():
    pairs = [(0, 1), (2, 0), (1, 2)]
    schedule = paired_games(load_game("kingcapture"), np.array(pairs), 6, 1)
    games, openings = rows(schedule.pairings), [int(o) for o in schedule.opening_of]
    positions = start_positions(load_game("kingcapture"), 3, 1, None)
    np.testing.assert_array_equal(schedule.openings, positions)
    seen = Counter(zip(games, openings, strict=True))
    both = pairs + [pair[::-1] for pair in pairs]
    assert seen == dict.fromkeys([(pair, o) for pair in both for o in range(3)], 1)
    for i in range(0, len(games), 2):
        assert games[i] == games[i + 1][::-1]
        assert openings[i] == openings[i + 1]


def test_shorter_openings_are_of_every_length_and_say_their_last_move():
    game = load_game("nim:heaps=9/9/9")
    lines = opening_lines(game, 300, 1, 3, shorter=True)
    turns = Counter()
    for end, before, move in zip(*lines, strict=True):
        if move < 0:
            np.testing.assert_array_equal(end, game.initial())
            np.testing.assert_array_equal(before, end)
        else:
            np.testing.assert_array_equal(end, game.apply(before, int(move)))
        turns["none" if move < 0 else int(end[-1])] += 1
    # One of four has no ply, one two of them (the first side to move), two of four one or three.
    assert 45 < turns["none"] < 105
    assert 45 < turns[0] < 105
    whole = opening_lines(game, 20, 1, 3, shorter=False)
    assert (whole.moves >= 0).all()
    assert {int(end[-1]) for end in whole.ends} == {1}


def test_even_openings_begin_in_every_position_alike_and_try_moves():
    game = load_game("nim:heaps=2/3,random=true")
    positions = positions_met(game, 400, 1, 5)
    # 0 to 2 and 0 to 3 matches, not both 0, either side to move; the second never has both full.
    heaps = {(*state[:2],) for state in positions.tolist()}
    assert heaps == {(a, b) for a in range(3) for b in range(4)} - {(0, 0)}
    assert len(positions) == 21
    drawn = even_openings(game, 8400, 1, positions, 0.75)
    begun = Counter(map(tuple, drawn.before.tolist()))
    assert len(begun) == 21
    assert all(320 < count < 480 for count in begun.values())
    tried = Counter()
    for end, before, move in zip(*drawn, strict=True):
        heaps = tuple(before[:2].tolist())
        if move < 0:
            np.testing.assert_array_equal(end, before)
        else:
            np.testing.assert_array_equal(end, game.apply(before, int(move)))
            assert game.legal_moves(end)
        tried[heaps, int(move)] += 1
    # A move that ends the game is no opening: of two matches, one is taken, and of one none.
    assert {move for heaps, move in tried if heaps == (2, 0)} == {-1, 1}
    assert {move for heaps, move in tried if heaps == (1, 0)} == {-1}
    # (2, 3) only begins a game: a fourth of about 400 openings tries nothing there.
    assert 60 < tried[(2, 3), -1] < 140
    again = even_openings(game, 8400, 1, positions, 0.75)
    assert all(np.array_equal(one, other) for one, other in zip(drawn, again, strict=True))
    assert not (even_openings(game, 50, 1, positions, 0.0).moves >= 0).any()


def test_the_address_alone_decides_what_is_drawn():
    for draw in (circular, random_opponents):
        same = draw(20, 5, 1, "train", 3)
        draw(20, 5, 2)
        np.testing.assert_array_equal(same, draw(20, 5, 1, "train", 3))
        others = [draw(20, 5, 2, "train", 3), draw(20, 5, 1, "train", 4), draw(20, 5, 1)]
        assert not any(np.array_equal(same, other) for other in others)


@pytest.mark.parametrize("players", [1, 0, -3])
@pytest.mark.parametrize("name", ["double_round_robin", "single_round_robin"])
def test_a_population_of_one_is_an_error_that_says_so(name, players):
    with pytest.raises(OptionError, match=rf"number of players is {players}; .* at least 2"):
        getattr(schedules, name)(players)


@pytest.mark.parametrize("name", ["circular", "random_opponents"])
def test_a_population_of_one_has_no_opponents(name):
    with pytest.raises(OptionError, match="number of players is 1"):
        getattr(schedules, name)(1, 1, 5)


@pytest.mark.parametrize(
    "call,text",
    [
        (lambda: circular(10, 6, 1), "circular schedule is 6; with 10 players it must be 1 to 5"),
        (lambda: circular(10, 0, 1), "must be 1 to 5"),
        (lambda: random_opponents(10, 10, 1), "with 10 players it must be 1 to 9"),
        (lambda: random_opponents(10, 0, 1), "must be 1 to 9"),
        (
            lambda: paired_games(load_game("nim"), [(0, 1)], 5, 1),
            "number of games is 5; it must be even",
        ),
        (lambda: paired_games(load_game("nim"), [(0, 1)], 0, 1), "at least 2"),
        (lambda: paired_openings([(0, 1), (1, 0)], np.zeros((1, 3))), "listed twice"),
    ],
)
def test_what_cannot_be_scheduled_is_named(call, text):
    with pytest.raises(OptionError, match=text):
        call()
