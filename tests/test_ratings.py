"""Ratings against closed forms, brute-force likelihoods, exact enumeration and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from evoboard.arena import ratings
from evoboard.arena.elo import (
    ELO_PER_NAT,
    PRIOR,
    Tally,
    elo_difference,
    elo_of_score,
    expected_score,
    normal_probability,
)
from evoboard.arena.ratings import rate
from evoboard.arena.schedules import double_round_robin, paired_openings, single_round_robin
from evoboard.arena.scoring import ResultTable
from evoboard.core.errors import OptionError
from evoboard.core.statistics import NORMAL_95

CHI_SQUARED_95 = 3.841458820694124


def error_between(table, one, other):
    """Return the standard error of the difference of two ratings."""
    cov = table.covariance
    return float(np.sqrt(cov[one, one] + cov[other, other] - 2 * cov[one, other]))


def difference(table, one, other):
    """Return by how much one is rated above another, and the ends of the 95% interval."""
    gap, error = table.elo[one] - table.elo[other], NORMAL_95 * error_between(table, one, other)
    return float(gap), float(gap - error), float(gap + error)


def superiority(table, one, other):
    """Return the probability that one is stronger than another."""
    if one == other:
        return 0.5
    gap = table.elo[one] - table.elo[other]
    return normal_probability(float(gap / error_between(table, one, other)))


def of_games(wins, draws, losses):
    """Return the tally of games that are independent of each other."""
    return Tally(lone=(losses, draws, wins))


NAT = 400 / math.log(10)


def paired(pairs, games):
    """Return pairings and the numbers of their openings, `games` of each pair."""
    return paired_openings(pairs, np.zeros((games // 2, 1)))[:2]


SHAPES = [
    Tally((3, 10, 30, 20, 7)),
    Tally((0, 0, 12, 1, 0)),
    Tally((1, 0, 0, 0, 2)),
    Tally((0, 1, 0, 4, 30)),
    of_games(12, 5, 3),
    of_games(3, 40, 2),
    of_games(1, 0, 0),
]


def with_prior(tally):
    counts = tally.observations()
    return [n + 0.25 * (i in (0, len(counts) - 1)) for i, n in enumerate(counts)]


def profile(counts, mean):
    """Return the greatest log likelihood of any distribution with this mean (Owen's multiplier)."""
    steps = len(counts) - 1
    gaps = [i / steps - mean for i in range(steps + 1)]
    low, high = -1 / gaps[-1], -1 / gaps[0]
    for _ in range(200):
        middle = (low + high) / 2
        slope = sum(n * g / (1 + middle * g) for n, g in zip(counts, gaps, strict=True))
        low, high = (middle, high) if slope > 0 else (low, middle)
    total = sum(counts)
    return sum(
        n * math.log(n / total / (1 + low * g)) for n, g in zip(counts, gaps, strict=True) if n
    )


def swapped(tally):
    return Tally(tally.pairs[::-1], tally.lone[::-1])


def outcomes(total, cells):
    """Yield every way to spread `total` observations over `cells` values."""
    for bars in itertools.combinations(range(total + cells - 1), cells - 1):
        edges = (-1, *bars, total + cells - 1)
        yield tuple(edges[i + 1] - edges[i] - 1 for i in range(cells))


def probability(counts, chances):
    ways = math.factorial(sum(counts))
    for n, chance in zip(counts, chances, strict=True):
        ways = ways * chance**n / math.factorial(n)
    return ways


def chances_of(elo, draws):
    """Return the chances of loss, draw, win with this Elo difference; the draw share shrinks."""
    score = expected_score(elo)
    drawn = draws * 2 * min(score, 1 - score)
    return (1 - score - drawn / 2, drawn, score - drawn / 2)


def pair_chances(one, other):
    chances = [0.0] * 5
    for (i, p), (j, q) in itertools.product(enumerate(one), enumerate(other)):
        chances[i + j] += p * q
    return chances


# ---------------------------------------------------------------- two players


@pytest.mark.parametrize("score,elo", [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 190.8485)])
def test_elo_and_score_are_each_others_inverse(score, elo):
    assert elo_of_score(score) == pytest.approx(elo, abs=1e-4)
    assert expected_score(elo) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("tally", SHAPES, ids=str)
