"""evoboard demo: a player evolves before one's eyes, and then shows what it has learned."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.elo import EloEstimate, Tally, elo_difference
from evoboard.arena.match import GameRecord
from evoboard.cli.app import serve
from evoboard.cli.board import draw
from evoboard.cli.printing import examples
from evoboard.cli.training import watch
from evoboard.core.wording import counted
from evoboard.experiments.catalog import load
from evoboard.games.base import Game, load_game
from evoboard.players.base import Player, make_player
from evoboard.runs.runner import Outcome, start_run
from evoboard.training.grades.base import grade_for

EXPERIMENT = "kingcapture-demo"
GAMES = 200


PANEL = "See it"  # where the commands stand in the list of all


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command(
        rich_help_panel=PANEL, epilog=examples("evoboard demo", "evoboard demo --seed 7 --no-app")
    )(demo)


def demo(
    seed: Annotated[int, typer.Option(help="The same seed gives the same run.", min=0)] = 1,
    open_app: Annotated[
        bool, typer.Option("--app/--no-app", help="Open the browser app at the end.")
    ] = True,
) -> None:
    """Evolve a player of king-capture chess in about a minute, see what it learned, play it."""
    console = Console(highlight=False)
    console.print(
        "[bold]50 random networks are about to play king-capture chess.[/] Nobody tells them how;\n"
        "those who win have children. (Ctrl-C ends it early; nothing is lost.)\n"
    )
    experiment = load(EXPERIMENT)
    outcome = watch(
        lambda listener: start_run(None, experiment, seed, stem="demo", listener=listener), False
    )
    if outcome is None or not outcome.generation:
        return
    game = load_game(experiment.game.name)
    _show_learning(console, game, outcome)
    _show_game(console, game, f"run:{outcome.name}@best", f"run:{outcome.name}@gen=0")
    if open_app and console.is_terminal:
        console.print("\nNow play it yourself:")
        serve()


def _show_learning(console: Console, game: Game, outcome: Outcome) -> None:
    """Print how the best player does against the first champion and a random one, and its grade."""
    first, best = f"run:{outcome.name}@gen=0", f"run:{outcome.name}@best"
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    for heading in ("the best player", "wins", "draws", "losses", "Elo", "95 %"):
        table.add_column(heading, justify="left" if heading == "the best player" else "right")
    with Progress(console=console, transient=True) as progress:
        for text, name in ((first, "generation 0's champion"), ("random", "random moves")):
            task = progress.add_task(f"playing against {name}", total=GAMES)

            def tell(_record: GameRecord, _first: int, _second: int, task: int = task) -> None:
                progress.advance(task)  # type: ignore[arg-type]

            tally, counts = _meet(game, best, text, tell)
            progress.remove_task(task)
            table.add_row(f"against {name}", *map(str, counts), *_elo(tally))
    console.print()
    console.print(table)
    grade = grade_for(game)

    def graded(text: str) -> str:
        def make(given: Game) -> Player:
            return make_player(text, given)

        value, low, high = grade.of_player(make).interval()
        return f"{value:.1f} of {grade.most:.0f} (95 %: {low:.1f} to {high:.1f})"

    console.print(f"\nIts grade (saves its king and pieces, takes yours): [bold]{graded(best)}[/]")
    console.print(f"generation 0's champion had {graded(first)}.")


def _meet(
    game: Game, one: str, other: str, tell: object
) -> tuple[EloEstimate, tuple[int, int, int]]:
    """Return the Elo difference of two players, and wins, draws and losses of the first."""
    contest = play_contest(game, [one, other], GAMES, Terms(seed=7), tell)  # type: ignore[arg-type]
    results = contest.table.results_of(0)
    counts = tuple(int((results == value).sum()) for value in (1, 0, -1))
    return elo_difference(Tally.of_table(contest.table, 0, 1)), counts  # type: ignore[return-value]


def _elo(estimate: EloEstimate) -> tuple[str, str]:
    return f"[bold]{estimate.elo:+.0f}[/]", f"{estimate.low:+.0f} to {estimate.high:+.0f}"


def _show_game(console: Console, game: Game, best: str, first: str) -> None:
    """Draw how one of its games against the first champion ended."""
    contest = play_contest(game, [best, first], 20, Terms(seed=3))
    table = contest.table
    won = [
        record
        for record, owner, result in zip(contest.records, table.first, table.results, strict=True)
        if result == (1 if owner == 0 else -1)
    ]
    if not won:
        return
    record = min(won, key=lambda record: record.plies)
    state = game.parse_state(record.start)
    for move in record.moves:
        state = game.apply(state, move)
    side = game.sides[0 if record.result > 0 else 1]
    console.print(
        f"\nIts shortest win of ten pairs of games, as {side}: {record.reason} after "
        f"{counted(record.plies, 'ply', 'plies')}."
    )
    draw(game.view(state), console)
