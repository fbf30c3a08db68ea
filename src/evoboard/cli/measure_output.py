"""How grades and ratings look in a terminal of 80 columns, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from evoboard.cli.printing import plain_table
from evoboard.core.arrays import evenly_spread
from evoboard.core.settings import plain
from evoboard.core.statistics import wilson
from evoboard.runs.lineage import ChampionLineage
from evoboard.runs.rate import Rated
from evoboard.training.grades.base import GradePart, GradeResult

MATRIX = 15  # champions whose results fit side by side
BAR = 12


def generations_table(lineage: ChampionLineage, results: list[GradeResult]) -> Table:
    """Return the grades of champions, one row for each."""
    table, first = plain_table(), results[0]
    parts = [part.name for part in first.parts]
    unaided = ["unaided"] if first.unaided else []
    for heading in ("generation", *parts, f"of {first.most:g}", "95%", *unaided):
        table.add_column(heading, justify="right")
    for generation, result in zip(lineage.generations, results, strict=True):
        digits = _digits(result)
        value, interval = _span(result.interval(), digits)
        cells = [f"{part.points:.{digits}f}" for part in result.parts]
        cells += [f"[bold]{value}[/]", interval]
        cells += [_span(result.interval(unaided=True), digits)[0]] if result.unaided else []
        table.add_row(str(generation), *cells)
    return table


def grade_table(result: GradeResult) -> Table:
    """Return a grade part by part."""
    table, digits = plain_table(), _digits(result)
    for heading in ("", "", "positions", "of", "points", "95%"):
        table.add_column(heading, justify="right" if heading else "left")
    if result.unaided:
        table.add_column("unaided", justify="right")
    for number, part in enumerate(result.parts):
        cells = [part.name, part.title, str(part.cases), _most(part.most)]
        cells += _span(part.interval(), digits)
        cells += [_span(result.unaided[number].interval(), digits)[0]] if result.unaided else []
        table.add_row(*cells)
    value, interval = _span(result.interval(), digits)
    cases = sum(part.cases for part in result.parts)
    cells = ["", "[bold]grade[/]", str(cases), _most(result.most), f"[bold]{value}[/]", interval]
    cells += [_span(result.interval(unaided=True), digits)[0]] if result.unaided else []
    table.add_row(*cells)
    return table


def _digits(result: GradeResult) -> int:
    return 1 if result.most > 1 else 3


def _most(most: float) -> str:
    return f"{most:.3f}" if most < 1 else f"{most:.0f}"


def _span(span: tuple[float, float, float], digits: int) -> tuple[str, str]:
    """Return a number and its interval as texts."""
    value, low, high = (f"{number:.{digits}f}" for number in span)
    return value, "exact" if span[1] == span[2] else f"{low} … {high}"


def grade_data(result: GradeResult) -> dict[str, Any]:
    """Return a grade for scripts."""

    def parts(found: tuple[GradePart, ...]) -> dict[str, Any]:
        return {
            part.name: dict(zip(("points", "low", "high"), part.interval(), strict=True))
            | {"most": part.most, "positions": part.cases}
            for part in found
        }

    value, low, high = result.interval()
    data: dict[str, Any] = {"grade": value, "low": low, "high": high, "most": result.most}
    data |= {"parts": parts(result.parts)}
    if result.unaided:
        value, low, high = result.interval(unaided=True)
        data["unaided"] = {"grade": value, "low": low, "high": high, "parts": parts(result.unaided)}
    return data


def elo_table(rated: Rated) -> Table:
    """Return the champions' Elo, and their results against each anchor."""
    table, ratings, shares = plain_table(), rated.ratings, rated.shares()
    champions = len(rated.lineage.generations)
    wide = len(rated.anchors) <= 2
    for heading in ("generation", "Elo", "95%", *rated.anchors):
        table.add_column(heading, justify="right", overflow="fold")
    if wide:
        table.add_column("", no_wrap=True, overflow="crop")
    floor = min(0.0, float(ratings.elo[:champions].min()))
    span = max(1.0, float(ratings.elo[:champions].max()) - floor)
    for row, generation in enumerate(rated.lineage.generations):
        met = [f"{shares[row, champions + i]:.0%}" for i in range(len(rated.anchors))]
        bar = "█" * round(BAR * (float(ratings.elo[row]) - floor) / span)
        interval = f"{ratings.low[row]:+.0f} … {ratings.high[row]:+.0f}"
        cells = [str(generation), f"[bold]{ratings.elo[row]:+.0f}[/]", interval, *met]
        table.add_row(*cells, *([f"[cyan]{bar}[/]"] if wide else []))
    for row, anchor in enumerate(rated.anchors, champions):
        interval = f"{ratings.low[row]:+.0f} … {ratings.high[row]:+.0f}" if row > champions else "–"
        table.add_row(f"[dim]{escape(anchor)}[/]", f"{ratings.elo[row]:+.0f}", interval)
    return table


