"""The solver is exact: Nim theory, trying everything, games that go round in circles."""

from __future__ import annotations

import functools
import itertools
import operator
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evoboard.core.errors import OptionError
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
from evoboard.players.solver import Solution, Solver
from evoboard.search.values import WON
from naive_grading import Grade, earns_point, grade_games, grade_moves, solve_moves

TICTACTOE = str(Path(__file__).parent.parent / "examples" / "tictactoe.py")
Heaps = tuple[int, ...]

# A walk on a fixed graph: node by node, the nodes of -1 lose and those of 1 win for who is to move.
WALK = """
import numpy as np
from evoboard.games import ONGOING, DRAW
VERSION, TURN, STATE_SIZE, MAX_MOVES = 1, 1, 3, 3
COUNTERS = (2,)
NEXT = np.array({following})
ENDS = np.array({ends})
def initial(state, seed):
    state[0], state[1], state[2] = 0, 0, 0
def legal_moves(state, out):
    count = 0
    for i in range(3):
        if NEXT[state[0], i] >= 0:
            out[count] = NEXT[state[0], i]
            count += 1
    return count
def apply_move(state, move, out):
    out[0], out[1], out[2] = move, 1 - state[1], state[2] + 1
def outcome(state):
    return ENDS[state[0]]
def stuck(state):
    return DRAW
"""


@functools.cache
def solver(text: str) -> Solver:
    return Solver(load_game(text))


def wins(heaps: Heaps) -> bool:
    """Misère theory in closed form, for the side to move."""
    if max(heaps) <= 1:
        return sum(heaps) % 2 == 0
    return functools.reduce(operator.xor, heaps) != 0


def after(heaps: Heaps) -> list[Heaps]:
    """Every position one move later."""
    return [(*heaps[:i], left, *heaps[i + 1 :]) for i, n in enumerate(heaps) for left in range(n)]


@functools.cache
def nim_solution(heaps: Heaps) -> tuple[int, int]:
    """Result and plies by trying everything: the winner hurries, the loser delays."""
    if not any(heaps):
        return 1, 0
    replies = [nim_solution(h) for h in after(heaps)]
    lost = [plies for result, plies in replies if result == -1]
    return (1, 1 + min(lost)) if lost else (-1, 1 + max(plies for _, plies in replies))


@functools.cache
def tictactoe_solution(board: str, mover: str) -> tuple[int, int]:
    """Result and plies (-1 for a draw) by trying everything."""
    other = "ox"[mover == "o"]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    if any(board[a] == board[b] == board[c] == other for a, b, c in lines):
        return -1, 0
    cells = [i for i in range(9) if board[i] == "."]
    replies = [tictactoe_solution(board[:i] + mover + board[i + 1 :], other) for i in cells]
    lost = [plies for result, plies in replies if result == -1]
    if lost:
        return 1, 1 + min(lost)
    if not cells or any(result == 0 for result, _ in replies):
        return 0, -1
    return -1, 1 + max(plies for _, plies in replies)


def reachable(game: Game) -> list[Any]:
    """Every position, ended ones included."""
    seen, queue = {}, [game.initial()]
    while queue:
        state = queue.pop()
        if state.tobytes() not in seen:
            seen[state.tobytes()] = state
            queue += [game.apply(state, move) for move in game.legal_moves(state)]
    return list(seen.values())


def test_it_agrees_with_nim_theory_for_all_starts_up_to_7_7_7() -> None:
    solve = solver("nim:heaps=7/7/7").solve
    for heaps in itertools.product(range(8), repeat=3):
        for side in (0, 1):
            assert (solve(np.array([*heaps, side])).result == 1) == wins(heaps), heaps


def test_nim_is_solved_in_a_moment() -> None:
    game = load_game("nim:heaps=7/7/7")
    Solver(game).solve(game.initial())
    began = time.process_time()
    Solver(game).solve(game.initial())
    assert time.process_time() - began < 0.3


