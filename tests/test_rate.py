"""Runs measured: Elo by generation, ancestor matrix, trends, and the commands that show them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from compare_runs import same_table
from evoboard.arena.backends.base import find_backend
from evoboard.cli.main import app
from evoboard.cli.measure import split_anchors
from evoboard.core.errors import EvoboardError, NotFound, OptionError
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.file import write_player
from evoboard.players.setup import Setup
from evoboard.runs.lineage import chosen_generations, make_lineage, read_lineage
from evoboard.runs.rate import FINAL_GAMES, default_anchors, fitted, rate_lineage
from evoboard.runs.runner import start_run
from evoboard.training.experiment import read_experiment

GAMES, SERIES = 12, 40
PLAYER = {
    "game": "kingcapture",
    "encoder": "squares",
    "search": "alphabeta",
    "settings": {"depth": 1},
}


def counting(skill, seed=1):
    """Return a network that counts pieces, with `skill` 0 to 1 against noise."""
    noise = np.random.default_rng(seed).normal(0, 1, 36)
    weights = skill + (1 - skill) * noise
    one = GraphNetwork(36, [0], np.array([0, 36]), np.arange(36), weights, np.zeros(1))
    return one.to_json()


@pytest.fixture(scope="module")
def lineage():
    """Return five champions, each better than the one before."""
    nets = [counting(skill) for skill in (0.0, 0.3, 0.6, 0.8, 1.0)]
    return make_lineage("rising", PLAYER, nets, [0, 10, 20, 30, 40])


@pytest.fixture(scope="module")
def rated(lineage):
    return rate_lineage(lineage, games=GAMES, final_games=SERIES)


def test_elo_rises_with_skill(rated):
    elo, random = rated.ratings.elo, 5
    assert rated.anchors == ("random", "material:depth=1")
    assert elo[random] == 0
    assert elo[4] > elo[0] + 100
    assert elo[4] > elo[2] > elo[random]
    assert elo[6] > elo[4] - 200  # who counts pieces is about as good as the best of them
    assert (rated.ratings.low[:5] < elo[:5]).all()
    assert (elo[:5] < rated.ratings.high[:5]).all()


def test_everyone_meets_as_often_as_said(rated):
    games = rated.cross.games
    assert (games[:5, 5:] == GAMES).all()
    assert games[5, 6] == 0
    assert (games[:4, :4] + GAMES * np.eye(4) == GAMES).all()
    assert (games[4, :4] == GAMES + SERIES).all()
    assert np.isnan(rated.shares()[5, 6])
    shares = rated.shares()[:5, :5]
    off = ~np.eye(5, dtype=bool)
    assert (shares + shares.T)[off] == pytest.approx(np.ones(20))


def test_every_opening_is_played_with_both_colours(rated):
    assert np.bincount(rated.table.pairs()).tolist() == [2] * (rated.table.games // 2)
    met = rated.table.between(4, 0)
    assert len(np.unique(met.openings)) == met.games // 2 == (GAMES + SERIES) // 2


def test_the_last_champion_is_held_against_its_ancestors(rated):
    series = rated.series
    assert series.generations == (0, 10, 20, 30)
    assert ((series.wins + series.draws + series.losses) == SERIES).all()
    assert sum(series.random) == series.games == SERIES
    assert series.scores[0] > 0.6
    assert series.random[0] > 0.7 * SERIES
    assert series.trend.shape == (3, 4)
    assert series.trend.sum(0) == pytest.approx(np.ones(4))
    assert series.trend[0, 0] > series.trend[0, 3]


def test_threads_change_nothing(lineage, rated):
    again = rate_lineage(lineage, games=GAMES, backend=find_backend(threads=1), final_games=SERIES)
    assert same_table(again.table, rated.table)
    assert again.series.random == rated.series.random
    other = rate_lineage(lineage, ["random"], games=2, seed=2, final_games=SERIES)
    assert not np.array_equal(other.series.wins, rated.series.wins)


def test_progress_counts_every_game(lineage):
    seen = {}

    def tell(what, done, total):
        count, _ = seen.get(what, (0, 0))
        seen[what] = (count + done, total)

    rate_lineage(lineage, ["random"], games=2, progress=tell, final_games=4)
    assert len(seen) == 4
    assert all(count == total for count, total in seen.values())


def test_champions_that_forget_are_told():
    nets = [counting(skill) for skill in (1.0, 0.9, 0.2)]
    falling = make_lineage("falling", PLAYER, nets, [0, 5, 9])
    found = rate_lineage(falling, ["random"], games=2, final_games=60)
    assert [alarm.kind for alarm in found.alarms] == ["forgetting"]
    assert "generation 9 takes" in found.alarms[0].text


def test_one_champion_is_rated_too():
    found = rate_lineage(make_lineage("one", PLAYER, [counting(1.0)], [0]), games=4, final_games=4)
    assert len(found.ratings.elo) == 3
    assert found.series.generations == ()
    assert found.alarms == ()


def test_anchors_are_named_once(lineage):
    with pytest.raises(OptionError, match="an anchor is named twice"):
        rate_lineage(lineage, ["random", "random"])
    with pytest.raises(EvoboardError, match="no player named"):
        rate_lineage(lineage, ["rndom"])


def test_networks_are_rated_against_who_searches_as_they_do():
    assert default_anchors(Setup("nim", "binary").bind()) == ["random"]
    deep = Setup("kingcapture", "squares", settings={"depth": 3, "quiescence": 4})
    assert default_anchors(deep.bind()) == ["random", "material:depth=3,quiescence=4"]


def test_generations_to_look_at():
    assert chosen_generations(1) == [0]
    assert chosen_generations(10, 4) == [0, 4, 8, 9]
    assert chosen_generations(9, 4) == [0, 4, 8]
    assert chosen_generations(5) == [0, 1, 2, 3, 4]
    spread = chosen_generations(1000)
    assert len(spread) == 12
    assert (spread[0], spread[-1]) == (0, 999)


def test_trends():
    generations = np.array([0, 10, 20, 30, 40, 50, 60, 70])
    place = generations / 70
    cubic = 0.2 + 0.5 * place - 0.8 * place**2 + 0.6 * place**3
    assert fitted(generations, cubic[None])[0] == pytest.approx(cubic)
    straight = fitted(generations[:4], np.array([[0.0, 1, 1, 2]]))[0]
    assert straight == pytest.approx([0.1, 0.7, 1.3, 1.9])
    assert fitted(generations[:2], np.array([[0.1, 0.9]]))[0] == pytest.approx([0.1, 0.9])


def test_lists_of_anchors():
    text = "random, material:depth=2,search=pvs ,mcts:rounds=9"
    assert split_anchors(text) == ["random", "material:depth=2,search=pvs", "mcts:rounds=9"]
    assert split_anchors("") == []


# --- commands -------------------------------------------------------------------------------------

EXPERIMENT = {
    "generations": 5,
    "game": {"name": "nim:heaps=5"},
    "player": {"encoder": "heaps"},
    "search": {"name": "policy"},
    "strategy": {"name": "layered", "population": 20},
    "fitness": {"schedule": "circular", "opponents": 3},
    "measure": {"every": 0},
    "champion": {"final_openings": 2},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a folder with one small run, called small."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(folder))
        start_run("small", read_experiment(EXPERIMENT), 1, 1, stem="small")
    return folder


@pytest.fixture
def run(runs, monkeypatch):
    """Return what runs a command in an 80-column terminal and gives its output."""
    monkeypatch.setenv("EVOBOARD_RUNS", str(runs))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments):
        result = CliRunner().invoke(app, arguments)
        if result.exception is not None:
            raise result.exception
        if "--json" not in arguments:
            assert all(len(text) <= 80 for text in result.stdout.splitlines())
        return result.stdout

    return call


def test_a_run_is_rated(run):
    text = run("rate", "small", "--games", "4")
    assert re.search(r"^ +4 +[+-]\d+ +[+-]\d+ … [+-]\d+ +\d+%", text, re.M)
    assert "each champion against all earlier ones" in text
    data = json.loads(run("rate", "small", "--games", "4", "--every", "2", "--json"))
    assert [row["player"] for row in data["players"]] == ["gen=0", "gen=2", "gen=4", "random"]
    assert data["players"][3]["elo"] == 0
    assert [len(row) for row in data["ancestor_matrix"]] == [0, 1, 2]
    assert data["last_champion"]["generations"] == [0, 2]
    assert sum(data["last_champion"]["random"]) == FINAL_GAMES
    again = json.loads(run("rate", "small", "--games", "4", "--every", "2", "--json"))
    assert again == data


def test_a_rating_says_which_openings_were_played(run):
    arguments = ("rate", "small", "--games", "2", "--every", "4", "--openings", "0")
    assert "2 games between each pair, all from the start; seed 1" in run(*arguments)
    assert json.loads(run(*arguments, "--json"))["opening_plies"] == 0


def test_a_run_is_graded(run):
    data = json.loads(run("grade", "small", "--json"))
    assert 0 <= data["grade"] <= 1 == data["most"]
    assert data["search"] == "policy"
    assert "grade" in run("grade", "run:small@gen=2")
    rows = json.loads(run("grade", "small", "--every", "2", "--json"))["generations"]
    assert [row["generation"] for row in rows] == [0, 2, 4]
    one = json.loads(run("grade", "run:small@gen=2", "--json"))
    assert one["grade"] == rows[1]["grade"]
    assert "generation" in run("grade", "run:small", "--every", "1")


def test_other_players_are_graded(run, tmp_path):
    path = tmp_path / "counting.json"
    write_player(path, "kingcapture", "squares", counting(1.0), "alphabeta", {"depth": 1})
    one = json.loads(run("grade", f"file:{path}", "--json"))
    two = json.loads(run("grade", f"file:{path}", "--depth", "2", "--json"))
    assert (one["depth"], two["depth"]) == (1, 2)
    assert one["grade"] < two["grade"]
    assert one["parts"]["MK"]["points"] == 10
    assert one["unaided"]["parts"]["MK"]["points"] > 9  # a king is worth 1 to these inputs
    text = run("grade", "material", "--game", "kingcapture")
    assert "SK  saves its king" in text
    assert "alphabeta of depth 1" in text
    assert "unaided" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grade", "smal"), "no run named 'smal'; did you mean small"),
        (("rate", "smal"), "no run named 'smal'; did you mean small"),
        (("grade", "random"), "plays any game; say which, with --game"),
        (("grade", "random", "--game", "chess"), "no grade for chess"),
        (("grade", "run:small@gen=77"), "no generation 77"),
        (("grade", "small", "--depth", "3"), "no setting of policy named 'depth'"),
        (("rate", "small", "--games", "3"), "must be even"),
        (("rate", "small", "--anchors", "strong"), "no player named 'strong'"),
    ],
)
def test_mistakes_are_told_in_one_sentence(run, arguments, words):
    with pytest.raises(EvoboardError, match=re.escape(words)):
        run(*arguments)


def test_a_line_reads_the_runs_champions(run):
    found = read_lineage("small", 2)
    assert found.generations == (0, 2, 4)
    assert found.bound.game.name == "nim"
    with pytest.raises(NotFound):
        read_lineage("nothing")
