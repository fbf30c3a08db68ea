"""The app without a browser: games as text, sessions, thinking, who may talk to it."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import uvicorn
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")

from conftest import few
from evoboard.arena.game_text import HEADING, game_spec, read_text, written
from evoboard.arena.game_tree import Ending, GameTree, Node
from evoboard.arena.match import Match
from evoboard.core.errors import EvoboardError, IllegalMove, NotationError, OptionError, PartError
from evoboard.core.rng import stream
from evoboard.core.whole_file import write_whole
from evoboard.evolution.genomes import layered, real
from evoboard.evolution.strategies import layered as layered_strategy
from evoboard.games.base import Game, game_names, load_game
from evoboard.games.editing import answered, carried, pieces_of, placed
from evoboard.games.history import History
from evoboard.interop.opinion import centipawns
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.base import make_player
from evoboard.players.champion import FOLDER
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, Limits, Stop
from evoboard.web import (
    async_player,
    driver,
    folders,
    opponents,
    patience,
    security,
    sessions,
    strip,
    threads,
    uploads,
    values,
)
from evoboard.web import session as web_session
from evoboard.web.app import find_pages, require_free
from evoboard.web.async_player import AsyncPlayer
from evoboard.web.driver import SessionDriver, static_eval
from evoboard.web.game_page import in_notation, session_asked_for
from evoboard.web.network.source import load
from evoboard.web.pages import analysis, play
from evoboard.web.player_picker import level_words, picked
from evoboard.web.session import PERSON, GameSession
from evoboard.web.sessions import Sessions
from evoboard.web.site import Site, Turnstile
from evoboard.web.strip import Captured, missing


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every test keeps its games in a folder of its own."""
    monkeypatch.setenv("EVOBOARD_GAMES", str(tmp_path / "games"))
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    yield
    web_session.flush()


def random_match(game: Game, plies: int, seed: int = 1) -> Match:
    """Return a match after some random plies."""
    match, rng = Match(game), stream(seed, "test")
    for _ in range(plies):
        if match.over:
            break
        match.play(match.legal[int(rng.integers(len(match.legal)))])
    return match


def play_first(session: GameSession) -> None:
    """Make the first legal move."""
    session.change(session.tree.play, session.tree.legal(session.tree.current)[0])


# --- games as text --------------------------------------------------------------------------------


def test_a_game_written_is_read_back_exactly(game: Game) -> None:
    match = random_match(game, 25)
    text = written(GameTree.of_record(match.record(), match.game, ("person", "random"), seed="7"))
    other = read_text(text).tree(load_game)
    assert written(other) == text
    assert other.moves == match.moves
    states = [node.state for node in other.line]
    assert all(np.array_equal(a, b) for a, b in zip(states, match.states, strict=True))
    end = other.end
    told = (other.over(end), other.result(end), other.reason(end))
    assert told == (match.over, match.result if match.over else 0, match.reason)


def test_the_spec_of_a_game_names_it_with_its_options(game: Game) -> None:
    assert load_game(game_spec(game)).options == game.options


