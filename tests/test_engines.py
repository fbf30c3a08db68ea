"""Players as engines: driven by python-chess, by pydraughts, by hand, and by nonsense."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from evoboard.core.errors import OptionError
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.interop import thinking, uci
from evoboard.interop.console import converse, require_protocol
from evoboard.interop.engine import Engine, Go
from evoboard.interop.hub import Hub
from evoboard.interop.opinion import MOST, centipawns
from evoboard.interop.uci import Uci
from evoboard.players.base import make_player, names_limit
from evoboard.players.hub_words import fen_of
from evoboard.players.levels import elo_range, level_of, nodes_at
from evoboard.search.base import Thought
from evoboard.search.limits import OPEN, Limits
from evoboard.search.values import WON, plies_to_end

chess = pytest.importorskip("chess", reason="python-chess, which drives the engine, is missing")
pytest.importorskip("chess.engine")

COMMAND = [sys.executable, "-m", "evoboard", "engine"]
HUB_START = "B" + 12 * "b" + 8 * "e" + 12 * "w"
PATIENCE = 240  # seconds, for a machine that must compile first
SOON = 0.5  # seconds in which a stop is answered while nobody else is at work


class Dialogue:
    """A protocol in this process: what it says, and when."""

    def __init__(self, game, player, words=Uci):
        self.engine = Engine(load_game(game), player)
        self.said, self._news = [], threading.Condition()
        self.protocol = words(self.engine, self._say)

    def _say(self, text):
        with self._news:
            self.said.append(text)
            self._news.notify_all()

    def tell(self, *lines):
        for line in lines:
            assert self.protocol.handle(line)

    def ask(self, *lines, until=("bestmove", "done")):
        """Return what is said from these lines on up to one that begins as told."""
        with self._news:
            known = len(self.said)
        self.tell(*lines)

        def answered():
            return any(line.startswith(until) for line in self.said[known:])

        with self._news:
            assert self._news.wait_for(answered, PATIENCE), (lines, self.said[known:])
            return self.said[known:]

    def move(self, *lines):
        """Return the move that answers these lines."""
        return re.search(r"(?:bestmove |move=)(\S+)", self.ask(*lines)[-1])[1]


@pytest.fixture(scope="module")
def nim():
    return Dialogue("nim", "perfect")


@pytest.fixture(scope="module")
def board():
    return Dialogue("chess", "champion")  # as the command: what one compiles, the other loads


# --- python-chess drives the command ------------------------------------------------------------


@pytest.fixture(scope="module")
def engine():
    """The command as python-chess starts it; at the end Ctrl-C ends it without a complaint."""
    running = chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=PATIENCE)
    running.timeout = PATIENCE
    running.play(chess.Board(), chess.engine.Limit(depth=1))  # compiles
    running.play(chess.Board(), chess.engine.Limit(time=0.01))
    yield running
    os.kill(running.transport.get_pid(), signal.SIGINT)
    ended = running.protocol.returncode
    deadline = time.monotonic() + PATIENCE
    while not ended.done() and time.monotonic() < deadline:
        time.sleep(0.005)
    running.close()
    assert ended.result() == 0


def play_by_the_clock(engine, start, increment, plies):
    """Return a game of the engine with itself and what is left on the clocks, which never fall."""
    board, clocks = chess.Board(), [start, start]
    while len(board.move_stack) < plies and not board.is_game_over():
        white, black = clocks[chess.WHITE], clocks[chess.BLACK]
        limit = chess.engine.Limit(
            white_clock=white, black_clock=black, white_inc=increment, black_inc=increment
        )
        began = time.perf_counter()
        board.push(engine.play(board, limit).move)
        clocks[not board.turn] -= time.perf_counter() - began
        assert min(clocks) > 0, f"the flag fell after {len(board.move_stack)} plies"
        clocks[not board.turn] += increment
    return board, clocks


def test_it_says_who_it_is_and_what_can_be_set(engine):
    assert engine.id["name"].startswith("evoboard")
    assert "champion" in engine.id["name"]
    strength = {"UCI_LimitStrength", "UCI_Elo"} if elo_range("chess") else set()
    usual = {"Player", "Hash", "Clear Hash", "Threads", "Move Overhead", "Ponder", "MultiPV"}
    assert usual | strength == set(engine.options)


def test_a_whole_game_of_chess_with_itself(engine):
    engine.configure({"Player": "champion:depth=2"})
    board, game = chess.Board(), object()
    while not board.is_game_over(claim_draw=True):
        board.push(engine.play(board, chess.engine.Limit(time=1), game=game).move)
    assert len(board.move_stack) > 10
    engine.configure({"Player": "champion"})
    assert engine.play(chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), LIMIT).move is None


LIMIT = chess.engine.Limit(time=0.05)


@pytest.mark.parametrize(("start", "increment", "plies"), [(1.5, 0, 50), (1.0, 0.1, 12)])
def test_bullet_never_ends_by_the_clock(engine, start, increment, plies):
    for attempt in (1, 2, 3):  # a machine may be busy elsewhere for one game, not for three
        try:
            _, clocks = play_by_the_clock(engine, start, increment, plies)
            break
        except AssertionError:
            if attempt == 3:
                raise
    if not increment:  # time is there to be used
        assert min(clocks) < 0.8 * start


def test_analysis_goes_deeper_until_it_is_stopped(engine):
    with engine.analysis(chess.Board()) as analysis:
        told = []
        for info in analysis:
            told += [info] if "depth" in info else []
            if info.get("depth", 0) >= 4:
                break
    depths = [info["depth"] for info in told]
    assert depths == sorted(depths)
    assert depths[-1] >= 4
    for info in told:
        assert info["score"].relative.score() is not None
        assert info["nodes"] > 0
        board = chess.Board()
        for move in info["pv"]:
            board.push(board.parse_uci(move.uci()))


def test_a_stop_is_answered_at_once(engine):
    waits = []
    while not waits or (min(waits) > SOON and len(waits) < 60):  # a machine may be busy
        analysis = engine.analysis(chess.Board())
        time.sleep(0.03)
        began = time.perf_counter()
        analysis.stop()
        analysis.wait()
        waits.append(time.perf_counter() - began)
    assert min(waits) < SOON, waits


def test_options_and_the_moves_to_choose_from(engine):
    board = chess.Board()
    chosen = [chess.Move.from_uci("g2g4"), chess.Move.from_uci("h2h4")]
    assert engine.play(board, chess.engine.Limit(depth=2), root_moves=chosen).move in chosen
    engine.configure({"Player": "nobody at all", "Hash": 4, "Move Overhead": 20})
    assert engine.play(board, LIMIT).move in board.legal_moves
    engine.configure({"Player": "champion", "Threads": 2})
    mate = chess.Board("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    found = engine.play(mate, LIMIT, info=chess.engine.INFO_ALL)
    assert found.move == chess.Move.from_uci("a1a8")
    assert found.info["score"].relative == chess.engine.Mate(1)
    engine.configure({"Player": "random", "Threads": 1})
    info = engine.play(board, LIMIT, info=chess.engine.INFO_ALL).info
    assert "score" not in info
    assert info["depth"] == 0
    engine.configure({"Player": "champion"})


def test_a_mate_is_told_in_moves(engine):
    for position, mate in (
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("k7/8/8/8/8/8/5R2/K5R1 w - - 0 1", 2),
        ("6k1/8/8/8/8/8/r7/1r4K1 w - - 0 1", None),
    ):
        board = chess.Board(position)
        if mate is None:
            assert engine.play(board, LIMIT).move is None  # it is mate already
            continue
        info = engine.analyse(board, chess.engine.Limit(mate=mate))
        assert info["score"].relative.mate() == mate


# --- the end ------------------------------------------------------------------------------------


def test_the_end_of_the_interface_is_the_end_of_the_engine():
    running = subprocess.Popen(
        [*COMMAND, "champion", "--game", "chess", "--protocol", "uci"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stdin.write(b"uci\nisready\nposition startpos\ngo infinite\n")
    running.stdin.flush()
    for line in running.stdout:
        if line.startswith(b"info depth"):
            break
    began = time.perf_counter()
    rest, complaints = running.communicate(timeout=PATIENCE)  # closes its input
    assert running.returncode == 0
    assert complaints == b""
    assert time.perf_counter() - began < PATIENCE / 2
    assert all(line.startswith((b"info ", b"bestmove ")) for line in rest.splitlines())


# --- UCI by hand, for any game ------------------------------------------------------------------


def test_nim_and_kingcapture_are_played_in_their_own_texts(nim):
    for dialogue in (nim, Dialogue("kingcapture", "mcts")):
        game = dialogue.engine.game
        assert f"option name UCI_Variant type combo default {game.name} var {game.name}" in (
            dialogue.ask("uci", until="uciok")
        )
        moves, state = [], game.initial()
        while (over := dialogue.engine.ending())[1] == "":
            line = f"position startpos moves {' '.join(moves)}"
            moves.append(dialogue.move(line, "go movetime 10"))
            state = game.apply(state, game.parse_move(state, moves[-1]))
            dialogue.tell(f"position fen {game.state_text(state)}")
            assert game.state_text(dialogue.engine.history.state) == game.state_text(state)
            dialogue.tell(f"position startpos moves {' '.join(moves)}")
        assert moves
        if over[0]:
            told = dialogue.ask("go")
            assert told == [f"info string there is no move: {over[1]}.", "bestmove (none)"]


def test_a_wrong_position_is_told_and_survived(nim):
    for wrong, part in (
        ("position fen 9,9,9,9,9 0", "nim position"),
        ("position startpos moves 0:1 0:9", "0:9"),
        ("position", "a position is startpos or fen"),
        ("position startpos moves", ""),
    ):
        nim.tell("ucinewgame")
        told = nim.ask(wrong, "go", until="bestmove")
        if part:
            assert told[0].startswith("info string")
            assert part in told[0]
            assert told[-1] == "bestmove (none)"
            assert len(told) == 3
        else:
            assert told[-1] != "bestmove (none)"


def test_a_game_drawn_by_its_history_says_so(board):
    there_and_back = "g1f3 g8f6 f3g1 f6g8 " * 2
    told = board.ask(f"position startpos moves {there_and_back}", "go depth 1")
    assert told[0] == "info string the game is drawn: repetition."
    assert told[-1] != "bestmove (none)"


def test_words_it_does_not_know_are_left_out(nim):
    assert nim.ask("joho isready", until="readyok")[-1] == "readyok"
    nim.tell("", "   ", "joho", "register later", "debug off", "ponderhit", "stop", "ucinewgame")
    assert nim.ask("debug on", "xyzzy", until="info")[-1] == "info string unknown: xyzzy"
    nim.tell("debug off")
    assert not nim.protocol.handle("quit")


def test_isready_is_answered_while_the_game_is_compiled(monkeypatch):
    """Interfaces give up on an engine that says nothing; the first move waits instead."""
    monkeypatch.setattr(uci, "SOON", 0.05)
    dialogue = Dialogue("nim", "perfect")
    compiled = threading.Event()
    dialogue.engine._worker.submit(lambda: compiled.wait(PATIENCE))
    told = dialogue.ask("isready", until="readyok")
    assert told == [told[0], "readyok"]
    assert told[0].startswith("info string compiling")
    known = len(dialogue.said)
    dialogue.tell("position startpos", "go movetime 10")
    time.sleep(0.1)
    assert len(dialogue.said) == known
    compiled.set()
    assert dialogue.engine.settle(PATIENCE)
    assert dialogue.said[known] == "info string compiled; later starts need no compiling."
    assert dialogue.said[-1].startswith("bestmove")
    assert dialogue.said.count("readyok") == 1
    assert dialogue.ask("isready", until="readyok") == ["readyok"]


def test_pondering_begins_the_clock_at_the_hit(board):
    board.ask("isready", until="readyok")
    assert board.engine.settle(PATIENCE)  # it may be compiling yet
    board.tell("position startpos")
    known = len(board.said)
    board.tell("go ponder wtime 600 btime 600")
    time.sleep(0.1)
    board.ask("isready", until="readyok")  # even now
    assert not any(line.startswith("bestmove") for line in board.said[known:])
    began = time.perf_counter()
    board.ask("ponderhit")
    assert time.perf_counter() - began < PATIENCE / 2  # and no longer for ever
    board.tell("go ponder wtime 600 btime 600")
    assert board.ask("stop")[-1].startswith("bestmove")


def test_pondering_without_a_clock_is_answered_after_the_hit(board):
    board.tell("position startpos", "go ponder depth 1")
    board.engine._search._over.wait(PATIENCE)
    assert board.engine.searching
    assert board.ask("ponderhit")[-1].startswith("bestmove")
    board.tell("go infinite ponder depth 1", "ponderhit")
    board.engine._search._over.wait(PATIENCE)
    time.sleep(0.05)
    assert board.engine.searching  # endless is endless
    assert board.ask("stop")[-1].startswith("bestmove")


def test_an_endless_search_does_not_answer_by_itself(nim):
    nim.tell("position startpos", "go infinite")
    nim.engine._search._over.wait(PATIENCE)  # perfect play needs no time
    time.sleep(0.05)
    assert nim.engine.searching
    assert nim.ask("stop")[-1].startswith("bestmove")
    known = len(nim.said)
    nim.tell("go infinite", "go movetime 10")  # a second go ends the first
    nim.engine.settle(PATIENCE)
    assert sum(line.startswith("bestmove") for line in nim.said[known:]) == 2


def test_its_own_limit_holds_until_another_is_asked_for(board):
    def depth(*lines):
        info = board.ask("position startpos", *lines)[-2]
        return int(re.match(r"info depth (\d+)", info)[1])

    usual = depth("go")
    assert usual == 3  # as ever
    # A machine may be busy elsewhere for as long.
    assert any(depth(f"go movetime {ms}") > usual for ms in (200, 2000, 20_000))
    assert depth("go depth 2") == 2
    assert depth("go mate 1") == 2
    nodes = board.ask("go nodes 300")[-2]
    assert 300 <= int(re.search(r"nodes (\d+)", nodes)[1]) < 1000
    # What the player's text says holds on the clock, but not where a depth is asked for.
    assert depth("setoption name Player value champion:depth=2", "go wtime 60000 btime 60000") == 2
    assert depth("go depth 4") == 4
    assert depth("go depth 1") == 1
    board.tell("setoption name Player value champion")


def test_who_looks_too_far_for_the_clock_is_watched_and_says_what_it_has(board):
    def told(*lines):
        info = board.ask("position startpos", *lines)
        assert info[-1].startswith("bestmove")
        return [int(depth) for depth in re.findall(r"info depth (\d+)", " ".join(info))]

    board.tell("setoption name Player value champion:depth=20")
    told("go movetime 1")  # compiles
    for depths in (told("go movetime 500"), told("go depth 30 movetime 500")):
        assert depths == sorted(depths)
        assert 1 <= depths[-1] < 20
    known = len(board.said)
    board.tell("go infinite")
    for _ in range(1000):
        time.sleep(0.01)
        if any(line.startswith("info depth 2") for line in board.said[known:]):
            break
    assert int(re.match(r"info depth (\d+)", board.ask("stop")[-2])[1]) >= 2
    board.tell("setoption name Player value champion")


def test_what_replaces_a_limit_may_be_wider(board):
    def nodes(*lines):
        return int(re.search(r" nodes (\d+)", board.ask("position startpos", *lines)[-2])[1])

    assert nodes("setoption name Player value champion:nodes=200", "go") < 1000
    assert nodes("go nodes 5000") >= 5000
    assert nodes("go") < 1000
    board.tell("setoption name Player value champion")
    tree = Dialogue("kingcapture", "mcts:depth=2")
    assert tree.ask("go depth 4")[-2].startswith("info depth 4 ")


def test_a_search_that_cannot_be_limited_answers_nevertheless_and_says_so_once():
    bold = Path(__file__).parent.parent / "examples" / "parts" / "bold.py"
    dialogue = Dialogue("kingcapture", f"champion:search={bold}")
    told = []
    for line in ("isready", "go", "go movetime 50", "go movetime 50", "go depth 3", "go nodes 9"):
        told += dialogue.ask(line, until=("bestmove", "readyok"))
    assert sum(line.startswith("bestmove") for line in told) == 5
    said = [line for line in told if line.startswith("info string") and "compil" not in line]
    assert said == [
        "info string bold has neither UNTIL_STOPPED nor DEEPENING; it cannot limit seconds.",
        "info string bold has no setting depth; it cannot limit it.",
        "info string bold has no setting nodes; it cannot limit them.",
    ]


def test_a_strength_that_there_is_not_changes_nothing(monkeypatch):
    dialogue = Dialogue("nim", "champion")
    told = dialogue.ask("setoption name UCI_LimitStrength value true", until="info string")
    assert "not measured" in told[-1]
    known = len(dialogue.said)
    dialogue.tell("setoption name Threads value 2")
    assert dialogue.said[known:] == []
    assert dialogue.engine._player.means["threads"] == 2


def test_several_lines_are_told_from_the_best_on(board):
    told = board.ask("setoption name MultiPV value 3", "position startpos", "go depth 2")
    # Only of the moves to choose from, be the best of all among them or not.
    assert len(board.ask("go depth 2 searchmoves a2a3 a2a4")) == 3
    assert len(board.ask("go depth 2 searchmoves d2d4 a2a4")) == 3
    board.tell("setoption name MultiPV value 1")
    last = [line for line in told if line.startswith("info depth 2")][-3:]
    pattern = r"info depth 2 seldepth \d+ multipv (\d) score cp (-?\d+) .* pv (\S+)"
    found = [re.match(pattern, line) for line in last]
    assert [int(match[1]) for match in found] == [1, 2, 3]
    values = [int(match[2]) for match in found]
    assert values == sorted(values, reverse=True)
    assert len({match[3] for match in found}) == 3
    assert told[-1].startswith(f"bestmove {found[0][3]}")
    assert "multipv" not in board.ask("go depth 1")[-2]


def test_every_line_says_what_is_expected_behind_its_move(board):
    told = board.ask("setoption name MultiPV value 3", "position startpos", "go depth 4")
    one = board.ask("go depth 4 searchmoves a2a3")[-2]
    board.tell("setoption name MultiPV value 1")
    lines = [line.split(" pv ")[1].split() for line in told if line.startswith("info depth 4 ")]
    assert len(lines) >= 3
    for line in [*lines, one.split(" pv ")[1].split()]:
        game = chess.Board()
        for move in line:
            game.push_uci(move)  # ValueError for an illegal one
        assert len(line) == 4
    assert one.split(" pv ")[1].startswith("a2a3 ")


def test_info_tells_the_deepest_position_and_how_full_the_table_is(board):
    told = board.ask("setoption name Hash value 1", "position startpos", "go nodes 60000")
    board.tell("setoption name Hash value 16")
    pattern = r"info depth (\d+) seldepth (\d+) score \S+ \S+ hashfull (\d+) nodes "
    found = [re.match(pattern, line) for line in told[:-1]]
    depth, deepest, full = (int(number) for number in found[-1].groups())
    assert deepest > depth
    assert 100 < full <= 1000
    # Searches without a table say nothing of one, and players that do not search nothing at all.
    board.tell("setoption name Player value champion:depth=2")
    alphabeta = board.ask("go")[-2]
    board.tell("setoption name Player value random")
    assert board.ask("go")[-2].startswith("info depth 0 nodes ")
    board.tell("setoption name Player value champion")
    assert re.match(r"info depth 2 seldepth \d+ ", alphabeta)
    assert "hashfull" not in alphabeta


def test_lines_come_in_order_at_a_limited_strength_and_from_a_tree_search(board):
    board.tell("setoption name UCI_Elo value 800", "setoption name UCI_LimitStrength value true")
    board.tell("setoption name MultiPV value 3", "position startpos")
    tree = Dialogue("kingcapture", "mcts:rounds=60")
    tree.tell("setoption name MultiPV value 6")
    for dialogue, times in ((board, 12), (tree, 12)):
        for _ in range(times):
            told = [line for line in dialogue.ask("go movetime 200") if "multipv" in line]
            lines = [re.search(r"multipv (\d+) score cp (-?\d+) ", line) for line in told]
            for one, other in pairwise(lines):
                if int(other[1]) > 1:
                    assert int(one[2]) >= int(other[2]), told
            last = told[-dialogue.engine.lines]
            assert f"bestmove {last.split(' pv ')[1].split()[0]}" in dialogue.said[-1]
    board.tell("setoption name UCI_LimitStrength value false", "setoption name MultiPV value 1")


def test_strength_is_limited_where_its_elo_is_known(monkeypatch):
    table = ((1.0, 800), (5.0, 1600))
    monkeypatch.setattr("evoboard.players.levels.ELO", {"kingcapture": table})
    assert [level_of("kingcapture", elo) for elo in (800, 1200, 1600)] == [1, 3, 5]
    dialogue = Dialogue("kingcapture", "champion")
    told = dialogue.ask("uci", until="uciok")
    assert "option name UCI_Elo type spin default 1600 min 800 max 1600" in told
    dialogue.tell("setoption name UCI_Elo value 1200")

    def nodes(*lines):
        info = dialogue.ask(*lines, "go movetime 500")[-2]
        return int(re.search(r" nodes (\d+)", info)[1])

    free = nodes()
    limited = nodes("setoption name UCI_LimitStrength value true")
    assert nodes_at(3.0) <= limited < nodes_at(3.0) + 300 < free
    beyond = dialogue.ask("setoption name UCI_Elo value 1700", until="info string")
    assert beyond == ["info string elo is 1700; it must be 800 to 1600."]
    assert nodes() < nodes_at(3.0) + 300
    assert nodes("setoption name UCI_LimitStrength value false") > limited
    # What is measured of the champion holds for nobody else.
    for player in ("material", "champion:depth=2", "champion:kingcapture-1ply"):
        dialogue.tell(f"setoption name Player value {player}")
        assert not any("UCI_Elo" in line for line in dialogue.ask("uci", until="uciok"))
        told = dialogue.ask("setoption name UCI_LimitStrength value true", until="info string")
        assert "not measured" in told[-1]
    with pytest.raises(OptionError, match="not measured"):
        level_of("nim", 1500)
    for elo in (799, 1601):
        with pytest.raises(OptionError, match="must be 800 to 1600"):
            level_of("kingcapture", elo)


def test_what_cannot_be_set_changes_nothing():
    """It was kept, and every later question failed by it."""
    dialogue = Dialogue("kingcapture", "champion")
    told = dialogue.ask("setoption name UCI_LimitStrength value true", until="info string")
    assert "not measured" in told[-1]
    dialogue.tell("setoption name MultiPV value 2", "setoption name Hash value 4")
    assert dialogue.engine.megabytes == 4
    assert dialogue.ask("go movetime 20")[-1].startswith("bestmove ")
    assert not any("not measured" in line for line in dialogue.said[1:])


@pytest.mark.parametrize(
    ("game", "words", "line"),
    [
        ("chess", Uci, "ucinewgame"),
        ("chess", Uci, "setoption name Clear Hash"),
        ("draughts", Hub, "new-game"),
    ],
)
def test_a_new_game_begins_without_what_was_found_before(monkeypatch, game, words, line):
    dialogue = Dialogue(game, "champion:depth=1", words)
    before = dialogue.engine._player
    dialogue.tell(line)
    player = dialogue.engine._player  # and its table are new
    assert player is not before

    def gone(*given):
        raise OptionError("its file is gone.")

    monkeypatch.setattr("evoboard.interop.engine.make_player", gone)
    assert "its file is gone" in dialogue.ask(line, until=("info string", "error"))[-1]
    assert dialogue.engine._player is player


def test_a_move_is_always_named_where_there_is_one(monkeypatch):
    dialogue = Dialogue("nim", "random")
    legal = {"0:1", "0:2", "0:3"}

    def fail(*asked):
        raise ZeroDivisionError("by nothing")

    def name(move):
        return lambda *asked: Thought(move, 0.0, (move,), 0, 0, 0.0, {})

    for think in (fail, name(-1), name(99_999)):
        monkeypatch.setattr(dialogue.engine._player, "think", think)
        told = dialogue.ask("position fen 3,0,0 0", "go")
        assert told[-1].split()[1] in legal
        assert any(line.startswith("info string") for line in told)
    # Nor does it matter what is wrong with the player that is to value every move.
    monkeypatch.setattr("evoboard.interop.engine.asking_for_all", fail)
    told = dialogue.ask("setoption name MultiPV value 2", "go")
    assert told[-1].split()[1] in legal


def test_a_tree_search_is_watched_and_stopped():
    dialogue = Dialogue("kingcapture", "mcts")
    told = dialogue.ask("go infinite", until="info depth")
    assert re.match(r"info depth \d+ score cp -?\d+ nodes \d+ nps \d+ time \d+ pv \S", told[-1])
    assert dialogue.ask("stop")[-1].startswith("bestmove")
    assert re.search(r" nodes 200 ", dialogue.ask("go nodes 200")[-2])
    assert dialogue.ask("go depth 3")[-2].startswith("info depth 3 ")


def test_the_limits_of_a_player():
    assert names_limit("champion:depth=4")
    assert names_limit("mcts:rounds=9")
    assert not names_limit("champion")
    assert not names_limit("champion:quiescence=2")
    wish = partial(Limits, wish=True)
    assert Go().limits("champion", 0) == wish()
    assert Go(move_time=1).limits("champion", 0) == wish(OPEN, None, 1)
    assert Go(move_time=1).limits("champion:depth=4", 0) == wish(None, None, 1)
    assert Go(depth=3, endless=True).limits("champion", 0) == wish(3, instead=True)
    assert Go(nodes=9).limits("champion:depth=4", 0) == wish(OPEN, 9, instead=True)
    assert Limits(2, 9, 1.0).within(Limits(4, seconds=2.0)) == Limits(2, 9, 1.0)
    assert Limits(2, 9, 1.0).within(Limits(4, None, 2.0, instead=True)) == Limits(4, 9, 2.0)
    champion = make_player("champion", load_game("chess"))  # whose searches others need as well
    champion.means = {"table_bits": 12}
    usual = champion.think(History(champion.game), 1)
    for seconds in (0.3, 3, 30):  # a machine may be busy elsewhere for as long
        deeper = champion.think(History(champion.game), 1, Limits(OPEN, seconds=seconds))
        if deeper.depth > usual.depth:
            break
    assert deeper.depth > usual.depth
    assert deeper.scale == usual.scale
    deep = champion._running.settings
    assert (deep.table_bits, deep.quiescence) == (12, champion.searcher.settings.quiescence)


# --- clocks and numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "increment", "lag"), [(60, 0, 0.02), (1, 0.1, 0.03), (180, 2, 0.05), (5, 0, 0.005)]
)
def test_a_clock_lasts_for_200_moves(start, increment, lag):
    clock = start
    for _ in range(200):
        clock -= Go(remaining=clock, increment=increment).seconds(0.05) + lag
        assert clock > 0
        clock += increment


def test_shares_of_the_clock():
    assert Go().seconds(0.05) is None
    assert Go(endless=True, remaining=5).seconds(0.05) is None
    assert Go(remaining=-3, increment=1).seconds(0.05) == pytest.approx(0.001)
    assert Go(move_time=0.1).seconds(0.05) == pytest.approx(0.09)
    assert Go(remaining=60, moves_to_go=1).seconds(0) == pytest.approx(30)
    assert Go(remaining=180).seconds(0.05) == pytest.approx((180 - 40 * 0.05) / 40)
    assert Go(remaining=60, moves_to_go=9).seconds(0) == pytest.approx(6)
    for senseless in (0, -1, -(10**15)):
        assert Go(remaining=60, moves_to_go=senseless).seconds(0) == pytest.approx(1.5)


@pytest.mark.parametrize(("start", "increment", "lag"), [(60, 0, 0.02), (8, 0.08, 0.03), (5, 0, 0)])
def test_a_clock_lasts_for_80_moves_however_unclear_they_are(start, increment, lag):
    clock, longest = start, 0
    for _ in range(80):
        asked = Go(remaining=clock, increment=increment)
        usual, most = asked.leeway(0.05) or (0, asked.seconds(0.05))
        assert usual < asked.seconds(0.05) <= most
        clock -= most + lag
        assert clock > 0
        longest = max(longest, most)
        clock += increment
    assert longest > 2 * Go(remaining=start, increment=increment).seconds(0.05)


def test_where_there_is_nothing_to_be_saved_a_move_takes_its_share():
    assert Go(remaining=60, move_time=1).leeway(0.05) is None
    assert Go(remaining=60, endless=True).leeway(0.05) is None
    assert Go(depth=3).leeway(0.05) is None
    assert Go(remaining=1).leeway(0.05) is None
    assert Go(remaining=60, moves_to_go=1).leeway(0)[1] == pytest.approx(30)  # half of it at most


def test_only_who_searches_deeper_and_deeper_may_answer_earlier(board):
    def leeway(player, fen=None, **asked):
        engine = Engine(load_game("chess"), player)
        engine.follow(fen, [])
        go = Go(remaining=60, **asked)
        limits = go.limits(player, engine.overhead)
        return engine._leeway(go, engine._player, limits), limits

    (usual, wider), limits = leeway("champion")
    assert usual < limits.seconds < wider.seconds
    for player, asked in (
        ("champion:depth=4", {}),
        ("mcts", {}),
        ("champion", {"nodes": 100}),
        ("champion", {"move_time": 1}),
    ):
        found, limits = leeway(player, **asked)
        assert found == (None, limits)
    only_move = "7k/8/8/8/8/8/r7/7K w - - 0 1"
    assert leeway("champion", only_move)[0][0] == 0
    assert leeway("champion", only_move, move_time=1)[0][0] is None


class Deepening:
    """Finishes a depth every tenth of a second, and would do so 90 times."""

    def __init__(self, clock, moves):
        self.clock, self.moves, self.depth = clock, moves, 0

    def think(self, history, chance, limits, stop):
        while not stop.is_set and self.depth < 90:
            time.sleep(0.001)
        return self.glance()

    def glance(self):
        self.depth += 1
        self.clock[0] += 0.1
        move = self.moves[self.depth % len(self.moves)]
        return Thought(move, 0.0, (move,), 1, self.depth, 0.0, {})


@pytest.mark.parametrize(
    ("usual", "moves", "least", "most"),
    [(2, [1], 0.8, 1.2), (2, [1, 2], 2.0, 2.4), (0, [1, 2], 0, 0.4), (None, [1], 9, 99)],
)
def test_a_clear_move_is_made_sooner(nim, monkeypatch, usual, moves, least, most):
    clock = [0.0]
    monkeypatch.setattr(thinking, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    search = thinking.Search(
        Deepening(clock, moves), nim.engine.history, Limits(), False, False, usual
    )
    told = []
    search.run(1, SimpleNamespace(progress=lambda *_: None, answer=lambda *it: told.append(it)))
    assert least <= told[0][2] <= most


def test_opinions_grow_with_values():
    for scale in (1.0, 3.5, None):
        values = [x / 50 * (scale or 10) for x in range(-60, 61)]
        told = [centipawns(value, scale) for value in values]
        assert all(a <= b for a, b in pairwise(told))
        assert told[60] == 0
        assert told == [-x for x in reversed(told)]
    assert centipawns(1.0, 1.0) == MOST
    assert centipawns(0.8, 1.0) == round(400 * math.log10(9))
    assert centipawns(-1.5, None) == -150
    assert plies_to_end(float(WON) - 3) == plies_to_end(3 - float(WON)) == 3
    assert plies_to_end(9_000.0) is None


# --- Hub ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def draughts():
    return Dialogue("draughts", "champion", Hub)


def test_a_hub_session(draughts):
    said = draughts.ask("hub", until="wait")
    assert said[0].startswith("id name=evoboard ")
    assert "param name=variant value=english type=enum values=english" in said
    assert draughts.ask("set-param name=overhead value=0.02", "init", until="ready") == ["ready"]
    told = draughts.ask("set-param name=overhead value=nan", until="error")
    assert told == ["error message=\"overhead is 'nan'; it must be a number.\""]
    assert draughts.engine.overhead == 0.02
    told = draughts.ask(f"pos pos={HUB_START}", "level move-time=0.05", "go think")
    assert re.fullmatch(r"done move=\d+-\d+ ponder=\d+-\d+", told[-1])
    numbers = r"depth=\d+ score=-?\d+\.\d\d nodes=\d+ time=[\d.]+ nps=[\d.]+"
    assert re.match(rf'info {numbers} pv="\d', told[-2])
    position = f'pos pos={HUB_START} moves="11-15 22-18"'
    assert draughts.move(position, "level depth=3", "go think") == "15x22x18"
    draughts.tell("level infinite", "go analyze")
    assert draughts.ask("ping", until="pong")[-1] == "pong"
    assert draughts.ask("stop")[-1].startswith("done move=15x22x18")
    draughts.tell(position, "level time=1 inc=0.1", "go ponder")
    assert draughts.ask("ponder-hit")[-1].startswith("done move=")
    draughts.tell("new-game", "level moves=10 time=0.5")
    assert draughts.ask("go think")[-1].startswith("done move=")
    # Black's king on 6 takes the last man at once: a win in one ply.
    told = draughts.ask("pos pos=BeeeeeBeeew" + 22 * "e", "level depth=4", "go think")
    assert "score=99.99 " in told[-2]
    assert told[-1] == "done move=6x15x10"
    # What is taken may be named in any order.
    taken = "pos pos=BbeeeeweeeeeeeeweeeeeeeeeeeeeeeeW"
    for move in ("1x19x6x15", "1x19x15x6"):
        draughts.tell("new-game", f'{taken} moves="{move}"')
        assert draughts.engine.game.state_text(draughts.engine.history.state) == "W:WK32:B19"
    assert fen_of("W" + "b" + 30 * "e" + "W") == "W:WK32:B1"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("pos pos=Bbb", "is not a position"),
        (f'pos pos={HUB_START} moves="11-15 1-5"', "not legal"),
        (f'pos pos={HUB_START} moves="a3-b4"', "is not a move"),
        ("pos pos=W" + 31 * "e" + "b", "must be a king"),
        ("set-param name=variant value=killer", "plays english"),
        ("set-param name=book value=true", "there is no parameter"),
        ("set-param name=hash value=much", "must be a number"),
        ("set-param name=player value=nobody", "there is no player"),
    ],
)
def test_hub_tells_what_is_wrong(draughts, wrong, told):
    said = draughts.ask(wrong, until="error message=")[-1]
    assert told in said
    assert said.count('"') == 2
    if wrong.startswith("pos"):
        assert draughts.ask("go think")[-1] == "done"
    assert draughts.ask(f"pos pos={HUB_START}", "level depth=1", "go think")[-1] != "done"


def test_hub_is_for_draughts():
    with pytest.raises(OptionError, match="Hub is a draughts protocol"):
        require_protocol("hub", load_game("nim"))
    said = []
    lines = [b"hub\n", b"uci\n", b"isready\n", b"quit\n", b"isready\n"]
    engine = Engine(load_game("nim"), "random")
    converse(engine, "auto", lines, said.append)
    engine.settle(PATIENCE)
    assert said[0].startswith("error message=")
    said = [line for line in said if not line.startswith("info string compil")]
    assert said[-2:] == ["uciok", "readyok"]
    said.clear()
    converse(Engine(load_game("draughts"), "random"), "auto", [b"hub\r\n", b"quit"], said.append)
    assert said[-1] == "wait"


def test_pydraughts_plays_whole_games_by_hub(draughts):
    pydraughts = pytest.importorskip("draughts", reason="pydraughts, which drives it, is missing")
    engines = pytest.importorskip("draughts.engine")

    class Driven(engines.HubEngine):
        """pydraughts' engine, with pipes to this process's dialogue in place of a program."""

        def _open_process(self, command, cwd=None, shell=True):
            return Pipes(draughts)

    player = Driven("evoboard")
    assert player.variants == {"english"}
    assert "player" in player.options
    player.init()
    player.ping()
    for seed in range(2):
        rng, board, played = random.Random(seed), pydraughts.Board(variant="english"), []
        while not board.is_over() and len(played) < 120:
            legal = {move.hub_move: move for move in board.legal_moves()}
            text = rng.choice(sorted(legal))
            if len(played) % 2 == seed:
                text, _ = player.go(HUB_START, " ".join(played), depth=2)
                assert text in legal
            board.push(legal[text])
            played.append(text)
        assert len(played) > 20
        won = board.winner()
        assert won in (0, None) or (won == pydraughts.BLACK) == (seed == 0)


class Pipes:
    """What pydraughts takes for a process."""

    pid = 0

    def __init__(self, dialogue):
        self.dialogue, self.read = dialogue, len(dialogue.said)
        self.stdin = self.stdout = self

    def write(self, text):
        self.dialogue.tell(*text.splitlines())

    def flush(self):
        pass

    def readline(self):
        deadline = time.monotonic() + PATIENCE
        while len(self.dialogue.said) <= self.read:
            assert time.monotonic() < deadline
            time.sleep(0.0005)
        self.read += 1
        return self.dialogue.said[self.read - 1] + "\n"


# --- nonsense -----------------------------------------------------------------------------------

UCI_LINES = [
    "uci", "isready", "ucinewgame", "position startpos moves 0:1 1:2", "position fen 3,5,7 0",
    "go depth 2", "go movetime 1", "go infinite", "go wtime 10 btime 10 winc 1", "stop",
    "go searchmoves 0:1 2:3 nodes 50", "setoption name Move Overhead value 10", "ponderhit",
    "setoption name Player value perfect", "setoption name Player value random", "go ponder",
    "go mate 2", "debug on", "debug off", "register name x", "setoption name Hash value 1",
]  # fmt: skip
HUB_LINES = [
    "hub", "init", f"pos pos={HUB_START}", f'pos pos={HUB_START} moves="11-15 22-18"',
    "level depth=2", "level move-time=0.001", "level time=0.01 inc=0.01 moves=3", "level infinite",
    "go think", "go ponder", "go analyze", "stop", "ping", "ponder-hit", "new-game",
    "set-param name=player value=random", 'set-param name=player value="champion"',
    "set-param name=overhead value=0.01", "set-param name=variant value=english",
]  # fmt: skip


@pytest.mark.parametrize(
    ("game", "protocol", "known", "words"),
    [
        ("nim", "uci", UCI_LINES, "id|option|uciok|readyok|info|bestmove"),
        ("draughts", "hub", HUB_LINES, "id|param|wait|ready|info|done|pong|error"),
    ],
)
def test_nonsense_never_ends_it(game, protocol, known, words, caplog, cases):
    rng, lines, wanted = random.Random(5), [], cases(400, 4_000)
    while len(lines) < wanted:
        line = bytearray(rng.choice(known).encode())
        for _ in range(rng.choice((0, 0, 1, 1, 2, 8))):
            place = rng.randrange(len(line) + 1)
            piece = rng.randbytes(rng.randrange(4)) if rng.random() < 0.5 else b" -1 "
            line[place : place + rng.randrange(6)] = piece
        line = rng.randbytes(rng.randrange(200)) if rng.random() < 0.1 else bytes(line)
        lines.append(line.replace(b"quit", b"") + b"\n")
    said, engine = [], Engine(load_game(game), "random")
    converse(engine, protocol, lines, said.append)
    engine.stop()
    assert engine.settle(PATIENCE)
    converse(engine, protocol, [b"isready" if protocol == "uci" else b"init"], said.append)
    assert engine.settle(PATIENCE)
    assert said[-1] in ("readyok", "ready")
    assert len([line for line in said if line.startswith(("bestmove", "done"))]) > wanted // 50
    assert all(re.match(f"({words})( |$)", line) and "\n" not in line for line in said)
    assert not any("Traceback" in line or "the player fails" in line for line in said)
    assert not caplog.records
