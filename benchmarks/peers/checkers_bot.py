"""A player of draughts: OpenSpiel's Monte Carlo tree search in C++, on its own game `checkers`.

    evoboard match champion:seconds=0.1 benchmarks/peers/checkers_bot.py:simulations=1000 \
        --game draughts --quiet 40 --repetitions 0 --plies 0

Its game is ours (`tests/test_rules_draughts.py` plays both side by side), drawn after 40 plies
without a capture: hence the match's draw rules. It cannot begin at a position, so it follows
the game from the start, and finds the few moves that lead to an opening. A jump over several pieces
is as many actions of one side there.
"""

import time
from functools import lru_cache
from itertools import pairwise

import pyspiel
from pydantic import Field

from evoboard.core.errors import OptionError
from evoboard.core.settings import Settings
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS

LONGEST = 6  # plies of an opening
SUMMARY = "OpenSpiel's MCTSBot (C++), for draughts"


class Options(Settings):
    """What may be written behind the file's name."""

    simulations: int = Field(1000, ge=2, description="rounds of its search before an action")
    seed: int = Field(1, ge=0, description="of its own random numbers")


def player_for(game, options):
    """Return the bot; `game` is draughts."""
    return Bot(game, options)


class Bot:
    """OpenSpiel's bot; asked about any game of draughts that has begun at the start."""

    deterministic = False

    def __init__(self, game, options):
        self.name, self._ours = "openspiel", game
        self._game = pyspiel.load_game("checkers")
        evaluator = pyspiel.RandomRolloutEvaluator(1, options.seed)
        # uct_c, simulations, megabytes, solve, seed, verbose
        self._bot = pyspiel.MCTSBot(
            self._game, evaluator, 2.0, options.simulations, 1000, True, options.seed, False
        )

    def think(self, history, chance, limits=NO_LIMITS, stop=None):
        """Return the bot's move: its actions until the other side is to move."""
        began = time.perf_counter()
        state = self._game.new_initial_state()
        steps = [*opening(self._ours, self._ours.state_text(history.start)), *history.steps]
        for before, move in steps:
            follow(state, self._ours.move_text(before, move))
        side, squares = state.current_player(), []
        while not state.is_terminal() and state.current_player() == side:
            action = self._bot.step(state)
            name = state.action_to_string(action)
            jumps = abs(int(name[1]) - int(name[3])) == 2
            squares = [*(squares or [square(name[:2])]), square(name[2:])]
            state.apply_action(action)
        text = ("x" if jumps else "-").join(map(str, squares))
        found = self._ours.parse_move(history.state, text)
        return Thought(found, 0.0, (found,), 0, 0, time.perf_counter() - began, {})


@lru_cache(1000)
def opening(game, text):
    """Return the moves from the start to a position that is a few plies away, as steps."""
    known, lines = set(), [(game.initial(), [])]
    for state, steps in lines:  # which grow meanwhile
        if game.state_text(state) == text:
            return steps
        for move in game.legal_moves(state) if len(steps) < LONGEST else ():
            after = game.apply(state, move)
            if after.tobytes() not in known:
                known.add(after.tobytes())
                lines.append((after, [*steps, (state, move)]))
    raise OptionError(f"{text} is not within {LONGEST} plies of the start.")


def follow(state, text):
    """Play a whole move, with every square visited, on OpenSpiel's state."""
    squares = [int(word) for word in text.replace("x", "-").split("-")]
    for first, last in pairwise(squares):
        named = {state.action_to_string(action): action for action in state.legal_actions()}
        found = [a for n, a in named.items() if (square(n[:2]), square(n[2:])) == (first, last)]
        state.apply_action(found[0])


def square(name):
    """Return our number of OpenSpiel's square: a1 is 4, g1 is 1, b8 is 32."""
    file, rank = "abcdefgh".index(name[0]), int(name[1])
    return 4 * rank - file // 2
