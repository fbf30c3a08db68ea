"""scripted: three players of hexwar that follow a few rules; no two of them alike.

- rusher     takes whatever it beats, marches its largest army at the enemy, and produces only
             where a march would end beside an army that can beat it;
- turtle     produces, the most threatened tile first; takes only what it can hold; spreads, away
             from the enemy, only when all its tiles are full;
- builder    is a turtle until it has ARMY pieces or twice the enemy's, then a rusher.

Each rates every legal move and plays the first of the highest; none uses chance.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.link import constant_slot
from evoboard.core.settings import Settings
from evoboard.games.base import Game
from evoboard.games.hexwar import CELLS, LIMIT, PIECES, neighbours, split_move, steps_between
from evoboard.games.rules import TURN
from evoboard.players.choosing import ChoosingPlayer

SUMMARY = "hexwar by a few rules: scripted:rusher, scripted:turtle, scripted:builder"

Script = Literal["rusher", "turtle", "builder"]
SCRIPTS = get_args(Script)
RUSHER, TURTLE, BUILDER = range(3)
ARMY = 20

F = np.float32
WINS, TAKES, SPENDS = 1_000_000, 10_000, 5_000
FAR = 100

DISTANCES: Array = constant_slot()  # (25, 25) int64: steps between two tiles


class Options(Settings):
    """Which of the scripts."""

    BARE: ClassVar[str] = "script"

    script: Script = Field(description="the script's name")


def player_for(game: Game, options: Options) -> ChoosingPlayer:
    """Return the player; its values are ratings of moves, not of positions."""
    return ChoosingPlayer(game, choose, options, **bindings(game))


def bindings(game: Game) -> dict[str, Any]:
    """Return what the kernel must be linked with: how far tiles are apart in this game's layout."""
    if game.name != "hexwar":
        raise OptionError(f"the scripts play hexwar, not {game.name}.")
    return {"DISTANCES": steps_between(neighbours(game.options["layout"]))}


def choose(state: Array, moves: Array, values: Array, options: Any, chance: int) -> int:
    """Return the place of the first of the highest rated moves."""
    script = options.script
    if script == BUILDER:
        own, foes = state[PIECES + state[TURN]], state[PIECES + 1 - state[TURN]]
        script = RUSHER if own >= ARMY or own >= 2 * foes else TURTLE
    best = 0
    for i in range(moves.shape[0]):
        values[i] = F(_rating(state, moves[i], script))
        if values[i] > values[best]:
            best = i
    return best


def _rating(state: Array, move: int, script: int) -> int:
    """Return how much a script likes a move."""
    side = state[TURN]
    source, target, amount = split_move(move)
    sign = 1 - 2 * side
    stack, foe = state[source] * sign, -state[target] * sign
    if source == target:
        return _produce_rating(state, source, stack, script)
    if foe > 0:
        return _capture_rating(state, target, amount, foe, script)
    threat = _threat(state, target)
    if script == RUSHER:
        nearer = _distance(state, target) < _distance(state, source)
        # Beside an equal army it offers an exchange, which is good for the side that has more.
        safe = threat < amount + (state[PIECES + side] > state[PIECES + 1 - side])
        return 1_000 + 10 * amount if amount == stack and nearer and safe else -threat
    # A full tile sends half its pieces to the safest empty neighbour.
    if stack == LIMIT and foe == 0 and amount == LIMIT // 2:
        return 100 + _distance(state, target)
    return -amount


def _produce_rating(state: Array, cell: int, stack: int, script: int) -> int:
    """Return how much a script likes to produce on a tile."""
    threat = _threat(state, cell)
    if script == RUSHER:
        return 100 + 10 * stack
    return 500 + (100 + threat - stack if threat >= stack else LIMIT - stack)


def _capture_rating(state: Array, target: int, amount: int, foe: int, script: int) -> int:
    """Return how much a script likes to attack `foe` pieces with `amount`."""
    side = state[TURN]
    fallen = min(amount, foe)
    own, foes = state[PIECES + side] - fallen, state[PIECES + 1 - side] - fallen
    if foes == 0:
        return WINS if own > 0 else -WINS
    if own == 0 or amount < foe:
        return -TAKES
    if amount == foe:
        return SPENDS + foe if own > foes and script == RUSHER else -SPENDS
    held = amount - foe > _threat(state, target)
    if script == RUSHER:
        return TAKES + 100 * foe + 50 * held + amount
    return TAKES + 100 * foe + amount if held else -SPENDS


def _threat(state: Array, cell: int) -> int:
    """Return the largest enemy army beside a tile."""
    sign, largest = 1 - 2 * state[TURN], 0
    for other in range(CELLS):
        if DISTANCES[cell, other] == 1:
            largest = max(largest, -state[other] * sign)
    return largest


def _distance(state: Array, cell: int) -> int:
    """Return the steps from a tile to the nearest enemy."""
    sign, nearest = 1 - 2 * state[TURN], FAR
    for other in range(CELLS):
        if state[other] * sign < 0:
            nearest = min(nearest, DISTANCES[cell, other])
    return nearest
