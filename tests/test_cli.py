"""The command line: what it prints, what scripts can read, and one sentence for every mistake."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from conftest import few
from evoboard.arena.contest import EndedGame
from evoboard.cli import arena, main, rules
from evoboard.cli.board import draw
from evoboard.cli.main import CompilingBar, app
from evoboard.cli.players import _value
from evoboard.cli.printing import write_new
from evoboard.cli.training import as_typed
from evoboard.core.errors import OptionError
from evoboard.games.base import game_names, load_game
from evoboard.store.records import GameRecord

PERFT_NIM = [15, 176, 1588]
CHESS_MATE = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
# A game of one's own, small and right.
MINE = """
from evoboard.games import ONGOING, WIN

SIDES = ("Left", "Right")
STATE_SIZE, TURN, MAX_MOVES = 2, 1, 3


def initial(state, seed):
    state[0], state[1] = 7, 0


def legal_moves(state, out):
    count = min(state[0], 3)
    for i in range(count):
        out[i] = i + 1
    return count


def apply_move(state, move, out):
    out[0], out[1] = state[0] - move, 1 - state[1]


def outcome(state):
    return WIN if state[0] == 0 else ONGOING


def stuck(state):
    return WIN
"""


def run(*arguments):
    """Return what a successful command printed, run in this process."""
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None, result.output
    assert result.exit_code == 0
    return result.stdout


def data(*arguments):
    return json.loads(run(*arguments, "--json"))


def shell(*arguments, folder=None, timeout=300, **environment):
    """Return the finished process of `python -m evoboard`, as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "evoboard", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "120", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def changed(path, old, new):
    """Return the file with one thing changed."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return str(path)


def test_help_lists_the_commands_and_each_shows_how_it_is_used():
    text = run("--help")
    for command in ("games", "show", "perft", "check-game"):
        assert command in text
        assert "--json" in run(command, "--help")
    files = [file for files in main.COMMANDS.values() for file in files]
    for file in files:
        commands, listed = main.load_commands(file), main.list_commands(file)
        assert list(commands) == list(listed)
        for name, sentence in listed.items():
            assert " ".join(commands[name].help.split("\n\n")[0].split()) == sentence
            lines = [line.strip() for line in run(name, "-h").splitlines()]
            shown = lines[lines.index("Examples:") + 1 :]
            assert any(line.split()[:2] == ["evoboard", name] for line in shown)
    assert sum(len(main.list_commands(file)) for file in files) > 15


def test_every_file_of_commands_is_in_the_list():
    files = {file for parts in main.COMMANDS.values() for file in parts}
    folder = Path(main.__file__).parent
    assert files == {path.stem for path in folder.glob("*.py") if "\n@command(" in path.read_text()}


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_the_list_of_commands_comes_at_once(word):
    code = (
        f"import sys; sys.argv[1:] = [{word!r}]\n"
        "from evoboard.cli.main import run\n"
        "try: run()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert done.stdout
    assert "typer" in loaded
    assert not loaded & {"numpy", "numba", "pydantic", "sqlite3", "evoboard.games"}


def test_version():
    assert run("--version").split()[0] == "evoboard"


def test_games_lists_every_game_with_its_options():
    text = run("games")
    for word in (*game_names(), "heaps=3/5/7", "random=false", "NAME:option=value"):
        assert word in text


def test_games_in_json_have_everything_a_script_needs():
    rows = data("games")
    assert [row["name"] for row in rows] == game_names()
    for row in rows:
        assert set(row) >= {"name", "title", "version", "sides", "options", "draws", "start"}
        assert set(row["draws"]) == {"repetitions", "quiet", "plies"}
        assert len(row["sides"]) == 2
        assert data("show", row["name"], "--state", row["start"])["state"] == row["start"]


def test_show_draws_the_board_and_lists_the_moves():
    lines = run("show", "chess").splitlines()
    assert lines[0].split() == ["8", *"rnbqkbnr"]
    assert lines[7].split() == ["1", *"RNBQKBNR"]
    assert "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in lines
    assert "White to move, 20 legal moves:" in lines
    assert {"e4", "Nf3"} <= set(lines[-1].split())


def test_draughts_shows_the_numbers_of_its_squares():
    lines = run("show", "draughts").splitlines()
    assert lines[0].split() == ["1M", "2M", "3M", "4M"]
    assert lines[3].split() == ["13·", "14·", "15·", "16·"]
    assert lines[7].split() == ["29m", "30m", "31m", "32m"]
    assert lines[8].strip() == "Black in capitals, White in small letters"


def test_a_board_has_colours_in_a_terminal_that_wants_them(monkeypatch):
    def drawn(**console):
        out = io.StringIO()
        draw(
            load_game("draughts").view(load_game("draughts").initial()),
            Console(file=out, **console),
        )
        return out.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in drawn()
    assert "48;" in drawn(force_terminal=True, color_system="256")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "48;" not in drawn(force_terminal=True, color_system="256")


def test_players_in_json_tell_what_they_take():
    found = data("players")
    assert found["random"]["settings"] == {}
    assert found["material"]["settings"]["search"]["default"] == "alphabeta"
    assert found["material"]["searches"]["alphabeta"]["depth"]["default"] == 1
    assert found["material"]["searches"]["mcts"]["c"]["default"] == 1.0
    assert found["mcts"]["settings"]["rounds"]["about"].startswith("playouts")
    # Those of players, which are not the search's own.
    assert found["mcts"]["settings"]["draws"]["default"] is True
    assert found["material"]["searches"]["pvs"]["draws"]["default"] is True
    assert found["perfect"]["settings"]["vary"]["default"] == 1
    assert found["run"]["settings"]["search"]["default"] is None


@pytest.fixture
def interrupted(monkeypatch):
    """Contests end by Ctrl-C after three games."""

    def play(game, texts, games, terms, tell, **_):
        for number, (first, second) in enumerate([(0, 1), (1, 0), (0, 1)]):
            start = f"{number // 2},5,7 0"
            record = GameRecord("nim", 1, start, (), 1, "last match taken", 1)
            tell(EndedGame(number, first, second, number // 2, record))
        raise KeyboardInterrupt

    monkeypatch.setattr(arena, "play_contest", play)


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_ctrl_c_tells_the_result_so_far(interrupted, command):
    names = ["random", "mcts"] + ["perfect"] * (command == "tournament")
    arguments = [command, *names, "--game", "nim", "--games", "20"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 130
    assert f"interrupted after 3 of {20 if command == 'match' else 60} games" in result.stdout
    assert ("wins 2  draws 0  losses 1" if command == "match" else "2/3") in result.stdout
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 130
    told = json.loads(result.stdout)
    assert told["interrupted"] is True
    assert told["players"] == names


def test_show_says_who_has_won_and_why():
    assert "Black wins (checkmate)" in run("show", "chess", "--state", CHESS_MATE)
    assert "draw (stalemate)" in run("show", "chess", "--state", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert "Second wins (First took the last match)" in run("show", "nim", "--state", "0,0,0 1")


def test_show_in_json_has_board_pieces_and_moves():
    shown = data("show", "chess")
    assert shown["state"].startswith("rnbqkbnr/")
    assert (shown["ended"], shown["result"], shown["side"]) == ("", "", 0)
    assert shown["sides"] == ["White", "Black"]
    assert (shown["board"]["shape"], shown["board"]["width"]) == ("square", 8)
    assert len(shown["board"]["names"]) == 64
    assert len(shown["pieces"]) == 32
    assert set(shown["pieces"][0]) >= {"cell", "symbol", "side", "count", "glyph"}
    assert len(shown["moves"]) == 20
    assert set(shown["moves"][0]) >= {"move", "text", "cells", "captures", "promotion", "amount"}
    mate = data("show", "chess", "--state", CHESS_MATE)
    assert (mate["ended"], mate["result"], mate["moves"]) == ("checkmate", "Black wins", [])


def test_show_draws_every_game(game):
    shown = run("show", game.name if game.name in game_names() else game.file)
    assert "to move" in shown
    assert len(shown.splitlines()) > 3


def test_show_draws_a_game_that_does_not_say_how_it_looks(mine):
    text = run("show", str(mine))
    assert "Left to move, 3 legal moves:" in text
    assert text.splitlines()[-1].split() == ["1", "2", "3"]
    assert "7,0" in text.splitlines()
    assert [line.split() for line in text.splitlines()[:2]] == [["cell", "0", "1"], ["7", "·"]]
    wide = run("show", str(mine), "--state", "123456,1").splitlines()
    assert wide[1].split() == ["123456", "·"]
    assert "Right wins" in run("show", str(mine), "--state", "0,1")


def test_options_and_start_positions_are_part_of_a_games_name():
    assert data("show", "nim:heaps=2/2")["state"] == "2,2 0"
    assert data("show", "hexwar:layout=rhombus")["board"]["slant"] is True
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert data("show", f"chess:start={fen}")["state"] == fen


def test_perft_counts_every_depth_once():
    lines = run("perft", "nim", "3").splitlines()
    assert lines[0].split() == ["depth", "nodes", "seconds", "nodes/s"]
    counts = [line.split()[:2] for line in lines[1:]]
    assert counts == [["1", "15"], ["2", "176"], ["3", "1,588"]]


def test_no_clock_of_perft_runs_while_something_is_compiled(monkeypatch):
    game, applied = load_game("nim"), []
    plain = type(game).apply
    spy = lambda self, state, move: applied.append(move) or plain(self, state, move)  # noqa: E731
    monkeypatch.setattr(type(game), "apply", spy)
    rules.Counter(game, game.initial(), 2)
    assert applied
    rules.Counter(game, game.parse_state("0,0,0 0"), 2)  # ended: there is no move to make


def test_a_game_is_named_as_it_is_typed_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert as_typed(f"{tmp_path}/mine.py:size=3") == "mine.py:size=3"
    assert as_typed(f"{tmp_path}/sub/my game.py") == "'sub/my game.py'"
    assert as_typed("/elsewhere/mine.py") == "/elsewhere/mine.py"
    assert as_typed("nim:heaps=8,random=true") == "nim:heaps=8,random=true"


def test_perft_in_json_and_by_first_move():
    counted = data("perft", "nim", "3")
    assert counted["counts"] == PERFT_NIM
    assert counted["game"] == "nim"
    assert counted["state"] == "3,5,7 0"
    assert counted["options"] == {"heaps": [3, 5, 7], "random": False, "simple": False}
    assert counted["seconds"] > 0
    assert counted["nodes_per_second"] > 0
    assert "divide" not in counted
    parts = data("perft", "nim", "3", "--divide")["divide"]
    assert len(parts) == 15
    assert sum(parts.values()) == PERFT_NIM[-1]
    printed = run("perft", "nim", "3", "--divide").splitlines()[-15:]
    assert {line.split()[0]: int(line.split()[1]) for line in printed} == parts


def test_perft_starts_where_it_is_told():
    assert data("perft", "nim", "2", "--state", "0,0,2 1")["counts"] == [2, 1]
    assert data("perft", "nim:start=0,0,2 1", "2")["counts"] == [2, 1]
    assert data("perft", "nim", "2", "--state", "0,0,0 1")["counts"] == [0, 0]
    kiwi = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert data("perft", "chess", "3", "--state", kiwi)["counts"] == [48, 2039, 97862]


def test_check_game_lists_its_laws():
    text = run("check-game", "nim", "--positions", "20", "--games", "20")
    assert text.count("✓") >= 8
    assert "✗" not in text
    assert "nim obeys all laws (20 positions and 20 games" in text
    report = data("check-game", "nim", "--positions", "20", "--games", "20")
    assert (report["game"], report["passed"]) == ("nim", True)
    assert len(report["laws"]) == text.count("✓")
    assert all(set(law) == {"law", "problem"} and not law["problem"] for law in report["laws"])


def test_check_game_warns_of_openings_that_leave_hardly_any_games(mine):
    few = ("--positions", "20", "--games", "20")
    assert data("check-game", "nim", *few)["warning"] == ""
    alike = data("check-game", "nim:heaps=1/2/3", *few)
    assert alike["passed"]
    assert alike["warning"] == (
        "after openings of 1 random ply there are only 6 different positions (200 tried); use "
        "--openings 2, and fitness.opening_plies = 2 in experiments, which leaves 14 different "
        "positions."
    )
    text = run("check-game", str(mine), *few)  # most games are over after the usual four
    assert re.search(r"Warning: after openings of 4 random plies \d\d% of games are over", text)
    better = int(re.search(r"set OPENING_PLIES = (\d) in mine.py", text)[1])
    for plies in (better, 0):
        path = mine.with_name(f"after{plies}.py")
        path.write_text(f"{mine.read_text()}\nOPENING_PLIES = {plies}\n")
        assert "Warning" not in run("check-game", str(path), *few)


def test_check_game_fails_with_code_1_and_the_problem(mine):
    path = changed(mine, "1 - state[1]", "state[1]")
    result = shell("check-game", path, "--positions", "20", "--games", "20")
    assert result.returncode == 1
    assert result.stdout.count("✗") == 1
    assert "apply_move does not pass the turn" in result.stdout
    assert "obeys" not in result.stdout
    assert result.stderr == ""
    result = shell("check-game", path, "--json")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report["passed"] is False
    assert [bool(law["problem"]) for law in report["laws"]].count(True) == 1


WRONG = {
    # name: (arguments, what the message must name)
    "no such command": (["nonsense"], "nonsense"),
    "nearly a command": (["shwo", "nim"], "'show'"),
    "no game": (["show"], "game"),
    "no depth": (["perft", "nim"], "depth"),
    "unknown game": (["show", "go"], "'go'"),
    "nearly a game": (["show", "ches"], "did you mean chess"),
    "a game in capitals": (["perft", "NIM", "2"], "did you mean nim"),
    "a module that is not a game": (["show", "rules"], "'rules'"),
    "an empty name": (["show", ""], "known: chess"),
    "missing file": (["show", "missing.py"], "missing.py"),
    "nearly a file": (["check-game", "mien.py"], "did you mean mine.py"),
    "missing folder": (["check-game", "nowhere/mine.py"], "nowhere/mine.py"),
    "a folder": (["show", "folder.py"], "folder.py"),
    "the current folder": (["show", "./"], "file"),
    "a binary file": (["check-game", "binary.py"], "binary.py"),
    "a file with a null": (["show", "null.py"], "null.py"),
    "a file with a syntax error": (["show", "syntax.py"], "syntax.py, line 1"),
    "a file that exits": (["show", "exits.py"], "exits.py"),
    "a file that is not a game": (["perft", "empty.py", "1"], "empty"),
    "a long file name": (["show", "x" * 300 + ".py"], "xxx"),
    "bad bytes": (["show", "nim", "--state", os.fsdecode(b"3,5,\xff 0")], "nim position"),
    "a position of another game": (["show", "nim", "--state", "8/8/8/8 w"], "'8/8/8/8 w'"),
    "an empty position": (["show", "chess", "--state", ""], "chess position ''"),
    "an impossible position": (["show", "chess", "--state", "8/8/8/8/8/8/8/8 w - -"], "kings"),
    "a bad position to count": (["perft", "draughts", "2", "--state", "B:W1"], "draughts position"),
    "a bad start": (["perft", "nim:start=9,9,9 0", "2"], "'9,9,9 0'"),
    "unknown option": (["show", "nim", "--colour"], "--colour"),
    "nearly an option": (["show", "nim", "--jsno"], "--json"),
    "unknown game option": (["show", "nim:size=3"], "'size'"),
    "nearly a game option": (["show", "nim:heap=3"], "did you mean heaps"),
    "an option's wrong value": (["show", "nim:heaps=3/x"], "'3/x'"),
    "an option out of range": (["show", "nim:heaps=999"], "999"),
    "a choice that is none": (["show", "hexwar:layout=square"], "'offset' or 'rhombus'"),
    "half an option": (["show", "nim:heaps"], "nim:key=value"),
    "an option for a game without": (["show", "chess:heaps=3"], "'heaps'"),
    "negative depth": (["perft", "nim", "--", "-1"], "depth is -1"),
    "depth like an option": (["perft", "nim", "-1"], "-1"),
    "no depth at all": (["perft", "nim", "0"], "depth is 0"),
    "huge depth": (["perft", "nim", "1000000"], "depth is 1000000"),
    "immense depth": (["perft", "nim", "9" * 30], "depth"),
    "depth in words": (["perft", "nim", "three"], "depth"),
    "half a depth": (["perft", "nim", "1.5"], "depth is '1.5'; it must be a whole number."),
    "no positions": (
        ["check-game", "nim", "--positions", "0"],
        "--positions is 0; it must be at least 1.",
    ),
    "fewer than no games": (["check-game", "nim", "--games", "-3"], "--games"),
    "more games than memory": (
        ["check-game", "nim", "--games", "99999999"],
        "--games is 99,999,999; it must be at most 1,000,000.",
    ),
    "a seed in words": (
        ["check-game", "nim", "--seed", "one"],
        "--seed is 'one'; it must be a whole number.",
    ),
    "no time": (["study", "x", "--seconds", "0.05"], "--seconds is 0.05; it must be at least 0.1."),
    "no such protocol": (["engine", "--protocol", "xboard"], "--protocol: 'xboard' is not one of"),
    "a seed beyond all numbers": (["check-game", "nim", "--seed", "9" * 30], "seed"),
    "too much": (["games", "and", "more"], "and"),
    "every generation of a player": (
        ["grade", "material", "--every", "9"],
        "'material' is a single",
    ),
    "every generation of one": (["grade", "run:x@gen=3", "--every", "9"], "one player of it"),
    "a player's missing file": (
        ["match", "mien.py", "random", "-g", "nim"],
        "did you mean mine.py",
    ),
    "nearly a player": (["match", "mtcs", "random", "-g", "nim"], "did you mean mcts"),
    "a player like none": (["match", "mine", "random", "-g", "nim"], "known: champion"),
    "a board alone": (["show", "kingcapture", "--state", "x"], "it has 1 field;"),
    "a player file that is none": (["match", "mine.py", "random", "-g", "nim"], "lacks player_for"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with files that are no games."""
    path = tmp_path_factory.mktemp("files")
    (path / "folder.py").mkdir()
    (path / "mine.py").write_text(MINE)
    (path / "binary.py").write_bytes(b"\x7fELF\xff\xfe\x00\x01")
    (path / "null.py").write_bytes(b"x = 1\0")
    (path / "syntax.py").write_text("def initial(state, seed")
    (path / "exits.py").write_text("import sys\n\nsys.exit(0)\n")
    (path / "empty.py").write_text("")
    return path