def test_the_interval_ends_where_the_profile_likelihood_has_fallen_to_the_bound(tally):
    counts, estimate = with_prior(tally), elo_difference(tally)
    total = sum(counts)
    best = sum(n * math.log(n / total) for n in counts if n)
    for elo in (estimate.low, estimate.high):
        fallen = 2 * (best - profile(counts, expected_score(elo)))
        assert fallen == pytest.approx(CHI_SQUARED_95, rel=1e-6)
    assert estimate.low < estimate.elo < estimate.high


def test_the_interval_of_games_with_draws_is_that_of_a_likelihood_grid():
    lost, drawn, won = with_prior(of_games(wins=14, draws=7, losses=4))
    total = lost + drawn + won
    best = sum(n * math.log(n / total) for n in (lost, drawn, won))
    mean, draws = np.meshgrid(np.linspace(0.4, 0.95, 2201), np.linspace(0.001, 0.9, 3000))
    p_won, p_lost = mean - draws / 2, 1 - mean - draws / 2
    possible = (p_won > 0) & (p_lost > 0)
    value = np.where(
        possible,
        lost * np.log(np.where(possible, p_lost, 1))
        + drawn * np.log(draws)
        + won * np.log(np.where(possible, p_won, 1)),
        -np.inf,
    ).max(0)
    inside = mean[0][2 * (best - value) <= CHI_SQUARED_95]
    estimate = elo_difference(of_games(14, 7, 4))
    assert expected_score(estimate.low) == pytest.approx(inside.min(), abs=5e-4)
    assert expected_score(estimate.high) == pytest.approx(inside.max(), abs=5e-4)


def test_long_matches_have_the_textbook_interval():
    counts = np.array([300, 1100, 2500, 1500, 500])
    values = np.linspace(0, 1, 5)
    share = counts / counts.sum()
    score = share @ values
    error = math.sqrt(share @ (values - score) ** 2 / counts.sum())
    estimate = elo_difference(Tally(tuple(int(n) for n in counts)))
    assert estimate.elo == pytest.approx(elo_of_score(score), abs=1e-9)
    assert estimate.low == pytest.approx(elo_of_score(score - 1.96 * error), abs=0.05)
    assert estimate.high == pytest.approx(elo_of_score(score + 1.96 * error), abs=0.05)
    assert estimate.games == 11800
    few = elo_difference(of_games(5050, 900, 4900))
    z = (5050 - 4900) / math.sqrt(5050 + 4900)
    assert few.los == pytest.approx(0.5 * (1 + math.erf(z / math.sqrt(2))), abs=1e-3)


@pytest.mark.parametrize("games", [1, 2, 10, 1000, 10**7])
def test_perfect_scores_stay_finite_and_sensible(games):
    all_won, all_lost = (
        elo_difference(of_games(*counts)) for counts in ((games, 0, 0), (0, 0, games))
    )
    # The score nearest to perfect that the quarter of an observation leaves.
    assert all_won.elo == pytest.approx(NAT * math.log(4 * games + 1))
    assert -400 < all_won.low < all_won.elo < all_won.high < 5000
    assert (all_lost.elo, all_lost.low, all_lost.high) == pytest.approx(
        (-all_won.elo, -all_won.high, -all_won.low)
    )
    assert all_won.score == 1
    assert all_lost.score == 0
    assert 0.75 < all_won.los <= 1
    if games > 1:
        fewer = elo_difference(of_games(games - 1, 0, 0))
        assert fewer.low < all_won.low
    beaten_once = elo_difference(of_games(games, 0, 1))
    assert beaten_once.elo < all_won.elo
    assert beaten_once.high < all_won.high


