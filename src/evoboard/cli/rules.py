"""Commands about games and their rules: games, show, perft, check-game."""

from __future__ import annotations

import time
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

from evoboard.cli.board import draw
from evoboard.cli.options import Json, StateText
from evoboard.cli.printing import (
    command,
    plain_table,
    print_json,
    progress_bars,
    table_console,
    wrapped,
)
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError
from evoboard.core.options import option_text
from evoboard.core.wording import counted
from evoboard.games.base import Game, game_names, load_game
from evoboard.games.perft import perft as perft_kernel
from evoboard.games.rules import ONGOING

GameText = Annotated[str, typer.Argument(help="A game's name, NAME:option=value,…, or FILE.py.")]

MAX_DEPTH = 60


@command(
    "evoboard games",
    "evoboard games --json",
)
def games(as_json: Json = False) -> None:
    """List the games, their options and their match rules."""
    rows = [_describe(load_game(name)) for name in game_names()]
    if as_json:
        return print_json(rows)
    table = plain_table("game", "what it is", "options", "drawn by")
    for row in rows:
        options = ", ".join(f"{k}={option_text(v)}" for k, v in row["options"].items())
        draws = ", ".join(f"{k} {v}" for k, v in row["draws"].items() if v)
        table.add_row(f"[cyan]{row['name']}[/]", row["title"], options or "–", draws or "–")
    table_console().print(table)
    print("\nWrite options as NAME:option=value; start=POSITION works for every game.")


@command(
    "evoboard show draughts",
    "evoboard show nim:heaps=3/4/5",
    'evoboard show kingcapture --state "rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w"',
)
def show(game: GameText, state: StateText = None, as_json: Json = False) -> None:
    """Draw a position in the terminal, with its legal moves."""
    loaded = load_game(game)
    position = loaded.initial() if state is None else loaded.parse_state(state)
    view, result = loaded.view(position), loaded.outcome(position)
    ended = loaded.reason(position) if result != ONGOING else ""
    if as_json:
        text = loaded.state_text(position)
        return print_json(
            {"state": text, "ended": ended, "result": _winner(loaded, position), **view.as_data()}
        )
    console = Console(highlight=False)
    draw(view, console)
    console.print(f"\n{loaded.state_text(position)}", markup=False, soft_wrap=True)
    if ended:
        console.print(f"[bold]{escape(_winner(loaded, position))}[/] ({escape(ended)})")
        return None
    labels = [loaded.move_label(position, look.move) for look in view.moves]
    count = counted(len(labels), "legal move")
    console.print(f"[bold]{escape(view.sides[view.side])}[/] to move, {count}:")
    console.print(wrapped(labels, console.width), markup=False)


@command(
    "evoboard perft chess 4",
    "evoboard perft draughts 6 --divide",
)
def perft(
    game: GameText,
    depth: Annotated[int, typer.Argument(help="The longest sequences to count, in plies.")],
    state: StateText = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also count by first move.")] = False,
    as_json: Json = False,
) -> None:
    """Count the move sequences of every length up to DEPTH, the usual test of a move generator."""
    if not 1 <= depth <= MAX_DEPTH:
        raise OptionError(f"the depth is {depth}; it must be 1 to {MAX_DEPTH}.")
    loaded = load_game(game)
    position = loaded.initial() if state is None else loaded.parse_state(state)
    counter = Counter(loaded, position, depth)
    rows: list[dict[str, Any]] = []
    for length in range(1, depth + 1):
        began = time.perf_counter()
        parts = counter.divide(length)
        rows.append(
            {"depth": length, "nodes": sum(parts.values()), "seconds": time.perf_counter() - began}
        )
        if not as_json:
            _print_count(rows[-1], heading=length == 1)
    parts_text = {loaded.move_text(position, move): count for move, count in parts.items()}
    if as_json:
        return print_json(_perft_data(loaded, position, rows, parts_text if divide else None))
    if divide:
        for text, count in sorted(parts_text.items()):
            print(f"{text:>10} {count:>15,}")


