"""MCTS: number by number like a slow twin, and no forced win missed."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import GAMES, VARIANTS, few
from evoboard.core.errors import OptionError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.link import link
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.search import mcts
from evoboard.search.base import ROOT, Searcher, Thought, read_settings
from evoboard.search.limits import Limits
from evoboard.search.values import WON
from naive_mcts import LOSS, ONGOING, WIN, NaiveMCTS

EXAMPLES = Path(__file__).parent.parent / "examples"
TICTACTOE, CONNECTFOUR = str(EXAMPLES / "tictactoe.py"), str(EXAMPLES / "connectfour.py")
NETWORK = np.zeros(1, np.float32)
F = np.float32

# A game without end: the state is the number of plies, and there are always as many moves as its
# third cell says.
CORRIDOR = """
from evoboard.games import ONGOING, LOSS
VERSION, TURN, STATE_SIZE, MAX_MOVES = 1, 1, 3, 8
def initial(state, seed):
    state[0], state[1], state[2] = 0, 0, 4
def legal_moves(state, out):
    for i in range(state[2]):
        out[i] = i
    return state[2]
def apply_move(state, move, out):
    out[0], out[1], out[2] = state[0] + 1, 1 - state[1], state[2]
def outcome(state):
    return ONGOING
def stuck(state):
    return LOSS
"""


def some_value(network: Any, state: Any, values: Any) -> Any:
    """A value that looks like chance, larger than 1 at times."""
    total = 0
    for cell in range(state.shape[0]):
        total = (total * 31 + state[cell]) % 1009
    return F(total - 504) / F(400)


def ply_value(network: Any, state: Any, values: Any) -> Any:
    """The number in the first cell, for the corridor: how many plies have been played."""
    return F(state[0])


@functools.cache
def searcher(text: str, **settings: Any) -> Searcher:
    given = read_settings(mcts, settings)
    return Searcher(load_game(text), mcts, given, {"evaluate": some_value})


def think(text: str, state: Any, chance: int = 1, **settings: Any) -> Thought:
    play = searcher(text, **settings)
    return play.think(NETWORK, History.of(play.game, state), chance)


def random_states(game: Game, count: int, seed: int, least: int = 0) -> list[Any]:
    """Positions with a choice from random games, `least` or more plies deep."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    while len(found) < count:
        state, wanted = game.initial(int(rng.integers(1, 10**9))), rng.integers(least, least + 30)
        for _ in range(wanted):
            moves = game.legal_moves(state)
            if not moves:
                break
            state = game.apply(state, moves[rng.integers(len(moves))])
        if len(game.legal_moves(state)) > 1:
            found.append(state)
    return found


@pytest.mark.parametrize("ply, unaided", [(-1, 0), (0, 0), (1, 0), (3, 0), (0, 1), (3, 1)])
@pytest.mark.parametrize(
    "text", few(["nim", TICTACTOE, "draughts", "hexwar"], TICTACTOE, "draughts")
)
def test_every_number_is_the_slow_twins(text: str, ply: int, unaided: int) -> None:
    game = load_game(text)
    settings = {"ply": ply, "rounds": 150, "longest": 30, "unaided": unaided}
    for chance, state in enumerate(random_states(game, 4, seed=ply + 7), 1):
        fast = think(text, state, chance, **settings)
        slow = NaiveMCTS(
            game,
            lambda s: some_value(None, s, None),
            state,
            read_settings(mcts, settings),
            chance,
        )
        slow.run(150)
        assert fast.nodes == slow.rounds
        assert slow.root.children is not None
        for child in slow.root.children:
            if child.visits:
                assert fast.move_values[child.move] == pytest.approx(expected(child), abs=1e-5)
            else:
                assert child.move not in fast.move_values
        assert fast.move == preferred(slow.root.children)
        shared = think(text, state, chance, by_share=1, **settings)
        assert shared.move == preferred(slow.root.children, by_share=True)
        assert shared.move_values == fast.move_values


