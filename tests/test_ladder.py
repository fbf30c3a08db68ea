"""Ladders: fixed players with known Elo, where others stand; strength at equal search."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from evoboard.arena import ladder as ladders
from evoboard.arena.ladder import Ladder, Place
from evoboard.arena.ratings import rate
from evoboard.arena.rungs import QUICK, can_play, effort, rungs_of
from evoboard.arena.scoring import ResultTable
from evoboard.cli.ladder import _print_ladder
from evoboard.cli.main import app
from evoboard.core.errors import OptionError, PartError
from evoboard.core.file_lock import taken
from evoboard.core.wording import as_name
from evoboard.games.base import game_names, load_game
from evoboard.pictures.ladder import draw_ladder
from evoboard.players.base import make_player
from evoboard.players.equal_search import counter_for, counter_with, search_words
from evoboard.players.file import write_player
from evoboard.players.permission import KINDS
from evoboard.store import ladder_file
from evoboard.store.ladder_file import (
    LadderFile,
    LadderGame,
    ladders_folder,
    merge_ladder,
    read_ladder,
    write_ladder,
)

SMALL = ["random", "perfect", "mcts:rounds=10", "mcts:rounds=40"]
GAME = "nim:heaps=1/2/4"


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A ladder of four rungs that takes no time, kept in a folder of its own."""
    monkeypatch.setattr(ladders, "rungs_of", lambda game: SMALL)
    monkeypatch.setattr(ladders, "RUNG_GAMES", 16)
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path))
    return tmp_path


def games_of(ladder, text):
    return [game for game in ladder.games if text in game[:2]]


def test_ratings_that_are_known_stay_and_the_others_follow_from_games_against_them():
    # Player 3 has drawn with player 1 (400) and never met the others.
    table = ResultTable.of(4, [(3, 1), (1, 3)] * 20, [0] * 40, np.repeat(np.arange(20), 2))
    held = np.array([0.0, 400.0, 900.0, np.nan])
    found = rate(table, 0, held=held)
    assert found.elo[:3] == pytest.approx(held[:3])
    assert found.elo[3] == pytest.approx(400, abs=2)
    assert found.low[3] < found.elo[3] < found.high[3]
    assert (found.low[:3] == found.high[:3]).all()
    with pytest.raises(OptionError, match="a known one for the anchor"):
        rate(table, 3, held=held)


def test_the_counter_of_pieces_searches_as_the_player_does():
    game = load_game("kingcapture")

    def of(text):
        return counter_for(make_player(text, game), game)

    assert of("champion:depth=2,quiescence=4") == "material:depth=2,quiescence=4"
    assert of("champion:depth=1,quiescence=0") == "material:depth=1"
    assert of("champion:search=pvs,depth=4") == "material:search=pvs,depth=4"
    assert of("champion:seconds=0.5,quiescence=0") == "material:seconds=0.5"
    assert of("champion:search=mcts,rounds=50") == "material:search=mcts,rounds=50"
    assert of("random") is None
    assert of("mcts:rounds=50") is None  # it asks no evaluation at all
    assert counter_with(load_game("nim"), "alphabeta", {"depth": 3}) is None
    assert search_words(make_player("champion:depth=2,quiescence=4", game)) == (
        "depth 2, quiescence 4"
    )
    # What comes out can be played.
    make_player(of("champion:search=pvs,depth=4"), game)


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_rungs_that_can_be_made(name):
    game = load_game(name)
    rungs = rungs_of(game)
    assert rungs[0] == "random"
    assert len(set(rungs)) == len(rungs) > 7
    assert {f"mcts:rounds={n}" for n in (100, 100_000)} <= set(rungs)
    for text in rungs:
        if text.split(":")[0] not in KINDS:
            assert can_play(text, game), text
    assert not can_play("uci:no-such-program", game)


