"""Commands that measure evolved players: grade, rate."""

from __future__ import annotations

import re
import types
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.arena.backends.base import find_backend
from evoboard.cli.measure_output import (
    ancestor_matrix,
    elo_table,
    generations_table,
    grade_data,
    grade_table,
    rated_data,
    series_table,
    verdict,
)
from evoboard.cli.options import BackendName, Json, Openings, RunName, Seed, Threads
from evoboard.cli.printing import command, named_bars, print_json, table_console
from evoboard.core.errors import OptionError
from evoboard.core.options import split_options
from evoboard.core.wording import counted
from evoboard.games.base import Game, load_game
from evoboard.players.base import borrowed_player, player_names
from evoboard.players.file import read_player
from evoboard.players.run import find_player, read_address
from evoboard.runs.lineage import read_lineage
from evoboard.runs.rate import rate_lineage
from evoboard.store.run_file import find_run, run_names
from evoboard.training.grades.base import grade_for


@command(
    "evoboard grade mine                            # a run's best player",
    "evoboard grade mine --every 10                 # its progress",
    "evoboard grade material:depth=2 --game kingcapture",
)
def grade(
    target: Annotated[str, typer.Argument(metavar="RUN|PLAYER", help="A run, or a player's text.")],
    depth: Annotated[
        int | None, typer.Option(help="Search depth, instead of the player's own.")
    ] = None,
    every: Annotated[
        int, typer.Option(help="Grade the champion of every k-th generation of a run.", min=0)
    ] = 0,
    game: Annotated[
        str, typer.Option("--game", "-g", help="The game, if PLAYER does not name one.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Grade a player objectively, by its moves in fixed positions."""
    changes = {} if depth is None else {"depth": depth}
    if every:
        _require_whole_run(target, game)
        return _grade_generations(_run_name(target), every, changes, as_json)
    text = f"run:{target}" if _is_run(target) else target
    loaded = load_game(game or _game_of(text))
    judge = grade_for(loaded)
    asked = text if depth is None else f"{text}{',' if ':' in text else ':'}depth={depth}"
    with borrowed_player(asked, loaded) as player, Console(stderr=True).status("grading …"):
        how = _how(player)
        result = judge.of_player(player)
    if as_json:
        return print_json({"player": asked, "game": loaded.name, **how, **grade_data(result)})
    console = table_console()
    console.print(_heading(asked, loaded, how, judge.title))
    console.print(grade_table(result))
    if result.unaided:
        console.print(
            "[dim]unaided: the same search, where the evaluation alone says what a taken king "
            "is worth[/]"
        )


def _require_whole_run(target: str, game: str) -> None:
    """Raise OptionError if --every or --game has no effect."""
    if not _is_run(target) and not target.startswith("run:"):
        raise OptionError(
            f"--every grades the champions of a run, and {target!r} is a single player; "
            "leave --every out, or name a run (evoboard runs)."
        )
    if target.startswith("run:") and read_address(target.removeprefix("run:"))[1:] != (None, None):
        raise OptionError(
            f"--every grades the champions of a whole run, and {target!r} is one player of it; "
            "leave one of them out."
        )
    if game:
        raise OptionError(f"--game has no effect here: {target} plays its own game; leave it out.")


def _how(player: Any) -> dict[str, Any]:
    """Return the search and the depth behind a player's moves, as far as it has them."""
    searcher = getattr(player, "searcher", player)
    module, settings = getattr(searcher, "module", None), getattr(searcher, "settings", None)
    return _search(module, settings) if isinstance(module, types.ModuleType) else {}


def _search(module: types.ModuleType, settings: Any) -> dict[str, Any]:
    depth = {"depth": settings.depth} if hasattr(settings, "depth") else {}
    unaided = {"unaided_play": True} if getattr(settings, "unaided", False) else {}
    return {"search": module.__name__.rsplit(".", 1)[-1], **depth, **unaided}


def _heading(who: str, game: Game, how: dict[str, Any], title: str) -> str:
    """Return who is graded, how it searches, and what the grade measures."""
    depth = f" of depth {how['depth']}" if "depth" in how else ""
    unaided = ", unaided" if how.get("unaided_play") else ""
    search = f", {how['search']}{depth}{unaided}" if how else ""
    return f"[bold]{escape(who)}[/], {game.name}{search}\n[dim]{title}[/]"


@command(
    "evoboard rate mine",
    "evoboard rate mine --anchors random,material:depth=2 --every 20 --games 100",
)
def rate(
    run: RunName,
    anchors: Annotated[
        str, typer.Option(help="Fixed players, separated by commas; the first one's Elo is 0.")
    ] = "",
    games: Annotated[
        int, typer.Option(help="Games between each pair of players; an even number.", min=2)
    ] = 40,
    every: Annotated[
        int, typer.Option(help="Rate every k-th generation; by default 12 of them.", min=0)
    ] = 0,
    depth: Annotated[int | None, typer.Option(help="Search depth, instead of the run's.")] = None,
    seed: Seed = 1,
    openings: Openings = None,
    threads: Threads = 0,
    backend: BackendName = "cpu",
    as_json: Json = False,
) -> None:
    """Rate a run's champions: Elo by generation, against fixed players and each other."""
    lineage = read_lineage(_run_name(run), every, {} if depth is None else {"depth": depth})
    game, place = lineage.bound.game, find_backend(backend, threads)
    with named_bars(quiet=as_json) as tell:
        rated = rate_lineage(
            lineage, split_anchors(anchors), games, seed, place, tell, opening_plies=openings
        )
    if as_json:
        return print_json(rated_data(rated))
    console = table_console()
    count = len(lineage.generations)
    console.print(
        f"[bold]{escape(lineage.name)}[/], {game.name}: Elo of {counted(count, 'champion')}"
    )
    console.print(elo_table(rated))
    if count > 1:
        console.print("\n[bold]each champion against all earlier ones[/], % of the points")
        console.print(ancestor_matrix(rated))
    console.print(
        f"\n[bold]the last champion against its ancestors[/], {rated.series.games} games each, %"
    )
    console.print(series_table(rated))
    console.print("[dim]fitted: won, drawn and lost again, smoothed from ancestor to ancestor[/]")
    for alarm in rated.alarms:
        console.print(f"\n[yellow]{alarm.kind}[/]: {alarm.text}")
    plies = counted(rated.opening_plies, "random ply", "random plies")
    how = f"openings of {plies}, sides swapped" if rated.opening_plies else "all from the start"
    console.print(f"\n[dim]{games} games between each pair, {how}; seed {seed}[/]")
    if count > 1:
        console.print(f"[bold]Has it become stronger?[/] {verdict(rated)}")


def split_anchors(text: str) -> list[str]:
    """Return the players in a list; a comma before key= belongs to a player's options."""
    return [part.strip() for part in re.split(r",(?!\s*\w+\s*=)", text) if part.strip()]


def _is_run(target: str) -> bool:
    """Tell whether a text means a run: one of that name, or nothing else it could be."""
    if target in run_names():
        return True
    kind = split_options(target)[0]
    return ":" not in target and kind not in player_names()


def _run_name(target: str) -> str:
    """Return the run that a text names, itself or by a player of it."""
    name = read_address(target.removeprefix("run:")).run if target.startswith("run:") else target
    return find_run(name).name


def _game_of(text: str) -> str:
    """Return the game that a player's own data name."""
    kind, options = split_options(text)
    if kind == "run":
        return str(find_player(read_address(options.get("", ""))).player["game"])
    if kind == "file":
        return str(read_player(Path(options.get("", ""))).get("game"))
    raise OptionError(f"the player {text!r} plays any game; say which, with --game.")


def _grade_generations(run: str, every: int, changes: dict[str, Any], as_json: bool) -> None:
    """Grade champions of many generations."""
    lineage = read_lineage(run, every, changes)
    bound = lineage.bound
    judge = grade_for(bound.game)
    results = []
    with named_bars(quiet=as_json) as tell:
        for index in range(len(lineage.generations)):
            results.append(judge.of_network(bound, lineage.pack, index))
            tell("grading", 1, len(lineage.generations))
    how = _search(bound.search, bound.settings)
    if as_json:
        rows = [
            {"generation": generation, **grade_data(result)}
            for generation, result in zip(lineage.generations, results, strict=True)
        ]
        return print_json({"run": run, "game": bound.game.name, **how, "generations": rows})
    console = table_console()
    console.print(_heading(run, bound.game, how, judge.title))
    console.print(generations_table(lineage, results))