def test_a_resignation_is_kept() -> None:
    shelf = Sessions(load_game)
    session = shelf.new(load_game("kingcapture"))
    session.change(session.resign, 1)
    again = shelf.from_text(session.text())
    assert (again.over, again.result, again.reason) == (True, 1, "Black resigned")
    assert again.verdict() == "White wins: Black resigned"
    with pytest.raises(IllegalMove, match="Black resigned"):
        play_first(again)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not an evoboard game"),
        ("evoboard", "not an evoboard game"),
        (HEADING, "does not say which game"),
        (f"{HEADING}\ngame: nim\nhello", "line 3, 'hello'"),
        (f"{HEADING}\ngame: nim\nresult: 2-0", "the result is '2-0'"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1  0:9", "ply 2"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1 1:1", "two spaces"),
        (f"{HEADING}\ngame: nim\nstart: 0,0,1 0\nresult: 1-0\n\n1. 2:1", "ends 0-1"),
        (f"{HEADING}\ngame: nim\nstart: 0,0,1 0\n\n1. 2:1  0:1", "ply 2"),
        (f"{HEADING}\ngame: nim\nstart: 9,9,9 0", "heap 0 has 9"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\nvariation at ply 3:\n2. 0:1", "at ply 3, where"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\nvariation at ply 1:\n1. 0:9", "ply 1 of the vari"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\nvariation at ply 1:", "at ply 1 has no moves"),
        (f"{HEADING}\ngame: nim\n" + "variation at ply 1:\n1. 0:1\n" * 501, "501 variations"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\nvariation of 1 at ply 2:\n1. …  0:1", "line 5, "),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\ncomment at ply 2: so", "the line has 1 ply"),
        (f"{HEADING}\ngame: nim\n\n1. 0:1\nended at ply 1: so", "write it like 1-0"),
        ("x" * 1_000_001, "1,000,001 characters"),
    ],
)
def test_a_wrong_text_is_told_in_one_sentence(text: str, told: str) -> None:
    with pytest.raises(NotationError, match=told):
        Sessions(load_game).from_text(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for whole in (text, f"{HEADING}\n{text}", f"{HEADING}\ngame: nim\n\n1. {text}"):
        with suppress(NotationError):
            read_text(whole).tree(lambda _: load_game("nim"))


def test_what_a_text_says_stays_on_its_line() -> None:
    tree = GameTree(load_game("nim"), players=("a\nresult: 1-0", "b"))
    tree.root.comment = "c\n1. 0:1"
    again = read_text(written(tree))
    assert (again.result, again.plies) == ("*", 0)
    assert again.tree(load_game).root.comment == "c 1. 0:1"


# --- sessions -------------------------------------------------------------------------------------


def test_a_table_is_found_again_after_a_restart() -> None:
    first = Sessions(load_game)
    session = first.new(load_game("hexwar:start_pieces=3"), (PERSON, "random"), seed=5)
    for _ in range(4):
        play_first(session)
    web_session.flush()
    again = Sessions(load_game).find(session.name)
    assert again is not None
    assert again is not session
    assert (again.seats, again.seed, again.spec) == (session.seats, 5, "hexwar:start_pieces=3")
    assert again.tree.moves == session.tree.moves
    assert again.chance == session.chance
    assert again.title == "hexwar, start_pieces 3"


def test_an_unplayed_table_leaves_no_file_and_an_unknown_name_is_none() -> None:
    shelf = Sessions(load_game)
    shelf.new(load_game("nim"))
    web_session.flush()
    assert folders.game_names() == []
    for name in ("nim-0000000000", "../../etc/passwd", "", "a/b", "\0", "x" * 300):
        assert shelf.find(name) is None


def test_a_position_somebody_has_set_up_is_kept_before_the_first_move() -> None:
    game = load_game("nim:heaps=3/4")
    for start, kept in ((game.initial(), False), (game.parse_state("2,4 0"), True)):
        session = Sessions(load_game).new(game, (PERSON, "random"), start=start)
        web_session.flush()
        again = Sessions(load_game).find(session.name)
        assert (again is not None) == kept
        if again:
            assert np.array_equal(again.tree.current.state, start)
            assert again.seats == (PERSON, "random")


def test_what_is_undone_is_undone_on_disk() -> None:
    def on_disk(name: str) -> GameSession:
        web_session.flush()
        found = Sessions(load_game).find(name)
        assert found is not None
        return found

    session = Sessions(load_game).new(load_game("kingcapture"), (PERSON, "random"))
    play_first(session)
    session.change(session.tree.take_back)
    again = on_disk(session.name)
    assert again.ply == 0
    tree = again.tree
    first, second = tree.legal(tree.root)[:2]
    again.change(tree.play, first)
    again.change(tree.branch, 0, second)
    again.change(tree.take_back)
    assert on_disk(session.name).tree.moves == [first]  # the main line, which was left alone
    again.change(tree.branch, 0, second)
    assert [n.move for n in on_disk(session.name).tree.root.children] == [first, second]
    again.note(tree.drop, tree.root.children[1])
    assert [n.move for n in on_disk(session.name).tree.root.children] == [first]
    again.change(again.resign, 0)
    assert on_disk(session.name).over
    again.change(tree.take_back, 0)
    assert not on_disk(session.name).over


def test_a_damaged_file_is_named() -> None:
    path = folders.game_path("mine")
    write_whole(path, f"{HEADING}\ngame: nim\n\n1. 9:9")
    with pytest.raises(NotationError, match="the game mine cannot be read: ply 1"):
        Sessions(load_game).find("mine")
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(NotationError, match="UTF-8"):
        Sessions(load_game).find("mine")


def test_taking_back_reaches_the_persons_last_turn() -> None:
    session = Sessions(load_game).new(load_game("kingcapture"), (PERSON, "random"))
    start = session.tree.current.state.copy()
    play_first(session)
    play_first(session)
    session.take_back_turn()
    assert session.ply == 0
    assert np.array_equal(session.tree.current.state, start)
    assert not session.tree.root.children
    play_first(session)
    session.take_back_turn()  # while the opponent is still thinking
    assert session.ply == 0
    session.resign(0)
    session.take_back_turn()
    assert not session.over
    for _ in range(2):
        play_first(session)
    session.resign(0)
    session.take_back_turn()  # the resignation alone: it is the person's turn
    assert (session.over, session.ply) == (False, 2)
    other = Sessions(load_game).new(load_game("kingcapture"), ("random", PERSON))
    play_first(other)
    other.take_back_turn()
    assert other.ply == 0


class Lines:
    """A session whose lines are told as (parent, ply, moves), the main one first."""

    def __init__(self, session: GameSession) -> None:
        self.session, self.tree = session, session.tree

    def play(self, ply: int, *texts: str) -> None:
        """Play moves from a position of the line that is looked at."""
        for at, text in enumerate(texts, ply):
            move = self.tree.game.parse_move(self.tree.line[at].state, text)
            self.session.change(self.tree.branch, at, move)

    def told(self) -> list[tuple[int, int, str]]:
        """Return all lines."""
        return [(b.parent, b.ply, self.labels(b.nodes)) for b in self.tree.branches()]

    def labels(self, nodes: Sequence[Node]) -> str:
        """Return the moves that led to positions."""
        return " ".join(self.tree.label(node) for node in nodes)

    def shown(self) -> int:
        """Return the number of the line that is looked at."""
        return [self.tree.current in b.nodes for b in self.tree.branches()].index(True)

    def first(self, label: str) -> Node:
        """Return where the line begins that begins with a move."""
        found = [b.nodes[0] for b in self.tree.branches()]
        return next(node for node in found if self.tree.label(node) == label)


MAIN, OTHER, NESTED = (-1, 0, "a2a3 a5a4 b2b3"), (0, 1, "c5c4 b2b3"), (1, 2, "d2d3 e5e4")


@pytest.fixture
def lines() -> Lines:
    """A game with another line, and one that leaves that one, which is looked at."""
    found = Lines(Sessions(load_game).new(load_game("kingcapture")))
    found.play(0, "a2a3", "a5a4", "b2b3")
    found.play(1, "c5c4", "b2b3")
    found.play(2, "d2d3", "e5e4")
    return found


def test_the_main_line_stays_and_others_belong_to_what_they_leave(lines: Lines) -> None:
    tree = lines.tree
    assert lines.told() == [MAIN, OTHER, NESTED]
    assert (lines.shown(), lines.labels(tree.line[1:])) == (2, "a2a3 c5c4 d2d3 e5e4")
    lines.play(1, "a5a4")  # the main line is taken up again, as a whole
    assert (tree.current is tree.end, lines.shown(), tree.current.ply) == (True, 0, 3)
    lines.play(1, "c5c4")  # so is another, the one that was there first
    assert (lines.shown(), tree.current.ply, lines.told()) == (1, 3, [MAIN, OTHER, NESTED])
    lines.play(3, "f5f4")  # and goes on in its place
    assert lines.told() == [MAIN, (0, 1, "c5c4 b2b3 f5f4"), NESTED]
    with pytest.raises(IllegalMove):
        tree.branch(1, 99999)
    assert (lines.shown(), tree.current.ply) == (1, 4)


def test_a_game_is_kept_with_its_main_line_first(lines: Lines) -> None:
    again = Sessions(load_game).from_text(lines.session.text())
    told = Lines(again)
    assert told.labels(again.line[1:]) == MAIN[2]
    assert told.told() == lines.told()
    assert again.text() == lines.session.text()
    # What ended the main line is its own.
    again.resign(0)
    told.play(2, "c2c3")
    assert not again.over
    assert "result: 0-1" in again.text()
    again.tree.take_up(again.tree.end)
    assert again.reason == "White resigned"


def test_lines_can_lead_and_go(lines: Lines) -> None:
    tree = lines.tree
    tree.make_main(tree.branches()[2].nodes[0])
    assert lines.told() == [
        (-1, 0, "a2a3 c5c4 d2d3 e5e4"),
        (0, 1, "a5a4 b2b3"),
        (0, 2, "b2b3"),
    ]
    tree.make_main(tree.branches()[1].nodes[0])
    lines.play(1, "c5c4")
    assert lines.told() == [MAIN, (0, 1, "c5c4 d2d3 e5e4"), (1, 2, "b2b3")]
    tree.drop(tree.branches()[1].nodes[0])  # with what leaves it, and whoever looks at it
    assert (lines.told(), tree.current is tree.end, tree.end.ply) == ([MAIN], True, 3)


def test_a_removed_line_comes_back_in_its_place(lines: Lines) -> None:
    tree = lines.tree
    lines.play(0, "f2f3")
    everything = lines.told()
    node = lines.first("c5c4")
    at = tree.drop(node)
    assert (lines.told(), tree.holds(node)) == ([MAIN, (0, 0, "f2f3")], False)
    tree.bring_back(node, at)
    assert (lines.told(), tree.holds(node)) == (everything, True)
    assert Lines(Sessions(load_game).from_text(lines.session.text())).told() == everything


def test_a_removed_line_that_was_played_again_comes_back_once(lines: Lines) -> None:
    tree = lines.tree
    node = lines.first("c5c4")
    node.comment = "kept"
    at = tree.drop(node)
    lines.play(1, "c5c4", "f2f3")
    tree.bring_back(node, at)
    check_lines(tree)
    assert lines.told() == [MAIN, (0, 1, "c5c4 f2f3"), (1, 2, "b2b3"), (1, 2, "d2d3 e5e4")]
    assert lines.first("c5c4").comment == "kept"


def test_a_copy_of_a_tree_has_its_lines_and_is_another_one(lines: Lines) -> None:
    tree = lines.tree
    tree.end.comment, tree.end.marks = "so far", (1,)
    copy = tree.copy()
    assert written(copy) == written(tree)
    before = written(tree)
    copy.take_up(copy.end)
    copy.play(copy.legal(copy.end)[0])
    copy.root.comment = "mine"
    assert written(tree) == before
    assert written(copy) != before


def test_a_game_is_written_as_it_is_when_that_is_asked_for(lines: Lines) -> None:
    session, begun, played = lines.session, threading.Event(), threading.Event()
    before = written(session.described())

    def write(tree: GameTree) -> str:
        begun.set()
        assert played.wait(300)
        return written(tree)

    async def ask() -> str:
        text = asyncio.create_task(in_notation(SimpleNamespace(write=write), session))
        await until(begun.is_set)
        session.tree.take_up(session.tree.end)
        play_first(session)
        played.set()
        return await text

    assert asyncio.run(ask()) == before
    assert written(session.described()) != before


def test_a_result_belongs_to_the_line_it_was_reached_on(lines: Lines) -> None:
    shelf = Sessions(load_game)
    lines.tree.take_up(lines.tree.end)
    lines.session.resign(1)
    for _ in range(2):  # as it is, and as it is read back
        session, tree = lines.session, lines.tree
        tree.make_main(lines.first("c5c4"))
        assert (session.over, "result: *" in session.text()) == (False, True)
        assert "ended at ply 3: 1-0, Black resigned" in session.text()
        tree.take_up(lines.first("a5a4"))
        assert session.verdict() == "White wins: Black resigned"
        tree.make_main(lines.first("a5a4"))
        assert "result: 1-0\nreason: Black resigned" in session.text()
        assert "ended at" not in session.text()
        tree.make_main(lines.first("c5c4"))
        lines = Lines(shelf.from_text(session.text()))
        lines.tree.make_main(lines.first("a5a4"))
        assert lines.session.verdict() == "White wins: Black resigned"


def test_a_copy_keeps_the_result_and_what_goes_on_from_there_is_another_line() -> None:
    shelf = Sessions(load_game)
    session = shelf.new(load_game("kingcapture"), ("random", PERSON))
    Lines(session).play(0, "a2a3")
    session.resign(0)
    copy = Lines(shelf.copy(session))
    assert copy.session.verdict() == "Black wins: White resigned"
    copy.play(1, "a5a4")
    assert (copy.told(), copy.session.over) == ([(-1, 0, "a2a3"), (0, 1, "a5a4")], False)
    assert "result: 0-1" in copy.session.text()
    again = shelf.from_text(copy.session.text())
    assert (Lines(again).told(), again.reason) == (copy.told(), "White resigned")
    copy.tree.take_back()
    assert (copy.told(), copy.session.reason) == ([(-1, 0, "a2a3")], "White resigned")


def test_taking_back_shortens_the_line_until_it_is_gone(lines: Lines) -> None:
    tree = lines.tree
    tree.take_back()
    assert lines.told()[2] == (1, 2, "d2d3")
    tree.take_back()
    assert lines.told() == [MAIN, OTHER]
    assert (lines.shown(), tree.current.ply) == (1, 2)
    tree.take_back()  # what is left is the main line's
    assert (lines.told(), tree.current is tree.end) == ([MAIN, OTHER], True)
    tree.take_back(2)  # what goes on from the end of the main line is a line, too
    assert lines.told() == [(-1, 0, "a2a3"), (0, 1, "c5c4 b2b3")]
    tree.take_up(lines.first("c5c4"))  # until it is taken up
    assert lines.told() == [(-1, 0, "a2a3 c5c4 b2b3")]


def test_taking_back_what_followed_a_game_given_up_leaves_that_game() -> None:
    tree = GameTree(load_game("nim:heaps=3/3/3"))
    tree.branch(0, tree.legal(tree.current)[0])
    given_up = tree.current
    given_up.ending = Ending(1, "given up")
    tree.branch(1, tree.legal(tree.current)[0])
    assert (tree.end, tree.current.ply) == (given_up, 2)
    tree.take_back(2)
    assert tree.current is tree.end is given_up
    assert (given_up.children, given_up.ending) == ([], Ending(1, "given up"))
    check_lines(tree)


def test_what_is_thought_of_a_line_stays_known(lines: Lines) -> None:
    session, main = lines.session, lines.tree.end.path()
    for node in main:
        node.thought = thought(0)
    main[3].static_eval = 0.25
    lines.play(1, "c5c4")
    assert [node.thought is not None for node in session.line] == [True, True, False, False]
    assert None not in [session.value(node) for node in main]
    session.tree.take_up(main[3])
    assert (session.line[3].thought, session.line[3].static_eval) == (main[3].thought, 0.25)
    lines.play(1, "c5c4")
    session.ask_adviser("random")
    assert {session.value(node) for node in main} == {None}
    assert main[3].static_eval is None


def check_lines(tree: GameTree) -> None:
    """Check that every position is on one line, and every line where it says it is."""
    assert all(node.parent.children[0] is node for node in tree.end.path()[1:] if node.parent)
    branches = tree.branches()
    found = [node for branch in branches for node in branch.nodes]
    assert len(found) == len(set(found))
    assert {tree.root, *found} == set(tree.root.walk())
    for number, (nodes, parent) in enumerate(branches):
        if number:
            assert parent < number
            left = nodes[0].parent
            assert left in branches[parent].nodes or (parent == 0 and left is tree.root)
    assert tree.holds(tree.current)
    assert tree.line == tree.current.path()
    again = read_text(written(tree)).tree(load_game)
    assert written(again) == written(tree)
    assert len(again.branches()) == len(branches)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=30))
