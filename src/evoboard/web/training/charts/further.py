"""Every number that no other chart draws, such as what a strategy reports by its facts()."""

from __future__ import annotations

from collections.abc import Sequence, Set

from evoboard.web.training.charts.base import REST, Drawn, lines_of_runs
from evoboard.web.training.series import RunSeries

NUMBERS = REST
ORDER = 90
FOLDED = True


def draw(runs: Sequence[RunSeries], named: Set[str]) -> list[Drawn]:
    """Return a chart for each number that is not among those that other charts have `named`."""
    made = []
    for name in sorted({name for run in runs for name in run.numbers} - named):
        title = name.replace("_", " ").capitalize()
        caption = f"A number of each generation, stored as “{name}”."
        made += lines_of_runs(runs, title, caption, title.lower(), name, scale=True)
    return made
