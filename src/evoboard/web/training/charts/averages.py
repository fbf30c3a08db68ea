"""One line a run: links and hidden nodes of a network, on average, and the games per second."""

from __future__ import annotations

from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, lines_of_runs, thin
from evoboard.web.training.series import RunSeries

NUMBERS = ("links_mean", "nodes_mean", "games")
ORDER = 50
LIMITS = {"min": 0, "minInterval": 1}


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return three charts for all runs; that of hidden nodes only where a network has one."""
    return [*links(runs), *nodes(runs), *speed(runs)]


def links(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return how many links networks have."""
    caption = "Weights per network, on average; more are kept only if they help."
    if all(len(set(run.values("links_mean"))) == 1 for run in runs):
        caption = "Weights per network; so far their number has not changed."
    return lines_of_runs(runs, "Links", caption, "links per network", "links_mean", **LIMITS)


def nodes(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return how many hidden nodes networks have."""
    if not any(value > 0 for run in runs for value in run.values("nodes_mean")):
        return []
    caption = "Neurons between inputs and output, on average over the population."
    return lines_of_runs(runs, "Hidden nodes", caption, "nodes per network", "nodes_mean", **LIMITS)


def speed(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return how fast games were played."""
    caption = "How fast training games are played; longer games and larger networks take longer."
    return lines_of_runs(
        runs, "Games per second", caption, "games / s", lambda run: thin(run.speeds()), **LIMITS
    )
