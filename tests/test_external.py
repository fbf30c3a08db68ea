"""Other people's engines as players: their protocols, their troubles, and that none is left."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.match import Match
from evoboard.cli.main import app
from evoboard.cli.measure import split_anchors
from evoboard.core.errors import EngineError, EvoboardError, NotFound, OptionError
from evoboard.core.rng import stream
from evoboard.games.base import DrawRules, load_game
from evoboard.games.history import History
from evoboard.players import external, hub, hub_words, permission, program, uci
from evoboard.players.base import make_player
from evoboard.players.program import Program
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import rate_lineage
from evoboard.search.limits import Limits, Stop
from evoboard.search.values import BOUND, WON
from evoboard.training.grades.base import Grade

CHESS = load_game("chess")
KING = load_game("kingcapture")
DRAUGHTS = load_game("draughts")
FAKE = Path(__file__).parent / "fake_engine.py"
STOCKFISH = program._found("stockfish")
FAIRY = program._found("fairy-stockfish")
with_stockfish = pytest.mark.skipif(not STOCKFISH, reason="stockfish is not installed")
with_fairy = pytest.mark.skipif(not FAIRY, reason="fairy-stockfish is not installed")


def fake(mode, options="", pids="", kind="uci"):
    """Return the text of the fake engine."""
    command = [sys.executable, "-I", str(FAKE), mode, *([str(pids)] if pids else [])]
    return f"{kind}:{shlex.join(command)}{',' if options else ''}{options}"


@pytest.fixture(autouse=True)
def _nothing_is_left():
    """No test leaves a program running, not even after an error."""
    yield
    if running():  # perhaps an error's traceback holds it
        gc.collect()
    left = running()
    program.end_all()
    assert left == []


def running():
    return [each for each in Program.running if each.process.poll() is None]


def alive(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # gone in this moment
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"  # a zombie is dead, though nobody has looked


def ends_soon(pids, seconds=3.0):
    end = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, pids))


# --- what an engine says -------------------------------------------------------------------------


def test_an_answer_has_move_value_line_and_effort():
    player = make_player(fake("good", "depth=3"), CHESS)
    thought = player.think(History(CHESS), 1)
    assert CHESS.move_text(CHESS.initial(), thought.move) == "e2e4"
    assert len(thought.line) == 2
    assert thought.line[0] == thought.move
    assert (thought.nodes, thought.depth, thought.scale) == (99, 3, 1.0)
    assert thought.value == pytest.approx(2 / (1 + 10 ** (-300 / 400)) - 1)
    assert thought.move_values == {}
    player.close()


@pytest.mark.parametrize(
    "words,value",
    [
        ("score mate 1", float(WON) - 1),
        ("score mate 3", float(WON) - 5),
        ("score mate -2", -(float(WON) - 4)),
        ("score mate 0", -float(WON)),
        ("score cp 0", 0.0),
        ("score cp 31000", 1.0),
        ("score cp -" + "9" * 15, -1.0),
        ("score cp -" + "9" * 400, None),
        ("depth " + "9" * 5000, None),
        ("score mate " + "9" * 5000, None),
        ("score cp x", None),
        ("score wdl 3", None),
        ("string score cp 50", None),
    ],
)
def test_scores_are_values_as_searches_have_them(words, value):
    heard = external.Heard()
    uci.read_info(words.split(), heard)
    assert heard.value == (None if value is None else pytest.approx(value))
    assert abs(external.worth(-(10**9))) <= 1 < BOUND


def test_options_are_read_and_written_as_the_engine_names_them(monkeypatch):
    lines = ["option name Skill Level type spin default 20 min 0 max 20", "id name x"]
    lines += ["option name Style type combo default Solid var Solid var Very Risky"]
    skill, style = uci.read_options(lines)
    assert skill == uci.Option("Skill Level", "spin", "0", "20", ())
    assert style.choices == ("Solid", "Very Risky")
    sent: list = []
    send = Program.send
    monkeypatch.setattr(Program, "send", lambda self, line: (sent.append(line), send(self, line)))
    given = "Skill_Level=3,style=Very Risky,set_log_file=a, b.txt,nodes=9,depth=4"
    player = make_player(fake("good", given), CHESS)
    player.think(History(CHESS), 1)
    assert not player.deterministic
    player.close()
    assert sent == [
        "uci",
        "setoption name Skill Level value 3",
        "setoption name Style value Very Risky",
        "setoption name Log File value a, b.txt",
        "isready",
        "ucinewgame",
        "isready",
        f"position fen {CHESS.state_text(CHESS.initial())}",
        "go nodes 9 depth 4",
    ]


@pytest.mark.parametrize(
    "options,told",
    [
        ("Skill_Level=21", "from 0 to 20"),
        ("Skill_Level=x", "from 0 to 20"),
        ("Skill_Level=１６", "from 0 to 20"),
        pytest.param(f"Skill_Level={'9' * 5000}", "from 0 to 20", id="many digits"),
        ("style=Wild", "Solid or Very Risky"),
        ("nods=5", "did you mean nodes"),
        ("elo=1500", "no option of python.* named 'uci_limitstrength'"),
    ],
)
def test_wrong_options_are_told_in_a_sentence(options, told):
    player = make_player(fake("good", options), CHESS)
    with pytest.raises(OptionError, match=told):
        player.think(History(CHESS), 1)


@pytest.mark.parametrize(
    "text,game,error,told",
    [
        ("uci", CHESS, OptionError, "names no engine"),
        ("uci:no-such-engine", CHESS, NotFound, "no program 'no-such-engine' on the PATH"),
        ("uci:/no/such/engine", CHESS, NotFound, "no program '/no/such/engine';"),
        ("uci:'open", CHESS, OptionError, "cannot read the command"),
        ("uci:\0", CHESS, NotFound, "no program"),
        (fake("good", "nodes=0"), CHESS, OptionError, "nodes of uci is .0.; it must be at least 1"),
        (fake("good", "depth=two"), CHESS, OptionError, "whole number"),
        (fake("good", "seconds=0"), CHESS, OptionError, "more than 0"),
        (fake("good", "folder=/no/where"), CHESS, NotFound, "no folder"),
        (fake("good"), DRAUGHTS, OptionError, "UCI engines play chess and kingcapture"),
        (fake("hub", kind="hub"), CHESS, OptionError, "Hub engines play draughts"),
        (fake("hub", "elo=3", kind="hub"), DRAUGHTS, OptionError, "has no elo"),
    ],
)
def test_wrong_texts_are_told_before_anything_starts(text, game, error, told):
    with pytest.raises(error, match=told) as caught:
        make_player(text, game)
    assert len(str(caught.value)) < 400


def test_an_engine_that_plays_chess_only_says_so():
    with pytest.raises(OptionError, match="uci:fairy-stockfish does"):
        make_player(fake("good"), KING).think(History(KING), 1)


# --- troubles ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mode,told",
    [
        ("crash", r"has ended with code 3; it last said 'Segmentation fault in evaluate\(\)'"),
        ("killed", "was killed by signal 9"),
        ("mute", "has not said 'uciok' within 0.5 s; it never wrote a line"),
        ("hang", "thinks without saying anything, and is given up; it last said 'info depth 1"),
    ],
)
def test_trouble_is_one_sentence_with_the_last_words(mode, told):
    player = make_player(fake(mode, "nodes=50"), CHESS)
    if mode != "mute":
        player.start()  # on a busy machine that takes seconds
    player.patience = 0.5
    with pytest.raises(EngineError, match=told) as caught:
        player.think(History(CHESS), 1)
    assert "the engine python" in str(caught.value)
    assert player._program is None


def test_an_engine_that_does_not_stop_is_given_up():
    player = make_player(fake("hang", "seconds=0.05"), CHESS)
    player.start()
    player.patience = 0.3
    with pytest.raises(EngineError, match="does not stop when told to"):
        player.think(History(CHESS), 1)


@pytest.mark.parametrize("limit", ["seconds=0.05", "depth=5"])
def test_an_engine_that_talks_for_ever_is_given_up(limit, monkeypatch):
    monkeypatch.setattr(external, "ENDURANCE", 2)
    player = make_player(fake("chatter", limit), CHESS)
    player.start()
    player.patience = 0.3
    began = time.monotonic()
    with pytest.raises(EngineError, match="does not stop when told to"):
        player.think(History(CHESS), 1)
    assert time.monotonic() - began < 100  # it would never end


def test_after_a_crash_the_next_question_finds_another_process(tmp_path):
    player = make_player(fake("crash", "", tmp_path / "pids"), CHESS)
    for _ in range(2):
        with pytest.raises(EngineError, match="code 3"):
            player.think(History(CHESS), 1)
    assert len((tmp_path / "pids").read_text().split()) == 2


@pytest.mark.parametrize("mode", ["garbage", "flood", "slow"])
def test_much_talk_and_a_slow_start_do_no_harm(mode):
    player = make_player(fake(mode, "nodes=1000,patience=100"), CHESS)
    thought = player.think(History(CHESS), 1)
    assert CHESS.move_text(CHESS.initial(), thought.move) == "e2e4"
    assert thought.depth == 3
    player.close()


@pytest.mark.parametrize("mode", ["illegal", "none", "silly", "empty"])
def test_a_move_that_is_not_legal_forfeits_the_game(mode):
    contest = play_contest(CHESS, [fake(mode), "random"], 2, Terms(opening_plies=0, threads=1))
    assert {record.reason for record in contest.records} == {"illegal move"}
    assert list(contest.table.results_of(0)) == [-1, -1]
    result = CliRunner().invoke(app, ["analyse", fake(mode), "--game", "chess"])
    assert "gave no legal move" in str(result.exception)


@pytest.mark.parametrize("mode,options", [("deep", "depth=5"), ("endless", "seconds=0.05")])
def test_an_engine_that_does_not_know_a_limit_is_told_to_stop(mode, options):
    player = make_player(fake(mode, options), CHESS)
    assert player.think(History(CHESS), 1).seconds < 100  # it would never end
    player.close()


def test_stop_works_from_another_thread_at_once():
    player = make_player(fake("endless", "nodes=1000"), CHESS)
    player.think(History(CHESS), 1, Limits(seconds=0.01))  # started
    found, stop = [], Stop()

    def think():
        found.append(player.think(History(CHESS), 1, stop=stop))

    asked = threading.Thread(target=think)
    asked.start()
    time.sleep(0.1)
    began = time.perf_counter()
    stop.set()
    asked.join()
    assert time.perf_counter() - began < 100  # it would never end
    assert CHESS.move_text(CHESS.initial(), found[0].move) == "e2e4"
    stop.set()  # nobody thinks: nothing happens
    think()  # a stop that comes first is not lost
    assert found[1].seconds < 100
    player.close()
    stop.set()


@pytest.mark.parametrize("mode,word", [("endless", "go"), ("hang", "go"), ("mute", "uci")])
def test_close_ends_a_thought_at_once_from_another_thread(mode, word, monkeypatch):
    """Again and again, whatever the engine does, and the player can be asked anew."""
    monkeypatch.setattr(program, "FAREWELL", 60.0)  # the thinker waits for no farewell
    asked, send = threading.Event(), Program.send
    monkeypatch.setattr(
        Program,
        "send",
        lambda self, line: (send(self, line), line.split()[0] == word and asked.set()),
    )
    player = make_player(fake(mode, "nodes=1000"), CHESS)
    for _ in range(2):
        asked.clear()
        found: list = []

        def think(found=found):
            try:
                player.think(History(CHESS), 1)
            except EngineError as error:
                found.append((str(error), time.perf_counter()))

        thinker = threading.Thread(target=think)
        thinker.start()
        assert asked.wait(100)
        began = time.perf_counter()
        for _ in range(3):
            player.close()
        thinker.join()
        ((told, ended),) = found
        assert "was stopped while it was thinking" in told
        assert ended - began < 100


def test_stop_does_not_wait_for_an_engine_that_never_gets_ready(monkeypatch):
    monkeypatch.setattr(external, "GRACE", 0.2)
    player = make_player(fake("mute"), CHESS)
    stop = Stop()
    timer = stop.set_after(0.1)
    began = time.perf_counter()
    with pytest.raises(EngineError, match=r"has not said 'uciok' within 0\.2 s"):
        player.think(History(CHESS), 1, stop=stop)
    assert time.perf_counter() - began < 100  # it would never get ready
    timer.join()


# --- none is left over ---------------------------------------------------------------------------


def test_a_process_starts_late_and_ends_with_its_player(tmp_path):
    pids = tmp_path / "pids"
    player = make_player(fake("good", "", pids), CHESS)
    assert not pids.exists()
    player.think(History(CHESS), 1)
    player.think(History(CHESS), 1)
    (pid,) = pids.read_text().split()
    assert alive(pid)
    del player
    gc.collect()
    assert not alive(pid)


def test_what_does_not_want_to_end_is_killed_with_its_children(tmp_path):
    player = make_player(fake("stubborn", "", tmp_path / "pids"), CHESS)
    player.think(History(CHESS), 1)
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    player.close()
    assert ends_soon(pids)


@pytest.mark.parametrize("mode,ends", [("illegal", "well"), ("crash", "badly")])
def test_a_tournament_ends_its_engines(tmp_path, mode, ends):
    texts = [fake(mode, "", tmp_path / "pids"), "random"]
    try:
        play_contest(CHESS, texts, 6, Terms(threads=2))
    except EngineError:
        assert ends == "badly"
    pids = (tmp_path / "pids").read_text().split()
    assert pids
    assert not any(map(alive, pids))


def test_no_engine_outlives_our_process(tmp_path):
    """Whether it ends as it should, with the player still there, or is killed."""
    code = (
        "import sys, time\n"
        "from evoboard.games.base import load_game\n"
        "from evoboard.games.history import History\n"
        "from evoboard.players.base import make_player\n"
        "game = load_game('chess')\n"
        "player = make_player(sys.argv[1], game)\n"
        "player.think(History(game), 1)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read(1)\n"
    )
    command = [sys.executable, "-c", code, fake("good", "", tmp_path / "pids")]
    pipe = subprocess.PIPE
    one, other = (subprocess.Popen(command, stdin=pipe, stdout=pipe) for _ in range(2))
    with one, other:
        assert one.stdout.readline() == other.stdout.readline() == b"ready\n"
        pids = (tmp_path / "pids").read_text().split()
        assert len(pids) == 2
        assert all(map(alive, pids))
        one.send_signal(signal.SIGKILL)
        other.stdin.close()
    assert ends_soon(pids)
    assert (one.returncode, other.returncode) == (-9, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there is nobody to watch there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_not_even_an_engine_that_does_not_listen(tmp_path, number):
    """Nor what it has started, whatever ends us."""
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # nohup lets its children ignore it
        "from evoboard.players.program import Program\n"
        "engine = Program(sys.argv[1:], '', 'deaf')\n"
        "engine.send('uci')\n"
        "engine.read(time.monotonic() + 10)\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read(1)\n"
    )
    engine = [sys.executable, "-I", str(FAKE), "stubborn", str(tmp_path / "pids")]
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, *engine]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as ours:
        assert ours.stdout.readline() == b"ready\n"
        pids = (tmp_path / "pids").read_text().split()
        assert len(pids) == 2
        assert all(map(alive, pids))
        ours.send_signal(number)
    assert ours.returncode == -number
    try:
        assert ends_soon(pids)
    finally:
        for pid in filter(alive, pids):
            os.kill(int(pid), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to a keeper")
@pytest.mark.parametrize("how", ["close", "kill"])
def test_nor_does_a_child_with_a_session_of_its_own(tmp_path, how):
    pids = tmp_path / "pids"
    engine = Program([sys.executable, "-I", str(FAKE), "deserter", str(pids)], "", "deserter")
    engine.send("uci")
    assert engine.read(time.monotonic() + 20)
    until = time.monotonic() + 20
    while len(written := pids.read_text().split()) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    own, child = map(int, written)
    try:
        assert os.getsid(child) not in (os.getsid(own), child)
        if how == "close":
            engine.end()
        else:
            os.kill(own, signal.SIGKILL)
        assert ends_soon([own, child])
    finally:
        engine.end()
        if alive(child):
            os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="nobody keeps programs there")
def test_a_process_without_standard_channels_ends_its_programs_too():
    code = (
        "from evoboard.players.program import Program\n"
        "program = Program(['/bin/sleep', '900'], '', 'sleep')\n"
        "program.end()\n"
    )
    closed = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    done = subprocess.run([*closed, sys.executable, "-c", code], timeout=300, check=False)
    assert done.returncode == 0


def test_a_program_that_cannot_be_started_is_told_in_a_sentence(tmp_path):
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(EngineError, match="cannot be started: Exec format error"):
        Program([str(tmp_path / "text")], "", "text")
    with pytest.raises(EngineError, match="cannot be started"):
        Program(["/no/such/engine"], "", "none")


# --- Stockfish -----------------------------------------------------------------------------------


@with_stockfish
def test_one_seed_gives_the_same_games_on_any_number_of_threads():
    texts = ["champion:depth=1", "uci:stockfish,nodes=60", "uci:stockfish,depth=2"]
    draws = DrawRules(plies=40)
    terms = (Terms(4, None, draws, threads) for threads in (1, 2))
    one, two = (play_contest(CHESS, texts, 2, each) for each in terms)
    assert len(one.records) == 6
    assert [r.moves for r in one.records] == [r.moves for r in two.records]
    assert [r.result for r in one.records] == [r.result for r in two.records]
    assert "illegal move" not in {record.reason for record in one.records}


@with_stockfish
def test_stockfish_answers_alike_whatever_it_has_seen_before():
    first = make_player("uci:stockfish,nodes=2000", CHESS)
    other = make_player("uci:stockfish,nodes=2000", CHESS)
    assert first.deterministic
    match = Match(CHESS)
    rng = stream(1, "plies")
    states = []
    for _ in range(12):
        states.append(match.state)
        match.play(match.legal[int(rng.integers(len(match.legal)))])
    forwards = [first.think(History.of(CHESS, state), 1) for state in states]
    backwards = [other.think(History.of(CHESS, state), 2) for state in reversed(states)][::-1]
    for one, two in zip(forwards, backwards, strict=True):
        assert replace(one, seconds=0) == replace(two, seconds=0)
    first.close()
    other.close()


@with_stockfish
def test_stockfish_knows_mates_limits_and_every_moves_value():
    mate = CHESS.parse_state("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    mated = CHESS.parse_state("7k/R7/1R6/8/8/8/8/K7 b - - 0 1")
    player = make_player("uci:stockfish,nodes=3000,all_values=1", CHESS)
    assert player.think(History.of(CHESS, mate), 1).value == float(WON) - 1
    assert player.think(History.of(CHESS, mated), 1).value == -(float(WON) - 2)
    thought = player.think(History(CHESS), 1)
    assert set(thought.move_values) == set(CHESS.legal_moves(CHESS.initial()))
    assert thought.value == max(thought.move_values.values())
    assert all(abs(value) < 1 for value in thought.move_values.values())
    assert thought.move_lines.keys() == thought.move_values.keys()
    assert thought.move_lines[thought.move] == thought.line
    assert sum(map(len, thought.move_lines.values())) > len(thought.move_lines)
    timed = make_player("uci:stockfish,seconds=0.1", CHESS)
    assert 0.05 < timed.think(History(CHESS), 1).seconds < 60
    weak = make_player("uci:stockfish,elo=1400,nodes=100", CHESS)
    assert weak.think(History(CHESS), 1).move in CHESS.legal_moves(CHESS.initial())
    assert not weak.deterministic
    assert not timed.deterministic
    with pytest.raises(OptionError, match="UCI_Elo of stockfish is '5'; it must be from 1350"):
        make_player("uci:stockfish,elo=5", CHESS).think(History(CHESS), 1)
    for each in (player, timed, weak):
        each.close()


@with_stockfish
def test_a_gauntlet_of_the_champion_by_command():
    opponents = ["uci:stockfish,nodes=30", "random"]
    words = ["tournament", "champion:depth=2", *opponents, "--game", "chess", "--gauntlet"]
    result = CliRunner().invoke(app, [*words, "--games", "2", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["gauntlet"]
    points = np.array(told["points"])
    assert points[0].sum() + points[:, 0].sum() == 4
    assert points[1:, 1:].sum() == 0
    rated = {row["player"]: row for row in told["ratings"]}
    assert rated["champion:depth=2"]["elo"] == 0
    assert rated[opponents[0]]["elo_low"] < rated[opponents[0]]["elo"]


@with_fairy
def test_engines_are_anchors_opponents_and_measures_of_training(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    settings = [
        "generations=1",
        "strategy.population=4",
        "game.plies=24",
        'measure.anchors=["uci:fairy-stockfish,nodes=20"]',
        "measure.games=2",
        'fitness.against=[{kind="players", players=["uci:fairy-stockfish,nodes=10"]}]',
        "fitness.openings=1",
        "fitness.opponents=1",
        "champion.candidates=1",
    ]
    # In a game whose kernels other tests need as well.
    words = ["train", "kingcapture-quick", "--run", "taught", "--quiet"]
    result = CliRunner().invoke(app, [*words, *(w for s in settings for w in ("--set", s))])
    assert result.exit_code == 0, (result.output, result.exception)
    lineage, engine = read_lineage("taught", 0, {}), "uci:fairy-stockfish,nodes=20"
    rated = rate_lineage(lineage, split_anchors(f"{engine}, random"), 2, final_games=2)
    assert rated.anchors == (engine, "random")
    assert rated.table.games == 4


def test_an_engine_is_not_graded_for_what_it_cannot_be_made_to_forget():
    class OneMove(Grade):
        positions, tells_unaided = CHESS.initial()[None], True

        def judged(self, choices, deterministic, unaided):
            return choices.tolist(), deterministic, unaided

    move = CHESS.parse_move(CHESS.initial(), "e2e4")
    found = OneMove(CHESS).of_player(make_player(fake("good"), CHESS))
    assert found == ([move], True, None)


@with_fairy
def test_king_capture_chess_by_fairy_stockfish():
    player = make_player("uci:fairy-stockfish,nodes=500", KING)
    taking = KING.parse_state("3k2/6/6/6/3R2/3K2 w")
    thought = player.think(History.of(KING, taking), 1)
    assert KING.move_text(taking, thought.move) == "d2d6"
    assert thought.value == float(WON) - 1
    promoting = KING.parse_state("5k/P5/6/6/6/K5 w")
    assert player.think(History.of(KING, promoting), 1).move in KING.legal_moves(promoting)
    player.close()
    contest = play_contest(KING, ["uci:fairy-stockfish,nodes=300", "random"], 6, Terms(threads=1))
    assert {record.reason for record in contest.records} == {"king captured"}
    assert list(contest.table.results_of(0)) == [1] * 6


def test_an_engine_is_told_the_whole_game(monkeypatch):
    sent: list = []
    send = Program.send
    monkeypatch.setattr(Program, "send", lambda self, line: (sent.append(line), send(self, line)))
    player, history = make_player(fake("good"), CHESS), History(CHESS)
    for text in ("g1f3", "g8f6", "f3g1", "f6g8"):
        history = history.after(CHESS.parse_move(history.state, text))
    player.think(history, 1)
    start = CHESS.state_text(CHESS.initial())
    assert f"position fen {start} moves g1f3 g8f6 f3g1 f6g8" in sent
    player.think(history.until(1), 1)  # moves were taken back
    assert sent[-2] == f"position fen {start} moves g1f3"
    player.close()


@with_stockfish
def test_an_engine_that_wins_does_not_repeat(monkeypatch):
    """It is told the moves of the game: without them a draw by repetition was the usual end."""
    sent: list = []
    send = Program.send
    monkeypatch.setattr(Program, "send", lambda self, line: (sent.append(line), send(self, line)))
    start = load_game("chess", start="7k/8/8/8/8/8/1R6/R6K w - - 0 1")
    texts = ["uci:stockfish,nodes=300", "random"]
    contest = play_contest(start, texts, 2, Terms(opening_plies=0, threads=1))
    assert contest.table.first[0] == 0
    assert (contest.records[0].reason, contest.records[0].result) == ("checkmate", 1)
    assert sum(" moves " in line for line in sent if line.startswith("position")) > 1


@pytest.mark.parametrize("text,written", [("a5a6", "a5a6r"), ("a1b1", "a1b1")])
def test_a_pawn_becomes_a_rook_in_words_that_fairy_stockfish_knows(text, written):
    state = KING.parse_state("5k/P5/6/6/6/K5 w")
    player = make_player(fake("good"), KING)
    move = KING.parse_move(state, text)
    assert player.write_move(state, move) == written
    assert player.read_move(state, written) == move


# --- Hub -----------------------------------------------------------------------------------------


def test_hub_texts():
    start = DRAUGHTS.state_text(DRAUGHTS.initial())
    assert hub_words.position_text(start) == "B" + "b" * 12 + "e" * 8 + "w" * 12
    assert hub_words.position_text("W:WK1,32:B:H9") == "WW" + "e" * 30 + "w"
    for position, ours, theirs in (
        (start, "11-15", "11-15"),
        ("B:W18:B15", "15x22", "15x22x18"),
        ("B:W18,19,26,27:BK15", "15x24x31x22x15", "15x15x18x19x26x27"),
    ):
        state = DRAUGHTS.parse_state(position)
        move = DRAUGHTS.parse_move(state, ours)
        assert hub_words.move_text(DRAUGHTS, state, move) == theirs
        assert (
            hub_words.move_text(DRAUGHTS, state, hub_words.read_move(DRAUGHTS, state, theirs))
            == theirs
        )
    line = 'info depth=21 score=-0.01 flag nps=8.0 pv="32-28 28x17x22" empty=""'
    word, facts = hub_words.read_line(line)
    assert word == "info"
    assert facts["pv"] == "32-28 28x17x22"
    assert (facts["score"], facts["flag"], facts["empty"]) == ("-0.01", "", "")
    assert hub.men_value(99.97) == float(WON) - 3
    assert hub.men_value(-99.5) == -(float(WON) - 50)
    assert hub.men_value(1) == external.worth(100)


def test_whole_games_by_hub_against_pydraughts():
    pytest.importorskip("draughts", reason="pydraughts is not installed")
    contest = play_contest(DRAUGHTS, [fake("hub", kind="hub"), "random"], 4, Terms(threads=1))
    assert "illegal move" not in {record.reason for record in contest.records}
    assert sum(record.plies for record in contest.records) > 100
    player = make_player(fake("hub", "tt_size=20,depth=3", kind="hub"), DRAUGHTS)
    thought = player.think(History(DRAUGHTS), 1)
    assert (thought.value, thought.nodes) == (external.worth(-50), 9)
    player.close()
    with pytest.raises(OptionError, match="did you mean tt_size"):
        make_player(fake("hub", "ttsize=20", kind="hub"), DRAUGHTS).think(History(DRAUGHTS), 1)


# --- who may start programs -----------------------------------------------------------------------


@pytest.fixture
def given(monkeypatch):
    """Two engines that an app was started with."""
    texts = [fake("good", "nodes=7"), fake("hub", kind="hub")]
    monkeypatch.setenv(permission.ALLOWED, json.dumps(texts))
    return texts


def test_only_the_very_engines_given_are_made(given):
    make_player(given[0], CHESS)
    make_player(f"{given[0]},all_values=1", CHESS)
    make_player(given[1], DRAUGHTS)
    for text in (fake("good"), fake("good", "nodes=8"), fake("illegal", "nodes=7"), "uci:/bin/sh"):
        with pytest.raises(OptionError, match="not started with; start it with --engine"):
            make_player(text, CHESS)
    os.environ[permission.ALLOWED] = "nonsense"
    with pytest.raises(OptionError, match="not started with"):
        make_player(given[0], CHESS)


def test_the_app_offers_the_engines_it_was_given_and_no_others(given, tmp_path):
    pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")
    from evoboard.web import opponents
    from evoboard.web.async_player import offered_judge, offered_player

    shown = {offer.text: offer for offer in opponents.offers(CHESS)}
    assert given[0] in shown
    assert given[1] not in shown
    # Only the engine itself knows that it does not play a game.
    assert not any(offer.label.startswith("Engine: ") for offer in opponents.offers(KING))
    assert shown[given[0]].label.startswith("Engine: ")
    assert str(FAKE.parent) not in shown[given[0]].label
    assert opponents.require_offered(given[0]) == given[0]
    assert offered_judge(given[0], CHESS).all_values
    pids = tmp_path / "pids"
    for text in ("uci:stockfish", fake("good", "", pids), fake("hub", "", pids, kind="hub")):
        for refuse in (opponents.require_offered, lambda t: offered_player(t, CHESS)):
            with pytest.raises(OptionError, match="not started with that one"):
                refuse(text)
    assert not pids.exists()
    del os.environ[permission.ALLOWED]  # nobody has said anything: in an app that means none
    with pytest.raises(OptionError, match="not started with that one"):
        opponents.require_offered(given[0])


def test_an_engine_nobody_looks_at_any_more_is_ended(tmp_path, monkeypatch):
    pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")
    from evoboard.web.async_player import AsyncPlayer, offered_player

    text, pids = fake("good", "", tmp_path / "pids"), tmp_path / "pids"
    monkeypatch.setenv(permission.ALLOWED, json.dumps([text]))

    async def visit_twice():
        player = AsyncPlayer(lambda: offered_player(text, CHESS))
        for _ in range(2):
            thought = await player.think(History(CHESS), 1)
            assert thought.move in CHESS.legal_moves(CHESS.initial())
            assert alive(pids.read_text().split()[-1])
            await player.leave()
            assert not any(map(alive, pids.read_text().split()))

    asyncio.run(visit_twice())
    assert len(pids.read_text().split()) == 2


def test_files_that_name_programs_start_none(given, tmp_path, monkeypatch):
    pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")
    from evoboard.players.champion import champion_file
    from evoboard.web.async_player import offered_player
    from evoboard.web.opponents import offers, short_name
    from evoboard.web.session import PERSON
    from evoboard.web.site import Site

    monkeypatch.setenv("EVOBOARD_GAMES", str(tmp_path / "games"))
    pids = tmp_path / "pids"
    named = fake("good", "", pids)
    site = Site()
    saved = site.sessions.new(CHESS, (PERSON, named)).text()
    loaded = site.sessions.from_text(saved)
    assert loaded.seats[1] == named
    with pytest.raises(OptionError, match="not started with that one"):
        offered_player(loaded.seats[1], CHESS)
    assert short_name(named)
    data = json.loads(champion_file("chess").read_text())
    for key in ("search", "encoder"):
        (tmp_path / "p.json").write_text(json.dumps({**data, key: named}))
        with pytest.raises(EvoboardError):
            make_player(f"file:{tmp_path / 'p.json'}", CHESS).think(History(CHESS), 1)
    assert offers(CHESS)
    assert not pids.exists()


def test_the_command_refuses_what_is_no_engine():
    for text, told in (
        ("random", "not an external player"),
        ("uci:no-such", "no program 'no-such'"),
    ):
        result = CliRunner().invoke(app, ["app", "--no-browser", "--engine", text])
        assert told in str(result.exception)
