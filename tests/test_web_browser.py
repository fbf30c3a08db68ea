"""Play and Analysis in a real browser: whole games by clicks and drags, and what must never break.

One server and one browser serve all tests; each test opens games of its own.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from browser import (
    PATIENCE,
    Server,
    console_errors,
    foreign_requests,
    hand_over,
    require_browser,
    set_screen,
    start_server,
    type_into,
    wait_for,
)
from conftest import few
from evoboard.arena.game_files import read_games
from evoboard.arena.game_text import read_text, written, written_result
from evoboard.arena.game_tree import GameTree
from evoboard.arena.match import Match
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.games.rules import ONGOING
from evoboard.players.base import make_player
from small_run import make_run

require_browser()

# Positions near the end of a game, so that a whole game is a few moves.
STARTS = {
    "chess": "7k/5K1p/P7/8/8/3B4/8/8 w - - 0 1",
    "kingcapture": "5k/4pp/6/1N4/6/K1R3 w",
    "draughts": "B:W9,17,29:B6",
    "hexwar": "0,0,0,0,1/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-2,5,0,5,-1 b",
    "nim": "1,3,4 0",
}
BOARD = "const b = getElement(document.querySelector('.board-row .evb').id.slice(1)).board;"
MOST_TURNS = 30


@pytest.fixture(autouse=True)
def _quiet(driver: Any, server: Server) -> Iterator[None]:
    """After every test: no complaint on the console, no request to another machine."""
    yield
    assert console_errors(driver) == []
    assert foreign_requests(driver, server.url) == []


class Page:
    """A page with a board, used as a person uses it."""

    def __init__(self, driver: Any, server: Server) -> None:
        self.driver, self.server = driver, server

    def open(self, path: str = "/play", **query: Any) -> Page:
        """Open an address and wait for the board."""
        self.driver.get(f"{self.server.url}{path}{'?' + urlencode(query) if query else ''}")
        return self.ready()

    def ready(self) -> Page:
        """Wait until the board shows a position, under an address of its own."""
        found = f"try {{ {BOARD} return b.data.revision > 0 && window.did_handshake }} catch {{ }}"
        wait_for(lambda: self.js(found) and self.session, "the board")
        return self

    def js(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    @property
    def session(self) -> str:
        """The name of the session, from the address; empty where it names none yet."""
        return parse_qs(urlsplit(self.driver.current_url).query).get("t", [""])[0]

    def saved(self) -> Match:
        """Return the game as it is on disk."""
        text = read_text((self.server.folder / "games" / f"{self.session}.txt").read_text())
        tree = text.tree(load_game)
        match = Match(tree.game, start=tree.root.state, draws=tree.draws)
        for move in tree.moves:
            match.play(move)
        return match

    def moves(self) -> list[dict[str, Any]]:
        """Return the moves the board offers."""
        found: list[dict[str, Any]] = self.js(f"{BOARD} return b.moves")
        return found

    def pieces(self) -> dict[int, str]:
        """Return the pieces drawn, by cell: side and symbol."""
        told = f"{BOARD} return [...b.men].map(([c, m]) => [c, m.piece.side + m.piece.symbol])"
        return {int(cell): piece for cell, piece in self.js(told)}

    def wait_turn(self) -> str:
        """Wait until a move is asked for or the game has ended; return the banner."""
        wait_for(
            lambda: self.banner() or (self.moves() and not self.js(f"{BOARD} return b.sent")),
            "a turn",
        )
        return self.banner()

    def banner(self) -> str:
        """Return what the banner says, empty where there is none."""
        shown = "e.checkVisibility() ? e.innerText : ''"
        return str(self.js(f"const e = document.querySelector('.banner'); return {shown}"))

    def point(self, cell: int) -> tuple[float, float]:
        """Return where a cell is on the screen."""
        x, y = self.js(
            f"""{BOARD} const [x, y] = b.geometry.centre(arguments[0]);
            const p = new DOMPoint(x, y).matrixTransform(b.svg.getScreenCTM());
            return [p.x, p.y]""",
            cell,
        )
        return x, y

    def mouse(self, kind: str, at: tuple[float, float], held: bool = False) -> None:
        """Send one event of the mouse."""
        event = {"type": kind, "x": at[0], "y": at[1], "button": "left" if held else "none"}
        pressed = {"buttons": int(held), "clickCount": int(held)}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**event, **pressed})

    def click(self, cell: int) -> None:
        """Click a cell."""
        at = self.point(cell)
        self.mouse("mouseMoved", at)
        self.mouse("mousePressed", at, held=True)
        self.mouse("mouseReleased", at, held=True)

    def drag(self, source: int, target: int) -> None:
        """Drag from cell to cell."""
        self.pull(self.point(source), self.point(target))

    def pull(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag from point to point."""
        self.mouse("mouseMoved", start)
        self.mouse("mousePressed", start, held=True)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        for at in (middle, end):
            self.mouse("mouseMoved", at, held=True)
        self.mouse("mouseReleased", end, held=True)

    def key(self, key: str) -> None:
        """Press a key."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(key).perform()

    def press(self, text: str) -> None:
        """Press the visible button with a text or label."""
        self.js(
            """const all = [...document.querySelectorAll('button, .q-item')].filter(e =>
                 e.checkVisibility() && !e.disabled);
            const found = all.find(e => e.innerText.split('\\n').includes(arguments[0])
              || e.ariaLabel === arguments[0]);
            if (!found) throw new Error('no button ' + arguments[0]); found.click()""",
            text,
        )

    def enter(self, look: dict[str, Any], by: str = "click") -> None:
        """Enter a move: every cell it visits, then whatever the board asks."""
        cells = look["cells"]
        if by == "drag" and len(cells) > 1:
            self.drag(cells[0], cells[-1])
        elif by == "drag":
            self.pull(*self._way_off(cells[0], look["amount"]))
        else:
            self.click(cells[0])
            for cell in cells[1:] or cells[:1] * (not self._popup() and bool(self._selected())):
                if not self.js(f"{BOARD} return b.sent") and not self._popup():
                    self.click(cell)
        if self._popup():
            self._answer(look)

    def _way_off(self, heap: int, amount: int) -> Any:
        return self.js(
            f"""{BOARD} const at = b.heaps.counts[arguments[0]] - arguments[1];
            const [x, y] = b.geometry.match(arguments[0], at);
            return [[x, y], [4, y]].map(([u, v]) => {{
              const p = new DOMPoint(u, v).matrixTransform(b.svg.getScreenCTM());
              return [p.x, p.y]; }})""",
            heap,
            amount,
        )

    def _popup(self) -> bool:
        return bool(self.js("return !!document.querySelector('.evb-popup')"))

    def _selected(self) -> Any:
        return self.js(f"{BOARD} return b.path.length && !b.sent")

    def _answer(self, look: dict[str, Any]) -> None:
        if look["promotion"]:
            words = {"Q": "queen", "R": "rook", "B": "bishop", "N": "knight"}
            choice = f".evb-popup button[aria-label$={words[look['promotion']]}]"
            return self.js(f"document.querySelector('{choice}').click()")
        return self.js(
            """const shown = () => +document.querySelector('.evb-popup output').textContent;
            const [less, more] = document.querySelectorAll('.evb-popup button');
            for (let i = 0; i < 300 && shown() !== arguments[0]; i++)
              (shown() > arguments[0] ? less : more).click();
            document.querySelector('.evb-popup .done').click()""",
            look["amount"],
        )


@pytest.fixture
def page(driver: Any, server: Server) -> Page:
    """A page, nothing opened yet."""
    return Page(driver, server)


class Narrowing:
    """Leaves the opponent few moves, best none: it ends short games and needs no kernel."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def think(self, history: History, chance: int) -> Any:
        """Return the move after which every answer leaves the opponent worst off."""
        moves = self.game.legal_moves(history.state)
        worth = {move: self.worth(self.game.apply(history.state, move), 1) for move in moves}
        return SimpleNamespace(move=max(moves, key=worth.__getitem__))

    def worth(self, state: Any, deeper: int) -> int:
        """Return what a position is worth to the side that has just moved."""
        outcome = self.game.outcome(state)
        if outcome != ONGOING:
            return -1000 * outcome
        answers = self.game.legal_moves(state)
        if not deeper:
            return -len(answers)
        return -max(self.worth(self.game.apply(state, move), 0) for move in answers)


