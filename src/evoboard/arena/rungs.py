"""The rungs of a game's ladder: fixed players, from random moves to the strongest there are."""

from __future__ import annotations

from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.games.contract import no_such_move
from evoboard.players.base import borrowed_player
from evoboard.players.perfect import SOLVED
from evoboard.players.scripted import SCRIPTS

LOWEST = "random"
DEPTHS = range(1, 7)
ROUNDS = (10, 30, 60, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
# Levels of engines by game. The Elo is what the engine itself calls it; a number of nodes instead
# of a time makes a level mean the same on every machine.
ENGINES = {
    "chess": (
        *(f"uci:stockfish,elo={elo},nodes=20000" for elo in (1350, 1600, 1900, 2200)),
        *(f"uci:stockfish,nodes={nodes}" for nodes in (10, 100, 1000)),
    ),
    "kingcapture": tuple(
        f"uci:fairy-stockfish,nodes={nodes}" for nodes in (10, 30, 100, 300, 1000, 10_000)
    ),
}
QUICK = 0.05  # seconds a move, guessed; rungs that take longer are put up when they are needed


def rungs_of(game: Game) -> list[str]:
    """Return the texts of a game's rungs, the lowest first, then by what they cost."""
    found = [f"mcts:rounds={rounds}" for rounds in ROUNDS]
    if "material" in game.bindings:
        found += [f"material:depth={depth}" for depth in DEPTHS]
        if game.bindings["forcing"] is not no_such_move:
            found += [f"material:depth={depth},quiescence=4" for depth in DEPTHS]
    if game.name in SOLVED or not game.built_in:
        found.append("perfect")
    if game.built_in:
        found += ENGINES.get(game.name, ())
        found += [f"scripted:{script}" for script in SCRIPTS if game.name == "hexwar"]
    return [LOWEST, *sorted(found, key=effort)]


def effort(text: str) -> float:
    """Return about how many seconds a move of a rung takes, before it has been measured."""
    kind, options = split_options(text)
    if kind == "material":
        return 3e-6 * 3 ** int(options["depth"]) * (10 if "quiescence" in options else 1)
    if kind == "mcts":
        return 3e-5 * int(options["rounds"])
    if kind == "uci":
        return 0.005 + 1e-6 * int(options["nodes"])
    return 0.0 if text == LOWEST else QUICK  # scripts and perfect play, after those they beat


def can_play(text: str, game: Game) -> bool:
    """Tell whether a rung can be met here: its program is installed, its game small enough."""
    try:
        with borrowed_player(text, game) as player:
            getattr(player, "start", lambda: None)()
    except EvoboardError:
        return False
    return True
