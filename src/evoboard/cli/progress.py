"""The display of training: live in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evoboard.core.compiling import compiling
from evoboard.core.wording import by_file_name, counted
from evoboard.players.equal_search import opponent_words
from evoboard.runs.folder import expected_length
from evoboard.runs.runner import Begun, Listener
from evoboard.store.records import GenerationRecord, Measurement

RECENT = 20  # generations that speed and time left are taken from
STOPPING = "stopping after this generation; Ctrl-C again stops at once"
PAUSE = 30.0  # seconds after which a line is due where there is no terminal


class Pace:
    """How fast generations come, by those of the last while."""

    def __init__(self) -> None:
        self._ends: deque[tuple[float, float]] = deque(maxlen=RECENT + 1)
        self._first = True
        self.compiling = 0.0  # seconds by which the first generation took longer than the second

    def begin(self) -> None:
        """Start the clock."""
        self._ends.append((time.monotonic(), 0.0))

    def add(self, games: float, anew: bool = False) -> None:
        """Note the end of a generation of that many games; `anew`: earlier ones no longer count."""
        if anew and not self._first:
            self._ends = deque([self._ends[-1]], self._ends.maxlen)
        self._ends.append((time.monotonic(), games))
        if self._first and len(self._ends) > 2:  # the first one compiles, too
            self._first = False
            began, first, second = (when for when, _ in self._ends)
            self.compiling = max(0.0, (first - began) - (second - first))
            self._ends.popleft()

    @property
    def games_per_second(self) -> float:
        """Return the games of the recent generations per second, all else included."""
        return sum(games for _, games in list(self._ends)[1:]) / self._seconds()

    def seconds_left(self, generations: float) -> float | None:
        """Return how long these generations will take; the first one compiles and does not count.

        A run that was resumed compiles, too.
        """
        known = len(self._ends) - 1
        return None if self._first or known < 1 else generations * self._seconds() / known

    def _seconds(self) -> float:
        return max(1e-9, self._ends[-1][0] - self._ends[0][0]) if self._ends else 1e-9


class Lines(Listener):
    """Reports on a run in plain lines, now and then."""

    def __init__(self, console: Console) -> None:
        self.console, self.pace = console, Pace()
        self.run: Begun | None = None
        # With the generation they are of: measurements are rarer than generations.
        self.measured: dict[str, tuple[int, Measurement]] = {}
        self.grade: tuple[int, float] | None = None
        self.numbers: Mapping[str, float] = {}
        self.played = 0  # generations
        self._told = -math.inf

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show what there is to show while training goes on."""
        yield

    def began(self, run: Begun) -> None:
        """Take the run's name and length."""
        self.run, self.played = run, run.generation
        self.pace.begin()
        if run.restored:
            self.console.print(
                f"{run.folder / 'config.toml'} was missing and has been written again."
            )
        if run.unchecked:
            many = counted(run.unchecked, "generation")
            self.console.print(
                f"The first {many} could not be checked, because they have no hashes."
            )
        self.heading(run)

    def heading(self, run: Begun) -> None:
        """Say which run it is."""
        self.console.print(title_of(run), soft_wrap=True)
        self.console.print(
            f"best and mean: {fitness_words(vars(run.experiment.fitness))}", soft_wrap=True
        )

    def generation(self, record: GenerationRecord) -> None:
        """Keep the numbers, and print a line if one is due."""
        self.numbers, self.played = record.numbers, record.generation + 1
        assert self.run is not None
        change = self.run.experiment.search.next_change(record.generation)
        self.pace.add(record.numbers.get("games", 0), anew=change == record.generation)
        if "grade" in record.numbers:
            self.grade = (record.generation, record.numbers["grade"])
        for row in record.measurements:
            if row.kind == "anchor":
                self.measured[row.opponent] = (record.generation, row)
        for alarm in record.alarms:
            self.console.print(f"generation {record.generation}: {alarm.text}", style="yellow")
        self.tell(record.generation)

    @property
    def length(self) -> int:
        """How many generations the run will have, as far as one can tell."""
        assert self.run is not None
        given = self.run.experiment
        games = self.numbers.get("games")
        return expected_length(given.generations, given.stop.games, self.played, games)

    def seconds_left(self) -> float | None:
        """Return how long the rest of the run will take, None while unknown."""
        return None if self.run is None else self.pace.seconds_left(self.length - self.played)

    def left(self) -> str:
        """Return how long the rest of the run will take, in words."""
        seconds = self.seconds_left()
        if seconds is None or self.run is None:
            return "–"
        change = self.run.experiment.search.next_change(self.played)
        if change is None or change >= self.length:
            return clock(seconds)
        return f"{clock(seconds)} or more (the search changes in generation {change:,})"

    def tell(self, generation: int) -> None:
        """Print a line at every tenth of the run, and when there was none for a while."""
        assert self.run is not None
        last = self.length
        tenth = (generation + 1) * 10 // last > generation * 10 // last
        first = generation == self.run.generation
        if first or tenth or time.monotonic() - self._told > PAUSE:
            self._told = time.monotonic()
            done = f"{generation + 1:,} of {counted(last, 'generation')}"
            self.console.print(f"{done}  {self.line()}", soft_wrap=True)

    def line(self) -> str:
        """Return the numbers of the last generation in one line."""
        assert self.run is not None
        parts = [*figures(self.numbers), f"{self.pace.games_per_second:,.0f} games/s"]
        for when, row in self.measured.values():
            parts.append(f"Elo {rated_words(row)[0]}{self._mark(when)} {self.against(when, row)}")
        if self.grade is not None:
            parts.append(f"grade {self.grade[1]:.3g}{self._mark(self.grade[0])}")
        return "  ".join([*parts, f"left {self.left()}"])

    def against(self, generation: int, row: Measurement) -> str:
        """Return whom a champion was measured against."""
        assert self.run is not None
        search = self.run.experiment.search
        return opponent_words(row.opponent, search.name, search.at(generation))

    def _mark(self, generation: int) -> str:
        """Return what marks a number that is not of the last generation."""
        return "" if generation == self.played - 1 else f" (gen {generation})"

    def stopping(self) -> None:
        """Say that it will stop."""
        self.console.print("stopping after this generation, which is finished and saved first.")


