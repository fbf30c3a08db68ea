"""The public face: every name is there and typed, and the code of docs/api.md runs as written."""

from __future__ import annotations

import contextlib
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoboard as eb
from evoboard.search.base import Thought

PAGE = Path(__file__).parent.parent / "docs" / "api.md"


def test_every_name_is_there_with_a_docstring_and_types() -> None:
    assert 15 <= len(eb.__all__) <= 18
    for name in eb.__all__:
        found = getattr(eb, name)
        assert found.__doc__, name
        if inspect.isfunction(found):
            hints = inspect.signature(found)
            assert hints.return_annotation is not inspect.Signature.empty, name
        assert name in dir(eb)
        assert f"`{name}" in PAGE.read_text(encoding="utf-8") or f"eb.{name}" in PAGE.read_text(
            encoding="utf-8"
        ), f"{name} is not in docs/api.md"


def test_a_name_that_there_is_not_is_said_so() -> None:
    with pytest.raises(AttributeError, match="evoboard has no 'matches'; it has"):
        eb.matches  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, evoboard; print(sorted({'numba', 'numpy', 'pydantic'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_page_runs_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    result = names["result"]
    assert isinstance(result, eb.api.MatchResult)
    assert result.score > 0.9
    assert sum(result.counts) == 20
    assert sum(result.endings().values()) == 20
    run = names["run"]
    assert isinstance(run, eb.api.Run)
    assert list(run.numbers("best")) == [0, 1, 2]
    with pytest.raises(eb.EvoboardError, match="no number named 'bets'; did you mean best"):
        run.numbers("bets")
    assert (tmp_path / "start.svg").read_text(encoding="utf-8").startswith("<svg")


class First:
    """Plays the first legal move, and counts how often it is asked."""

    name, deterministic = "first", True

    def __init__(self) -> None:
        self.asked = 0

    def think(self, history: Any, chance: int, limits: Any = None, stop: Any = None) -> Thought:
        self.asked += 1
        move = history.game.legal_moves(history.state)[0]
        return Thought(move, 0.0, (move,), 0, 0, 0.0, {})

    def close(self) -> None:
        raise AssertionError("whoever hands a player over lets it go")


class Made(First):
    """Made for a match, which lets it go."""

    def close(self) -> None:
        pass


def test_a_player_itself_plays_matches_and_tournaments() -> None:
    own = First()
    result = eb.match(own, "random", "nim:heaps=3/5/7", games=4)
    assert result.contest.names == ("first", "random")
    plies = sum(record.plies for record in result.contest.records)
    assert plies / 2 - 4 <= own.asked <= plies / 2 + 4
    data = result.as_data()
    assert data["plies"] == [record.plies for record in result.contest.records]
    assert all(0 < seconds < 60 for seconds in data["seconds_per_move"])
    texts = eb.match(lambda game: Made(), "random", "nim:heaps=3/5/7", games=4)
    assert [r.moves for r in texts.contest.records] == [r.moves for r in result.contest.records]
    assert eb.tournament([own, "random", "perfect"], "nim:heaps=3/5/7", games=2).names[0] == "first"


def test_positions_are_texts_states_and_games_so_far() -> None:
    game = eb.load_game("nim:heaps=3/5/7")
    match = eb.Match(game)
    match.play(match.legal[0])
    text = game.state_text(match.state)
    found = [eb.analyse("perfect", game, p).value for p in (text, match.state, match)]
    assert len(set(found)) == 1
    assert eb.draw_board(game, match) == eb.draw_board(game, text)


def test_analyse_takes_limits_beside_those_of_the_player() -> None:
    assert eb.analyse("material:depth=3", "kingcapture", depth=1).depth == 1
    assert eb.analyse("material:depth=1", "kingcapture", depth=3).depth == 1
    assert eb.analyse("material:depth=3", "kingcapture", nodes=30).nodes < 100
    with pytest.raises(eb.EvoboardError, match="the limit of depth is 0"):
        eb.analyse("material", "kingcapture", depth=0)


def test_only_an_evaluation_has_a_value() -> None:
    with pytest.raises(eb.EvoboardError, match="has no evaluation of its own"):
        eb.value("random", "kingcapture")


def test_a_position_nobody_can_think_about_is_refused_in_a_sentence() -> None:
    for player in ("random", "perfect"):
        with pytest.raises(eb.EvoboardError, match="the game is over in this position"):
            eb.analyse(player, "nim", "0,0,0 0")


def test_what_is_not_a_position_of_the_game_is_refused() -> None:
    king = eb.load_game("kingcapture")
    size, start = king.state_size, king.initial()
    cases = [np.full(size, cell) for cell in (-1, 0, 7, 99, 10**9, -(2**63))]
    cases += [start.astype(float), start[None], start[:3], ["a"] * size, [[1], [2, 3]], object()]
    for wrong in cases:
        for ask in (eb.analyse, eb.value):
            with pytest.raises(eb.EvoboardError, match="a state of kingcapture is an array of 39"):
                ask("champion", king, wrong)
        for use in (eb.draw_board, lambda game, start: eb.Match(game, start=start)):
            with pytest.raises(eb.EvoboardError, match="a state of kingcapture is an array of 39"):
                use(king, wrong)
    for right in (start, start.tolist(), start.astype(np.int8)):
        assert eb.analyse("material:depth=1", king, right).move >= 0
    for name in ("chess", "draughts", "hexwar", "nim"):
        for cell in (-(2**63), -1, 2, 10**18):
            with pytest.raises(eb.EvoboardError, match=f"a state of {name}"):
                eb.analyse("random", name, np.full(eb.load_game(name).state_size, cell))


@pytest.mark.parametrize("name", ["chess", "draughts", "hexwar", "kingcapture", "nim"])
def test_every_position_of_a_game_is_taken_as_an_array(name: str) -> None:
    match, chance = eb.Match(name), np.random.default_rng(5)
    while not match.over and len(match.moves) < 60:
        match.play(chance.choice(match.legal))
        assert (eb.Match(name, start=match.state).state == match.state).all()


def test_players_and_positions_of_another_game_are_refused() -> None:
    named = "belongs to another game: nim, not kingcapture"
    with pytest.raises(eb.EvoboardError, match=f"the position {named}"):
        eb.analyse("material", "kingcapture", eb.Match("nim"))
    own = eb.make_player("champion", "nim")
    for ask in (eb.analyse, eb.value, lambda p, g: eb.match(lambda game: p, "random", g, games=2)):
        with pytest.raises(eb.EvoboardError, match=f"the player champion {named}"):
            ask(own, "kingcapture")
    with pytest.raises(eb.EvoboardError, match="another game: nim, not nim:heaps=8/8"):
        eb.analyse("random", "nim:heaps=8/8", eb.Match("nim"))
    later = eb.load_game("nim", start="1,2,0 0")
    assert eb.analyse("perfect", "nim", eb.Match(later)).value > 0


def test_games_are_given_as_text_everywhere() -> None:
    assert eb.make_player("material:depth=1", "kingcapture").name == "material:depth=1"
    assert eb.Match("nim:heaps=1/2", start="0,2 1").legal == [257, 258]
    assert eb.Match("nim", draws=eb.api.DrawRules(plies=1)).history.draws.plies == 1


class Thinks:
    """Not yet a player: `think` is there."""

    def think(self, history: Any, chance: int, limits: Any = None, stop: Any = None) -> Any:
        return 5


class Named(Thinks):
    """Thinks of a number."""

    name, deterministic = "five", True


class Undecided(Named):
    """Names no move."""

    def think(self, history: Any, chance: int, limits: Any = None, stop: Any = None) -> Any:
        none: Any = None
        return Thought(none, 0.0, (), 0, 0, 0.0, {})


class Forgetful(Named):
    """Takes no limits."""

    def think(self, history: Any) -> Any:  # type: ignore[override]
        return 5


@pytest.mark.parametrize(
    "player, why",
    [
        (3, "a player is given as text, such as 'random', as an object .* this is 3"),
        (None, "this is None"),
        (object(), "this is <object object"),
        (Thinks(), r"is not a player; it needs name \(a text\), deterministic and think"),
        (Named(), "the player five returned '5'; think must return a Thought"),
        (Undecided(), "move=None.* must return a Thought, whose move is a whole number"),
        (Forgetful(), r"Forgetful.think is called with \(history, chance, limits, stop\)"),
        (Named, r"Named is called with \(game\), but does not take that"),
        (lambda game: 3, "3 is not a player"),
        (lambda game: Forgetful(), "Forgetful.think is called with"),
    ],
)
def test_what_is_not_a_player_is_refused(player: Any, why: str) -> None:
    asks = (
        lambda: eb.match(player, "random", "nim", games=2),
        lambda: eb.tournament(["random", player], "nim", games=2),
        lambda: eb.analyse(player, "nim"),
        lambda: eb.grade(player, "nim:heaps=1/2"),
    )
    for ask in asks:
        with pytest.raises(eb.EvoboardError, match=why):
            ask()


def test_a_player_itself_is_graded_and_still_its_owners() -> None:
    game = "nim:heaps=1/2,random=true"
    assert eb.grade(First(), game) == eb.grade(lambda game: Made(), game)


NONSENSE = [None, 3.5, -1, 10**30, float("nan"), "", "a", b"x", [], {}, object(), np.zeros(3), str]
RIGHT: dict[str, tuple[Any, ...]] = {
    "load_game": ("nim",),
    "make_player": ("random", "nim"),
    "Match": ("nim",),
    "match": ("random", "random", "nim", 2),
    "tournament": (["random", "random"], "nim", 2),
    "analyse": ("random", "nim"),
    "value": ("material", "kingcapture"),
    "grade": ("random", "nim:heaps=1/2"),
    "draw_board": ("nim",),
    "draw_network": ("champion", "nim"),
    "draw_curves": ([],),
    "open_run": ("none-of-that-name",),
    "train": ("none-of-that-name",),
    "resume": ("none-of-that-name",),
    "study": (["none-of-that-name"],),
    "rate": ("none-of-that-name",),
    "import_player": ([], "nim", "none.json"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nonsense_is_refused_in_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, shape = getattr(eb, name), inspect.signature(getattr(eb, name))
    taken, tried = [], 0
    for key, parameter in shape.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        for wrong in NONSENSE:
            bound = shape.bind(*RIGHT[name])
            bound.apply_defaults()
            bound.arguments[key] = wrong
            with contextlib.suppress(eb.EvoboardError):  # anything else fails the test
                function(*bound.args, **bound.kwargs)
                taken.append((key, wrong))
            tried += 1
    assert len(taken) < tried / 2


def test_who_calls_a_function_wrongly_is_told_how_it_is_called() -> None:
    match: Any = eb.Match  # a type checker would not let it pass
    for given, more in (("nim", "1,2,0 0"), {}), (("nim",), {"begin": 1}), ((), {}):
        with pytest.raises(eb.EvoboardError) as error:
            match(*given, **more)
        assert str(error.value).endswith("; it is Match(game, *, start=None, draws=None).")


def test_a_move_that_is_not_legal_is_not_drawn() -> None:
    assert eb.draw_board("nim", move=1).svg
    with pytest.raises(eb.EvoboardError, match="move number 99999 is not legal in 3,5,7 0"):
        eb.draw_board("nim", move=99999)


def test_curves_are_a_name_and_rows_of_equally_many_numbers() -> None:
    for wrong in (("a", [1], [1, 2]), ("a", "b", [1]), ("a", [1], [1], [1], ["x"]), ("a", 1, 1)):
        with pytest.raises(eb.EvoboardError, match="lists of equally many numbers"):
            eb.draw_curves([wrong])
    for wrong in (("a",), ("a", [1]), ("a", [1], [1], [1], [1], [1])):
        with pytest.raises(eb.EvoboardError, match="a curve is a name, x, y and perhaps low"):
            eb.draw_curves([wrong])
    with pytest.raises(eb.EvoboardError, match="cannot be saved as '/'; name a file"):
        eb.draw_curves([]).save("/")


def test_a_run_that_repeats_anothers_settings_is_named_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    small = ("generations=1", "measure.every=0")
    assert eb.train("nim-quick", *small, run="mine").name == "mine"
    assert eb.train("runs/mine/config.toml").name == "mine-2"