def assert_one_sentence(result, named, code=2):
    said = result.stdout + result.stderr
    assert "Traceback" not in said
    assert 'File "' not in said
    assert named in said
    assert result.returncode == code
    assert len(result.stderr) < 1000


@pytest.fixture
def here(folder, monkeypatch, capsys):
    """Return what `shell` returns, of a command that is run in this process and ends."""

    def call(*arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.setattr(sys, "argv", ["evoboard", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.run()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ended.value.code, said.out, said.err)

    return call


@pytest.mark.parametrize("arguments, named", WRONG.values(), ids=WRONG)
def test_a_mistake_gets_one_sentence_and_code_2(here, arguments, named):
    result = here(*arguments)
    assert_one_sentence(result, named)
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["nearly a command", "nearly a file", "bad bytes", "half a depth"])
def test_a_process_ends_as_its_command_does(folder, here, name):
    arguments, named = WRONG[name]
    process, command = shell(*arguments, folder=folder), here(*arguments)
    assert_one_sentence(process, named)
    assert (process.stdout, process.stderr) == (command.stdout, command.stderr)


def with_words(name, arguments, body):
    """Return the change that gives the game a function of its Python side."""
    return ("\ndef stuck", f"\ndef {name}({arguments}):\n    {body}\n\n\ndef stuck")


LOOP = "    while True:\n        pass\n"
# Games that cannot be served: the command, what is changed, and what the message must name.
UNFIT = {
    "too many moves": (["show"], ("MAX_MOVES = 2, 1, 3", "MAX_MOVES = 2, 1, 1"), "legal_moves"),
    "too many moves to count": (
        ["perft", "2"],
        ("MAX_MOVES = 2, 1, 3", "MAX_MOVES = 2, 1, 1"),
        "legal_moves",
    ),
    "a write outside": (
        ["perft", "2"],
        ("    out[0], out[1] =", "    out[9] = 1\n    out[0], out[1] ="),
        "apply_move",
    ),
    "no result": (
        ["show"],
        ("return WIN if state[0] == 0 else ONGOING", "state[0] += 0"),
        "outcome",
    ),
    "half a result": (
        ["show"],
        ("return WIN if state[0] == 0 else ONGOING", "if state[0] == 0:\n        return WIN"),
        "outcome",
    ),
    "a division by zero": (
        ["show"],
        ("count = min(", "count = 0 // state[1] + min("),
        "legal_moves",
    ),
    "not to be compiled": (
        ["show"],
        ("count = min(", "count = len(state.tolist()) and min("),
        "tolist",
    ),
    "a failing view": (["show"], with_words("view", "state, moves", "return Viw()"), "view"),
    "a view of no kind": (["show"], with_words("view", "state, moves", "return 5"), "view"),
    "a view for no script": (
        ["show", "--json"],
        ("= 7, 0\n", "= 7, 0\n\n\nSIDES = (object(), object())\n"),
        "SIDES",
    ),
    "a failing position text": (
        ["show"],
        with_words("state_text", "state", "return {}[0]"),
        "state_text",
    ),
    "a failing move text": (
        ["show"],
        with_words("move_text", "state, move", "return {}[0]"),
        "move_text",
    ),
    "a failing reason": (
        ["show", "--state", "0,1"],
        with_words("reason", "state", "return {}[0]"),
        "reason",
    ),
    "a wrong constant": (["show"], ("SIDES = ", "DRAWS = {'plies': 3}\nSIDES = "), "DRAWS"),
    "an endless rule": (["show"], ("    count = min", f"{LOOP}    count = min"), "legal_moves"),
    "an endless start": (["perft", "1"], ("    state[0], ", f"{LOOP}    state[0], "), "initial"),
}


# Each of these takes a process that tries the game; what that finds, test_conformance.py tells.
USUALLY = ("too many moves", "not to be compiled", "a failing view", "an endless start")


@pytest.mark.parametrize(
    "name", few(UNFIT, "a view for no script", "a wrong constant", *USUALLY), ids=str
)
def test_a_broken_game_gets_one_sentence_from_show_and_perft(mine, here, name):
    command, change, named = UNFIT[name]
    arguments = (command[0], changed(mine, *change), *command[1:])
    # What might hang or crash is run in a process of its own.
    apart = LOOP in change[1] or "out[9]" in change[1]
    result = shell(*arguments) if apart else here(*arguments)
    assert_one_sentence(result, named)


def test_only_a_game_is_sent_to_check_game(mine):
    assert main._hint(str(mine)) == " `evoboard check-game mine.py` tests the whole file."
    numba = f'Failed in nopython mode\nFile "{mine}", line 12:'
    assert "check-game mine.py" in main._hint(numba)
    other = mine.with_name("part.py")
    other.write_text("def forward():\n    return 1\n")
    assert main._hint(str(other)) == main._hint("no file at all") == ""


def test_analyse_says_for_whom_a_value_is():
    game = ("--game", "kingcapture", "--state")
    told = run("analyse", "material:depth=1", *game, "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR b")
    assert "value +0.000 for Black, who is to move   line" in told
    assert "every move, its value for Black:" in told
    told = run("analyse", "material:depth=1", *game, "3k2/6/6/6/6/3RK1 w")
    assert "White wins in 1 ply   line" in told


def test_analyse_says_what_is_expected_behind_every_move():
    game = ("analyse", "material:depth=3", "--game", "kingcapture")
    found = data(*game)
    assert found["lines"].keys() == found["moves"].keys()
    assert all(len(line) == 3 and line[0] == move for move, line in found["lines"].items())
    assert found["line"] in found["lines"].values()
    told = run(*game)
    assert "every move, its value for White, what is expected then:" in told
    for move, line in found["lines"].items():
        assert f"{move} {found['moves'][move]:+.3f}   {' '.join(line[1:])}\n" in told
    assert data("analyse", "random", "--game", "nim")["lines"] == {}


def test_a_value_is_never_minus_nothing():
    assert [_value(value) for value in (-0.0001, 0.0, -0.0006)] == ["+0.000", "+0.000", "-0.001"]


def test_names_with_brackets_are_printed_as_they_are(mine):
    path = changed(mine, '("Left", "Right")', '("[/b]", "[red]")')
    assert "[/b] to move" in run("show", path)
    assert "[red] wins" in run("show", path, "--state", "0,1")
    other = mine.with_name("[bold]mine.py")
    other.write_text(mine.read_text())
    assert "[bold]mine obeys" in run("check-game", str(other), "--positions", "9", "--games", "9")


# Runs each of the commands given, one after the other, as if each had a process of its own.
ONE_BY_ONE = """
import sys
from evoboard.cli.main import run
for arguments in eval(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        run()
    except SystemExit as ended:
        print(f"\\nended: {ended.code or 0}", flush=True)
"""
SHOWN = [
    ["games"],
    ["show", "kingcapture"],
    ["show", "nim:heaps=99"],
    ["check-game", "nim", "--positions", "9", "--games", "9"],
    ["show", "kingcapture", "--json"],
]


@pytest.mark.parametrize("encoding", few(["ascii", "cp1252"], "ascii"))
def test_a_terminal_with_few_characters_is_served(encoding):
    result = subprocess.run(
        [sys.executable, "-c", ONE_BY_ONE, repr(SHOWN)],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding=encoding,
        check=True,
    )
    assert "Traceback" not in result.stderr
    told = result.stdout.split("\nended: 0\n")
    assert len(told) == len(SHOWN) + 1
    assert json.loads(told[-2])["board"]["width"] == 6


def test_a_reader_that_has_seen_enough_is_no_error():
    program = f"{sys.executable} -m evoboard perft nim 12 --divide | head -n 1"
    result = subprocess.run(
        program, shell=True, capture_output=True, text=True, timeout=300, check=True
    )
    assert result.stdout.split()[0] == "depth"
    assert result.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("buffered", ["", "1"], ids=["at the end", "at once"])
def test_output_without_room_gets_a_sentence(buffered):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "evoboard", "--version"],
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    told = "evoboard: the output cannot be written (No space left on device); make room.\n"
    assert (result.returncode, result.stderr) == (2, told)


