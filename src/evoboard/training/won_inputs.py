"""What networks saw in the games they won, for strategies that learn from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.core.arrays import Array
from evoboard.encoders.base import Encoder, encode
from evoboard.games.base import Game
from evoboard.games.rules import STATE_SIZE, apply_move


def won_inputs(
    game: Game, encoder: Encoder, results: Results, size: int, most: int
) -> Sequence[Array]:
    """Return for each individual what its network saw in games it won, at most `most` positions.

    Only positions in which a higher output speaks for the winner: those where it is to move, or,
    where networks see with side 0's eyes, all of the games it won as side 0. They are spread
    evenly over all its won games, so that openings do not outweigh endings.
    """
    kernel = game.link(encode_position, **encoder.bindings)
    spare = np.zeros((2, game.state_size), np.int64)
    found = []
    for player in range(size):
        games, plies = _won_positions(game, encoder, results, player)
        places = np.linspace(0, len(games), min(most, len(games)), endpoint=False).astype(np.int64)
        inputs = np.zeros((len(places), encoder.inputs), np.float32)
        for row, place in enumerate(places):
            number = games[place]
            start = results.schedule.openings[results.schedule.opening_of[number]]
            kernel(start, results.moves[number], plies[place], spare, inputs[row])
        found.append(inputs)
    return found


def _won_positions(
    game: Game, encoder: Encoder, results: Results, player: int
) -> tuple[Array, Array]:
    """Return game and ply of every position that speaks for `player`, who won there."""
    table, schedule = results.table, results.schedule
    first = (table.first == player) & (table.results > 0)
    second = (table.second == player) & (table.results < 0)
    mover = encoder.seen_by == "mover"
    won = np.flatnonzero(first | second if mover else first)
    games = np.repeat(won, table.plies[won])
    plies = np.concatenate([np.arange(n) for n in table.plies[won]] or [np.zeros(0, np.int64)])
    if not mover:
        return games, plies
    begins = schedule.openings[schedule.opening_of, game.turn]
    to_move = (begins[games] + plies) % 2
    own = to_move == np.where(first[games], 0, 1)
    return games[own], plies[own]


def encode_position(start: Array, moves: Array, plies: int, spare: Array, out: Array) -> None:
    """Write what a network sees after the first `plies` moves; `spare` holds two states."""
    for cell in range(STATE_SIZE):
        spare[0, cell] = start[cell]
    for ply in range(plies):
        apply_move(spare[ply % 2], moves[ply], spare[(ply + 1) % 2])
    encode(spare[plies % 2], out)
