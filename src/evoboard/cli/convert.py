"""Games in files: the command convert, and what the commands that play games save."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.arena.contest import Contest
from evoboard.arena.game_files import (
    OWN,
    decoded,
    game_written,
    games_written,
    joined,
    notation_of_file,
    read_games,
)
from evoboard.arena.game_text import LoadGame
from evoboard.arena.game_tree import GameTree
from evoboard.arena.notation.base import FoundGame, notations
from evoboard.cli.printing import command, file_exists, write_new
from evoboard.core.errors import EvoboardError, NotationError, NotFound, OptionError, quoted
from evoboard.core.options import split_options
from evoboard.core.wording import counted, listed
from evoboard.games.base import Game, load_game

LARGEST = 100_000_000  # bytes of a file that is read
SAVED = "A new file for all games; .pgn (chess, kingcapture), .pdn (draughts) or .txt (any game)."
Save = Annotated[Path | None, typer.Option("--save", metavar="FILE", help=SAVED)]


@command(
    "evoboard convert games.pgn games.txt       # chess: PGN to our own text",
    "evoboard convert game.txt game.pdn         # draughts: our own text to PDN",
    "evoboard convert a.txt b.txt --game my.py  # games of your own game",
)
def convert(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A file of games.")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="A new file: .pgn, .pdn or .txt.")],
    game: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.py", help="Your own game file, if FROM contains games of it."),
    ] = None,
) -> None:
    """Convert a file of games between PGN (chess), PDN (draughts) and our own text (any game).

    A game that cannot be read is reported and left out; the exit code is then 1.
    """
    known = [*(notation.suffix for notation in notations()), OWN]
    if target.suffix.lower() not in known:
        raise OptionError(f"{target} must end in {listed(known, 'or')}, which decides the format.")
    load, parts, wrong = _loader(game or []), [], []
    for found in _read(source):
        try:
            parts.append(_converted(found, target, load))
        except EvoboardError as error:
            wrong.append(str(error))
    if not parts:
        several = f"none of its {len(wrong):,} games can be converted; " if wrong[1:] else ""
        raise NotationError(f"{source}: {several}{wrong[0] if wrong else 'it holds no game.'}")
    write_new(target, joined(parts))
    for sentence in wrong:
        typer.echo(f"{source}: {sentence}", err=True)
    left = f"; {counted(len(wrong), 'game')} left out" if wrong else ""
    console = Console(highlight=False)
    console.print(f"{escape(str(target))} is written: {counted(len(parts), 'game')}{left}.")
    if wrong:
        raise typer.Exit(1)


def _loader(files: list[Path]) -> LoadGame:
    """Return a loader of the games that a file names: built-in ones, and those in these files.

    A game file is a program, and a file of recorded games may come from anywhere.
    """
    for file in files:
        if file.suffix != ".py":
            raise OptionError(f"--game {file}: name a Python file of your own, such as my.py.")
        load_game(str(file))  # a wrong file is named before anything is read
    allowed = {file.resolve() for file in files}

    @lru_cache(None)
    def load(text: str) -> Game:
        name = split_options(text)[0]
        if not name.isidentifier() and not _is_one_of(name, allowed):
            raise NotFound(
                f"the game {quoted(name)} is not built in; a Python file is run only where "
                "--game FILE.py names it as well."
            )
        return load_game(text)

    return load


def _converted(found: FoundGame, target: Path, load: LoadGame) -> str:
    """Return a game as it stands in the new file; an error names the game."""
    tree = found.tree(load)
    try:
        return game_written(tree, target)
    except EvoboardError as error:
        raise NotationError(f"game {found.number}: {error}") from error


def _read(path: Path) -> list[FoundGame]:
    """Return all games of a file; an error names it."""
    try:
        if path.stat().st_size > LARGEST:
            raise NotationError(f"it has more than {LARGEST:,} bytes; split it first.")
        return read_games(decoded(path.read_bytes()), LARGEST)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}.") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}.") from error
    except EvoboardError as error:
        raise NotationError(f"{path}: {error}") from error


def _is_one_of(name: str, files: set[Path]) -> bool:
    try:
        return Path(name).resolve() in files
    except (OSError, ValueError, RuntimeError):
        return False


def require_new(path: Path | None, game: Game) -> None:
    """Raise OptionError, before anything is played, for a file that games cannot be saved to."""
    if path is None:
        return
    notation_of_file(path, game)
    try:
        if path.exists():
            raise file_exists(path)
        if not path.parent.is_dir():
            raise OptionError(f"{path} cannot be written: there is no folder {path.parent}.")
    except OSError as error:  # a name that is too long
        told = f"{quoted(str(path))} cannot be written ({error.strerror})"
        raise OptionError(f"{told}; give it another name.") from error


def save_contest(
    contest: Contest, game: Game, path: Path | None, console: Console | None = None
) -> None:
    """Write the games of a contest to a file, if one is named, and say so."""
    if path is None:
        return
    numbers = zip(contest.table.first, contest.table.second, strict=True)
    trees = [
        GameTree.of_record(
            record, game, (contest.names[one], contest.names[other]), round=str(number)
        )
        for number, (record, (one, other)) in enumerate(
            zip(contest.records, numbers, strict=True), 1
        )
    ]
    write_new(path, games_written(trees, path))
    if console:
        console.print(f"[dim]{counted(len(trees), 'game')} saved in {escape(str(path))}[/]")