@pytest.mark.parametrize("tally", SHAPES, ids=str)
def test_the_other_player_sees_the_same_with_opposite_sign(tally):
    ours, theirs = elo_difference(tally), elo_difference(swapped(tally))
    assert ours.elo == pytest.approx(-theirs.elo, abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low), abs=1e-6)
    assert ours.los == pytest.approx(1 - theirs.los, abs=1e-9)


def test_the_interval_excludes_zero_exactly_where_superiority_passes_97_5_percent():
    for counts in outcomes(12, 3):
        estimate = elo_difference(Tally(lone=counts))
        assert (estimate.low > 0) == (estimate.los > 0.975)
        assert (estimate.high < 0) == (estimate.los < 0.025)
        assert estimate.low < estimate.elo < estimate.high


def test_every_better_result_raises_the_estimate_and_both_ends():
    for counts in outcomes(4, 5):
        here = elo_difference(Tally(counts))
        for i in range(4):
            if counts[i]:
                better = list(counts)
                better[i] -= 1
                better[i + 1] += 1
                there = elo_difference(Tally(tuple(better)))
                assert there.elo > here.elo
                assert there.low > here.low
                assert there.high > here.high


@pytest.mark.parametrize("draws", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("games", [2, 5, 10, 20])
def test_intervals_of_few_games_hold_the_truth_as_often_as_promised(games, draws):
    intervals = {counts: elo_difference(Tally(lone=counts)) for counts in outcomes(games, 3)}
    held = []
    for elo in range(0, 801, 50):
        chances = chances_of(elo, draws)
        held.append(
            sum(
                probability(counts, chances)
                for counts, estimate in intervals.items()
                if estimate.low <= elo <= estimate.high
            )
        )
    assert min(held) > 0.89
    assert 0.945 < sum(held) / len(held) < 0.975


def test_intervals_of_few_pairs_hold_the_truth_as_often_as_promised():
    for pairs, low, high in ((5, 0.95, 1.0), (12, 0.945, 0.99)):
        intervals = {counts: elo_difference(Tally(counts)) for counts in outcomes(pairs, 5)}
        for score, draws in ((0.5, 0.3), (0.75, 0.3), (0.9, 0.1)):
            one = chances_of(elo_of_score(score), draws)
            held = sum(
                probability(counts, pair_chances(one, one))
                for counts, estimate in intervals.items()
                if estimate.low <= elo_of_score(score) <= estimate.high
            )
            assert low < held <= high, (pairs, score, held)


def test_pairs_of_unequal_sides_give_95_percent_where_single_games_give_far_too_wide_intervals():
    rng = np.random.default_rng(20)
    first, second = (0.1, 0.2, 0.7), (0.6, 0.2, 0.2)
    truth = elo_of_score((0.8 + 0.3) / 2)
    held, held_single, reps = 0, 0, 1500
    for _ in range(reps):
        a, b = rng.choice(3, 200, p=first), rng.choice(3, 200, p=second)
        paired = elo_difference(Tally(tuple(np.bincount(a + b, minlength=5).tolist())))
        lone = np.bincount(np.concatenate([a, b]), minlength=3).tolist()
        single = elo_difference(Tally(lone=tuple(lone)))
        assert paired.elo == pytest.approx(single.elo)
        held += paired.low <= truth <= paired.high
        held_single += single.low <= truth <= single.high
    # Standard deviation of the first share: 0.6%.
    assert 0.933 < held / reps < 0.967
    assert held_single / reps > 0.98


def test_superiority_is_right_as_often_as_it_says():
    rng = np.random.default_rng(21)
    sure = right = 0
    for _ in range(1500):
        truth = rng.normal(0, 60)
        counts = rng.multinomial(60, chances_of(truth, 0.3))
        los = elo_difference(Tally(lone=tuple(counts.tolist()))).los
        sure += max(los, 1 - los)
        right += (los > 0.5) == (truth > 0)
    assert right == pytest.approx(sure, abs=0.03 * 1500)


def test_a_tally_pairs_the_games_of_a_table():
    games = [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1), (2, 0), (1, 2)]
    results = [1, -1, 0, 1, 0, 1, 1]
    table = ResultTable.of(3, games, results, [0, 0, 1, 1, 2, 0, 0])
    tally = Tally.of_table(table, 0, 1)
    # Opening 0: two wins; opening 1: a draw and a loss; opening 2: a draw without a partner.
    assert tally == Tally((0, 1, 0, 0, 1), (0, 1, 0))
    assert Tally.of_table(table, 1, 0) == swapped(tally)
    assert tally.games == 5
    assert tally.score == 3 / 5
    assert tally.observations() == [0, 1, 0.5, 0, 1]
    assert Tally.of_table(table, 2, 0) == of_games(1, 0, 0)


