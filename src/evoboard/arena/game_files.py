"""Files of games: ours or in a notation, told apart by what is in them; one game or many."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from evoboard.arena.game_text import HEADING, LONGEST, GameText, read_text, written
from evoboard.arena.notation.base import Found, LoadGame, Notation, notation_of, notations
from evoboard.core.errors import NotationError, OptionError
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
    text = read_text(content)
    date, event = text.extra.get("date", ""), text.extra.get("event", "")
    return Found(number, text.players, text.result, date, event, lambda _: text)


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
    known, parts = lru_cache(None)(load_game), []
    for text in texts:
        game = known(text.game)
        notation = notation_of_file(path, game)
        parts.append(notation.write(text, game) if notation else written(text))
    return "\n".join(parts)
