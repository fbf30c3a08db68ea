"""The Compare page: tournaments in the background, on disk, and in a browser."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from browser import (
    Server,
    console_errors,
    foreign_requests,
    require_browser,
    wait_for,
)
from compare_runs import same_table

require_browser()

from evoboard.arena.contest import Contest, EndedGame, Terms, play_contest  # noqa: E402
from evoboard.arena.game_text import read_text  # noqa: E402
from evoboard.arena.match import Match  # noqa: E402
from evoboard.arena.ratings import rate  # noqa: E402
from evoboard.core.errors import NotFound, OptionError, PartError  # noqa: E402
from evoboard.core.settings import read  # noqa: E402
from evoboard.games.base import Game, load_game  # noqa: E402
from evoboard.games.history import History  # noqa: E402
from evoboard.players.base import make_player  # noqa: E402
from evoboard.players.champion import FOLDER  # noqa: E402
from evoboard.search.base import Finder  # noqa: E402
from evoboard.web.comparing import saved  # noqa: E402
from evoboard.web.comparing import tournaments as tournaments_module  # noqa: E402
from evoboard.web.comparing.standings import standing_rows  # noqa: E402
from evoboard.web.comparing.tournaments import Tournament, TournamentPlan, Tournaments  # noqa: E402
from evoboard.web.folders import game_path  # noqa: E402
from evoboard.web.pages import compare  # noqa: E402
from evoboard.web.pages.compare import command  # noqa: E402

PLAYERS = ("material:depth=1", "random", "material:depth=2")


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of games."""
    monkeypatch.setenv("EVOBOARD_GAMES", str(tmp_path))
    return tmp_path


def planned(game: Game, players: tuple[str, ...], games: int, **more: int) -> TournamentPlan:
    """Return a plan, checked."""
    return read(TournamentPlan, {"game": game, "players": players, "games": games, **more})


def played(plan: TournamentPlan) -> Tournament:
    tournament = Tournament(plan)
    tournament.play()
    assert tournament.told == ""
    return tournament


def test_the_games_are_those_of_the_command_line() -> None:
    game = load_game("kingcapture")
    tournament = played(planned(game, PLAYERS, 4, seed=3))
    expected = play_contest(game, PLAYERS, 4, Terms(3))
    assert tournament.state == "finished"
    assert same_table(Contest.of(PLAYERS, tournament.games()).table, expected.table)
    assert [g.record.moves for g in tournament.games()] == [r.moves for r in expected.records]


def test_a_game_has_its_number_from_the_beginning_though_games_end_in_any_order(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = Tournament(planned(load_game("kingcapture"), PLAYERS, 2, seed=2))
    seen: dict[int, tuple[int, ...]] = {}

    class Noted(list[EndedGame]):
        def append(self, ended: EndedGame) -> None:
            self.insert(0, ended)  # the last one first
            seen[ended.number] = ended.record.moves

    tournament.ended = Noted()
    tournament.play()
    found = tournament.games()
    assert [each.number for each in found] == list(range(6))
    assert [each.record.moves for each in found] == [seen[n] for n in range(6)]
    openings = Contest.of(PLAYERS, found).table.openings.tolist()
    assert openings == tournament.plan.schedule().opening_of.tolist()
    tournament.ended = found[3:]  # cancelled: the first games have not ended
    tournament.state = "cancelled"
    saved.save(tournament)
    back = saved.load(tournament.name, load_game)
    assert [each.number for each in back.games()] == [3, 4, 5]
    text = read_text(game_path(saved.write_game(back, 4)).read_text())
    assert tuple(text.tree(load_game).moves) == seen[4]


@pytest.mark.parametrize(
    "change, told",
    [
        ({"players": PLAYERS[:1]}, "it must have at least 2"),
        ({"players": ("random", "random")}, "chosen twice"),
        ({"games": 3}, "games must be even: every opening"),
        ({"games": 2.5}, "games is 2.5; it must be a whole number"),
        ({"games": 100_000}, "at most 20,000"),
        ({"seed": -1}, "at least 0"),
        ({"opening_plies": 101}, "at most 100"),
    ],
)
def test_a_plan_that_cannot_be_played_says_why(change: dict[str, Any], told: str) -> None:
    usual: dict[str, Any] = {"game": load_game("nim"), "players": PLAYERS[:2], "games": 2}
    with pytest.raises(OptionError, match=told):
        read(TournamentPlan, {**usual, **change})


def test_a_player_that_cannot_be_made_is_named() -> None:
    tournament = Tournament(planned(load_game("nim"), ("random", "run:nobody"), 2))
    tournament.play()
    assert tournament.state == "failed"
    assert "nobody" in tournament.told


@pytest.mark.parametrize(
    "change",
    [
        {"players": ["x:a=1,a=2", "random"]},
        {"players": ["a\ud800", "random"]},
        {"told": "\ud800"},
        {"seed": 1e999},
        {"ended": [[0, 1, 10**23, "3,4 0", "", 0, "", 1]]},
        {"ended": [[0, 1, 0, "3,4 0", "", 0, "\ud800", 10**23]]},
        {"players": 5},
    ],
)
def test_an_odd_tournament_file_breaks_nothing(games: Path, change: dict[str, Any]) -> None:
    tournament = played(planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 2))
    saved.save(tournament)
    path = saved.tournaments_folder() / f"{tournament.name}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    for text in saved.described().values():
        text.encode("utf-8")
    with suppress(PartError):
        back = saved.load(tournament.name, load_game)
        json.dumps([back.told, *back.plan.players], ensure_ascii=False).encode("utf-8")


