"""Tournaments of networks: the same on any number of threads, and the same as move by move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from compare_runs import same_table
from evoboard.arena.backends.base import find_backend
from evoboard.arena.match import Match
from evoboard.arena.result_cache import ResultCache
from evoboard.arena.schedules import double_round_robin, paired_games, single_round_robin
from evoboard.core.errors import EvoboardError, OptionError, PartError
from evoboard.encoders.base import find_encoder
from evoboard.games.adjudication import ILLEGAL
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.players.setup import Setup
from evoboard.search import alphabeta
from evoboard.search.base import Searcher
from evoboard.search.values import network_value

GAME = load_game("kingcapture")
ENCODER = find_encoder("squares", GAME)


def random_networks(count, seed=0, inputs=36):
    rng, some = np.random.default_rng(seed), min(6, inputs)
    return [
        graph.GraphNetwork(
            inputs=inputs,
            outputs=[1],
            start=[0, some, inputs + some + 1],
            source=[*rng.choice(inputs, some, replace=False), *range(inputs + 1)],
            weight=rng.normal(size=inputs + some + 1),
            bias=rng.normal(size=2),
            activation=("unilateral", "bilateral"),
        )
        for _ in range(count)
    ]


def round_robin(players, openings=2, seed=1):
    return paired_games(GAME, single_round_robin(players), 2 * openings, seed, plies=3)


PACK = graph.pack(random_networks(6))


class Tournament:
    """The cpu backend, with one way of playing."""

    def __init__(self, threads=1, search="alphabeta", draws=None, **settings):
        self.setup = Setup("kingcapture", "squares", "graph", search, settings, draws)
        self.backend = find_backend("cpu", threads)

    def play(self, pack, schedule, seed, **more):
        return self.backend.play(self.setup, pack, schedule, seed, **more)


LUCKY_PACK = graph.pack(random_networks(6, inputs=3))


def lucky(threads, **settings):
    """Return a tournament by chance: in nim, as the tests of GPUs have it compiled as well."""
    made = Tournament(threads)
    made.setup = Setup("nim", "heaps", "graph", "mcts", settings)
    return made


@pytest.mark.parametrize("search", ["alphabeta", "mcts"])
def test_the_number_of_threads_changes_nothing(search):
    tournaments, pack, schedule = [Tournament(n) for n in (1, 2, 5)], PACK, round_robin(6)
    if search == "mcts":
        tournaments = [lucky(threads, rounds=20, ply=2) for threads in (1, 2, 5)]
        pack, schedule = LUCKY_PACK, paired_games(load_game("nim"), single_round_robin(6), 4, 1)
    tables = [one.play(pack, schedule, seed=5, record=True) for one in tournaments]
    assert all(same_table(tables[0].table, other.table) for other in tables[1:])
    assert all(np.array_equal(tables[0].moves, other.moves) for other in tables[1:])


def test_a_tournament_is_its_games_played_move_by_move():
    schedule = round_robin(4)
    played = Tournament(2).play(PACK, schedule, seed=1, record=True)
    parts = {"forward": graph.forward, "forward_all": graph.forward_all}
    parts |= {"evaluate": network_value, "SCRATCH": graph.scratch_size(PACK)}
    searcher = Searcher(GAME, alphabeta, alphabeta.Settings(), {**ENCODER.bindings, **parts})
    for index in range(played.table.games):
        match = Match(GAME, start=schedule.openings[schedule.opening_of[index]])
        while not match.over:
            player = schedule.pairings[index, GAME.side(match.state)]
            match.play(searcher.think(graph.member(PACK, player), match.history).move)
        record = played.record(GAME, index)
        assert (record.moves, record.result, record.reason) == (
            tuple(match.moves),
            match.result,
            match.reason,
        )
        assert match.code == played.table.codes[index]


def test_draw_rules_are_obeyed_and_progress_is_told():
    told = []
    capped = Tournament(2, draws=DrawRules(plies=6))
    played = capped.play(PACK, round_robin(6), seed=1, progress=told.append)
    assert played.table.plies.max() <= 6
    assert sum(told) == played.table.games


def test_known_results_are_not_played_again_and_are_the_same():
    schedule, cache, told = round_robin(6), ResultCache(), []
    fresh = Tournament().play(PACK, schedule, seed=1, record=True)
    first = Tournament().play(PACK, schedule, seed=2, cache=cache, progress=told.append)
    assert sum(told) == fresh.table.games
    again = Tournament(2).play(PACK, schedule, seed=3, cache=cache, progress=told.append)
    assert sum(told) == fresh.table.games
    assert cache.hits == fresh.table.games
    for played in (first, again):
        assert same_table(played.table, fresh.table)
        assert np.array_equal(played.finals, fresh.finals)


def test_the_cache_knows_networks_settings_rules_and_openings_apart():
    schedule, cache = round_robin(3), ResultCache()
    Tournament().play(PACK, schedule, seed=1, cache=cache)
    changed = random_networks(6)
    changed[0] = random_networks(1, seed=9)[0]
    deeper = Tournament(depth=2)
    capped = Tournament(draws=DrawRules(plies=6))
    Tournament().play(graph.pack(changed), schedule, seed=1, cache=cache)
    assert cache.hits == 4  # the pair without the changed network: two openings, both colours
    for other in (deeper, capped):
        once_more = other.play(PACK, schedule, 1, cache=cache).table
        assert same_table(once_more, other.play(PACK, schedule, 1).table)
    assert cache.hits == 4
    Tournament().play(PACK, round_robin(3, seed=2), seed=1, cache=cache)
    assert cache.hits == 4


@pytest.mark.parametrize(("found", "told"), [("999", "not legal"), ("-7", ""), ("move", "")])
def test_a_move_of_a_users_search_is_checked_before_it_is_made(found, told, tmp_path):
    bold = Path(__file__).parent.parent / "examples" / "parts" / "bold.py"
    file = tmp_path / "own.py"
    file.write_text(bold.read_text().replace("return move", f"return {found}"))
    schedule = paired_games(load_game("nim"), single_round_robin(2), 2, 1)
    own = Tournament()
    own.setup = Setup("nim", "heaps", "graph", str(file))
    if told:
        with pytest.raises(PartError, match=f"the search {file} returned a move that is {told}"):
            own.play(LUCKY_PACK, schedule, seed=1)
    else:
        codes = own.play(LUCKY_PACK, schedule, seed=1).table.codes
        assert ((codes == ILLEGAL) == (found == "-7")).all()


def test_searches_with_chance_are_never_cached():
    cache, told = ResultCache(), []
    schedule = paired_games(load_game("nim"), single_round_robin(2), 4, 1)
    for seed in (1, 2):
        lucky(1, rounds=5, ply=1).play(
            LUCKY_PACK, schedule, seed, cache=cache, progress=told.append
        )
    assert (len(cache), sum(told)) == (0, 8)


def test_wrong_input_is_refused():
    with pytest.raises(OptionError, match="35 inputs"):
        Tournament().play(graph.pack(random_networks(2, inputs=35)), round_robin(2), seed=1)
    with pytest.raises(OptionError, match="names player 5"):
        Tournament().play(graph.pack(random_networks(2)), round_robin(6), seed=1)
    with pytest.raises(OptionError, match="depth"):
        Tournament(depth=0).play(PACK, round_robin(6), seed=1)
    with pytest.raises(OptionError, match="number of players is 1"):
        double_round_robin(1)
    broken = random_networks(1)[0]
    for value in (np.nan, np.inf):
        with pytest.raises(EvoboardError, match=r"finite|number"):
            graph.GraphNetwork(36, [0], [0, 1], [0], [value], broken.bias[:1])
