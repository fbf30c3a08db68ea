"""Matches: how every game ends, the rules that need a history, and random games."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np
import pytest

from conftest import GAMES, few
from evoboard.arena.match import Match
from evoboard.arena.playouts import LONGEST, random_games
from evoboard.core.errors import IllegalMove, OptionError
from evoboard.core.link import link
from evoboard.core.rng import address, below, next_random, nth_seed
from evoboard.games.adjudication import (
    NO_PROGRESS,
    ON_BOARD,
    PLAYING,
    PLY_CAP,
    REPETITION,
    STUCK,
)
from evoboard.games.base import DrawRules, game_names, load_game
from evoboard.games.position import position_key
from evoboard.store.records import GameRecord

SHUFFLE = "Nf3 Nf6 Ng1 Ng8"
HEX_ROWS = "/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0"


def play(match, moves):
    for text in moves.split():
        match.play(match.game.parse_move(match.state, text))


def started(name, start=None, draws=None):
    game = load_game(name)
    return Match(game, start=None if start is None else game.parse_state(start), draws=draws)


# --- how games end ------------------------------------------------------------------------------

ENDS = [
    ("chess", None, "f3 e5 g4 Qh4", -1, "checkmate"),
    ("chess", "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", "Qb8", 1, "checkmate"),
    ("chess", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "Qg6", 0, "stalemate"),
    ("chess", "4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "Kxd2", 0, "insufficient material"),
    ("chess", None, f"{SHUFFLE} {SHUFFLE}", 0, "repetition"),
    ("chess", "4k3/8/8/8/8/8/8/4K2R w - - 99 80", "Rh2", 0, "no progress"),
    ("kingcapture", "k5/6/6/6/6/R4K w", "a1a6", 1, "king captured"),
    ("kingcapture", "k5/6/6/6/6/r4K b", "a1f1", -1, "king captured"),
    ("kingcapture", "k1n3/6/p1p3/P1Pp2/PB1P2/KRB3 b", "a6a5", 0, "no legal move"),
    ("kingcapture", "k5/6/6/6/6/K5 w", "a1b1 a6b6 b1a1 b6a6 " * 2, 0, "repetition"),
    ("kingcapture", "k5/6/6/6/6/K5 w", "a1b1 a6b6 b1c1 b6c6 c1d1 c6d6 d1e1 d6e6", 0, ""),
    ("draughts", "B:W18:B15", "15x22", 1, "no pieces"),
    ("draughts", "W:W18:B15", "18x11", -1, "no pieces"),
    ("draughts", "B:W13:B2,5,9", "2-6", 1, "blocked"),
    ("draughts", "W:W31,28,24:B20", "31-27", -1, "blocked"),
    ("draughts:blocked=draw", "B:W13:B2,5,9", "2-6", 0, "blocked"),
    ("draughts:blocked=draw", "W:W18:B15", "18x11", -1, "no pieces"),
    ("draughts", "B:WK32:BK1", "1-5 32-27 5-1 27-32 " * 2, 0, "repetition"),
    ("draughts", "B:WK32:BK1:H79", "1-5", 0, "no progress"),
    ("hexwar", f"2,-1,0,0,0{HEX_ROWS} b", "0,0-1,0:2", 1, "no pieces left"),
    ("hexwar", f"1,-2,0,0,0{HEX_ROWS} r", "1,0-0,0:2", -1, "no pieces left"),
    ("hexwar", f"1,-1,0,0,0{HEX_ROWS} b", "0,0-1,0:1", 0, "both without pieces"),
    ("nim", "0,0,1 0", "2:1", -1, "First took the last match"),
    ("nim", "0,0,1 1", "2:1", 1, "Second took the last match"),
    ("nim", "0,1,1 0", "2:1 1:1", 1, "Second took the last match"),
]


@pytest.mark.parametrize("name, start, moves, result, reason", ENDS)
def test_a_game_ends_with_its_result_and_its_reason(name, start, moves, result, reason):
    match = started(name, start)
    for text in moves.split():
        assert (match.over, match.reason, match.result) == (False, "", 0)
        play(match, text)
    assert (match.over, match.result, match.reason) == (reason != "", result, reason)
    assert (match.legal == []) == match.over


# Every built-in game by its defaults: a cap in plies or none.
@pytest.mark.parametrize(
    "name, plies",
    [("chess", 0), ("kingcapture", 40), ("draughts", 100), ("hexwar", 150), ("nim", 0)],
)
def test_the_ply_cap_is_the_papers(name, plies):
    game = load_game(name)
    assert game.draws.plies == plies
    assert Match(game).history.draws == game.draws


def test_the_ply_cap_ends_the_game():
    match = started("chess", draws=DrawRules(plies=2))
    play(match, "e4")
    assert not match.over
    play(match, "e5")
    assert (match.over, match.result, match.reason) == (True, 0, "ply cap")


@pytest.mark.parametrize(
    "start, move, result, reason",
    [
        ("7k/8/6K1/8/8/8/8/1Q6 w - - 99 80", "Qb8", 1, "checkmate"),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 99 80", "Qg6", 0, "stalemate"),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 99 80", "Qg5", 0, "no progress"),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 98 80", "Qg5", 0, "ply cap"),
    ],
)
def test_what_the_board_decides_on_the_last_ply_comes_first(start, move, result, reason):
    match = started("chess", start, DrawRules(repetitions=3, quiet=100, plies=1))
    play(match, move)
    assert (match.result, match.reason) == (result, reason)


def test_a_game_may_be_over_before_it_begins():
    assert started("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").reason == "checkmate"
    assert started("chess", "4k3/8/8/8/8/8/8/4K2R w - - 100 80").reason == "no progress"
    assert started("nim", "0,0,0 1").result == -1


# --- the rules that need a history --------------------------------------------------------------


@pytest.mark.parametrize("repetitions, plies", [(2, 4), (3, 8), (4, 12)])
def test_a_position_is_counted_from_its_first_occurrence(repetitions, plies):
    match = started("chess", draws=DrawRules(repetitions=repetitions))
    for text in (SHUFFLE.split() * 5)[:plies]:
        assert not match.over
        play(match, text)
    assert match.reason == "repetition"


def test_a_rule_of_zero_is_off():
    match = started("chess", "4k3/8/8/8/8/8/8/4K2R w - - 500 80", DrawRules())
    play(match, "Rh2 Kd8 Rh1 Ke8 " * 10)
    assert not match.over


def test_the_same_board_with_other_castling_rights_is_another_position():
    match = started("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    circle = "Ke2 Ke7 Ke1 Ke8"
    play(match, f"{circle} {circle}")
    # The board stands for the third time, without the rights for the second.
    assert not match.over
    play(match, "Ke2")
    assert not match.over
    play(match, "Ke7")
    assert match.reason == "repetition"


def test_the_same_board_with_a_pawn_to_take_en_passant_is_another_position():
    match = started("chess", "4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1")
    play(match, "a4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1")
    assert not match.over
    play(match, "Kd8")
    assert match.reason == "repetition"
    # Where no pawn can take, it is the same position from the start.
    match = started("chess", "4k3/8/8/8/2p5/8/P7/4K3 w - - 0 1")
    play(match, "a4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1")
    assert match.reason == "repetition"


def test_the_other_side_to_move_makes_another_position():
    match = started("chess", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", DrawRules(repetitions=2))
    # White loses a move: the start stands on the board again, but it is Black's turn.
    play(match, "Ra2 Kd8 Ra3 Ke8 Ra1")
    assert not match.over


def test_a_position_may_come_back_after_any_even_number_of_plies():
    match = started("chess", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", DrawRules(repetitions=2))
    play(match, "Ra2 Kd8 Ra3 Kd7 Ra1 Ke8")
    assert match.reason == "repetition"


def test_repetition_counts_through_quiet_moves_only():
    match = started("kingcapture", "k5/p5/6/6/6/K5 w", DrawRules(repetitions=2))
    play(match, "a1b1 a5a4 b1a1 a6b6 a1b1 b6a6")
    assert match.reason == "repetition"
    assert len(match.moves) == 6


@pytest.mark.parametrize(
    "name, start, quiet_move, progress",
    [
        ("chess", "4k3/8/8/8/8/7r/P7/4K2R w - - 9 9", "Kd1", ["a3", "Rxh3"]),
        ("kingcapture", "k5/6/6/5r/P5/K4R w 9", "a1b1", ["a2a3", "f1f3"]),
        ("draughts", "B:W30:B1,K5:H9", "5-9", []),
        ("draughts", "B:W30:B1,K5:H9", "1-6", []),
        ("draughts", "B:W9,30:B1,K5:H9", None, ["5x14"]),
    ],
)
def test_progress_starts_the_count_anew(name, start, quiet_move, progress):
    for move in filter(None, [quiet_move, *progress]):
        match = started(name, start, DrawRules(quiet=10))
        assert not match.over
        play(match, move)
        assert match.reason == ("no progress" if move == quiet_move else ""), move


# --- a match is played, refused, taken back, recorded -------------------------------------------


@pytest.mark.parametrize(
    "moves, error", [("", "not legal"), ("f3 e5 g4 Qh4", r"ended \(checkmate")]
)
def test_an_illegal_move_is_refused_and_changes_nothing(moves, error):
    match = started("chess")
    play(match, moves)
    legal = set(match.legal)
    before = (match.state.copy(), list(match.moves), list(match.legal), match.code)
    for move in (next(m for m in range(4096) if m not in legal), -1, 2**31):
        with pytest.raises(IllegalMove, match=error):
            match.play(move)
    assert (match.state == before[0]).all()
    assert (match.moves, match.legal, match.code) == before[1:]
    assert len(match.states) == len(match.moves) + 1


def test_a_match_leaves_its_start_alone():
    game = load_game("nim")
    start = game.initial()
    match = Match(game, start=start)
    start[0] = 0
    assert game.state_text(match.state) == "3,5,7 0"
    play(match, "0:1")
    assert game.state_text(match.states[0]) == "3,5,7 0"


@pytest.mark.parametrize("name, start, moves, result, reason", ENDS)
def test_taking_back_restores_every_earlier_moment(name, start, moves, result, reason):
    match = started(name, start)
    moments = []
    for text in moves.split():
        moments.append((match.state.tolist(), list(match.legal), list(match.moves)))
        play(match, text)
    for moment in reversed(moments):
        match.take_back()
        assert (match.state.tolist(), match.legal, match.moves) == moment
        assert (match.over, match.reason, match.result) == (False, "", 0)
    match.take_back()
    assert (match.state.tolist(), match.legal, match.moves) == moments[0]
    play(match, moves)
    assert (match.result, match.reason) == (result, reason)


def test_a_position_taken_back_is_not_counted():
    match = started("chess", draws=DrawRules(repetitions=2))
    for _ in range(3):
        play(match, "Nf3")
        assert not match.over
        match.take_back()
    play(match, SHUFFLE)
    assert match.reason == "repetition"
    match.take_back()
    play(match, "Nd5")
    assert not match.over


def test_a_record_holds_start_moves_result_and_reason():
    match = started("nim", "0,2,1 1")
    moves = match.legal[1], 2 * 256 + 1
    for move in moves:
        match.play(move)
    expected = GameRecord("nim", 1, "0,2,1 1", moves, -1, "First took the last match", ON_BOARD)
    assert match.record() == expected


@pytest.mark.parametrize("field", ["repetitions", "quiet", "plies"])
@pytest.mark.parametrize("value", [-1, 2.5, "3", None, True])
def test_draw_rules_are_whole_numbers(field, value):
    with pytest.raises(OptionError, match=field) as error:
        DrawRules(**{field: value})
    assert repr(value) in str(error.value)


# --- keys ---------------------------------------------------------------------------------------


def check_keys(game, start):
    """Compare the keys of the positions nearest to the start with the positions themselves."""
    key, counters = game.link(position_key), list(game.counters)
    keys, queue = {}, deque([start])
    for _ in range(20_000):
        if not queue:
            break
        state = queue.popleft()
        if len(queue) < 20_000:
            queue.extend(game.apply(state, move) for move in game.legal_moves(state))
        number = int(key(state))
        state[counters] = 0
        assert keys.setdefault(state.tobytes(), number) == number
    assert len(set(keys.values())) == len(keys)


def test_equal_positions_have_equal_keys_and_others_do_not(game):
    check_keys(game, game.initial())


# Positions that differ in little but the places of two or three pieces.
@pytest.mark.parametrize(
    "name, start",
    [
        ("chess", "4k3/8/b7/8/8/B7/8/4K3 w - - 0 1"),
        ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("draughts", "B:WK32,K27:BK1,K6"),
        ("kingcapture", "k5/5r/6/6/R5/5K w"),
    ],
)
def test_pieces_that_wander_give_different_keys(name, start):
    game = load_game(name)
    check_keys(game, game.parse_state(start))


# --- random games -------------------------------------------------------------------------------


# Whatever the rules, games are random in the same way.
BUILT_IN = pytest.mark.parametrize(
    "game", few(GAMES, *game_names()), indirect=True, ids=lambda text: Path(text).stem
)


def as_lists(played):
    return [column.tolist() for column in vars(played).values()]


@BUILT_IN
def test_the_same_seed_plays_the_same_games(game):
    first, again, other = (random_games(game, 60, seed) for seed in (7, 7, 8))
    assert as_lists(first) == as_lists(again)
    assert as_lists(first) != as_lists(other)
    fewer = random_games(game, 20, 7)
    assert as_lists(fewer) == [column[:20] for column in as_lists(first)]


@BUILT_IN
def test_a_random_game_is_a_match_of_random_moves(game):
    step, choose, seed_of = link(next_random), link(below), link(nth_seed)
    played = random_games(game, 8, 3)
    for i in range(8):
        number = seed_of(address(3, "playout"), i)
        match = Match(game, start=game.initial(int(seed_of(int(number), 1))))
        while not match.over:
            number = step(number)
            match.play(match.legal[choose(number, len(match.legal))])
        found = played.results[i], played.codes[i], played.plies[i]
        assert found == (match.result, match.code, len(match.moves))
        assert (played.finals[i] == match.state).all()


@BUILT_IN
def test_random_games_end_for_reasons_that_fit_their_results(game):
    played = random_games(game, 200, 5)
    for result, code, state in zip(played.results, played.codes, played.finals, strict=True):
        assert code != PLAYING
        side = 1 - 2 * game.side(state)
        assert result == (game.outcome(state) * side if code in (ON_BOARD, STUCK) else 0)
    assert {-1, 1} <= set(played.results.tolist())


def test_random_results_have_the_sign_of_the_winner():
    taken = random_games(load_game("kingcapture"), 200, 5)
    for result, state in zip(taken.results, taken.finals, strict=True):
        board = load_game("kingcapture").state_text(state).split()[0]
        assert result == ("K" in board) - ("k" in board)
    nim = random_games(load_game("nim"), 200, 5)
    # Whoever made the last move took the last match: an odd number of plies is the first side's.
    assert (nim.results == np.where(nim.plies % 2 == 1, -1, 1)).all()


@pytest.mark.parametrize("start, result", [("0,0,1 0", -1), ("0,0,1 1", 1)])
def test_random_games_begin_at_the_start_option(start, result):
    played = random_games(load_game("nim", start=start), 10, 1)
    assert (played.plies == 1).all()
    assert (played.results == result).all()
    assert (Match(load_game("nim", start=start)).state == load_game("nim").parse_state(start)).all()


def test_random_games_obey_the_draw_rules_given():
    game = load_game("chess")
    capped = random_games(game, 20, 1, DrawRules(plies=6))
    assert set(capped.codes.tolist()) <= {PLY_CAP, STUCK}
    assert capped.plies.max() == 6
    rooks = load_game("chess", start="4k3/8/8/8/8/8/8/R3K2r w - - 0 1")
    repeated = random_games(rooks, 200, 1, DrawRules(repetitions=2))
    assert REPETITION in repeated.codes
    assert repeated.plies.max() < LONGEST
    quiet = random_games(rooks, 200, 1, DrawRules(quiet=5))
    assert (quiet.codes == NO_PROGRESS).sum() > 50


@pytest.mark.parametrize("count", [0, -3])
def test_no_games_are_an_error(count):
    with pytest.raises(OptionError, match=str(count)):
        random_games(load_game("nim"), count, 1)