def test_a_lone_game_beside_pairs_changes_little():
    many = Tally((5, 20, 40, 25, 10))
    estimate, later = elo_difference(many), elo_difference(Tally(many.pairs, (0, 1, 0)))
    assert later.games == estimate.games + 1
    assert later.high - later.low == pytest.approx(estimate.high - estimate.low, rel=0.01)


def test_nothing_to_rate_and_impossible_counts_are_errors():
    with pytest.raises(OptionError, match="no games"):
        elo_difference(Tally())
    for wrong in (((0, 0, 0), (0, 0, 0)), ((0, 0, 0, 0, -1), (0, 0, 0))):
        with pytest.raises(OptionError, match="cannot rate"):
            Tally(*wrong)


# ---------------------------------------------------------------- many players


def played(strengths, pairings, openings, rng, draws=0.3):
    """Return the results of games whose expected score is logistic in the strengths (in Elo)."""
    gaps = strengths[pairings[:, 0]] - strengths[pairings[:, 1]]
    score = 1 / (1 + 10 ** (-gaps / 400))
    drawn = draws * 2 * np.minimum(score, 1 - score)
    chance = rng.random(len(score))
    won = chance < score - drawn / 2
    lost = chance > score + drawn / 2
    return ResultTable.of(len(strengths), pairings, won.astype(int) - lost, openings)


def alone(games):
    """Return openings that leave every game without a partner."""
    return np.arange(games)


def test_two_players_are_rated_as_their_score_says():
    for wins, draws, losses in ((60, 30, 10), (5, 0, 5), (20, 0, 0), (1, 0, 0)):
        results = [1] * wins + [0] * draws + [-1] * losses
        games = len(results)
        table = rate(ResultTable.of(2, [(0, 1)] * games, results, alone(games)), anchor=1)
        score = (wins + draws / 2 + 0.25) / (games + 0.5)
        # The normal prior of 2000 Elo moves a rating by a hundredth of its error at most.
        assert table.elo[0] == pytest.approx(elo_of_score(score), abs=12)
        if losses > 0:
            assert table.elo[0] == pytest.approx(elo_of_score(score), abs=0.5)
            estimate = elo_difference(of_games(wins, draws, losses))
            width = table.high[0] - table.low[0]
            assert width == pytest.approx(estimate.high - estimate.low, rel=0.08)


def test_ratings_are_those_of_a_likelihood_grid(monkeypatch):
    monkeypatch.setattr(ratings, "_PULL", 1e-9)
    table = ResultTable.of(
        3,
        [(0, 1)] * 10 + [(1, 2)] * 8 + [(2, 0)] * 6,
        [1] * 4 + [0] * 2 + [-1] * 4 + [1] * 5 + [0] * 1 + [-1] * 2 + [1] * 1 + [0] * 1 + [-1] * 4,
        alone(24),
    )
    points, games = table.cross().points(), table.cross().games
    span = np.linspace(-2, 2, 801)
    b, c = np.meshgrid(span, span, indexing="ij")
    strength = [np.zeros_like(b), b, c]
    value = np.zeros_like(b)
    for i, j in itertools.permutations(range(3), 2):
        virtual = 0.125 * (games[i, j] / games[i].sum() + games[i, j] / games[j].sum())
        won = points[i, j] + virtual
        value -= won * np.log1p(np.exp(strength[j] - strength[i]))
    best = np.unravel_index(value.argmax(), value.shape)
    expected = NAT * np.array([0, span[best[0]], span[best[1]]])
    np.testing.assert_allclose(rate(table).elo, expected, atol=0.7)


