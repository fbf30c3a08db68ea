"""Grades: exchanges against a slow oracle, positions that are what they claim, sensible orders."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import EXAMPLES
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import paired_openings
from evoboard.core.errors import OptionError
from evoboard.core.statistics import of_sum, wilson
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.base import make_player
from evoboard.players.setup import Setup
from evoboard.players.solver import Solver
from evoboard.training.grades.base import GradePart, GradeResult, grade_for, graded_games
from evoboard.training.grades.kingcapture_exchange import LOSS, MOVES, judge_positions
from evoboard.training.grades.kingcapture_positions import (
    FILE,
    KINDS,
    kinds_of,
    load_positions,
    make_positions,
)
from evoboard.training.loop import Trainer
from naive import plies_to_end, wins
from naive_exchange import Exchanges, TooMany, passed, promotes, takes_king, won
from naive_grading import Grade as PointShare
from naive_grading import grade_games, grade_moves

KINGCAPTURE = load_game("kingcapture")
GRADE = grade_for(KINGCAPTURE)
LINES = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]


def sparse(lines, share):
    """Return the lines with the fewest pieces: the slow oracle looks at every exchange."""
    ordered = sorted(lines, key=lambda line: sum(letter.isalpha() for letter in line))
    return ordered[: int(share * len(lines))]


def nets_of(states):
    """Return for each position what every move nets by the kernel, and what passing loses."""
    found = judge_positions(KINGCAPTURE, np.stack(states))
    rows = zip(found.facts, found.moves.tolist(), found.net.tolist(), strict=True)
    return [
        (dict(zip(moves[: facts[MOVES]], nets[: facts[MOVES]], strict=True)), facts[LOSS])
        for facts, moves, nets in rows
    ]


def naive_nets(state, budget=1000):
    """Return the same by the oracle."""
    slow = Exchanges(KINGCAPTURE, budget)
    nets = {move: slow.net(state, move) for move in KINGCAPTURE.legal_moves(state)}
    return nets, slow.gain(passed(state))


def states_of_random_games(count):
    """Yield every seventh position of random games, from the middle on."""
    for seed in range(count):
        rng, state = np.random.default_rng(seed), KINGCAPTURE.initial()
        for ply in range(80):
            moves = KINGCAPTURE.legal_moves(state)
            if not moves:
                break
            if ply > 25 and ply % 7 == 0:
                yield state
            state = KINGCAPTURE.apply(state, int(rng.choice(moves)))


# --- exchanges ------------------------------------------------------------------------------------


def test_exchanges_are_the_slow_oracles():
    checked = 0
    shipped = [KINGCAPTURE.parse_state(line[3:]) for line in sparse(LINES, 0.2)[::3]]
    states = [*shipped, *states_of_random_games(20)]
    for state, found in zip(states, nets_of(states), strict=True):
        try:
            expected = naive_nets(state)
        except TooMany:
            continue
        assert found == expected, KINGCAPTURE.state_text(state)
        checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        ("k5/6/3p2/2P3/6/K5 w", "c3d4", 1),  # a pawn for nothing
        ("k5/4p1/3n2/2P3/6/K5 w", "c3d4", 2),  # a knight for a pawn
        ("k5/4p1/3p2/3R2/6/K5 w", "d3d4", -4),  # a pawn for a rook
        ("k5/4p1/3p2/3R2/3R2/K5 w", "d3d4", -3),  # and a second rook takes the pawn
        ("k3n1/3P2/6/6/6/K5 w", "d5e6", 7),  # a knight, and a rook for a pawn
        ("k3n1/3P2/6/6/6/K5 w", "d5d6", 4),  # promotion alone
        ("5k/6/6/2p3/1K4/6 w", "b2c3", 1),  # a king may take what nobody guards
        ("5k/6/1p4/2p3/1K4/6 w", "b2c3", 1 - 100),  # but not what is guarded
        ("k5/6/6/6/6/1R3K w", "b1b6", -5),  # a rook put where the king takes it
    ],
)
def test_exchanges_by_hand(text, move, expected):
    state = KINGCAPTURE.parse_state(text)
    assert nets_of([state])[0][0][KINGCAPTURE.parse_move(state, move)] == expected


# --- positions ------------------------------------------------------------------------------------


def test_the_file_is_what_its_command_makes():
    assert make_positions(KINGCAPTURE) == LINES


def test_positions_are_many_different_and_balanced():
    counts = Counter((line[:2], line[-1]) for line in LINES)
    assert counts == {(kind, side): 150 for kind in KINDS for side in "wb"}
    assert len({line[3:] for line in LINES}) > 0.95 * len(LINES)


@pytest.mark.parametrize("kind", KINDS)
def test_positions_are_what_they_claim(kind):
    checked = 0
    own = [line for line in LINES if line[:2] == kind]
    for line in sparse(own, 0.2) if kind in ("SP", "MP") else own[::5]:
        state = KINGCAPTURE.parse_state(line[3:])
        moves = KINGCAPTURE.legal_moves(state)
        mate, attacked = takes_king(KINGCAPTURE, state), takes_king(KINGCAPTURE, passed(state))
        if kind in ("MK", "SK"):
            assert mate == (kind == "MK")
            if kind == "SK":
                after = [KINGCAPTURE.apply(state, move) for move in moves]
                safe = sum(not takes_king(KINGCAPTURE, child) for child in after)
                assert attacked
                assert 0 < safe < len(moves)
            checked += 1
            continue
        assert not mate
        assert not attacked
        assert not any(promotes(state, move) for move in moves)
        try:
            nets, loss = naive_nets(state)
        except TooMany:
            continue
        best = max(0, *(nets[move] for move in moves if won(state, move)), 0)
        assert (best > 0, loss > 0) == ((True, False) if kind == "MP" else (False, True))
        assert kind == "MP" or max(nets.values()) > -loss
        checked += 1
    assert checked >= 40


def expected_worth(kind, state, move, nets, loss):
    """Return what a move earns by the definition of its kind."""
    if kind == "SK":
        return float(not takes_king(KINGCAPTURE, KINGCAPTURE.apply(state, move)))
    if kind == "MK":
        return float(won(state, move) >= 100)
    if kind == "SP":
        return max(0, nets[move] + loss) / (max(nets.values()) + loss)
    return max(0, nets[move]) / max(nets.values()) if won(state, move) else 0.0


def test_worth_of_moves_follows_the_definitions():
    tests = load_positions(KINGCAPTURE)
    checked = 0
    few = np.argsort((tests.states[:, :36] != 0).sum(1), kind="stable")[:240]
    for index in few[::4]:
        state = tests.states[index]
        try:
            nets, loss = naive_nets(state)
        except TooMany:
            continue
        checked += 1
        kind, best = KINDS[tests.kinds[index]], max(nets.values())
        found = dict(zip(tests.moves[index].tolist(), tests.worth[index].tolist(), strict=True))
        assert found.pop(-1) == 0
        for move, earned in found.items():
            expected = expected_worth(kind, state, move, nets, loss)
            assert earned == pytest.approx(expected), KINGCAPTURE.move_text(state, move)
        assert tests.weights[index] == {"SP": best + loss, "MP": best}.get(kind, 1)
    assert checked > 40


def test_shipped_kinds_are_found_again():
    tests = load_positions(KINGCAPTURE)
    assert (kinds_of(judge_positions(KINGCAPTURE, tests.states)) == tests.kinds).all()


# --- the grade of king-capture chess --------------------------------------------------------------


def graded(text):
    return GRADE.of_player(make_player(text, GRADE.game))


def points(parts):
    return {part.name: part.points for part in parts}


def test_the_best_and_the_worst_moves_are_the_ends_of_the_scale():
    tests = GRADE.tests
    legal = tests.moves >= 0
    best = tests.moves[np.arange(len(legal)), np.where(legal, tests.worth, -1).argmax(1)]
    worst = tests.moves[np.arange(len(legal)), np.where(legal, tests.worth, 2).argmin(1)]
    assert GRADE.judged(best, True, None).value == 30
    assert GRADE.judged(worst, True, None).value < 1
    assert GRADE.judged(np.full(len(legal), -1), True, None).value == 0


def test_stronger_players_get_better_grades():
    random, one, two, three = (
        graded(text) for text in ("random", *(f"material:depth={d}" for d in (1, 2, 3)))
    )
    assert 2 < random.value < 7 < 18 < one.value < 23 < 28 < two.value <= three.value + 0.5
    # Who follows exchanges to their end does what the grade asks for.
    assert graded("material:depth=1,quiescence=10").value > 29.9
    assert points(one.parts)["MK"] == 10  # depth 1 sees the king it can take,
    assert points(one.parts)["SK"] < 6  # but not its own king's danger;
    assert points(two.parts)["SK"] == 10  # depth 2 does


def test_unaided_players_do_not_know_that_the_king_matters():
    one = graded("material:depth=1")
    assert points(one.unaided)["MK"] < 1  # a king is worth nothing to who counts pieces
    for name in ("SK", "SP", "MP"):
        assert points(one.unaided)[name] == points(one.parts)[name]
    assert one.interval(unaided=True)[0] < one.value - 9
    blind = graded("material:depth=1,unaided=1")
    assert blind.parts == blind.unaided == one.unaided
    random = graded("random")
    assert random.unaided == random.parts
    assert graded("mcts:rounds=2").unaided == ()  # it knows nothing but how games end


def test_a_run_that_plays_unaided_is_graded_so():
    pack, _ = linear_pack(3)
    both = [
        GRADE.of_network(
            Setup("kingcapture", "squares", settings={"unaided": unaided}).bind(), pack, 0
        )
        for unaided in (False, True)
    ]
    assert both[1].parts == both[1].unaided == both[0].unaided != both[0].parts


def test_untrained_networks_take_the_king_now_and_then_as_in_paper_a():
    trainer = Trainer(load("kingcapture-neat-01"), 1)
    networks = trainer.strategy.express(trainer.strategy.ask().genes)
    bound = trainer.arena.of_kind(networks)
    rows = [GRADE.of_network(bound, networks.pack, i) for i in range(50)]
    means = np.mean([[part.points for part in row.parts] for row in rows], 0)
    # The paper's untrained network: SK 0, MK 6, SP 0, MP 1 = 7. Known ends would make MK 10.
    assert 1 < means[1] < 6
    assert 6 < means.sum() < 9
    assert all(row.parts == row.unaided for row in rows)


def linear_pack(seed, count=3):
    rng = np.random.default_rng(seed)
    nets = [
        GraphNetwork(36, [0], np.array([0, 36]), np.arange(36), rng.uniform(-1, 1, 36), np.zeros(1))
        for _ in range(count)
    ]
    return graph.pack(nets), [net.weight for net in nets]


def test_networks_are_graded_as_players_are():
    pack, _ = linear_pack(1)
    for depth in (1, 2):
        bound = Setup("kingcapture", "squares", settings={"depth": depth}).bind()
        found = GRADE.of_network(bound, pack, 2)
        assert found == GRADE.of_player(bound.player(pack, 2))
        assert found.unaided != found.parts


def test_unaided_at_depth_1_is_the_value_after_the_move_alone():
    pack, weights = linear_pack(2)
    found = GRADE.of_network(Setup("kingcapture", "squares").bind(), pack, 1)
    values = dict(zip("PNBRK", (0.1, 0.3, 0.35, 0.5, 1.0), strict=True))
    piece = {0: 0.0, **{s * n: s * values["?PRNBK"[n]] for n in range(1, 6) for s in (1, -1)}}
    tests, chosen = GRADE.tests, []
    for state in tests.states:
        moves = KINGCAPTURE.legal_moves(state)
        after = [KINGCAPTURE.apply(state, move)[:36].tolist() for move in moves]
        seen = np.array([[piece[c] for c in board] for board in after], np.float32)
        ranked = (seen @ weights[1].astype(np.float64)) * (1 - 2 * state[36])
        chosen.append(moves[int(ranked.argmax())])
    expected = GRADE.judged(np.array(chosen), True, None)
    # Sums of 36 numbers in another order may decide a tie otherwise; nothing more.
    assert found.interval(unaided=True)[0] == pytest.approx(expected.value, abs=0.05)


def test_a_grade_tells_its_numbers():
    numbers = graded("material:depth=1").numbers()
    assert set(numbers) == {
        "grade", *(f"grade_{k}" for k in ("sk", "mk", "sp", "mp")),
        "grade_unaided", *(f"grade_unaided_{k}" for k in ("sk", "mk", "sp", "mp")),
    }  # fmt: skip
    assert numbers["grade"] == pytest.approx(
        sum(numbers[f"grade_{k}"] for k in ("sk", "mk", "sp", "mp"))
    )


# --- nim ------------------------------------------------------------------------------------------

NIMS = ["nim:heaps=8", "nim:heaps=3/5/7", "nim:heaps=4/4,random=true", "nim:heaps=5/8,simple=true"]


def met(game, states, chosen):
    """The places of the positions whose moves count."""
    place = {tuple(state[:-1]): i for i, state in enumerate(states)}
    heaps = game.options["heaps"]
    if game.options["random"]:
        return list(place.values())
    alone = [tuple(n * (i == j) for j in range(len(heaps))) for i, n in enumerate(heaps)]
    found = []
    for now in alone if game.options["simple"] else [tuple(heaps)]:
        while now in place:
            found.append(place[now])
            state = states[place[now]]
            move = chosen[place[now]]
            now = tuple(game.apply(state, int(move))[:-1]) if move >= 0 else ()
    return found


@pytest.mark.parametrize("text", NIMS)
def test_nim_is_graded_as_the_paper_says(text):
    game = load_game(text)
    grade, solver = grade_for(game), Solver(game)
    rng = np.random.default_rng(3)
    states = grade.positions
    legal = [game.legal_moves(state) for state in states]
    for _ in range(20):
        chosen = np.array([rng.choice([-1, *moves]) for moves in legal])
        places = met(game, states, chosen)
        expected = grade_moves(solver, [(states[i], int(chosen[i])) for i in places])
        assert grade.judged(chosen, True, None).value == pytest.approx(expected.share)


def test_every_move_of_nim_earns_what_it_should():
    game = load_game("nim:heaps=3/3/2,random=true")
    grade = grade_for(game)
    states = grade.positions
    last = [sum(state[:-1].tolist()) == 1 for state in states]  # nothing is left to choose
    assert grade.judged(np.full(len(states), -1), True, None).value == 0
    for place, state in enumerate(states):
        heaps = tuple(state[:-1].tolist())
        for move in game.legal_moves(state):
            after = tuple(game.apply(state, move)[:-1].tolist())
            if wins(heaps):
                earns = not wins(after)
            else:
                earns = plies_to_end(after) + 1 == plies_to_end(heaps)
            chosen = np.full(len(states), -1)
            chosen[place] = move
            counted = len(states) - sum(last) + last[place]
            assert grade.judged(chosen, True, None).value == pytest.approx(earns / counted)


def test_a_heap_of_8_needs_one_move_only():
    game = load_game("nim:heaps=8,simple=true")
    grade = grade_for(game)
    sizes = grade.positions[:, 0]
    # Always 7, which is legal in 7 and 8 alone: 8 is won, and at 1 nothing is left to choose.
    chosen = np.array(
        [
            next((m for m in game.legal_moves(s) if game.apply(s, m)[0] == s[0] - 7), -1)
            for s in grade.positions
        ]
    )
    assert (sizes[chosen >= 0] >= 7).all()
    assert grade.judged(chosen, True, None).value == 1.0


def test_nims_positions_are_those_that_can_arise():
    def heaps(text):
        return {tuple(state[:-1].tolist()) for state in grade_for(load_game(text)).positions}

    assert heaps("nim:heaps=2/1") == {(0, 1), (1, 0), (1, 1), (2, 0), (2, 1)}
    assert heaps("nim:heaps=2/1,simple=true") == {(1, 0), (2, 0), (0, 1)}
    assert heaps("nim:heaps=5/5,start=1,2 0") == {(0, 1), (1, 0), (1, 1), (0, 2), (1, 2)}


@pytest.mark.parametrize("text", [*NIMS, "nim:heaps=7/7/7"])
def test_perfect_nim_is_exactly_one(text):
    game = load_game(text)
    result = grade_for(game).of_player(make_player("perfect:vary=0", game))
    assert result.interval() == (1.0, 1.0, 1.0)
    random = grade_for(game).of_player(make_player("random", game))
    value, low, high = random.interval()
    assert low < value < high < 1


def test_nims_networks_are_graded_cheaply_and_exactly():
    game = load_game("nim:heaps=8")
    # Take what leaves one match: the amount is the heap less 1, and 1 where that is all there is.
    net = GraphNetwork(
        1, [1, 2], np.array([0, 1, 1, 2]), np.array([0, 1]), np.array([1.0, 1.0]),
        np.array([-2.0, 0.0, 1.0]), activation=("relu", "identity", "identity"),
    )  # fmt: skip
    pack = graph.pack([net])
    bound = Setup("nim:heaps=8", "heaps", search="policy").bind()
    grade = grade_for(game)
    assert grade.of_network(bound, pack, 0).interval() == (1.0, 1.0, 1.0)


def amounts(*lines):
    """Return a network that takes the amount whose line, slope and height, is highest."""
    slopes, heights = np.zeros(9), np.full(9, -100.0)
    for amount, slope, height in lines:
        slopes[amount], heights[amount] = slope, height
    heights[0] = 0.0  # the only heap
    starts = np.arange(10)
    return GraphNetwork(
        1, list(range(9)), starts, np.zeros(9, np.int64), slopes, heights,
        activation=("identity",) * 9,
    )  # fmt: skip


def performance(text, starts, *networks):
    """Return the performance of the first network in games from these heaps, and the results."""
    game = load_game(text)
    setup = Setup(text, "heaps", search="policy", settings={"one_hot": 1})
    pairs = np.array([[0, other] for other in range(1, len(networks))])
    states = np.array([[heap, 0] for heap in starts])
    schedule = paired_openings(pairs, states)
    results = find_backend(threads=1).play(setup, graph.pack(networks), schedule, 1, record=True)
    return grade_for(game).of_games(results, 0)["performance"], results


def test_performance_is_points_by_moves_of_the_games_played():
    # The paper's stuck agent: 8→5 is a mistake, 3→2 is right, and at 1 nothing is left to choose.
    stuck = amounts((2, 0, 0), (5, 1, -5))
    assert performance("nim:heaps=8,simple=true", [8], stuck, stuck)[0] == 0.5
    # Its agent of generation 993, which takes 2, or 1 of 2 and of 1: "somewhere above 60%".
    short = amounts((1, -1, 2.5), (2, 0, 0))
    random = "nim:heaps=8,random=true,simple=true"
    assert performance(random, range(1, 9), short, short)[0] == 15 / 24
    # All positions once is a number of our own: 3 of 8.
    bound = Setup(random, "heaps", search="policy", settings={"one_hot": 1}).bind()
    assert grade_for(load_game(random)).of_network(bound, graph.pack([short]), 0).value == 0.375


def test_performance_is_that_of_the_slow_rule():
    text, rng = "nim:heaps=8,random=true,simple=true", np.random.default_rng(1)
    game = load_game(text)
    solver, shares = Solver(game), []
    for _ in range(5):
        networks = [
            amounts(*((a, rng.normal(), 4 * rng.normal()) for a in range(1, 9))) for _ in range(4)
        ]
        found, results = performance(text, range(1, 9), *networks)
        table, total = results.table, PointShare(0, 0)
        for side, column in enumerate((table.first, table.second)):
            games = np.flatnonzero(column == 0).tolist()
            total += grade_games(solver, [results.record(game, i) for i in games], side)
        assert found == total.share
        shares.append(found)
    assert len(set(shares)) > 2


def test_performance_against_earlier_champions_is_that_of_those_games():
    experiment = load("nim-stack-8-shares", ["strategy.population=20", "fitness.opponents=4"])
    trainer, solver = (
        Trainer(experiment, 3, find_backend(threads=1)),
        Solver(load_game("nim:heaps=8,simple=true")),
    )
    for generation in range(4):
        record = trainer.step()
        games = [kept for kept in record.games if kept.purpose == "spread"]
        total = PointShare(0, 0)
        for kept in games:
            sides = [side for side, who in enumerate((kept.first, kept.second))
                     if who == record.champion.id]  # fmt: skip
            total += grade_games(solver, [kept.record], sides[0])
        found = record.numbers.get("performance_earlier")
        assert found == (total.share if generation else None)


def test_nim_too_large_is_refused():
    with pytest.raises(OptionError, match="16,777,215 positions, too many"):
        _ = grade_for(load_game("nim:heaps=255/255/255")).positions


# --- parts ----------------------------------------------------------------------------------------


def test_games_without_a_grade_are_told():
    assert graded_games() == ["kingcapture", "nim"]
    with pytest.raises(
        OptionError, match="no grade for chess; there are grades for kingcapture, nim"
    ):
        grade_for(load_game("chess"))
    with pytest.raises(OptionError, match="no grade for"):
        grade_for(load_game(str(EXAMPLES[0])))


def test_wilsons_interval():
    # Newcombe (1998), table I: 81 of 263 and 0 of 20.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert wilson(0.5, 0) == (0, 1)


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), st.floats(0.5, 1e4))
def test_wilsons_interval_holds_the_share(share, count):
    low, high = wilson(share, count)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1


def test_sums_of_intervals():
    assert of_sum([(1, 0.7, 1.3), (2, 1.6, 2.4)]) == pytest.approx((3, 2.5, 3.5))
    assert of_sum([(1, 0.7, 1.6), (2, 1.6, 2.8)]) == pytest.approx((3, 2.5, 4))


def test_weights_count_as_fewer_cases():
    even = GradePart.of_cases("x", "", 1, np.array([1.0, 0, 1, 0]), np.ones(4))
    heavy = GradePart.of_cases("x", "", 1, np.array([1.0, 0, 1, 0]), np.array([9.0, 9, 1, 1]))
    assert even.share == heavy.share == 0.5
    assert heavy.high - heavy.low > even.high - even.low
    assert (even.low, even.high) == wilson(0.5, 4)


def test_a_grade_never_leaves_its_scale():
    parts = (
        GradePart("a", "", 2 / 3, 1.0, 0.9, 1.0, 10),
        GradePart("b", "", 1 / 3, 1.0, 0.8, 1.0, 5),
    )
    value, low, high = GradeResult(parts).interval()
    assert value == high == 1.0
    assert low == pytest.approx(1 - math.hypot(0.1 * 2 / 3, 0.2 / 3))


def test_grading_leaves_a_player_as_it_was():
    player = make_player("material:depth=1", GRADE.game)
    GRADE.of_player(player)
    assert player.searcher.settings.unaided is False
