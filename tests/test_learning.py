"""Learning by gradient, the strategies built on it, and those that follow a distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evoboard.core.errors import OptionError
from evoboard.encoders.base import find_encoder
from evoboard.evolution.base import Evidence, Lessons, LessonsWanted, Shape, make_strategy
from evoboard.evolution.operators import gradient
from evoboard.evolution.operators.safe_mutation import outputs
from evoboard.evolution.strategies.evolution_strategy import centred_ranks
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.networks.mlp_network import Design
from evoboard.training.experiment import read_experiment
from evoboard.training.lessons import lessons_of
from evoboard.training.loop import Trainer
from evoboard.training.pairings import generation_openings

DESIGNS = (
    Design((5, 1), ("tanh",)),
    Design((5, 1), ("tanh",), (1.0,), (0.5,), difference=0.3),
    Design((5, 4, 1), ("tanh",), (1.5, 1.0), (0.7, 1.2), direct=True),
    Design((5, 4, 3, 1), ("tanh", "bilateral", "identity")),
    Design((5, 4, 1), ("sin", "tanh"), (1.0, 2.0), (1.5, 1.0), difference=-0.2),
    Design((5, 3, 2), ("sigmoid", "tanh")),
)


def values_of(vector, inputs, design):
    """The first output of a network for every row of inputs, as learning computes it."""
    shape, numbers = gradient._described(design)
    work, values, chosen = (
        gradient._workspace(design),
        np.zeros(len(inputs)),
        np.arange(len(inputs)),
    )
    gradient._kernels()[1](shape, numbers, vector, inputs, chosen, work, values)
    return values


def lessons_from(inputs, results, games=None, signs=None, players=None):
    count = len(inputs)
    return Lessons(
        np.asarray(inputs, np.float32),
        np.asarray(results, np.float32),
        np.ones(count, np.float32) if signs is None else np.asarray(signs, np.float32),
        np.arange(count) if games is None else np.asarray(games),
        np.zeros((count, 2), np.int64) if players is None else np.asarray(players),
    )


def error_of(vector, lessons, design):
    """The mean error that gradient descent makes smaller."""
    values = outputs(vector[None], lessons.inputs, design)[0].astype(np.float64)
    if design.activations[-1] == "tanh" and design.bounds[-1] == 1.0:
        chance = np.clip((1 + values) / 2, 1e-9, 1 - 1e-9)
        won = (1 + lessons.results) / 2
        return float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())
    return float(((values - lessons.results) ** 2).mean() / 2)


def descended(vector, lessons, design, **settings):
    """Return the vector after one step over all lessons, and the gradient that it followed."""
    chosen = gradient.Settings(batch=10_000, **settings)
    pupil = gradient.Pupil(
        vector,
        gradient.no_moments(len(vector)),
        np.arange(len(lessons.games)),
        np.random.default_rng(1),
    )
    [(after, moments)] = gradient.learn_all([pupil], lessons, design, chosen, chosen.rate)
    return after, moments.first / (1 - gradient.FIRST_FADE)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.text)
def test_the_gradient_is_the_slope_of_the_error(design):
    rng = np.random.default_rng(3)
    vector = rng.uniform(-0.5, 0.5, design.length)
    inputs = rng.integers(-1, 2, (12, 5)).astype(np.float32)  # zeros are passed over
    lessons = lessons_from(inputs, rng.integers(-1, 2, 12))
    _, found = descended(vector, lessons, design)
    for i in range(design.length):
        step = np.zeros(design.length)
        step[i] = 0.01
        rise = error_of(vector + step, lessons, design) - error_of(vector - step, lessons, design)
        assert found[i] == pytest.approx(rise / 0.02, abs=3e-3), i


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.text)
def test_values_are_those_of_the_network(design):
    rng = np.random.default_rng(4)
    vector = rng.uniform(-1, 1, design.length)
    inputs = rng.normal(size=(9, 5)).astype(np.float32)
    found = values_of(vector, inputs, design)
    np.testing.assert_allclose(found, outputs(vector[None], inputs, design)[0], atol=2e-6)


def naming_error(vector, lessons, design):
    """The mean cross-entropy of the outputs that name the moves, group by group."""
    layers = outputs_of_all(vector, lessons.inputs, design)
    total = 0.0
    for group, (first, end) in enumerate(lessons.groups):
        shares = np.exp(layers[:, first:end]) / np.exp(layers[:, first:end]).sum(1, keepdims=True)
        named = lessons.choices[:, group] - first
        total -= np.log(shares[np.arange(len(named)), named]).mean()
    return total


def outputs_of_all(vector, inputs, design):
    """All outputs of a network with one hidden layer of tanh and outputs as they are."""
    fan, width, outs = design.sizes
    hidden = np.tanh(
        inputs @ vector[width : width * (fan + 1)].reshape(fan, width) + vector[:width]
    )
    rest = vector[width * (fan + 1) :]
    return hidden @ rest[outs:].reshape(width, outs) + rest[:outs]


def test_naming_moves_follows_the_slope_of_the_cross_entropy():
    rng, design = np.random.default_rng(3), Design((5, 4, 5), ("tanh", "identity"))
    vector = rng.uniform(-0.5, 0.5, design.length)
    inputs = rng.permutation(np.eye(5) + np.diag(np.ones(4), 1)).astype(np.float32)
    choices = np.stack([rng.integers(2, size=5), rng.integers(2, 5, size=5)], axis=1)
    lessons = lessons_from(inputs, np.ones(5))
    lessons = lessons._replace(choices=choices, groups=np.array([[0, 2], [2, 5]]))
    _, found = descended(vector, lessons, design)
    for i in range(design.length):
        step = np.zeros(design.length)
        step[i] = 0.01
        rise = naming_error(vector + step, lessons, design)
        rise -= naming_error(vector - step, lessons, design)
        assert found[i] == pytest.approx(rise / 0.02, abs=3e-3), i


def test_the_best_move_of_a_position_is_learned_whoever_played_it():
    # Two positions. In the first, move 0 wins one game of two and move 1 both, slowly; in the
    # second, moves 0 and 1 win at once, and 1 was played more often.
    first, second, other = [1, 0], [0, 1], [1, 1]
    rows = [
        (0, first, 0, 1), (1, first, 0, -1),
        (2, first, 1, 1), (2, other, 0, -1), (2, other, 0, 1),
        (3, first, 1, 1), (3, other, 1, -1),
        (4, second, 0, 1), (5, second, 1, 1), (6, second, 1, 1),
    ]  # fmt: skip
    games, inputs, moves, results = (np.array(column) for column in zip(*rows, strict=True))
    lessons = lessons_from(inputs, results, games)
    lessons = lessons._replace(choices=moves[:, None], groups=np.array([[0, 2]]))
    everything = np.arange(len(rows))

    def learned(chosen, discount):
        best = gradient.best_played(lessons, chosen, discount)
        return {tuple(inputs[i].tolist()): int(moves[i]) for i in best}

    # With 0.9, `other` is lost either way: by move 0 at once or a lesson later, by 1 at once.
    assert learned(everything, 0.9) == {(1, 0): 1, (0, 1): 1, (1, 1): 0}
    # A slow win is worth less than a quick one.
    assert learned(everything[games != 1], 0.6)[(1, 0)] == 0
    assert learned(everything[:2], 1.0) == {(1, 0): 0}


def test_logistic_regression_finds_the_chances():
    # Inputs (1, 0) win three games of four, (0, 1) lose all but one of eight.
    inputs = [[1, 0]] * 8 + [[0, 1]] * 8
    results = [1] * 6 + [-1] * 2 + [1] + [-1] * 7
    design = Design((2, 1), ("tanh",))
    chosen = gradient.Settings(rate=0.02, passes=1000, batch=16)
    pupil = gradient.Pupil(
        np.zeros(3), gradient.no_moments(3), np.arange(16), np.random.default_rng(0)
    )
    lessons = lessons_from(inputs, results)
    [(vector, moments)] = gradient.learn_all([pupil], lessons, design, chosen, 0.02, biases=False)
    values = values_of(vector, np.eye(2, dtype=np.float32), design)
    np.testing.assert_allclose((1 + values) / 2, [6 / 8, 1 / 8], atol=0.01)
    assert vector[0] == 0.0  # the bias was not free
    assert moments.steps == 1000


def test_steps_are_adams_and_what_stays_is_the_mean_of_the_last_pass():
    rng = np.random.default_rng(8)
    inputs, results = rng.normal(size=(30, 5)).astype(np.float32), rng.integers(-1, 2, 30)
    design, start = Design((5, 1), ("tanh",)), rng.normal(size=6) * 0.3
    chosen = gradient.Settings(batch=8, passes=2, decay=0.1, caution=0.01)
    pupil = gradient.Pupil(start, gradient.no_moments(6), np.arange(30), np.random.default_rng(5))
    lessons = lessons_from(inputs, results)
    [(found, _)] = gradient.learn_all([pupil], lessons, design, chosen, 0.05)
    vector, first, second, steps, chance = start.copy(), 0.0, 0.0, 0, np.random.default_rng(5)
    for _ in range(2):
        order, visited = chance.permutation(30), []
        for begin in range(0, 30, 8):
            rows = order[begin : begin + 8]
            seen = np.hstack([np.ones((len(rows), 1)), inputs[rows]])
            slope = (np.tanh(seen @ vector) - results[rows]) @ seen / len(rows)
            steps += 1
            first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
            mean, square = first / (1 - 0.9**steps), second / (1 - 0.999**steps)
            vector = vector - 0.05 * (mean / (np.sqrt(square) + 0.01) + 0.1 * vector)
            visited.append(vector)
    np.testing.assert_allclose(found, np.mean(visited, axis=0), atol=1e-5)


def test_learning_goes_on_where_it_stopped():
    rng = np.random.default_rng(1)
    lessons = lessons_from(rng.normal(size=(40, 5)), rng.integers(-1, 2, 40))
    design = DESIGNS[2]
    start = rng.normal(size=design.length) * 0.1
    chosen = gradient.Settings(batch=40)

    def learn(vector, moments, passes):
        for _ in range(passes):
            pupil = gradient.Pupil(vector, moments, np.arange(40), np.random.default_rng(5))
            [(vector, moments)] = gradient.learn_all([pupil], lessons, design, chosen, 0.01)
        return vector, moments

    none = gradient.no_moments(design.length)
    whole, _ = learn(start, none, 6)
    resumed, _ = learn(*learn(start, none, 2), 4)
    assert np.array_equal(whole, resumed)
    assert not np.array_equal(whole, learn(learn(start, none, 2)[0], none, 4)[0])


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_the_targets_of_td_look_ahead_within_a_game(discount):
    games, signs = [0, 0, 0, 1, 1], [1.0, -1.0, 1.0, -1.0, 1.0]
    by_side_0 = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    lessons = lessons_from(np.zeros((5, 2)), by_side_0 * signs, games, signs)
    values, targets, trace = np.array([0.1, -0.2, 0.3, 0.4, 0.5]), np.zeros(5), 0.75
    played, fades = (lessons.games, lessons.signs, lessons.results), (trace, discount)
    gradient.look_back(*played, np.arange(5), values, fades, targets)
    third = 1.0
    second = discount * (0.25 * 0.3 + 0.75 * third)
    first = discount * (0.25 * 0.2 + 0.75 * second)  # the second is seen by the other side
    fourth = discount * (0.25 * 0.5 + 0.75 * -1.0)
    np.testing.assert_allclose(targets * signs, [first, second, third, fourth, -1.0])


def test_the_rate_cools():
    cooling = gradient.Settings(rate=0.1, cooling=10)
    assert [cooling.rate_in(n) for n in (0, 10, 30)] == pytest.approx([0.1, 0.05, 0.025])
    assert gradient.Settings(rate=0.1).rate_in(1000) == 0.1


# Lessons


@pytest.mark.parametrize(
    ("game", "encoder"),
    [
        ("kingcapture", "squares"),
        pytest.param("draughts", "planes", marks=pytest.mark.proof),
    ],
)
def test_lessons_are_positions_of_the_games(game, encoder):
    made = read_experiment(
        {
            "game": {"name": game, "plies": 30},
            "player": {"encoder": encoder},
            "fitness": {"openings": 1, "opening_plies": 2},
            "strategy": {"name": "blondie", "population": 4},
            "record": {"games_every": 1},
            "measure": {"every": 0},
        }
    )
    trainer = Trainer(made, 7)
    population = trainer.strategy.ask()
    networks = trainer._express(population, trainer._rivals(population))
    played = trainer._play(population, networks, None).networks
    rules, seen = load_game(game), find_encoder(encoder, load_game(game))
    encode, force = rules.link(seen.encode), rules.link(rules.bindings["forcing"])
    wanted = []
    for index in range(played.table.games):
        state = played.schedule.openings[played.schedule.opening_of[index]]
        for move in played.moves[index, : played.table.plies[index]]:
            if force(state, move) <= 0:
                row = np.zeros(seen.inputs, np.float32)
                encode(state, row)
                sign = -1 if seen.seen_by == "mover" and rules.side(state) else 1
                wanted.append((index, sign, sign * played.table.results[index], row))
            state = rules.apply(state, move)
    found = lessons_of(rules, seen, played, LessonsWanted(1000, quiet=True))
    assert found.games.tolist() == [index for index, *_ in wanted]
    assert found.signs.tolist() == [sign for _, sign, *_ in wanted]
    assert found.results.tolist() == [result for *_, result, _ in wanted]
    assert np.array_equal(found.inputs, np.stack([row for *_, row in wanted]))
    assert np.array_equal(found.players, played.schedule.pairings[found.games])
    every = lessons_of(rules, seen, played, LessonsWanted(1000, quiet=False))
    assert len(every.games) == played.table.plies.sum() > len(found.games)
    few = lessons_of(rules, seen, played, LessonsWanted(3, quiet=True))
    assert np.bincount(few.games).max() == 3
    assert len({row.tobytes() for row in few.inputs} - {row.tobytes() for row in found.inputs}) == 0


# Strategies


def taught(population, seed=0, count=400):
    """Games in which the sum of the inputs decides, between all individuals in turn."""
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(count, 4))
    results = np.sign(inputs.sum(axis=1))
    players = np.stack(
        [np.arange(count) % population.size, (np.arange(count) + 1) % population.size], 1
    )
    return lessons_from(inputs, results, players=players)


def right_share(vector, design):
    """How often a network knows who wins."""
    inputs = np.random.default_rng(9).normal(size=(500, 4)).astype(np.float32)
    return float((np.sign(values_of(vector, inputs, design)) == np.sign(inputs.sum(1))).mean())


@pytest.mark.parametrize("name", ["lifetime", "temporal_difference"])
def test_networks_learn_from_lessons_and_children_inherit_it(name):
    learning = {"rate": 0.01, "passes": 5, "batch": 50}
    strategy = make_strategy(name, {"population": 6, "learning": learning}, Shape(4, 1), 1)
    before = [right_share(v, strategy.design) for v in strategy.ask().genes.vector]
    for generation in range(3):
        population = strategy.ask()
        strategy.tell(Evidence(np.zeros(6), (), taught(population, generation)))
    after = [right_share(v, strategy.design) for v in strategy.ask().genes.vector]
    assert np.mean(before) < 0.8
    assert min(after) > 0.9  # the children's, too


def test_one_can_learn_from_its_own_games_alone():
    learning = {"rate": 0.01, "passes": 3}
    given = {"population": 4, "learning": learning, "games": "own", "cross": False}
    given["mutation"] = {"share": 0.0, "least": 0.0}
    strategy = make_strategy("lifetime", given, Shape(4, 1), 1)
    population = strategy.ask()
    lessons = taught(population)
    # Individual 3 did not play, and 0 is the fittest.
    players = np.where(lessons.players == 3, 1, lessons.players)
    strategy.tell(Evidence(np.array([3.0, 0.0, 1.0, 2.0]), (), lessons._replace(players=players)))
    after = strategy.ask().genes.vector
    assert not np.array_equal(after[0], population.genes.vector[0])
    assert np.array_equal(after[1], population.genes.vector[3])
    assert np.array_equal(after[2], after[0])  # a child without any mutation


def test_nobody_learns_where_learning_is_off():
    given = {"population": 4, "learning": {"passes": 0}}
    strategy = make_strategy("lifetime", given, Shape(4, 1), 1)
    assert strategy.wants_lessons is None
    population = strategy.ask()
    strategy.tell(Evidence(np.array([0.0, 3.0, 1.0, 2.0])))
    assert np.array_equal(strategy.ask().genes.vector[:2], population.genes.vector[[1, 3]])
    assert strategy.ask().ids[:2].tolist() == population.ids[[1, 3]].tolist()


def distance(strategy, goal, generations, stretch=1.0):
    """How far the champion is from a goal after some generations of judging by the distance."""
    for _ in range(generations):
        vectors = strategy.ask().genes.vector
        strategy.tell(Evidence(-((stretch * (vectors - goal)) ** 2).sum(axis=1)))
    return float(np.abs(strategy.ask().genes.vector[strategy.champion] - goal).max())


def test_an_evolution_strategy_that_cools_takes_smaller_and_smaller_steps():
    def lengths(**given):
        strategy = make_strategy("evolution_strategy", given, Shape(6, 1), 1)
        found = []
        for _ in range(41):
            before = strategy.ask().genes.vector
            strategy.tell(Evidence(before @ np.arange(before.shape[1])))
            found.append(float(np.abs(strategy.ask().genes.vector[0] - before[0]).mean()))
        return found

    # Ranks along a slope are the same wherever the network is, and so are Adam's steps.
    slower = np.array(lengths(cooling=20.0)) / lengths()
    np.testing.assert_allclose(slower, 1 / (1 + np.arange(41) / 20), rtol=1e-3)


def test_an_evolution_strategy_finds_a_goal():
    given = {"population": 61, "sigma": 0.05, "rate": 0.02}
    strategy = make_strategy("evolution_strategy", given, Shape(6, 1), 1)
    vectors = strategy.ask().genes.vector
    np.testing.assert_allclose(vectors[1::2] + vectors[2::2], 2 * vectors[[0] * 30])
    assert distance(strategy, 0.4, 80) < 0.05


def test_equal_scores_move_nothing():
    strategy = make_strategy("evolution_strategy", {}, Shape(6, 1), 1)
    before = strategy.ask().genes.vector[0]
    strategy.tell(Evidence(np.full(strategy.ask().size, 7.0)))
    assert np.array_equal(strategy.ask().genes.vector[0], before)
    strategy = make_strategy("evolution_strategy", {"rate": 0.1, "decay": 0.5}, Shape(6, 1), 1)
    before = strategy.ask().genes.vector[0]
    strategy.tell(Evidence(np.full(strategy.ask().size, 7.0)))
    np.testing.assert_allclose(strategy.ask().genes.vector[0], 0.95 * before, rtol=1e-6)
    assert before.any()
    assert centred_ranks(np.array([3.0, 1.0, 3.0, 9.0])).tolist() == pytest.approx(
        [0.0, -0.5, 0.0, 0.5]
    )


@pytest.mark.parametrize("separable", [False, True])
def test_cmaes_finds_a_goal_in_a_long_valley(separable):
    given = {"population": 13, "sigma": 0.1, "separable": separable}
    strategy = make_strategy("cmaes", given, Shape(6, 1), 1)
    stretch = np.logspace(0, 2, strategy.design.length)  # a hundred times as steep at one end
    assert distance(strategy, 0.4, 300, stretch) < 1e-3
    assert strategy.facts()["step_size"] < 0.1


def test_the_whole_covariance_learns_a_slanting_valley():
    """Where numbers depend on each other, the shape found is the inverse of the function's."""
    rng = np.random.default_rng(2)
    turn, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    stretch = np.logspace(0, 1, 7)
    strategy = make_strategy("cmaes", {"population": 21, "sigma": 0.3}, Shape(6, 1), 1)
    for _ in range(120):
        turned = (strategy.ask().genes.vector - 0.2) @ turn
        strategy.tell(Evidence(-((stretch * turned) ** 2).sum(axis=1)))
    spread = np.sqrt(np.diag(turn.T @ strategy.covariance @ turn))
    order = np.argsort(-spread)
    assert order[0] == 0
    assert spread[0] / spread[-1] == pytest.approx(10, rel=0.6)