def test_ratings_are_those_of_the_classical_iteration(monkeypatch):
    """Zermelo's fixed point: strength = points / sum of games over summed strengths."""
    monkeypatch.setattr(ratings, "_PULL", 1e-9)
    rng = np.random.default_rng(23)
    pairings = np.repeat(double_round_robin(7), 6, axis=0)
    table = played(rng.normal(0, 200, 7), pairings, alone(len(pairings)), rng)
    games, points = table.cross().games, table.cross().points()
    virtual = 0.25 * games / games.sum(1)
    strength = np.ones(7)
    for _ in range(3000):
        for i in range(7):
            met = (games[i] + 2 * virtual[i]) / (strength[i] + strength)
            strength[i] = (points[i] + virtual[i]).sum() / met.sum()
    found = rate(table, anchor=3, anchor_elo=1500)
    expected = 1500 + NAT * np.log(strength / strength[3])
    np.testing.assert_allclose(found.elo, expected, atol=1e-4)
    share = 1 / (1 + 10 ** ((found.elo - found.elo[:, None]) / 400))
    np.testing.assert_allclose((games * share).sum(1), points.sum(1), atol=0.3)


def test_the_wide_prior_moves_nobody_who_has_played_by_a_tenth_of_the_error(monkeypatch):
    rng = np.random.default_rng(28)
    schedule = paired(single_round_robin(7), 12)
    table = played(rng.normal(0, 200, 7), *schedule, rng)
    with_it = rate(table)
    monkeypatch.setattr(ratings, "_PULL", 1e-9)
    moved = np.abs(with_it.elo - rate(table).elo)
    assert (moved[1:] < 0.1 * (with_it.high - with_it.elo)[1:]).all()