def test_playouts_to_the_end_need_to_know_the_end() -> None:
    with pytest.raises(OptionError, match=r"unaided playouts to the end .* set ply to 0 or more"):
        read_settings(mcts, {"ply": -1, "unaided": 1})


def expected(child: Any) -> float:
    """The value of the move to `child`, as a search reports it."""
    if child.result == ONGOING:
        return float(-child.mean)
    return -child.result * (float(WON) - child.distance - 1)


def preferred(children: list[Any], by_share: bool = False) -> int:
    """The final choice: proven wins, then visits (or none), then means; proven losses last."""

    def key(child: Any) -> tuple[float, ...]:
        if child.result == LOSS:
            return (2, -child.distance, 0)
        if child.result == WIN:
            return (0, child.distance, 0)
        return (1, min(1, child.visits) if by_share else child.visits, -child.mean)

    best = children[0]
    for child in children:
        best = child if key(child) > key(best) else best
    return int(best.move)


def test_uncompiled_it_does_the_same() -> None:
    game = load_game("nim")
    settings = read_settings(mcts, {"rounds": 60, "ply": 2})
    plain = link(mcts.best_move, {**game.bindings, "evaluate": some_value}, "python")
    work = mcts.workspace(game, settings, 1)
    for chance in (1, 2, 3):
        move = plain(NETWORK, game.initial(), kernel_tuple(settings), chance, work)
        compiled = think("nim", game.initial(), chance, rounds=60, ply=2)
        assert move == compiled.move
        values = work.root_values[: work.counts[ROOT]]
        assert values.tolist() == list(compiled.move_values.values())


@functools.cache
def tictactoe_value(board: str, mover: str) -> int:
    """Result for the side to move, by trying everything."""
    other = "ox"[mover == "o"]
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    if any(board[a] == board[b] == board[c] == other for a, b, c in lines):
        return -1
    cells = [i for i in range(9) if board[i] == "."]
    after = [board[:i] + mover + board[i + 1 :] for i in cells]
    return max((-tictactoe_value(b, other) for b in after), default=0)


def test_no_forced_win_in_tictactoe_is_missed(cases: Callable[[int, int], int]) -> None:
    game, seen, won, most = load_game(TICTACTOE), set(), 0, cases(300, 3_000)
    queue = [game.initial()]
    while queue and won < most:
        state = queue.pop()
        board = "".join(".xo"[cell] for cell in state[:9])
        if board in seen:
            continue
        seen.add(board)
        mover = "xo"[state[9]]
        moves = game.legal_moves(state)
        queue += [game.apply(state, move) for move in moves]
        if moves and tictactoe_value(board, mover) == 1:
            move = think(TICTACTOE, state, rounds=10_000, ply=-1).move
            after = board[:move] + mover + board[move + 1 :]
            assert tictactoe_value(after, "ox"[mover == "o"]) == -1, board
            won += 1
    assert won > 2_000 or won == most


def mover_wins_nim(heaps: tuple[int, ...]) -> bool:
    """Misère theory: the side to move wins unless the sum is 0, turned round with heaps of 1."""
    if max(heaps) <= 1:
        return sum(heaps) % 2 == 0
    return functools.reduce(lambda a, b: a ^ b, heaps) != 0


@pytest.mark.parametrize("ply", [-1, 1])
def test_no_forced_win_in_small_nim_is_missed(ply: int) -> None:
    text, won = "nim", 0
    game = load_game(text)
    for heaps in itertools.product(range(4), range(5), range(5)):
        state = np.array([*heaps, 0])
        if any(heaps) and mover_wins_nim(heaps):
            move = think(text, state, chance=won + 1, rounds=10_000, ply=ply).move
            assert not mover_wins_nim(tuple(game.apply(state, move)[:3])), heaps
            won += 1
    assert won > 60


def connectfour_wins(state: Any, game: Game, plies: int) -> bool:
    """Tell whether the side to move wins within `plies`, by trying everything."""
    result = game.outcome(state)
    if result != ONGOING or plies == 0:
        return result == WIN
    after = [game.apply(state, move) for move in game.legal_moves(state)]
    return any(connectfour_loses(s, game, plies - 1) for s in after)


