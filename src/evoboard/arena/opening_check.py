"""Do random openings leave games to be played, and different ones?"""

from __future__ import annotations

from evoboard.core.rng import address, stream
from evoboard.core.wording import counted
from evoboard.games.base import Game

LINES = 200
FEW = 10  # positions that make matches repeat themselves
MORE = 8  # plies tried beyond the game's own number


def opening_problem(game: Game, seed: int = 1) -> str:
    """Return what is wrong with the game's random openings, and what to set instead; "" if nothing.

    Openings that end a game are replaced by others, so a game with many of them is still played,
    but from the few positions that random play does not come through.
    """
    if (own := game.opening_plies) == 0:
        return ""  # every game from the start, which is a choice
    going, left = [0] * (own + MORE + 1), [set[bytes]() for _ in range(own + MORE + 1)]
    for index in range(LINES):
        chance = stream(seed, "opening check", game.name, index)
        state = game.initial(address(seed, "start", index))
        for plies in range(own + MORE + 1):
            moves = game.legal_moves(state)
            if not moves:
                break
            going[plies] += 1
            left[plies].add(state.tobytes())
            state = game.apply(state, moves[int(chance.integers(len(moves)))])
    enough = [plies for plies, count in enumerate(going) if 2 * count >= LINES]
    best = max(enough, key=lambda plies: len(left[plies]), default=0)
    known, found = len(left[own]), len(left[best])
    if own not in enough:
        problem = f"{100 - 100 * going[own] // LINES}% of games are over"
    elif known < FEW and found >= 2 * known:
        problem = f"there are only {counted(known, 'different position')}"
    else:
        return ""
    remedy = f"set OPENING_PLIES = {best} in {game.name}.py"
    if game.built_in:
        remedy = f"use --openings {best}, and fitness.opening_plies = {best} in experiments"
    return (
        f"after openings of {counted(own, 'random ply', 'random plies')} {problem} "
        f"({LINES} tried); {remedy}, which leaves {counted(found, 'different position')}."
    )