@pytest.mark.parametrize(
    "players,games,spread,draws",
    [(2, 40, 100, 0.3), (5, 4, 170, 0.3), (6, 40, 170, 0.6), (10, 2, 260, 0.3), (30, 2, 170, 0.0)],
)
def test_intervals_of_many_players_hold_the_truth_95_times_in_a_hundred(
    players, games, spread, draws
):
    rng = np.random.default_rng([24, players, games])
    schedule = paired(single_round_robin(players), games)
    held, reps = [], max(60, 1200 // players)
    for _ in range(reps):
        truth = rng.normal(0, spread, players)
        table = rate(played(truth, *schedule, rng, draws))
        gap = truth - truth[0]
        held.extend(((table.low <= gap) & (gap <= table.high))[1:])
    assert 0.925 < np.mean(held) < 0.985


def slow_errors(table, elo, anchor):
    """Return the standard errors of the ratings, observation by observation, anchor left out."""
    others = [i for i in range(table.players) if i != anchor]
    games, pairs = table.cross().games, table.pairs()
    observations = []
    for number in range(pairs.max() + 1):
        row, surprise, weight = np.zeros(table.players), 0.0, 0.0
        for g in np.flatnonzero(pairs == number):
            low, high = sorted((int(table.first[g]), int(table.second[g])))
            row[:] = 0
            row[low], row[high] = 1, -1
            score = expected_score(elo[low] - elo[high])
            result = int(table.results[g]) * (1 if table.first[g] == low else -1)
            surprise += (result + 1) / 2 - score
            weight += score * (1 - score)
        observations.append((row[others], weight, surprise))
    virtual = []
    for i, j in itertools.permutations(range(table.players), 2):
        row, score = np.zeros(table.players), expected_score(elo[i] - elo[j])
        row[i], row[j] = 1, -1
        count = 0.125 * (games[i, j] / games[i].sum() + games[i, j] / games[j].sum())
        virtual.append((row[others], count * score * (1 - score), count * (1 - score) ** 2))
    information = sum(w * np.outer(row, row) for row, w, _ in observations + virtual)
    inverse = np.linalg.inv(information)
    scatter = sum(square * np.outer(row, row) for row, _, square in virtual)
    for row, weight, surprise in observations:
        scatter = scatter + surprise**2 / (1 - weight * row @ inverse @ row) * np.outer(row, row)
    return others, NAT * np.sqrt(np.diag(inverse @ scatter @ inverse))


def test_errors_are_those_of_the_slow_sandwich(monkeypatch):
    monkeypatch.setattr(ratings, "_PULL", 1e-9)
    rng = np.random.default_rng(29)
    schedule = paired(single_round_robin(5), 4)
    table = played(rng.normal(0, 200, 5), *schedule, rng).where(np.arange(40) < 37)
    found = rate(table, anchor=2)
    others, errors = slow_errors(table, found.elo, anchor=2)
    np.testing.assert_allclose((found.high - found.elo)[others] / 1.959964, errors, rtol=1e-5)


def test_draws_and_pairs_narrow_the_intervals_as_they_should():
    rng = np.random.default_rng(25)
    schedule = paired(single_round_robin(4), 200)
    drawish, sharp = (rate(played(np.zeros(4), *schedule, rng, share)) for share in (0.8, 0.0))
    ratio = (drawish.high - drawish.low)[1:] / (sharp.high - sharp.low)[1:]
    # The variance of a game falls to a fifth.
    np.testing.assert_allclose(ratio, math.sqrt(0.2), atol=0.08)
    first_wins = ResultTable.of(4, schedule[0], np.ones(1200, int), schedule[1])
    unpaired = ResultTable.of(4, schedule[0], np.ones(1200, int), alone(1200))
    widths = [(table.high - table.low)[1:].max() for table in map(rate, (first_wins, unpaired))]
    assert widths[0] < 0.1 * widths[1]


def test_the_anchor_is_fixed_and_only_shifts_the_others():
    rng = np.random.default_rng(26)
    schedule = paired(single_round_robin(6), 20)
    table = played(rng.normal(0, 150, 6), *schedule, rng)
    base, other = rate(table), rate(table, anchor=4, anchor_elo=1000)
    assert base.elo[0] == base.low[0] == base.high[0] == 0
    assert other.elo[4] == other.low[4] == other.high[4] == 1000
    np.testing.assert_allclose(other.elo - 1000, base.elo - base.elo[4], atol=1e-6)
    assert difference(other, 1, 2) == pytest.approx(difference(base, 1, 2))
    assert difference(base, 3, 0) == pytest.approx((base.elo[3], base.low[3], base.high[3]))
    assert other.order().tolist() == base.order().tolist() == np.argsort(-base.elo).tolist()


def test_renaming_the_players_renames_the_ratings():
    rng = np.random.default_rng(27)
    schedule = paired(single_round_robin(5), 12)
    table = played(rng.normal(0, 150, 5), *schedule, rng)
    new = rng.permutation(5)
    renamed = ResultTable.of(5, new[schedule[0]], table.results, schedule[1])
    base, other = rate(table, anchor=2), rate(renamed, anchor=int(new[2]))
    for name in ("elo", "low", "high", "scores", "games"):
        np.testing.assert_allclose(getattr(other, name)[new], getattr(base, name), atol=1e-6)


def test_a_circle_of_wins_leaves_all_equal():
    table = rate(ResultTable.of(3, [(0, 1), (1, 2), (2, 0)], [1, 1, 1]))
    np.testing.assert_allclose(table.elo, 0, atol=1e-9)
    assert superiority(table, 0, 1) == pytest.approx(0.5)
    assert superiority(table, 1, 1) == 0.5


def test_perfect_scores_of_many_players_stay_finite_and_in_order():
    pairings = np.repeat(double_round_robin(6), 50, axis=0)
    results = np.where(pairings[:, 0] > pairings[:, 1], 1, -1)
    table = rate(ResultTable.of(6, pairings, results))
    assert (np.diff(table.elo) > 300).all()
    assert (np.abs([table.low, table.high]) < 10_000).all()
    assert table.order().tolist() == [5, 4, 3, 2, 1, 0]
    assert table.scores.tolist() == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert superiority(table, 5, 0) > 0.99


def test_ratings_far_from_equal_are_found():
    """A table on which Newton's steps, left alone, go further astray the longer they go on."""
    wins = {(3, 1): 792, (1, 4): 622, (2, 4): 68, (0, 4): 2, (2, 3): 1}
    pairs = np.repeat(list(wins), list(wins.values()), axis=0)
    ratings = rate(ResultTable.of(5, pairs, np.ones(len(pairs), np.int64)))
    assert [player for player in ratings.order() if player] == [2, 3, 1, 4]


def test_the_wide_prior_pulls_strengths_together_as_much_as_it_says():
    table = ResultTable.of(2, [[0, 1]] * 3, [1, 1, 1])
    points, games = 3 + PRIOR, 3 + 2 * PRIOR
    pull = (ELO_PER_NAT / ratings.FIELD_WIDTH) ** 2
    ends = np.linspace(0, 10, 1_000_001)  # differences of strength, half of it on either side
    slope = points - games / (1 + np.exp(-ends)) - pull * ends / 2
    best = ends[np.argmin(np.abs(slope))]
    assert best < math.log(points / (games - points)) - 0.01
    found = rate(table).elo
    assert found[0] - found[1] == pytest.approx(ELO_PER_NAT * best, abs=0.01)


def test_players_without_common_games_are_rated_with_wide_intervals():
    pairings = [(0, 1), (1, 0)] * 50 + [(2, 3), (3, 2)] * 50
    table = rate(ResultTable.of(5, pairings, [1, -1] * 100, np.arange(200) // 2))
    assert np.isfinite([table.elo, table.low, table.high]).all()
    assert table.scores[4] == 0.5
    assert table.games.tolist() == [100] * 4 + [0]
    for stranger in (2, 3, 4):
        assert table.high[stranger] - table.low[stranger] > 3000
    assert table.elo[0] - table.elo[1] == pytest.approx(table.elo[2] - table.elo[3])


def test_a_million_one_sided_games_are_rated():
    table = rate(ResultTable.of(2, np.tile([(0, 1), (1, 0)], (500_000, 1)), [1, -1] * 500_000))
    assert 2000 < -table.elo[1] < 3000
    assert np.isfinite(table.low).all()


def test_intervals_keep_their_digits_in_huge_tables():
    """A hundred times the games make a tenth of the error."""
    widths = []
    for games in (1_000, 100_000):
        pairings = np.tile([(0, 1), (1, 2), (2, 0)], (games, 1))
        results = np.tile([1, -1, 0, 1, 1, -1, -1, 1, 1, 0, 0, 1], games // 4)
        table = rate(ResultTable.of(3, pairings, results, np.arange(3 * games)), anchor=1)
        widths.append((table.high - table.low)[[0, 2]])
    np.testing.assert_allclose(widths[0] / widths[1], 10, rtol=0.01)


def test_one_player_or_an_unknown_anchor_is_an_error():
    with pytest.raises(OptionError, match="number of players is 1"):
        rate(ResultTable.of(1, [], []))
    with pytest.raises(OptionError, match="anchor is player 3; it must be one of 0 to 2"):
        rate(ResultTable.of(3, [(0, 1)], [1]), anchor=3)
