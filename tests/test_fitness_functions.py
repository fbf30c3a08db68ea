"""Functions of game records: the paper's two against a slow oracle, and a user's own."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace

import numpy as np
import pytest

from evoboard.arena.backends.base import find_backend
from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.match import Match
from evoboard.arena.schedules import Schedule, double_round_robin, start_positions
from evoboard.core.errors import EvoboardError, NotFound, OptionError, PartError
from evoboard.games.base import load_game
from evoboard.games.hexwar import make_move
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup
from evoboard.store.records import GameRecord
from evoboard.training.experiment import read_experiment
from evoboard.training.fitness_functions.base import find_fitness_function, fitness_function_names
from evoboard.training.fitness_functions.styles import result_points
from evoboard.training.loop import Trainer
from naive import NaiveHexwar

HEXWAR = load_game("hexwar")


def naive_score(name, record, side, layout):
    """Return algorithm 3 or 4 of the paper, line by line."""
    position = NaiveHexwar.from_text(record.start, layout)
    game = load_game(f"hexwar:layout={layout}")
    state, total = game.parse_state(record.start), 0.0
    for move in record.moves:
        text = game.move_text(state, move)
        if "br".index(position.side) == side:
            total += naive_move_points(name, position, text)
        position, state = position.play(text), game.apply(state, move)
    sign = 1 - 2 * side
    pieces = sum(count * sign for count in position.counts.values() if count * sign > 0)
    result = record.result * sign
    total += {1: 400 / 8, -1: min(pieces * 2, 400 / 15), 0: min(pieces * 3, 400 / 10)}[result]
    return min(max(total, 0.0), 400.0)


def naive_move_points(name, position, text):
    if text.endswith("+"):
        return 10.0 if name == "defensive" else 0.0
    source, target = (tuple(map(int, part.split(","))) for part in text.split(":")[0].split("-"))
    if name == "aggressive" and position.counts[source] * position.counts[target] < 0:
        return 15.0
    nearer = math.dist(source, (2, 2)) - math.dist(target, (2, 2))
    return max(8 * nearer, 0) if name == "aggressive" else max(10 * -nearer, 0)


def random_records(game, count):
    for seed in range(count):
        match, chance = Match(game), random.Random(seed)
        while not match.over:
            # Transfers of whole armies, which meet sooner.
            moves = [m for m in match.legal if chance.random() < 0.3] or match.legal
            match.play(chance.choice(moves))
        yield match.record()


@pytest.mark.parametrize("name", ["aggressive", "defensive"])
@pytest.mark.parametrize("layout", ["offset", "rhombus"])
def test_the_papers_functions_are_its_algorithms(name, layout):
    game, function = load_game(f"hexwar:layout={layout}"), find_fitness_function(name)
    results = set()
    for record in random_records(game, 12):
        results.add(record.result)
        for side in (0, 1):
            expected = naive_score(name, record, side, layout)
            assert function.score(record, side, game) == pytest.approx(expected)
    assert len(results) > 1


def after(*moves, start=None):
    match = Match(HEXWAR, start=start)
    for move in moves:
        match.play(make_move(*move))
    return match.record()


def test_scores_by_hand():
    aggressive, defensive = map(find_fitness_function, ("aggressive", "defensive"))
    # Blue (4,0) goes to (3,1), Red produces on (0,4); nobody has won yet, so a draw counts.
    record = after((4, 8, 1), (20, 20, 1))
    nearer = math.sqrt(8) - math.sqrt(2)
    assert aggressive.score(record, 0, HEXWAR) == pytest.approx(3 + 8 * nearer)
    assert aggressive.score(record, 1, HEXWAR) == 6
    assert defensive.score(record, 0, HEXWAR) == 3
    assert defensive.score(record, 1, HEXWAR) == 6 + 10
    # Blue takes Red's last piece: 15 for the capture, 50 for the win; Red has nothing left.
    start = HEXWAR.parse_state("0,0,0,0,0/0,0,0,0,0/0,0,5,-1,0/0,0,0,0,0/0,0,0,0,0 b")
    record = after((12, 13, 3), start=start)
    assert record.result == 1
    assert aggressive.score(record, 0, HEXWAR) == 15 + 50
    assert aggressive.score(record, 1, HEXWAR) == 0
    # To the defensive one it is a transfer away from the centre, by one step.
    assert defensive.score(record, 0, HEXWAR) == 10 + 50


def test_points_for_pieces_are_bounded():
    full = ",".join(["10"] * 5)
    start = HEXWAR.parse_state(f"{full}/{full}/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 r")
    record = after((20, 20, 1), start=start)
    assert find_fitness_function("aggressive").score(record, 0, HEXWAR) == 40  # a tenth of S_max
    assert find_fitness_function("aggressive").score(record, 1, HEXWAR) == 6


def test_what_an_end_is_worth():
    # Lost with pieces left: only by an illegal move, which hexwar's players do not make.
    assert [result_points(-1, pieces) for pieces in (0, 3, 90)] == [0, 6, 400 / 15]
    assert [result_points(0, pieces) for pieces in (0, 3, 90)] == [0, 9, 40]
    assert [result_points(1, pieces) for pieces in (1, 90)] == [50, 50]


def tournament(record=True):
    """Return 12 games of four small networks."""
    rng = np.random.default_rng(1)
    nets = [
        GraphNetwork(25, [0], np.array([0, 25]), np.arange(25), rng.normal(0, 1, 25), np.zeros(1))
        for _ in range(4)
    ]
    pairings = double_round_robin(4)
    schedule = Schedule(pairings, np.arange(12) % 3, start_positions(HEXWAR, 3, 1, 6))
    setup = Setup("hexwar", "squares")
    return find_backend(threads=1).play(setup, graph.pack(nets), schedule, 1, record=record)


OWN = """
def length(record, side, game):
    return record.plies + 1000 * side

