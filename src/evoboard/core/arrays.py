"""The type of every array here, whose cells are described where it is made; places in one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def evenly_spread(count: int, most: int) -> list[int]:
    """Return at most so many of the places 0 to count - 1, among them the first and the last."""
    return np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()
