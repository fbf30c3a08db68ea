"""evoboard demo: a player evolves before your eyes, and then shows what it has learned."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from evoboard.arena.contest import EndedGame, Terms, play_contest
from evoboard.arena.standings import MatchResult
from evoboard.cli.app import start
from evoboard.cli.board import draw
from evoboard.cli.printing import examples
from evoboard.cli.training import offer_next, watch
from evoboard.core.wording import counted
from evoboard.experiments.catalog import load
from evoboard.games.base import Game, load_game
from evoboard.players.base import Player, make_player
from evoboard.runs.runner import start_run
from evoboard.training.grades.base import grade_for

EXPERIMENT = "kingcapture-demo"
GAMES = 200
COUNTER = "material:depth=1"  # who counts pieces rightly and knows nothing else


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command(epilog=examples("evoboard demo", "evoboard demo --seed 7 --no-app"))(demo)


def demo(
    seed: Annotated[int, typer.Option(help="The same seed gives the same run.", min=0)] = 1,
    open_app: Annotated[
        bool, typer.Option("--app/--no-app", help="Open the browser app at the end.")
    ] = True,
) -> None:
    """Evolve a player of king-capture chess in about a minute, see what it learned, play it."""
    console = Console(highlight=False)
    console.print(
        "[bold]50 networks are about to play king-capture chess.[/] They see what stands on every "
        "square and what it is worth, and add that up with weights drawn by lot: at first they "
        "count pieces, and badly. Nobody tells them more; those who win have children.\n"
        "(Ctrl-C ends it early; nothing is lost.)\n"
    )
    experiment = load(EXPERIMENT)
    outcome = watch(
        lambda listener: start_run(None, experiment, seed, stem="demo", listener=listener),
        quiet=False,
        brief=True,
    )
    if not outcome.generation:
        return
    game = load_game(experiment.game.name)
    first, best = f"run:{outcome.name}@gen=0", f"run:{outcome.name}@best"
    _show_learning(console, game, first, best)
    _show_game(console, game, best, first)
    if outcome.finished:
        console.print()
        offer_next(console, outcome.name)
    if open_app and console.is_terminal:
        console.print("\nNow play it yourself:")
        start(page=f"/play?game={game.name}&opponent=run:{outcome.name}")


def _show_learning(console: Console, game: Game, first: str, best: str) -> None:
    """Print what evolution has added: games against the first champion, and both's figures."""
    meetings = (
        ("best player against generation 0", best, first),
        (f"generation 0 against {COUNTER}", first, COUNTER),
        (f"best player against {COUNTER}", best, COUNTER),
    )
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    table.add_column(f"{GAMES} games of champions each")
    for heading in ("won", "drawn", "lost", "Elo", "95 %"):
        table.add_column(heading, justify="right")
    found = []
    with Progress(console=console, transient=True) as progress:
        for title, one, other in meetings:
            task = progress.add_task(title, total=GAMES)

            def tell(_played: EndedGame, task: int = task) -> None:
                progress.advance(task)  # type: ignore[arg-type]

            met = MatchResult(play_contest(game, [one, other], GAMES, Terms(seed=7), tell))
            progress.remove_task(task)
            found.append(elo := met.estimate)
            interval = f"{elo.low:+.0f} … {elo.high:+.0f}"
            table.add_row(title, *map(str, met.counts), f"[bold]{elo.elo:+.0f}[/]", interval)
    against_first, before, after = found
    console.print(
        f"\n[bold]The best player takes {against_first.score:.0%} of the points from "
        "generation 0's champion;\n"
        f"against a player that only counts pieces, Elo went from {before.elo:+.0f} to "
        f"{after.elo:+.0f}.[/]\n"
    )
    console.print(table)
    grade = grade_for(game)

    def graded(text: str) -> str:
        def make(given: Game) -> Player:
            return make_player(text, given)

        value, low, high = grade.of_player(make).interval()
        return f"{value:.1f} ({low:.1f} … {high:.1f})"

    console.print(
        f"\nGrade by fixed positions (saves its king and pieces, takes yours), of {grade.most:.0f}:"
        f"\n{graded(first)} → [bold]{graded(best)}[/]"
    )


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
