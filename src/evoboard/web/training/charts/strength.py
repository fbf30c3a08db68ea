"""The charts that answer whether runs get stronger, the most telling one first.

Fitness cannot tell: where a generation plays against itself, the points of all stay the same
however strong all of them get. Fixed opponents, earlier champions and grades can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from evoboard.core import catalog
from evoboard.core.options import split_options
from evoboard.core.wording import by_file_name
from evoboard.training.grades.base import PACKAGE, graded_games
from evoboard.web.opponents import within
from evoboard.web.training.charts.base import Drawn, points_of, spaced
from evoboard.web.training.charts.parts import (
    LOOKS,
    Options,
    band_of,
    level_at,
    line,
    measured,
    over_generations,
    run_colour,
)
from evoboard.web.training.groups import GroupSeries
from evoboard.web.training.series import EQUAL_SEARCH, Rating, RunSeries
from evoboard.web.values import percent, signed

NUMBERS = ("grade",)
ORDER = 10
BELOW, ABOVE = 600.0, 200.0  # Elo that is shown of intervals beyond the ratings
ALONE = 3  # anchors beside the first that have charts of their own; the rest share one
HOPELESS = 500.0  # Elo, 95% of the points: who loses that often cannot tell good from better


def draw(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return what can be drawn; the first chart has the question, of one run its answer."""
    question, answer = "Are they getting stronger?", ""
    if len(runs) == 1:
        question, answer = "Is it getting stronger?", verdict(runs[0])
    found = strength_charts(runs)
    return [each._replace(question=question, answer=answer) for each in found[:1]] + found[1:]