@example([(0, 0, 0), (9, 0, 0), (0, 1, 0), (0, 0, 1), (9, 2, 0), (6, 0, 2)])
def test_no_line_is_lost_and_none_is_twice(acts: list[tuple[int, int, int]]) -> None:
    tree = GameTree(load_game("nim:heaps=3/3/3"))
    for kind, where, which in acts:
        branches, ply = tree.branches(), where % len(tree.line)
        first = branches[where % len(branches)].nodes
        if kind < 6:
            legal = tree.legal(tree.line[ply])
            if legal:
                tree.branch(ply, legal[which % len(legal)])
        elif kind == 6:
            tree.take_back(which % 3)
        elif kind == 7 and first:
            tree.make_main(first[0])
        elif kind == 8 and where % len(branches):
            at = tree.drop(first[0])
            check_lines(tree)
            if which % 2:
                tree.bring_back(first[0], at)
        elif kind == 9:
            if not tree.over(tree.current):
                tree.current.ending = Ending(1, "given up")
            if first:
                tree.take_up(first[-1])
        check_lines(tree)


def test_a_game_that_cannot_be_saved_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    session, whole = Sessions(load_game).new(load_game("kingcapture")), web_session.write_whole
    monkeypatch.setattr(web_session, "write_whole", full_disk)
    play_first(session)
    web_session.flush()
    assert session.unsaved == "This game cannot be saved: No space left on device."

    async def resign() -> None:
        session.change(session.resign, 0)  # no move follows, so it is tried again
        await until(lambda: session._tries_again)
        monkeypatch.setattr(web_session, "write_whole", whole)
        await until(lambda: not session.unsaved)

    monkeypatch.setattr(web_session, "RETRY", 0.01)
    asyncio.run(resign())
    web_session.flush()
    again = Sessions(load_game).find(session.name)
    assert again is not None
    assert again.over


def full_disk(path: Path, text: str) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["tic tac (1)", "tüt", "…"])
def test_games_of_files_with_odd_names_are_saved(name: str, tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "examples" / "tictactoe.py"
    file = tmp_path / f"{name}.py"
    file.write_text(source.read_text())
    shelf = Sessions(load_game)
    session = shelf.new(load_game(str(file)))
    play_first(session)
    web_session.flush()
    found = Sessions(load_game).find(session.name)
    assert found is not None
    assert found.tree.moves == session.tree.moves


def test_nobody_thinks_any_more_when_the_server_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    monkeypatch.setattr(async_player, "thinkers", closed)

    async def ask() -> None:
        game = load_game("nim")
        asked = AsyncPlayer(lambda: async_player.make_player("random", game))
        assert await asked.think(History(game), 1) is None
        await asyncio.wait_for(asked.leave(), 5)
        await asyncio.wait_for(async_player.stop_thinking(), 5)

    asyncio.run(ask())


def test_long_searches_keep_no_page_waiting() -> None:
    async def work() -> str:
        release = threading.Event()
        waiting = [async_player.thinkers.submit(release.wait, 30) for _ in range(40)]
        try:
            return await asyncio.wait_for(threads.off_loop(str, "done"), 10)
        finally:
            release.set()
            for search in waiting:
                search.result()

    assert asyncio.run(work()) == "done"


def test_one_game_is_one_table_however_many_ask_for_it() -> None:
    shelf = Sessions(load_game)
    session = shelf.new(load_game("kingcapture"))
    play_first(session)
    web_session.flush()
    again, found = Sessions(load_game), []
    asking = [
        threading.Thread(target=lambda: found.append(again.find(session.name))) for _ in range(8)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len({id(each) for each in found}) == 1


def test_a_copy_is_seen_from_the_same_side() -> None:
    shelf = Sessions(load_game)
    session = shelf.new(load_game("kingcapture"), ("random", PERSON))
    play_first(session)
    copy = shelf.copy(session)
    assert (session.below, copy.person, copy.below) == (1, 0, 1)
    assert shelf.copy(copy).below == shelf.from_text(copy.text()).below == 1


def test_further_lines_of_a_file_are_kept() -> None:
    text = f"{HEADING}\ngame: nim\nseed: 7\nevent: a rainy evening\n\n1. 0:1\n"
    assert "event: a rainy evening" in Sessions(load_game).from_text(text).text()


def test_tables_nobody_looks_at_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_OPEN", 3)
    shelf, game = Sessions(load_game), load_game("nim")
    watched = shelf.new(game)
    shelf.driver_of(watched).visitors = 1
    others = [shelf.new(game) for _ in range(5)]
    assert shelf.find(watched.name) is watched
    assert shelf.find(others[0].name) is None
    assert shelf.find(others[-1].name) is others[-1]


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "", ".x", "x.", "a\\b", "a\0", "x" * 90, "a\n", "~"]
)
def test_no_name_leaves_the_folder(name: str) -> None:
    with pytest.raises(OptionError, match="cannot be named"):
        folders.game_path(name)


def test_a_file_is_written_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    path = folders.game_path("one")
    write_whole(path, "old")

    def fails(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in path.parent.iterdir()] == ["one.txt"]


def test_any_number_of_threads_write_the_same_file() -> None:
    path = folders.game_path("same")

    def write(letter: str) -> None:
        for _ in range(100):
            write_whole(path, letter * 3000)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))
    assert path.read_text() in [letter * 3000 for letter in "abcd"]
    assert [p.name for p in path.parent.iterdir()] == ["same.txt"]


@pytest.mark.skipif(os.name == "nt", reason="there is no umask")
def test_who_may_read_a_file_is_as_everywhere(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "ours", b"x", lasting=True)
        write_whole(tmp_path / "mine", b"x", mode=0o600)
    finally:
        os.umask(before)
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {"ours": 0o640, "mine": 0o600}


def test_games_are_listed_latest_first_whatever_else_lies_there() -> None:
    for age, name in enumerate(["old", "new", "middle"]):
        write_whole(folders.game_path(name), "x")
        os.utime(folders.game_path(name), (0, {"old": 10, "middle": 20, "new": 30}[name] + age / 9))
    folder = folders.games_folder()
    (folder / "nowhere.txt").symlink_to(folder / "nothing")
    (folder / "folder.txt").mkdir()
    (folder / ".hidden.txt").touch()
    assert folders.game_names() == ["new", "middle", "old"]


