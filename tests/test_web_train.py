"""The Train page: the form made from the schema, trainers, what is read of runs, and a browser."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from browser import (
    Server,
    console_errors,
    foreign_requests,
    open_server,
    require_browser,
    type_into,
    wait_for,
)

require_browser()

from evoboard.core.errors import OptionError, PartError  # noqa: E402
from evoboard.core.settings import HERE, Problem  # noqa: E402
from evoboard.core.wording import counted, duration  # noqa: E402
from evoboard.evolution.mutations.base import mutation_names  # noqa: E402
from evoboard.experiments.catalog import load  # noqa: E402
from evoboard.games.base import game_names, load_game  # noqa: E402
from evoboard.papers.base import Scale, find_paper  # noqa: E402
from evoboard.papers.bench import Bench, report_folder  # noqa: E402
from evoboard.papers.making import look_at  # noqa: E402
from evoboard.runs.folder import describe_run, list_runs, request_stop  # noqa: E402
from evoboard.runs.lock import Lock  # noqa: E402
from evoboard.runs.runner import resume_run, start_run  # noqa: E402
from evoboard.runs.study import Cell, make_study, open_study  # noqa: E402
from evoboard.runs.study_numbers import gather  # noqa: E402
from evoboard.runs.study_training import train_study  # noqa: E402
from evoboard.store.reader import Reader, open_run  # noqa: E402
from evoboard.store.run_file import RunError  # noqa: E402
from evoboard.training.experiment import read_experiment, resolved  # noqa: E402
from evoboard.training.loop import Trainer  # noqa: E402
from evoboard.web.network.generation_slider import grown  # noqa: E402
from evoboard.web.opponents import offers  # noqa: E402
from evoboard.web.pages import train  # noqa: E402
from evoboard.web.processes import last_words  # noqa: E402
from evoboard.web.reporting import ReportMakers  # noqa: E402
from evoboard.web.training.charts import averages, fitness, lengths, species, strength  # noqa: E402
from evoboard.web.training.charts.base import Chart, find_charts  # noqa: E402
from evoboard.web.training.charts.strength import strength_charts, verdict  # noqa: E402
from evoboard.web.training.controls import choice_label  # noqa: E402
from evoboard.web.training.form_values import (  # noqa: E402
    beside,
    experiment_data,
    find_problem,
    form_values,
    from_control,
    put,
    to_control,
    value_at,
    with_game,
    with_part,
)
from evoboard.web.training.groups import GroupSeries, grouped, studies  # noqa: E402
from evoboard.web.training.listing import ListedRun, Listing  # noqa: E402
from evoboard.web.training.run_header import figures, whose_figures  # noqa: E402
from evoboard.web.training.schema import FIRST, Place, option_entries, sections_of  # noqa: E402
from evoboard.web.training.series import EQUAL_SEARCH, MOST_COLUMNS, Rating, RunSeries  # noqa: E402
from evoboard.web.training.trainers import NewRun, Trainers  # noqa: E402
from fake_trainer import FakeTrainer, fake_experiment  # noqa: E402
from small_run import make_run  # noqa: E402

OWN_CHART = Path(__file__).parent.parent / "examples" / "parts" / "learning_curve.py"
NAMES = ["nim-quick", "kingcapture-quick", "draughts-blondie", "hexwar-aggressive", "chess-linear"]


# --- the form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_goes_through_the_form_unchanged(name: str) -> None:
    experiment = load(name)
    values, game = form_values(experiment, load_game), load_game(experiment.game.name)
    places = set()
    for section in sections_of(values, game, game_names()):
        for entry in section.all_entries():
            assert entry.place not in places
            places.add(entry.place)
            if entry.kind != "tables":
                shown = to_control(entry, value_at(values, entry.place))
                put(values, entry.place, from_control(entry, shown))
    back, given = resolved(read_experiment(experiment_data(values, game))), resolved(experiment)
    assert load_game(back["game"].pop("name")).options == game.options
    del given["game"]["name"]
    assert back == given
    assert {place for place in FIRST if value_at(values, place) is not None} <= places
    assert all(entry.about for entry in option_entries(game))
    assert find_problem(values, load_game) is None


def test_options_of_rules_are_chosen_from_what_there_is() -> None:
    (blocked,) = option_entries(load_game("draughts"))
    assert (blocked.kind, blocked.choices) == ("choice", ("loss", "draw"))


def test_every_setting_of_the_strategy_is_in_the_form() -> None:
    values = form_values(load("kingcapture-quick"), load_game)
    entries = {
        entry.place: entry
        for section in sections_of(values, load_game("kingcapture"), game_names())
        for entry in section.all_entries()
    }

    def leaves(data: Any, place: Place) -> Iterator[Place]:
        for key, value in data.items():
            if isinstance(value, dict):
                yield from leaves(value, (*place, key))
            elif key == "mutations":
                for i, row in enumerate(value):
                    yield from leaves(
                        {k: v for k, v in row.items() if k != "kind"}, (*place, key, i)
                    )
            else:
                yield (*place, key)

    elsewhere = {("fitness", "function")}  # there are none about this game
    assert set(leaves(values, ())) - elsewhere <= set(entries)
    kinds = [row["kind"] for row in values["strategy"]["mutations"]]
    assert sorted(kinds) == mutation_names()
    place = "strategy", "mutations", kinds.index("values")
    power = entries[*place, "power"]
    assert power.kind == "number"
    assert "at least 0" in power.about
    assert entries["strategy", "crossover", "ties"].choices == ("random", "both", "first")
    assert "1 to 100,000,000" in entries["generations",].about
    found = [
        (path, entry.place)
        for section in sections_of(values, load_game("kingcapture"), game_names())
        for path, entry in section.found("values power")
    ]
    assert ("Strategy › Values", (*place, "power")) in found


@pytest.mark.parametrize(
    "name, place, value, at, told",
    [
        ("kingcapture-quick", ("strategy", "mutations", 2, "power"), -1.0, None, "at least 0"),
        ("kingcapture-quick", ("strategy", "population"), "many", None, "whole number"),
        ("kingcapture-quick", ("strategy", "population"), "", None, "Population is empty; "),
        ("kingcapture-quick", ("strategy", "population"), 10**12, None, "at most 100,000."),
        ("kingcapture-quick", ("strategy", "population"), 10**6, None, "is 1,000,000; it must"),
        ("kingcapture-quick", ("generations",), 10**9, None, "at most 100,000,000."),
        ("kingcapture-quick", ("search", "depth"), 0, None, "Depth is 0; it must be at least 1."),
        ("kingcapture-quick", ("measure", "games"), 41, None, "Games must be even"),
        ("kingcapture-quick", ("fitness", "scoring"), "a", None, "Cannot read the scoring"),
        ("kingcapture-quick", ("fitness", "against", 0, "count"), 0, None, "at least 1"),
        ("nim-quick", ("game", "options", "heaps"), ["x"], None, "whole number"),
        ("nim-quick", ("strategy", "selection", "best"), 0.9, None, "more than 1"),
        ("nim-quick", ("generations",), 0, None, "at least 1"),
        ("draughts-blondie", ("strategy", "network", "hidden"), [4, "x"], (1,), "whole number"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(
    name: str, place: Place, value: Any, at: Place | None, told: str
) -> None:
    values = form_values(load(name), load_game)
    put(values, place, value)
    problem = find_problem(values, load_game)
    assert problem is not None
    assert problem.place == (*place, *(at or ()))
    assert told in problem.text


@pytest.mark.parametrize(
    "place, told, wanted",
    [
        (("strategy", "power"), f"{HERE} is 1.234567; …", "Power is 1.234567; …"),
        (("measure", "anchors"), f"{HERE}: no run test20261115.", "No run test20261115."),
    ],
)
def test_no_digit_of_a_name_or_a_fraction_is_changed(place: Place, told: str, wanted: str) -> None:
    assert beside(Problem(place, told)) == wanted


def test_another_part_brings_its_own_settings() -> None:
    values = form_values(load("kingcapture-quick"), load_game)
    changed = with_part(with_part(values, "strategy", "blondie"), "search", "mcts")
    assert changed["strategy"]["population"] == values["strategy"]["population"]
    assert "network" in changed["strategy"]
    assert "rounds" in changed["search"]
    assert "ordering" not in changed["search"]
    assert find_problem(changed, load_game) is None


TICTACTOE = Path(__file__).parent.parent / "examples" / "tictactoe.py"


@pytest.mark.parametrize("name", ["kingcapture-quick", "nim-quick", "hexwar-aggressive"])
def test_a_game_of_ones_own_can_be_chosen_in_any_form(name: str) -> None:
    game = load_game(str(TICTACTOE))
    values = with_game(form_values(load(name), load_game), game, str(TICTACTOE))
    assert find_problem(values, load_game) is None
    Trainer(read_experiment(experiment_data(values, game)), 1)
    entries = {
        entry.place: entry
        for section in sections_of(values, game, [str(TICTACTOE)])
        for entry in section.all_entries()
    }
    # What the game has no use for is not offered.
    assert ("measure", "grade") not in entries
    assert ("fitness", "function") not in entries
    assert "policy" not in entries["search", "name"].choices
    put(values, ("measure", "grade"), True)
    problem = find_problem(values, load_game)
    assert problem is not None
    assert problem.place == ("measure", "grade")


def test_a_game_of_ones_own_is_listed_by_its_name() -> None:
    assert choice_label(str(TICTACTOE)) == "tictactoe.py"
    assert choice_label("double_round_robin") == "double round robin"


def test_the_tiles_say_whose_numbers_they_are() -> None:
    run = RunSeries("one")
    run.ratings = {"Random moves": [Rating(0, 1, 0, 2), Rating(39, 98, 50, 150)]}
    assert whose_figures(run, None).endswith("generation 39, the last measured.")
    assert "is the champion of generation 30; its Elo is a different" in whose_figures(run, 30)
    assert "is the run's best player" in whose_figures(run, 39)
    assert whose_figures(RunSeries("two"), None) == ""


def test_the_first_generation_which_compiles_makes_no_forecast() -> None:
    run = RunSeries("one")
    run.count, run.seconds = 1, [60.0]
    assert run.time_left(30) == ""
    run.count, run.seconds = 3, [60.0, 1.0, 3.0]
    assert run.time_left(30) == "about 54 s left"


def test_a_forecast_knows_when_the_search_changes() -> None:
    run = RunSeries("one")
    run.experiment = {"search": {"later": [{"generation": 9, "depth": 3}, {"generation": 3}]}}
    run.count, run.seconds = 3, [60.0, 1.0, 3.0]
    assert run.time_left(9) == "12 s or more left (the search changes in generation 3)"
    run.count, run.seconds = 5, [60.0, 1.0, 3.0, 10.0, 10.0]  # two generations of the new search
    assert run.time_left(9) == "about 40 s left"
    assert run.time_left(10) == "50 s or more left (the search changes in generation 9)"


def test_perfect_play_is_offered_where_there_is_such_a_player() -> None:
    def texts(game: str) -> list[str]:
        return [offer.text for offer in offers(load_game(game))]

    assert "perfect" in texts("nim")
    assert "perfect" not in texts("nim:heaps=30/30/30/30/30/30")


@pytest.mark.parametrize(
    "place",
    [
        ("game", "name"),
        ("strategy", "name"),
        ("strategy", "mutations", 1, "kind"),
        ("search", "name"),
        ("player", "encoder"),
        ("fitness", "function"),
    ],
)
def test_no_file_is_run_for_a_page(place: Place, tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    values = form_values(load("kingcapture-quick"), load_game)
    put(values, place, str(trap))

    def ours(text: str) -> Any:
        if text.partition(":")[0] not in game_names():
            from evoboard.core.errors import NotFound

            raise NotFound("there is no such game here.")
        return load_game(text)

    problem = find_problem(values, ours)
    assert problem is not None
    assert problem.place == place
    assert not (tmp_path / "sprung").exists()


def test_only_players_that_are_offered_may_be_anchors() -> None:
    values = form_values(load("nim-quick"), load_game)
    put(values, ("measure", "anchors"), ["random", "external:/bin/sh"])
    problem = find_problem(values, load_game)
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
    run = RunSeries("one")
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(RunSeries, "_read", _spy(RunSeries._read, asked))
    with monkeypatch.context() as early:
        early.setattr("evoboard.store.reader.Reader.count", lambda self: 4)
        assert run.read_on()
    assert run.read_on()
    assert not run.read_on()
    assert asked == [(0, 3), (4, 5)]
    with open_run("one") as reader:
        rows = reader.rows()
        lengths = {g: sum(n for *_, n in reader.length_counts(g, g)) for g in range(reader.count())}
    assert run.numbers["best"] == [row.numbers["best"] for row in rows]
    assert {g: sum(row.values()) for g, row in run.lengths.items()} == lengths
    assert [rating.generation for rating in run.ratings["Random moves"]] == [0, 3]
    assert [generation for generation, _ in run.alarms] == [3]


def _spy(method: Any, asked: list[tuple[int, int]]) -> Any:
    def read(self: RunSeries, run: Any, first: int, last: int) -> None:
        asked.append((first, last))
        method(self, run, first, last)

    return read


def test_a_long_run_is_kept_coarser_and_loses_no_game(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = MOST_COLUMNS + 40
    fake_run("long", count)
    run = RunSeries("long")
    with monkeypatch.context() as early:
        early.setattr("evoboard.store.reader.Reader.count", lambda self: MOST_COLUMNS - 1)
        assert run.read_on()
    assert run.stride == 1
    assert run.read_on()
    assert run.stride == 2
    assert max(run.sizes) == count - 2
    assert len(run.lengths) == count // 2
    assert sum(sum(row.values()) for row in run.lengths.values()) == 20 * count


def blind_page(monkeypatch: pytest.MonkeyPatch) -> train.TrainPage:
    """Return the page without a screen: what it shows goes nowhere."""
    monkeypatch.setattr(train, "theme", MagicMock())
    page = train.TrainPage.__new__(train.TrainPage)
    with monkeypatch.context() as context:
        context.setattr(train, "ui", MagicMock())
        page.__init__(MagicMock())  # type: ignore[misc]
    page.board, page.form, page.runs = MagicMock(), MagicMock(), MagicMock()
    page.client, page.complain = MagicMock(), MagicMock()  # type: ignore[method-assign]
    return page


def test_the_page_reads_a_run_once_however_much_is_asked_of_it(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_run("one", 6)
    fake_run("two", 4)
    page = blind_page(monkeypatch)
    read = RunSeries.read_on

    def slowly(run: RunSeries) -> bool:
        time.sleep(0.02)
        return read(run)

    monkeypatch.setattr(RunSeries, "read_on", slowly)
    drawn: list[bool] = []
    page.board.refresh.side_effect = lambda: drawn.append(page._turn.locked())

    async def use() -> None:
        await asyncio.gather(page.choose(["one"]), page.look(), page.choose(["two", "one"]))
        await page.look()

    asyncio.run(use())
    assert [(run.name, len(run.numbers["best"])) for run in page.watched] == [
        ("two", 4),
        ("one", 6),
    ]
    assert drawn == [True, True]  # while nobody else reads
    shown = train.theme.replace_address.call_args.args  # type: ignore[attr-defined]
    assert shown == ("/train?runs=two%2Cone",)


def test_a_run_that_is_removed_is_left_and_a_list_that_fails_is_told_once(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_run("one", 6)
    fake_run("two", 4)
    page = blind_page(monkeypatch)

    async def use() -> None:
        await page.choose(["one", "two"])
        shutil.rmtree(runs / "one")
        await page.look()
        assert [run.name for run in page.watched] == ["two"]
        with monkeypatch.context() as broken:
            broken.setattr(train.listing, "read", refuse)
            await page.look()
            await page.look()

    def refuse() -> list[ListedRun]:
        raise RunError("runs is a file.")

    asyncio.run(use())
    told = [call.args[0] for call in page.complain.call_args_list]  # type: ignore[attr-defined]
    assert list(map(str, told)) == ["one is no longer there.", "runs is a file."]


def test_a_run_that_could_not_be_started_can_be_taken_off_the_list(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainers = Trainers()
    monkeypatch.setattr(train, "trainers", trainers)
    monkeypatch.setattr(train, "listing", Listing(trainers))
    fake_run("one", 2)
    page = blind_page(monkeypatch)

    async def use() -> None:
        trainers._told = {"wrong": "no.", "worse": "no."}
        await page.choose(["one", "wrong"])
        await page.forget("worse")
        assert [run.name for run in page.watched] == ["one", "wrong"]
        await page.forget("wrong")
        assert [run.name for run in page.watched] == ["one"]
        await page.look()

    asyncio.run(use())
    assert [run.name for run in page.listed] == ["one"]
    assert page.runs.show.call_args.args[1] == ["one"]
    page.complain.assert_not_called()  # type: ignore[attr-defined]


def test_another_run_under_the_same_name_is_read_from_its_beginning(runs: Path) -> None:
    fake_run("one", 6)
    run = RunSeries("one")
    assert run.read_on()
    shutil.rmtree(runs / "one")
    fake_run("one", 4)
    with closing(sqlite3.connect(runs / "one" / "run.db")) as database, database:
        database.execute("UPDATE meta SET value = 'later' WHERE key = 'made'")
    assert run.read_on()
    assert (run.count, len(run.numbers["best"]), len(run.seconds)) == (4, 4, 4)


def test_a_run_that_gets_longer_is_read_from_its_beginning(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = ["fitness.opponents=2", "strategy.population=8", "measure.every=3"]
    changes += ["measure.games=2", "measure.champion_games=2", "champion.finalists=2"]
    start_run("one", load("nim-quick", [*changes, "generations=6"]), 1, 1)
    run = RunSeries("one")

    def measured() -> list[int]:
        return [rating.generation for rating in run.ratings["Random moves"]]

    assert run.read_on()
    assert measured() == [0, 3, 5]  # the last one out of turn
    resume_run("one", 1, generations=8)
    assert run.read_on()
    assert measured() == [0, 3, 6, 7]
    assert (run.count, run.experiment["generations"]) == (8, 8)
    # Rows are taken away before they are played again.
    with monkeypatch.context() as early:
        early.setattr(Reader, "count", lambda self: 5)
        assert run.read_on()
    assert measured() == [0, 3]


def test_a_complete_run_goes_on_by_one_click(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[list[str]] = []
    trainers = Trainers()
    monkeypatch.setattr(trainers, "launch", lambda name, words: launched.append(words))
    monkeypatch.setattr(train, "trainers", trainers)
    monkeypatch.setattr(train, "listing", Listing(trainers))
    monkeypatch.setattr(train, "announce_at_the_end", lambda *_: None)
    fake_run("one", 4)
    page = blind_page(monkeypatch)

    async def use() -> None:
        await page.act("more", "one")

    asyncio.run(use())
    page.complain.assert_not_called()  # type: ignore[attr-defined]
    assert launched == [["resume", "one", "--generations=8", "--threads=0", "--quiet"]]
    info = page.listed[0].info
    assert info.can_lengthen
    assert not info._replace(length=5).can_lengthen  # a rule has ended it
    assert not info._replace(status="stopped").can_lengthen


def test_how_a_run_grew_is_read_again_only_when_it_has_grown(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_run("small", 4)
    read: list[tuple[int, int]] = []
    rows = Reader.rows
    monkeypatch.setattr(Reader, "rows", lambda self, *span: read.append(span) or rows(self, *span))
    whole = grown("small")
    assert grown("small") is whole
    assert (whole.nodes, whole.last) == ([(g, g) for g in range(4)], 3)
    monkeypatch.setattr(Reader, "count", lambda self: 3)
    assert grown("small").last == 2
    assert read == [(0, 3), (0, 2)]


def test_charts_of_one_run_and_of_two(runs: Path) -> None:
    fake_run("one", 8)
    fake_run("two", 5)
    both = [RunSeries("one", 3), RunSeries("two", 5)]
    for run in both:
        run.read_on()
    both[0].earlier = [Rating(3, 0.6, 0.4, 0.8), Rating(6, 0.7, 0.5, 0.9)]
    for chosen in (both[:1], both):
        made = [*strength.draw(chosen), *fitness.draw(chosen), *averages.speed(chosen)]
        assert len(made) == 4
        each = [*species.draw(chosen), *lengths.draw(chosen)]
        assert len(each) == 2 * len(chosen)
        for drawn in [*made, *each]:
            json.dumps(drawn.options, allow_nan=False)
            assert drawn.caption.endswith(".")
            assert "dark" not in drawn.caption  # at night, more is brighter
            assert drawn.options["xAxis"]["name"] == "generation"
            assert drawn.options["yAxis"]["name"]
        for drawn in made:  # a run has its colour whoever is beside it
            first = drawn.options["series"][0]
            assert first["itemStyle"]["color"] == "$s3"
    best = fitness.draw(both[:1])[0].options["series"][0]
    assert [point[1] for point in best["data"]] == both[0].numbers["best"]
    assert averages.speed(both)[0].options["yAxis"]["min"] == 0
    sizes = species.draw(both)[0].options
    assert len(sizes["series"]) == 3
    assert not sizes["legend"]["show"]  # so many names would be leafed through
    cells = lengths.draw(both)[0].options["series"][0]["data"]
    assert sum(share for _, _, share in cells) == pytest.approx(8, abs=0.01)


def test_every_number_is_drawn_also_those_no_chart_is_made_for(runs: Path) -> None:
    fake_run("one", 6)
    run = RunSeries("one")
    run.read_on()
    run.numbers["step_size"] = [0.5] * 6  # a strategy's own
    ours, with_own = find_charts(), find_charts((str(OWN_CHART),))

    def titles(charts: list[Chart], folded: bool) -> list[str]:
        found = [each for chart in charts if chart.folded == folded for each in chart.drawn([run])]
        return [drawn.title for drawn in found]

    assert "Learning curve" not in titles(ours, folded=False)
    assert titles(ours, folded=True) == ["Learning", "Step size"]
    assert titles(with_own, folded=False)[-1] == "Learning curve"
    assert titles(with_own, folded=True) == ["Step size"]
    (curve,) = next(chart for chart in with_own if chart.file).drawn([run])
    points = curve.options["series"][0]["data"]
    known = run.numbers["learning"][2:]
    assert points == [[g, pytest.approx(sum(known[: g - 1]))] for g in range(2, 6)]
    json.dumps(curve.options, allow_nan=False)


@pytest.mark.parametrize(
    "body, told",
    [
        ("def draw(runs):\n    return 1 / 0\n", "own.py, line 3: ZeroDivisionError"),
        ("def draw(runs):\n    return ['a line']\n", "own.py: PartError: draw must return"),
    ],
)
def test_a_chart_that_fails_says_why_in_its_place(tmp_path: Path, body: str, told: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(f"NUMBERS = ()\n{body}")
    (chart,) = (chart for chart in find_charts((str(file),)) if chart.file)
    (drawn,) = chart.drawn([RunSeries("one")])
    assert (drawn.title, drawn.options) == ("own.py", {})
    assert told in drawn.caption


@pytest.mark.parametrize("text", ["NUMBERS = ('best',)\n", "NUMBERS = 'best'\ndef draw(r): ...\n"])
def test_a_file_that_is_half_a_chart_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "half.py"
    file.write_text(text)
    with pytest.raises(PartError, match=r"half.py: a chart has NUMBERS"):
        find_charts((str(file),))
    file.write_text("SUMMARY = 'another part'\n")
    assert not any(chart.file for chart in find_charts((str(file), "")[:1]))


def rated(
    values: list[float], anchor: str = "Counting pieces, depth 1", wide: float = 60.0
) -> RunSeries:
    """Return a run with ratings, every tenth generation."""
    run = RunSeries("one")
    run.count = 10 * len(values)
    run.ratings[anchor] = [
        Rating(10 * i, value, value - wide, value + wide) for i, value in enumerate(values)
    ]
    return run


@pytest.mark.parametrize(
    "values, told",
    [
        ([-120], "too early"),
        ([-120, 40], "Yes: from −120 in generation 0 to +40 in generation 10."),
        ([-120, -40, 0, 30, 40, 50], "Yes: from −120 in generation 0 to +45 on average"),
        ([-120, -110, -100, -60], "Not clear yet"),
        ([100, 20, -100, -120], "No, it got weaker"),
    ],
)
def test_whether_a_run_gets_stronger_is_said_as_far_as_games_tell(
    values: list[float], told: str
) -> None:
    assert told in verdict(rated(values))


def test_equal_search_comes_first_whatever_it_tells() -> None:
    run = rated([300, 400], EQUAL_SEARCH)
    run.ratings["Random moves"] = [Rating(g, 20.0, -40.0, 80.0) for g in (0, 10)]
    title = "Elo against counting pieces, equal search"
    assert strength_charts([run])[0].title == title
    assert next(iter(figures_of(run))) == title


def test_the_opponent_that_tells_most_comes_first() -> None:
    run = rated([-100, -20, 10])
    run.ratings["Random moves"] = [Rating(g, 763.0, 335.0, 2273.0, 1) for g in (0, 10, 20)]
    first, second = strength_charts([run])
    assert first.title == "Elo against counting pieces, depth 1"
    assert second.title == "Elo against random moves"
    assert second.options["yAxis"]["min"] <= 335 < second.options["yAxis"]["max"] <= 1000
    tiles = figures_of(run)
    assert tiles["Elo against random moves"] == ("> +335", "won every game")
    assert tiles["Elo against counting pieces, depth 1"] == ("+10", "−50 … +70")
    other = rated([600, 700], "Random moves")  # beside it, both must have met who leads
    titles = [drawn.title for drawn in strength_charts([run, other])]
    assert titles == ["Elo against random moves", "Elo against counting pieces, depth 1"]
    other.experiment = {"game": {"name": "/home/me/games/mine.py:heaps=3,5,7"}}
    run.experiment = {"game": {"name": "chess"}}
    titles = [drawn.title for drawn in strength_charts([run, other])]
    assert titles == [
        "Elo against counting pieces, depth 1 · chess",
        "Elo against random moves · mine.py:heaps=3,5,7",  # a path is nobody's business
        "Grade of the champion · chess",
        "Elo against random moves · chess",
    ]
    del run.ratings["Counting pieces, depth 1"]
    run.earlier = [Rating(20, 0.7, 0.6, 0.8)]
    assert strength_charts([run])[0].title == "Points against earlier champions"
    assert figures_of(run)["Points against earlier champions"] == ("70%", "60% … 80%")
    assert verdict(run).startswith("Yes: its latest champions take 70%")
    for share, told in ((0.55, "Not clear yet"), (0.45, "Not clear yet"), (0.39, "No: ")):
        run.earlier = [Rating(20, share, share - 0.1, share + 0.1)]
        assert verdict(run).startswith(told)


def figures_of(run: RunSeries) -> dict[str, tuple[str, str]]:
    for key in ("games", "best", "mean", "species", "nodes_mean", "links_mean", "grade"):
        run.numbers[key] = [1.0] * run.count
    run.playing = [1.0] * run.count
    return {name: tuple(figure) for name, figure in figures(run).items()}


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"schedule": "circular", "total": "mean"}, "by design the mean stays near ½"),
        ({"schedule": "none", "against": [{"kind": "players"}]}, "should rise"),
        ({"function": "aggressive"}, "aggressive"),
    ],
)
def test_what_to_expect_of_fitness_depends_on_who_is_met(settings: Any, told: str) -> None:
    assert told in fitness.fitness_words({"fitness": settings})


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
    one = next(run for run in listing.read() if run.name == "one")
    assert one.words() == "finished · 2 of 2 generations"
    info = one.info._replace(generations=9, told="the champion's grade has reached 1")
    early = ListedRun(info, "finished", info.told)
    assert early.words() == "finished early · 2 of 9 generations"
    assert early.why() == "The champion's grade has reached 1"
    assert sorted(read) == ["one", "two"]


def test_runs_are_listed_latest_first_after_those_at_work(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, made in (("old", 1000), ("new", 3000), ("middle", 2000)):
        fake_run(name, 1)
        os.utime(runs / name / "config.toml", (made, made))
    trainers = Trainers()
    assert [run.name for run in Listing(trainers).read()] == ["new", "middle", "old"]
    monkeypatch.setattr(trainers, "at_work", lambda: ["old"])
    assert [run.name for run in Listing(trainers).read()] == ["old", "new", "middle"]


def test_a_run_whose_process_is_about_to_end_does_not_begin_again(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_run("one", 2)
    trainers = Trainers()
    listing = Listing(trainers)
    assert listing.read()[0].status == "finished"
    monkeypatch.setattr(trainers, "at_work", lambda: ["one"])
    assert listing.read()[0].status == "starting"
    resume_run("one", generations=4, make_trainer=FakeTrainer)
    assert listing.read()[0].words() == "finished · 4 of 4 generations"


def test_only_so_many_trainers_work_at_once(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def run(folder: Path, *words: str) -> Any:
        started.append(words[0])
        return MagicMock(poll=MagicMock(return_value=None))

    monkeypatch.setattr("evoboard.web.processes.start", run)
    trainers = Trainers()
    for number in range(Trainers.most):
        trainers.start(NewRun(f"run-{number}", {}))
    with pytest.raises(OptionError, match=f"{Trainers.most} runs are being trained here"):
        trainers.start(NewRun("one-more", {}))
    assert started == ["train"] * Trainers.most
    for trainer in trainers._running.values():
        shutil.rmtree(trainer.folder)


def test_a_trainer_that_fails_says_why(runs: Path) -> None:
    trainers = Trainers()
    data = {**resolved(load("nim-quick")), "player": {"encoder": "planes"}}
    trainers.start(NewRun("wrong", data, seed=7))
    assert trainers.is_starting("wrong")
    (begun,) = Listing(trainers).read()
    assert (begun.info.seed, begun.info.game, begun.words()) == (
        7,
        data["game"]["name"],
        "preparing",
    )
    assert "usually takes 5–10 s · 0 s so far" in begun.why()
    wait_for(lambda: not trainers.at_work(), "its end")
    assert "planes does not fit nim" in trainers.trouble()["wrong"]
    (failed,) = Listing(trainers).read()
    assert (failed.status, failed.name) == ("failed", "wrong")


def test_the_last_words_of_a_trainer_are_a_sentence(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    said.write_text("Traceback\n  …\nnumpy._core._exceptions._ArrayMemoryError: No 7 TiB are left")
    assert last_words(said) == "No 7 TiB are left"
    said.write_text("evoboard: planes does not fit nim.")
    assert last_words(said) == "planes does not fit nim."
    assert last_words(tmp_path / "nothing") == "its process ended without a message"


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for all tests; what it trains ends with it."""
    with open_server(tmp_path_factory.mktemp("app"), "--part", str(OWN_CHART)) as running:
        yield running
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(running.folder / "runs"))
        for run in list_runs():
            if run.status == "running":
                request_stop(run.name)