def test_cancelling_ends_even_a_long_thought(monkeypatch: pytest.MonkeyPatch) -> None:
    # Players yield to others: on a machine that is busy otherwise they hardly get on.
    monkeypatch.setattr(tournaments_module, "PATIENCE", 600.0)
    slow = ("material:depth=30", "material:depth=31")
    asked, ended = threading.Event(), threading.Event()
    find = Finder.find
    tournaments, game = Tournaments(), load_game("kingcapture")
    make_player("material:depth=2", game).think(History(game), 1)  # compiled

    def noted(finder: Finder, *given: Any) -> None:
        asked.set()
        find(finder, *given)

    monkeypatch.setattr(Finder, "find", noted)
    tournament = tournaments.start(planned(game, slow, 2), lambda _: ended.set())
    assert asked.wait(600)
    time.sleep(0.3)
    tournaments.cancel_all()  # as at the end of the server, which waits until all is saved
    assert ended.is_set()
    assert tournament.state == "cancelled"


def test_a_tournament_is_kept_and_read_back(games: Path) -> None:
    tournament = played(planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 6, seed=5))
    saved.save(tournament)
    back = saved.load(tournament.name, load_game)
    kept = [g._replace(record=replace(g.record, seconds=(0.0, 0.0))) for g in tournament.games()]
    assert back.games() == kept
    assert (back.plan.players, back.plan.games, back.state) == (
        tournament.plan.players,
        6,
        "finished",
    )
    assert list(saved.described()) == [tournament.name]
    name = saved.write_game(back, 2)
    text = read_text(game_path(name).read_text())
    record = tournament.games()[2].record
    tree = text.tree(load_game)
    assert (tuple(tree.moves), tree.result(tree.end)) == (record.moves, record.result)


def test_a_list_of_tournaments_reads_only_their_first_lines(games: Path) -> None:
    tournament = played(planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 6))
    saved.save(tournament)
    told = {tournament.name: "nim:heaps=3/4, 6 games: Perfect play, Random moves"}
    path = saved.tournaments_folder() / f"{tournament.name}.json"
    whole = json.loads(path.read_text())
    path.write_text(path.read_text().partition("\n")[0] + "\nnot JSON")
    assert saved.described() == told
    del whole["count"]
    path.write_text(json.dumps(whole))  # as tournaments were once written: one line
    assert saved.described() == told
    assert len(saved.load(tournament.name, load_game).games()) == 6


def test_one_file_that_cannot_be_read_hides_no_other(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = played(planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 2))
    names = [f"tournament-{number}" for number in range(4)]
    for age, name in enumerate(names):
        saved.save(Tournament(tournament.plan, name, "finished", "", tournament.games()))
        os.utime(saved.tournaments_folder() / f"{name}.json", (0, 1000 + age))
    folder = saved.tournaments_folder()
    (folder / "tournament-x.json").symlink_to(folder / "nothing")
    (folder / "tournament-y.json").write_text("no tournament")
    (folder / "tournament-z.json").mkdir()
    assert list(saved.described()) == names[::-1]
    monkeypatch.setattr(saved, "SHOWN", 3)
    assert list(saved.described()) == names[:0:-1]


