"""The Train page: the form made from the schema, trainers, what is read of runs, and a browser."""

from __future__ import annotations

import json
import time
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
    require_browser,
    set_screen,
    wait_for,
)

require_browser()

from evoboard.experiments.catalog import load  # noqa: E402
from evoboard.games.base import game_names, load_game  # noqa: E402
from evoboard.runs.folder import describe_run, list_runs, request_stop  # noqa: E402
from evoboard.runs.reader import open_run  # noqa: E402
from evoboard.runs.runner import start_run  # noqa: E402
from evoboard.training.experiment import read_experiment, resolved  # noqa: E402
from evoboard.web.training import curves  # noqa: E402
from evoboard.web.training.listing import Listing  # noqa: E402
from evoboard.web.training.schema import FIRST, Place, sections_of  # noqa: E402
from evoboard.web.training.sheet import (  # noqa: E402
    find_problem,
    put,
    shown,
    taken,
    to_data,
    to_sheet,
    value_at,
    with_part,
)
from evoboard.web.training.trainers import Start, Trainers  # noqa: E402
from evoboard.web.training.watched import MOST_COLUMNS, Watched  # noqa: E402
from fake_trainer import FakeTrainer, fake_experiment  # noqa: E402

NAMES = ["nim-quick", "kingcapture-quick", "draughts-blondie", "hexwar-aggressive", "chess-linear"]


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_goes_through_the_form_unchanged(name: str) -> None:
    experiment = load(name)
    sheet, game = to_sheet(experiment, load_game), load_game(experiment.game.name)
    places = set()
    for section in sections_of(sheet, game, game_names()):
        for entry in section.all_entries():
            assert entry.place not in places
            places.add(entry.place)
            if entry.kind != "tables":
                put(sheet, entry.place, taken(entry, shown(entry, value_at(sheet, entry.place))))
    back, given = resolved(read_experiment(to_data(sheet, game))), resolved(experiment)
    assert load_game(back["game"].pop("name")).options == game.options
    del given["game"]["name"]
    assert back == given
    assert {place for place in FIRST if value_at(sheet, place) is not None} <= places
    assert find_problem(sheet, load_game) is None


def test_every_setting_of_the_strategy_is_in_the_form() -> None:
    sheet = to_sheet(load("kingcapture-quick"), load_game)
    entries = {
        entry.place: entry
        for section in sections_of(sheet, load_game("kingcapture"), game_names())
        for entry in section.all_entries()
    }

    def leaves(data: Any, place: Place) -> Iterator[Place]:
        for key, value in data.items():
            if isinstance(value, dict):
                yield from leaves(value, (*place, key))
            else:
                yield (*place, key)

    assert set(leaves(sheet, ())) <= set(entries)
    power = entries["strategy", "mutation", "power"]
    assert power.kind == "number"
    assert "at least 0" in power.about
    assert entries["strategy", "crossover", "ties"].choices == ("random", "both", "first")