# --- thinking -------------------------------------------------------------------------------------


def thought(move: int, move_values: dict[int, float] | None = None) -> Thought:
    """Return a thought that names a move."""
    return Thought(move, 0.5, (move,), 1, 1, 0.01, move_values or {})


class SlowPlayer:
    """Thinks until it is stopped; `begun` tells how many searches have begun and not ended."""

    name, deterministic = "slow", True

    def __init__(self) -> None:
        self.running = self.begun = self.most = 0
        self.ready = True
        self.answer: Thought | None = None

    def think(
        self, history: History, chance: int, limits: Limits = NO_LIMITS, stop: Stop | None = None
    ) -> Thought:
        """Return the chance it was given, after a stop."""
        stopped = threading.Event()
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        assert stop is not None
        with stop.calling(stopped.set):
            stopped.wait(20)
        self.running -= 1
        return self.answer or thought(chance)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowPlayer:
    """Every player is this one."""
    player = SlowPlayer()
    monkeypatch.setattr(async_player, "make_player", lambda text, game: player)
    return player


async def until(found: Any, seconds: float = 5.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, "waited too long"
        await asyncio.sleep(0.005)


def test_a_newer_question_ends_an_older_one(slow: SlowPlayer) -> None:
    async def ask() -> None:
        game = load_game("nim")
        asked = AsyncPlayer(lambda: async_player.make_player("random", game))
        first = asyncio.create_task(asked.think(History(game), 1))
        await until(lambda: slow.begun == 1)
        second = asyncio.create_task(asked.think(History(game), 2))
        assert await first is None
        await until(lambda: slow.begun == 2)
        asked.stop()
        answer = await second
        assert answer is not None
        assert answer.move == 2
        assert slow.most == 1  # a player never thinks in two threads

    asyncio.run(ask())


class Dawdler(SlowPlayer):
    """Takes a moment to answer after a stop, as other programs do."""

    def think(self, *asked: Any) -> Thought:
        """Return the chance it was given, a while after a stop."""
        answer = super().think(*asked)
        time.sleep(0.2)
        return answer


def test_a_stop_while_an_older_question_ends_is_for_the_newer_one() -> None:
    async def ask() -> None:
        game, player = load_game("nim"), Dawdler()
        asked = AsyncPlayer(lambda: player)
        first = asyncio.create_task(asked.think(History(game), 1))
        await until(lambda: player.running == 1)
        second = asyncio.create_task(asked.think(History(game), 2))
        await asyncio.sleep(0.05)
        assert player.begun == 1  # it waits for the first to end
        asked.stop()
        answer = await asyncio.wait_for(second, 10)  # without a stop it would think for 20 s
        assert answer is not None
        assert answer.move == 2
        assert await first is None

    asyncio.run(ask())


def test_nothing_thinks_on_when_the_last_visitor_leaves(slow: SlowPlayer) -> None:
    async def visit() -> None:
        shelf = Sessions(load_game)
        session = shelf.new(load_game("nim"), ("random", PERSON))
        host = shelf.driver_of(session)
        assert shelf.driver_of(session) is host
        host.attend()
        host.attend()
        await until(lambda: slow.running == 1)
        await host.leave()
        assert slow.running == 1
        await host.leave()
        assert slow.running == 0
        assert session.ply == 0
        assert host._players == {}  # nor keeps a search's memory
        host.attend()  # whoever comes back finds it thinking again
        await until(lambda: slow.running == 1)
        await host.leave()
        assert slow.running == 0

    asyncio.run(visit())


def test_a_cancelled_wait_does_not_free_the_player(slow: SlowPlayer) -> None:
    async def ask() -> None:
        game = load_game("nim")
        asked = AsyncPlayer(lambda: async_player.make_player("random", game))
        waiting = asyncio.create_task(asked.think(History(game), 1))
        await until(lambda: slow.running == 1)
        waiting.cancel()
        await asyncio.sleep(0.02)
        following = asyncio.create_task(asked.think(History(game), 2))
        await until(lambda: slow.begun == 2)
        assert slow.most == 1
        asked.stop()
        await following

    asyncio.run(ask())


class Answers:
    """A player that answers with what it is told to."""

    name, deterministic = "answers", True

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def think(self, *_: Any) -> Thought:
        """Return or raise the answer."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return thought(self.answer)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (-1, "Second wins: illegal move"),
        (OptionError("the file is gone."), "the file is gone."),
        (ValueError("odd"), "the player fails: ValueError: odd"),
    ],
)
def test_what_a_player_does_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch, answer: Any, told: str
) -> None:
    monkeypatch.setattr(async_player, "make_player", lambda text, game: Answers(answer))

    async def play() -> GameSession:
        session = Sessions(load_game).new(load_game("nim"), ("random", PERSON))
        host = SessionDriver(session)
        host.attend()
        await until(lambda: session.over or session.trouble)
        await host.leave()
        return session

    session = asyncio.run(play())
    assert (session.trouble or session.verdict()) == told
    assert session.thinking is None


def test_an_answer_to_an_older_question_is_no_move(
    slow: SlowPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "LEAST_PAUSE", 0.0)

    async def play() -> None:
        session = Sessions(load_game).new(load_game("nim"), ("random", PERSON), seed=3)
        host = SessionDriver(session)
        host.attend()
        await until(lambda: slow.running == 1)
        session.ask_adviser("perfect")  # whose answers are of another version
        host.hurry()
        assert host._task is not None
        await host._task
        assert (session.ply, session.over, session.tree.root.thought) == (0, False, None)
        await host.leave()

    asyncio.run(play())


def test_compiling_is_told_apart_from_thinking(
    slow: SlowPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow.ready = False
    clock = [100.0]
    for module in (driver, strip):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(driver, "LEAST_PAUSE", 0.0)

    async def play() -> None:
        session = Sessions(load_game).new(load_game("kingcapture"), ("random", PERSON))
        host = SessionDriver(session)
        host.attend()
        await until(lambda: slow.running == 1)
        assert strip.waiting_text(session) == "thinking …"  # so far, there is no more to tell
        clock[0] += 16
        assert strip.waiting_text(session) == "compiling 16 s"
        slow.ready = True
        await until(lambda: session.thinking and not session.thinking.prepares)
        clock[0] += 1
        assert strip.waiting_text(session) == "thinking 1 s"
        slow.answer = replace(thought(session.tree.legal(session.tree.root)[0]), seconds=1.0)
        host.hurry()
        await until(lambda: session.ply == 1)
        assert strip.spent_text(session, 1) == "compiled in 16 s, thought 1.0 s"
        session.line[1].prepared = 0.0
        assert strip.spent_text(session, 1) == "1.0 s"
        await host.leave()

    asyncio.run(play())


def test_no_text_of_a_visitor_becomes_another_player() -> None:
    async def play() -> None:
        for seats, adviser in ((("./evil.py:x=1", PERSON), ""), ((PERSON, PERSON), "./evil.py")):
            session = Sessions(load_game).new(load_game("nim"), seats, adviser=adviser)
            host = SessionDriver(session)
            host.attend()
            await until(lambda session=session: session.trouble)
            assert "no player here" in session.trouble
            await host.leave()

    asyncio.run(play())


def test_the_driver_moves_and_the_adviser_judges_every_position() -> None:
    async def play() -> GameSession:
        session = Sessions(load_game).new(load_game("kingcapture"), adviser="material:depth=1")
        tree, host = session.tree, SessionDriver(session)
        host.examines = True
        host.attend()
        for _ in range(3):
            host.change(tree.play, tree.legal(tree.current)[0])
        await until(lambda: None not in [n.thought for n in tree.line], 30)
        assert None not in [n.static_eval for n in tree.line]
        session.seats = (PERSON, "random")
        host.wake()
        await until(lambda: session.ply == 4, 30)
        await host.leave()
        return session

    session = asyncio.run(play())
    game, material = session.game, session.game.bindings["material"]
    for node in session.line[:4]:
        assert node.thought is not None
        assert set(node.thought.move_values) == set(game.legal_moves(node.state))
        assert node.static_eval == material(node.state) * (1 - 2 * game.side(node.state))


def asked_for(page: Any, site: Site, query: dict[str, str]) -> tuple[GameSession, str]:
    """Return what a page shows for an address, and what it complains of."""
    found, wrong = session_asked_for(site, query, page._set_up)
    session, refused = analysis._by_hand(site, found) if page is analysis else (found, "")
    return session, wrong or refused


def test_a_game_is_shown_though_its_player_is_gone_and_an_unknown_one_is_told() -> None:
    site = Site()
    gone = f"file:{folders.games_folder() / 'players' / 'abc.json'}"
    session = site.sessions.new(load_game("nim"), (PERSON, gone))
    play_first(session)
    web_session.flush()
    again = Site()
    assert asked_for(play, again, {"t": session.name})[0].tree.moves == session.tree.moves
    shown, told = asked_for(analysis, again, {"t": session.name})
    assert shown.tree.moves == session.tree.moves
    assert shown.adviser == ""
    assert told
    for page in (play, analysis):
        other, told = asked_for(page, again, {"t": "nim-0000", "game": "nim"})
        assert told == "There is no game named 'nim-0000' here; this is a new one."
        assert (other.game.name, other.ply) == ("nim", 0)


def test_pages_that_are_asked_for_no_game_show_the_one_of_the_first_page() -> None:
    for site, name in ((Site(first_game="nim"), "nim"), (Site(), "chess")):
        for page in (play, analysis):
            assert asked_for(page, site, {})[0].game.name == name
            assert asked_for(page, site, {"game": "draughts"})[0].game.name == "draughts"


def test_the_adviser_is_asked_while_anybody_wants_to_know() -> None:
    session = Sessions(load_game).new(load_game("nim"))
    host = SessionDriver(session)
    host.visitors = 2
    assert host.advises
    host.advise("one", False)
    host.advise("one", False)
    assert host.advises
    host.advise("other", False)
    assert not host.advises
    host.advise("one", True)
    assert host.advises


def test_advisers_are_the_opponent_itself_or_one_with_an_opinion() -> None:
    chess, nim = load_game("chess"), load_game("nim")
    assert async_player.adviser_of("material:depth=1", chess) == "material:depth=1"
    assert async_player.adviser_of("random", chess) == "material:depth=3"
    assert async_player.adviser_of("random", nim).startswith("mcts:")
    assert not any(map(async_player.has_opinion, ("", PERSON, "random", "scripted:rusher")))
    assert async_player.has_opinion("champion:chess")


def test_who_played_without_an_opinion_is_not_asked_for_one() -> None:
    site = Site()
    for seat, adviser in (("random", ""), ("material:depth=1", "material:depth=1")):
        played = site.sessions.new(load_game("kingcapture"), (PERSON, seat))
        play_first(played)
        session, told = asked_for(analysis, site, {"t": played.name})
        assert (session.adviser, told) == (adviser, "")
    session, _ = asked_for(analysis, site, {"game": "nim", "player": "random"})
    assert session.adviser == "champion:nim"


@pytest.mark.parametrize("name", few(game_names(), "kingcapture"))
def test_a_champions_network_says_what_it_thinks_of_any_position(name: str) -> None:
    game, site = load_game(name), Site()
    champion = load(f"champion:{name}", site)
    look = static_eval(f"champion:{name},seconds=1,search=pvs", game)
    assert look is not None
    state = game.initial()
    for side in (0, 1):
        assert game.side(state) == side
        expected = champion.look(state).value * (1 - 2 * side)
        assert look(state) == pytest.approx(expected, abs=1e-6)
        state = game.apply(state, game.legal_moves(state)[0])


def test_who_has_no_evaluation_says_nothing() -> None:
    nim = load_game("nim")
    for text in ("random", "mcts:rounds=5", "perfect", "material", "linear", "champion:chess"):
        assert static_eval(text, nim) is None


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "part"),
    [
        (0.0, "0.00", 0.5),
        (0.001, "0.00", 0.5),
        (0.35, "+0.35", 0.62),
        (-0.35, "−0.35", 0.38),
        (-12.34, "−12.3", 0.056),
        (123.4, "+123", 0.976),
        (99_997.0, "#3", 1.0),
        (-99_998.0, "−#2", 0.0),
    ],
)
def test_values_are_shown_in_a_few_characters(value: float, text: str, part: float) -> None:
    assert values.value_text(value) == text
    assert values.share(value) == pytest.approx(part, abs=0.01)


@pytest.mark.parametrize("value", [-0.9, -0.0587, 0.0, 0.0587, 0.51, 0.999])
def test_opinions_are_written_on_the_scale_of_engines(value: float) -> None:
    shown = float(values.value_text(value, 1.0).replace("−", "-"))
    assert round(100 * shown) == pytest.approx(centipawns(value, 1.0), abs=5 if shown > 9 else 0)
    assert values.value_text(0.0587, 1.0) == "+0.20"
    assert values.value_words(0.0001, ("White", "Black"), 1.0) == "equal"


def test_a_bounded_opinion_is_a_share_of_the_points() -> None:
    sides = ("White", "Black")
    assert values.expected(0.6, sides, 1.0) == "80% of the points for White"
    assert values.expected(-1.0, sides, 2.0) == "75% of the points for Black"
    assert values.expected(0.0, sides, 1.0) == "50% of the points for White"
    assert values.expected(-3.0, sides, 1.0) == "100% of the points for Black"
    assert values.expected(99_999.0, sides, 1.0) == values.expected(3.0, sides, None) == ""


def test_a_line_stops_where_it_is_no_longer_legal() -> None:
    game = load_game("chess")
    moves = [game.parse_move(game.initial(), "e2e4")]
    assert values.line_text(game, game.initial(), (*moves, 12345)) == "e4"
    sides = ("White", "Black")
    assert values.value_words(99_999.0, sides) == "White wins in 1 ply"
    assert values.value_words(-99_997.0, sides) == "Black wins in 3 plies"
    assert values.value_words(-0.2, sides) == "Black is better"
    assert values.value_words(0.001, sides) == "equal"
    assert [values.score_text(result) for result in (1, 0, -1)] == ["1–0", "½–½", "0–1"]
    assert [values.written_score(text) for text in ("1/2-1/2", "0-1", "*")] == ["½–½", "0–1", ""]
    assert values.reason_words("ply cap", 200) == "the limit of 200 plies"
    assert values.reason_words("checkmate", 9) == "checkmate"
    assert values.share(0.5, 1.0) == pytest.approx(0.74)
    assert values.share(3.0, 2.0) == pytest.approx(0.98)


# --- opponents ------------------------------------------------------------------------------------


def test_pages_name_only_players_that_are_offered() -> None:
    champion = FOLDER / "nim.json"
    for text in ("random", "material:depth=3", "run:x@gen=4", f"file:{champion}"):
        assert opponents.require_offered(text) == text
    outside = ("evil.py", "./evil.py:x=1", "uci:sh", "file:/etc/passwd", "solver", "")
    climbing = f"file:{FOLDER}/../players/linear.json"
    files = ("linear:/etc/passwd", "linear:path=/etc/passwd", "material:/etc/passwd", "perfect:x")
    long = ("material:seconds=1000000", "champion:chess,search=pvs,seconds=1e5")
    programs = ("material:search=/tmp/evil.py", "champion:chess,search=evil.py", "mcts:search=x/y")
    strange = ("file:\0", f"file:{FOLDER}/{'A' * 300}.json", "file:")
    for text in (
        *outside,
        *files,
        *long,
        *programs,
        *strange,
        climbing,
        f"file:{folders.uploads_folder()}/../x",
    ):
        with pytest.raises(OptionError):
            opponents.require_offered(text)


@pytest.mark.parametrize(
    ("text", "limit", "amount", "wanted"),
    [
        ("material:depth=2", "depth", 4, "material:depth=4"),
        ("material:depth=2", "seconds", 0.5, "material:seconds=0.5"),
        ("material:seconds=0.5,search=pvs", "depth", 3, "material:depth=3"),
        ("champion:chess,seconds=0.5", "level", 2.5, "champion:chess,level=2.5"),
        ("mcts:rounds=10", "seconds", 2, "mcts:seconds=2"),
        ("mcts:rounds=10", "rounds", 20, "mcts:rounds=20"),
        ("run:a@gen=3", "depth", 2, "run:a@gen=3,depth=2"),
    ],
)
def test_limits_replace_each_other(text: str, limit: str, amount: float, wanted: str) -> None:
    assert opponents.with_limit(text, limit, amount) == wanted


def test_a_level_is_told_with_its_elo_where_that_is_measured(monkeypatch) -> None:
    monkeypatch.setattr("evoboard.players.levels.ELO", {"chess": ((1.0, 800), (5.0, 1600))})
    assert level_words("champion:chess", 3.0) == "about Elo 1,200 by Stockfish's scale"
    for text, level in (("champion:chess", 6.0), ("champion:nim", 3.0), ("material", 3.0)):
        assert level_words(text, level) == ""
    assert level_words("champion:chess", None) == ""


@pytest.mark.parametrize(
    ("text", "offered", "limit", "amount", "generation"),
    [
        ("champion:chess", "champion:chess", "own", None, None),
        ("champion", "champion:chess", "own", None, None),
        ("champion:depth=2", "champion:chess", "depth", 2, None),
        ("champion:chess,seconds=1,search=pvs", "champion:chess", "seconds", 1, None),
        ("material:depth=5", "material:depth=2", "depth", 5, None),
        ("material", "material", "own", None, None),  # its own depth is not the one offered
        ("mcts:seconds=0.5", "mcts:rounds=1000", "seconds", 0.5, None),
        ("run:mine@gen=7,depth=4", "run:mine", "depth", 4, 7),
        ("run:mine@gen=7#2", "run:mine@gen=7#2", "own", None, None),
        ("champion:chess,search=mcts", "champion:chess,search=mcts", "own", None, None),
        ("material:depth=2,seconds=1", "material:depth=2,seconds=1", "own", None, None),
        ("random", "random", "own", None, None),
        ("uci:fish,depth=3", "uci:fish,depth=3", "own", None, None),
    ],
)
def test_a_player_is_taken_apart_into_its_offer_and_what_is_set_about_it(
    text: str, offered: str, limit: str, amount: float | None, generation: int | None
) -> None:
    game = load_game("chess")
    found = [
        opponents.Offer("run:mine", "Run: mine", "", opponents.OWN),
        opponents.Offer("uci:fish,depth=3", "Engine: fish, depth 3"),
        *opponents.offers(game),
    ]
    known = picked(text, found, game)
    assert (known.offer in found) == (offered in [offer.text for offer in found])
    assert (known.offer.text, known.limit, known.amount) == (offered, limit, amount)
    assert known.generation == generation
    assert limit == "own" or limit in known.offer.limits


def test_every_offer_names_a_player_and_generations_are_chosen() -> None:
    for name in Site().games:
        found = opponents.offers(load_game(name))
        assert len({offer.text for offer in found}) == len(found) >= 2
        for offer in found:
            opponents.require_offered(offer.text)
    for variant in ("nim:heaps=8", "nim:heaps=100/200", "hexwar:layout=rhombus"):
        game = load_game(variant)
        for offer in opponents.offers(game):
            make_player(offer.text, game)
    assert opponents.at_generation("run:a@gen=3,depth=2", 7) == "run:a@gen=7,depth=2"
    assert opponents.at_generation("run:a@gen=3", None) == "run:a"
    assert opponents.at_generation("random", 7) == "random"
    assert opponents.short_name("run:a@gen=3,depth=2") == "a, champion of generation 3, depth 2"
    assert opponents.short_name("run:a@gen=3#7") == "a, #7 of generation 3"
    assert opponents.short_name("run:a@best") == "a"
    assert opponents.short_name("x:a=1,a=2") == "x:a=1,a=2"
    assert opponents.short_name("material:depth=2") == "Counting pieces, depth 2"
    assert opponents.short_name("material") == "Counting pieces, depth 1"
    within = [opponents.within(opponents.short_name(text)) for text in ("random", "mcts", "x.py")]
    assert within == ["random moves", "Monte Carlo tree search", "x.py"]
    assert opponents.short_name("champion:chess,depth=4") == "Champion, depth 4"
    assert opponents.short_name("champion:chess,seconds=1,search=pvs") == "Champion, 1 s a move"
    assert opponents.short_name("scripted:rusher") == "Script: rusher"


def test_a_page_cannot_name_a_game_file() -> None:
    file = str(Path(__file__).parent.parent / "examples" / "tictactoe.py")
    with pytest.raises(EvoboardError, match="no game here"):
        Site().load_game(file)
    assert Site((file,)).load_game(file).name == "tictactoe"
    relative = os.path.relpath(file)
    for known, asked in ((file, relative), (relative, file)):  # runs name whole paths
        site = Site((known,))
        assert site.load_game(asked).name == "tictactoe"
        assert site.games[file] == "tictactoe"
    assert site.load_game("nim:heaps=8") is site.load_game("nim:heaps=8")  # loaded once


# --- files that visitors load ---------------------------------------------------------------------


def genome_files() -> dict[str, Any]:
    """Return a bare network or a genome of every kind, for kingcapture's 36 squares."""
    vector = real.make(np.linspace(-1, 1, 37)[None], Design((36, 1)))
    node = {"key": 36, "bias": 0.0, "response": 1.0, "activation": "tanh", "aggregation": "sum"}
    link = {
        "number": 0,
        "source": 3,
        "target": 36,
        "weight": 1.0,
        "status": "live",
        "frozen": False,
    }
    sizes = {"inputs": 36, "outputs": 1, "nodes": [node], "links": [link]}
    start = layered_strategy.Start()
    genes = layered_strategy.begin(start, 1, 36, 1, stream(1, "test"))
    return {
        "mlp": MLPNetwork(Design((36, 2, 1)), np.linspace(-1, 1, 77)).to_json(),
        "real": real.genome(vector, 0).to_json(),
        "neat": {"kind": "neat", "version": 1, **sizes},
        "layered": layered.genome(genes, 0).to_json(),
    }


@pytest.mark.parametrize("kind", ["mlp", "real", "neat", "layered"])
def test_a_network_or_genome_becomes_a_player(kind: str) -> None:
    game = load_game("kingcapture")
    content = json.dumps(genome_files()[kind]).encode()
    text = uploads.keep_player(content, "../../my <b>net</b>.json", game)
    assert opponents.require_offered(text) == text
    assert Path(text.removeprefix("file:")).parent == folders.uploads_folder()
    assert opponents.short_name(text) == "../../my <b>net</b>"
    assert text in [offer.text for offer in opponents.offers(game)]
    assert make_player(text, game).think(History(game), 1).move in game.legal_moves(game.initial())
    with pytest.raises(PartError, match="no encoder of nim"):
        uploads.keep_player(content, "net.json", load_game("nim"))


@pytest.mark.parametrize("place", ["search", "encoder", "kind"])
def test_a_file_that_names_a_program_does_not_run_it(place: str, tmp_path: Path) -> None:
    game, ran = load_game("kingcapture"), tmp_path / "ran"
    program = tmp_path / "evil.py"
    program.write_text(f"open({str(ran)!r}, 'w')\nSettings = encoder_for = require_inputs = 1\n")
    network = {**genome_files()["mlp"], **({"kind": str(program)} if place == "kind" else {})}
    data = {"format": "evoboard-player", "version": 1, "game": "kingcapture", "network": network}
    data |= {"search": "alphabeta", "encoder": "squares", "settings": {}}
    if place != "kind":
        data[place] = str(program)
    for content in (data, network) if place == "kind" else (data,):
        with pytest.raises(PartError, match=r"x\.json'?: .*evil\.py"):
            uploads.keep_player(json.dumps(content).encode(), "x.json", game)
    assert not ran.exists()


def test_a_title_that_no_browser_can_be_sent_is_mended() -> None:
    content = json.dumps(genome_files()["real"])
    text = uploads.keep_player(content.encode(), "c\ud800.json", load_game("kingcapture"))
    opponents.short_name(text).encode("utf-8")
    file = folders.uploads_folder() / "by-hand.json"
    data = json.loads(Path(text.removeprefix("file:")).read_text())
    file.write_text(json.dumps({**data, "title": "a\ud800b"}))
    assert opponents.short_name(f"file:{file}") == "a?b"


def test_a_genomes_line_can_be_handed_over() -> None:
    game = load_game("kingcapture")
    line = "0003000041+0.12500:0000000000000036+0.750000"
    text = uploads.keep_player(line.encode() + b"\n", "genome.txt", game)
    data = json.loads(Path(text.removeprefix("file:")).read_text())
    assert (data["encoder"], data["network"]["inputs"]) == ("squares:top=true", 36)
    with pytest.raises(PartError, match=r"genome\.txt': the links of a genome's line end within"):
        uploads.keep_player(line[:-1].encode(), "genome.txt", game)


def test_what_a_file_says_is_read_again_when_it_is_written_again() -> None:
    game, content = load_game("kingcapture"), json.dumps(genome_files()["real"]).encode()
    text = uploads.keep_player(content, "mine.json", game)
    file = Path(text.removeprefix("file:"))
    assert opponents.short_name(text) == "mine"
    whole = file.read_text()
    file.unlink()
    assert opponents.short_name(text) == file.stem  # as in a game whose player is gone
    assert uploads.keep_player(content, "mine.json", game) == text
    assert opponents.short_name(text) == "mine"
    assert text in [offer.text for offer in opponents.offers(game)]
    file.write_text("[" * 100_000)
    assert opponents.short_name(text) == file.stem
    write_whole(file, whole.replace('"mine"', '"another"'))
    assert opponents.short_name(text) == "another"


def test_a_file_that_fails_today_is_not_lost_where_it_was_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game, content = load_game("kingcapture"), json.dumps(genome_files()["real"]).encode()
    file = Path(uploads.keep_player(content, "mine.json", game).removeprefix("file:"))
    monkeypatch.setattr(uploads, "make_player", lambda *_: Answers(OptionError("no.")).think(0, 0))
    for name in ("mine.json", "other.json"):
        with pytest.raises(PartError, match="no"):
            uploads.keep_player(content, name, game)
        assert list(file.parent.iterdir()) == [file]


def test_a_wrong_file_is_refused_in_one_sentence_and_not_kept() -> None:
    game = load_game("kingcapture")
    for content, told in (
        (b"\xff\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a network that can be read"),
        (b"{}", "not a network that can be read"),
        (b'{"kind": "graph"}', "bad.json"),
        (b'{"kind": "../../x"}', "bad.json"),
        (b'{"kind": "neat", "version": 1}', "bad.json"),
        (b'{"format": "other"}', "bad.json"),
        (b'{"format": "evoboard-player", "game": "chess"}', "bad.json"),
        (b" " * (uploads.LARGEST + 1), "at most"),
    ):
        with pytest.raises(PartError, match=told) as caught:
            uploads.keep_player(content, "bad.json", game)
        assert str(folders.games_folder()) not in str(caught.value)
    folder = folders.uploads_folder()
    assert not folder.exists() or not list(folder.iterdir())


# --- what was taken -------------------------------------------------------------------------------


def test_a_pawn_that_was_promoted_was_not_taken() -> None:
    game = load_game("chess")
    first = game.view(game.parse_state("4k3/8/8/8/8/8/PP6/1N2K3 w - - 0 1"))
    now = game.view(game.parse_state("4k3/8/8/8/8/8/P7/Q3K3 w - - 0 1"))
    assert missing(first, now, 0) == Captured("♞")
    assert missing(first, first, 0) == Captured()
    assert missing(first, now, 1) == Captured()


def test_men_are_counted_where_there_are_no_figures() -> None:
    game = load_game("draughts")
    now = game.view(game.parse_state("B:W29,30:BK1"))
    start = game.view(game.initial())
    assert missing(start, now, 0) == Captured(men=11)
    assert missing(start, now, 1) == Captured(men=10)


# --- what the board is told -----------------------------------------------------------------------


def test_letters_on_the_bar_can_be_read_on_every_colour() -> None:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.05 + sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for colour in (*strip.COLOURS.values(), *strip.PLAIN):
        ink = "#ffffff" if strip.is_dark(colour) else "#1d1b18"
        darker, lighter = sorted([light(colour), light(ink)])
        assert lighter / darker >= 4.5, colour


def test_castling_may_be_entered_by_the_rook() -> None:
    game = load_game("chess")
    for side, home in (("w", 0), ("b", 56)):
        view = game.view(game.parse_state(f"r3k2r/8/8/8/8/8/8/R3K2R {side} KQkq - 0 1"))
        found = {look.cells: look.also for look in view.moves if look.also}
        assert found == {(home + 4, home + 6): (home + 7,), (home + 4, home + 2): (home,)}


# --- positions set up by hand ---------------------------------------------------------------------


@pytest.mark.parametrize("name", game_names())
def test_pieces_become_the_same_position_again(name: str) -> None:
    game = load_game(name)
    editor = game.editor
    assert editor is not None
    for seed in range(5):
        state = random_match(game, 6 * seed, seed + 1).state
        pieces, side = pieces_of(game, state), game.side(state)
        answers = editor.answers(game.state_text(state))
        again = game.parse_state(editor.text(game, pieces, side, answers))
        assert pieces_of(game, again) == pieces
        same = again == state
        same[list(game.counters)] = True  # they tell how the position was reached
        assert same.all()


def test_castling_and_en_passant_are_asked_where_they_are_possible() -> None:
    game, editor = load_game("chess"), load_game("chess").editor
    fen = "r3k2r/8/8/pP1pPp2/8/8/8/R3K3 w Qk d6 0 1"
    pieces = pieces_of(game, game.parse_state(fen))
    asked = {detail.key: detail for detail in editor.details(pieces, 0)}
    assert list(asked) == ["Q", "k", "q", "a6", "d6", "f6"]
    assert not any(detail.alone for detail in editor.details(pieces, 1))
    answers = editor.answers(fen)
    assert editor.text(game, pieces, 0, answers) == fen
    one = answered(answers, asked["f6"], tuple(asked.values()), True)
    assert editor.text(game, pieces, 0, one) == fen.replace("d6", "f6")
    assert editor.text(game, pieces, 0, {}) == fen.replace("Qk d6", "Qkq -")


def test_a_game_of_ones_own_brings_its_editor(tmp_path: Path) -> None:
    source = Path(load_game("nim").file).read_text(encoding="utf-8")
    for name, text in (("mine", source), ("plain", source.replace("\nEDITOR =", "\n_EDITOR ="))):
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        assert (load_game(str(file)).editor is not None) == (name == "mine")


def test_clicks_place_and_remove() -> None:
    chess, war = load_game("chess").editor, load_game("hexwar").editor
    queen, eraser = chess.palette[1], chess.palette[-1]
    one = placed(chess, {}, 5, queen)
    assert one[5].symbol == "Q"
    assert placed(chess, one, 5, queen) == {}
    assert placed(chess, one, 5, eraser) == {}
    assert carried(one, 5, 9)[9].cell == 9
    assert carried(one, 5, -1) == {}
    assert carried(one, 6, 7) == one
    blue, red = war.palette[:2]
    two = placed(war, placed(war, {}, 3, blue), 3, blue)
    assert two[3].count == 2
    assert placed(war, two, 3, war.palette[-1])[3].count == 1
    assert placed(war, two, 3, red)[3] == placed(war, {}, 3, red)[3]


# --- who may talk to the server -------------------------------------------------------------------


def ask(gate: security.Gate, kind: str = "http", body: bytes = b"", **headers: str) -> Any:
    """Send one request through the gate; return status (or "through"), headers and body."""
    query = headers.pop("query", "")
    scope = {
        "type": kind,
        "method": headers.pop("method", "GET"),
        "path": headers.pop("path", "/play"),
        "query_string": query.encode(),
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(gate(scope, receive, send))
    if kind == "websocket":
        return sent[0]["type"], {}, b""
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


async def plain_app(scope: Any, receive: Any, send: Any) -> None:
    """Read the whole body and say yes."""
    if scope["type"] == "websocket":
        return await send({"type": "websocket.accept"})
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"yes"})


