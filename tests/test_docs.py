"""The documentation is true: it builds without a broken link, its code runs, its commands exist."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evoboard as eb
from evoboard.arena.rungs import can_play
from evoboard.cli.main import COMMANDS, app, list_commands, load_commands
from evoboard.core import catalog
from evoboard.experiments.catalog import experiment_names
from evoboard.games.base import game_names, load_game
from evoboard.games.view import Board, MoveLook, Piece, View

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
GAME_PAGE = (ROOT / "docs" / "your-own-game.md").read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_site_builds_without_a_broken_link_and_asks_nobody(tmp_path: Path) -> None:
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.html")}
    assert {f"commands/{name}.html" for name in commands()} <= set(pages)
    for page in pages.values():
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'(?:<script|<link|<img|<iframe)[^>]*="(?:https?:)?//[^"]*"', text)
    settings_page = pages["reference/settings.html"].read_text(encoding="utf-8")
    for name in catalog.names("evoboard.evolution.strategies", "Strategy"):
        assert f'id="{name}"' in settings_page
    python_page = pages["reference/python.html"].read_text(encoding="utf-8")
    for name in eb.__all__:
        assert f'id="{name.lower()}"' in python_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere_where_no_site_is_built(page: Path) -> None:
    """Most read the pages as they are in the repository: the site's own pages are not there."""
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    near = [link for link in links if "://" not in link]
    assert [link for link in near if not (page.parent / link).exists()] == []


def commands() -> dict[str, str]:
    return {
        name: file for files in COMMANDS.values() for file in files for name in list_commands(file)
    }


def lines_of(page: Path) -> list[str]:
    """Return the lines of a page's code that call evoboard, as they are typed."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block in re.findall(
        r"^ *```(?:console|text|sh)?\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE
    ):
        found += [line.strip().removeprefix("$ ") for line in block.splitlines()]
    found += re.findall(r"`(evoboard [^`\n]*)`", text)
    return [line for line in found if re.match(r"evoboard [a-z]", line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_in_the_pages_exist_with_their_options(page: Path) -> None:
    known = commands()
    for line in lines_of(page):
        line = re.sub(r"\s+#.*", "", line).split(" | ")[0].replace("…", "x")
        _, name, *words = shlex.split(line)
        if name == "is":  # "evoboard is at http://…", which the app says
            continue
        assert name in known, line
        options = {
            flag
            for parameter in load_commands(known[name])[name].params
            for flag in [*parameter.opts, *parameter.secondary_opts]
        }
        for word in words:
            if word.startswith("--"):
                assert word.split("=")[0] in {*options, "--help"}, line
        if name == "train" and words and re.fullmatch("[a-z0-9-]{2,}", words[0]):
            assert words[0] in [*experiment_names(), "paper-a-session-16"], line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_players_in_the_pages_can_be_made(page: Path) -> None:
    """Those with options that need no file, run or program, for some game of ours."""
    told = re.sub("```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    texts = [word for line in lines_of(page) for word in line.split("#")[0].split()]
    texts += re.findall(r"`([^`\s]+)`", told)
    for text in dict.fromkeys(text.strip("'\"") for text in texts):
        if re.match(r"(champion|linear|material|mcts|perfect|scripted):\S*[a-z0-9]$", text):
            assert any(can_play(text, load_game(game)) for game in game_names()), text


@pytest.mark.parametrize("page", ["README.md", "docs/export.md"])
def test_python_in_the_pages_runs(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    names: dict[str, object] = {}
    found = blocks((ROOT / page).read_text(encoding="utf-8"), "python")
    for block in found:
        if "import champion" in block or "import onnx" in block:
            continue  # what `export` writes has tests of its own
        if "open_spiel" in block:
            pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
        exec(compile(block, page, "exec"), names)
        told = capsys.readouterr().out
        for line in re.findall(r"print\(.*  # (.+)", block):  # what it prints, in parts
            assert all(part in told for part in line.split("…")), told
    assert found


def said(*words: str) -> list[str]:
    """Return the lines that a command prints; the last one tells what is wrong, as `run` has it."""
    done = CliRunner().invoke(app, words)
    lines = [line.rstrip() for line in done.output.strip("\n").splitlines()]
    return [*lines, f"evoboard: {done.exception}"] if done.exception else lines


def test_the_tutorials_game_is_built_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every block goes to the end of one file, and after every step the file obeys all laws."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tictactoe.py"
    steps = [block for block in blocks(GAME_PAGE, "python") if not block.startswith("# ")]
    assert len(steps) == 6
    text = ""
    for number, block in enumerate(steps, 1):
        text += ("\n\n" if text else "") + block
        path.write_text(text, encoding="utf-8")
        if number in (1, len(steps)):
            told = said("check-game", "tictactoe.py")
            assert any("tictactoe obeys all laws" in line for line in told), (number, told)
    game = load_game(str(path))
    assert game.reason(game.parse_state("x.o/.x./o.x o")) == "three in a row"
    for block in blocks(GAME_PAGE, "console"):
        first, _, output = block.partition("\n")
        if first.startswith("$ evoboard show") and "1,0,0" not in first:  # that one is of step 1
            assert said(*shlex.split(first)[2:]) == output.strip("\n").splitlines(), first


def test_the_readmes_match_is_played_as_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = [block for block in blocks(text, "console") if block.startswith("$ evoboard match")]
    first, _, output = block.partition("\n")
    assert said(*shlex.split(first)[2:]) == output.strip("\n").splitlines()


def test_the_page_has_the_fields_of_a_view_as_they_are() -> None:
    for kind in (Board, Piece, MoveLook, View):
        found = inspect.signature(kind).parameters.values()
        fields = ", ".join(str(p.replace(annotation=p.empty)) for p in found).replace("''", '""')
        assert f"{kind.__name__}({fields})" in GAME_PAGE
        for parameter in found:
            assert re.search(rf"`{kind.__name__}\.{parameter.name}`|`{parameter.name}`", GAME_PAGE)


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    notebook = ROOT / "examples" / "tour.ipynb"
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "run_notebook.py"), str(notebook), "--check"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    text = notebook.read_text(encoding="utf-8")
    for call in ("train", "draw_curves", "draw_board", "draw_network", "match", "rate"):
        assert f"eb.{call}(" in text
    assert text.count("image/svg+xml") >= 4  # it is kept with what its cells gave
