"""evoboard demo: every game at work, its rules counted against known numbers."""

from __future__ import annotations

import time
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from evoboard.arena.playouts import Playouts, random_games
from evoboard.cli.board import draw
from evoboard.cli.counting import Counter
from evoboard.games.base import Game, game_names, load_game

# Sequences of that many moves from the start, as everybody counts them.
KNOWN = {
    "chess": (4, 197_281),
    "draughts": (8, 845_931),
    "hexwar": (4, 368),
    "kingcapture": (5, 89_817),
    "nim": (3, 1_588),
}
GAMES = 2_000
NUMBERS = ("sequences", "games/s", "first wins", "draws", "plies")
HEADINGS = ("game", *NUMBERS, "mostly ends by")


def add_to(app: typer.Typer) -> None:
    """Register this file's command."""
    app.command()(demo)


def demo() -> None:
    """Count and play every game: the rules against known numbers, then random games."""
    console = Console(highlight=False)
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in NUMBERS else "left")
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for name in game_names():
            task = progress.add_task(f"{name}: compiling (once), counting and playing")
            table.add_row(*_row(load_game(name)))
            progress.remove_task(task)
    console.print(table)
    _show_one(console)
    console.print("\nNext ([bold]. .venv/bin/activate[/] first): [bold]evoboard show chess[/],")
    console.print("[bold]evoboard match mcts:rounds=200 random --game draughts --games 20[/];")
    console.print("a game of your own: docs/your-own-game.md")


def _row(game: Game) -> list[str]:
    random_games(game, 2, seed=1)  # compile or load before the clock runs
    began = time.perf_counter()
    played = random_games(game, GAMES, seed=1)
    speed = GAMES / (time.perf_counter() - began)
    why, often = next(iter(played.reasons(game).items()))
    reasons = f"{why} {_percent(often)}"
    wins, draws = int((played.results > 0).sum()), int((played.results == 0).sum())
    length = f"{played.plies.mean():.0f}"
    counted = _counted(game)
    return [game.name, counted, f"{speed:,.0f}", _percent(wins), _percent(draws), length, reasons]


def _counted(game: Game) -> str:
    """Return the number of move sequences, marked right or wrong."""
    if game.name not in KNOWN:
        return "–"
    depth, known = KNOWN[game.name]
    nodes = sum(Counter(game, game.initial(), depth).divide(depth).values())
    return f"{nodes:,} ✓" if nodes == known else f"[red]{nodes:,} ✗ ({known:,})[/]"


def _percent(count: Any) -> str:
    return f"{100 * int(count) / GAMES:.0f} %"


def _show_one(console: Console) -> None:
    """Draw how the first decisive game of king-capture chess ended."""
    game = load_game("kingcapture")
    played: Playouts = random_games(game, GAMES, seed=1)
    index = int((played.results != 0).argmax())
    state = played.finals[index]
    winner = game.sides[0 if played.results[index] > 0 else 1]
    console.print(f"\nA random game of kingcapture, after {played.plies[index]} plies:")
    draw(game.view(state), console)
    console.print(f"{winner} wins: {game.reason(state)}.")
