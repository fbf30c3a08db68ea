"""The public face: every name is there and typed, and the code of docs/api.md runs as written."""

from __future__ import annotations

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
    assert 15 <= len(eb.__all__) <= 25
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
    assert isinstance(run, eb.Run)
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


def test_only_an_evaluation_has_a_value() -> None:
    with pytest.raises(eb.EvoboardError, match="has no evaluation of its own"):
        eb.value("random", "kingcapture")


def test_a_position_nobody_can_think_about_is_refused_in_a_sentence() -> None:
    for player in ("random", "perfect"):
        with pytest.raises(eb.EvoboardError, match="the game is over in this position"):
            eb.analyse(player, "nim", "0,0,0 0")
    king = eb.load_game("kingcapture")
    for wrong in (np.zeros(3, np.int64), eb.Match(eb.load_game("nim"))):
        with pytest.raises(eb.EvoboardError, match="a state of kingcapture is an array of"):
            eb.analyse("material", king, wrong)
    with pytest.raises(eb.EvoboardError, match="a state of kingcapture"):
        eb.draw_board(king, np.zeros(3, np.int64))
