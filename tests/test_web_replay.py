"""The page of recorded games: finding them, stepping through them, and what networks think."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from browser import (
    Server,
    hand_over,
    open_server,
    require_browser,
    set_screen,
    wait_for,
)
from small_run import make_run, network_of

require_browser()

from evoboard.arena.game_text import written  # noqa: E402
from evoboard.arena.game_tree import GameTree  # noqa: E402
from evoboard.arena.match import Match  # noqa: E402
from evoboard.core.errors import NotationError, NotFound, OptionError  # noqa: E402
from evoboard.games.base import load_game  # noqa: E402
from evoboard.games.history import History  # noqa: E402
from evoboard.networks import graph  # noqa: E402
from evoboard.players.setup import Setup  # noqa: E402
from evoboard.search.base import Thought  # noqa: E402
from evoboard.store.games import GameFilter  # noqa: E402
from evoboard.store.reader import open_run  # noqa: E402
from evoboard.store.records import GameRecord, KeptGame  # noqa: E402
from evoboard.web.async_player import offered_judge  # noqa: E402
from evoboard.web.network.source import load_run_game  # noqa: E402
from evoboard.web.replay.judges import (  # noqa: E402
    FIRST,
    SECOND,
    Judge,
    judge_game,
    make_judge,
    offered_judges,
)
from evoboard.web.replay.recorded import (  # noqa: E402
    Recorded,
    kinds_of,
    list_games,
    open_game,
    place_of,
)
from evoboard.web.session import GameSession  # noqa: E402
from evoboard.web.site import Site  # noqa: E402
from evoboard.web.values import value_text  # noqa: E402


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a run in it."""
    folder = tmp_path_factory.mktemp("app")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(folder / "runs"))
        patch.setenv("EVOBOARD_GAMES", str(folder / "games"))
        make_run("made")
        yield folder


@pytest.fixture
def site(runs: Path) -> Site:
    """A site over that folder."""
    return Site()


def fittest(generation: int) -> list[int]:
    """Return the ids of a generation, the fittest first."""
    with open_run("made") as reader:
        found = reader.individuals(generation)
    return [int(i) for i in found.ids[(-found.fitness).argsort(kind="stable")]]


def plays(kept: KeptGame, text: str) -> tuple[bool, bool]:
    """Tell by the slow way whether a player is first, and second."""
    players = kept.game.first, kept.game.second
    if text == "champion":
        with open_run("made") as reader:
            who: Any = reader.rows(kept.generation, kept.generation)[0].champion
    elif text.startswith("#"):
        who = fittest(kept.generation)[int(text[1:]) - 1]
    elif text.isdigit():
        who = int(text)
    else:
        return tuple(isinstance(p, str) and text.lower() in p for p in players)  # type: ignore
    return players[0] == who, players[1] == who


RESULTS: dict[str, Callable[[int, bool, bool], bool]] = {
    "": lambda result, one, other: True,
    "first": lambda result, one, other: result > 0,
    "draw": lambda result, one, other: result == 0,
    "second": lambda result, one, other: result < 0,
    "won": lambda result, one, other: (one and result > 0) or (other and result < 0),
    "lost": lambda result, one, other: (one and result < 0) or (other and result > 0),
}


@pytest.mark.parametrize("player", ["", "champion", "#2", "19", "Rand"])
@pytest.mark.parametrize("result", RESULTS)
def test_filters_find_what_a_slow_search_finds(runs: Path, player: str, result: str) -> None:
    if result in ("won", "lost") and not player:
        return
    with open_run("made") as reader:
        everything = reader.games()
    for generation in (None, 3):
        for purpose in ("", "anchor"):
            wanted = GameFilter(generation, purpose, player, result)
            expected = [
                (kept.generation, kept.number)
                for kept in everything
                if generation in (None, kept.generation)
                and purpose in ("", kept.game.purpose)
                and (not player or any(plays(kept, player)))
                and RESULTS[result](kept.game.record.result, *plays(kept, player or "none"))
            ]
            expected.sort(key=lambda place: (-place[0], place[1]))
            total, found = list_games("made", wanted, 0, 100)
            assert [row.kept[:2] for row in found] == expected
            assert total == len(expected)
            assert [place_of("made", wanted, *place) for place in expected] == [*range(len(found))]


