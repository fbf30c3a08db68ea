"""The command line: `evoboard`. Each group of commands is a file; this one lists and joins them."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import sys
import textwrap
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from evoboard.cli.printing import commands, examples
from evoboard.core.compiling import compiling
from evoboard.core.errors import EvoboardError, OptionError
from evoboard.core.loading import loading
from evoboard.core.version import program_version

# The files of commands by the heading that `evoboard --help` lists them under.
COMMANDS = {
    "Games and their rules": ("rules",),
    "Players": ("players", "export", "importing", "arena", "ladder", "convert", "engine"),
    "Evolution": ("experiments", "training", "runs", "study", "tune", "report", "paper", "measure"),
    "App, demo and setup": ("app", "demo", "doctor"),
}

# Commands that use all cores for hours, and how far they step back.
WORK, NICENESS = ("train", "resume", "study", "ladder", "paper"), 10

COMPILING_PATIENCE, BAR_WIDTH = 2.0, 30  # seconds before a bar is shown, and its letters


def list_commands(file: str) -> dict[str, str]:
    """Return the commands of a file of this package with the first line of their help.

    They are read from its text: importing all files takes several times as long as printing the
    help, so a file is imported when one of its commands is called.
    """
    text = (Path(__file__).parent / f"{file}.py").read_text(encoding="utf-8")
    pattern = r'^@command\(.*?^def (\w+)\(.*?^    """(.*?)(?:""")?$'
    found = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    return {command_name(name): told for name, told in found}


def command_name(function: str) -> str:
    """Return the command of a function's name: check_game is check-game, import_ is import."""
    return function.strip("_").replace("_", "-")


def load_commands(file: str) -> dict[str, Any]:
    """Return the commands of a file of this package, by name."""
    part = typer.Typer(rich_markup_mode="rich")
    name = f"evoboard.cli.{file}"
    with loading(name):
        module = import_module(name)
    for function, epilog in commands[module.__name__]:
        part.command(command_name(function.__name__), epilog=epilog)(function)
    return dict(get_group(part).commands)


class _Listed(TyperCommand):
    """A command as it stands in the list; what it is called with goes to the command itself."""

    def __init__(self, file: str, name: str, help: str, heading: str) -> None:
        super().__init__(name, help=help, rich_help_panel=heading)
        self._file = file

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        command = load_commands(self._file)[self.name or ""]
        try:
            return command.make_context(info_name, args, parent, **extra)
        except typer.BadParameter as error:
            if (told := _told_of_value(error)) is None:
                raise
            raise OptionError(told) from error


def _told_of_value(error: typer.BadParameter) -> str | None:
    """Return our sentence for a value that is out of range or of another kind.

    None for what Typer says well itself: its older versions name the value.
    """
    from pydantic import ValidationError

    from evoboard.core.settings import sentence_of

    if not isinstance(error.__cause__, ValidationError) or error.param is None:
        return None
    return sentence_of(max(error.param.opts, key=len), error.__cause__)


class _Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: _Listed(file, name, help, heading)
            for heading, files in COMMANDS.items()
            for file in files
            for name, help in list_commands(file).items()
        }


app = typer.Typer(
    name="evoboard",
    cls=_Commands,
    help="Evolve neural networks that play board games, knowing only the rules and who won.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "evoboard demo                       # a minute: evolve a player and play it",
        "evoboard train kingcapture-demo     # then: evoboard runs",
        "evoboard match material random --game chess",
        "evoboard COMMAND -h                 # more, with examples",
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"evoboard {program_version()}")
        raise typer.Exit


