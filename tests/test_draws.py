"""Searches that see the game's draw rules: compared with plain minimax under the same rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conftest import few
from evoboard.core.rng import stream
from evoboard.games.adjudication import ON_BOARD, PLAYING, STUCK
from evoboard.games.base import DrawRules, load_game
from evoboard.games.history import History
from evoboard.games.rules import ONGOING
from evoboard.players.base import make_player
from evoboard.search import alphabeta, mcts, pvs
from evoboard.search.base import Searcher, read_settings
from naive_search import WON, F, Recursion, hashed

FINE = np.array([0])
PLAIN_PVS = {"reductions": 0, "singular": 0, "table_bits": 0}
USUAL = ("kingcapture", "draughts")
GAMES = few(["chess", "kingcapture", "draughts", "hexwar", "nim"], *USUAL)
KINGS = {"chess": "7k/8/8/8/8/8/R7/K7 w - - 0 1", "draughts": "W:WK1,K5:BK32,K28"}


def histories(name, count, seed=1):
    """Yield games in which the sides like to go back to where they came from."""
    rng = stream(seed, "draws", name)
    rules = DrawRules(2, 6, 14) if seed % 2 else DrawRules(3, 0, 0)
    game = load_game(name)
    starts = [game.initial()] + ([game.parse_state(KINGS[name])] if name in KINGS else [])
    found = 0
    while found < count:
        history = History(game, starts[found % len(starts)], rules)
        for _ in range(int(rng.integers(2, 12))):
            code, legal = history.verdict()
            if code != PLAYING:
                break
            seen = set(history.keys.tolist())
            back = [m for m in legal if int(history.after(m).keys[-1]) in seen]
            choice = back if back and rng.random() < 0.7 else legal
            history = history.after(choice[int(rng.integers(len(choice)))])
        if history.verdict()[0] == PLAYING:
            found += 1
            yield history


def minimax(plain, history, depth, ply=0):
    """Return the value by every line, each judged as a match would judge it."""
    game, state = history.game, history.state
    if ply > 0:
        if plain.decided(state) != ONGOING:
            return F(plain.decided(state)) * (WON - F(ply))
        code, _ = history.verdict()
        if code not in (PLAYING, ON_BOARD, STUCK):
            return F(0)
    if depth == 0:
        return plain.value_of(state)
    if game.outcome(state) != ONGOING:
        return F(game.outcome(state)) * (WON - F(ply))
    moves = game.legal_moves(state)
    return max(-minimax(plain, history.after(move), depth - 1, ply + 1) for move in moves)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_value_is_plain_minimaxs_with_the_same_rules(name, seed):
    game, differ = load_game(name), 0
    plain = Recursion(game, FINE)
    for depth, count in ((1, 12), (2, 3)) if name == "hexwar" else ((1, 12), (2, 6), (3, 2)):
        modules = [(alphabeta, {}), (pvs, PLAIN_PVS), (pvs, {**PLAIN_PVS, "table_bits": 12})]
        searches = [
            Searcher(game, module, read_settings(module, given), {"evaluate": hashed})
            for module, more in modules
            for given in [{"depth": depth, "draws": 1, **more}]
        ]
        blind = Searcher(
            game, alphabeta, read_settings(alphabeta, {"depth": depth}), {"evaluate": hashed}
        )
        for history in histories(name, count, seed):
            wanted = minimax(plain, history, depth) + 0.0
            found = [search.think(FINE, history).value for search in searches]
            assert found == [wanted] * len(found), (depth, game.state_text(history.state))
            differ += blind.think(FINE, history).value != wanted
    if (name, seed) in (("chess", 1), ("draughts", 1)):
        assert differ  # the rules make a difference


# In king-capture chess hardly any game comes to that.
@pytest.mark.parametrize("name", few(["chess", "kingcapture", "draughts"], "draughts"))
def test_a_move_that_repeats_is_a_draw_for_every_search(name):
    game, repeating = load_game(name), 0
    searches = [
        Searcher(game, module, read_settings(module, given), {"evaluate": hashed})
        for module, given in (
            (alphabeta, {"depth": 1, "draws": 1}),
            (alphabeta, {"depth": 2, "all_values": 1, "draws": 1}),
            (pvs, {"depth": 3, "all_values": 1, "draws": 1}),
            (mcts, {"rounds": 300, "ply": 0, "all_values": 1, "draws": 1}),
        )
    ]
    for history in histories(name, 20, seed=3):
        for search in searches:
            values = search.think(FINE, history).move_values
            for move, value in values.items():
                after = history.after(move)
                if after.verdict()[0] not in (PLAYING, ON_BOARD, STUCK):
                    assert value == 0, (search.module.__name__, game.state_text(history.state))
                    repeating += 1
    assert repeating or name == "kingcapture"


def test_a_game_that_is_drawn_already_is_played_on():
    game = load_game("draughts")
    history = History(game, game.parse_state("W:WK1,K5:BK32,K28"), DrawRules(2, 0, 0))
    for text in ["1-6", "32-27", "6-1", "27-32"]:
        history = history.after(game.parse_move(history.state, text))
    given = {"depth": 2, "all_values": 1}
    values = [
        Searcher(game, alphabeta, read_settings(alphabeta, {**given, "draws": d}),
                 {"evaluate": hashed}).think(FINE, history).move_values
        for d in (0, 1)
    ]  # fmt: skip
    assert values[0] == values[1]


# Games of an evolved player on ten features against `material` at depth 3 with quiescence 4: a
# clearly better position, the moves since, and the move that would make the draw by repetition.
EVOLVED = Path(__file__).parent / "players" / "chess-ten-features.json"
BETTER = [
    (
        "r7/3p1p2/3kp1p1/7r/2bP1P1P/4P2P/pRK5/R3B1N1 b - - 14 47",
        "f7f6 c2d2 h5f5 d2c2 f5h5 c2d2 h5f5 d2c2",
        "f5h5",
    ),
    (
        "3q2n1/4pp2/2nkbbp1/r1pp3r/1p5p/1P1PPP2/2PN2PP/1RBQKBNR b - - 7 18",
        "d6e5 e1e2 d8d7 e2e1 d7d8 e1e2 d8d7 e2e1",
        "d7d8",
    ),
    (
        "3r4/pp2nk2/2n2p1p/6p1/P7/3r1PP1/5K1P/RNB4R b - - 9 27",
        "f7e6 f2e2 e7f5 e2f2 f5e7 f2e2 e7f5 e2f2",
        "f5e7",
    ),
]


@pytest.mark.parametrize("start,texts,repeating", BETTER)
def test_an_evolved_player_does_not_repeat_where_it_is_better(start, texts, repeating):
    """Blind to the game so far it repeats, and takes that for better; seeing it, it plays on."""
    game = load_game("chess")
    history = History(game, game.parse_state(start))
    for text in texts.split():
        history = history.after(game.parse_move(history.state, text))
    again = game.parse_move(history.state, repeating)
    blind, seeing = (
        make_player(f"file:{EVOLVED},depth=3,quiescence=4,all_values=1,draws={draws}", game)
        for draws in (0, 1)
    )
    blindly = blind.think(history, 1)
    assert blindly.move == again
    assert blindly.value > 0.4
    thought = seeing.think(history, 1)
    assert thought.move != again
    assert thought.move_values[again] == 0
    assert thought.value > 0
