"""A player: one of the first few legal moves, whichever chance says; a kernel chooses it."""

from pydantic import Field

from evoboard.core.rng import below, next_random
from evoboard.core.settings import Settings
from evoboard.players.choosing import ChoosingPlayer

SUMMARY = "one of the first few legal moves"


class Options(Settings):
    """What may be written behind the file's name: hasty.py:few=2."""

    few: int = Field(3, ge=1, le=1000, description="of how many moves it takes one")


def player_for(game, options):
    """Return the player; one that has no use for chance leaves out `deterministic`."""
    return ChoosingPlayer(game, choose, options, deterministic=False)


def choose(state, moves, values, options, chance):
    """Return the place of the chosen move among the legal ones."""
    return below(next_random(chance), min(options.few, moves.shape[0]))
