"""Boards and networks as SVG: what is on them is what the game and the network say."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from arrange import Node, arrange
from evoboard.encoders.base import find_encoder
from evoboard.games.base import Game, load_game
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.pictures.board import draw_board
from evoboard.pictures.chart import Axis, Chart
from evoboard.pictures.curves import Curve, draw_curves
from evoboard.pictures.network import NEGATIVE, POSITIVE, draw_network
from evoboard.pictures.svg import Picture

SVG = "{http://www.w3.org/2000/svg}"


def shapes(picture: Picture, kind: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture.svg).iter(SVG + kind))


def test_every_game_can_be_drawn(game: Game) -> None:
    state = game.initial()
    legal = game.legal_moves(state)
    plain, shown = draw_board(game, state), draw_board(game, state, move=legal[0])
    title = ElementTree.fromstring(plain.svg)[0]
    assert title.text == f"{game.title}: {game.state_text(state)}"
    board = game.view(state).board
    if board.shape == "heaps":
        matches = sum(piece.count for piece in game.view(state).pieces)
        assert len(shapes(plain, "ellipse")) == matches
    else:
        cells = len(shapes(plain, "rect")) + len(shapes(plain, "path"))
        assert cells == board.width * board.height
        assert shown.svg != plain.svg  # the move is marked


def test_pieces_are_where_the_view_has_them() -> None:
    game = load_game("kingcapture")
    state = game.parse_state("3k2/6/6/6/6/K5 w")
    kings = [shape for shape in shapes(draw_board(game, state), "text") if shape.text == "♚"]
    assert [(float(k.get("x", 0)), float(k.get("y", 0)) - 0.02) for k in kings] == [
        (0.5, pytest.approx(5.5)),
        (3.5, pytest.approx(0.5)),
    ]
    turned = draw_board(game, state, flipped=True)
    first = next(shape for shape in shapes(turned, "text") if shape.text == "♚")
    assert (first.get("x"), first.get("y")) == ("5.5", "0.52")


def test_links_are_drawn_by_their_sign_and_strength() -> None:
    game = load_game("kingcapture")
    links = [(0, 36, 1.0), (35, 50, -2.0), (50, 36, 0.001)]
    network = arrange(range(36), [36], [Node(36, 0.0), Node(50, 0.0, "tanh")], links)
    picture = draw_network(network, game, find_encoder("squares", game))
    drawn = [(p.get("stroke"), float(p.get("stroke-width", 0))) for p in shapes(picture, "path")]
    # The weakest is far below the strongest and left out.
    assert drawn == [(POSITIVE, pytest.approx(0.065)), (NEGATIVE, pytest.approx(0.115))]
    seen = [float(path.get("stroke-opacity", 0)) for path in shapes(picture, "path")]
    assert seen == [pytest.approx(0.5), pytest.approx(0.85)]  # "the weaker … the more transparent"
    assert len(shapes(picture, "circle")) == 2
    assert len(shapes(picture, "rect")) == 36
    assert "value" in [shape.text for shape in shapes(picture, "text")]


@pytest.mark.parametrize("direct", [False, True])
def test_layered_networks_have_all_their_links(direct: bool) -> None:
    game = load_game("nim:heaps=3/5/7")
    design = Design((3, 4, 1), direct=direct)
    network = MLPNetwork(design, np.ones(design.length))
    picture = draw_network(network, game, find_encoder("heaps", game))
    assert len(shapes(picture, "path")) == 3 * 4 + 4 + 3 * direct
    assert "heap 0" in [shape.text for shape in shapes(picture, "text")]


def test_a_picture_is_shown_inline_and_saved(tmp_path: Path) -> None:
    game = load_game("nim:heaps=3/5/7")
    picture = draw_board(game, game.initial())
    assert picture._repr_svg_() == picture.svg
    assert picture.save(tmp_path / "nim.svg").read_text(encoding="utf-8") == picture.svg


def test_curves_have_a_line_and_a_band_each_and_stay_within_the_picture() -> None:
    curves = [
        Curve("with a band", [0, 10, 20], [0.0, 150.0, 300.0], [-50, 100, 250], [50, 200, 350]),
        Curve("alone", [0, 10, 20], [100.0, float("nan"), 120.0]),
    ]
    picture = draw_curves(curves, "Elo", up="Elo")
    lines, bands = shapes(picture, "polyline"), shapes(picture, "polygon")
    assert len(lines) == 2
    assert len(bands) == 1
    assert len(shapes(picture, "circle")) == 5  # what is not finite is left out
    words = [text.text for text in shapes(picture, "text")]
    assert {"Elo", "generation", "with a band", "alone", "0", "20", "300"} <= set(words)
    width, height = (
        float(ElementTree.fromstring(picture.svg).get(k, 0)) for k in ("width", "height")
    )
    for path in (*lines, *bands):
        numbers = [float(n) for n in re.findall(r"-?[0-9.]+", path.get("points", ""))]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])


def test_a_curve_of_one_value_or_of_none_is_drawn() -> None:
    for values in ([5.0], [], [float("nan")]):
        picture = draw_curves([Curve("few", list(range(len(values))), values)])
        assert ElementTree.fromstring(picture.svg).get("width") == "640"


def test_words_of_a_stripe_stand_above_the_lines() -> None:
    chart = Chart("a title", Axis("generation", 0, 10), Axis("share", 0, 1))
    chart.line([0, 10], [0.45, 0.55], "#123456", "ours")
    chart.level(0.5, "theirs", low=0.3)
    where = {text.text: float(text.get("y", 0)) for text in shapes(chart.finish(), "text")}
    assert where["theirs"] == where["ours"] < 40


def test_no_two_of_many_curves_look_alike() -> None:
    picture = draw_curves([Curve(f"number {i}", [0, 1], [0, i]) for i in range(12)])
    lines = [each for each in ElementTree.fromstring(picture.svg) if each.tag.endswith("polyline")]
    looks = {(line.get("stroke"), line.get("stroke-dasharray")) for line in lines}
    assert len(looks) == len(lines) == 12
