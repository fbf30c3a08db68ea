"""Whatever is typed, the answer is a value that reads back, or one of evoboard's own errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evoboard.core.errors import (
    EvoboardError,
    IllegalMove,
    ImpossibleState,
    MalformedMove,
    MalformedState,
    OptionError,
)
from evoboard.core.options import split_options
from evoboard.core.rng import stream
from evoboard.games.base import Game, game_names, load_game
from evoboard.games.rules import DRAW, LOSS, ONGOING, WIN

# The fixture `game` gives the same game to all examples of a test.
FUZZ = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# What has surprised parsers elsewhere: other digits, spaces, signs, half a character.
ODD = "\0\t\n\r\x1f \xa0\u2028\ufeff²½٣①−–+-_.,:;/\\'\"[]{}()#%&*=<>|~^`@!?💥é\udcff"
RULES = ("outcome", "legal_moves", "apply_move", "stuck")

_positions: dict[str, tuple[list, list[str]]] = {}
_checked: dict[str, dict] = {}


def key(game):
    return f"{game.name} {game.options}"


def positions(game):
    """Return positions of random games, first to last, and their texts."""
    if key(game) not in _positions:
        rng, states = stream(1, "fuzz", game.name), []
        for index in range(12):
            state = game.initial(index + 1)
            for _ in range(60):
                states.append(state)
                moves = game.legal_moves(state)
                if not moves:
                    break
                state = game.apply(state, moves[int(rng.integers(len(moves)))])
        _positions[key(game)] = states, [game.state_text(state) for state in states]
    return _positions[key(game)]


def rules(game):
    """Return the game's rules compiled with bounds checks."""
    if key(game) not in _checked:
        _checked[key(game)] = {n: game.link(game.bindings[n], "checked") for n in RULES}
    return _checked[key(game)]


@st.composite
def mutated(draw, texts):
    """Return one of `texts` after a few slips of the finger."""
    text = draw(st.sampled_from(texts))
    own = st.sampled_from(sorted(set("".join(texts))))
    letters = own | own | own | st.sampled_from(ODD)
    for _ in range(draw(st.integers(1, 3))):
        a, b = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        slip = draw(st.sampled_from(("swap", "swap", "replace", "insert", "delete", "double")))
        if slip == "swap" and b < len(text):
            text = text[:a] + text[b] + text[a + 1 : b] + text[a : a + 1] * (a < b) + text[b + 1 :]
        elif slip == "insert":
            text = text[:a] + draw(letters) + text[a:]
        elif slip == "delete":
            text = text[:a] + text[draw(st.sampled_from((a + 1, b))) :]
        elif slip == "double":
            text = text[:b] + text[a:]
        else:
            text = text[:a] + draw(letters) + text[a + 1 :]
    return text


def assert_usable(game, state):
    """Check that a position which was read can be played on, drawn, and written."""
    assert state.shape == (game.state_size,)
    assert state.dtype == np.int64
    assert np.array_equal(game.parse_state(game.state_text(state)), state)
    assert game.side(state) in (0, 1)
    rule, before, out = rules(game), state.copy(), np.zeros(game.max_moves, np.int32)
    result = rule["outcome"](state)
    assert result in (LOSS, DRAW, WIN, ONGOING)
    count = rule["legal_moves"](state, out) if result == ONGOING else 0
    moves = out[:count].tolist()
    assert len(set(moves)) == count
    if result == ONGOING and not moves:
        result = rule["stuck"](state)
        assert result in (LOSS, DRAW, WIN)
    for move in moves:
        after = np.zeros_like(state)
        rule["apply_move"](state, move, after)
        assert after[game.turn] == 1 - state[game.turn]
        assert game.parse_move(state, game.move_text(state, move)) == move
    assert [look.move for look in game.view(state).moves] == moves
    assert moves or game.reason(state)
    assert np.array_equal(state, before)


def attempt(errors, function, *arguments, **options):
    """Return (value, "") or (None, the message of one of `errors`); nothing else may come."""
    try:
        return function(*arguments, **options), ""
    except errors as error:
        return None, str(error) or "no message"


def try_position(game, text):
    """Check what becomes of a text that may be a position."""
    state, message = attempt((MalformedState, ImpossibleState), game.parse_state, text)
    if message:
        assert message.startswith(f"{game.name} position")
        assert "\n" not in message
    else:
        assert_usable(game, state)


@FUZZ
@given(data=st.data())
def test_any_text_is_a_position_or_is_refused(game, data):
    letters = sorted(set("".join(positions(game)[1])))
    texts = st.text() | st.text(st.sampled_from(letters)) | st.text(st.sampled_from(ODD + "012"))
    try_position(game, data.draw(texts))


@FUZZ
@given(data=st.data())
def test_a_position_with_slips_is_a_position_or_is_refused(game, data):
    try_position(game, data.draw(mutated(positions(game)[1])))


