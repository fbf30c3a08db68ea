"""Files of games: ours or in a notation, told apart by what is in them; one game or many."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from evoboard.arena.game_text import (
    HEADING,
    LONGEST,
    GameText,
    read_text,
    replayed,
    without_wrong_variations,
    written,
)
from evoboard.arena.notation.base import Found, LoadGame, Notation, notation_of, notations
from evoboard.core.errors import EvoboardError, NotationError, OptionError
from evoboard.core.wording import listed
from evoboard.games.base import Game

OWN = ".txt"  # how names of files with our own text end


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, else Latin-1, in which old files of games are written."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_games(text: str, longest: int = LONGEST) -> list[Found]:
    """Return the games of a text, ours or in a notation; NotationError where it is no such text."""
    if len(text) > longest:
        raise NotationError(f"the text has {len(text):,} characters; at most {longest:,} are read.")
    text = text.lstrip("\ufeff")
    if text.lstrip()[: len(HEADING)].lower() == HEADING:
        return _own_games(text)
    for notation in notations():
        if notation.fits(text):
            return notation.read(text)
    names = listed([notation.name for notation in notations()], "nor")
    raise NotationError(
        f"this is no game: it is neither {names}, nor is its first line {HEADING!r}."
    )


def _own_games(text: str) -> list[Found]:
    """Return the games of a text of ours; each begins with the heading."""
    parts: list[list[str]] = []
    for line in text.splitlines():
        if line.strip().lower() == HEADING:
            parts.append([])
        if parts:
            parts[-1].append(line)
        elif line.strip():
            raise NotationError(f"the first line must be {HEADING!r}.")
    return [_own_game(number, "\n".join(lines)) for number, lines in enumerate(parts, 1)]


def _own_game(number: int, content: str) -> Found:
    try:
        text = read_text(content)
    except NotationError:  # told when the game is wanted: the file's others can be had
        text = GameText("")
    return Found(
        number,
        text.players,
        text.result,
        text.extra.get("date", ""),
        text.extra.get("event", ""),
        lambda load_game: _own_text(number, content, load_game),
    )


def _own_text(number: int, content: str, load_game: LoadGame) -> GameText:
    """Return a game of a text of ours, once it was played again by the rules."""
    try:
        text = read_text(content)
        return without_wrong_variations(text, replayed(text, load_game(text.game)))
    except EvoboardError as error:
        raise NotationError(f"game {number}: {error}") from error


def notation_of_file(path: Path, game: Game) -> Notation | None:
    """Return the notation that a file's name asks for, None for our own text.

    OptionError says which endings fit the game.
    """
    notation = notation_of(game)
    fitting = [OWN] if notation is None else [notation.suffix, OWN]
    if path.suffix.lower() not in fitting:
        raise OptionError(
            f"{path.name} does not tell how to write games of {game.name}; "
            f"its name must end in {listed(fitting, 'or')}."
        )
    return notation if notation and path.suffix.lower() == notation.suffix else None


def games_written(texts: Iterable[GameText], path: Path, load_game: LoadGame) -> str:
    """Return games as the text of a file of that name."""
    known = lru_cache(None)(load_game)
    return joined(game_written(text, path, known(text.game)) for text in texts)


def game_written(text: GameText, path: Path, game: Game) -> str:
    """Return a game as it stands in a file of that name."""
    notation = notation_of_file(path, game)
    return notation.write(text, game) if notation else written(text)


def joined(games: Iterable[str]) -> str:
    """Return games that were written as one text."""
    return "\n".join(games)
