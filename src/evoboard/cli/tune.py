"""The command tune: settings sought by Optuna."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.cli.options import BackendName, RunGames, Threads
from evoboard.cli.printing import command, offer, print_table, span_text, table_console
from evoboard.cli.progress import clock
from evoboard.core.wording import counted
from evoboard.runs.sweep import named_after, seeds_of
from evoboard.runs.tuning import Tried, Tuning, params_of

MOST_ROWS = 10  # trials that are printed


@command(
    "evoboard tune kingcapture-quick --param strategy.mutations.values.power=0.02:0.5:log",
    "evoboard tune nim-quick --param strategy.population=50:200 --param search.safe=0,1",
    "evoboard tune mine.py --param search.depth=1,2 --games 20000",
)
def tune(
    experiment: Annotated[
        str, typer.Argument(metavar="EXPERIMENT|FILE.toml|GAME.py", help="What to tune.")
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=LOW:HIGH[:log]|KEY=A,B",
            help="A setting with its range or choices; may be repeated.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting for all trials."),
    ] = None,
    trials: Annotated[int, typer.Option(help="How many settings to try in all.", min=1)] = 20,
    seeds: Annotated[str, typer.Option(help="Seeds for every trial, as in study.")] = "2",
    games: RunGames = None,
    tests: Annotated[
        int,
        typer.Option(
            help="Games of each run's best player against counting pieces at equal search (or "
            "random moves) to score a trial; if there is a grade, that is the score.",
            min=2,
        ),
    ] = 200,
    name: Annotated[str, typer.Option(help="The name of its study.")] = "",
    threads: Threads = 0,
    backend: BackendName = "cpu",
) -> None:
    """Search for the best settings of an experiment with Optuna; run it again to continue.

    Every trial is a setting of a study, with ordinary runs and the usual report.
    """
    wanted = Tuning(
        name or named_after(experiment, "tune"),
        experiment,
        params_of(param or []),
        tuple(seeds_of(seeds)),
        tuple(changes or []),
        games,
        tests + tests % 2,
    )
    said = Console(stderr=True, highlight=False)
    began, first = time.monotonic(), len(wanted.tried())

    def tell(tried: Tried) -> None:
        done = len(wanted.tried())
        spent = (time.monotonic() - began) / max(1, done - first)
        left = clock(spent * max(0, trials - done))
        words = f"{done} of {counted(trials, 'trial')}  {tried.value:.4g}  "
        said.print(f"{words}{', '.join(tried.changes)}  left {left}", soft_wrap=True)

    complete = wanted.seek(trials, threads, backend=backend, told=tell)
    found, console = wanted.tried(), table_console()
    if found:
        rows = [
            [
                f"{tried.value:.4g}",
                span_text(min(tried.values), max(tried.values)),
                ", ".join(tried.changes),
            ]
            for tried in found[:MOST_ROWS]
        ]
        print_table(console, ("value>", "seeds", "settings"), rows)
        path = wanted.write_best(found[0])
        console.print(f"\nThe best settings: {escape(str(path))}", soft_wrap=True)
        offer(console, "Next", [f"study {experiment} {path} --seeds 10"])
    if not complete:
        console.print("\nEverything is saved; the same command continues.")