def test_positions_of_play_read_back_and_can_be_used(game):
    states, texts = positions(game)
    assert len(states) > 20
    for state, text in list(zip(states, texts, strict=True))[::9]:
        assert np.array_equal(game.parse_state(text), state)
        assert np.array_equal(game.parse_state(f" \t{text}\n"), state)
        assert_usable(game, state)


@FUZZ
@given(data=st.data())
def test_any_text_is_a_legal_move_or_is_refused(game, data):
    state = data.draw(st.sampled_from(positions(game)[0]))
    legal = game.legal_moves(state)
    texts = [game.move_text(state, move) for move in legal]
    slips = mutated(texts or ["a1", "11-15", "0:1"])
    text = data.draw(st.text() | slips | slips)
    move, message = attempt((MalformedMove, IllegalMove), game.parse_move, state, text)
    if message:
        assert text.strip() not in texts
        assert "\n" not in message
    else:
        assert move in legal
        assert game.parse_move(state, game.move_text(state, move)) == move


def test_no_move_can_be_played_after_the_end(game):
    ended = [state for state in positions(game)[0] if not game.legal_moves(state)]
    for state in ended[:3]:
        for text in ("a1", "e2e4", "11-15", "0:1", "4,0+", "", "?"):
            with pytest.raises((IllegalMove, MalformedMove)):
                game.parse_move(state, text)


OPTION_TEXTS = [
    "nim:heaps=3/5/7",
    "nim:heaps=1/2,random=true,simple=no",
    "nim:start=3,5,7 0",
    "hexwar:layout=rhombus,start_pieces=4",
    "draughts:blocked=draw",
    "draughts:start=B:W21,22:B1,2",
    "chess:start=4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "kingcapture:start=3k2/6/6/6/6/3K2 w",
]


@FUZZ
@given(text=mutated(OPTION_TEXTS) | st.text())
@example(text="nim:heaps=" + "9" * 5000)
@example(text="nim:heaps=" + "1/" * 5000 + "1")
@example(text="nim:heaps=-1")
@example(text="nim:heaps=0")
@example(text="nim:heaps=1_0")
@example(text="nim:heaps=٣")
@example(text="nim:heaps=,random=true")
@example(text="nim:heaps=3=5")
@example(text="nim::heaps=3")
@example(text="nim:heaps=3;random=true")
@example(text=":")
@example(text="=")
def test_any_text_names_a_game_or_is_refused(text):
    game, message = attempt(EvoboardError, load_game, text)
    if message:
        assert message != "no message"
    else:
        assert isinstance(game, Game)
        assert game.name in game_names()
        assert game.max_moves > 0
        assert 0 <= game.turn < game.state_size


VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | st.lists(st.integers(-3, 300) | st.text() | st.none())
    | st.dictionaries(st.text(), st.integers())
)


@FUZZ
@given(option=st.sampled_from(("heaps", "random", "simple", "start", "heap")), value=VALUES)
def test_any_value_of_an_option_is_used_or_refused(option, value):
    game, message = attempt(EvoboardError, load_game, "nim", **{option: value})
    if message:
        assert option in message or "position" in message
    else:
        assert isinstance(game.max_moves, int)
        assert all(1 <= heap <= 255 for heap in game.options["heaps"])
        assert isinstance(game.options["random"], bool)
        assert isinstance(game.options["simple"], bool)


NAMES = st.text("abcxyz_", min_size=1, max_size=8)


@FUZZ
@given(
    name=NAMES,
    options=st.dictionaries(NAMES, st.text("ab 1/-+.:", max_size=6).map(str.strip), min_size=1),
)
def test_options_are_split_as_they_were_joined(name, options):
    joined = ",".join(f"{option}={value}" for option, value in options.items())
    assert split_options(f"{name}:{joined}") == (name, options)
    spaced = " , ".join(f"{option} = {value} " for option, value in options.items())
    assert split_options(f"{name}:{spaced}") == (name, options)


def test_an_option_given_twice_is_refused():
    with pytest.raises(OptionError, match="heaps"):
        load_game("nim:heaps=3,heaps=5")


def test_a_position_with_commas_is_one_option():
    assert split_options("draughts:start=W:W1,2:BK3,blocked=draw") == (
        "draughts",
        {"start": "W:W1,2:BK3", "blocked": "draw"},
    )


def test_a_windows_path_is_no_option():
    assert split_options("C:\\games\\mine.py") == ("C:\\games\\mine.py", {})


@FUZZ
@given(data=st.data())
def test_any_file_is_a_game_or_is_refused(tmp_path, data):
    source = Path(__file__).parent.parent / "examples" / "tictactoe.py"
    text = data.draw(mutated([source.read_text()]) | st.text() | st.binary())
    path = tmp_path / "mine.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    game, message = attempt(EvoboardError, load_game, str(path))
    if message:
        assert "mine" in message
        assert "\n" not in message
    else:
        assert game.name == "mine"
