"""Best and mean fitness; of one run also how widely it is spread, and its alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evoboard.web.training.charts.base import Drawn, drawn_over_generations, points_of, spaced
from evoboard.web.training.charts.parts import Options, band_of, line, marks_at, run_colour
from evoboard.web.training.series import RunSeries

NUMBERS = ("best", "mean", "spread")
ORDER = 20


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return one chart for all runs."""
    series: list[Options] = []
    several = len(runs) > 1
    for run in runs:
        colour = run_colour(run.colour)
        lead, group = (f"{run.name}, ", run.name) if several else ("", "")
        best, mean, wide = (points_of(run, key) for key in ("best", "mean", "spread"))
        series.append(line(f"{lead}best", best, colour, "solid", group))
        series.append(line(f"{lead}mean", mean, colour, "dashed", group))
        series += band_of(group or "best", spaced(run.band("best")), colour)
        if not several and not run.band("mean"):
            band = [[x, y - w, y + w] for (x, y), (_, w) in zip(mean, wide, strict=False)]
            series[0]["markLine"] = marks_at([generation for generation, _ in run.alarms])
            series += band_of("mean", band, colour)
    told = ", ".join(f"{run.name} {run.latest('best'):.4g}" for run in runs)
    caption = fitness_words(runs[0].experiment if not several else {}, several)
    told = f"best of the latest: {told}"
    return drawn_over_generations("Fitness", caption, series, runs, "fitness", told, scale=True)


def fitness_words(experiment: dict[str, Any], several: bool = False) -> str:
    """Return what fitness is worth in an experiment, and what to expect of it."""
    band = "" if several else "; the band is the mean ± one standard deviation"
    choice = experiment.get("fitness", {})
    if several:
        return "The best and the mean (dashed); unlike Elo, not comparable between runs."
    if choice.get("function"):
        return f"Points earned in games, as counted by “{choice['function']}”{band}."
    own = choice.get("schedule", "double_round_robin") != "none"
    kinds = {each.get("kind") for each in choice.get("against") or ()}
    if not own and kinds == {"players"}:
        return f"Points against fixed opponents, so it should rise{band}."
    if choice.get("total") == "mean":
        return f"Points per game against each other, so by design the mean stays near ½{band}."
    return f"Points against each other, so by design the mean hardly moves{band}."