@cache
def good_player(name: str) -> Any:
    """Return a player that ends games; it is compiled here, before the server has to."""
    game = load_game(name)
    if name in ("chess", "draughts"):
        return Narrowing(game)
    player = make_player("perfect" if name == "nim" else "material:depth=3", game)
    player.think(History(game), 1)
    return player


def play_out(page: Page, game: Game, start: str, by: str) -> str:
    """Play well until the game ends; return the banner."""
    match = Match(game, start=game.parse_state(start))
    player = good_player(game.name)
    for _ in range(MOST_TURNS):
        banner = page.wait_turn()
        if banner:
            return banner
        if page.js("return document.querySelectorAll('.evm-move').length"):
            match = wait_for(lambda: _up_to_date(page), "the saved game")
        move = player.think(match.history, 1).move
        page.enter(next(look for look in page.moves() if look["move"] == move), by)
    raise AssertionError("the game does not end")


def ended(page: Page) -> Match:
    """Return the game as it is on disk, once its end is there."""
    return wait_for(lambda: page.saved() if page.saved().over else None, "the end on disk")


def _up_to_date(page: Page) -> Match | None:
    match = page.saved()
    shown = page.js("return document.querySelectorAll('button.evm-move').length")
    return match if len(match.moves) == shown else None


# Others are played by drags and against the champion below.
@pytest.mark.parametrize("name", few(STARTS, "chess", "draughts"))
def test_a_whole_game_by_clicks(page: Page, name: str) -> None:
    good_player(name)
    page.open(game=name, opponent="random", start=STARTS[name], seed=3)
    banner = play_out(page, load_game(name), STARTS[name], "click")
    match = ended(page)
    assert match.reason in banner
    assert "You" in banner or "draw" in banner
    assert page.driver.find_element("css selector", ".evm-result").text.endswith(match.reason)


@pytest.mark.parametrize("name", few(STARTS, "hexwar"))
def test_a_whole_game_by_drags(page: Page, name: str) -> None:
    good_player(name)
    page.open(game=name, opponent="random", start=STARTS[name], seed=5)
    banner = play_out(page, load_game(name), STARTS[name], "drag")
    assert ended(page).reason in banner


@pytest.mark.parametrize("name", few(STARTS, "kingcapture"))
def test_a_whole_game_against_the_champion_that_ships(page: Page, name: str) -> None:
    good_player(name)
    page.open(game=name, start=STARTS[name])  # the opponent offered first
    opponent = page.js("return document.querySelector('.strip').innerText")
    assert "champion" in opponent.lower()
    banner = play_out(page, load_game(name), STARTS[name], "click")
    assert ended(page).reason in banner


