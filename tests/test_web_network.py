"""The page that looks into networks: where inputs lie, how nodes are placed, what is drawn."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest

from browser import (
    Server,
    open_server,
    require_browser,
    set_screen,
    wait_for,
)
from small_run import make_run, network_of

require_browser()

from nicegui import Client, ui  # noqa: E402

from arrange import Node, arrange  # noqa: E402
from evoboard.encoders.base import find_encoder  # noqa: E402
from evoboard.encoders.subsquares import WINDOWS  # noqa: E402
from evoboard.games.base import load_game  # noqa: E402
from evoboard.games.draughts import SQUARE_BIT  # noqa: E402
from evoboard.networks.mlp_network import Design, MLPNetwork  # noqa: E402
from evoboard.pictures import inputs as places  # noqa: E402
from evoboard.pictures.anatomy import anatomy, depths, row_places, summary  # noqa: E402
from evoboard.players import champion  # noqa: E402
from evoboard.players.file import write_player  # noqa: E402
from evoboard.players.network import PlayerNetwork  # noqa: E402
from evoboard.players.setup import Setup  # noqa: E402
from evoboard.web import theme  # noqa: E402
from evoboard.web.network.element import live_data  # noqa: E402
from evoboard.web.network.source import load  # noqa: E402
from evoboard.web.network.words import described, said  # noqa: E402
from evoboard.web.pages import network as network_page  # noqa: E402
from evoboard.web.site import Site  # noqa: E402
from evoboard.web.values import value_text  # noqa: E402

STYLE = "{http://www.w3.org/2000/svg}"


def shown(
    game_text: str, encoder: str, network: Any = None, search: str = "alphabeta"
) -> PlayerNetwork:
    """Return a network to look at; without one, a layered one of the right size."""
    game = load_game(game_text)
    inputs = find_encoder(encoder, game)
    if network is None:
        design = Design((inputs.inputs, 1))
        network = MLPNetwork(design, np.zeros(design.length))
    kind = network.to_json()["kind"]
    return PlayerNetwork(Setup(game_text, encoder, kind, search).bind(game), network)


def arranged(shown: PlayerNetwork) -> places.Arrangement:
    return places.arrange_inputs(shown.game, shown.encoder)


@pytest.mark.parametrize(
    ("game", "encoder", "shape", "size", "some"),
    [
        ("kingcapture", "squares", "square", (6, 6), {0: (0, 5), 35: (5, 0), 7: (1, 4)}),
        ("kingcapture", "cells", "square", (6, 7.9), {0: (0, 5), 36: (0, 6.7)}),
        ("kingcapture", "planes", "square", (26.1, 19.4), {36: (6.7, 5)}),
        ("chess", "squares", "square", (8, 8), {0: (0, 7), 63: (7, 0)}),
        ("chess", "chess_features", "list", (1, 10), {9: (0, 9)}),
        ("draughts", "subsquares", "grid", (24.5, 6), {36: (6.7, 0), 90: (23.5, 0)}),
        ("hexwar:layout=rhombus", "squares", "hex", (7, 4.464), {0: (0, 3.464), 24: (6, 0)}),
        ("nim:heaps=3/5/7", "heaps", "list", (1, 3), {2: (0, 2)}),
        ("nim:heaps=3/5/7", "binary", "list", (1, 9), {8: (0, 8)}),
    ],
)
def test_inputs_lie_on_the_board_where_they_are_squares(game, encoder, shape, size, some) -> None:
    found = arranged(shown(game, encoder))
    assert found.shape == shape
    assert (found.width, found.height) == pytest.approx(size, abs=1e-3)
    assert len(found.names) == len(found.places) == len(found.cells)
    for i, place in some.items():
        assert found.places[i] == pytest.approx(place, abs=1e-3)


def test_inputs_have_the_names_their_encoder_gives() -> None:
    assert arranged(shown("chess", "chess_features")).names[1] == "bishop pair"
    assert arranged(shown("nim:heaps=3/5/7", "binary")).names[4] == "heap 1, 2s"
    planes = arranged(shown("kingcapture", "planes"))
    assert planes.names[37] == "b1, White rooks"
    assert [title for title, _, _ in planes.titles][5:7] == ["Black pawns", "Black rooks"]


def test_draughts_inputs_are_the_dark_squares_by_number() -> None:
    found = arranged(shown("draughts", "squares"))
    assert found.names == [str(number) for number in range(1, 33)]
    assert len(found.blank) == 32
    board = load_game("draughts").view(load_game("draughts").initial()).board
    assert [board.names[cell] for cell in found.cells] == found.names


def test_windows_know_the_squares_they_hold() -> None:
    found = arranged(shown("draughts", "subsquares"))
    assert found.squares is not None
    assert [title for title, _, _ in found.titles] == [f"{n}×{n}" for n in range(3, 9)]
    for name, held in zip(found.squares.names, found.windows, strict=True):
        bit = int(SQUARE_BIT[int(name) - 1])
        assert held == [i for i, window in enumerate(WINDOWS.tolist()) if window >> bit & 1]


def test_a_champion_is_that_of_a_game() -> None:
    found = load("champion", Site(), "nim")
    assert (found.game.name, found.text) == ("nim", "champion:nim")
    assert load("champion:chess", Site()).title == "Champion of chess-learn"


def test_pieces_are_shown_on_the_inputs_that_see_them() -> None:
    network = shown("draughts", "squares")
    inputs, game = arranged(network), network.game
    for text, turned, lit in (("B:W30:B1", False, {0, 29}), ("W:W30:B1", True, {2, 31})):
        live = live_data(network, inputs, game.parse_state(text))
        assert live["turned"] is turned
        assert {i for i, _ in live["pieces"]} == lit
        assert {i for i, value in enumerate(live["slots"][:32]) if value} == lit


NEAT = Path(__file__).parent / "players" / "kingcapture-neat.json"


@pytest.mark.parametrize(
    ("text", "own"),
    [(f"file:{NEAT}", "its output is "), ("champion:hexwar", "its output is for Red, who is to")],
)
def test_values_in_words_are_the_first_sides(text: str, own: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(champion, "FOLDER", NEAT.parent if "file" in text else champion.FOLDER)
    shown = load(text, Site())
    game = shown.game
    state = game.apply(game.initial(), game.legal_moves(game.initial())[0])
    value = value_text(-shown.look(state).value, shown.player().scale)
    first, _, rest = said(shown, state).partition("; ")
    assert first == f"{value} for {game.sides[0]}"
    assert rest.startswith(own)
    encoder = "squares" if "file" in text else "exchanges by lead"
    assert described(shown, summary(shown.network)).split(" · ")[0].endswith(f"inputs ({encoder})")


def test_a_value_is_in_pawns_as_on_the_other_pages() -> None:
    network = shown("kingcapture", "squares", network_of(3, 1))
    state = network.game.parse_state("rbnkbr/1ppppp/3N2/p5/PPPPPP/RB1KBR w")
    value = network.look(state).value
    pawns, own = value_text(value, network.player().scale), value_text(value)
    assert pawns != own
    assert said(network, state) == f"{pawns} for White; its output is {own}"


def test_the_drawing_is_seen_before_its_values_are_there(monkeypatch: Any) -> None:
    """To compute them for the first time takes seconds."""
    seen: list[bool] = []

    async def look(page: network_page.NetworkPage) -> None:
        seen.append("loading" in page.main.classes)

    monkeypatch.setattr(network_page.NetworkPage, "_look", look)

    async def visit() -> None:
        with Client(ui.page("")), theme.shell([], None):
            page = network_page.NetworkPage(Site())
            seen.append("loading" in page.main.classes)
            page.build()
            assert await page.open("champion:nim")

    asyncio.run(visit())
    assert seen == [True, False]


def test_nodes_stand_behind_what_they_depend_on_and_near_it() -> None:
    nodes = [Node(36, 0.0), *(Node(key, 0.0, "tanh") for key in (50, 51, 52, 53))]
    links = [(0, 50, 1.0), (35, 51, 1.0), (50, 52, 1.0), (51, 53, 1.0)]  # a1 is low, f6 high
    links += [(52, 36, 1.0), (53, 36, 1.0), (3, 36, 0.5), (50, 53, 0.1)]
    network = arrange(range(36), [36], nodes, links)
    inputs = arranged(shown("kingcapture", "squares", network))
    depth, rows = depths(network), row_places(network, depths(network), inputs)
    targets = np.repeat(np.arange(network.nodes), np.diff(network.start))
    for source, target in zip(network.source - 36, targets, strict=True):
        assert source < 0 or depth[source] < depth[target]
    assert sorted(depth.tolist()) == [1, 1, 2, 2, 3]
    by_source = {
        int(s): int(t) for s, t in zip(network.source, targets, strict=True) if s in (0, 35)
    }
    assert rows[by_source[0]] > rows[by_source[35]]
    for column in (1, 2):
        assert sorted(rows[depth == column]) == [0.25, 0.75]
    counts = summary(network)
    assert counts == {"inputs": 36, "hidden": 4, "outputs": 1, "links": 8, "direct": 1}


def test_what_is_drawn_live_is_what_the_network_computes() -> None:
    network = network_of(3, 1)
    look = shown("kingcapture", "squares", network)
    state = look.game.parse_state("rbnkbr/1ppppp/3N2/p5/PPPPPP/RB1KBR b")
    worth = {"P": 0.1, "N": 0.3, "B": 0.35, "R": 0.5, "K": 1.0}
    values = [0.0] * 36
    for piece in look.game.view(state).pieces:
        values[piece.cell] = worth[piece.symbol] * (-1 if piece.side else 1)
    for node in range(network.nodes):
        links = range(network.start[node], network.start[node + 1])
        total = network.bias[node] + sum(
            network.weight[i] * values[network.source[i]] for i in links
        )
        steep = 0.5 if network.activation[node] == "bilateral" else 1.0
        values.append(np.tanh(steep * total))
    live = live_data(look, arranged(look), state)
    assert live["slots"] == pytest.approx(values, abs=1e-4)
    assert look.look(state).value == pytest.approx(-values[36 + network.outputs[0]], abs=1e-5)


def test_layers_come_as_rows_of_targets() -> None:
    design = Design((2, 3, 1), direct=True)
    network = MLPNetwork(design, np.arange(design.length))
    drawn = anatomy(network, ["value"], arranged(shown("nim:heaps=3/5", "heaps")))
    first, last = drawn["layers"]
    assert first["bias"] == [0, 1, 2]
    assert first["weights"] == [3, 6, 4, 7, 5, 8]  # of node 0, of node 1, of node 2
    assert (last["bias"], last["weights"], drawn["direct"]) == ([9], [10, 11, 12], [13, 14])


# --- in the browser --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One app for all tests, with a run and a player's file."""
    folder = tmp_path_factory.mktemp("app")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOBOARD_RUNS", str(folder / "runs"))
        make_run("grown")
    players = folder / "games" / "players"
    players.mkdir(parents=True)
    design = Design((32, 7, 1))
    numbers = np.linspace(-1, 1, design.length)
    network = MLPNetwork(design, numbers).to_json()
    write_player(players / "dense.json", "draughts", "squares", network, "alphabeta", {"depth": 1})
    design = Design((91, 1))
    weights = MLPNetwork(design, np.arange(design.length) / 100).to_json()  # the bias first
    write_player(players / "wide.json", "draughts", "subsquares", weights, "alphabeta", {})
    with open_server(folder) as running:
        yield running


