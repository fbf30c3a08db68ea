"""Who plays whom, and from where: pairings, openings, and both as one schedule.

Pairings are an int64 array (games, 2): the index of the first player (side 0) and of the second.
Chance comes from an address, so a schedule depends on the seed and its purpose alone, never on what
was drawn before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.rng import address, stream
from evoboard.games.base import Game

# A random line that ends the game is dropped and drawn again, this often at most.
TRIES = 1000
MOST_GAMES = 100_000_000  # of a pair; each opening is made before the first game


class Schedule(NamedTuple):
    """The games to play: `pairings` (games, 2), who is first and who is second player, and for each
    game the row of `openings` (positions) it begins from."""

    pairings: Array
    opening_of: Array
    openings: Array


def double_round_robin(players: int) -> Array:
    """Return every ordered pair once: all meet all, with each colour."""
    _check_population(players)
    first, second = np.divmod(np.arange(players * players), players)
    return _pairings(first, second)[first != second]


def single_round_robin(players: int) -> Array:
    """Return every pair once; everyone plays both colours equally often, give or take one."""
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


def both_colours(pairings: Array) -> Array:
    """Return each pairing followed by itself with colours exchanged."""
    return np.stack([pairings, pairings[:, ::-1]], axis=1).reshape(-1, 2)


def paired_openings(pairs: Array, openings: Array, own: bool = False) -> Schedule:
    """Return the games of each pair from every one of the openings (positions), with both colours.

    Games 2i and 2i + 1 are the same two players and the same opening with colours exchanged.
    `own`: the openings are divided among the pairs, in order.
    """
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    if len(np.unique(np.sort(pairs, axis=1), axis=0)) != len(pairs):
        raise OptionError("a pair of players is listed twice; paired games need each pair once.")
    count = len(openings) // len(pairs) if own else len(openings)
    shared = np.tile(np.arange(count), len(pairs))
    return Schedule(
        both_colours(np.repeat(pairs, count, axis=0)),
        np.repeat(np.arange(len(openings)) if own else shared, 2),
        openings,
    )


def paired_games(
    game: Game,
    pairs: Array,
    games: int,
    seed: int,
    plies: int | None = None,
    own: bool = False,
) -> Schedule:
    """Return `games` games of each pair, from random openings that all pairs share.

    `plies`: how long an opening is; None: as long as the game's own. `own`: no two pairs share one.
    """
    require_pairs(games)
    if games > MOST_GAMES:
        raise OptionError(
            f"the number of games is {games:,}; at most {MOST_GAMES:,} can be played."
        )
    count = games // 2 * (len(pairs) if own else 1)
    return paired_openings(pairs, start_positions(game, count, seed, plies), own)


def require_pairs(games: int) -> None:
    """Raise OptionError for an odd number of games, or none."""
    if games < 2 or games % 2:
        raise OptionError(
            f"the number of games is {games}; it must be even and at least 2, because every "
            "opening is played with both colours."
        )


def start_positions(game: Game, count: int, seed: int, plies: int | None) -> Array:
    """Return `count` ongoing positions, int64 (count, STATE_SIZE), `plies` random plies deep.

    Position i depends on the seed and i alone. With 0 plies these are the game's start states,
    which differ only where the game's start is random; None stands for the game's own number.
    """
    plies = game.opening_plies if plies is None else plies
    if count < 1:
        raise OptionError(f"the number of openings is {count}; it must be at least 1.")
    if plies < 0:
        raise OptionError(f"the length of an opening is {plies} plies; it must be 0 or more.")
    return opening_lines(game, count, seed, plies, shorter=False).ends


class OpeningLines(NamedTuple):
    """Openings: the positions at their ends, those before the last random move, and that move,
    -1 if there is none."""

    ends: Array
    before: Array
    moves: Array


def opening_lines(game: Game, count: int, seed: int, plies: int, shorter: bool) -> OpeningLines:
    """Return the openings whose ends are `start_positions`.

    With `shorter`, every length from 0 to `plies` is as likely: positions of all stages.
    """
    lines = [_opening(game, seed, index, plies, shorter) for index in range(count)]
    ends, before, moves = zip(*lines, strict=True)
    return OpeningLines(np.stack(ends), np.stack(before), np.array(moves, np.int64))


def positions_met(game: Game, lines: int, seed: int, plies: int) -> Array:
    """Return the positions on that many random lines, each once. Of a small game these are all
    positions: large ones, which random moves soon leave behind, and small ones."""
    met: dict[bytes, Array] = {}
    for index in range(lines):
        chance = stream(seed, "line", game.name, index)
        state = game.initial(address(seed, "start", index))
        for _ in range(plies + 1):
            moves = game.legal_moves(state)
            if not moves:
                break
            met.setdefault(state.tobytes(), state)
            state = game.apply(state, moves[int(chance.integers(len(moves)))])
    return np.stack(list(met.values()))


def even_openings(
    game: Game, count: int, seed: int, positions: Array, exploring: float
) -> OpeningLines:
    """Return openings that begin in any of the positions with equal chance, and in which, with the
    chance `exploring`, one random move is played that does not end the game."""
    chance = stream(seed, "even openings", game.name)
    ends = positions[chance.integers(len(positions), size=count)]
    before, moves = ends.copy(), np.full(count, -1, np.int64)
    for index in np.flatnonzero(chance.random(count) < exploring).tolist():
        legal = game.legal_moves(before[index])
        for move in chance.permutation(np.array(legal)).tolist():
            after = game.apply(before[index], move)
            if game.legal_moves(after):
                ends[index], moves[index] = after, move
                break
    return OpeningLines(ends, before, moves)


def _opening(
    game: Game, seed: int, index: int, most: int, shorter: bool
) -> tuple[Array, Array, int]:
    chance = stream(seed, "opening", game.name, index)
    for attempt in range(TRIES):
        plies = int(chance.integers(most + 1)) if shorter else most
        state = game.initial(address(seed, "start", index, attempt))
        before, move = state, -1
        for _ in range(plies):
            moves = game.legal_moves(state)
            if not moves:
                break
            before, move = state, moves[int(chance.integers(len(moves)))]
            state = game.apply(state, move)
        if game.legal_moves(state):
            return state, before, move
    raise OptionError(
        f"no game of {game.name} was still going after {most} random plies; use shorter openings."
    )


def _check_population(players: int) -> None:
    if players < 2:
        raise OptionError(
            f"the number of players is {players}; a schedule needs at least 2, "
            "because no player plays against itself."
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
