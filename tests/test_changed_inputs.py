"""Networks that value a position by what has changed since the last one they were asked about."""

from __future__ import annotations

import numpy as np
import pytest

from evoboard.arena.backends.base import Task
from evoboard.arena.backends.cuda_players import fixed_finders
from evoboard.core.errors import KernelError
from evoboard.core.link import link
from evoboard.core.rng import stream
from evoboard.encoders.base import find_encoder
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.networks import mlp
from evoboard.networks.mlp import Design, MLPNetwork
from evoboard.players.setup import Setup
from evoboard.search.limits import Limits
from evoboard.search.values import changed_value, listed_value

LISTING = [
    ("draughts", "pieces:apart=true"),
    ("kingcapture", "pieces"),
    ("kingcapture", "threats"),
    ("chess", "chess_phases"),
]


def wide_pack(inputs, *widths, largest=0.5, **more):
    design = Design((inputs, *widths, 1), **more)
    vector = np.random.default_rng(inputs).uniform(-largest, largest, design.length)
    return mlp.pack([MLPNetwork(design, vector.astype(np.float32))])


def wide_player(game, encoder, *widths, search="pvs", settings=None, **more):
    pack = wide_pack(find_encoder(encoder, game).inputs, *(widths or (mlp.WIDE,)), **more)
    setup = Setup(game.name, encoder, "mlp", search, settings or {"depth": 3})
    return setup.bind(game).player(pack)


def some_positions(game, games=6, plies=60):
    """Return positions as a search meets them: some of games, and what follows from them."""
    found, chance = [], stream(1, "changed", game.name)
    for number in range(games):
        state = game.initial(number + 1)
        for _ in range(int(chance.integers(plies))):
            moves = game.legal_moves(state)
            if not moves:
                break
            state = game.apply(state, moves[int(chance.integers(len(moves)))])
        found.append(state)
        for move in game.legal_moves(state):
            after = game.apply(state, move)
            found += [after, *(game.apply(after, reply) for reply in game.legal_moves(after)[:6])]
    return found


@pytest.mark.parametrize(("name", "encoder"), LISTING)
def test_a_position_has_one_value_whatever_came_before(name, encoder):
    game = load_game(name)
    player = wide_player(game, encoder, direct=True, difference=0.1)
    assert player.evaluator["evaluate"] is changed_value
    states = np.array(some_positions(game))
    size = player.evaluator["SCRATCH"]
    changed = game.link(changed_value, **player.evaluator)
    listed = game.link(listed_value, **{**player.evaluator, "forward_listed": mlp.forward_listed})

    def fresh(state):
        return changed(player.network, state, np.zeros(size, np.float32))

    wanted = np.array([fresh(state) for state in states])
    plain = [listed(player.network, state, np.zeros(size, np.float32)) for state in states]
    np.testing.assert_allclose(wanted, plain, atol=1e-4)
    assert len(set(wanted.tolist())) > len(states) // 4
    values, chance = np.zeros(size, np.float32), stream(2, "changed", name)
    in_turn = np.tile(np.arange(len(states)), 2)
    for order in (in_turn, chance.integers(len(states), size=2000)):
        found = [changed(player.network, states[i], values) for i in order]
        assert np.array_equal(np.array(found), wanted[order])
    assert player.value(states[0]) == wanted[0]


