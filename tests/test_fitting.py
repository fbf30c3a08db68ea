"""A game of one's own is trained without an experiment file, in a terminal and on the page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from evoboard.cli import app as app_command
from evoboard.cli import demo
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.experiments.catalog import heading, load, stem
from evoboard.experiments.fitting import fitted
from evoboard.games.base import game_names, load_game
from evoboard.runs.folder import describe_run
from evoboard.store.records import Final
from evoboard.training.experiment import read_experiment, resolved
from evoboard.training.loop import Trainer

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_a_game_of_ones_own_gets_settings_that_fit(file):
    experiment = load(str(file))
    assert experiment.game.name == str(file)
    assert experiment.player.encoder == "own"
    assert experiment.measure.anchors == ("random",)  # pieces have no values there
    assert not experiment.measure.grade
    Trainer(experiment, 1)
    assert stem(str(file)) == stem(f"{file}:size=3") == file.stem
    assert heading(str(file)) == f"# Settings chosen for the game {file.name}."


@pytest.mark.parametrize("name", game_names())
def test_a_game_of_ours_gets_its_first_experiment(name):
    found = load(name)
    assert found.strategy == load(f"{name}-quick").strategy
    assert split_options(found.game.name)[0] == name
    Trainer(found, 1)


def test_a_game_with_options_and_changes():
    found = load("nim:heaps=3/4/5", ["generations=7"])
    assert (found.game.name, found.generations) == ("nim:heaps=3/4/5", 7)
    assert found.title == "nim:heaps=3/4/5, with the settings of nim-quick"
    with pytest.raises(EvoboardError, match=r"there is no file nowhere\.py"):
        load("nowhere.py")


def test_a_game_whose_board_nobody_can_see_says_what_to_write(tmp_path, monkeypatch):
    monkeypatch.setattr("evoboard.experiments.fitting.encoder_names", lambda game: [])
    with pytest.raises(EvoboardError, match="no inputs fit tictactoe: write encode"):
        load(str(EXAMPLES[-1]))


@pytest.mark.parametrize("name", ["kingcapture-quick", "nim-quick", "hexwar-aggressive"])
def test_whatever_another_game_cannot_use_is_replaced(name):
    game = load_game(str(EXAMPLES[-1]))
    data = resolved(load(name)) | {"game": {"name": str(EXAMPLES[-1])}}
    found = read_experiment(fitted(data, game))
    assert found.search.name in ("alphabeta", "pvs")  # policy plays nim alone
    assert (found.fitness.function, found.measure.grade) == ("", False)
    assert resolved(found)["strategy"] == data["strategy"]
    Trainer(found, 1)


def test_train_names_the_run_after_the_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOBOARD_RUNS", raising=False)
    (tmp_path / "mine.py").write_text(EXAMPLES[-1].read_text())
    small = ["generations=2", "strategy.population=8", "fitness.opponents=2", "measure.games=2"]
    small += ["champion.candidates=1", "champion.final_openings=1"]
    words = [word for change in small for word in ("--set", change)]
    result = CliRunner().invoke(app, ["train", "mine.py", *words])
    assert result.exception is None, result.output
    assert "mine-1 has finished" in result.output
    assert "evoboard match run:mine-1@best random --game" in result.output
    assert describe_run("mine-1").title == "mine, with settings chosen for it"


# --- what newcomers stumbled over ---------------------------------------------------------------


def test_the_app_opens_with_the_game_it_was_given(monkeypatch):
    served = {}
    monkeypatch.setattr("evoboard.web.app.serve", lambda *_, **given: served.update(given))
    app_command.start(games=(str(EXAMPLES[0]),))
    assert served["page"].startswith("/play?game=")
    assert served["page"].endswith(EXAMPLES[0].name)
    app_command.start()
    assert served["page"] == ""
    app_command.start(games=(str(EXAMPLES[0]),), page="/train")
    assert served["page"] == "/train"


def test_the_demo_says_whose_numbers_the_train_page_shows(capsys):
    console = demo.Console(width=200)
    final = Final(39, 30, 5, {30: 0.6, 39: 0.4})
    demo._show_who(console, SimpleNamespace(final=final, generation=40))
    told = " ".join(capsys.readouterr().out.split())
    assert "the champion of generation 30" in told
    assert "another player, the champion of generation 39" in told
    demo._show_who(console, SimpleNamespace(final=Final(39, 39, 5, {}), generation=40))
    assert capsys.readouterr().out == ""
