"""The experiments that come with evoboard: the papers' tables, names, templates, changes.

The tables below are typed from the papers, independently of the files.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from pydantic_core import core_schema

from evoboard.arena.backends.base import find_backend
from evoboard.core.errors import NotFound, OptionError, PartError
from evoboard.core.settings import problem_of
from evoboard.encoders.base import find_encoder
from evoboard.evolution.base import Evidence, strategy_names
from evoboard.evolution.mutations.base import find_mutation
from evoboard.experiments import catalog
from evoboard.experiments.catalog import alias, experiment_names, heading, load
from evoboard.experiments.template import template
from evoboard.games.base import load_game
from evoboard.games.hexwar import split_move
from evoboard.players.base import make_player
from evoboard.training.experiment import Experiment, read_experiment, resolved
from evoboard.training.fitness_functions import defensive
from evoboard.training.loop import Trainer

NAMES = experiment_names()
PARTS = Path(__file__).parent.parent / "examples" / "parts"

# Paper A, figures 27, 34 and 40: iterations, depth, connections, weights, add node, add connection,
# tries, power.
SESSIONS = """
 1  1000 1 0.9 0.1 0.1 0.1 5 0.2
 2  1000 1 0.9 0.1 0.1 0.1 5 0.5
 3  1000 1 0.9 0.1 0.1 0.1 5 0.8
 4  1000 1 0.9 0.1 0.3 0.5 5 0.2
 5  1000 1 0.9 0.1 0.3 0.5 5 0.5
 6  1000 1 0.9 0.1 0.3 0.5 5 0.8
 7  1000 1 0.9 0.1 0.5 0.9 5 0.2
 8  1000 1 0.9 0.1 0.5 0.9 5 0.5
 9  1000 1 0.9 0.1 0.5 0.9 5 0.8