def connectfour_loses(state: Any, game: Game, plies: int) -> bool:
    """Tell whether the side to move loses within `plies`."""
    result = game.outcome(state)
    if result != ONGOING or plies == 0:
        return result == LOSS
    after = [game.apply(state, move) for move in game.legal_moves(state)]
    return all(connectfour_wins(s, game, plies - 1) for s in after)


@pytest.mark.proof
def test_no_forced_win_in_connect_four_is_missed() -> None:
    game, found = load_game(CONNECTFOUR), {1: 0, 3: 0, 5: 0}
    for chance, state in enumerate(random_states(game, 300, seed=4, least=8), 1):
        for plies in found:
            if connectfour_wins(state, game, plies):
                thought = think(CONNECTFOUR, state, chance, rounds=10_000, ply=-1)
                assert thought.value > WON - 50, game.state_text(state)
                distance = round(float(WON) - thought.value)
                if distance <= 5:
                    assert connectfour_loses(game.apply(state, thought.move), game, distance - 1)
                found[plies] += 1
                break
    assert found[1] > 20
    assert found[3] > 5
    assert found[5] > 2


def test_what_is_proven_is_true() -> None:
    for board in ("xx1/oo1/3 x", "x1o/1x1/2o x", "o2/x1x/3 o", "xox/1o1/3 x"):
        game = load_game(TICTACTOE)
        state = game.parse_state(board)
        thought = think(TICTACTOE, state, rounds=10_000, ply=-1)
        letters = "".join(".xo"[cell] for cell in state[:9])
        mover = "xo"[state[9]]
        for move, value in thought.move_values.items():
            after = letters[:move] + mover + letters[move + 1 :]
            if abs(value) > 1_000:
                assert np.sign(value) == -tictactoe_value(after, "ox"[mover == "o"])


def corridor(tmp_path: Path) -> Game:
    path = tmp_path / "corridor.py"
    path.write_text(CORRIDOR)
    return load_game(str(path))


def uncompiled(game: Game, settings: Any, state: Any, work: Any) -> list[float]:
    """Let the search think as Python, in a game nobody else plays; return the moves' values."""
    kernel = link(mcts.best_move, {**game.bindings, "evaluate": ply_value}, "python")
    move = kernel(NETWORK, state, kernel_tuple(settings), 1, work)
    assert move in game.legal_moves(state)
    return [float(value) for value in work.root_values[: work.counts[ROOT]]]


@pytest.mark.parametrize(
    ("choices", "ply", "extend", "asked_at"),
    [(4, 2, 4, 3), (3, 2, 4, 6), (3, 1, 4, 5), (3, 0, 4, 1), (3, 2, 0, 3), (3, 2, 3, 3)],
)
def test_fewer_than_four_moves_lengthen_the_playout_by_their_number(
    choices: int, ply: int, extend: int, asked_at: int, tmp_path: Path
) -> None:
    game = corridor(tmp_path)
    settings = read_settings(mcts, {"rounds": choices, "ply": ply, "extend": extend, "scale": 100})
    state, work = np.array([0, 0, choices]), mcts.workspace(game, settings, 1)
    # An odd ply is the other side's, whose value is ours turned round.
    sign = -1 if asked_at % 2 else 1
    found = uncompiled(game, settings, state, work)
    assert found == pytest.approx([sign * asked_at] * choices)


def test_values_are_cut_at_the_scale(tmp_path: Path) -> None:
    game = corridor(tmp_path)
    for scale, value in ((1, -1), (2, -2), (3, -3), (4, -3)):
        settings = read_settings(mcts, {"rounds": 4, "ply": 2, "scale": scale})
        assert mcts.values_within(settings) == scale
        work = mcts.workspace(game, settings, 1)
        assert max(uncompiled(game, settings, game.initial(), work)) == pytest.approx(value)


def test_three_hundred_rounds_a_ply_are_the_default() -> None:
    state = load_game("draughts").initial()
    assert [think("draughts", state, ply=ply).nodes for ply in (-1, 0, 1, 3)] == [
        300,
        300,
        300,
        900,
    ]


