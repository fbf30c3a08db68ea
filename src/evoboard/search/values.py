"""The scale of values, and the evaluation of a position by a network.

Values are float32 and seen by the side to move. A win is worth WON minus the ply it happens on, so
that nearer wins are better; what a network says stays within ±BOUND, far below any win.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import slot
from evoboard.encoders.base import SEEN_BY_MOVER, UNLISTED, encode, list_inputs
from evoboard.games.rules import ONGOING, TURN, legal_moves, outcome, stuck
from evoboard.networks.base import forward, forward_changed, forward_listed

F = np.float32
WON = F(100_000)
BOUND = F(10_000)
INFINITY = F(1_000_000)
CERTAIN = float(BOUND) * 2  # no network's opinion is that large
ABOUT_UNAIDED = "know nothing of how games end: the evaluation values final positions, too"


@slot
def evaluate(network: Any, state: Array, values: Array) -> np.float32:
    """Return the value of a state for its side to move, within ±BOUND.

    Only an unaided search asks where the game is over.

    `network` is whatever the evaluator needs (for `network_value`, a member of a pack), `values`
    float32 scratch.
    """


def network_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return what the network says; the usual filling of the slot `evaluate`."""
    encode(state, values)
    return _as_seen(forward(network, values), state)


def listed_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return what the network says, where the encoder lists its inputs: the same, but rounding."""
    count = list_inputs(state, values)
    return _as_seen(forward_listed(network, values, count, UNLISTED), state)


def changed_value(network: Any, state: Array, values: Array) -> np.float32:
    """Return the same from what has changed since the last position with this side to move."""
    count = list_inputs(state, values)
    value = forward_changed(network, values, count, UNLISTED, state[TURN])
    return _as_seen(value, state)


def _as_seen(value: F, state: Array) -> np.float32:
    """Return a network's value for the side to move, within ±BOUND."""
    if SEEN_BY_MOVER == 0 and state[TURN] == 1:
        value = -value
    # Not a number compares false with everything: it counts as 0, never as good or bad.
    if value >= BOUND:
        return BOUND
    if value <= -BOUND:
        return -BOUND
    return value if value == value else F(0)


def settled(result: int, ply: int) -> np.float32:
    """Return the value of LOSS, DRAW or WIN for the side to move `ply` plies from the root."""
    return F(result) * (WON - F(ply))


def end_value(
    network: Any, settings: Any, result: int, state: Array, ply: int, values: Array
) -> np.float32:
    """Return the value of a state in which the game is over, for its side to move.

    A search that is `unaided` knows no result: there the evaluation speaks as anywhere else.
    """
    if settings.unaided:
        return evaluate(network, state, values)
    return settled(result, ply)


def look(state: Array, moves: Array) -> tuple[int, int]:
    """Return the state's result and, while that is ONGOING, how many legal moves are in `moves`."""
    result = outcome(state)
    if result != ONGOING:
        return result, 0
    count = legal_moves(state, moves)
    return (ONGOING, count) if count > 0 else (stuck(state), 0)


def leaf_value(network: Any, state: Array, ply: int, values: Array) -> np.float32:
    """Return the value of a state that is not searched further, for its side to move."""
    result = outcome(state)
    if result != ONGOING:
        return settled(result, ply)
    return evaluate(network, state, values)


def plies_to_end(value: float) -> int | None:
    """Return after how many plies a certain win or loss comes, None if nothing is certain."""
    return max(0, round(float(WON) - abs(value))) if abs(value) >= CERTAIN else None
