"""King-capture chess marked as paper A marks it: by what a network does in games, case by case.

"Scores are assigned based on how often a network reflects the individual parameter during a series
of games played against a human opponent." A player that counts pieces takes the person's place.
Each time the network is to move, its position may be a case of SK, MK, SP or MP, by the same rules
as the fixed positions of the grade; what its move earns there is its mark.

A person who marks a network out of ten has seen some ten cases of a kind, not hundreds. Such a mark
is that of a network, and luck; the best of many such marks is luck above all. `drawn_tables` draws
marks of few cases: every case is won with the probability that the grade of many cases gives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import address, stream
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import Player, SearchPlayer, borrowed_player
from evoboard.training.grades.kingcapture import PARTS
from evoboard.training.grades.kingcapture_exchange import judge_positions
from evoboard.training.grades.kingcapture_positions import SLIPS, kinds_of, weigh

GAME = "kingcapture"
OPENING, LONGEST = 2, 40  # random plies at first, and the paper's length of games
SEED, PURPOSE = 1, "marked games"
DRAWS = 4000  # tables that are drawn
PIECE = 500  # at a time


class Person(NamedTuple):
    """Who plays in the person's place: a player, and how often it moves at random instead."""

    title: str
    text: str
    slips: float = 0.0


# All are measured against the first: counting pieces at equal search.
PERSONS = (
    Person("counts pieces at depth 1", "material:depth=1"),
    Person("the same, with slips", "material:depth=1", SLIPS),
    Person("counts pieces at depth 2, with slips", "material:depth=2", SLIPS),
    Person("random moves", "random"),
)


class Marked(NamedTuple):
    """Points for SK, MK, SP and MP (NaN where no case came up), and how many cases there were."""

    points: list[float]
    cases: list[int]

    @property
    def total(self) -> float:
        """TOT."""
        return sum(self.points)


def marked_in_games(text: str, person: Person, games: int) -> Marked:
    """Return the marks of a player, unaided, who has either colour in half of the games."""
    game = load_game(GAME)
    with borrowed_player(text, game) as player, borrowed_player(person.text, game) as other:
        if isinstance(player, SearchPlayer):
            player.play_unaided()
        played = [_play(player, other, person.slips, number) for number in range(games)]
    states = np.stack([state for one in played for state, _ in one])
    moves = np.array([move for one in played for _, move in one])
    kinds = kinds_of(judge_positions(game, states))
    states, moves, kinds = states[kinds >= 0], moves[kinds >= 0], kinds[kinds >= 0]
    tests = weigh(states, kinds, judge_positions(game, states))
    earned = np.where(tests.moves == moves[:, None], tests.worth, 0.0).sum(1)
    points, cases = [], []
    for kind, (_, _, most) in enumerate(PARTS):
        of_it = kinds == kind
        weights = tests.weights[of_it]
        share = earned[of_it] @ weights / weights.sum() if of_it.any() else np.nan
        points.append(float(most * share))
        cases.append(int(of_it.sum()))
    return Marked(points, cases)


def _play(player: Player, other: Player, slips: float, number: int) -> list[tuple[Array, int]]:
    """Return the positions in which a player moved in one game, and its moves."""
    game, chance = load_game(GAME), stream(SEED, PURPOSE, number)
    state, found = game.initial(), []
    for ply in range(LONGEST):
        moves = game.legal_moves(state)
        if not moves:
            break
        own = game.side(state) == number % 2
        if ply < OPENING or (not own and chance.random() < slips):
            move = moves[int(chance.integers(len(moves)))]
        else:
            luck = address(SEED, PURPOSE, number, ply)
            move = (player if own else other).think(History.of(game, state), luck).move
            if own:
                found.append((state, int(move)))
        state = game.apply(state, move)
    return found


class Marks(NamedTuple):
    """What tables of marks look like: means over tables, and where 95% of their best ones lie."""

    mean: float
    deviation: float  # of the totals in one table
    best: float
    low: float
    high: float
    reached: float  # the share of tables whose best total comes up to what was wanted


def drawn_tables(
    shares: Array, points: Array, rows: int, cases: int, *, tried: int = 1, wanted: float = 0.0
) -> Marks:
    """Return what tables of `rows` totals are like.

    `shares` (players, parts) is what players earn, 0 to 1, and `points` what a part is worth. Each
    row is of a player at random, marked in whole points after `cases` cases of every part; with
    `tried` above 1, the highest total of so many players.
    """
    chance = stream(1, "few cases", rows, cases, tried)
    totals = np.concatenate([
        _totals(shares[chance.integers(len(shares), size=(PIECE, rows, tried))], points, cases,
                chance)
        for _ in range(DRAWS // PIECE)
    ])  # fmt: skip
    best = totals.max(1)
    deviation = float(totals.std(1, ddof=1).mean()) if rows > 1 else 0.0
    low, high = np.quantile(best, (0.025, 0.975))
    reached = float((best >= wanted).mean())
    return Marks(
        float(totals.mean()), deviation, float(best.mean()), float(low), float(high), reached
    )


def _totals(picked: Array, points: Array, cases: int, chance: np.random.Generator) -> Array:
    marks = np.rint(chance.binomial(cases, np.clip(picked, 0, 1)) / cases * points)
    totals: Array = marks.sum(-1).max(-1)
    return totals
