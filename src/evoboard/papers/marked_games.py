"""King-capture chess marked as paper A marks it: by what a network does in games, case by case.

"Scores are assigned based on how often a network reflects the individual parameter during a series
of games played against a human opponent." A player that counts pieces takes the person's place.
Each time the network is to move, its position may be a case of SK, MK, SP or MP, by the same rules
as the fixed positions of the grade; what its move earns there is its mark.
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
PURPOSE = "marked games"


class Person(NamedTuple):
    """Who plays in the person's place: a player, and how often it moves at random instead."""

    title: str
    text: str
    slips: float = 0.0


# The first is who everybody is measured against here: counting pieces at equal search.
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


def marked_in_games(text: str, person: Person, games: int, seed: int = 1) -> Marked:
    """Return the marks of a player, unaided, who has either colour in half of the games."""
    game = load_game(GAME)
    with borrowed_player(text, game) as player, borrowed_player(person.text, game) as other:
        if isinstance(player, SearchPlayer):
            player.play_unaided()
        played = [_play(player, other, person.slips, number, seed) for number in range(games)]
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


def _play(
    player: Player, other: Player, slips: float, number: int, seed: int
) -> list[tuple[Array, int]]:
    """Return the positions in which a player moved in one game, and its moves."""
    game, chance = load_game(GAME), stream(seed, PURPOSE, number)
    state, found = game.initial(), []
    for ply in range(LONGEST):
        moves = game.legal_moves(state)
        if not moves:
            break
        own = game.side(state) == number % 2
        if ply < OPENING or (not own and chance.random() < slips):
            move = moves[int(chance.integers(len(moves)))]
        else:
            luck = address(seed, PURPOSE, number, ply)
            move = (player if own else other).think(History.of(game, state), luck).move
            if own:
                found.append((state, int(move)))
        state = game.apply(state, move)
    return found
