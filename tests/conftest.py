"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from evoboard.games.base import Game, game_names, load_game

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# Every built-in game with its defaults, every variant worth a test of its own, every example.
VARIANTS = ["nim:heaps=7/7/7,random=true", "nim:heaps=8/8,simple=true", "hexwar:layout=rhombus"]
GAMES = [*game_names(), *VARIANTS, *map(str, EXAMPLES)]


@pytest.fixture(params=GAMES, ids=lambda text: Path(text).stem)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game there is; a new file in games/ or examples/ is tested unasked."""
    return load_game(request.param)