def test_a_whole_game_against_a_generation_of_a_run(
    page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOBOARD_RUNS", str(server.folder / "runs"))
    make_run("grown")
    page.open(game="kingcapture", opponent="random", seed=1)
    first = page.session
    page.press("New game")
    fields = "[...document.querySelectorAll('.q-dialog label')]"
    field = f"{fields}.find(e => e.innerText.startsWith(arguments[0]))"
    wait_for(lambda: page.js(f"return {field}", "Opponent"), "the dialog")
    page.js(f"{field}.click()", "Opponent")
    offered = "return [...document.querySelectorAll('.q-item')].map(e => e.innerText)"
    wait_for(lambda: "Run: grown" in page.js(offered), "the run among the opponents")
    page.press("Run: grown")
    generation = f"return {field}?.querySelector('input')"
    wait_for(lambda: page.js(generation, "Generation"), "the field").send_keys("2")
    page.press("Play")
    wait_for(lambda: page.session != first, "the new game")
    page.ready()
    told = page.js("return document.querySelector('.strip').innerText")
    assert "grown, champion of generation 2" in told
    game = load_game("kingcapture")
    banner = play_out(page, game, game.state_text(game.initial()), "click")
    assert ended(page).reason in banner


def test_matches_dropped_on_their_heap_go_back(page: Page) -> None:
    page.open(game="nim", opponent="perfect", start="3,5,7 0")
    (x, y), _ = page._way_off(1, 2)
    page.pull((x, y), (x + 40, y + 10))
    assert len(page.moves()) == 15
    assert not page._popup()
    where = "[...document.querySelectorAll('.evb-man')].map(e => e.style.transform).sort()"
    home = f"{BOARD} return b.heaps.carried.length === 0 && new Set({where}).size === 15"
    assert page.js(home)


def test_two_ways_to_one_square_are_stepped_through(page: Page) -> None:
    page.open(game="draughts", opponent="random", start="B:W9,10,17,18:B6", seed=1)
    names = page.js(f"{BOARD} return b.data.board.names")
    at = {name: cell for cell, name in enumerate(names) if name}
    page.click(at["6"])
    page.click(at["22"])
    assert "step through" in page.js("return document.querySelector('.evb-live').textContent")
    assert len(page.moves()) == 2
    page.click(at["15"])
    wait_for(lambda: page.js("return document.querySelectorAll('.evm-move').length"), "the move")
    assert page.js("return document.querySelector('.evm-move').innerText") == "6x15x22"
    # A man stands where it has stepped to, and what it has jumped over looks taken.
    page.open(game="draughts", opponent="random", start="B:W9,10,17,18,25,26:B6", seed=1)
    stands = f"""{BOARD} const at = new DOMPoint(
          ...b.men.get(arguments[0]).node.style.transform.match(/[\\d.]+/g).map(Number));
        const jumped = [...b.men].filter(([, m]) => m.node.matches('.jumped')).map(([c]) => c);
        return [b.data.board.names[b.geometry.cellAt(at.x, at.y)],
          jumped.map(c => b.data.board.names[c]).sort()]"""
    for cell, place, jumped in (
        ("6", "6", []),
        ("15", "15", ["10"]),
        ("22", "22", ["10", "18"]),
        ("6", "6", []),  # from the beginning
    ):
        page.click(at[cell])
        assert page.js(stands, at["6"]) == [place, jumped]
    page.drag(at["6"], at["13"])  # and on from there
    assert page.js(stands, at["6"]) == ["13", ["9"]]
    page.drag(at["13"], at["22"])
    assert page.js(stands, at["6"]) == ["22", ["17", "9"]]
    page.click(at["22"])  # no move ends there
    assert page.js(stands, at["6"]) == ["6", []]
    for cell in ("6", "13", "22", "31"):
        page.click(at[cell])
    men = "return [...document.querySelectorAll('.taken-men')].at(-1).ariaLabel"
    wait_for(lambda: page.js(men) == "3 taken", "what was taken")
    assert page.js("return document.querySelector('.evm-move').innerText") == "6x13x22x31"


def test_a_king_castles_onto_its_rook(page: Page) -> None:
    page.open(game="chess", opponent="random", start="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", seed=1)
    first = "return document.querySelector('.evm-move')?.innerText"
    page.click(4)
    page.click(7)
    wait_for(lambda: page.js(first) == "O-O", "the short way")
    page.wait_turn()
    page.press("Take back")
    wait_for(lambda: page.js(first) is None and page.moves(), "the first position")
    page.drag(4, 0)
    wait_for(lambda: page.js(first) == "O-O-O", "the long way")
    page.wait_turn()


# What the line below the moves tells.
NOTE = """const e = document.querySelector('.note');
    return e.checkVisibility({ visibilityProperty: true }) && e.innerText"""


def test_take_back_flip_arrows_and_resign(page: Page) -> None:
    page.open(game="kingcapture", opponent="random", seed=2)
    first = page.pieces()
    page.drag(8, 14)
    page.wait_turn()
    assert len(page.saved().moves) == 2
    after = page.pieces()
    steps = """return [...document.querySelectorAll('.steps')].filter(e => e.checkVisibility())
        .map(e => e.getBoundingClientRect().top)"""
    place = page.js(steps)
    page.key("\ue012")  # left, twice
    page.key("\ue012")
    wait_for(lambda: page.pieces() == first, "the first position")
    wait_for(lambda: "earlier position" in (page.js(NOTE) or ""), "the note")
    assert page.js(steps) == place  # the note moves no button
    page.press("Back to the game")
    wait_for(lambda: page.pieces() == after and not page.js(NOTE), "the game")
    page.key("\ue013")
    wait_for(lambda: page.pieces() == first, "the first position again")
    assert page.moves() == []  # the past cannot be changed
    page.key("\ue014")
    page.key("\ue015")  # right, then down to the end
    wait_for(lambda: page.pieces() == after, "the last position")
    low = page.point(0)
    page.key("f")
    wait_for(lambda: page.point(0) != low, "the board turned round")
    page.press("Flip")
    wait_for(lambda: page.point(0) == low, "the board turned back")
    page.press("Take back")
    wait_for(lambda: page.pieces() == first and page.moves(), "the move taken back")
    page.drag(8, 14)
    page.wait_turn()
    page.press("Resign")
    wait_for(lambda: page.js("return document.body.innerText").count("Really resign"), "a question")
    page.press("Really resign")  # as fast as a double click, it is none
    time.sleep(0.6)
    assert not page.banner()
    page.press("Really resign")
    wait_for(page.banner, "the result")
    assert "Black wins: White resigned" in page.banner()
    page.key("\ue013")
    wait_for(lambda: page.pieces() == first and page.js(NOTE), "the past of a game that is over")
    assert page.js(steps) == place
    page.key("\ue015")
    wait_for(lambda: not page.js(NOTE), "its end")
    assert "Really resign" not in page.js("return document.body.innerText")
    page.press("Take back")
    wait_for(lambda: not page.banner() and page.moves(), "the game going on")


def test_a_board_is_turned_for_its_side_wherever_the_pieces_stand(page: Page) -> None:
    """In an endgame White may stand above Black; White is at the bottom all the same."""
    start = "6/6/4K1/P5/6/k5 w"
    for side in (0, 1):
        page.open(game="kingcapture", opponent="random", start=start, side=side, seed=2)
        (_, first), (_, last) = page.point(0), page.point(35)
        assert (first > last) == (side == 0)


def test_what_is_not_built_yet_is_not_seen(page: Page) -> None:
    """A page is sent before its game is there: its buttons would be those of no game."""
    from nicegui import Client, ui

    from evoboard.web import theme

    with Client(ui.page("")), theme.shell([], None):
        main = ui.context.slot.parent
        assert "loading" in main.classes
    assert "loading" not in main.classes
    page.open(game="kingcapture", opponent="random")
    seen = """return [...document.querySelectorAll('.page button')].filter(e =>
        e.checkVisibility({visibilityProperty: true})).length"""
    told = "return getComputedStyle(document.querySelector('.page'), '::before').content"
    assert page.js(seen) > 5
    assert page.js(told) == "none"
    page.js("document.querySelector('.page').classList.add('loading')")
    assert page.js(seen) == 0
    assert "Loading" in page.js(told)


def test_of_several_complaints_the_latest_is_seen(page: Page) -> None:
    """One below the other they would cover the board that they are about."""
    page.open("/analysis", game="nim", player="perfect")
    field = "input[aria-label='Type a move']"
    told = "return [...document.querySelectorAll('.q-notification')].map(e => e.innerText)"
    for text in ("first", "second", "third"):
        type_into(page.driver, field, f"\ue009a\ue000{text}\ue007")
        wait_for(lambda text=text: any(text in each for each in page.js(told)), f"about {text}")
    wait_for(lambda: len(page.js(told)) == 1, "the others to go", 4)  # by themselves: after 9 s
    assert "third" in page.js(told)[0]
    colours = """const said = document.querySelector('.q-notification');
        return [said, said.querySelector('button')].map(e => getComputedStyle(e).color)"""
    assert len(set(page.js(colours))) == 1  # OK can be read


def test_a_pass_stands_beside_who_plays_and_moves_nothing(page: Page) -> None:
    """Below the board it would push the side that plays, and the end of the bar, out of sight."""
    page.open(game="kingcapture", opponent="random", seed=2)
    page.wait_turn()
    boxes = """return ['.bar', '.strip'].map(e => {
        const r = [...document.querySelectorAll(e)].at(-1).getBoundingClientRect();
        return [r.top, r.bottom]; })"""
    before = page.js(boxes)
    page.js(
        f"""{BOARD} const pass = {{...b.data.moves[0], cells: [], text: 'pass'}};
        b.show({{...b.data, moves: [pass], labels: [], revision: 1e6, position: 1e6}})"""
    )
    chip = "const e = document.querySelector('.evb-chips button'); return "
    assert page.js(f"{chip} [e.innerText, e.className]") == ["pass", "only"]
    assert page.js(boxes) == before
    top = page.js(f"{chip} e.getBoundingClientRect().top")
    assert before[1][0] <= top <= before[1][1]  # in the strip's height


def test_an_address_without_a_page_leads_back(page: Page) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404") as refused:
        urllib.request.urlopen(f"{page.server.url}/nonsense", timeout=PATIENCE)
    told = refused.value.read().decode()
    assert "There is no page" in told
    assert "/nonsense" in told
    assert "/analysis" in told  # in the navigation
    assert "HTTPException" not in told


def test_hint_values_and_what_the_opponent_thinks(page: Page) -> None:
    start = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    page.open(game="chess", opponent="material:depth=2", start=start)
    opinion = "return document.querySelector('.opinion').innerText"
    wait_for(lambda: "#1" in page.js(opinion), "the opinion")
    assert "Ra8#" in page.js(opinion)
    assert re.search(r"\d positions", page.js(opinion))
    wait_for(lambda: page.js(f"{BOARD} return b.data.values.length"), "the values")
    page.click(0)
    assert "#1" in page.js("return document.querySelector('.evb-tags').textContent")
    page.mouse("mouseMoved", page.point(56))
    wait_for(
        lambda: "#1" in page.js("return document.querySelector('.evb-tip')?.innerText ?? ''"),
        "the tip",
    )
    page.click(0)
    page.press("Hint")
    wait_for(lambda: page.js("return document.querySelectorAll('.evb-arrow').length"), "the arrow")
    told = "Ra8#, says Counting pieces, depth 2"
    wait_for(lambda: page.js(NOTE) == told, "the hint in words")
    assert page.js("return document.querySelectorAll('.q-notification').length") == 0
    # The bar's number is in its larger part, whichever way the board is turned.
    number = """const text = document.querySelector('.bar-text'), fill =
        document.querySelector('.bar-fill'), box = (e) => e.getBoundingClientRect();
        return text.innerText === '#1' && box(text).top >= box(fill).top &&
          box(text).bottom <= box(fill).bottom && !text.matches('.pale')"""
    assert page.js(number)
    page.press("Flip")
    wait_for(lambda: page.js(number.replace("&& !", "&& text.matches('.upper') && !")), "it above")
    page.enter(page.moves()[0])
    wait_for(lambda: not page.js(NOTE), "the end of the hint")
    page.wait_turn()
    # Another game is offered with the same limit, in its own field.
    page.press("New game")
    fields = """return [...document.querySelectorAll('.q-dialog label')].map(e =>
        e.querySelector('input')?.value || e.innerText.split('\\n').at(-1))"""
    told = ["chess", "Counting pieces", "plies ahead", "2"]
    wait_for(lambda: [f for f in page.js(fields) if f in told] == told, "the fields")
    page.press("Cancel")
    wait_for(lambda: not page.js("return document.querySelector('.q-dialog')"), "its closing")


def test_tabs_are_independent_and_a_reload_keeps_the_game(page: Page, driver: Any) -> None:
    page.open(game="nim", opponent="perfect", start="3,5,7 0")
    page.enter(page.moves()[0])
    page.wait_turn()
    first, one = page.session, driver.current_window_handle
    count = len(page.saved().moves)
    driver.switch_to.new_window("tab")
    try:
        page.open(game="nim", opponent="perfect", start="3,5,7 0")
        assert page.session != first
        page.enter(page.moves()[3])
        page.wait_turn()
        assert page.session != first
    finally:
        assert console_errors(driver) == []
        driver.close()
        driver.switch_to.window(one)
    assert page.session == first
    assert len(page.saved().moves) == count
    driver.refresh()
    page.ready()
    assert page.session == first
    shown = "return document.querySelectorAll('button.evm-move').length"
    wait_for(lambda: page.js(shown) == count, "the moves after the reload")


def test_a_new_game_is_offered_as_the_last_one_was(page: Page) -> None:
    page.open(game="hexwar:start_pieces=2", opponent="scripted:turtle", side=1, seed=1)
    first = page.session
    page.press("New game")
    shown = "return document.querySelector('.q-dialog')?.innerText ?? ''"
    wait_for(lambda: "Script: turtle" in page.js(shown), "the dialog with the same opponent")
    page.press("Red")
    page.press("Play")
    wait_for(lambda: page.session != first, "the new game")
    page.ready().wait_turn()
    strips = page.js("return [...document.querySelectorAll('.strip')].map(e => e.innerText)")
    assert "Script: turtle" in strips[0]
    assert "You" in strips[1]
    assert page.js("return document.querySelector('.card .who').innerText").endswith(
        "start_pieces 2"
    )
    page.press("More")
    time.sleep(0.3)
    page.press("Analyse this game")
    wait_for(lambda: "/analysis" in page.driver.current_url and page.session, "the analysis")
    page.ready()
    lower = "return [...document.querySelectorAll('.strip')].at(-1).innerText"
    assert page.js(lower) == "Red"  # as before


def test_links_lead_back_to_the_game_and_the_theme_stays(page: Page, driver: Any) -> None:
    page.open(game="nim", opponent="perfect")
    name = page.session
    follow = (
        "[...document.querySelectorAll('.nav a')].find(a => a.innerText.includes('{}')).click()"
    )
    page.js(follow.format("Analysis"))
    wait_for(lambda: "/analysis" in driver.current_url and page.session, "the other page")
    page.ready().js(follow.format("Play"))
    wait_for(lambda: "/play" in driver.current_url and page.session, "the first page")
    page.ready()
    assert page.session == name
    theme = "return document.documentElement.dataset.theme + document.body.className"
    assert page.js(theme).startswith("light")
    for _ in range(2):  # light, then dark
        page.press("Light, dark, or as the system")
    assert page.js(theme).startswith("dark")
    driver.refresh()
    page.ready()
    assert page.js(theme).startswith("dark")
    assert "body--dark" in page.js(theme)
    page.press("Light, dark, or as the system")
    assert page.js(theme).startswith("light")


def test_a_position_is_set_up_and_pasted(page: Page) -> None:
    page.open(game="kingcapture", opponent="random", seed=1)
    page.press("More")
    time.sleep(0.3)
    page.press("Set up or paste a position …")
    area = wait_for(
        lambda: page.driver.find_elements("css selector", ".q-dialog textarea"), "the dialog"
    )
    told = "return document.querySelector('.q-dialog [role=status]').innerText"
    # A piece is dragged from the palette; it stands out from where it lies.
    time.sleep(0.4)  # the dialog moves while it opens
    start, end = page.js(
        """const box = (name) => document.querySelector(name).getBoundingClientRect();
        const from = box('.palette button:nth-child(2)'), to = box('.q-dialog .evb-svg');
        const side = to.width / 6;
        return [[from.x + 9, from.y + 9], [to.x + 3.5 * side, to.y + 2.5 * side]]"""
    )
    page.pull(tuple(start), tuple(end))
    wait_for(lambda: "/3R2/" in area[0].get_attribute("value"), "the rook on d4")
    assert page.js("return document.querySelectorAll('.palette-drag').length") == 0
    for place in (2, 7):
        assert page.js(CONTRAST, f".palette button:nth-child({place}) path", ".palette button") >= 3
    page.press("Empty")
    wait_for(lambda: "king" in page.js(told), "why an empty board is impossible")
    assert page.js(told).startswith("Impossible: ")
    area[0].send_keys("\ue009a")  # all of it
    area[0].send_keys("5k/6/6/6/6/KR4 w")
    wait_for(lambda: page.js(told) == "", "the game's consent")
    area[0].send_keys("x")
    wait_for(lambda: page.js(told).startswith("Impossible: "), "what is wrong with a slip")
    area[0].send_keys("\ue003")
    wait_for(lambda: page.js(told) == "", "the game's consent to what was mended")
    page.press("Use this position")
    wait_for(lambda: len(page.pieces()) == 3 and page.moves(), "the position on the board")


def test_analysis_of_both_sides_with_an_evaluation_of_every_position(page: Page) -> None:
    page.open("/analysis", game="kingcapture", player="material:depth=1")
    shown = "return document.querySelectorAll('button.evm-move').length"
    for ply in range(1, 5):
        wait_for(page.moves, "moves for either side")
        page.enter(page.moves()[0])
        wait_for(lambda ply=ply: page.js(shown) == ply, f"ply {ply}")
    points = "return getElement(document.querySelector('.evg').id.slice(1)).points"
    wait_for(lambda: None not in page.js(points) and len(page.js(points)) == 5, "all evaluations")
    wait_for(
        lambda: "without search" in page.js("return document.querySelector('.opinion').innerText"),
        "the network itself",
    )
    ranks = "return document.querySelectorAll('.ranks button').length"
    wait_for(lambda: page.js(ranks), "the moves by value")
    # What is above in the bar is above in the graph.
    above = """return [getElement(document.querySelector('.evg').id.slice(1)).turned,
        document.querySelector('.bar').classList.contains('flipped')]"""
    assert page.js(above) == [False, False]
    page.key("f")
    wait_for(lambda: page.js(above) == [True, True], "both turned")
    page.key("f")
    # Another move in an earlier position begins a line of its own; the main one stays.
    lines = "return [...document.querySelectorAll('.evm-line')].map(e => e.textContent)"
    now = "return [...document.querySelectorAll('.evm .now')].map(e => e.textContent)"

    def other_move(ply: int, number: int) -> str:
        page.js(f"document.querySelectorAll('.evm-move')[{ply - 1}].click()") if ply else page.key(
            "\ue013"
        )
        wait_for(lambda: page.js(f"{BOARD} return b.data.last === null") == (not ply), "the place")
        page.enter(page.moves()[number])
        return str(wait_for(lambda: page.js(lines), "the line")[0])

    first = other_move(0, 1)
    page.enter(wait_for(page.moves, "an answer")[0])
    wait_for(lambda: len(page.js(lines)[0]) > len(first), "the line going on")
    assert page.js(shown) == 4
    page.key("\ue012")  # back, and another answer there
    wait_for(lambda: page.js(now) == [re.sub("[(↑×)]", "", first).strip()], "its first move")
    page.enter(page.moves()[1])
    nested = wait_for(lambda: page.js(lines)[0].count("(") == 2 and page.js(lines)[0], "brackets")
    page.driver.refresh()
    page.ready()
    wait_for(lambda: page.js(lines) == [nested], "the lines after a reload")
    page.js("document.querySelectorAll('.evm-move')[1].click()")
    wait_for(lambda: len(page.js(now)) == 1 and page.js(now)[0] not in nested, "the main line")
    points_known = f"{points}.filter((y) => y !== null).length"
    wait_for(lambda: page.js(points_known) == 5, "what was known of it")
    leads = "document.querySelectorAll('[aria-label=\"Make this the main line\"]')[0].click()"
    page.js(leads)  # the inner one
    wait_for(lambda: page.js(shown) == 2 and len(page.js(lines)) == 2, "another main line")
    both = page.js(lines)
    drop = "document.querySelector('.evm-drop').click()"
    page.js(drop)
    wait_for(lambda: len(page.js(lines)) == 1, "its removal")
    page.press("Undo")
    wait_for(lambda: page.js(lines) == both, "both lines again")
    assert not page.js("return document.querySelector('.removed').checkVisibility()")
    for left in (1, 0):
        page.js(drop)
        wait_for(lambda left=left: len(page.js(lines)) == left, "its removal")


def test_a_game_is_copied_saved_downloaded_and_opened(
    page: Page, driver: Any, server: Server, tmp_path: Path
) -> None:
    saving = {"behavior": "allow", "downloadPath": str(tmp_path)}
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", saving)
    driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"origin": server.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    page.open(game="nim", opponent="perfect", start="3,5,7 0")
    page.enter(page.moves()[0])
    page.wait_turn()
    wait_for(lambda: len(page.saved().moves) == 2, "the answer on disk")
    name, moves = page.session, page.saved().moves

    def choose(entry: str) -> None:
        page.press("More")
        items = "return [...document.querySelectorAll('.q-menu .q-item')].map(e => e.innerText)"
        wait_for(lambda: any(entry in item for item in page.js(items)), "the menu")
        seen = items.replace("('.q-menu .q-item')]", "('.q-menu .q-item')].filter(seen)")
        seen = page.js(f"const seen = e => e.checkVisibility(); {seen}")
        assert not re.search("PGN|PDN|NOTATION", "".join(seen))  # nim has none
        page.press(entry)
        wait_for(lambda: not page.js("return document.querySelector('.q-menu')"), "its closing")

    def clipboard() -> str:
        read = (
            "const done = arguments[0]; navigator.clipboard.readText().then(done, () => done(''))"
        )
        return str(driver.execute_async_script(read))

    game = load_game("nim")
    choose("Copy the position")
    wait_for(lambda: clipboard() == game.state_text(page.saved().state), "the position")
    choose("Copy as text")
    wait_for(lambda: clipboard().startswith("evoboard game"), "the game")
    assert read_text(clipboard()).tree(load_game).moves == list(moves)
    choose("Download as text")
    file = tmp_path / f"{name}.txt"
    wait_for(lambda: file.exists() and file.read_text() == clipboard(), "the file")

    def save_as(name: str) -> None:
        type_into(driver, ".q-dialog input", "\ue009a\ue000" + name)  # instead of all of it
        page.press("Save")

    told = "return [...document.querySelectorAll('.q-notification')].map(e => e.innerText).join()"
    choose("Save as …")
    save_as("my first game")
    wait_for(lambda: "Saved as my first game" in page.js(told), "the notice")
    page.open(game="nim", opponent="perfect", start="3,5,7 0")
    page.enter(page.moves()[4])
    page.wait_turn()
    choose("Save as …")
    save_as("my first game")  # another game's name
    wait_for(lambda: "choose another name" in page.js(told), "the refusal")
    page.press("Cancel")
    wait_for(lambda: not page.js("return document.querySelector('.q-dialog')"), "its closing")
    choose("Open a game …")
    found = "return document.querySelector('.saved-games')?.innerText ?? ''"
    wait_for(lambda: "my first game (nim)" in page.js(found), "the list")
    page.press("my first game (nim)")
    wait_for(lambda: page.session == "my first game", "the game")
    page.ready()
    assert page.saved().moves == moves


def test_a_file_is_loaded_and_a_wrong_one_named(page: Page, tmp_path: Path) -> None:
    import evoboard.players.linear as linear

    page.open("/analysis", game="chess", player="material:depth=1")
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"format": "evoboard-player", "game": "<b>chess</b>"}')
    page.press("Load a player or genome file")
    hand_over(page.driver, wrong)
    told = "return document.querySelector('.q-dialog .drop-refused')?.innerText ?? ''"
    wait_for(lambda: "wrong.json" in page.js(told), "what is wrong with the file")
    assert page.js("return document.querySelectorAll('.drop-refused b').length") == 0
    hand_over(page.driver, Path(linear.__file__).with_suffix(".json"))  # in the same dialog
    wait_for(lambda: not page.js("return document.querySelector('.q-dialog')"), "its closing")
    opinion = "return document.querySelector('.opinion').innerText"
    wait_for(lambda: "linear" in page.js(opinion).lower(), "the opinion of the player in the file")
    several = tmp_path / "several.pgn"
    several.write_text(PGN)
    page.press("More")
    menu = "return document.querySelector('.q-menu')?.innerText ?? ''"
    wait_for(lambda: "Download as PGN" in page.js(menu), "the menu")
    page.press("Open a game file …")
    hand_over(page.driver, several)
    games = "return document.querySelector('.saved-games')?.innerText ?? ''"
    wait_for(lambda: "2 · 0–1 · 2001.02.03 · Ostend" in page.js(games), "the file's games")
    page.press("Ann – Bob")
    wait_for(lambda: not page.js("return document.querySelector('.q-dialog')"), "its closing")
    labels = "return [...document.querySelectorAll('.evm-move span')].map(e => e.innerText).join()"
    wait_for(lambda: "f3,e5,g4?,Qh4#" in page.js(labels), "its moves")
    assert "mate" in page.js("return document.querySelector('.grow-moves').innerText").split("\n")
    strips = "return [...document.querySelectorAll('.strip .who')].map(e => e.innerText).join()"
    assert page.js(strips) == "Bob,Ann"
    saving = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", saving)
    page.press("More")
    wait_for(lambda: "Download as PGN" in page.js(menu), "the menu")
    page.press("Download as PGN")
    (file,) = wait_for(lambda: list(tmp_path.glob("chess-*.pgn")), "the file")
    wait_for(file.read_text, "what is in it")
    (found,) = read_games(file.read_text())
    tree = found.tree(load_game)
    assert (found.players, written_result(tree), tree.end.comment) == (PLAYERS, "0-1", "mate")
    _, (nodes, parent) = tree.branches()
    assert ([tree.label(node) for node in nodes], parent, nodes[0].ply) == (["Nc3"], 0, 3)


