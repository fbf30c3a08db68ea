"""A player: OpenSpiel's Monte Carlo tree search, in Python; any other bot of it will do."""

from pydantic import Field

from evoboard.core.settings import Settings
from evoboard.interop.openspiel import as_openspiel, as_player

SUMMARY = "a bot of OpenSpiel (which must be installed)"


class Options(Settings):
    """What may be written behind the file's name: openspiel_bot.py:simulations=200."""

    simulations: int = Field(50, ge=2, description="playouts of its search before a move")
    seed: int = Field(1, ge=0, description="of the bot's own random numbers")


def player_for(game, options):
    """Return the bot as a player of this game."""
    import numpy as np
    from open_spiel.python.algorithms import mcts

    rng = np.random.default_rng(options.seed)
    theirs = as_openspiel(game)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(theirs, 2.0, options.simulations, evaluator, random_state=rng)
    return as_player(theirs, bot)
