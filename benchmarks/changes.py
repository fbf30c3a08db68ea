"""What valuing positions by what has changed is worth: python -m benchmarks.changes [WIDTH…]

The same network, of random weights with one hidden layer so wide, plays with `forward_listed` and
with `forward_changed`. Both search the same positions to a fixed depth by `pvs`, in turns; a line
of JSON for each width has the positions per second of either at their best, the median of their
ratio turn by turn, how much of it the faster sum of the output alone would give, and the largest
difference of values.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.networks import sample
from evoboard.core.link import with_constants
from evoboard.encoders.base import find_encoder
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.networks import mlp
from evoboard.networks.mlp import Design, MLPNetwork
from evoboard.players.base import SearchPlayer
from evoboard.players.setup import Setup

# Game, encoder, and how deep to search.
INPUTS = (
    ("draughts", "pieces:apart=true", 5),
    ("kingcapture", "pieces", 3),
    ("kingcapture", "threats", 3),
    ("chess", "pieces:apart=true", 3),
    ("chess", "chess_phases", 3),
)
WIDTHS = (16, 32, 64, 128, 256)
TURNS, POSITIONS = 7, 12


def compare(name: str, encoder: str, depth: int, width: int) -> dict[str, Any]:
    """Return the speeds of both ways with a layer of this width."""
    game = load_game(name)
    design = Design((find_encoder(encoder, game).inputs, width, 1))
    vector = np.random.default_rng(1).normal(0, 0.2, design.length).astype(np.float32)
    setup = Setup(name, encoder, "mlp", "pvs", {"depth": depth}).bind(game)
    with patch.object(mlp, "WIDE", 10**9):
        listed, summed = (setup.player(mlp.pack([MLPNetwork(design, vector)])) for _ in range(2))
        filled = with_constants(mlp._fill_listed, _add_products=mlp._add_sums)
        faster = with_constants(mlp.forward_listed, _fill_listed=filled)
        summed.searcher = with_evaluator(summed, forward_listed=faster)
    with patch.object(mlp, "WIDE", 1):
        changed = setup.player(mlp.pack([MLPNetwork(design, vector)]))
    states = sample(game)[:: 256 // POSITIONS]
    histories = [History.of(game, state) for state in states]
    players = (listed, summed, changed)
    for player in players:
        player.think(histories[0], 1)  # compiles what is not yet
    times: list[list[float]] = [[] for _ in players]
    for _ in range(TURNS):
        for player, turns in zip(players, times, strict=True):
            began = time.process_time()
            nodes = sum(player.think(history, 1).nodes for history in histories)
            turns.append((time.process_time() - began) / nodes)
    one, two, three = np.array(times)
    apart = max(abs(listed.value(state) - changed.value(state)) for state in states)
    return {
        "game": name, "encoder": encoder, "width": width, "listed": round(1 / one.min()),
        "changed": round(1 / three.min()), "ratio": round(float(np.median(one / three)), 2),
        "by the last sum": round(float(np.median(one / two)), 2), "apart": float(f"{apart:.1e}"),
    }  # fmt: skip


def with_evaluator(player: SearchPlayer, **changes: Any) -> Any:
    """Return a player's searcher with another evaluator."""
    old = player.searcher
    return type(old)(old.game, old.module, old.settings, {**player.evaluator, **changes})


if __name__ == "__main__":
    for game, inputs, plies in INPUTS:
        for count in [int(word) for word in sys.argv[1:]] or WIDTHS:
            print(json.dumps(compare(game, inputs, plies, count)), flush=True)