def test_winners_hurry_and_losers_delay_in_nim() -> None:
    solve = solver("nim:heaps=4/5/6").solve
    for heaps in itertools.product(range(5), range(6), range(7)):
        assert solve(np.array([*heaps, 1])) == Solution(*nim_solution(heaps)), heaps


def test_every_position_of_tictactoe_is_right() -> None:
    game, solve = load_game(TICTACTOE), solver(TICTACTOE).solve
    states = reachable(game)
    assert len(states) == 5_478
    for state in states:
        board = "".join(".xo"[cell] for cell in state[:9])
        assert solve(state) == Solution(*tictactoe_solution(board, "xo"[state[9]])), board
    assert solve(game.initial()) == Solution(0, -1)


def random_walk(path: Path, nodes: int = 80) -> tuple[Game, np.ndarray, np.ndarray]:
    """A game on a random graph with circles, dead ends and ends of all kinds."""
    rng = np.random.default_rng(53)
    following = np.array([rng.choice(nodes, 3, replace=False) for _ in range(nodes)])
    following[rng.random((nodes, 3)) < 0.3] = -1
    following[0] = [1, 2, 3]
    ends = rng.choice([2] * 9 + [1, -1, 0], nodes)
    ends[:4] = 2
    path.write_text(WALK.format(following=following.tolist(), ends=ends.tolist()))
    return load_game(str(path)), following, ends


def walk_solutions(following: np.ndarray, ends: np.ndarray) -> dict[int, tuple[int, int]]:
    """Results by patience: what is decided within n plies, for n = 0, 1, 2, …"""
    nodes = range(len(ends))
    moves = [[int(m) for m in following[n] if m >= 0 and ends[n] == 2] for n in nodes]
    known = {n: (int(ends[n]), 0) for n in nodes if ends[n] in (1, -1)}
    for ply in range(1, len(ends) + 1):
        for node in nodes:
            if node in known or not moves[node]:
                continue
            replies = [known.get(m) for m in moves[node]]
            if any(r is not None and r[0] == -1 and r[1] == ply - 1 for r in replies):
                known[node] = (1, ply)
            elif all(r is not None and r[0] == 1 and r[1] < ply for r in replies):
                known[node] = (-1, ply)
    return {n: known.get(n, (0, -1)) for n in nodes}


def test_circles_that_neither_side_can_break_are_draws(tmp_path: Path) -> None:
    game, following, ends = random_walk(tmp_path / "walk.py")
    solve, expected = Solver(game).solve, walk_solutions(following, ends)
    for node in range(len(ends)):
        # The last cell does not tell positions apart.
        assert solve(np.array([node, 0, 77])) == Solution(*expected[node]), node
    results = [result for result, _ in expected.values()]
    assert min(results.count(result) for result in (-1, 0, 1)) > 10
    assert max(plies for _, plies in expected.values()) > 10


def test_moves_are_rated_for_the_side_that_makes_them() -> None:
    solutions = solve_moves(solver("nim:heaps=7/7/7"), np.array([1, 2, 0, 0]))
    # Leaving one match wins at once for the other side's having to take it.
    assert solutions[256 + 2] == Solution(1, 2)
    assert solutions[1] == Solution(-1, 3)
    assert [move for move, found in solutions.items() if found.result == 1] == [258]


def test_a_game_too_large_is_refused_and_what_was_known_stays_known() -> None:
    game = load_game("nim:heaps=9/9/9")
    small = Solver(game, limit=300)
    assert small.solve(np.array([2, 2, 2, 0])).result == 1
    with pytest.raises(OptionError, match=r"nim has more than 300 positions from 9,9,9 0"):
        small.solve(game.initial())
    assert small.solve(np.array([2, 2, 2, 0])).result == 1
    assert small.solve(np.array([3, 2, 2, 0])).result == 1
    with pytest.raises(OptionError, match="limit"):
        Solver(game, limit=0)


def test_connect_four_has_no_perfect_player() -> None:
    path = Path(TICTACTOE).with_name("connectfour.py")
    with pytest.raises(OptionError, match="connectfour has more than"):
        make_player("perfect", load_game(str(path)))