def opened(driver: Any, server: Server, **query: str) -> None:
    """Open the page and wait until it shows what the network computes."""
    driver.get(f"{server.url}/network?{urlencode(query)}")
    wait_for(lambda: driver.execute_script(f"{VIEW} return v?.live && window.did_handshake"), "it")


VIEW = "const e = document.querySelector('.net'); const v = e && getElement(e.id.slice(1));"


def lines(driver: Any) -> int:
    """Return how many links are drawn."""
    return int(driver.execute_script("return document.querySelectorAll('.net-link').length"))


def press(driver: Any, text: str) -> None:
    """Press the button or menu entry with a text or label."""
    driver.execute_script(
        """const all = [...document.querySelectorAll('button, .q-item')];
        all.find(e => e.innerText === arguments[0] || e.ariaLabel === arguments[0]).click()""",
        text,
    )


def point(driver: Any, x: float, y: float) -> str:
    """Point at a place of the drawing; return what is told about it."""
    at = driver.execute_script(
        "const b = document.querySelector('.net-svg').getBoundingClientRect(); return [b.x, b.y]"
    )
    place = {"x": at[0] + x, "y": at[1] + y}
    driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", **place})
    return str(driver.execute_script("return document.querySelector('.net-tip').innerText"))


def test_as_many_lines_as_links_and_the_slider_changes_them(driver: Any, server: Server) -> None:
    champions = [json.loads(row) for row in champion_networks(server)]
    links = [sum(len(node["links"]) for node in network["nodes"]) for network in champions]
    assert all(a < b for a, b in pairwise(links))
    opened(driver, server, run="grown")
    wait_for(lambda: lines(driver) == links[-1] - 12, "the links but the direct ones")
    press(driver, "All links")
    wait_for(lambda: lines(driver) == links[-1], "all links")
    press(driver, "Direct links")
    shown_weights = "return document.querySelectorAll('.net-weight').length"
    wait_for(lambda: driver.execute_script(shown_weights) == 12, "the weights on the board")
    press(driver, "All links")
    driver.execute_script("document.querySelector('.q-slider [tabindex]').focus()")
    for generation in (2, 1):
        driver.switch_to.active_element.send_keys("\ue012")  # left
        wait_for(lambda g=generation: lines(driver) == links[g], f"generation {generation}")
    wait_for(lambda: "generation=1" in driver.current_url, "the address of what is shown")
    driver.refresh()
    wait_for(lambda: lines(driver) == links[1] - 12, "the same after a reload")


