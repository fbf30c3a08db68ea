"""Our games under OpenSpiel's own test and algorithms, our players as its bots."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from evoboard.arena.contest import play_contest
from evoboard.arena.match import Match
from evoboard.arena.standings import MatchResult
from evoboard.core.errors import IllegalMove, OptionError, PartError
from evoboard.encoders.base import find_encoder
from evoboard.games.base import game_names, load_game
from evoboard.interop.openspiel import as_bot, as_openspiel, as_player, register
from evoboard.players.solver import Solver

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

FILE = "examples/connectfour.py"
GAMES = [*game_names(), FILE]


def algorithm(name):
    """Return one of OpenSpiel's; they bring all of SciPy with them, so nobody else waits for it."""
    return import_module(f"open_spiel.python.algorithms.{name}")


@pytest.mark.parametrize("text", GAMES)
def test_openspiels_own_test_of_games_passes(text, capfd):
    # Legal actions, masks, undo by cloning, observations, returns, and states written and read.
    pyspiel.random_sim_test(as_openspiel(text), 1 if text == "chess" else 3, True, False)


@pytest.mark.parametrize("text", GAMES)
def test_random_games_end_as_in_our_own_matches(text, cases):
    game, rng = as_openspiel(text), np.random.default_rng(7)
    ours = load_game(text)
    seen = set()
    for number in range(cases(40, 400)):
        state, match = game.new_initial_state(), Match(ours)
        while not state.is_terminal():
            assert state.current_player() == ours.side(match.state)
            legal = state.legal_actions()
            assert len(legal) == len(match.legal)
            action = int(rng.choice(legal))
            if number < 3:
                move = ours.parse_move(match.state, state.action_to_string(action))
                assert move == match.legal[action]
            state.apply_action(action)
            match.play(match.legal[action])
        assert match.over
        assert state.returns() == [match.result, -match.result]
        assert str(state) == ours.state_text(match.state)
        seen.add(match.result)
    assert len(seen) > 1


def test_openspiels_solver_finds_our_solvers_values_of_nim():
    ours = load_game("nim")
    solver = Solver(ours)
    table = algorithm("minimax_solver").MinimaxSolver(register("nim")).solve()
    # All positions but the ends, and the start with the second side to move, come up.
    assert len(table) > 300
    for position, entry in table.items():
        state = ours.parse_state(position)
        assert entry.value == solver.solve(state).result, position
        for action, move in enumerate(ours.legal_moves(state)):
            after = ours.apply(state, move)
            assert entry.action_values[action] == -solver.solve(after).result


def test_openspiels_alpha_beta_search_finds_the_value_of_the_start():
    for heaps in ("1/2/2", "2/3"):
        text = f"nim:heaps={heaps}"
        assert algorithm("minimax").alpha_beta_search(as_openspiel(text))[0] == _solved(text)[0]


def test_a_playthrough_of_all_openspiel_knows_of_a_game_is_written():
    register("kingcapture")
    text = algorithm("generate_playthrough").playthrough("evoboard_kingcapture", None, seed=3)
    for words in ("PERFECT_INFORMATION", "ObservationTensor", "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"):
        assert words in text


@pytest.mark.parametrize(
    ("text", "player"), [("kingcapture", "champion"), (FILE, "mcts:rounds=50")]
)
def test_a_bot_of_ours_plays_whole_games_against_openspiels(text, player):
    game, rng = as_openspiel(text), np.random.default_rng(5)
    uniform = import_module("open_spiel.python.bots.uniform_random")
    points = 0
    for side in (0, 1):
        state = game.new_initial_state()
        bots = [uniform.UniformRandomBot(i, rng) for i in (0, 1)]
        bots[side] = as_bot(game, player, side)
        assert bots[side].player_id() == side
        points += algorithm("evaluate_bots").evaluate_bots(state, bots, rng)[side]
        assert state.is_terminal()
    assert points == 2


def test_openspiels_search_written_in_python_plays_our_games():
    game, rng = as_openspiel("nim:heaps=1/2/2"), np.random.default_rng(1)
    evaluator = algorithm("mcts").RandomRolloutEvaluator(1, rng)
    searcher = algorithm("mcts").MCTSBot(game, 2, 60, evaluator, solve=True, random_state=rng)
    bots = [searcher, as_bot(game, "perfect", 1)]
    state = game.new_initial_state()
    assert algorithm("evaluate_bots").evaluate_bots(state, bots, rng) == _solved("nim:heaps=1/2/2")


def _solved(text):
    game = load_game(text)
    value = Solver(game).solve(game.initial()).result
    return [value, -value]


