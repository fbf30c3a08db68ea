"""Games in files: the command convert, and what the commands that play games save."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from evoboard.arena.contest import Contest
from evoboard.arena.game_files import OWN, decoded, games_written, notation_of_file, read_games
from evoboard.arena.game_text import GameText, text_of_record
from evoboard.arena.notation.base import notations
from evoboard.cli.printing import examples
from evoboard.core.errors import EvoboardError, NotationError, NotFound, OptionError
from evoboard.core.wording import counted, listed
from evoboard.games.base import Game, load_game

PANEL = "Players"
LARGEST = 100_000_000  # bytes of a file that is read
SAVED = "A new file for all games; .pgn (chess), .pdn (draughts) or .txt says how they are written."
Save = Annotated[Path | None, typer.Option("--save", metavar="FILE", help=SAVED)]


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command(
        rich_help_panel=PANEL,
        epilog=examples(
            "evoboard convert games.pgn games.txt    # chess: PGN to our own text",
            "evoboard convert game.txt game.pdn      # draughts: our own text to PDN",
        ),
    )(convert)


def convert(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A file of games.")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="A new file: .pgn, .pdn or .txt.")],
) -> None:
    """Write a file's games anew: PGN (chess), PDN (draughts) and our own text (any game)."""
    known = [*(notation.suffix for notation in notations()), OWN]
    if target.suffix.lower() not in known:
        raise OptionError(f"{target} must end in {listed(known, 'or')}, to say how games look.")
    texts = _read(source)
    _write(target, games_written(texts, target, _load))
    console = Console(highlight=False)
    console.print(f"{escape(str(target))} is written: {counted(len(texts), 'game')}.")


def _read(path: Path) -> list[GameText]:
    """Return all games of a file; an error names it."""
    try:
        if path.stat().st_size > LARGEST:
            raise NotationError(f"it has more than {LARGEST:,} bytes; take it apart first.")
        found = read_games(decoded(path.read_bytes()), LARGEST)
        return [game.text(_load) for game in found]
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}.") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}.") from error
    except EvoboardError as error:
        raise NotationError(f"{path}: {error}") from error


_load = lru_cache(None)(load_game)


def require_new(path: Path | None, game: Game) -> None:
    """Raise OptionError, before anything is played, for a file that games cannot be saved to."""
    if path is None:
        return
    notation_of_file(path, game)
    if path.exists():
        raise _exists(path)
    if not path.parent.is_dir():
        raise OptionError(f"{path} cannot be written: there is no folder {path.parent}.")


def save_contest(
    contest: Contest, game: Game, path: Path | None, console: Console | None = None
) -> None:
    """Write the games of a contest to a file, if one is named, and say so."""
    if path is None:
        return
    numbers = zip(contest.table.first, contest.table.second, strict=True)
    texts = [
        text_of_record(record, game, (contest.names[one], contest.names[other]), round=str(number))
        for number, (record, (one, other)) in enumerate(
            zip(contest.records, numbers, strict=True), 1
        )
    ]
    _write(path, games_written(texts, path, lambda _: game))
    if console:
        console.print(f"[dim]{counted(len(texts), 'game')} saved in {escape(str(path))}[/]")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}.") from error


def _exists(path: Path) -> OptionError:
    return OptionError(f"{path} exists already; name another file, or remove it first.")
