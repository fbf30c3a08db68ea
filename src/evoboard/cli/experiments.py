"""Commands about experiments: experiments, init."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.syntax import Syntax
from rich.text import Text

from evoboard.cli.options import Json
from evoboard.cli.printing import command, print_json, print_table, table_console, write_new
from evoboard.core.errors import OptionError
from evoboard.experiments.catalog import alias, experiment_names, heading, load
from evoboard.experiments.template import template
from evoboard.training.experiment import Experiment, resolved

SAMPLE = "kingcapture-quick"


@command(
    "evoboard experiments",
    "evoboard experiments draughts              # all whose names begin with it",
    "evoboard experiments kingcapture-quick     # every setting of one",
)
def experiments(
    name: Annotated[
        str,
        typer.Argument(help="An experiment to show in full, or the beginning of several names."),
    ] = "",
    as_json: Json = False,
) -> None:
    """List the experiments, the papers' and our own, or show one with every setting."""
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


@command(
    "evoboard init own.toml",
    "evoboard init own.toml --from draughts-quick",
)
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The file to write.")],
    source: Annotated[
        str, typer.Option("--from", help="The experiment to start from (`evoboard experiments`).")
    ] = SAMPLE,
) -> None:
    """Write an experiment file with every setting explained, for you to change and train."""
    if file.suffix != ".toml":
        raise OptionError(f"the name of an experiment file ends in .toml; call it {file}.toml.")
    text = template(load(source), f"{heading(source)}\n#\n# Written out in full from {source}.")
    write_new(file, text)
    console = Console(highlight=False)
    console.print(f"{escape(str(file))} is written, from {escape(source)}.")
    console.print(f"Change it as you like, then: [bold]evoboard train {escape(str(file))}[/]")


def _list(names: list[str], as_json: bool) -> None:
    rows = [_row(name) for name in names]
    if as_json:
        return print_json(rows)
    console = table_console()
    headings = ("experiment", "paper", "generations>", "strategy", "what it is")
    keys = ("paper", "generations", "strategy", "title")
    cells = [[Text(row["name"], "cyan"), *(Text(_cell(row[key])) for key in keys)] for row in rows]
    print_table(console, headings, cells, drop=("generations", "strategy"))
    console.print(
        "\n[bold]evoboard experiments NAME[/] shows one, [bold]evoboard train NAME[/] runs it."
    )
    named = next((row for row in rows if row["paper"] != "ours"), None)
    if named:
        also = f"{named['also']} is {named['name']}"
        console.print(f"[dim]The papers' own names work, too: {also}.[/]")


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


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
