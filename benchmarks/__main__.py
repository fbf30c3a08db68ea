"""python -m benchmarks [WORD …]: run the benchmarks whose group contains one of the words."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable

import benchmarks
from benchmarks.report import Row, print_groups

GROUPS: dict[str, Callable[[], list[Row]]] = {}
for found in pkgutil.iter_modules(benchmarks.__path__):
    if found.name != "__main__":
        GROUPS |= getattr(importlib.import_module(f"benchmarks.{found.name}"), "GROUPS", {})


def main() -> int:
    """Print every chosen group; return 1 where a target is missed."""
    words = sys.argv[1:]
    chosen = {n: g for n, g in GROUPS.items() if not words or any(w in n for w in words)}
    if not chosen:
        print(f"no benchmark is named so; there are: {', '.join(GROUPS)}")
        return 2
    missed = print_groups(chosen)
    print(f"\n{missed} targets missed" if missed else "\nall targets met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
