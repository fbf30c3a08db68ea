"""The champions that ship: one for every game, playable at once, each saying how it was made."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import evoboard
from evoboard.arena.contest import Terms, play_contest
from evoboard.experiments.catalog import load
from evoboard.games.base import game_names, load_game
from evoboard.players.base import make_player
from evoboard.players.champion import about, names, percent, strength_words
from evoboard.players.equal_search import counter_for
from evoboard.training.grades.base import grade_for

FOLDER = Path(evoboard.__path__[0]) / "champions"


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_champion_that_beats_random_moves(name):
    path = FOLDER / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["title"]
    rows = data["measured"]
    assert len(rows) >= 2
    assert all(0 <= row["low"] <= row["score"] <= row["high"] <= 1 and row["name"] for row in rows)
    # At equal search first, and with its own search first of all.
    equal = [row["equal"] for row in rows]
    assert equal == sorted(equal, reverse=True)
    game = load_game(name)
    own = counter_for(make_player("champion", game), game)
    assert own is None or rows[0]["against"] == own
    words = strength_words(data)
    assert words.startswith("at equal search, ") or own is None
    assert path.stat().st_size < 200_000
    words = data["made by"].split()
    assert words[:2] == ["evoboard", "train"]
    changes = [word for before, word in pairwise(words) if before == "--set"]
    assert load(words[2], changes).game.name.split(":")[0] == name
    # As shallow as it can be, so that it is soon done.
    limit = "" if data["search"] == "policy" else ",depth=1"
    contest = play_contest(load_game(name), [f"file:{path}{limit}", "random"], 10, Terms(seed=3))
    assert contest.table.points()[0] >= 6


def test_a_network_without_search_plays_nim_without_a_mistake():
    game = load_game("nim:heaps=3/5/7,random=true")
    data = json.loads((FOLDER / "nim-policy.json").read_text(encoding="utf-8"))
    assert data["search"] == "policy"
    grade = grade_for(game).of_player(lambda game: make_player("champion:nim-policy", game))
    assert grade.value == 1.0
    assert sum(part.cases for part in grade.parts) == 191  # every position there is


def strength_table():
    """Return the README's table by the champions' files: equal search, and Elo on the ladder."""
    cells, columns = {}, []
    for name in names():
        data = about(name)
        rows = [row for row in data["measured"] if row["equal"]]
        columns += [name] if rows else []
        for row in rows:
            what = row["search"].replace(", quiescence 4", " and captures")
            cells[what, name] = percent(row).replace(" %", "")
        if "ladder" in data:
            elo = "{elo:,} ({low:,} … {high:,})".format(**data["ladder"])
            cells["Elo on the ladder", name] = elo
    kinds = sorted({what for what, _ in cells}, key=lambda what: ("Elo" in what, len(what), what))
    lines = [
        ["at equal search, %", *columns],
        ["---"] * (len(columns) + 1),
    ]
    lines += [[what, *(cells.get((what, name), "–") for name in columns)] for what in kinds]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def test_the_readme_has_the_figures_of_the_files():
    readme = Path(__file__).parent.parent / "README.md"
    table = strength_table()
    assert table in readme.read_text(encoding="utf-8"), f"README.md shall have\n{table}"
