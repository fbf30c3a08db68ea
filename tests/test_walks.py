"""The walks through the code in docs/architecture.md: short, and what really runs."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

import evoboard
from browser import PATIENCE, app_environment, free_port
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.interop.console import converse
from evoboard.interop.engine import Engine
from evoboard.runs.runner import Listener, start_run

ROOT = Path(evoboard.__file__).parent
MAP = Path(__file__).parent.parent / "docs" / "architecture.md"
MOST = {"One generation": 20, "One click": 16, "One `go`": 10}  # files
# What the map leaves out: helpers, and what the chosen parts call among themselves.
HELPERS = {
    "One generation": (
        "core/", "games/", "encoders/", "networks/", "search/", "evolution/operators/",
        "evolution/genomes/ragged.py", "runs/lock.py", "store/", "training/experiment.py",
        "training/gain.py",
    ),
    "One click": (
        "core/", "games/", "search/", "web/app.py", "web/folders.py", "web/opponents.py",
        "web/patience.py", "web/security.py", "web/theme.py", "web/values.py",
    ),
    "One `go`": ("core/", "games/", "search/", "players/"),
}  # fmt: skip


def walks():
    """Return the files of each walk, and how many there are said to be."""
    found = {}
    for part in re.split(r"\n(?=\*\*One )", MAP.read_text(encoding="utf-8"))[1:]:
        name, count = re.match(r"\*\*(.+?)\*\*.*?(\d+) files", part, re.DOTALL).groups()
        files = re.findall(r"^\d+\. `([\w/]+\.(?:py|js))`", part, re.MULTILINE)
        found[name] = files, int(count)
    return found


@pytest.mark.parametrize("name", MOST)
def test_a_walk_is_short_and_names_files_that_there_are(name):
    files, count = walks()[name]
    assert len(set(files)) == len(files) == count <= MOST[name]
    assert [file for file in files if not (ROOT / file).is_file()] == []


@contextmanager
def followed():
    """Yield the files of evoboard in which functions are called meanwhile, in any thread."""
    seen: set[str] = set()

    def note(frame, event, _argument):
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(ROOT)):
            seen.add(Path(path).relative_to(ROOT).as_posix())

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def require_walk(name, seen):
    files = set(walks()[name][0])
    assert files - seen == set()
    assert {file for file in seen - files if not file.startswith(HELPERS[name])} == set()


class Follower(Listener):
    """Notes where a run's second generation goes: the first one loads kernels."""

    def __init__(self):
        self.open = ExitStack()

    def generation(self, record):
        if record.generation == 0:
            self.seen = self.open.enter_context(followed())
        else:
            self.open.close()


def test_a_generation_goes_where_the_map_says(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    small = ["generations=2", "strategy.population=8", "fitness.opponents=2", "measure.every=0"]
    start_run("walk", load("kingcapture-quick", small), 1, 1, listener=(heard := Follower()))
    require_walk("One generation", heard.seen)


def test_a_go_goes_where_the_map_says():
    answered = threading.Event()

    def lines():
        yield b"position startpos moves c2c3"
        yield b"go depth 2"
        assert answered.wait(300)

    def say(line):
        if line.startswith("bestmove "):
            answered.set()

    with followed() as seen:
        engine = Engine(load_game("kingcapture"), "material")
        seen.clear()
        converse(engine, "uci", lines(), say)
    require_walk("One `go`", seen)


@pytest.mark.skipif(find_spec("nicegui") is None, reason="the extra web is not installed")
def test_the_python_half_of_a_click_goes_where_the_map_says(tmp_path):
    port, out = free_port(), tmp_path / "seen.txt"
    command = [sys.executable, str(Path(__file__).parent / "followed_app.py"), str(out)]
    command += ["app", "--port", str(port), "--no-browser"]
    app = subprocess.Popen(command, env=app_environment(tmp_path), stdout=subprocess.DEVNULL)
    try:
        asyncio.run(_second_click(f"http://127.0.0.1:{port}", app, out))
    finally:
        app.terminate()
        app.wait(PATIENCE)
    # The kernels of a search run compiled: no function of its file is called.
    require_walk("One click", {*out.read_text().split(), "search/pvs.py", *scripts("One click")})


def scripts(name):
    return {file for file in walks()[name][0] if file.endswith(".js")}


async def _second_click(url, app, out):
    """Make two moves on a page, following the app in the second; the first one loads kernels."""
    import aiohttp

    from visitors import Times, Visitor, opened

    await opened(url)
    visitor = Visitor(url, "kingcapture", Times())
    visitor.path = "/play?game=kingcapture&opponent=material:nodes=200"
    async with aiohttp.ClientSession() as web:
        await visitor.open(web)
        await visitor.click()
        await asyncio.sleep(2.0)  # until that is saved, too
        app.send_signal(signal.SIGUSR1)
        await visitor.click()
        until, noted = time.monotonic() + PATIENCE, ""
        while "core/whole_file.py" not in noted:  # the game is saved, which ends a click
            assert time.monotonic() < until
            app.send_signal(signal.SIGUSR2)
            await asyncio.sleep(0.2)
            noted = out.read_text() if out.exists() else ""
        await visitor.close()
