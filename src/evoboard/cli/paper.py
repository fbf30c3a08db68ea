"""The command paper: run a paper's experiments again and report what came out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.cli.options import BackendName, Jobs, Threads
from evoboard.cli.printing import command, offer, print_table, table_console
from evoboard.cli.progress import clock
from evoboard.cli.study_watch import StudyWatch, cores_used, threads_each
from evoboard.core.wording import counted
from evoboard.papers.base import Claim, Scale, find_paper, papers
from evoboard.papers.bench import Bench, Interrupted, report_folder
from evoboard.papers.making import Making, ReportProgress
from evoboard.papers.report_file import write_findings
from evoboard.pictures.png import MISSING, can_write_png

LOOKS = {"reproduced": "green", "not reproduced": "red", "not testable": "dim"}


@command(
    "evoboard paper                    # the papers",
    "evoboard paper B                  # minutes: a report with every figure and claim",
    "evoboard paper A --full --seeds 5 # hours; if interrupted, the same command continues",
    "evoboard paper E --full --jobs 16 # on 16 cores",
)
def paper(
    letter: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="A letter or a FILE.py; without one, lists the papers."
        ),
    ] = "",
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="Everything at the paper's full length, or a version that takes minutes.",
        ),
    ] = False,
    seeds: Annotated[
        int,
        typer.Option(
            help="Seeds for every experiment; 0: 3 with --full, fewer with --quick.", min=0
        ),
    ] = 0,
    out: Annotated[
        Path | None, typer.Option(help="The folder for reports; by default reports.")
    ] = None,
    so_far: Annotated[
        bool,
        typer.Option("--so-far", help="Train nothing; report on the runs as they are."),
    ] = False,
    jobs: Jobs = 1,
    threads: Threads = 0,
    backend: BackendName = "cpu",
) -> None:
    """Rerun a paper's experiments and write a report with its figures, tables and claims."""
    if not letter:
        return _list()
    chosen = find_paper(letter)
    scale = Scale("full" if full else "quick", seeds)
    folder = report_folder(chosen, scale, out)
    console = Console(highlight=False)
    console.print(f"[bold]Paper {escape(chosen.letter)}[/]: {escape(chosen.citation)}")
    began = time.monotonic()
    bench = Bench(chosen, scale, folder, threads, backend=backend, so_far=so_far)
    try:
        said = Console(stderr=True, highlight=False)
        each = threads_each(threads, jobs)
        own = cores_used(each, jobs) / jobs
        expected = {label: work / own for label, work in bench.expected.items()}
        watch = StudyWatch(bench.study, said, expected, jobs)
        if not so_far and watch.todo:
            on = counted(cores_used(each, watch.jobs), "free core")
            console.print(f"[dim]about {watch.left()} of training on {on}, then measuring[/]")
        with Making(folder, lambda: _far(bench, watch)):
            with watch.shown():
                bench.train(watch, jobs, each)
            with said.status("the report …") as status:
                bench.tell = status.update if said.is_terminal else said.print
                findings = chosen.report(bench)
            page = write_findings(bench, findings)
    except (Interrupted, KeyboardInterrupt) as error:
        told = str(error) or "interrupted."
        console.print(f"[yellow]{escape(told)}[/] All runs are kept.")
        offer(console, "Continue", [_again(letter, full, seeds, out)])
        raise typer.Exit(130) from None
    finally:
        bench.close()
    _print(console, findings.claims, page, time.monotonic() - began)


def _far(bench: Bench, watch: StudyWatch) -> ReportProgress:
    """Return the report's progress; how long measuring takes is unknown."""
    name, seeds, left = bench.study.name, bench.scale.seeds, watch.seconds_left()
    if bench.so_far or watch.done == watch.total:
        return ReportProgress(name, seeds, bench.told or "writing the report")
    rest = None if left is None else round(left)
    return ReportProgress(name, seeds, watch.words(), watch.share(), rest)


def _list() -> None:
    console = table_console()
    rows = [
        [each.letter, each.game, each.year, f"{each.author}: {each.title}"] for each in papers()
    ]
    print_table(console, ("paper", "game", "year", "who wrote what"), rows)
    offer(console, "a report", ["paper B"])


def _again(letter: str, full: bool, seeds: int, out: Path | None) -> str:
    more = f" --seeds {seeds}" if seeds else ""
    more += f" --out {out}" if out else ""
    return f"paper {letter} {'--full' if full else '--quick'}{more}"


def _print(console: Console, claims: Sequence[Claim], page: Path, seconds: float) -> None:
    for claim in claims:
        look = LOOKS[claim.verdict]
        console.print(
            f"[{look}]{claim.verdict:<14}[/] {escape(claim.claim)} [dim]{escape(claim.evidence)}[/]"
        )
    counts: Counter[str] = Counter(claim.verdict for claim in claims)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LOOKS if counts[verdict])
    console.print(f"{told}; {clock(seconds)}")
    console.print(f"report: [bold]{escape(str(page))}[/]", soft_wrap=True)
    if not can_write_png():
        console.print(f"[dim]{escape(MISSING)}[/]")