PLAYERS = ("Ann", "Bob")
PGN = """[White "Nobody"]

1. e4 e5 1-0

[White "Ann"]
[Black "Bob"]
[Date "2001.02.03"]
[Event "Ostend"]

1. f3 e5 2. g4? (2. Nc3) Qh4# {mate} 0-1
"""


# How far below the board the step buttons are.
STEPS_BELOW = """
    const steps = [...document.querySelectorAll('.steps')].filter(e => e.checkVisibility());
    const bottom = document.querySelector('.board-row').getBoundingClientRect().bottom;
    return steps.length === 1 ? steps[0].getBoundingClientRect().top - bottom : -1"""


def test_a_narrow_screen_by_touch(page: Page, driver: Any) -> None:
    set_screen(driver, 390, 844)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        page.open(game="hexwar", opponent="random", seed=1)
        assert page.js("return document.documentElement.scrollWidth") <= 390
        assert 0 <= page.js(STEPS_BELOW) < 60
        for at in (page.point(4), page.point(3)):
            touch = [{"x": at[0], "y": at[1]}]
            send = driver.execute_cdp_cmd
            send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
            send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        wait_for(
            lambda: page.js("return document.querySelectorAll('.evm-move').length") >= 1, "the move"
        )
    finally:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        set_screen(driver, 1280, 900)


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.open(game="kingcapture", opponent="random", seed=1)
    page.js("document.querySelector('.nav a:last-child').focus()")
    for _ in range(3):  # the theme's switch, then the board
        page.key("\ue004")
        if page.js("return document.activeElement.classList.contains('evb-svg')"):
            break
    for key in ("\ue014", "\ue013", "\ue007", "\ue013", "\ue007"):  # b2, enter, b3, enter
        page.key(key)
    wait_for(lambda: page.js("return document.querySelectorAll('.evm-move').length"), "the move")
    assert page.js("return document.querySelector('.evm-move').innerText").startswith("b2b3")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the processor time from /proc")
