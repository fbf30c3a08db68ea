"""A player: the same choice in every position, the first legal move or the last."""

from typing import Literal

from pydantic import Field

from evoboard.core.settings import Settings
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS

SUMMARY = "always the first legal move, or the last"


class Options(Settings):
    """What may be written behind the file's name: stubborn.py:which=last."""

    which: Literal["first", "last"] = Field("first", description="which legal move it plays")


def player_for(game, options):
    """Return the player."""
    return Stubborn(game, options.which)


class Stubborn:
    """What every player has: a name, whether it is deterministic, and `think`."""

    name, deterministic = "stubborn", True

    def __init__(self, game, which):
        self.game, self.place = game, 0 if which == "first" else -1

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        """Return the move, and what the player thinks of the position: nothing."""
        move = self.game.legal_moves(history.state)[self.place]
        return Thought(move, 0.0, (move,), 1, 0, 0.0, {})