def ancestor_matrix(rated: Rated) -> Table:
    """Return the share of points of each champion against each earlier one."""
    table, shares = plain_table(), rated.shares()
    count = len(rated.lineage.generations)
    shown = evenly_spread(count, MATRIX)
    names = [str(rated.lineage.generations[i]) for i in shown]
    for heading in ("", *names[:-1]):
        table.add_column(heading, justify="right", style="" if heading else "bold")
    table.padding = (0, 1, 0, 0)
    for place, row in enumerate(shown[1:], 1):
        met = [_coloured(shares[row, column]) for column in shown[:place]]
        table.add_row(names[place], *met)
    return table


def _coloured(share: float) -> str:
    """Return a share in percent, green for a clear win, red for a clear loss."""
    style = "green" if share > 0.55 else "red" if share < 0.45 else "default"
    return f"[{style}]{100 * share:.0f}[/]"


def series_table(rated: Rated) -> Table:
    """Return the last champion's results against its ancestors and against random."""
    table, series = plain_table(), rated.series
    for heading in ("ancestor", "won", "drawn", "lost", "score", "fitted"):
        table.add_column(heading, justify="right")
    for i, generation in enumerate(series.generations):
        counts = (series.wins[i], series.draws[i], series.losses[i])
        trend = " ".join(f"{100 * max(0.0, share):4.0f}" for share in series.trend[:, i])
        table.add_row(str(generation), *_percent(counts), trend)
    table.add_row("random", *_percent(series.random), "")
    return table


def verdict(rated: Rated) -> str:
    """Return in a sentence whether the latest champions beat the first one: single ones scatter."""
    generations, cross = rated.lineage.generations, rated.cross
    late = range(len(generations) - max(1, len(generations) // 3), len(generations))
    games = float(cross.games[late, 0].sum())
    share = float(cross.points()[late, 0].sum()) / games
    low, high = wilson(share, games)
    who = f"the champion of generation {generations[-1]} takes"
    if len(late) > 1:
        who = f"the champions of generations {generations[late[0]]} to {generations[-1]} take"
    sure = "Yes" if low > 0.5 else "No, it got weaker" if high < 0.5 else "Not clear"
    told = f"{who} {share:.0%} ({low:.0%} … {high:.0%}) of the points from that of generation"
    return f"{sure}: {told} {generations[0]}."


def _percent(counts: tuple[int, int, int]) -> list[str]:
    total = max(1, sum(int(n) for n in counts))
    score = (counts[0] + counts[1] / 2) / total
    return [*(f"{100 * n / total:.0f}" for n in counts), f"[bold]{100 * score:.0f}[/]"]


def rated_data(rated: Rated) -> dict[str, Any]:
    """Return everything about a rated run for scripts."""
    lineage, ratings, shares = rated.lineage, rated.ratings, rated.shares()
    game, champions, series = lineage.bound.game, len(lineage.generations), rated.series
    names = [*(f"gen={g}" for g in lineage.generations), *rated.anchors]
    players = [
        {"player": name, "elo": float(ratings.elo[i]), "elo_low": float(ratings.low[i]),
         "elo_high": float(ratings.high[i]), "games": int(ratings.games[i])}
        for i, name in enumerate(names)
    ]  # fmt: skip
    matrix = [[float(shares[i, j]) for j in range(i)] for i in range(champions)]
    columns = {name: getattr(series, name).tolist() for name in ("wins", "draws", "losses")}
    trend = dict(zip(("wins", "draws", "losses"), series.trend.tolist(), strict=True))
    return {
        "run": lineage.name,
        "game": game.name,
        "settings": plain(lineage.bound.settings),
        "anchors": list(rated.anchors),
        "games": rated.games,
        "seed": rated.seed,
        "opening_plies": rated.opening_plies,
        "players": players,
        "ancestor_matrix": matrix,
        "last_champion": {
            "games": series.games,
            "generations": list(series.generations),
            **columns,
            "trend": trend,
            "random": list(series.random),
        },
        "alarms": [alarm._asdict() for alarm in rated.alarms],
    }
