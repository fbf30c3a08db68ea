"""The linker: compiled equals plain, warm in a second process, never stale, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from evoboard.core import bits, cache, fragments
from evoboard.core import link as linker
from evoboard.core.compiling import compiling
from evoboard.core.errors import KernelError
from evoboard.core.link import constant_slot, link, slot, stamp

TABLE = np.array([3, 5, 7], np.int8)
FACTOR = 2
SIZE: int = constant_slot()


@slot
def part(number):
    """A hole."""


def scaled(number):
    return number * FACTOR


def summed(numbers):
    total = 0
    for i in range(SIZE):
        total += part(scaled(numbers[i])) + TABLE[i % 3]
    return total


def plus_one(number):
    return number + 1


def minus_one(number):
    return number - 1


def around(number):
    return back(number)


def back(number):
    return around(number)


def reads_text(number):
    return number + len(NAMES)


NAMES = {"a": 1}


def beyond(numbers):
    return numbers[numbers.shape[0] + 3]


def counted(board):
    return popcount(board), lowest(board), shift_right(board, 3), bit(63) == board


popcount, lowest, shift_right, bit = bits.popcount, bits.lowest, bits.shift_right, bits.bit


@pytest.mark.parametrize("target", ["cpu", "checked", "python"])
def test_slots_are_filled_by_name_on_every_target(target):
    numbers = np.arange(4)
    add = link(summed, {"part": plus_one, "SIZE": 4}, target)
    take = link(summed, {"part": minus_one, "SIZE": 3}, target)
    assert add(numbers) == sum(2 * n + 1 for n in range(4)) + 3 + 5 + 7 + 3
    assert take(numbers) == sum(2 * n - 1 for n in range(3)) + 15


def test_stamp_covers_code_constants_and_callees(monkeypatch):
    first = stamp(summed, {"part": plus_one, "SIZE": 4})
    assert first == stamp(summed, {"part": plus_one, "SIZE": 4})
    assert first != stamp(summed, {"part": minus_one, "SIZE": 4})
    assert first != stamp(summed, {"part": plus_one, "SIZE": 5})
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert first != stamp(summed, {"part": plus_one, "SIZE": 4})


def test_an_empty_slot_is_named():
    with pytest.raises(KernelError, match=r"summed \(test_link.py, line \d+\) uses 'SIZE'"):
        link(summed, {"part": plus_one})


def test_recursion_closures_and_objects_are_refused_with_the_remedy():
    def inner(number):
        return number + scale

    scale = 3
    with pytest.raises(KernelError, match=r"around -> back -> around.*stack"):
        link(around)
    with pytest.raises(KernelError, match="top level"):
        link(inner)
    with pytest.raises(KernelError, match="reads 'NAMES', a dict"):
        link(reads_text)
    with pytest.raises(KernelError, match="no target 'gpu'"):
        link(plus_one, target="gpu")  # type: ignore[arg-type]


def test_checked_target_raises_where_a_kernel_leaves_its_array():
    with pytest.raises(IndexError):
        link(beyond, target="checked")(np.zeros(3, np.int64))


@pytest.mark.parametrize("board", [1, -1, -(2**63), 2**62, 0x0F0F << 20, -2])
def test_bit_operations_are_the_same_compiled_and_plain(board):
    word = np.int64(board)
    assert link(counted)(word) == tuple(link(counted, target="python")(word))
    unsigned = board % 2**64
    assert link(counted)(word)[:2] == (
        unsigned.bit_count(),
        (unsigned & -unsigned).bit_length() - 1,
    )


RULES = """
def speed():
    return {value}

def rules(x):
    return x + speed()
"""
PROGRAM = """
import sys, time
sys.path.insert(0, {folder!r})
import warnings
warnings.simplefilter("always")
from evoboard.core import link as linker
from rules import rules
function = linker.link(rules)
print(function(1), function.stats.cache_hits[list(function.stats.cache_hits)[0]]
      if function.stats.cache_hits else 0)
