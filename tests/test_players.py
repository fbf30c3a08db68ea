"""Players from text, files of players, contests between any of them, and their commands."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from compare_runs import same_table
from evoboard.arena.contest import Terms, play_contest, play_schedule
from evoboard.arena.schedules import Schedule, start_positions
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError, OptionError, PartError
from evoboard.core.options import split_options
from evoboard.encoders.base import Encoder
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.networks import graph
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players import base
from evoboard.players.base import make_player, player_names
from evoboard.players.champion import champion_file
from evoboard.players.equal_search import counter_for
from evoboard.players.file import write_player
from evoboard.players.levels import ELO, elo_of, elo_range, level_of, nodes_at
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, OPEN, Limits, Stop, Stopped
from evoboard.search.values import network_value

KING = load_game("kingcapture")
NIM = load_game("nim")


def champion(path, game="kingcapture", encoder="squares", inputs=36, **more):
    rng = np.random.default_rng(3)
    network = graph.GraphNetwork(
        inputs=inputs,
        outputs=[0],
        start=[0, inputs],
        source=range(inputs),
        weight=rng.normal(size=inputs),
        bias=[0.1],
        activation=("bilateral",),
    )
    settings = {"search": "alphabeta", "settings": {"depth": 1}, **more}
    write_player(path, game, encoder, network.to_json(), **settings)
    return f"file:{path}"


@pytest.mark.parametrize(
    "text,kind,options",
    [
        ("random", "random", {}),
        ("material:depth=3", "material", {"depth": "3"}),
        ("file:a/b.json", "file", {"": "a/b.json"}),
        ("file:c.json, depth = 2,seconds=1", "file", {"": "c.json", "depth": "2", "seconds": "1"}),
    ],
)
def test_a_player_text_is_kind_and_options(text, kind, options):
    assert split_options(text) == (kind, options)


@pytest.mark.parametrize(
    "text,told",
    [
        ("rondom", "did you mean random"),
        ("", "no player named"),
        ("random:x=1", "no option of random named 'x'"),
        ("material:depth=0", "depth"),
        ("material:depth=x", "'x'; it must be a whole number"),
        ("material:dept=2", "did you mean depth"),
        ("material:seconds=-1", "more than 0"),
        ("material:seconds=nan", "seconds"),
        ("material:search=alfabeta", "did you mean alphabeta"),
        ("mcts:rounds=-5", "rounds"),
        ("file:nowhere.json", "no file nowhere.json"),
        ("file:", "no file"),
        ("perfect", "kingcapture"),
        ("scripted:rusher", "hexwar"),
        ("material:depth=1,depth=2", "cannot read"),
    ],
)
def test_a_wrong_player_text_says_what_is_right(text, told):
    with pytest.raises(EvoboardError, match=told) as caught:
        make_player(text, KING)
    assert len(str(caught.value)) < 400


def test_every_kind_of_player_says_what_it_does_and_plays_nim_or_says_why_not():
    from evoboard.core import catalog

    assert {"file", "material", "mcts", "perfect", "random", "scripted"} <= set(player_names())
    for name in player_names():
        module = catalog.find("player", "evoboard.players", name, "player_for")
        assert module.SUMMARY
        try:
            player = make_player(name, NIM)
        except EvoboardError:
            continue
        state = NIM.initial()
        assert player.think(History.of(NIM, state), chance=5).move in NIM.legal_moves(state)


def test_a_champion_survives_its_file(tmp_path):
    player = make_player(champion(tmp_path / "c.json"), KING)
    deeper = make_player(champion(tmp_path / "c.json") + ",depth=2", KING)
    assert player.think(History(KING), 1).depth == 1
    assert deeper.think(History(KING), 1).depth == 2
    other = make_player(f"file:{tmp_path / 'c.json'},search=mcts,rounds=30", KING)
    assert other.think(History(KING), 1).move in KING.legal_moves(KING.initial())


def test_a_wrong_champion_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "c.json"
    with pytest.raises(OptionError, match="35 inputs"):
        make_player(champion(path, inputs=35), KING)
    with pytest.raises(OptionError, match="plays kingcapture, not nim"):
        make_player(champion(path), NIM)
    data = json.loads(path.read_text())
    for change, told in (
        ({"format": "other"}, "not an evoboard player"),
        ({"encoder": "sqares"}, "did you mean squares"),
        ({"search": "alfa"}, "alfa"),
        ({"network": {"kind": "grph"}}, "grph"),
        ({"network": 5}, "network"),
        ({"search": 7}, "'7'"),
        ({"settings": {"depth": -3}}, "depth"),
        ({"settings": 5}, "settings"),
        ({"settings": None}, "settings"),
    ):
        path.write_text(json.dumps({**data, **change}))
        with pytest.raises(EvoboardError, match=told):
            make_player(f"file:{path}", KING)
    path.write_text(json.dumps({**data, "kind": "champion", "draws": "rare"}))
    make_player(f"file:{path}", KING)  # what it tells of itself is for people
    for text in ("", "{", "[]", "\x00", '{"format": "evoboard-player"}'):
        path.write_text(text)
        with pytest.raises(EvoboardError):
            make_player(f"file:{path}", KING)


def test_a_policy_player_needs_the_outputs_its_decoding_reads(tmp_path):
    for outputs, one_hot, fits in ((2, 0, True), (3, 0, False), (10, 1, True), (2, 1, False)):
        design = Design((3, outputs))
        network = MLPNetwork(design, np.zeros(design.length))
        path = tmp_path / f"{outputs}{one_hot}.json"
        write_player(path, "nim", "heaps", network.to_json(), "policy", {"one_hot": one_hot})
        if fits:
            make_player(f"file:{path}", NIM)
        else:
            with pytest.raises(OptionError, match="outputs"):
                make_player(f"file:{path}", NIM)


def test_an_illegal_choice_loses_with_its_reason(tmp_path):
    design = Design((3, 2), activations=("identity",))
    network = MLPNetwork(design, np.zeros(design.length))  # heap 0, amount 0: never legal
    write_player(tmp_path / "p.json", "nim", "heaps", network.to_json(), "policy", {})
    contest = play_contest(NIM, [f"file:{tmp_path / 'p.json'}", "random"], 10)
    assert {record.reason for record in contest.records} == {"illegal move"}
    assert (contest.table.results_of(0) == -1).all()


@pytest.mark.parametrize(
    "text, means, same",
    [
        ("material:search=pvs", {}, True),
        ("material:search=pvs,threads=2", {}, False),
        ("material:search=pvs", {"threads": 2}, False),  # as an engine is told by UCI
        ("material:search=pvs,threads=1", {"threads": 2}, True),
        ("material:search=pvs,seconds=1", {}, False),
        ("material:search=pvs,level=3", {}, False),
    ],
)
def test_threads_clock_and_levels_are_not_deterministic(text, means, same):
    player = make_player(text, KING)
    player.means = means
    assert player.deterministic is same


def test_contests_do_not_depend_on_threads_and_differ_by_seed():
    texts = ["random", "material", "mcts:rounds=20"]
    one, two = (play_contest(KING, texts, 6, Terms(seed=4, threads=n)) for n in (1, 3))
    assert same_table(one.table, two.table)
    assert [r.moves for r in one.records] == [r.moves for r in two.records]
    other = play_contest(KING, texts, 6, Terms(seed=5, threads=1))
    assert [r.moves for r in one.records] != [r.moves for r in other.records]


def test_paired_games_share_their_opening_with_sides_swapped():
    contest = play_contest(KING, ["random", "material"], 8, Terms(opening_plies=3))
    starts = [record.start for record in contest.records]
    assert starts[0::2] == starts[1::2]
    assert len(set(starts)) > 1
    assert (contest.table.first[0::2] == contest.table.second[1::2]).all()
    for record in contest.records:
        assert record.reason
        assert min(record.seconds) >= 0
        assert max(record.seconds) > 0


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_match_prints_json_with_every_key():
    done = invoke("match", "material", "random", "--game", "kingcapture", "--games", "10", "--json")
    data = json.loads(done.stdout)
    assert data["wins"] + data["draws"] + data["losses"] == data["games"] == 10
    assert data["elo_low"] < data["elo"] < data["elo_high"]
    assert 0 <= data["los"] <= 1
    assert data["score"] == (data["wins"] + data["draws"] / 2) / 10
    white, black = data["by_side"]
    for word in ("wins", "draws", "losses"):
        assert white[word] + black[word] == data[word]
    assert sum(white.values()) == sum(black.values()) == 5
    assert sum(data["endings"].values()) == 10
    assert data["median_plies"] > 0


def test_a_match_has_draw_rules_of_its_own():
    command = ["match", "random", "random", "-g", "kingcapture", "--games", "6", "--json"]
    data = json.loads(invoke(*command, "--plies", "9", "--repetitions", "0").stdout)
    assert data["draw_rules"] == {"repetitions": 0, "quiet": 0, "plies": 9}
    assert set(data["endings"]) <= {"ply cap", "king captured"}
    assert data["median_plies"] <= 9
    assert "2 is the least" in str(invoke(*command, "--repetitions", "1").exception)


def test_match_tournament_and_analyse_speak_to_people():
    done = invoke("match", "perfect", "random", "-g", "nim", "--games", "4")
    assert "wins 4  draws 0  losses 0" in done.stdout
    done = invoke(
        "tournament", "random", "perfect", "-g", "nim", "--games", "4", "--anchor", "random"
    )
    assert done.stdout.index("perfect") < done.stdout.index("random")
    done = invoke("analyse", "perfect", "-g", "nim", "--state", "1,2,0 0", "--json")
    data = json.loads(done.stdout)
    assert data["move"] == "1:2"
    assert len(data["moves"]) == 3
    done = invoke("analyse", "material:depth=2", "-g", "kingcapture")
    assert done.stdout.count("\n") > 15


@pytest.mark.parametrize(
    "arguments,told",
    [
        (["match", "random", "random", "-g", "nim", "--games", "3"], "even"),
        (["match", "random", "rnd", "-g", "nim"], "no player named 'rnd'"),
        (["tournament", "random", "-g", "nim"], "two players or more"),
        (["tournament", "random", "random", "-g", "nim", "--anchor", "x"], "anchor"),
        (["analyse", "random", "-g", "nim", "--state", "0,0,0 1"], "over"),
        (["analyse", "material", "-g", "nim"], "material"),
        (
            ["match", "random", "random", "-g", "chess", "--games", "2", "--openings", "9999"],
            "shorter",
        ),
    ],
)
def test_wrong_commands_get_one_sentence(arguments, told):
    done = invoke(*arguments)
    assert isinstance(done.exception, EvoboardError)
    assert told in str(done.exception)


@pytest.mark.proof
def test_the_evolved_linear_player_beats_random_chess():
    contest = play_contest(load_game("chess"), ["linear", "random"], 20)
    assert contest.table.points()[0] >= 17
    with pytest.raises(OptionError, match="plays chess, not nim"):
        make_player("linear", NIM)


@pytest.mark.parametrize(
    "name,position,worth",
    [
        ("kingcapture", "3k2/6/6/6/2p3/R1PK2 {w,b}", 5 + 1 - 1),
        ("draughts", "{B,W}:W30,K31:B1,2,K3,K4", 2 * 2 + 2 * 3 - 2 - 3),
        ("chess", "4k3/8/8/8/8/8/p7/R2QK3 {w,b} - - 0 1", 5 + 9 - 1),
        ("hexwar", "0,0,0,0,3/0,0,0,0,0/0,0,0,0,0/0,0,0,0,0/-1,0,0,0,0 {b,r}", 3 - 1),
    ],
)
def test_material_is_counted_for_the_side_to_move(name, position, worth):
    game = load_game(name)
    begin, sides, end = re.split("[{}]", position)
    for side, expected in zip(sides.split(","), (worth, -worth), strict=True):
        state = game.parse_state(begin + side + end)
        assert game.link(game.bindings["material"], "python")(state) == expected


def first_cell(state, out):
    out[0] = np.float32(state[0])


def its_input(network, values):
    return values[0]


@pytest.mark.parametrize("seen_by,values", [("mover", [2, 2]), ("first", [2, -2])])
def test_a_network_that_sees_as_side_0_does_speaks_for_the_side_to_move(seen_by, values):
    encoder = Encoder("first cell", 1, first_cell, seen_by)
    parts = {**encoder.bindings, "forward": its_input}
    value = KING.link(network_value, "python", **parts)  # the first cell holds a rook, piece 2
    states = [KING.parse_state(f"3k2/6/6/6/6/R2K2 {side}") for side in "wb"]
    assert [value(None, state, np.zeros(1, np.float32)) for state in states] == values


def test_levels_look_at_so_many_positions_and_slip_at_the_lowest():
    strong, weak = make_player("material:level=6", KING), make_player("material:level=1", KING)
    history = History(KING)
    thought = strong.think(history, 1)
    assert nodes_at(6) <= thought.nodes < nodes_at(6) + 300
    again = [strong.think(history, chance) for chance in range(1, 20)]
    assert {t.move for t in again} == {thought.move}
    moves = [weak.think(history, chance).move for chance in range(1, 200)]
    usual = max(set(moves), key=moves.count)
    assert 0.6 < moves.count(usual) / len(moves) < 0.85
    assert set(moves) <= set(KING.legal_moves(KING.initial()))
    assert not weak.deterministic


def test_the_elo_of_measured_levels_rises_and_is_told_both_ways():
    assert elo_of("nim", 3) is None
    for game, table in ELO.items():
        levels, values = zip(*table, strict=True)
        assert list(levels) == sorted(set(levels))
        assert list(values) == sorted(set(values))
        for level in np.linspace(levels[0], levels[-1], 20):
            assert level_of(game, elo_of(game, level)) == pytest.approx(level, abs=0.05)
        assert elo_range(game) == (values[0], values[-1])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("level=0", "at least 1"),
        ("level=high", "number"),
        ("level=2,elo=9", "both"),
        ("elo=1500", "not measured.*; write level=1 to 10"),
    ],
)
def test_levels_that_there_are_not_get_one_sentence(options, told):
    with pytest.raises(OptionError, match=told):
        make_player(f"material:{options}", KING)


def test_a_limit_lets_a_text_set_what_the_search_that_takes_over_knows():
    for limit in ("seconds=0.1", "nodes=500"):
        player = make_player(f"champion:{limit},null_move=0,table_bits=10", KING)
        player.think(History(KING), 1, Limits(seconds=0.1))
        taken = player._running.settings
        assert (taken.null_move, taken.table_bits, taken.futility) == (False, 10, 2.5)
        told = counter_for(player, KING)
        assert told == f"material:{limit},null_move=0,table_bits=10".replace(
            "material:", "material:quiescence=4,"
        )
        make_player(told, KING)
    assert not make_player("champion:nodes=500,threads=2", KING).deterministic
    for wrong, why in (
        ("null_move=0", "no setting of alphabeta named 'null_move'"),
        ("nodes=0,null_move=0", "no setting of alphabeta named 'null_move'"),
        ("seconds=1,null_move=maybe", "null_move"),
        ("seconds=1,nul_move=0", "no setting of alphabeta named 'nul_move'"),
    ):
        with pytest.raises(OptionError, match=why):
            make_player(f"champion:{wrong}", KING)


def test_an_elo_is_that_of_the_champion_whose_levels_were_measured():
    chess = load_game("chess")
    assert make_player("champion:elo=1550", chess).level == pytest.approx(5)
    assert make_player("champion:chess,elo=1550,all_values=1", chess).level == pytest.approx(5)
    for text in (
        "material:elo=1550",
        "linear:elo=1550",
        f"file:{champion_file('chess')},elo=1550",
        "champion:elo=1550,quiescence=0",
        "champion:elo=1550,search=mcts",
    ):
        with pytest.raises(OptionError, match="not measured"):
            make_player(text, chess)
    for elo in (500, 2500):
        with pytest.raises(OptionError, match=f"elo is {elo}; it must be 760 to 1915"):
            make_player(f"champion:elo={elo}", chess)
    with pytest.raises(OptionError, match="not measured"):
        make_player("champion:elo=1550", KING)


@pytest.mark.parametrize("text", ["material:search=pvs,seconds=0.2", "mcts:seconds=0.2"])
def test_a_player_by_the_clock_thinks_as_long_as_it_may(text):
    make_player(text, KING).think(History(KING), 1)  # compile before the clock runs
    thought = make_player(text, KING).think(History(KING), 1)
    assert thought.nodes > 500
    assert thought.seconds < 60
    assert thought.move in KING.legal_moves(KING.initial())


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("chance, limits=NO_LIMITS, stop=None", "chance", "think is called with .history, chance"),
        ("def think", "def thinks", "is not a player; it needs name"),
        ("return Stubborn(", "Stubborn(", "None is not a player; it needs name"),
    ],
)
def test_a_file_whose_player_cannot_be_asked_is_refused(tmp_path, old, new, told):
    text = (Path(__file__).parent.parent / "examples" / "parts" / "stubborn.py").read_text()
    assert old in text
    (tmp_path / "mine.py").write_text(text.replace(old, new))
    with pytest.raises(OptionError, match=rf"mine\.py': .*{told}"):
        make_player(str(tmp_path / "mine.py"), load_game("nim"))


@pytest.mark.parametrize(
    ("text", "usual"),
    [("mcts:rounds=0", "mcts"), ("mcts:depth=0,nodes=0", "mcts"), ("material:nodes=0", "material")],
)
def test_a_limit_of_0_is_none_and_leaves_a_player_as_it_usually_is(text, usual):
    limit = Limits(seconds=20.0)  # for one that goes on and on
    zero, plain = (make_player(t, KING).think(History(KING), 1, limit) for t in (text, usual))
    assert (zero.move, zero.value, zero.nodes) == (plain.move, plain.value, plain.nodes)


@pytest.mark.parametrize("limit", ["nodes=2000", "seconds=0.3"])
def test_a_depth_with_another_limit_is_how_deep_it_goes_at_most(limit):
    """A search of that depth alone has hardly looked at its first move when the limit ends it."""
    thought = make_player(f"material:depth=20,{limit}", KING).think(History(KING), 1)
    assert 1 <= thought.depth <= 20
    assert make_player(f"material:depth=2,{limit}", KING).think(History(KING), 1).depth == 2
    # One that deepens by itself searches as it does without the other limit.
    with_own, alone = (f"material:search=pvs,depth=3{more}" for more in (f",{limit}", ""))
    thoughts = [make_player(text, KING).think(History(KING), 1) for text in (with_own, alone)]
    assert thoughts[0].nodes == thoughts[1].nodes


BOLD = str(Path(__file__).parent.parent / "examples" / "parts" / "bold.py")


@pytest.mark.parametrize(
    ("more", "limits", "told"),
    [
        ("", Limits(nodes=1), "bold has no setting nodes; it cannot limit them"),
        ("", Limits(depth=1), "bold has no setting depth; it cannot limit it"),
        ("", Limits(seconds=0.01), "neither UNTIL_STOPPED nor DEEPENING; it cannot limit seconds"),
        (",seconds=0.01", NO_LIMITS, "it cannot limit seconds"),
        (",level=3", NO_LIMITS, "bold has no setting nodes"),
    ],
)
def test_a_limit_that_a_search_cannot_keep_to_is_refused(more, limits, told):
    with pytest.raises(OptionError, match=told):
        make_player(f"material:search={BOLD}{more}", KING).think(History(KING), 1, limits)


def test_a_limit_is_refused_only_where_it_is_meant(tmp_path):
    player, history = make_player(f"material:search={BOLD},adventures=0", KING), History(KING)
    usual = player.think(history, 1).move
    assert player.think(history, 1, Limits(OPEN)).move == usual
    assert player.think(history, 1, Limits(1, 1, 9.0, wish=True)).move == usual
    assert player.think(history, 1, stop=Stop()).move == usual
    # Whoever answers at once keeps to any limit, and another search may take over.
    nim = make_player("champion:nim-policy", NIM)
    assert nim.think(History(NIM), 1, Limits(1, 1, 9.0)).move >= 0
    (tmp_path / "named.py").write_text(Path(BOLD).read_text() + '\nDEEPENING = "pvs"\n')
    named = make_player(f"material:search={tmp_path / 'named.py'},seconds=0.1", KING)
    assert named.think(history, 1, Limits(nodes=50)).nodes < 200


def test_a_player_of_a_level_is_ready_once_it_is_compiled():
    player = make_player("material:level=3", KING)
    assert not player.ready
    player.think(History(KING), 1)
    assert player.ready


def ended_by(way):
    """Return what is passed to `think` so that it ends after a while, by the clock or a stop."""
    if way == "seconds":
        return {"limits": Limits(seconds=0.3)}
    stop = Stop()
    stop.set_after(0.3)
    return {"stop": stop}


@pytest.mark.parametrize("way", ["seconds", "stop"])
def test_who_is_cut_short_has_the_answer_of_a_less_deep_search(way):
    player = make_player("material:depth=20,quiescence=2,all_values=1", KING)
    player.think(History(KING), 1, Limits(seconds=0.01))  # compile before the clock runs
    thought = player.think(History(KING), 1, **ended_by(way))
    assert 1 <= thought.depth < 20
    text = f"material:depth={thought.depth},quiescence=2,all_values=1"
    same = make_player(text, KING).think(History(KING), 1)
    assert (thought.move, thought.value, thought.line) == (same.move, same.value, same.line)
    assert thought.move_values == same.move_values
    assert thought.nodes > same.nodes  # those of the deeper search, too


def test_who_might_have_been_cut_short_answers_as_ever():
    player, history = make_player("champion", KING), History(KING)
    assert player.think(history, 1, Limits(seconds=0.01)).depth <= 4
    while not history.verdict()[0] and history.ply < 24:
        told = []
        for more in ({}, {"limits": Limits(seconds=600)}, {"stop": Stop()}):
            thought = player.think(history, 1, **more)
            told.append((thought.move, thought.value, thought.line, thought.depth))
        assert told[1:] == told[:1] * 2
        history = history.after(thought.move)
    # Whoever wants no answer any more is not prepared for.
    plain, final = (player.think(history, 1, stop=stop) for stop in (None, Stop(final=True)))
    assert plain.nodes == final.nodes < player.think(history, 1, stop=Stop()).nodes


def test_to_ask_whether_a_player_is_ready_makes_no_search(monkeypatch):
    player = make_player("mcts:seconds=0.1", KING)
    with monkeypatch.context() as patch:
        patch.setattr(base, "Searcher", None)
        assert not player.ready
    player.think(History(KING), 1)
    assert player.ready


class Waiting:
    """Thinks until it is stopped."""

    name, deterministic = "waiting", True

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        stopped = threading.Event()
        with stop.calling(stopped.set):
            assert stopped.wait(600), "nobody has stopped it"
        return Thought(KING.legal_moves(history.state)[0], 0.0, (), 0, 0, 0.0, {})


class Interrupted(Waiting):
    """Is interrupted, as by Ctrl-C, as soon as it has to think."""

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        time.sleep(0.2)
        raise KeyboardInterrupt


def test_an_interrupted_contest_ends_at_once_whoever_thinks():
    makers = [lambda game: Waiting(), lambda game: Waiting(), lambda game: Interrupted()]
    pairings = np.array([[0, 1], [2, 0], [1, 0], [0, 2]])
    schedule = Schedule(pairings, np.array([0, 1, 0, 1]), start_positions(KING, 2, 1, 0))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        play_schedule(KING, makers, schedule, Terms(threads=2))
    assert time.monotonic() - began < 300  # a thought would last 600 s


class Failing(Waiting):
    """Breaks as soon as it has to think."""

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        raise RuntimeError("broken")


def test_a_player_that_fails_does_not_set_the_stop_of_whoever_asked():
    makers = [lambda game: Waiting(), lambda game: Waiting(), lambda game: Failing()]
    pairings = np.array([[0, 1], [2, 0]])
    schedule = Schedule(pairings, np.array([0, 1]), start_positions(KING, 2, 1, 0))
    stop = Stop()
    with pytest.raises(RuntimeError, match="broken"):
        play_schedule(KING, makers, schedule, Terms(threads=2), stop=stop)
    assert not stop.is_set


@pytest.mark.parametrize("answer", [None, 7])
def test_a_player_that_returns_no_thought_is_told_so(answer):
    class Mute(Waiting):
        name = "mute"

        def think(self, history, chance, limits=NO_LIMITS, stop=None):
            return answer

    schedule = Schedule(np.array([[0, 1]]), np.array([0]), start_positions(KING, 1, 1, 0))
    with pytest.raises(PartError, match=f"player mute returned '{answer}'; think must return a"):
        play_schedule(KING, [lambda game: Mute()] * 2, schedule, Terms())


def test_the_stop_of_whoever_asked_ends_all_games():
    schedule = Schedule(np.array([[0, 1]]), np.array([0]), start_positions(KING, 1, 1, 0))
    stop = Stop()
    stop.set_after(0.1)
    with pytest.raises(Stopped):
        play_schedule(KING, [lambda game: Waiting()] * 2, schedule, Terms(), stop=stop)