@pytest.mark.parametrize(
    "name, place, value, at, told",
    [
        ("kingcapture-quick", ("strategy", "mutation", "power"), -1.0, None, "at least 0"),
        ("kingcapture-quick", ("strategy", "population"), "many", None, "whole number"),
        ("kingcapture-quick", ("search", "depth"), 0, None, "from 1 to 64"),
        ("kingcapture-quick", ("measure", "games"), 41, None, "must be even"),
        ("kingcapture-quick", ("fitness", "scoring"), "a", None, "cannot read the scoring"),
        ("kingcapture-quick", ("fitness", "against", 0, "count"), 0, None, "at least 1"),
        ("nim-quick", ("game", "options", "heaps"), "x", None, "whole numbers"),
        ("nim-quick", ("strategy", "selection", "best"), 0.9, None, "more than 1"),
        ("nim-quick", ("generations",), 0, None, "at least 1"),
        ("draughts-blondie", ("strategy", "network", "hidden"), [4, "x"], (1,), "whole number"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(
    name: str, place: Place, value: Any, at: Place | None, told: str
) -> None:
    sheet = to_sheet(load(name), load_game)
    put(sheet, place, value)
    problem = find_problem(sheet, load_game)
    assert problem is not None
    assert problem.place == (*place, *(at or ()))
    assert told in problem.told


def test_another_part_brings_its_own_settings() -> None:
    sheet = to_sheet(load("kingcapture-quick"), load_game)
    changed = with_part(with_part(sheet, "strategy", "blondie"), "search", "mcts")
    assert changed["strategy"]["population"] == sheet["strategy"]["population"]
    assert "network" in changed["strategy"]
    assert "rounds" in changed["search"]
    assert "depth" not in changed["search"]
    assert find_problem(changed, load_game) is None


@pytest.mark.parametrize(
    "place",
    [
        ("game", "name"),
        ("strategy", "name"),
        ("search", "name"),
        ("player", "encoder"),
        ("fitness", "function"),
    ],
)
def test_no_file_is_run_for_a_page(place: Place, tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    sheet = to_sheet(load("nim-quick"), load_game)
    put(sheet, place, str(trap))

    def ours(text: str) -> Any:
        if text.partition(":")[0] not in game_names():
            from evoboard.core.errors import NotFound

            raise NotFound("there is no such game here.")
        return load_game(text)

    problem = find_problem(sheet, ours)
    assert problem is not None
    assert problem.place == place
    assert not (tmp_path / "sprung").exists()


def test_only_players_that_are_offered_may_be_anchors() -> None:
    sheet = to_sheet(load("nim-quick"), load_game)
    put(sheet, ("measure", "anchors"), ["random", "external:/bin/sh"])
    problem = find_problem(sheet, load_game)
    assert problem is not None
    assert problem.place == ("measure", "anchors")


# --- what is read of runs -----------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of runs."""
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    return tmp_path


def fake_run(name: str, generations: int) -> None:
    record = {"games_every": 0, "genomes_every": 0}
    start_run(name, fake_experiment(generations, record), 1, make_trainer=FakeTrainer)


def test_only_new_rows_are_read(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_run("one", 6)
    run = Watched("one")
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(Watched, "_read", _spy(Watched._read, asked))
    with monkeypatch.context() as early:
        early.setattr("evoboard.runs.reader.Reader.count", lambda self: 4)
        assert run.read_on()
    assert run.read_on()
    assert not run.read_on()
    assert asked == [(0, 3), (4, 5)]
    with open_run("one") as reader:
        rows = reader.rows()
        lengths = dict(reader.query("SELECT generation, SUM(games) FROM lengths GROUP BY 1"))
    assert run.numbers["best"] == [row.numbers["best"] for row in rows]
    assert {g: sum(row.values()) for g, row in run.lengths.items()} == lengths
    assert [rating.generation for rating in run.ratings["random"]] == [0, 3]
    assert [generation for generation, _ in run.alarms] == [3]


def _spy(method: Any, asked: list[tuple[int, int]]) -> Any:
    def read(self: Watched, run: Any, first: int, last: int) -> None:
        asked.append((first, last))
        method(self, run, first, last)

    return read


def test_a_long_run_is_kept_coarser_and_loses_no_game(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = MOST_COLUMNS + 40
    fake_run("long", count)
    run = Watched("long")
    with monkeypatch.context() as early:
        early.setattr("evoboard.runs.reader.Reader.count", lambda self: MOST_COLUMNS - 1)
        assert run.read_on()
    assert run.stride == 1
    assert run.read_on()
    assert run.stride == 2
    assert max(run.sizes) == count - 2
    assert len(run.lengths) == count // 2
    assert sum(sum(row.values()) for row in run.lengths.values()) == 20 * count


def test_charts_of_one_run_and_of_two(runs: Path) -> None:
    fake_run("one", 8)
    fake_run("two", 5)
    both = [Watched("one"), Watched("two")]
    for run in both:
        run.read_on()
    for chosen in (both[:1], both):
        for draw in (curves.fitness, curves.ratings, curves.speed):
            drawn = draw(chosen)
            assert drawn is not None
            json.dumps(drawn.options, allow_nan=False)
    assert curves.grade(both) is None
    best = next(s for s in curves.fitness(both[:1]).options["series"] if s["name"] == "best")
    assert [point[1] for point in best["data"]] == both[0].numbers["best"]
    assert len(curves.species(both[0]).options["series"]) == 3
    cells = curves.lengths(both[0]).options["series"][0]["data"]
    assert sum(share for _, _, share in cells) == pytest.approx(8, abs=0.01)


def test_the_list_reads_only_what_has_changed(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_run("one", 2)
    fake_run("two", 2)
    (runs / "two" / "run.db").write_bytes(b"no database")
    listing, read = Listing(Trainers()), []

    def note(name: str) -> Any:
        read.append(name)
        return describe_run(name)

    monkeypatch.setattr("evoboard.web.training.listing.describe_run", note)
    assert {run.name: run.status for run in listing.read()} == {"one": "finished", "two": "damaged"}
    listing.read()
    assert sorted(read) == ["one", "two"]


def test_a_trainer_that_fails_says_why(runs: Path) -> None:
    trainers = Trainers()
    data = {**resolved(load("nim-quick")), "player": {"encoder": "planes"}}
    trainers.start(Start("wrong", data))
    assert trainers.is_starting("wrong")
    wait_for(lambda: not trainers.at_work(), "its end")
    assert "planes does not fit nim" in trainers.trouble()["wrong"]
    (failed,) = Listing(trainers).read()
    assert (failed.status, failed.name) == ("failed", "wrong")


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for all tests; what it trains ends with it."""
    with open_server(tmp_path_factory.mktemp("app")) as running:
        yield running
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(running.folder / "runs"))
        for run in list_runs():
            if run.status == "running":
                request_stop(run.name)


@pytest.fixture(scope="module")
def driver(server: Server) -> Iterator[Any]:
    """One browser for all tests."""
    with open_browser() as running:
        set_screen(running, 1280, 900)
        yield running


class Page:
    """The Train page, used as a person uses it."""

    def __init__(self, driver: Any, server: Server) -> None:
        self.driver, self.server = driver, server

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, text: str) -> None:
        self.js(
            """const all = [...document.querySelectorAll('button, .train-section .q-item')];
            const found = all.find(e => e.checkVisibility() && !e.disabled
              && (e.innerText.split('\\n').includes(arguments[0]) || e.ariaLabel === arguments[0]));
            if (!found) throw new Error('no button ' + arguments[0]); found.click()""",
            text,
        )

    def fill(self, label: str, text: str) -> None:
        path = f"input[aria-label={label!r}]"
        field = wait_for(lambda: self.driver.find_elements("css selector", path), label)[0]
        field.send_keys("\ue009a\ue000\ue003" + text + "\ue004")  # all of it, away, text, tab

    def badge(self) -> str:
        return str(self.js("return document.querySelector('.badge')?.innerText ?? ''"))

    def points(self) -> int:
        """Return how many points the best fitness has in its chart."""
        return int(
            self.js(
                """for (const e of document.querySelectorAll('.chart')) {
                  const lines = getElement(e.id.slice(1)).chart?.getOption().series ?? [];
                  const best = lines.find(s => s.name === 'best');
                  if (best) return best.data.length;
                } return 0"""
            )
        )


def test_a_run_is_started_watched_stopped_and_resumed(driver: Any, server: Server) -> None:
    page = Page(driver, server)
    driver.get(f"{server.url}/train?new=nim-quick")
    page.fill("Generations", "0")  # there once the form is laid out, and a name suggested
    page.fill("Name of the run", "tiny")
    told = "return [...document.querySelectorAll('[role=alert]')].map(e => e.innerText).join()"
    wait_for(lambda: "generations is 0; it must be at least 1." in page.js(told), "the complaint")
    page.fill("Generations", "100000")
    page.press("Stop")
    page.fill("Grade", "")  # it would be reached in a moment
    wait_for(lambda: "at least 1" not in page.js(told), "consent")
    page.press("Start training")
    wait_for(lambda: "runs=tiny" in driver.current_url, "the run's own address")
    wait_for(lambda: "running" in page.badge(), "the run", 60)
    first = wait_for(page.points, "the chart")
    wait_for(lambda: page.points() > first, "more of the chart")
    shown = "return document.querySelector('.train-form').checkVisibility()"
    for _ in range(3):  # the page answers while all cores are busy
        began = time.monotonic()
        page.press("New run")
        wait_for(lambda: page.js(shown), "the form", 3)
        page.js("document.querySelector('.train-run button').click()")
        wait_for(lambda: not page.js(shown), "the run", 3)
        assert time.monotonic() - began < 4
    page.press("Stop")
    wait_for(lambda: page.badge().startswith("stopped"), "the end of its generation")
    stored = describe_status(server, "tiny")
    assert stored[0] == "stopped"
    page.press("Resume")
    wait_for(lambda: page.badge().startswith("running"), "the run again", 60)
    page.press("Stop")
    wait_for(lambda: page.badge().startswith("stopped"), "its second end")
    assert describe_status(server, "tiny")[1] >= stored[1]
    wait_for(lambda: page.js("return document.querySelectorAll('.tile').length"), "its figures")
    links = page.js("return [...document.querySelectorAll('a.plain')].map(e => e.href).join(' ')")
    assert "opponent=run%3Atiny" in links
    assert page.js("return document.documentElement.scrollWidth") <= 1280
    assert console_errors(driver) == []
    assert foreign_requests(driver, server.url) == []


def describe_status(server: Server, name: str) -> tuple[str, int]:
    """Return a run's status and how many generations it has, from its folder alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(server.folder / "runs"))
        info = describe_run(name)
    return info.status, info.generation
