"""The searches against plain minimax, on random positions of every game."""

from __future__ import annotations

import json
import pickle
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from conftest import EXAMPLES, GAMES, VARIANTS, few
from evoboard.core.errors import OptionError
from evoboard.core.kernel_tuple import kernel_tuple
from evoboard.core.rng import stream
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.games.perft import perft
from evoboard.games.rules import ONGOING
from evoboard.players.base import make_player
from evoboard.search import alphabeta, frames, pvs, table
from evoboard.search.base import (
    DEPTH,
    LINE,
    NODES,
    Searcher,
    find_search,
    read_settings,
    search_names,
)
from evoboard.search.frames import LEFT_OUT, above, line_up
from evoboard.search.limits import Limits, Stop
from evoboard.search.quiescence import COUNT
from evoboard.search.table import (
    ANY,
    entry_move,
    find,
    new_table,
    next_age,
    seen_from_node,
    seen_from_root,
    store,
)
from evoboard.search.values import WON
from naive_search import Plain, Recursion, hashed

FINE, COARSE = np.array([0]), np.array([22])  # networks of `hashed`: 2^24 values, or 4
# Positions and the most lines of that length, by depth. Plain minimax sees every line.
PLAN = {1: (1000, 5_000), 2: (1000, 5_000), 3: (1000, 20_000), 4: (300, 60_000)}
# Positions come back, and the table is asked about them, only in longer lines.
PLAN |= {5: (10, 20_000), 6: (10, 20_000)}
EXACT_PVS = {"reductions": 0, "singular": 0}
# A small table, so that entries are replaced, too.
EXACT = [
    (alphabeta, {}),
    (alphabeta, {"ordering": 0}),
    (pvs, {**EXACT_PVS, "table_bits": 10}),
    (pvs, {**EXACT_PVS, "table_bits": 0}),
    (pvs, {**EXACT_PVS, "killers": 0, "history": 0}),
    (pvs, {**EXACT_PVS, "exchanges": 1, "blame": 1}),
    (pvs, {**EXACT_PVS, "keep_table": 1, "table_bits": 10}),
    # A window needs to know how far evaluations are off; nobody has 1,000 moves to leave out.
    (pvs, {**EXACT_PVS, "aspiration": 0.2, "late_pruning": 1000}),
]


# Searches know nothing of rules and starts, so variants and most examples would add nothing, and
# one game does for every day: each has its searches compiled for it.
USUAL = ("kingcapture",)
LEFT_TO_OTHERS = (*VARIANTS, *(str(path) for path in EXAMPLES if path.stem != "tictactoe"))


@pytest.fixture(
    params=few((text for text in GAMES if text not in LEFT_TO_OTHERS), *USUAL),
    ids=lambda text: Path(text).stem,
)
def game(request):
    """Every game there is."""
    return load_game(request.param)


def searcher(game, module, **settings):
    return Searcher(game, module, read_settings(module, settings), {"evaluate": hashed})


def random_positions(game, count, seed=1):
    """Return ongoing positions with moves, every one that random games come through."""
    rng, found = stream(seed, game.name), []
    while len(found) < count:
        state = game.initial(int(rng.integers(1, 1_000_000)))
        for _ in range(120):
            moves = game.legal_moves(state)
            if not moves:
                break
            found.append(state)
            state = game.apply(state, int(rng.choice(moves)))
    order = rng.permutation(len(found))[:count]
    return [found[i] for i in order]


def line_counter(game):
    kernel = game.link(perft)
    states = np.zeros((6, game.state_size), np.int64)
    moves, cursors = np.zeros((6, game.max_moves), np.int32), np.zeros((6, 2), np.int64)

    def count(state, depth, most=10**9):
        # Ply by ply, so that nobody waits for the exact number of far too many lines.
        for plies in range(1, depth + 1):
            states[0] = state
            lines = kernel(states, moves, cursors, plies)
            if lines > most:
                break
        return lines

    return count


POOLS = {}


def pool(game):
    """Return many random positions, made once per game."""
    key = (game.name, str(game.options))
    if key not in POOLS:
        POOLS[key] = random_positions(game, 4000)
    return POOLS[key]


def sample(game, count, depth, lines):
    """Return `count` positions with at most so many lines of `depth` plies, or all there are."""
    key = (game.name, str(game.options), count, depth, lines)
    if key not in POOLS:
        counter, short = line_counter(game), min(depth, 2)
        # Counting long lines takes time: what has few short ones is worth a try.
        most = 2 * lines ** (short / depth)
        few = (state for state in pool(game) if counter(state, short) <= most)
        fit = (state for state in few if counter(state, depth, lines) <= lines)
        POOLS[key] = [state for state, _ in zip(fit, range(count), strict=False)]
    return POOLS[key]


def test_the_compiled_oracle_is_the_recursion(game):
    for network in (FINE, COARSE):
        plain, slow = Plain(game, network), Recursion(game, network)
        lines = line_counter(game)
        for state in sample(game, 30, 1, 1000):
            for depth in (1, 2, 3):
                if lines(state, depth) <= 1000:
                    assert plain.minimax(state, depth) == slow.minimax(state, depth)
                    assert plain.wins_within(state, depth) == slow.wins_within(state, depth)