class Page:
    """The Train page, used as a person uses it."""

    def __init__(self, driver: Any, server: Server) -> None:
        self.driver, self.server = driver, server

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, text: str) -> None:
        script = """
            const all = [...document.querySelectorAll('button, .train-section .q-item')];
            const found = all.find(e => e.checkVisibility() && !e.disabled
              && !e.querySelector('.q-spinner')
              && (e.innerText.split('\\n').includes(arguments[0]) || e.ariaLabel === arguments[0]));
            found?.click(); return Boolean(found)"""
        wait_for(lambda: self.js(script, text), f"the button {text}")

    def fill(self, label: str, text: str) -> None:
        # All of it, away, the text, tab.
        keys = "\ue009a\ue000\ue003" + text + "\ue004"
        type_into(self.driver, f"input[aria-label={label!r}]", keys)

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


NOTES_BADGES = """
window.badges = [];
new MutationObserver(() => {
  const badge = document.querySelector('.badge')?.innerText.split(/\\s/)[0];
  const bar = document.querySelector('.thin.unknown')?.checkVisibility() ?? false;
  if (badge) window.badges.push([badge, bar]);
}).observe(document.body, {childList: true, subtree: true, characterData: true, attributes: true});
"""


def test_a_run_is_started_watched_stopped_and_resumed(driver: Any, server: Server) -> None:
    page = Page(driver, server)
    driver.get(f"{server.url}/train?new=nim-quick")
    page.fill("Generations", "0")  # there once the form is laid out, and a name suggested
    page.fill("Name of the run", "tiny")
    told = "return [...document.querySelectorAll('[role=alert]')].map(e => e.innerText).join()"
    typed = "return document.querySelector(`input[aria-label='Generations']`)?.value"

    def complains() -> bool:
        if page.js(typed) != "0":  # on a busy machine the form may be laid out once more
            page.fill("Generations", "0")
            page.fill("Name of the run", "tiny")
        return "Generations is 0; it must be at least 1." in page.js(told)

    wait_for(complains, "the complaint")
    page.fill("Generations", "100000")
    page.press("All settings")
    page.fill("Find a setting", "champion's grade reaches")
    page.fill("Grade", "")  # it would be reached in a moment
    page.fill("Threads", "many")
    wait_for(lambda: "at least 1" not in page.js(told), "consent")
    page.press("Start training")
    wait_for(lambda: "Threads is 'many'; it must be a whole number" in page.js(told), "refusal")
    page.fill("Threads", "1")
    page.js(NOTES_BADGES)  # one that is there for a moment only is not missed
    page.press("Start training")
    wait_for(lambda: "runs=tiny" in driver.current_url, "the run's own address")
    preparing = ["preparing", True]  # with a bar of unknown length
    wait_for(lambda: preparing in page.js("return window.badges"), "the sign that it begins")
    assert "seed 1" in page.js("return document.querySelector('main').innerText")
    wait_for(lambda: "running" in page.badge(), "the run")
    first = wait_for(page.points, "the chart")
    wait_for(lambda: page.points() > first, "more of the chart")
    shown = "return document.querySelector('.train-form').checkVisibility()"
    for _ in range(3):  # the page answers while all cores are busy
        page.press("New run")
        wait_for(lambda: page.js(shown), "the form")
        page.js("document.querySelector('.train-run button').click()")
        wait_for(lambda: not page.js(shown), "the run")
    page.press("Stop")
    wait_for(lambda: page.badge().startswith("stopped"), "the end of its generation")
    stored = describe_status(server, "tiny")
    assert stored[0] == "stopped"
    page.press("Resume")
    wait_for(lambda: page.badge().startswith("running"), "the run again")
    page.press("Stop")
    wait_for(lambda: page.badge().startswith("stopped"), "its second end")
    assert describe_status(server, "tiny")[1] >= stored[1]
    wait_for(lambda: page.js("return document.querySelectorAll('.tile').length"), "its figures")
    page.js("document.querySelector('.charts').scrollIntoView()")
    shown = "return document.querySelector('.lead').innerText"
    wait_for(lambda: "Is it getting stronger?" in page.js(shown), "the first chart")
    links = page.js("return [...document.querySelectorAll('a.plain')].map(e => e.href).join(' ')")
    assert "opponent=run%3Atiny" in links
    assert page.js("return document.documentElement.scrollWidth") <= 1280
    assert console_errors(driver) == []
    assert foreign_requests(driver, server.url) == []


