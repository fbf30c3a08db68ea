"""What games of alpha-beta players have on a GPU: positions, moves, and a thread's workspace."""

from __future__ import annotations

from typing import NamedTuple

from evoboard.core.arrays import Array
from evoboard.search.past import Past


class GpuBoards(NamedTuple):
    """The games at work: positions (games, cells), keys (plies, games), and how many are left."""

    cells: Array
    keys: Array
    left: Array


class Listed(NamedTuple):
    """The moves whose values are wanted: how many there are of each game, the moves and their
    values (games, moves), the best value so far, and the replies that refuted moves of either side
    last (games, sides, 2). `hopes`: the second best move that either side had last (games, sides),
    and `firsts`: its number now, or 0; it is tried first, because a good move soon shows that
    others are worse. `ranks`: where two plies are searched, the moves' numbers in the order in
    which they are tried (games, moves). `rows`: where the replies to a game's first move are, and
    `used`: how many such rows are taken (1)."""

    counts: Array
    moves: Array
    values: Array
    best: Array
    refuters: Array
    hopes: Array
    firsts: Array
    ranks: Array
    rows: Array
    used: Array


class Replies(NamedTuple):
    """The replies to listed moves, for searches of two plies and more, a row for each move: how
    many there are (rows), and the replies (rows, moves)."""

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