@pytest.mark.parametrize("side", [0, 1])
def test_a_perfect_player_never_loses_at_tictactoe(side: int) -> None:
    game = load_game(TICTACTOE)
    player, seen, queue = make_player("perfect", game), set(), [game.initial()]
    while queue:
        state = queue.pop()
        if state.tobytes() in seen:
            continue
        seen.add(state.tobytes())
        if game.outcome(state) != 2:
            assert game.outcome(state) == 0 or game.side(state) != side
        elif game.side(state) == side:
            queue.append(game.apply(state, player.think(History.of(game, state), len(seen)).move))
        else:
            queue += [game.apply(state, move) for move in game.legal_moves(state)]


def test_a_perfect_player_explains_itself() -> None:
    game = load_game("nim:heaps=7/7/7")
    thought = make_player("perfect", game).think(History(game), 1)
    assert thought.value == WON - 14
    assert len(thought.line) == 14
    assert set(thought.move_values) == set(game.legal_moves(game.initial()))
    state = game.initial()
    for move in thought.line:
        state = game.apply(state, move)
    assert game.outcome(state) == 1


def test_equally_good_moves_are_varied_unless_told_otherwise() -> None:
    game = load_game("nim:heaps=7/7/7")
    varied, fixed = make_player("perfect", game), make_player("perfect:vary=0", game)
    chances = range(1, 60)
    assert {varied.think(History(game), c).move for c in chances} == {7, 263, 519}
    assert {fixed.think(History(game), c).move for c in chances} == {7}
    assert (varied.deterministic, fixed.deterministic) == (False, True)


def naive_point(heaps: Heaps, move: Heaps) -> bool:
    """The paper's rule: keeps the win, or makes the opponent's win take as long as possible."""
    if nim_solution(heaps)[0] == 1:
        return nim_solution(move)[0] == -1
    return nim_solution(move)[1] == max(nim_solution(h)[1] for h in after(heaps))


def test_grades_follow_the_papers_rule_everywhere() -> None:
    perfect = solver("nim:heaps=7/7/7")
    points = []
    for heaps in itertools.product(range(4), range(4), range(5)):
        state = np.array([*heaps, 0])
        for move in perfect.game.legal_moves(state):
            point = earns_point(perfect, state, move)
            assert point == naive_point(heaps, tuple(perfect.game.apply(state, move)[:3]))
            points.append(point)
    assert 0.1 < np.mean(points) < 0.9


def test_illegal_moves_earn_nothing_and_count() -> None:
    perfect = solver("nim:heaps=7/7/7")
    state = np.array([0, 2, 0, 0])
    grade = grade_moves(perfect, [(state, 257), (state, 258), (state, 1), (state, -1)])
    assert grade == Grade(1, 4)
    assert grade.share == 0.25
    assert Grade(0, 0).share == 0


@dataclass(frozen=True)
class Record:
    start: str
    moves: tuple[int, ...]
    reason: str = "Second took the last match"


def test_games_are_graded_by_side() -> None:
    perfect = solver("nim:heaps=7/7/7")
    # Heap of 3: taking 1 throws the win away, the answer 1 of 2 keeps it, the last is forced.
    game = Record("0,0,3 0", (513, 513, 513))
    assert grade_games(perfect, [game], side=0) == Grade(1, 2)
    assert grade_games(perfect, [game], side=1) == Grade(1, 1)
    assert grade_games(perfect, [game]) == Grade(2, 3)
    # Side 1 then names a move that cannot be made, where nothing was left to choose.
    broken = Record("0,0,3 0", (514,), "illegal move")
    assert grade_games(perfect, [broken, game], side=1) == Grade(1, 1)
    assert grade_games(perfect, [broken], side=0) == Grade(1, 1)
    # An illegal move that throws a win away, or shortens a lost game, earns nothing.
    assert grade_games(perfect, [Record("0,0,3 0", (), "illegal move")]) == Grade(0, 1)
    assert grade_games(perfect, [Record("0,2,2 0", (), "illegal move")]) == Grade(0, 1)
