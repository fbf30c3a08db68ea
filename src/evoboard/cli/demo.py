"""evoboard demo: a player evolves before your eyes, and then shows what it has learned."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from evoboard.arena.contest import EndedGame, Terms, play_contest
from evoboard.arena.elo import EloEstimate, expected_score
from evoboard.arena.standings import MatchResult
from evoboard.cli.app import start
from evoboard.cli.board import draw
from evoboard.cli.options import RunSeed
from evoboard.cli.printing import command, plain_table
from evoboard.cli.progress import clock
from evoboard.cli.training import offer_next, watch
from evoboard.core.wording import counted, elo_words, share_words
from evoboard.experiments.catalog import load
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.runs import ahead
from evoboard.runs.runner import Outcome, start_run
from evoboard.store.reader import open_run

EXPERIMENT = "kingcapture-demo"
GAMES = 100
DEPTH = 3  # that a person meets the player at: it sees what becomes of its king


@command(
    "evoboard demo",
    "evoboard demo --seed 7 --no-app",
)
def demo(
    seed: RunSeed = 1,
    open_app: Annotated[
        bool, typer.Option("--app/--no-app", help="Open the browser app at the end.")
    ] = True,
) -> None:
    """Evolve a player of king-capture chess in about a minute, see what it learned, play it."""
    console, began = Console(highlight=False), time.monotonic()
    ahead.begin("experiment", EXPERIMENT)
    experiment = load(EXPERIMENT)
    population = experiment.strategy.model_extra or {}
    console.print(
        f"[bold]{population['population']} networks are about to play king-capture chess.[/] They "
        "see how many more pieces of each kind they have than the other side, which are attacked, "
        "and which of those defended, and add that up with random weights: nobody tells them "
        "what a piece is worth. Winners have children; similar networks form a "
        "species, and each species goes its own way.\n"
        "(Ctrl-C stops it early; nothing is lost.)\n"
    )
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
    _show_who(console, outcome)
    _show_species(console, outcome.name)
    _show_game(console, game, best, first)
    console.print(f"\nAll this took {clock(time.monotonic() - began)}.")
    if outcome.finished:
        console.print()
        offer_next(console, outcome.name)
    if open_app and console.is_terminal:
        console.print(f"\nNow play against it yourself; it looks {DEPTH} plies ahead:")
        start(page=f"/play?game={game.name}&opponent=run:{outcome.name},depth={DEPTH}")


def _show_learning(console: Console, game: Game, first: str, best: str) -> None:
    """Print what evolution has added: games at equal search, and against the first champion."""
    deep, plies = f"depth={DEPTH}", f"both {DEPTH} plies deep"
    meetings = (
        ("generation 0 against counting pieces", first, "material:depth=1"),
        ("best player against counting pieces", best, "material:depth=1"),
        (f"the same, {plies}", f"{best},{deep}", f"material:{deep}"),
        ("best player against generation 0", best, first),
    )
    table = plain_table(f"{GAMES} games each, at equal search")
    for heading in ("won", "drawn", "lost", "points", "Elo, 95%"):
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
            interval = elo_words(elo.elo, elo.low, elo.high)
            table.add_row(title, *map(str, met.counts), f"[bold]{_points(elo)}[/]", interval)
    before, after = found[:2]
    console.print(
        f"\n[bold]At equal search, depth 1, the best player takes {_points(after)} of the points "
        f"from a player that counts pieces;\nthe champion of generation 0 took {_points(before)}."
        "[/]\n"
    )
    console.print(table)


def _show_who(console: Console, outcome: Outcome) -> None:
    """Say who the best player is: elsewhere, numbers are those of the last champion."""
    if outcome.final is None:
        return
    best, last = outcome.final.champion_generation, outcome.generation - 1
    if best == last:
        return
    console.print(
        f"\nThe best player is the champion of generation {best}, which won the final against "
        "the other champions. The last number on the Train page belongs to another player, the "
        f"champion of generation {last}."
    )


def _points(found: EloEstimate) -> str:
    """Return a share of the points, and how far it may be off."""
    return share_words(found.score, expected_score(found.low), expected_score(found.high))


def _show_species(console: Console, run: str) -> None:
    """Print how many species there were."""
    with open_run(run) as reader:
        counts = [int(row.numbers["species"]) for row in reader.rows()]
    console.print(
        f"\n{counted(counts[-1], 'species', 'species')} alive at the end, "
        f"{min(counts)} to {max(counts)} on the way."
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
    state = History.of(game, game.parse_state(record.start), record.moves).state
    side = game.sides[0 if record.result > 0 else 1]
    console.print(
        f"\nIts shortest win of ten pairs of games against generation 0, as {side}: "
        f"{record.reason} after {counted(record.plies, 'ply', 'plies')}."
    )
    draw(game.view(state), console)
