"""What all tests share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import (
    Server,
    console_errors,
    foreign_requests,
    open_browser,
    open_server,
    set_screen,
)
from evoboard.games.base import Game, game_names, load_game

# A shell lets what it starts in the background ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Every built-in game with its defaults, every variant worth a test of its own, every example.
VARIANTS = ["nim:heaps=7/7/7,random=true", "nim:heaps=8/8,simple=true", "hexwar:layout=rhombus"]
GAMES = [*game_names(), *VARIANTS, *map(str, EXAMPLES)]


@pytest.fixture(params=GAMES, ids=lambda text: Path(text).stem)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game there is; a new file in games/ or examples/ is tested unasked."""
    return load_game(request.param)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for all tests of a module."""
    with open_server(tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture(scope="module")
def driver(server: Server) -> Iterator[Any]:
    """One browser for all tests of a module, without a complaint, without a foreign request.

    What it downloads lands in the server's folder.
    """
    with open_browser() as running:
        set_screen(running, 1280, 900)
        where = {"behavior": "allow", "downloadPath": str(server.folder)}
        running.execute_cdp_cmd("Browser.setDownloadBehavior", where)
        yield running
        assert console_errors(running) == []
        assert foreign_requests(running, server.url) == []
