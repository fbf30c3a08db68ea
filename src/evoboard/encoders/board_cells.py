"""How a game keeps its pieces in the cells of its states, worked out from its rules alone.

It is read off positions of random games: which value of a cell is which piece of which side, and
how the board has to be turned for side 1 so that either side plays as the other does. A turn is
right where, in all these positions, the moves of one side lead to the same boards, turned, as the
moves of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.core.rng import stream
from evoboard.games.base import Game
from evoboard.games.view import Board, View

GAMES, PLIES = 16, 60  # so many random games, at most so long, are looked at
TESTED = 24  # positions in which turning the board is tried
MOST_ON_A_CELL = 99


class BoardCells(NamedTuple):
    """The first cells of a state are those of the board, in its order.

    `kinds`: a symbol for each kind of piece. By value less `low`: `kind`, and `amount`, how many
    pieces it is, side 1's negative, 0 for no piece. `places` (2, cells): where either side sees a
    cell.
    """

    kinds: tuple[str, ...]
    low: int
    kind: Array
    amount: Array
    places: Array
    names: tuple[str, ...]


def find_board_cells(game: Game) -> BoardCells | None:
    """Return how the game keeps its board, None if it does not keep it in cells."""
    return _find(_Known(game))


class _Known:
    """A game that is equal to any other with the same rules, so that it is looked at once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.key = (game.file, repr(sorted(game.options.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=64)
def _find(known: _Known) -> BoardCells | None:
    game = known.game
    view = game.written("view")
    if view is None:
        return None
    states = _positions(game)
    board: Board = view(states[0], []).board
    cells = len(board.names)
    if not game.state_size > cells <= game.turn:
        return None
    pieces = _read_values(view, states, cells)
    if not pieces:
        return None
    kinds = tuple(dict.fromkeys(symbol for symbol, _, _ in pieces.values()))
    low, high = min(pieces), max(pieces)
    kind, amount = np.zeros(high - low + 1, np.int64), np.zeros(high - low + 1, np.int64)
    for value, (symbol, side, count) in pieces.items():
        kind[value - low] = kinds.index(symbol)
        amount[value - low] = count if side == 0 else -count
    turned = _how_to_turn(game, states, board, pieces)
    places = np.stack([np.arange(cells), turned])
    return BoardCells(kinds, low, kind, amount, places, board.names)


def _positions(game: Game) -> list[Array]:
    """Return positions of random games, always the same ones."""
    found = []
    for number in range(GAMES):
        chance = stream(number, "board cells", game.name)
        state = game.initial(number + 1)
        for _ in range(PLIES):
            found.append(state)
            moves = game.legal_moves(state)
            if not moves:
                break
            state = game.apply(state, moves[int(chance.integers(len(moves)))])
    return found


Pieces = dict[int, tuple[str, int, int]]  # by value of a cell: symbol, side, how many


def _read_values(view: Callable[..., View], states: list[Array], cells: int) -> Pieces:
    """Return what each value of a cell stands for, nothing where values are no pieces."""
    found: dict[int, tuple[str, int, int] | None] = {}
    for state in states:
        shown = {p.cell: (p.symbol, p.side, p.count) for p in view(state, []).pieces}
        for cell in range(cells):
            piece = shown.get(cell)
            if found.setdefault(int(state[cell]), piece) != piece:
                return {}
    pieces = {value: piece for value, piece in found.items() if piece is not None}
    if any(side not in (0, 1) for _, side, _ in pieces.values()):
        return {}
    # What only one side has had so far, the other may have as well: by the opposite number.
    for value, (symbol, side, count) in list(pieces.items()):
        if -value not in found:
            pieces[-value] = (symbol, 1 - side, count)
    alike = {v: (_symbol(pieces, v), *pieces[v][1:]) for v in sorted(pieces, key=abs)}
    if any(count > 1 for _, _, count in alike.values()) and all(
        count == abs(value) for value, (_, _, count) in alike.items()
    ):
        # A cell counts pieces of one kind: these few games have not seen the largest numbers.
        for value, (symbol, side, _) in list(alike.items()):
            sign = 1 if value > 0 else -1
            alike |= {sign * n: (symbol, side, n) for n in range(1, MOST_ON_A_CELL + 1)}
    return alike


def _symbol(pieces: Pieces, value: int) -> str:
    """Return a piece's symbol, side 0's for pieces of opposite numbers."""
    symbol, side, _ = pieces[value]
    other = pieces.get(-value)
    return other[0] if side == 1 and other is not None and other[1] == 0 else symbol


def _how_to_turn(game: Game, states: list[Array], board: Board, pieces: Pieces) -> Array:
    """Return where side 1 sees each cell: upside down, turned round, or where side 0 does."""
    cells = np.arange(len(board.names))
    rows, columns = cells // board.width, cells % board.width
    upside_down = (board.height - 1 - rows) * board.width + columns
    swapped = _swapped_values(pieces)
    ongoing = [state for state in states if game.legal_moves(state)]
    step = max(1, len(ongoing) // TESTED)
    for places in (upside_down, cells[::-1].copy()):
        if swapped and all(_plays_alike(game, s, places, swapped) for s in ongoing[::step]):
            return places
    return cells


def _swapped_values(pieces: Pieces) -> dict[int, int]:
    """Return by value that of the same piece of the other side, nothing where one has none."""
    values = {piece: value for value, piece in pieces.items()}
    swapped = {v: values.get((s, 1 - side, n)) for v, (s, side, n) in pieces.items()}
    return (
        {v: w for v, w in swapped.items() if w is not None} if None not in swapped.values() else {}
    )


def _plays_alike(game: Game, state: Array, places: Array, swapped: dict[int, int]) -> bool:
    """Tell whether the other side can do on the turned board what the side to move can here."""
    turned = _turned(game, state, places, swapped)
    try:
        here = sorted(
            _turned(game, game.apply(state, move), places, swapped)[: len(places)].tolist()
            for move in game.legal_moves(state)
        )
        there = sorted(
            game.apply(turned, move)[: len(places)].tolist() for move in game.legal_moves(turned)
        )
    except EvoboardError:  # the rules of a user's game may not cope with such a position
        return False
    return here == there


def _turned(game: Game, state: Array, places: Array, swapped: dict[int, int]) -> Array:
    """Return a position with the board turned and the sides exchanged."""
    out = state.copy()
    out[places] = [swapped.get(int(value), int(value)) for value in state[: len(places)]]
    out[game.turn] = 1 - state[game.turn]
    return out