@pytest.mark.parametrize("separable", [False, True])
def test_deviations_stay_within_their_bounds(separable):
    """With a step size that cannot grow any more, they grew until nothing was a number."""
    given = {"population": 13, "sigma": 1e6, "separable": separable}
    strategy = make_strategy("cmaes", given, Shape(6, 1), 1)
    for _ in range(4000):  # away from 0, the farther the better
        strategy.tell(Evidence((strategy.ask().genes.vector).sum(axis=1)))
    root = strategy._root()
    spread = root if separable else np.sqrt((root**2).sum(axis=0))
    assert spread.max() == pytest.approx(1e6)
    assert np.isfinite(strategy.covariance).all()
    samples = strategy.ask().genes.vector
    assert np.abs(samples - samples[0]).max() < 1e13  # some deviations times the step size


def test_bounded_deviations_leave_what_varies_with_what():
    strategy = make_strategy("cmaes", {"population": 13}, Shape(2, 1), 1)
    strategy.covariance = np.array([[1e16, 3e12, 0], [3e12, 1e10, 2e4], [0, 2e4, 1.0]])
    root = strategy._root()
    found = root.T @ root
    assert found.diagonal() == pytest.approx([1e12, 1e10, 1.0])
    assert found[0, 1] == pytest.approx(3e10)  # a hundredth of both, like the deviation
    assert found[1, 2] == pytest.approx(2e4)


