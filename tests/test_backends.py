"""Backends: one from outside the package plays the same games, whatever it does with them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from compare_runs import differences, same_table
from evoboard.arena.backends.base import PACKAGE, find_backend
from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.schedules import Schedule, paired_games
from evoboard.core import catalog
from evoboard.core.errors import EvoboardError, NotFound
from evoboard.games import nim
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.file import write_player
from evoboard.players.setup import Setup
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import rate_lineage
from evoboard.runs.runner import Listener, resume_run, start_run
from evoboard.store.run_file import run_folder
from evoboard.training.experiment import read_experiment

KING = load_game("kingcapture")
SETUP = Setup("kingcapture", "squares", settings={"depth": 1}, draws=DrawRules(3, 40, 60))
# Plays in another order and in smaller portions, and notes what it was asked to play.
BACKWARDS = """
from pathlib import Path

from evoboard.arena.backends import cpu


class Backend(cpu.Backend):
    def play_networks(self, task, games, progress):
        with Path(__file__).with_suffix(".log").open("a") as log:
            log.write(f"{len(games)} games of {task.setup.game}\\n")
        for game in games[::-1].reshape(-1, 1):
            super().play_networks(task, game, progress)
"""
EXPERIMENT = {
    "generations": 3,
    "game": {"name": "kingcapture", "plies": 16},
    "strategy": {"name": "neat", "population": 6},
    "fitness": {
        "openings": 1,
        "against": [
            {"kind": "players", "players": ["random"]},
            {"kind": "previous_best", "count": 1},
        ],
    },
    "champion": {"candidates": 2, "openings": 1, "final_openings": 1},
    "measure": {"every": 1, "games": 2, "champion_games": 2},
    "record": {"games_every": 1},
}


@pytest.fixture
def backwards(tmp_path):
    path = tmp_path / "backwards.py"
    path.write_text(BACKWARDS)
    return path


class Impatient(Listener):
    def generation(self, record):
        raise KeyboardInterrupt


def networks(count):
    rng = np.random.default_rng(3)
    return [
        GraphNetwork(36, [0], [0, 36], range(36), rng.normal(size=36), [0.1]) for _ in range(count)
    ]


def test_a_backend_of_ones_own_trains_resumes_and_rates_the_same(backwards, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    given = read_experiment(EXPERIMENT)
    start_run("ours", given, 1, 2)
    assert start_run("theirs", given, 1, 1, backend=str(backwards), listener=Impatient()).cut
    log = backwards.with_suffix(".log")
    asked = log.read_text().splitlines()
    assert asked[0] == f"{6 * 5 + 6 * 2} games of kingcapture"  # all pairs, and all with a rival
    assert resume_run("theirs", backend=str(backwards)).finished
    assert len(log.read_text().splitlines()) > 2 * len(asked)
    assert differences(run_folder("ours"), run_folder("theirs")) == []
    before = len(log.read_text().splitlines())
    lineage = read_lineage("theirs")
    mine, other = (
        rate_lineage(lineage, ["random"], 2, backend=find_backend(name, 1), final_games=2)
        for name in ("cpu", str(backwards))
    )
    assert same_table(mine.table, other.table)
    assert mine.series.random == other.series.random
    assert len(log.read_text().splitlines()) == before + 2


def test_fixed_players_are_numbered_after_the_networks_and_play_as_in_a_contest(tmp_path):
    nets, texts = networks(2), ["random", "material"]
    pairs = np.array([[0, 1], [1, 2], [0, 3], [2, 3]])
    schedule = paired_games(KING, pairs, 4, 7, 3)
    found = find_backend("cpu", 2).play(SETUP, graph.pack(nets), schedule, 7, texts, record=True)
    assert found.table.players == 4
    assert np.array_equal(found.table.first, schedule.pairings[:, 0])
    first = Schedule(schedule.pairings[:4], schedule.opening_of[:4], schedule.openings)
    alone = find_backend().play(SETUP, graph.pack(nets), first, 7, record=True)
    for index, record in enumerate(found.records(KING)):
        assert len(record.moves) == found.table.plies[index] > 0
        state = schedule.openings[schedule.opening_of[index]]
        for move in record.moves:
            assert move in KING.legal_moves(state)
            state = KING.apply(state, move)
        assert np.array_equal(state, found.finals[index])
        if index < 4:
            assert record == alone.record(KING, index)
    path = tmp_path / "net.json"
    write_player(path, "kingcapture", "squares", nets[0].to_json(), "alphabeta", {"depth": 1})
    terms = Terms(5, 3, SETUP.draws, threads=1)
    contest = play_contest(KING, [f"file:{path}", "random"], 2, terms)
    again = find_backend().play(
        SETUP, graph.pack(nets[:1]), paired_games(KING, [(0, 1)], 2, 5, 3), 5, ["random"],
        record=True,
    )  # fmt: skip
    assert [one.moves for one in again.records(KING)] == [one.moves for one in contest.records]


def test_moves_are_kept_only_if_asked_for():
    schedule = paired_games(KING, np.array([[0, 1]]), 2, 1)
    found = find_backend().play(SETUP, graph.pack(networks(1)), schedule, 1, ["random"])
    with pytest.raises(EvoboardError, match="not kept"):
        found.record(KING, 0)


def test_a_setup_is_plain_data():
    data = json.loads(json.dumps(SETUP.to_json()))
    assert Setup.from_json(data) == SETUP
    SETUP.bind()  # what is loaded does not travel
    again = pickle.loads(pickle.dumps(SETUP))
    assert again == SETUP
    assert "_bound" not in vars(again)
    assert again.bind().draws == SETUP.draws
    assert Setup("kingcapture", "squares").bind().draws == KING.draws


def test_a_changed_setup_keeps_the_game_that_is_loaded(tmp_path):
    path = tmp_path / "own.py"
    path.write_bytes(Path(nim.__file__).read_bytes())
    setup = Setup(str(path), "cells")
    game = setup.bind().game
    path.write_text("the file is being edited")
    other = setup.changed(settings={"depth": 3})
    assert other.bind().game is game
    assert (other.bind().settings.depth, setup.bind().settings.depth) == (3, 1)
    with pytest.raises(EvoboardError, match="syntax"):
        Setup(str(path), "cells").bind()


def test_wrong_names_and_files_are_told(tmp_path):
    assert catalog.names(PACKAGE, "SUMMARY") == ["cpu", "cuda", "ray"]
    with pytest.raises(NotFound, match="there is no backend"):
        find_backend("base")
    with pytest.raises(NotFound, match=r"did you mean cpu\?"):
        find_backend("cpus")
    empty = tmp_path / "empty.py"
    empty.write_text("")
    with pytest.raises(EvoboardError, match="lacks the class Backend"):
        find_backend(str(empty))