def test_a_search_stops_when_the_player_leaves(page: Page, server: Server, driver: Any) -> None:
    def spent() -> float:
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def load() -> float:
        before = spent()
        time.sleep(0.5)
        return spent() - before

    page.open(game="chess", opponent="material:depth=20", side=1)
    wait_for(lambda: page.js("return !!document.querySelector('.thinking-dot')"), "the search")
    wait_for(lambda: load() > 0.05, "the search at work")
    driver.get("about:blank")
    wait_for(lambda: load() < 0.04, "the end of the search")


def test_a_restart_says_so_and_loses_nothing(page: Page, server: Server, driver: Any) -> None:
    page.open(game="kingcapture", opponent="random", seed=4)
    page.drag(8, 14)
    page.wait_turn()
    position, name = page.pieces(), page.session
    one = driver.current_window_handle
    driver.switch_to.new_window("tab")  # where somebody thinks for long
    page.open(game="chess", opponent="material:depth=20", side=1)
    wait_for(lambda: page.js("return !!document.querySelector('.thinking-dot')"), "the search")
    server.process.send_signal(signal.SIGINT)
    server.process.wait(60)  # a search must not keep the server from ending
    driver.close()
    driver.switch_to.window(one)
    wait_for(
        lambda: page.js("return document.getElementById('popup').ariaHidden") == "false",
        "the notice",
    )
    server.process = start_server(server.folder, urlsplit(server.url).port or 0).process
    restarted = "return document.querySelector('.notice')?.innerText ?? ''"
    wait_for(lambda: "restarted" in page.js(restarted), "the page again")
    page.ready()
    assert page.session == name
    wait_for(lambda: page.pieces() == position and page.moves(), "the game as it was")
    driver.get_log("browser")  # it has complained about the lost connection, and should


