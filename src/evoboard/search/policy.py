"""Policy: the network itself chooses its move in nim, without any search.

Outputs, for heaps counted from 0 and `largest` the size that the largest heap can have:

- direct: two numbers, heap and amount, each rounded to the nearest whole number, halves upwards;
- one-hot: one number per heap, then one for each amount from 1 to `largest`; the highest of each
  group is meant, the first among equals.

A strict policy that names an illegal move returns -1, which loses. A safe one plays the
legal move nearest to it: on the nearest heap that has matches, of two equally near ones the first,
the nearest amount. So the heap comes first, and a heap with matches left is never changed for
another. What is not a number counts as 0 in the direct form and as lowest in the one-hot form.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field

from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.settings import Settings as BaseSettings
from evoboard.encoders.base import encode
from evoboard.games.base import Game
from evoboard.games.nim import MOST_MATCHES, make_move, move_amount, move_heap
from evoboard.games.rules import ONGOING, TURN, outcome
from evoboard.networks.base import forward_all
from evoboard.search.base import DEPTH, LINE, NODES, ROOT, report

DETERMINISTIC = True
AT_ONCE = True

F = np.float32


class Settings(BaseSettings):
    """How outputs are read, and what becomes of illegal ones."""

    one_hot: bool = Field(False, description="one output per heap and amount; off: two numbers")
    safe: bool = Field(
        False, description="replace an illegal move with the nearest legal one; off: it loses"
    )


class Work(NamedTuple):
    """The report fields, then scratch and outputs of the network."""

    stop: Array
    counts: Array
    value: Array
    line: Array
    root_moves: Array
    root_values: Array
    values: Array  # (scratch,) float32
    outputs: Array  # (outputs_for(...),) float32


def outputs_for(game: Game, settings: Settings) -> int:
    """Return how many outputs the network must have."""
    if game.name != "nim":
        raise OptionError(
            f"policy needs a game whose moves are a heap and an amount, that is, nim; for "
            f"{game.name} let a search choose the move, such as alphabeta."
        )
    heaps = game.options["heaps"]
    return len(heaps) + max(heaps) if settings.one_hot else 2


def naming_outputs(game: Game, settings: Settings, moves: Array) -> tuple[Array, Array]:
    """Return the outputs that name moves, (n, 2), and where either group of them begins and ends.

    A network learns from these which move to name.
    """
    if not settings.one_hot:
        raise OptionError(
            "networks can only learn moves with one output per heap and amount; set one_hot=true."
        )
    heaps, outputs = len(game.options["heaps"]), outputs_for(game, settings)
    named = [(move_heap(move), heaps + move_amount(move) - 1) for move in moves.tolist()]
    groups = [(0, heaps), (heaps, outputs)]
    return np.array(named, np.int64).reshape(-1, 2), np.array(groups, np.int64)


def workspace(game: Game, settings: Settings, scratch: int) -> Work:
    """Return the arrays one choice of a move needs."""
    outputs = outputs_for(game, settings)
    return Work(*report(game), np.zeros(scratch, F), np.zeros(outputs, F))


def best_move(network: Any, state: Array, settings: Settings, chance: int, work: Work) -> int:
    """Return the network's move, -1 if it is illegal and the policy strict."""
    counts = work.counts
    counts[NODES], counts[DEPTH], counts[LINE], counts[ROOT] = 0, 0, 0, 0
    work.value[0] = F(0)
    if outcome(state) != ONGOING:
        return -1
    encode(state, work.values)
    forward_all(network, work.values, work.outputs)
    # In nim the side to move is the cell after the heaps.
    heaps = TURN
    if settings.one_hot == 1:
        heap = _highest(work.outputs, 0, heaps)
        amount = 1 + _highest(work.outputs, heaps, work.outputs.shape[0] - heaps)
    else:
        heap, amount = _whole(work.outputs[0]), _whole(work.outputs[1])
    if settings.safe == 1:
        heap = _nearest_heap(state, heap, heaps)
        amount = min(max(amount, 1), state[heap])
    if heap < 0 or heap >= heaps or amount < 1 or amount > state[heap]:
        return -1
    move = make_move(heap, amount)
    counts[NODES], counts[LINE] = 1, 1
    work.line[0] = move
    return move


def _highest(outputs: Array, start: int, count: int) -> int:
    """Return which of `count` outputs from `start` on is the highest, counted from 0."""
    best = -1
    for i in range(count):
        value = outputs[start + i]
        # A comparison with what is not a number is false.
        if value == value and (best < 0 or value > outputs[start + best]):
            best = i
    return max(best, 0)


def _whole(value: np.float32) -> Any:
    """Return the nearest whole number, within twice what any heap can hold."""
    bound = 2 * MOST_MATCHES
    if value != value:
        return np.int64(0)
    # A GPU's floor is not a whole number yet.
    return np.int64(math.floor(min(max(value, F(-bound)), F(bound)) + F(0.5)))


def _nearest_heap(state: Array, wanted: int, heaps: int) -> int:
    """Return the heap with matches whose number is nearest to the wanted one."""
    best, least = 0, 4 * MOST_MATCHES
    for heap in range(heaps):
        if state[heap] > 0 and abs(heap - wanted) < least:
            best, least = heap, abs(heap - wanted)
    return best
