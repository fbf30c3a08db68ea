"""What every game's kernels promise, and the names generic kernels call them by.

A state is a flat integer array of `STATE_SIZE` cells, a move an int32. The functions below are
slots: a search or a match written against them is linked to a game's own functions of these names
(see `core/link.py`). All run on ongoing states only, unless said otherwise, and never allocate.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.core.link import constant_slot, slot

# Outcomes are seen by the side to move.
LOSS, DRAW, WIN, ONGOING = -1, 0, 1, 2

STATE_SIZE: int = constant_slot()  # cells of a state
MAX_MOVES: int = constant_slot()  # no position has more legal moves
TURN: int = constant_slot()  # the cell that holds the side to move, 0 or 1
QUIET: int = constant_slot()  # the cell that counts plies without progress, or -1
IDENTITY: Array = constant_slot()  # per cell -1 where it tells two positions apart, else 0


@slot
def initial(state: Array, seed: int) -> None:
    """Write every cell of the start state; chance comes from `seed` (1 or more) alone."""


@slot
def legal_moves(state: Array, out: Array) -> int:
    """Write the legal moves of an ongoing `state` into `out`; return how many."""


@slot
def apply_move(state: Array, move: int, out: Array) -> None:
    """Write the state after `move` into `out`, every cell of it; `state` stays as it is."""


@slot
def outcome(state: Array) -> int:
    """Return LOSS, DRAW or WIN for the side to move where the state itself decides, else ONGOING.

    Cheap, and called before `legal_moves`: a side that merely has no move is `stuck`'s business.
    """


@slot
def stuck(state: Array) -> int:
    """Return LOSS, DRAW or WIN for a side to move that has no legal move."""


# What a game may tell searches besides; all of it is optional.


@slot
def forcing(state: Array, move: int) -> int:
    """Return 0 for a quiet move, more for one that should be tried early: captures, promotions.

    Without it all moves are quiet. A quiescence search tries forcing moves only, so they should
    run out after a few plies.
    """


@slot
def forcing_moves(state: Array, out: Array) -> int:
    """Write the forcing moves of a state in which `pass_turn` is 1 into `out`; return how many.

    Without it they are picked from all legal moves, which takes longer.
    """


@slot
def losing(state: Array, move: int) -> int:
    """Return 1 for a forcing move that surely costs more than it wins, else 0.

    Without it there are none.
    """


@slot
def in_check(state: Array) -> int:
    """Return 1 if the side to move must answer a threat, else 0. Without it there are none."""


@slot
def pass_turn(state: Array, out: Array) -> int:
    """Write the state with the other side to move into `out`, and return 1 if one may do so.

    1 says: some quiet move is as good as passing, nearly always. It is 0 in check and where moving
    may be a burden (zugzwang). Without it no side passes.
    """


# What generic kernels do with any state.


def copy_state(source: Array, target: Array) -> None:
    """Write the cells of one state into another."""
    for cell in range(STATE_SIZE):
        target[cell] = source[cell]


def play_move(state: Array, move: int, spare: Array) -> None:
    """Change `state` to that after `move`; `spare` has room for a state."""
    apply_move(state, move, spare)
    copy_state(spare, state)
