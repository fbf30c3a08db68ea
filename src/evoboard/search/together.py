"""Several threads on one move: all search the same position, with a table in common.

What one has found, the others need not look for. Limits hold for all of them together: nodes are
shared out, and whoever has the answer, or a stop, ends the search for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from evoboard.search.limits import Stop

Kernel = Callable[[Any, Any], Any]  # of settings and a workspace; returns a move


def think_together(kernel: Kernel, settings: Any, works: Sequence[Any], flag: Stop) -> list[int]:
    """Run a kernel for every workspace at once, in threads; return their moves."""
    if len(works) == 1:
        return [int(kernel(settings, works[0]._replace(stop=flag.cell)))]
    if settings.nodes > 0:
        settings = settings._replace(nodes=max(1, settings.nodes // len(works)))
    for work in works:
        work.age[0] = works[0].age[0]  # all have the same next one
    over = Stop()

    def search(work: Any) -> int:
        try:
            return int(kernel(settings, work._replace(stop=over.cell)))
        finally:
            over.set()

    with ThreadPoolExecutor(len(works)) as pool, flag.calling(over.set):
        try:
            return list(pool.map(search, works))
        finally:
            over.set()  # an interruption ends them all