def test_the_constants_are_hansens():
    strategy = make_strategy("cmaes", {"population": 11}, Shape(9, 1), 1)  # 10 numbers, 10 samples
    c = strategy.constants
    assert c.effective == pytest.approx(3.167, abs=1e-3)
    assert c.weights == pytest.approx([0.4563, 0.2708, 0.1622, 0.0852, 0.0255], abs=1e-4)
    assert c.sigma_share == pytest.approx(0.2844, abs=1e-4)
    assert c.expected == pytest.approx(math.sqrt(10) * (1 - 1 / 40 + 1 / 2100))


def test_too_many_covariances_are_refused_in_a_sentence():
    with pytest.raises(OptionError, match=r"3001 numbers.*strategy.separable = true"):
        make_strategy("cmaes", {}, Shape(3000, 1), 1)
    assert make_strategy("cmaes", {"separable": True}, Shape(3000, 1), 1).ask().size == 25


def policy_experiment(*changes):
    return load("nim-learn", ["game.name=nim:heaps=1/2/3,random=true", *changes])


def test_lessons_with_moves_are_the_games_from_the_last_random_move_on():
    trainer = Trainer(policy_experiment("fitness.pool=20", "fitness.openings=1"), 1)
    seen = {}

    def breed(population, evidence):
        seen["lessons"] = evidence.lessons
        return population

    trainer.strategy.breed = breed
    record = trainer.step()
    lessons = seen["lessons"]
    trainer.strategy.generation = 0
    openings = generation_openings(trainer.game, trainer.experiment.fitness, 1, 0)
    by_game = {}
    for i, game in enumerate(lessons.games):
        by_game.setdefault(int(game), []).append(i)
    played = [game for game in record.games if game.purpose == "fitness"]
    assert len(played) == len(by_game) > 100
    led = 0
    for number, stored in enumerate(played):
        rows, moves = by_game[number], list(stored.record.moves)
        start = trainer.game.parse_state(stored.record.start)
        if len(rows) > len(moves):
            led += 1
            lines = [i for i, end in enumerate(openings.ends) if np.array_equal(end, start)]
            first = lessons.choices[rows[0]]
            made = [openings.before[i] for i in lines if named(openings.moves[i]) == first.tolist()]
            assert any(np.array_equal(digits(before), lessons.inputs[rows[0]]) for before in made)
            rows = rows[1:]
        for row, move in zip(rows, moves, strict=True):
            assert lessons.choices[row].tolist() == named(move)
            np.testing.assert_array_equal(lessons.inputs[row], digits(start))
            mover = 1 if start[-1] == 0 else -1
            assert lessons.results[row] == stored.record.result * mover
            start = trainer.game.apply(start, move)
    assert led > 50


def named(move):
    return [int(move) // 256, 3 + int(move) % 256 - 1]


def digits(state):
    return np.array([int(heap) >> digit & 1 for heap in state[:3] for digit in range(2)])


def test_networks_that_name_their_moves_learn_perfect_play_and_the_last_champion_is_the_best():
    heaps, games = "game.name=nim:heaps=1/2/2,random=true", "fitness={pool=200, openings=12}"
    small = (heaps, games, "fitness.opponents=3", "strategy.population=8")
    trainer = Trainer(policy_experiment(*small), 1)
    while not trainer.finished():
        trainer.step()
    assert trainer.finished() == "the champion's grade has reached 1"
    assert trainer.generation < 60
    final = trainer.final()
    assert final.champion_generation == final.generation == trainer.generation - 1
    fresh = Trainer(policy_experiment(*small), 1)
    fresh.restore(trainer.state())
    assert fresh.final() == final


def test_learning_to_name_moves_wants_one_output_for_each():
    trainer = Trainer(policy_experiment("search.one_hot=false"), 1)
    with pytest.raises(OptionError, match="set one_hot=true"):
        trainer.step()