class Display(Lines):
    """Shows a run live, in place."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.done, self.total, self.final, self.stops = 0, 0, 0, False
        self.message = "compiling what is new …"

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the display four times a second."""
        live = Live(
            console=self.console, get_renderable=self.render, refresh_per_second=4, transient=True
        )
        usual, compiling.listener = compiling.listener, self.compiling
        try:
            with live:
                yield
        finally:
            compiling.listener = usual

    def compiling(self, ready: int, functions: int) -> None:
        """Take how far the compiler is with what has not been used before."""
        far = f"{ready} of {functions} functions" if functions else "another process is doing it"
        self.message = f"compiling for this machine, once: {far}"

    def heading(self, run: Begun) -> None:
        """Print nothing: the display has a heading of its own."""

    def games(self, done: int, total: int) -> None:
        """Take how far this generation is."""
        self.done, self.total = done, total
        self.message = STOPPING if self.stops else "Ctrl-C finishes this generation and saves"

    def tell(self, generation: int) -> None:
        """Begin the next generation's bar; the display tells the rest."""
        self.done = 0

    def afterwards(self) -> str:
        """Return what goes on when all games of a generation are played, "" before."""
        if not 0 < self.total <= self.done:
            return ""
        first = self.run is not None and self.played == self.run.generation
        return f"   choosing and measuring the champion{' (compiling first)' * first} …"

    def final_games(self, done: int) -> None:
        """Take how far the final is."""
        self.final += done
        self.message = f"the champions meet for the title: {self.final:,} games"

    def stopping(self) -> None:
        """Say that it will stop."""
        self.stops, self.message = True, STOPPING

    def render(self) -> RenderableType:
        """Return the display."""
        if self.run is None:
            return Text(self.message, style="dim")
        generations = self.length
        bars = Table.grid(padding=(0, 2))
        bars.add_row("generation", *bar(self.played, generations))
        bars.add_row("games", *bar(self.done, self.total))
        rows: list[RenderableType] = [Text(title_of(self.run), "bold"), bars]
        left = self.left()
        speed = f"{self.pace.games_per_second:,.0f}" if self.played > self.run.generation else "–"
        rows.append(Text(f"{speed} games/s   {left} left").append(self.afterwards(), "dim"))
        if self.numbers:
            told_of = fitness_words(vars(self.run.experiment.fitness))
            rows.append(Text("   ".join(figures(self.numbers))).append(f"  ({told_of})", "dim"))
        told = [
            (when, f"Elo {elo_text(row)} against {self.against(when, row)}")
            for when, row in self.measured.values()
        ]
        told += [(self.grade[0], f"grade {self.grade[1]:.3g}")] if self.grade else []
        rows += [Text(text).append(f"  (generation {when})", "dim") for when, text in told]
        return Group(*rows, Text(self.message, style="dim"))


def title_of(run: Begun) -> str:
    """Return a run in a line."""
    experiment = run.experiment
    game, strategy = map(by_file_name, (experiment.game.name, experiment.strategy.name))
    return (
        f"{run.name}: {game}, {strategy}, "
        f"{counted(experiment.generations, 'generation')}, seed {run.seed}"
    )


def figures(numbers: Mapping[str, float]) -> list[str]:
    """Return a generation's main numbers in words."""
    parts = [f"best {numbers['best']:.4g}", f"mean {numbers['mean']:.4g}"]
    if numbers.get("species", 0) > 0:
        parts.append(f"species {numbers['species']:.0f}")
    if numbers.get("nodes_mean", 0) > 0:
        parts.append(f"hidden nodes {numbers['nodes_mean']:.1f}")
    return parts


def fitness_words(choice: Mapping[str, Any]) -> str:
    """Return what the fitness of a run is, by its settings."""
    if choice["function"]:
        return f"fitness, as computed by {by_file_name(choice['function'])}"
    per = "points per game" if choice["total"] == "mean" else "the sum of all points"
    return f"fitness, {per}, {choice['scoring']} for won/drawn/lost"


def rated_words(row: Measurement) -> tuple[str, str]:
    """Return an Elo difference and its interval; after a perfect score only a bound is known."""
    if row.bound > 0:
        return f"> {row.low:+.0f}", "won every game"
    if row.bound < 0:
        return f"< {row.high:+.0f}", "lost every game"
    return f"{row.elo:+.0f}", f"{row.low:+.0f} … {row.high:+.0f}"


def elo_text(row: Measurement) -> str:
    """Return an Elo difference with its 95% interval."""
    elo, interval = rated_words(row)
    return f"{elo} ({interval})"


def clock(seconds: float) -> str:
    """Return seconds as 0:07, 1:02:03 or 2 days 3:04:05."""
    whole = int(seconds + 0.5)
    days, rest = divmod(whole, 86_400)
    hours, minutes = divmod(rest // 60, 60)
    hands = f"{hours}:{minutes:02}:{rest % 60:02}" if hours or days else f"{minutes}:{rest % 60:02}"
    return f"{counted(days, 'day')} {hands}" if days else hands


def bar(done: int, total: int, told: str | None = None) -> tuple[RenderableType, str]:
    """Return a bar and the text behind it, by default done/total."""
    words = f"{done:,}/{total:,}" if told is None else told
    return ProgressBar(total=max(1, total), completed=done, width=40), words
