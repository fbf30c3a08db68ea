"""What all tests share."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis  # noqa: F401 - it asks the collector who knows of an object, so before `freeze`
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

# A third of the time of collecting tests went into looking at what stays.
gc.set_threshold(50_000, 20, 50)

# A shell lets what it starts in the background ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Every built-in game with its defaults, every variant worth a test of its own, every example.
VARIANTS = ["nim:heaps=7/7/7,random=true", "nim:heaps=8/8,simple=true", "hexwar:layout=rhombus"]
GAMES = [*game_names(), *VARIANTS, *map(str, EXAMPLES)]


# Files that take longest begin first, so that no worker is left alone with one in the end.
LONGEST = (
    "test_web_browser",
    "test_training",
    "test_conformance",
    "test_web_train",
    "test_search",
    "test_engines",
    "test_docs",
    "test_cli",
    "test_external",
    "test_run_damage",
    "test_link",
    "test_web",
    "test_networks",
    "test_neat_strategy",
    "test_runs",
    "test_players",
    "test_trial",
    "test_grades",
    "test_cuda",
    "test_notation",
    "test_fitness_functions",
    "test_cli_training",
    "test_match",
    "test_fuzz",
    "test_web_replay",
    "test_mcts",
    "test_study",
    "test_openspiel",
    "test_learning",
    "test_encoders",
    "test_neat_operators",
    "test_sighted_encoders",
    "test_web_network",
    "test_side_by_side",
    "test_ray",
    "test_fitting",
    "test_catalog",
    "test_export",
    "test_ratings",
    "test_web_compare",
    "test_hostile",
    "test_solver",
    "test_experiments",
    "test_ladder",
    "test_rules_chess",
    "test_tuning",
    "test_papers",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "run only the long proofs, at their full length, and print a table of them"
    parser.addoption("--proofs", action="store_true", help=told)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    proofs = config.getoption("--proofs")
    wanted = [item for item in items if (is_proof(item) if proofs else not is_only_proof(item))]
    config.hook.pytest_deselected(items=list(set(items) - set(wanted)))
    items[:] = wanted
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(LONGEST)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Leave all that has been loaded out of what the garbage collector looks at."""
    gc.freeze()


def is_only_proof(item: pytest.Item) -> bool:
    """Tell whether a test is left to `make proofs`."""
    return item.get_closest_marker("proof") is not None


def is_proof(item: pytest.Item) -> bool:
    """Tell whether a test is tried, or tried at its full length, by `make proofs`."""
    return is_only_proof(item) or "cases" in getattr(item, "fixturenames", ())


def few(values: Iterable[Any], *usual: Any) -> list[Any]:
    """Return parameters of which `make test` tries the usual ones, and `make proofs` the others."""
    return [
        value if value in usual else pytest.param(value, marks=pytest.mark.proof)
        for value in values
    ]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if not config.getoption("--proofs"):
        return
    terminalreporter.section("proofs")
    for result in ("passed", "failed"):
        for report in terminalreporter.getreports(result):
            if report.when == "call":
                number = dict(report.user_properties).get("cases", 1)
                what = report.nodeid.split("::", 1)[1].removeprefix("test_").replace("_", " ")
                terminalreporter.write_line(
                    f"{result:6} {number:>7,} case{'s' * (number > 1):1} {what}"
                )


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """How many cases a long test tries: the first number, or the second by `make proofs`."""

    def choose(usual: int, proof: int) -> int:
        number = proof if request.config.getoption("--proofs") else usual
        request.node.user_properties.append(("cases", number))
        return number

    return choose


@pytest.fixture(
    params=few(GAMES, *game_names(), *map(str, EXAMPLES)), ids=lambda text: Path(text).stem
)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game there is; a new file in games/ or examples/ is tested unasked.

    Variants, whose rules have tests of their own, are left to `make proofs`.
    """
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
