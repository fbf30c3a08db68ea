"""The CUDA target runs the same source and gives the same games; here in Numba's simulator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from evoboard.games.base import game_names

FILE = Path(__file__).parent / "cuda_playouts.py"


def test_random_games_on_cuda_equal_those_on_the_cpu():
    env = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    names = [name for name in game_names() if name != "chess"]  # minutes in the simulator
    command = [sys.executable, str(FILE), "3", *names]
    done = subprocess.run(
        command, check=False, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": equal 3 games") == len(names)
