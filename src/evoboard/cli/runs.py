"""The command runs: all runs in a list, or one run's generations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from evoboard.cli.options import Json
from evoboard.cli.printing import command, print_json, print_table, table_console
from evoboard.cli.progress import fitness_words, rated_words
from evoboard.core.arrays import evenly_spread
from evoboard.core.wording import by_file_name, counted
from evoboard.players.equal_search import searches_alike
from evoboard.runs.folder import RunInfo, describe_run, list_runs
from evoboard.store.reader import open_run, player_at
from evoboard.store.records import GenerationRow, Measurement
from evoboard.store.run_file import making_sense, run_folder

ROWS = 25  # generations in a table, evenly spread


@command(
    "evoboard runs",
    "evoboard runs mine            # its generations, up to 25 of them, evenly spread",
    "evoboard runs mine --json     # every number of every generation",
)
def runs(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="One run, with up to 25 of its generations.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List all runs, or one run's generations."""
    if run:
        with making_sense(run_folder(run)):
            return _show_run(run, as_json)
    found = list_runs()
    if as_json:
        return print_json([_info_data(info) for info in found])
    if not found:
        print("There are no runs yet; start one with `evoboard train kingcapture-quick`.")
        return None
    headings = ("run", "status", "generations>", "game", "Elo>", "what it is")
    console = table_console()
    print_table(console, headings, [_run_cells(info) for info in found], drop=("game",))
    if any(info.elo is not None for info in found):
        told = "Elo: the latest measured champion against random moves, in the run's own game"
        perfect = any(info.rated and info.rated.bound for info in found)
        told += "; > means that it won every game, < that it lost every game." if perfect else "."
        console.print(f"\n[dim]{told}[/]")


def _run_cells(info: RunInfo) -> list[str | Text]:
    colours = {"running": "green", "finished": "cyan", "damaged": "red"}
    status = Text(info.status, colours.get(info.status, "yellow"))
    elo = "–" if info.rated is None else rated_words(info.rated)[0]
    what = info.told.partition("; ")[0] if info.status == "damaged" else info.title
    count = f"{info.generation:,}/{info.generations:,}"
    game = by_file_name(info.game).partition(":")[0]
    return [info.name, status, count, game, elo, what]


def _show_run(name: str, as_json: bool) -> None:
    with open_run(name) as run:
        rows, facts, alarms, anchored = run.rows(), run.facts(), run.alarms(), run.anchored()
    info = describe_run(name)
    if as_json:
        return print_json(_run_data(info, rows, facts))
    console = table_console()
    console.print(run_heading(info))
    shown = _spread(rows)
    if shown:
        _print_generations(console, shown, anchored, player_at(facts, shown[-1].generation))
        told = fitness_words(facts["experiment"]["fitness"])
        console.print(f"[dim]best and mean: {escape(told)}[/]")
    if len(shown) < len(rows):
        console.print(
            f"[dim]{len(shown)} of {len(rows):,} generations; for all of them: evoboard runs "
            f"{escape(name)} --json[/]"
        )
    for generation in sorted(alarms)[-3:]:
        for alarm in alarms[generation]:
            console.print(f"[yellow]generation {generation}: {escape(alarm.text)}[/]")


def run_heading(info: RunInfo) -> str:
    """Return which run it is and how far."""
    count = f"{info.generation:,} of {counted(info.generations, 'generation')}"
    what = escape(info.title or info.game)
    told = f"[bold]{escape(info.name)}[/]: {what}, seed {info.seed}, {info.status}, {count}"
    early = info.status == "finished" and info.generation < info.generations
    return f"{told}, because {escape(info.told)}" if early else told


def _spread(rows: list[GenerationRow]) -> list[GenerationRow]:
    """Return the measured generations, or all, thinned evenly; the first and the last are kept."""
    measured = [row for row in rows if any(key.startswith("elo ") for key in row.numbers)]
    chosen = measured if len(measured) > 1 else rows
    if rows and (not chosen or chosen[-1] is not rows[-1]):
        chosen = [*chosen, rows[-1]]
    return [chosen[place] for place in evenly_spread(len(chosen), ROWS)]


# A generation's numbers, the most telling first: those that fit are shown.
COLUMNS = {
    "best": ("best", ".4g"),
    "mean": ("mean", ".4g"),
    "grade": ("grade", ".3g"),
    "species": ("species", ".0f"),
    "spread_score": ("earlier", ".0%"),
    "learning": ("learning", "+.2f"),
    "nodes_mean": ("hidden", ".1f"),
    "links_mean": ("links", ".1f"),
    "plies_mean": ("plies", ".1f"),
    "games": ("games", ",.0f"),
}


def _print_generations(
    console: Console,
    rows: list[GenerationRow],
    anchored: Iterable[tuple[int, Measurement]],
    player: Mapping[str, Any],
) -> None:
    names = {name for row in rows for name in row.numbers}
    anchors = sorted(name for name in names if name.startswith("elo "))

    def unequal(name: str) -> bool:
        return not searches_alike(name.removeprefix("elo "), player["search"], player["settings"])

    looks = {
        name: (f"Elo {by_file_name(name.removeprefix('elo '))}", "+.0f")
        for name in sorted(anchors, key=unequal)
    }
    looks |= {key: look for key, look in COLUMNS.items() if key in names}
    elo = {(generation, f"elo {row.opponent}"): rated_words(row)[0] for generation, row in anchored}
    lines = []
    for row in rows:
        known = {key: format(n, looks[key][1]) for key, n in row.numbers.items() if key in looks}
        known |= {key: told for (when, key), told in elo.items() if when == row.generation}
        cells = [known.get(key, "–") for key in looks]
        lines.append([f"{row.generation:,}", *cells, row.champion_origin])
    titles = [title for title, _ in looks.values()]
    headings = ["generation>", *(f"{title}>" for title in titles), "champion"]
    print_table(console, headings, lines, drop=titles[::-1])


def _info_data(info: RunInfo) -> dict[str, Any]:
    return {**info._asdict(), "rated": info.rated and info.rated._asdict()}


def _run_data(info: RunInfo, rows: list[GenerationRow], facts: dict[str, Any]) -> dict[str, Any]:
    generations = [
        {
            "generation": row.generation,
            "champion": row.champion,
            "champion_origin": row.champion_origin,
            **row.numbers,
        }
        for row in rows
    ]
    told = {key: facts[key] for key in ("experiment", "player", "made", "program")}
    return {**_info_data(info), **told, "rows": generations}
