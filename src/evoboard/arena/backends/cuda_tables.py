"""What games of alpha-beta players have on a GPU: positions, moves, and a thread's workspace."""

from __future__ import annotations

from typing import NamedTuple

from evoboard.core.arrays import Array
from evoboard.search.past import Past


class Boards(NamedTuple):
    """The games at work: positions (games, cells), keys (plies, games), and how many are left."""

    cells: Array
    keys: Array
    left: Array


class Listed(NamedTuple):
    """The moves whose values are wanted: how many there are of each game, the moves and their
    values (games, moves), the best value so far, and the reply that refuted a move of either side
    last (games, sides). `hopes`: the second best move that either side had last (games, sides), and
    `firsts`: its number now, or 0; it is tried first, because a good move soon shows that others
    are worse."""

    counts: Array
    moves: Array
    values: Array
    best: Array
    refuters: Array
    hopes: Array
    firsts: Array


class Replies(NamedTuple):
    """The replies to listed moves, for searches of two plies and more: how many there are (games in
    their order, moves), and the replies."""

    counts: Array
    moves: Array


class Work(NamedTuple):
    """A thread's workspace; rows are levels, from that of a listed move's position on."""

    states: Array
    moves: Array
    scores: Array
    cursors: Array
    bounds: Array
    scratch: Array
    past: Past