@pytest.mark.parametrize(
    ("host", "fine"),
    [
        ("127.0.0.1:8137", True),
        ("localhost:8137", True),
        ("[::1]:8137", True),
        ("127.0.0.2:8137", True),
        ("127.0.0.1", False),
        ("127.0.0.1:80", False),
        ("evil.example:8137", False),
        ("192.168.0.7:8137", False),
        ("127.0.0.1.evil.example:8137", False),
        ("", False),
        ("127.0.0.1:8137:1", False),
        ("[", False),
    ],
)
def test_foreign_hosts_are_refused(host: str, fine: bool) -> None:
    gate = security.Gate(plain_app, "127.0.0.1", 8137)
    for kind, good, bad in (
        ("http", 200, 421),
        ("websocket", "websocket.accept", "websocket.close"),
    ):
        assert ask(gate, kind, host=host)[0] == (good if fine else bad)


def test_other_sites_are_refused_and_pages_load_nothing_from_elsewhere() -> None:
    gate = security.Gate(plain_app, "127.0.0.1", 8137)
    ours = {"host": "localhost:8137"}
    status, headers, _ = ask(gate, **ours, origin="http://localhost:8137")
    assert status == 200
    assert b"default-src 'self'" in headers[b"content-security-policy"]
    assert headers[b"x-content-type-options"] == b"nosniff"
    for origin in ("http://evil.example", "https://localhost:1", "http://localhost:8137.evil"):
        assert ask(gate, **ours, origin=origin)[0] == 403
        assert ask(gate, "websocket", **ours, origin=origin)[0] == "websocket.close"
    assert ask(gate, "websocket", **ours, origin="null")[0] == "websocket.close"
    assert ask(gate, **ours, origin="null")[0] == 403
    assert ask(gate, **ours, origin="http://[")[0] == 403