def score(record, side, game):
    return record.result * (1 - 2 * side)
"""


def test_whole_tournaments_are_scored_as_their_games(tmp_path):
    played = tournament()
    (tmp_path / "own.py").write_text(OWN)
    file = tmp_path / "own.py"
    for text in ("aggressive", "defensive", "finish", "lead", f"{file}:length", f"{file}"):
        function = find_fitness_function(text)
        scores = function.scores(HEXWAR, played)
        records = [played.record(HEXWAR, i) for i in range(12)]
        expected = [[function.score(record, side, HEXWAR) for side in (0, 1)] for record in records]
        assert scores == pytest.approx(np.array(expected))
        means = function.mean_scores(HEXWAR, [played], 3)
        for player in range(3):
            own = [expected[i][s] for i in range(12) for s in (0, 1)
                   if played.schedule.pairings[i, s] == player]  # fmt: skip
            assert means[player] == pytest.approx(np.mean(own))
        assert means.shape == (3,)


def test_lead_is_the_result_or_who_is_ahead():
    function = find_fitness_function("lead")
    played = tournament()
    for record in played.records(HEXWAR):
        state = HEXWAR.parse_state(record.start)
        for move in record.moves:
            state = HEXWAR.apply(state, move)
        ahead = int(state[26] - state[27])  # Blue's pieces and Red's
        length = min(1, record.plies / 150)
        for side, sign in ((0, 1), (1, -1)):
            drawn = 0.4 * sign * ahead / (abs(ahead) + 10)
            worth = {0: drawn, sign: 1.5 - 0.5 * length, -sign: -0.2 + 0.1 * length}
            assert function.score(record, side, HEXWAR) == pytest.approx(worth[record.result])
    nim = load_game("nim")
    record = GameRecord("nim", 1, nim.state_text(nim.initial()), (), 0, "", 0)
    with pytest.raises(OptionError, match=r"nim does not say what its pieces are worth"):
        function.score(record, 0, nim)


def test_finish_is_the_result_or_the_share_and_how_little_is_left():
    function = find_fitness_function("finish")
    start = "{},0,0,0,0/{},0,0,0,0/0,0,0,0,0/0,0,0,0,{}/0,0,0,0,{} b"

    def worth(pieces):
        state = start.format(*pieces)
        return [
            function.score(GameRecord("hexwar", 1, state, (), 0, "", 0), side, HEXWAR)
            for side in (0, 1)
        ]

    assert worth((9, 1, -5, -5)) == pytest.approx([0.2, 0.2])
    share = 0.4 * np.tanh(1.5 * np.log(2))
    assert worth((5, 1, -2, -1)) == pytest.approx([0.2 + share, 0.2 - share])
    for record in tournament().records(HEXWAR):
        if record.result:
            length, own = min(1, record.plies / 150), 0 if record.result > 0 else 1
            found = [function.score(record, side, HEXWAR) for side in (own, 1 - own)]
            assert found == pytest.approx([1.5 - 0.5 * length, -0.3 + 0.1 * length])
    crowd = "/".join(["10,10,10,0,0"] * 2 + ["0,0,0,0,0"] + ["-10,-10,-10,0,0"] * 2) + " b"
    record = GameRecord("hexwar", 1, crowd, (), 0, "", 0)
    assert function.score(record, 0, HEXWAR) == pytest.approx(-0.2)
    nim = load_game("nim")
    record = GameRecord("nim", 1, nim.state_text(nim.initial()), (), 0, "", 0)
    with pytest.raises(OptionError, match=r"finish judges games of hexwar"):
        function.score(record, 0, nim)


def test_functions_judge_games_with_fixed_players_too():
    against = {"kind": "players", "players": ["random", "scripted:turtle"]}
    small = {
        "game": {"name": "hexwar", "plies": 30},
        "player": {"encoder": "exchanges_by_lead"},  # as the champion that ships: its kernel does
        "strategy": {"name": "evolution_strategy", "population": 3},
        "fitness": {"schedule": "none", "function": "lead", "openings": 2, "against": [against]},
        "measure": {"every": 0},
    }
    trainer, judged = Trainer(read_experiment(small), 1), []
    judge = trainer._judge
    trainer._judge = lambda *given: judged.append(judge(*given)) or judged[-1]
    record, function = trainer.step(), find_fitness_function("lead")
    results = judged[0].games.players
    assert results.table.games == 3 * 2 * 2 * 2
    for player in range(3):
        worth = [
            function.score(results.record(trainer.game, i), side, trainer.game)
            for i in range(24)
            for side in (0, 1)
            if results.schedule.pairings[i, side] == player
        ]
        assert len(worth) == 8
        assert record.individuals.fitness[player] == pytest.approx(np.mean(worth))


def test_who_has_not_played_scores_nothing():
    played, function = tournament(), find_fitness_function("aggressive")
    kept = np.flatnonzero((played.table.first < 2) & (played.table.second < 2))
    pairings, opening_of, openings = played.schedule
    few = replace(
        played,
        table=played.table.where(kept),
        moves=played.moves[kept],
        schedule=Schedule(pairings[kept], opening_of[kept], openings),
    )
    means = function.mean_scores(HEXWAR, [few], 4)
    assert means[:2].min() > 0
    assert means[2:].tolist() == [0, 0]


def test_the_names_of_fitness_functions():
    assert fitness_function_names() == ["aggressive", "defensive", "finish", "lead"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agressive", "no fitness function named 'agressive'; did you mean aggressive?"),
        ("nothing", "Your own is written FILE.py:name"),
        ("FOLDER/missing.py:score", "there is no file"),
        ("FOLDER/own.py:scor", "no function named 'scor'; did you mean score?"),
        ("FOLDER/own.py:NUMBER", "NUMBER is an int, not a function; write it as def NUMBER(record"),
        ("FOLDER/own.py:two", "two cannot take three arguments (too many positional arguments)"),
        ("FOLDER/own.py:four", "four cannot take three arguments (missing a required argument"),
        ("FOLDER/bad.py:score", "bad.py, line 2"),
    ],
)
def test_wrong_functions_are_told_in_one_sentence(tmp_path, text, words):
    own = OWN + "\nNUMBER = 3\ndef two(a, b): ...\ndef four(a, b, c, d): ...\n"
    (tmp_path / "own.py").write_text(own)
    (tmp_path / "bad.py").write_text("x = 1\ny = = 2\n")
    with pytest.raises(EvoboardError, match=re.escape(words)) as told:
        find_fitness_function(text.replace("FOLDER", str(tmp_path)))
    assert isinstance(told.value, NotFound | OptionError | PartError)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", "own.py, line 3: ZeroDivisionError: division by zero"),
        ("return helper()", "own.py, line 5: KeyError: 'x'"),
        ("return None", "returned 'None' for a game; it must return a finite number"),
        ("return 'much'", "returned 'much'"),
        ("return True", "returned 'True'"),
        ("return float('nan')", "returned 'nan'"),
        ("return [1]", "returned '[1]'"),
    ],
)
def test_functions_that_misbehave_are_told(tmp_path, body, words):
    path = tmp_path / "own.py"
    path.write_text(
        f"\ndef score(record, side, game):\n    {body}\ndef helper():\n    return {{}}['x']\n"
    )
    function = find_fitness_function(str(path))
    with pytest.raises(PartError, match=re.escape(words)):
        function.score(after((4, 8, 1)), 0, HEXWAR)


def test_numpys_numbers_are_numbers(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(
        "import numpy as np\ndef score(record, side, game):\n    return np.float32(2)\n"
    )
    assert find_fitness_function(str(path)).score(after((4, 8, 1)), 0, HEXWAR) == 2.0


def test_the_papers_functions_refuse_other_games():
    game = load_game("nim")
    contest = play_contest(game, ["random", "random"], 2, Terms(threads=1))
    with pytest.raises(OptionError, match="judge games of hexwar; for nim write"):
        find_fitness_function("aggressive").score(contest.records[0], 0, game)
