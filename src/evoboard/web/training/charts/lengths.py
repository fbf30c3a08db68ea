"""How long games lasted, as a heat map."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from evoboard.web.training.charts.base import Drawn, one_each
from evoboard.web.training.charts.parts import DIM, Options, category_axis, tip
from evoboard.web.training.series import RunSeries

NUMBERS = ("plies_mean",)
ORDER = 40
LENGTH_ROWS = 24


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return a chart for each run whose games were counted."""
    return one_each(runs, _draw_one)


def _draw_one(run: RunSeries) -> Drawn | None:
    """Return how long games lasted, as a heat map: the stronger the colour, the more games."""
    if not run.lengths:
        return None
    longest = max(max(row) for row in run.lengths.values())
    step = max(1, math.ceil((longest + 1) / LENGTH_ROWS))
    columns = sorted(run.lengths)
    cells = []
    for place, column in enumerate(columns):
        rows = Counter[int]()
        for plies, games in run.lengths[column].items():
            rows[plies // step] += games
        total = rows.total()
        cells += [[place, row, round(games / total, 4)] for row, games in rows.items()]
    tops = [row * step for row in range(longest // step + 1)]
    shares = sorted(cell[2] for cell in cells)
    most = max(0.02, shares[int(0.99 * (len(shares) - 1))])
    options: Options = {
        "animation": False,
        "grid": {
            "left": 56,
            "right": 14,
            "top": 30,
            "bottom": 40,
            "show": True,
            "backgroundColor": "$heat0",
            "borderWidth": 0,
        },
        "tooltip": {**tip(), "trigger": "item"},
        "xAxis": category_axis([column * run.stride for column in columns], "generation", 24),
        "yAxis": category_axis(tops, "length in plies", 42),
        "visualMap": _heat_scale(most),
        "series": [{"id": "lengths", "type": "heatmap", "data": cells}],
    }
    mean = run.latest("plies_mean")
    label = f"Lengths of games: {mean:.1f} plies on average in the last generation"
    caption = (
        "The stronger the colour, the more games of a generation had that length; it changes as "
        "play improves."
    )
    return Drawn("Lengths of games", caption, options, label)


def _heat_scale(most: float) -> Options:
    """Return the scale of shares from none to the most."""
    return {
        "show": True,
        "min": 0,
        "max": most,
        "text": [f"{100 * most:.0f}% of games or more", "0%"],
        "textStyle": DIM,
        "textGap": 6,
        "orient": "horizontal",
        "right": 10,
        "top": 0,
        "padding": 4,
        "itemWidth": 9,
        "itemHeight": 70,
        "hoverLink": False,
        "inRange": {"color": ["$heat0", "$heat1", "$heat2"]},
    }