def champion_networks(server: Server) -> list[str]:
    from evoboard.store.reader import Reader

    with Reader(server.folder / "runs" / "grown") as reader:
        return [json.dumps(reader.genome(row.champion).network) for row in reader.rows()]


def test_pointing_tells_numbers_and_a_position_changes_them(driver: Any, server: Server) -> None:
    start = "5k/6/6/6/6/K5 w"
    opened(driver, server, run="grown", generation="3", state=start)
    x, y = driver.execute_script(
        """const n = document.querySelector('.net-node');
        return [n.cx.baseVal.value, n.cy.baseVal.value]"""
    )
    told = point(driver, x, y)
    assert told.startswith("node 0")
    assert "bias" in told
    assert "activation" in told
    value = "return document.querySelector('.net-position').innerText"
    before = driver.execute_script(value)
    field = driver.find_element("css selector", ".net-position input")
    field.send_keys("\ue009a")
    field.send_keys("5k/6/2R3/6/6/K5 b\n")
    wait_for(lambda: driver.execute_script(value) != before, "another value")
    assert "for White" in driver.execute_script(value)
    field.send_keys("\ue009a")
    field.send_keys("nonsense\n")
    wait_for(
        lambda: (
            "nonsense"
            in driver.execute_script(
                "return document.querySelector('.q-notification')?.innerText ?? ''"
            )
        ),
        "what is wrong",
    )