def strength_charts(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return the charts of strength that can be drawn, the most telling ones first.

    Elo in one game says nothing about another: runs of several games have charts of their own.
    """
    games: dict[str, list[RunSeries]] = {}
    for run in runs:
        games.setdefault(_game_of(run), []).append(run)
    found = [(game, _charts_of(alike)) for game, alike in games.items()]
    if len(found) == 1:
        return found[0][1]
    made = [
        (place, drawn._replace(title=f"{drawn.title} · {by_file_name(game)}"))
        for game, charts in found
        for place, drawn in enumerate(charts)
    ]
    return [drawn for _, drawn in sorted(made, key=lambda each: each[0])]


def _charts_of(runs: Sequence[RunSeries]) -> list[Drawn]:
    """Return the charts of runs of one game."""
    anchors = telling_anchors(runs)
    lead = anchors[:1] if anchors and all(anchors[0] in run.ratings for run in runs) else []
    if lead and cannot_tell(runs, lead[0]):
        lead = []
    rest = anchors[len(lead) :]
    alone, together = rest[:ALONE], rest[ALONE:]
    further = [ratings(runs, [anchor]) for anchor in alone]
    made = [ratings(runs, lead), earlier(runs), grade(runs), *further, ratings(runs, together)]
    return [drawn for drawn in made if drawn]


def cannot_tell(runs: Sequence[RunSeries], anchor: str) -> bool:
    """Tell whether an anchor has lost nearly every game from the beginning."""
    found = [each for run in runs for each in run.ratings.get(anchor, [])]
    return min(each.value for each in found) > HOPELESS


def telling_anchors(runs: Sequence[RunSeries]) -> list[str]:
    """Return the anchors: of most runs first, then at equal search, then by most even results."""
    found: dict[str, list[float]] = {}
    for run in runs:
        for anchor, rated in run.ratings.items():
            found.setdefault(anchor, []).extend(abs(each.value) for each in rated)

    def place(anchor: str) -> tuple[int, bool, float, str]:
        having = sum(anchor in run.ratings for run in runs)
        mean = sum(found[anchor]) / len(found[anchor])
        return -having, anchor != EQUAL_SEARCH, mean, anchor

    return sorted(found, key=place)


def ratings(runs: Sequence[RunSeries], anchors: Sequence[str]) -> Drawn | None:
    """Return Elo against anchors with 95% intervals."""
    series: list[Options] = []
    known: list[Rating] = []
    for run in runs:
        for number, anchor in enumerate(anchors):
            found = spaced(run.ratings.get(anchor, []))
            words = [run.name] if len(runs) > 1 else []
            if len(anchors) > 1 or not words:
                words.append(f"against {within(anchor)}")
            if found:
                look = LOOKS[number % len(LOOKS)]
                name, shift = ", ".join(words), _shift(run, runs)
                series += measured(name, found, run_colour(run.colour), look, shift, _is_group(run))
                known += found
    if not known:
        return None
    series[0]["markLine"] = level_at(0)
    who = " and ".join(map(within, anchors))
    options = over_generations(series, _count(runs), "Elo", **_rating_limits(known))
    options["unit"] = "elo"
    caption = (
        "0 is as strong as the opponent, +200 means three points out of four; bars: 95% intervals."
    )
    if any(each.bound for each in known):
        caption = f"{caption[:-1]}, open if every game was won or lost."
    return Drawn(
        f"Elo against {who}", caption, options, _latest_text("Elo", runs, _last_rating, anchors)
    )


def earlier(runs: Sequence[RunSeries]) -> Drawn | None:
    """Return the champions' share of the points against earlier ones, with 95% intervals."""
    series: list[Options] = []
    for run in runs:
        if run.earlier:
            name = run.name if len(runs) > 1 else "points"
            found, shift = spaced(run.earlier), _shift(run, runs)
            colour = run_colour(run.colour)
            series += measured(name, found, colour, LOOKS[0], shift, _is_group(run))
    if not series:
        return None
    series[0]["markLine"] = level_at(0.5)
    limits = {"min": 0, "max": 1, "interval": 0.25}
    options = over_generations(series, _count(runs), "share of the points", **limits)
    options["unit"] = "share"
    caption = "Above half, a champion beats the earlier ones it meets; bars are 95% intervals."
    title = "Points against earlier champions"
    return Drawn(title, caption, options, f"{title} over generations")


def grade(runs: Sequence[RunSeries]) -> Drawn | None:
    """Return the champions' grades."""
    points = {run.name: points_of(run, "grade") for run in runs}
    graded = [run for run in runs if points[run.name]]
    if not graded:
        return None
    series = []
    for run in graded:
        name, colour = run.name if len(runs) > 1 else "grade", run_colour(run.colour)
        series.append(line(name, points[run.name], colour))
        series += band_of(name, spaced(run.band("grade")), colour)
    kinds = {_grade_of(run) for run in graded}
    known = kinds.pop() if len(kinds) == 1 else None
    caption, limits = "Moves in fixed test positions; it should rise.", {"min": 0}
    if known:
        most, what = known
        shown = [y for run in graded for _, y in points[run.name]]
        ends = [end for run in graded for row in run.band("grade") for end in row[1:]]
        limits = _wide_enough([*shown, *(min(most, max(0.0, end)) for end in ends)], most)
        caption = f"Moves in fixed test positions: {what}, 0 to {most:g} points; it should rise."
    options = over_generations(series, _count(runs), "points", **limits)
    return Drawn(
        "Grade of the champion", caption, options, _latest_text("Grade", graded, _last_grade)
    )


def verdict(run: RunSeries) -> str:
    """Return in a sentence whether a run has become stronger, as far as its games can tell."""
    anchors = telling_anchors([run])
    if anchors and not cannot_tell([run], anchors[0]):
        return _rated_verdict(run.ratings[anchors[0]])
    if run.earlier:
        share, error = _late(run.earlier)
        told = f"its latest champions take {percent(share)} of the points from earlier ones."
        sure = "Yes" if share - error > 0.5 else "No" if share + error < 0.5 else "Not clear yet"
        return f"{sure}: {told}"
    if anchors and run.count > 1:
        return f"Impossible to say: {anchors[0]} lost nearly every game from the start."
    return ""


def _rated_verdict(rated: Sequence[Rating]) -> str:
    """Compare the first measurement to the mean of the last third: single ones scatter."""
    first, last = rated[0], rated[-1]
    if len(rated) < 2:
        return "It is too early to tell: the champion has been measured once."
    late, error = _late(rated)
    gap, wide = late - first.value, math.hypot(error, (first.high - first.low) / 2)
    rows = _late_rows(rated)
    when = f"in generation {last.generation}"
    if len(rows) > 1:
        when = f"on average in generations {rows[0].generation} to {last.generation}"
    told = f"from {signed(first.value)} in generation {first.generation} to {signed(late)} {when}"
    if abs(gap) <= wide:
        return f"Not clear yet: {told}, which may be chance."
    return f"{'Yes' if gap > 0 else 'No, it got weaker'}: {told}."


def _late_rows(rated: Sequence[Rating]) -> Sequence[Rating]:
    return rated[-max(1, len(rated) // 3) :]


def _late(rated: Sequence[Rating]) -> tuple[float, float]:
    """Return the mean of the last third, and how far it may be off."""
    rows = _late_rows(rated)
    square = sum(((row.high - row.low) / 2) ** 2 for row in rows)
    return sum(row.value for row in rows) / len(rows), math.sqrt(square) / len(rows)


def _is_group(run: RunSeries) -> bool:
    """Tell whether it is several runs, whose interval is that of their mean."""
    return isinstance(run, GroupSeries)


# --- their parts --------------------------------------------------------------------------------


def _shift(run: RunSeries, runs: Sequence[RunSeries]) -> float:
    """Return how far a run's measurements are moved, in pixels, so that all bars can be seen."""
    if _is_group(run):
        return 0.0  # bands overlap anyway
    return 5.0 * (runs.index(run) - (len(runs) - 1) / 2)


def _count(runs: Sequence[RunSeries]) -> int:
    return max(run.count for run in runs)


def rating_words(rated: Rating) -> tuple[str, str]:
    """Return an Elo difference and its interval; after a perfect score only a bound is known."""
    if rated.bound > 0:
        return f"> {signed(rated.low)}", "won every game"
    if rated.bound < 0:
        return f"< {signed(rated.high)}", "lost every game"
    return signed(rated.value), f"{signed(rated.low)} … {signed(rated.high)}"


def _game_of(run: RunSeries) -> str:
    return str(run.experiment.get("game", {}).get("name", ""))


def grade_words(run: RunSeries) -> str:
    """Return what the grade is out of."""
    known = _grade_of(run)
    return f"of {known[0]:g}" if known else ""


def _grade_of(run: RunSeries) -> tuple[float, str] | None:
    """Return the most points of the grade of a run's game, and what it measures."""
    name = split_options(_game_of(run))[0]
    if name not in graded_games():
        return None
    found: Any = catalog.find("grade", PACKAGE, name, "Grade").Grade
    return float(found.most), str(found.title)


def _wide_enough(values: Sequence[float], most: float) -> Options:
    """Return an axis with all grades, at least a third of all there are, so that noise is small."""
    step = most / 6
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    if high - low < 2 * step:
        low, high = max(0.0, low - step), min(most, high + step)
    return {"min": round(low, 6), "max": round(high, 6), "interval": step}


def _rating_limits(known: Sequence[Rating]) -> Options:
    """Return an axis with all ratings and 0, and of their intervals what is near."""
    values = [each.value for each in known]
    lows = [each.low for each in known if each.bound >= 0]
    highs = [each.high for each in known if each.bound <= 0]
    low = min(0.0, max(min([*lows, *values]), min(values) - BELOW))
    high = max(0.0, min(max([*highs, *values]), max(values) + ABOVE))
    steps = (50, 100, 200, 250, 500, 1000)
    step = next((step for step in steps if (high - low) / step <= 5), steps[-1])
    ends = {"min": math.floor(low / step) * step, "max": math.ceil(high / step) * step}
    return {**ends, "interval": step}


def _latest_text(what: str, runs: Sequence[RunSeries], last: Any, *more: Any) -> str:
    values = ", ".join(f"{run.name} {last(run, *more)}" for run in runs)
    return f"{what} over generations, latest: {values}"


def _last_rating(run: RunSeries, anchors: Sequence[str]) -> str:
    found = [run.ratings[anchor][-1] for anchor in anchors if anchor in run.ratings]
    return " and ".join(rating_words(each)[0] for each in found) or "unknown"


def _last_grade(run: RunSeries) -> str:
    return f"{run.latest('grade'):.4g}"