10  1000 1 0.9 0.1 0.1 0.1 5 0.2
11  1000 1 0.9 0.1 0.1 0.5 5 0.2
12  1000 1 0.9 0.1 0.1 0.9 5 0.2
13  1000 1 0.9 0.1 0.3 0.1 5 0.2
14  1000 1 0.9 0.1 0.3 0.5 5 0.2
15  1000 1 0.9 0.1 0.3 0.9 5 0.2
16  1000 1 0.9 0.1 0.5 0.1 5 0.2
17  1000 1 0.9 0.1 0.5 0.5 5 0.2
18  1000 1 0.9 0.1 0.5 0.9 5 0.2
28  2000 1 0.9 0.1 0.1 0.1 5 0.2
29  2000 1 0.9 0.1 0.5 0.1 5 0.2
30  2000 1 0.9 0.1 0.5 0.9 5 0.2
31  2000 1 0.9 0.9 0.1 0.1 5 0.2
"""

# Paper A, figure 47: iterations, depth, tournaments of a series, add node, add connection, tries,
# power.
SERIES = """
1  4000 1 20 0.1 0.1 5 0.2
2  4000 1 20 0.1 0.1 5 0.5
3  4000 1 20 0.3 0.5 5 0.2
4  4000 1 20 0.3 0.5 5 0.5
5  4000 1 20 0.3 0.5 5 0.8
6  4000 1 20 0.5 0.9 5 0.2
7  4000 1 20 0.5 0.9 5 0.5
8 10000 1 20 0.1 0.1 5 0.2
"""

# Paper A, chapters 4 and 5.1: what all sessions share.
PAPER_A = {
    "game.name": "kingcapture",
    "game.plies": 40,
    "player.encoder": "squares",
    "search.name": "alphabeta",
    "fitness.schedule": "double_round_robin",
    "fitness.openings": 0,
    "strategy.population": 50,
    "strategy.start_mutation": True,
    "strategy.start.share": 1.0,
    "strategy.genome.hidden": "unilateral",
    "strategy.genome.output": "bilateral",
    "strategy.genome.output_bound": 1.0,
    "strategy.mutations.values.chance": 1.0,
    "strategy.mutations.values.noise": "gaussian",
    "strategy.mutations.values.weight.chance": 1.0,
    "strategy.mutations.values.bias.chance": 1.0,
    "strategy.mutations.add_node.old": "split",
    "strategy.genome.loops": "kill",
    "strategy.crossover.values": "average",
    "strategy.crossover.dead": "fitter",
    "search.unaided": True,
    "strategy.distance.node_excess": 0.1,
    "strategy.distance.node_disjoint": 0.1,
    "strategy.distance.normalise": "links",
    "strategy.speciation.threshold": 1.0,
    "strategy.speciation.representative": "parents",
    "strategy.speciation.match": "first",
    "strategy.parents.share": 0.25,
    "strategy.parents.least": 1,
    "strategy.parents.stay": True,
    "strategy.parents.crossover": 1.0,
    "strategy.quotas.rule": "shared",
    "strategy.quotas.minimum": 2,
}

# Paper B, 3.2.1: heap, random, one-hot, exponent, share of each kind.
NIM = {
    "nim-stack-2": ((2,), False, 1, 1.0, 0.0),
    "nim-stack-8-exponent-1": ((8,), False, 1, 1.0, 0.0),
    "nim-stack-8-exponent-2": ((8,), False, 1, 2.0, 0.0),
    "nim-stack-8-shares": ((8,), False, 1, 2.0, 0.15),
    "nim-1-8-onehot": ((8,), True, 1, 2.0, 0.15),
    "nim-1-8-direct": ((8,), True, 0, 2.0, 0.15),
}

# Paper B, the list of parameters in "Stack: 3, Test 1".
PAPER_B = {
    "search.name": "policy",
    "search.safe": 0,
    "player.encoder": "heaps",
    "fitness.schedule": "circular",
    "fitness.opponents": 25,  # distances, with two opponents at each
    "fitness.scoring": "1/0/0",
    "strategy.name": "layered",
    "strategy.population": 100,
    "strategy.genome.activation": "elu",
    "strategy.mutation.fewest": 0,
    "strategy.mutation.most": 1,
    "strategy.mutation.change_weight": 1.0,
    "strategy.mutation.change_bias": 1.0,
    "strategy.mutation.shift_weight": 1.0,
    "strategy.mutation.shift_bias": 1.0,
    "strategy.mutation.add_edge": 1.0,
    "strategy.mutation.add_node": 1.0,
}

# Paper C, sections 2 to 4.
PAPER_C = {
    "generations": 1000,
    "game.name": "chess",
    "player.encoder": "chess_features",
    "search.name": "alphabeta",
    "fitness.schedule": "double_round_robin",
    "fitness.scoring": "1/0.5/0",
    "strategy.name": "morphological",
    "strategy.network.hidden": [10],
    "strategy.network.direct": True,  # a "generalized" network
    "strategy.crossover.parents": 5,  # silent, as are the rules of draws
    "game.repetitions": 3,
    "game.quiet": 100,
    "strategy.crossover.threshold": 0.05,
    "strategy.crossover.growth": 0.8,
    "strategy.crossover.margin": 0.01,
    "strategy.crossover.shrinkage": 0.421,
    "strategy.crossover.relief": 0.021,
    "measure.games": 100,
}

# Paper D, tables 1 to 5, in their order; what the game and the genome decide is left out.
PAPER_D = {
    "generations": 100,
    "game.name": "hexwar:start_pieces=1",
    "search.name": "pvs",
    "fitness.total": "mean",
    "strategy.name": "neat",
    "strategy.population": 200,
    "strategy.genome.loops": "refuse",
    "strategy.start.share": 1.0,
    "stop.fitness": 400,
    "strategy.reset_on_extinction": False,
    "strategy.alternative": True,
    "strategy.mutations.values.chance": 1.0,
    "strategy.mutations.add_node.chance": 0.2,
    "strategy.mutations.remove_node.chance": 0.2,
    "strategy.genome.hidden": "sigmoid",
    "strategy.genome.output": "sigmoid",
    "strategy.mutations.activation.choices": ["sigmoid"],
    "strategy.mutations.activation.chance": 0.0,
    "strategy.genome.aggregation": "sum",
    "strategy.mutations.aggregation.choices": ["sum"],
    "strategy.mutations.aggregation.chance": 0.0,
    "strategy.start.bias.mean": 1.0,
    "strategy.start.bias.spread": 1.0,
    "strategy.start.bias.low": -30,
    "strategy.start.bias.high": 30,
    "strategy.mutations.values.bias.chance": 0.7,
    "strategy.mutations.values.bias.reset": 0.1,
    "strategy.mutations.values.bias.power": 0.5,
    "strategy.start.response.mean": 1.0,
    "strategy.start.response.spread": 0.0,
    "strategy.start.response.low": -30,
    "strategy.start.response.high": 30,
    "strategy.mutations.values.response.chance": 0.0,
    "strategy.mutations.values.response.reset": 0.0,
    "strategy.mutations.values.response.power": 0.0,
    "strategy.mutations.add_link.chance": 0.5,
    "strategy.mutations.remove_link.chance": 0.5,
    "strategy.mutations.toggle_link.chance": 0.01,
    "strategy.start.frozen": False,
    "strategy.mutations.freeze_link.chance": 0.0,
    "strategy.start.weight.mean": 0.0,
    "strategy.start.weight.spread": 1.0,
    "strategy.start.weight.low": -30,
    "strategy.start.weight.high": 30,
    "strategy.mutations.values.weight.chance": 0.8,
    "strategy.mutations.values.weight.severe": 0.01,
    "strategy.mutations.values.weight.reset": 0.1,
    "strategy.mutations.values.weight.power": 0.5,
    "strategy.mutations.add_node.bias": "start",  # as all biases of table 2: mean 1, deviation 1
    "strategy.mutations.remove_node.nodes": "any",
    "search.unaided": True,
    "strategy.distance.disjoint": 1.0,
    "strategy.distance.weight": 0.5,
    "strategy.distance.normalise": "evolved",
    "strategy.speciation.threshold": 3.8,
    "strategy.speciation.match": "nearest",
    "strategy.stagnation.generations": 20,
    "strategy.parents.crossover": 1.0,
    "strategy.parents.interspecies": 0.15,
    "strategy.parents.share": 0.2,
    "strategy.parents.elites": 2,
    "strategy.parents.elite_size": 2,
    "strategy.quotas.minimum": 2,
}

# Paper E, chapters III and IV.
PAPER_E = {
    "generations": 200,
    "game.name": "draughts:blocked=draw",
    "game.plies": 0,
    "game.quiet": 100,
    "game.repetitions": 3,
    "search.by_share": True,
    "strategy.mutate_crossovers": True,
    "measure.learning_from": 2,
    "player.encoder": "subsquares",
    "search.name": "mcts",
    "search.extend": 4,
    "fitness.schedule": "random_opponents",
    "fitness.opponents": 5,
    "fitness.scoring": "2/0/-1",
    "strategy.name": "draughts_ga",
    "strategy.population": 15,
    "strategy.kept": 5,
    "strategy.pairs": 2,
    "strategy.network.hidden": [40, 10],
    "strategy.network.activation": "tanh",
    "strategy.network.output_activation": "tanh",
    "strategy.start.spread": 1.0,
    "strategy.mutation.power": 1.0,
    "strategy.safe.tries": 10,  # silent
    "strategy.safe.positions": 20,
    "strategy.crossover.threshold": 0.75,
    "measure.previous": 5,
    "measure.champion_games": 6,
    "measure.learning": True,
    "measure.games": 128,
}


def rows(text: str) -> list[list[float]]:
    return [[float(cell) for cell in line.split()] for line in text.split("\n") if line.strip()]


def values(name: str) -> dict[str, object]:
    """Return every value of an experiment by its dotted key, defaults included."""
    return flat(resolved(load(name)))


def flat(data: dict[str, object], path: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            found |= flat(value, f"{path}{key}.")
        elif key == "mutations":
            found |= flat({row["kind"]: row for row in value}, f"{path}{key}.")
        else:
            found[f"{path}{key}"] = value
    return found


def require(name: str, wanted: dict[str, object]) -> None:
    """Assert that an experiment has the wanted values, and that files write them out."""
    found, written = values(name), flat(catalog.tables(name))
    assert {key: found[key] for key in wanted} == wanted
    assert {key for key in wanted if key not in written} == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_loads_and_says_where_it_comes_from(name):
    experiment = load(name)
    assert experiment.title
    assert experiment.paper
    source = experiment.paper.split(",")[0]
    begin = {"ours": "# Ours", "Blondie24": "# Chellapilla", "NEAT": "# Stanley"}
    assert heading(name).startswith(begin.get(source, f"# Paper {source}"))
    assert len(experiment.title) < 55
    game = load_game(experiment.game.name)
    assert find_encoder(experiment.player.encoder, game).name == experiment.player.encoder
    for text in experiment.measure.anchors:
        make_player(text, game)
    if experiment.paper == "ours":
        assert not experiment.departures


@pytest.mark.parametrize("name", NAMES)
def test_a_template_holds_the_whole_experiment(name):
    experiment = load(name)
    text = template(experiment, heading(name))
    assert resolved(read_experiment(tomllib.loads(text))) == resolved(experiment)
    assert text.startswith(heading(name))
    assert all(len(line) <= 100 or line.startswith(("  ", "title")) for line in text.splitlines())


@pytest.mark.parametrize("row", rows(SESSIONS), ids=lambda row: f"session {row[0]:.0f}")
def test_sessions_of_paper_a(row):
    number, iterations, depth, links, weights, node, link, tries, power = row
    of_row = {
        "generations": iterations,
        "search.depth": depth,
        "strategy.distance.excess": links,
        "strategy.distance.disjoint": links,
        "strategy.distance.weight": weights,
        "strategy.mutations.add_node.chance": node,
        "strategy.mutations.add_link.chance": link,
        "strategy.mutations.add_link.tries": tries,
        "strategy.mutations.values.power": power,
    }
    name = f"kingcapture-neat-{number:02.0f}"
    require(name, {"strategy.name": "neat", **PAPER_A, **of_row})
    kinds = [choice.kind for choice in load(name).strategy.settings.mutations]
    assert kinds == ["add_node", "add_link", "values"]
    # A file holds its own row of the table, whatever it extends.
    own = flat(tomllib.loads(catalog.find(name).read_text(encoding="utf-8")))
    assert {key: own.get(key) for key in of_row} == of_row


@pytest.mark.parametrize("row", rows(SERIES), ids=lambda row: f"TT {row[0]:.0f}")
def test_tournament_series_of_paper_a(row):
    number, iterations, depth, series, node, link, tries, power = row
    of_row = {
        "generations": iterations,
        "search.depth": depth,
        "strategy.series": series,
        "strategy.mutations.add_node.chance": node,
        "strategy.mutations.add_link.chance": link,
        "strategy.mutations.add_link.tries": tries,
        "strategy.mutations.values.power": power,
    }
    name = f"kingcapture-series-tt{number:.0f}"
    require(name, {"strategy.name": "tournament_series", **PAPER_A, **of_row})
    own = flat(tomllib.loads(catalog.find(name).read_text(encoding="utf-8")))
    assert {key: own.get(key) for key in of_row} == of_row


@pytest.mark.parametrize("number", range(34, 38))
def test_sessions_without_parameters_take_those_of_the_shorter_ones(number):
    longer, shorter = values(f"kingcapture-neat-{number}"), values(f"kingcapture-neat-{number - 6}")
    assert longer["generations"] == 4000
    differ = {key for key in longer if longer[key] != shorter[key]}
    assert differ == {"title", "paper", "departures", "generations"}
    assert len(longer["departures"]) == len(shorter["departures"]) + 1


@pytest.mark.parametrize("name", NIM)
def test_nim_of_paper_b(name):
    heaps, random, one_hot, exponent, share = NIM[name]
    shares = dict.fromkeys(("old_best", "random_old", "new"), share)
    require(
        name,
        {
            **PAPER_B,
            "search.one_hot": one_hot,
            "strategy.selection.exponent": exponent,
            **{f"strategy.selection.{key}": value for key, value in shares.items()},
            **({"fitness.pool": 100} if random else {}),  # heaps drawn anew in each generation
        },
    )
    options = load_game(load(name).game.name).options
    assert (options["heaps"], options["random"], options["simple"]) == (heaps, random, True)


def test_chess_of_paper_c():
    require("chess-morphological", PAPER_C)
    assert "linear" in load("chess-morphological").measure.anchors


@pytest.mark.parametrize("function", ["aggressive", "defensive"])
def test_tables_1_to_5_of_paper_d(function):
    name = f"hexwar-{function}"
    require(name, {**PAPER_D, "fitness.function": function})
    assert [against.kind for against in load(name).fitness.against] == ["previous_best"]
    # The paper's best defensive score, 146: whoever produces whenever it can, and makes room by a
    # transfer once its only tile is full, has that at the end of a game.
    game, moves = load_game(load(name).game.name), list[int]()
    state = game.initial()
    for _ in range(load(name).game.plies):
        legal = game.legal_moves(state)
        moves.append(next((m for m in legal if split_move(m)[0] == split_move(m)[1]), legal[0]))
        state = game.apply(state, moves[-1])
    played = np.array([moves], np.int32), np.array([len(moves)]), np.array([0])
    assert defensive.score_games(game, game.initial()[None], *played).tolist() == [[146.0, 146.0]]
    assert find_encoder(load(name).player.encoder, game).inputs == 25


@pytest.mark.parametrize(
    ("name", "generations"),
    [
        ("kingcapture-neat-01", 60),
        ("kingcapture-neat-16", 40),
        ("kingcapture-neat-31", 60),
        ("kingcapture-neat-2002", 25),
        ("hexwar-aggressive", 15),
    ],
)
def test_species_live_side_by_side(name, generations):
    strategy, rng, counts = Trainer(load(name), 2).strategy, np.random.default_rng(2), []
    for _ in range(generations):
        population = strategy.ask()
        counts.append(len(set(population.species.tolist())))
        # A fitness that is inherited, and luck: no game need be played to see species.
        genes = population.genes
        sums = [
            genes.weight[begin:end].sum()
            for begin, end in itertools.pairwise(genes.link_start.tolist())
        ]
        strategy.tell(Evidence(50 + np.array(sums) / 10 + 5 * rng.random(population.size)))
    assert min(counts[-5:]) > 1, counts
    assert max(counts) <= population.size // 5, counts  # and none has but a handful


@pytest.mark.parametrize("function", ["aggressive", "defensive"])
def test_paper_d_as_its_published_code_has_it(function):
    name, of_code = (
        f"hexwar-{function}-code",
        {
            "search.depth": 3,
            "game.name": "hexwar:start_pieces=10",
            "game.plies": 20,
            "player.encoder": "squares:turned=true",
            "strategy.genome.output": "identity",
            "fitness.colours": "random",
            "fitness.function": function,
        },
    )
    require(name, {**PAPER_D, **of_code})
    (against,) = load(name).fitness.against
    assert (against.kind, against.count) == ("previous_best", 5)
    # Nothing else differs from the text's experiment.
    mine, text = flat(values(name)), flat(values(f"hexwar-{function}"))
    differ = {key for key in mine if mine[key] != text.get(key)}
    assert differ <= {*of_code, "title", "paper", "departures"}


@pytest.mark.parametrize("ply", [1, 3, 6])
def test_draughts_of_paper_e(ply):
    require(f"draughts-{ply}ply", {**PAPER_E, "search.ply": ply, "search.rounds": 300 * ply})
    game = load_game(load(f"draughts-{ply}ply").game.name)
    assert find_encoder("subsquares", game).inputs == 91


def test_an_experiment_is_found_by_its_papers_name_for_it():
    aliases = [alias(load(name).paper) for name in NAMES if load(name).paper != "ours"]
    assert len(set(aliases)) == len(aliases)
    assert catalog.find("kingcapture-neat-1").stem == "kingcapture-neat-01"
    assert catalog.find("paper-a-session-16").stem == "kingcapture-neat-16"
    assert catalog.find("Paper-A-TT-4").stem == "kingcapture-series-tt4"
    assert catalog.find("paper-b-stack-1-8-test-2").stem == "nim-1-8-direct"
    assert catalog.find("paper-d-experiment-2").stem == "hexwar-defensive"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("kingcaptur-quick", "did you mean kingcapture-quick"),
        ("paper-a-session-99", "did you mean paper-a-session-"),
        ("zzz", "`evoboard experiments` lists them"),
        ("zzz.toml", "no file zzz.toml"),
    ],
)
def test_unknown_names_get_suggestions(text, hint):
    with pytest.raises(NotFound) as error:
        load(text)
    assert hint in str(error.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("generatons=3", "generations"),
        ("strategy.mutaton.power=1", "did you mean mutation"),
        (
            "strategy.mutations.values.powr=1",
            "mutations.2 named 'powr'; did you mean power",
        ),
        ("strategy.mutations.values.weight.chanse=1", "did you mean chance"),
        ("search.dept=2", "did you mean depth"),
        ("fitness.schedul=none", "did you mean schedule"),
        ("strategy.name=neet", "strategy.name: there is no strategy named 'neet'; did you mean"),
        ("search.name=alfabeta", "search.name: there is no search named"),
        ("game.name=kingcaptur", "game.name: there is no game named"),
        ("player.encoder=sqares", "player.encoder: there is no encoder named 'sqares'; did you"),
        ("fitness.function=agressive", "fitness.function: there is no fitness function"),
        ('measure.anchors=["materal"]', "measure.anchors: there is no player named 'materal'"),
        ("strategy.population=many", "strategy.population is 'many'; it must be a whole number."),
        ("search.depth=0", "at least 1"),
        ("generations", "key=value"),
        ("generations.x=1", "not a table"),
        # Nothing is taken for what it is not.
        ("generations=true", "generations is true; it must be a whole number."),
        ("strategy.population=true", "strategy.population is true; it must be a number, at least"),
        (
            "strategy.mutations.values.power=false",
            "mutations.2.power is false; it must be a number.",
        ),
        ('generations="5"', "generations is '5'; it must be a whole number."),
        ("measure.grade=2", "measure.grade is 2; it must be true or false."),
        ("measure.grade=yes", "measure.grade is 'yes'; it must be true or false."),
        ("title=5", "title is 5; it must be text."),
        ("search.depth=true", "search.depth is true; it must be a whole number."),
        ("search.depth=2.5", "search.depth is 2.5; it must be a whole number."),
        ("search.later=[{generation=2, depth=true}]", "search.later.0.depth is true"),
        ("measure={every=true}", "measure.every is true; it must be a whole number."),
        # Tables and lists.
        ("game=5", "game is 5; it must be a table: set game.name, game.repetitions, game.quiet or"),
        ("measure.anchors=random", 'it must be a list, such as ["random"].'),
        ("measure.anchors=5", 'measure.anchors is 5; it must be a list, such as ["5"].'),
        (
            "fitness.against=[3]",
            "fitness.against.0 is 3; it must be a table: set fitness.against.0",
        ),
        ("fitness.against=league", "it must be a list, such as [{kind = …}]."),
        ("strategy.name=5", "strategy.name is 5; it must be text."),
        ("strategy.mutations=[5]", "it must be a table: set strategy.mutations."),
        (
            'fitness.against=[{kindd="league"}]',
            "of fitness.against.0 named 'kindd'; did you mean k",
        ),
        ('fitness.against=[{kind="leage"}]', "or 'players'; did you mean league?"),
        ("fitness.against.0.count=3", "cannot set fitness.against.0.count: fitness.against is a"),
        ("search.later=[{depth=3}]", "search.later.0.generation is missing; it must be given."),
        ("fitness.scoring=1/2", "fitness.scoring: cannot read the scoring '1/2'"),
        ("strategy.speciation={threshold=0, match=5}", "strategy.speciation."),
        # What belongs to a run.
        ("seed=5", "evoboard train … --seed 5"),
        ("threads=2", "--threads 2"),
    ],
)
def test_wrong_changes_are_one_sentence_that_names_the_nearest_key(change, told):
    with pytest.raises(OptionError) as error:
        load("kingcapture-neat-01", ["fitness.against=[]", change])
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert not re.search(THEIRS, str(error.value))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("search.threads=2", "search.threads must be 1: with several threads on a move"),
        ("search.later=[{generation=2, threads=3}]", "search.later.0.threads must be 1"),
        (
            'measure.anchors=["material:search=pvs,threads=2"]',
            "anchors: .* has '2' threads",
        ),
    ],
)
def test_several_threads_on_a_move_are_not_for_experiments(change, told):
    with pytest.raises(OptionError, match=told):
        load("kingcapture-neat-01", ["search.name=pvs", change])


@pytest.mark.parametrize(("schedule", "most"), [("circular", 5), ("random_opponents", 10)])
def test_nobody_is_to_meet_more_opponents_than_there_are(schedule, most):
    known = ["strategy.population=11", "fitness.against=[]", f"fitness.schedule={schedule}"]
    load("kingcapture-neat-01", [*known, f"fitness.opponents={most}"])
    told = rf"opponents must be 1 to {most} with a population of 11: nobody meets another twice\."
    with pytest.raises(OptionError, match=told):
        load("kingcapture-neat-01", [*known, f"fitness.opponents={most + 1}"])


# Words of pydantic's that nobody should read.
THEIRS = r"(?i)\binput\b|valid|instance|dictionary|tuple|pydantic|type=|unable"


@pytest.mark.parametrize("kind", get_args(core_schema.ErrorType))
def test_whatever_pydantic_finds_is_told_in_our_words(kind):
    bounds = dict.fromkeys(("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length"), 3)
    texts = {"expected": "'a' or 'b'", "expected_tags": "'a', 'b'", "pattern": "x+", "tag": "c"}
    context = {**bounds, **texts, "error": ValueError("it is odd"), "class": "Game"}
    problem = {"type": kind, "loc": ("game",), "input": 5, "ctx": context}
    problem["msg"] = "Input should be a valid instance"
    told = problem_of(Experiment, {}, [problem]).called("mine.game")
    assert "mine" in told
    assert told.endswith((".", "?"))
    assert not re.search(THEIRS, told)


def test_changes_reach_every_level():
    changes = [
        "generations=3",
        "search.depth=2",
        "strategy.mutations.values.power=0.5",
        "strategy.start.weight.low=-1",
        'measure.anchors=["random"]',
        "title=my own",
    ]
    changed = flat(resolved(load("kingcapture-neat-01", changes)))
    before = values("kingcapture-neat-01")
    differ = {key: changed[key] for key in changed if changed[key] != before[key]}
    assert differ == {
        "generations": 3,
        "search.depth": 2,
        "strategy.mutations.values.power": 0.5,
        "strategy.start.weight.low": -1.0,
        "measure.anchors": ["random"],
        "title": "my own",
    }


def test_a_table_is_merged_and_another_part_comes_before_its_settings():
    before = values("kingcapture-quick")
    changes = ["measure={every=7, games=8}", "fitness={against=[{kind='league'}]}"]
    changes += [
        "fitness.against.0.count=3",
        "search.rounds=9",
        "search={c=2.0}",
        "search.name=mcts",
    ]
    changed = resolved(load("kingcapture-quick", changes))
    (against,) = changed["fitness"]["against"]
    assert against == {"kind": "league", "count": 3, "players": [], "generation": 0}
    assert (changed["search"]["name"], changed["search"]["rounds"]) == ("mcts", 9)
    assert changed["search"]["c"] == 2.0
    differ = {key for key, value in flat(changed).items() if value != before.get(key, value)}
    # Both searches have a depth, each with a default of its own.
    told = {"measure.every", "measure.games", "fitness.against"}
    assert differ == told | {"search.name", "search.depth"}
    # A table that names another part begins anew, as in a file that extends another.
    assert "depth" not in load("kingcapture-quick", ["search={name='mcts'}"]).search.at(0)


def test_a_file_of_ones_own_extends_an_experiment_or_a_file(tmp_path):
    base = tmp_path / "base.toml"
    base.write_text(
        'extends = "hexwar-aggressive"\ndepartures = ["mine"]\n[strategy]\npopulation = 20\n'
    )
    own = tmp_path / "own.toml"
    own.write_text('extends = "base.toml"\n[search]\nname = "mcts"\nrounds = 50\n')
    experiment = load(str(own))
    assert experiment.departures[-1] == "mine"
    assert len(experiment.departures) == len(load("hexwar-aggressive").departures) + 1
    assert experiment.strategy.settings.population == 20
    assert experiment.strategy.settings.mutations[0].settings.chance == 0.2
    # Another part's settings do not come along.
    assert experiment.search.name == "mcts"
    assert experiment.search.at(0) == {"rounds": 50}


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        ('extends = "kingcapture-nat-01"', NotFound, "own.toml extends"),
        ('extends = "own.toml"', OptionError, "extends itself"),
        ("extends = 3", OptionError, "must be the name"),
        ("generations = ", PartError, "own.toml cannot be read as TOML"),
        ("generations = 3", OptionError, "own.toml: game is missing"),
        ("seed = 3", OptionError, "--seed 3"),
        ('extends = "nim-quick"\n[[fitness.against]]\nkid = "league"', OptionError, "own.toml: "),
    ],
)
def test_files_that_cannot_be_used(tmp_path, text, kind, told):
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(kind) as error:
        load(str(file))
    assert told in str(error.value)


def test_parts_of_ones_own_are_found_beside_the_experiments_file():
    own = PARTS / "own.toml"
    data = resolved(load(str(own)))
    for table, key in (("player", "encoder"), ("search", "name"), ("strategy", "name")):
        assert data[table][key].startswith(str(PARTS.resolve()))
    assert data["measure"]["anchors"][1] == f"{PARTS.resolve() / 'stubborn.py'}:which=last"
    assert load(str(own), ["search.name=alphabeta"]).search.name == "alphabeta"


BRED = "breed is called with (self, population, evidence)"


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("bold.py", "def best_move", "def worst_move", "search.name: "),
        ("bold.py", "class Settings(BaseSettings)", "class Settings", "must be derived from"),
        ("bold.py", "adventures: int = Field(5, ", "adventures: int = Field(", "a default"),
        (
            "bold.py",
            "adventures: int = Field(5, ge=0, le=100,",
            "adventures: str = Field('5',",
            "bool, int",
        ),
        ("binary_heaps.py", "def encoder_for", "def encoder", "an encoder: it lacks encoder_for"),
        ("binary_heaps.py", '"mover")', '"me")', 'seen_by "mover" or "first"'),
        ("binary_heaps.py", "out[DIGITS", "out[99_999 + DIGITS", "writes out of bounds"),
        ("binary_heaps.py", "DIGITS * heaps,", "DIGITS * heaps + 5,", "leaves out some of its"),
        ("binary_heaps.py", "np.float32(1)", "np.float32(np.nan)", "that is not finite"),
        ("binary_heaps.py", "else MINUS_ONE", "else ONE / state[heap]", "divides by zero"),
        ("hill_climber.py", "def breed", "def bear", "its Strategy lacks breed."),
        ("hill_climber.py", "class Settings(BaseSettings)", "class Settings", "class Settings"),
        ("hill_climber.py", "breed(self, population, evidence)", "breed(self, population)", BRED),
        (
            "bold.py",
            "settings, chance, work):",
            "settings, work):",
            "best_move is called with (net",
        ),
        ("quick_wins.py", "def score(record, ", "def score(", "three arguments"),
        ("quick_wins.py", "def score", "def scor", "did you mean scor"),
    ],
)
def test_a_part_that_lacks_something_is_told_when_the_experiment_is_read(
    tmp_path, file, old, new, told
):
    for path in PARTS.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_text(path.read_text())
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    with pytest.raises(OptionError) as error:
        load(str(tmp_path / "own.toml"))
    assert told in str(error.value)
    assert file in str(error.value)


def test_a_mutation_and_a_backend_that_take_something_else_are_told(tmp_path):
    for name, old, new, find in (
        ("flip_weight.py", "draft, rates, tables, factor", "draft, rates", find_mutation),
        ("one_by_one.py", "task, games, progress):", "task, games):", find_backend),
    ):
        (tmp_path / name).write_text((PARTS / name).read_text().replace(old, new, 1))
        with pytest.raises(OptionError, match=rf"{name}: .* is called with \(.*does not take that"):
            find(str(tmp_path / name))


def test_the_page_about_parts_shows_the_files_as_they_are():
    page = (PARTS.parent.parent / "docs" / "your-own-strategy.md").read_text(encoding="utf-8")
    shown = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", page, re.DOTALL)
    assert {name for name, _ in shown} == {path.name for path in PARTS.glob("*.py")}
    for name, text in shown:
        assert text == (PARTS / name).read_text(encoding="utf-8")
    (tables,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    own = tomllib.loads((PARTS / "own.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(tables) == {k: v for k, v in own.items() if isinstance(v, dict)}


def test_every_setting_of_the_schema_is_explained():
    """A template cannot explain what has no description."""

    def fields(model: type, path: str = ""):
        for key, field in model.model_fields.items():
            inner = getattr(field.annotation, "model_fields", None)
            if inner is None:
                yield f"{path}{key}", field.description
            else:
                yield from fields(field.annotation, f"{path}{key}.")

    assert [key for key, told in fields(Experiment) if not told] == []


def test_every_strategy_is_in_the_comparison_of_strategies():
    folder = Path(__file__).parent.parent / "benchmarks" / "strategies"
    found = {path.stem: load(str(path)) for path in folder.glob("*.toml")}
    assert set(found) == set(strategy_names())
    assert {name: one.strategy.name for name, one in found.items()} == {n: n for n in found}
    # Nothing but the strategy and the title differs.
    alike = [resolved(one) | {"strategy": None, "title": None} for one in found.values()]
    assert all(one == alike[0] for one in alike)