def test_observations_are_the_encoders_numbers_and_the_side():
    game, ours = as_openspiel("draughts", encoder="subsquares"), load_game("draughts")
    state = game.new_initial_state()
    state.apply_action(2)
    tensor = state.observation_tensor(0)
    assert game.observation_tensor_shape() == [92]
    row = np.zeros(91, np.float32)
    ours.link(find_encoder("subsquares", ours).encode)(state.match.state, row)
    assert tensor == [*row, 1]
    assert state.observation_string(1) == ours.state_text(state.match.state)
    assert state.information_state_string(0) == "2"


def test_copies_go_their_own_ways_and_states_come_back_from_text():
    game = as_openspiel(FILE)
    state = game.new_initial_state()
    for action in (3, 3, 2):
        state.apply_action(action)
    twin = state.clone()
    twin.apply_action(0)
    assert str(twin) != str(state)
    assert state.history() == [3, 3, 2]
    text = pyspiel.serialize_game_and_state(game, twin)
    _, back = pyspiel.deserialize_game_and_state(text)
    assert (str(back), back.history()) == (str(twin), twin.history())
    assert str(pickle.loads(pickle.dumps(twin))) == str(twin)


def test_moves_can_be_the_actions():
    game = as_openspiel("kingcapture", actions=36 * 36)
    pyspiel.random_sim_test(game, 1, True, False)
    state = game.new_initial_state()
    assert state.legal_actions() == sorted(state.match.legal)
    assert as_bot(game, "material", 0).step(state) in state.match.legal
    with pytest.raises(PartError, match="too small"):
        as_openspiel("kingcapture", actions=40).new_initial_state().legal_actions()


def test_games_have_names_that_tell_them_apart():
    assert register("nim") == "evoboard_nim"
    assert register("nim:heaps=3/4/5") == "evoboard_nim_heaps_3_4_5"
    assert register("nim:random=true", seed=4) == "evoboard_nim_random_True_seed_4"
    assert register("chess", encoder="squares") == "evoboard_chess_squares"
    assert register(FILE) == "evoboard_connectfour"
    loaded = pyspiel.load_game("evoboard_nim_heaps_3_4_5")
    assert str(loaded.new_initial_state()) == "3,4,5 0"
    assert loaded.max_game_length() == 100_000
    assert as_openspiel("kingcapture").max_game_length() == 40


def test_mistakes_are_told_in_a_sentence(monkeypatch):
    game = as_openspiel("nim")
    with pytest.raises(OptionError, match="with as_openspiel"):
        as_bot(pyspiel.load_game("tic_tac_toe"), "random", 0)
    with pytest.raises(OptionError, match="player_id is 2"):
        as_bot(game, "random", 2)
    with pytest.raises(OptionError, match="does not fit nim"):
        as_openspiel("nim", encoder="planes")
    with pytest.raises(OptionError, match="at least 0 and 1"):
        as_openspiel("nim", seed=0)
    with pytest.raises(IllegalMove, match="action 99 is not legal in 3,5,7 0"):
        game.new_initial_state().match.move_of(99)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OptionError, match="pip install open_spiel"):
        as_openspiel("nim")


def test_python_ends_in_peace_with_games_registered():
    code = (
        "from evoboard.interop.openspiel import as_openspiel\n"
        "state = as_openspiel('nim').new_initial_state()\n"
        "print(state.clone(), state.observation_tensor(0))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"3,5,7 0 \[3.0, 5.0, 7.0, 0.0\]\s*", done.stdout)


def test_a_bot_of_openspiel_is_a_player_of_ours():
    game = load_game("nim:heaps=3/4/5")
    theirs = as_openspiel(game)
    rng = np.random.default_rng(1)
    evaluator = algorithm("mcts").RandomRolloutEvaluator(1, rng)
    bot = algorithm("mcts").MCTSBot(theirs, 2.0, 200, evaluator, solve=True, random_state=rng)
    player = as_player(theirs, bot, "their search")
    result = MatchResult(play_contest(game, [player, "random"], 10))
    assert result.contest.names == ("their search", "random")
    assert result.score >= 0.8  # from random openings, which its own game does not begin with
    with pytest.raises(OptionError, match="make it with as_openspiel"):
        as_player(pyspiel.load_game("tic_tac_toe"), bot)


def test_the_example_plays_any_game():
    text = "examples/parts/openspiel_bot.py:simulations=5"
    contest = play_contest(load_game(FILE), [text, "random"], 2)
    assert all(record.reason != "illegal move" for record in contest.records)
