"""Files of games: ours or in a notation, told apart by what is in them; one game or many."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evoboard.arena.game_text import HEADING, LONGEST, LoadGame, read_text, written
from evoboard.arena.game_tree import GameTree
from evoboard.arena.notation.base import FoundGame, Notation, notation_of, notations
from evoboard.core.errors import EvoboardError, NotationError, OptionError, quoted
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


def read_games(text: str, longest: int = LONGEST) -> list[FoundGame]:
    """Return the games of a text, ours or in a notation; NotationError if it is no such text."""
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
        f"this is not a game: it is neither {names}, nor is its first line {HEADING!r}."
    )


def _own_games(text: str) -> list[FoundGame]:
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


def _own_game(number: int, content: str) -> FoundGame:
    def tree(load_game: LoadGame) -> GameTree:
        try:
            return read_text(content).tree(load_game, lenient=True)
        except EvoboardError as error:
            raise NotationError(f"game {number}: {error}") from error

    try:
        text = read_text(content)
    except NotationError:  # told when the game is wanted: the file's others can be had
        return FoundGame(number, ("", ""), "*", "", "", tree)
    date, event = text.tags.get("date", ""), text.tags.get("event", "")
    return FoundGame(number, text.players, text.result, date, event, tree)


def notation_of_file(path: Path, game: Game) -> Notation | None:
    """Return the notation that a file's name asks for, None for our own text.

    OptionError says which endings fit the game.
    """
    notation = notation_of(game)
    fitting = [OWN] if notation is None else [notation.suffix, OWN]
    if path.suffix.lower() not in fitting:
        raise OptionError(
            f"{quoted(path.name)} does not say in which format to write games of {game.name}; "
            f"its name must end in {listed(fitting, 'or')}."
        )
    return notation if notation and path.suffix.lower() == notation.suffix else None


def games_written(trees: Iterable[GameTree], path: Path) -> str:
    """Return games as the text of a file of that name."""
    return joined(game_written(tree, path) for tree in trees)


def game_written(tree: GameTree, path: Path) -> str:
    """Return a game as it stands in a file of that name."""
    notation = notation_of_file(path, tree.game)
    return notation.write(tree) if notation else written(tree)


def joined(games: Iterable[str]) -> str:
    """Return games that were written as one text."""
    return "\n".join(games)
