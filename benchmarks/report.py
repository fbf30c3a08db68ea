"""A benchmark's rows: what was measured, beside what, and whether the target is met."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evoboard.core.errors import EvoboardError


@dataclass(frozen=True)
class Row:
    """`ours` and `peer` in the same unit; `target` is the ratio wanted (or, without peer, ours)."""

    what: str
    ours: float
    unit: str
    peer_name: str = ""
    peer: float = 0.0
    target: float = 0.0
    lower_is_better: bool = False

    @property
    def ratio(self) -> float:
        """Ours over the peer's; ours alone where there is no peer."""
        return self.ours / self.peer if self.peer else self.ours

    @property
    def met(self) -> bool:
        """Tell whether the target is met; a row without a target always is."""
        if not self.target:
            return True
        return self.ratio <= self.target if self.lower_is_better else self.ratio >= self.target


def begin(main: Callable[[], None], doc: str | None, least: int) -> None:
    """Run a module of its own: with too few words it explains itself, and what is wrong with them
    is a sentence."""
    words = sys.argv[1:]
    if len(words) < least or {"-h", "--help"}.intersection(words):
        sys.exit((doc or "").strip())
    try:
        main()
    except EvoboardError as error:
        sys.exit(str(error))


def print_groups(groups: Mapping[str, Callable[[], list[Row]]]) -> int:
    """Measure and print groups; return how many targets are missed, or groups did not run."""
    missed = 0
    for name, group in groups.items():
        print(f"\n{name}", flush=True)
        try:
            missed += print_rows(group())
        except Exception as error:  # one that is broken must not cost the others, an hour of them
            print(f"  did not run: {type(error).__name__}: {error}", flush=True)
            missed += 1
    return missed


def print_rows(rows: list[Row]) -> int:
    """Print a group's rows; return how many targets are missed."""
    for row in rows:
        peer = f"{row.peer_name} {_number(row.peer)}" if row.peer else ""
        ratio = f"{row.ratio:8.2f} ×" if row.peer else ""
        sign = "≤" if row.lower_is_better else "≥"
        wanted = f"{sign} {_number(row.target)}" if row.target else ""
        mark = "" if not row.target else "ok" if row.met else "MISSED"
        ours = f"{_number(row.ours)} {row.unit}"
        print(
            f"  {row.what:<44} {ours:>22}  {peer:<28} {ratio:>10} {wanted:>14} {mark}", flush=True
        )
    return sum(not row.met for row in rows)


def rate(work: Callable[[], int], seconds: float = 1.0, repeats: int = 3) -> float:
    """Return units of work per second, the best of `repeats` stretches of `seconds`/`repeats`."""
    best = 0.0
    for _ in range(repeats):
        began, done = time.perf_counter(), 0
        while (spent := time.perf_counter() - began) < seconds / repeats or not done:
            done += work()
        spent = time.perf_counter() - began
        best = max(best, done / spent)
    return best


def _number(value: float) -> str:
    for limit, divisor, mark in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e3, 1e3, " k")):
        if value >= limit:
            return f"{value / divisor:.1f}{mark}"
    return f"{value:.2f}"
