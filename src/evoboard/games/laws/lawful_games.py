"""Random games tested at every ply, compiled, so that faults in rare positions are found, too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from evoboard.core.arrays import Array
from evoboard.core.rng import below, next_random, nth_seed
from evoboard.games.adjudication import PLAYING, verdict
from evoboard.games.laws.rule_guard import Trouble
from evoboard.games.position import position_key
from evoboard.games.rules import QUIET, TURN, apply_move, copy_state, initial

STALLED = 5.0  # seconds without a ply


def lawful_games(
    start: Array,
    seed: int,
    count: int,
    limits: Array,
    progress: Array,
    keys: Array,
    state: Array,
    spare: Array,
    moves: Array,
) -> None:
    """Play random games in `state`; stop in a position in which a law of moves is broken.

    `progress`: plies of all games, of the longest game, and 1 if a law is broken.
    """
    for i in range(count):
        chance, ply = nth_seed(seed, i), 0
        if start.shape[0] > 0:
            copy_state(start, state)
        else:
            initial(state, int(nth_seed(int(chance), 1)))
        while True:
            keys[ply] = position_key(state)
            code, number = verdict(state, keys, ply, limits, moves)
            if code != PLAYING:
                break
            chance = next_random(chance)
            apply_move(state, moves[below(chance, number)], spare)
            broken = spare[TURN] != 1 - state[TURN]
            if QUIET >= 0:
                broken = broken or (spare[QUIET] != 0 and spare[QUIET] != state[QUIET] + 1)
            for one in range(number):
                for other in range(one):
                    broken = broken or moves[one] == moves[other]
            if broken:
                progress[2] = 1
                return
            copy_state(spare, state)
            ply += 1
            progress[0] += 1
            progress[1] = max(progress[1], ply)


def run_apart(work: Callable[[], object], progress: Array) -> Exception | None:
    """Run compiled work in a thread; return what it raises, or a Trouble where it stands still."""
    raised: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    seen, since = -1, time.monotonic()
    while thread.is_alive():
        thread.join(0.1)
        if progress[0] != seen:
            seen, since = int(progress[0]), time.monotonic()
        elif progress[0] and time.monotonic() - since > STALLED:
            return Trouble("a rule does not end when it runs compiled.")
    return raised[0] if raised else None
