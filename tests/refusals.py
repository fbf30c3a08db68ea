"""How a game refuses the text of a position."""

from __future__ import annotations

import pytest

from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game


def refuses(game: Game, text: str, kind: type[EvoboardError], offender: str) -> None:
    """Check that a position is refused with the whole text and what is wrong in it."""
    with pytest.raises(kind) as error:
        game.parse_state(text)
    assert offender in str(error.value)
    assert repr(text) in str(error.value)