def test_pages_of_the_list_join_and_players_have_words(runs: Path, site: Site) -> None:
    whole = list_games("made", GameFilter(), 0, 100)[1]
    pages = [list_games("made", GameFilter(), *page)[1] for page in ((0, 7), (7, 100))]
    assert [row for page in pages for row in page] == whole
    assert place_of("made", GameFilter(purpose="title"), 3, 0) is None
    ranks = {f"#{i}" for i in range(1, 7)}
    names = {name for row in whole for name in row.labels}
    assert names <= ranks | {"champion", "champion of generation 2", "Random moves"}
    assert any("champion" in row.labels for row in whole)
    kinds = kinds_of("made", site)
    assert (kinds.generations, kinds.purposes) == ([3, 0], ["anchor", "fitness", "previous"])
    with pytest.raises(OptionError, match="#0"):
        list_games("made", GameFilter(player="#0"), 0, 1)


def test_a_recorded_game_is_played_again(runs: Path, site: Site) -> None:
    with open_run("made") as reader:
        kept = reader.games(GameFilter(3))[4]
    found = open_game("made", 3, kept.number, site)
    assert tuple(found.session.tree.moves) == kept.game.record.moves
    assert (found.session.result, found.session.reason) == (
        kept.game.record.result,
        kept.game.record.reason,
    )
    assert found.players == (kept.game.first, kept.game.second)
    place = fittest(3).index(kept.game.first) + 1
    champion = found.row.labels[0] == "champion"
    assert found.session.seats[0] == f"run:made@gen=3{'' if champion else f'#{place}'}"
    with pytest.raises(NotFound, match="game 99"):
        open_game("made", 3, 99, site)


def test_every_game_of_the_list_opens_also_those_against_earlier_champions(
    runs: Path, site: Site
) -> None:
    for row in list_games("made", GameFilter(), 0, 100)[1]:
        found = open_game("made", *row.kept[:2], site)
        assert found.row == row
        earlier = row.kept.game.purpose == "previous"
        assert (found.session.seats[1] == "run:made@gen=2") == earlier
        assert found.known == tuple(player != "Random moves" for player in row.labels)


def test_a_run_whose_game_file_is_gone_says_what_to_do(site: Site) -> None:
    with pytest.raises(NotFound, match=r"'gone.py'.*evoboard app --game gone.py") as told:
        load_run_game("mine", "/some/where/gone.py:size=3", site)
    assert "/some" not in str(told.value)


def test_judges_play_the_same_game_with_the_same_options(runs: Path, site: Site) -> None:
    usual, other = load_game("nim"), load_game("nim:heaps=2/3")
    assert "champion:nim" in offered_judges(usual, site)
    assert {"champion:nim", "run:made"}.isdisjoint(offered_judges(other, site))
    with pytest.raises(OptionError, match=r"^Champion of nim\S* plays nim; .* nim, heaps 2/3\.$"):
        make_judge("champion", other, None, site, searches=True)
    with pytest.raises(OptionError, match="plays kingcapture"):
        make_judge("run:made", usual, None, site, searches=False)


def test_a_judge_says_what_the_page_analysis_says(runs: Path, site: Site) -> None:
    found = open_game("made", 3, 7, site)
    game, state = found.session.game, found.session.line[3].state
    for key, text in ((FIRST, "run:made@gen=3"), (SECOND, "run:made@gen=2")):
        judge = make_judge(key, game, found, site, searches=True).by[0]
        expected = offered_judge(text, game).think(History.of(game, state), 1)
        assert judge.think(History.of(game, state), 1).value == expected.value
        for searches in (True, False):
            asyncio.run(judged(found, make_judge(key, game, found, site, searches=searches)))
            thought = found.session.line[3].thought
            assert thought is not None
            assert (thought.value == expected.value) == searches


async def judged(found: Recorded, judge: Judge) -> None:
    """Have a game judged."""
    for node in found.session.line:
        node.thought = None
    await judge_game(found.session, judge, lambda: None)


class Engine:
    """A player that holds something until it is let go, as a program does."""

    name, deterministic, closed = "engine", True, 0

    def think(self, history: History, *_: Any) -> Thought:
        """Return the first move."""
        return Thought(history.verdict()[1][0], 0.5, (), 1, 1, 0.0, {})

    def close(self) -> None:
        """Let it go."""
        self.closed += 1


def test_a_judge_that_has_judged_is_let_go(runs: Path, site: Site) -> None:
    found, engine = open_game("made", 3, 7, site), Engine()
    asyncio.run(judged(found, Judge((engine, engine))))
    assert engine.closed == 1
    assert found.session.line[0].thought is not None


