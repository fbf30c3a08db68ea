"""The champions that ship: one for every game, playable at once, each saying how it was made."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import evoboard
from evoboard.arena.contest import Terms, play_contest
from evoboard.core.wording import duration
from evoboard.experiments.catalog import load
from evoboard.games.base import game_names, load_game
from evoboard.players.base import make_player
from evoboard.players.champion import (
    about,
    made_words,
    measured,
    names,
    percent,
    strength_words,
)
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
    assert made_words(data).startswith(f"made by {data['made by']}")
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
    grade = grade_for(game).of_player(make_player("champion:nim-policy", game))
    assert grade.value == 1.0
    assert sum(part.cases for part in grade.parts) == 191  # every position there is


def table_of(lines):
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def test_a_figure_of_a_games_own_rule_comes_before_those_of_longer_games():
    """So that whoever measures it finds what was said."""
    data = about("kingcapture")
    rows = measured(data)
    own = load_game("kingcapture").draws.plies
    assert [rows[0]["plies"], rows[0]["search"]] == [own, "depth 4, quiescence 4"]
    assert {row["plies"] for row in rows} == {own, 100}
    words = strength_words(data)
    assert words.index(f"at most {own} plies: ") < words.index("; at most 100 plies: ")
    contest = play_contest(
        load_game("kingcapture"), ["champion:kingcapture-1ply", "material:depth=1"], 200, Terms(1)
    )
    row = measured(about("kingcapture-1ply"))[0]
    assert contest.table.points()[0] == row["wins"] + row["draws"] / 2
    # Where a file does not say, it was the game's own rule; chess has none.
    assert measured(about("draughts"))[0]["plies"] == 100
    assert "plies" not in strength_words(about("chess"))


def equal_rows(data):
    """Return what was measured at equal search, its own first: (plies, search, score) each."""
    return [
        (row["plies"], searching(row["search"]), percent(row))
        for row in measured(data)
        if row["equal"]
    ]


def searching(words):
    return words.replace(", quiescence 4", " and captures") or "none"


def short_table():
    """Return the README's table: each champion's score at equal search, and Elo on the ladder."""
    lines = [
        [
            "champion",
            "its search",
            "drawn after",
            "score at equal search",
            "other depths",
            "Elo on the ladder",
            "training",
        ]
    ]
    for name in names():
        data, elo = about(name), "–"
        if "ladder" in data:
            elo = "{elo:,} ({low:,} … {high:,})".format(**data["ladder"])
        rows, spent = equal_rows(data), duration(data["time"]) if "time" in data else "–"
        own = rows[0][1] if rows else searching(measured(data)[0]["search"])
        caps = dict.fromkeys(plies for plies, _, _ in rows or [(0, "", "")])
        for again, plies in enumerate(caps):
            scores = [score for cap, _, score in rows if cap == plies] or ["–"]
            found = sorted((int(score.split("%")[0]), score) for score in scores[1:])
            ends = " to ".join(dict.fromkeys(score for _, score in found[:1] + found[-1:])) or "–"
            cap = f"{plies} plies" if plies else "–"
            best = f"**{scores[0]}**" if rows else "–"
            line = [f"`{name}`", own, cap, best, ends, elo, spent]
            if again:  # in longer games than the rules have
                line = ['"', '"', cap, scores[0], ends, '"', '"']
            lines.append(line)
    return table_of(lines)


def whole_table():
    """Return the table of all searches at which the champions were measured at equal search."""
    cells = {
        (what, f"{name}, {plies} plies" if plies else name): words
        for name in names()
        for plies, what, words in equal_rows(about(name))
    }
    columns = list(dict.fromkeys(name for _, name in cells))
    kinds = sorted({what for what, _ in cells}, key=lambda what: (len(what), what))
    lines = [["search", *columns]]
    lines += [[what, *(cells.get((what, name), "–") for name in columns)] for what in kinds]
    return table_of(lines)


@pytest.mark.parametrize(
    ("page", "table"), [("README.md", short_table), ("docs/concepts/strength.md", whole_table)]
)
def test_the_pages_have_the_figures_of_the_files(page, table):
    text = (Path(__file__).parent.parent / page).read_text(encoding="utf-8")
    assert table() in text, f"{page} shall have\n{table()}"
