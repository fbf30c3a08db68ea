"""Who plays whom: pure functions from a number of players to pairings.

A schedule is an int64 array of shape (games, 2): the index of the first player (side 0) and of the
second. `paired_openings` adds which opening each game starts from. Chance comes from an address,
so a schedule depends on the seed and its purpose alone, never on what was drawn before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import stream


class PairedGames(NamedTuple):
    """Games from random openings, each opening played with both colours.

    `pairings` (games, 2): first and second player; `openings` (games,): the number of the opening.
    Games 2i and 2i + 1 are the same two players and the same opening with colours swapped.
    """

    pairings: Array
    openings: Array


def double_round_robin(players: int) -> Array:
    """Return every ordered pair once: all meet all, with each colour."""
    _check_population(players)
    first, second = np.divmod(np.arange(players * players), players)
    return _pairings(first, second)[first != second]


def single_round_robin(players: int) -> Array:
    """Return every pair once; nobody is first player more than once oftener than second."""
    _check_population(players)
    low, high = np.triu_indices(players, 1)
    # Distances of both parities are equally frequent around a player, so colours balance.
    return _swapped_where((high - low) % 2 == 0, _pairings(low, high))


def one_against_all(players: int) -> Array:
    """Return player 0's pairs with every other, alternately as first and as second."""
    _check_population(players)
    others = np.arange(1, players)
    return _swapped_where(others % 2 == 0, _pairings(np.zeros_like(others), others))


def circular(players: int, opponents: int, seed: int, *purpose: int | str) -> Array:
    """Return pairings of each player i with i + d, around the circle, for `opponents` distances d.

    No two players meet twice: d and players - d are one distance. Each player thus meets
    `opponents` others as first player and as many as second, except at the half circle of an even
    number, where each meets one (used only when every distance is asked for).
    """
    _check_population(players)
    longest = players // 2
    _check_count("opponents of a circular schedule", opponents, longest, players)
    chance = stream(seed, "circular schedule", *purpose)
    balanced = np.arange(1, (players - 1) // 2 + 1)
    distances = chance.permutation(balanced)[:opponents]
    distances = np.where(chance.random(len(distances)) < 0.5, distances, players - distances)
    circle = np.arange(players)
    rounds = [_pairings(circle, (circle + d) % players) for d in distances]
    if opponents > len(balanced):
        half = circle[:longest]
        swapped = chance.random(longest) < 0.5
        rounds.append(_swapped_where(swapped, _pairings(half, half + longest)))
    return np.concatenate(rounds)


def random_opponents(players: int, opponents: int, seed: int, *purpose: int | str) -> Array:
    """Return for each player `opponents` games as first player against different random others."""
    _check_population(players)
    _check_count("random opponents", opponents, players - 1, players)
    chance = stream(seed, "random opponents", *purpose)
    others = np.argsort(chance.random((players, players - 1)), axis=1)[:, :opponents]
    first = np.repeat(np.arange(players), opponents)
    second = others.ravel()
    return _pairings(first, second + (second >= first))


def versus(challengers: Sequence[int] | Array, opponents: Sequence[int] | Array) -> Array:
    """Return each challenger's games against each opponent, one with each colour."""
    ours, theirs = np.asarray(challengers, np.int64), np.asarray(opponents, np.int64)
    for name, group in (("challengers", ours), ("opponents", theirs)):
        if group.ndim != 1 or len(group) == 0:
            raise OptionError(f"the list of {name} is empty; name at least one player.")
        if len(np.unique(group)) != len(group):
            raise OptionError(f"the list of {name} names a player twice; name each once.")
    both = np.intersect1d(ours, theirs)
    if len(both):
        raise OptionError(
            f"player {both[0]} is both challenger and opponent; nobody plays against itself."
        )
    first = np.repeat(ours, len(theirs))
    return _both_colours(_pairings(first, np.tile(theirs, len(ours))))


def paired_openings(pairs: Array, games: int) -> PairedGames:
    """Return `games` games for each pair: games / 2 openings, each with both colours.

    All pairs share the openings 0 .. games / 2 - 1, so that nobody is luckier than another.
    """
    if games < 2 or games % 2:
        raise OptionError(
            f"the number of paired games is {games}; it must be even and at least 2, "
            "because every opening is played with both colours."
        )
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    if len(np.unique(np.sort(pairs, axis=1), axis=0)) != len(pairs):
        raise OptionError("a pair of players is listed twice; paired games need each pair once.")
    openings = games // 2
    return PairedGames(
        _both_colours(np.repeat(pairs, openings, axis=0)),
        np.repeat(np.tile(np.arange(openings), len(pairs)), 2),
    )


def _check_population(players: int) -> None:
    if players < 2:
        raise OptionError(
            f"the number of players is {players}; a schedule needs at least 2, "
            "because nobody plays against itself."
        )


def _check_count(what: str, count: int, most: int, players: int) -> None:
    if not 1 <= count <= most:
        raise OptionError(
            f"the number of {what} is {count}; with {players} players it must be 1 to {most}."
        )


def _pairings(first: Array, second: Array) -> Array:
    return np.stack([first, second], axis=1).astype(np.int64)


def _swapped_where(swapped: Array, pairings: Array) -> Array:
    """Return the pairings with colours exchanged where `swapped` is true."""
    return np.where(swapped[:, None], pairings[:, ::-1], pairings)


def _both_colours(pairings: Array) -> Array:
    """Return each pairing followed by itself with colours exchanged."""
    return np.stack([pairings, pairings[:, ::-1]], axis=1).reshape(-1, 2)
