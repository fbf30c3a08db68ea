"""Evolve the linear chess evaluator that ships as the player `linear`.

After Kendall and Whitwell: a population of weight vectors for chess's ten features plays itself;
the better half stays, each parent has one child, whose weights and mutation strengths are changed
at random (self-adaptive). Only the rules and who won guide it. The champion is chosen among the
last parents by a longer tournament. One seed, one result, on any number of cores:
`python tools/evolve_linear.py` writes the same file again, in about 20 seconds.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from rich.progress import track

from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import paired_games, single_round_robin
from evoboard.core.rng import address, stream
from evoboard.games.base import DrawRules, Game, load_game
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.file import write_player
from evoboard.players.setup import Setup

SEED = 1
POPULATION = 20
GENERATIONS = ((1, 60), (2, 20))  # (search depth, generations)
OPENING_PLIES = 4
DESIGN = Design((10, 1), activations=("identity",))
TAU = 1 / math.sqrt(2 * math.sqrt(DESIGN.length))
TARGET = Path(__file__).parent.parent / "src/evoboard/players/linear.json"


def points(game: Game, vectors: np.ndarray, depth: int, openings: int, purpose: str) -> np.ndarray:
    """Return each vector's points in a round robin from paired random openings."""
    pack = mlp.pack([MLPNetwork(DESIGN, vector) for vector in vectors])
    pairs, seed = single_round_robin(len(vectors)), address(SEED, purpose)
    schedule = paired_games(game, pairs, 2 * openings, seed, OPENING_PLIES)
    settings, draws = {"depth": depth}, DrawRules(3, 100, 160)
    setup = Setup("chess", "chess_features", "mlp", "alphabeta", settings, draws).loaded(game)
    return find_backend().play(setup, pack, schedule, seed).table.points()


def evolve(game: Game) -> np.ndarray:
    """Return the champion's weights."""
    rng = stream(SEED, "linear")
    vectors = rng.normal(size=(POPULATION, DESIGN.length))
    powers = np.full((POPULATION, DESIGN.length), 0.3)
    half = POPULATION // 2
    depths = [depth for depth, count in GENERATIONS for _ in range(count)]
    for generation, depth in enumerate(track(depths, "evolving")):
        score = points(game, vectors, depth, 1, f"generation {generation}")
        best = np.argsort(-score, kind="stable")[:half]
        changed = powers[best] * np.exp(TAU * rng.normal(size=(half, DESIGN.length)))
        children = vectors[best] + changed * rng.normal(size=(half, DESIGN.length))
        vectors = np.concatenate([vectors[best], children])
        powers = np.concatenate([powers[best], changed])
    final = points(game, vectors[:half], GENERATIONS[-1][0], 20, "final")
    return vectors[int(np.argmax(final))]


def main() -> None:
    """Evolve and write the player."""
    champion = MLPNetwork(DESIGN, evolve(load_game("chess")))
    settings = {"depth": 2}
    write_player(TARGET, "chess", "chess_features", champion.to_json(), "alphabeta", settings)
    print(f"wrote {TARGET.name}: {np.round(champion.vector, 3).tolist()}")


if __name__ == "__main__":
    main()