def saved(server: Server, form: str) -> Path:
    """Return the file that was downloaded."""
    return Path(wait_for(lambda: list(server.folder.glob(f"*.{form.lower()}")), form)[0])


def test_the_drawing_is_saved_as_it_is_shown(driver: Any, server: Server) -> None:
    opened(driver, server, run="grown", generation="3")
    press(driver, "All links")
    wait_for(lambda: lines(driver) > 12, "all links")
    files = {}
    for form in ("SVG", "PNG"):
        press(driver, "Save the drawing")
        time.sleep(0.25)
        press(driver, f"As {form}")
        files[form] = saved(server, form)
    text = files["SVG"].read_text()
    root = ElementTree.fromstring(text.encode())
    drawn = [e for e in root.iter(f"{STYLE}path") if "net-link" in e.get("class", "")]
    assert len(drawn) == lines(driver)
    assert "var(" not in text
    written = " ".join(e.text or "" for e in root.iter(f"{STYLE}text"))
    assert "grown, champion of generation 3: 36 inputs" in written
    assert "positive negative the more opaque a link, the larger its weight" in written
    surface = "return getComputedStyle(document.body).getPropertyValue('--surface').trim()"
    assert root.find(f"{STYLE}rect").get("fill") == driver.execute_script(surface)
    wait_for(lambda: files["PNG"].stat().st_size > 1000, "the picture")
    assert files["PNG"].read_bytes().startswith(b"\x89PNG")
    assert files["SVG"].name == "Run-grown-champion-of-generation-3.svg"


def test_dense_networks_are_matrices_also_on_a_phone(driver: Any, server: Server) -> None:
    set_screen(driver, 390, 844, dark=True)
    try:
        path = server.folder / "games" / "players" / "dense.json"
        opened(driver, server, player=f"file:{path}")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
        shown_text = "return document.querySelector('.net-svg').textContent"
        assert "32 inputs → 7 nodes, tanh" in driver.execute_script(shown_text)
        assert "7 nodes → 1 output" in driver.execute_script(shown_text)
        told = point(driver, 20, 52)
        assert told.startswith("1 → layer 1 node 0")
        assert "weight −0.941" in told  # the eighth of 239 numbers, after seven biases
    finally:
        set_screen(driver, 1280, 900)


def test_windows_are_added_up_on_the_squares_they_hold(driver: Any, server: Server) -> None:
    path = server.folder / "games" / "players" / "wide.json"
    opened(driver, server, player=f"file:{path}")
    assert "more opaque a cell" in legend(driver)
    press(driver, "Direct links")
    texts = "return [...document.querySelectorAll('.net-weight')].map(e => e.textContent)"
    shown_weights = wait_for(lambda: driver.execute_script(texts), "weights")
    held = [i for i, window in enumerate(WINDOWS.tolist()) if window >> int(SQUARE_BIT[0]) & 1]
    assert len(shown_weights) == 32 + 91
    assert float(shown_weights[0]) == pytest.approx(sum(i + 1 for i in held) / 100, abs=0.051)
    assert float(shown_weights[-1]) == 0.91
    assert "more opaque a square" in legend(driver)


def legend(driver: Any) -> str:
    return str(driver.execute_script("return document.querySelector('.net-legend').innerText"))


def test_a_foreign_file_cannot_be_named(driver: Any, server: Server, tmp_path: Path) -> None:
    write_player(tmp_path / "x.json", "nim", "heaps", {}, "alphabeta", {})
    for name in (tmp_path / "x.json", "x" * 300):
        opened(driver, server, player=f"file:{name}")
        told = driver.execute_script("return document.querySelector('.q-notification').innerText")
        assert "not a file of this app" in told