def test_only_what_is_on_disk_is_forgotten(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments_module, "KEPT", 2)
    plan = planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 2)
    known = Tournaments()

    def add(name: str) -> Tournament:
        tournament = Tournament(plan, name, "finished")
        saved.save(tournament)
        return known.add(tournament)

    with monkeypatch.context() as full:
        full.setattr(saved, "write_whole", full_disk)
        unsaved = add("tournament-0")
    assert unsaved.told == "This tournament cannot be saved: No space left on device."
    for number in range(1, 5):
        add(f"tournament-{number}")
    found = [name for name in (f"tournament-{i}" for i in range(5)) if known.find(name)]
    assert found == ["tournament-0", "tournament-3", "tournament-4"]
    assert known.add(saved.load("tournament-1", load_game)).kept


def full_disk(*_: Any) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, "No space left on device")


def test_only_so_many_tournaments_are_played_at_once() -> None:
    known, plan = (
        Tournaments(),
        planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 2),
    )
    for _ in range(tournaments_module.MOST_AT_ONCE):
        known.add(Tournament(plan))
    with pytest.raises(OptionError, match="2 tournaments are being played"):
        known.start(plan, lambda _: None)
    next(iter(known._known.values())).state = "finished"
    ended = threading.Event()
    known.start(plan, lambda _: ended.set())
    assert ended.wait(300)


def test_a_game_that_was_forfeited_is_written_so(games: Path) -> None:
    game = load_game("nim:heaps=3/4")
    match = Match(game)
    match.play(match.legal[0])
    match.forfeit()
    plan = planned(game, ("perfect", "random"), 2)
    tournament = Tournament(plan, state="finished", ended=[EndedGame(0, 0, 1, 0, match.record())])
    text = read_text(game_path(saved.write_game(tournament, 0)).read_text())
    assert (text.result, text.reason) == ("1-0", "illegal move")


def test_what_went_wrong_is_shown_though_nothing_else_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = compare.ComparePage(MagicMock())
    for part in ("anchor", "badge", "bar", "cancel", "trouble", "standings", "games"):
        setattr(page, part, MagicMock())
    page.anchor.value = 0
    monkeypatch.setattr(page, "_list_earlier", MagicMock())
    plan = planned(load_game("nim:heaps=3/4"), ("perfect", "random"), 2)
    page.tournament = Tournament(plan, state="finished")
    asyncio.run(page.look())
    page.tournament.told = "This tournament cannot be saved."  # which is known after its end
    asyncio.run(page.look())
    asyncio.run(page.look())
    assert [call.args for call in page.trouble.say.call_args_list] == [
        ("",),
        ("This tournament cannot be saved.",),
    ]


def test_a_damaged_tournament_is_named_and_no_name_leaves_the_folder(games: Path) -> None:
    tournament = played(planned(load_game("nim"), ("random", "perfect"), 2))
    saved.save(tournament)
    path = saved.tournaments_folder() / f"{tournament.name}.json"
    data = json.loads(path.read_text())
    for wrong in ({**data, "ended": [[0, 7, 0, "", "", 0, "", 0]]}, {**data, "game": 3}, [], {}):
        path.write_text(json.dumps(wrong))
        with pytest.raises(PartError, match="cannot be read"):
            saved.load(tournament.name, load_game)
    for name in ("../../etc/passwd", "nobody", ""):
        with pytest.raises(NotFound):
            saved.load(name, load_game)


def test_the_command_names_no_folder_of_the_server(games: Path) -> None:
    shipped = f"file:{FOLDER / 'nim.json'},depth=2"
    loaded = f"file:{Path.cwd() / 'mine.json'}"
    told = command(planned(load_game("nim"), (shipped, loaded, "run:mine@gen=4"), 2))
    players = "champion:nim,depth=2 file:mine.json run:mine@gen=4"
    assert told == f"evoboard tournament {players} --game nim --games 2 --seed 1"
    make_player("champion:nim,depth=2", load_game("nim"))
    own = Path(os.path.relpath(Path(__file__).parent.parent / "examples" / "othello.py"))
    plan = planned(load_game(f"{own.resolve()}"), ("random", "run:mine"), 2)
    assert command(plan) == f"evoboard tournament random run:mine --game {own} --games 2 --seed 1"
    assert compare._how(plan).startswith("othello, 2 games a pair from openings of ")


