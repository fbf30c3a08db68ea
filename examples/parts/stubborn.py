"""A player: the same choice in every position, the first legal move or the last."""

from evoboard.core.errors import OptionError
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS

SUMMARY = "always the first legal move, or the last"
OPTIONS = "which=first"


def player_for(game, options):
    """Return the player; options come as texts: stubborn.py:which=last."""
    which = options.get("which", "first")
    if set(options) - {"which"} or which not in ("first", "last"):
        raise OptionError("stubborn has one option: which=first or which=last.")
    return Stubborn(game, which)


class Stubborn:
    """What every player has: a name, whether it is deterministic, and `think`."""

    name, deterministic = "stubborn", True

    def __init__(self, game, which):
        self.game, self.place = game, 0 if which == "first" else -1

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        """Return the move, and what the player thinks of the position: nothing."""
        move = self.game.legal_moves(history.state)[self.place]
        return Thought(move, 0.0, (move,), 1, 0, 0.0, {})
