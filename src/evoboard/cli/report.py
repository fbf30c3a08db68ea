"""The command report: a run's curves and tables, to read or, as JSON, to plot."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape

from evoboard.cli.options import Json, RunName
from evoboard.cli.printing import command, print_json, print_table, table_console
from evoboard.cli.progress import clock, elo_text, fitness_words
from evoboard.cli.runs import run_heading
from evoboard.core.arrays import Array
from evoboard.core.errors import NotFound
from evoboard.players.equal_search import EQUAL, opponent_words
from evoboard.runs.folder import describe_run
from evoboard.runs.report import (
    COMPLEXITY,
    FITNESS,
    MEASURED,
    Curves,
    champions_by_origin,
    curves,
    game_lengths,
    generation_seconds,
    known_numbers,
    learning_curve,
    ratings,
    seconds_per_game,
    species_fitness,
    species_sizes,
)
from evoboard.store.reader import Reader, open_run, player_at
from evoboard.store.records import Measurement
from evoboard.store.run_file import making_sense

STRETCHES = 12  # rows of a table over generations
# What a table over generations shows: a number's name, its heading and its form.
COLUMNS = (
    ("best", "best", ".4g"),
    ("mean", "mean", ".4g"),
    ("worst", "worst", ".4g"),
    ("grade", "grade", ".3g"),
    ("grade_unaided", "unaided", ".3g"),
    ("performance", "performance", ".3f"),
    ("species", "species", ".1f"),
    ("links_mean", "links", ".1f"),
    ("nodes_mean", "hidden", ".1f"),
    ("plies_mean", "plies", ".1f"),
    ("total", "seconds", ".2f"),
)


@command(
    "evoboard report mine",
    "evoboard report mine --json > mine.json    # every series, to plot",
)
def report(
    run: RunName,
    as_json: Json = False,
) -> None:
    """Show how a run went: fitness, networks, what champions learned and where they came from."""
    with open_run(run) as found, making_sense(found.folder):
        if not found.count():
            raise NotFound(f"the run {run} has no generation yet; there is nothing to report.")
        if as_json:
            return print_json(_data(found))
        console = table_console()
        console.print(run_heading(describe_run(run)))
        _print_curves(console, found)
        _print_learning(console, found)
        _print_origins(console, found)
        for line in ("", *_rated(found), _time(found)):
            console.print(line)


def _print_curves(console: Console, run: Reader) -> None:
    """Print what a generation was like, on average over a stretch of them."""
    generations, series = curves(run, [name for name, _, _ in COLUMNS])
    series["total"] = _aligned(generation_seconds(run), generations)
    shown = [column for column in COLUMNS if not np.isnan(series[column[0]]).all()]
    rows = [
        [_span(generations[part]), *(_mean(series[name][part], form) for name, _, form in shown)]
        for part in _stretches(len(generations))
    ]
    titles = [title for _, title, _ in shown]
    drop = [title for title in ("worst", "hidden", "species", "plies") if title in titles]
    print_table(console, ["generations>", *(f"{title}>" for title in titles)], rows, drop=drop)
    told = fitness_words(run.facts()["experiment"]["fitness"])
    console.print(f"[dim]averages per generation; best, mean and worst: {escape(told)}[/]")


def _aligned(seconds: Curves, generations: Array) -> Array:
    """Return the total time of each generation, NaN if it was not measured."""
    known = dict(zip(seconds.generations.tolist(), seconds.values["total"].tolist(), strict=True))
    return np.array([known.get(generation, np.nan) for generation in generations.tolist()])


def _print_learning(console: Console, run: Reader) -> None:
    """Print the learning values, their running sum and the straight line that fits it best.

    If champions have not met the ones just before, points against earlier ones are used instead.
    """
    found = learning_curve(run)
    count = len(found.generations)
    if not count:
        return _print_points(console, run)
    console.print(
        "\nLearning value: each champion against the one before; -1 lost all games, +1 won all"
    )
    trend = found.trend.at(found.generations)
    rows = [
        [
            _span(found.generations[part]),
            _mean(found.values[part], "+.3f"),
            f"{found.sums[part][-1]:+.2f}",
            f"{trend[part][-1]:+.2f}",
        ]
        for part in _stretches(count)
    ]
    print_table(console, ("generations>", "mean>", "sum>", "trend>"), rows)
    told = f"the sum's linear trend: {found.trend.slope:+.4f} a generation"
    if count < run.count() - 1:  # the first champion has none before it
        told += f"; measured in {count:,} of them (measure.learning=true measures every one)"
    console.print(f"[dim]{told}[/]")
    return None


def _print_points(console: Console, run: Reader) -> None:
    """Print how champions did against earlier ones, evenly spread, where that was measured."""
    places, values = known_numbers(run, "spread_score")
    if not len(places):
        console.print(
            "\nNo champion has played earlier ones, so nothing shows whether they learned; "
            "measure.spread=8 lets them play, measure.learning=true in every generation."
        )
        return
    console.print(
        "\nPoints of champions against earlier ones, evenly spread; 50% means equally good"
    )
    rows = [[_span(places[part]), _mean(values[part], ".0%")] for part in _stretches(len(places))]
    print_table(console, ("generations>", "points>"), rows)


def _print_origins(console: Console, run: Reader) -> None:
    """Print how champions of each origin did: the numbers of a box plot, where there are any."""
    score, told, form = "learning", "their learning values", "+.2f"
    boxes = champions_by_origin(run)
    if all(math.isnan(box.mean) for box in boxes.values()):
        score, told, form = "spread_score", "their points against earlier ones", ".0%"
        boxes = champions_by_origin(run, score)
    known = any(not math.isnan(box.mean) for box in boxes.values())
    console.print(f"\nChampions by origin{f', with {told}' if known else ''}")
    rows = []
    for origin, box in boxes.items():
        numbers = (box.minimum, box.quarter, box.median, box.three_quarters, box.maximum, box.mean)
        cells = [_number(value, form) for value in numbers] if known else []
        rows.append([origin, f"{box.total:,}", *cells])
    headings = ("origin", "champions>", "least>", "¼>", "median>", "¾>", "most>", "mean>")
    print_table(console, headings if known else headings[:2], rows)


def _rated(run: Reader) -> list[str]:
    """Return the first and the last Elo against each anchor, those at equal search first."""
    lines, facts = [], run.facts()
    measured: dict[str, list[tuple[int, Measurement]]] = {}
    for generation, row in run.anchored():
        measured.setdefault(row.opponent, []).append((generation, row))
    for anchor, found in measured.items():
        player = player_at(facts, found[-1][0])
        who = opponent_words(anchor, player["search"], player["settings"])
        ends = (found[0], found[-1])[: len(found)]
        told = [f"{elo_text(row)} in generation {generation:,}" for generation, row in ends]
        lines.append(f"Elo against {escape(who)}: {', '.join(told)}")
    return sorted(lines, key=lambda line: EQUAL not in line)


def _time(run: Reader) -> str:
    """Return how long it took, and what for."""
    sums = {step: float(cells.sum()) for step, cells in generation_seconds(run).values.items()}
    total = sums.pop("total")
    steps = sorted(sums.items(), key=lambda item: -item[1])
    shares = [f"{step} {seconds / total:.0%}" for step, seconds in steps if total > 0]
    return f"Time: {clock(total)} ({', '.join(shares)})"


def _stretches(count: int) -> Iterator[slice]:
    """Yield the parts of a series, about equally long."""
    ends = np.linspace(0, count, min(count, STRETCHES) + 1).astype(int).tolist()
    return (slice(*pair) for pair in itertools.pairwise(ends))


def _span(generations: Array) -> str:
    first, last = int(generations[0]), int(generations[-1])
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _mean(values: Array, form: str) -> str:
    known = values[~np.isnan(values)]
    return _number(float(known.mean()) if len(known) else math.nan, form)


def _number(value: float, form: str) -> str:
    return "–" if math.isnan(value) else format(value, form)


def _data(run: Reader) -> dict[str, Any]:
    """Return every series for scripts; a number that is not known, or without end, is null."""
    learning = learning_curve(run)
    return {
        "run": run.name,
        "fitness": _curves(curves(run, FITNESS)),
        "complexity": _curves(curves(run, COMPLEXITY)),
        "measured": _curves(curves(run, MEASURED)),
        "learning": _columns(learning, ("generations", "values", "sums"))
        | {"trend": learning.trend._asdict()},
        "origins": _origins(run),
        "origins_merged": _origins(run, merged=True),
        "lengths": _columns(game_lengths(run), ("generations", "plies", "games")),
        "species": _columns(species_sizes(run), ("generations", "species", "individuals"))
        | {name: _plain(cells.tolist()) for name, cells in species_fitness(run).items()},
        "seconds": _curves(generation_seconds(run)),
        "seconds_per_game": _curves(seconds_per_game(run)),
        "ratings": {
            anchor: _columns(found, found._fields) for anchor, found in ratings(run).items()
        },
    }


def _curves(found: Curves) -> dict[str, Any]:
    values = {name: _plain(cells.tolist()) for name, cells in found.values.items()}
    return {"generations": found.generations.tolist(), **values}


def _columns(found: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: _plain(cells.tolist()) for name, cells in zip(names, found, strict=False)}


def _plain(numbers: Sequence[Any]) -> list[Any]:
    return [number if math.isfinite(number) else None for number in numbers]


def _origins(run: Reader, merged: bool = False) -> dict[str, dict[str, Any]]:
    """Return the numbers of champions' boxes by name and origin."""
    return {
        origin: dict(zip(("champions", *box._fields[1:]), _plain(box), strict=True))
        for origin, box in champions_by_origin(run, merged=merged).items()
    }
