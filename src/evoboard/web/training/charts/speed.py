"""The games per second."""

from __future__ import annotations

from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, lines_of_runs, thin
from evoboard.web.training.series import RunSeries

NUMBERS = ("games",)
ORDER = 70


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return one chart for all runs."""
    caption = "How fast training games are played: longer games and larger networks take longer."
    limits = {"min": 0, "minInterval": 1}
    return lines_of_runs(
        runs, "Games per second", caption, "games / s", lambda run: thin(run.speeds()), **limits
    )