def test_half_a_file_is_not_left_behind(tmp_path):
    path = tmp_path / "games.pgn"
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    usual = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OptionError, match=r"cannot be written \(File too large\)"):
            write_new(path, "a" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, usual)
    assert not path.exists()
    assert write_new(path, "a" * 5000) == 5000


def processor_time(pid):
    """Return the seconds a process has worked, however busy the machine is."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the processor time from /proc")
def test_an_interrupted_command_ends_quietly():
    command = [sys.executable, "-m", "evoboard", "check-game", "chess", "--positions", "1000000"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        while processor_time(process.pid) < 1.5:  # until then it is being loaded
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()  # it would go on for an hour
    assert process.returncode == 130
    assert "Traceback" not in out + err


@pytest.mark.parametrize("own", few([False, True], True), ids=["nim", "mine"])
def test_the_second_start_is_warm(tmp_path, mine, own):
    text, store = str(mine) if own else "nim", tmp_path / "cache"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    first = shell("perft", text, "3", "--json", folder=elsewhere, EVOBOARD_CACHE=str(store))
    kept = {file.name: file.stat().st_mtime_ns for file in store.iterdir()}
    second = shell("perft", text, "3", "--json", folder=elsewhere, EVOBOARD_CACHE=str(store))
    assert first.stderr == second.stderr == ""
    assert json.loads(first.stdout)["counts"] == json.loads(second.stdout)["counts"]
    assert kept
    # A kernel that is compiled again is written again.
    assert {file.name: file.stat().st_mtime_ns for file in store.iterdir()} == kept


def test_commands_work_where_nobody_hears_of_errors():
    closed = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh"]
    command = [*closed, sys.executable, "-m", "evoboard", "--version"]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_bar_tells_of_compiling_that_takes_long(capsys, monkeypatch):
    clock = iter((0.0, 1.0, 2.5, 3.0, 10.0, 11.0))
    monkeypatch.setattr("evoboard.cli.main.time.monotonic", lambda: next(clock))
    bar = CompilingBar()
    for ready in (0, 1, 2, 4):
        bar(ready, 4)
    told = capsys.readouterr().err
    begun = f"\rcompiling for this machine, once: {'█' * 15}{'░' * 15} 2 of 4\033[K"
    assert told == f"{begun}\r\033[K"
    bar(0, 2)
    bar(2, 2)
    assert capsys.readouterr().err == ""


def test_the_bar_tells_of_waiting_for_another_process(capsys, monkeypatch):
    clock = iter((0.0, 3.0, 3.02, 4.0, 4.1, 4.2))
    monkeypatch.setattr("evoboard.cli.main.time.monotonic", lambda: next(clock))
    bar = CompilingBar()
    for _ in range(4):
        bar(0, 0)
    bar(0, 7)  # then it is loaded
    bar(7, 7)
    told = capsys.readouterr().err.split("\r")[1:]
    assert [line.split(":")[0] for line in told[:2]] == [
        "another process is compiling this",
        "another process is compiling this",
    ]
    assert told[0].endswith("3 s\033[K")
    assert told[1].endswith("4 s\033[K")
    assert told[-1] == "\033[K"
