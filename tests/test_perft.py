"""Counts of move sequences that others agree on, by the compiled rules and by the plain ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evoboard.games.base import game_names, load_game
from evoboard.games.perft import perft

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden" / "perft"
FILES = {path.stem: json.loads(path.read_text()) for path in sorted(GOLDEN.glob("*.json"))}
EXAMPLES = FILES.pop("examples", {})
CASES = [
    pytest.param(name, case["options"], case["state"], case["counts"], id=f"{name}-{i}")
    for name, cases in FILES.items()
    for i, case in enumerate(cases)
]
CASES += [
    pytest.param(str(ROOT / "examples" / f"{name}.py"), {}, None, counts, id=name)
    for name, counts in EXAMPLES.items()
]
# The plain rules are a thousand times slower: this many calls of legal_moves, and no more.
PLAIN_CALLS = 1000


def counts_of(game, state, depths, target="cpu"):
    kernel = game.link(perft, target)
    found = []
    for depth in range(1, depths + 1):
        states = np.zeros((depth, game.state_size), np.int64)
        moves = np.zeros((depth, game.max_moves), np.int32)
        states[0] = state
        found.append(int(kernel(states, moves, np.zeros((depth, 2), np.int64), depth)))
    return found


def position(game, text):
    return game.initial() if text is None else game.parse_state(text)


def test_every_built_in_game_has_golden_counts():
    assert set(game_names()) == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_the_first_golden_position_is_the_start_of_the_game(name):
    first = FILES[name][0]
    options = {key: value for key, value in first["options"].items() if key != "start"}
    game = load_game(name, **options)
    assert game.state_text(game.initial()) == first["state"]


@pytest.mark.parametrize("name, options, text, counts", CASES)
def test_compiled_rules_give_the_golden_counts(name, options, text, counts):
    game = load_game(name, **options)
    assert counts_of(game, position(game, text), len(counts)) == counts


@pytest.mark.parametrize("name, options, text, counts", CASES)
def test_uncompiled_rules_give_the_golden_counts(name, options, text, counts):
    game = load_game(name, **options)
    depths = 1
    while depths < len(counts) and sum(counts[:depths]) <= PLAIN_CALLS:
        depths += 1
    assert counts_of(game, position(game, text), depths, "python") == counts[:depths]


def test_a_drawn_position_is_counted_on_and_a_decided_one_is_not():
    chess = load_game("chess")
    kings = chess.parse_state("k7/8/8/8/8/8/8/K7 w - - 0 1")
    assert counts_of(chess, kings, 3) == [3, 9, 54]
    capture = load_game("kingcapture")
    taken = capture.parse_state("rbn1br/pppppp/6/6/PPPPPP/RBNKBR b")
    assert counts_of(capture, taken, 2) == [0, 0]
