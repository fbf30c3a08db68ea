"""The scripted players of hexwar do what their descriptions say."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from evoboard.arena.match import Match
from evoboard.core.errors import OptionError
from evoboard.core.rng import address
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
from evoboard.players.scripted import SCRIPTS, bindings

LAYOUTS = ("hexwar", "hexwar:layout=rhombus", "hexwar:start_pieces=10")


@functools.cache
def player(script: str, text: str = "hexwar") -> Any:
    return make_player(f"scripted:{script}", load_game(text))


def answer(script: str, position: str, text: str = "hexwar") -> str:
    game = load_game(text)
    state = game.parse_state(position)
    return game.move_text(state, player(script, text).think(History.of(game, state), 1).move)


def random_states(game: Game, count: int, seed: int) -> list[Any]:
    """Ongoing positions from random games."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        match = Match(game)
        while not match.over and len(found) < count:
            found.append(match.state)
            match.play(match.legal[rng.integers(len(match.legal))])
    return found


@pytest.mark.parametrize("text", LAYOUTS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_moves_are_legal_and_the_same_every_time(script: str, text: str) -> None:
    game = load_game(text)
    for state in random_states(game, 700, seed=1):
        move = player(script, text).think(History.of(game, state), 1).move
        assert move in game.legal_moves(state)
        assert move == player(script, text).think(History.of(game, state), 99).move


@pytest.mark.parametrize("script", SCRIPTS)
def test_both_sides_follow_the_same_rules_on_the_symmetric_board(script: str) -> None:
    game = load_game("hexwar:layout=rhombus")
    for state in random_states(game, 500, seed=2):
        turned = state.copy()
        turned[:25] = -state[:25][::-1]
        turned[25], turned[26], turned[27] = 1 - state[25], state[27], state[26]
        think = player(script, "hexwar:layout=rhombus").think
        values = [think(History.of(game, each), 1).value for each in (state, turned)]
        assert values[0] == values[1], game.state_text(state)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("text", LAYOUTS)
def test_every_script_beats_chance(script: str, text: str) -> None:
    game = load_game(text)
    chance, score = make_player("random", game), []
    for i in range(16):
        match, side = Match(game), i % 2
        while not match.over:
            mover = player(script, text) if game.side(match.state) == side else chance
            seed = address(3, text, script, i, len(match.moves))
            match.play(mover.think(match.history, seed).move)
        score.append(match.result * (1 - 2 * side))
    assert sum(score) >= 8
    assert score.count(-1) <= 2


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_win_at_hand_is_taken(script: str) -> None:
    assert answer(script, "0,0,3,0,1/0,0,-2,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0 b") in (
        "2,0-2,1:2",
        "2,0-2,1:3",
    )


@pytest.mark.parametrize("script", SCRIPTS)
def test_nobody_gives_the_last_piece_for_a_draw(script: str) -> None:
    assert answer(script, "0,0,0,0,0/0,0,1,-1,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0 b") == "2,1+"


def test_a_rusher_marches_from_the_start() -> None:
    assert answer("rusher", "0,0,0,0,1/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 b") == "4,0-3,0:1"


def test_a_rusher_grows_before_an_army_that_would_beat_it() -> None:
    assert answer("rusher", "0,0,0,0,0/0,0,0,0,0/3,0,-5,0,0/0,0,0,0,0/0,0,0,0,-9 b") == "0,2+"


def test_a_rusher_takes_the_most_it_can() -> None:
    position = "0,0,0,0,0/0,0,0,0,0/0,-2,5,-3,0/0,0,0,0,0/-9,0,0,0,0 b"
    assert answer("rusher", position) == "2,2-3,2:5"


def test_a_turtle_produces_where_it_is_threatened() -> None:
    position = "0,0,0,0,2/0,0,0,0,0/0,3,0,0,0/0,-5,0,0,0/-9,0,0,0,0 b"
    assert answer("turtle", position) == "1,2+"


def test_a_turtle_takes_only_what_it_can_hold() -> None:
    safe = "0,0,0,0,0/0,0,0,0,0/0,5,-2,0,0/0,0,0,0,0/0,0,0,0,-9 b"
    assert answer("turtle", safe) == "1,2-2,2:5"
    guarded = "0,0,0,0,0/0,0,0,0,0/0,5,-2,-9,0/0,0,0,0,0/0,0,0,0,0 b"
    assert answer("turtle", guarded) == "1,2+"


def test_a_turtle_spreads_only_when_full_and_away_from_the_enemy() -> None:
    full = "0,0,0,0,10/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 b"
    assert answer("turtle", full) == "4,0-4,1:5"
    assert answer("turtle", full.replace("10", "9")) == "4,0+"


def test_a_builder_turns_from_turtle_to_rusher() -> None:
    small = "0,0,0,0,8/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-8,0,0,0,0 b"
    assert answer("builder", small) == answer("turtle", small) == "4,0+"
    superior = small.replace("-8", "-4")
    assert answer("builder", superior) == answer("rusher", superior) == "4,0-3,0:8"
    large = "0,0,0,0,10/0,0,0,0,10/0,0,0,0,0/0,0,0,0,0/-10,-9,0,0,0 b"
    assert answer("builder", large) == answer("rusher", large) == "4,0-3,0:10"


def test_distances_are_those_of_the_layout() -> None:
    offset, rhombus = (bindings(load_game(text))["DISTANCES"] for text in LAYOUTS[:2])
    assert (offset == offset.T).all()
    # From corner to corner of the rhombus it is 4 + 4 one way and 4 the other.
    assert (rhombus[0, 24], rhombus[4, 20]) == (8, 4)
    assert (offset[0, 24], offset[4, 20]) == (6, 6)


def test_an_ended_game_has_no_move() -> None:
    game = load_game("hexwar")
    state = game.parse_state("0,0,0,0,1/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0 r")
    assert player("rusher").think(History.of(game, state), 1).move == -1


def test_other_games_and_scripts_are_refused() -> None:
    with pytest.raises(OptionError, match="the scripts play hexwar, not nim"):
        make_player("scripted:rusher", load_game("nim"))
    for text in ("scripted", "scripted:runner", "scripted:rusher,speed=3"):
        with pytest.raises(OptionError, match="of scripted"):
            make_player(text, load_game("hexwar"))
    assert make_player("scripted:script=turtle", load_game("hexwar")).deterministic
