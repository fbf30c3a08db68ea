"""A game of one's own that lies, loops or crashes costs a sentence, never the process."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evoboard.arena.playouts import random_games
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError, OptionError, PartError
from evoboard.games.base import DrawRules, load_game
from evoboard.games.laws import trial

TICTACTOE = (Path(__file__).parent.parent / "examples" / "tictactoe.py").read_text()
COUNT = "    return count\n"
# What a hostile or mistaken file does, and what is said about it.
FAULTS = {
    "lies": ((COUNT, "    return count + 50_000_000\n"), "legal_moves returns 50000009"),
    "lies below 0": ((COUNT, "    return count - 20\n"), "legal_moves returns -11"),
    "loops": ((COUNT, "    while count:\n        pass\n" + COUNT), "legal_moves does not end"),
    "writes outside": (("out[count] = cell", "out[count + 9] = cell"), "legal_moves fails"),
}

ENDLESS = """
STATE_SIZE, MAX_MOVES, TURN = 1, 1, 0


def initial(state, seed):
    state[0] = 0


def legal_moves(state, out):
    out[0] = 5
    return 1


def apply_move(state, move, out):
    out[0] = 1 - state[0]


def outcome(state):
    return 2
"""
EXPERIMENT = """
extends = "hexwar-quick"
game.name = "{}"
player.encoder = "cells"
measure.anchors = ["random"]
"""


@pytest.fixture(autouse=True)
def _nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "_known", {})


def changed(tmp_path, change=("", ""), name="mine.py"):
    assert change[0] in TICTACTOE
    (tmp_path / name).write_text(TICTACTOE.replace(*change, 1))
    return str(tmp_path / name)


@pytest.mark.parametrize("change,told", FAULTS.values(), ids=FAULTS)
def test_what_breaks_a_law_is_named_before_it_runs(tmp_path, change, told):
    game = load_game(changed(tmp_path, change))
    for use in (game.initial, lambda: random_games(game, 1, 1)):
        with pytest.raises(PartError, match=told) as caught:
            use()
        assert "`evoboard check-game" in str(caught.value)
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "command",
    [
        ["tournament", "random", "mcts:rounds=5", "--games", "2", "--game", "{}"],
        ["train", "{}.toml", "--run", "never"],
        ["app", "--no-browser", "--port", "65000", "--game", "{}"],
    ],
    ids=lambda command: command[0],
)
def test_commands_say_it_in_a_sentence(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOBOARD_RUNS", raising=False)
    game = changed(tmp_path, FAULTS["lies"][0])
    Path(f"{game}.toml").write_text(EXPERIMENT.format(game))
    done = CliRunner().invoke(app, [word.format(game) for word in command])
    assert isinstance(done.exception, EvoboardError), (done.output, done.exception)
    told = str(done.exception)
    assert told.startswith("legal_moves returns 50000009, but MAX_MOVES is 9.")
    assert not (tmp_path / "runs" / "never").exists()


def test_a_version_is_tried_once(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path / "cache"))
    tried = []
    monkeypatch.setattr(trial, "_tried", lambda *asked: tried.append(asked) or "")
    for _ in range(2):
        load_game(changed(tmp_path)).require_lawful()
        trial._known.clear()  # as another process
    assert len(tried) == 1
    load_game(changed(tmp_path, ("MAX_MOVES = 9", "MAX_MOVES = 10"))).require_lawful()
    assert len(tried) == 2
    load_game("nim").require_lawful()
    assert len(tried) == 2


def test_a_process_that_dies_is_told(tmp_path, monkeypatch):
    code = f"import os, signal\nos.kill(os.getpid(), {int(signal.SIGSEGV)})\n"
    (tmp_path / "mine.py").write_text(code)
    told = trial._tried(str(tmp_path / "mine.py"), {})
    assert "ended with signal 11" in told
    (tmp_path / "mine.py").write_text("while True:\n    pass\n")
    monkeypatch.setattr(trial, "SECONDS", 0.5)
    assert "a rule does not end" in trial._tried(str(tmp_path / "mine.py"), {})


def test_a_process_without_an_end_is_told_by_its_processor_time(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("while True:\n    pass\n")
    soon = "try_game.__globals__['PROCESSOR_SECONDS'] = 1; try_game(asked"
    monkeypatch.setattr(trial, "BEGIN", trial.BEGIN.replace("try_game(asked", soon))
    assert "a rule does not end" in trial._tried(str(tmp_path / "mine.py"), {})


def test_a_system_without_limits_of_processor_time_tries_games_too(tmp_path, monkeypatch):
    """Such as Windows."""
    monkeypatch.delattr(signal, "SIGXCPU")
    monkeypatch.setattr(trial, "BEGIN", """print('{"problem": "seen"}')""")
    assert trial._tried(str(tmp_path / "mine.py"), {}) == "seen"


def test_options_are_tried_as_they_are(tmp_path):
    """Not as a text, where the comma would end the first and "text" is a name like others."""
    path = tmp_path / "mine.py"
    code = (
        "from evoboard.core.settings import Settings\n"
        "class Options(Settings):\n"
        "    text: str = ''\n"
        "    sizes: tuple[int, ...] = ()\n"
        "def configure(options):\n"
        "    raise ValueError(f'{options.text} {options.sizes}')\n"
    )
    path.write_text(code)
    told = trial._tried(str(path), {"text": "a,sizes=1", "sizes": (1, 2)})
    assert "a,sizes=1 (1, 2)" in told


def test_a_file_that_was_changed_since_it_was_loaded_is_not_tried_in_its_place(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(trial, "_tried", lambda *asked: "")
    game = load_game(changed(tmp_path, FAULTS["lies"][0]))
    changed(tmp_path)  # mended
    with pytest.raises(PartError, match=r"mine\.py has changed since it was loaded; load it again"):
        game.initial()
    assert not (tmp_path / "cache").exists()
    load_game(str(tmp_path / "mine.py")).initial()


def test_a_cache_that_cannot_be_looked_into_does_not_keep_a_game_from_being_tried(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path / ("long" * 100)))
    monkeypatch.setattr(trial, "_tried", lambda *asked: "")
    load_game(changed(tmp_path)).require_lawful()


def test_no_number_of_moves_leads_compiled_code_astray(tmp_path):
    """Even where the trial has missed it: in a position that it did not meet."""
    code = (
        "import sys\n"
        "from evoboard.arena.playouts import random_games\n"
        "from evoboard.games.base import load_game\n"
        "game = load_game(sys.argv[1])\n"
        "game._lawful = True\n"
        "print(int(random_games(game, 200, 1).plies.max()))\n"
    )
    change = ("    return count\n", "    return count + 50_000_000 * state[4]\n")
    game = changed(tmp_path, change)
    done = subprocess.run(
        [sys.executable, "-c", code, game], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1


@pytest.mark.parametrize(
    "name,value", [("STATE_SIZE", 10**9), ("MAX_MOVES", 10**9), ("VERSION", 2**64)]
)
def test_absurd_numbers_are_refused(tmp_path, name, value):
    path = tmp_path / "mine.py"
    path.write_text(f"{TICTACTOE}\n\n{name} = {value}\n")
    with pytest.raises(PartError, match=f"{name} is {value}; it must be a whole number from 1"):
        load_game(str(path))
    with pytest.raises(OptionError, match="up to 1,000,000"):
        DrawRules(plies=10**12)


def test_what_never_ends_may_still_be_played(tmp_path):
    """A match can have a limit of its own."""
    (tmp_path / "mine.py").write_text(ENDLESS)
    game = load_game(str(tmp_path / "mine.py"))
    assert random_games(game, 1, 1, DrawRules(plies=40)).plies[0] == 40