def test_a_record_that_todays_rules_refuse_is_named() -> None:
    game = load_game("nim:heaps=3")
    record = GameRecord("nim", game.version, "3 0", (2, 1), 1, "last match taken", 1)
    tree = GameTree.of_record(record, game)
    assert tree.result(tree.end) == 1
    wrong = GameRecord("nim", 0, "3 0", (2, 2), 1, "last match taken", 1)
    with pytest.raises(NotationError, match=r"ply 2 .* version 0"):
        GameTree.of_record(wrong, game)
    other = GameRecord("nim", game.version, "3 0", (2, 1), -1, "last match taken", 1)
    with pytest.raises(NotationError, match="would have ended differently"):
        GameTree.of_record(other, game)
    given_up = GameRecord("nim", game.version, "3 0", (2,), -1, "illegal move", 6)
    session = GameSession("g", GameTree.of_record(given_up, game))
    assert (session.over, session.verdict()) == (True, "Second wins: illegal move")


# --- in the browser --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[Server]:
    """One app for all tests."""
    with open_server(runs) as running:
        yield running


BOARD = "const b = getElement(document.querySelector('.board-row .evb').id.slice(1)).board;"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"


class Page:
    """The page, used as a person uses it."""

    def __init__(self, driver: Any, server: Server) -> None:
        self.driver, self.server = driver, server

    def open(self, **query: Any) -> Page:
        """Open an address and wait for a game."""
        self.driver.get(f"{self.server.url}/replay?{urlencode(query)}")
        found = f"try {{ {BOARD} return b.data.revision > 0 && window.did_handshake }} catch {{ }}"
        wait_for(lambda: self.js(found), "the board")
        return self

    def js(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def pieces(self) -> dict[int, str]:
        """Return the pieces drawn, by cell."""
        told = f"{BOARD} return [...b.men].map(([c, m]) => [c, m.piece.side + m.piece.symbol])"
        return {int(cell): piece for cell, piece in self.js(told)}

    def shows(self, session: GameSession, ply: int) -> bool:
        """Tell whether the position after some plies is on the board."""
        pieces = session.tree.view(session.line[ply]).pieces
        return self.pieces() == {piece.cell: f"{piece.side}{piece.symbol}" for piece in pieces}

    def key(self, key: str) -> None:
        """Press a key."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(key).perform()

    def press(self, label: str) -> None:
        """Press the button with a label."""
        found = "[...document.querySelectorAll('button')].find(e => e.ariaLabel === arguments[0])"
        self.js(f"{found}.click()", label)

    def asked(self) -> dict[str, str]:
        """Return what the address asks for."""
        query = parse_qs(urlsplit(self.driver.current_url).query)
        return {name: values[0] for name, values in query.items()}

    def rows(self) -> list[list[str]]:
        """Return the list of games."""
        cells = "[...r.cells].map(c => c.innerText)"
        return self.js(f"return [...document.querySelectorAll('.rg tbody tr')].map(r => {cells})")


@pytest.fixture
def page(driver: Any, server: Server) -> Page:
    """A page, nothing opened yet."""
    return Page(driver, server)


def test_stepping_by_keys_clicks_and_by_itself(page: Page, site: Site) -> None:
    found = open_game("made", 3, 4, site)
    session, plies = found.session, found.session.ply
    page.open(run="made", generation=3, game=4)
    wait_for(lambda: page.shows(session, 0), "the first position")
    for keys, ply in (((RIGHT, RIGHT), 2), ((LEFT,), 1), ((DOWN,), plies), ((UP,), 0)):
        for key in keys:
            page.key(key)
        wait_for(lambda ply=ply: page.shows(session, ply), f"ply {ply}")
    page.js("document.querySelectorAll('.evm-move')[2].click()")
    wait_for(lambda: page.shows(session, 3), "the move clicked")
    page.js("document.querySelectorAll('.evm-move')[arguments[0]].click()", plies - 3)
    wait_for(lambda: page.shows(session, plies - 2), "the last but two")
    page.press("Play (p)")
    wait_for(lambda: page.shows(session, plies), "the end, by itself")
    verdict = page.js("return document.querySelector('.evm-result').innerText")
    assert verdict == found.session.verdict()
    wait_for(
        lambda: page.js("return !!document.querySelector('[aria-label=\"Play (p)\"]')"), "rest"
    )


def test_a_network_is_asked_about_every_position(page: Page, site: Site) -> None:
    found = open_game("made", 3, 4, site)
    assert found.known == (True, True)
    page.open(run="made", generation=3, game=4)
    points = "return getElement(document.querySelector('.evg').id.slice(1)).points"
    wait_for(lambda: None not in page.js(points), "all evaluations")
    slot = found.players[0] % 6
    network, game = network_of(3, slot), found.session.game
    setup = Setup(game.name, "squares", settings={"depth": 1, "all_values": 1})
    player = setup.bind(game).player(graph.pack([network]))
    states = [node.state for node in found.session.line]
    moves = found.session.tree.moves

    def noted(values: list[float]) -> bool:
        """Tell whether the first moves have these values, each seen by whoever is to move."""
        script = "return [...document.querySelectorAll('.evm-move small')].map(e => e.innerText)"
        notes = page.js(script)[: len(values)]
        seen = [-v if game.side(state) else v for v, state in zip(values, states[1:], strict=False)]
        return notes == [value_text(value, scale) for value in seen]

    # With its search, as on the page Analysis.
    thoughts = [player.think(History.of(game, state), 1) for state in states[1:7]]
    searched, scale = [thought.value for thought in thoughts], thoughts[0].scale
    wait_for(lambda: noted(searched), "what it thinks")
    # Depth 1 sees the value of the position after each move, for whoever moved.
    still = [
        -player.think(History.of(game, states[p - 1]), 1).move_values[moves[p - 1]]
        for p in range(1, 7)
    ]
    how = "return document.querySelector('.rp-said').innerText"
    assert "1 ply deep" in page.js(how)
    page.js("document.querySelector('.rp-side .q-toggle').click()")
    wait_for(lambda: noted(still), "what it says without search")
    assert "without search" in page.js(how)


def test_moves_and_buttons_need_no_scrolling(page: Page) -> None:
    set_screen(page.driver, 1280, 800)
    try:
        page.open(run="made", generation=3, game=7)
        bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
        for part in (".evm", ".rp-steps", ".rp-side"):
            assert 0 < page.js(bottom, part) <= 800, part
    finally:
        set_screen(page.driver, 1280, 900)


def test_filters_and_choosing_a_game(page: Page) -> None:
    page.open(run="made", generation=0, game=2)
    counted = "return document.querySelector('.rp-pager').innerText"
    assert "of 30" in page.js(counted)
    wait_for(
        lambda: page.js("return document.querySelector('.rg tr.now')?.cells[0].innerText") == "0",
        "mark",
    )
    page.js("document.querySelector('.rp-filters input:not([role])').focus()")
    page.driver.switch_to.active_element.send_keys("random")
    wait_for(lambda: "of 10" in page.js(counted), "the anchor's games")
    assert all("Random moves" in row for row in page.rows())
    page.js("document.querySelectorAll('.rg tbody tr')[1].click()")
    with open_run("made") as reader:
        wanted = [
            kept.number for kept in reader.games(GameFilter(3)) if kept.game.purpose == "anchor"
        ][1]
    asked = {"run": "made", "generation": "3", "game": str(wanted)}
    wait_for(lambda: page.asked() == asked, "the game in the address")
    page.js("document.activeElement.blur()")
    page.key("n")
    wait_for(lambda: int(page.asked()["game"]) > wanted, "the next game")


def test_a_file_is_opened_and_a_wrong_one_named(page: Page, tmp_path: Path) -> None:
    page.open(run="made", generation=3, game=4)
    game = load_game("nim:heaps=1/2")
    match = Match(game)
    for move in ("1:2", "0:1"):
        match.play(game.parse_move(match.state, move))
    wrong, right = tmp_path / "wrong.txt", tmp_path / "right.txt"
    wrong.write_text("evoboard game\ngame: nim:heaps=1/2\n\n1. 1:2  0:2\n")
    right.write_text(written(GameTree.of_record(match.record(), match.game, ("person", "perfect"))))
    page.press("Open a game file")
    hand_over(page.driver, wrong)
    told = "return document.querySelector('.drop-refused')?.innerText ?? ''"
    closed = "return !document.querySelector('.q-dialog')"
    wait_for(lambda: "wrong.txt" in page.js(told) and "ply 2" in page.js(told), "what is wrong")
    assert page.asked()["run"] == "made"
    hand_over(page.driver, right.rename(tmp_path / "right.json"))
    wait_for(
        lambda: "'right.json' is not a .txt, .pdn or .pgn file" in page.js(told),
        "what is wrong with it",
    )
    hand_over(page.driver, (tmp_path / "right.json").rename(right))
    wait_for(lambda: page.js(closed), "its closing")
    wait_for(lambda: "t" in page.asked(), "the game in the address")
    moves = "return [...document.querySelectorAll('.evm-move span')].map(e => e.innerText).join()"
    pairs = zip(match.states, match.moves, strict=False)
    labels = ",".join(game.move_label(state, move) for state, move in pairs)
    wait_for(lambda: page.js(moves) == labels, "its moves")
    page.driver.refresh()
    wait_for(lambda: page.js(moves) == labels, "its moves after a reload")
    several = tmp_path / "several.pdn"
    several.write_text(
        '[Black "A"]\n\n1. 11-15 9-14 *\n\n[Black "B"]\n\n1. 11-15 23-19 (1... 22-18) 1-0\n'
    )
    page.press("Open a game file")
    hand_over(page.driver, several)
    listed = "return document.querySelector('.saved-games')?.innerText ?? ''"
    wait_for(lambda: "B – ?\n2 · 1–0" in page.js(listed), "the games of the file")
    choose = "[...document.querySelectorAll('.saved-games .q-item')][arguments[0]].click()"
    page.js(choose, 0)
    wait_for(lambda: "game 1, move 1... 9-14" in page.js(told), "what is wrong with the first")
    page.js(choose, 1)
    wait_for(lambda: page.js(moves) == "11-15,23-19", "the moves of the second")
    wait_for(lambda: page.js(closed), "its closing")  # until then it has the keyboard
    told = page.js("return document.querySelector('.rp-moves').innerText")
    assert "Saved game, B – White" in told
    assert "and 1 side line: Analyse shows it" in told
    # At the end of a game that was given up, bar and graph say how it ended, by height and number.
    page.key(DOWN)
    bar = """return [document.querySelector('.bar-text').innerText,
        document.querySelector('.bar-fill').style.height,
        getElement(document.querySelector('.evg').id.slice(1)).texts.at(-1)]"""
    wait_for(lambda: page.js(bar) == ["1–0", "100%", "23-19 1–0"], "how it ended")
    verdict = "return document.querySelector('.evm-result')?.innerText ?? ''"
    ended = page.js(verdict)
    page.js("document.querySelector('.rp-others button').click()")
    wait_for(lambda: page.js("return location.pathname") == "/analysis", "the page Analysis")
    wait_for(lambda: ended and page.js(verdict) == ended, "its result there")
    lines = "return document.querySelectorAll('.evm-line').length"
    wait_for(lambda: page.js(lines) == 1, "the line beside it")


def test_nobody_moves_in_a_game_that_is_only_looked_at(page: Page) -> None:
    game = load_game("nim:heaps=3/4")
    match = Match(game)
    match.play(game.parse_move(match.state, "0:1"))
    folder = page.server.folder / "games"
    folder.mkdir(exist_ok=True)
    file = folder / "unfinished.txt"
    tree = GameTree.of_record(
        match.record(), match.game, ("person", "random"), tournament="tournament-1"
    )
    file.write_text(written(tree))
    before = {path.name: path.read_text() for path in folder.glob("*.txt")}
    page.open(t="unfinished")
    shown = "return document.querySelectorAll('.evm-move').length"
    wait_for(lambda: page.js(shown) == 1, "the game")
    # The games of some run are no company for it; those of its tournament are.
    assert not page.js("return document.querySelector('.rg').checkVisibility()")
    games = "return document.querySelector('.rp-games').innerText"  # nothing while it loads
    wait_for(lambda: "Choose a run" in page.js(games), "what the games are of")
    link = "return [...document.querySelectorAll('.rp-side a')].map(e => e.getAttribute('href'))"
    assert page.js(link) == ["/compare?c=tournament-1"]
    # The evaluation is right under the board.
    assert page.js(
        """const of = (part) => document.querySelector(part).getBoundingClientRect();
        const board = of('.board-row'), graph = of('.evg');
        return graph.top > board.bottom && graph.left >= board.left && graph.right <= board.right"""
    )
    time.sleep(1.0)  # a player would have moved by now
    assert page.js(shown) == 1
    assert {path.name: path.read_text() for path in folder.glob("*.txt")} == before
