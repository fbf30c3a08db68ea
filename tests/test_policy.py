"""Policy: outputs become moves as the Nim paper says, and nothing else does."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest

from evoboard.core.errors import OptionError
from evoboard.encoders.base import find_encoder
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.games.nim import make_move
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.base import make_player
from evoboard.search import policy
from evoboard.search.base import Searcher, read_settings

HEAPS = (3, 4, 2)
NIM = "nim:heaps=3/4/2"
NUMBERS = (-math.inf, -1, -0.5, 0, 0.49, 0.5, 1.5, 2.4, 2.6, 3.5, 5, 1e30, math.inf, math.nan)


def dictated(network: Any, values: Any, outputs: Any) -> None:
    """A network whose outputs are its weights."""
    for i in range(outputs.shape[0]):
        outputs[i] = network[i]


def unseen(state: Any, out: Any) -> None:
    """An encoder that writes nothing."""


@functools.cache
def searcher(one_hot: int, safe: int) -> Searcher:
    settings = read_settings(policy, {"one_hot": one_hot, "safe": safe})
    return Searcher(load_game(NIM), policy, settings, {"encode": unseen, "forward_all": dictated})


def choice(heaps: tuple[int, ...], outputs: tuple[float, ...], one_hot: int, safe: int) -> int:
    """The move that these outputs make."""
    state = np.array([*heaps, 0])
    player = searcher(one_hot, safe)
    return player.think(np.array(outputs, np.float32), History.of(player.game, state)).move


def wanted(outputs: tuple[float, ...], one_hot: int) -> tuple[float, float]:
    """Heap and amount that the outputs name."""
    if not one_hot:
        whole = [0 if math.isnan(x) else math.floor(max(min(x, 1e6), -1e6) + 0.5) for x in outputs]
        return whole[0], whole[1]
    heaps, amounts = outputs[: len(HEAPS)], outputs[len(HEAPS) :]
    ranked = [[-math.inf if math.isnan(x) else x for x in group] for group in (heaps, amounts)]
    return ranked[0].index(max(ranked[0])), 1 + ranked[1].index(max(ranked[1]))


def expected(heaps: tuple[int, ...], outputs: tuple[float, ...], one_hot: int, safe: int) -> int:
    """What must be played: the nearest heap, the first of two, then the nearest amount."""
    heap, amount = wanted(outputs, one_hot)
    legal = [(h, a) for h, size in enumerate(heaps) for a in range(1, size + 1)]
    if (heap, amount) in legal:
        return make_move(int(heap), int(amount))
    if not safe:
        return -1
    return make_move(*min(legal, key=lambda m: (abs(m[0] - heap), m[0], abs(m[1] - amount))))


@pytest.mark.parametrize("safe", [0, 1])
def test_direct_outputs_are_heap_and_amount(safe: int) -> None:
    played = set()
    for heaps in itertools.product(*(range(size + 1) for size in HEAPS)):
        if any(heaps):
            for outputs in itertools.product(NUMBERS, NUMBERS):
                move = choice(heaps, outputs, 0, safe)
                assert move == expected(heaps, outputs, 0, safe), (heaps, outputs)
                played.add(move)
    assert len(played) > 6
    assert (-1 in played) == (not safe)


@pytest.mark.parametrize("safe", [0, 1])
def test_one_hot_outputs_name_the_highest_heap_and_amount(safe: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(2_000):
        heaps = tuple(int(n) for n in rng.integers(0, np.array(HEAPS) + 1))
        outputs = rng.integers(-3, 4, len(HEAPS) + max(HEAPS)).astype(float)
        outputs[rng.random(len(outputs)) < 0.1] = math.nan
        if any(heaps):
            move = choice(heaps, tuple(outputs), 1, safe)
            assert move == expected(heaps, tuple(outputs), 1, safe), (heaps, outputs)


def test_the_papers_own_moves_are_read_as_it_reads_them() -> None:
    # "Turn: 0: state: [2], agent_move: [0, 1]" and "state: [1], agent_move: [0, 2]", which loses.
    assert choice((3, 0, 0), (0.2, 2.7), 0, 0) == make_move(0, 3)
    assert choice((1, 0, 0), (0.2, 2.2), 0, 0) == -1
    assert choice((1, 0, 0), (0.2, 2.2), 0, 1) == make_move(0, 1)


def test_a_real_network_plays_what_it_computes() -> None:
    game = load_game("nim:heaps=8")
    # Amount = heap − 1: the perfect strategy of one heap, in one linear node.
    network = MLPNetwork(Design((1, 2), ("identity",)), np.array([0, -1, 0, 1], np.float32))
    pack, encoder = mlp.pack([network]), find_encoder("heaps", game)
    evaluator = {**encoder.bindings, "forward_all": mlp.forward_all}
    evaluator["SCRATCH"] = mlp.scratch_size(pack)
    player = Searcher(game, policy, policy.Settings(), evaluator)
    for size in range(2, 9):
        thought = player.think(mlp.member(pack, 0), History.of(game, np.array([size, 0])))
        assert (thought.move, thought.line) == (size - 1, (size - 1,))
    assert player.think(mlp.member(pack, 0), History.of(game, np.array([1, 0]))).move == -1


def test_an_ended_game_has_no_move() -> None:
    for one_hot, safe in itertools.product((0, 1), (0, 1)):
        assert choice((0, 0, 0), (0.0,) * 7, one_hot, safe) == -1


def test_the_number_of_outputs_is_known() -> None:
    game = load_game(NIM)
    assert policy.outputs_for(game, policy.Settings(one_hot=0)) == 2
    assert policy.outputs_for(game, policy.Settings(one_hot=1)) == 3 + 4


def test_other_games_are_refused_with_the_reason() -> None:
    for text in ("chess", "hexwar"):
        with pytest.raises(OptionError, match=r"heap and an amount.*nim.*alphabeta"):
            policy.workspace(load_game(text), policy.Settings(), 1)


def test_who_counts_pieces_has_no_network_to_ask() -> None:
    with pytest.raises(OptionError, match="policy asks a network for its move"):
        make_player("material:search=policy", load_game("kingcapture"))


def test_senseless_settings_are_refused_by_name() -> None:
    with pytest.raises(OptionError, match="one_hot"):
        read_settings(policy, {"one_hot": 2})
    with pytest.raises(OptionError, match="decoding"):
        read_settings(policy, {"decoding": "direct"})
    assert read_settings(policy, {"safe": "true"}) == policy.Settings(safe=True)