def test_a_report_is_made_left_alone_stopped_and_goes_on(driver: Any, server: Server) -> None:
    page = Page(driver, server)
    folder = server.folder / "reports" / "paper-b-quick"

    def card() -> str:
        shown = """return [...document.querySelectorAll('.card')].map(e => e.innerText)
            .find(text => text.startsWith('B. ')) ?? ''"""
        return str(page.js(shown))

    def press(text: str) -> None:
        script = """
            const card = [...document.querySelectorAll('.card')]
              .find(e => e.innerText.startsWith('B. '));
            const found = [...(card?.querySelectorAll('button') ?? [])]
              .find(e => e.checkVisibility() && e.innerText.split('\\n').includes(arguments[0]));
            found?.click(); return Boolean(found)"""
        wait_for(lambda: page.js(script, text), f"the button {text}")

    driver.get(f"{server.url}/papers")
    cores = os.cpu_count() or 1
    quick, whole = (
        f"about {duration(bench.estimate / cores)} of training on {counted(cores, 'free core')}"
        for length in ("quick", "full")
        for bench in [Bench(find_paper("B"), Scale(length), folder)]
    )
    assert quick != whole
    wait_for(lambda: quick in card(), "the forecast")
    press("Full length")
    wait_for(lambda: whole in card(), "that of the whole")
    press("Quick")
    wait_for(lambda: quick in card(), "the quick one again")
    press("Make a report")
    wait_for(lambda: "being made" in card() and "runs trained; now" in card(), "its progress")
    press("Make a report")
    told = "return document.querySelector('.q-notification')?.innerText ?? ''"
    wait_for(lambda: "is already being made" in page.js(told), "the refusal")
    driver.get(f"{server.url}/compare")  # leaving the page stops nothing
    driver.get(f"{server.url}/papers")
    wait_for(lambda: "being made" in card(), "the report")
    assert look_at(folder).held
    press("Stop")
    wait_for(lambda: "stopped; nothing is lost" in card(), "its end")
    left = look_at(folder)
    assert not left.held
    assert left.progress
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(server.folder / "runs"))
        assert open_study(left.progress.study).seeds == (1, 2)
    links = page.js("return [...document.querySelectorAll('a.plain')].map(e => e.href).join(' ')")
    assert f"/train?study={left.progress.study}" in links
    press("Continue")
    wait_for(lambda: look_at(folder).held, "the same report")
    press("Stop")
    wait_for(lambda: "stopped; nothing is lost" in card() and not look_at(folder).held, "its end")
    # One that another process has finished appears by itself.
    data = {"format": "evoboard-report", "paper": "B", "title": "t", "scale": "quick", "made": ""}
    claims = [{"verdict": "reproduced"}, {"verdict": "not testable"}]
    (folder / "report.html").write_text("<p>ours</p>")
    (folder / "report.json").write_text(json.dumps({**data, "claims": claims}))
    (folder / "progress.json").unlink()
    wait_for(lambda: "2 claims: 1 reproduced, 1 not testable" in card(), "the report")
    wait_for(lambda: "stopped" not in card(), "no word of what was before it")
    assert page.js("return document.documentElement.scrollWidth") <= 1280


