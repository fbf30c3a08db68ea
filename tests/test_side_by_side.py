"""Games side by side are those of the same players asked move by move."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from compare_runs import same_table
from evoboard.arena import contest
from evoboard.arena.backends.base import find_backend
from evoboard.arena.contest import Terms, play_contest, play_schedule
from evoboard.arena.schedules import paired_games
from evoboard.core.errors import IllegalMove
from evoboard.games.adjudication import ILLEGAL
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.base import SearchPlayer, finder_of, make_player
from evoboard.players.setup import Setup
from evoboard.search.limits import Stop, Stopped

ROOT = Path(__file__).parent.parent
HASTY, BOLD = (str(ROOT / "examples" / "parts" / name) for name in ("hasty.py", "bold.py"))
CONNECTFOUR = str(ROOT / "examples" / "connectfour.py")
LONG = DrawRules(repetitions=3, quiet=0, plies=0)  # no last ply


def moves_of(found):
    """All that tells a contest's games; seconds are never the same."""
    return [replace(record, seconds=(0.0, 0.0)) for record in found.records]


@pytest.fixture
def one_by_one(monkeypatch):
    """Play a contest as if nobody had a kernel."""

    def play(*parts, **more):
        with monkeypatch.context() as patch:
            patch.setattr(contest, "finder_of", lambda player: None)
            return play_contest(*parts, **more)

    return play


# Left to `make proofs`: games whose searches are compiled for nobody else, one way of asking each.
PROOFS = [
    ("hexwar", ["champion:depth=1", "material", "scripted:rusher", "scripted:builder"], None),
    ("draughts", ["champion:depth=1", f"{HASTY}:few=2", "random"], None),
    (CONNECTFOUR, ["mcts:rounds=20", HASTY], None),
]


@pytest.mark.parametrize(
    "game,players,draws",
    [
        *(pytest.param(*case, marks=pytest.mark.proof) for case in PROOFS),
        ("hexwar", ["scripted:rusher", "scripted:builder", "random"], None),
        ("kingcapture", ["champion:depth=2", "material:depth=2,quiescence=2", "random"], None),
        ("kingcapture", ["material:nodes=60", "mcts:rounds=20", HASTY], LONG),
        ("kingcapture", ["material", f"material:search={BOLD},adventures=30"], None),
        ("nim:heaps=3/5/7", ["champion:nim-policy", "perfect", HASTY], None),
    ],
)
def test_side_by_side_as_one_by_one(one_by_one, game, players, draws):
    loaded, terms = load_game(game), Terms(seed=4, draws=draws, threads=1)
    quick = [text for text in players if finder_of(make_player(text, loaded))]
    assert quick == [text for text in players if text not in ("random", "perfect")]
    expected = moves_of(one_by_one(loaded, players, 6, terms))
    found = play_contest(loaded, players, 6, terms)
    assert moves_of(found) == expected
    assert len({record.moves for record in expected}) > len(expected) / 3
    assert all(min(record.seconds) > 0 for record in found.records if record.plies > 1)
    assert moves_of(play_contest(loaded, players, 6, replace(terms, threads=3))) == expected


def test_a_game_may_last_as_long_as_it_likes(one_by_one):
    game = load_game("kingcapture")
    terms, players = Terms(seed=2, draws=DrawRules(0, 0, 300), threads=1), [f"{HASTY}:few=1"] * 2
    found = moves_of(play_contest(game, players, 2, terms))
    assert found == moves_of(one_by_one(game, players, 2, terms))
    assert max(record.plies for record in found) == 300


def test_networks_meet_fixed_players_as_before(monkeypatch):
    rng, game = np.random.default_rng(3), load_game("kingcapture")
    nets = [GraphNetwork(36, [0], [0, 36], range(36), rng.normal(size=36), [0.1]) for _ in range(3)]
    setup = Setup("kingcapture", "squares", settings={"depth": 1}, draws=DrawRules(3, 40, 60))
    pairs = np.array([[0, 3], [1, 3], [2, 3], [2, 4], [0, 5]])
    schedule, texts = paired_games(game, pairs, 8, 7, 3), ["material", HASTY, "random"]

    def play(threads):
        backend, pack = find_backend("cpu", threads), graph.pack(nets)
        return backend.play(setup, pack, schedule, 7, texts, record=True)

    found = [play(threads) for threads in (1, 3)]
    monkeypatch.setattr(contest, "finder_of", lambda player: None)
    expected = play(1)
    for each in found:
        assert same_table(each.table, expected.table)
        assert each.records(game) == expected.records(game)


def test_who_may_answer_otherwise_is_asked_move_by_move():
    game = load_game("kingcapture")
    for text in ("material:seconds=0.1", "material:level=3", "material:search=pvs,threads=2"):
        assert finder_of(make_player(text, game)) is None
    assert finder_of(make_player("material:search=pvs,depth=2", game)) is not None

    class Contrary(SearchPlayer):
        def think(self, *asked, **more):
            raise AssertionError

    player = make_player("material", game)
    player.__class__ = Contrary
    assert finder_of(player) is None


CHOOSING = """
from evoboard.players.choosing import ChoosingPlayer


def player_for(game):
    return ChoosingPlayer(game, choose)


def choose(state, moves, values, options, chance):
    return PLACE
"""


def test_a_choice_that_does_not_exist_forfeits(tmp_path, one_by_one):
    game = load_game("nim")
    for place in ("-1", "moves.shape[0]"):
        path = tmp_path / "wrong.py"
        path.write_text(CHOOSING.replace("PLACE", place))
        for play in (play_contest, one_by_one):
            found = play(game, [str(path), HASTY], 2, Terms(threads=1, opening_plies=0))
            assert [record.code for record in found.records] == [ILLEGAL] * 2
            assert found.table.points().tolist() == [0, 2]


def test_a_search_that_breaks_the_rules_is_told(tmp_path, one_by_one):
    path = tmp_path / "wrong.py"
    source = Path(BOLD).read_text()
    assert source.endswith("return move\n")
    path.write_text(source.removesuffix("move\n") + "12345\n")
    game, players = load_game("kingcapture"), [f"material:search={path}", "material"]
    for play in (play_contest, one_by_one):
        with pytest.raises(IllegalMove, match="move number 12345 is not legal in "):
            play(game, players, 2, Terms(threads=1))


def test_a_stop_ends_games_side_by_side():
    game, stop = load_game("kingcapture"), Stop()
    schedule = paired_games(game, np.array([[0, 1]]), 40, 1)
    began = time.monotonic()
    stop.set_after(1.0)
    with pytest.raises(Stopped):
        play_schedule(game, ["material:depth=12"] * 2, schedule, Terms(threads=2), stop=stop)
    assert time.monotonic() - began < 120  # one move takes far longer