"""


def run_program(folder: Path, cache_folder: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "EVOBOARD_CACHE": str(cache_folder), "PYTHONDONTWRITEBYTECODE": "1"}
    program = textwrap.dedent(PROGRAM.format(folder=str(folder)))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", program], env=env, text=True, **pipes)


def output(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


def test_a_second_process_is_warm_and_an_edited_rule_runs_at_once(tmp_path):
    store = tmp_path / "cache"
    (tmp_path / "rules.py").write_text(RULES.format(value=10))
    assert output(run_program(tmp_path, store)) == ("11 0", "")
    assert output(run_program(tmp_path, store)) == ("11 1", "")
    # The same length and, as far as the file system can tell, perhaps the same time.
    (tmp_path / "rules.py").write_text(RULES.format(value=20))
    assert output(run_program(tmp_path, store)) == ("21 0", "")


def called(number):
    return number * number + 1


def one_root(number):
    return called(number) + 1


def other_root(number):
    return called(number) + 2


def test_what_one_root_calls_is_ready_for_the_next(tmp_path, monkeypatch):
    """It comes from the cache, without machine code of its own, and computes the same."""
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "_COMPILED", {})  # as in a new process
    assert link(one_root)(3) == 11
    assert sorted(path.name.split("-")[0] for path in tmp_path.iterdir()) == ["called", "one_root"]
    monkeypatch.setattr(linker, "_COMPILED", {})
    assert link(other_root)(3) == 12
    (part,) = [each for mark, each in linker._COMPILED.items() if mark.endswith("-fragment")]
    assert (sum(part.stats.cache_hits.values()), sum(part.stats.cache_misses.values())) == (1, 0)
    assert link(called)(3) == 10  # a root by itself, too


def test_declarations_are_gone_through_by_who_compiles_alone(tmp_path, monkeypatch):
    """It takes longer than to load many a kernel."""
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    usual, gone_through = fragments._declarations_known, []
    known = lambda context: (gone_through.append(1), usual(context))[1]  # noqa: E731
    monkeypatch.setattr(fragments, "_declarations_known", known)
    for _ in range(2):
        monkeypatch.setattr(linker, "_COMPILED", {})
        assert link(one_root)(3) == 11
        assert gone_through == [1]


def test_of_several_processes_one_compiles_and_the_others_load(tmp_path):
    (tmp_path / "rules.py").write_text(RULES.format(value=10))
    together = [run_program(tmp_path, tmp_path / "cache") for _ in range(3)]
    assert sorted(output(process)[0] for process in together) == ["11 0", "11 1", "11 1"]
    assert not [f for f in (tmp_path / "cache").iterdir() if f.suffix != ".kernel"]


def test_a_process_that_stands_still_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "_COMPILED", {})
    monkeypatch.setattr(cache, "PATIENCE", 0.1)
    kernel = link(one_root)
    codegen = kernel.targetctx.codegen()
    path = kernel._cache._file((types.int64,), codegen)
    heard = []
    monkeypatch.setattr(compiling, "listener", lambda *told: heard.append(told))
    with path.with_suffix(".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert kernel(3) == 11
    assert path.exists()
    assert heard[0] == (0, 0)  # that another process is at it
    assert heard[-1] == (2, 2)


def squares(numbers):
    total = 0
    for number in numbers:
        if number > 3:
            total += number * number
        else:
            total += called(number)
    return total


def cubes(numbers):
    total = 0
    for number in numbers:
        total += called(number) * number
    return total + squares(numbers)


def fourths(numbers):
    return cubes(numbers) + squares(numbers)


def test_how_far_the_compiler_is_can_be_heard(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "_COMPILED", {})
    heard = []
    monkeypatch.setattr(compiling, "listener", lambda *told: heard.append(told))
    link(fourths)(np.arange(6))
    assert heard == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("short", [0, 10_000])
def test_what_is_called_is_linked_into_the_root_whatever_its_length(tmp_path, monkeypatch, short):
    """Long functions are declared only and come at the end, also by way of the cache."""
    monkeypatch.setattr(fragments, "SHORT", short)
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    numbers = np.arange(6)
    for root in (squares, cubes, fourths):
        monkeypatch.setattr(linker, "_COMPILED", {})  # as in a new process
        assert link(root)(numbers) == root(numbers)


OWN_CLASS = """
from typing import NamedTuple

import numpy as np


class Work(NamedTuple):
    numbers: np.ndarray


def total(work):
    return work.numbers[0] + work.numbers[1]
"""


CALLED = """
import sys
from pathlib import Path

import numpy as np