def test_a_report_that_fails_says_why_and_only_so_many_are_made(
    tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOBOARD_REPORTS", str(tmp_path / "reports"))
    makers, paper = ReportMakers(), find_paper("B")
    with pytest.raises(OptionError, match="seeds is 21; it must be from 1 to 20"):
        makers.start(paper, Scale("quick", 21))
    started: list[tuple[str, ...]] = []

    def start(folder: Path, *words: str) -> Any:
        started.append(words)
        (folder / "said.txt").write_text("evoboard: no room is left.")
        return MagicMock(poll=MagicMock(return_value=None))

    monkeypatch.setattr("evoboard.web.processes.start", start)
    makers.start(paper, Scale("quick", 3))
    makers.start(paper, Scale("full"))
    assert started[0] == ("paper", "B", "--quick", "--seeds=3")
    with pytest.raises(OptionError, match="2 reports are being made here"):
        makers.start(find_paper("A"), Scale("quick"))
    folder = report_folder(paper, Scale("quick"))
    assert makers.job(folder).status == "starting"
    processes: dict[str, Any] = {name: each.process for name, each in makers._running.items()}
    processes[folder.name].poll = lambda: 1
    assert makers.job(folder)[::2] == ("failed", "no room is left.")
    folder.mkdir(parents=True)
    with Lock(folder):  # somebody makes it in a terminal
        assert makers.job(folder).status == "making"
    assert makers.job(folder).status == ""
    processes["paper-b-full"].poll = lambda: 130
    assert makers.job(report_folder(paper, Scale("full"))).status == ""  # it was asked to end


def test_a_chart_of_ones_own_is_on_the_page_and_further_numbers_on_demand(
    driver: Any, server: Server
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(server.folder / "runs"))
        make_run("grown", 4)  # with champion_links and champion_nodes
        fake_run("learned", 6)
    page = Page(driver, server)
    driver.get(f"{server.url}/train?runs=learned,grown")
    titles = "return [...document.querySelectorAll('.charts .about')].map(e => e.innerText)"
    wait_for(lambda: any("Learning curve" in each for each in page.js(titles)), "the own chart")
    assert not any("Champion links" in each for each in page.js(titles))
    page.press("More numbers")
    wait_for(lambda: any("Champion links" in each for each in page.js(titles)), "more numbers")
    assert console_errors(driver) == []


def describe_status(server: Server, name: str) -> tuple[str, int]:
    """Return a run's status and how many generations it has, from its folder alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(server.folder / "runs"))
        info = describe_run(name)
    return info.status, info.generation


# --- groups of runs -----------------------------------------------------------------------------


def test_the_seeds_of_a_setting_are_one_line_with_a_band(runs: Path) -> None:
    cells = [Cell(f"g={n}", resolved(fake_experiment(n, {"games_every": 0}))) for n in (6, 8)]
    study = make_study("s", cells, [1, 2, 3, 4])
    train_study(study, make_trainer=FakeTrainer)
    assert studies() == {"s": [run.name for run in study.runs()]}
    series = [RunSeries(run.name) for run in study.runs()]
    for run in series:
        run.read_on()
    groups = grouped(series, "s")
    assert [(group.name, len(group.members)) for group in groups] == [("g=6", 4), ("g=8", 4)]
    found = gather(study)
    values = found.array("g=8", "best")
    assert groups[1].values("best") == pytest.approx(values.mean(axis=0))
    interval = found.curves("best", whole=True)[1].interval
    assert [row[1] for row in groups[1].band("best")] == pytest.approx(interval.low)
    assert [row[2] for row in groups[1].band("best")] == pytest.approx(interval.high)
    assert groups[1].ratings["Random moves"][0].value == 120
    # Without a study, runs of one experiment belong together.
    assert [len(group.members) for group in grouped(series)] == [4, 4]
    assert [group.name for group in grouped(series)] == ["s-g-6", "s-g-8"]
    (drawn,) = [d for d in fitness.draw(groups) if d.title == "Fitness"]
    bands = [each for each in drawn.options["series"] if each["id"].startswith("band g=")]
    assert [len(each["data"]) for each in bands] == [6, 8]
    for chart in find_charts():
        chart.drawn(groups)  # whatever a chart draws, it draws groups


def test_a_run_that_ended_early_keeps_its_value_in_its_group() -> None:
    one, two = RunSeries("one"), RunSeries("two")
    one.count, one.finished, one.numbers = 2, True, {"grade": [0.5, 1.0]}
    two.count, two.finished, two.numbers = 4, False, {"grade": [0.2, 0.4, 0.6, 0.8]}
    one.ratings = {"A": [Rating(0, 10, 0, 20), Rating(1, 30, 0, 60)]}
    two.ratings = {"A": [Rating(0, 20, 0, 40), Rating(3, 50, 0, 90)]}
    for run in (one, two):
        run.seconds = run.playing = [1.0] * run.count
    group = GroupSeries("both", [one, two])
    assert group.values("grade") == pytest.approx([0.35, 0.7, 0.8, 0.9])
    assert [(each.generation, each.value) for each in group.ratings["A"]] == [(0, 15), (3, 40)]
    one.finished = False
    group.gather()
    assert group.count == 2
    assert [each.generation for each in group.ratings["A"]] == [0]


def test_any_number_of_runs_is_shown_as_groups(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"many-{number}" for number in range(1, 10)]
    for name in names:
        fake_run(name, 3)
    page = train.TrainPage(MagicMock())
    page.runs = page.board = page.form = MagicMock()
    monkeypatch.setattr(page, "complain", MagicMock())
    monkeypatch.setattr(train.theme, "replace_address", address := MagicMock())
    page._list()
    asyncio.run(page.choose(names))
    assert [(line.name, len(line.members)) for line in page.lines] == [("many", 9)]
    assert "group=1" in address.call_args.args[0]
    asyncio.run(page.regroup(False))
    assert len(page.lines) == train.MOST_WATCHED
    page.complain.assert_called_once()
    asyncio.run(page.choose(names[:2]))
    assert [line.name for line in page.lines] == names[:2]
    asyncio.run(page.choose_study("nope"))
    assert "No run of a study named nope" in str(page.complain.call_args)
