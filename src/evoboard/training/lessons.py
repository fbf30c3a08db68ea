"""Positions of a generation's games, as strategies that learn from them want them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evoboard.arena.backends.base import Results
from evoboard.arena.schedules import OpeningLines
from evoboard.core.arrays import Array
from evoboard.encoders.base import SEEN_BY_MOVER, Encoder, encode
from evoboard.evolution.base import Lessons, LessonsWanted
from evoboard.games.base import Game
from evoboard.games.rules import TURN, apply_move, copy_state, forcing


def lessons_of(game: Game, encoder: Encoder, played: Results, wanted: LessonsWanted) -> Lessons:
    """Return positions of all games, those of each spread evenly over it; its moves must be kept.

    With `quiet`, only positions in which no forcing move was played: what they are worth is not
    about to change.
    """
    table, schedule = played.table, played.schedule
    mark = game.link(mark_quiet)
    write = game.link(write_lessons, **encoder.bindings)
    spare = np.zeros((2, game.state_size), np.int64)
    chosen = []
    for number, plies in enumerate(table.plies):
        marks = np.ones(plies, np.int64)
        if wanted.quiet:
            start = schedule.openings[schedule.opening_of[number]]
            mark(start, played.moves[number], spare, marks)
        chosen.append(_spread(np.flatnonzero(marks), wanted.positions))
    counts = np.array([len(plies) for plies in chosen], np.int64)
    ends = np.cumsum(counts)
    inputs = np.zeros((int(counts.sum()), encoder.inputs), np.float32)
    signs = np.zeros(len(inputs), np.float32)
    for number, plies in enumerate(chosen):
        rows = slice(int(ends[number] - counts[number]), int(ends[number]))
        start = schedule.openings[schedule.opening_of[number]]
        write(start, played.moves[number], plies, spare, inputs[rows], signs[rows])
    games = np.repeat(np.arange(len(counts)), counts)
    results = table.results.astype(np.float32)[games] * signs
    return Lessons(inputs, results, signs, games, schedule.pairings[games])


def lessons_with_moves(
    game: Game, encoder: Encoder, played: Results, openings: OpeningLines
) -> tuple[Lessons, Array]:
    """Return all positions of all games as lessons, and the moves played in them.

    The first lesson of a game is the last random move of its opening: no player chose it, so
    what follows may be new to all of them. Every move after it was chosen.
    """
    table, schedule = played.table, played.schedule
    opening = schedule.opening_of
    led = (openings.moves[opening] >= 0).astype(np.int64)
    ends = np.cumsum(table.plies + led)
    games = np.repeat(np.arange(len(ends)), table.plies + led)
    inputs = np.zeros((len(games), encoder.inputs), np.float32)
    signs, moves = np.zeros(len(games), np.float32), np.zeros(len(games), np.int64)
    write = game.link(write_lessons, **encoder.bindings)
    spare = np.zeros((2, game.state_size), np.int64)
    for number, plies in enumerate(table.plies):
        line = played.moves[number][:plies].astype(np.int64)
        start = openings.ends[opening[number]]
        if led[number]:
            start = openings.before[opening[number]]
            line = np.concatenate([openings.moves[opening[number]][None], line])
        rows = slice(int(ends[number]) - len(line), int(ends[number]))
        write(start, line, np.arange(len(line)), spare, inputs[rows], signs[rows])
        moves[rows] = line
    results = table.results.astype(np.float32)[games] * signs
    return Lessons(inputs, results, signs, games, schedule.pairings[games]), moves


def won_inputs(
    game: Game, encoder: Encoder, played: Results, size: int, most: int
) -> Sequence[Array]:
    """Return for each individual what its network saw in games it won, at most `most` positions.

    Only positions in which a higher output speaks for the winner: those where it is to move, or,
    where networks see with side 0's eyes, all of the games it won as side 0. They are spread
    evenly over all its won games, so that openings do not outweigh endings.
    """
    write = game.link(write_lessons, **encoder.bindings)
    spare = np.zeros((2, game.state_size), np.int64)
    found = []
    for player in range(size):
        games, plies = _won_positions(game, encoder, played, player)
        chosen = _spread(np.arange(len(games)), most)
        games, plies = games[chosen], plies[chosen]
        inputs = np.zeros((len(games), encoder.inputs), np.float32)
        signs = np.zeros(len(games), np.float32)
        for number in np.unique(games):  # those of a game stand together
            rows = slice(*np.searchsorted(games, [number, number + 1]))
            start = played.schedule.openings[played.schedule.opening_of[number]]
            write(start, played.moves[number], plies[rows], spare, inputs[rows], signs[rows])
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


def _spread(plies: Array, most: int) -> Array:
    """Return at most that many of the plies, evenly spread."""
    if len(plies) <= most:
        return plies
    return plies[np.linspace(0, len(plies), most, endpoint=False).astype(np.int64)]


def mark_quiet(start: Array, moves: Array, spare: Array, marks: Array) -> None:
    """Write 1 for each position in which a move was played that forces nothing, else 0."""
    copy_state(start, spare[0])
    for ply in range(len(marks)):
        state = spare[ply % 2]
        marks[ply] = 0 if forcing(state, moves[ply]) > 0 else 1
        apply_move(state, moves[ply], spare[(ply + 1) % 2])


def write_lessons(
    start: Array, moves: Array, plies: Array, spare: Array, inputs: Array, signs: Array
) -> None:
    """Write what a network sees before the moves at these plies, and 1 or -1: side 0 or 1 sees."""
    copy_state(start, spare[0])
    done = 0
    for i in range(len(plies)):
        for ply in range(done, plies[i]):
            apply_move(spare[ply % 2], moves[ply], spare[(ply + 1) % 2])
        done = plies[i]
        state = spare[done % 2]
        encode(state, inputs[i])
        signs[i] = -1 if SEEN_BY_MOVER == 1 and state[TURN] == 1 else 1
