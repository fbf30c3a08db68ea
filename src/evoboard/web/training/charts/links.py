"""The links of a network, on average."""

from __future__ import annotations

from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, lines_of_runs
from evoboard.web.training.series import RunSeries

NUMBERS = ("links_mean",)
ORDER = 50


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return one chart for all runs."""
    caption = "Weights of a network, on average: more are kept only where they help."
    if all(len(set(run.values("links_mean"))) == 1 for run in runs):
        caption = "Weights of a network: so far their number has not changed."
    limits = {"min": 0, "minInterval": 1}
    return lines_of_runs(runs, "Links", caption, "links per network", "links_mean", **limits)