def test_another_site_may_link_here_and_no_more() -> None:
    gate = security.Gate(plain_app, "127.0.0.1", 8137)
    for site in ("cross-site", "same-site"):
        ours = {"host": "localhost:8137", "sec_fetch_site": site}
        link = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
        assert ask(gate, **ours, **link)[0] == 200
        assert ask(gate, **ours, sec_fetch_mode="no-cors", sec_fetch_dest="image")[0] == 403
        assert ask(gate, **ours, **{**link, "sec_fetch_dest": "iframe"})[0] == 403
    assert ask(gate, host="localhost:8137", sec_fetch_site="same-origin")[0] == 200
    assert ask(gate, host="localhost:8137", sec_fetch_site="none")[0] == 200


def test_another_address_needs_the_token() -> None:
    token = security.new_token()
    gate = security.Gate(plain_app, "0.0.0.0", 8137, token)
    ours = {"host": "192.168.0.7:8137"}
    assert ask(gate, **ours)[0] == 401
    assert ask(gate, "websocket", **ours)[0] == "websocket.close"
    assert ask(gate, **ours, query="token=wrong")[0] == 401
    assert ask(gate, **ours, query=f"token={token}", method="POST")[0] == 401
    assert ask(gate, host="evil.example:8137", query=f"token={token}")[0] == 421
    status, headers, _ = ask(gate, **ours, query=f"a=1&token={token}", path="//evil.example/x")
    assert (status, headers[b"location"]) == (303, b"/evil.example/x?a=1")
    cookie = headers[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask(gate, **ours, cookie=cookie.split(";")[0])[0] == 200
    assert ask(gate, "websocket", **ours, cookie=cookie.split(";")[0])[0] == "websocket.accept"
    assert ask(gate, **ours, cookie=f"{gate.cookie}=wrong")[0] == 401
    assert ask(gate, **ours, cookie=f"a[=b; {cookie.split(';')[0]}")[0] == 200


def test_what_the_machine_is_called_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr("socket.gethostname", lambda: "Tower")
    monkeypatch.setattr("socket.getfqdn", lambda: asked.append(1) or "Tower.home.example")
    gate = security.Gate(plain_app, "0.0.0.0", 8137)
    for host, fine in (
        ("192.168.0.7:8137", True),
        ("[fe80::7]:8137", True),
        ("TOWER:8137", True),
        ("tower.home.example:8137", True),
        ("localhost:8137", True),
        ("tower.evil.example:8137", False),
        (":8137", False),
    ):
        assert ask(gate, host=host)[0] == (200 if fine else 421)
    assert asked == [1]
    security.Gate(plain_app, "127.0.0.1", 8137)
    assert asked == [1]


def test_a_body_has_an_end() -> None:
    gate = security.Gate(plain_app, "127.0.0.1", 8137)
    ours = {"host": "localhost:8137", "method": "POST"}
    assert ask(gate, body=b"x" * 1000, **ours)[0] == 200
    large = b"x" * (security.LARGEST_BODY + 1)
    assert ask(gate, body=large, **ours)[0] == 413
    assert ask(gate, **ours, content_length=str(len(large)))[0] == 413
    assert ask(gate, **ours, content_length="many")[0] == 413


# --- the shell ------------------------------------------------------------------------------------


def test_every_page_says_what_the_shell_needs() -> None:
    pages = find_pages()
    assert [page.ORDER for page in pages] == sorted({page.ORDER for page in pages})
    for page in pages:
        assert page.PATH.startswith("/")
        assert page.TITLE
        assert page.ICON
        assert callable(page.build)
    assert pages[0].TITLE == "Play"


def test_a_port_in_use_is_told_and_other_commands_do_not_load_the_web() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OptionError, match="Choose another port with --port"):
            require_free("127.0.0.1", taken.getsockname()[1])
    code = (
        "import sys; from evoboard.cli.main import COMMANDS, load_commands\n"
        "[load_commands(file) for files in COMMANDS.values() for file in files]\n"
        "print('nicegui' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@asynccontextmanager
async def impatient_server(app: Any) -> AsyncIterator[uvicorn.Server]:
    """Serve an application, with as little room for what waits to be sent as there can be."""
    config = uvicorn.Config(
        app, lifespan="off", log_level="error", http=patience.ImpatientProtocol, ws="wsproto"
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield server
        finally:
            server.should_exit = True
            await task


def port_of(server: uvicorn.Server) -> int:
    return int(server.servers[0].sockets[0].getsockname()[1])


@pytest.mark.parametrize(
    "sent,closed",
    [
        (b"", True),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", True),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\nbegun", True),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", False),
    ],
)
def test_who_does_not_finish_a_request_is_cut_off(sent, closed, monkeypatch):
    """And whoever waits for a slow answer is not."""
    monkeypatch.setattr(patience, "PATIENCE", 0.2)

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(0.9)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def ask() -> bytes:
        async with impatient_server(slow) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
            writer.write(sent)
            try:
                return await asyncio.wait_for(reader.read(100), 20)
            except ConnectionResetError:
                return b""
            finally:
                writer.close()

    assert asyncio.run(ask()).startswith(b"HTTP/1.1 204") != closed


PIECE = 50_000
WEB_SOCKET = (
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


async def talkative(scope: Any, receive: Any, send: Any) -> None:
    """Send ten pieces over a web socket, else as many as the address says, or all as one."""
    await receive()
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        for _ in range(10):
            await send({"type": "websocket.send", "bytes": bytes(PIECE)})
        await receive()
        return
    count, _, as_one = scope["path"][1:].partition("/")
    pieces = [bytes(int(count) * PIECE)] if as_one else [bytes(PIECE)] * int(count)
    length = [(b"content-length", b"%d" % sum(map(len, pieces)))]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    for left, piece in reversed(list(enumerate(pieces))):
        await send({"type": "http.response.body", "body": piece, "more_body": left > 0})


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /10 HTTP/1.1\r\nHost: a\r\n\r\n",
        # So little that nobody is told that it waits; the connection is closed after it.
        b"GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET /20/as-one HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        WEB_SOCKET,
    ],
)
def test_who_does_not_take_the_answer_is_cut_off(sent, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 0.2)

    async def ask() -> None:
        async with impatient_server(talkative) as server:
            with socket.socket() as visitor:
                visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                visitor.connect(("127.0.0.1", port_of(server)))
                visitor.sendall(sent)
                connections = server.server_state.connections
                async with asyncio.timeout(20):
                    while not connections:
                        await asyncio.sleep(0.01)
                    protocols = list(connections)
                    while connections:
                        await asyncio.sleep(0.01)
            assert all(each.transport.get_write_buffer_size() == 0 for each in protocols)

    asyncio.run(ask())