def test_a_full_tree_only_stops_growing(tmp_path: Path) -> None:
    game = corridor(tmp_path)
    small, large = (read_settings(mcts, {"rounds": n, "ply": 1}) for n in (3, 300))
    work = mcts.workspace(game, small, 1)
    for state in random_states(game, 3, seed=3):
        uncompiled(game, large, state, work)
        assert work.counts[0] == 300
        assert work.tree.size[0] <= len(work.tree.move)


def test_memory_is_bounded_whatever_the_rounds() -> None:
    settings = read_settings(mcts, {"rounds": 10**12})
    work = mcts.workspace(load_game("hexwar"), settings, 1)
    assert sum(array.nbytes for array in work.tree) < 200e6


def test_it_stops_when_told() -> None:
    state = load_game("draughts").initial()
    play = searcher("draughts", rounds=10**9, ply=-1)
    play.think(NETWORK, History.of(play.game, state), 1, Limits(seconds=0.01))
    began = time.perf_counter()
    thought = play.think(NETWORK, History.of(play.game, state), 1, Limits(seconds=0.1))
    assert time.perf_counter() - began < 300  # all rounds take an hour
    assert 100 < thought.nodes < 10**9
    assert thought.move in load_game("draughts").legal_moves(state)


def test_the_same_chance_gives_the_same_thought() -> None:
    state = load_game("draughts").initial()
    first, second, other = (think("draughts", state, chance, rounds=500) for chance in (5, 5, 6))
    assert first.move_values == second.move_values
    assert first.move_values != other.move_values


def test_an_only_move_is_played_at_once_unless_its_value_is_wanted() -> None:
    game = load_game("nim")
    state = game.parse_state("0,1,0 0")
    quick = think("nim", state)
    assert (quick.move, quick.nodes, quick.line) == (257, 0, (257,))
    slow = think("nim", state, all_values=1)
    assert (slow.move, slow.value) == (257, 1 - WON)


def test_an_ended_game_has_no_move() -> None:
    thought = think("nim", load_game("nim").parse_state("0,0,0 1"))
    assert (thought.move, thought.line, thought.nodes) == (-1, (), 0)


# A search knows nothing of rules and starts, so variants would add nothing.
@pytest.mark.parametrize(
    "game",
    few((text for text in GAMES if text not in VARIANTS), "nim", "draughts", TICTACTOE),
    indirect=True,
    ids=lambda t: Path(t).stem,
)
def test_lines_can_be_played_and_all_moves_have_values_in_every_game(game: Game) -> None:
    settings = read_settings(mcts, {"rounds": 200, "all_values": 1})
    play = Searcher(game, mcts, settings, {"evaluate": some_value})
    for chance, start in enumerate(random_states(game, 3, seed=2), 1):
        thought, state = play.think(NETWORK, History.of(play.game, start), chance), start
        assert thought.line[0] == thought.move
        for move in thought.line:
            assert move in game.legal_moves(state)
            state = game.apply(state, move)
        assert list(thought.move_values) == game.legal_moves(start)
        assert thought.move_lines[thought.move] == thought.line
        for move, line in thought.move_lines.items():
            assert line[0] == move
            state = start
            for follower in line:
                assert follower in game.legal_moves(state)
                state = game.apply(state, follower)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *(("rounds", -1), ("ply", -2), ("c", -0.1), ("c", float("nan")), ("scale", 0)),
        *(("scale", float("inf")), ("longest", 0), ("extend", -1), ("all_values", 2)),
        *(("ply", "many"), ("round", 5)),
    ],
)
def test_senseless_settings_are_refused_by_name(setting: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{setting}"):
        read_settings(mcts, {setting: value})


def test_a_limit_of_depth_is_one_of_the_best_line() -> None:
    play = searcher("draughts", depth=3, rounds=100_000)
    thought = play.think(NETWORK, History(play.game))
    assert thought.depth == 3 <= len(thought.line)
    # One round or other comes that far soon after all 7 first moves have been tried.
    assert 20 < thought.nodes < 100_000