def test_a_ladder_is_kept_as_it_is(tmp_path):
    rules = {"game": "nim", "options": {"heaps": [1, 2]}}
    games = [LadderGame("a:b=1,c=2", "random", 7, 1), LadderGame("random", "é", 1_000_003, -1)]
    kept = LadderFile(rules, games, {"é": "mark"}, "a command")
    path = tmp_path / "deep" / "nim.json"
    write_ladder(path, kept)
    again = read_ladder(path, rules)
    assert again.games == games
    assert (again.marks, again.made_by) == ({"é": "mark"}, "a command")
    assert read_ladder(path, {**rules, "version": 2}).games == []
    assert read_ladder(tmp_path / "none.json", rules).games == []
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    with pytest.raises(PartError, match="move it away"):
        read_ladder(path, rules)


def test_two_that_climb_at_once_keep_the_games_of_both(tmp_path):
    game, one, other = load_game("nim"), LadderGame("a", "random", 3, 1), LadderGame("b", "c", 4, 0)
    first, second = Ladder(game, tmp_path), Ladder(game, tmp_path)
    for ladder, new, mark in ((first, one, "1"), (second, other, "2")):
        ladder.own.games.append(new)
        ladder.own.marks[new.first] = mark
        ladder.save()
    first.save()
    stored = Ladder(game, tmp_path).own
    assert (sorted(stored.games), stored.marks) == ([one, other], {"a": "1", "b": "2"})
    assert first.own.games == [one]  # what it plays next depends on no other
    first.own.marks["b"] = "3"  # another player of that name
    first.save()
    assert Ladder(game, tmp_path).own.games == [one]


def test_games_are_added_one_process_after_the_other(tmp_path, monkeypatch):
    path, rules = tmp_path / "ladders" / "nim.json", {"game": "nim"}
    one, other = LadderGame("a", "random", 3, 1), LadderGame("b", "random", 4, 0)
    late = threading.Thread(target=merge_ladder, args=(path, LadderFile(rules, [other])))
    with taken(path.with_name("lock"), 0) as ours:
        assert ours
        late.start()
        late.join(0.2)
        assert late.is_alive()  # it waits before it reads
        write_ladder(path, LadderFile(rules, [one]))
    late.join(10)
    assert sorted(read_ladder(path, rules).games) == [one, other]
    monkeypatch.setattr(ladder_file, "PATIENCE", 0.05)
    with taken(path.with_name("lock"), 0), pytest.raises(PartError, match="so no games are added"):
        merge_ladder(path, LadderFile(rules))


def test_without_locks_games_are_added_as_ever(tmp_path, monkeypatch):
    def fail(*asked):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(pytest.importorskip("fcntl"), "flock", fail)
    path, game = tmp_path / "nim.json", LadderGame("a", "random", 3, 1)
    merge_ladder(path, LadderFile({}, [game]))
    assert read_ladder(path, {}).games == [game]


ADDING = """
import sys
from pathlib import Path
from evoboard.store.ladder_file import LadderFile, LadderGame, merge_ladder
name, path = sys.argv[1], Path(sys.argv[2])
for number in range(60):
    merge_ladder(path, LadderFile({}, [LadderGame(name, "random", number, 1)]))
"""


def test_processes_that_add_games_at_once_lose_none(tmp_path):
    path = tmp_path / "nim.json"
    adding = [
        subprocess.Popen([sys.executable, "-c", ADDING, name, str(path)]) for name in ("a", "b")
    ]
    assert [process.wait(60) for process in adding] == [0, 0]
    assert len(read_ladder(path, {}).games) == 120


def test_rungs_meet_once_and_players_are_placed_among_them(small):
    game = load_game(GAME)
    ladder = Ladder(game)
    ladder.put_up()
    rungs = ladder.rung_places()
    assert set(rungs) == set(SMALL)
    assert rungs["random"].elo == 0
    assert list(rungs.values())[-1].elo > 50
    assert all(place.games >= 16 for text, place in rungs.items() if text != "random")
    before = len(ladder.games)
    found = ladder.measure("champion", 20)
    assert found == ladder.place("champion")
    assert 20 <= found.games <= 22
    assert found.low < found.elo < found.high
    assert found.elo > rungs["random"].elo
    # Its games do not move the rungs.
    assert ladder.rung_places() == rungs
    # Each opening was played with both colours.
    for rung in ladder.meetings("champion"):
        met = [g for g in games_of(ladder, "champion") if rung in g[:2]]
        sides = {(game.opening, game.first) for game in met}
        assert len(sides) == len(met)
        assert len({game.opening for game in met}) == len(met) / 2
    again = Ladder(game)
    assert again.places() == ladder.places()
    assert again.measure("champion", 20) == found
    assert len(again.games) == len(ladder.games) > before


