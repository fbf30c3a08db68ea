"""Settings that fit a game, whichever it is: `evoboard train mine.py` needs no experiment file.

A game of ours gets its own first experiment; any other one evolves networks with NEAT that see the
board and look one ply ahead. On the games of `examples/` that was about as strong as learning from
games by gradient, ahead in one and behind in another, and took less time (MEASUREMENTS.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.options import split_options
from evoboard.encoders.base import encoder_names, find_encoder
from evoboard.games.base import Game
from evoboard.search.base import find_search, read_settings
from evoboard.training.grades.base import has_grade

# The inputs to choose where the game's own file has none, the most telling first; others after it.
ENCODERS = ("own", "pieces", "planes", "squares", "cells")
SEARCH = {"name": "alphabeta", "depth": 1}

# What `kingcapture-demo` learns well with: openings of their own for every pair, so that nobody
# learns one game by heart; weights around 0; a threshold of species that moves.
ANY: dict[str, Any] = {
    "generations": 40,
    "search": SEARCH,
    "fitness": {
        "schedule": "circular",
        "opponents": 5,
        "openings": 1,
        "pool": 400,
        "total": "mean",
        "against": [{"kind": "league", "count": 3}],
    },
    "strategy": {
        "name": "neat",
        "population": 40,
        "genome": {
            "hidden": "tanh",
            "hidden_steepness": 1.0,
            "output": "tanh",
            "output_steepness": 1.0,
        },
        "start": {"weight": {"mean": 0.0, "spread": 0.3, "low": -5.0, "high": 5.0}},
        "mutations": [
            {"kind": "add_node", "chance": 0.03},
            {"kind": "add_link", "chance": 0.05},
            {
                "kind": "values",
                "chance": 0.9,
                "noise": "gaussian",
                "power": 0.1,
                "weight": {"chance": 0.5, "reset": 0.01},
                "bias": {"chance": 0.5, "reset": 0.01},
            },
        ],
        "crossover": {"values": "average"},
        "distance": {"weight": 3.0},
        "speciation": {"threshold": 1.0, "target": 4, "step": 0.05},
        "parents": {"share": 0.25, "elites": 1, "elite_size": 5},
        "stagnation": {"generations": 30, "population_generations": 0},
    },
    "champion": {"candidates": 4, "openings": 15, "finalists": 6, "final_openings": 20},
    "measure": {"every": 10, "games": 40, "previous": 0, "spread": 4, "champion_games": 10},
}


def settings_for(game: Game, text: str) -> dict[str, Any]:
    """Return an experiment's tables for a user's game, given by its text."""
    if not encoder_names(game):
        raise OptionError(
            f"no inputs fit {game.name}: write encode(state, out) and INPUTS in its file "
            "(docs/your-own-game.md, step 6)."
        )
    title = f"{game.name}, with settings chosen for it"
    return fitted({**ANY, "title": title, "game": {"name": text}}, game)


def fitted(data: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """Return an experiment's tables with whatever a game cannot use replaced by what it can."""
    found = dict(data)
    player, search = dict(data.get("player", {})), dict(data.get("search", SEARCH))
    if not _sees(player.get("encoder", ""), game):
        player["encoder"] = best_encoder(game)
    if not can_search(search.get("name", "alphabeta"), game):
        search = dict(SEARCH)
    fitness, measure = dict(data.get("fitness", {})), dict(data.get("measure", {}))
    if fitness.get("function") and not can_judge(fitness["function"], game):
        fitness["function"] = ""
    anchors = [text for text in measure.get("anchors", ("random",)) if _can_meet(text, game)]
    if "material" in game.bindings and not any(text.startswith("material") for text in anchors):
        anchors.append("material")
    measure |= {"anchors": anchors or ["random"], "grade": has_grade(game)}
    return found | {"player": player, "search": search, "fitness": fitness, "measure": measure}


def best_encoder(game: Game) -> str:
    """Return the inputs to choose for a game, "" if none fit."""
    known = encoder_names(game)
    return next((name for name in (*ENCODERS, *known) if name in known), "")


def can_search(name: str, game: Game) -> bool:
    """Tell whether a search can play a game."""
    with suppress(EvoboardError):
        module = find_search(name)
        if hasattr(module, "outputs_for"):
            module.outputs_for(game, read_settings(module, {}))
        return True
    return False


def can_judge(function: str, game: Game) -> bool:
    """Tell whether a function of game records is about this game; ours are about hexwar."""
    return ".py" in function or game.name == "hexwar"


def _sees(encoder: str, game: Game) -> bool:
    with suppress(EvoboardError):
        return bool(encoder) and find_encoder(encoder, game) is not None
    return False


def _can_meet(text: str, game: Game) -> bool:
    """Tell whether a fixed player can be measured against: those that any game has, and material
    where pieces have values."""
    kind = split_options(text)[0]
    return kind in ("random", "mcts") or (kind == "material" and "material" in game.bindings)
