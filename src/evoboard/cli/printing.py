"""What commands share when they print."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from rich.align import AlignMethod
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from evoboard.core.errors import OptionError, quoted

ENDLESS = 10_000  # columns
READABLE, COMFORTABLE = 22, 40  # columns that a text needs, and that it should have
GAP = 2  # between columns

Function = TypeVar("Function", bound=Callable[..., Any])
# The commands of each file that has been imported, with the end of their help.
commands: dict[str, list[tuple[Callable[..., Any], str]]] = {}


def command(*examples_of_use: str) -> Callable[[Function], Function]:
    """Make a command of a function, with its name; its docstring is the help."""

    def register(function: Function) -> Function:
        entry = (function, examples(*examples_of_use))
        commands.setdefault(function.__module__, []).append(entry)
        return function

    return register


def print_json(data: Any) -> None:
    """Print data for a script."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2)
    print(text)


def examples(*commands: str) -> str:
    """Return the end of a command's help: how it is used, one command a line."""
    return "\n".join(["[dim]Examples:[/]", *(f"  {escape(command)}" for command in commands)])


def write_new(path: Path, content: str | bytes) -> int:
    """Write a file that must not exist yet; return its size in bytes."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with path.open("xb") as file:
            try:
                written = file.write(data)
                file.flush()
            except BaseException:
                path.unlink()  # half a file is none, and would be in the way of the next one
                raise
        return written
    except FileExistsError:
        raise file_exists(path) from None
    except OSError as error:
        told = f"{quoted(str(path))} cannot be written ({error.strerror})"
        raise OptionError(f"{told}; name another file.") from error


def file_exists(path: Path) -> OptionError:
    """Return the error for a file that would be overwritten."""
    return OptionError(f"{path} exists already; name another file, or remove it first.")


def program() -> str:
    """Return how evoboard is called here: by its name, or by the path it was started with."""
    started = Path(sys.argv[0])
    return (
        str(started) if started.name == "evoboard" and not shutil.which("evoboard") else "evoboard"
    )


def offer(console: Console, word: str, commands: Sequence[str]) -> None:
    """Print evoboard commands, one per line and never wrapped, so that they can be copied."""
    for number, command in enumerate(commands):
        lead = f"{word}:" if number == 0 else " " * (len(word) + 1)
        console.print(f"{lead} [bold]{escape(f'{program()} {command}')}[/]", soft_wrap=True)


def joined(labels: Sequence[str]) -> str:
    """Return moves in one line, separated by commas if any of them contains a space."""
    return _between(labels).join(labels)


def _between(labels: Sequence[str]) -> str:
    return ", " if any(" " in label for label in labels) else " "


def wrapped(labels: Sequence[str], width: int) -> str:
    """Return moves in lines of at most `width` columns, none of them broken."""
    glued = _between(labels).join(label.replace(" ", "\0") for label in labels)
    lines = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def span_text(low: float, high: float) -> str:
    """Return a range of numbers, or a dash if it is not known."""
    return "–" if math.isnan(low) else f"{low:.4g} … {high:.4g}"


def table_console() -> Console:
    """Return a console for tables: as wide as the terminal, or of unlimited width without one."""
    console = Console(highlight=False)
    known = console.is_terminal or "COLUMNS" in os.environ
    return console if known else Console(highlight=False, width=ENDLESS)


def progress_bars(quiet: bool = False) -> Progress:
    """Return progress bars, which are shown on standard error if it is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    disable = quiet or not console.is_terminal
    return Progress(*columns, console=console, transient=True, disable=disable)


@contextmanager
def named_bars(quiet: bool) -> Iterator[Callable[..., None]]:
    """Yield tell(name, done, total, label=""): a bar per name and total, called by any thread."""
    lock, tasks = threading.Lock(), dict[tuple[str, int], Any]()
    with progress_bars(quiet) as bar:

        def tell(name: str, done: int, total: int, label: str = "") -> None:
            with lock:
                if (name, total) not in tasks:
                    tasks[name, total] = bar.add_task(escape(name), total=total)
                bar.update(tasks[name, total], advance=done)
                if label:
                    bar.update(tasks[name, total], description=escape(label))

        yield tell


def plain_table(*headings: str) -> Table:
    """Return a table without lines."""
    return Table(*headings, box=None, header_style="bold", padding=(0, GAP, 0, 0))


def print_table(
    console: Console,
    headings: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    drop: Sequence[str] = (),
) -> None:
    """Print a table in which nothing is cut: the last column wraps where the width ends.

    Where too little is left for it, the columns named in `drop` are left out, one after the other.
    Columns whose heading ends in > are set to the right.
    """
    titles = [heading.rstrip(">") for heading in headings]
    cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    widths = [
        max([len(title), *(row[place].cell_len for row in cells)])
        for place, title in enumerate(titles)
    ]
    last, shown = len(titles) - 1, list(range(len(titles)))

    def room() -> int:
        return console.width - sum(widths[place] + GAP for place in shown[:-1])

    for title in drop:
        if room() >= min(widths[last], COMFORTABLE):
            break
        shown.remove(titles.index(title))
    wide = max(min(widths[last], room()), min(widths[last], READABLE))
    sides: list[AlignMethod] = ["right" if h.endswith(">") else "left" for h in headings]
    for row in ([Text(title, "bold") for title in titles], *cells):
        for number, piece in enumerate(row[last].wrap(console, wide) or [Text()]):
            line = Text()
            for place in shown[:-1]:
                cell = row[place].copy() if number == 0 else Text()
                cell.align(sides[place], widths[place])
                line.append_text(cell).append(" " * GAP)
            line.append_text(piece)
            line.rstrip()
            console.print(line, soft_wrap=True)
