"""Random games of OpenSpiel ("chess", "checkers"), as its own C++ search plays them.

Translated: nothing. An MCTSBot of one simulation expands nothing: it evaluates the root, and
RandomRolloutEvaluator then plays `games` random games from that very position to the end (measured:
the root has no children, and two simulations are the first to visit one). So the rollouts all start
at the start position, there is one Python call in the clock, and the rest is C++ on one core: for
each game a clone, then legal moves, a uniform choice and the move, ply by ply.

The ends are OpenSpiel's, not ours. Checkers: drawn after 40 actions without a capture; a
multi-jump is several actions. Chess: the 50-move rule, threefold repetition and insufficient
material end the game. Compare per ply rather than per game: `openspiel_plies`.
"""

import random
import time

import pyspiel

_GAMES = {"chess": 500, "checkers": 4000}  # about half a second each


def openspiel_rollouts(
    name: str, games: int | None = None, seed: int = 1, repeats: int = 3
) -> float:
    """Return random games per second on one core: the same games `repeats` times, the best."""
    games = games or _GAMES[name]
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    best = 0.0
    for _ in range(repeats):
        evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
        # uct_c, simulations, megabytes, solve, seed, verbose
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 16, False, seed, False)
        start = time.perf_counter()
        bot.mcts_search(state)
        best = max(best, games / (time.perf_counter() - start))
    return best


def openspiel_plies(name: str, games: int = 200, seed: int = 1, whole_moves: bool = False) -> float:
    """Return the mean length of a random game, in actions, or in moves with jumps merged.

    Played from Python, since the rollouts do not tell their lengths: same rules and same uniform
    choice, other games.
    """
    rng = random.Random(seed)
    game = pyspiel.load_game(name)
    total = 0
    for _ in range(games):
        state = game.new_initial_state()
        last = None
        while not state.is_terminal():
            player = state.current_player()
            total += not (whole_moves and player == last)
            last = player
            state.apply_action(rng.choice(state.legal_actions()))
    return total / games
