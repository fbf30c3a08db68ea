"""What is compiled ahead, by another process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evoboard.cli import app as cli_app
from evoboard.runs import ahead
from evoboard.search.base import Searcher


@pytest.fixture
def prepared(monkeypatch):
    """The games whose searches were made ready, and the nodes they then looked at."""
    found = []
    think = Searcher.think

    def noted(searcher, *arguments):
        thought = think(searcher, *arguments)
        found.append((searcher.game.name, searcher.ready, thought.nodes))
        return thought

    monkeypatch.setattr(Searcher, "think", noted)
    return found


def test_players_are_ready_when_they_are_asked(prepared):
    ahead.players("nim", "mcts:rounds=1000000")
    ((game, ready, nodes),) = prepared
    assert (game, ready) == ("nim", True)
    assert nodes < 1000  # it was stopped at once


def test_a_run_finds_its_kernels_ready(prepared):
    ahead.experiment("kingcapture-quick")
    assert [game for game, ready, _ in prepared if ready] == ["kingcapture"] * 2


def test_what_was_compiled_before_is_not_compiled_again(monkeypatch, tmp_path):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    process = ahead.begin("players", "nim", "random")
    assert process is not None
    assert process.wait(600) == 0
    assert ahead.begin("players", "nim", "random") is None
    another = ahead.begin("players", "nim", "no player")
    assert another is not None
    another.wait(600)
    assert len(list(tmp_path.glob("ahead-*"))) == 1  # what fails is not done


def test_it_ends_with_whoever_began_it():
    """Also with one that was killed and could end nothing: then its pipe is closed."""
    code = (
        "import time; from evoboard.runs import ahead; "
        "ahead.players = lambda: time.sleep(3600); ahead.main()"
    )
    command = [sys.executable, "-c", code, "players"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    process.stdin.close()
    assert process.wait(600) == 0


def test_the_app_begins_with_the_opponent_of_its_first_page(monkeypatch):
    begun, served = [], []
    monkeypatch.setattr(ahead, "begin", lambda *words: begun.append(words))
    monkeypatch.setattr("evoboard.web.app.serve", lambda *a, **k: served.append(len(begun)))
    cli_app.start()
    cli_app.start(page="/play?game=kingcapture&opponent=run:mine")  # who names it has compiled it
    assert begun == [("players", "chess", "champion:chess")]
    assert served == [1, 1]