from evoboard.core import cache
from evoboard.core.catalog import load_file
from evoboard.core.link import link, slot

loads, load = [], cache.KernelCache.load_overload


def counted(self, sig, context):
    found = load(self, sig, context)
    loads.extend([self] if found else [])
    return found


cache.KernelCache.load_overload = counted


@slot
def part(work):
    ...


def twice(work):
    return 2 * part(work)


module = load_file("search", Path("own.py"))
kernel, work = link(module.total), module.Work(np.array([3, 4]))
values = [int(kernel(work)) for _ in range(4)]
told = f"{values} {len(loads)}"
if "outer" in sys.argv:  # a new kernel that calls the stored one
    told += f" {link(twice, {'part': module.total})(work)}"
print(told)
"""


def test_a_stored_kernel_takes_the_classes_of_a_file_that_is_loaded_again(tmp_path):
    (tmp_path / "own.py").write_text(OWN_CLASS)
    env = {**os.environ, "EVOBOARD_CACHE": str(tmp_path / "kernels")}
    told = []
    for words in ([], ["outer"]):
        done = subprocess.run(
            [sys.executable, "-c", CALLED, *words],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.append(done.stdout.strip())
    # The second process loads it once, not at every call.
    assert told == ["[7, 7, 7, 7] 0", "[7, 7, 7, 7] 1 14"]


def called_anew(folder, monkeypatch):
    """Call a kernel as a new process does; return whether it was stored, and what is warned of."""
    monkeypatch.setenv("EVOBOARD_CACHE", str(folder))
    monkeypatch.setattr(linker, "_COMPILED", {})
    cache._warn.cache_clear()
    kernel = link(one_root)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert kernel(3) == 11
    assert {warning.category for warning in caught} <= {cache.CacheWarning}
    return sum(kernel.stats.cache_hits.values()), [str(warning.message) for warning in caught]


def test_a_damaged_cache_is_made_anew_with_a_warning(tmp_path, monkeypatch):
    assert called_anew(tmp_path, monkeypatch) == (0, [])
    for damage in (
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:-1] + b"?",
    ):
        for file in tmp_path.iterdir():
            file.write_bytes(damage(file.read_bytes()))
        stored, (told,) = called_anew(tmp_path, monkeypatch)
        assert not stored
        assert "is damaged" in told
    assert called_anew(tmp_path, monkeypatch) == (1, [])


def test_an_unusable_cache_folder_costs_a_warning(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    stored, (told,) = called_anew(tmp_path / "file" / "cache", monkeypatch)
    assert not stored
    assert "EVOBOARD_CACHE" in told


def test_kernels_of_somebody_else_are_not_loaded(tmp_path, monkeypatch):
    store = tmp_path / "cache"
    assert called_anew(store, monkeypatch) == (0, [])
    assert store.stat().st_mode & 0o777 == 0o700
    assert called_anew(store, monkeypatch) == (1, [])
    with next(store.iterdir()).open("rb") as file:
        assert not cache._is_foreign(file.fileno())
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        owner = os.stat(file.name).st_uid
        assert cache._is_foreign(file.fileno()) == (owner != 0)
    if os.geteuid() == 0:  # only root can give files away
        for file in store.iterdir():
            os.chown(file, 54321, 54321)
        stored, (told,) = called_anew(store, monkeypatch)
        assert not stored
        assert "holds kernels that are not yours" in told


def test_a_read_only_cache_folder_costs_a_warning(tmp_path, monkeypatch):
    # Root may write anywhere, so the refusal is made by hand.
    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "write_whole", refuse)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert link(plus_one)(4.5) == 5.5
    assert [w.category for w in caught] == [cache.CacheWarning]


def test_a_cache_folder_that_cannot_be_looked_into_costs_a_warning(tmp_path, monkeypatch):
    """A folder of root's, or one whose name is too long, as here."""
    stored, told = called_anew(tmp_path / ("long" * 100), monkeypatch)
    assert not stored
    assert told