@pytest.mark.parametrize("path", [b"/20", b"/20/as-one"])
@pytest.mark.parametrize("then", [b"close", b"keep-alive"])
def test_who_takes_the_answer_slowly_gets_all_of_it(path, then, monkeypatch):
    monkeypatch.setattr(patience, "PATIENCE", 1.0)

    async def ask() -> int:
        async with impatient_server(talkative) as server:
            visitor = socket.socket()
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
            visitor.connect(("127.0.0.1", port_of(server)))
            reader, writer = await asyncio.open_connection(sock=visitor, limit=4096)
            writer.write(b"GET %b HTTP/1.1\r\nHost: a\r\nConnection: %b\r\n\r\n" % (path, then))
            count, began = 0, time.monotonic()
            while count < 20 * PIECE and (part := await reader.read(8192)):
                count += len(part)
                await asyncio.sleep(0.02)
            writer.close()
            assert time.monotonic() - began > 2 * patience.PATIENCE
            return count

    assert asyncio.run(ask()) >= 20 * PIECE


def test_a_method_is_looked_at_once_for_all_its_elements(monkeypatch):
    from nicegui import helpers

    from evoboard.web import app as web_app

    looked = []
    monkeypatch.setattr(helpers, "expects_arguments", lambda act: bool(looked.append(act)))
    web_app._remember_signatures()

    class Part:
        def act(self) -> None: ...

    for _ in range(3):
        assert helpers.expects_arguments(Part().act) is False
    assert len(looked) == 1
    for _ in range(3):  # a function of its own each time
        helpers.expects_arguments(lambda: None)
    assert len(looked) == 4


@pytest.mark.parametrize("name", game_names())
def test_a_view_as_data_is_what_its_fields_are(name):
    view = load_game(name).view(load_game(name).initial())
    assert json.dumps(view.as_data()) == json.dumps(asdict(view))


def test_pages_begin_one_after_the_other_while_the_loop_is_busy(monkeypatch):
    """And at once where it is not: whoever plays is not kept waiting by those who arrive."""
    monkeypatch.setattr("evoboard.web.site.PATIENCE", 0.3)

    async def arrive(pages: int, busy: bool) -> list[float]:
        gate, entered = Turnstile(), []
        began = time.monotonic()

        async def visit() -> None:
            await gate.enter()
            entered.append(time.monotonic() - began)

        async def work() -> None:
            while len(entered) < pages:
                time.sleep(0.05)  # as a page that is being built
                await asyncio.sleep(0)

        await asyncio.gather(*(visit() for _ in range(pages)), *([work()] if busy else []))
        return entered

    first, second, third = asyncio.run(arrive(3, busy=True))
    assert 0.3 <= first < second - 0.3 < third - 0.6
    quiet = [asyncio.run(arrive(3, busy=False)) for _ in range(5)]
    assert min(entered[-1] for entered in quiet) < 0.3
