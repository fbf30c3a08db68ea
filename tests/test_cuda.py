"""The backend cuda plays the CPU's games: here in Numba's simulator, and what it does without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import few
from evoboard.arena.backends import cuda
from evoboard.arena.backends.base import Task, find_backend
from evoboard.arena.backends.cuda_players import fixed_finders
from evoboard.arena.schedules import paired_games
from evoboard.core.errors import KernelError, OptionError
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup

FILE = Path(__file__).parent / "gpu_games.py"
KING = load_game("kingcapture")
SETUP = Setup("kingcapture", "squares", settings={"depth": 1}, draws=DrawRules(3, 0, 30))


def run_file(*arguments, **env):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(FILE), *arguments],
        check=False, env={**os.environ, **env}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("which", few(["few", "all"], "few"))
def test_games_on_cuda_equal_those_on_the_cpu(which):
    lines = run_file("2", "3", which, NUMBA_ENABLE_CUDASIM="1")
    assert len(lines) == {"few": 7, "all": 9}[which]
    assert all(": equal 2 games" in line for line in lines)


def test_two_plies_where_games_wait_and_warps_go_on_to_the_next():
    (line,) = run_file("4", "5", "few", "1", NUMBA_ENABLE_CUDASIM="1")
    assert ": equal 4 games" in line


STUBBORN = Path(__file__).parent.parent / "examples" / "parts" / "stubborn.py"


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("random", "random does not always give the same answer to the same game"),
        ("material:seconds=1", "seconds=1 does not always give the same answer to the same game"),
        ("mcts:rounds=9", "rounds=9 does not always give the same answer to the same game"),
        (str(STUBBORN), "a kernel alone cannot find the moves of"),
    ],
)
def test_whose_move_is_chance_or_no_kernels_is_no_player_for_a_gpu(player, told, some_games):
    task = Task(SETUP, some_games[0], some_games[1], 7, ("material:depth=2", player), None)
    with pytest.raises(KernelError, match=told):
        fixed_finders(task)


def test_networks_that_list_their_inputs_as_players_alone_are_none_for_a_gpu_with_fixed_ones():
    layers, graphs = (
        Task(Setup("kingcapture", "pieces", kind), None, None, 7, ("material:depth=2",), None)
        for kind in ("mlp", "graph")
    )
    with pytest.raises(KernelError, match="fixed players read the inputs of pieces as a list"):
        fixed_finders(layers)
    assert len(fixed_finders(graphs)) == 1


def test_games_with_players_that_a_gpu_cannot_ask_are_played_by_the_cpu(some_games, monkeypatch):
    games = some_games[0], paired_games(KING, np.array([[0, 3], [3, 1]]), 4, 7, 2), 7, ("random",)
    monkeypatch.setattr(cuda, "require_gpu", lambda: None)
    monkeypatch.setattr(cuda, "FEW", 0)
    with pytest.warns(cuda.GpuWarning, match="with fixed players are played by the CPU: random"):
        ours = find_backend("cuda", 1).play(SETUP, *games, record=True)
    theirs = find_backend("cpu", 1).play(SETUP, *games, record=True)
    assert np.array_equal(ours.finals, theirs.finals)
    assert np.array_equal(ours.moves, theirs.moves)


@pytest.fixture
def some_games():
    rng = np.random.default_rng(3)
    pack = graph.pack(
        [GraphNetwork(36, [0], [0, 36], range(36), rng.normal(size=36), [0.1]) for _ in range(3)]
    )
    return pack, paired_games(KING, np.array([[0, 1], [1, 2]]), 4, 7, 2)


@pytest.fixture
def no_gpu(monkeypatch):
    """Have the backend made where no GPU is; asked for one, it fails as a compiler does."""

    def refuse(*given):
        raise KernelError("it cannot be compiled for a GPU (for the test).")

    monkeypatch.setattr(cuda, "require_gpu", lambda: None)
    monkeypatch.setattr(cuda, "play_on_gpu", refuse)


def test_few_games_are_played_by_the_cpu(no_gpu, some_games, recwarn):
    ours, theirs = (find_backend(name, 1).play(SETUP, *some_games, 7) for name in ("cuda", "cpu"))
    assert np.array_equal(ours.table.results, theirs.table.results)
    assert not [one for one in recwarn if one.category is cuda.GpuWarning]


def test_what_a_gpu_cannot_play_the_cpu_does_and_says_so_once(no_gpu, some_games, monkeypatch):
    monkeypatch.setattr(cuda, "FEW", 0)
    told = []
    with pytest.warns(cuda.GpuWarning, match="kingcapture are played by the CPU: it cannot be"):
        ours = find_backend("cuda", 1).play(SETUP, *some_games, 7, progress=told.append)
    assert sum(told) == len(ours.table.results)
    theirs = find_backend("cpu", 1).play(SETUP, *some_games, 7)
    assert np.array_equal(ours.table.plies, theirs.table.plies)
    find_backend("cuda", 1).play(SETUP, *some_games, 7)  # warnings are errors here


FULL = """
import numpy as np
from evoboard.arena.backends import cuda
from evoboard.arena.schedules import double_round_robin, Schedule
from evoboard.core import native_cuda
from evoboard.core.errors import KernelError
from evoboard.games.base import load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup

native_cuda.capacity, cuda.FEW = lambda: (1, 1000), 0
pack = graph.pack([GraphNetwork(36, [0], [0, 36], range(36), [0.1] * 36, [0.1])] * 2)
pairs = double_round_robin(2)
schedule = Schedule(pairs, np.zeros(2, np.int64), load_game("kingcapture").initial()[None])
backend = cuda.Backend(1)
backend._cpu.play_networks = lambda *rest: print("by the CPU")
backend.play(Setup("kingcapture", "squares"), pack, schedule, 7)
"""


def test_what_a_full_gpu_cannot_hold_the_cpu_plays_and_says_so():
    done = subprocess.run(
        [sys.executable, "-c", FULL],
        check=True, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "by the CPU\n"
    assert "the games need more memory than the GPU has to spare" in done.stderr


ROWS = """
import numpy as np
from evoboard.arena.backends import cuda, cuda_moves, cuda_program
from evoboard.core import native_cuda
from evoboard.networks import mlp
from evoboard.networks.mlp_network import Design, MLPNetwork
from evoboard.players.setup import Setup

setup = Setup("hexwar", "cells", "mlp", settings={"depth": 1, "quiescence": 2})
bound = setup.bind()
inputs = bound.encoder.inputs
pack = mlp.pack([MLPNetwork(Design((inputs, 1)), [0.1] * (inputs + 1))])
cuda.BLOCK, cuda_program.LARGEST_LOCAL = 32, 64
programs = cuda_moves.make_programs(bound, pack, np.int16, 32, 32)
rows = [sum(one.nbytes for one in program.rows) for program in programs if program]
assert all(rows), rows
# A game has a warp of its own while there are few, but one thread that lists its moves.
native_cuda.capacity = lambda: (1000, 1 << 30)
assert cuda._bytes_of_rows(programs, 64) == 64 * rows[0] + 64 * 32 * rows[1]
native_cuda.capacity = lambda: (1, 1 << 30)
assert cuda._bytes_of_rows(programs, 1024) == 1024 * rows[0] + 512 * rows[1]
print("counted")
"""


def test_what_the_threads_of_games_need_is_counted_as_well():
    done = subprocess.run(
        [sys.executable, "-c", ROWS],
        check=False, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "counted\n", done.stderr


WARPS = """
import numpy as np
from evoboard.arena.backends import cuda, cuda_program
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup

# Four games share a warp; of three, in which a network is to move, two do.
cuda.FEW, cuda.BLOCK, cuda.WARP, cuda.WARPS = 0, 1, 1, 1
cuda_program.LARGEST_LOCAL = 64
pack = graph.pack([GraphNetwork(36, [0], [0, 36], range(36), [0.1] * 36, [0.1])] * 2)
pairs = np.array([(0, 2), (1, 2), (1, 2), (2, 0)])
schedule = Schedule(pairs, np.zeros(4, np.int64), load_game("kingcapture").initial()[None])
setup = Setup("kingcapture", "squares", settings={"depth": 1}, draws=DrawRules(3, 0, 2))
found = find_backend("cuda", 1).play(setup, pack, schedule, 7, ("material:depth=1",))
print(*found.table.plies)
"""


def test_fewer_games_with_more_warps_have_their_rows():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WARPS],
        check=False, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "2 2 2 2\n", done.stderr


# The first game ends at once by a move that is none; the second one still has a move to make.
FORFEIT = """
import sys
import numpy as np
from evoboard.arena.backends import cuda
from evoboard.arena.backends.base import find_backend
from evoboard.arena.schedules import Schedule
from evoboard.games.base import DrawRules, load_game
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.setup import Setup

cuda.FEW, cuda.BLOCK, cuda.WARP = 0, 1, 1
pack = graph.pack([GraphNetwork(36, [0], [0, 36], range(36), [0.1] * 36, [0.1])])
schedule = Schedule(
    np.array([(1, 0), (0, 2)]), np.zeros(2, np.int64), load_game("kingcapture").initial()[None]
)
setup = Setup("kingcapture", "squares", settings={"depth": 1}, draws=DrawRules(0, 0, 9))
players = f"material:search={sys.argv[1]}", "material:depth=1"
found = find_backend("cuda", 1).play(setup, pack, schedule, 7, players)
print(*found.table.codes, *found.table.plies)
"""


@pytest.mark.parametrize(
    ("move", "told"), [("-1", "6 5 0 9\n"), ("999_999", "move number 999999 is not legal in ")]
)
def test_a_game_with_a_fixed_player_is_lost_once_by_no_move(move, told, tmp_path):
    text = (Path(__file__).parent.parent / "examples" / "parts" / "bold.py").read_text()
    text = text.replace("DETERMINISTIC = False", "DETERMINISTIC = True")
    (tmp_path / "own.py").write_text(text.replace("return move", f"return {move}"))
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", FORFEIT, str(tmp_path / "own.py")],
        check=False, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert told in (done.stdout or done.stderr), done.stderr


COUNTED = """
import numpy as np
from numba import cuda
from evoboard.core.native_cuda import popcount

@cuda.jit
def count(bits, found):
    found[0] = popcount(bits[0])

found = np.zeros(1, np.int64)
count[1, 1](np.array([-(1 << 63) | 1 << 56]), found)
print(found[0])
"""


def test_the_simulator_counts_the_highest_bit_as_any_other():
    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        check=False, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.stdout == "2\n", done.stderr


def test_without_a_gpu_the_backend_says_what_is_missing():
    with pytest.raises(OptionError, match=r"pip install 'evoboard\[cuda\]'|evoboard doctor"):
        find_backend("cuda")


def test_cells_are_as_small_as_positions_allow():
    openings = KING.initial()[None]

    def kind(plies, start=openings, game="kingcapture"):
        setup = Setup(game, "cells" if game == "hexwar" else "pieces", draws=DrawRules(3, 0, plies))
        return cuda.cell_kind(setup.bind(), start)

    assert kind(30) is np.int8
    assert kind(60) is np.int16  # the search may count 64 plies more
    late = openings.copy()
    late[0, KING.quiet] = 40_000
    assert kind(30, late) is np.int64
    hexwar, draughts = (load_game(name).initial()[None] for name in ("hexwar", "draughts"))
    assert kind(30, hexwar, "hexwar") is np.int16
    assert kind(30, draughts, "draughts") is np.int64  # bitboards
