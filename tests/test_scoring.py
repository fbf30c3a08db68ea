"""Result tables and scoring: counted game by game in plain Python, and compared."""

from __future__ import annotations

import numpy as np
import pytest

from compare_runs import same_table
from evoboard.arena.scoring import ResultTable, Scoring, joined
from evoboard.core.errors import OptionError


def random_games(players, games, seed, openings=4):
    """Return plain tuples (first, second, result, code, plies, opening)."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    columns = (first, second, rng.integers(-1, 2, games), rng.integers(1, 6, games))
    rest = (rng.integers(5, 90, games), rng.integers(0, openings, games))
    return list(zip(*(map(int, column) for column in (*columns, *rest)), strict=True))


def table_of(players, games):
    return ResultTable(players, *(np.array(column) for column in zip(*games, strict=True)))


@pytest.mark.parametrize("text", ["1/½/0", "2/0/-1", "1/0/−1", " 3 / 1 / 0 ", "1/0.5/0"])
def test_points_are_those_counted_game_by_game(text):
    games = random_games(6, 500, seed=1)
    scoring = Scoring.parse(text)
    worth = {1: scoring.win, 0: scoring.draw, -1: scoring.loss}
    expected = [0.0] * 6
    for first, second, result, *_ in games:
        expected[first] += worth[result]
        expected[second] += worth[-result]
    table = table_of(6, games)
    assert table.points(scoring).tolist() == expected
    assert table.cross().points(scoring).sum(1).tolist() == expected


def test_scoring_is_written_as_it_is_read():
    assert Scoring.parse("1/½/0") == Scoring() == Scoring.parse(str(Scoring()))
    assert Scoring.parse("2/0/−1") == Scoring(2, 0, -1)
    assert str(Scoring(2, 0, -1)) == "2/0/-1"


@pytest.mark.parametrize(
    "text", ["", "1/0", "1/½/0/0", "a/b/c", "0/0/0", "0/1/2", "1/2/0", "nan/0/0", "inf/0/-inf"]
)
def test_a_scoring_that_makes_no_sense_is_refused(text):
    with pytest.raises(OptionError, match="scoring"):
        Scoring.parse(text)


def test_the_cross_table_counts_every_game_for_both():
    games = random_games(5, 400, seed=2)
    wins, draws, losses = (np.zeros((5, 5), int) for _ in range(3))
    for first, second, result, *_ in games:
        (losses, draws, wins)[result + 1][first, second] += 1
        (wins, draws, losses)[result + 1][second, first] += 1
    cross = table_of(5, games).cross()
    for ours, theirs in zip(cross, (wins, draws, losses), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert cross.games.sum() == 800
    np.testing.assert_array_equal(cross.games.sum(1), table_of(5, games).played())


def test_subsets_hold_exactly_the_games_asked_for():
    games = random_games(5, 300, seed=3)
    table = table_of(5, games)
    assert same_table(
        table.between(1, 3), table_of(5, [g for g in games if {g[0], g[1]} == {1, 3}])
    )
    assert same_table(table.between(1, 3), table.between(3, 1))
    assert same_table(table.of_player(2), table_of(5, [g for g in games if 2 in g[:2]]))
    assert same_table(table.where(table.plies > 50), table_of(5, [g for g in games if g[4] > 50]))
    seen = [g[2] if g[0] == 2 else -g[2] for g in games if 2 in g[:2]]
    assert table.results_of(2).tolist() == seen


def test_joined_tables_are_the_games_in_order():
    games = random_games(4, 60, seed=4)
    table = joined([table_of(4, games[:10]), table_of(4, games[10:])])
    assert same_table(table, table_of(4, games))
    assert not same_table(table, table_of(4, games[::-1]))
    with pytest.raises(OptionError, match="same players"):
        joined([table_of(4, games), table_of(5, games)])
    with pytest.raises(OptionError, match="same players"):
        joined([])


def test_pairs_match_the_kth_game_of_either_colour_from_one_opening():
    games = random_games(4, 500, seed=5)
    waiting, expected = {}, {}
    for i, (first, second, *_, opening) in enumerate(games):
        partners = waiting.setdefault((second, first, opening), [])
        if partners:
            expected[i] = partners.pop(0)
        else:
            waiting.setdefault((first, second, opening), []).append(i)
    numbers = table_of(4, games).pairs().tolist()
    assert set(numbers) == set(range(len(games) - len(expected)))
    found = {}
    for i, number in enumerate(numbers):
        if numbers.index(number) < i:
            found[i] = numbers.index(number)
    assert found == expected
    assert len(expected) > 100


def test_an_empty_table_is_a_table():
    table = ResultTable.of(3, [], [])
    assert table.games == 0
    assert table.points().tolist() == [0, 0, 0]
    assert table.cross().games.sum() == 0
    assert table.pairs().tolist() == []


def test_a_table_cannot_be_changed_nor_changes_with_its_source():
    results = np.array([1, 0])
    table = ResultTable.of(2, [(0, 1), (1, 0)], results)
    results[0] = -1
    assert table.results.tolist() == [1, 0]
    with pytest.raises(ValueError, match="read-only"):
        table.results[0] = 1


@pytest.mark.parametrize(
    "pairings,results,text",
    [
        ([(0, 2)], [1], "names player 2"),
        ([(-1, 1)], [1], "names player -1"),
        ([(1, 1)], [1], "against itself"),
        ([(0, 1)], [2], "other than"),
        ([(0, 1)], [0.5], "whole numbers"),
        ([(0, 1)], [1, 1], "differ in length"),
    ],
)
def test_a_wrong_table_is_refused(pairings, results, text):
    with pytest.raises(OptionError, match=text):
        ResultTable.of(2, pairings, results)