@command(
    "evoboard check-game mine.py",
    "evoboard check-game nim --games 2000",
)
def check_game(
    game: GameText,
    positions: Annotated[
        int, typer.Option(min=1, help="How many positions to test law by law.")
    ] = 200,
    number: Annotated[
        int, typer.Option("--games", min=1, max=10**6, help="How many random games to play.")
    ] = 500,
    seed: Annotated[
        int, typer.Option(min=1, max=2**62, help="The same seed plays the same games.")
    ] = 1,
    as_json: Json = False,
) -> None:
    """Test whether a game obeys the laws that every game must obey, and say what to fix."""
    from evoboard.arena.opening_check import opening_problem
    from evoboard.games.laws.conformance import check_game as check

    loaded = load_game(game)
    console = Console(highlight=False, soft_wrap=True)
    with console.status(f"checking {escape(loaded.name)} …"):
        report = check(loaded, positions, number, seed)
        warning = opening_problem(loaded.on_trial(), seed) if report.passed else ""
    if as_json:
        laws = [{"law": law.text, "problem": law.problem} for law in report.laws]
        told = {"game": report.game, "passed": report.passed, "laws": laws, "warning": warning}
        print_json(told)
    else:
        for law in report.laws:
            console.print(f"[green]✓[/] {law.text}" if not law.problem else f"[red]✗[/] {law.text}")
        for problem in report.problems:
            console.print(f"  {problem}", markup=False)
        if report.passed:
            tried = f"{counted(report.positions, 'position')} and {counted(report.games, 'game')}"
            console.print(
                f"\n{escape(loaded.name)} obeys all laws ({tried}, "
                f"the longest {counted(report.longest, 'ply', 'plies')})."
            )
        if warning:
            console.print(f"[yellow]Warning:[/] {escape(warning)}")
    if not report.passed:
        raise typer.Exit(1)


def _print_count(row: dict[str, Any], heading: bool) -> None:
    if heading:
        print(f"{'depth':>5} {'nodes':>16} {'seconds':>9} {'nodes/s':>15}")
    speed = row["nodes"] / max(row["seconds"], 1e-9)
    counted = f"{row['depth']:>5} {row['nodes']:>16,}"
    print(f"{counted} {row['seconds']:>9.3f} {speed:>15,.0f}", flush=True)


def _perft_data(
    game: Game, state: Array, rows: list[dict[str, Any]], parts: dict[str, int] | None
) -> dict[str, Any]:
    seconds = sum(row["seconds"] for row in rows)
    nodes = sum(row["nodes"] for row in rows)
    data = {
        "game": game.name,
        "options": game.options,
        "state": game.state_text(state),
        "counts": [row["nodes"] for row in rows],
        "seconds": seconds,
        "nodes_per_second": nodes / max(seconds, 1e-9),
    }
    return data if parts is None else {**data, "divide": parts}


def _describe(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "sides": game.sides,
        "options": game.options,
        "draws": vars(game.draws),
        "start": game.state_text(game.initial()),
    }


def _winner(game: Game, state: Array) -> str:
    """Return the result in words, empty while the game goes on."""
    result, mover = game.outcome(state), game.side(state)
    if result == ONGOING:
        return ""
    return "draw" if result == 0 else f"{game.sides[mover if result > 0 else 1 - mover]} wins"


class Counter:
    """Perft of one position; it can be interrupted between first moves."""

    def __init__(self, game: Game, state: Array, depth: int) -> None:
        self.game, self.state = game, state
        self.states = np.zeros((depth, game.state_size), np.int64)
        self.moves = np.zeros((depth, game.max_moves), np.int32)
        self.cursors = np.zeros((depth, 2), np.int64)
        # A user's rules run with bounds checks: a wrong count is worse than a slow one.
        self.kernel = game.link(perft_kernel, "cpu" if game.built_in else "checked")
        # Compile or load what is needed before any clock runs.
        if self.count(state, 1):
            game.apply(state, int(self.moves[0, 0]))

    def count(self, state: Array, depth: int) -> int:
        self.states[0] = state
        return int(self.kernel(self.states, self.moves, self.cursors, depth))

    def divide(self, depth: int) -> dict[int, int]:
        """Return the count below each first move."""
        # The kernel's own list: it plays drawn positions on, which Game.legal_moves does not.
        moves = [int(move) for move in self.moves[0, : self.count(self.state, 1)]]
        if depth == 1:
            return dict.fromkeys(moves, 1)
        with progress_bars() as bars:
            return {
                m: self.count(self.game.apply(self.state, m), depth - 1)
                for m in bars.track(moves, description=f"depth {depth}")
            }
