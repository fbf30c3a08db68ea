"""The hidden nodes of a network, on average."""

from __future__ import annotations

from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, lines_of_runs
from evoboard.web.training.series import RunSeries

NUMBERS = ("nodes_mean",)
ORDER = 60


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return one chart for all runs, none where no network has a hidden node."""
    if not any(value > 0 for run in runs for value in run.values("nodes_mean")):
        return []
    caption = "Neurons between inputs and output, on average over the population."
    limits = {"min": 0, "minInterval": 1}
    return lines_of_runs(runs, "Hidden nodes", caption, "nodes per network", "nodes_mean", **limits)