@app.callback()
def take_options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Take the options that belong to no command."""


def run() -> None:
    """Run the command line; what the user can fix becomes one sentence, never a traceback."""
    for channel in (sys.stdout, sys.stderr):
        if isinstance(channel, io.TextIOWrapper):  # a board can be drawn on any terminal
            channel.reconfigure(errors="replace" if channel is sys.stdout else "backslashreplace")
    if sys.stderr and sys.stderr.isatty():  # it may be closed
        compiling.listener = CompilingBar()
    if sys.argv[1:2] and sys.argv[1] in WORK:
        _let_others_go_first()
    try:
        try:
            app(prog_name="evoboard")
        finally:
            if sys.stdout:
                sys.stdout.flush()  # later, Python could only complain
    except EvoboardError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted.", code=130)
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop_output()
        sys.exit(0)
    except Exception as error:
        from evoboard.games.laws.rule_guard import describe_numba, is_numba

        if is_numba(error):
            _fail(describe_numba(error) + _hint(str(error)))
        if (told := _of_a_full_disk(error) or _in_a_users_file(error)) is None:
            raise
        _fail(told)


def _let_others_go_first() -> None:
    """Lower our priority: all cores are busy for hours, and the app may be in use meanwhile."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))


def _drop_output() -> None:
    """Let what is still to be written to standard output vanish, or Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _of_a_full_disk(error: Exception) -> str | None:
    """Return the sentence for what could not be written, as there was no room for it."""
    if not isinstance(error, OSError) or error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    if not error.filename:
        _drop_output()
    return f"{error.filename or 'the output'} cannot be written ({error.strerror}); make room."


def _in_a_users_file(error: Exception) -> str | None:
    """Return the sentence for an error that a file of the user's own has raised."""
    ours = str(Path(__file__).parent.parent)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        foreign = "site-packages" in frame.filename or frame.filename.startswith(
            ("<", sys.prefix, sys.base_prefix)
        )
        if frame.filename.endswith(".py") and not frame.filename.startswith(ours) and not foreign:
            where = f"{frame.filename}, line {frame.lineno}, in {frame.name}"
            told = f"{type(error).__name__}: {error}"
            return f"{where}: {told}.{_hint(frame.filename)}"
    return None


def _hint(text: str) -> str:
    """Return where to learn more, if a file that is named in the text is a game."""
    for name in re.findall(r"[^\"\n]+\.py", text):
        with suppress(OSError, ValueError):
            if "def legal_moves(" in Path(name).read_text(encoding="utf-8"):
                return f" `evoboard check-game {Path(name).name}` tests the whole file."
    return ""


def _fail(message: str, code: int = 2) -> None:
    told = f"evoboard: {message}"
    if sys.stderr.isatty():  # words are not broken where the line ends
        width = shutil.get_terminal_size().columns
        told = textwrap.fill(told, width, break_long_words=False, break_on_hyphens=False)
    print(told, file=sys.stderr)
    sys.exit(code)


class CompilingBar:
    """A bar on standard error, or a plain line while something else is drawn there."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._shown = ""

    def __call__(self, ready: int, functions: int) -> None:
        """Show how many functions are ready; without any, that another process compiles them."""
        now = time.monotonic()
        if self._began is None:
            self._began = now
        if ready == functions > 0:
            self._clear()
            self._began = None
        elif now - self._began < COMPILING_PATIENCE:
            return
        elif not _draws_elsewhere():
            told = _bar_text(ready, functions, now - self._began)
            if told != self._shown:
                print(f"\r{told}\033[K", end="", file=sys.stderr, flush=True)
            self._shown = told
        elif not self._shown:
            self._shown = "compiling for this machine, once …"
            print(self._shown, file=sys.stderr)

    def _clear(self) -> None:
        if self._shown and not _draws_elsewhere():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._shown = ""


def _bar_text(ready: int, functions: int, seconds: float) -> str:
    if functions:
        bar, far = "█" * (ready * BAR_WIDTH // functions), f"{ready} of {functions}"
        return f"compiling for this machine, once: {bar:░<{BAR_WIDTH}} {far}"
    bar = f"{'░' * (int(seconds) % BAR_WIDTH)}█"  # it only shows that something goes on
    return f"another process is compiling this: {bar:░<{BAR_WIDTH}} {seconds:.0f} s"


def _draws_elsewhere() -> bool:
    """Tell whether Rich draws something, which keeps lines apart from it, but lines only."""
    return type(sys.stderr).__name__ == "FileProxy"


if __name__ == "__main__":
    run()