def test_the_rest_of_a_tournament_is_estimated_by_the_tournament_itself() -> None:
    tournament = Tournament(planned(load_game("nim"), ("random", "perfect"), 100))
    tournament._began = time.monotonic() - 10
    assert tournament.seconds_left(2) is None
    assert tournament.seconds_left(20) == pytest.approx(40, rel=0.01)


def test_the_standings_are_ordered_and_their_cells_lead_to_pairs() -> None:
    tournament = played(planned(load_game("kingcapture"), PLAYERS, 4))
    contest = Contest.of(PLAYERS, tournament.games())
    rows, ticks = standing_rows(contest, 1)
    ratings = rate(contest.table, 1)
    assert [row["player"] for row in rows] == ratings.order().tolist()
    assert rows[-1]["elo"] == "0"
    assert [tick["at"] for tick in ticks if tick["text"] == "0"] == [rows[-1]["dot"]]
    assert 3 <= len(ticks) <= 8
    assert rows[0]["cells"][0]["at"] is None
    one, other = rows[0]["cells"][2]["at"]
    points = contest.table.cross().points()
    assert rows[0]["cells"][2]["text"] == f"{points[one, other]:g}"
    empty, none = standing_rows(Contest.of(PLAYERS, []))
    assert none == []
    assert {row["elo"] for row in empty} == {"–"}


# --- in a browser -------------------------------------------------------------------------------


def press(driver: Any, text: str) -> None:
    """Press the visible button with a text or label."""
    driver.execute_script(
        """const all = [...document.querySelectorAll('button')].filter(e => e.checkVisibility());
        const found = all.find(e => e.innerText.split('\\n').includes(arguments[0])
          || e.ariaLabel === arguments[0]);
        if (!found) throw new Error('no button ' + arguments[0]); found.click()""",
        text,
    )


def texts(driver: Any, selector: str) -> list[str]:
    """Return what the elements that a selector finds say."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)"
    found: list[str] = driver.execute_script(script, selector)
    return found


def test_a_tournament_from_the_page_to_a_game_in_replay(driver: Any, server: Server) -> None:
    players = "material:depth=1;random;material:depth=2"
    driver.get(f"{server.url}/compare?game=kingcapture&players={players}")
    wait_for(lambda: len(texts(driver, ".picked .line")) == 3, "the players")
    press(driver, "Remove Random moves")
    wait_for(lambda: len(texts(driver, ".picked .line")) == 2, "one player less")
    press(driver, "Play the tournament")
    badge = ".badge"
    wait_for(lambda: any("finished · 20 of 20" in text for text in texts(driver, badge)), "its end")
    wait_for(lambda: len(texts(driver, ".cross button")) == 2, "the cross-table")
    assert sum(map(float, texts(driver, ".cross button"))) == 20
    named = ["Counting pieces, depth 2", "Counting pieces, depth 1"]
    assert texts(driver, ".ratings .who") == named
    assert texts(driver, ".scale .tick-text")
    assert "c=tournament-" in driver.current_url
    driver.refresh()
    wait_for(lambda: len(texts(driver, ".cross button")) == 2, "the cross-table after a reload")
    driver.execute_script("document.querySelector('.cross button').click()")
    wait_for(lambda: len(texts(driver, ".pair-game")) == 20, "the games of the pair")
    assert console_errors(driver) == []
    press(driver, "Analyse game 3")
    # Analysis works on a copy of the game, whose name soon stands in the address.
    wait_for(lambda: "/analysis?t=" in driver.current_url, "the game's own page")
    wait_for(lambda: texts(driver, "button.evm-move"), "its moves")
    assert console_errors(driver) == []
    assert foreign_requests(driver, server.url) == []


def test_a_wrong_address_is_told_and_a_file_is_refused(driver: Any, server: Server) -> None:
    driver.get(f"{server.url}/compare?c=../../secret")
    alert = "[role=alert]"
    wait_for(lambda: any("no tournament" in text for text in texts(driver, alert)), "the complaint")
    driver.get(f"{server.url}/compare?players=file:/etc/passwd")
    wait_for(
        lambda: any("not a file of this app" in text for text in texts(driver, alert)), "refusal"
    )
    assert console_errors(driver) == []
