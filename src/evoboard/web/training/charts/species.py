"""The sizes of the species, as stacked areas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, one_each
from evoboard.web.training.charts.parts import area, hide_legend, over_generations
from evoboard.web.training.series import RunSeries

NUMBERS = ("species",)
ORDER = 30
MOST_SPECIES = 11


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return a chart for each run with species."""
    return one_each(runs, _draw_one)


def _draw_one(run: RunSeries) -> Drawn | None:
    """Return the sizes of the species as stacked areas, the small ones as one."""
    generations = sorted(run.sizes)
    totals = Counter[int]()
    for row in run.sizes.values():
        totals.update(row)
    if not totals:
        return None
    shown = sorted(key for key, _ in totals.most_common(MOST_SPECIES))
    series = []
    for key in shown:
        points = [[float(g), float(run.sizes[g].get(key, 0))] for g in generations]
        series.append(area(f"species {key}", points, f"$h{key % 360}"))
    if len(totals) > len(shown):
        rest = [
            [float(g), float(sum(n for key, n in run.sizes[g].items() if key not in shown))]
            for g in generations
        ]
        series.append(area(f"{len(totals) - len(shown)} others", rest, "$line"))
    largest = max(sum(row.values()) for row in run.sizes.values())
    options = over_generations(series, run.count, "individuals", min=0, max=largest, minInterval=1)
    hide_legend(options)  # numbers of species say little; the tip has those of a generation
    last = len(run.sizes[generations[-1]])
    caption = "The size of each species; similar networks compete among themselves."
    if len(totals) == 1:
        caption = (
            "So far all individuals belong to one species, because their networks are so similar."
        )
    return Drawn("Species", caption, options, f"Species: {last} in generation {generations[-1]}")
