"""Commands about training: train, resume, stop."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.cli.options import BackendName, RunName, RunSeed, Threads
from evoboard.cli.printing import command, offer, table_console
from evoboard.cli.progress import Display, Lines, clock
from evoboard.core.errors import OptionError
from evoboard.core.options import split_options
from evoboard.core.wording import counted, some_of
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.players.equal_search import EQUAL, counter_with, opponent_words
from evoboard.runs.folder import BUSY, describe_run, list_runs, request_stop
from evoboard.runs.runner import Listener, Outcome, resume_run, start_run, stem_of
from evoboard.store.reader import Reader, open_run, player_at
from evoboard.store.records import Measurement
from evoboard.store.run_file import find_run
from evoboard.training.experiment import read_experiment
from evoboard.training.grades.base import graded_games

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the run's name.")]


@command(
    "evoboard train kingcapture-quick",
    "evoboard train nim-quick --seed 2 --run mine",
    "evoboard train mine.py                # your own game, with settings chosen for it",
    "evoboard train own.toml --set generations=200 --set search.depth=2",
    "evoboard train nim-quick --set 'fitness={opponents=9, pool=20}'",
)
def train(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE.toml|GAME.py",
            help="An experiment (`evoboard experiments`), or a game, with settings chosen for it.",
        ),
    ],
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting, such as search.depth=2; may be repeated. What a table "
            "does not mention stays as it is.",
        ),
    ] = None,
    seed: RunSeed = 1,
    run: Annotated[
        str | None, typer.Option(help="The new run's name; by default a numbered one.")
    ] = None,
    threads: Threads = 0,
    backend: BackendName = "cpu",
    quiet: Quiet = False,
) -> None:
    """Evolve players with an experiment, ours or your own; Ctrl-C saves and stops."""
    chosen = load(experiment, changes or ())
    named = stem_of(experiment)
    watch(
        lambda listener: start_run(
            run, chosen, seed, threads, backend=backend, stem=named, listener=listener
        ),
        quiet,
    )


@command(
    "evoboard resume mine",
    "evoboard resume mine --generations 200    # a new length, even for a complete run",
)
def resume(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A run; without one, lists those that can be resumed."),
    ] = "",
    generations: Annotated[
        int | None,
        typer.Option(help="The total number of generations; by default as planned.", min=1),
    ] = None,
    threads: Threads = 0,
    backend: BackendName = "cpu",
    quiet: Quiet = False,
) -> None:
    """Continue a run that was stopped or killed, or extend one, as if it had never stopped."""
    if not run:
        raise OptionError(_which_to_resume())
    info = describe_run(find_run(run).name)
    watch(
        lambda listener: resume_run(
            run, threads, generations=generations, backend=backend, listener=listener
        ),
        quiet,
    )
    if info.can_lengthen and generations is None and not quiet:
        more = [f"resume {run} --generations {2 * info.length}"]
        offer(table_console(), "It was already complete; for more generations", more)


def _which_to_resume() -> str:
    """Return the message for a command without a run: those that can be resumed."""
    names = [info.name for info in list_runs() if info.status not in BUSY]
    if not names:
        return "name a run to resume; there is none at the moment (evoboard runs)."
    return f"name a run to resume: {some_of(names, last='or')}."


@command(
    "evoboard stop mine",
)
def stop(run: RunName) -> None:
    """Ask a run that is being trained elsewhere to finish its generation, save and stop."""
    request_stop(run)
    print(f"{run} ends after this generation; continue it with: evoboard resume {run}")


def watch(work: Callable[[Listener], Outcome], quiet: bool, brief: bool = False) -> Outcome:
    """Train with a display, then print the results; `brief`: only how it ended."""
    console = Console(stderr=True, highlight=False)
    if quiet:
        outcome = work(Listener())
        print(outcome.name)
        return outcome
    listener = Display(console) if console.is_terminal else Lines(console)
    began = time.monotonic()
    with listener.shown():
        outcome = work(listener)
    _conclude(outcome, time.monotonic() - began, brief)
    return outcome


def _conclude(outcome: Outcome, seconds: float, brief: bool) -> None:
    """Print how training ended, what was learned, and what to do next."""
    console = table_console()
    name = f"[bold]{escape(outcome.name)}[/]"
    took = f"({clock(seconds)})"
    if not outcome.finished:
        count = counted(outcome.generation, "generation")
        given_up = " The one in progress was abandoned." if outcome.cut else ""
        console.print(f"{name} is saved with {count}.{given_up} {took}")
        offer(console, "Continue", [f"resume {outcome.name}"])
        return
    console.print(f"{name} has finished: {escape(outcome.finished)}. {took}")
    if brief:
        return
    with open_run(outcome.name) as run:
        for line in _learned(run, outcome):
            console.print(line)
    offer_next(console, outcome.name)


def offer_next(console: Console, name: str) -> None:
    """Print what can be done with a complete run."""
    with open_run(name) as run:
        offer(console, "Next", _next(name, run.facts()))


def _learned(run: Reader, outcome: Outcome) -> list[str]:
    """Return in a few lines what the run has come to."""
    lines = []
    if outcome.final is not None:
        best, scores = outcome.final.champion_generation, outcome.final.scores
        told = f"Its best player is the champion of generation {best}"
        if len(scores) > 1:
            others = counted(len(scores) - 1, "other champion")
            if read_experiment(run.facts()["experiment"]).fitness.players_alone:
                others = f"the players that decide fitness, the best of {len(scores)} champions"
            told += f", with {scores[best]:.0%} against {others}"
        if best < outcome.final.generation:
            told += "; later ones were the best of their own generations only"
        lines.append(f"{told}.")
    changes = _changes(run)
    if changes:
        lines.append(f"From the first measured champion to the last: {'; '.join(changes)}.")
    return lines


def _changes(run: Reader) -> list[str]:
    """Return how champions changed in Elo against each anchor, and in their grade."""
    facts, elo = run.facts(), dict[str, list[str]]()
    for generation, row in run.anchored():
        player = player_at(facts, generation)
        who = opponent_words(row.opponent, player["search"], player["settings"])
        elo.setdefault(who, []).append(_elo_text(row))
    grades = [r.numbers["grade"] for r in run.rows() if "grade" in r.numbers]
    equal_first = sorted(elo.items(), key=lambda item: EQUAL not in item[0])
    changes = [f"{_change(v[0], v[-1])} against {who}" for who, v in equal_first]
    return changes + ([f"grade {grades[0]:.3g} → {grades[-1]:.3g}"] if grades else [])


def _elo_text(row: Measurement) -> str:
    """Return an Elo, or a perfect score, which only bounds it: a bound after an arrow would look
    like a loss."""
    if row.bound:
        return f"all {counted(row.games, 'game')} {'won' if row.bound > 0 else 'lost'}"
    return f"Elo {row.elo:+.0f}"


def _change(first: str, last: str) -> str:
    if not first.startswith("Elo "):
        return f"{first} → {last}" if first != last else f"{first} by both"
    return f"{first} → {last.removeprefix('Elo ')}"


def _next(name: str, facts: dict[str, Any]) -> list[str]:
    """Return commands to go on with."""
    player = player_at(facts, facts["experiment"]["generations"])
    game = player["game"]
    rival = counter_with(load_game(game), player["search"], player["settings"]) or "random"
    game = as_typed(game)
    offers = [f"match run:{name}@best {rival} --game {game}"]
    offers.append(f"ladder run:{name}@best --game {game}")
    if game.partition(":")[0] in graded_games():
        offers.append(f"grade {name}")
    return [*offers, f"rate {name}", f"runs {name}"]


def as_typed(text: str) -> str:
    """Return a game's text as a terminal here takes it: a file from this folder on, and quoted."""
    file = split_options(text)[0]
    with suppress(ValueError):  # it is elsewhere
        if file.endswith(".py"):
            text = f"{Path(file).relative_to(Path.cwd())}{text[len(file) :]}"
    return shlex.quote(text)
