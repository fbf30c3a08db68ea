"""The command study: runs of several settings and seeds as one thing."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.cli.options import BackendName, Jobs, Json, RunGames, Threads
from evoboard.cli.printing import command, offer, print_json, print_table, span_text, table_console
from evoboard.cli.study_watch import StudyWatch, threads_each
from evoboard.core.errors import OptionError
from evoboard.core.statistics import least_p
from evoboard.core.wording import counted, readable
from evoboard.pictures.study_report import outcome_rows, write_study
from evoboard.runs.study import Study, StudyRun, make_study, open_study, study_names
from evoboard.runs.study_numbers import Gathered, gather
from evoboard.runs.study_training import train_study
from evoboard.runs.sweep import seeds_of, sweep

MOST_PAIRS = 10  # comparisons that are printed; the report has all


@command(
    "evoboard study kingcapture-quick --seeds 5 --set strategy.population=20,40",
    "evoboard study nim-quick own.toml --seeds 10 --games 50000",
    "evoboard study --name nim-quick-study          # continue it, or see its results",
    "evoboard study                                 # all studies",
)
def study(
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[EXPERIMENT|FILE.toml|GAME.py]...", help="What to compare."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE,VALUE",
            help="Try several values of a setting, or set one value for all runs; may be repeated, "
            "and all combinations are run.",
        ),
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(
            help="How many (5: seeds 1 to 5), or which: 3,5,8 or 11-20; a new study has 5."
        ),
    ] = "",
    games: RunGames = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Every run ends after this many seconds of training.", min=0.1),
    ] = None,
    measure: Annotated[
        str, typer.Option(help="The number to compare; by default grade, or Elo.")
    ] = "",
    name: Annotated[
        str, typer.Option(help="The study's name; on its own, continues that study.")
    ] = "",
    jobs: Jobs = 1,
    threads: Threads = 0,
    backend: BackendName = "cpu",
    as_json: Json = False,
) -> None:
    """Compare settings over several seeds: learning curves, and which differences are significant.

    Run the same command again to continue, or with more seeds or values to add them.
    """
    if not experiments and not name:
        return _list_studies(as_json)
    if games and seconds:
        raise OptionError(
            "runs end after a number of games or of seconds; give --games or --seconds, not both."
        )
    if experiments:
        found = sweep(experiments, changes or (), seeds_of(seeds or "5"), name, games, seconds)
    elif changes or games or seconds:
        raise OptionError(
            "--set, --games and --seconds need the experiments of the study as well; name them."
        )
    else:
        found = open_study(name)
        if seeds:
            found = make_study(name, found.cells, seeds_of(seeds), found.over)
    left = _train(found, jobs, threads, backend)
    gathered = gather(found)
    if as_json:
        return print_json(_data(gathered, measure, left))
    console = table_console()
    if gathered.measures():
        _print_results(console, gathered, measure)
        page = write_study(gathered, measure)
        console.print(f"\nFigures, tables and numbers: {escape(str(page))}", soft_wrap=True)
    _conclude(console, found, left)
    return None


def _train(found: Study, jobs: int, threads: int, backend: str) -> list[StudyRun]:
    if not found.left():
        return []
    console = Console(stderr=True, highlight=False)
    watch = StudyWatch(found, console, jobs=jobs)
    with watch.shown():
        each = threads_each(threads, jobs)
        return train_study(found, each, jobs=jobs, backend=backend, listener=watch)


def _print_results(console: Console, found: Gathered, measure: str) -> None:
    """Print what each cell has come to, and which differences are not chance."""
    main = found.main_measure(measure)
    rows, sizes = [], []
    for label, size, mean, low, high, _, least, _, most in outcome_rows(found, main):
        told = "–" if math.isnan(mean) else f"{mean:.4g}"
        rows.append([label, str(size), told, span_text(low, high), span_text(least, most)])
        sizes.append(size)
    headings = ("setting", "seeds>", f"{main}>", "95% interval>", "least … most")
    console.print(f"[bold]{escape(main)}[/], mean over seeds, after {found.budget(main)}")
    print_table(console, headings, rows)
    versus = found.compared(main)
    if not versus:
        return
    console.print()
    versus = sorted(versus, key=lambda one: (one.corrected, one.found.p))
    print_table(
        console,
        ("compared", "difference>", "95% interval>", "better>", "p>", "p, corrected"),
        [
            [
                f"{one.first} − {one.second}",
                f"{one.found.difference:+.4g}",
                span_text(one.found.low, one.found.high),
                f"{one.found.superiority:.0%}",
                f"{one.found.p:.4f}",
                f"{one.corrected:.4f}{' *' if one.corrected < 0.05 else ''}",
            ]
            for one in versus[:MOST_PAIRS]
        ],
    )
    about = (
        "better: how often a run of the first setting beats one of the second. p: permutation "
        f"test, corrected for {counted(len(versus), 'comparison')} (Holm); * below 0.05."
    )
    few, next_few = sorted(filter(None, sizes))[:2]
    if least_p(few, next_few) * len(versus) >= 0.05:
        about += f" With only {counted(few, 'seed')}, no difference can be told from chance."
    console.print(f"[dim]{about}[/]")


def _conclude(console: Console, found: Study, left: list[StudyRun]) -> None:
    if not left:
        return
    total = len(found.runs())
    console.print(
        f"\n[bold]{escape(found.name)}[/] is saved: {total - len(left)} of "
        f"{counted(total, 'run')} complete."
    )
    offer(console, "Continue", [f"study --name {found.name}"])


def _data(found: Gathered, measure: str, left: list[StudyRun]) -> dict[str, Any]:
    main = found.main_measure(measure) if found.measures() else ""
    outcomes = found.outcomes(main) if main else {}
    return {
        "name": found.study.name,
        "over": found.study.over,
        "left": [run.name for run in left],
        "measure": main,
        "measures": found.measures(),
        "at": found.common(main) if main else 0,
        "cells": [
            {
                "label": cell.label,
                "runs": [run.run.name for run in found.of(cell.label)],
                "values": outcomes[cell.label].tolist() if main else [],
            }
            for cell in found.study.cells
        ],
        "compared": [
            {
                "first": one.first,
                "second": one.second,
                **one.found._asdict(),
                "corrected": one.corrected,
            }
            for one in (found.compared(main) if main else ())
        ],
    }


def _list_studies(as_json: bool) -> None:
    found: list[dict[str, Any]] = [
        {
            "name": each.name,
            "runs": len(each.runs()),
            "left": len(each.left()),
            "cells": [cell.label for cell in each.cells],
            "seeds": list(each.seeds),
        }
        for each in map(open_study, study_names())
    ]
    if as_json:
        return print_json(found)
    if not found:
        print("There are no studies yet; start one with `evoboard study nim-quick --seeds 3`.")
        return None
    rows = [
        [
            each["name"],
            f"{each['runs'] - each['left']}/{each['runs']}",
            readable("; ".join(each["cells"])),
        ]
        for each in found
    ]
    print_table(table_console(), ("study", "runs>", "settings"), rows)
    return None