def test_the_same_seed_plays_the_same_games_on_any_number_of_threads(small, tmp_path):
    game, found = load_game(GAME), []
    for number, threads in enumerate((1, 3)):
        ladder = Ladder(game, tmp_path / str(number))
        ladder.measure("mcts:rounds=5", 12, seed=4, threads=threads)
        found.append(ladder.games)
    assert found[0] == found[1]
    assert len(found[0]) > 12


def test_games_that_ended_before_ctrl_c_are_kept(small):
    game = load_game(GAME)
    ladder, told = Ladder(game), []

    def interrupt(who, ended, total, elo):
        told.append(who)
        if len(told) == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ladder.measure("champion", 10, tell=interrupt)
    kept = Ladder(game).games
    assert kept == ladder.games
    assert kept
    assert Ladder(game).measure("champion", 10).games >= 10


def test_a_player_that_has_changed_is_measured_anew(small, tmp_path):
    from evoboard.players.champion import about

    data = about("nim")
    path = tmp_path / "mine.json"

    def write(search):
        known = [data[key] for key in ("game", "encoder", "network")]
        write_player(path, *known, "alphabeta", {"depth": search})

    write(1)
    text, game = f"file:{path}", load_game(GAME)
    Ladder(game).measure(text, 8)
    first = [g for g in Ladder(game).games if text in g[:2]]
    write(2)
    ladder = Ladder(game)
    ladder.measure(text, 4)
    assert 4 <= len(games_of(ladder, text)) < len(first)
    with pytest.raises(OptionError, match="even"):
        ladder.measure(text, 5)


def test_the_command_shows_everybody_and_tells_scripts(small):
    run = CliRunner()
    shown = run.invoke(app, ["ladder", "champion", "--game", GAME, "--games", "6"])
    assert shown.exit_code == 0, shown.output
    assert "Elo on the ladder" in shown.output
    for text in SMALL:
        assert text in shown.output
    told = run.invoke(app, ["ladder", "champion", "--game", GAME, "--games", "6", "--json"])
    data = json.loads(told.output)
    assert data["players"][0]["place"]["games"] >= 6
    assert data["players"][0]["equal_search"] is None  # nim's pieces have no values
    assert {row["text"] for row in data["ladder"]} == {*SMALL, "champion"}
    svg = (small / "nim-heaps-1-2-4.svg").read_text(encoding="utf-8")
    assert "champion" in svg
    empty = run.invoke(app, ["ladder", "--game", GAME])
    assert empty.exit_code == 0
    assert "champion" in empty.output


@pytest.mark.parametrize("name", sorted(path.stem for path in ladders.SHIPPED.glob("*.json")))
def test_a_ladder_that_ships_is_up_to_date(name, monkeypatch, tmp_path):
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path))
    ladder = Ladder(load_game(name))
    rungs = ladder.rung_places()
    assert ladder.shipped.games, "other rules made it"
    assert ladder.shipped.made_by.startswith(f"evoboard ladder --game {name}")
    assert len(rungs) >= 8
    # Nobody has to wait for rungs that are soon done, nor meets a rung that is no more.
    quick = [text for text in ladder.rungs if effort(text) <= QUICK]
    assert [text for text in quick if text != "random" and ladder.missing(text)] == []
    assert set(rungs) <= set(ladder.rungs)
    # More thinking is no weaker, within what the games can tell.
    mcts = [rungs[f"mcts:rounds={rounds}"] for rounds in (10, 100, 1000)]
    assert mcts[0].elo < mcts[1].elo < mcts[2].elo