# --- what a board and its neighbours look like ----------------------------------------------------


def test_list_and_graph_follow_a_long_game(page: Page, server: Server) -> None:
    game = load_game("chess")
    match = Match(game)
    steps = [(f"{f}2{f}3", f"{f}7{f}6") for f in "abcdefgh"]
    steps += [(f"{f}3{f}4", f"{f}6{f}5") for f in "abcdefgh"]
    for text in (text for pair in steps for text in pair):
        match.play(game.parse_move(match.state, text))
    (server.folder / "games").mkdir(exist_ok=True)
    (server.folder / "games" / "long.txt").write_text(
        written(GameTree.of_record(match.record(), match.game, adviser="material:depth=1"))
    )
    page.open("/analysis", t="long")
    list_of = "const list = document.querySelector('.evm'), now = list.querySelector('.now');"
    inside = f"""{list_of} if (!now) return list.scrollTop === 0;
        const a = list.getBoundingClientRect(), b = now.getBoundingClientRect();
        return b.top >= a.top - 1 && b.bottom <= a.bottom + 1"""
    shown = f"{list_of} return [...list.querySelectorAll('button.evm-move')].indexOf(now) + 1"
    assert page.js("const e = document.querySelector('.evm'); return e.scrollHeight") > 400
    for key, ply in (("\ue013", 0), ("\ue014", 1), ("\ue015", 32), ("\ue012", 31)):
        page.key(key)
        wait_for(lambda ply=ply: page.js(shown) == ply, f"ply {ply}")
        wait_for(lambda: page.js(inside), f"ply {ply} in sight", patience=60)
    # What is learnt about positions meanwhile does not scroll it.
    page.js("document.querySelector('.evm').scrollTop = 0")
    known = "return getElement(document.querySelector('.evg').id.slice(1)).points"
    wait_for(lambda: None not in page.js(known), "all evaluations")
    assert page.js("return document.querySelector('.evm').scrollTop") == 0
    # The graph: numbers of moves below, and the move and its value where one points.
    axis = "return [...document.querySelectorAll('.evg-axis span')].map(e => +e.innerText)"
    assert page.js(axis) == [2, 4, 6, 8, 10, 12, 14, 16]
    place = "const b = document.querySelector('.evg-plot').getBoundingClientRect();"
    x, y = page.js(f"{place} return [b.left + b.width * 2 / 32, b.top + b.height / 2]")
    page.mouse("mouseMoved", (x, y))
    tip = "return document.querySelector('.evg-tip')?.innerText ?? ''"
    wait_for(lambda: re.fullmatch(r"1… a6 \S+", page.js(tip)), "the tip", patience=60)


