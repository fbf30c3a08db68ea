"""Commands about experiments: experiments, init."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax
from rich.text import Text

from evoboard.cli.printing import Json, one_line_table, print_json, table_console
from evoboard.core.errors import OptionError
from evoboard.experiments.catalog import alias, experiment_names, heading, load
from evoboard.experiments.template import template
from evoboard.training.experiment import Experiment, resolved

SAMPLE = "kingcapture-quick"


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(experiments)
    app.command()(init)


def experiments(
    name: Annotated[
        str, typer.Argument(help="One experiment in full, or the beginning of several names.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List the experiments of the papers and our own, or show one with every setting."""
    named = [each for each in experiment_names() if each.startswith(name)]
    if not name or (named and name not in named):
        return _list(named, as_json)
    experiment = load(name)
    if as_json:
        return print_json(resolved(experiment))
    console = Console(highlight=False)
    text = template(experiment, heading(name))
    if console.is_terminal:
        console.print(
            Syntax(text, "toml", theme="ansi_dark", background_color="default", word_wrap=True)
        )
    else:
        print(text, end="")


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The file to write.")],
    source: Annotated[
        str, typer.Option("--from", help="The experiment to begin with (`evoboard experiments`).")
    ] = SAMPLE,
) -> None:
    """Write an experiment file with every setting explained, to be changed and trained."""
    if file.suffix != ".toml":
        raise OptionError(f"{file} is no name of an experiment file; call it {file}.toml.")
    text = template(load(source), f"{heading(source)}\n#\n# Written out in full from {source}.")
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise OptionError(
            f"{file} exists already; name another file, or remove it first."
        ) from None
    except OSError as error:
        raise OptionError(f"{file} cannot be written: {error.strerror}.") from error
    console = Console(highlight=False)
    console.print(f"{escape(str(file))} is written, from {escape(source)}.")
    console.print(f"Change it as you like, then: [bold]evoboard train {escape(str(file))}[/]")


def _list(names: list[str], as_json: bool) -> None:
    rows = [_row(name) for name in names]
    if as_json:
        return print_json(rows)
    console = table_console()
    wide = console.width >= 105
    headings = ["experiment", "paper", *(["generations>", "strategy"] * wide), "what it is"]
    cells = [
        [
            Text(row["name"], "cyan"),
            row["paper"],
            *([f"{row['generations']:,}", row["strategy"]] * wide),
            row["title"],
        ]
        for row in rows
    ]
    console.print(one_line_table(headings, cells, console.width))
    console.print(
        "\n[bold]evoboard experiments NAME[/] shows one, [bold]evoboard train NAME[/] runs it."
    )


def _row(name: str) -> dict[str, Any]:
    """Return an experiment in a few words."""
    experiment: Experiment = load(name)
    return {
        "name": name,
        "also": alias(experiment.paper),
        "game": experiment.game.name,
        "paper": experiment.paper,
        "generations": experiment.generations,
        "strategy": experiment.strategy.name,
        "title": experiment.title,
    }
