"""A chart of the Train page: how much the champions have learnt so far."""

from itertools import accumulate

from evoboard.web.training.charts.base import lines_of_runs, spaced

NUMBERS = ("learning",)


def draw(runs):
    """Return one chart with a line for each run, none where no run has the number."""
    caption = "The learning values of all champions so far, summed: it rises while they learn."
    return lines_of_runs(runs, "Learning curve", caption, "sum", sums)


def sums(run):
    """Return the points of a run's line: generations and sums."""
    known = [(g, value) for g, value in enumerate(run.values("learning")) if value == value]
    totals = accumulate(value for _, value in known)
    return spaced([[g, total] for (g, _), total in zip(known, totals, strict=True)])