FOCUSED = """
    const e = document.activeElement, seen = getComputedStyle(e);
    if (e === document.body) return [true, ''];
    const ring = seen.outlineStyle === 'solid' && parseFloat(seen.outlineWidth) >= 2;
    return [ring || !!e.closest('.q-field--focused'), e.ariaLabel || e.innerText || e.tagName]"""
# The ratio of WCAG between what is drawn as `over` and the fill of `under`.
CONTRAST = """
    const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map((v) => v / 255).map((v) =>
        v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
      return .2126 * r + .7152 * g + .0722 * b + .05; };
    const fill = (name) => { const e = document.querySelector(name), seen = getComputedStyle(e);
      return e.ownerSVGElement ? seen.fill : seen.backgroundColor; };
    const [a, b] = [light(fill(arguments[0])), light(fill(arguments[1]))];
    return Math.max(a, b) / Math.min(a, b)"""


@pytest.mark.parametrize("dark", [False, True])
def test_focus_and_letters_can_be_seen(page: Page, driver: Any, dark: bool) -> None:
    set_screen(driver, 1280, 900, dark=dark)
    try:
        page.open("/analysis", game="chess", player="material:depth=1")
        wait_for(
            lambda: page.js("return document.querySelectorAll('.ranks button').length"), "values"
        )
        for shade in ("light", "dark"):
            assert page.js(CONTRAST, f".evb-name.on-{shade}", f".evb-cell.{shade}") >= 4.5
        page.js("document.querySelector('.brand').focus()")
        seen = ["brand"]
        while seen[-1]:
            page.key("\ue004")
            ring, label = page.js(FOCUSED)
            assert ring, f"{label} has no ring"
            seen.append(label)
        assert "Flip (f)" in seen
        assert "chess board, White to move" in seen
    finally:
        set_screen(driver, 1280, 900)


