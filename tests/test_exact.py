"""Mathematics that is the same on every processor: right to the last digits, and the same."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest

from compare_runs import differences
from conftest import few
from evoboard.core import exact

ROOT = Path(__file__).parents[1]
RNG = np.random.default_rng(1)
SPREAD = np.concatenate([RNG.uniform(-700, 700, 500), RNG.standard_normal(500), [0.0, -0.0, 1.0]])


def off(found, wanted):
    """Return by how many last digits the numbers found are off, at most."""
    return max(
        abs(Decimal(float(one)) - other) / Decimal(float(np.spacing(abs(one) or 1e-300)))
        for one, other in zip(found, wanted, strict=True)
    )


def test_exponentials_and_logarithms_are_right_to_the_last_digits():
    with localcontext() as context:
        context.prec = 40
        assert off(exact.exp(SPREAD), [Decimal(float(x)).exp() for x in SPREAD]) < 2
        above = np.exp(SPREAD)
        near = 1 + 1e-9 * RNG.standard_normal(300)
        for x in (above[above > 0], near):
            assert off(exact.log(x), [Decimal(float(each)).ln() for each in x]) < 3
    assert exact.exp(np.array([-1e9, 1e9])) == pytest.approx([0.0, np.exp(709.0)])


def test_powers_and_tangents_are_those_of_the_library_but_for_last_digits():
    x = np.concatenate([RNG.random(500), [0.0, 1.0]])
    for exponent in (0, 1, 2, 0.5, 3, 7.25):
        assert exact.power(x, exponent) == pytest.approx(x**exponent, rel=1e-14, abs=1e-300)
    assert exact.tanh(SPREAD) == pytest.approx(np.tanh(SPREAD), abs=1e-15)


@pytest.mark.parametrize("size", [1, 2, 30])
def test_matrices(size):
    some = RNG.standard_normal((size, size + 3))
    matrix = exact.product(some, some.T) + 0.1 * np.eye(size)
    assert matrix == pytest.approx(some @ some.T + 0.1 * np.eye(size))
    triangle = exact.factor(matrix)
    assert np.array_equal(triangle, np.triu(triangle))
    assert exact.product(triangle.T, triangle) == pytest.approx(matrix)
    right = RNG.standard_normal(size)
    assert triangle.T @ exact.solved(triangle, right) == pytest.approx(right)
    assert exact.combined(right, some) == pytest.approx(right @ some)


def test_what_is_not_positive_definite_gets_the_least_root():
    triangle = exact.factor(np.array([[1.0, 1.0], [1.0, 1.0]]), 1e-8)
    assert triangle == pytest.approx(np.array([[1, 1], [0, 1e-4]]))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 100.0])
def test_what_is_flat_in_most_directions_has_a_root_all_the_same(scale):
    some = scale * RNG.standard_normal((5, 30))
    matrix = exact.product(some.T, some)
    triangle = exact.factor(matrix, 1e-24)
    assert exact.product(triangle.T, triangle) == pytest.approx(matrix, abs=1e-9 * scale**2)


COURSE = """
import hashlib
import numpy as np
from evoboard.evolution.base import Evidence, Shape, make_strategy
known = hashlib.sha256()
for seed in (4, 6, 8):
    for name in ("cmaes", "evolution_strategy"):
        strategy = make_strategy(name, {"population": 9}, Shape(3, 1), seed)
        for _ in range(400):
            distance = ((strategy.ask().genes.vector - 0.4) ** 2).sum(axis=1)
            strategy.tell(Evidence(-np.floor(1000 * distance)))
            for each in strategy.extra_state().values():
                known.update(np.asarray(each).tobytes())
print(known.hexdigest())
"""


def test_another_c_library_takes_the_same_course():
    """glibc chooses the code of exponentials and powers by the processor, one in 1,000 differs."""
    old = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA_Usable,-AVX2,-AVX2_Usable,-FMA4"}
    found = [
        subprocess.run(
            [sys.executable, "-c", COURSE],
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for changed in ({}, old)
    ]
    assert found[0] == found[1]


STRATEGIES = sorted(path.stem for path in (ROOT / "benchmarks" / "strategies").glob("*.toml"))


@pytest.mark.parametrize("name", few(STRATEGIES, "cmaes", "evolution_strategy", "blondie"))
def test_another_processor_makes_the_same_run(name, tmp_path):
    """Libraries are made to believe in a processor with fewer instructions, and in one core."""
    simple = {
        "OPENBLAS_NUM_THREADS": "1",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched()),
    }
    runs = []
    for which, changed in (("this", {}), ("simple", simple)):
        folder = tmp_path / which
        command = [sys.executable, "-m", "evoboard", "train", f"benchmarks/strategies/{name}.toml"]
        settings = ["game.name=nim", "player.encoder=binary", "generations=4", "measure.every=2"]
        settings += ['measure.anchors=["random"]', "measure.grade=false"]
        command += [part for each in settings for part in ("--set", each)]
        environment = {**os.environ, **changed, "EVOBOARD_RUNS": str(folder)}
        subprocess.run(
            [*command, "--run", "r", "-q"], cwd=ROOT, env=environment, check=True, timeout=300
        )
        runs.append(folder / "r")
    assert not differences(*runs)


def dispatched():
    """Return what NumPy finds in this processor beyond what all have."""
    code = (
        "from numpy._core._multiarray_umath import __cpu_dispatch__ as d, __cpu_features__ as f;"
        "print(*(each for each in d if f[each]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.split()