def test_a_lock_leaves_the_file_that_it_is_a_link_to_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    (tmp_path / "precious").write_text("precious")
    kernel, codegen = cache.KernelCache("name", "stamp"), SimpleNamespace(magic_tuple=tuple)
    kernel._file((), codegen).with_suffix(".lock").symlink_to(tmp_path / "precious")
    with kernel.compiling((), codegen):
        pass
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.skipif(cache.fcntl is None, reason="there are no such locks on Windows")
def test_patience_is_lost_once(tmp_path, monkeypatch):
    """With a process that was stopped in the midst of a kernel's functions, each of them locked."""
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "PATIENCE", 0.5)
    monkeypatch.setattr(cache, "_lost", [])
    codegen = SimpleNamespace(magic_tuple=tuple)
    kernels = [cache.KernelCache(f"name{i}", "stamp") for i in range(20)]
    began = time.monotonic()
    with ExitStack() as held:
        for kernel in kernels:
            held.enter_context(kernel.compiling((), codegen))
        for kernel in kernels:
            with kernel.compiling((), codegen):
                pass
    assert 0.5 <= time.monotonic() - began < 8  # and not 20 times that


class Before(NamedTuple):
    one: int
    two: int


class After(NamedTuple):
    two: int
    one: int


After.__name__ = After.__qualname__ = "Before"  # as if its fields had been reordered by an edit


def first_field(pair):
    return pair.one


def test_the_order_of_a_tuples_fields_is_part_of_the_key():
    assert link(first_field)(Before(one=1, two=2)) == 1
    assert link(first_field)(After(one=1, two=2)) == 1


def both_first_fields(one, other):
    return first_field(one) * 10 + first_field(other)


def test_the_order_of_a_tuples_fields_tells_called_functions_apart(tmp_path, monkeypatch):
    """Both are linked into one root, where only their names differ."""
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(linker, "_COMPILED", {})
    assert link(both_first_fields)(Before(one=1, two=2), After(one=3, two=4)) == 13


def makes_a_list(number):
    return [number]


def makes_an_array(number):
    return np.zeros(number)


def raises(number):
    if number:
        raise ValueError
    return number


def prints(number):
    print(number)


def multiplies(numbers):
    return np.dot(numbers, numbers)


@pytest.mark.parametrize(
    "kernel,told",
    [
        (makes_a_list, "makes a list in line"),
        (makes_an_array, "allocates an array"),
        (raises, "raises an exception"),
        (prints, "prints"),
        (multiplies, r"uses linear algebra \(dot\)"),
    ],
)
def test_what_no_gpu_can_do_is_refused_everywhere(kernel, told):
    with pytest.raises(KernelError, match=told):
        link(kernel, target="python")


def test_a_command_does_without_scipy_and_leaves_it_to_others(tmp_path):
    """Numba imports it for linear algebra: a third of a second in every process.

    Nor does the garbage collector look at what a command has loaded; others have theirs as it was.
    """
    pytest.importorskip("scipy")
    (tmp_path / "rules.py").write_text(RULES.format(value=10))
    program = PROGRAM.format(folder=str(tmp_path)) + "print('scipy.linalg' in sys.modules)\n"
    program += "import gc; print(gc.get_freeze_count() > 10_000, gc.isenabled())\n"
    told = []
    for more in ("import evoboard.cli.main\n", ""):
        command = [sys.executable, "-c", more + program + "import scipy.linalg\n"]
        env = {**os.environ, "EVOBOARD_CACHE": str(tmp_path / f"cache{len(more)}")}  # both compile
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        told += done.stdout.split()
    assert told[2::5] == ["False", "True"]
    assert told[3::5] == ["True", "False"]
    assert told[4::5] == ["True", "True"]


COUNTS_LOADS = """
import sys
from evoboard.core.cache import KernelCache
loads, load = [], KernelCache.load_overload
KernelCache.load_overload = lambda self, *given: (loads.append(1), load(self, *given))[1]
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
game = load_game("kingcapture")
player = make_player(f"champion:search={sys.argv[1]}", game)
player.think(History(game), 1)
first = len(loads)
for chance in range(5):
    player.think(History(game), chance)
print(first, len(loads))
"""


def test_a_search_of_ones_own_is_loaded_once_a_process_not_once_a_move():
    """Also in a process that finds it compiled by another."""
    search = Path(__file__).parent.parent / "examples" / "parts" / "bold.py"
    command = [sys.executable, "-c", COUNTS_LOADS, str(search)]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        first, last = map(int, done.stdout.split())
        assert 0 < first == last
