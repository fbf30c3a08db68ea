"""The game behind a search and the line it looks at, for the rules that need a history.

With the setting `draws` a search sees repetition, plies without progress and length as a match
judges them (`games/adjudication.py`): a line that comes to such an end is worth a draw. Keys of the
game's last positions stand before those of the line, in one array, so that a line's positions are
compared with the game's as with its own.

Quiescence does not look: forcing moves, such as captures, do not come back to a position.
"""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import types
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.link import slot
from evoboard.games.adjudication import PLAYING, REPETITION, ended_by_history
from evoboard.games.position import position_key
from evoboard.games.rules import DRAW, ONGOING, QUIET, legal_moves, outcome
from evoboard.search.values import end_value, evaluate

KEPT = 1_000  # plies of a game that are looked at
LONGEST = 260  # plies of a line
ABOUT_DRAWS = "see repetition and the game's other draw rules in every line"


class Past(NamedTuple):
    """What a search knows of the game that led to its root."""

    keys: Array  # (KEPT + 1 + LONGEST,) int64: of the game up to the root, then of the line
    root: Array  # (2,) int64: the root's place in `keys`, and its ply in the game
    limits: Array  # (3,) int64: repetitions, quiet plies and plies; 0: no limit


def empty_past() -> Past:
    """Return the past of a game that has just begun, without rules."""
    kept = np.zeros(KEPT + 1 + LONGEST, np.int64)
    return Past(kept, np.zeros(2, np.int64), np.zeros(3, np.int64))


@slot
def show_past(work: Any, settings: Any, state: Array, keys: Array, ply: int, limits: Array) -> None:
    """Let a search know the game that led to `state`; `keys[0..ply]` are those of its positions."""


def take_past(work: Any, settings: Any, state: Array, keys: Array, ply: int, limits: Array) -> None:
    """Copy into `work.past` what a search with the setting `draws` needs; fills `show_past`."""
    if settings.draws == 0:
        return
    past, count = work.past, min(ply, KEPT)
    if QUIET >= 0:  # nothing from before the last irreversible move can come back
        count = min(count, state[QUIET])
    past.root[0], past.root[1] = count, ply
    # A game that is drawn already is played on by those who do not mind.
    drawn = ended_by_history(state, keys, ply, ply, limits) != PLAYING
    for i in range(3):
        past.limits[i] = 0 if drawn else limits[i]
    if past.limits[0] > 0:
        for i in range(count + 1):
            past.keys[i] = keys[ply - count + i]


def take_nothing(
    work: Any, settings: Any, state: Array, keys: Array, ply: int, limits: Array
) -> None:
    """Do nothing; fills `show_past` for a search that does not look back."""


def past_taker(search: types.ModuleType) -> Any:
    """Return what fills the slot `show_past` for a search."""
    return take_past if "past" in search.Work._fields else take_nothing


def note_position(state: Array, past: Past, level: int) -> None:
    """Keep the key of the position that a line reaches after `level` plies."""
    if past.limits[0] > 0:
        past.keys[past.root[0] + level] = position_key(state)


def drawn_by_history(state: Array, past: Past, level: int, moves: Array) -> bool:
    """Tell whether the game is drawn in an ongoing position of a line whose keys are noted.

    A side that cannot move is stuck, not drawn: its moves are written to `moves` to find out.
    """
    place, ply = past.root[0] + level, past.root[1] + level
    code = ended_by_history(state, past.keys, place, ply, past.limits)
    # A position that comes back has moves, or the line had ended there.
    return code == REPETITION or (code != PLAYING and legal_moves(state, moves) > 0)


def line_result(
    settings: Any, state: Array, past: Past, level: int, ends: bool, moves: Array
) -> int:
    """Return the result of a position that a line reaches, for its side to move, or ONGOING.

    `ends`: the line goes no further, so that a position that cannot be one of the past need not
    be noted. Who is `unaided` knows no draw rules either.
    """
    result = outcome(state)
    if settings.draws == 0 or settings.unaided or result != ONGOING:
        return result
    if not ends or QUIET < 0 or state[QUIET] >= 2:
        note_position(state, past, level)
    elif past.limits[1] == 0 and past.limits[2] == 0:
        return ONGOING
    return DRAW if drawn_by_history(state, past, level, moves) else ONGOING


def line_value(
    network: Any, settings: Any, state: Array, past: Past, level: int, moves: Array, values: Array
) -> np.float32:
    """Return the value of a position at the end of a line, for its side to move."""
    result = line_result(settings, state, past, level, True, moves)
    if result != ONGOING:
        return end_value(network, settings, result, state, level, values)
    return evaluate(network, state, values)
