"""Addressed randomness: reproducible, independent, unbiased, and the same compiled and plain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evoboard.arena.playouts import random_games
from evoboard.core.link import link
from evoboard.core.rng import address, below, next_random, nth_seed, stream
from evoboard.games.base import load_game

# The 99.9% points of chi-square by degrees of freedom; seeds are fixed, so nothing flickers.
CRITICAL = {1: 10.83, 2: 13.82, 5: 20.52, 6: 22.46, 14: 36.12, 35: 66.62, 48: 84.04, 99: 148.23}
EDGES = [1, 2, 3, 77, 2**31, 2**62, 2**63 - 1, -1, -2, -(2**63), -(2**62) - 5]


def walk(number, out):
    """Write the numbers that follow `number`."""
    for i in range(out.shape[0]):
        number = next_random(number)
        out[i] = number


def draw(number, bound, out):
    """Write values below `bound`."""
    for i in range(out.shape[0]):
        number = next_random(number)
        out[i] = below(number, bound)


def seeds(number, first, out):
    """Write the seeds of consecutive things."""
    for i in range(out.shape[0]):
        out[i] = nth_seed(number, first + i)


def filled(kernel, *arguments, count=1000, target="cpu"):
    out = np.zeros(count, np.int64)
    link(kernel, target=target)(*arguments, out)
    return out


def chi_square(values, bins):
    counts = np.bincount(values, minlength=bins)
    assert len(counts) == bins
    expected = len(values) / bins
    return float(((counts - expected) ** 2 / expected).sum())


def test_an_address_never_changes():
    """Old runs are repeated from their seeds, so these numbers are for ever."""
    assert address(1, "playout") == 2898541495992787526
    assert address(7, "openings", 3, 12) == 6037363601666150984


def test_addresses_are_positive_and_fit_a_kernel():
    found = [address(seed, "x", i) for seed in (0, 1, -5, 10**30) for i in range(250)]
    assert all(0 < number < 2**63 for number in found)
    assert len(set(found)) == len(found)


def test_the_parts_of_an_address_do_not_run_together():
    assert address(1, "a", "b") != address(1, "ab")
    assert address(1, 23) != address(12, 3)
    assert address(1, "a") != address(1, "a", "")
    assert address(1, "a", "b") != address(1, "b", "a")


def test_streams_are_reproducible_and_independent():
    first, again = stream(5, "mutation", 1), stream(5, "mutation", 1)
    assert np.array_equal(first.integers(2**60, size=100), again.integers(2**60, size=100))
    streams = [stream(s, "mutation", g) for s in (1, 2) for g in range(4)]
    rows = np.array([generator.normal(size=4000) for generator in streams])
    apart = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(apart).max() < 0.08  # five standard errors


@pytest.mark.parametrize("number", EDGES)
def test_the_sequence_is_the_same_compiled_and_plain(number):
    compiled = filled(walk, np.int64(number), count=50)
    assert np.array_equal(compiled, filled(walk, np.int64(number), count=50, target="python"))


def test_the_sequence_is_the_textbook_xorshift():
    number, mask = 88172645463325252, 2**64 - 1
    expected = []
    for _ in range(20):
        number ^= number << 13 & mask
        number ^= number >> 7
        number ^= number << 17 & mask
        expected.append(number)
    ours = filled(walk, np.int64(88172645463325252), count=20)
    assert [int(n) & mask for n in ours] == expected
    assert expected[0] == 8748534153485358512  # as Marsaglia's generator is quoted


def test_the_sequence_never_reaches_zero_or_turns_short():
    for number in (1, -1, 12345):
        found = filled(walk, np.int64(number), count=100_000)
        assert 0 not in found
        assert len(np.unique(found)) == len(found)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 100, 218, 2**31 - 1, 2**32 - 1])
def test_below_stays_below_and_is_the_same_compiled_and_plain(bound):
    compiled = filled(draw, np.int64(99), bound, count=300)
    assert np.array_equal(compiled, filled(draw, np.int64(99), bound, count=300, target="python"))
    assert compiled.min() >= 0
    assert compiled.max() < bound
    for number in EDGES:
        assert 0 <= below(np.int64(number), bound) < bound


@pytest.mark.parametrize("bound", [2, 3, 6, 7, 15, 36, 100])
def test_below_is_unbiased(bound):
    values = filled(draw, np.int64(address(1, "dice", bound)), bound, count=200_000)
    assert chi_square(values, bound) < CRITICAL[bound - 1]


def test_below_has_no_memory():
    values = filled(draw, np.int64(address(2, "dice")), 7, count=200_001)
    pairs = values[:-1] * 7 + values[1:]
    assert chi_square(pairs, 49) < CRITICAL[48]


@pytest.mark.parametrize("number", [0, 1, 2**62 + 12345, 2**63 - 1])
def test_seeds_of_many_things_are_positive_different_and_the_same_plain(number):
    compiled = filled(seeds, number, 0, count=100_000)
    assert compiled.min() > 0
    assert len(np.unique(compiled)) == len(compiled)
    plain = filled(seeds, number, 0, count=100, target="python")
    assert np.array_equal(compiled[:100], plain)


def test_seeds_are_never_zero_at_the_edges():
    for number in [0, *EDGES]:
        for index in (0, 1, 2**31, 2**62):
            assert link(nth_seed)(np.int64(number), np.int64(index)) > 0


def test_neighbouring_seeds_share_no_pattern():
    found = filled(seeds, 1, 0, count=20_000)
    changed = [int(a ^ b).bit_count() for a, b in itertools.pairwise(found)]
    assert abs(np.mean(changed) - 31) < 0.2  # half of 62 bits; the lowest is always set
    first = [below(next_random(seed), 36) for seed in found]
    assert chi_square(np.array(first), 36) < CRITICAL[35]


# The obvious way to draw a random start, as a newcomer would write it.
STARTS = """
from evoboard.core.rng import below, next_random
from evoboard.games import DRAW, ONGOING

STATE_SIZE, TURN, MAX_MOVES = 3, 0, 6


def initial(state, seed):
    state[0], state[1], state[2] = 0, below(next_random(seed), 6), -1


def legal_moves(state, out):
    for move in range(6):
        out[move] = move
    return 6


def apply_move(state, move, out):
    out[0], out[1], out[2] = 1 - state[0], state[1], move


def outcome(state):
    return ONGOING if state[2] < 0 else DRAW


def stuck(state):
    return DRAW
"""


def test_random_moves_do_not_depend_on_the_random_start(tmp_path):
    (tmp_path / "starts.py").write_text(STARTS)
    finals = random_games(load_game(str(tmp_path / "starts.py")), 20_000, seed=1).finals
    assert chi_square(finals[:, 1], 6) < CRITICAL[5]
    assert chi_square(finals[:, 2], 6) < CRITICAL[5]
    assert chi_square(finals[:, 1] * 6 + finals[:, 2], 36) < CRITICAL[35]
