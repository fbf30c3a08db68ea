"""The catalog: parts by name, a user's files by path, and the nearest name for a wrong one."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from evoboard.core import catalog
from evoboard.core.errors import EvoboardError, NotFound, PartError, unknown
from evoboard.games.base import PACKAGE, Game, game_names, load_game

COUNTDOWN = """
from evoboard.games import ONGOING, WIN

TITLE = "Take up to {most} of {heap}; who takes the last one loses"
STATE_SIZE, TURN, MAX_MOVES = 2, 1, {most}


def initial(state, seed):
    state[0], state[1] = {heap}, 0


def legal_moves(state, out):
    count = min(state[0], {most})
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


def write(path, heap=9, most=3):
    path.write_text(COUNTDOWN.format(heap=heap, most=most))
    return path


def test_every_game_is_listed_by_its_name_and_found_by_it():
    assert game_names() == sorted(game_names())
    assert {"chess", "draughts", "hexwar", "kingcapture", "nim"} <= set(game_names())
    for name in game_names():
        assert load_game(name).name == name


@pytest.mark.parametrize("name", ["base", "rules", "view", "perft", "options", "__init__"])
def test_modules_that_are_no_games_are_not_games(name):
    assert name not in game_names()
    with pytest.raises(NotFound, match=f"no game named '{name}'"):
        load_game(name)


@pytest.mark.parametrize(
    "wrong, right",
    [
        ("ches", "chess"),
        ("Chess", "chess"),
        ("NIM", "nim"),
        ("draugths", "draughts"),
        ("hex_war", "hexwar"),
        ("king-capture", "kingcapture"),
        ("nim.", "nim"),
    ],
)
def test_a_near_name_is_suggested(wrong, right):
    with pytest.raises(NotFound, match=f"named '{wrong}'; did you mean {right}"):
        load_game(wrong)


@pytest.mark.parametrize("wrong", ["backgammon", "", " ", "..", "évoboard", "a b", "0"])
def test_a_name_like_no_other_gets_the_whole_list_and_the_way_to_files(wrong):
    with pytest.raises(NotFound) as caught:
        load_game(wrong)
    for name in (*game_names(), repr(wrong), "FILE.py"):
        assert name in str(caught.value)


def test_a_long_wrong_name_gets_a_short_answer():
    with pytest.raises(NotFound) as caught:
        load_game("x" * 5000)
    assert len(str(caught.value)) < 400


def test_names_are_suggested_whatever_their_case():
    assert unknown("player", "GREEDY", ["Greedy", "random"]).endswith("did you mean Greedy?")
    assert unknown("player", "zzz", ["b", "a"]) == "there is no player named 'zzz'; known: a and b."
    assert unknown("player", "zzz", []).endswith("known: none.")


def test_a_new_file_in_a_package_is_a_part_unasked(tmp_path, monkeypatch):
    folder = tmp_path / "parts_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "second.py").write_text("part = 2")
    (folder / "first.py").write_text("part = 1")
    (folder / "helper.py").write_text("other = 1")
    monkeypatch.syspath_prepend(tmp_path)
    assert catalog.names("parts_of_a_test", "part") == ["first", "second"]
    assert catalog.find("part", "parts_of_a_test", "second", "part").part == 2
    with pytest.raises(NotFound, match="did you mean second"):
        catalog.find("part", "parts_of_a_test", "secnd", "part")


def test_an_edited_file_gives_the_new_rules_and_the_old_game_keeps_the_old_ones(tmp_path):
    path = write(tmp_path / "countdown.py")
    before = load_game(str(path))
    assert before.legal_moves(before.initial()) == [1, 2, 3]
    # The same length, at the same second.
    write(path, heap=8, most=4)
    after = load_game(str(path))
    assert after.legal_moves(after.initial()) == [1, 2, 3, 4]
    assert (int(after.initial()[0]), after.title[:12]) == (8, "Take up to 4")
    assert before.legal_moves(before.initial()) == [1, 2, 3]
    assert before.legal_moves(np.array([2, 0])) == [1, 2]


@pytest.mark.parametrize("name", ["nim", "chess", "random", "numpy", "evoboard", "sys"])
def test_a_file_shadows_nothing(tmp_path, monkeypatch, name):
    write(tmp_path / f"{name}.py")
    monkeypatch.chdir(tmp_path)
    known = sys.modules.get(name)
    for text in (f"{name}.py", f"./{name}.py", str(tmp_path / f"{name}.py")):
        game = load_game(text)
        assert (game.name, game.legal_moves(game.initial())) == (name, [1, 2, 3])
    assert sys.modules.get(name) is known
    if name in game_names():
        assert load_game(name).title == sys.modules[f"{PACKAGE}.{name}"].TITLE
        assert load_game(name).legal_moves(load_game(name).initial()) != [1, 2, 3]