def test_alphabeta_and_pvs_give_the_value_of_plain_minimax(game, cases):
    total, least = 0, cases(150, 2000)
    for depth, (count, lines) in PLAN.items():
        states = sample(game, max(5, count * least // 2000), depth, lines)
        total += len(states)
        for network in (FINE, COARSE):
            plain = Plain(game, network)
            wanted = [plain.minimax(state, depth) for state in states]
            for module, settings in EXACT:
                search = searcher(game, module, depth=depth, **settings)
                found = [search.think(network, History.of(game, state)).value for state in states]
                assert found == wanted, (module.__name__, settings, depth)
    assert total >= least


@pytest.mark.parametrize("module, settings", EXACT[:4])
def test_the_best_line_is_legal_and_leads_to_the_value(game, module, settings):
    slow = Recursion(game, FINE)
    for depth, count in ((3, 40), (6, 10)):
        search = searcher(game, module, depth=depth, **settings)
        for state in sample(game, count, depth, 60_000):
            thought = search.think(FINE, History.of(game, state))
            assert thought.line[0] == thought.move
            assert value_of_line(game, slow, state, thought.line, depth) == thought.value


def value_of_line(game, slow, state, line, depth):
    """Return what a search so deep says of a legal line; a shorter one ends with the game."""
    sign, ply = 1, 0
    for move in line:
        assert move in game.legal_moves(state)
        state, sign, ply = game.apply(state, move), -sign, ply + 1
    assert ply == depth or game.outcome(state) != ONGOING
    return sign * slow.minimax(state, 0 if ply == depth else 1, ply=ply)


@pytest.mark.parametrize("module, settings", [(alphabeta, {}), (pvs, EXACT_PVS)])
def test_every_move_with_a_value_has_the_line_that_leads_to_it(game, module, settings):
    slow = Recursion(game, FINE)
    for depth, count in ((2, 10), (4, 8)):
        search = searcher(game, module, depth=depth, all_values=1, **settings)
        for state in sample(game, count, depth, 20_000):
            thought = search.think(FINE, History.of(game, state))
            assert set(thought.move_lines) == set(thought.move_values)
            assert thought.move_lines[thought.move] == thought.line
            for move, line in thought.move_lines.items():
                assert line[0] == move
                found = value_of_line(game, slow, state, line, depth)
                assert found == thought.move_values[move]
    plain = searcher(game, module, depth=2, **settings)
    assert plain.think(FINE, History.of(game, state)).move_lines == {}


@pytest.mark.parametrize("module, settings", [(alphabeta, {}), (pvs, EXACT_PVS)])
def test_the_deepest_position_is_counted_with_captures_beyond_the_depth(module, settings):
    game = load_game("kingcapture")
    state = game.initial()
    for depth in (1, 2, 3):
        deepest = []
        for quiescence in (0, 1, 20):
            search = searcher(game, module, depth=depth, quiescence=quiescence, **settings)
            search.think(FINE, History.of(game, pool(game)[5]))  # of no other search's
            deepest.append(search.think(FINE, History.of(game, state)).deepest)
        assert deepest[0] == depth
        assert depth <= deepest[1] <= min(depth + 1, deepest[2])
    assert deepest[2] > depth + 1
    nim = load_game("nim")  # over after two moves, however deep one looks
    short = History.of(nim, nim.parse_state("1,1,0 0"))
    assert searcher(nim, module, depth=6, **settings).think(FINE, short).deepest == 2


def test_how_full_a_table_is_counts_what_this_search_has_stored():
    game = load_game("kingcapture")
    search = searcher(game, pvs, depth=4, table_bits=9, keep_table=1)
    shares = [search.think(FINE, History.of(game, state)).table_use for state in pool(game)[:2]]
    entries = search.work.slots[:, 1]
    assert shares[1] == np.mean(entries >> 42 == search.work.age[0]) > 0
    assert shares[1] < np.mean(entries != 0)  # the first search's are still there
    for module, settings in ((pvs, {"table_bits": 0}), (alphabeta, {})):
        search = searcher(game, module, depth=2, **settings)
        assert search.think(FINE, History.of(game, game.initial())).table_use is None


@pytest.mark.parametrize("module, settings", [(alphabeta, {}), (pvs, EXACT_PVS)])
@pytest.mark.parametrize("name", few(["kingcapture", "draughts", "hexwar", "nim"], "kingcapture"))
def test_unaided_searches_ask_the_evaluation_where_the_game_is_over(name, module, settings, cases):
    game = load_game(name)
    blind, knowing = Recursion(game, FINE, unaided=True), Recursion(game, FINE)
    for depth, quiescence in ((1, 0), (2, 0), (3, 0), (2, 2)):
        given = {"depth": depth, "quiescence": quiescence, "draws": 1, **settings}
        search = searcher(game, module, unaided=1, **given)
        different = 0
        for state in sample(game, cases(15, 40), depth, 3000):
            found = search.think(FINE, History.of(game, state)).value
            assert found == blind.minimax(state, depth, quiescence)
            different += found != knowing.minimax(state, depth, quiescence)
        assert different > 0, depth


UNAIDED = ("material:depth=1", "material:depth=1,search=pvs", "material:search=mcts")


@pytest.mark.parametrize("text", few(UNAIDED, UNAIDED[0]))
def test_who_is_unaided_leaves_a_king_where_it_stands(text):
    game = load_game("kingcapture")
    taking = game.parse_state("3k2/6/6/6/3R2/3K2 w")
    knowing = make_player(text, game).think(History.of(game, taking), 1)
    assert game.move_text(taking, knowing.move) == "d2d6"
    blind = make_player(f"{text},unaided=1", game).think(History.of(game, taking), 1)
    # A king counts for nothing in `material`: it sees no more than before.
    assert abs(blind.value) < 10_000
    if text == UNAIDED[0]:
        assert game.move_text(taking, blind.move) != "d2d6"


@pytest.mark.parametrize("module, settings", [(alphabeta, {}), (pvs, EXACT_PVS)])
def test_all_values_are_the_exact_values_of_all_moves(game, module, settings):
    slow = Recursion(game, FINE)
    search = searcher(game, module, depth=2, all_values=1, **settings)
    plain = searcher(game, module, depth=2, **settings)
    for state in sample(game, 10, 2, 500):
        thought = search.think(FINE, History.of(game, state))
        wanted = {
            move: -slow.minimax(game.apply(state, move), 1, ply=1)
            for move in game.legal_moves(state)
        }
        assert thought.move_values == wanted
        assert thought.value == max(wanted.values()) == wanted[thought.move]
        assert plain.think(FINE, History.of(game, state)).move_values == {}


def test_at_depth_1_alphabeta_gives_all_values_unasked(game):
    state = sample(game, 1, 1, 1000)[0]
    thought = searcher(game, alphabeta, depth=1).think(FINE, History.of(game, state))
    assert sorted(thought.move_values) == sorted(game.legal_moves(state))
    assert thought.nodes == len(thought.move_values)
    assert thought.move_values[thought.move] == thought.value == max(thought.move_values.values())


@pytest.mark.parametrize("name", few(["kingcapture", "draughts", "chess", "hexwar", "nim"], *USUAL))
@pytest.mark.parametrize("module, settings", [EXACT[0], EXACT[2]])
def test_quiescence_is_the_recursion_over_forcing_moves(name, module, settings):
    game = load_game(name)
    slow = Recursion(game, FINE)
    for depth, quiescence in ((1, 1), (1, 4), (2, 2)):
        search = searcher(game, module, depth=depth, quiescence=quiescence, **settings)
        for state in sample(game, 10, 2, 400):
            wanted = slow.minimax(state, depth, quiescence)
            assert search.think(FINE, History.of(game, state)).value == wanted


def test_forcing_moves_are_the_captures_and_promotions():
    chess, draughts = load_game("chess"), load_game("draughts")
    hexwar, kings = load_game("hexwar"), load_game("kingcapture")
    assert loud(chess, "k7/4P3/8/3pP3/8/2n5/1P6/K7 w - d6 0 1") == {
        "e5d6",
        "b2c3",
        "e7e8n",
        "e7e8b",
        "e7e8r",
        "e7e8q",
    }
    assert loud(draughts, "B:W15:B10,1") == {"10x19"}
    assert loud(draughts, "B:W5:B28,1") == {"28-32"}
    assert loud(hexwar, "0,0,0,0,2/0,0,0,0,-1/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 b") == {
        "4,0-4,1:1",
        "4,0-4,1:2",
    }
    assert loud(kings, "3k2/P5/6/1p4/N5/3K2 w") == {"a5a6"}
    assert loud(kings, "3k2/P5/1p4/6/N5/3K2 w") == {"a5a6", "a2b4"}


def loud(game, text):
    state = game.parse_state(text)
    force = game.link(game.bindings["forcing"])
    moves = game.legal_moves(state)
    return {game.move_text(state, move) for move in moves if force(state, move) > 0}


TACTICS = sorted((Path(__file__).parent / "tactics").glob("*.json"))
USUAL_TACTICS = few(TACTICS, *(path for path in TACTICS if path.stem in USUAL))
WITH_EVERYTHING = [(alphabeta, {}), (pvs, {}), (pvs, {"deeper": 1}), (pvs, {"quiescence": 2})]
WITH_EVERYTHING += [(pvs, {"deeper": 1, "threads": 2})]


@pytest.mark.parametrize("path", USUAL_TACTICS, ids=lambda path: path.stem)
@pytest.mark.parametrize("module, settings", WITH_EVERYTHING)
def test_no_win_of_the_tactical_sets_is_missed(path, module, settings):
    game, cases = load_game(path.stem), json.loads(path.read_text())
    # A side without a move is seen one ply later than one that has lost already.
    more = int(path.stem in ("chess", "draughts"))
    searches = {
        plies: searcher(game, module, depth=plies + more, **settings)
        for plies in {case["plies"] for case in cases}
    }
    for case in cases:
        state = game.parse_state(case["state"])
        thought = searches[case["plies"]].think(COARSE, History.of(game, state))
        assert game.move_text(state, thought.move) in case["moves"], case
        assert thought.value == 100_000 - case["plies"], case


@pytest.mark.parametrize("path", USUAL_TACTICS, ids=lambda path: path.stem)
def test_the_tactical_sets_are_what_they_say(path):
    game, cases = load_game(path.stem), json.loads(path.read_text())
    plain = Plain(game, FINE)
    for case in cases[::5]:
        state, plies = game.parse_state(case["state"]), case["plies"]
        assert plain.wins_within(state, plies)
        assert not plain.wins_within(state, plies - 1)
        moves = [game.move_text(state, m) for m in plain.winning_moves(state, plies)]
        assert moves == case["moves"]
    assert len(cases) == len({case["state"] for case in cases}) >= 100


WILD = {"reduce_from": 3, "reductions": 2, "late": 1, "singular_from": 3, "margin": 0.01}


RISKY = {"late_pruning": 1, "futility": 0.3, "null_move": 1, "aspiration": 0.1, "growing": 1}
RISKY |= {"unsure": 3}


@pytest.mark.parametrize("settings", [WILD, {**pvs.PLAYING, **WILD, **RISKY}])
def test_a_win_that_is_reported_is_one_whatever_is_reduced_or_extended(game, settings):
    plain, won = Plain(game, COARSE, deepest=16), 0
    search = searcher(game, pvs, depth=4, **{"deeper": 1, **settings})
    for state in sample(game, 150, 3, 3_000):
        value = search.think(COARSE, History.of(game, state)).value
        if value > 10_000:
            won += 1
            assert plain.wins_within(state, 100_000 - int(value))
    if game.name in ("kingcapture", "nim", "tictactoe"):
        assert won > 0


def test_every_extra_does_something():
    game = load_game("kingcapture")
    states = sample(game, 12, 3, 2_000)

    def nodes(**settings):
        search = searcher(game, pvs, depth=6, **{**EXACT_PVS, **settings})
        return sum(search.think(FINE, History.of(game, state)).nodes for state in states)

    exact = nodes()
    assert exact < nodes(table_bits=0)
    assert exact < nodes(killers=0, history=0)
    assert exact != nodes(killers=0)
    assert exact != nodes(history=0)
    assert exact != nodes(blame=1)
    assert exact > nodes(unsure=3)
    assert exact > nodes(reductions=1)
    assert exact < nodes(singular=1, singular_from=4)
    assert exact < nodes(quiescence=1)
    assert exact > nodes(late_pruning=1)
    assert nodes(late_pruning=99, futility=0.5) < nodes(late_pruning=99)
    assert nodes(late_pruning=99, aspiration=1.0) != nodes(late_pruning=99)
    assert nodes(reductions=1, growing=1, reduce_from=3, late=2) < nodes(reductions=1)


def test_what_only_some_games_say_does_something_there():
    game = load_game("kingcapture")
    states = sample(game, 40, 3, 2_000)

    def nodes(**settings):
        search = searcher(game, pvs, depth=5, **{**EXACT_PVS, "quiescence": 2, **settings})
        return sum(search.think(FINE, History.of(game, state)).nodes for state in states)

    exact = nodes()
    assert nodes(null_move=1) < exact
    assert nodes(check_extension=1) > exact
    assert nodes(brisk=1) < exact
    assert nodes(exchanges=1) != exact


@pytest.mark.parametrize("name", ["chess", "kingcapture"])
def test_forcing_moves_are_those_that_force(name):
    game, passed = load_game(name), 0
    rules = {n: game.link(game.bindings[n]) for n in ("forcing", "forcing_moves", "pass_turn")}
    checked = game.link(game.bindings["in_check"])
    out, after = np.zeros(game.max_moves, np.int32), np.zeros(game.state_size, np.int64)
    for state in pool(game)[:400]:
        if rules["pass_turn"](state, after) == 0:
            continue
        passed += 1
        assert not checked(state)
        assert game.side(after) != game.side(state)
        found = out[: rules["forcing_moves"](state, out)].tolist()
        legal = game.legal_moves(state)
        assert sorted(found) == sorted(m for m in legal if rules["forcing"](state, m) > 0)
    assert 100 < passed < 400


@pytest.mark.parametrize(
    "name, text, lost",
    [
        ("chess", "4k3/8/2p5/3p4/8/8/3R4/3RK3 w - - 0 1", {"d2d5"}),  # two for a rook
        ("chess", "4k3/8/4p3/3r4/8/8/3R4/4K3 w - - 0 1", set()),
        ("chess", "3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", set()),  # the second rook backs the first
        ("chess", "3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", {"d2d5"}),
        ("chess", "8/8/3k4/3p4/4K3/8/8/8 w - - 0 1", set()),
        ("chess", "7k/8/8/3pP3/8/8/8/7K w - d6 0 1", set()),
        ("kingcapture", "3k2/6/2p3/1p4/1R4/3K2 w", {"b2b3"}),
        ("kingcapture", "3k2/6/6/1p4/1R4/3K2 w", set()),
        ("kingcapture", "3k2/6/2p3/1r4/1R4/3K2 w", set()),
        ("kingcapture", "3k2/6/6/2p3/1p4/2K3 w", {"c1b2"}),
    ],
)
def test_captures_that_lose_are_known(name, text, lost):
    game = load_game(name)
    state = game.parse_state(text)
    losing = game.link(game.bindings["losing"])
    found = {game.move_text(state, m) for m in game.legal_moves(state) if losing(state, m)}
    assert found & loud(game, text) == lost


@pytest.mark.proof
def test_brisk_quiescence_is_the_usual_one_where_nobody_may_pass():
    game = load_game("draughts")
    states = sample(game, 20, 2, 400)
    for module in (alphabeta, pvs):
        values = [
            [search.think(FINE, History.of(game, state)).value for state in states]
            for brisk in (0, 1)
            for search in [searcher(game, module, depth=2, quiescence=4, brisk=brisk)]
        ]
        assert values[0] == values[1]


@pytest.mark.parametrize("name", few(["chess", "kingcapture"], "kingcapture"))
def test_a_brisk_quiescence_stands_pat_and_makes_no_losing_capture(name):
    game = load_game(name)
    losing = game.link(game.bindings["losing"])
    passes, after = game.link(game.bindings["pass_turn"]), np.zeros(game.state_size, np.int64)
    plain = Recursion(game, FINE)

    def quiet(state, limit, ply):
        if plain.decided(state) != ONGOING:
            return plain.quiet(state, 0, ply)
        if limit == 0:
            return plain.value_of(state)
        moves = game.legal_moves(state)
        may_pass = passes(state, after)
        if not moves and not may_pass:
            return plain.minimax(state, 1, ply=ply)
        loud = [move for move in moves if plain.force(state, move) > 0]
        tried = [move for move in loud if not (may_pass and losing(state, move))]
        values = [-quiet(game.apply(state, move), limit - 1, ply + 1) for move in tried]
        stays = may_pass or len(loud) < len(moves)
        return max([*values, plain.value_of(state)] if stays else values)

    search = searcher(game, alphabeta, depth=1, quiescence=3, brisk=1)
    for state in sample(game, 15, 2, 400):
        children = [game.apply(state, move) for move in game.legal_moves(state)]
        thought = search.think(FINE, History.of(game, state))
        assert thought.value == max(-quiet(child, 3, 1) for child in children)


def test_a_kept_table_helps_the_next_search_and_only_on_the_clock():
    game = load_game("kingcapture")
    history = History(game)
    kept = searcher(game, pvs, depth=5, keep_table=1)
    first, second = (kept.think(FINE, history) for _ in range(2))
    assert second.nodes < first.nodes
    assert second.value == first.value
    limited = searcher(game, pvs, depth=20, keep_table=1)
    for limits in (Limits(depth=4), Limits(nodes=2_000)):
        one, two = (limited.think(FINE, history, limits=limits) for _ in range(2))
        assert (one.nodes, one.value, one.line) == (two.nodes, two.value, two.line)


@pytest.mark.proof
def test_extensions_see_beyond_the_depth():
    game, cases = load_game("draughts"), json.loads(TACTICS[1].read_text())
    found = {}
    for singular in (0, 1):
        settings = {"singular": singular, "singular_from": 3, "reductions": 0}
        search = searcher(game, pvs, depth=6, margin=0.5, **settings)
        states = [game.parse_state(case["state"]) for case in cases if case["plies"] == 7]
        found[singular] = sum(
            search.think(FINE, History.of(game, state)).value > 10_000 for state in states
        )
    assert found[0] == 0
    assert found[1] > 5


def test_to_question_a_move_is_to_leave_it_out():
    settings = pvs.Settings()
    work = pvs.workspace(load_game("nim"), settings, 1)
    for left_out in (10, 12, 13):
        work.moves[1, :4] = [10, 11, 12, 13]
        work.cursors[1, LEFT_OUT] = left_out
        line_up(settings, work, 1, -1, 4)
        rest = work.moves[1, : work.cursors[1, COUNT]]
        assert sorted(rest) == sorted({10, 11, 12, 13} - {left_out})


CORRIDOR = """
STATE_SIZE, MAX_MOVES, TURN, VERSION = 2, 1, 1, 1

def initial(state, seed):
    state[0], state[1] = 0, 0

def legal_moves(state, out):
    out[0] = 7
    return 1

def apply_move(state, move, out):
    out[0], out[1] = state[0] + 1, 1 - state[1]

def outcome(state):
    return 2

def stuck(state):
    return 0
"""


# Without compilation, NumPy checks the bounds.
@pytest.mark.parametrize("target", ["python"])
def test_extensions_end_where_there_is_no_more_room(tmp_path, target):
    path = tmp_path / "corridor.py"
    path.write_text(CORRIDOR)
    game = load_game(str(path))
    for depth in range(1, 9):
        settings = pvs.Settings(depth=depth, singular_from=3, quiescence=1)
        work = pvs.workspace(game, settings, 1)
        kernel = game.link(pvs.best_move, target, evaluate=hashed)
        assert kernel(FINE, game.initial(), kernel_tuple(settings), 1, work) == 7
        # With one move only, every node within reach of the table is extended.
        assert depth < 5 or depth < work.counts[LINE] <= 2 * depth + 2


def test_what_was_asked_before_does_not_matter(game):
    states = sample(game, 30, 3, 3_000)
    settings = {"depth": 4, "table_bits": 8, **WILD}
    used = searcher(game, pvs, **settings)
    fresh = []
    for state in states:
        used.work = pvs.workspace(game, used.settings, 1)
        fresh.append(used.think(FINE, History.of(game, state)))
    used.work = pvs.workspace(game, used.settings, 1)
    for age in (0, (1 << 21) - 1):  # the second time, ages have run out and start again
        used.work.age[0] = age
        again = [used.think(FINE, History.of(game, state)) for state in states]
        for one, other in zip(fresh, again, strict=True):
            assert (one.move, one.value, one.line, one.nodes) == (
                other.move,
                other.value,
                other.line,
                other.nodes,
            )


# A search never looks into a state: what its own arrays hold, one game with bounds checks tells.
@pytest.mark.parametrize(
    "game, target",
    [
        pytest.param("draughts", "python", marks=pytest.mark.proof),
        ("kingcapture", "python"),
        ("kingcapture", "checked"),
    ],
    indirect=["game"],
)
@pytest.mark.parametrize(
    "module, settings",
    [
        (alphabeta, {"depth": 1}),
        (alphabeta, {"depth": 2, "quiescence": 2, "all_values": 1}),
        (pvs, {"depth": 4, "table_bits": 6, "quiescence": 1, **WILD}),
        (pvs, {"depth": 4, "table_bits": 6, "quiescence": 2, **pvs.PLAYING, "late_pruning": 1}),
    ],
)
def test_uncompiled_and_with_bounds_checks_a_search_does_the_same(game, target, module, settings):
    settings = read_settings(module, settings)
    usual = Searcher(game, module, settings, {"evaluate": hashed})
    kernel = game.link(module.best_move, target, evaluate=hashed)
    work = module.workspace(game, settings, 1)
    for state in sample(game, 2 if target == "python" else 20, 3, 200):
        thought = usual.think(FINE, History.of(game, state))
        assert kernel(FINE, state, kernel_tuple(settings), 1, work) == thought.move
        for field, other in zip(usual.work[1:6], work[1:6], strict=True):
            assert np.array_equal(field, other)


ENDED = [
    ("kingcapture", "6/6/6/6/6/3K2 b", -100_000),
    ("draughts", "B:W9,14:B5", -100_000),
    ("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", -100_000),
    ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0),
]


@pytest.mark.parametrize("module", [alphabeta, pvs])
@pytest.mark.parametrize("ended", few(ENDED, ENDED[0]), ids=lambda ended: ended[0])
def test_an_ended_game_has_no_move_but_a_value(module, ended):
    name, text, value = ended
    game = load_game(name)
    thought = searcher(game, module).think(FINE, History.of(game, game.parse_state(text)))
    assert (thought.move, thought.value, thought.line) == (-1, value, ())


def test_no_clock_runs_while_a_search_is_compiled(monkeypatch):
    compiled = []

    def slowly(kernel, *arguments):
        compiled.append(kernel)
        time.sleep(2.0)

    monkeypatch.setattr("evoboard.search.base.prepare", slowly)
    game = load_game("kingcapture")
    search = searcher(game, pvs, depth=30)
    first = search.think(FINE, History(game), limits=Limits(seconds=0.1))
    assert first.depth >= 1
    assert first.seconds < 2.0
    search.think(FINE, History(game), limits=Limits(seconds=0.05))
    assert len(compiled) == 1


@pytest.mark.parametrize("module", [alphabeta, pvs])
def test_a_search_ends_at_its_limit_of_nodes(module):
    game = load_game("kingcapture")
    state = game.initial()
    for limit in (1, 10, 1000, 50_000):
        search = searcher(game, module, depth=20, nodes=limit)
        first, second = (
            search.think(FINE, History.of(game, state)),
            search.think(FINE, History.of(game, state)),
        )
        assert limit <= first.nodes <= limit + 2 * game.max_moves
        assert first.move == first.line[0] == second.move
        assert first.move in game.legal_moves(state)
        assert first.nodes == second.nodes


def test_the_values_of_all_moves_are_of_one_depth_when_a_search_is_cut_short():
    game = load_game("kingcapture")
    given = {"depth": 20, "all_values": 1, **EXACT_PVS}
    for limit in (300, 1000, 3000):
        cut = searcher(game, pvs, nodes=limit, **given).think(FINE, History(game))
        whole = searcher(game, pvs, **{**given, "depth": cut.depth}).think(FINE, History(game))
        assert whole.nodes < cut.nodes  # a further depth was begun
        assert cut.move_values == whole.move_values
        assert (cut.move, cut.value, cut.line) == (whole.move, whole.value, whole.line)
        assert cut.value == cut.move_values[cut.move] == max(cut.move_values.values())


@pytest.mark.parametrize("module", [alphabeta, pvs])
@pytest.mark.parametrize("quiescence", [0, 60])
def test_a_running_search_stops_when_told(module, quiescence):
    game = load_game("kingcapture")
    search = searcher(game, module, depth=20, quiescence=quiescence)
    search.think(FINE, History.of(game, game.parse_state(ENDED[0][1])))
    told, stop = [], Stop()

    def end():
        told.append(time.perf_counter())
        stop.set()

    timer = threading.Timer(0.2, end)
    timer.start()
    thought = search.think(FINE, History(game), stop=stop)
    assert time.perf_counter() - told[0] < 100  # the whole search takes ages
    assert thought.move in game.legal_moves(game.initial())
    assert thought.nodes > 1000
    again = search.think(FINE, History(game), stop=stop)  # it stays set: no stop is lost
    assert again.nodes < 100
    assert again.move in game.legal_moves(game.initial())


def test_thinking_time_is_kept_and_a_deeper_search_is_used_as_far_as_it_came():
    game = load_game("kingcapture")
    search = searcher(game, pvs, depth=30)
    search.think(FINE, History(game), limits=Limits(seconds=0.01))
    thought = search.think(FINE, History(game), limits=Limits(seconds=0.2))
    assert 0.15 < thought.seconds < 60
    assert 3 < thought.depth < 30
    with pytest.raises(OptionError, match="more than 0"):
        search.think(FINE, History(game), limits=Limits(seconds=-1))


@pytest.mark.parametrize(
    "name, setting, value, words",
    [
        ("alphabeta", "depth", 0, "at least 1"),
        ("alphabeta", "depth", "deep", "whole number"),
        ("alphabeta", "quiescence", -1, "at least 0"),
        ("pvs", "depth", 0, "at least 1"),
        ("pvs", "depth", 1000, "at most 32"),
        ("pvs", "table_bits", 40, "at most 28"),
        ("pvs", "margin", -0.5, "at least 0"),
        ("pvs", "margin", float("nan"), "finite"),
        ("pvs", "nodes", -5, "at least 0"),
        ("pvs", "threads", 0, "at least 1"),
        ("pvs", "tabel_bits", 4, "table_bits"),
    ],
)
def test_settings_without_sense_are_refused(name, setting, value, words):
    with pytest.raises(OptionError, match=words) as caught:
        read_settings(find_search(name), {setting: value})
    assert setting in str(caught.value)


def test_the_narrowest_window_is_never_empty():
    for value in (0.0, 1e-38, -1e-38, 1.0, -1.0, 0.1, -10_000.0, 99_999.0, -99_999.0, -1e6):
        value = np.float32(value)
        assert value < above(value) <= value + max(abs(value) * np.float32(4e-7), 1e-29)
        assert -above(-value) < value


def test_the_table_counts_wins_from_the_position():
    for value in (99_990.0, -99_990.0, 0.25, -0.25, 0.0):
        kept = seen_from_node(np.float32(value), 7)
        assert seen_from_root(kept, 7) == value
        assert seen_from_root(kept, 3) == value + np.sign(value) * 4 * (abs(value) > 1)


def test_the_table_keeps_the_deepest_and_the_latest_of_a_pair():
    slots, scores = new_table(1)
    age = next_age(slots, 0)
    for key, depth, move in ((5, 4, -7), (6, 2, 8), (7, 3, 2**31 - 1)):
        store(slots, scores, np.int64(key), age, depth, 3, move, np.float32(key))

    def found(key, age):
        entry, score = find(slots, scores, np.int64(key), age)
        return (int(entry_move(entry)), float(score)) if entry else None

    assert [found(key, age) for key in (5, 6, 7)] == [(-7, 5.0), None, (2**31 - 1, 7.0)]
    assert found(5, next_age(slots, age)) is None
    assert [found(key, ANY) is None for key in (0, 5, 6, 7)] == [True, False, True, False]


def test_no_page_of_a_new_table_is_still_to_be_made():
    faults = pytest.importorskip("resource")  # not on Windows
    slots, scores = new_table(22)  # 80 MB: a fault for every 2 MB at least
    before = faults.getrusage(faults.RUSAGE_SELF).ru_minflt
    slots[:] = 1
    scores[:] = 1
    assert faults.getrusage(faults.RUSAGE_SELF).ru_minflt - before < 20


def test_what_two_threads_have_written_by_halves_is_not_found():
    def written(*entries):
        slots, scores = new_table(1)
        for key, move, score in entries:
            store(slots, scores, np.int64(key), 1, 3, 3, move, np.float32(score))
        return slots, scores

    keys = (5, 8)
    one, other = written((5, 4, 0.25)), written((8, 6, 0.75))
    for key, (slots, scores) in zip(keys, (one, other), strict=True):
        assert find(slots, scores, np.int64(key), 1)[0] != 0
    for part in range(1, 7):  # which of the three words the other thread has written
        first, second, third = ((one, other)[part >> word & 1] for word in range(3))
        slots, scores = new_table(1)
        slots[0, 0], slots[0, 1], scores[0] = first[0][0, 0], second[0][0, 1], third[1][0]
        assert [int(find(slots, scores, np.int64(key), 1)[0]) for key in keys] == [0, 0]


@pytest.mark.parametrize("threads", [2, 4])
def test_several_threads_find_the_value_of_plain_minimax(game, threads):
    for depth, count in ((3, 40), (4, 20)):
        states = sample(game, count, depth, 60_000)
        plain = Plain(game, COARSE)
        wanted = [plain.minimax(state, depth) for state in states]
        search = searcher(game, pvs, depth=depth, threads=threads, **EXACT_PVS)
        thoughts = [search.think(COARSE, History.of(game, state)) for state in states]
        assert [thought.value for thought in thoughts] == wanted
        for state, thought in zip(states, thoughts, strict=True):
            assert thought.depth == depth or abs(thought.value) > 10_000
            assert thought.move in game.legal_moves(state)


@pytest.mark.parametrize(
    ("found", "best"),
    [
        # A thread that was stopped while its first move was known to lose has not tried the others.
        (((-3.0, 5), (0.2, 6)), 1),
        (((0.2, 6), (3.0, 4)), 1),
        (((0.2, 6), (0.1, 6)), 0),
    ],
)
def test_of_several_threads_who_wins_counts_else_who_is_deepest(found, best, monkeypatch):
    """Values beyond 1 stand for so many plies to the end."""
    game = load_game("kingcapture")
    moves = game.legal_moves(game.initial())[:2]

    def stopped(kernel, settings, works, flag):
        for work, (value, depth) in zip(works, found, strict=True):
            end = np.sign(value) * (WON - np.float32(abs(value)))
            work.value[0] = end if abs(value) > 1 else value
            work.counts[DEPTH], work.counts[LINE] = depth, 1
        return moves

    monkeypatch.setattr("evoboard.search.base.think_together", stopped)
    search = searcher(game, pvs, depth=8, threads=2)
    search.ready = True  # nothing is compiled: nothing is searched
    assert search.think(FINE, History(game)).move == moves[best]


def test_all_threads_keep_to_the_limits():
    game = load_game("kingcapture")
    for limit in (3, 1000, 50_000):
        search = searcher(game, pvs, depth=20, nodes=limit, threads=4)
        thought = search.think(FINE, History(game))
        assert limit <= thought.nodes <= limit + 4 * 2 * game.max_moves
        assert thought.move in game.legal_moves(game.initial())
    search, stop = searcher(game, pvs, depth=30, quiescence=60, threads=4), Stop()
    works = (search.work, *search._helpers)

    def stop_when_all_are_at_it():
        while min(int(work.counts[NODES]) for work in works) < 100:
            time.sleep(0.01)
        stop.set()

    watch = threading.Thread(target=stop_when_all_are_at_it, daemon=True)
    watch.start()
    thought = search.think(FINE, History(game), stop=stop)
    watch.join(100)
    counts = [int(work.counts[NODES]) for work in works]
    assert min(counts) >= 100
    assert thought.nodes == sum(counts)
    assert thought.seconds < 100  # the whole search takes ages
    assert thought.move in game.legal_moves(game.initial())
    assert search.think(FINE, History(game), stop=stop).nodes < 400


def test_the_tuple_a_kernel_reads_has_one_class_however_often_a_file_is_loaded():
    path = str(Path(__file__).parent.parent / "examples" / "parts" / "bold.py")
    one, two = (kernel_tuple(find_search(path).Settings(adventures=7)) for _ in range(2))
    assert type(one) is type(two)
    assert pickle.loads(pickle.dumps(type(one))) is type(one)
    assert one._asdict() == {"adventures": 7}
    assert kernel_tuple(alphabeta.Settings(ordering=True)).ordering == 1


@pytest.mark.parametrize("name", search_names())
def test_one_kernel_serves_all_values_of_a_setting(name):
    """A float that is 0 by default is a float, or every search would be compiled once more."""
    usual = find_search(name).Settings()
    numbers = kernel_tuple(usual)
    for field, info in type(usual).model_fields.items():
        wanted = float if info.annotation is float else int
        assert type(getattr(numbers, field)) is wanted, field


def frame_of(settings, **bounds):
    """Return a workspace whose frame 1 is a node with four plies to go, and these bounds."""
    work = pvs.workspace(load_game("nim"), settings, 1)
    frames.enter(work, 1, 4, 1, np.float32(-10), np.float32(10))
    for name, value in bounds.items():
        work.bounds[1, getattr(frames, name)] = value
    return work


def test_a_move_is_in_doubt_where_the_others_are_worse_by_the_margin():
    settings = pvs.Settings(depth=6, singular_from=3, margin=0.5)
    work = frame_of(settings)
    key = np.int64(1 << 40)
    table.store(
        work.slots, work.table_scores, key, 1, 4, table.LOWER, 7, np.float32(2)
    )  # at least 2, and below beta
    entry, score = table.find(work.slots, work.table_scores, key, 1)
    assert not frames._is_known(settings, work, 1, entry, score)
    assert work.bounds[1, frames.DOUBT] == 1.5


def test_the_distance_of_a_value_from_the_evaluation_is_learned():
    settings = pvs.Settings(depth=6)
    work = frame_of(settings, BEST=3, STATIC=-1)
    frames._learn(work, 1)
    assert work.swings[4].tolist() == [4, 1]
    work.bounds[1, frames.BEST] = -3
    frames._learn(work, 1)
    assert work.swings[4].tolist() == [3, 2]


@pytest.mark.parametrize("beta,plain", [(4, False), (2.5, True)])
def test_an_evaluation_says_enough_where_it_is_beyond_the_window_by_the_margin(beta, plain):
    settings = pvs.Settings(depth=6, futility=1)
    work = frame_of(settings, STATIC=5, BETA=beta)
    work.swings[4] = 2, frames.TRUSTED
    assert frames._is_plain(settings, work, 1) == plain
    if plain:
        assert work.bounds[1, frames.BEST] == 3