@pytest.mark.parametrize("target", ["cpu", "python"])
def test_any_list_may_follow_any_other(target):
    """Places come twice, in any order; lists are empty, full, and too large for whole UNITs."""
    inputs, unlisted = 30, 24
    pack = wide_pack(inputs, mlp.WIDE, largest=mlp.LARGEST_WEIGHT)
    network = mlp.member(pack, 0)
    forward = link(mlp.forward_changed, target=target)
    plain = link(mlp.forward_listed, target=target)
    size = mlp.scratch_size(pack) + mlp.kept_size(pack, 0)
    chance = np.random.default_rng(3)
    kept, lists, large = np.zeros(size, np.float32), [], 0
    for turn in range(300):
        if turn % 3 and len(lists) > 9:
            row, count = lists[int(chance.integers(len(lists)))]
            row = row.copy()
            at = int(chance.integers(unlisted // 2))  # a pair, and an input that is not listed
            row[2 * at : 2 * at + 2] = chance.integers(unlisted), chance.integers(-2, 3)
            row[unlisted + at % 6] = chance.integers(3)
            count = min(unlisted // 2, max(0, count + int(chance.integers(-1, 2))))
        else:
            count, row = int(chance.integers(unlisted // 2 + 1)), np.zeros(inputs, np.float32)
            row[:unlisted:2] = chance.integers(unlisted, size=unlisted // 2)
            row[1:unlisted:2] = chance.normal(size=unlisted // 2)
            row[unlisted:] = chance.normal(size=inputs - unlisted)
        lists.append((row, count))
        if turn % 7 == 0:
            row = row.copy()
            row[unlisted] = 200.0
            large += 1
        side, answers = int(chance.integers(2)), []
        for values in (kept, np.zeros(size, np.float32)):
            values[:inputs] = row
            answers.append(forward(network, values, count, unlisted, side))
        assert answers[0] == answers[1]
        values = np.zeros(size, np.float32)
        values[:inputs] = row
        assert abs(answers[0] - plain(network, values, count, unlisted)) < 1e-2
    assert large


def test_only_where_it_is_worth_it_and_sums_fit():
    game = load_game("kingcapture")
    for widths, largest, wanted in (
        ((mlp.WIDE,), 1.0, changed_value),
        ((mlp.WIDE, 8), mlp.LARGEST_WEIGHT, changed_value),
        ((mlp.WIDE - 1,), 1.0, listed_value),
        ((8, mlp.WIDE), 1.0, listed_value),
        ((mlp.WIDE,), mlp.LARGEST_WEIGHT * 1.5, listed_value),
        ((mlp.WIDE,), mlp.LEAST_WEIGHT * 1.5, changed_value),
        ((mlp.WIDE,), 1e-4, listed_value),  # counted in whole UNITs, its values would be 5% off
    ):
        player = wide_player(game, "pieces", *widths, largest=largest)
        assert player.evaluator["evaluate"] is wanted, (widths, largest)


def test_searches_and_threads_do_not_disturb_each_other():
    game = load_game("kingcapture")
    one, other = (wide_player(game, "pieces", settings={"depth": 3}) for _ in range(2))
    two = wide_player(game, "pieces", settings={"depth": 3, "threads": 2})
    histories = [History.of(game, state) for state in some_positions(game, 3)[::9]]
    histories = [history for history in histories if not history.verdict()[1]]
    first = [one.think(history, 1) for history in histories]
    again = [one.think(history, 1) for history in reversed(histories)][::-1]
    mixed = [other.think(history, 1) for history in histories for _ in range(2)][::2]
    for thought, second, third in zip(first, again, mixed, strict=True):
        assert (thought.move, thought.value) == (second.move, second.value)
        assert (thought.move, thought.value) == (third.move, third.value)
    works = [two.searcher.work, *two.searcher._helpers]
    assert not np.shares_memory(works[0].scratch, works[1].scratch)
    shallow = Limits(depth=1, instead=True)
    for history in histories:
        values = [p.think(history, 1, shallow).value for p in (one, two)]
        assert values[0] == values[1]


def test_a_gpu_does_not_ask_players_that_remember():
    ours = Setup("kingcapture", "squares", "mlp")
    game = load_game("kingcapture")
    player = wide_player(game, "pieces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evoboard.players.base.make_player", lambda text, game: player)
        with pytest.raises(KernelError, match="remembers what it has valued"):
            fixed_finders(Task(ours, None, None, 7, ("wide",), None))