def test_two_files_of_one_name_are_two_games(tmp_path):
    for folder, most in (("a", 2), ("b", 5)):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "same.py", most=most)
    first, second = (load_game(str(tmp_path / folder / "same.py")) for folder in "ab")
    assert len(first.legal_moves(first.initial())) == 2
    assert len(second.legal_moves(second.initial())) == 5


def test_a_file_may_take_options_and_a_start(tmp_path):
    path = write(tmp_path / "countdown.py")
    with pytest.MonkeyPatch.context() as patch:
        read, parse = [], Game.parse_state
        patch.setattr(Game, "parse_state", lambda *given: read.append(given) or parse(*given))
        game = load_game(f"{path}:start=2,1")
    assert len(read) == 1
    assert game.initial().tolist() == [2, 1]
    assert game.options == {"start": "2,1"}
    with pytest.raises(EvoboardError, match=r"countdown position '2,1,3'.*3 numbers.*needs 2"):
        load_game(f"{path}:start=2,1,3")


def test_a_missing_file_is_named_with_its_neighbours(tmp_path):
    write(tmp_path / "countdown.py")
    with pytest.raises(NotFound, match=r"no file .*count_down\.py; did you mean countdown\.py\?"):
        load_game(str(tmp_path / "count_down.py"))
    with pytest.raises(NotFound, match=r"no file .*nowhere"):
        load_game(str(tmp_path / "nowhere" / "countdown.py"))


def test_a_server_loads_only_the_files_it_was_started_with(tmp_path, monkeypatch):
    monkeypatch.setenv(catalog.TRUSTED, "")  # as it was, in the end
    for name in ("mine.py", "other.py"):
        write(tmp_path / name)
    (tmp_path / "link.py").symlink_to(tmp_path / "other.py")
    catalog.trust_only([tmp_path / "mine.py"])
    assert load_game(str(tmp_path / "mine.py")).name == "mine"
    for name in ("other.py", "link.py", "mine.py/../other.py", "x\0.py"):
        with pytest.raises(NotFound, match="not started with; start it with --game"):
            load_game(f"{tmp_path}/{name}")
    # What a server starts, such as a trainer, trusts no more than it does itself.
    command = [sys.executable, "-m", "evoboard", "show", str(tmp_path / "other.py")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "was not started with" in ended.stderr
    assert ended.returncode == 2
    for senseless in ("", "[", "3", "{}"):
        monkeypatch.setenv(catalog.TRUSTED, senseless)
        with pytest.raises(NotFound, match="not started with"):
            load_game(str(tmp_path / "mine.py"))


def test_a_folder_is_not_a_file_and_not_its_own_suggestion(tmp_path):
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(EvoboardError, match=r"folder\.py") as caught:
        load_game(str(tmp_path / "folder.py"))
    assert "did you mean folder.py" not in str(caught.value)


STRANGE = {
    "long name": "x" * 300 + ".py",
    "deep path": "x/" * 3000 + "y.py",
    "null": "a\0b.py",
    "home": "~.py",
    "pattern": "*.py",
    "root": "/",
}


@pytest.mark.parametrize("name", STRANGE.values(), ids=STRANGE)
def test_strange_paths_are_missing_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EvoboardError, match="file") as caught:
        load_game(name)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "data, words",
    [
        (b"\xff\xfe\x00binary", "UTF-8"),
        (b"STATE_SIZE = 3\0", "null"),
        (b"x = (", "line 1"),
        (b"\n\nx = 'a\n", "line 3"),
        (b"import nothing_of_that_name", "nothing_of_that_name"),
        (b"x = 1\ny = x / 0\n", "line 2: ZeroDivisionError"),
        (b"def f():\n    return {}['k']\n\n\nf()\n", "line 2: KeyError"),
        (b"raise ValueError('several\\nlines')", "several"),
        (b"raise SystemExit", "SystemExit"),
        (b"", "initial(state, seed)"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path, data, words):
    path = tmp_path / "mine.py"
    path.write_bytes(data)
    with pytest.raises(PartError) as caught:
        load_game(str(path))
    message = str(caught.value)
    assert path.name in message
    assert words in message
    assert "None" not in message
    assert "\n" not in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path):
    path = write(tmp_path / "secret.py")
    path.chmod(0)
    with pytest.raises(PartError, match=r"secret\.py cannot be read: Permission denied"):
        load_game(str(path))