def test_the_lowest_rung_is_where_it_is_by_definition():
    console = Console(file=io.StringIO(), width=80)
    places = [
        Place("mcts", 200.0, 150.0, 250.0, 40, 0.7, True),
        Place("random", *[0.0] * 3, 90, 0.2, True),
    ]
    _print_ladder(console, places, set())
    lines = console.file.getvalue().splitlines()
    assert "+150 … +250" in lines[1]
    assert "+0  by definition" in lines[2]


def test_options_that_differ_in_their_sign_have_ladders_of_their_own():
    assert as_name("mine:depth=-1", 100, "") != as_name("mine:depth=1", 100, "")


def test_a_folder_of_ladders_that_cannot_be_used_is_told(monkeypatch, tmp_path):
    """As one of somebody else's; here, its name is too long."""
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path / ("long" * 100)))
    with pytest.raises(PartError, match=r"cannot be read \(File name too long\); set"):
        Ladder(load_game("nim"))
    with pytest.raises(PartError, match=r"cannot be written \(File name too long\); set"):
        write_ladder(ladders_folder() / "nim.json", LadderFile({}))


def test_equal_search_comes_first(monkeypatch, tmp_path):
    monkeypatch.setattr(ladders, "rungs_of", lambda game: ["random", "material:depth=1"])
    monkeypatch.setattr(ladders, "RUNG_GAMES", 4)
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path))
    shown = CliRunner().invoke(
        app, ["ladder", "champion:depth=1,quiescence=0", "--game", "kingcapture", "--games", "4"]
    )
    assert shown.exit_code == 0, shown.output
    first = shown.output.index("at equal search, depth 1, at most 40 plies:")
    assert "against material:depth=1 (" in shown.output
    assert first < shown.output.index("Elo on the ladder")
    found = Ladder(load_game("kingcapture")).equal_search("champion:depth=1,quiescence=0")
    assert found.wins + found.draws + found.losses >= 4
    assert found.low <= found.share <= found.high


def test_equal_search_is_told_before_any_rung_is_put_up(monkeypatch, tmp_path):
    monkeypatch.setenv("EVOBOARD_LADDERS", str(tmp_path))

    def put_up(self, *asked, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ladder, "put_up", put_up)
    shown = CliRunner().invoke(app, ["ladder", "champion", "--game", "hexwar", "--games", "2"])
    assert shown.exit_code == 130
    assert "champion at equal search, depth 1, at most 150 plies: " in shown.output
    assert shown.output.count("at equal search") == 1
    assert "no game has ended yet" not in shown.output


def test_players_of_a_ladder_that_there_are_not_are_told(small):
    game = load_game(GAME)
    ladder = Ladder(game)
    for who, text in enumerate(["nobody", "mcts:rounds=5"]):
        ladder.own.games.append(LadderGame(text, "random", who, 1))
    ladder.save()
    shown = CliRunner().invoke(app, ["ladder", "--game", GAME])
    assert shown.exit_code == 0, shown.output
    assert shown.output.count("cannot play") == 1
    assert "there is no player named 'nobody'" in shown.output


def test_the_picture_has_everybody_in_order_and_within_its_frame():
    places = [
        Place("uci:a-program-with-a-very-long-name,nodes=10000000", 1900, 1800, 9000, 9, 0.5, True),
        Place("run:mine <&>", 640, 600, 680, 40, 0.5, False),
        Place("random", 0, 0, 0, 10, 0.5, True),
    ]
    root = ElementTree.fromstring(draw_ladder(places, "King & ladder").svg)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "run:mine <&>" in texts
    assert "640" in texts
    spots = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    across = [float(spot.get("cx")) for spot in spots]
    down = [float(spot.get("cy")) for spot in spots]
    assert across == sorted(across, reverse=True)
    assert down == sorted(down)
    wide = float(root.get("viewBox").split()[2])
    for line in root.iter("{http://www.w3.org/2000/svg}line"):
        assert 0 <= float(line.get("x1")) <= float(line.get("x2")) <= wide