def test_captures_that_must_be_made_and_a_piece_in_the_hand(page: Page) -> None:
    page.open(game="draughts", opponent="random", start="B:W9,10,17,18:B1,6", seed=1)
    at = {name: i for i, name in enumerate(page.js(f"{BOARD} return b.data.board.names")) if name}
    note = "return document.querySelector('.evb-note').innerText"
    live = "return document.querySelector('.evb-live').textContent"
    assert page.js(note) == "You must capture"
    assert page.js(live) == "You must capture."
    # Those that can are shown for a moment: both are asked for at once, and the click repeated.
    shades = "[...document.querySelectorAll('.evb-shade.able')]"
    both = f"return [document.querySelector('.evb-live').textContent, {shades}.length]"

    def shown() -> bool:
        page.click(at["1"])
        told, able = page.js(both)
        return told.startswith("You must capture. This piece cannot move") and able == 1

    wait_for(shown, "the pieces that can move")
    left = "return document.querySelectorAll('.evb-man.left').length"
    start, end = page.point(at["6"]), page.point(at["15"])
    page.mouse("mouseMoved", start)
    page.mouse("mousePressed", start, held=True)
    page.mouse("mouseMoved", end, held=True)
    assert page.js(left) == 1
    page.mouse("mouseReleased", end, held=True)
    assert page.js(left) == 0
    assert page.js(note) == ""


def test_tips_and_details_speak_as_players_do(page: Page) -> None:
    page.open("/analysis", game="chess", player="material:depth=1")
    wait_for(lambda: page.js(f"{BOARD} return b.data.values.length"), "the values")
    page.click(6)
    page.mouse("mouseMoved", page.point(21))
    tip = "return document.querySelector('.evb-tip span')?.innerText"
    wait_for(lambda: page.js(tip) == "Nf3", "the tip")
    page.press("More")
    time.sleep(0.3)
    page.press("Set up or paste a position …")
    box = "[...document.querySelectorAll('.q-checkbox')].find(e => e.innerText === arguments[0])"
    wait_for(lambda: page.js(f"return {box}", "Black O-O-O"), "the boxes")
    page.js(f"{box}.click()", "Black O-O-O")
    text = "return document.querySelector('.q-dialog textarea').value.split(' ')[2]"
    wait_for(lambda: page.js(text) == "KQk", "the text without that right")
    page.press("Cancel")


def test_a_finger_drags_without_scrolling_and_hits_everything(page: Page, driver: Any) -> None:
    set_screen(driver, 390, 844)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        page.open("/analysis", game="kingcapture", player="material:depth=1")
        wait_for(
            lambda: page.js("return document.querySelectorAll('.ranks button').length"), "values"
        )
        (x, y), (_, end) = page.point(8), page.point(14)
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            *(("touchMove", [{"x": x, "y": y + (end - y) * i / 4}]) for i in range(1, 5)),
            ("touchEnd", []),
        ):
            event = {"type": kind, "touchPoints": points}
            driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)
        wait_for(
            lambda: page.js("return document.querySelectorAll('.evm-move').length"), "the move"
        )
        assert page.js("return window.scrollY") == 0
        assert 0 <= page.js(STEPS_BELOW) < 60
        small = page.js(
            """return [...document.querySelectorAll('button, a, .q-toggle, .q-field')].filter(e => {
              const box = e.getBoundingClientRect();
              return e.checkVisibility() && (box.width < 40 || box.height < 40);
            }).map(e => e.outerHTML)"""
        )
        assert small == []
    finally:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        set_screen(driver, 1280, 900)


HEAPS = ("1/2/3/4/5/6/7/8/9/10/11/12", "100/200/50")


@pytest.mark.parametrize("heaps", few(HEAPS, HEAPS[0]))
def test_huge_and_many_heaps_fill_the_board(page: Page, heaps: str) -> None:
    set_screen(page.driver, 1280, 800)
    page.open(game=f"nim:heaps={heaps}", opponent="random", seed=1)
    assert page.js("return document.documentElement.scrollHeight") == 800  # no scroll bar
    box = page.js(f"{BOARD} return b.geometry.box")
    assert 0.7 < box[2] / box[3] < 1.5
    cells = page.js(
        f"""{BOARD} const found = [];
        b.heaps.counts.forEach((count, cell) => {{ for (let i = 0; i < count; i++) {{
          const at = b.geometry.match(cell, i);
          found.push([b.geometry.cellAt(...at) === cell,
            b.geometry.matchAt(cell, ...at, count) === i]); }} }});
        return found"""
    )
    assert len(cells) == sum(map(int, heaps.split("/")))
    assert all(heap and match for heap, match in cells)
    heap = heaps.count("/") * 2 // 3
    count = int(heaps.split("/")[heap])
    page.enter(next(m for m in page.moves() if m["cells"] == [heap] and m["amount"] == 4), "drag")
    assert page.js(f"{BOARD} return b.heaps.counts[{heap}]") == count - 4  # at once
    page.wait_turn()
    page.open(game="chess", opponent="random", seed=1)
    assert page.js("return document.documentElement.scrollHeight") == 800
    set_screen(page.driver, 1280, 900)
